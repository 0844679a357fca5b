"""Agreement on labels: whether annotators gave the same result to the same instances."""

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from annotator.domain.numbers import natural_order
from annotator.review.coefficients import (
    Counts,
    Moments,
    Spread,
    defined,
    fleiss_kappa,
    nominal_alpha,
    nominal_cohen_kappa,
)


@dataclass(frozen=True, slots=True)
class LabelPair:
    """Two annotators over the instances that both labelled."""

    first: str
    second: str
    n_instances: int
    kappa: float | None


@dataclass(frozen=True, slots=True)
class LabelAgreement:
    """How far annotators give the same results, over the instances that two or more of them labelled.

    n_alone:      instances that one annotator labelled; they are left out
    cohen_kappa:  over pairs of annotators; a pair that gave one and the same label throughout has none and is left out
    fleiss_kappa: fleiss_is_generalised where instances have unequal numbers of labels (see coefficients.fleiss_kappa)
    """

    n_instances: int
    n_alone: int
    n_labels: int
    cohen_kappa: Spread
    fleiss_kappa: float | None
    fleiss_is_generalised: bool
    krippendorff_alpha: float | None
    pairs: tuple[LabelPair, ...]


class LabelTally:
    """Keeps three numbers for each label that somebody gave, of instances with two or more."""

    def __init__(self) -> None:
        self._annotators: dict[str, int] = {}
        self._labels: dict[str, int] = {}
        self._sizes, self._who, self._what = array("q"), array("q"), array("q")
        self._n_alone = 0

    def add(self, labels: Mapping[str, str]) -> None:
        """Take in the labels of one instance."""
        if len(labels) < 2:
            self._n_alone += len(labels)
            return
        self._sizes.append(len(labels))
        self._who.extend(self._annotators.setdefault(name, len(self._annotators)) for name in labels)
        self._what.extend(self._labels.setdefault(label, len(self._labels)) for label in labels.values())

    def result(self) -> LabelAgreement:
        """The agreement over what was taken in so far."""
        votes = _Votes(np.array(self._sizes), np.array(self._who), np.array(self._what))
        pairs = _pairs(votes, list(self._annotators), len(self._labels))
        moments = Moments()
        moments.add(np.array([pair.kappa for pair in pairs], dtype=np.float64))
        fleiss, alpha = _over_all(votes, len(self._labels))
        return LabelAgreement(
            n_instances=len(votes.sizes), n_alone=self._n_alone, n_labels=len(self._labels),
            cohen_kappa=moments.of_all(), fleiss_kappa=fleiss, fleiss_is_generalised=len(set(self._sizes)) > 1,
            krippendorff_alpha=alpha, pairs=pairs,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Votes:
    """Labels given, instance after instance, as codes.

    Shapes: sizes int[n_instances], labels of each, two or more; who, what int[n_labels_given]
    """

    sizes: Counts
    who: Counts
    what: Counts

    def pairs(self) -> Iterator[tuple[Counts, Counts]]:
        """Places of two labels of one instance; all pairs of places, a part of them at a time."""
        starts = np.cumsum(self.sizes) - self.sizes
        for size in np.unique(self.sizes):
            first_places = starts[self.sizes == size]
            for first, other in combinations(range(size), 2):
                yield first_places + first, first_places + other


def _pairs(votes: _Votes, names: list[str], n_labels: int) -> tuple[LabelPair, ...]:
    """Cohen's kappa of each two annotators who share an instance."""
    keys, n = _joint_counts(votes, len(names), n_labels)
    pair_keys, pair = np.unique(keys // n_labels**2, return_inverse=True)
    label, other = keys // n_labels % n_labels, keys % n_labels
    size = len(pair_keys)
    total = _sums(pair, n, size)
    same = _sums(pair, np.where(label == other, n, 0), size)
    by_chance = _products(pair * n_labels + label, pair * n_labels + other, n, n_labels, size)
    kappas = nominal_cohen_kappa(total, same, by_chance)
    label_pairs = []
    for key, n_instances, kappa in zip(pair_keys.tolist(), total.tolist(), kappas.tolist(), strict=True):
        first, second = sorted((names[key // len(names)], names[key % len(names)]), key=natural_order)
        label_pairs.append(LabelPair(first, second, n_instances, defined(kappa)))
    return tuple(sorted(label_pairs, key=lambda pair: (natural_order(pair.first), natural_order(pair.second))))


def _joint_counts(votes: _Votes, n_annotators: int, n_labels: int) -> tuple[Counts, Counts]:
    """How often each (annotator, annotator, label, label), as one number, the annotator of the lower code first."""
    keys, counts = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    for left, right in votes.pairs():
        swap = votes.who[left] > votes.who[right]
        lower, other = np.where(swap, right, left), np.where(swap, left, right)
        pair = votes.who[lower] * n_annotators + votes.who[other]
        more, n_more = np.unique(
            (pair * n_labels + votes.what[lower]) * n_labels + votes.what[other], return_counts=True
        )
        keys, indices = np.unique(np.concatenate([keys, more]), return_inverse=True)
        counts = _sums(indices, np.concatenate([counts, n_more]), len(keys))
    return keys, counts


def _products(firsts: Counts, seconds: Counts, n: Counts, n_labels: int, n_pairs: int) -> Counts:
    """For each pair, over its labels, (how often the first gave it) x (how often the second did)."""
    first_keys, first_places = np.unique(firsts, return_inverse=True)
    second_keys, second_places = np.unique(seconds, return_inverse=True)
    shared, at_first, at_second = np.intersect1d(first_keys, second_keys, assume_unique=True, return_indices=True)
    n_first = _sums(first_places, n, len(first_keys))[at_first]
    n_second = _sums(second_places, n, len(second_keys))[at_second]
    return _sums(shared // n_labels, n_first * n_second, n_pairs)


def _over_all(votes: _Votes, n_labels: int) -> tuple[float | None, float | None]:
    """Fleiss' kappa and Krippendorff's alpha over all annotators together."""
    n_instances = len(votes.sizes)
    if not n_instances:
        return None, None
    instance = np.repeat(np.arange(n_instances), votes.sizes)
    keys, n = np.unique(instance * n_labels + votes.what, return_counts=True)
    of, label = keys // n_labels, keys % n_labels
    unequal = votes.sizes**2 - _sums(of, n**2, n_instances)  # ordered pairs with different labels, in each instance
    observed = 1 - float(np.mean(unequal / (votes.sizes * (votes.sizes - 1))))
    shares = np.bincount(label, weights=n / votes.sizes[of]) / n_instances
    alpha = nominal_alpha(
        float(np.sum(unequal / (votes.sizes - 1))), len(votes.what), int((np.bincount(votes.what) ** 2).sum())
    )
    return fleiss_kappa(observed, float(shares @ shares)), defined(float(alpha))


def _sums(indices: Counts, values: Counts, size: int) -> Counts:
    """The values that fall on each place, added up."""
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, indices, values)
    return sums
