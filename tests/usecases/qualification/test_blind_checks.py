"""Blind checks: texts with known gold among real work, which look like any other and change nothing."""

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import StaleDraft
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.projects import update_project
from annotator.store.qualification.exercises import checks_of
from annotator.usecases.annotate import blind_checks
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.my_work import my_work
from annotator.usecases.annotate.panel_messages import show_my_work, show_next, show_work_of
from annotator.usecases.lead.progress import payroll_of
from annotator.usecases.lead.statistics import statistics_of
from annotator.usecases.qualification.items import take_out
from annotator.usecases.qualification.people import checked_people
from annotator.usecases.review.rounds import decide_round
from tests.usecases.qualification.conftest import GOLD, KEYS, hold, pick_keys

DAY = "2000-01-01T00:00:00.000Z"
MARKED = Draft(sets=(RationaleSet.of((0, 2)),))


@pytest.fixture
def watched(store: Store, project: Project, lead: User, rules: Callable[..., int]) -> Project:
    """One of two texts is a check, of four that could be."""
    pick_keys(store, lead, project, "checks", *KEYS)
    rules(is_on=False, check_every=2)
    return project


def submit_all(store: Store, user: User, project: Project, draft: Draft = MARKED) -> list[dict[str, Any]]:
    """Every message that somebody gets who marks until nothing is left."""
    answer = annotate_work.next_work(store, user, project.id, day_began=DAY)
    messages = [sent(show_next(answer))]
    work, ahead = answer.work, answer.ahead
    while work is not None:
        shown = None if ahead is None else ahead.assignment.id
        counts, after = annotate_work.submit(
            store, user, work.assignment.id, work.assignment.revision, draft, shown_next=shown, day_began=DAY
        )
        messages.append(sent({"counts": counts, "ahead": after and show_work_of(store, after)}))
        work, ahead = ahead, after
    return messages


def sent(message: object) -> dict[str, Any]:
    decoded: dict[str, Any] = json.loads(msgspec.json.encode(message))
    return decoded


def shape(value: Any) -> Any:
    """A message without what each text has of its own: what is left is the same for all work."""
    if isinstance(value, dict):
        own = {"assignment", "id", "key", "text", "starts", "ends", "sentences", "lease_until"}
        return {name: shape(part) for name, part in value.items() if name not in own}
    return [shape(part) for part in value] if isinstance(value, list) else value


def test_a_check_looks_like_any_other_work_in_every_byte(store: Store, watched: Project, annotator: User) -> None:
    messages = submit_all(store, annotator, watched)
    given = [messages[0]["work"], messages[0]["ahead"], *(message["ahead"] for message in messages[1:])]
    given = [work for work in given if work is not None]
    check_ids = {check.id for check in checks_of(store, watched.id, annotator.id or 0)}
    assert 0 < len(check_ids) < len(given)
    shapes = [shape(work) for work in given]
    assert all(each == shapes[0] for each in shapes)
    numbers = [work["assignment"] for work in given]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    assert not any(word in json.dumps(messages) for word in ("check", "exercise", "training", "gold"))


def test_the_counts_go_up_by_one_and_their_sum_stays(store: Store, watched: Project, annotator: User) -> None:
    counts = [message["counts"] for message in submit_all(store, annotator, watched)]
    assert len({count["open"] + count["waiting"] + count["submitted"] for count in counts}) == 1
    assert [count["submitted"] for count in counts] == list(range(len(counts)))
    assert [count["today"] for count in counts] == list(range(len(counts)))
    assert all(count["open"] == min(2, count["open"] + count["waiting"]) for count in counts)


def test_what_is_answered_changes_nothing_about_the_text_or_its_gold(
    store: Store, watched: Project, annotator: User, lead: User
) -> None:
    ids = [find_instance_ids(store, watched.id, key)[0] for key in KEYS]
    tables = {"annotations": "instance_id", "assignments": "instance_id", "proposals": "instance_id", "instances": "id"}

    def rows() -> list[tuple[object, ...]]:
        return [
            tuple(row)
            for name, column in tables.items()
            for number in ids
            for row in store.rows(f"SELECT * FROM {name} WHERE {column} = ?", (number,))
        ]

    before = rows()
    submit_all(store, annotator, watched)
    assert checks_of(store, watched.id, annotator.id or 0)
    assert rows() == before
    assert statistics_of(store, lead, watched).n_accepted == len(KEYS) + 3


def test_the_lead_sees_how_checks_came_out_in_time(store: Store, watched: Project, annotator: User, lead: User) -> None:
    submit_all(store, annotator, watched, GOLD)
    [person] = [p for p in checked_people(store, lead, watched) if p.user.name == annotator.name]
    n = len(checks_of(store, watched.id, annotator.id or 0))
    assert person.totals.n_f1 == n
    assert person.totals.f1 == 1
    assert len(person.points) == n
    assert person.points == tuple(sorted(person.points, key=lambda point: point.at))


