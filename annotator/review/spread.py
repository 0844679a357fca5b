"""Mean and standard deviation of values that arrive a batch at a time."""

import math
from dataclasses import dataclass

import numpy as np

from annotator.review.coefficients import Counts, Values


@dataclass(frozen=True, slots=True)
class Spread:
    """The mean of the values that are defined.

    sd:         their standard deviation with n - 1 in the denominator; None for fewer than two
    n_left_out: how many values are not defined
    """

    mean: float | None = None
    sd: float | None = None
    n: int = 0
    n_left_out: int = 0


class Moments:
    """Values by group (numbered from 0), summed up without being kept.

    Source: Chan, Golub and LeVeque 1979: means and squared deviations of two batches merge without cancellation
    """

    def __init__(self) -> None:
        self._n = np.zeros(0, dtype=np.int64)
        self._n_left_out = np.zeros(0, dtype=np.int64)
        self._mean = np.zeros(0)
        self._squares = np.zeros(0)

    def add(self, values: Values, groups: Counts | None = None) -> None:
        """Take in values, nan where they are not defined; without groups all are of group 0."""
        if groups is None:
            groups = np.zeros(len(values), dtype=np.int64)
        self._make_room(int(groups.max(initial=-1)) + 1)
        is_defined = ~np.isnan(values)
        size = len(self._n)
        self._n_left_out += np.bincount(groups[~is_defined], minlength=size)
        values, groups = values[is_defined], groups[is_defined]
        n = np.bincount(groups, minlength=size)
        mean = np.bincount(groups, weights=values, minlength=size) / np.maximum(n, 1)
        squares = np.bincount(groups, weights=(values - mean[groups]) ** 2, minlength=size)
        self._merge(n, mean, squares.astype(np.float64, copy=False))

    def of_group(self, group: int) -> Spread:
        """The values of one group."""
        return _spread(int(self._n[group]), self._mean[group], self._squares[group], int(self._n_left_out[group]))

    def of_all(self) -> Spread:
        """The values of all groups together."""
        n = int(self._n.sum())
        mean = float(self._n @ self._mean) / max(n, 1)
        squares = float(self._squares.sum() + self._n @ (self._mean - mean) ** 2)
        return _spread(n, mean, squares, int(self._n_left_out.sum()))

    def _make_room(self, n_groups: int) -> None:
        missing = max(0, n_groups - len(self._n))
        self._n, self._n_left_out = np.pad(self._n, (0, missing)), np.pad(self._n_left_out, (0, missing))
        self._mean, self._squares = np.pad(self._mean, (0, missing)), np.pad(self._squares, (0, missing))

    def _merge(self, n: Counts, mean: Values, squares: Values) -> None:
        total = np.maximum(self._n + n, 1)
        apart = mean - self._mean
        self._squares += squares + apart**2 * (self._n * n / total)
        self._mean += apart * (n / total)
        self._n += n


def _spread(n: int, mean: float, squares: float, n_left_out: int) -> Spread:
    if n == 0:
        return Spread(n_left_out=n_left_out)
    return Spread(float(mean), math.sqrt(squares / (n - 1)) if n > 1 else None, n, n_left_out)
