"""The samples in data/samples are read without a problem, each in its format and task."""

from pathlib import Path

import pytest

from annotator.domain.sources import SourceInstance
from annotator.domain.tasks import TASKS
from annotator.errors import Problem
from annotator.formats.base import ReadOptions
from annotator.formats.registry import get_reader

SAMPLES = Path(__file__).parents[2] / "data" / "samples"
BOTH = ("negative", "positive")

CASES = [
    ("csv", "sentiment.csv", "sentiment", BOTH, 4, 5),
    ("jsonl", "similarity.jsonl", "similarity", ("same", "different"), 4, 2),
    ("jsonl", "canonical", "reading", (), 2, 2),
    ("jsonl", "own.jsonl", "sentiment", BOTH, 2, 2),
    ("eraser", "eraser", "verification", ("SUPPORTS", "REFUTES"), 3, 3),
    ("eraser", "eraser-docs-folder", "verification", ("SUPPORTS", "REFUTES"), 3, 3),
    ("benchmark", "benchmark-sentiment", "sentiment", BOTH, 5, 9),
    ("benchmark", "benchmark-sentiment-trustai", "sentiment", BOTH, 5, 9),
    ("benchmark", "benchmark-similarity", "similarity", ("different", "same"), 2, 2),
    ("benchmark", "benchmark-reading", "reading", (), 2, 1),
    ("hatexplain", "hatexplain", "sentiment", ("normal", "offensive", "hatespeech"), 4, 7),
    ("esnli", "esnli", "inference", ("entailment", "neutral", "contradiction"), 4, 7),
    ("fair-rationales", "fair-rationales.csv", "sentiment", BOTH, 2, 3),
    ("cose", "cose", "choice", ("A", "B", "C"), 3, 3),
    ("contrast", "contrast.jsonl", "sentiment", BOTH, 6, 5),
    ("aesw", "aesw.xml", "editing", ("correct", "needs edit"), 6, 3),
    ("label-studio", "label-studio.json", "sentiment", BOTH, 1, 3),
    ("doccano", "doccano", "sentiment", BOTH, 4, 6),
    ("argilla", "argilla.json", "inference", ("entailment", "neutral", "contradiction"), 2, 3),
    ("prodigy", "prodigy.jsonl", "sentiment", BOTH, 2, 4),
    ("conll", "tags.conll", "sentiment", BOTH, 3, 3),
]


@pytest.mark.parametrize(("format_name", "path", "task", "labels", "n_instances", "n_sets"), CASES)
def test_a_sample_is_read_whole(format_name, path, task, labels, n_instances, n_sets):
    items = list(get_reader(format_name)(SAMPLES / path, ReadOptions(TASKS[task], labels)))
    assert [str(i) for i in items if isinstance(i, Problem)] == []
    instances = [i for i in items if isinstance(i, SourceInstance)]
    assert len(instances) == n_instances
    assert sum(len(a.sets) for i in instances for a in i.annotations) == n_sets


def test_every_sample_is_tried():
    assert {p.name for p in SAMPLES.iterdir()} == {path for _, path, *_ in CASES} | {"README.md", "predictions"}


def test_the_two_layouts_of_eraser_documents_give_the_same_instances():
    read = get_reader("eraser")
    first, second = (
        [i for i in read(SAMPLES / name, ReadOptions(TASKS["verification"])) if isinstance(i, SourceInstance)]
        for name in ("eraser", "eraser-docs-folder")
    )
    assert first == second
