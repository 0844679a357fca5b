"""Verdicts against chance: what is said of which differences, of how many instances, and in which words."""

import numpy as np
import pytest

from annotator.errors import InvalidValue
from annotator.metrics.aggregate import bootstrap, bootstrap_many, paired_bootstrap
from annotator.metrics.significance import Verdict, beside, sentence, short


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
            "not better than random on this gold (−0.070 [−0.100, −0.030], n 312)",
        ),
        (
            Verdict("not told", 120, 0.01, -0.02, 0.04, 2183),
            "no clear difference from random on this gold (+0.010 [−0.020, +0.040], n 120; about 2,200 instances would show a difference of 0.01)",
        ),
        (Verdict("too few", 12, 0.3), "too few to say (n 12)"),
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
        short(Verdict("not told", 50, 0.0, -0.1, 0.1), "always saying “yes”")
        == "no clear difference from always saying “yes”"
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
