"""The format `eraser-predictions`: what a model selects, scores and answers, as the ERASER scorer reads it (jsonl).

    {"annotation_id": str,
     "rationales": [{"docid": str, "hard_rationale_predictions": [{"start_token": int, "end_token": int}, ...],
                     "soft_rationale_predictions": [float a token], "soft_sentence_predictions": [float a sentence]}],
     "classification": str, "classification_scores": {label: float},
     "comprehensiveness_classification_scores": {...}, "sufficiency_classification_scores": {...},
     "thresholded_scores": [{"threshold": float, and the last two}, ...]}

Unknown keys are left alone. Numbers go into arrays as they are read, so that memory grows with them and not with the file.
"""

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from annotator.domain import models
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import OutputOptions
from annotator.formats.eraser.gold import FARTHEST, KeyNumbers, read_typed
from annotator.formats.model_output.output_rows import OutputFile, check_scores
from annotator.formats.rows.findings import Findings
from annotator.language import _
from annotator.metrics.eraser_spans import Spans, overlapping
from annotator.metrics.ragged import Integers, Ragged

Probabilities = dict[str, float]
SCORED = ("soft_rationale_predictions", "soft_sentence_predictions")
ANSWERED = (
    "classification",
    "classification_scores",
    "comprehensiveness_classification_scores",
    "sufficiency_classification_scores",
    "thresholded_scores",
)


class HardRow(msgspec.Struct):
    """A selected span of tokens, half open."""

    start_token: int
    end_token: int


class DocumentRow(msgspec.Struct):
    """What is selected and scored in one document."""

    docid: str
    hard_rationale_predictions: list[HardRow] | UnsetType = UNSET
    soft_rationale_predictions: list[float] | UnsetType = UNSET
    soft_sentence_predictions: list[float] | UnsetType = UNSET


class Thresholded(msgspec.Struct):
    """The answers at one share of removed or kept tokens."""

    threshold: float
    comprehensiveness_classification_scores: Probabilities
    sufficiency_classification_scores: Probabilities


