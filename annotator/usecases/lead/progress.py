"""How far a project is: states, people, days and the end, times, cost, and work that may be worth a look."""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Literal, get_args

import numpy as np

from annotator.domain.instances import Accepted
from annotator.domain.numbers import by_key, natural_order
from annotator.domain.people import Role, User
from annotator.domain.project.recruitment import PaidWork, PayRate
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.formats.rows.gold_csv import written_csv
from annotator.language import _
from annotator.review.progress import (
    WINDOW_DAYS,
    CurvePoint,
    Forecast,
    Pace,
    Quartiles,
    by_day,
    first_day,
    forecast,
    forecast_words,
    learning_curve,
    pace_words,
    quartiles,
    window_days,
)
from annotator.store import Store
from annotator.store.annotate.annotations import accepted_of, imported_counts
from annotator.store.connection.database import iso
from annotator.store.events import add_event
from annotator.store.people import list_members
from annotator.store.project import work_numbers as work_numbers_store
from annotator.store.project.work_numbers import KindCount, ListedAnnotation
from annotator.store.projects import get_project_by_id, instance_counts, update_project
from annotator.usecases.access.rights import require
from annotator.usecases.project.projects import done_among
from annotator.usecases.review.reviews import review_counts as waiting_counts

__all__ = ["CurvePoint", "KindCount", "ListedAnnotation", "PaidWork", "Quartiles", "forecast_words"]


@dataclass(frozen=True, slots=True)
class AnnotatorProgress:
    """How many of one person's texts stand how; each counts once.

    days_since: whole days since the newest submission; days_since_active: since they last did anything
    """

    name: str
    standings: dict[str, int]
    days_since: int | None
    days_since_active: int | None = None

    @property
    def n_texts(self) -> int:
        return sum(self.standings.values())


@dataclass(frozen=True, slots=True)
class ReviewerProgress:
    """What one person has reviewed, and what waits for them (in hand, or free for them; counted up to a thousand)."""

    name: str
    n_submitted: int
    n_waiting: int
    median_seconds: float | None
    days_since: int | None
    days_since_active: int | None = None


@dataclass(frozen=True, slots=True)
class OtherMember:
    """Somebody whose role is to work, and who has neither annotated nor reviewed yet."""

    name: str
    roles: tuple[Role, ...]
    days_since_active: int | None


@dataclass(frozen=True, slots=True)
class WorkProgress:
    """Everything about people and pace, at one moment."""

    annotators: tuple[AnnotatorProgress, ...]
    reviewers: tuple[ReviewerProgress, ...]
    others: tuple[OtherMember, ...]
    submitted: Pace
    done: Pace

    @property
    def pace(self) -> str:
        """How much is done in a day, in words."""
        return pace_words(self.submitted, self.done)


def work_progress(store: Store, actor: User, project: Project) -> WorkProgress:
    """How far people are."""
    require(store, actor, project.id, "manage project")
    now = store.moment()
    with store.snapshot():
        first = work_numbers_store.first_submission_at(store, project.id)
        n_days = window_days(None if first is None else dt.datetime.fromisoformat(first), now)
        since, until = iso(now - dt.timedelta(days=n_days)), iso(now)
        counts = instance_counts(store, project.id)
        active_at = work_numbers_store.last_activity(store, project.id)
        annotators = _annotators(store, project, active_at, now)
        reviewers = _reviewers(store, project, active_at, now)
        known = {person.name for person in annotators} | {person.name for person in reviewers}
        n_left = sum(n for state, n in counts.items() if state != "queued") - done_among(counts)
        return WorkProgress(
            annotators=annotators,
            reviewers=reviewers,
            others=_others(store, project, known, active_at, now),
            submitted=Pace(work_numbers_store.submissions_between(store, project.id, since, until), n_days, n_left),
            done=Pace(work_numbers_store.finished_between(store, project.id, since, until), n_days, n_left),
        )