def test_a_check_is_paid_like_the_text_that_it_looks_like(
    store: Store, watched: Project, annotator: User, lead: User
) -> None:
    n_answered = len(submit_all(store, annotator, watched)) - 1
    n_checks = len(checks_of(store, watched.id, annotator.id or 0))
    today = dt.datetime.now(dt.UTC).date()
    work = payroll_of(store, lead, watched, today - dt.timedelta(days=1), today + dt.timedelta(days=1)).work
    [paid] = [of_one for of_one in work if of_one.person == annotator.name]
    assert n_checks > 0
    assert paid.n_submitted == n_answered


def test_a_check_can_be_gone_back_to_and_stands_in_my_work(store: Store, watched: Project, annotator: User) -> None:
    submit_all(store, annotator, watched)
    rows, n = my_work(store, annotator, watched.id)
    done = checks_of(store, watched.id, annotator.id or 0)
    assert n == 3 + len(done)
    shown = sent(show_my_work(rows, n, 1))["rows"]
    assert {row["state"] for row in shown} == {"accepted"}
    assert all(row["may_reopen"] for row in shown)
    assert [row["assignment"] for row in shown] == sorted((row["assignment"] for row in shown), reverse=True)
    check = done[-1]
    reopened = annotate_work.withdraw(store, annotator, check.id)
    assert reopened.assignment.draft.sets == MARKED.sets
    annotate_work.submit(store, annotator, check.id, reopened.assignment.revision, GOLD)
    with pytest.raises(StaleDraft, match=r"Already submitted\. Reopen it under My work \(m\)\."):
        annotate_work.submit(store, annotator, check.id, reopened.assignment.revision + 1, GOLD)


def test_a_check_that_later_decisions_left_behind_reads_like_any_other_work_that_they_left_behind(
    store: Store, watched: Project, annotator: User
) -> None:
    reviewed = replace(watched, settings=replace(watched.settings, reviewers_per_annotation=1))
    update_project(store, reviewed)
    moment = store.clock()
    store.clock = lambda: moment  # all of it in one moment, as a fast machine may do it
    submit_all(store, annotator, reviewed)
    check_ids = {check.id for check in checks_of(store, reviewed.id, annotator.id or 0)}
    rows = my_work(store, annotator, reviewed.id)[0]
    assert [row.lines for row in rows] == [()] * len(rows)  # nothing is decided yet
    real = [row for row in rows if row.line.assignment_id not in check_ids]
    decide_round(store, LOCAL_OPERATOR, real[0].line.annotation_id or 0, "accepted", "It is plain.")
    told = {row.line.assignment_id: row.lines for row in my_work(store, annotator, reviewed.id)[0]}
    left_behind = {number for number in told if number < real[0].line.assignment_id}
    assert left_behind & check_ids
    assert left_behind - check_ids
    sentence = "No decision shown yet."
    assert {told[number] for number in left_behind} == {(sentence,)}


def test_no_check_is_given_where_no_work_waits_or_nothing_is_left_to_check(
    store: Store, watched: Project, annotator: User, lead: User, add_person: Callable[..., User]
) -> None:
    submit_all(store, annotator, watched)
    late = add_person("late", watched, "annotator")
    assert annotate_work.next_work(store, late, watched.id).work is None
    for check in store.rows("SELECT id FROM qualification_items"):
        take_out(store, lead, watched, check["id"])
    assert not checks_of(store, watched.id, late.id or 0)


def test_a_project_without_checks_gives_out_what_it_gave_out_before(
    store: Store, project: Project, annotator: User
) -> None:
    before = next(iter(store.rows("SELECT max(id) AS id FROM assignments")))["id"]
    work = hold(store, annotator, project)
    assert (work.instance.key, work.assignment.id) == ("w1", before + 1)


@pytest.mark.parametrize("every", [2, 3, 10])
@pytest.mark.parametrize("n_given", [0, 1, 7])
@pytest.mark.parametrize(("n_waiting", "n_items"), [(1, 5), (9, 100), (40, 3), (200, 100)])
def test_the_checks_to_come_are_those_that_will_be_given(
    every: int, n_given: int, n_waiting: int, n_items: int
) -> None:
    expected, left, given = 0, n_waiting, n_given
    while left and expected < n_items:
        is_due = blind_checks._is_due(1, 1, given, every)
        expected, left, given = expected + is_due, left - (not is_due), given + 1
    assert blind_checks._n_to_come(1, 1, n_given, every, n_waiting, n_items) == expected
