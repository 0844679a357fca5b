"""The format `eraser-predictions` as model output: what a model selects, scores and answers, by document.

The rows are those of formats/eraser/predictions.py, which reads the same file for the scorer. `soft_sentence_predictions`
and unknown keys are left out. A span from -1 to -1, which others write for "nothing selected", is none.
"""

from collections.abc import Iterator
from pathlib import Path

import msgspec
from msgspec import UNSET

from annotator.domain.models import (
    Input,
    MarkedPart,
    Prediction,
    Run,
    ScoredPart,
    SourceAttribution,
    SourceOutput,
    SourceRationale,
)  # fmt: skip
from annotator.errors import Problem
from annotator.formats.base import OutputOptions
from annotator.formats.eraser.gold import FARTHEST, read_typed
from annotator.formats.eraser.predictions import DocumentRow, PredictionRow
from annotator.formats.model_output.output_rows import OutputFile, check_scores
from annotator.formats.rows.findings import Findings
from annotator.language import _


def read(path: Path, options: OutputOptions) -> Iterator[SourceOutput | Problem]:
    """The rows of a predictions file; places are the documents' names.

    Raises: NotFound or InvalidValue when the file cannot be read, or no model is named
    """
    file = OutputFile(path.name, options, "eraser")
    problems: list[Problem] = []
    lines = read_typed(path, msgspec.json.Decoder(PredictionRow), problems)
    first = next(lines, None)  # the file itself comes before what is missing beside it
    file.require_model()
    run = Run(options.model, options.method or "eraser", seed=options.seed)
    known: dict[str, int] = {}
    while first is not None:
        line, row = first
        yield from problems
        problems.clear()
        yield from _row(row, line.number, run, file, known)
        first = next(lines, None)
    yield from problems


def _row(
    row: PredictionRow, line: int, run: Run, file: OutputFile, known: dict[str, int]
) -> Iterator[SourceOutput | Problem]:
    findings = Findings(file.source, line)
    if known.setdefault(row.annotation_id, line) != line:
        reason = _("The instance stands in line {line} too; keep one of the two rows.", line=known[row.annotation_id])
        findings.refuse("annotation_id", row.annotation_id, reason)
    output = SourceOutput(
        f"{file.options.key_prefix}{row.annotation_id}",
        run,
        file.source,
        line,
        file.options.split,
        tuple(_predictions(row, findings)),
        tuple(_attributions(row, file.options.key_prefix, findings)),
        tuple(_rationales(row, file.options.key_prefix, findings)),
    )
    if not (output.predictions or output.attributions or output.rationales):
        findings.warn(
            "annotation_id",
            row.annotation_id,
            _("The row holds no answer, no scores and no selection; it is left out."),
        )
    elif not findings.is_refused:
        yield output
    yield from findings.problems


def _rationales(row: PredictionRow, prefix: str, findings: Findings) -> Iterator[SourceRationale]:
    """The selected spans by document, where any entry says what is selected."""
    spans: dict[str, list[tuple[int, int]]] = {}
    for number, entry in enumerate(row.rationales):
        if entry.hard_rationale_predictions is not UNSET:
            spans.setdefault(f"{prefix}{entry.docid}", []).extend(_spans(entry, f"rationales[{number}]", findings))
    if spans:
        yield SourceRationale("hard", tuple(MarkedPart(tuple(of_one), place=docid) for docid, of_one in spans.items()))


def _spans(entry: DocumentRow, field_prefix: str, findings: Findings) -> Iterator[tuple[int, int]]:
    for number, span in enumerate(entry.hard_rationale_predictions or ()):
        start, end = span.start_token, span.end_token
        if 0 <= start < end <= FARTHEST:
            yield start, end
        elif (start, end) != (-1, -1):
            reason = _(
                "It goes from token {start} to {end} (exclusive); it needs 0 <= start < end.", start=start, end=end
            )
            findings.refuse(f"{field_prefix}.hard_rationale_predictions[{number}]", [start, end], reason)


def _attributions(row: PredictionRow, prefix: str, findings: Findings) -> Iterator[SourceAttribution]:
    """The soft scores of all documents together; the file does not say for which label they are."""
    parts: dict[str, ScoredPart] = {}
    for number, entry in enumerate(row.rationales):
        scores = entry.soft_rationale_predictions
        if scores is UNSET:
            continue
        field_name, docid = f"rationales[{number}].soft_rationale_predictions", f"{prefix}{entry.docid}"
        if docid in parts:
            reason = _("The document '{docid}' has scores twice in this row; keep one of the two.", docid=entry.docid)
            findings.refuse(field_name, entry.docid, reason)
        check_scores(scores, findings, field_name)
        parts[docid] = ScoredPart(tuple(scores), docid)
    if parts:
        yield SourceAttribution(tuple(parts.values()))


def _predictions(row: PredictionRow, findings: Findings) -> Iterator[Prediction]:
    """The answers on the full input, without the rationale and on it alone, and at each share of tokens."""
    if row.classification is not UNSET or row.classification_scores is not UNSET:
        label = None if row.classification is UNSET else row.classification
        yield Prediction(label, {} if row.classification_scores is UNSET else row.classification_scores)
    on_parts: tuple[tuple[Input, object], ...] = (
        ("rest", row.comprehensiveness_classification_scores),
        ("rationale", row.sufficiency_classification_scores),
    )
    for on, scores in on_parts:
        if isinstance(scores, dict):
            yield Prediction(None, scores, on)
    seen: set[float] = set()
    for number, at_threshold in enumerate(row.thresholded_scores or ()):
        if at_threshold.threshold in seen:
            field_name = f"thresholded_scores[{number}].threshold"
            findings.refuse(field_name, at_threshold.threshold, _("The threshold appears twice; keep one of the two."))
        seen.add(at_threshold.threshold)
        yield Prediction(None, at_threshold.comprehensiveness_classification_scores, "rest", at_threshold.threshold)
        yield Prediction(None, at_threshold.sufficiency_classification_scores, "rationale", at_threshold.threshold)
