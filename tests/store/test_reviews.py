"""Reviews as the database is asked for them: the list of one's own, and counts over all, by hand."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from annotator.domain.instances import Timing
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores
from annotator.store import Store
from annotator.store.annotate.assignments import add_timing, find_assignment
from annotator.store.instances import discard
from annotator.store.review.review_numbers import (
    OutcomeCount,
    ScoreCount,
    active_times,
    behind_outcome,
    behind_score,
    decided_scores,
    outcome_counts,
    score_counts,
    score_patterns,
)
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


# Counts over reviews, by hand: two annotations, of which one was scored twice.


@dataclass(frozen=True)
class Reviewed:
    """t1: Rita gave (3, 2) to both sets and 3 to the whole, Ron (3, 4) and 2; t2: Rita gave (1, 2) and 1."""

    project: Project
    first: int
    second: int


@pytest.fixture
def reviewed(store: Store, project: Project, annotator: User, add_person: Callable[..., User]) -> Reviewed:
    rita, ron = (add_person(name, project, "reviewer") for name in ("rita", "ron"))
    first, second = (hand_in(store, project, key, annotator) for key in ("t1", "t2"))
    score(store, project, first, rita, 3, 2, 3)
    score(store, project, first, ron, 3, 4, 2)
    score(store, project, second, rita, 1, 2, 1)
    begin_review(store, project, second, ron)  # what is not handed in counts nowhere
    return Reviewed(project, first, second)


def test_rounds_are_counted_by_their_outcome_and_those_that_have_none_are_open(
    store: Store, reviewed: Reviewed
) -> None:
    assert outcome_counts(store, reviewed.project.id) == [OutcomeCount(1, "open", 2)]
    with store.transaction():
        close_round(store, reviewed.first, "accepted", "", "", None)
    assert outcome_counts(store, reviewed.project.id) == [OutcomeCount(1, "accepted", 1), OutcomeCount(1, "open", 1)]


def test_each_score_of_a_set_counts_and_that_of_the_whole_once_a_review(store: Store, reviewed: Reviewed) -> None:
    def of(name: str) -> dict[int, int]:
        return {c.score: c.n for c in counts if c.property == name}

    counts = score_counts(store, reviewed.project.id)
    assert of("sufficiency") == {3: 4, 1: 2}
    assert of("compactness") == {2: 4, 4: 2}
    assert of("comprehensiveness") == {1: 1, 2: 1, 3: 1}
    assert counts[0] == ScoreCount(1, "annotator-a", "compactness", 2, 4)


def test_patterns_say_how_often_each_score_was_given_to_one_set(store: Store, reviewed: Reviewed) -> None:
    patterns = score_patterns(store, reviewed.project.id)
    assert patterns["sufficiency"] == {(0, 0, 2): 2, (1, 0, 0): 2}
    assert patterns["compactness"] == {(0, 1, 0, 1): 2, (0, 1, 0, 0): 2}
    assert patterns["comprehensiveness"] == {(0, 1, 1): 1, (1, 0, 0): 1}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("sufficiency", [{"rita": 3, "ron": 3}, {"rita": 3, "ron": 3}]),
        ("compactness", [{"rita": 2, "ron": 4}, {"rita": 2, "ron": 4}]),
        ("comprehensiveness", [{"rita": 3, "ron": 2}]),
    ],
)
def test_who_gave_what_is_told_of_rounds_that_are_decided_alone(
    store: Store, reviewed: Reviewed, name: str, given: list[dict[str, int]]
) -> None:
    assert list(decided_scores(store, reviewed.project.id, name)) == []  # type: ignore[arg-type]
    with store.transaction():
        close_round(store, reviewed.first, "accepted", "", "", None)
    items = list(decided_scores(store, reviewed.project.id, name))  # type: ignore[arg-type]
    assert [item.scores for item in items] == given
    assert [item.position for item in items] == list(range(len(given)))
    assert {item.annotation_id for item in items} == {reviewed.first}


def test_behind_an_outcome_stand_its_texts_newest_first_and_behind_a_score_those_that_got_it(
    store: Store, reviewed: Reviewed
) -> None:
    project_id = reviewed.project.id
    assert [point.key for point in behind_outcome(store, project_id, 1, "open")] == ["t2", "t1"]
    assert [point.key for point in behind_outcome(store, project_id, 1, "open", limit=1)] == ["t2"]
    assert behind_outcome(store, project_id, 2, "open") == []
    assert [point.key for point in behind_score(store, project_id, "compactness", 2)] == ["t1", "t2"]
    assert [point.key for point in behind_score(store, project_id, "comprehensiveness", 2, round_number=1)] == ["t1"]
    assert behind_score(store, project_id, "comprehensiveness", 2, annotator="nobody") == []


def test_times_are_of_work_that_was_handed_in(store: Store, reviewed: Reviewed, annotator: User) -> None:
    work = find_assignment(store, instance_of(store, reviewed.project, "t1"), number_of(annotator))
    assert work is not None
    with store.transaction():
        add_timing(store, work.id, Timing(active_ms=1500))
    assert sorted(active_times(store, reviewed.project.id)) == [("annotator-a", 0), ("annotator-a", 1500)]
