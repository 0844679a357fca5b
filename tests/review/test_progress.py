"""When all texts will be done, how much is done in a day, and how long it takes."""

import datetime as dt
import math
from collections.abc import Sequence

import numpy as np
import pytest

from annotator.review.progress import (
    FEWEST_DAYS,
    QUARTER_SECONDS,
    CurvePoint,
    Forecast,
    Pace,
    Quartiles,
    Reason,
    by_day,
    days_until,
    forecast,
    forecast_words,
    learning_curve,
    pace_words,
    quartiles,
    window_days,
)

TODAY = dt.date(2026, 11, 23)  # a Monday


def past(*counts: int, until: dt.date = TODAY) -> dict[dt.date, int]:
    """What was done on the days before today, the last one yesterday."""
    return {until - dt.timedelta(days=len(counts) - number): n for number, n in enumerate(counts)}


def test_the_ends_are_those_of_a_prediction_interval_computed_by_hand() -> None:
    # Ten days of 0 and 20 by turns: m = 10, s² = 1000/9, t(9) = 1.833, t²s² = 373.32. T² (100 − 37.332) − T (2·200·10 + 373.32)
    # + 200² = 0, so T = (4373.32 ∓ √(4373.32² − 4·62.668·40000)) / 125.336
    root = math.sqrt(4373.32**2 - 4 * 62.668 * 40000)
    by_hand = (4373.32 - root) / 125.336, (4373.32 + root) / 125.336
    assert days_until([0, 20] * 5, 200) == pytest.approx(by_hand, rel=1e-4)
    assert by_hand == pytest.approx((10.83, 58.95), abs=0.01)


def test_equal_days_are_taken_to_differ_as_chance_makes_counts_differ() -> None:
    # m = s² = 16, n = 14, t(13) = 1.771, t²s² = 50.183: T² (256 − 3.5845) − T (2·320·16 + 50.183) + 320² = 0
    root = math.sqrt(10290.183**2 - 4 * 252.4155 * 102400)
    by_hand = (10290.183 - root) / 504.831, (10290.183 + root) / 504.831
    assert days_until([16] * 14, 320) == pytest.approx(by_hand, rel=1e-4)


@pytest.mark.parametrize("per_day", [3, 8, 30])
def test_nine_of_ten_projects_end_within_their_interval(per_day: int) -> None:
    draw = np.random.default_rng(per_day)
    n_within = sum(_ends_within(draw, per_day) for _ in range(1000))
    assert n_within >= 900


def _ends_within(draw: np.random.Generator, per_day: int) -> bool:
    """Whether a project whose days are drawn from one Poisson distribution ends as its first ten days let expect."""
    n_left = 20 * per_day
    fewest, most = days_until(draw.poisson(per_day, 10).tolist(), n_left)
    took = int(np.searchsorted(np.cumsum(draw.poisson(per_day, 200)), n_left)) + 1
    return math.ceil(fewest) <= took and (most is None or took <= math.ceil(most))


def test_weekends_without_work_stay_free_and_today_is_not_over() -> None:
    week = (10, 10, 10, 10, 10, 0, 0)  # Monday to Sunday
    of_two_weeks = forecast(past(*week, *week) | {TODAY: 3}, 100, TODAY)
    fewest, most = days_until([10] * 10, 100)
    assert (math.ceil(fewest), math.ceil(most or 0)) == (8, 14)
    # The eighth working day, today the first of them, is Wednesday week; the fourteenth from tomorrow on is a Friday.
    assert of_two_weeks == Forecast("dates", 100, 10, 10, dt.date(2026, 12, 2), dt.date(2026, 12, 11))