class PredictionRow(msgspec.Struct):
    """One line of the file."""

    annotation_id: str
    rationales: list[DocumentRow]
    classification: str | UnsetType = UNSET
    classification_scores: Probabilities | UnsetType = UNSET
    comprehensiveness_classification_scores: Probabilities | UnsetType = UNSET
    sufficiency_classification_scores: Probabilities | UnsetType = UNSET
    thresholded_scores: list[Thresholded] | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model answers for one instance; None for what the file does not hold.

    p_full, p_without, p_only: a score for each label, on the whole input, without the rationale, on the rationale alone
    """

    line: int
    annotation_id: str
    label: str
    p_full: Mapping[str, float]
    p_without: Mapping[str, float] | None
    p_only: Mapping[str, float] | None
    thresholded: tuple[Thresholded, ...] | None


@dataclass(slots=True)
class SoftLists:
    """Lists of scores, one after the other. Shapes: values float[total], keys, lines, lengths int[n_lists]."""

    values: "array[float]" = field(default_factory=lambda: array("d"))
    keys: "array[int]" = field(default_factory=lambda: array("q"))
    lines: "array[int]" = field(default_factory=lambda: array("q"))
    lengths: "array[int]" = field(default_factory=lambda: array("q"))

    def add(self, key: int, line: int, scores: list[float]) -> None:
        """Take a list."""
        self.values.fromlist(scores)
        self.keys.append(key)
        self.lines.append(line)
        self.lengths.append(len(scores))

    def rows(self) -> Ragged[np.float64]:
        """The lists as rows."""
        offsets = np.concatenate([[0], np.cumsum(np.array(self.lengths, dtype=np.int64))]).astype(np.int64)
        return Ragged(np.array(self.values, dtype=np.float64), offsets)


@dataclass(slots=True)
class Predictions:
    """A predictions file.

    Shapes: entries int[n_entries, 2], key and line of each document entry; hard int[n_spans, 3], entry, start, end
    """

    source: str
    lines_of_ids: dict[str, int]
    entries: Integers
    hard: Integers
    has_hard: bool
    n_without_hard: int
    tokens: SoftLists
    sentences: SoftLists
    answers: list[Answer]
    problems: list[Problem]

    def keys_of_hard(self) -> Integers:
        """int[n_spans]: the key of each selected span."""
        keys: Integers = self.entries[self.hard[:, 0], 0]
        return keys


def read_predictions(path: Path, keys: KeyNumbers) -> Predictions:
    """The predictions of a file, with everything that is wrong in it by itself; documents are not looked at here.

    Raises: NotFound or InvalidValue when there is no such file, or nothing in it
    """
    reader = _Reader(path.name, keys)
    n_rows = 0
    for line, row in read_typed(path, msgspec.json.Decoder(PredictionRow), reader.problems):
        reader.add(line.number, row)
        n_rows += 1
    if not n_rows and not reader.problems:
        raise InvalidValue(f"'{path}' holds no prediction; write one row an instance.")
    return reader.finished()


@dataclass(slots=True)
class _Reader:
    source: str
    keys: KeyNumbers
    problems: list[Problem] = field(default_factory=list)
    ids: dict[str, int] = field(default_factory=dict)
    entries: "array[int]" = field(default_factory=lambda: array("q"))
    hard: "array[int]" = field(default_factory=lambda: array("q"))
    n_with_hard: int = 0
    tokens: SoftLists = field(default_factory=SoftLists)
    sentences: SoftLists = field(default_factory=SoftLists)
    answers: list[Answer] = field(default_factory=list)
    first: dict[str, tuple[int, bool]] = field(
        default_factory=dict
    )  # field: the first line that tells, and whether it has it
    thresholds: tuple[float, ...] | None = None

    def add(self, line: int, row: PredictionRow) -> None:
        """Take a row; what is wrong with it is noted."""
        findings = Findings(self.source, line)
        known = self.ids.setdefault(row.annotation_id, line)
        if known != line:
            reason = f"The instance stands in line {known} too; keep one of the two rows."
            findings.refuse("annotation_id", row.annotation_id, reason)
        for number, rationale in enumerate(row.rationales):
            self._add_entry(rationale, f"rationales[{number}]", row.annotation_id, findings)
        for name in ANSWERED:
            self._all_or_none(name, getattr(row, name) is not UNSET, findings)
        self._add_answer(row, findings)
        self.problems.extend(findings.problems)

    def finished(self) -> Predictions:
        """Everything that was read."""
        entries = np.array(self.entries, dtype=np.int64).reshape(-1, 2)
        hard = np.array(self.hard, dtype=np.int64).reshape(-1, 3)
        self.problems.extend(self._overlaps(entries, hard))
        return Predictions(
            self.source, self.ids, entries, hard, self.n_with_hard > 0, len(entries) - self.n_with_hard, self.tokens,
            self.sentences, self.answers, self.problems,
        )  # fmt: skip

    def _add_entry(self, entry: DocumentRow, field_prefix: str, annotation_id: str, findings: Findings) -> None:
        line = findings.line or 0
        key, number = self.keys.of(annotation_id, entry.docid), len(self.entries) // 2
        self.entries.extend((key, line))
        if entry.hard_rationale_predictions is not UNSET:
            self.n_with_hard += 1
            for position, span in enumerate(entry.hard_rationale_predictions):
                if max(abs(span.start_token), abs(span.end_token)) > FARTHEST:
                    name = f"{field_prefix}.hard_rationale_predictions[{position}]"
                    findings.refuse(name, [span.start_token, span.end_token], "No document has so many tokens.")
                else:
                    self.hard.extend((number, span.start_token, span.end_token))
        for name, lists in zip(SCORED, (self.tokens, self.sentences), strict=True):
            scores = getattr(entry, name)
            self._all_or_none(name, scores is not UNSET, findings, f"{field_prefix}.{name}")
            if scores is not UNSET:
                lists.add(key, line, scores)

    def _all_or_none(self, name: str, is_there: bool, findings: Findings, field_name: str = "") -> None:
        """The scorer takes an optional field in every row (of rationales: in every document entry) or in none."""
        line, first = self.first.setdefault(name, (findings.line or 0, is_there))
        if first != is_there:
            reason = f"Line {line} {'has' if first else 'has no'} '{name}'; every row has it, or none."
            findings.refuse(field_name or name, "missing" if first else "given", reason)

    def _add_answer(self, row: PredictionRow, findings: Findings) -> None:
        label, p_full = row.classification, row.classification_scores
        others = [name for name in ANSWERED if getattr(row, name) is not UNSET]
        needed = ANSWERED[:4] if "thresholded_scores" in others else ANSWERED[:2]
        missing = [name for name in needed if name not in others] if others else []
        for name in missing:
            findings.refuse(name, "missing", f"It is needed beside '{others[-1]}'.")
        if missing or label is UNSET or p_full is UNSET:
            return
        thresholded = None if row.thresholded_scores is UNSET else tuple(
            sorted(row.thresholded_scores, key=lambda scores: scores.threshold)
        )  # fmt: skip
        p_without, p_only = (None if s is UNSET else s for s in (
            row.comprehensiveness_classification_scores, row.sufficiency_classification_scores
        ))  # fmt: skip
        answer = Answer(findings.line or 0, row.annotation_id, label, p_full, p_without, p_only, thresholded)
        self._check_labels(answer, findings)
        self._check_thresholds(answer, findings)
        self.answers.append(answer)

    def _check_labels(self, answer: Answer, findings: Findings) -> None:
        """The label stands in every distribution that is compared with the full one, and so do the full one's labels."""
        compared = [
            (n, s) for n, s in zip(ANSWERED[2:4], (answer.p_without, answer.p_only), strict=True) if s is not None
        ]
        if compared and answer.label not in answer.p_full:
            findings.refuse(
                "classification", answer.label, f"There is no score of '{answer.label}' in classification_scores."
            )
        for name, scores in compared:
            for label in answer.p_full.keys() - scores.keys():
                findings.refuse(name, list(scores), f"The score of the label '{label}' is missing.")
        for number, at_threshold in enumerate(answer.thresholded or ()):
            for name in ANSWERED[2:4]:
                if answer.label not in getattr(at_threshold, name):
                    field_name = f"thresholded_scores[{number}].{name}"
                    findings.refuse(
                        field_name,
                        list(getattr(at_threshold, name)),
                        f"The score of the label '{answer.label}' is missing.",
                    )

    def _check_thresholds(self, answer: Answer, findings: Findings) -> None:
        if answer.thresholded is None:
            return
        thresholds = tuple(scores.threshold for scores in answer.thresholded)
        if self.thresholds is None:
            self.thresholds = thresholds
        if set(thresholds) != set(self.thresholds):
            reason = f"Every row has the thresholds of the first one: {list(self.thresholds)}."
            findings.refuse("thresholded_scores", list(thresholds), reason)
        elif len(set(thresholds)) != len(thresholds):
            findings.refuse("thresholded_scores", list(thresholds), "A threshold appears twice; keep one of the two.")

    def _overlaps(self, entries: Integers, hard: Integers) -> list[Problem]:
        """Two different spans of one document entry that share a token; equal ones pass, as in the scorer."""
        spans = Spans.of(hard[:, 0], hard[:, 1], hard[:, 2], len(entries))
        second = spans.where(overlapping(spans))
        reason = "The span shares a token with another one of the same document entry; join the two."
        return [
            Problem(self.source, int(entries[entry, 1]), "hard_rationale_predictions", f"[{start}, {end})", reason)
            for entry, start, end in zip(second.keys, second.starts, second.ends, strict=True)
        ]


