"""A project day by day, by kind of text, and when all will be done: what its lead sees as charts."""

import datetime as dt
from dataclasses import dataclass

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.review.forecast import Forecast, forecast, forecast_words
from annotator.review.work_days import by_day, first_day
from annotator.store import Store
from annotator.store.project.work_numbers import (
    KindCount,
    accepted_by_quarter,
    finished_by_quarter,
    kind_counts,
    submitted_by_quarter,
)
from annotator.store.projects import instance_counts
from annotator.usecases.access.rights import require
from annotator.usecases.project.projects import done_among

__all__ = ["DayCount", "Forecast", "KindCount", "WorkDays", "forecast_words", "work_days"]


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
