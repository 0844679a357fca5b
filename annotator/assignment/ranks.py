"""Which instances come first by what models answered: from numbers of each instance to their order.

Shapes: n_members is the number of seeds and models; a number that is missing is NaN, a vote that is missing −1
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def first_rows(keys: Sequence[Floats], ties: Integers, is_free: Flags, n_free: int) -> Integers:
    """The rows that come first: by the first key, then the next, from low to high, equal ones by `ties`, which all differ.

    As many as it takes to have n_free free ones among them: what is held now stands where it belongs if it becomes free again.
    Rows whose first key is NaN are not among them; NaN in a later key comes after all numbers.

    >>> low, none = np.array([0.3, 0.1, np.nan, 0.2]), np.zeros(4, dtype=np.int64)
    >>> first_rows([low], np.arange(4), np.array([True, False, True, True]), 1).tolist()
    [1, 3]
    """
    ranked = np.lexsort((ties, *reversed(keys)))
    ranked = ranked[~np.isnan(keys[0][ranked])]
    n_before = np.cumsum(is_free[ranked])
    return ranked[: int(np.searchsorted(n_before, n_free)) + 1] if n_free else ranked[:0]


def mean_known(values: Floats) -> Floats:
    """The mean over the members that have a number; NaN where none has.

    Shapes: values float[n_members, n_instances]; returns float[n_instances]
    """
    is_known = ~np.isnan(values)
    n_known = is_known.sum(axis=0)
    sums = np.where(is_known, values, 0.0).sum(axis=0)
    means: Floats = np.divide(sums, n_known, out=np.full(values.shape[1], np.nan), where=n_known > 0)
    return means


def pairwise_disagreement(votes: Integers) -> Floats:
    """Of the pairs of members that answered, the share that answered differently.

    Shapes:    votes int[n_members, n_instances]; returns float[n_instances]
    Range:     0 (all agree) to 1 (no two agree)
    Undefined: NaN where fewer than two answered

    >>> pairwise_disagreement(np.array([[0, 0, 0], [0, 1, -1], [0, 1, -1]])).round(3).tolist()
    [0.0, 0.667, nan]
    """
    n_pairs, n_different = (np.zeros(votes.shape[1]) for _ in range(2))
    for first, second in combinations(votes, 2):
        is_pair = (first >= 0) & (second >= 0)
        n_pairs += is_pair
        n_different += is_pair & (first != second)
    shares: Floats = np.divide(n_different, n_pairs, out=np.full(len(n_pairs), np.nan), where=n_pairs > 0)
    return shares


def jensen_shannon(probabilities: Floats) -> Floats:
    """The entropy of the members' mean less the mean of their entropies, in bits.

    Shapes:    probabilities float[n_members, n_instances, n_labels], each scaled to sum to 1 here; returns float[n_instances]
    Range:     0 (all the same) to log2 of the number of members
    Undefined: NaN where fewer than two members have probabilities
    Source:    Lin 1991, with equal weights

    >>> jensen_shannon(np.array([[[1.0, 0.0]], [[0.0, 1.0]]])).tolist()
    [1.0]
    """
    sums = probabilities.sum(axis=2)
    is_known = sums > 0  # False of NaN too
    shares = np.where(is_known[:, :, None], probabilities / np.where(is_known, sums, 1.0)[:, :, None], 0.0)
    n_known = np.maximum(is_known.sum(axis=0), 1)
    of_mean = _entropy(shares.sum(axis=0) / n_known[:, None])
    means = _entropy(shares).sum(axis=0) / n_known
    divergence: Floats = np.where(is_known.sum(axis=0) > 1, np.maximum(of_mean - means, 0.0), np.nan)
    return divergence


def _entropy(shares: Floats) -> Floats:
    logs = np.log2(np.where(shares > 0, shares, 1.0))
    entropy: Floats = -(shares * logs).sum(axis=-1)
    return entropy
