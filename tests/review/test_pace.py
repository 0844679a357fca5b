"""How much is done in a day, as a lead is told it."""

import datetime as dt

import pytest

from annotator.review.progress import Pace, pace_words, window_days

NOW = dt.datetime(2026, 3, 9, 12, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("submitted", "done", "said"),
    [
        (
            Pace(64, 5, 0),
            Pace(60, 5, 108),
            "13 submissions a day and 12 texts done a day over the last 5 days.",
        ),
        (
            Pace(7, 7, 0),
            Pace(7, 7, 70),
            "1 submission a day and 1 text done a day over the last 7 days.",
        ),
        (
            Pace(9, 2, 0),
            Pace(3, 2, 1),
            "4.5 submissions a day and 1.5 texts done a day over the last 2 days.",
        ),
        (
            Pace(2, 7, 0),
            Pace(0, 7, 30),
            "0.3 submissions a day and 0 texts done a day over the last 7 days.",
        ),
        (
            Pace(0, 0, 0),
            Pace(0, 0, 30),
            "",
        ),
        (Pace(64, 5, 0), Pace(60, 5, 0), ""),
    ],
)
def test_the_pace_is_told_with_its_basis(submitted: Pace, done: Pace, said: str) -> None:
    assert pace_words(submitted, done) == said


def test_a_first_submission_in_the_future_makes_no_window() -> None:
    assert window_days(NOW + dt.timedelta(days=2), NOW) == 0


def test_the_pace_is_that_of_a_day_at_whatever_hour_one_looks() -> None:
    """By hand: one submission an hour from 9 to 16 o'clock, eight a day, from Monday on; looked at each half hour for ten days.

    Whole days of 24 hours hold whole rhythms of work and rest, so the beginning that fits into none is left out: counted from
    the first submission on it would be 15 in 31 hours on Tuesday at 16 o'clock, 11.6 a day; as of two days begun, 9 in 2 at 10.
    """
    monday = dt.datetime(2026, 3, 2, 9, tzinfo=dt.UTC)
    submitted = [monday + dt.timedelta(days=day, hours=hour) for day in range(11) for hour in range(8)]
    for half_hours in range(48, 480):
        now = monday + dt.timedelta(minutes=30 * half_hours)
        n_days = window_days(monday, now)
        n = sum(now - dt.timedelta(days=n_days) < at <= now for at in submitted)
        assert Pace(n, n_days, 0).per_day == 8
