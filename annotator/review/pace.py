"""How much is done in a day; when all will be done is told by forecast.py."""

import datetime as dt
from dataclasses import dataclass

from annotator.language import several

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
    14 submissions a day and 12 texts done a day over the last 5 days.
    """
    if not done.n_left or done.per_day is None or submitted.per_day is None:
        return ""
    number, text_number = _rate(submitted.per_day), _rate(done.per_day)
    return several(
        "{submissions} and {texts} over the last day.",
        "{submissions} and {texts} over the last {n} days.",
        done.n_days,
        submissions=several("{n} submission a day", "{n} submissions a day", 1 if number == "1" else 2, n=number),
        texts=several("{n} text done a day", "{n} texts done a day", 1 if text_number == "1" else 2, n=text_number),
    )


def _rate(per_day: float) -> str:
    return f"{per_day:,.0f}" if per_day >= 10 or per_day == round(per_day) else f"{per_day:.1f}"
