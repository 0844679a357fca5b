"""From a value for each instance to one number: the mean with its count, what was left out, and a bootstrap interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotator.errors import InvalidValue
from annotator.metrics.ragged import Floats

_AT_ONCE = 2_000_000  # drawn instances that are held in memory together
_FEW = 4_000  # up to so many instances each draw is made; beyond, draws of nearly equal values are made together
_N_GROUPS = 256


@dataclass(frozen=True, slots=True)
class Aggregate:
    """A mean over instances. value: None of none; n_left_out: instances for which the metric is not defined (NaN)."""

    value: float | None
    n: int
    n_left_out: int


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap interval (percentiles) of a mean, or of the difference of two means."""

    low: float
    high: float
    level: float
    n_resamples: int
    seed: int


LEVEL, SEED = 0.95, 0  # of every interval that does not say otherwise


@dataclass(frozen=True, slots=True)
class OverSeeds:
    """A number over several seeds. mean: None of none; deviation: with divisor n − 1, None of fewer than two."""

    mean: float | None
    deviation: float | None
    n_seeds: int
    n_left_out: int


def mean_of(values: Floats) -> Aggregate:
    """The mean over the instances for which there is a value.

    values: float[n_instances], NaN where the metric is not defined
    >>> mean_of(np.array([1.0, np.nan, 0.0]))
    Aggregate(value=0.5, n=2, n_left_out=1)
    """
    is_there = ~np.isnan(values)
    n = int(is_there.sum())
    return Aggregate(float(values[is_there].mean()) if n else None, n, len(values) - n)


def over_seeds(values: Floats) -> OverSeeds:
    """Mean and standard deviation of one number for each seed, NaN left out.

    values: float[n_seeds]
    Source: the divisor is that of ER-TEST's scripts/metrics.py
    >>> over_seeds(np.array([1.0, 2.0, 3.0, np.nan]))
    OverSeeds(mean=2.0, deviation=1.0, n_seeds=3, n_left_out=1)
    """
    defined = values[~np.isnan(values)]
    n = len(defined)
    deviation = float(defined.std(ddof=1)) if n > 1 else None
    return OverSeeds(float(defined.mean()) if n else None, deviation, n, len(values) - n)


def least_squares(x: Floats, y: Floats) -> tuple[float, float] | None:
    """Slope of the line through points, and R², the share of the variance of y that it accounts for; None where x is constant.

    R² of a constant y is 0: there is nothing to account for.
    >>> least_squares(np.array([0.0, 1.0, 2.0]), np.array([1.0, 0.0, -1.0]))
    (-1.0, 1.0)
    """
    dx, dy = x - x.mean(), y - y.mean()
    if not dx.any():
        return None
    slope = float((dx * dy).sum() / np.square(dx).sum())
    whole = float(np.square(dy).sum())
    return slope, 1 - float(np.square(dy - slope * dx).sum()) / whole if whole else 0.0


