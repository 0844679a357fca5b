"""The guidelines of a project: their versions, and who has read them."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotator.domain.guidelines import changed_lines
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import Conflict, NotAllowed
from annotator.store import Store
from annotator.store.project.guidelines import versions_of
from annotator.usecases.lead.event_words import event_words
from annotator.usecases.project.guidelines import change_guidelines, guidelines_versions
from annotator.usecases.project.projects import change_project, events_of, find_project

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
    assert (
        event_words(events_of(store, lead, project.id)[0]) == "changed the guidelines; the guidelines are version 2 now"
    )


def test_the_second_of_two_leads_is_told_and_overwrites_nothing(store: Store, project: Project, lead: User) -> None:
    change_guidelines(store, lead, project.id, "Mark all.", based_on=0)
    with pytest.raises(Conflict, match="lead saved version 1 of the guidelines meanwhile"):
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
