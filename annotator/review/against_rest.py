"""Each annotator against all others who had the same instance: with a hundred people every pair shares too little."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from annotator.domain.numbers import natural_order
from annotator.domain.sources import is_mask_of_nobody
from annotator.review.coefficients import ratios
from annotator.review.spread import Moments, Spread
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
        return _of_mean(moments.of_group(self._codes[name]) if name in self._codes else Spread())


def _of_mean(spread: Spread) -> Estimate:
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
