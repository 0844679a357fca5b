"""Formats by name, and by a file's first lines; the samples are read without a problem."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.domain.sources import SourceInstance
from annotator.domain.tasks import TASKS
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.registry import OUTPUT_READERS, READERS, WRITERS, get_reader, get_writer, guess_format
from tests.conftest import SAMPLES, SHARED_DATA


@pytest.mark.parametrize("name", READERS)
def test_every_reader_is_there(name):
    assert callable(get_reader(name))


@pytest.mark.parametrize("name", WRITERS)
def test_every_writer_is_there(name):
    assert callable(get_writer(name))


def test_an_unknown_format_is_refused_naming_those_there_are():
    with pytest.raises(InvalidValue, match=r"Unknown format 'parquet'\. Available:"):
        get_reader("parquet")
    with pytest.raises(InvalidValue, match=r"Unknown format 'aesw'\."):
        get_writer("aesw")


def test_a_format_is_imported_when_it_is_asked_for():
    code = (
        "import sys; import annotator.formats.registry as r; "
        "assert {m for m in sys.modules if m.startswith('annotator.formats.')} "
        "== {'annotator.formats.base', 'annotator.formats.registry'}; "
        "r.get_reader('eraser'); assert 'annotator.formats.benchmark.reader' not in sys.modules; assert 'spacy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# The samples in data/samples are read without a problem, each in its format and task.

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
    ("multirc", "multirc", "verification", ("True", "False"), 2, 2),
    ("movies", "movies", "sentiment", ("POS", "NEG"), 2, 3),
    ("fever", "fever", "verification", ("SUPPORTS", "REFUTES"), 2, 3),
    ("evidence-inference", "evidence-inference", "verification", (), 2, 3),
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


# The format of a file is guessed from its first lines: every sample, and rows that only look alike.

PREDICTIONS = [
    ("attributions.csv", "attributions-csv"),
    ("benchmark-paddlenlp.jsonl", "benchmark-predictions"),
    ("benchmark-trustai.jsonl", "benchmark-predictions"),
    ("benchmark-saliency.jsonl", "benchmark-saliency"),
    ("model_output.jsonl", "attributions"),
]
SAMPLES_BY_FORMAT = [(path, name) for name, path, *_ in CASES] + [(f"predictions/{n}", f) for n, f in PREDICTIONS]


@pytest.mark.parametrize(("path", "name"), SAMPLES_BY_FORMAT)
def test_the_format_of_each_sample_is_found(path, name):
    guess = guess_format(SAMPLES / path)
    assert guess is not None
    assert guess.format_name == name


OTHERS = SHARED_DATA / "attribution_samples"
TOOLS = [
    ("captum_records.json", "captum"),
    ("ferret_explanations.json", "ferret"),
    ("inseq.json", "inseq"),
    ("inseq_primitives.json", "inseq"),
    ("interpreto.json", "interpreto"),
    ("lime.json", "lime"),
    ("shap_explanation.json", "shap"),
    ("thermostat.jsonl", "thermostat"),
    ("transformers_interpret.json", "transformers-interpret"),
    ("xai_benchmark.jsonl", "xai-benchmark"),
]


@pytest.mark.parametrize(("path", "name"), TOOLS)
def test_what_the_tools_themselves_wrote_is_found(path, name):
    if not OTHERS.is_dir():
        pytest.skip("the tools' own files are not here")
    guess = guess_format(OTHERS / path)
    assert guess is not None
    assert guess.format_name == name


FILES = [
    (
        "out.json",
        b'{"__instance_type__": ["inseq.data.attribution", "FeatureAttributionOutput"], "attributes": {"sequence_attributions": [], "info": {}}}',
        "inseq",
        "on one line, within class names",
    ),
    (
        "out.json",
        b'{"sequence_attributions": [{"target": [' + b'{"token": "a"}, ' * 20_000 + b"{}]}]}",
        "inseq",
        "one line that is longer than what is read",
    ),
    (
        "answers.jsonl",
        b'{"custom_id": "self-explanation:1::0", "text": "{}", "prediction": "x"}\n',
        "self-explanations",
        "an answer to a prompt, in a field that texts have",
    ),
    (
        "answers.jsonl",
        b'{"id": "self-explanation:1::0", "reply": "{}"}\n',
        "self-explanations",
        "an answer to a prompt, by its name alone",
    ),
    ("rows.txt", b'{"id": "1", "text": "a", "label": "x"}\n', "jsonl", "the name does not matter where lines tell it"),
    ("rows.jsonl", b'\xef\xbb\xbf\n{"id": "1", "text": "a"}\n', "jsonl", "a byte order mark and a blank line"),
    ("rows.jsonl", b'{"id": "1", "text": "a", "scores": [1], "prediction": "x"}\n', "jsonl", "texts with more fields"),
    ("rows.jsonl", b'{"id": "1", "fields": {"text": {"text": "a"}}}\n', "jsonl", "the neutral form"),
    ("rows.csv", b"id;text\n1;a\n", "csv", "semicolons"),
    ("rows.txt", b"id\ttext\n1\ta\n", "csv", "a table under another name"),
    ("rows.csv", b"id\n1\n", "csv", "one column, by its name"),
    ("out.jsonl", b'{"id": "1", "probabilities": {"a": 1}}\n', "predictions", "answers"),
    ("doccano.jsonl", b'{"id": 1, "text": "abc", "label": [[0, 1, "x"]]}\n', "doccano", "marks as lists"),
    ("doccano.jsonl", b'{"id": 1, "text": "abc", "label": ["x"]}\n', "jsonl", "labels that are no marks"),
    ("prose.txt", b"This is a text, of two lines,\nand no table.\n", None, "prose with commas"),
    ("empty.csv", b"", None, "nothing"),
    ("photo.bin", b"\x89PNG\r\n\x00\x00", None, "a picture"),
]


@pytest.mark.parametrize(("name", "content", "format_name", "why"), FILES)
def test_the_first_lines_tell_the_format(name, content, format_name, why, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    guess = guess_format(path)
    assert (guess.format_name if guess else None) == format_name, why


def test_a_folder_is_what_its_most_particular_file_is(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "d1").write_text("A b .")
    (tmp_path / "docs.jsonl").write_text('{"docid": "d1", "document": "A b ."}\n')
    row = {"annotation_id": "1", "classification": "x", "evidences": []}
    (tmp_path / "train.jsonl").write_text(json.dumps(row) + "\n")
    guess = guess_format(tmp_path)
    assert guess is not None
    assert guess.format_name == "eraser"


def test_every_guess_is_a_format_that_can_be_read():
    from annotator.formats import registry as formats_guess

    names = {guess.format_name for guess, _ in formats_guess._FORMS}
    assert names - {"suite"} <= READERS.keys() | OUTPUT_READERS.keys()  # a suite is imported by itself


@pytest.mark.parametrize(
    ("name", "content", "format_name", "other"),
    [
        ("a.jsonl", '{"text": "Good.", "probabilities": {"a": 1}}\n', "jsonl", "predictions"),
        ("a.jsonl", '{"id": 1, "text": "Good.", "scores": [1]}\n', "jsonl", "attributions"),
        ("a.jsonl", '{"id": 1, "text": "Good.", "label": "a"}\n', "jsonl", None),
        ("a.csv", "text,prediction\nGood.,a\n", "csv", "predictions"),
        ("a.csv", "id,prediction\n1,a\n", "predictions", None),
        ("a.csv", "id,tokens,scores\n1,[],[]\n", "attributions", None),
        ("a.csv", "originaldata_id,tokens_input,tokens_merged,lrp,label\n1,[],[],[],a\n", "attributions", None),
    ],
)
def test_a_file_of_texts_with_what_a_model_says_of_them_may_be_two_formats(
    tmp_path: Path, name: str, content: str, format_name: str, other: str | None
) -> None:
    path = tmp_path / name
    path.write_text(content)
    guess = guess_format(path)
    assert guess is not None
    assert (guess.format_name, guess.other and guess.other.format_name) == (format_name, other)