# The format `eraser-predictions` as model output: what a model selects, scores and answers, by document.


def read(path: Path, options: OutputOptions) -> Iterator[models.SourceOutput | Problem]:
    """The rows of a predictions file; places are the documents' names.

    Raises: NotFound or InvalidValue when the file cannot be read, or no model is named
    """
    file = OutputFile(path.name, options, "eraser")
    problems: list[Problem] = []
    lines = read_typed(path, msgspec.json.Decoder(PredictionRow), problems)
    first = next(lines, None)  # the file itself comes before what is missing beside it
    file.require_model()
    run = models.Run(options.model, options.method or "eraser", seed=options.seed)
    known: dict[str, int] = {}
    while first is not None:
        line, row = first
        yield from problems
        problems.clear()
        yield from _row(row, line.number, run, file, known)
        first = next(lines, None)
    yield from problems


def _row(
    row: PredictionRow, line: int, run: models.Run, file: OutputFile, known: dict[str, int]
) -> Iterator[models.SourceOutput | Problem]:
    findings = Findings(file.source, line)
    if known.setdefault(row.annotation_id, line) != line:
        reason = _("Duplicate of line {line}. Keep one.", line=known[row.annotation_id])
        findings.refuse("annotation_id", row.annotation_id, reason)
    output = models.SourceOutput(
        f"{file.options.key_prefix}{row.annotation_id}", run, file.source, line, file.options.split,
        tuple(_predictions(row, findings)), tuple(_attributions(row, file.options.key_prefix, findings)),
        tuple(_rationales(row, file.options.key_prefix, findings)),
    )  # fmt: skip
    if not (output.predictions or output.attributions or output.rationales):
        findings.warn("annotation_id", row.annotation_id, _("Skipped: no prediction, scores or selection."))
    elif not findings.is_refused:
        yield output
    yield from findings.problems


