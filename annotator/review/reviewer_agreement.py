"""Agreement of reviewers on one property: sufficiency, compactness or comprehensiveness."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import comb

import krippendorff
import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class ReviewerAgreement:
    """How far reviewers give the same scores, over the items (sets or annotations) that two or more of them scored.

    n_alone:            items with one score; they are left out
    exact_share:        of the pairs of scores of one item, the share that is equal; of n_pairs. None without a pair
    krippendorff_alpha: for ordered scores; None when only one score was ever given, or no item has two
    """

    n_items: int
    n_alone: int
    n_scores: int
    n_pairs: int
    exact_share: float | None
    krippendorff_alpha: float | None


def reviewer_agreement(patterns: Mapping[tuple[int, ...], int]) -> ReviewerAgreement:
    """The agreement over some items, given how often each score (1, 2, 3 ...) was given to one, and to how many items.

    Source: Krippendorff 2011, ordinal metric, by the package of that name
    >>> found = reviewer_agreement({(1, 1, 0): 1, (0, 0, 2): 1, (0, 1, 1): 0, (0, 2, 0): 1})  # scores 1 2, 3 3, 2 2
    >>> round(found.exact_share, 3), round(found.krippendorff_alpha, 3)
    (0.667, 0.778)
    """
    scored = {pattern: n for pattern, n in patterns.items() if sum(pattern) > 1 and n}
    counts = np.array([pattern for pattern, n in scored.items() for _ in range(n)], dtype=np.int64)
    n_pairs = sum(n * comb(sum(pattern), 2) for pattern, n in scored.items())
    n_equal = sum(n * comb(times, 2) for pattern, n in scored.items() for times in pattern)
    given = {score for pattern in scored for score, times in enumerate(pattern, start=1) if times}
    return ReviewerAgreement(
        n_items=sum(scored.values()),
        n_alone=sum(n for pattern, n in patterns.items() if sum(pattern) == 1),
        n_scores=sum(n * sum(pattern) for pattern, n in scored.items()),
        n_pairs=n_pairs,
        exact_share=n_equal / n_pairs if n_pairs else None,
        krippendorff_alpha=_alpha(counts) if len(given) > 1 else None,
    )


@dataclass(frozen=True, slots=True)
class Leaning:
    """How much higher one reviewer scores than the others who scored the same; negative: lower. n: over how many items."""

    mean_difference: float
    n: int


def leanings(items: Iterable[Mapping[str, int]]) -> dict[str, Leaning]:
    """For each reviewer the mean, over the items that somebody else scored too, of their score less the others' mean score.

    items: of each item (a set, or an annotation) every reviewer's score. Whoever scored all their items alone is left out

    >>> leanings([{"ann": 3, "ben": 1, "eve": 2}, {"ann": 2, "ben": 2}, {"eve": 1}])["ann"]  # 3 - 1.5, 2 - 2
    Leaning(mean_difference=0.75, n=2)
    """
    sums: dict[str, float] = defaultdict(float)
    counts: dict[str, int] = defaultdict(int)
    for scores in items:
        total, n_others = sum(scores.values()), len(scores) - 1
        if n_others < 1:
            continue
        for reviewer, score in scores.items():
            sums[reviewer] += score - (total - score) / n_others
            counts[reviewer] += 1
    return {reviewer: Leaning(sums[reviewer] / n, n) for reviewer, n in sorted(counts.items())}


def _alpha(counts: npt.NDArray[np.int64]) -> float:
    """Of a table items x scores; a score that nobody gave does not lie between its neighbours (it has no rank)."""
    is_given = counts.sum(axis=0) > 0
    domain = (np.flatnonzero(is_given) + 1).tolist()
    return float(
        krippendorff.alpha(value_counts=counts[:, is_given], value_domain=domain, level_of_measurement="ordinal")
    )
