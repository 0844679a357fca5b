"""What files bring of other people's work: said at the import, counted by person, and the gold that is made of it."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.instances import POLICY_WORDS, Accepted, Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import NotAllowed
from annotator.store import Store
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.lead.decisions import adjudicate
from annotator.usecases.lead.progress import accepted_annotations, imported_annotations
from annotator.usecases.lead.statistics import statistics_of
from annotator.usecases.project.projects import change_project, events_of, find_project
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport, gold_words

Rows = Callable[..., ImportReport]


def rows(n_texts: int = 4, n_annotators: int = 3) -> list[dict[str, object]]:
    return [
        {"id": f"t{text}", "text": "Good food, bad music.", "label": "positive", "annotator": f"ann{who}",
         "rationales": [[[0, 1 + who]]]}
        for text in range(n_texts) for who in range(n_annotators)
    ]  # fmt: skip


def policy_of(store: Store) -> str:
    return find_project(store, "Project").settings.gold_policy


def test_an_import_with_several_annotators_says_what_the_gold_is_made_from(
    make_project: Callable[..., Project], import_rows: Rows
) -> None:
    report = import_rows(make_project(), rows())
    assert report.accepted == Accepted(12, 4, 4, 3)
    assert report.notes == [
        "The texts come with 3 annotators each. Gold policy “chosen”: the lead's choice, or else the first "
        "accepted annotation with the gold result; 4 of 12 accepted annotations count."
    ]


def test_annotations_with_another_label_than_the_gold_one_are_counted_and_said_to_be_no_part_of_it(
    make_project: Callable[..., Project], import_rows: Rows
) -> None:
    unlabelled = [{**row, "id": "u", "label": None, "annotator_label": "positive"} for row in rows(n_texts=1)]
    brought = [*rows(), *unlabelled]
    for row in (brought[0], brought[4], brought[-1]):
        row["annotator_label"] = "negative"
    report = import_rows(make_project(gold_policy="all"), brought)
    assert report.accepted == Accepted(15, 5, 5, 3, 3)
    said = "of any result. 3 annotations give another result than the gold one: what is marked there is no part of the gold."
    assert any(note.endswith(said) for note in report.notes)
    assert gold_words("chosen", Accepted(4, 2, 2, 2, 1)).endswith(
        "1 annotation gives another result than the gold one: what is marked there is no part of the gold, unless the lead chose it."
    )


def test_annotations_whose_marks_the_file_does_not_tell_are_counted_apart_from_those_that_are_accepted(
    store: Store, make_project: Callable[..., Project], tmp_path: Path
) -> None:
    people = [{"label": "positive", "annotator_id": number} for number in range(3)]
    masks = [[1, 0, 0], [0, 1, 0]]  # whose they are is not known
    posts = {"p": {"post_id": "p", "annotators": people, "rationales": masks, "post_tokens": ["Fine", "food", "."]}}
    path = tmp_path / "dataset.json"
    path.write_text(json.dumps(posts), encoding="utf-8")
    report = import_file(store, LOCAL_OPERATOR, make_project(), "hatexplain", path, ImportOptions(dry_run=True))
    assert (report.n_annotations, report.n_reference) == (5, 3)
    assert report.accepted == Accepted(2, 1, 1, 2)
    assert report.notes[-1] == (
        "3 of the 5 annotations that come with this file are kept for reference: the file does not say what was marked there, "
        "so that they do not count as accepted gold. The other 2 annotations count as accepted."
    )


def test_with_one_annotator_a_text_there_is_nothing_to_say(
    make_project: Callable[..., Project], import_rows: Rows
) -> None:
    report = import_rows(make_project(), rows(n_annotators=1))
    assert (report.notes, report.accepted, report.gold_policy) == ([], None, None)


@pytest.mark.parametrize("gold", ["draft", "reference"])
def test_what_is_no_gold_asks_for_no_policy(gold: str, make_project: Callable[..., Project], import_rows: Rows) -> None:
    assert import_rows(make_project(), rows(), gold=gold).notes == []


def test_a_policy_that_is_asked_for_is_the_projects_from_then_on(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    report = import_rows(project, rows(), gold_policy="majority", dry_run=True)
    assert (report.gold_policy, policy_of(store)) == ("majority", "chosen")
    report = import_rows(project, rows(), gold_policy="majority")
    assert (report.gold_policy, policy_of(store)) == ("majority", "majority")
    assert "there are 12 accepted annotations of 4 texts, of any result" in report.notes[0]
    assert {"change", "import"} <= {event.action for event in events_of(store, LOCAL_OPERATOR, project.id)}
    n_events = len(events_of(store, LOCAL_OPERATOR, project.id))
    import_rows(project, rows(), gold_policy="majority")  # the same again changes no rule
    assert len(events_of(store, LOCAL_OPERATOR, project.id)) == n_events + 1
    assert (
        import_rows(project, rows(), gold_policy="union").gold_policy == "union"
    )  # the rows are there, the policy is new
    assert policy_of(store) == "union"


def test_imported_annotations_are_counted_by_person_and_own_work_is_not(
    store: Store, make_project: Callable[..., Project], import_rows: Rows, add_person: Callable[..., User]
) -> None:
    project = make_project(annotators_per_instance=5)
    import_rows(project, rows(n_texts=3, n_annotators=2))
    ann = add_person("ann", project, "annotator", "lead")
    work = annotate_work.next_work(store, ann, project.id).work
    annotate_work.submit(store, ann, work.assignment.id, 0, Draft("positive", (RationaleSet.of((0, 2)),)))
    adjudicate(store, ann, project, work.instance.id, "positive", (RationaleSet.of((1, 2)),), "mine")
    assert imported_annotations(store, ann, project) == {"ann0": 3, "ann1": 3}
    assert accepted_annotations(store, ann, project) == Accepted(7, 3, 3, 3)
    with pytest.raises(NotAllowed, match="right to manage the project"):
        imported_annotations(store, add_person("other", project, "annotator"), project)


def test_statistics_tell_how_many_accepted_annotations_the_gold_is_made_from(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    import_rows(project, rows())
    found = statistics_of(store, LOCAL_OPERATOR, project)
    assert (found.gold_policy, found.n_accepted, found.n_counting) == ("chosen", 12, 4)
    assert found.imported == {"ann0": 4, "ann1": 4, "ann2": 4}
    changed = change_project(
        store, LOCAL_OPERATOR, replace(project, settings=replace(project.settings, gold_policy="all"))
    )
    assert statistics_of(store, LOCAL_OPERATOR, changed).n_counting == 12


def test_what_gold_is_made_from_is_said_with_counts() -> None:
    assert gold_words("chosen", Accepted(960, 160, 160, 6)).endswith("; 160 of 960 accepted annotations count.")
    for policy in ("all", "majority", "union"):
        assert gold_words(policy, Accepted(960, 160, 160, 6)).startswith(
            f"Gold policy “{policy}”: {POLICY_WORDS[policy]}; there are"
        )


# Texts without labels ------------------------------------------------------------------------------------------------


def test_texts_without_a_label_in_a_project_without_labels_are_told(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    change_project(store, LOCAL_OPERATOR, replace(project, labels=()))
    report = import_rows(replace(project, labels=()), [{"id": f"t{n}", "text": "Fine food."} for n in range(30)])
    assert report.n_unlabelled == 30
    assert report.notes == [
        "These 30 texts have no label and the project has none: add labels before you give out work."
    ]


def test_texts_that_bring_labels_and_tasks_with_answers_have_nothing_to_be_told(
    store: Store, make_project: Callable[..., Project], import_rows: Rows
) -> None:
    project = make_project()
    change_project(store, LOCAL_OPERATOR, replace(project, labels=()))
    labelled = [{"id": "1", "text": "Fine food.", "label": "good"}, {"id": "2", "text": "Fine food."}]
    assert import_rows(replace(project, labels=()), labelled).notes == []
    reading = make_project("reading", name="Reading")
    assert import_rows(reading, [{"id": "1", "passage": "Fine food.", "question": "What?"}]).notes == []
