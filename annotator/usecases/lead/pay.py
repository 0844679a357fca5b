"""What work costs at a rate that the lead states, and a table to pay by."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from annotator.domain.people import User
from annotator.domain.project.recruitment import PaidWork, PayRate
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.formats.rows.gold_csv import written_csv
from annotator.language import _
from annotator.store import Store
from annotator.store.connection.database import iso
from annotator.store.events import add_event
from annotator.store.project.work_numbers import paid_work
from annotator.store.projects import get_project_by_id, update_project
from annotator.usecases.access.rights import require

__all__ = ["PaidWork", "PayRate", "Payroll", "pay_csv", "payroll_of", "remember_rate"]

_HEADS = (
    "person", "role", "from", "to", "submitted", "accepted", "corrected", "reviewed", "tokens submitted", "tokens accepted",
    "tokens reviewed", "active hours", "time not known", "rate", "per", "amount", "currency",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Payroll:
    """Who did what from a day to a day, both included; rate: None while none is stated."""

    first: dt.date
    last: dt.date
    work: tuple[PaidWork, ...]
    rate: PayRate | None

    @property
    def hours(self) -> float:
        return sum(of_one.hours for of_one in self.work)

    @property
    def total(self) -> Decimal | None:
        """The sum of the amounts as they are paid, each to the hundredth."""
        return None if self.rate is None else sum((of_one.amount(self.rate) for of_one in self.work), Decimal(0))


def payroll_of(
    store: Store, actor: User, project: Project, first: dt.date, last: dt.date, zone: dt.tzinfo = dt.UTC
) -> Payroll:
    """The work of some days, as a time zone has them, at the project's rate."""
    require(store, actor, project.id, "manage project")
    if last < first:
        raise InvalidValue(
            _("The last day, {last}, is before the first, {first}. Choose one that is not.", last=last, first=first)
        )
    since, until = (iso(dt.datetime.combine(day, dt.time(), zone)) for day in (first, last + dt.timedelta(days=1)))
    with store.snapshot():
        return Payroll(first, last, tuple(paid_work(store, project.id, since, until)), project.settings.pay_rate)


def remember_rate(store: Store, actor: User, project: Project, rate: PayRate | None) -> Project:
    """Keep the rate with the project; None forgets it."""
    with store.transaction():
        require(store, actor, project.id, "manage project")
        stored = get_project_by_id(store, project.id)
        if stored.settings.pay_rate == rate:
            return stored
        changed = replace(stored, settings=replace(stored.settings, pay_rate=rate))
        update_project(store, changed)
        add_event(
            store, actor.name, "change", "project", project.id, project_id=project.id, changed=["settings"],
            settings=["pay_rate"],
        )  # fmt: skip
    return changed


def pay_csv(payroll: Payroll) -> str:
    """A line for each person and role; who did nothing in these days has none."""
    return written_csv(_HEADS, [_line(payroll, of_one) for of_one in payroll.work])


def _line(payroll: Payroll, work: PaidWork) -> Sequence[object]:
    rate = payroll.rate
    price = None if rate is None else rate.annotating if work.role == "annotator" else rate.reviewing
    return (
        work.person, work.role, payroll.first.isoformat(), payroll.last.isoformat(), work.n_submitted, work.n_accepted,
        work.n_corrected, work.n_reviewed, work.tokens_submitted, work.tokens_accepted, work.tokens_reviewed,
        f"{work.hours:.4f}", work.n_untimed, price, rate and rate.unit, rate and work.amount(rate), rate and rate.currency,
    )  # fmt: skip
