"""Intervals of failure rates: published values, what they are over, and that they hold as often as they say."""

import numpy as np
import pytest

from annotator.metrics.significance import FEWEST_TESTS, rate_bounds, rate_difference


def cases(n_failed: int, n: int) -> np.ndarray:
    return np.array([1.0] * n_failed + [0.0] * (n - n_failed))


@pytest.mark.parametrize(
    ("n_failed", "n", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_one_test_has_wilsons_interval(n_failed: int, n: int, low: float, high: float) -> None:
    """Newcombe 1998, Two-sided confidence intervals for the single proportion, Table I, method 3."""
    bounds = rate_bounds([cases(n_failed, n)])
    assert bounds is not None
    assert (round(bounds.low, 4), round(bounds.high, 4), bounds.unit) == (low, high, "cases")


def test_none_and_all_reach_the_end_and_mirror_each_other() -> None:
    none, everything = rate_bounds([cases(0, 12)]), rate_bounds([cases(12, 12)])
    assert none is not None
    assert everything is not None
    assert (none.low, everything.high) == (0.0, 1.0)
    assert none.high == pytest.approx(1 - everything.low)


def test_cases_that_are_not_judged_do_not_count() -> None:
    judged = cases(2, 10)
    with_others = np.concatenate([judged, np.full(30, np.nan)])
    assert rate_bounds([with_others]) == rate_bounds([judged])
    assert rate_bounds([np.full(3, np.nan)]) is None
    assert rate_bounds([]) is None


def test_a_difference_of_two_is_that_of_agresti_and_min() -> None:
    """Of 50 cases 12 fail with the first alone and 5 with the second alone, by hand: n' 52, d' −7/52."""
    first, second = cases(12, 50), np.roll(cases(5, 50), 20)
    found = rate_difference([first], [second])
    centre, n = -7 / 52, 52
    half = 1.959964 * np.sqrt((18 / n - centre**2) / n)
    assert found.value == pytest.approx(-0.14)
    assert found.bounds is not None
    assert (found.bounds.low, found.bounds.high) == (pytest.approx(centre - half), pytest.approx(centre + half))
    assert (found.n, found.word) == (50, "not told")


def test_two_that_never_differ_still_have_an_interval() -> None:
    found = rate_difference([cases(3, 40)], [cases(3, 40)])
    assert found.value == 0
    assert found.bounds is not None
    assert found.bounds.low < 0 < found.bounds.high


def test_the_other_way_round_the_difference_is_the_same_with_the_other_sign() -> None:
    one, two = rate_difference([cases(30, 40)], [cases(3, 40)]), rate_difference([cases(3, 40)], [cases(30, 40)])
    assert (one.word, two.word) == ("less", "more")
    assert one.bounds is not None
    assert two.bounds is not None
    assert (one.bounds.low, one.bounds.high) == (pytest.approx(-two.bounds.high), pytest.approx(-two.bounds.low))


def test_of_few_cases_nothing_is_said() -> None:
    assert rate_difference([cases(0, 19)], [cases(19, 19)]).word == "too few"
    assert rate_difference([cases(0, 20)], [cases(20, 20)]).word == "more"
    assert rate_difference([np.array([np.nan])], [np.array([1.0])]).value is None


def test_many_tests_together_are_over_tests_and_few_are_over_cases() -> None:
    """Half of the tests fail whole: over cases that is sure, over tests it is not."""
    tests = [cases(50 * (number % 2), 50) for number in range(FEWEST_TESTS)]
    many, few = rate_bounds(tests), rate_bounds(tests[:-1])
    assert many is not None
    assert few is not None
    assert (many.unit, few.unit) == ("tests", "cases")
    assert many.high - many.low > 3 * (few.high - few.low)
    found = rate_difference([cases(0, 50)] * FEWEST_TESTS, tests)
    assert found.bounds is not None
    assert found.bounds.unit == "tests"


def test_tests_that_all_have_one_rate_are_no_surer_than_their_cases() -> None:
    many, few = rate_bounds([cases(0, 10)] * FEWEST_TESTS), rate_bounds([cases(0, 10 * FEWEST_TESTS)])
    assert many is not None
    assert few is not None
    assert (many.low, many.high) == (few.low, few.high)


def test_over_tests_the_interval_holds_the_rate_of_all_such_tests_about_as_often_as_it_says() -> None:
    """Seventeen tests of fifty cases, their own rates drawn around a quarter; over cases it would hold in less than half."""
    draw = np.random.default_rng(1)
    n_held = n_held_over_cases = 0
    for _ in range(300):
        tests = [(draw.random(50) < rate).astype(np.float64) for rate in draw.beta(1, 3, 17)]
        bounds, over_cases = rate_bounds(tests), rate_bounds([np.concatenate(tests)])
        assert bounds is not None
        assert over_cases is not None
        n_held += bounds.low <= 0.25 <= bounds.high
        n_held_over_cases += over_cases.low <= 0.25 <= over_cases.high
    assert n_held / 300 > 0.9
    assert n_held_over_cases / 300 < 0.6
