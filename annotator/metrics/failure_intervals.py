"""How sure a failure rate is, and a difference of two: over other cases of the same tests, or over other tests like these.

Cases that templates make are alike, and so are those of one test. An interval over cases speaks of further cases made in the
same way, no more; of many tests together it is the tests that count as drawn, each with all of its cases.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from annotator.metrics.chance import FEWEST
from annotator.metrics.ragged import Floats

FEWEST_TESTS = 10  # of fewer nothing is said of other tests
_Z = 1.959964  # two-sided 5 %

Unit = Literal["cases", "tests"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """A 95 % interval; unit: what it was drawn over."""

    low: float
    high: float
    unit: Unit


@dataclass(frozen=True, slots=True)
class RateDifference:
    """How much more often a second model fails than a first one, over the n cases that both are judged on.

    value, bounds: None of no case
    """

    value: float | None
    n: int
    bounds: Bounds | None

    @property
    def word(self) -> Literal["more", "less", "not told", "too few"]:
        """Whether the interval lies above or below 0; of fewer than twenty cases nothing is said."""
        if self.n < FEWEST or self.bounds is None:
            return "too few"
        return "more" if self.bounds.low > 0 else "less" if self.bounds.high < 0 else "not told"


def rate_bounds(tests: Sequence[Floats]) -> Bounds | None:
    """Of the failing cases among those judged; None of no case.

    tests:  of each test float[n_cases], the share of runs in which a case fails, NaN where it is not judged
    Source: Wilson 1927 over cases, which also holds where none or all fail (Brown, Cai and DasGupta 2001). Of runs with several
            seeds each case counts once with its mean, so that it is wide enough. Of ten tests and more over tests, as a
            sample of clusters, and no narrower than over cases
    >>> bounds = rate_bounds([np.zeros(10)])
    >>> bounds.low, round(bounds.high, 4), bounds.unit
    (0.0, 0.2775, 'cases')
    """
    judged = _judged(tests)
    values = np.concatenate(judged) if judged else np.empty(0)
    if not len(values):
        return None
    over_cases = wilson(float(values.mean()), len(values))
    return _no_narrower(_over_tests(judged), over_cases, 0.0) if len(judged) >= FEWEST_TESTS else over_cases


def wilson(rate: float, n: int) -> Bounds:
    """The 95 % interval of a share of n that were drawn at random.

    Source: Wilson 1927; also holds where none or all are counted (Brown, Cai and DasGupta 2001)
    >>> [round(bound, 4) for bound in (wilson(0.95, 100).low, wilson(0.95, 100).high)]
    [0.8882, 0.9785]
    """
    centre = (rate + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z * sqrt(rate * (1 - rate) / n + _Z**2 / (4 * n**2)) / (1 + _Z**2 / n)
    return Bounds(0.0 if rate == 0 else centre - half, 1.0 if rate == 1 else centre + half, "cases")


def rate_difference(first: Sequence[Floats], second: Sequence[Floats]) -> RateDifference:
    """The second's rate minus the first's, over the same cases.

    first, second: as of `rate_bounds`, of the same tests
    Source: Agresti and Min 2005 over cases (half a case is added to each way in which two answers can be right or wrong, so that
            there is an interval also where they never differ). Of ten tests and more: as of `rate_bounds`
    >>> found = rate_difference([np.array([1.0, 1, 0, 0] * 10)], [np.array([0.0, 1, 0, 0] * 10)])
    >>> found.value, found.word
    (-0.25, 'less')
    """
    differences = _judged([b - a for a, b in zip(first, second, strict=True)])
    values = np.concatenate(differences) if differences else np.empty(0)
    n = len(values)
    if not n:
        return RateDifference(None, 0, None)
    centre = float(values.sum()) / (n + 2)
    half = _Z * sqrt(max(0.0, (float(np.square(values).sum()) + 1) / (n + 2) - centre**2) / (n + 2))
    bounds = Bounds(max(-1.0, centre - half), min(1.0, centre + half), "cases")
    if len(differences) >= FEWEST_TESTS:
        bounds = _no_narrower(_over_tests(differences), bounds, -1.0)
    return RateDifference(float(values.mean()), n, bounds)


def _judged(tests: Sequence[Floats]) -> list[Floats]:
    """Of each test the cases that are judged; tests without any are left out."""
    judged = [values[~np.isnan(values)] for values in tests]
    return [values for values in judged if len(values)]


def _no_narrower(over_tests: tuple[float, float], over_cases: Bounds, lowest: float) -> Bounds:
    """Tests that all have one rate say nothing of how their cases scatter."""
    low, high = min(over_tests[0], over_cases.low), max(over_tests[1], over_cases.high)
    return Bounds(max(lowest, low), min(1.0, high), "tests")


def _over_tests(tests: Sequence[Floats]) -> tuple[float, float]:
    """Of the mean over cases, were the tests a draw of tests: each adds what its cases lie off the mean, all together.

    Source: the ratio estimate of a sample of clusters (Cochran 1977, section 11.8), with t for one test less than there are
    """
    sums, counts = (np.array([of(values) for values in tests], dtype=np.float64) for of in (np.sum, len))
    n = len(tests)
    mean = float(sums.sum() / counts.sum())
    half = _t(n - 1) * sqrt(n / (n - 1) * float(np.square(sums - mean * counts).sum())) / float(counts.sum())
    return mean - half, mean + half


def _t(freedom: int) -> float:
    """The two-sided 5 % point of Student's t, by its expansion (Fisher and Cornish), which is exact to .001 from 9 on.

    >>> [round(_t(freedom), 2) for freedom in (9, 16, 1000)]
    [2.26, 2.12, 1.96]
    """
    first = (_Z**3 + _Z) / 4
    second = (5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / 96
    return _Z + first / freedom + second / freedom**2
