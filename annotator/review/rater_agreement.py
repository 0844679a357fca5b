"""Each annotator against all others who had the same instance, and how reviewers agree on a property."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import comb
from typing import Literal

import krippendorff
import numpy as np
import numpy.typing as npt

from annotator.domain.numbers import natural_order
from annotator.domain.sources import is_mask_of_nobody
from annotator.review.coefficients import Moments, Spread, ratios
from annotator.review.token_agreement import Batch, InstanceVotes, batches_of

_Z = 1.959964  # two-sided 5 %
_VOTES_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over n instances with the bounds of a 95 % interval; None where there is too little for one.

    n_left_out: instances of the annotator in which it is not defined
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    n_left_out: int


@dataclass(frozen=True, slots=True)
class AgainstRest:
    """One annotator against the others of each instance, themselves left out.

    majority_f1: token-F1 against the tokens that more than half of the others marked. Of two others that is what both marked
    union_f1:    against the tokens that any of the others marked
    label:       how often the label is the one that most of the others gave
    Undefined:   F1 where both sides mark nothing; label where two are equally frequent among the others. These are left out
    Source:      intervals: mean ± 1.96·sd/√n within 0 and 1; of labels Wilson 1927
    """

    annotator: str
    majority_f1: Estimate
    union_f1: Estimate
    label: Estimate


class RestTally:
    """Takes in a project instance by instance, and counts tokens a batch at a time."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._waiting: list[InstanceVotes] = []
        self._n_waiting = 0
        self._majority, self._union = Moments(), Moments()
        self._labels: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])  # same, compared, left out

    def add(self, votes: InstanceVotes, labels: Mapping[str, str]) -> None:
        """Take in one instance: who marked what, and who gave which label; of one person alone there is nothing to compare."""
        n_annotators, n_tokens = votes.marked.shape
        if n_annotators > 1 and n_tokens:
            self._waiting.append(votes)
            self._n_waiting += votes.marked.size
            if self._n_waiting >= _VOTES_AT_ONCE:
                self._count_waiting()
        if len(labels) > 1:
            self._add_labels(labels)

    def _count_waiting(self) -> None:
        for batch in batches_of(self._waiting, self._codes):
            self._count(batch)
        self._waiting, self._n_waiting = [], 0

    def _count(self, batch: Batch) -> None:
        n_others = len(batch.annotators) - 1
        votes, n_marked = batch.marked.sum(axis=0), batch.per_instance(batch.marked)
        for row, people in enumerate(batch.annotators):
            by_others = votes - batch.marked[row]
            for moments, rest in ((self._majority, 2 * by_others > n_others), (self._union, by_others > 0)):
                n_both, n_rest = batch.per_instance(batch.marked[row] & rest), batch.per_instance(rest)
                moments.add(ratios(2 * n_both, n_marked[row] + n_rest), people)

    def _add_labels(self, labels: Mapping[str, str]) -> None:
        counts = Counter(labels.values())
        for name, label in labels.items():
            others = counts - Counter([label])
            first, second = [*others.most_common(2), ("", 0)][:2]
            counted = self._labels[name]
            if first[1] == second[1]:
                counted[2] += 1
            else:
                counted[0] += label == first[0]
                counted[1] += 1

    def result(self) -> tuple[AgainstRest, ...]:
        """Everybody who shares an instance with somebody, by name."""
        self._count_waiting()
        marking = {name for name in self._codes if not is_mask_of_nobody(name)}
        return tuple(
            AgainstRest(
                name, self._of_tokens(self._majority, name), self._of_tokens(self._union, name),
                _of_share(*self._labels.get(name, (0, 0, 0))),
            )
            for name in sorted(marking | self._labels.keys(), key=natural_order)
        )  # fmt: skip

    def _of_tokens(self, moments: Moments, name: str) -> Estimate:
        spread = moments.of_group(self._codes[name]) if name in self._codes else Spread()
        if spread.mean is None or spread.sd is None:
            return Estimate(spread.mean, None, None, spread.n, spread.n_left_out)
        half = _Z * spread.sd / math.sqrt(spread.n)
        return Estimate(
            spread.mean, max(0.0, spread.mean - half), min(1.0, spread.mean + half), spread.n, spread.n_left_out
        )