@dataclass(slots=True)
class _Counted:
    standings: dict[str, int] = field(default_factory=dict)
    last_at: str | None = None


def _annotators(
    store: Store, project: Project, active_at: Mapping[str, str], now: dt.datetime
) -> tuple[AnnotatorProgress, ...]:
    people: dict[str, _Counted] = defaultdict(_Counted)
    for count in work_numbers_store.standing_counts(store, project.id):
        person = people[count.annotator]
        person.standings[count.standing] = count.n
        person.last_at = _newest(person.last_at, count.last_at)
    return tuple(
        AnnotatorProgress(
            name,
            of_person.standings,
            _days(of_person.last_at, now),
            _days(_newest(active_at.get(name), of_person.last_at), now),
        )
        for name, of_person in sorted(people.items(), key=lambda pair: natural_order(pair[0]))
    )


def _reviewers(
    store: Store, project: Project, active_at: Mapping[str, str], now: dt.datetime
) -> tuple[ReviewerProgress, ...]:
    """Whoever is a reviewer here, and whoever has reviewed: a lead may review, and a reviewer may have left."""
    given = {count.reviewer: count for count in work_numbers_store.review_counts(store, project.id)}
    members = {
        user.name: user
        for user, role in list_members(store, project.id)
        if not user.is_disabled and (role == "reviewer" or user.name in given)
    }
    reviewers = []
    for name in sorted(given.keys() | members.keys(), key=natural_order):
        count = given.get(name)
        waiting = waiting_counts(store, project, members[name]) if name in members else {}
        median_ms = count.median_ms if count else None
        reviewers.append(
            ReviewerProgress(
                name, count.n if count else 0, waiting.get("to_review", 0) + waiting.get("open", 0),
                None if median_ms is None else median_ms / 1000, _days(count.last_at if count else None, now),
                _days(_newest(active_at.get(name), count.last_at if count else None), now),
            )
        )  # fmt: skip
    return tuple(reviewers)


_WORKING: frozenset[Role] = frozenset({"annotator", "reviewer"})


def _others(
    store: Store, project: Project, known: Collection[str], active_at: Mapping[str, str], now: dt.datetime
) -> tuple[OtherMember, ...]:
    roles = by_key(
        (user.name, role)
        for user, role in list_members(store, project.id)
        if user.name not in known and not user.is_disabled and role in _WORKING
    )
    return tuple(
        OtherMember(name, tuple(roles[name]), _days(active_at.get(name), now))
        for name in sorted(roles, key=natural_order)
    )


def _newest(*moments: str | None) -> str | None:
    return max(filter(None, moments), default=None)


def _days(at: str | None, now: dt.datetime) -> int | None:
    return None if at is None else max(0, (now - dt.datetime.fromisoformat(at)).days)


# A project day by day, by kind of text, and when all will be done: what its lead sees as charts.


LATELY_DAYS = 7


@dataclass(frozen=True, slots=True)
class DayCount:
    """One day: pieces of work that were submitted, annotations that were accepted, texts that were done with it."""

    day: dt.date
    n_submitted: int
    n_accepted: int
    n_done: int


@dataclass(frozen=True, slots=True)
class WorkDays:
    """Every day since the first on which something was submitted or decided, and texts by kind and state."""

    days: tuple[DayCount, ...]
    kinds: tuple[KindCount, ...]
    forecast: Forecast


