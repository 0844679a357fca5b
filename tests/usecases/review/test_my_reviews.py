"My reviews: what one has scored stays listed with one's own scores and with result; it is searched, and by state."

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.domain.texts import RationaleSet
from annotator.errors import InvalidValue, NotAllowed
from annotator.store import Store
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.lead.decisions import decide, open_proposals
from annotator.usecases.review import reviews
from annotator.usecases.review.reviews import MyReviewRow, my_reviews
from annotator.usecases.review.rounds import decide_round

People = Callable[..., User]

A, B = RationaleSet.of((0, 2)), RationaleSet.of((3, 5))
TEXTS = ("The staff never smiled and the soup was cold.", "The bread was warm and the waiter sang to us all.")
GOOD = Scores((SetScore(3, 4), SetScore(3, 4)), 3)
WEAK = Scores((SetScore(3, 3, "two reasons"), SetScore(3, 4)), 2, "split it")


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Two texts; two reviewers score each annotation."""
    made = make_project(reviewers_per_annotation=2)
    import_rows(made, [{"id": f"t{n}", "text": text, "label": "negative"} for n, text in enumerate(TEXTS, start=1)])
    return made


@pytest.fixture
def reviewers(add_person: People, project: Project) -> list[User]:
    return [add_person(f"reviewer-{n}", project, "reviewer") for n in (1, 2)]


def annotate(store: Store, person: User, project: Project) -> None:
    work = annotate_work.next_work(store, person, project.id).work
    assert work is not None
    annotate_work.submit(store, person, work.assignment.id, work.assignment.revision, Draft(sets=(A, B)))


def take(store: Store, person: User, project: Project) -> reviews.ReviewWork:
    work = reviews.next_review(store, person, project.id).work
    assert work is not None
    return work


def score(store: Store, person: User, project: Project, scores: Scores) -> reviews.ReviewWork:
    work = take(store, person, project)
    reviews.submit_review(store, person, work.review.id, work.review.revision, scores)
    return work


def only(store: Store, person: User, project: Project) -> MyReviewRow:
    [row], total = my_reviews(store, person, project.id)
    assert total == 1
    return row


def listed(store: Store, person: User, project: Project, **asked: str) -> list[tuple[str, str]]:
    return [(row.line.key, row.line.state) for row in my_reviews(store, person, project.id, **asked)[0]]


def test_until_the_round_is_decided_only_my_own_scores_are_told(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project)
    score(store, reviewers[1], project, GOOD)
    assert my_reviews(store, reviewers[0], project.id) == ([], 0)
    score(store, reviewers[0], project, WEAK)
    annotate(store, annotator, project)
    score(store, reviewers[0], project, WEAK)
    newest = my_reviews(store, reviewers[0], project.id)[0][0]
    assert (newest.line.state, newest.may_change, newest.lines) == ("submitted", True, ())
    assert newest.scored == (
        "Set A: sufficiency score 3 (can support the result), compactness score 3 (not sure), “two reasons”",
        "Set B: sufficiency score 3 (can support the result), compactness score 4 (concise)",
        "All sets: comprehensiveness score 2 (not sure), “split it”",
    )


def test_a_decided_round_says_what_came_of_it_and_why(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project)
    for reviewer, scores in zip(reviewers, (WEAK, GOOD), strict=True):
        score(store, reviewer, project, scores)
    row = only(store, reviewers[0], project)
    assert (row.line.state, row.may_change, row.result, row.n_sets) == ("returned", False, "negative", 2)
    assert row.lines == (
        "Set A fell short. Compactness score: 1 × not sure, 1 × concise.",
        "All sets together fell short. Comprehensiveness score: 1 × not sure, 1 × comprehensive.",
    )


def test_what_another_reviewer_wrote_is_read_without_a_name_once_the_round_is_decided(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project)
    work = score(store, reviewers[0], project, WEAK)
    assert only(store, reviewers[0], project).lines == ()
    assert not take(store, reviewers[1], project).others_said
    score(store, reviewers[1], project, GOOD)
    assert only(store, reviewers[1], project).lines[-2:] == ("A reviewer: split it", "Set A: A reviewer: two reasons")
    assert "A reviewer" not in str(only(store, reviewers[0], project).lines)
    shown = [reviews.next_review(store, reader, project.id, work.annotation.id).work for reader in reviewers]
    assert [list(opened.others_said) for opened in shown if opened] == [
        [], [(None, "A reviewer: split it"), (0, "A reviewer: two reasons")]
    ]  # fmt: skip


def test_the_decision_of_the_lead_is_told_with_its_reason(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project)
    work = score(store, reviewers[0], project, WEAK)
    decide_round(store, LOCAL_OPERATOR, work.annotation.id, "accepted", "The other reviewer has left.")
    row = only(store, reviewers[0], project)
    assert (row.line.state, row.lines) == ("accepted", ("The lead decided: The other reviewer has left.",))


def test_a_text_that_the_lead_discarded_says_so(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], add_person: People
) -> None:
    project = make_project(name="Two", annotators_per_instance=2, reviewers_per_annotation=2)
    import_rows(project, [{"id": "t1", "text": TEXTS[0], "label": "negative"}])
    ann, ben = (add_person(name, project, "annotator") for name in ("ann", "ben"))
    reviewer = add_person("rita", project, "reviewer")
    annotate(store, ann, project)
    score(store, reviewer, project, GOOD)
    other = annotate_work.next_work(store, ben, project.id).work
    assert other is not None
    annotate_work.propose_discard(store, ben, other.assignment.id, "names a person")
    [(proposal, _)] = open_proposals(store, LOCAL_OPERATOR, project.id)
    decide(store, LOCAL_OPERATOR, proposal.id, "discard")
    row = only(store, reviewer, project)
    assert (row.line.state, row.may_change) == ("discarded", False)
    assert row.lines == ("The lead discarded this text: names a person.",)


def test_what_was_skipped_or_begun_is_listed_and_what_was_only_opened_is_not(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    annotate(store, annotator, project)
    annotate(store, annotator, project)
    reviews.skip_review(store, reviewers[0], take(store, reviewers[0], project).review.id)
    assert listed(store, reviewers[0], project) == [("t1", "skipped")]
    work = take(store, reviewers[0], project)
    reviews.save_review(store, reviewers[0], work.review.id, work.review.revision, Scores((SetScore(3),)))
    assert sorted(listed(store, reviewers[0], project)) == [("t1", "skipped"), ("t2", "draft")]


def test_the_list_is_searched_for_words_keys_and_what_one_said_oneself_and_by_state(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    for scores in (GOOD, WEAK):
        annotate(store, annotator, project)
        score(store, reviewers[0], project, scores)
    score(store, reviewers[1], project, replace(GOOD, comment="not even a full stop"))
    both = [("t2", "submitted"), ("t1", "accepted")]
    assert listed(store, reviewers[0], project) == both
    assert listed(store, reviewers[0], project, words=" WAITER ") == both[:1]
    assert listed(store, reviewers[0], project, words="T1") == both[1:]
    assert listed(store, reviewers[0], project, words="TWO reasons") == both[:1]
    assert listed(store, reviewers[0], project, words="split") == both[:1]
    assert listed(store, reviewers[0], project, words="full stop") == [], "another reviewer's"
    assert listed(store, reviewers[0], project, state="accepted") == both[1:]
    assert listed(store, reviewers[0], project, state="accepted", words="waiter") == []


def test_what_cannot_be_listed_is_refused(
    store: Store, project: Project, annotator: User, reviewers: list[User]
) -> None:
    with pytest.raises(InvalidValue, match=r"Unknown state 'lost'\. Available:"):
        my_reviews(store, reviewers[0], project.id, state="lost")
    with pytest.raises(NotAllowed):
        my_reviews(store, annotator, project.id)
