"""Texts without a label of their own whose annotators give several as often: no gold, whatever came first, and it is told."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.store import Store
from annotator.store.annotate.annotations import count_of_other_results, count_of_ties
from annotator.store.annotate.instance_queue import HAS_GOLD
from annotator.usecases.gold import GoldOptions, gold_instances
from annotator.usecases.lead.statistics import statistics_of
from annotator.usecases.project.projects import create_project, find_project
from annotator.usecases.transfer.export import Exported, export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport

Take = Callable[..., ImportReport]
VOTES = {
    "even": ("good", "bad"),
    "odd": ("good", "bad", "bad"),
    "two and two": ("good", "good", "bad", "bad", "so so"),
    "same": ("good", "good"),
    "unsaid": (None, "good"),
}


@pytest.fixture
def project(store: Store) -> Project:
    labels = ("bad", "good", "so so")
    return create_project(store, LOCAL_OPERATOR, "Ties", get_task("sentiment"), labels=labels)


@pytest.fixture(params=[False, True], ids=["as it came", "the other way round"])
def taken(request: pytest.FixtureRequest, store: Store, project: Project, tmp_path: Path) -> ImportReport:
    rows = [
        {
            "id": key,
            "text": f"A {key} text.",
            "annotator": f"a{n}",
            "annotator_label": label,
            "rationales": [[[n % 2, 2]]],
        }
        for key, votes in VOTES.items()
        for n, label in enumerate(reversed(votes) if request.param else votes)
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return import_file(store, LOCAL_OPERATOR, project, "jsonl", path, ImportOptions(gold_policy="all"))


def exported(store: Store, path: Path) -> Exported:
    return export_file(store, LOCAL_OPERATOR, find_project(store, "Ties"), "csv", path)


def test_ties_have_no_gold_and_the_others_what_most_said(store: Store, taken: ImportReport) -> None:
    gold = gold_instances(store, find_project(store, "Ties"), "all", GoldOptions())
    assert {item.instance.key: item.result for item in gold} == {"odd": "bad", "same": "good", "unsaid": "good"}


def test_the_database_counts_them_alike(store: Store, taken: ImportReport) -> None:
    project_id = find_project(store, "Ties").id
    assert count_of_ties(store, project_id) == 2
    assert count_of_other_results(store, project_id) == 2 + 1 + 5
    rows = store.rows(f"SELECT key FROM instances WHERE {HAS_GOLD} ORDER BY id")
    assert [row["key"] for row in rows] == ["odd", "same", "unsaid"]


def test_import_statistics_and_export_tell_them(store: Store, taken: ImportReport, tmp_path: Path) -> None:
    words = "2 texts have no gold, since several results were given as often. Choose their gold under Instances."
    assert any(note.endswith(words) for note in taken.notes)
    statistics = statistics_of(store, LOCAL_OPERATOR, find_project(store, "Ties"))
    assert (statistics.n_tied, statistics.n_other_result) == (2, 8)
    done = exported(store, tmp_path / "gold.csv")
    assert (done.n, done.n_tied) == (3, 2)
    assert done.left_out.startswith(words)
