"""How far people are: how each one's texts stand, who reviewed how much, and what came to its end when."""

from collections.abc import Callable

import pytest

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.annotate.annotations import set_annotation_state
from annotator.store.annotate.assignments import claim, find_assignment, set_assignment_state
from annotator.store.annotate.instance_queue import settle
from annotator.store.project.work_numbers import (
    ReviewCount,
    finished_between,
    first_submission_at,
    review_counts,
    standing_counts,
    submissions_between,
)
from annotator.store.review.reviews import add_review_time
from annotator.store.review.rounds import close_round
from tests.clock import pass_time
from tests.store.handed_in import LATER, hand_in, instance_of, number_of, score

BEFORE = "2000-01-01T00:00:00.000Z"


def standings(store: Store, project: Project) -> dict[tuple[str, str], int]:
    return {(count.annotator, count.standing): count.n for count in standing_counts(store, project.id)}


def test_a_text_stands_once_for_its_annotator_by_the_newest_work_on_it(
    store: Store, project: Project, annotator: User
) -> None:
    first = hand_in(store, project, "t1", annotator)
    hand_in(store, project, "t2", annotator)
    with store.transaction():
        claim(store, project.id, instance_of(store, project, "t3"), number_of(annotator), LATER)
    assert standings(store, project) == {("annotator-a", "leased"): 1, ("annotator-a", "submitted"): 2}
    with store.transaction():
        close_round(store, first, "returned", "", "", None)
        set_annotation_state(store, first, "returned")
        text = instance_of(store, project, "t1")
        claim(store, project.id, text, number_of(annotator), LATER, round_number=2, follows_id=first, state="returned")
    assert standings(store, project) == {
        ("annotator-a", "leased"): 1,
        ("annotator-a", "returned"): 1,
        ("annotator-a", "submitted"): 1,
    }


@pytest.mark.parametrize("state", ["accepted", "discarded"])
def test_what_was_decided_stands_as_that_and_what_was_given_back_is_nobodys(
    store: Store, project: Project, annotator: User, state: str
) -> None:
    annotation_id = hand_in(store, project, "t1", annotator)
    with store.transaction():
        set_annotation_state(store, annotation_id, state)  # type: ignore[arg-type]
        work = claim(store, project.id, instance_of(store, project, "t2"), number_of(annotator), LATER)
        set_assignment_state(store, work.id, "expired")
    assert standings(store, project) == {("annotator-a", state): 1}


def test_a_reviewer_counts_with_the_median_of_the_times_that_are_known(
    store: Store, project: Project, annotator: User, add_person: Callable[..., User]
) -> None:
    rita = add_person("rita", project, "reviewer")
    assert review_counts(store, project.id) == []
    for key, active_ms in (("t1", 0), ("t2", 1000), ("t3", 5000), ("t4", 2000)):
        review = score(store, project, hand_in(store, project, key, annotator), rita, 3, 4, 3)
        with store.transaction():
            add_review_time(store, review.id, active_ms, 0)
    assert review_counts(store, project.id) == [ReviewCount("rita", 4, review.submitted_at or "", 2000.0)]


def test_the_first_submission_is_of_work_that_still_is_handed_in(
    store: Store, project: Project, annotator: User
) -> None:
    assert first_submission_at(store, project.id) is None
    hand_in(store, project, "t1", annotator)
    first = first_submission_at(store, project.id)
    pass_time(store, hours=1)
    hand_in(store, project, "t2", annotator)
    assert first_submission_at(store, project.id) == first
    work = find_assignment(store, instance_of(store, project, "t1"), number_of(annotator))
    assert work is not None
    with store.transaction():
        set_assignment_state(store, work.id, "leased")
    assert first_submission_at(store, project.id) != first


def test_a_stretch_of_time_ends_with_its_last_moment_and_begins_after_its_first(
    store: Store, project: Project, annotator: User
) -> None:
    since = store.now()
    pass_time(store, minutes=1)
    hand_in(store, project, "t1", annotator)
    handed_in = first_submission_at(store, project.id)
    assert handed_in is not None
    assert submissions_between(store, project.id, since, handed_in) == 1
    assert submissions_between(store, project.id, BEFORE, since) == 0
    assert submissions_between(store, project.id, handed_in, LATER) == 0


def test_a_text_is_finished_when_the_last_decision_on_it_was_made(
    store: Store, project: Project, annotator: User
) -> None:
    annotation_id = hand_in(store, project, "t1", annotator)
    handed_in = first_submission_at(store, project.id)
    assert handed_in is not None
    assert finished_between(store, project.id, BEFORE, LATER) == 0  # it still is before its reviewers
    pass_time(store, hours=1)
    with store.transaction():
        close_round(store, annotation_id, "accepted", "", "", None)
        set_annotation_state(store, annotation_id, "accepted")
        settle(store, instance_of(store, project, "t1"))
    assert finished_between(store, project.id, handed_in, LATER) == 1
    assert finished_between(store, project.id, BEFORE, handed_in) == 0
