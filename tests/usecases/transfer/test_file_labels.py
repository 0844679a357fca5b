"""Labels of a file that the project does not have: added, called otherwise, or left out with what carries them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import ImportRefused, InvalidValue, NotAllowed
from annotator.store import Store
from annotator.store.events import list_events
from annotator.usecases.access.accounts import add_user
from annotator.usecases.databases import find_project
from annotator.usecases.project.projects import change_project, create_project
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport

Take = Callable[..., ImportReport]
ROWS = (
    {"id": "a", "text": "Good.", "label": "good", "annotator": "ada", "rationales": [[[0, 1]]]},
    {"id": "a", "text": "Good.", "label": "good", "annotator": "ben", "annotator_label": "no <b>", "rationales": []},
    {"id": "b", "text": "Bad.", "label": "no <b>", "annotator": "ada", "rationales": []},
    {"id": "c", "text": "So so.", "label": "bad"},
    {"id": "b", "text": "Bad.", "label": "no <b>", "annotator": "ben", "rationales": [[[0, 1]]]},
)


@pytest.fixture
def labelled(store: Store) -> Project:
    return create_project(store, LOCAL_OPERATOR, "L", get_task("sentiment"), labels=("bad", "good"))


@pytest.fixture
def take(store: Store, labelled: Project, tmp_path: Path) -> Take:
    def run(rows=ROWS, format_name: str = "jsonl", actor=LOCAL_OPERATOR, **options: object) -> ImportReport:
        path = tmp_path / "rows.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        given = ImportOptions(**{"model": "m", **options})  # type: ignore[arg-type]
        return import_file(store, actor, find_project(store, "L"), format_name, path, given)

    return run


def stored(store: Store) -> tuple[dict[str, str | None], list[tuple[str, str | None]]]:
    results = {row["key"]: row["result"] for row in store.rows("SELECT key, result FROM instances")}
    annotations = store.rows(
        "SELECT key, annotator, annotations.result FROM annotations "
        "JOIN instances ON instances.id = instance_id ORDER BY key, annotator"
    )
    return results, [tuple(row) for row in annotations]


def test_a_strange_label_is_told_once_with_its_three_remedies(take: Take) -> None:
    with pytest.raises(ImportRefused) as refused:
        take()
    told = {(p.value, p.remedy, p.field): (p.n, p.reason) for p in refused.value.problems}
    n, reason = told["no <b>", "label", "label"]
    assert n == 2
    assert reason.endswith(
        "add it (--add-label 'no <b>'), rename it (--rename 'no <b>=bad'), or skip it (--leave-out-label 'no <b>')."
    )


def test_a_label_can_be_added_to_those_of_the_project(store: Store, take: Take) -> None:
    assert take(added_labels=("no <b>",)).n_new == 3
    assert find_project(store, "L").labels == ("bad", "good", "no <b>")
    events = list_events(store, find_project(store, "L").id, limit=2)
    assert [(event.action, event.detail.get("changed")) for event in events] == [
        ("import", None), ("change", ["labels"]),
    ]  # fmt: skip


def test_a_refused_file_and_a_dry_run_add_no_label(store: Store, take: Take) -> None:
    take(added_labels=("no <b>",), dry_run=True)
    with pytest.raises(ImportRefused):
        take((*ROWS, {"id": "d", "text": "", "label": "good"}), added_labels=("no <b>",))
    assert find_project(store, "L").labels == ("bad", "good")


def test_a_label_can_be_left_out_with_the_rows_and_annotations_that_carry_it(store: Store, take: Take) -> None:
    report = take(left_labels=("no <b>",))
    assert stored(store) == ({"a": "good", "c": "bad"}, [("a", "ada", "good")])
    assert report.notes[0] == "Skipped 2 rows and 1 annotation labelled 'no <b>'."
    assert take(left_labels=("no <b>",)).n_new == 0


def test_of_model_output_rows_that_answer_with_the_label_are_left_out_and_elsewhere_its_probability(
    store: Store, take: Take
) -> None:
    take(left_labels=("no <b>",))
    rows = [
        {"id": "a", "label": "good", "probabilities": {"good": 0.7, "bad": 0.2, "other": 0.1}},
        {"id": "c", "label": "other", "probabilities": {"good": 0.1, "bad": 0.1, "other": 0.8}},
    ]
    report = take(rows, "predictions", left_labels=("other",))
    assert (report.n_predictions, report.notes) == (
        1, ["Skipped 1 row and 2 scores or probabilities labelled 'other'."],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"left_labels": ("never",), "renamed": {"no <b>": "bad"}}, r"Unknown label 'never'\. Available:"),
        ({"left_labels": ("no <b>",), "added_labels": ("no <b>",)}, "Conflicting options for '"),
        ({"added_labels": (" x",)}, "is empty or has outer blanks. Rename it."),
    ],
)
def test_what_cannot_be_done_with_labels_is_refused(take: Take, options: dict[str, object], reason: str) -> None:
    with pytest.raises((InvalidValue, ImportRefused), match=reason):
        take(**options)


def test_only_who_leads_the_project_adds_labels(store: Store, take: Take) -> None:
    take(left_labels=("no <b>",))
    user = add_user(store, LOCAL_OPERATOR, "rea", "researcher", "L").user
    rows = [{"id": "a", "label": "other"}]
    with pytest.raises(NotAllowed):
        take(rows, "predictions", actor=user, added_labels=("other",))
    assert find_project(store, "L").labels == ("bad", "good")


def test_what_a_label_is_called_is_remembered_for_the_next_file_and_told(take: Take, store: Store) -> None:
    take([{"id": "a", "text": "Good.", "label": "pos"}], renamed={"pos": "good"})
    answers = [{"id": "a", "prediction": "neg"}]
    take(answers, "predictions", renamed={"neg": "bad"})
    assert find_project(store, "L").settings.import_labels == {"pos": "good", "neg": "bad"}
    report = take([{"id": "b", "text": "Bad.", "label": "neg"}])
    assert "Labels mapped as before: “neg” as “bad”." in report.notes
    assert take([{"id": "b", "prediction": "pos"}], "predictions", model="n").n_new == 1
    assert stored(store)[0] == {"a": "good", "b": "bad"}


def test_a_label_that_is_remembered_need_not_be_in_a_file_and_can_be_called_otherwise(take: Take, store: Store) -> None:
    take([{"id": "a", "text": "Good.", "label": "pos"}], renamed={"pos": "good"})
    take([{"id": "b", "text": "Bad.", "label": "bad"}])
    take([{"id": "c", "text": "Odd.", "label": "pos"}], renamed={"pos": "bad"})
    assert stored(store)[0] == {"a": "good", "b": "bad", "c": "bad"}
    assert find_project(store, "L").settings.import_labels == {"pos": "bad"}
    with pytest.raises(ImportRefused):
        take([{"id": "d", "text": "Odd.", "label": "pos"}], forget_columns=True)


def test_class_numbers_and_what_a_researcher_says_are_not_remembered(take: Take, store: Store) -> None:
    take([{"id": "a", "text": "Good.", "label": "LABEL_1"}], renamed={"LABEL_1": "good"})
    researcher = add_user(store, LOCAL_OPERATOR, "ria", "researcher", "L").user
    take([{"id": "a", "prediction": "pos"}], "predictions", researcher, renamed={"pos": "good"})
    assert find_project(store, "L").settings.import_labels == {}


# Labels that differ only in case, blanks or width: blanks at the ends go, the rest is told and merged by somebody's word.

LABELS = ("Positive", "positive ", "positive", "POSITIVE", "ｐositive", " negative", "Negative", "negative")


@pytest.fixture
def take_labels(store: Store, tmp_path: Path) -> Take:
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


def test_blanks_at_the_ends_go_and_variants_are_told_with_their_numbers(store: Store, take_labels: Take) -> None:
    report = take_labels()
    assert project(store).labels == ("Negative", "POSITIVE", "Positive", "negative", "positive", "ｐositive")
    assert report.labels == {"Positive": 1, "positive": 2, "POSITIVE": 1, "ｐositive": 1, "negative": 2, "Negative": 1}
    assert report.columns[-1] == (
        "New project labels: “Positive” (1), “positive” (2), “POSITIVE” (1), “ｐositive” (1), “negative” "
        "(2) and “Negative” (1)."
    )
    [doubt] = report.doubts
    assert doubt.endswith(
        "differ only in case, spaces or width. To merge them into “positive” and “negative”: --merge-labels."
    )
    assert [group.name for group in report.variants] == ["positive", "negative"]
    change_project(store, LOCAL_OPERATOR, project(store))  # the rules can be saved


def test_one_word_merges_them_all_into_the_most_frequent_one(store: Store, take_labels: Take) -> None:
    report = take_labels(merge_labels=True)
    assert project(store).labels == ("negative", "positive")
    assert results(store) == ["positive"] * 5 + ["negative"] * 3
    assert (report.labels, report.variants, report.doubts) == ({"positive": 5, "negative": 3}, [], [])
    assert report.notes == [
        "Labels merged: “Positive” as “positive”, “POSITIVE” as “positive”, “ｐositive” as “positive”, “Negative” as “negative”."
    ]
    assert take_labels(merge_labels=True).n_unchanged == 8


def test_a_project_with_labels_proposes_its_own_and_remembers_what_was_said(store: Store, take_labels: Take) -> None:
    take_labels(("positive", "negative"))
    with pytest.raises(ImportRefused) as refused:
        take_labels(("positive", "negative", "POSITIVE"))
    assert "merge it with 'positive' (--merge-labels), add it (--add-label" in refused.value.problems[0].reason
    assert take_labels(("positive", "negative", "POSITIVE"), merge_labels=True).n_new == 1
    assert project(store).settings.import_labels == {"POSITIVE": "positive"}
    assert take_labels(("positive", "negative", "POSITIVE", "POSITIVE")).n_new == 1


def test_labels_that_the_project_tells_apart_stay_apart(store: Store, take_labels: Take) -> None:
    take_labels(("us", "US"))
    report = take_labels(("us", "US", "US"), merge_labels=True)
    assert (results(store), report.variants) == (["us", "US", "US"], [])


def test_a_label_that_is_renamed_beside_is_merged_into_none(store: Store, take_labels: Take) -> None:
    take_labels(("good", "GOOD", "bad"), merge_labels=True, renamed={"bad": "Good"})
    assert results(store) == ["good", "good", "good"]


def test_numbers_for_keys_are_given_once_though_the_file_is_read_twice(
    store: Store, take_labels: Take, tmp_path: Path
) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("text,label\nGood.,Yes\nBad.,no\nOdd.,YES\nEven.,Yes\n")
    options = ImportOptions(number_keys=True, merge_labels=True)
    report = import_file(store, LOCAL_OPERATOR, project(store), "csv", path, options)
    assert report.notes == ["Labels merged: “YES” as “Yes”.", "Numbered 4 rows without an ID."]
    assert results(store) == ["Yes", "no", "Yes", "Yes"]


def test_a_project_with_answers_keeps_them_as_they_are(store: Store, tmp_path: Path) -> None:
    create_project(store, LOCAL_OPERATOR, "Answers", get_task("reading"))
    path = tmp_path / "rows.jsonl"
    row = {"id": "1", "passage": "It rained.", "question": "What?", "answer": " Rain"}
    path.write_text(json.dumps(row) + "\n")
    report = import_file(store, LOCAL_OPERATOR, find_project(store, "Answers"), "jsonl", path, ImportOptions())
    assert (results(store), report.labels) == ([" Rain"], {})
