"""Agreement between the annotators of a project: on labels, on tokens, and on sets; their disagreement taken apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import combinations
from math import fsum
from statistics import fmean

import numpy as np

from annotator.domain.instances import Annotation, Instance
from annotator.domain.sources import is_mask_of_nobody
from annotator.domain.texts import RationaleSet
from annotator.review.coefficients import Moments, Spread
from annotator.review.gold import labels_alone, latest_of_each, that_count
from annotator.review.label_agreement import LabelAgreement, LabelTally
from annotator.review.rater_agreement import AgainstRest, RestTally
from annotator.review.token_agreement import InstanceVotes, TokenAgreement, TokenTally

# Agreement on rationale sets: how well the sets of one annotator are found again among those of another.


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
    return sum(sum(best) / len(best) for best in _best_ious(first, second)) / 2


_BestIous = tuple[list[float], list[float]]


def _best_ious(first: Sequence[int], second: Sequence[int]) -> _BestIous:
    """For each set of two annotators its best IoU with a set of the other; 0 where the other has none."""
    ious = [[(mask & other).bit_count() / (mask | other).bit_count() for other in second] for mask in first]
    return [max(row, default=0.0) for row in ious], [
        max(row[at] for row in ious) if ious else 0.0 for at in range(len(second))
    ]


# Disagreement of two annotators taken apart: another label, another reason, or the same reason with another extent.


COUNTERPART = 0.5  # the IoU from which two sets are the same reason
_MOST = 10  # instances that are listed


@dataclass(frozen=True, slots=True)
class Disagreement:
    """How far two annotators disagree about an instance, or the mean over its pairs; the parts sum to the total.

    label:  1 if their labels differ, and then the rest is 0
    reason: from sets without a counterpart; extent: from sets with one that is cut otherwise
    """

    label: float
    reason: float
    extent: float

    @property
    def total(self) -> float:
        return self.label + self.reason + self.extent


@dataclass(frozen=True, slots=True)
class InstanceDisagreement(Disagreement):
    """An instance with the means over its pairs of annotators."""

    key: str
    split: str


@dataclass(frozen=True, slots=True)
class DisagreementParts:
    """Means over instances of means over pairs; None where no pair marked anything.

    n_pairs, n_instances: that take part; n_left_out: pairs with the same label and no sets, for which nothing is defined
    n_one_gave_more: pairs of which one alone has sets without counterpart; n_other_reason: both have
    n_other_label:   pairs with different labels; n_same_reason: of these, with the same reason (best_match_iou ≥ 0.5)
    most:            the instances with the largest sums
    """

    label: float | None = None
    reason: float | None = None
    extent: float | None = None
    n_pairs: int = 0
    n_instances: int = 0
    n_left_out: int = 0
    n_one_gave_more: int = 0
    n_other_reason: int = 0
    n_other_label: int = 0
    n_same_reason: int = 0
    most: tuple[InstanceDisagreement, ...] = ()


def disagreement(first: Annotation, second: Annotation, *, counterpart: float = COUNTERPART) -> Disagreement | None:
    """Two annotations of an instance taken apart; a label that is not known differs from none.

    counterpart: the IoU from which two sets are the same reason
    Range:     0 to 1 each, and their sum; 0 iff labels and sets are the same. Without other labels the sum is
               1 − best_match_iou
    Undefined: None when neither has a set and the labels do not differ; one without sets: reason 1
    Source:    ours
    """
    best = _best_ious(_as_bits(first.sets), _as_bits(second.sets))
    return _apart(best, counterpart, is_other_label=_differs(first, second))


def _apart(best: _BestIous, counterpart: float, *, is_other_label: bool) -> Disagreement | None:
    if is_other_label:
        return Disagreement(1.0, 0.0, 0.0)
    if not any(best):
        return None
    if not all(best):
        return Disagreement(0.0, 1.0, 0.0)
    reason = extent = 0.0
    for ious in best:
        reason += fsum(1 - iou for iou in ious if iou < counterpart) / len(ious) / 2
        extent += fsum(1 - iou for iou in ious if iou >= counterpart) / len(ious) / 2
    return Disagreement(0.0, reason, extent)


def _differs(first: Annotation, second: Annotation) -> bool:
    return None not in {first.result, second.result} and first.result != second.result


class DisagreementTally:
    """Takes apart the disagreement of each two annotators, instance by instance."""

    def __init__(self) -> None:
        self._of_instances: list[InstanceDisagreement] = []
        self._has_sets = False
        self._n_pairs = self._n_left_out = 0
        self._n_one_gave_more = self._n_other_reason = self._n_other_label = self._n_same_reason = 0

    def add(self, instance: Instance, annotations: Sequence[Annotation]) -> None:
        """Take in the annotations of an instance that take part, one of each annotator."""
        masks = [_as_bits(annotation.sets) for annotation in annotations]
        self._has_sets |= any(masks)
        parts: list[Disagreement] = []
        for (first, of_first), (second, of_second) in combinations(zip(annotations, masks, strict=True), 2):
            best, is_other_label = _best_ious(of_first, of_second), _differs(first, second)
            part = _apart(best, COUNTERPART, is_other_label=is_other_label)
            self._count(best, is_other_label=is_other_label)
            self._n_left_out += part is None
            parts += [] if part is None else [part]
        self._n_pairs += len(parts)
        if parts:
            label, reason, extent = (fmean(getattr(p, name) for p in parts) for name in ("label", "reason", "extent"))
            self._of_instances.append(InstanceDisagreement(label, reason, extent, instance.key, instance.split))

    def _count(self, best: _BestIous, *, is_other_label: bool) -> None:
        lacking = [any(iou < COUNTERPART for iou in ious) for ious in best]
        if is_other_label:
            self._n_other_label += 1
            self._n_same_reason += all(best) and sum(map(fmean, best)) / 2 >= COUNTERPART
        elif any(lacking):
            self._n_other_reason += all(lacking)
            self._n_one_gave_more += not all(lacking)

    def result(self) -> DisagreementParts:
        """The means; without any sets there is nothing to take apart, since equal labels alone are not defined."""
        if not self._has_sets or not self._of_instances:
            return DisagreementParts(n_left_out=self._n_pairs + self._n_left_out)
        label, reason, extent = (
            fmean(getattr(of, name) for of in self._of_instances) for name in ("label", "reason", "extent")
        )
        most = nlargest(_MOST, (of for of in self._of_instances if of.total), key=lambda of: of.total)
        return DisagreementParts(
            label, reason, extent, self._n_pairs, len(self._of_instances), self._n_left_out, self._n_one_gave_more,
            self._n_other_reason, self._n_other_label, self._n_same_reason, tuple(most),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Agreement:
    """All the agreement of annotators that a project's annotations allow to compute.

    n_annotations:  annotations that take part: each annotator's latest round at an instance, submitted or accepted
    n_other_result: of these, those without the gold result (where several tie, all); they take part for labels alone
    n_marks_alone:  of these, marks of which the file does not say whose they are; they do not take part for labels
    n_labels_alone: labels of people whose marks are not known; they take part for labels alone, and are not among these
    against_rest:   each annotator against all others of the same instances
    disagreement:   of each two annotators, by label, reason and extent
    """

    n_annotations: int
    n_other_result: int
    n_marks_alone: int
    n_labels_alone: int
    labels: LabelAgreement
    tokens: TokenAgreement
    sets: SetAgreement
    against_rest: tuple[AgainstRest, ...]
    disagreement: DisagreementParts = DisagreementParts()


def taking_part(annotations: Sequence[Annotation]) -> list[Annotation]:
    """Of each annotator the latest round that is submitted or accepted, in the order in which they came."""
    return latest_of_each(a for a in annotations if a.state in {"submitted", "accepted"})


def votes_of(annotations: Sequence[Annotation], n_selectable: int) -> InstanceVotes:
    """What each of an instance's annotators marked, as rows of its selectable tokens."""
    marked = np.zeros((len(annotations), n_selectable), dtype=np.bool_)
    for row, annotation in zip(marked, annotations, strict=True):
        for rationale_set in annotation.sets:
            for span in rationale_set.spans:
                row[span.start : span.end] = True
    return InstanceVotes(tuple(annotation.annotator for annotation in annotations), marked)


