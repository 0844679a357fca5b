"""What is new or other in what a run says of an instance, against what it said before."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotator.domain.models import Attribution, MachineRationale, Output, Prediction, Run
from annotator.errors import Problem

_CLOSE, _NONE = 1e-6, 2.0  # probabilities that are the same; no probability


class OutputChange(NamedTuple):
    """What is to be written of an output. overwritten: the first thing that is there otherwise; "" if there is none."""

    output: Output
    overwritten: str = ""

    @property
    def is_change(self) -> bool:
        return bool(self.output.predictions or self.output.attributions or self.output.rationales)


@dataclass(frozen=True, slots=True)
class OutputPlan:
    """What is to be written of a batch, and what is to be told of it.

    changes: what is new or other of each run that the rows speak of, which is made where it is not there yet
    n_new, n_updated, n_unchanged: rows that are taken
    """

    changes: Mapping[Run, Sequence[OutputChange]]
    problems: tuple[Problem, ...]
    n_new: int
    n_updated: int
    n_unchanged: int


def change_of(before: Output | None, new: Output) -> OutputChange:
    """The parts of an output that are not there yet, or otherwise. before: None where nothing is there."""
    if before is None:
        return OutputChange(new)
    predictions = list(_predictions(before, new))
    attributions = list(_attributions(before, new))
    rationales = list(_rationales(before, new))
    output = Output(
        new.instance_id,
        tuple(prediction for _, prediction in predictions),
        tuple(attribution for _, attribution in attributions),
        tuple(rationale for _, rationale in rationales),
    )
    names = [*(name for name, _ in predictions), *(name for name, _ in attributions), *(name for name, _ in rationales)]
    return OutputChange(output, next(filter(None, names), ""))


def _predictions(before: Output, new: Output) -> Iterator[tuple[str, Prediction]]:
    known = {(p.on, p.threshold): p for p in before.predictions}
    for p in new.predictions:
        old = known.get((p.on, p.threshold))
        if old is None or not _says_as_much(old, p):
            yield "" if old is None or _says_as_much(p, old) else f"the answer to the {p.on} input", p


def _says_as_much(old: Prediction, new: Prediction) -> bool:
    """Whether an answer holds all that another one says: its label, and its probabilities where it has some.

    Tools tell more or less of one answer: a label alone, one probability, all of them.
    """
    if old.label != new.label:
        return False
    return all(abs(old.probabilities.get(label, _NONE) - p) <= _CLOSE for label, p in new.probabilities.items())


def _attributions(before: Output, new: Output) -> Iterator[tuple[str, Attribution]]:
    known = {(a.label, a.layer): a for a in before.attributions}
    for a in new.attributions:
        old = known.get((a.label, a.layer))
        if old is None or _as_compared(old) != _as_compared(a):
            yield "" if old is None else "the attribution", a


def _as_compared(a: Attribution) -> tuple[object, ...]:
    """What makes two attributions the same one; scores as their bytes, since NaN (of a token not seen) equals no NaN."""
    pieces = None if a.pieces is None else [(piece, repr(score)) for piece, score in a.pieces]
    written = None if a.written is None else (a.written.pieces, repr(a.written.scores), a.written.earlier)
    return array("d", a.scores).tobytes(), a.ranking, pieces, a.convergence, a.facts, written


def _rationales(before: Output, new: Output) -> Iterator[tuple[str, MachineRationale]]:
    known = {r.kind: r for r in before.rationales}
    for r in new.rationales:
        old = known.get(r.kind)
        if old != r:
            yield "" if old is None else f"the {r.kind} rationale", r
