"""How much is done in a day; when all will be done is told by forecast.py."""

import datetime as dt
from dataclasses import dataclass

from annotator.domain.numbers import counted
from annotator.language import _, several

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

    >>> day = dt.datetime(2026, 3, 2, 12)
    >>> [window_days(day - dt.timedelta(hours=hours), day) for hours in (-1, 23, 24, 100, 9999)], window_days(None, day)
    ([0, 0, 1, 4, 7], 0)
    """
    return 0 if began is None else max(0, min(LONGEST_WINDOW, (now - began).days))


def pace_words(submitted: Pace, done: Pace) -> str:
    """What a lead reads: how much is submitted and done in a day, and what is left, with its basis.

    >>> print(pace_words(Pace(70, 5, 0), Pace(60, 5, 100)))
    14 submissions a day and 12 texts done a day over the last 5 days; 100 texts are left.
    """
    if not done.n_left:
        return _("No text is left.")
    left = counted(done.n_left, "text is left", "texts are left")
    if done.per_day is None or submitted.per_day is None:
        return _("{left}. How much is done in a day can be said a day after the first submission.", left=left)
    n, rate = _rate(submitted)
    submissions = several("{n} submission a day", "{n} submissions a day", n, n=rate)
    n, rate = _rate(done)
    return _(
        "{submissions} and {texts} done a day over {days}; {left}.",
        submissions=submissions,
        texts=several("{n} text", "{n} texts", n, n=rate),
        days=several("the last day", "the last {n} days", done.n_days),
        left=left,
    )


def _rate(pace: Pace) -> tuple[int, str]:
    """How many a day: as a number that chooses the noun's form, and as it is written."""
    per_day = pace.n / pace.n_days
    written = f"{per_day:,.0f}" if per_day >= 10 or per_day == round(per_day) else f"{per_day:.1f}"
    return (1 if written == "1" else 2), written
