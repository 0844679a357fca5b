"""How much is done in a day, when all will be done, work by calendar day, and how long a text takes."""

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
import numpy.typing as npt

from annotator.domain.numbers import counted
from annotator.language import _, several, together, written_day

LONGEST_WINDOW = 7


@dataclass(frozen=True, slots=True)
class Pace:
    """n things were done in the last n_days days (each of 24 hours), n_left are left."""

    n: int
    n_days: int
    n_left: int

    @property
    def per_day(self) -> float | None:
        """How many a day; None before the first whole day is over."""
        return self.n / self.n_days if self.n_days else None


def window_days(began: dt.datetime | None, now: dt.datetime) -> int:
    """Over how many of the last days a pace can be given: whole days since the work began, at most seven (so: one weekend).

    What was done in the hours before these is left out: people work by day, and only whole days hold as much rest as work.

    >>> day = dt.datetime(2026, 3, 2, 12)
    >>> [window_days(day - dt.timedelta(hours=hours), day) for hours in (-1, 23, 24, 100, 9999)], window_days(None, day)
    ([0, 0, 1, 4, 7], 0)
    """
    return 0 if began is None else max(0, min(LONGEST_WINDOW, (now - began).days))


def pace_words(submitted: Pace, done: Pace) -> str:
    """What a lead reads: how much is submitted and done in a day, with its basis; "" where it cannot be said yet, or no more.

    >>> print(pace_words(Pace(70, 5, 0), Pace(60, 5, 100)))
    14 submissions per day and 12 texts done per day over the last 5 days.
    """
    if not done.n_left or done.per_day is None or submitted.per_day is None:
        return ""
    number, text_number = _rate(submitted.per_day), _rate(done.per_day)
    return several(
        "{submissions} and {texts} over the last day.",
        "{submissions} and {texts} over the last {n} days.",
        done.n_days,
        submissions=several("{n} submission per day", "{n} submissions per day", 1 if number == "1" else 2, n=number),
        texts=several("{n} text done per day", "{n} texts done per day", 1 if text_number == "1" else 2, n=text_number),
    )


def _rate(per_day: float) -> str:
    return f"{per_day:,.0f}" if per_day >= 10 or per_day == round(per_day) else f"{per_day:.1f}"


# When all texts will be done if the days to come are like the last ones, with its uncertainty.


Reason = Literal["dates", "nothing left", "too few days", "nothing lately", "too far", "too uneven"]

WINDOW_DAYS = 14
FEWEST_DAYS = 5  # on which something was done
LATELY_DAYS = 7
LONGEST_DAYS = 5 * 365
# Student's t at 95 %, by degrees of freedom: 5 % lie beyond either end.
_T = {4: 2.132, 5: 2.015, 6: 1.943, 7: 1.895, 8: 1.860, 9: 1.833, 10: 1.812, 11: 1.796, 12: 1.782, 13: 1.771}


@dataclass(frozen=True, slots=True)
class Forecast:
    """The days between which all will be done, in 90 of 100 such cases, or why they cannot be told.

    n_days, per_day: how many days count, and what was done on one of them in the mean
    earliest:        None where no date can be told; latest: None where only the earliest can
    """

    reason: Reason
    n_left: int
    n_days: int = 0
    per_day: float = 0
    earliest: dt.date | None = None
    latest: dt.date | None = None


def forecast(done: Mapping[dt.date, int], n_left: int, today: dt.date) -> Forecast:
    """From what was done by day: every day since the first, those without anything as 0, in their order."""
    if not n_left:
        return Forecast("nothing left", 0)
    past = [(day, n) for day, n in done.items() if day < today][-WINDOW_DAYS:]
    if not any(n for day, n in past if (today - day).days <= LATELY_DAYS):
        is_new = sum(n for _day, n in past) == 0 and len(past) < LATELY_DAYS
        return Forecast("too few days" if is_new else "nothing lately", n_left)
    working = frozenset(day.weekday() for day, n in past if n)
    counts = [n for day, n in past if day.weekday() in working]
    per_day = sum(counts) / len(counts)
    if sum(n > 0 for n in counts) < FEWEST_DAYS:
        return Forecast("too few days", n_left, len(counts), per_day)
    fewest, most = days_until(counts, n_left)
    earliest = _day_after(today - dt.timedelta(days=1), math.ceil(fewest), working)
    if earliest is None:
        return Forecast("too far", n_left, len(counts), per_day)
    latest = None if most is None else _day_after(today, math.ceil(most), working)
    return Forecast("too uneven" if latest is None else "dates", n_left, len(counts), per_day, earliest, latest)


def days_until(counts: Sequence[int], n_left: int) -> tuple[float, float | None]:
    """How many more days like these it takes until so much more is done: the ends of a prediction interval of 90 %.

    The ends solve (T·m − n_left)² = t²·s²·(T + T²/n). None: the days differ so much that there is no upper end.

    >>> [round(days, 2) for days in days_until([8, 12] * 5, 100)]        # s² = 4.44 is below the mean 10, which counts
    [7.83, 13.21]
    """
    n, mean = len(counts), sum(counts) / len(counts)
    variance = max(mean, sum((count - mean) ** 2 for count in counts) / (n - 1))
    spread = _T[n - 1] ** 2 * variance
    square, line = mean**2 - spread / n, 2 * n_left * mean + spread
    root = math.sqrt(line**2 - 4 * square * n_left**2)
    return 2 * n_left**2 / (line + root), (line + root) / (2 * square) if square > 0 else None


