"""What models answer and give as their reasons: runs, predictions, attributions, machine rationales; and trainings."""

import json
import math
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, Problem
from annotator.language import _

Input = Literal["full", "rationale", "rest"]
Unit = Literal["logit", "probability", "none"]
RationaleKind = Literal["hard", "ranked"]
Facts = tuple[tuple[str, float], ...]  # (name, number) by name, so that equal facts are equal

_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Run:
    """One (model, method, parameters, seed). Runs of one model and method that differ in the seed alone form a group.

    method:     "" for the model's own answers, without a reason
    parameters: JSON with sorted keys, so that equal parameters are equal
    is_signed:  scores may oppose as well as support; None where nobody said so: then they are unsigned if none is below 0
    """

    model: str
    method: str = ""
    parameters: str = "{}"
    seed: int | None = None
    unit: Unit = "none"
    is_signed: bool | None = None

    def __post_init__(self) -> None:
        if not 1 <= len(self.model.strip()) <= 200:
            raise InvalidValue(_("Model names have 1 to 200 characters."))

    @property
    def group(self) -> tuple[str, str, str]:
        """What runs with other seeds have in common."""
        return self.model, self.method, self.parameters

    def answers(self) -> "Run":
        """The run of the same model and seed that holds its answers to the full input."""
        return Run(self.model, seed=self.seed)


