"""Whether a difference may be chance: over the same texts, beside a null, of failure rates, and where a table shows many."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import ceil, sqrt
from typing import Literal

import numpy as np

from annotator.domain.numbers import signed
from annotator.language import _, unsaid
from annotator.metrics.aggregate import Interval, bootstrap_many
from annotator.metrics.definitions import Direction
from annotator.metrics.ragged import Floats, Integers

_EXACT = 12  # differences that are not 0; up to so many all signs are tried
_N_DRAWS = 9_999
_FEW_SIZES = 64  # different sizes of differences; up to so many a comparison by itself costs nothing
_ROUNDING = 1e-12
_AT_ONCE = 2_000_000


def sign_flips(differences: Floats, *, seed: int = 0) -> float | None:
    """The two-sided p value of a mean difference, were the sign of each difference as likely; None of nothing.

    Up to 12 differences other than 0 all signs are tried, else 9,999 are drawn, those of equal differences together.

    differences: float[n], independent of each other: of texts, each with its mean over runs; or of originals, each with the
                 sum over its changed versions. NaN is left out
    Source:      the paired randomisation test (Noreen 1989), as sacreBLEU's approximate randomisation
    >>> sign_flips(np.array([0.1, 0.2, 0.3])), sign_flips(np.zeros(5)), sign_flips(np.array([]))
    (0.25, 1.0, None)
    """
    sizes, counts = np.unique(np.abs(differences[~np.isnan(differences)]).round(12), return_counts=True)
    if not len(sizes):
        return None
    sizes, counts = sizes[sizes > 0], counts[sizes > 0]
    least = abs(float(np.nansum(differences))) - _ROUNDING * max(1, int(counts.sum()))
    if counts.sum() <= _EXACT:
        of_all = np.repeat(sizes, counts)
        sums = np.array([np.dot(signs, of_all) for signs in product((-1.0, 1.0), repeat=len(of_all))])
        return float((np.abs(sums) >= least).mean())
    draw = np.random.default_rng(seed)
    at_once = max(1, _AT_ONCE // len(sizes))
    n_far = 0
    for first in range(0, _N_DRAWS, at_once):
        n_far += int((np.abs(_drawn_sums(draw, sizes, counts, min(at_once, _N_DRAWS - first))) >= least).sum())
    return (1 + n_far) / (1 + _N_DRAWS)


def _drawn_sums(draw: np.random.Generator, sizes: Floats, counts: Integers, n_draws: int) -> Floats:
    """float[n_draws]: sums with signs drawn; a size that one difference has takes a bit, others a binomial."""
    is_alone = counts == 1
    alone, shared, n_shared = sizes[is_alone], sizes[~is_alone], counts[~is_alone]
    is_plus = _drawn_bits(draw, n_draws, len(alone))
    n_plus = draw.binomial(n_shared, 0.5, size=(n_draws, len(shared)))
    sums: Floats = 2 * (is_plus @ alone) - alone.sum() + (2 * n_plus - n_shared) @ shared
    return sums


def sign_flips_many(many: Floats, *, seed: int = 0) -> list[float | None]:
    """The same of several comparisons over the same texts, which share their draws, so that many cost little more than one.

    Those with few different sizes have their own.
    Shapes: many float[n_texts, n_comparisons], NaN where there is no difference
    >>> sign_flips_many(np.array([[0.1, np.nan], [0.2, np.nan], [0.3, np.nan]]))
    [0.25, None]
    """
    values: Floats = np.nan_to_num(many)
    n_sizes = [len(np.unique(np.abs(of_one).round(12))) for of_one in values.T]
    pooled = [at for at, n in enumerate(n_sizes) if n > _FEW_SIZES]
    p_values: list[float | None] = [
        None if at in pooled else sign_flips(many[:, at], seed=seed) for at in range(many.shape[1])
    ]
    chosen, draw = values[:, pooled], np.random.default_rng(seed)
    least = np.abs(chosen.sum(axis=0)) - _ROUNDING * len(chosen)
    at_once = max(1, _AT_ONCE // max(1, len(chosen)))
    n_far = np.zeros(len(pooled), dtype=np.int64)
    for first in range(0, _N_DRAWS if pooled else 0, at_once):
        is_plus = _drawn_bits(draw, min(at_once, _N_DRAWS - first), len(chosen))
        n_far += (np.abs(2 * (is_plus @ chosen) - chosen.sum(axis=0)) >= least).sum(axis=0)
    for at, n in zip(pooled, n_far.tolist(), strict=True):
        p_values[at] = (1 + n) / (1 + _N_DRAWS)
    return p_values


def _drawn_bits(draw: np.random.Generator, n_draws: int, n: int) -> Floats:
    """float[n_draws, n]: 0 or 1, each as likely."""
    drawn = np.frombuffer(draw.bytes(n_draws * -(-n // 8)), dtype=np.uint8).reshape(n_draws, -1)
    return np.unpackbits(drawn, axis=1, count=n).astype(np.float64)


def holm(p_values: Sequence[float]) -> list[float]:
    """Each p value corrected for how many comparisons are shown, so that any false one is as unlikely as a single one.

    p̃ of the i-th smallest of m: the largest of min(1, (m − j + 1) p_j) for j up to i
    Source: Holm 1979
    >>> [round(p, 9) for p in holm([0.04, 0.01, 0.03, 0.02])]
    [0.06, 0.04, 0.06, 0.06]
    """
    m, highest = len(p_values), 0.0
    corrected = [0.0] * m
    for rank, at in enumerate(sorted(range(m), key=p_values.__getitem__)):
        highest = max(highest, min(1.0, (m - rank) * p_values[at]))
        corrected[at] = highest
    return corrected


# Whether a number means something: a method beside a null (chance), over the instances for which both have a value.


RANDOM = unsaid("random")
FEWEST = 20  # instances; below, nothing is said
_TOLD = 0.01  # the difference for which it is said how many instances would tell it
_Z = 2.8016  # two-sided 5 %, power 80 %: z(0.975) + z(0.8)

Word = Literal["better", "not better", "not told", "too few"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """A number beside its null.

    difference: mean of value − null over n instances, the sign turned where lower is better: above 0 is better
    low, high:  its 95 % interval; None of fewer than two
    needed:     how many instances would tell a difference of 0.01, where nothing is told
    """

    word: Word
    n: int
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    needed: int | None = None


def beside(pairs: Sequence[tuple[Floats, Floats]], direction: Direction) -> list[Verdict | None]:
    """Whether values are better than their null; None where no direction is better, or nothing can be compared.

    "better": the whole interval (percentiles, 1,000 draws, seed 0) lies above 0; "not better": below it; "not told": neither.
    Shapes: pairs of values and null, float[n] each, of the same instances, NaN where there is none
    >>> values, null = np.tile([0.5, 0.7], 15), np.full(30, 0.4)
    >>> [verdict] = beside([(values, null)], "higher is better")
    >>> verdict.word, verdict.n, round(verdict.difference, 9)
    ('better', 30, 0.2)
    >>> beside([(values, null)], "lower is better")[0].word
    'not better'
    """
    if direction == "neither":
        return [None] * len(pairs)
    sign = 1.0 if direction == "higher is better" else -1.0
    with np.errstate(invalid="ignore"):  # a loss may be infinite in both
        differences = [sign * (values - null) for values, null in pairs]
    defined = [of_pair[np.isfinite(of_pair)] for of_pair in differences]
    return [_verdict(of_pair, interval) for of_pair, interval in zip(defined, bootstrap_many(defined), strict=True)]


def _verdict(differences: Floats, interval: Interval | None) -> Verdict | None:
    n = len(differences)
    if not n:
        return None
    mean = float(differences.mean())
    if n < FEWEST or interval is None:
        return Verdict("too few", n, mean)
    figures = (n, mean, interval.low, interval.high)
    if interval.low > 0:
        return Verdict("better", *figures)
    if interval.high < 0:
        return Verdict("not better", *figures)
    return Verdict("not told", *figures, needed=_needed(float(differences.std(ddof=1))))


def _needed(deviation: float) -> int | None:
    """How many instances would tell .01 of differences that deviate so; None where they do not.

    >>> _needed(0.3)
    7065
    """
    return ceil((_Z * deviation / _TOLD) ** 2 - 1e-9) or None


def sentence(verdict: Verdict, null: str = RANDOM) -> str:
    """In words, with the difference and its interval.

    >>> sentence(Verdict("not better", 312, -0.07, -0.1, -0.03))
    'worse than random on this gold (−0.070 [−0.100, −0.030], n 312)'
    >>> sentence(Verdict("too few", 12, 0.1))
    'too few to tell (n 12)'
    """
    figures = difference(verdict)
    if not figures:
        return _("too few to tell (n {n})", n=verdict.n)
    if verdict.needed is None:
        return _(
            "{verdict} on this gold ({difference}, n {n})",
            verdict=short(verdict, null), difference=figures[0], n=f"{verdict.n:,}"
        )  # fmt: skip
    return _(
        "{verdict} on this gold ({difference}, n {n}; a difference of {told} needs about {needed} instances)",
        verdict=short(verdict, null), difference=figures[0], n=f"{verdict.n:,}", needed=f"{_rounded(verdict.needed):,}",
        told=_TOLD
    )  # fmt: skip


def difference(verdict: Verdict) -> list[str]:
    """The difference with its interval; [] where there are too few to say anything.

    >>> difference(Verdict("better", 312, 0.07, 0.03, 0.1))
    ['+0.070 [+0.030, +0.100]']
    """
    if verdict.difference is None or verdict.low is None or verdict.high is None:
        return []
    mean, low, high = (signed(number) for number in (verdict.difference, verdict.low, verdict.high))
    return [f"{mean} [{low}, {high}]"]


def short(verdict: Verdict, null: str = RANDOM) -> str:
    """In a few words, without numbers."""
    return word_in_words(verdict.word, _(null))


def word_in_words(word: Word, null: str) -> str:
    """Beside a null that is named in the reader's language."""
    match word:
        case "too few":
            return _("too few to tell")
        case "not told":
            return _("no clear difference from {null}", null=null)
        case "better":
            return _("better than {null}", null=null)
        case "not better":
            return _("worse than {null}", null=null)


def _rounded(number: int) -> int:
    """To two digits that count.

    >>> _rounded(2183)
    2200
    """
    return int(float(f"{number:.2g}"))


# How sure a failure rate is, and a difference of two: over other cases of the same tests, or over other tests like these.


FEWEST_TESTS = 10  # of fewer nothing is said of other tests
_Z95 = 1.959964  # two-sided 5 %

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
    centre = (rate + _Z95**2 / (2 * n)) / (1 + _Z95**2 / n)
    half = _Z95 * sqrt(rate * (1 - rate) / n + _Z95**2 / (4 * n**2)) / (1 + _Z95**2 / n)
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
    half = _Z95 * sqrt(max(0.0, (float(np.square(values).sum()) + 1) / (n + 2) - centre**2) / (n + 2))
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
    first = (_Z95**3 + _Z95) / 4
    second = (5 * _Z95**5 + 16 * _Z95**3 + 3 * _Z95) / 96
    return _Z95 + first / freedom + second / freedom**2
