"""Agreement beyond chance, from counts. What is not defined is nan in these arrays, and None once it leaves the room."""

import math

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