def _rationales(row: PredictionRow, prefix: str, findings: Findings) -> Iterator[models.SourceRationale]:
    """The selected spans by document, where any entry says what is selected."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for number, entry in enumerate(row.rationales):
        if entry.hard_rationale_predictions is not UNSET:
            spans.setdefault(f"{prefix}{entry.docid}", []).extend(_spans(entry, f"rationales[{number}]", findings))
    if spans:
        yield models.SourceRationale(
            "hard", tuple(models.MarkedPart(tuple(of_one), place=docid) for docid, of_one in spans.items())
        )


def _spans(entry: DocumentRow, field_prefix: str, findings: Findings) -> Iterator[tuple[int, int]]:
    for number, span in enumerate(entry.hard_rationale_predictions or ()):
        start, end = span.start_token, span.end_token
        if 0 <= start < end <= FARTHEST:
            yield start, end
        elif (start, end) != (-1, -1):
            reason = _("Must satisfy 0 <= start < end.")
            findings.refuse(f"{field_prefix}.hard_rationale_predictions[{number}]", [start, end], reason)


def _attributions(row: PredictionRow, prefix: str, findings: Findings) -> Iterator[models.SourceAttribution]:
    """The soft scores of all documents together; the file does not say for which label they are."""
    parts: dict[str, models.ScoredPart] = {}
    for number, entry in enumerate(row.rationales):
        scores = entry.soft_rationale_predictions
        if scores is UNSET:
            continue
        field_name, docid = f"rationales[{number}].soft_rationale_predictions", f"{prefix}{entry.docid}"
        if docid in parts:
            reason = _("Duplicate. Keep one.")
            findings.refuse(field_name, entry.docid, reason)
        check_scores(scores, findings, field_name)
        parts[docid] = models.ScoredPart(tuple(scores), docid)
    if parts:
        yield models.SourceAttribution(tuple(parts.values()))


def _predictions(row: PredictionRow, findings: Findings) -> Iterator[models.Prediction]:
    """The answers on the full input, without the rationale and on it alone, and at each share of tokens."""
    if row.classification is not UNSET or row.classification_scores is not UNSET:
        label = None if row.classification is UNSET else row.classification
        yield models.Prediction(label, {} if row.classification_scores is UNSET else row.classification_scores)
    on_parts: tuple[tuple[models.Input, object], ...] = (
        ("rest", row.comprehensiveness_classification_scores),
        ("rationale", row.sufficiency_classification_scores),
    )
    for on, scores in on_parts:
        if isinstance(scores, dict):
            yield models.Prediction(None, scores, on)
    seen: set[float] = set()
    for number, at_threshold in enumerate(row.thresholded_scores or ()):
        if at_threshold.threshold in seen:
            field_name = f"thresholded_scores[{number}].threshold"
            findings.refuse(field_name, at_threshold.threshold, _("Duplicate. Keep one."))
        seen.add(at_threshold.threshold)
        yield models.Prediction(
            None, at_threshold.comprehensiveness_classification_scores, "rest", at_threshold.threshold
        )
        yield models.Prediction(
            None, at_threshold.sufficiency_classification_scores, "rationale", at_threshold.threshold
        )
