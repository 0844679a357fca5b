"""Whether a difference over the same texts may be chance, and how sure one still is when a table shows many of them."""

from collections.abc import Sequence
from itertools import product

import numpy as np

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