@pytest.mark.parametrize(
    ("counts", "n_left", "reason"),
    [
        ((5, 5, 5, 5), 100, "too few days"),
        ((), 100, "too few days"),
        ((0, 0, 0), 100, "too few days"),
        ((9, 9, 9, 9, 9, 9, 9, 0, 0, 0, 0, 0, 0, 0), 100, "nothing lately"),
        ((50, 40, *[0] * 20), 100, "nothing lately"),
        ((9, 9, 9, 9, 9), 0, "nothing left"),
        ((1, 1, 1, 1, 1), 100_000, "too far"),
        ((1, 1, 1, 1, 900, 1, 1), 5_000, "too uneven"),
    ],
)
def test_no_date_is_told_where_none_can_be(counts: Sequence[int], n_left: int, reason: Reason) -> None:
    answer = forecast(past(*counts), n_left, TODAY)
    assert (answer.reason, answer.latest) == (reason, None)
    assert (answer.earliest is None) == (reason != "too uneven")
    assert " between " not in forecast_words(answer)


def test_a_pace_that_came_to_rest_more_than_two_weeks_ago_is_no_pace() -> None:
    counts = past(*[20] * FEWEST_DAYS, until=TODAY - dt.timedelta(days=30))
    days = dict.fromkeys(past(*[0] * 40), 0) | counts
    assert forecast(dict(sorted(days.items())), 100, TODAY).reason == "nothing lately"


def test_days_are_those_of_the_time_zone_and_days_without_work_are_zero() -> None:
    late = dt.datetime(2026, 11, 20, 23, 45, tzinfo=dt.UTC)
    counts = {int(late.timestamp()) // QUARTER_SECONDS: 2}
    first, last = dt.date(2026, 11, 19), dt.date(2026, 11, 22)
    in_kathmandu = by_day(counts, dt.timezone(dt.timedelta(hours=5, minutes=45)), first, last)
    assert list(by_day(counts, dt.UTC, first, last).values()) == [0, 2, 0, 0]
    assert list(in_kathmandu.values()) == [0, 0, 2, 0]


# How much is done in a day, as a lead is told it.

NOW = dt.datetime(2026, 3, 9, 12, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("submitted", "done", "said"),
    [
        (Pace(64, 5, 0), Pace(60, 5, 108), "13 submissions per day and 12 texts done per day over the last 5 days."),
        (Pace(7, 7, 0), Pace(7, 7, 70), "1 submission per day and 1 text done per day over the last 7 days."),
        (Pace(9, 2, 0), Pace(3, 2, 1), "4.5 submissions per day and 1.5 texts done per day over the last 2 days."),
        (Pace(2, 7, 0), Pace(0, 7, 30), "0.3 submissions per day and 0 texts done per day over the last 7 days."),
        (Pace(0, 0, 0), Pace(0, 0, 30), ""),
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


# Quartiles of working time and the curve of practice, against values that were computed by hand.


def test_of_no_values_there_is_no_quartile_and_of_one_all_are_it() -> None:
    assert quartiles(np.array([])) == Quartiles(0)
    assert quartiles(np.array([4.0])) == Quartiles(1, 4.0, 4.0, 4.0)


def test_the_median_is_not_moved_by_one_who_left_the_text_open() -> None:
    assert quartiles(np.array([20.0, 22.0, 24.0, 26.0, 9000.0])).median == 24.0


def test_a_point_of_the_curve_is_of_everybodys_submissions_in_one_stretch() -> None:
    # Ada submits twelve texts, Ben two; Ada's seconds per token fall from 2 to 1 after her tenth.
    positions = np.array([*range(1, 13), 1, 2])
    people = np.array([0] * 12 + [1] * 2)
    seconds = np.array([2.0] * 10 + [1.0] * 2 + [4.0, 4.0])
    assert learning_curve(positions, people, seconds) == (
        CurvePoint(1, 10, 2, Quartiles(12, 2.0, 2.0, 2.0)),
        CurvePoint(11, 12, 1, Quartiles(2, 1.0, 1.0, 1.0)),
    )


def test_stretches_in_which_nobodys_time_is_known_are_left_out() -> None:
    [point] = learning_curve(np.array([15]), np.array([0]), np.array([1.5]))
    assert (point.first, point.last) == (11, 15)