def bootstrap(values: Floats, *, n_resamples: int = 1000, level: float = LEVEL, seed: int = SEED) -> Interval | None:
    """A percentile interval of the mean over instances, NaN left out; None for fewer than two.

    Up to 4,000 instances every draw is made. Beyond, instances of nearly equal value (256 equal steps between the
    lowest and the highest) are drawn together: how often each step is drawn is multinomial, and what its instances
    spread around their mean is added as a normal deviate of that variance. So the cost does not grow with the draws.
    Source:    Efron and Tibshirani 1993, chapter 13; the drawing by steps is ours
    Raises:    InvalidValue for an infinite value, a level outside of (0, 1) or no resamples
    """
    defined = values[~np.isnan(values)]
    _check(defined, n_resamples, level)
    if len(defined) < 2:
        return None
    draw = np.random.default_rng(seed)
    drawn = _means_of_draws if len(defined) <= _FEW else _means_by_steps
    low, high = np.quantile(drawn(defined, n_resamples, draw), [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level, n_resamples, seed)


def bootstrap_many(
    many: Sequence[Floats], *, n_resamples: int = 1000, level: float = 0.95, seed: int = 0
) -> list[Interval | None]:
    """The interval of each; numbers over equally many instances share their draws, so that many cost little more than one."""
    defined = [values[~np.isnan(values)] for values in many]
    intervals: list[Interval | None] = [None] * len(many)
    by_size: dict[int, list[int]] = {}
    for row, values in enumerate(defined):
        _check(values, n_resamples, level)
        if len(values) > _FEW:
            intervals[row] = bootstrap(values, n_resamples=n_resamples, level=level, seed=seed)
        elif len(values) > 1:
            by_size.setdefault(len(values), []).append(row)
    for n, rows in by_size.items():
        means = _counts_of_draws(n, n_resamples, seed) @ np.stack([defined[row] for row in rows], axis=1) / n
        bounds = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
        for row, low, high in zip(rows, *bounds.tolist(), strict=True):
            intervals[row] = Interval(low, high, level, n_resamples, seed)
    return intervals


def _counts_of_draws(n: int, n_resamples: int, seed: int) -> Floats:
    """float[n_resamples, n]: how often each instance is drawn."""
    drawn = np.random.default_rng(seed).integers(0, n, size=(n_resamples, n))
    drawn += np.arange(n_resamples)[:, None] * n
    counts = np.bincount(drawn.ravel(), minlength=n_resamples * n)
    return counts.reshape(n_resamples, n).astype(np.float64)


def paired_bootstrap(
    first: Floats, second: Floats, *, n_resamples: int = 1000, level: float = 0.95, seed: int = 0
) -> Interval | None:
    """A percentile interval of the mean of first − second over the same instances; where either has no value, left out."""
    if len(first) != len(second):
        raise InvalidValue(
            f"Two models are compared over the same instances; there are {len(first)} and {len(second)}."
        )
    return bootstrap(first - second, n_resamples=n_resamples, level=level, seed=seed)


def _check(values: Floats, n_resamples: int, level: float) -> None:
    if np.isinf(values).any():
        raise InvalidValue("An infinite value has no interval; leave the instance out (NaN) and say so.")
    if not 0 < level < 1:
        raise InvalidValue(f"The level of an interval lies between 0 and 1, such as 0.95; not {level}.")
    if n_resamples < 1:
        raise InvalidValue(f"An interval takes at least one resample; not {n_resamples}.")


def _means_of_draws(values: Floats, n_resamples: int, draw: np.random.Generator) -> Floats:
    """float[n_resamples]: means of as many instances, drawn with replacement; in portions, to bound the memory."""
    n = len(values)
    portion = max(1, _AT_ONCE // n)
    means = np.empty(n_resamples)
    for start in range(0, n_resamples, portion):
        size = min(portion, n_resamples - start)
        means[start : start + size] = values[draw.integers(0, n, size=(size, n), dtype=np.int32)].mean(axis=1)
    return means


def _means_by_steps(values: Floats, n_resamples: int, draw: np.random.Generator) -> Floats:
    """float[n_resamples]: the same, drawing how many instances of each step of values are taken."""
    n, lowest, highest = len(values), values.min(), values.max()
    if lowest == highest:
        return np.full(n_resamples, lowest)
    above = values - lowest
    steps = np.minimum(above * (_N_GROUPS / (highest - lowest)), _N_GROUPS - 1).astype(np.int64)
    counts = np.bincount(steps, minlength=_N_GROUPS)
    centres = np.bincount(steps, weights=above, minlength=_N_GROUPS) / np.maximum(counts, 1)
    within = float(np.mean((above - centres[steps]) ** 2))
    is_taken = counts > 0
    drawn = draw.multinomial(n, counts[is_taken] / n, size=n_resamples)
    means: Floats = lowest + drawn @ centres[is_taken] / n + draw.normal(0, np.sqrt(within / n), n_resamples)
    return means


@dataclass(frozen=True, slots=True)
class Correlation:
    """Spearman's rank correlation of n pairs. rho: None where one side is constant, or of fewer than three pairs.

    interval: of a bootstrap over pairs; None of fewer than `FEWEST_PAIRS`
    """

    rho: float | None
    n: int
    interval: Interval | None = None


FEWEST_PAIRS = 10  # fewer say nothing of others like them


def rank_correlation(x: Floats, y: Floats, *, n_resamples: int = 1000, seed: int = 0) -> Correlation:
    """Spearman's ρ, equal values having their mean rank; pairs with a NaN are left out.

    Shapes: x, y float[n]. Source: Spearman 1904; the interval is of percentiles, draws that are constant left out
    >>> rank_correlation(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 2.0, 4.0])).rho
    0.8
    >>> rank_correlation(np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0])).rho is None
    True
    """
    is_there = ~(np.isnan(x) | np.isnan(y))
    x, y = x[is_there], y[is_there]
    n = len(x)
    rho = _rho(x, y) if n > 2 else None
    if rho is None or n < FEWEST_PAIRS:
        return Correlation(rho, n)
    draw = np.random.default_rng(seed)
    drawn = (draw.integers(n, size=n) for _resample in range(n_resamples))
    rhos = [of_draw for numbers in drawn if (of_draw := _rho(x[numbers], y[numbers])) is not None]
    low, high = np.quantile(rhos, [0.025, 0.975])
    return Correlation(rho, n, Interval(float(low), float(high), 0.95, n_resamples, seed))


def _rho(x: Floats, y: Floats) -> float | None:
    dx, dy = (ranks - ranks.mean() for ranks in (_mean_ranks(x), _mean_ranks(y)))
    size = np.sqrt(np.square(dx).sum() * np.square(dy).sum())
    return float(round((dx * dy).sum() / size, 12)) if size else None


def _mean_ranks(values: Floats) -> Floats:
    _distinct, numbers, n_of_each = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(n_of_each)
    return np.asarray((ends - (n_of_each - 1) / 2)[numbers], dtype=np.float64)
