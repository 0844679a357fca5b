"""What a second model changes against a base model: where the base was unsure, and whether won and lost differ by chance."""

from dataclasses import dataclass

import numpy as np

from annotator.errors import InvalidValue
from annotator.metrics.er_test_functional import opportunity_costs
from annotator.metrics.ragged import Flags, Floats, Integers


@dataclass(frozen=True, slots=True, eq=False)
class ConfidenceBins:
    """Instances by the probability that the base model gives the gold label, in bins of equal width; 1 is in the last.

    Shapes: all [n_bins]. n_won: wrong of the base and right of the other; n_lost: the reverse; change: mean of the other's
            probability of the gold label − the base's, NaN of an empty bin
    """

    low: Floats
    n: Integers
    n_won: Integers
    n_lost: Integers
    change: Floats


def bins_by_confidence(
    p_base: Floats, p_other: Floats, base_is_right: Flags, other_is_right: Flags, *, n_bins: int = 10
) -> ConfidenceBins:
    """Won, lost and the change of confidence where the base model was more or less sure of the gold label.

    p_base, p_other: float[n], probabilities of the gold label
    Source: ER-TEST, Table 7 (the share of a bin that is won) and Figure 9 (the change of confidence)
    Raises: InvalidValue for what is no probability
    >>> bins = bins_by_confidence(*np.array([[0.2, 1.0], [0.6, 0.9]]), np.array([False, True]), np.array([True, True]), n_bins=2)
    >>> bins.n.tolist(), bins.n_won.tolist(), bins.change.round(2).tolist()
    ([1, 1], [1, 0], [0.4, -0.1])
    """
    for p in (p_base, p_other):
        if not np.all((p >= 0) & (p <= 1)):
            raise InvalidValue(f"Probabilities lie between 0 and 1; not {p[~((p >= 0) & (p <= 1))][0]}.")
    costs = opportunity_costs(base_is_right, other_is_right)
    bin_of = np.minimum((p_base * n_bins).astype(np.int64), n_bins - 1)
    n, n_won, n_lost = (
        np.bincount(bin_of[flags], minlength=n_bins) for flags in (np.ones(len(costs), dtype=np.bool_), costs < 0, costs > 0)
    )  # fmt: skip
    change = np.full(n_bins, np.nan)
    np.divide(np.bincount(bin_of, weights=p_other - p_base, minlength=n_bins), n, out=change, where=n > 0)
    return ConfidenceBins(np.arange(n_bins) / n_bins, n, n_won, n_lost, change)


def exact_mcnemar(n_won: int, n_lost: int) -> float | None:
    """The two-sided p value of won against lost instances, were each as likely; None where nothing is won or lost.

    Source: McNemar's test in its exact form: a binomial test with one half
    >>> exact_mcnemar(5, 0), exact_mcnemar(1, 1), exact_mcnemar(0, 0)
    (0.0625, 1.0, None)
    """
    n = n_won + n_lost
    if not n:
        return None
    ways = one_tail = 1
    for k in range(min(n_won, n_lost)):  # whole numbers: floats know none of such size from some thousand texts on
        ways = ways * (n - k) // (k + 1)
        one_tail += ways
    return min(1.0, one_tail / (1 << (n - 1)))
