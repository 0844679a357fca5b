"""Threads and comments: what waits for the lead, in which order they are read, and who has a part in a text."""

from collections.abc import Callable

import pytest

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.store import Store
from annotator.store.annotate.assignments import claim
from annotator.store.annotate.talk import (
    add_comment,
    add_thread,
    count_questions,
    get_thread,
    has_part_in,
    list_questions,
    threads_of,
)
from annotator.store.instances import find_instance_ids


@pytest.fixture
def texts(store: Store, project: Project) -> list[int]:
    return [find_instance_ids(store, project.id, key)[0] for key in ("t1", "t2")]


def begin(store: Store, project: Project, text: int, person: User, words: str, *, to_lead: bool) -> int:
    with store.transaction():
        thread = add_thread(store, project.id, text, "instance", None, None, person, waits_for_lead=to_lead)
        add_comment(store, thread, person, "annotator", words)
    return thread


def test_a_question_waits_until_a_lead_has_answered_and_nobody_elses_comment_ends_that(
    store: Store, project: Project, texts: list[int], annotator: User
) -> None:
    thread = begin(store, project, texts[0], annotator, "which label?", to_lead=True)
    begin(store, project, texts[0], annotator, "a remark", to_lead=False)
    with store.transaction():
        add_comment(store, thread, annotator, "reviewer", "I wonder, too")
    assert count_questions(store, project.id) == 1
    with store.transaction():
        add_comment(store, thread, annotator, "lead", "the second")
    assert count_questions(store, project.id) == 0
    comments = get_thread(store, thread).comments
    assert [(c.spoken_as, c.text) for c in comments] == [
        ("annotator", "which label?"),
        ("reviewer", "I wonder, too"),
        ("lead", "the second"),
    ]


def test_questions_come_oldest_first_a_page_at_a_time_and_of_one_project(
    store: Store, project: Project, texts: list[int], annotator: User
) -> None:
    numbers = [begin(store, project, texts[n % 2], annotator, f"question {n}", to_lead=True) for n in range(5)]
    assert [thread.id for thread in list_questions(store, project.id, limit=2)] == numbers[:2]
    assert [thread.id for thread in list_questions(store, project.id, limit=2, offset=4)] == numbers[4:]
    assert list_questions(store, project.id + 1, limit=2) == []


def test_each_text_has_its_own_threads_and_one_without_is_not_in_the_answer(
    store: Store, project: Project, texts: list[int], annotator: User
) -> None:
    thread = begin(store, project, texts[1], annotator, "here", to_lead=False)
    assert {text: [t.id for t in threads] for text, threads in threads_of(store, texts).items()} == {texts[1]: [thread]}


def test_whoever_has_or_had_a_text_has_a_part_in_it_and_nobody_else(
    store: Store, project: Project, texts: list[int], annotator: User, add_person: Callable[..., User]
) -> None:
    other = add_person("other", project, "annotator")
    with store.transaction():
        claim(store, project.id, texts[0], annotator.id or 0, "2030-01-01T00:00:00.000Z")
    assert has_part_in(store, texts[0], annotator.id or 0) == "annotator"
    assert has_part_in(store, texts[1], annotator.id or 0) is None
    assert has_part_in(store, texts[0], other.id or 0) is None


def test_a_thread_that_is_not_there_is_named(store: Store) -> None:
    with pytest.raises(NotFound, match="No thread number"):
        get_thread(store, 7)
