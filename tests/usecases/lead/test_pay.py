"""What work costs at a stated rate: counted by hand, days by days, and a table that a spreadsheet reads as text."""

import csv
import datetime as dt
import io
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.project.recruitment import PaidWork, PayRate, parse_rate
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.errors import InvalidValue, NotAllowed
from annotator.store import Store, open_store
from annotator.store.projects import get_project, get_project_by_id
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.lead.decisions import decide, open_proposals
from annotator.usecases.lead.progress import pay_csv, payroll_of, remember_rate
from annotator.usecases.lead.statistics import statistics_of
from annotator.usecases.project.exhaustive_passes import copy_project
from annotator.usecases.project.projects import change_project, create_project
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from tests.clock import pass_time
from tests.usecases.review.test_reviews import A, B, annotate, score

MONDAY, TUESDAY = dt.date(2026, 11, 23), dt.date(2026, 11, 24)
AT_NOON = dt.datetime(2026, 11, 23, 12, tzinfo=dt.UTC)
POOR = Scores((SetScore(1, 1),), 1)
EUROS = PayRate("text", Decimal("0.30"), Decimal("0.10"), "EUR")


@pytest.fixture
def project(store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Four texts of ten tokens; one reviewer for each annotation."""
    made = make_project(reviewers_per_annotation=1)
    text = "The staff never smiled and the soup was cold."
    import_rows(made, [{"id": f"t{n}", "text": text, "label": "negative"} for n in range(4)])
    store.clock = lambda: AT_NOON
    return made


@pytest.fixture
def rita(add_person: Callable[..., User], project: Project) -> User:
    return add_person("rita", project, "reviewer")


def spend(store: Store, seconds: int) -> None:
    """As if every piece of work that has no time yet had taken so long."""
    store.run(
        "UPDATE assignments SET active_ms = ? WHERE submitted_at IS NOT NULL AND active_ms = 0", (1000 * seconds,)
    )
    store.run("UPDATE reviews SET active_ms = ? WHERE state = 'submitted' AND active_ms = 0", (1000 * seconds,))


def on(store: Store, lead: User, project: Project, first: dt.date, last: dt.date) -> dict[tuple[str, str], PaidWork]:
    return {(work.person, work.role): work for work in payroll_of(store, lead, project, first, last).work}


def test_a_text_counts_once_for_a_person_a_correction_apart_and_each_on_its_day(
    store: Store, project: Project, annotator: User, lead: User, rita: User
) -> None:
    annotate(store, annotator, project, A)
    score(store, rita, project, POOR)  # returned
    spend(store, 60)
    pass_time(store, days=1)
    annotate(store, annotator, project, A, B)  # the correction, on Tuesday
    score(store, rita, project, Scores((SetScore(3, 4), SetScore(3, 4)), 3))
    spend(store, 30)
    name = annotator.name
    assert on(store, lead, project, MONDAY, MONDAY) == {
        (name, "annotator"): PaidWork(name, "annotator", n_submitted=1, tokens_submitted=10, active_ms=60_000),
        ("rita", "reviewer"): PaidWork("rita", "reviewer", n_reviewed=1, tokens_reviewed=10, active_ms=60_000),
    }
    on_tuesday = on(store, lead, project, TUESDAY, TUESDAY)[name, "annotator"]
    assert on_tuesday == PaidWork(name, "annotator", n_accepted=1, n_corrected=1, tokens_accepted=10, active_ms=30_000)
    both = on(store, lead, project, MONDAY, TUESDAY)[name, "annotator"]
    assert (both.n_submitted, both.n_accepted, both.n_corrected, both.active_ms) == (1, 1, 1, 90_000)


def test_work_that_the_lead_gave_back_stays_paid(store: Store, project: Project, annotator: User, lead: User) -> None:
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    annotate_work.submit(
        store, annotator, work.assignment.id, 0, Draft("positive", (A,))
    )  # another label than the text's
    spend(store, 60)
    paid = PaidWork(annotator.name, "annotator", n_submitted=1, tokens_submitted=10, active_ms=60_000)
    assert on(store, lead, project, MONDAY, MONDAY) == {(annotator.name, "annotator"): paid}
    [(proposal, _instance)] = open_proposals(store, lead, project.id)
    decide(store, lead, proposal.id, "keep")
    assert on(store, lead, project, MONDAY, MONDAY) == {(annotator.name, "annotator"): paid}
    pass_time(store, days=30)  # it went to others
    annotate_work.next_work(store, annotator, project.id)
    assert on(store, lead, project, MONDAY, MONDAY) == {(annotator.name, "annotator"): paid}


def test_days_are_those_of_the_time_zone(store: Store, project: Project, annotator: User, lead: User) -> None:
    store.clock = lambda: dt.datetime(2026, 11, 23, 23, 30, tzinfo=dt.UTC)
    annotate(store, annotator, project, A)
    berlin = ZoneInfo("Europe/Berlin")
    assert payroll_of(store, lead, project, MONDAY, MONDAY, berlin).work == ()
    assert len(payroll_of(store, lead, project, TUESDAY, TUESDAY, berlin).work) == 1
    assert len(payroll_of(store, lead, project, MONDAY, MONDAY).work) == 1


def test_time_on_a_text_that_was_skipped_is_paid_and_work_in_hand_is_not_yet(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    store.run("UPDATE assignments SET active_ms = 5000")
    assert payroll_of(store, lead, project, MONDAY, MONDAY).work == ()
    annotate_work.skip(store, annotator, work.assignment.id)
    [paid] = payroll_of(store, lead, project, MONDAY, MONDAY).work
    assert (paid.n_submitted, paid.active_ms) == (0, 5000)


@pytest.mark.parametrize(
    ("rate", "amount", "reason"),
    [
        (PayRate("hour", Decimal("12.50"), Decimal(9), "EUR"), "18.75", "an hour and a half"),
        (PayRate("text", Decimal("0.335"), Decimal(9), "EUR"), "1.01", "three texts, a half cent upwards"),
        (PayRate("text", Decimal("0.335"), Decimal(9), "EUR", "accepted"), "0.67", "two of them accepted"),
        (PayRate("token", Decimal("0.01"), Decimal(9), "EUR"), "0.45", "45 tokens"),
        (PayRate("token", Decimal("0.01"), Decimal(9), "EUR", "accepted"), "0.30", "30 accepted tokens"),
    ],
)
def test_the_amount_is_units_times_rate(rate: PayRate, amount: str, reason: str) -> None:
    work = PaidWork(
        "ada", "annotator", n_submitted=3, n_accepted=2, tokens_submitted=45, tokens_accepted=30, active_ms=5_400_000
    )
    assert work.amount(rate) == Decimal(amount), reason


def test_reviewers_have_a_rate_of_their_own_and_the_sum_is_of_what_is_paid_out() -> None:
    reviewed = PaidWork("rita", "reviewer", n_reviewed=7, tokens_reviewed=70, active_ms=1)
    assert reviewed.amount(EUROS) == Decimal("0.70")
    assert reviewed.amount(replace(EUROS, unit="token")) == Decimal("7.00")


def test_the_rate_is_remembered_with_the_project_and_rules_that_were_read_before_do_not_take_it_back(
    store: Store, project: Project, lead: User
) -> None:
    remember_rate(store, lead, project, EUROS)
    change_project(store, lead, replace(project, question="Which words?"))
    kept = get_project_by_id(store, project.id)
    assert (kept.settings.pay_rate, kept.question) == (EUROS, "Which words?")


@pytest.mark.parametrize(
    ("unit", "annotating", "currency", "said"),
    [
        ("hour", "-1", "EUR", "Rate is -1; use 0 to"),
        ("hour", "NaN", "EUR", "Rate is NaN; use 0 to"),
        ("hour", "1", " ", "currency"),
        ("hour", "1", "a currency of great length", "currency"),
        ("hour", "1", "E\nR", "currency"),
    ],
)
def test_a_rate_that_cannot_be_is_refused(unit: str, annotating: str, currency: str, said: str) -> None:
    with pytest.raises(InvalidValue, match=said):
        PayRate(unit, Decimal(annotating), Decimal(0), currency)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["12 EUR", "1.000,50", "-3", "1e5", "²"])
def test_what_is_no_number_is_no_rate(text: str) -> None:
    with pytest.raises(InvalidValue, match=rf"Invalid rate “{re.escape(text)}”\. Use a number like 12\.50\."):
        parse_rate(text)


def test_the_table_says_who_when_what_and_how_much_and_no_name_runs_as_a_formula(
    store: Store, project: Project, lead: User, add_person: Callable[..., User]
) -> None:
    annotate(store, add_person("=SUM(A1)", project, "annotator"), project, A)
    spend(store, 90)
    project = remember_rate(store, lead, project, replace(EUROS, currency="@EUR"))
    payroll = payroll_of(store, lead, project, MONDAY, TUESDAY)
    assert payroll.total == Decimal("0.30")
    [row] = csv.DictReader(io.StringIO(pay_csv(payroll)))
    assert row == {
        "person": "'=SUM(A1)", "role": "annotator", "from": "2026-11-23", "to": "2026-11-24", "submitted": "1", "accepted": "0",
        "corrected": "0", "reviewed": "0", "tokens submitted": "10", "tokens accepted": "0", "tokens reviewed": "0",
        "active hours": "0.0250", "time unknown": "0", "rate": "0.30", "per": "text", "amount": "0.30", "currency": "'@EUR",
    }  # fmt: skip


def test_only_who_manages_the_project_sees_what_people_are_paid(
    store: Store, project: Project, annotator: User, add_person: Callable[..., User]
) -> None:
    for person in (annotator, add_person("resi", project, "researcher")):
        with pytest.raises(NotAllowed):
            payroll_of(store, person, project, MONDAY, TUESDAY)
        with pytest.raises(NotAllowed):
            remember_rate(store, person, project, EUROS)
    assert get_project_by_id(store, project.id).settings.pay_rate is None


def test_days_that_end_before_they_begin_are_refused(store: Store, project: Project, lead: User) -> None:
    with pytest.raises(InvalidValue, match=r"The last day 2026-11-23 is before the first, 2026-11-24\."):
        payroll_of(store, lead, project, TUESDAY, MONDAY)


def test_a_rate_changes_no_number_of_the_project(store: Store, project: Project, lead: User, annotator: User) -> None:
    annotate(store, annotator, project, A)
    before = statistics_of(store, lead, project)
    assert statistics_of(store, lead, remember_rate(store, lead, project, EUROS)) == before


def test_copies_of_the_rules_and_our_own_file_carry_the_rate(
    store: Store, project: Project, lead: User, tmp_path: Path
) -> None:
    project = remember_rate(store, lead, project, EUROS)
    assert copy_project(store, lead, project.id, "Copy").settings.pay_rate == EUROS
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    with open_store(tmp_path / "other.db", create=True) as other:
        import_file(other, LOCAL_OPERATOR, create_project(other, LOCAL_OPERATOR, "P", project.task), "jsonl", path)
        assert get_project(other, "P").settings.pay_rate == EUROS
        assert other.problems() == []
