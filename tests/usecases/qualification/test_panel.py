"""Annotators' and reviewers' training: texts with known gold come before work, and what is answered stays apart."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import get_args

import msgspec
import pytest

from annotator.domain.instances import Draft, Timing
from annotator.domain.people import User
from annotator.domain.project.qualification import Known, Spoiling
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore, Thresholds
from annotator.domain.texts import RationaleSet
from annotator.errors import Conflict, InvalidAnnotation, NotAllowed, StaleDraft
from annotator.review.gold import measure_scores, spoiled
from annotator.store import Store
from annotator.store.annotate.visibility import standing
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.panel_messages import ShownWork
from annotator.usecases.lead.statistics import statistics_of
from annotator.usecases.project.projects import change_project
from annotator.usecases.qualification.attempts import answered_text, begin, end_feedback, training_of
from annotator.usecases.qualification.items import instances_of_keys, items_of, pick
from annotator.usecases.qualification.panel import (
    beside_gold,
    next_scored_text,
    next_text,
    save_draft,
    submit,
    submit_scores,
)
from annotator.usecases.qualification.people import allow, trained_people
from annotator.usecases.qualification.words import score_lines
from annotator.usecases.review.panel_messages import ShownReview
from annotator.usecases.review.reviews import next_review
from tests.usecases.qualification.conftest import GOLD, KEYS, hold

POOR = Draft(sets=(RationaleSet.of((0, 1)),))


def text_of(store: Store, user: User, project: Project) -> ShownWork:
    work = next_text(store, user, project.id).work
    assert work is not None
    return work


def answer(store: Store, user: User, project: Project, draft: Draft) -> None:
    work = text_of(store, user, project)
    submit(store, user, work.assignment, work.revision, draft)
    answered = answered_text(store, user, project, "annotators")
    assert answered is not None
    end_feedback(store, user, answered.exercise.id)


def try_with(store: Store, user: User, project: Project, draft: Draft) -> None:
    begin(store, user, project, "annotators")
    while training_of(store, user, project, "annotators").stage == "open":
        answer(store, user, project, draft)


def stage(store: Store, user: User, project: Project) -> str:
    return training_of(store, user, project, "annotators").stage


@pytest.mark.usefixtures("training")
def test_who_has_not_passed_gets_no_work_and_who_has_passed_gets_it(
    store: Store, project: Project, annotator: User
) -> None:
    empty = annotate_work.next_work(store, annotator, project.id)
    assert (empty.work, empty.ahead) == (None, None)
    assert "Training comes before new work. Open Annotate or Review again." in (empty.empty or "")
    with pytest.raises(NotAllowed, match=r"Training comes before new work\. Open Annotate or Review again\."):
        hold(store, annotator, project, "w1")
    try_with(store, annotator, project, GOLD)
    assert stage(store, annotator, project) == "none"
    assert hold(store, annotator, project).instance.key == "w1"


@pytest.mark.usefixtures("training")
def test_a_second_try_has_other_texts_and_after_it_only_the_lead_helps(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    seen: list[set[str]] = []
    for _ in range(2):
        begin(store, annotator, project, "annotators")
        keys = set()
        while stage(store, annotator, project) == "open":
            keys.add(text_of(store, annotator, project).instance.key)
            answer(store, annotator, project, POOR)
        seen.append(keys)
    assert [len(keys) for keys in seen] == [2, 2]
    assert seen[0].isdisjoint(seen[1])
    assert stage(store, annotator, project) == "failed"
    with pytest.raises(Conflict, match="No training attempts left"):
        begin(store, annotator, project, "annotators")
    assert trained_people(store, lead, project, "annotators")[0].state == "no attempts left"
    allow(store, lead, project, "annotators", annotator.name, "another try")
    assert stage(store, annotator, project) == "begin"
    allow(store, lead, project, "annotators", annotator.name, "let through")
    assert hold(store, annotator, project).instance.key == "w1"


@pytest.mark.usefixtures("training")
def test_no_byte_of_the_gold_reaches_the_panel_before_the_answer_is_stored(
    store: Store, project: Project, annotator: User
) -> None:
    begin(store, annotator, project, "annotators")
    message = next_text(store, annotator, project.id)
    as_sent = json.loads(msgspec.json.encode(message))
    assert as_sent["work"]["draft"] == {
        "result": None, "sets": [], "note": "", "no_rationale": False, "origins": [], "unlocked": [], "proposed": {},
    }  # fmt: skip
    text = json.dumps(as_sent)
    assert "[1, 4]" not in text
    assert "[[1,4]]" not in text
    assert answered_text(store, annotator, project, "annotators") is None
    work = message.work
    assert work is not None
    revision = save_draft(store, annotator, work.assignment, 0, POOR, Timing())
    assert answered_text(store, annotator, project, "annotators") is None
    submit(store, annotator, work.assignment, revision, POOR)
    answered = answered_text(store, annotator, project, "annotators")
    assert answered is not None
    own, gold = beside_gold(store, project, answered.exercise, answered.known)
    assert (own.draft.sets, gold.draft.sets) == (((((0, 1)),),), (((1, 4),), ((5, 7), (8, 9))))


@pytest.mark.usefixtures("training")
def test_an_answer_whose_gold_was_shown_cannot_be_handed_in_again(
    store: Store, project: Project, annotator: User
) -> None:
    begin(store, annotator, project, "annotators")
    work = text_of(store, annotator, project)
    submit(store, annotator, work.assignment, 0, POOR)
    with pytest.raises(StaleDraft, match=r"Already submitted\. Reload to continue\."):
        submit(store, annotator, work.assignment, 1, GOLD)
    assert standing(store, work.instance.id, annotator.id or 0).was_shown


@pytest.mark.usefixtures("training")
def test_the_text_of_somebody_elses_training_is_nobody_elses(
    store: Store, project: Project, annotator: User, add_person: Callable[..., User]
) -> None:
    begin(store, annotator, project, "annotators")
    work = text_of(store, annotator, project)
    with pytest.raises(NotAllowed, match=r"This text is assigned to others\."):
        submit(store, add_person("other", project, "annotator"), work.assignment, 0, GOLD)


@pytest.mark.usefixtures("training")
def test_nothing_of_the_training_is_counted_anywhere(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    tables = ("annotations", "assignments", "drafts", "gold_choices", "rounds", "instances")
    before = {name: [tuple(row) for row in store.rows(f"SELECT * FROM {name}")] for name in tables}
    numbers = statistics_of(store, lead, project)
    try_with(store, annotator, project, POOR)
    assert before == {name: [tuple(row) for row in store.rows(f"SELECT * FROM {name}")] for name in tables}
    assert statistics_of(store, lead, project) == numbers


def test_who_holds_work_when_training_begins_finishes_it_and_gets_nothing_new(
    store: Store, project: Project, annotator: User, training: Callable[..., int]
) -> None:
    training(is_on=False)
    held = [hold(store, annotator, project, key) for key in ("w1", "w2")]
    training(is_on=True)
    assert stage(store, annotator, project) == "finish"
    for work in held:
        annotate_work.submit(store, annotator, work.assignment.id, work.assignment.revision, GOLD)
    assert annotate_work.next_work(store, annotator, project.id).work is None
    assert stage(store, annotator, project) == "begin"


def test_a_try_goes_on_under_the_rules_that_it_began_under(
    store: Store, project: Project, annotator: User, training: Callable[..., int]
) -> None:
    training(least_f1=0)
    begin(store, annotator, project, "annotators")
    answer(store, annotator, project, POOR)
    training(least_f1=100)
    answer(store, annotator, project, POOR)
    assert stage(store, annotator, project) == "none"


def test_leads_need_no_training_and_a_project_without_one_is_as_before(
    store: Store, project: Project, annotator: User, lead: User, training: Callable[..., int]
) -> None:
    assert stage(store, lead, project) == "none"
    assert hold(store, lead, project, "w1").instance.key == "w1"
    training(is_on=False)
    assert hold(store, annotator, project).instance.key == "w3"


# Reviewers' training: gold sets, some worsened on purpose, whose scores are known.

KNOWN = Known("negative", GOLD.sets)
GENEROUS = Scores((SetScore(3, 4), SetScore(3, 4)), 3)


@pytest.mark.parametrize(
    ("spoiling", "n_right", "n"),
    [
        ("", 5, 5),  # all as expected
        ("token too much", 4, 5),  # one set is less compact than it was called
        ("token missing", 2, 3),  # compactness of the set and comprehensiveness are nobody's to say
        ("set left out", 2, 3),  # one set is left, and the whole is not comprehensive
    ],
)
def test_expected_scores_follow_from_what_was_worsened(spoiling: Spoiling, n_right: int, n: int) -> None:
    known = spoiled(KNOWN, spoiling, 1, range(10))
    assert known is not None
    assert known.scores is not None
    generous = Scores((SetScore(3, 4),) * len(known.sets), 3)
    measures = measure_scores(generous, known.scores, Thresholds())
    assert (measures.n_right, measures.n) == (n_right, n)


def test_a_set_left_out_is_not_comprehensive_and_one_set_alone_cannot_be_left_out() -> None:
    known = spoiled(KNOWN, "set left out", 1, range(10))
    assert known is not None
    assert (len(known.sets), known.scores and known.scores.comprehensiveness) == (1, 1)
    assert spoiled(Known("negative", GOLD.sets[:1]), "set left out", 1, range(10)) is None


@pytest.mark.parametrize("spoiling", get_args(Spoiling))
def test_the_same_seed_worsens_in_the_same_way(spoiling: Spoiling) -> None:
    assert spoiled(KNOWN, spoiling, 7, range(10)) == spoiled(KNOWN, spoiling, 7, range(10))


def test_a_set_of_one_token_loses_none_and_a_text_that_is_all_marked_gains_none() -> None:
    single = Known("negative", (RationaleSet.of((0, 1)),))
    assert spoiled(single, "token missing", 1, range(2)) is None
    assert spoiled(single, "token too much", 1, range(1)) is None


@pytest.fixture
def reviewer(add_person: Callable[..., User], project: Project) -> User:
    return add_person("rita", project, "reviewer")


@pytest.fixture
def reviewed(store: Store, project: Project, lead: User, rules: Callable[..., int]) -> Project:
    """A project that reviews, with training of reviewers, and an annotation that waits for one."""
    pick(store, lead, project, "reviewers", instances_of_keys(store, project, KEYS[:2]), ("token too much",), seed=3)
    rules("reviewers")
    settings = replace(project.settings, reviewers_per_annotation=1)
    return change_project(store, lead, replace(project, settings=settings))


def scored_text_of(store: Store, user: User, project: Project) -> ShownReview:
    work = next_scored_text(store, user, project.id).work
    assert work is not None
    return work


def test_who_has_not_passed_gets_no_annotation_and_who_scores_as_expected_gets_it(
    store: Store, reviewed: Project, reviewer: User, annotator: User
) -> None:
    work = hold(store, annotator, reviewed, "w1")
    annotate_work.submit(store, annotator, work.assignment.id, work.assignment.revision, GOLD)
    assert next_review(store, reviewer, reviewed.id).work is None
    begin(store, reviewer, reviewed, "reviewers")
    tables = ("reviews", "rounds", "scores", "annotations")
    before = {name: [tuple(row) for row in store.rows(f"SELECT * FROM {name}")] for name in tables}
    while training_of(store, reviewer, reviewed, "reviewers").stage == "open":
        text = scored_text_of(store, reviewer, reviewed)
        assert standing(store, text.instance.id, reviewer.id or 0).was_shown
        submit_scores(store, reviewer, text.review, text.revision, right_scores(text))
        answered = answered_text(store, reviewer, reviewed, "reviewers")
        assert answered is not None
        assert answered.measures.n_right == answered.measures.n == 5
        end_feedback(store, reviewer, answered.exercise.id)
    assert before == {name: [tuple(row) for row in store.rows(f"SELECT * FROM {name}")] for name in tables}
    assert next_review(store, reviewer, reviewed.id).work is not None


def right_scores(text: ShownReview) -> Scores:
    """The worsened set is the one with more tokens than the gold has."""
    sizes = [sum(end - start for start, end in shown.spans) for shown in text.sets]
    return Scores(tuple(SetScore(3, 1 if size == 4 else 4) for size in sizes), 3)


def test_feedback_says_what_was_worsened_and_which_score_was_expected(
    store: Store, reviewed: Project, reviewer: User
) -> None:
    begin(store, reviewer, reviewed, "reviewers")
    text = scored_text_of(store, reviewer, reviewed)
    with pytest.raises(InvalidAnnotation, match=r"Set B needs both scores\."):
        submit_scores(store, reviewer, text.review, 0, Scores((SetScore(3, 4), SetScore(3)), 3))
    submit_scores(store, reviewer, text.review, 0, GENEROUS)
    answered = answered_text(store, reviewer, reviewed, "reviewers")
    assert answered is not None
    lines = score_lines(GENEROUS, answered.known, reviewed.settings.thresholds, answered.item.spoiling)
    assert lines[0] == "A token was added to a gold set."
    worsened = "compactness 4 (concise); expected 1 (includes redundant tokens), threshold 3.6."
    assert any(line.endswith(f", {worsened}") for line in lines)


def test_only_reviewers_score_and_only_their_own_texts(
    store: Store, reviewed: Project, reviewer: User, annotator: User, lead: User
) -> None:
    begin(store, reviewer, reviewed, "reviewers")
    text = scored_text_of(store, reviewer, reviewed)
    with pytest.raises(NotAllowed):
        next_scored_text(store, annotator, reviewed.id)
    with pytest.raises(NotAllowed, match=r"This text is assigned to others\."):
        submit_scores(store, lead, text.review, 0, GENEROUS)
    assert {shown.item.spoiling for shown in items_of(store, lead, reviewed, "reviewers")} == {"token too much"}
