"""Labels that differ only in case, blanks or width: blanks at the ends go, the rest is told and merged by somebody's word."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused
from annotator.store import Store
from annotator.usecases.project.projects import change_project, create_project, find_project
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport

Take = Callable[..., ImportReport]
LABELS = ("Positive", "positive ", "positive", "POSITIVE", "ｐositive", " negative", "Negative", "negative")


@pytest.fixture
def take(store: Store, tmp_path: Path) -> Take:
    create_project(store, LOCAL_OPERATOR, "New", get_task("sentiment"))

    def run(labels: tuple[str, ...] = LABELS, format_name: str = "jsonl", **options: object) -> ImportReport:
        rows = [{"id": str(n), "text": f"Text {n}.", "label": label} for n, label in enumerate(labels)]
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        given = ImportOptions(**options)  # type: ignore[arg-type]
        return import_file(store, LOCAL_OPERATOR, find_project(store, "New"), format_name, path, given)

    return run


def project(store: Store) -> Project:
    return find_project(store, "New")


def results(store: Store) -> list[str]:
    return [row["result"] for row in store.rows("SELECT result FROM instances ORDER BY id")]


def test_blanks_at_the_ends_go_and_variants_are_told_with_their_numbers(store: Store, take: Take) -> None:
    report = take()
    assert project(store).labels == ("Negative", "POSITIVE", "Positive", "negative", "positive", "ｐositive")
    assert report.labels == {"Positive": 1, "positive": 2, "POSITIVE": 1, "ｐositive": 1, "negative": 2, "Negative": 1}
    assert report.columns[-1] == (
        "The project gets these labels: “Positive” (1), “positive” (2), “POSITIVE” (1), “ｐositive” (1), “negative” (2) and "
        "“Negative” (1)."
    )
    [doubt] = report.doubts
    assert doubt.endswith("Merge them into “positive” and “negative” (--merge-labels), if they are one.")
    assert [group.name for group in report.variants] == ["positive", "negative"]
    change_project(store, LOCAL_OPERATOR, project(store))  # the rules can be saved


def test_one_word_merges_them_all_into_the_most_frequent_one(store: Store, take: Take) -> None:
    report = take(merge_labels=True)
    assert project(store).labels == ("negative", "positive")
    assert results(store) == ["positive"] * 5 + ["negative"] * 3
    assert (report.labels, report.variants, report.doubts) == ({"positive": 5, "negative": 3}, [], [])
    assert take(merge_labels=True).n_unchanged == 8


def test_a_project_with_labels_proposes_its_own_and_remembers_what_was_said(store: Store, take: Take) -> None:
    take(("positive", "negative"))
    with pytest.raises(ImportRefused) as refused:
        take(("positive", "negative", "POSITIVE"))
    assert "merge it with 'positive' and others alike (--merge-labels)" in refused.value.problems[0].reason
    assert take(("positive", "negative", "POSITIVE"), merge_labels=True).n_new == 1
    assert project(store).settings.import_labels == {"POSITIVE": "positive"}
    assert take(("positive", "negative", "POSITIVE", "POSITIVE")).n_new == 1


def test_labels_that_the_project_tells_apart_stay_apart(store: Store, take: Take) -> None:
    take(("us", "US"))
    report = take(("us", "US", "US"), merge_labels=True)
    assert (results(store), report.variants) == (["us", "US", "US"], [])


def test_a_label_that_is_renamed_beside_is_merged_into_none(store: Store, take: Take) -> None:
    take(("good", "GOOD", "bad"), merge_labels=True, renamed={"bad": "Good"})
    assert results(store) == ["good", "good", "good"]


def test_numbers_for_keys_are_given_once_though_the_file_is_read_twice(
    store: Store, take: Take, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("text,label\nGood.,Yes\nBad.,no\nOdd.,YES\nEven.,Yes\n")
    options = ImportOptions(number_keys=True, merge_labels=True)
    report = import_file(store, LOCAL_OPERATOR, project(store), "csv", path, options)
    assert report.notes == ["4 texts without a key got a number as key: 4 new: 1 to 4."]
    assert results(store) == ["Yes", "no", "Yes", "Yes"]


def test_a_project_with_answers_keeps_them_as_they_are(store: Store, tmp_path: Path) -> None:
    create_project(store, LOCAL_OPERATOR, "Answers", get_task("reading"))
    path = tmp_path / "rows.jsonl"
    row = {"id": "1", "passage": "It rained.", "question": "What?", "answer": " Rain"}
    path.write_text(json.dumps(row) + "\n")
    report = import_file(store, LOCAL_OPERATOR, find_project(store, "Answers"), "jsonl", path, ImportOptions())
    assert (results(store), report.labels) == ([" Rain"], {})
