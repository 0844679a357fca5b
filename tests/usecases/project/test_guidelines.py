"""The guidelines of a project: their versions, and who has read them."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import User
from annotator.domain.project.guidelines import changed_lines
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import Conflict, InvalidValue, NotAllowed, NotFound
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.project.guidelines import newest_number, readings_of, versions_of
from annotator.usecases.annotate import work
from annotator.usecases.databases import find_project
from annotator.usecases.lead.event_words import event_words
from annotator.usecases.project.guidelines import (
    Readers,
    Reading,
    acknowledge,
    change_guidelines,
    guidelines_versions,
    readers_of,
    reading_of,
)
from annotator.usecases.project.projects import change_project, events_of

AddPerson = Callable[..., User]


@pytest.fixture
def project(make_project: Callable[..., Project]) -> Project:
    return make_project()


@pytest.fixture
def lead(add_person: AddPerson, project: Project) -> User:
    return add_person("lead", project, "lead")


def numbers_and_texts(store: Store, lead: User, project: Project) -> list[tuple[int, str]]:
    shown = guidelines_versions(store, lead, project.id)
    return [(each.version.number, each.version.text) for each in shown]


def test_guidelines_with_a_worked_example_that_cannot_be_drawn_are_refused_with_every_line(
    store: Store, project: Project, lead: User
) -> None:
    broken = (
        "Read.\n```example\nThe [A: soup was cold.\n```\n~~~example\nlabel: no\n~~~\n```example\nIt ends [J: here]."
    )
    with pytest.raises(InvalidValue, match=r"Line 8: close the example with ``` on its own line\."):
        change_guidelines(store, lead, project.id, broken, based_on=0)
    assert numbers_and_texts(store, lead, project) == []


def test_a_worked_example_of_a_label_that_the_project_has_not_is_refused_by_name(
    store: Store, project: Project, lead: User
) -> None:
    example = "```example\nlabel: Negative\nThe [A: soup was cold].\n```"
    with pytest.raises(InvalidValue, match="Examples have the label “Negative”; the project has “negative”"):
        change_guidelines(store, lead, project.id, example, based_on=0)
    assert change_guidelines(store, lead, project.id, example.replace("Negative", "negative"), based_on=0) == 1


def test_each_change_is_a_version_that_says_who_made_it_and_what_changed(
    store: Store, project: Project, lead: User
) -> None:
    change_guidelines(store, lead, project.id, "Read.\nMark all.", based_on=0)
    change_guidelines(store, lead, project.id, "Read.\nMark little.", based_on=1, is_small=True)
    newest, oldest = guidelines_versions(store, lead, project.id)
    assert (newest.version.number, newest.version.made_by, newest.version.is_small) == (2, "lead", True)
    assert [(line.change, line.text) for line in newest.changes] == [
        ("kept", "Read."), ("removed", "Mark all."), ("added", "Mark little."),
    ]  # fmt: skip
    assert (oldest.version.text, {line.change for line in oldest.changes}) == ("Read.\nMark all.", {"added"})
    assert find_project(store, project.name).guidelines == "Read.\nMark little."
    assert event_words(events_of(store, lead, project.id)[0]) == "changed: Guidelines; guidelines now version 2"


def test_the_second_of_two_leads_is_told_and_overwrites_nothing(store: Store, project: Project, lead: User) -> None:
    change_guidelines(store, lead, project.id, "Mark all.", based_on=0)
    with pytest.raises(
        Conflict, match=r"Not saved: lead changed this meanwhile\. Copy your changes, reload and redo them\."
    ):
        change_guidelines(store, lead, project.id, "Mark nothing.", based_on=0)
    assert numbers_and_texts(store, lead, project) == [(1, "Mark all.")]
    assert find_project(store, project.name).guidelines == "Mark all."


def test_the_same_text_and_other_rules_make_no_version(store: Store, project: Project, lead: User) -> None:
    change_guidelines(store, lead, project.id, "Mark all.", based_on=0)
    assert change_guidelines(store, lead, project.id, "Mark all.", based_on=1) == 1
    change_project(store, lead, replace(find_project(store, project.name), citation="X"))
    assert numbers_and_texts(store, lead, project) == [(1, "Mark all.")]


def test_only_leads_change_guidelines_and_read_old_versions(
    store: Store, project: Project, add_person: AddPerson
) -> None:
    annotator = add_person("annotator-a", project, "annotator")
    with pytest.raises(NotAllowed):
        change_guidelines(store, annotator, project.id, "Mark all.", based_on=0)
    with pytest.raises(NotAllowed):
        guidelines_versions(store, annotator, project.id)
    assert versions_of(store, project.id) == []


def test_changes_far_apart_are_shown_without_what_stands_between() -> None:
    before = [f"line {n}" for n in range(20)]
    after = ["new", *before[1:19], "end"]
    assert [(line.change, line.text) for line in changed_lines("\n".join(before), "\n".join(after))] == [
        ("removed", "line 0"), ("added", "new"), ("kept", "line 1"),
        ("kept", "line 18"), ("removed", "line 19"), ("added", "end"),
    ]  # fmt: skip


def test_somebody_is_asked_at_first_and_after_a_change_that_is_not_small(
    store: Store, project: Project, lead: User, add_person: AddPerson
) -> None:
    ann = add_person("annotator-a", project, "annotator")
    change_guidelines(store, lead, project.id, "Mark all.", based_on=0)
    assert reading(store, ann, project) == Reading(1, is_asked=True)
    assert not reading(store, lead, project).is_asked  # who wrote them has read them
    acknowledge(store, ann, project.id, 1)
    assert reading(store, ann, project) == Reading(1, is_asked=False, last=1)
    change_guidelines(store, lead, project.id, "Mark all!", based_on=1, is_small=True)
    assert not reading(store, ann, project).is_asked
    assert readers_of(store, lead, project_now(store, project)) == Readers(("annotator-a",), ())
    change_guidelines(store, lead, project.id, "Mark little!", based_on=2)
    now = reading(store, ann, project)
    assert (now.number, now.is_asked, now.last) == (3, True, 1)
    assert [(line.change, line.text) for line in now.changes] == [("removed", "Mark all."), ("added", "Mark little!")]
    assert readers_of(store, lead, project_now(store, project)) == Readers((), ("annotator-a",))


def test_guidelines_that_were_emptied_are_to_be_read_by_nobody(
    store: Store, project: Project, lead: User, add_person: AddPerson
) -> None:
    ann = add_person("annotator-a", project, "annotator")
    change_guidelines(store, lead, project.id, "Mark all.", based_on=0)
    change_guidelines(store, lead, project.id, " ", based_on=1)
    assert reading(store, ann, project) == Reading(0, is_asked=False)
    assert readers_of(store, lead, project_now(store, project)).waiting == ()


def test_only_who_annotates_or_reviews_says_so_and_only_of_versions_that_there_are(
    store: Store, project: Project, lead: User, add_person: AddPerson
) -> None:
    change_guidelines(store, lead, project.id, "Mark all.", based_on=0)
    with pytest.raises(NotAllowed):
        acknowledge(store, add_person("researcher-a", project, "researcher"), project.id, 1)
    reviewer = add_person("reviewer-a", project, "reviewer")
    with pytest.raises(NotFound, match=r"No guidelines version 2\. Reload\."):
        acknowledge(store, reviewer, project.id, 2)
    acknowledge(store, reviewer, project.id, 1)
    acknowledge(store, reviewer, project.id, 1)  # in another tab
    assert [(name, number) for name, number, _ in readings_of(store, project.id)] == [("lead", 1), ("reviewer-a", 1)]


def test_a_submission_is_taken_without_having_read_them_and_keeps_what_its_author_had_read(
    store: Store, project: Project, lead: User, add_person: AddPerson, import_rows: Callable[..., object]
) -> None:
    import_rows(project, [{"id": f"t{n}", "text": "Fine food.", "label": "positive"} for n in range(3)])
    ann = add_person("annotator-a", project, "annotator")
    change_guidelines(store, lead, project.id, "Mark all.", based_on=0)
    for number in (None, 1, 1):
        if number == 1:
            acknowledge(store, ann, project.id, 1)
        given = work.next_work(store, ann, project.id).work
        assert given is not None
        change_guidelines(
            store, lead, project.id, f"Mark {given.instance.id}.", based_on=newest_number(store, project.id) or 0
        )
        draft = Draft(given.instance.result, (RationaleSet.of((0, 1)),))
        work.submit(store, ann, given.assignment.id, given.assignment.revision, draft)
        assert annotations_of(store, [given.instance.id])[given.instance.id][0].guidelines == number


def project_now(store: Store, project: Project) -> Project:
    return find_project(store, project.name)


def reading(store: Store, user: User, project: Project) -> Reading:
    return reading_of(store, user, project_now(store, project))
