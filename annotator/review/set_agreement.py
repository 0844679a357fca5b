"""Agreement on rationale sets: how well the sets of one annotator are found again among those of another."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from annotator.domain.texts import RationaleSet
from annotator.review.spread import Moments, Spread

_VALUES_AT_ONCE = 100_000


@dataclass(frozen=True, slots=True)
class SetAgreement:
    """Over (instance, pair of its annotators): see best_match_iou. n_alone: instances with one annotator, left out."""

    best_match_iou: Spread
    n_alone: int


def best_match_iou(first: Sequence[RationaleSet], second: Sequence[RationaleSet]) -> float | None:
    """How well two annotators' sets match: for each set its best IoU with a set of the other, mean over the sets of each
    annotator, mean over the two.

    Range:     0 to 1; 1 when each set of one is a set of the other, in whatever order
    Undefined: None when neither has a set. When only one has, nothing matches: 0 (our decision)
    Source:    ours; IoU over tokens as in DeYoung et al. 2020, section 4.1
    >>> best_match_iou([RationaleSet.of((0, 4)), RationaleSet.of((6, 8))], [RationaleSet.of((0, 2))])
    0.375
    """
    return _match(_as_bits(first), _as_bits(second))


def set_agreement(instances: Iterable[Mapping[str, Sequence[RationaleSet]]]) -> SetAgreement:
    """The agreement on sets over some instances, each {annotator: sets}."""
    tally = SetTally()
    for sets in instances:
        tally.add(sets)
    return tally.result()


class SetTally:
    """Matches the sets of each two annotators, instance by instance."""

    def __init__(self) -> None:
        self._moments = Moments()
        self._values: list[float] = []
        self._n_alone = 0

    def add(self, sets_by_annotator: Mapping[str, Sequence[RationaleSet]]) -> None:
        """Take in one instance."""
        if len(sets_by_annotator) < 2:
            self._n_alone += len(sets_by_annotator)
            return
        bits = [_as_bits(sets) for sets in sets_by_annotator.values()]
        for first, second in combinations(bits, 2):
            value = _match(first, second)
            self._values.append(np.nan if value is None else value)
        if len(self._values) > _VALUES_AT_ONCE:
            self._settle()

    def result(self) -> SetAgreement:
        """The agreement over what was taken in so far."""
        self._settle()
        return SetAgreement(self._moments.of_all(), self._n_alone)

    def _settle(self) -> None:
        self._moments.add(np.array(self._values, dtype=np.float64))
        self._values = []


def _as_bits(sets: Sequence[RationaleSet]) -> list[int]:
    """Each set as one number with a bit for each token: sizes of overlaps are then counts of bits."""
    return [_bits(rationale_set) for rationale_set in sets]


def _bits(rationale_set: RationaleSet) -> int:
    bits = 0
    for span in rationale_set.spans:
        bits |= (1 << span.end) - (1 << span.start)
    return bits


def _match(first: Sequence[int], second: Sequence[int]) -> float | None:
    if not first and not second:
        return None
    if not first or not second:
        return 0.0
    ious = [[(mask & other).bit_count() / (mask | other).bit_count() for other in second] for mask in first]
    return (_mean_of_best(ious) + _mean_of_best(list(zip(*ious, strict=True)))) / 2


def _mean_of_best(ious: Sequence[Sequence[float]]) -> float:
    return sum(max(row) for row in ious) / len(ious)
