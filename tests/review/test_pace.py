"""How much is done in a day, and when a lead is told that all will be done."""

import datetime as dt

import pytest

from annotator.review.pace import Pace, pace_words, window_days

NOW = dt.datetime(2026, 3, 9, 12, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("done", "days_left"),
    [
        (Pace(60, 5, 108), 9),  # 12 a day
        (Pace(60, 5, 109), 10),  # the last day is begun
        (Pace(60, 5, 0), 0),
        (Pace(24, 2, 108), None),  # two days are too few
        (Pace(4, 7, 108), None),  # four texts are too few
        (Pace(0, 7, 108), None),
        (Pace(0, 0, 108), None),
    ],
)
def test_when_all_will_be_done_is_only_told_where_enough_days_and_texts_say_it(
    done: Pace, days_left: int | None
) -> None:
    assert done.days_left == days_left


@pytest.mark.parametrize(
    ("submitted", "done", "said"),
    [
        (
            Pace(64, 5, 0),
            Pace(60, 5, 108),
            "13 submissions a day and 12 texts done a day over the last 5 days; 108 texts are left: about 9 more days at this "
            "pace.",
        ),
        (
            Pace(7, 7, 0),
            Pace(7, 7, 70),
            "1 submission a day and 1 text done a day over the last 7 days; 70 texts are left: about 10 more weeks at this pace.",
        ),
        (
            Pace(9, 2, 0),
            Pace(3, 2, 1),
            "4.5 submissions a day and 1.5 texts done a day over the last 2 days; 1 text is left. When they will be done can be "
            "said 3 days after the first submission.",
        ),
        (
            Pace(2, 7, 0),
            Pace(0, 7, 30),
            "0.3 submissions a day and 0 texts done a day over the last 7 days; 30 texts are left. That is too little to say when "
            "they will be done.",
        ),
        (
            Pace(0, 0, 0),
            Pace(0, 0, 30),
            "30 texts are left. How much is done in a day can be said a day after the first submission.",
        ),
        (Pace(64, 5, 0), Pace(60, 5, 0), "No text is left."),
    ],
)
def test_the_pace_is_told_with_its_basis(submitted: Pace, done: Pace, said: str) -> None:
    assert pace_words(submitted, done) == said


def test_a_first_submission_in_the_future_makes_no_window() -> None:
    assert window_days(NOW + dt.timedelta(days=2), NOW) == 0
