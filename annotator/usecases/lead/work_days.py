"""A project day by day, by kind of text, and when all will be done: what its lead sees as charts."""

import datetime as dt
from dataclasses import dataclass

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.review.progress import WINDOW_DAYS, Forecast, by_day, first_day, forecast, forecast_words
from annotator.store import Store
from annotator.store.connection.database import iso
from annotator.store.project.work_numbers import (
    KindCount,
    accepted_by_quarter,
    began_before,
    finished_by_quarter,
    finished_since,
    kind_counts,
    people_since,
    submitted_by_quarter,
    submitted_since,
)
from annotator.store.projects import instance_counts
from annotator.usecases.access.rights import require
from annotator.usecases.project.projects import done_among

__all__ = [
    "LATELY_DAYS",
    "DayCount",
    "Forecast",
    "KindCount",
    "Standing",
    "WorkDays",
    "forecast_words",
    "standing",
    "work_days",
]

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
        submitted = submitted_by_quarter(store, project.id)
        accepted = accepted_by_quarter(store, project.id)
        finished = finished_by_quarter(store, project.id)
        counts = instance_counts(store, project.id)
        kinds = tuple(kind_counts(store, project.id))
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
        finished = finished_since(store, project.id, since)
        if not began_before(store, project.id, since):
            submitted = submitted_since(store, project.id, since)
            first = min(filter(None, (first_day(of_one, zone) for of_one in (submitted, finished))), default=today)
        n_people = people_since(store, project.id, iso(now - dt.timedelta(days=LATELY_DAYS)))
    n_done, n_instances = done_among(counts), sum(n for state, n in counts.items() if state != "queued")
    done = by_day(finished, zone, first, today)
    return Standing(n_done, n_instances, n_people, forecast(done, n_instances - n_done, today))