def work_days(store: Store, actor: User, project: Project, zone: dt.tzinfo = dt.UTC) -> WorkDays:
    """The days as a time zone has them, until today."""
    require(store, actor, project.id, "manage project")
    today = store.moment().astimezone(zone).date()
    with store.snapshot():
        submitted = work_numbers_store.submitted_by_quarter(store, project.id)
        accepted = work_numbers_store.accepted_by_quarter(store, project.id)
        finished = work_numbers_store.finished_by_quarter(store, project.id)
        counts = instance_counts(store, project.id)
        kinds = tuple(work_numbers_store.kind_counts(store, project.id))
    first = min(filter(None, (first_day(of_one, zone) for of_one in (submitted, accepted, finished))), default=today)
    per_day = [by_day(of_one, zone, first, today) for of_one in (submitted, accepted, finished)]
    n_left = sum(n for state, n in counts.items() if state != "queued") - done_among(counts)
    days = tuple(DayCount(day, *(of_one[day] for of_one in per_day)) for day in per_day[0])
    return WorkDays(days, kinds, forecast(per_day[2], n_left, today))


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a project is, in few numbers: n_people submitted something in the last seven days."""

    n_done: int
    n_instances: int
    n_people: int
    forecast: Forecast


def standing(store: Store, actor: User, project: Project, zone: dt.tzinfo = dt.UTC) -> Standing:
    """The same forecast as that of work_days, from the days that count in it alone: what was done before is not read."""
    require(store, actor, project.id, "manage project")
    now = store.moment()
    today = now.astimezone(zone).date()
    first = today - dt.timedelta(days=WINDOW_DAYS)
    since = iso(dt.datetime.combine(first, dt.time(), zone).astimezone(dt.UTC))
    with store.snapshot():
        counts = instance_counts(store, project.id)
        finished = work_numbers_store.finished_since(store, project.id, since)
        if not work_numbers_store.began_before(store, project.id, since):
            submitted = work_numbers_store.submitted_since(store, project.id, since)
            first = min(filter(None, (first_day(of_one, zone) for of_one in (submitted, finished))), default=today)
        n_people = work_numbers_store.people_since(store, project.id, iso(now - dt.timedelta(days=LATELY_DAYS)))
    n_done, n_instances = done_among(counts), sum(n for state, n in counts.items() if state != "queued")
    done = by_day(finished, zone, first, today)
    return Standing(n_done, n_instances, n_people, forecast(done, n_instances - n_done, today))


# How long people take for a text and a token, and how that changes with practice.


@dataclass(frozen=True, slots=True)
class PersonTimes:
    """Seconds of working time, pauses left out, over somebody's first submissions; n_unknown: those without a known time."""

    name: str
    per_text: Quartiles
    per_token: Quartiles
    n_unknown: int
    curve: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True)
class WorkTimes:
    """everybody: all submissions together, under the name "". idle_after_seconds: longer pauses do not count."""

    everybody: PersonTimes
    people: tuple[PersonTimes, ...]
    idle_after_seconds: int


def work_times(store: Store, actor: User, project: Project) -> WorkTimes:
    """The times of a project at one moment."""
    require(store, actor, project.id, "manage project")
    by_person: dict[str, list[work_numbers_store.TimedWork]] = defaultdict(list)
    with store.snapshot():
        for work in work_numbers_store.timed_work(store, project.id):
            by_person[work.person].append(work)
    people = tuple(_times(name, by_person[name]) for name in sorted(by_person, key=natural_order))
    everybody = _times("", [work for of_one in by_person.values() for work in of_one])
    return WorkTimes(everybody, people, project.settings.idle_after_seconds)


def _times(name: str, submitted: Sequence[work_numbers_store.TimedWork]) -> PersonTimes:
    known = [work for work in submitted if work.active_ms and work.n_tokens]
    codes: dict[str, int] = {}
    people = np.array([codes.setdefault(work.person, len(codes)) for work in known], dtype=np.int64)
    seconds = np.array([work.active_ms / 1000 for work in known], dtype=np.float64)
    per_token = seconds / np.array([work.n_tokens for work in known], dtype=np.float64)
    positions = np.array([work.position for work in known], dtype=np.int64)
    return PersonTimes(
        name, quartiles(seconds), quartiles(per_token), len(submitted) - len(known),
        learning_curve(positions, people, per_token),
    )  # fmt: skip


# Which annotations may be worth a look: counts by person that lead to lists. Each has good reasons; none is a finding.


Filter = Literal["quick", "nothing marked", "everything marked", "other label"]
FILTERS: tuple[Filter, ...] = get_args(Filter)
_SHARE_OF_MEDIAN = 0.25


