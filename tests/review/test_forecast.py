"""When all texts will be done: dates with their uncertainty, and no date where none can be told."""

import datetime as dt
import math
from collections.abc import Sequence

import numpy as np
import pytest

from annotator.review.progress import (
    FEWEST_DAYS,
    QUARTER_SECONDS,
    Forecast,
    Reason,
    by_day,
    days_until,
    forecast,
    forecast_words,
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
