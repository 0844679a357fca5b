"""Agreement on tokens: whether annotators marked the same tokens of the same instances.

A token is marked by an annotator when it lies in any of their rationale sets. Instances are taken in one at a time and
counted a batch at a time, so that a project of any size needs the memory of one batch.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from annotator.domain.numbers import by_key, counted, natural_order
from annotator.errors import InvalidValue
from annotator.language import _, listed
from annotator.review.coefficients import (
    Counts,
    Moments,
    Spread,
    Values,
    binary_cohen_kappa,
    defined,
    fleiss_kappa,
    nominal_alpha,
    ratios,
)

Marks = npt.NDArray[np.bool_]
_VOTES_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True)
class InstanceVotes:
    """What each annotator of one instance marked.

    Shapes: marked bool[n_annotators, n_tokens], over the selectable tokens
    Raises: InvalidValue when an annotator stands there twice, or there is not one row for each
    """

    annotators: tuple[str, ...]
    marked: Marks

    def __post_init__(self) -> None:
        if not len(set(self.annotators)) == len(self.annotators) == len(self.marked):
            raise InvalidValue(
                _(
                    "{rows} of marks by {people} in an instance: give one per annotator.",
                    rows=counted(len(self.marked), "row"),
                    people=listed(self.annotators) or _("nobody"),
                )
            )


@dataclass(frozen=True, slots=True)
class MajorityAgreement:
    """Annotators against the tokens that more than half of an instance's annotators marked, themselves included.

    Each is over (annotator, instance); instances with two or more annotators count.
    Undefined: kappa when both mark nothing or both everything; precision when the annotator marked nothing; recall when
               there is no majority token; f1 when both are empty. Such values are left out, each counted for itself
    Source:    DeYoung et al. 2020, Table 2 (no code was published; that sd is over annotators and instances is our reading)
    """

    kappa: Spread
    precision: Spread
    recall: Spread
    f1: Spread


@dataclass(frozen=True, slots=True)
class TokenPair:
    """Two annotators over the instances that they share.

    kappa_pooled:       of one table of all their tokens
    kappa_per_instance: the mean of each instance's kappa; n_undefined instances are left out of it
    """

    first: str
    second: str
    n_instances: int
    n_tokens: int
    kappa_pooled: float | None
    kappa_per_instance: float | None
    n_undefined: int


@dataclass(frozen=True, slots=True)
class TokenAgreement:
    """How far annotators mark the same tokens, over the instances that two or more of them share.

    n_alone, n_without_tokens:        instances left out: with one annotator only; without a selectable token
    mean_annotators:                  annotators of an instance, on average
    cohen_kappa_per_instance:         over (instance, pair of its annotators), each with its own kappa
    cohen_kappa_pooled:               over pairs, each with one table of all tokens that the two share
    fleiss_kappa, krippendorff_alpha: over all tokens together; fleiss_is_generalised where instances have unequal numbers
                                      of annotators (see coefficients.fleiss_kappa)
    krippendorff_alpha_per_instance:  over instances, each with its own alpha
    """

    n_instances: int
    n_tokens: int
    n_alone: int
    n_without_tokens: int
    mean_annotators: float | None
    cohen_kappa_per_instance: Spread
    cohen_kappa_pooled: Spread
    fleiss_kappa: float | None
    fleiss_is_generalised: bool
    krippendorff_alpha: float | None
    krippendorff_alpha_per_instance: Spread
    majority: MajorityAgreement
    by_annotator: dict[str, MajorityAgreement]
    pairs: tuple[TokenPair, ...]


class TokenTally:
    """Counts instance by instance what token_agreement is made of."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._waiting: list[InstanceVotes] = []
        self._n_waiting = self._n_alone = self._n_without_tokens = 0
        self._n_instances = Counter[int]()  # by number of annotators
        self._levels: dict[int, Counts] = {}  # by number of annotators: tokens that 0, 1 .. n of them marked
        self._pairs = _PairSums()
        self._kappas, self._alphas = Moments(), Moments()
        self._majority = _MajorityMoments()

    def add(self, votes: InstanceVotes) -> None:
        """Take in one instance."""
        n_annotators, n_tokens = votes.marked.shape
        if n_annotators < 2:
            self._n_alone += n_annotators
        elif n_tokens == 0:
            self._n_without_tokens += 1
        else:
            self._waiting.append(votes)
            self._n_waiting += votes.marked.size
            if self._n_waiting >= _VOTES_AT_ONCE:
                self._count_waiting()

    def result(self) -> TokenAgreement:
        """The agreement over what was taken in so far."""
        self._count_waiting()
        pairs, pooled = self._pairs.read(list(self._codes))
        n_instances = self._n_instances.total()
        n_annotations = sum(n_annotators * n for n_annotators, n in self._n_instances.items())
        return TokenAgreement(
            n_instances=n_instances,
            n_tokens=sum(int(counts.sum()) for counts in self._levels.values()),
            n_alone=self._n_alone,
            n_without_tokens=self._n_without_tokens,
            mean_annotators=n_annotations / n_instances if n_instances else None,
            cohen_kappa_per_instance=self._kappas.of_all(),
            cohen_kappa_pooled=pooled,
            fleiss_kappa=_fleiss(self._levels),
            fleiss_is_generalised=len(self._levels) > 1,
            krippendorff_alpha=_alpha(self._levels),
            krippendorff_alpha_per_instance=self._alphas.of_all(),
            majority=self._majority.of_all(),
            by_annotator={
                name: self._majority.of_annotator(self._codes[name]) for name in sorted(self._codes, key=natural_order)
            },
            pairs=pairs,
        )

    def _count_waiting(self) -> None:
        for batch in batches_of(self._waiting, self._codes):
            self._count(batch)
        self._waiting, self._n_waiting = [], 0

    def _count(self, batch: "Batch") -> None:
        n_annotators = len(batch.annotators)
        votes = batch.marked.sum(axis=0)
        levels = np.bincount(votes, minlength=n_annotators + 1)
        self._levels[n_annotators] = levels + self._levels.get(n_annotators, 0)
        self._n_instances[n_annotators] += len(batch.lengths)
        n_marked = batch.per_instance(batch.marked)
        for first, second in combinations(range(n_annotators), 2):
            self._count_pair(batch, n_marked, first, second)
        disagreement = batch.per_instance(votes * (n_annotators - votes)) * 2 / (n_annotators - 1)
        n_ratings, n_yes = n_annotators * batch.lengths, n_marked.sum(axis=0)
        self._alphas.add(nominal_alpha(disagreement, n_ratings, n_yes**2 + (n_ratings - n_yes) ** 2))
        self._majority.add(batch, n_marked, 2 * votes > n_annotators)

    def _count_pair(self, batch: "Batch", n_marked: Counts, first: int, second: int) -> None:
        n_both = batch.per_instance(batch.marked[first] & batch.marked[second])
        kappas = binary_cohen_kappa(batch.lengths, n_marked[first], n_marked[second], n_both)
        self._kappas.add(kappas)
        swap = batch.annotators[first] > batch.annotators[second]
        lower, other = np.where(swap, second, first), np.where(swap, first, second)
        columns = np.arange(len(swap))
        self._pairs.add(
            batch.annotators[lower, columns],
            batch.annotators[other, columns],
            np.array([batch.lengths, n_marked[lower, columns], n_marked[other, columns], n_both]),
            kappas,
        )


