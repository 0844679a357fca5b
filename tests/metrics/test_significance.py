"""Sign flips against trying all signs and against a binomial, and Holm's correction by hand."""

from itertools import product
from math import comb

import numpy as np
import pytest

from annotator.errors import InvalidValue
from annotator.metrics.aggregate import bootstrap, bootstrap_many, paired_bootstrap
from annotator.metrics.significance import (
    FEWEST_TESTS,
    Verdict,
    beside,
    holm,
    rate_bounds,
    rate_difference,
    sentence,
    short,
    sign_flips,
    sign_flips_many,
)


@pytest.mark.parametrize("differences", [[0.1, 0.2, 0.3], [0.5, -0.5, 0.25, 0.25], [1, 1, 1, -1, 0, 0], [0.1] * 6])
def test_few_differences_are_tried_with_all_signs(differences: list[float]) -> None:
    mean = abs(sum(differences))
    all_signs = list(product((-1, 1), repeat=len(differences)))
    far = sum(abs(float(np.dot(signs, differences))) >= mean - 1e-9 for signs in all_signs)
    assert sign_flips(np.array(differences, dtype=np.float64)) == pytest.approx(far / len(all_signs))


def test_many_equal_differences_are_drawn_as_a_binomial() -> None:
    differences = np.array([1.0] * 60 + [-1.0] * 40 + [0.0] * 900)
    exact = 2 * sum(comb(100, k) for k in range(41)) / 2**100
    assert sign_flips(differences) == pytest.approx(exact, abs=0.008)


def test_differences_that_all_differ_are_drawn_one_by_one_and_no_draw_is_never_p_0() -> None:
    assert sign_flips(np.linspace(0.1, 0.2, 40)) == 1 / 10_000
    even = sign_flips(np.linspace(-0.2, 0.2, 40))
    assert even is not None
    assert even > 0.99


def test_nothing_to_compare_has_no_p_and_equal_rows_have_1() -> None:
    assert sign_flips(np.array([np.nan])) is None
    assert sign_flips(np.zeros(30)) == 1.0
    assert sign_flips(np.array([0.1, 0.2, 0.3, np.nan])) == 0.25


def test_holm_multiplies_the_smallest_by_all_and_never_falls() -> None:
    assert holm([0.01, 0.02, 0.03, 0.04]) == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert holm([0.6, 0.001, 0.5]) == pytest.approx([1.0, 0.003, 1.0])
    assert holm([]) == []


def test_differences_of_distinct_sizes_are_drawn_as_all_their_signs_would_be_counted() -> None:
    """The sizes 1 to 30: how many of the 2^30 signs give which sum is counted size by size."""
    counts = np.ones(1)
    for size in range(1, 31):
        counts = np.convolve(counts, np.eye(2 * size + 1)[[0, -1]].sum(axis=0))
    sums = np.arange(len(counts)) - len(counts) // 2
    differences = np.array([size if size % 3 else -size for size in range(1, 31)], dtype=np.float64)
    exact = counts[np.abs(sums) >= abs(differences.sum())].sum() / 2**30
    assert 0.05 < exact < 0.2
    assert sign_flips(differences) == pytest.approx(exact, abs=0.012)


def test_several_comparisons_over_the_same_texts_have_the_p_of_each_by_itself() -> None:
    draw = np.random.default_rng(3)
    many = np.column_stack(
        [draw.normal(shift, 1, 200) for shift in (0.0, 0.1, 0.3)]  # all of different sizes: they share their draws
        + [draw.integers(-1, 2, 200), np.r_[0.1, 0.2, 0.3, np.zeros(197)], np.full(200, np.nan)]
    )
    many[:50, 0] = np.nan  # a comparison over fewer of the texts
    p_values = sign_flips_many(many)
    alone = [sign_flips(of_one) for of_one in many.T]
    assert p_values[:3] == pytest.approx(alone[:3], abs=0.02)
    assert p_values[3:] == alone[3:]
    assert sign_flips_many(many[:, :1]) == p_values[:1]  # whatever else is compared


# Verdicts against chance: what is said of which differences, of how many instances, and in which words.


