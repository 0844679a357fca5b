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
from annotator.usecases.project.projects import create_project, find_project
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
        "add it to the labels (--add-label 'no <b>'), say which of them it is (--rename 'no <b>=bad'), or leave it out "
        "(--leave-out-label 'no <b>')."
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
    assert report.notes[0] == "2 rows and 1 annotation with the label 'no <b>' were left out."
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
        1, ["1 row and 2 scores or probabilities with the label 'other' were left out."],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (
            {"left_labels": ("never",), "renamed": {"no <b>": "bad"}},
            "The file has no label 'never' that could be left out. It has 'good', 'no <b>'",
        ),
        ({"left_labels": ("no <b>",), "added_labels": ("no <b>",)}, "is to be treated in two ways"),
        ({"added_labels": (" x",)}, "cannot be a label: it is empty, or has blanks at its ends"),
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
    assert "Taken as for an earlier file: “neg” as “bad”. To say it otherwise, rename them again." in report.notes
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
