"""Agreement between the annotators of a project: on labels, on tokens, on sets."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotator.domain.instances import Annotation, Instance
from annotator.domain.sources import is_mask_of_nobody
from annotator.review.gold import that_count
from annotator.review.label_agreement import LabelAgreement, LabelTally
from annotator.review.rater_agreement import AgainstRest, RestTally
from annotator.review.set_agreement import SetAgreement, SetTally
from annotator.review.token_agreement import InstanceVotes, TokenAgreement, TokenTally


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