@dataclass(frozen=True, slots=True)
class Batch:
    """Instances with equally many annotators, their tokens one after the other.

    Shapes: marked bool[n_annotators, n_tokens of all]; starts, lengths int[n_instances], each instance one token or more;
            annotators int[n_annotators, n_instances], codes of their names
    """

    marked: Marks
    starts: Counts
    lengths: Counts
    annotators: Counts

    @staticmethod
    def of(instances: list[InstanceVotes], codes: dict[str, int]) -> "Batch":
        """Put instances together; names that are new get the next code."""
        lengths = np.array([votes.marked.shape[1] for votes in instances])
        annotators = np.array([[codes.setdefault(name, len(codes)) for name in v.annotators] for v in instances])
        marked = np.concatenate([votes.marked for votes in instances], axis=1)
        return Batch(marked, np.cumsum(lengths) - lengths, lengths, annotators.T)

    def per_instance(self, tokens: npt.NDArray[np.generic]) -> Counts:
        """Sums over each instance's tokens, along the last axis."""
        sums: Counts = np.add.reduceat(tokens, self.starts, axis=-1, dtype=np.int64)
        return sums


def batches_of(instances: Iterable[InstanceVotes], codes: dict[str, int]) -> Iterator[Batch]:
    """Instances with one number of annotators after the other; names that are new get the next code."""
    by_number = by_key((len(votes.annotators), votes) for votes in instances)
    for equal in by_number.values():
        yield Batch.of(equal, codes)


