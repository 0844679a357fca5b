"""The lead's numbers of quality: outcomes by round, scores, reviewers' agreement, time; and the instances behind them."""

from collections.abc import Callable

import pytest

from annotator.domain.instances import Draft, Timing
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.errors import NotAllowed
from annotator.store import Store
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.lead.quality import (
    Leaning,
    instances_behind_outcome,
    instances_behind_score,
    quality_of,
    reviewer_leanings,
)
from tests.usecases.review.test_reviews import A, B, annotate, project, reviewers, score, score_all

__all__ = ["project", "reviewers"]


@pytest.fixture
def lead(add_person: Callable[..., User], project: Project) -> User:
    return add_person("lea", project, "lead")


@pytest.fixture
def worked_on(store: Store, project: Project, annotator: User, reviewers: list[User]) -> None:
    """t1: returned, then accepted. t2: scored by one reviewer so far."""
    annotate(store, annotator, project, A, B)
    for reviewer, compactness in zip(reviewers, (3, 3, 4), strict=True):
        score(store, reviewer, project, Scores((SetScore(3, 4), SetScore(3, compactness)), 3))
    annotate(store, annotator, project, A, B)
    score_all(store, reviewers, project, Scores((SetScore(), SetScore(3, 4)), 3))
    annotate(store, annotator, project, A)
    score(store, reviewers[0], project, Scores((SetScore(1, 1),), 2))


@pytest.mark.usefixtures("worked_on")
def test_outcomes_are_counted_by_round_and_the_accepted_share_is_of_those_decided(
    store: Store, project: Project, lead: User
) -> None:
    found = quality_of(store, lead, project)
    assert [(c.round_number, c.outcome, c.n) for c in found.outcomes] == [
        (1, "open", 1),
        (1, "returned", 1),
        (2, "accepted", 1),
    ]
    assert [(s.round_number, s.n_decided, s.n_open, s.accepted_share) for s in found.accepted_by_round] == [
        (1, 1, 1, 0.0),
        (2, 1, 0, 1.0),
    ]


@pytest.mark.usefixtures("worked_on")
def test_scores_are_counted_by_round_annotator_and_property_and_carried_ones_once(
    store: Store, project: Project, lead: User
) -> None:
    counts = {(c.round_number, c.property, c.score): c.n for c in quality_of(store, lead, project).scores}
    assert counts == {
        (1, "sufficiency", 3): 6, (1, "sufficiency", 1): 1, (1, "compactness", 4): 4, (1, "compactness", 3): 2,
        (1, "compactness", 1): 1, (1, "comprehensiveness", 3): 3, (1, "comprehensiveness", 2): 1,
        (2, "sufficiency", 3): 3, (2, "compactness", 4): 3, (2, "comprehensiveness", 3): 3,
    }  # fmt: skip


@pytest.mark.usefixtures("worked_on")
def test_reviewers_agreement_is_over_what_two_or_more_scored(store: Store, project: Project, lead: User) -> None:
    compactness = quality_of(store, lead, project).reviewers["compactness"]
    # Items: t1 A (4,4,4), t1 B (3,3,4), t1 B in round 2 (4,4,4); t2 A was scored by one. Equal pairs: 3 + 1 + 3 of 9.
    assert (compactness.n_items, compactness.n_alone, compactness.n_pairs) == (3, 1, 9)
    assert compactness.exact_share == pytest.approx(7 / 9)


@pytest.mark.usefixtures("worked_on")
def test_a_bar_opens_its_instances(store: Store, project: Project, lead: User) -> None:
    assert [b.key for b in instances_behind_outcome(store, lead, project, 1, "returned")] == ["t1"]
    assert [b.key for b in instances_behind_outcome(store, lead, project, 1, "open")] == ["t2"]
    assert [b.key for b in instances_behind_score(store, lead, project, "compactness", 3, round_number=1)] == ["t1"]
    behind = instances_behind_score(store, lead, project, "comprehensiveness", 2, annotator="annotator-a")
    assert [(b.key, b.round_number) for b in behind] == [("t2", 1)]
    assert instances_behind_score(store, lead, project, "comprehensiveness", 2, annotator="nobody") == []


def test_time_is_the_median_of_the_work_that_was_handed_in(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    for milliseconds in (10_000, 30_000):
        work = annotate_work.next_work(store, annotator, project.id).work
        assert work is not None
        timing = Timing(active_ms=milliseconds, idle_ms=99_000)
        annotate_work.submit(store, annotator, work.assignment.id, 0, Draft(sets=(A,)), timing)
    found = quality_of(store, lead, project)
    assert (found.time.n, found.time.median_seconds) == (2, 20.0)
    assert found.time_by_person["annotator-a"].median_seconds == 20.0


def test_work_whose_time_is_not_known_does_not_count_as_no_time(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    for milliseconds in (0, 30_000):
        work = annotate_work.next_work(store, annotator, project.id).work
        assert work is not None
        timing = Timing(active_ms=milliseconds)
        annotate_work.submit(store, annotator, work.assignment.id, 0, Draft(sets=(A,)), timing)
    spent = quality_of(store, lead, project).time
    assert (spent.n, spent.n_unknown, spent.median_seconds) == (2, 1, 30.0)


@pytest.mark.usefixtures("worked_on")
def test_work_that_came_back_counts_with_the_time_it_took(store: Store, project: Project, lead: User) -> None:
    assert quality_of(store, lead, project).time.n == 3  # t1 in two rounds, t2 in one


def test_nothing_handed_in_is_shown_as_nothing(store: Store, project: Project, lead: User) -> None:
    found = quality_of(store, lead, project)
    assert found.outcomes == found.scores == ()
    assert found.time.median_seconds is None
    assert found.reviewers["sufficiency"].exact_share is None


def test_an_annotator_does_not_see_the_leads_numbers(store: Store, project: Project, annotator: User) -> None:
    with pytest.raises(NotAllowed):
        quality_of(store, annotator, project)


@pytest.mark.usefixtures("worked_on")
def test_a_reviewer_is_compared_with_the_others_who_scored_the_same_set(
    store: Store, project: Project, lead: User
) -> None:
    found = reviewer_leanings(store, lead, project)
    # Compactness: A of round 1 (4, 4, 4), B of round 1 (3, 3, 4), B of round 2 (4, 4, 4). Reviewer 3 gave B one more than both.
    assert found["compactness"] == {
        "reviewer-1": Leaning(-0.5 / 3, 3),
        "reviewer-2": Leaning(-0.5 / 3, 3),
        "reviewer-3": Leaning(1 / 3, 3),
    }
    assert found["comprehensiveness"]["reviewer-3"] == Leaning(0.0, 2)


def test_what_others_gave_in_a_round_that_is_open_moves_no_comparison(
    store: Store, project: Project, annotator: User, reviewers: list[User], lead: User
) -> None:
    annotate(store, annotator, project, A)
    for reviewer, points in zip(reviewers[:2], (1, 3), strict=True):
        score(store, reviewer, project, Scores((SetScore(points, 4),), 3))
    assert reviewer_leanings(store, lead, project)["sufficiency"] == {}
    score(store, reviewers[2], project, Scores((SetScore(3, 4),), 3))
    assert reviewer_leanings(store, lead, project)["sufficiency"] == {
        "reviewer-1": Leaning(-2.0, 1),
        "reviewer-2": Leaning(1.0, 1),
        "reviewer-3": Leaning(1.0, 1),
    }


def test_reviewers_and_annotators_do_not_see_who_scores_higher(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    for person in (annotator, reviewers[0]):
        with pytest.raises(NotAllowed):
            reviewer_leanings(store, person, project)
