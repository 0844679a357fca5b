"""What is stored of a run as what our own JSON lines of model output say: scores of tokens, with a place for each gap."""

import math
from collections.abc import Sequence

from annotator.domain.models import (
    Attribution,
    MachineRationale,
    MarkedPart,
    ScoredPart,
    SourceAttribution,
    SourceOutput,
    SourceRationale,
    SourceWritten,
    StoredOutput,
    Written,
)
from annotator.domain.texts import TokenLayout
from annotator.errors import ExportRefused
from annotator.language import _


def as_source(stored: StoredOutput, layout: TokenLayout) -> SourceOutput:
    """A stored output as a file says it. Pieces are left out: their scores have been merged over tokens.

    Raises: ExportRefused for a token without a score between tokens of its segment that have one
    """
    output = stored.output
    return SourceOutput(
        stored.key,
        stored.run,
        stored.source,
        stored.line,
        stored.split,
        output.predictions,
        tuple(_attribution(attribution, layout, stored.key) for attribution in output.attributions),
        tuple(_rationale(rationale) for rationale in output.rationales),
    )


def _attribution(attribution: Attribution, layout: TokenLayout, key: str) -> SourceAttribution:
    parts = _parts(attribution, layout, key)
    written = None if attribution.written is None else _written(attribution.written, layout, key)
    return SourceAttribution(
        parts, attribution.label, attribution.layer, attribution.convergence, attribution.facts, written
    )


def _written(written: Written, layout: TokenLayout, key: str) -> SourceWritten:
    steps = tuple(SourceAttribution(_parts(Attribution(scores), layout, key)) for scores in written.scores)
    return SourceWritten(written.pieces, steps, written.earlier, written.facts)


def _parts(attribution: Attribution, layout: TokenLayout, key: str) -> tuple[ScoredPart, ...]:
    """One part where only the end has no scores; else one a segment, behind one that has the ranking alone."""
    scores, ranking = attribution.scores, attribution.ranking
    seen = _seen(scores)
    if not _has_gap(seen):
        return (ScoredPart(seen, None, None, ranking, is_partial=len(seen) < len(scores)),)
    parts = [] if ranking is None else [ScoredPart((), None, None, ranking, is_partial=True)]
    for segment in layout.segments:
        of_segment = scores[segment.first_token : segment.end_token]
        seen = _seen(of_segment)
        if _has_gap(seen):
            raise ExportRefused(
                _(
                    "Instance '{key}': scores of '{name}' lack tokens between others, which a line cannot say. Export the "
                    "project as jsonl, which can.",
                    key=key,
                    name=segment.name,
                )
            )
        if seen:
            parts.append(ScoredPart(seen, segment.name, is_partial=len(seen) < segment.n_tokens))
    return tuple(parts)


def _seen(scores: Sequence[float]) -> tuple[float, ...]:
    """The scores up to the last that is a number."""
    n = len(scores)
    while n and math.isnan(scores[n - 1]):
        n -= 1
    return tuple(scores[:n])


def _has_gap(scores: Sequence[float]) -> bool:
    return any(map(math.isnan, scores))


def _rationale(rationale: MachineRationale) -> SourceRationale:
    parts = (MarkedPart(rationale.spans, rationale.ranking),)
    return SourceRationale(rationale.kind, parts, outcome=rationale.quotes)