def canonical_parameters(parameters: Mapping[str, object]) -> str:
    """Parameters as they are compared.

    >>> canonical_parameters({"steps": 50, "baseline": "mask"})
    '{"baseline": "mask", "steps": 50}'
    """
    return json.dumps(dict(parameters), sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a model answers.

    result:    the label or answer; None where only probabilities are given
    on:        the full input, the rationale alone, or the input without the rationale
    threshold: the share of tokens that made the rationale (ERASER's AOPC); None for the method's own rationale
    """

    result: str | None
    probabilities: Mapping[str, float] = field(default_factory=dict)
    on: Input = "full"
    threshold: float | None = None

    @property
    def label(self) -> str | None:
        """The stated result, else the label of the highest probability, the first of equals."""
        if self.result is None and self.probabilities:
            return max(self.probabilities, key=self.probabilities.__getitem__)
        return self.result


@dataclass(frozen=True, slots=True)
class Subword:
    """A subword or a word of the source. start, end: characters of its segment's text, half open; None if not given."""

    text: str
    start: int | None = None
    end: int | None = None
    is_special: bool = False
    segment: str | None = None


def are_finite(numbers: Sequence[float]) -> bool:
    """Whether none is NaN or infinite. Then their sum is finite too, which is known sooner, unless it is too large."""
    return math.isfinite(sum(numbers)) or all(map(math.isfinite, numbers))


def facts_from(numbers: Mapping[str, float]) -> Facts:
    """A method's own numbers (R², convergence ...) as they are stored: by name, six digits; one that is undefined is left out.

    >>> facts_from({"r2": 0.87654321, "base": float("nan")})
    (('r2', 0.876543),)
    """
    return tuple((name, float(f"{n:.{_DIGITS}g}")) for name, n in sorted(numbers.items()) if math.isfinite(n))


@dataclass(frozen=True, slots=True)
class ScoredPart:
    """Scores of one stretch of an instance.

    place:   a segment's name, a document's name, or `<key>_<segment>`; None: the whole instance, selectable segments first
    subwords:  what the scores belong to; None: the tokens of the place, one score each
    ranking: token numbers of the place by importance, where the file's order is the ranking
    scores may be shorter than the place only where `is_partial` says that the model did not see the rest
    """

    scores: tuple[float, ...]
    place: str | None = None
    subwords: tuple[Subword, ...] | None = None
    ranking: tuple[int, ...] | None = None
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class SourceAttribution:
    """One score a token (or a subword), for one label and layer. label "": the file does not say which is explained.

    written: of an answer that was written, each of its subwords; the scores are then their mean
    """

    parts: tuple[ScoredPart, ...]
    label: str = ""
    layer: int | None = None
    convergence: float | None = None
    facts: Facts = ()
    written: "SourceWritten | None" = None


@dataclass(frozen=True, slots=True)
class SourceWritten:
    """The subwords of an answer, the scores of the text for each, and those of the subwords before it; see Written."""

    subwords: tuple[str, ...]
    steps: tuple[SourceAttribution, ...]
    earlier: tuple[tuple[float, ...], ...]
    facts: tuple[Facts, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkedPart:
    """Spans (hard, half open) or tokens by importance (ranked) of one place; see ScoredPart for places."""

    spans: tuple[tuple[int, int], ...] = ()
    ranking: tuple[int, ...] = ()
    place: str | None = None


@dataclass(frozen=True, slots=True)
class Quotes:
    """What became of the quotes that a model gave as its reason.

    n, n_missing: how many there were, and how many of them are not in the text; missing: the first of these, as it wrote them
    n_sets: how many sets they made, where sets were given; sets: the spans of each set of which every quote is in the text
    """

    n: int
    n_missing: int = 0
    missing: tuple[str, ...] = ()
    n_sets: int = 0
    sets: tuple[tuple[tuple[int, int], ...], ...] = ()

    @property
    def token_sets(self) -> tuple[tuple[int, ...], ...]:
        """The tokens of each set."""
        tokens = (sorted({token for start, end in spans for token in range(start, end)}) for spans in self.sets)
        return tuple(dict.fromkeys(map(tuple, tokens)))


@dataclass(frozen=True, slots=True)
class SourceRationale:
    """What a model gives as its reason without scores.

    quotes:  in its own words, which are yet to be found in the instance's texts; then there are no parts
    sets:    the same quotes in the sets that they were given in; () where they were given as one reason
    outcome: of words that were looked for already, which are the parts
    """

    kind: RationaleKind
    parts: tuple[MarkedPart, ...] = ()
    quotes: tuple[str, ...] | None = None
    sets: tuple[tuple[str, ...], ...] = ()
    outcome: Quotes | None = None


@dataclass(frozen=True, slots=True)
class InputText:
    """The text that a row without a key was made of, by which its instance is found.

    letters: those that the text may have, one for each way in which its subwords can be read; () where they are not known
    text:    as it stands in the row, or its subwords with blanks between them
    common:  what all texts of the file begin and end with, where that is known
    subwords:  what the scores belong to, with blanks between them, where the file has the text beside it
    has_key: the row has a key, which goes before its text, but may be no more than the row's number
    """

    letters: tuple[str, ...]
    text: str
    common: tuple[str, str] = ("", "")
    subwords: str = ""
    has_key: bool = False


@dataclass(frozen=True, slots=True)
class SourceOutput:
    """What one row of a file says of one instance: answers, scores, reasons of one run.

    split: None where the file does not say it; then the key must be one instance's
    input: of a row without a key of the project's, its text, which goes before a number that is its key; key may be ""
    """

    key: str
    run: Run
    source: str
    line: int | None
    split: str | None = None
    predictions: tuple[Prediction, ...] = ()
    attributions: tuple[SourceAttribution, ...] = ()
    rationales: tuple[SourceRationale, ...] = ()
    input: InputText | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """An answer that a model wrote subword by subword, with the map of each subword.

    subwords:  as they were written; together they are the answer
    scores:  for each subword those of the instance's tokens, as many as the attribution has; these are the attribution's means
    earlier: for each subword those of the subwords that were written before it
    facts:   for each subword the numbers of its own map, such as how much of it lies on the prompt; () where none are known
    Raises: InvalidValue where these are not one of each for each subword
    """

    subwords: tuple[str, ...]
    scores: tuple[tuple[float, ...], ...]
    earlier: tuple[tuple[float, ...], ...]
    facts: tuple[Facts, ...] = ()

    def __post_init__(self) -> None:
        if not self.subwords or not len(self.subwords) == len(self.scores) == len(self.earlier):
            raise InvalidValue(_("Generated text needs subwords, and a score row for each."))
        if len({len(row) for row in self.scores}) > 1 or [len(row) for row in self.earlier] != [
            *range(len(self.subwords))
        ]:
            raise InvalidValue(_("Each score row needs a score per token and earlier generated subword."))
        if self.facts and len(self.facts) != len(self.subwords):
            raise InvalidValue(_("Give details for all generated subwords or none."))

    @property
    def text(self) -> str:
        """The answer, without the blanks around it."""
        return "".join(self.subwords).strip()


@dataclass(frozen=True, slots=True)
class Attribution:
    """Scores of an instance's tokens, as they are stored.

    scores:  float for each selectable token, or for each token of the instance; NaN where the model gave none
    ranking: token indices by importance, where the source's order is the ranking
    subwords:  the source's subwords with their scores, where it had some
    facts:   the method's own numbers of how far these scores can be trusted; see `facts_from`
    written: of a model that writes its answer, what the scores are the means of
    """

    scores: tuple[float, ...]
    label: str = ""
    layer: int | None = None
    ranking: tuple[int, ...] | None = None
    subwords: tuple[tuple[Subword, float], ...] | None = None
    convergence: float | None = None
    facts: Facts = ()
    written: Written | None = None

    def __post_init__(self) -> None:
        if self.written is not None and len(self.written.scores[0]) != len(self.scores):
            raise InvalidValue(
                _(
                    "Generated subwords have scores for {tokens}, the attribution has {scores}.",
                    tokens=counted(len(self.written.scores[0]), "token"),
                    scores=counted(len(self.scores), "score"),
                )
            )


@dataclass(frozen=True, slots=True)
class MachineRationale:
    """A model's reason in instance token indices: spans (hard), or tokens by importance (ranked).

    quotes: where the spans were found by what the model quoted
    """

    kind: RationaleKind
    spans: tuple[tuple[int, int], ...] = ()
    ranking: tuple[int, ...] = ()
    quotes: Quotes | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """Everything that a run says of one instance, in instance token indices."""

    instance_id: int
    predictions: tuple[Prediction, ...] = ()
    attributions: tuple[Attribution, ...] = ()
    rationales: tuple[MachineRationale, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredOutput:
    """What a run says of an instance, on its way into or out of our own JSONL; the instance is named by key and split."""

    key: str
    split: str
    run: Run
    output: Output
    source: str = ""
    line: int | None = None


# What is new or other in what a run says of an instance, against what it said before.


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
    subwords = None if a.subwords is None else [(subword, repr(score)) for subword, score in a.subwords]
    written = None if a.written is None else (a.written.subwords, repr(a.written.scores), a.written.earlier)
    return array("d", a.scores).tobytes(), a.ranking, subwords, a.convergence, a.facts, written


def _rationales(before: Output, new: Output) -> Iterator[tuple[str, MachineRationale]]:
    known = {r.kind: r for r in before.rationales}
    for r in new.rationales:
        old = known.get(r.kind)
        if old != r:
            yield "" if old is None else f"the {r.kind} rationale", r


# What a model that was trained here learned from, and how often it is right about what it did not learn from.


Way = Literal["splits", "folds"]


@dataclass(frozen=True, slots=True)
class HeldOut:
    """Answers to texts that were not learned from.

    way:       "splits": the model's own, to the texts of other splits; "folds": those of five models, each asked about the fifth
               of the documents that it did not learn from
    n, n_right: of the texts; of a project that asks for answers, right is an exact match
    label:     the commonest gold label of these texts, "" for "no answer" where answers are asked for; n_label: how many have it
    low, high: 95 % interval of the share that is right less that share; None where there is none
    """

    way: Way
    n: int
    n_right: int
    label: str
    n_label: int
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if not (0 <= self.n_right <= self.n and 0 <= self.n_label <= self.n and self.n > 0):
            raise InvalidValue(
                _(
                    "Of {texts}, {n_right} can't be right, {n_label} of one label.",
                    texts=counted(self.n, "text"),
                    n_right=self.n_right,
                    n_label=self.n_label,
                )
            )

    @property
    def accuracy(self) -> float:
        return self.n_right / self.n

    @property
    def share_of_label(self) -> float:
        return self.n_label / self.n


@dataclass(frozen=True, slots=True)
class StoredTraining:
    """A training of a model. split: that it learned from; None for all instances. n: how many instances that were."""

    id: int
    model: str
    digest: str
    seed: int
    split: str | None
    trained_at: str
    n: int
    held_out: HeldOut | None = None
