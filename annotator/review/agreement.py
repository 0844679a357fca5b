"""Agreement between the annotators of a project: on labels, on tokens, and on sets."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from annotator.domain.instances import Annotation, Instance
from annotator.domain.sources import is_mask_of_nobody
from annotator.domain.texts import RationaleSet
from annotator.review.gold import that_count
from annotator.review.label_agreement import LabelAgreement, LabelTally
from annotator.review.rater_agreement import AgainstRest, RestTally
from annotator.review.spread import Moments, Spread
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


@dataclass(frozen=True, slots=True)
class Agreement:
    """All the agreement of annotators that a project's annotations allow to compute.

    n_annotations:  annotations that take part: each annotator's latest round at an instance, submitted or accepted
    n_other_result: of these, those without the gold result (where several tie, all); they take part for labels alone
    n_marks_alone:  of these, marks of which the file does not say whose they are; they do not take part for labels
    n_labels_alone: labels of people whose marks are not known; they take part for labels alone, and are not among these
    against_rest:   each annotator against all others of the same instances
    """

    n_annotations: int
    n_other_result: int
    n_marks_alone: int
    n_labels_alone: int
    labels: LabelAgreement
    tokens: TokenAgreement
    sets: SetAgreement
    against_rest: tuple[AgainstRest, ...]


def taking_part(annotations: Sequence[Annotation]) -> list[Annotation]:
    """Of each annotator the latest round that is submitted or accepted, in the order in which they came."""
    latest: dict[str, Annotation] = {}
    for annotation in annotations:
        known = latest.get(annotation.annotator)
        if annotation.state in {"submitted", "accepted"} and (
            known is None or (annotation.round_number, annotation.id) > (known.round_number, known.id)
        ):
            latest[annotation.annotator] = annotation
    return list(latest.values())


def labels_alone(annotations: Sequence[Annotation], part: Sequence[Annotation]) -> list[Annotation]:
    """Where marks of nobody known take part: what a file says of those who gave a label, since some of the marks are theirs."""
    if not any(is_mask_of_nobody(a.annotator) for a in part):
        return []
    names = {a.annotator for a in part}
    brought = (a for a in annotations if a.state == "reference" and a.user_id is None and a.annotator not in names)
    return [a for a in brought if a.result is not None and not a.sets]


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
        self._rest = RestTally()
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

    def result(self) -> Agreement:
        """The agreement over what was taken in so far."""
        return Agreement(
            self._n_annotations,
            self._n_other_result,
            self._n_marks_alone,
            self._n_labels_alone,
            self._labels.result(),
            self._tokens.result(),
            self._sets.result(),
            self._rest.result(),
        )