def _of_share(n_same: int, n: int, n_left_out: int) -> Estimate:
    """A share with Wilson's interval.

    >>> estimate = _of_share(8, 10, 0)
    >>> estimate.value, round(estimate.low, 4), round(estimate.high, 4)
    (0.8, 0.4902, 0.9433)
    """
    if not n:
        return Estimate(None, None, None, 0, n_left_out)
    share = n_same / n
    centre, below = share + _Z**2 / (2 * n), 1 + _Z**2 / n
    half = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return Estimate(share, max(0.0, (centre - half) / below), min(1.0, (centre + half) / below), n, n_left_out)


# Agreement of reviewers on one property: sufficiency, compactness or comprehensiveness.


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


# A language model that scores as a reviewer does and decides nothing, beside people.

NO_WORSE = 0.1  # of kappa: a model that is at most this much below people is as good as one of them
_RESAMPLES = 1_000
_LEAST_TEXTS = 10
Standing = Literal["as good", "worse", "open"]


@dataclass(frozen=True, slots=True)
class ShadowAgreement:
    """How far a model's scores on one scale agree with people's, and people's with each other, over the same items.

    people, shadow: quadratically weighted kappa, with a 95 % interval over texts; difference: shadow less people
    standing: "as good": the difference is above -0.1 with 97.5 % certainty; "worse": below 0; "open": neither is known, or there
              are fewer than ten texts
    Undefined: people and difference where no item has the scores of two people: shadow is then over items with one; kappa where
               all scores are equal
    """

    model: str
    people: Estimate
    shadow: Estimate
    difference: Estimate
    standing: Standing


def shadow_agreement(
    model: str, n_steps: int, items: Sequence[tuple[int, int, Sequence[int]]], seed: int = 0
) -> ShadowAgreement:
    """The agreement over some items.

    items: of each its text, the model's score, and people's scores, each 1 ... n_steps
    """
    several = [item for item in items if len(item[2]) > 1]
    compared = several or items
    texts = {text: number for number, text in enumerate(dict.fromkeys(text for text, _, _ in compared))}
    n = max(1, len(texts))
    counts = np.zeros((2, n, n_steps, n_steps))
    for text, of_model, of_people in compared:
        with_model = [pair for score in of_people for pair in ((of_model, score), (score, of_model))]
        for table, of_item in zip(counts, ([*permutations(of_people, 2)], with_model), strict=True):
            for first, second in of_item:
                table[texts[text], first - 1, second - 1] += 1
    draws = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), _RESAMPLES)
    people, shadow = (
        (weighted_kappa(table.sum(axis=0)), weighted_kappa(np.tensordot(draws, table, axes=1))) for table in counts
    )
    difference = _of_draws(shadow[0] - people[0], shadow[1] - people[1], len(compared))
    standing = _standing(difference) if len(texts) >= _LEAST_TEXTS else "open"
    return ShadowAgreement(
        model, _of_draws(*people, len(compared)), _of_draws(*shadow, len(compared)), difference, standing
    )


def weighted_kappa(counts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Quadratically weighted kappa of tables of pairs of scores; float[..., n_steps, n_steps] to float[...].

    The tables are to be symmetric, as the order of two reviewers means nothing; so the expected agreement is that of all scores.
    Range:     at most 1; 0 is what chance gives. Undefined: nan where all scores are equal, and without a pair
    Source:    Cohen 1968
    >>> weighted_kappa(np.array([[4.0, 1.0], [1.0, 4.0]])).item()
    0.6
    """
    n_steps = counts.shape[-1]
    steps = np.arange(n_steps)
    weights = (steps[:, None] - steps) ** 2
    totals = counts.sum(axis=-1)
    expected = totals[..., :, None] * totals[..., None, :]
    n = counts.sum(axis=(-1, -2))
    return 1 - ratios((weights * counts).sum(axis=(-1, -2)) * n, (weights * expected).sum(axis=(-1, -2)))


def _of_draws(value: npt.NDArray[np.float64], draws: npt.NDArray[np.float64], n: int) -> Estimate:
    if np.isnan(value):
        return Estimate(None, None, None, 0, n)
    defined_draws = draws[~np.isnan(draws)]
    if len(defined_draws) < len(draws) / 2:
        return Estimate(float(value), None, None, n, 0)
    low, high = np.quantile(defined_draws, (0.025, 0.975))
    return Estimate(float(value), float(low), float(high), n, 0)


def _standing(difference: Estimate) -> Standing:
    if difference.low is not None and difference.low > -NO_WORSE:
        return "as good"
    return "worse" if difference.high is not None and difference.high < 0 else "open"
