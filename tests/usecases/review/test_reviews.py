"""The review loop: scoring, the gate's decision, correction, three rounds, and what goes wrong in between."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.domain.texts import RationaleSet
from annotator.errors import (
    AnnotatorError,
    Conflict,
    InvalidAnnotation,
    InvalidValue,
    LeaseLost,
    NotAllowed,
    StaleDraft,
)
from annotator.store import Store, open_store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.events import list_events
from annotator.store.instances import get_instance
from annotator.store.projects import get_project_by_id
from annotator.store.review.rounds import find_round
from annotator.usecases import gold
from annotator.usecases.access.accounts import disable_user
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.my_work import Work
from annotator.usecases.project.projects import change_project, give_role, take_role
from annotator.usecases.review import reviews
from annotator.usecases.review.rounds import decide_round
from annotator.usecases.transfer import export
from annotator.usecases.upkeep import check
from tests.clock import pass_time

Rows = Callable[..., object]
People = Callable[..., User]

A, B, C = RationaleSet.of((0, 2)), RationaleSet.of((3, 5)), RationaleSet.of((5, 7))
GOOD = SetScore(3, 4)


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Rows) -> Project:
    """Two texts that wait; three reviewers score each annotation."""
    made = make_project(reviewers_per_annotation=3)
    import_rows(
        made,
        [{"id": f"t{n}", "text": "The staff never smiled and the soup was cold.", "label": "negative"} for n in (1, 2)],
    )
    return made


@pytest.fixture
def b_returned(store: Store, project: Project, annotator: User, reviewers: list[User]) -> None:
    """An annotation of which set A passed and set B did not."""
    annotate(store, annotator, project, A, B)
    score_all(store, reviewers, project, Scores((GOOD, SetScore(2, 4)), 3))


@pytest.fixture
def reviewers(add_person: People, project: Project) -> list[User]:
    return [add_person(f"reviewer-{n}", project, "reviewer") for n in (1, 2, 3)]


def annotate(store: Store, person: User, project: Project, *sets: RationaleSet, **changes: object) -> Work:
    work = annotate_work.next_work(store, person, project.id).work
    assert work is not None
    draft = replace(work.assignment.draft, sets=sets or work.assignment.draft.sets, **changes)  # type: ignore[arg-type]
    annotate_work.submit(store, person, work.assignment.id, work.assignment.revision, draft)
    return work


def score(store: Store, person: User, project: Project, scores: Scores | None = None) -> reviews.ReviewWork:
    """Score what is given to a person: with these scores, else with the best."""
    work = reviews.next_review(store, person, project.id).work
    assert work is not None
    best = Scores((GOOD,) * len(work.annotation.sets), 3)
    reviews.submit_review(store, person, work.review.id, work.review.revision, scores or best)
    return work


def score_all(
    store: Store, people: Sequence[User], project: Project, scores: Scores | None = None
) -> reviews.ReviewWork:
    return [score(store, person, project, scores) for person in people][-1]


def return_then_accept(store: Store, annotator: User, reviewers: Sequence[User], project: Project) -> None:
    """t1: returned, then accepted; t2: scored by one reviewer so far."""
    annotate(store, annotator, project, A, B)
    for reviewer, compactness in zip(reviewers, (3, 3, 4), strict=True):
        score(store, reviewer, project, Scores((SetScore(3, 4), SetScore(3, compactness)), 3))
    annotate(store, annotator, project, A, B)
    score_all(store, reviewers, project, Scores((SetScore(), SetScore(3, 4)), 3))
    annotate(store, annotator, project, A)
    score(store, reviewers[0], project, Scores((SetScore(1, 1),), 2))


def states(store: Store, key_id: int) -> list[str]:
    return [a.state for a in annotations_of(store, [key_id])[key_id]]


# --- the way through


def test_three_good_reviews_accept_an_annotation(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    work = annotate(store, annotator, project, A, B)
    for reviewer in reviewers[:2]:
        score(store, reviewer, project)
        assert states(store, work.instance.id) == ["submitted"]
    score(store, reviewers[2], project)
    assert states(store, work.instance.id) == ["accepted"]
    assert get_instance(store, work.instance.id).state == "complete"
    assert check(store) == []


def test_what_fell_short_goes_back_to_its_annotator_in_the_words_of_the_scales_each_said_once(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    first = annotate(store, annotator, project, A, B)
    weak = Scores((GOOD, SetScore(3, 3, "“and” adds nothing")), 2, "the soup is missing")
    score_all(store, reviewers, project, weak)
    returned = annotate_work.next_work(store, annotator, project.id).work
    assert returned is not None
    assert (returned.instance.id, returned.assignment.round_number, returned.assignment.state) == (
        first.instance.id,
        2,
        "returned",
    )
    assert returned.assignment.draft.sets == (A, B)
    assert returned.feedback is not None
    assert returned.feedback.passed == (0,)
    assert returned.feedback.lines == ("Comprehensiveness score: 3 × not sure.", "A reviewer: the soup is missing")
    assert returned.feedback.sets == {1: ("Compactness score: 3 × not sure.", "A reviewer: “and” adds nothing")}
    assert check(store) == []


@pytest.mark.usefixtures("b_returned")
def test_a_correction_is_scored_again_only_where_something_changed(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    work = annotate(store, annotator, project, A, C)
    seen = reviews.next_review(store, reviewers[0], project.id).work
    assert seen is not None
    assert seen.round.number == 2
    assert seen.carried_means == {0: ("3", "4")}
    assert seen.origins == {0: 0, 1: 1}
    assert seen.former is not None
    assert seen.former.annotation.sets == (A, B)
    score_all(store, reviewers, project, Scores((SetScore(), GOOD), 3))  # the carried set needs no scores
    assert states(store, work.instance.id) == ["returned", "accepted"]


def test_carried_scores_reach_through_two_rounds(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project, A, B)
    score_all(store, reviewers, project, Scores((SetScore(3, 4), SetScore(2, 4)), 3))
    for _ in range(2):
        annotate(store, annotator, project, A, C if _ == 0 else RationaleSet.of((7, 9)))
        work = score_all(store, reviewers, project, Scores((SetScore(), SetScore(3, 3)), 3))
        assert work.carried_means == {0: ("3", "4")}
    found = find_round(store, work.annotation.id)
    assert found is not None
    assert found.outcome == "discarded"
    assert found.verdict is not None
    assert [f.scores for f in found.verdict.findings if f.set_index == 0] == [(3, 3, 3), (4, 4, 4)]


def test_the_third_scoring_that_fails_discards_and_the_instance_drops_out(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    last = "Last round: below the thresholds the annotation is discarded."
    for _ in range(3):
        returned = annotate_work.next_work(store, annotator, project.id).work
        assert returned is not None
        assert (last in returned.feedback.lines if returned.feedback else False) == (_ == 2), "said before it begins"
        work = annotate(store, annotator, project, RationaleSet.of((_, _ + 2)))
        score_all(store, reviewers, project, Scores((SetScore(1, 4),), 3))
    assert states(store, work.instance.id) == ["returned", "returned", "discarded"]
    assert get_instance(store, work.instance.id).state == "discarded"
    given = annotate_work.next_work(store, annotator, project.id).work
    assert given is not None
    assert given.instance.key == "t2"
    assert check(store) == []


def test_an_instance_with_another_annotation_stays_when_the_gate_discards_one(
    store: Store, project: Project, annotator: User, reviewers: list[User], add_person: People
) -> None:
    settings = replace(project.settings, annotators_per_instance=2, max_rounds=1)
    project = change_project(store, LOCAL_OPERATOR, replace(project, settings=settings))
    other = add_person("annotator-b", project, "annotator")
    work = annotate(store, annotator, project, A)
    score_all(store, reviewers, project, Scores((SetScore(1, 1),), 3))
    assert get_instance(store, work.instance.id).state == "open"
    assert annotate(store, other, project, B).instance.id == work.instance.id
    score_all(store, reviewers, project)
    assert states(store, work.instance.id) == ["discarded", "accepted"]
    assert get_instance(store, work.instance.id).state == "complete"
    assert check(store) == []


def test_no_rationale_is_scored_for_comprehensiveness_alone(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    project = change_project(
        store, LOCAL_OPERATOR, replace(project, settings=replace(project.settings, may_be_empty=True))
    )
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    annotate_work.submit(store, annotator, work.assignment.id, 0, Draft(no_rationale=True))
    score_all(store, reviewers, project, Scores((), 3))
    assert states(store, work.instance.id) == ["accepted"]


# --- locked sets


@pytest.mark.usefixtures("b_returned")
def test_a_set_that_passed_cannot_be_changed_or_removed_without_unlocking(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    for sets, origins in (((C, B), (0, 1)), ((B,), (1,))):
        draft = replace(work.assignment.draft, sets=sets, origins=origins)
        with pytest.raises(InvalidAnnotation, match=r"Set A passed and is locked\. Unlock it \(u\), or undo\."):
            annotate_work.submit(store, annotator, work.assignment.id, work.assignment.revision, draft)
    assert check(store) == []


@pytest.mark.usefixtures("b_returned")
def test_an_unlocked_set_goes_back_to_scoring_even_unchanged(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project, A, C, origins=(0, 1), unlocked=(0,))
    work = reviews.next_review(store, reviewers[0], project.id).work
    assert work is not None
    assert work.carried_means == {}
    assert work.origins == {0: 0, 1: 1}
    with pytest.raises(InvalidAnnotation, match=r"Set A needs a sufficiency score\."):
        reviews.submit_review(store, reviewers[0], work.review.id, work.review.revision, Scores((SetScore(), GOOD), 3))


# --- who reviews what


def test_nobody_reviews_their_own(store: Store, project: Project, add_person: People) -> None:
    both = add_person("both", project, "annotator", "reviewer")
    annotate(store, both, project, A)
    assert reviews.next_review(store, both, project.id).work is None
    annotation = annotations_of(store, [1])[1][0]
    with pytest.raises(NotAllowed, match=r"You annotate this text; others review it\."):
        reviews.next_review(store, both, project.id, annotation.id)


def test_a_fourth_reviewer_gets_nothing_while_three_have_it(
    store: Store, project: Project, annotator: User, reviewers: list[User], add_person: People
) -> None:
    fourth = add_person("reviewer-4", project, "reviewer")
    annotate(store, annotator, project, A)
    for reviewer in reviewers:
        assert reviews.next_review(store, reviewer, project.id).work is not None
    assert reviews.next_review(store, fourth, project.id).work is None
    store.run("UPDATE reviews SET lease_until = '2020-01-01T00:00:00.000Z' WHERE user_id = ?", (reviewers[0].id,))
    assert reviews.next_review(store, fourth, project.id).work is not None
    assert check(store) == []


def test_a_skipped_annotation_is_offered_to_others_and_again_when_nothing_else_is_left(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project, A)
    work = reviews.next_review(store, reviewers[0], project.id).work
    assert work is not None
    after = reviews.skip_review(store, reviewers[0], work.review.id)
    assert after.work is not None
    assert after.work.annotation.id == work.annotation.id
    annotate(store, annotator, project, A)
    after = reviews.skip_review(store, reviewers[0], work.review.id)
    assert after.work is not None
    assert after.work.annotation.id != work.annotation.id


def test_a_tab_that_skips_what_another_tab_submitted_goes_on_and_the_review_stays(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project, A)
    submitted = score(store, reviewers[0], project)
    annotate(store, annotator, project, A)
    after = reviews.skip_review(store, reviewers[0], submitted.review.id).work
    assert after is not None
    assert after.annotation.id != submitted.annotation.id
    assert reviews.current_review(store, reviewers[0], submitted.review.id).review.state == "submitted"


@pytest.fixture
def fourth(store: Store, project: Project, annotator: User, reviewers: list[User], add_person: People) -> User:
    """A reviewer who came when a correction waited for the other three."""
    annotate(store, annotator, project, A)
    score_all(store, reviewers, project, Scores((SetScore(2, 4),), 3))
    annotate(store, annotator, project, B)
    return add_person("reviewer-4", project, "reviewer")


def test_a_correction_goes_to_the_same_reviewers_and_not_to_others_while_they_are_there(
    store: Store, project: Project, reviewers: list[User], fourth: User
) -> None:
    assert reviews.next_review(store, fourth, project.id).work is None
    take_role(store, LOCAL_OPERATOR, project.id, reviewers[0].name, "reviewer")
    given = reviews.next_review(store, fourth, project.id).work
    assert given is not None
    assert given.round.number == 2
    for reviewer in reviewers[1:]:
        assert reviews.next_review(store, reviewer, project.id).work is not None


def test_reviewers_who_stay_away_too_long_lose_the_correction(store: Store, project: Project, fourth: User) -> None:
    pass_time(store, days=project.settings.away_after_days, minutes=-1)
    assert reviews.next_review(store, fourth, project.id).work is None
    pass_time(store, minutes=2)
    assert reviews.next_review(store, fourth, project.id).work is not None


# --- scores


def test_scores_are_kept_at_each_change_and_stand_in_the_record_with_before_and_after(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project, A)
    work = reviews.next_review(store, reviewers[0], project.id).work
    assert work is not None
    reviews.save_review(store, reviewers[0], work.review.id, 0, Scores((SetScore(2),)))
    reviews.save_review(store, reviewers[0], work.review.id, 1, Scores((SetScore(3, 4),)))
    again = reviews.next_review(store, reviewers[0], project.id).work
    assert again is not None
    assert again.review.scores.sets == (SetScore(3, 4),)
    changes = [e.detail["changed"] for e in list_events(store, project.id, limit=50) if e.action == "change score"]
    assert changes == [[{"score": "sufficiency", "set": 0, "before": 2, "after": 3}]]


def test_a_score_may_be_changed_until_the_round_is_decided_and_then_no_more(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    work = annotate(store, annotator, project, A)
    first = score(store, reviewers[0], project, Scores((SetScore(1, 1),), 1))
    reopened = reviews.next_review(store, reviewers[0], project.id, first.annotation.id).work
    assert reopened is not None
    reviews.submit_review(store, reviewers[0], first.review.id, reopened.review.revision, Scores((GOOD,), 3))
    score_all(store, reviewers[1:], project)
    assert states(store, work.instance.id) == ["accepted"]
    with pytest.raises(LeaseLost, match=r"This annotation isn't under review any more\."):
        reviews.submit_review(store, reviewers[0], first.review.id, reopened.review.revision + 1, Scores((GOOD,), 1))


def test_a_deciding_review_whose_answer_got_lost_is_taken_as_handed_in(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project, A)
    score_all(store, reviewers[:2], project)
    last = score(store, reviewers[2], project)
    again = reviews.submit_review(store, reviewers[2], last.review.id, last.review.revision, Scores((GOOD,), 3))
    assert again.counts["submitted"] == 1
    assert [e.action for e in list_events(store, project.id, limit=50)].count("review") == 3


def test_two_tabs_cannot_overwrite_each_other(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project, A)
    work = reviews.next_review(store, reviewers[0], project.id).work
    assert work is not None
    reviews.save_review(store, reviewers[0], work.review.id, 0, Scores((SetScore(2),)))
    with pytest.raises(StaleDraft):
        reviews.save_review(store, reviewers[0], work.review.id, 0, Scores((SetScore(3),)))


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        (Scores((SetScore(3, None),), 3), r"Set A needs a compactness score\."),
        (Scores((), 3), r"Set A needs a sufficiency score\."),
        (Scores((GOOD,), None), "The comprehensiveness score is missing"),
    ],
)
def test_a_review_with_a_missing_score_is_not_taken(
    store: Store, project: Project, annotator: User, reviewers: list[User], scores: Scores, sentence: str
) -> None:
    annotate(store, annotator, project, A)
    work = reviews.next_review(store, reviewers[0], project.id).work
    assert work is not None
    with pytest.raises(InvalidAnnotation, match=sentence):
        reviews.submit_review(store, reviewers[0], work.review.id, 0, scores)
    assert store.value("SELECT revision FROM reviews") == 0


def test_scores_for_a_set_that_is_not_there_are_refused(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project, A)
    work = reviews.next_review(store, reviewers[0], project.id).work
    assert work is not None
    with pytest.raises(InvalidValue, match="Scores cover 2 sets, but the annotation has"):
        reviews.save_review(store, reviewers[0], work.review.id, 0, Scores((GOOD, GOOD), 3))


# --- bad days


def test_two_last_reviewers_at_the_same_moment_make_exactly_one_decision(
    store: Store, database: Path, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project, A)
    score(store, reviewers[0], project)
    works = [reviews.next_review(store, person, project.id).work for person in reviewers[1:]]
    ready = threading.Barrier(2)

    def hand_in(person: User, work: reviews.ReviewWork) -> None:
        with open_store(database) as own:
            ready.wait()
            reviews.submit_review(own, person, work.review.id, 0, Scores((GOOD,), 3))

    threads = [threading.Thread(target=hand_in, args=pair) for pair in zip(reviewers[1:], works, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    decisions = [e for e in list_events(store, project.id, limit=50) if e.action.startswith("decide round")]
    assert [e.action for e in decisions] == ["decide round: accepted"]
    assert check(store) == []


def test_a_reviewer_who_loses_the_role_in_the_middle_gives_the_slot_back(
    store: Store, project: Project, annotator: User, reviewers: list[User], add_person: People
) -> None:
    annotate(store, annotator, project, A)
    work = reviews.next_review(store, reviewers[0], project.id).work
    assert work is not None
    take_role(store, LOCAL_OPERATOR, project.id, reviewers[0].name, "reviewer")
    with pytest.raises(AnnotatorError):
        reviews.save_review(store, reviewers[0], work.review.id, 0, Scores((GOOD,), 3))
    fourth = add_person("reviewer-4", project, "reviewer")
    score_all(store, [*reviewers[1:], fourth], project)
    assert states(store, work.instance.id) == ["accepted"]


def test_an_annotation_that_is_withdrawn_while_it_is_scored_is_scored_anew_when_it_comes_back(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    work = annotate(store, annotator, project, A)
    review = reviews.next_review(store, reviewers[0], project.id).work
    assert review is not None
    reviews.save_review(store, reviewers[0], review.review.id, 0, Scores((SetScore(1, 1),)))
    annotate_work.withdraw(store, annotator, work.assignment.id)
    with pytest.raises(LeaseLost, match=r"This annotation isn't under review any more\."):
        reviews.save_review(store, reviewers[0], review.review.id, 1, Scores((GOOD,), 3))
    assert reviews.next_review(store, reviewers[0], project.id).work is None
    again = annotate_work.next_work(store, annotator, project.id, work.instance.id).work
    assert again is not None
    annotate_work.submit(
        store, annotator, work.assignment.id, again.assignment.revision, replace(again.assignment.draft, sets=(B,))
    )
    fresh = reviews.next_review(store, reviewers[0], project.id).work
    assert fresh is not None
    assert fresh.review.scores == Scores((SetScore(),))
    score_all(store, reviewers, project)
    assert states(store, work.instance.id) == ["accepted"]
    assert check(store) == []


def test_an_annotation_cannot_be_withdrawn_after_its_first_score(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    work = annotate(store, annotator, project, A)
    score(store, reviewers[0], project)
    with pytest.raises(Conflict, match="a reviewer has already scored it"):
        annotate_work.withdraw(store, annotator, work.assignment.id)


def test_the_correction_of_a_disabled_annotator_goes_to_somebody_else_with_sets_and_reasons(
    store: Store, project: Project, annotator: User, reviewers: list[User], add_person: People
) -> None:
    work = annotate(store, annotator, project, A, B)
    disable_user(store, LOCAL_OPERATOR, annotator.name)
    score_all(store, reviewers, project, Scores((GOOD, SetScore(2, 4)), 3))
    other = add_person("annotator-b", project, "annotator")
    given = annotate_work.next_work(store, other, project.id).work
    assert given is not None
    assert (given.instance.id, given.assignment.round_number) == (work.instance.id, 2)
    assert given.assignment.draft.sets == (A, B)
    assert given.feedback is not None
    assert given.feedback.passed == (0,)
    annotate(store, other, project, A, C, origins=(0, 1))
    score_all(store, reviewers, project, Scores((SetScore(), GOOD), 3))
    assert states(store, work.instance.id) == ["returned", "accepted"]
    assert check(store) == []


def test_returned_work_that_rests_too_long_may_be_corrected_by_somebody_else_and_only_then(
    store: Store, project: Project, annotator: User, reviewers: list[User], add_person: People
) -> None:
    work = annotate(store, annotator, project, A)
    score_all(store, reviewers, project, Scores((SetScore(2, 4),), 3))
    other = add_person("annotator-b", project, "annotator")
    assert annotate_work.next_work(store, other, project.id).work is None  # the other text is held by the annotator
    store.run("UPDATE assignments SET lease_until = '2020-01-01T00:00:00.000Z' WHERE state = 'returned'")
    given = annotate_work.next_work(store, other, project.id, work.instance.id).work
    assert given is not None
    assert (given.instance.id, given.assignment.round_number) == (work.instance.id, 2)
    mine = annotate_work.next_work(store, annotator, project.id).work
    assert mine is None or mine.instance.id != work.instance.id
    assert check(store) == []


# --- the lead


def test_the_lead_decides_a_stuck_round_with_a_reason(
    store: Store, project: Project, annotator: User, reviewers: list[User], add_person: People
) -> None:
    lead = add_person("lea", project, "lead")
    work = annotate(store, annotator, project, A)
    seen = score(store, reviewers[0], project)
    held = reviews.next_review(store, reviewers[1], project.id).work
    assert held is not None
    with pytest.raises(InvalidValue, match=r"Say briefly why\."):
        decide_round(store, lead, seen.annotation.id, "accepted", " ")
    decide_round(store, lead, seen.annotation.id, "accepted", "the second reviewer is ill")
    assert states(store, work.instance.id) == ["accepted"]
    with pytest.raises(LeaseLost):
        reviews.submit_review(store, reviewers[1], held.review.id, 0, Scores((GOOD,), 3))
    with pytest.raises(Conflict, match="Already decided:"):
        decide_round(store, lead, seen.annotation.id, "discarded", "no")


def test_the_leads_reason_reaches_the_annotator(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    lead = add_person("lea", project, "lead")
    work = annotate(store, annotator, project, A)
    decide_round(
        store, lead, annotations_of(store, [work.instance.id])[work.instance.id][0].id, "returned", "see the guidelines"
    )
    returned = annotate_work.next_work(store, annotator, project.id).work
    assert returned is not None
    assert returned.feedback is not None
    assert returned.feedback.lines == ("The lead decided: see the guidelines",)
    assert returned.feedback.passed == ()


def test_a_reviewer_cannot_decide_a_round(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    work = annotate(store, annotator, project, A)
    annotation = annotations_of(store, [work.instance.id])[work.instance.id][0]
    with pytest.raises(NotAllowed):
        decide_round(store, reviewers[0], annotation.id, "accepted", "because")
    assert states(store, work.instance.id) == ["submitted"]


def test_changed_thresholds_count_for_open_rounds_and_decided_ones_keep_theirs(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    first = annotate(store, annotator, project, A)
    score_all(store, reviewers, project, Scores((GOOD,), 3))
    second = annotate(store, annotator, project, A)
    score_all(store, reviewers[:2], project, Scores((SetScore(2, 4),), 3))
    settings = replace(project.settings, sufficiency_threshold=Decimal("2.0"))
    change_project(store, LOCAL_OPERATOR, replace(project, settings=settings))
    score(store, reviewers[2], project, Scores((SetScore(2, 4),), 3))
    kept = find_round(store, annotations_of(store, [first.instance.id])[first.instance.id][0].id)
    later = find_round(store, annotations_of(store, [second.instance.id])[second.instance.id][0].id)
    assert kept is not None and kept.verdict is not None  # noqa: PT018
    assert later is not None and later.verdict is not None  # noqa: PT018
    assert str(kept.verdict.findings[0].threshold) == "3"
    assert (later.outcome, str(later.verdict.findings[0].threshold)) == ("accepted", "2")


def test_fewer_reviewers_decide_the_rounds_that_then_have_enough(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    work = annotate(store, annotator, project, A)
    score_all(store, reviewers[:2], project)
    change_project(
        store, LOCAL_OPERATOR, replace(project, settings=replace(project.settings, reviewers_per_annotation=2))
    )
    assert states(store, work.instance.id) == ["accepted"]
    other = annotate(store, annotator, project, A)
    project = get_project_by_id(store, project.id)
    change_project(
        store, LOCAL_OPERATOR, replace(project, settings=replace(project.settings, reviewers_per_annotation=0))
    )
    assert states(store, other.instance.id) == ["accepted"]
    assert check(store) == []


def test_a_contested_label_waits_for_the_lead_before_it_waits_for_reviewers(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    from annotator.usecases.lead.decisions import decide, open_proposals

    annotate(store, annotator, project, A, result="positive")
    assert reviews.next_review(store, reviewers[0], project.id).work is None
    [(proposal, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    decide(store, LOCAL_OPERATOR, proposal.id, "relabel")
    work = reviews.next_review(store, reviewers[0], project.id).work
    assert work is not None
    assert work.annotation.result == "positive"


def test_a_new_reviewer_helps_out_in_an_open_round(
    store: Store, project: Project, annotator: User, reviewers: list[User], add_person: People
) -> None:
    work = annotate(store, annotator, project, A)
    score_all(store, reviewers[:2], project)
    disable_user(store, LOCAL_OPERATOR, reviewers[2].name)
    give_role(store, LOCAL_OPERATOR, project.id, add_person("new", project).name, "reviewer")
    newcomer = add_person("newer", project, "reviewer")
    score(store, newcomer, project)
    assert states(store, work.instance.id) == ["accepted"]


def test_an_export_is_one_consistent_view_while_rounds_are_decided(
    store: Store, database: Path, project: Project, annotator: User, reviewers: list[User], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    annotate(store, annotator, project, A)
    score_all(store, reviewers, project)
    annotate(store, annotator, project, B)
    score_all(store, reviewers[:2], project)
    read = gold.annotations_of
    n_decided = 0

    def decide_meanwhile(own: Store, ids: Sequence[int]) -> object:
        nonlocal n_decided
        if not n_decided:
            with open_store(database) as other:
                score(other, reviewers[2], project)
            n_decided += 1
        return read(own, ids)

    monkeypatch.setattr(gold, "annotations_of", decide_meanwhile)
    n = export.export_file(store, LOCAL_OPERATOR, project, "benchmark", tmp_path / "out").n
    assert n_decided == 1
    assert n == 1
    monkeypatch.undo()
    assert export.export_file(store, LOCAL_OPERATOR, project, "benchmark", tmp_path / "later").n == 2


def test_a_reviewer_who_has_scored_all_is_not_told_of_texts_that_they_annotate(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project, A)
    score(store, reviewers[0], project)
    empty = reviews.next_review(store, reviewers[0], project.id).empty
    assert empty is not None
    assert empty.startswith("Nothing to review. Annotations appear here when submitted.")
