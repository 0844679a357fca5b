"""Work by calendar day, from counts by quarters of an hour, which every time zone's days are made of."""

import datetime as dt
from collections.abc import Mapping

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