def drawn(mean: float, n: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(mean, 0.2, n)


@pytest.mark.parametrize(
    ("mean", "n", "word"),
    [
        (0.2, 100, "better"),
        (-0.2, 100, "not better"),
        (0.0, 100, "not told"),
        (0.2, 20, "better"),  # from twenty on something is said
        (0.2, 19, "too few"),
    ],
)
def test_the_word_follows_from_the_interval_and_from_how_many_there_are(mean: float, n: int, word: str) -> None:
    values, null = drawn(0.5 + mean, n), np.full(n, 0.5)
    [verdict] = beside([(values, null)], "higher is better")
    assert verdict is not None
    assert (verdict.word, verdict.n) == (word, n)


def test_the_interval_is_the_paired_bootstraps_over_instances() -> None:
    values, null = drawn(0.6, 60), drawn(0.5, 60, seed=1)
    [verdict] = beside([(values, null)], "higher is better")
    interval = paired_bootstrap(values, null)
    assert verdict is not None
    assert interval is not None
    assert (verdict.low, verdict.high) == (
        pytest.approx(interval.low, abs=1e-12),
        pytest.approx(interval.high, abs=1e-12),
    )
    assert verdict.difference == pytest.approx((values - null).mean())


def test_of_a_loss_the_sign_is_turned_and_where_no_direction_is_better_nothing_is_said() -> None:
    values, null = drawn(0.3, 40), np.full(40, 0.5)
    [of_loss], [of_gain] = (beside([(values, null)], way) for way in ("lower is better", "higher is better"))
    assert of_loss is not None
    assert of_gain is not None
    assert (of_loss.word, of_gain.word) == ("better", "not better")
    assert of_loss.difference == pytest.approx(-of_gain.difference)
    assert beside([(values, null)], "neither") == [None]


def test_instances_that_lack_one_of_the_two_or_are_infinite_are_left_out() -> None:
    values, null = drawn(0.7, 60), np.full(60, 0.5)
    values[:10], null[10:20], values[20:25], null[20:25] = np.nan, np.nan, np.inf, np.inf
    [verdict] = beside([(values, null)], "lower is better")
    assert verdict is not None
    assert verdict.n == 35
    assert beside([(np.full(5, np.nan), np.zeros(5))], "higher is better") == [None]


def test_where_nothing_is_told_it_is_said_how_many_would_tell_a_hundredth() -> None:
    """s = .3: (2.8016 × .3 / .01)² = 7,064.1."""
    differences = np.tile([0.3, -0.3], 50) * np.sqrt(99 / 100)  # standard deviation .3 with n − 1
    [verdict] = beside([(differences, np.zeros(100))], "higher is better")
    assert verdict is not None
    assert (verdict.word, verdict.needed) == ("not told", 7065)
    [equal] = beside([(np.ones(30), np.ones(30))], "higher is better")
    assert equal is not None
    assert (equal.word, equal.difference, equal.needed) == ("not told", 0.0, None)


@pytest.mark.parametrize(
    ("verdict", "words"),
    [
        (Verdict("better", 312, 0.07, 0.03, 0.10), "better than random on this gold (+0.070 [+0.030, +0.100], n 312)"),
        (
            Verdict("not better", 312, -0.07, -0.10, -0.03),
            "worse than random on this gold (−0.070 [−0.100, −0.030], n 312)",
        ),
        (
            Verdict("not told", 120, 0.01, -0.02, 0.04, 2183),
            "no clear difference from random on this gold (+0.010 [−0.020, +0.040], n 120; a difference of "
            "0.01 needs about 2,200 instances)",
        ),
        (Verdict("too few", 12, 0.3), "too few to tell (n 12)"),
        (
            Verdict("better", 1312, 0.0123, 0.0041, 0.02),
            "better than random on this gold (+0.012 [+0.004, +0.020], n 1,312)",
        ),
    ],
)
def test_what_is_said(verdict: Verdict, words: str) -> None:
    assert sentence(verdict) == words


def test_the_null_is_named() -> None:
    assert (
        short(Verdict("not told", 50, 0.0, -0.1, 0.1), "always predicting “yes”")
        == "no clear difference from always predicting “yes”"
    )


def test_many_intervals_are_those_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [drawn(0.1, 50), drawn(0.2, 50, 1), drawn(0.3, 30, 2), np.array([1.0]), np.array([]), drawn(0.4, 5000, 3)]
    rows[0][:20] = np.nan  # as many values as the third
    for found, values in zip(bootstrap_many(rows), rows, strict=True):
        alone = bootstrap(values)
        assert (found is None) == (alone is None)
        if found is not None and alone is not None:
            assert (found.low, found.high) == (
                pytest.approx(alone.low, abs=1e-12),
                pytest.approx(alone.high, abs=1e-12),
            )
    with pytest.raises(InvalidValue, match="infinite value has no interval"):
        bootstrap_many([np.array([1.0, np.inf])])


# Intervals of failure rates: published values, what they are over, and that they hold as often as they say.


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
