"""Writing our own JSON lines of model output; what is written reads back as equal values."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.models import (
    Piece,
    Prediction,
    ScoredPart,
    SourceAttribution,
    SourceOutput,
    SourceRationale,
    SourceWritten,
)
from annotator.errors import ExportRefused
from annotator.formats.model_output.own_line_fields import (
    MarkedRow,
    OutputRow,
    PartRow,
    PieceRow,
    RationaleRow,
    WrittenRow,
)
from annotator.formats.rows.files import new_file
from annotator.formats.rows.quotes import quotes_record
from annotator.language import _


def write_outputs(path: Path, outputs: Iterable[SourceOutput]) -> int:
    """Write outputs to a file, a line for each answer, attribution and rationale; returns the number of lines.

    Raises: ExportRefused when the file cannot be written, or a score is no number
    """
    encoder = msgspec.json.Encoder()
    n_rows = 0
    with new_file(path) as file:
        for output in outputs:
            for row in rows_of(output):
                _check(row, output)
                file.write(encoder.encode(row) + b"\n")
                n_rows += 1
    return n_rows


def rows_of(output: SourceOutput) -> Iterator[OutputRow]:
    """The lines of one output."""
    for prediction in output.predictions:
        yield _row(output, **_answer(prediction))
    for attribution in output.attributions:
        yield _row(output, **_scores(attribution))
    for rationale in output.rationales:
        yield _row(output, rationale=_rationale(rationale))


def _row(output: SourceOutput, **fields: Any) -> OutputRow:
    run = output.run
    return OutputRow(
        id=output.key,
        split=output.split,
        model=run.model,
        method=run.method or None,
        params=json.loads(run.parameters),
        seed=run.seed,
        unit=run.unit,
        signed=run.is_signed,
        **fields,
    )


def _answer(prediction: Prediction) -> Mapping[str, object]:
    return {
        "label": prediction.result,
        "probabilities": dict(prediction.probabilities) or None,
        "on": prediction.on,
        "threshold": prediction.threshold,
    }


def _scores(attribution: SourceAttribution) -> Mapping[str, object]:
    fields: dict[str, object] = {
        "target": attribution.label or None,
        "layer": attribution.layer,
        "convergence": attribution.convergence,
        "facts": dict(attribution.facts),
        "written": None if attribution.written is None else _written(attribution.written),
    }
    parts = [_part(part) for part in attribution.parts]
    if len(parts) == 1:
        return fields | {name: getattr(parts[0], name) for name in PartRow.__struct_fields__}
    return fields | {"parts": parts}


def _written(written: SourceWritten) -> WrittenRow:
    steps = [[_part(part) for part in step.parts] for step in written.steps]
    facts = [dict(of_piece) for of_piece in written.facts]
    return WrittenRow(list(written.pieces), steps, [list(row) for row in written.earlier], facts)


def _part(part: ScoredPart) -> PartRow:
    return PartRow(
        scores=list(part.scores),
        segment=part.place,
        tokens=None if part.pieces is None else [_token(piece) for piece in part.pieces],
        ranking=None if part.ranking is None else list(part.ranking),
        partial=part.is_partial,
    )


def _token(piece: Piece) -> str | PieceRow:
    if piece == Piece(piece.text):
        return piece.text
    return PieceRow(piece.text, piece.start, piece.end, piece.segment, piece.is_special)


def _rationale(rationale: SourceRationale) -> RationaleRow:
    parts = [MarkedRow(part.place, list(part.spans), list(part.ranking)) for part in rationale.parts]
    return RationaleRow(rationale.kind, parts, quotes_record(rationale.outcome))


def _check(row: OutputRow, output: SourceOutput) -> None:
    """JSON has no NaN: what is none of the numbers is refused, never written as null."""
    numbers: list[float] = list(row.scores or ())
    numbers += [score for part in row.parts or () for score in part.scores]
    if row.written is not None:
        numbers += [score for step in row.written.steps for part in step for score in part.scores]
        numbers += [score for of_piece in row.written.earlier for score in of_piece]
    numbers += (row.probabilities or {}).values() if isinstance(row.probabilities, dict) else ()
    numbers += [number for number in (row.convergence, row.threshold) if number is not None]
    if _first_odd(numbers) is not None:
        raise ExportRefused(
            _(
                "Instance '{key}': {number} is no number that can be written.",
                key=output.key,
                number=_first_odd(numbers),
            )
        )


def _first_odd(numbers: Sequence[float]) -> float | None:
    return next((number for number in numbers if not math.isfinite(number)), None)