class AgreementTally:
    """Takes in a project instance by instance."""

    def __init__(self) -> None:
        self._labels, self._tokens, self._sets = LabelTally(), TokenTally(), SetTally()
        self._rest, self._disagreement = RestTally(), DisagreementTally()
        self._n_annotations = self._n_other_result = self._n_marks_alone = self._n_labels_alone = 0

    def add(self, instance: Instance, annotations: Sequence[Annotation]) -> None:
        """Take in an instance with all its annotations, whatever their states and rounds."""
        part = taking_part(annotations)
        counting = that_count(instance, part)
        self._n_annotations += len(part)
        self._n_other_result += len(part) - len(counting)
        by_people = [a for a in part if not is_mask_of_nobody(a.annotator)]
        by_label_alone = labels_alone(annotations, part)
        self._n_marks_alone += len(part) - len(by_people)
        self._n_labels_alone += len(by_label_alone)
        labels = {a.annotator: a.result for a in (*by_people, *by_label_alone) if a.result is not None}
        votes = votes_of(counting, instance.layout.n_selectable)
        self._labels.add(labels)
        self._tokens.add(votes)
        self._rest.add(votes, labels)
        self._sets.add({a.annotator: a.sets for a in counting})
        self._disagreement.add(instance, part)

    def result(self) -> Agreement:
        """The agreement over what was taken in so far."""
        return Agreement(
            self._n_annotations, self._n_other_result, self._n_marks_alone, self._n_labels_alone, self._labels.result(),
            self._tokens.result(), self._sets.result(), self._rest.result(), self._disagreement.result(),
        )  # fmt: skip
