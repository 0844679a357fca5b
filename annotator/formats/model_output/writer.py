"""Writing our own JSON lines of model output from what is stored; what is written reads back as equal values."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain import models
from annotator.domain.texts import TokenLayout
from annotator.errors import ExportRefused
from annotator.formats.model_output import own_line_fields
from annotator.formats.rows.files import new_file
from annotator.formats.rows.spans import quotes_record
from annotator.language import _


def write_outputs(path: Path, outputs: Iterable[models.SourceOutput]) -> int:
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


def rows_of(output: models.SourceOutput) -> Iterator[own_line_fields.OutputRow]:
    """The lines of one output."""
    for prediction in output.predictions:
        yield _row(output, **_answer(prediction))
    for attribution in output.attributions:
        yield _row(output, **_scores(attribution))
    for rationale in output.rationales:
        yield _row(output, rationale=_rationale(rationale))


def _row(output: models.SourceOutput, **fields: Any) -> own_line_fields.OutputRow:
    run = output.run
    return own_line_fields.OutputRow(
        id=output.key, split=output.split, model=run.model, method=run.method or None,
        params=json.loads(run.parameters), seed=run.seed, unit=run.unit, signed=run.is_signed, **fields,
    )  # fmt: skip


def _answer(prediction: models.Prediction) -> Mapping[str, object]:
    return {
        "label": prediction.result,
        "probabilities": dict(prediction.probabilities) or None,
        "on": prediction.on,
        "threshold": prediction.threshold,
    }


def _scores(attribution: models.SourceAttribution) -> Mapping[str, object]:
    fields: dict[str, object] = {
        "target": attribution.label or None,
        "layer": attribution.layer,
        "convergence": attribution.convergence,
        "facts": dict(attribution.facts),
        "written": None if attribution.written is None else _written(attribution.written),
    }
    parts = [_part(part) for part in attribution.parts]
    if len(parts) == 1:
        return fields | {name: getattr(parts[0], name) for name in own_line_fields.PartRow.__struct_fields__}
    return fields | {"parts": parts}


def _written(written: models.SourceWritten) -> own_line_fields.WrittenRow:
    steps = [[_part(part) for part in step.parts] for step in written.steps]
    facts = [dict(of_subword) for of_subword in written.facts]
    return own_line_fields.WrittenRow(list(written.subwords), steps, [list(row) for row in written.earlier], facts)


def _part(part: models.ScoredPart) -> own_line_fields.PartRow:
    return own_line_fields.PartRow(
        scores=list(part.scores),
        segment=part.place,
        tokens=None if part.subwords is None else [_token(subword) for subword in part.subwords],
        ranking=None if part.ranking is None else list(part.ranking),
        partial=part.is_partial,
    )


def _token(subword: models.Subword) -> str | own_line_fields.SubwordRow:
    if subword == models.Subword(subword.text):
        return subword.text
    return own_line_fields.SubwordRow(subword.text, subword.start, subword.end, subword.segment, subword.is_special)


def _rationale(rationale: models.SourceRationale) -> own_line_fields.RationaleRow:
    parts = [own_line_fields.MarkedRow(part.place, list(part.spans), list(part.ranking)) for part in rationale.parts]
    return own_line_fields.RationaleRow(rationale.kind, parts, quotes_record(rationale.outcome))


def _check(row: own_line_fields.OutputRow, output: models.SourceOutput) -> None:
    """JSON has no NaN: what is none of the numbers is refused, never written as null."""
    numbers: list[float] = list(row.scores or ())
    numbers += [score for part in row.parts or () for score in part.scores]
    if row.written is not None:
        numbers += [score for step in row.written.steps for part in step for score in part.scores]
        numbers += [score for of_subword in row.written.earlier for score in of_subword]
    numbers += (row.probabilities or {}).values() if isinstance(row.probabilities, dict) else ()
    numbers += [number for number in (row.convergence, row.threshold) if number is not None]
    if _first_odd(numbers) is not None:
        raise ExportRefused(
            _("Instance '{key}': {number} isn't a writable number.", key=output.key, number=_first_odd(numbers))
        )


def _first_odd(numbers: Sequence[float]) -> float | None:
    return next((number for number in numbers if not math.isfinite(number)), None)


# What is stored of a run as what our own JSON lines of model output say: scores of tokens, with a place for each gap.


def as_source(stored: models.StoredOutput, layout: TokenLayout) -> models.SourceOutput:
    """A stored output as a file says it. Subwords are left out: their scores have been merged over tokens.

    Raises: ExportRefused for a token without a score between tokens of its segment that have one
    """
    output = stored.output
    return models.SourceOutput(
        stored.key, stored.run, stored.source, stored.line, stored.split, output.predictions,
        tuple(_attribution(attribution, layout, stored.key) for attribution in output.attributions),
        tuple(_stored_output_rationale(rationale) for rationale in output.rationales),
    )  # fmt: skip


def _attribution(attribution: models.Attribution, layout: TokenLayout, key: str) -> models.SourceAttribution:
    parts = _parts(attribution, layout, key)
    written = None if attribution.written is None else _stored_output_written(attribution.written, layout, key)
    return models.SourceAttribution(
        parts, attribution.label, attribution.layer, attribution.convergence, attribution.facts, written
    )


def _stored_output_written(written: models.Written, layout: TokenLayout, key: str) -> models.SourceWritten:
    steps = tuple(
        models.SourceAttribution(_parts(models.Attribution(scores), layout, key)) for scores in written.scores
    )
    return models.SourceWritten(written.subwords, steps, written.earlier, written.facts)


def _parts(attribution: models.Attribution, layout: TokenLayout, key: str) -> tuple[models.ScoredPart, ...]:
    """One part where only the end has no scores; else one a segment, behind one that has the ranking alone."""
    scores, ranking = attribution.scores, attribution.ranking
    seen = _seen(scores)
    if not _has_gap(seen):
        return (models.ScoredPart(seen, None, None, ranking, is_partial=len(seen) < len(scores)),)
    parts = [] if ranking is None else [models.ScoredPart((), None, None, ranking, is_partial=True)]
    for segment in layout.segments:
        of_segment = scores[segment.first_token : segment.end_token]
        seen = _seen(of_segment)
        if _has_gap(seen):
            raise ExportRefused(
                _("Instance '{key}': scores of '{name}' skip tokens. Export as jsonl.", key=key, name=segment.name)
            )
        if seen:
            parts.append(models.ScoredPart(seen, segment.name, is_partial=len(seen) < segment.n_tokens))
    return tuple(parts)


def _seen(scores: Sequence[float]) -> tuple[float, ...]:
    """The scores up to the last that is a number."""
    n = len(scores)
    while n and math.isnan(scores[n - 1]):
        n -= 1
    return tuple(scores[:n])


def _has_gap(scores: Sequence[float]) -> bool:
    return any(map(math.isnan, scores))


def _stored_output_rationale(rationale: models.MachineRationale) -> models.SourceRationale:
    parts = (models.MarkedPart(rationale.spans, rationale.ranking),)
    return models.SourceRationale(rationale.kind, parts, outcome=rationale.quotes)
