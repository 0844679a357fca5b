"""When all texts will be done if the days to come are like the last ones, with its uncertainty.

The days that count are the last 14 whole days, without the days of the week on which nothing was done in all of them: those
are taken to stay free. What the next T of such days bring, in sum, has the mean T·m and the variance s²·(T + T²/n), where m and
s² are mean and variance of the n days: the days differ, and so may their mean from the true one. The interval holds the T at
which that sum may reach what is left, by Student's t with n − 1 degrees of freedom. Days are taken to differ at least as much as
chance makes counts differ (s² ≥ m, Poisson), so that a few equal days promise nothing.
"""

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from annotator.domain.numbers import counted
from annotator.language import _, several, together, written_day

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
    90 texts are left. At the pace of the last 10 working days all are done between 3 December 2026 and 9 December 2026 (90 %).
    """
    if forecast.reason == "nothing left":
        return _("No text is left.")
    left = several("{n} text is left.", "{n} texts are left.", forecast.n_left)
    return together(left, _when_words(forecast))


def _when_words(forecast: Forecast) -> str:
    """When all will be done."""
    days = counted(forecast.n_days, "working day")
    earliest = "" if forecast.earliest is None else written_day(forecast.earliest)
    latest = "" if forecast.latest is None else written_day(forecast.latest)
    match forecast.reason:
        case "nothing lately":
            return _("None was done in the last {n} days, so it cannot be told when all will be done.", n=LATELY_DAYS)
        case "too few days":
            return _("A forecast appears after {n} working days.", n=FEWEST_DAYS)
        case "too far":
            return _("At the pace of the last {days} all are done in more than five years.", days=days)
        case "too uneven":
            return _(
                "At the pace of the last {days} all are done on {earliest} at the earliest; these days differ too much to say "
                "when at the latest.",
                days=days,
                earliest=earliest,
            )
    if earliest == latest:
        return _("At the pace of the last {days} all are done on {earliest} (90 %).", days=days, earliest=earliest)
    return _(
        "At the pace of the last {days} all are done between {earliest} and {latest} (90 %).",
        days=days,
        earliest=earliest,
        latest=latest,
    )