def _day_after(day: dt.date, n_days: int, working: frozenset[int]) -> dt.date | None:
    """The n-th day after a day that is no free one; None where it is too far away."""
    whole_weeks = max(0, (n_days - 1) // len(working))
    if whole_weeks * 7 > LONGEST_DAYS:
        return None
    day += dt.timedelta(days=7 * whole_weeks)
    for _n in range(n_days - whole_weeks * len(working)):
        day += dt.timedelta(days=1)
        while day.weekday() not in working:
            day += dt.timedelta(days=1)
    return day


def forecast_words(forecast: Forecast) -> str:
    """What a lead reads: how many texts are left, and when all will be done.

    >>> print(forecast_words(Forecast("dates", 90, 10, 9.5, dt.date(2026, 12, 3), dt.date(2026, 12, 9))))
    90 texts left. Forecast: 3 December 2026 to 9 December 2026 (90 %, finished texts of the last 10 working days).
    """
    if forecast.reason == "nothing left":
        return _("No texts left.")
    left = several("{n} text left.", "{n} texts left.", forecast.n_left)
    return together(left, _when_words(forecast))


def _when_words(forecast: Forecast) -> str:
    """When all will be done."""
    days = counted(forecast.n_days, "working day")
    earliest = "" if forecast.earliest is None else written_day(forecast.earliest)
    latest = "" if forecast.latest is None else written_day(forecast.latest)
    match forecast.reason:
        case "nothing lately":
            return _("No forecast: none done in {n} days.", n=LATELY_DAYS)
        case "too few days":
            return _("A forecast appears after {n} days with finished texts.", n=FEWEST_DAYS)
        case "too far":
            return _("Forecast: over five years (finished texts of the last {days}).", days=days)
        case "too uneven":
            return _(
                "Forecast: {earliest} at the earliest (the last {days} vary too much).", days=days, earliest=earliest
            )
    if earliest == latest:
        return _("Forecast: {earliest} (90 %, finished texts of the last {days}).", days=days, earliest=earliest)
    return _(
        "Forecast: {earliest} to {latest} (90 %, finished texts of the last {days}).",
        days=days,
        earliest=earliest,
        latest=latest,
    )


# Work by calendar day, from counts by quarters of an hour, which every time zone's days are made of.


QUARTER_SECONDS = 900

QuarterCounts = Mapping[int, int]  # how much was done in the n-th quarter of an hour since 1970


def by_day(counts: QuarterCounts, zone: dt.tzinfo, first: dt.date, last: dt.date) -> dict[dt.date, int]:
    """How much was done on each day from the first to the last, as the zone has its days; 0 where there was nothing.

    >>> at = int(dt.datetime(2026, 3, 2, 23, 30, tzinfo=dt.UTC).timestamp()) // QUARTER_SECONDS
    >>> berlin = dt.timezone(dt.timedelta(hours=1))
    >>> [n for n in by_day({at: 4}, berlin, dt.date(2026, 3, 2), dt.date(2026, 3, 4)).values()]
    [0, 4, 0]
    """
    days = {first + dt.timedelta(days=number): 0 for number in range((last - first).days + 1)}
    for quarter, n in counts.items():
        day = day_of(quarter, zone)
        if day in days:
            days[day] += n
    return days


def day_of(quarter: int, zone: dt.tzinfo) -> dt.date:
    """The day in which a quarter of an hour lies."""
    return dt.datetime.fromtimestamp(quarter * QUARTER_SECONDS, zone).date()


def first_day(counts: QuarterCounts, zone: dt.tzinfo) -> dt.date | None:
    """The first day on which anything was done."""
    return day_of(min(counts), zone) if counts else None


# How long a text and a token take: quartiles, and how the time changes with practice.


Seconds = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]

# The first, the second .. ten submissions; later ones in longer stretches, so that a curve has few points that say much.
_LAST_POSITIONS = (10, 20, 30, 40, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000)


@dataclass(frozen=True, slots=True)
class Quartiles:
    """A quarter of n values lies below `lower`, a half below `median`, three quarters below `upper`; None of none.

    Between two values they are interpolated (Hyndman and Fan 1996, type 7).
    """

    n: int
    lower: float | None = None
    median: float | None = None
    upper: float | None = None


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """The time per token over the submissions first .. last of each of n_people people."""

    first: int
    last: int
    n_people: int
    seconds: Quartiles


def quartiles(values: Seconds) -> Quartiles:
    """Of some values.

    >>> quartiles(np.array([1.0, 2.0, 3.0, 10.0]))
    Quartiles(n=4, lower=1.75, median=2.5, upper=4.75)
    """
    if not len(values):
        return Quartiles(0)
    lower, median, upper = np.percentile(values, (25, 50, 75)).tolist()
    return Quartiles(len(values), lower, median, upper)


def learning_curve(positions: Positions, people: Positions, per_token: Seconds) -> tuple[CurvePoint, ...]:
    """From stretch to stretch of everybody's submissions.

    Shapes: each [n submissions]: the how-manieth of its person it is, from 1; whose it is; seconds per token
    """
    points = []
    highest = int(positions.max(initial=0))
    for first, last in _stretches(highest):
        is_within = (first <= positions) & (positions <= last)
        if is_within.any():
            n_people = len(np.unique(people[is_within]))
            points.append(CurvePoint(first, min(last, highest), n_people, quartiles(per_token[is_within])))
    return tuple(points)


def _stretches(highest: int) -> Sequence[tuple[int, int]]:
    """First and last positions, until all submissions are in one.

    >>> _stretches(25), _stretches(20_000)[-2:]
    ([(1, 10), (11, 20), (21, 30)], [(5001, 10000), (10001, 20000)])
    """
    lasts = [last for last in _LAST_POSITIONS if last < highest]
    rest = [last for last in (*_LAST_POSITIONS, max(highest, _LAST_POSITIONS[-1])) if last >= highest][:1]
    borders = [0, *lasts, *rest]
    return [(before + 1, last) for before, last in pairwise(borders)] if highest else []
