"""A new project with the rules of another."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotator.domain.people import User
from annotator.domain.project.queue_orders import ModelOrder
from annotator.domain.projects import Project
from annotator.domain.suites import WordList
from annotator.errors import InvalidValue, NotAllowed
from annotator.store import Store
from annotator.store.people import list_members
from annotator.store.projects import get_project_by_id, instance_counts, update_project
from annotator.store.suites import list_word_lists, save_word_list
from annotator.usecases.project.exhaustive_passes import copy_project, projects_to_copy

WORDS = WordList("bad_words", "en", "keep", ("awful", "dull"))


@pytest.fixture
def source(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    project = make_project(annotators_per_instance=2, max_rounds=5)
    import_rows(project, [{"id": "a", "text": "Never again.", "label": "negative"}])
    with store.transaction():
        save_word_list(store, project.id, WORDS, created_by="x")
    return project


def test_a_copy_has_the_rules_and_word_lists_but_no_texts(
    store: Store, source: Project, add_person: Callable[..., User]
) -> None:
    lea = add_person("lea", source, "lead")
    add_person("ann", source, "annotator")
    with store.transaction():
        update_project(store, replace(source, question="Which words are rude?", licence="CC0"))
    copy = copy_project(store, lea, source.id, "Second")
    assert get_project_by_id(store, copy.id) == copy
    assert (copy.task, copy.labels, copy.language, copy.settings, copy.guidelines, copy.question) == (
        source.task, source.labels, source.language, source.settings, source.guidelines, "Which words are rude?",
    )  # fmt: skip
    assert copy.licence == ""  # of the texts, which are others
    assert list_word_lists(store, copy.id) == [WORDS]
    assert sum(instance_counts(store, copy.id).values()) == 0
    assert [(user.name, role) for user, role in list_members(store, copy.id)] == [("lea", "lead")]


def test_a_copy_gives_its_texts_out_without_the_order_by_a_model_that_it_has_not(
    store: Store, source: Project, add_person: Callable[..., User]
) -> None:
    lea = add_person("lea", source, "lead")
    by_model = replace(source.settings, model_order=ModelOrder("least confident", ("bert",), 15, "train"))
    with store.transaction():
        update_project(store, replace(source, settings=by_model))
    assert copy_project(store, lea, source.id, "Second").settings == source.settings


def test_a_copy_with_its_people_gives_each_the_same_roles(
    store: Store, source: Project, add_person: Callable[..., User]
) -> None:
    lea = add_person("lea", source, "lead")
    add_person("ann", source, "annotator")
    copy = copy_project(store, lea, source.id, "Second", has_people=True)
    assert list_members(store, copy.id) == list_members(store, source.id)


def test_a_name_that_is_taken_makes_nothing(store: Store, source: Project, add_person: Callable[..., User]) -> None:
    lea = add_person("lea", source, "lead")
    before = "\n".join(store.connection.iterdump())
    with pytest.raises(InvalidValue, match=f"There is a project '{source.name}' already"):
        copy_project(store, lea, source.id, source.name)
    assert "\n".join(store.connection.iterdump()) == before


def test_only_leads_take_a_projects_rules(store: Store, source: Project, add_person: Callable[..., User]) -> None:
    researcher = add_person("rita", source, "researcher")
    assert projects_to_copy(store, researcher) == []
    with pytest.raises(NotAllowed):
        copy_project(store, researcher, source.id, "Second")
