"""Each annotator against all others who had the same instance: with a hundred people every pair shares too little."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from annotator.domain.natural_order import natural_order
from annotator.domain.sources import is_mask_of_nobody
from annotator.review.spread import Moments, Spread
from annotator.review.token_agreement import InstanceVotes

_Z = 1.959964  # two-sided 5 %
_AT_ONCE = 50_000


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
    """Takes in a project instance by instance."""

    def __init__(self) -> None:
        self._majority, self._union = _Means(), _Means()
        self._labels: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])  # same, compared, left out

    def add(self, votes: InstanceVotes, labels: Mapping[str, str]) -> None:
        """Take in one instance: who marked what, and who gave which label; of one person alone there is nothing to compare."""
        n_annotators, n_tokens = votes.marked.shape
        if n_annotators > 1 and n_tokens:
            self._add_tokens(votes)
        if len(labels) > 1:
            self._add_labels(labels)

    def _add_tokens(self, votes: InstanceVotes) -> None:
        marked = votes.marked
        n_others = len(marked) - 1
        by_others = marked.sum(axis=0) - marked  # int[n_annotators, n_tokens]
        for means, rest in ((self._majority, 2 * by_others > n_others), (self._union, by_others > 0)):
            n_both, n_of_all = (marked & rest).sum(axis=1), marked.sum(axis=1) + rest.sum(axis=1)
            for name, both, of_all in zip(votes.annotators, n_both.tolist(), n_of_all.tolist(), strict=True):
                if not is_mask_of_nobody(name):
                    means.add(name, 2 * both / of_all if of_all else math.nan)

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
        majority, union = self._majority.result(), self._union.result()
        names = sorted({*majority, *self._labels}, key=natural_order)
        return tuple(
            AgainstRest(
                name, _of_mean(majority.get(name, Spread())), _of_mean(union.get(name, Spread())),
                _of_share(*self._labels.get(name, (0, 0, 0))),
            )
            for name in names
        )  # fmt: skip


class _Means:
    """Values by name, without keeping them all."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._moments = Moments()
        self._groups: list[int] = []
        self._values: list[float] = []

    def add(self, name: str, value: float) -> None:
        self._groups.append(self._codes.setdefault(name, len(self._codes)))
        self._values.append(value)
        if len(self._values) >= _AT_ONCE:
            self._settle()

    def result(self) -> dict[str, Spread]:
        self._settle()
        return {name: self._moments.of_group(code) for name, code in self._codes.items()}

    def _settle(self) -> None:
        if self._values:
            self._moments.add(np.array(self._values, dtype=np.float64), np.array(self._groups, dtype=np.int64))
        self._groups, self._values = [], []


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
