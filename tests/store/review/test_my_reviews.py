"""The list of one's own reviews, as it is asked of the database: which are in it, in what state, and in which order."""

from collections.abc import Callable

import pytest

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores
from annotator.store import Store
from annotator.store.instances import discard
from annotator.store.review.reviews import list_my_reviews, save_scores, set_review_state
from annotator.store.review.rounds import close_round
from tests.clock import pass_time
from tests.store.handed_in import begin_review, hand_in, instance_of, number_of, score


@pytest.fixture
def reviewer(add_person: Callable[..., User], project: Project) -> User:
    return add_person("rita", project, "reviewer")


def listed(
    store: Store, project: Project, person: User, state: str = "", words: str = "", *, limit: int = 10, offset: int = 0
) -> tuple[list[tuple[str, str]], int]:
    lines, n = list_my_reviews(store, project.id, number_of(person), state, words, limit=limit, offset=offset)
    return [(line.key, line.state) for line in lines], n


def test_what_was_only_opened_is_not_listed_and_what_was_begun_is_a_draft(
    store: Store, project: Project, annotator: User, reviewer: User
) -> None:
    review = begin_review(store, project, hand_in(store, project, "t1", annotator), reviewer)
    assert listed(store, project, reviewer) == ([], 0)
    with store.transaction():
        save_scores(store, review.id, Scores(), 1)
    assert listed(store, project, reviewer) == ([("t1", "draft")], 1)
    with store.transaction():
        set_review_state(store, review, "skipped")
    assert listed(store, project, reviewer) == ([("t1", "skipped")], 1)


def test_what_was_handed_in_stands_as_its_round_ended_and_a_discarded_text_as_that(
    store: Store, project: Project, annotator: User, reviewer: User
) -> None:
    annotations = [hand_in(store, project, key, annotator) for key in ("t1", "t2", "t3")]
    for annotation_id in annotations:
        score(store, project, annotation_id, reviewer, 3, 4, 3)
        pass_time(store, minutes=1)
    with store.transaction():
        close_round(store, annotations[1], "returned", "", "", None)
        close_round(store, annotations[2], "accepted", "", "", None)
        discard(store, instance_of(store, project, "t3"))
    assert listed(store, project, reviewer) == ([("t3", "discarded"), ("t2", "returned"), ("t1", "submitted")], 3)


def test_pages_are_cut_from_the_newest_on_and_state_and_words_narrow_the_list_and_its_count(
    store: Store, project: Project, annotator: User, reviewer: User
) -> None:
    for key in ("t1", "t2", "t3"):
        score(store, project, hand_in(store, project, key, annotator), reviewer, 3, 4, 3)
        pass_time(store, minutes=1)
    assert listed(store, project, reviewer, limit=2) == ([("t3", "submitted"), ("t2", "submitted")], 3)
    assert listed(store, project, reviewer, limit=2, offset=2) == ([("t1", "submitted")], 3)
    assert listed(store, project, reviewer, words="friendly CAT") == ([("t2", "submitted")], 1)
    assert listed(store, project, reviewer, state="skipped") == ([], 0)


def test_nobody_sees_anothers_reviews_nor_those_of_another_project(
    store: Store, project: Project, annotator: User, reviewer: User, add_person: Callable[..., User],
    make_project: Callable[..., Project],
) -> None:  # fmt: skip
    score(store, project, hand_in(store, project, "t1", annotator), reviewer, 3, 4, 3)
    assert listed(store, project, add_person("ron", project, "reviewer")) == ([], 0)
    assert listed(store, make_project(name="Other"), reviewer) == ([], 0)
