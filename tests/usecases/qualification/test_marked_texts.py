"""Annotators' training: texts with known gold come before work, and what is answered stays apart from everything else."""

import json
from collections.abc import Callable

import msgspec
import pytest

from annotator.domain.instances import Draft, Timing
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import Conflict, NotAllowed, StaleDraft
from annotator.store import Store
from annotator.store.annotate.visibility import standing
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.panel_messages import ShownWork
from annotator.usecases.lead.statistics import statistics_of
from annotator.usecases.qualification.attempts import answered_text, begin, end_feedback, training_of
from annotator.usecases.qualification.panel import beside_gold, next_text, save_draft, submit
from annotator.usecases.qualification.people import allow, trained_people
from tests.usecases.qualification.conftest import GOLD, hold

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
    assert "after the training" in (empty.empty or "")
    with pytest.raises(NotAllowed, match="come after its training"):
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
    with pytest.raises(Conflict, match="no try left"):
        begin(store, annotator, project, "annotators")
    assert trained_people(store, lead, project, "annotators")[0].state == "no try left"
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
    with pytest.raises(StaleDraft, match="already handed in"):
        submit(store, annotator, work.assignment, 1, GOLD)
    assert standing(store, work.instance.id, annotator.id or 0).was_shown


@pytest.mark.usefixtures("training")
def test_the_text_of_somebody_elses_training_is_nobody_elses(
    store: Store, project: Project, annotator: User, add_person: Callable[..., User]
) -> None:
    begin(store, annotator, project, "annotators")
    work = text_of(store, annotator, project)
    with pytest.raises(NotAllowed, match="someone else's work"):
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