@dataclass(frozen=True, slots=True)
class FilterCounts:
    """Of somebody's annotations that stand now, how many each filter lists."""

    person: str
    n: int
    counts: Mapping[Filter, int]


@dataclass(frozen=True, slots=True)
class ListedWork:
    """What each filter lists, the newest first. seconds_per_token: the bound of "quick"; None: no time is known."""

    seconds_per_token: float | None
    listed: Mapping[Filter, work_numbers_store.Authors]
    people: tuple[FilterCounts, ...]

    def ids(self, name: Filter, person: str | None = None) -> list[int]:
        """The annotations that a filter lists, of one person or of all."""
        return [number for number, author in self.listed[name].items() if person in (None, author)]


def default_bound(median_seconds_per_token: float | None) -> float | None:
    """Below which time a token a submission is listed as quick, unless the lead says another: a quarter of the median.

    In a project whose people are alike nothing lies below it, where a percentile would always list somebody.
    """
    return None if median_seconds_per_token is None else _SHARE_OF_MEDIAN * median_seconds_per_token


def flagged_work(store: Store, actor: User, project: Project, seconds_per_token: float | None) -> ListedWork:
    """Every filter over a project; texts that the actor has in hand are left out."""
    require(store, actor, project.id, "manage project")
    require(store, actor, project.id, "see all annotations")
    if seconds_per_token is not None and not 0 <= seconds_per_token < float("inf"):
        raise InvalidValue(_("Bounds can't be {seconds} seconds per token.", seconds=seconds_per_token))
    viewer, number = actor.id, project.id
    has_sets = project.settings.result_mode != "labels_only"
    with store.snapshot():
        listed: dict[Filter, work_numbers_store.Authors] = {
            "quick": work_numbers_store.quick_annotations(store, number, viewer, 1000 * (seconds_per_token or 0)),
            "nothing marked": work_numbers_store.empty_annotations(store, number, viewer) if has_sets else {},
            "everything marked": work_numbers_store.full_annotations(store, number, viewer) if has_sets else {},
            "other label": work_numbers_store.other_results(store, number, viewer),
        }
        totals = work_numbers_store.standing_counts_of(store, number, viewer)
    by_filter = {name: Counter(authors.values()) for name, authors in listed.items()}
    people = tuple(
        FilterCounts(person, totals[person], {name: by_filter[name][person] for name in FILTERS})
        for person in sorted(totals, key=natural_order)
    )
    return ListedWork(seconds_per_token, listed, people)


def page_of(store: Store, actor: User, project: Project, annotation_ids: Sequence[int]) -> list[ListedAnnotation]:
    """What a list shows of some of them."""
    require(store, actor, project.id, "see all annotations")
    return work_numbers_store.listed_annotations(store, project.id, annotation_ids)


# What work costs at a rate that the lead states, and a table to pay by.


_HEADS = (
    "person", "role", "from", "to", "submitted", "accepted", "corrected", "reviewed", "tokens submitted", "tokens accepted",
    "tokens reviewed", "active hours", "time unknown", "rate", "per", "amount", "currency",
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
        raise InvalidValue(_("The last day {last} is before the first, {first}.", last=last, first=first))
    since, until = (iso(dt.datetime.combine(day, dt.time(), zone)) for day in (first, last + dt.timedelta(days=1)))
    with store.snapshot():
        return Payroll(
            first, last, tuple(work_numbers_store.paid_work(store, project.id, since, until)), project.settings.pay_rate
        )


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


def imported_annotations(store: Store, actor: User, project: Project) -> dict[str, int]:
    """How many annotations came with files, by the name of their annotator."""
    require(store, actor, project.id, "manage project")
    return imported_counts(store, project.id)


def accepted_annotations(store: Store, actor: User, project: Project) -> Accepted:
    """On how many texts one or several accepted annotations are there."""
    require(store, actor, project.id, "export")
    return accepted_of(store, project.id)
