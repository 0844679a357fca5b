"""`annotator progress`: how far the work is, day by day, when it ends, how long it takes and what it costs."""

import dataclasses
import datetime as dt
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click

from annotator.cli.commands import answering, examples, opened_project, option, project_option, respond
from annotator.domain.numbers import counted, duration, written_in_report
from annotator.domain.people import LOCAL_OPERATOR
from annotator.errors import InvalidValue

if TYPE_CHECKING:
    from annotator.usecases.lead.progress import ListedWork, Payroll, WorkDays, WorkProgress, WorkTimes

_DAY = click.DateTime(["%Y-%m-%d"])
_LAST_DAYS = 14  # that are printed for people
_PAY_DAYS = 30


@dataclasses.dataclass(frozen=True, slots=True)
class _Numbers:
    work: "WorkProgress"
    days: "WorkDays"
    times: "WorkTimes"
    payroll: "Payroll"
    listed: "ListedWork"


@click.command()
@project_option
@option(
    "--from", "first", type=_DAY, metavar="DAY",
    help="The first day that is paid, such as 2026-11-01; by default 29 days before the last.",
)  # fmt: skip
@option("--to", "last", type=_DAY, metavar="DAY", help="The last day that is paid; by default today.")
@option("--time-zone", "zone_name", default="UTC", help="The time zone of the days, such as Europe/Berlin.")
@option("--pay-csv", "as_pay", is_flag=True, help="Print the table to pay by, and nothing else.")
@answering
@examples("annotator progress --project Reviews --from 2026-11-01 --to 2026-11-30 --pay-csv")
def progress(
    database: Path, project_name: str, first: dt.datetime | None, last: dt.datetime | None, zone_name: str, as_pay: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Print how far the work is: days, people, the forecast of the end, time, hours and cost, and work to look at.

    It names people. docs/progress.md defines each number. --json has `annotators`, `reviewers`, `days`, `kinds`,
    `forecast`, `times` (in seconds), `pay` and `worth_a_look`.
    """
    from annotator.usecases.lead.progress import pay_csv, payroll_of

    zone = _zone(zone_name)
    with opened_project(database, project_name) as (store, project):
        until = last.date() if last else store.moment().astimezone(zone).date()
        since = first.date() if first else until - dt.timedelta(days=_PAY_DAYS - 1)
        payroll = payroll_of(store, LOCAL_OPERATOR, project, since, until, zone)
        if as_pay:
            click.echo(pay_csv(payroll), nl=False)
            return
        numbers = _numbers(store, project, payroll, zone)
    respond(as_json, _as_json(numbers), *_lines(numbers))


def _zone(name: str) -> dt.tzinfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidValue(
            f"--time-zone {name}: there is no such zone. Write one such as Europe/Berlin or UTC."
        ) from error


def _numbers(store: Any, project: Any, payroll: "Payroll", zone: dt.tzinfo) -> _Numbers:
    from annotator.usecases.lead.progress import default_bound, flagged_work, work_days, work_progress, work_times

    times = work_times(store, LOCAL_OPERATOR, project)
    return _Numbers(
        work_progress(store, LOCAL_OPERATOR, project),
        work_days(store, LOCAL_OPERATOR, project, zone),
        times,
        payroll,
        flagged_work(store, LOCAL_OPERATOR, project, default_bound(times.everybody.per_token.median)),
    )


def _as_json(numbers: _Numbers) -> dict[str, Any]:
    """Days as ISO dates, amounts as text with two decimals, times in seconds."""
    payroll, rate = numbers.payroll, numbers.payroll.rate
    work = [
        dataclasses.asdict(of_one) | {"hours": of_one.hours, "amount": of_one.amount(rate) if rate else None}
        for of_one in payroll.work
    ]
    answer = {
        "annotators": [dataclasses.asdict(person) for person in numbers.work.annotators],
        "reviewers": [dataclasses.asdict(person) for person in numbers.work.reviewers],
        **dataclasses.asdict(numbers.days),
        "times": dataclasses.asdict(numbers.times),
        "pay": {
            "first": payroll.first, "last": payroll.last, "rate": rate and dataclasses.asdict(rate), "total": payroll.total,
            "work": work,
        },
        "worth_a_look": {
            "seconds_per_token": numbers.listed.seconds_per_token,
            "people": [dataclasses.asdict(person) for person in numbers.listed.people],
        },
    }  # fmt: skip
    return {name: _plain(value) for name, value in answer.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, dt.date):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value


def _lines(numbers: _Numbers) -> Iterator[str]:
    from annotator.usecases.lead.progress import forecast_words

    if numbers.work.pace:
        yield numbers.work.pace
    yield forecast_words(numbers.days.forecast)
    yield "days (submitted, accepted, texts done):"
    for day in numbers.days.days[-_LAST_DAYS:]:
        yield f"  {day.day}  {day.n_submitted:>6,}  {day.n_accepted:>6,}  {day.n_done:>6,}"
    yield from _time_lines(numbers.times)
    yield from _pay_lines(numbers.payroll)
    counts = ", ".join(f"{name} {len(authors):,}" for name, authors in numbers.listed.listed.items())
    yield f"worth a look, for which there are good reasons: {counts} (page Project, Progress)"


def _time_lines(times: "WorkTimes") -> Iterator[str]:
    text, token = times.everybody.per_text, times.everybody.per_token
    if not text.n:
        yield "time: none is known yet."
        return
    yield (
        f"time: median of {duration(text.median)} a text, {written_in_report(token.median)} s a token "
        f"(n = {text.n:,}; pauses of more than {times.idle_after_seconds} s left out)"
    )
    for point in times.everybody.curve:
        yield (
            f"  submissions {point.first:,} to {point.last:,} of a person: {written_in_report(point.seconds.median)} s a token "
            f"(n = {point.seconds.n:,} of {counted(point.n_people, 'person', 'people')})"
        )


def _pay_lines(payroll: "Payroll") -> Iterator[str]:
    rate, total = payroll.rate, payroll.total
    cost = "no rate is stated (page Project, Progress)" if rate is None else f"{total:,.2f} {rate.currency}"
    yield f"hours from {payroll.first} to {payroll.last}: {written_in_report(payroll.hours)}; cost: {cost}"
    for work in payroll.work:
        done = (
            f"{work.n_reviewed:,} reviewed"
            if work.role == "reviewer"
            else f"{work.n_submitted:,} submitted, {work.n_accepted:,} accepted, {work.n_corrected:,} corrected"
        )
        amount = "" if rate is None else f", {work.amount(rate):,.2f} {rate.currency}"
        yield f"  {work.person} ({work.role}): {done}, {written_in_report(work.hours)} hours{amount}"
