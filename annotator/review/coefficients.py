"""Agreement beyond chance, from counts, and the mean and deviation of values that arrive a batch at a time.

What is not defined is nan in these arrays, and None once it leaves the room.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]


def ratios(part: npt.ArrayLike, whole: npt.ArrayLike) -> Values:
    """Part / whole for each, and nan where the whole is nothing."""
    above, below = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    undefined = np.full(np.broadcast_shapes(above.shape, below.shape), np.nan)
    quotients: Values = np.divide(above, below, out=undefined, where=below != 0)
    return quotients


def defined(value: float) -> float | None:
    """A number as it leaves these modules: None for nan."""
    return None if math.isnan(value) else float(value)


def binary_cohen_kappa(n: Counts, first: Counts, second: Counts, both: Counts) -> Values:
    """Cohen's kappa of two annotators who mark items or leave them, for each row of counts.

    Shapes:    int each: items; marked by the first, by the second, by both. Returns float of the same shape
    Range:     -1 to 1; 0 is what chance gives
    Undefined: nan where both marked nothing or both marked everything (expected agreement 1, so 0/0), and without items
    Source:    Cohen 1960. (p_o - p_e) / (1 - p_e), multiplied by n² / 2, so that up to the division all numbers are whole
    >>> binary_cohen_kappa(*(np.array([number]) for number in (50, 30, 25, 20)))    # p_o .7, p_e .5
    array([0.4])
    """
    return ratios(2 * (n * both - first * second), first * (n - second) + second * (n - first))


def nominal_cohen_kappa(n: Counts, same: Counts, by_chance: Counts) -> Values:
    """Cohen's kappa of two annotators over any number of labels, for each row of counts.

    Shapes:    int each: items; items with the same label; the sum over labels of (times the first gave it) x (the second)
    Undefined: nan where both gave one and the same label throughout, and without items
    Source:    Cohen 1960
    """
    return ratios(n * same - by_chance, n * n - by_chance)


def fleiss_kappa(observed: float, expected: float) -> float | None:
    """Fleiss' kappa, from the mean agreement within items and the sum of the squared shares of the labels.

    Undefined: None when only one label was ever given, or there is no item
    Source:    Fleiss 1971. Where items have unequal numbers of ratings, each item with two or more counts once, and a
               label's share is the mean over these items of its share in the item: the generalised kappa of Gwet 2014
               (irrCAC, fleiss.kappa.raw), except that he also takes the shares of items with a single rating
    """
    return defined(float(ratios(observed - expected, 1 - expected)))


def nominal_alpha(disagreement: npt.ArrayLike, n_ratings: npt.ArrayLike, sum_of_squares: npt.ArrayLike) -> Values:
    """Krippendorff's alpha for labels without an order, for each row of counts.

    Shapes:    disagreement float: sum over items of (ordered pairs of unequal ratings) / (ratings of the item - 1);
               n_ratings int: ratings in items that have two or more; sum_of_squares int: over labels, of their number there
    Range:     at most 1; 0 is what chance gives
    Undefined: nan when only one label was ever given, or no item has two ratings
    Source:    Krippendorff 2011, "Computing Krippendorff's alpha-reliability"; the package of that name gives the same, but
               needs an array of items x labels x labels, which whole projects of tokens, or of free answers, do not fit
    """
    n = np.asarray(n_ratings, dtype=np.float64)
    alpha: Values = 1 - ratios((n - 1) * np.asarray(disagreement), n * n - np.asarray(sum_of_squares))
    return alpha


# Mean and standard deviation of values that arrive a batch at a time.


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