class _PairSums:
    """Sums for each pair of annotators, by their two codes, the lower first.

    Columns: tokens, marked by the first, by the second, by both; sum of kappas, instances, instances without a kappa.
    Counts stand in floats, which hold whole numbers exactly up to 2**53.
    """

    def __init__(self) -> None:
        self._keys = np.zeros(0, dtype=np.int64)
        self._sums = np.zeros((7, 0))

    def add(self, first: Counts, second: Counts, counts: Counts, kappas: Values) -> None:
        is_undefined = np.isnan(kappas)
        rows = np.vstack([counts, np.where(is_undefined, 0, kappas), np.ones_like(kappas), is_undefined])
        keys = np.concatenate([self._keys, first << 32 | second])
        self._keys, indices = np.unique(keys, return_inverse=True)
        every = np.concatenate([self._sums, rows], axis=1)
        self._sums = np.array([np.bincount(indices, weights=row, minlength=len(self._keys)) for row in every])

    def read(self, names: list[str]) -> tuple[tuple[TokenPair, ...], Spread]:
        """Each pair by name, and the pooled kappas together."""
        n_tokens, first, second, both = self._sums[:4].astype(np.int64)
        pooled = binary_cohen_kappa(n_tokens, first, second, both)
        n_instances, n_undefined = self._sums[5:].astype(np.int64)
        means = ratios(self._sums[4], n_instances - n_undefined)
        moments = Moments()
        moments.add(pooled)
        columns = zip(self._keys, n_instances, n_tokens, pooled, means, n_undefined, strict=True)
        pairs = [_token_pair(names, int(key), *row) for key, *row in columns]
        return tuple(
            sorted(pairs, key=lambda pair: (natural_order(pair.first), natural_order(pair.second)))
        ), moments.of_all()


def _token_pair(
    names: list[str], key: int, n_instances: int, n_tokens: int, pooled: float, mean: float, n_undefined: int
) -> TokenPair:
    first, second = sorted((names[key >> 32], names[key & 0xFFFFFFFF]), key=natural_order)
    return TokenPair(first, second, int(n_instances), int(n_tokens), defined(pooled), defined(mean), int(n_undefined))


class _MajorityMoments:
    """The four numbers of ERASER's Table 2, by annotator."""

    def __init__(self) -> None:
        self._moments = {name: Moments() for name in ("kappa", "precision", "recall", "f1")}

    def add(self, batch: Batch, n_marked: Counts, majority: Marks) -> None:
        n_majority = batch.per_instance(majority)
        n_hits = batch.per_instance(batch.marked & majority)
        moments = {
            "kappa": binary_cohen_kappa(batch.lengths, n_marked, n_majority, n_hits),
            "precision": ratios(n_hits, n_marked),
            "recall": ratios(n_hits, np.broadcast_to(n_majority, n_hits.shape)),
            "f1": ratios(2 * n_hits, n_marked + n_majority),
        }
        for name, values in moments.items():
            self._moments[name].add(values.ravel(), batch.annotators.ravel())

    def of_annotator(self, code: int) -> MajorityAgreement:
        return MajorityAgreement(**{name: moments.of_group(code) for name, moments in self._moments.items()})

    def of_all(self) -> MajorityAgreement:
        return MajorityAgreement(**{name: moments.of_all() for name, moments in self._moments.items()})


def _fleiss(levels: dict[int, Counts]) -> float | None:
    """From how many tokens were marked by 0, 1 .. n of n annotators, for each n."""
    n_tokens = sum(int(counts.sum()) for counts in levels.values())
    same = yes = 0.0
    for n, counts in levels.items():
        marked = np.arange(n + 1)
        same += float(counts @ (marked * (marked - 1) + (n - marked) * (n - marked - 1)) / (n * (n - 1)))
        yes += float(counts @ marked / n)
    if not n_tokens:
        return None
    share = yes / n_tokens
    return fleiss_kappa(same / n_tokens, share**2 + (1 - share) ** 2)


def _alpha(levels: dict[int, Counts]) -> float | None:
    """From the same counts."""
    disagreement, n_yes, n_no = 0.0, 0, 0
    for n, counts in levels.items():
        marked = np.arange(n + 1)
        disagreement += float(counts @ (2 * marked * (n - marked)) / (n - 1))
        n_yes += int(counts @ marked)
        n_no += int(counts @ (n - marked))
    return defined(float(nominal_alpha(disagreement, n_yes + n_no, n_yes**2 + n_no**2)))
