"""The record of our own JSONL that holds what a run says of an instance, and the way from and to domain values."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec

from annotator.domain import models
from annotator.formats.rows.spans import QuotesRecord, quotes_of, quotes_record

Token = Annotated[int, msgspec.Meta(ge=0, le=2**32 - 1)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]
SubwordRow = tuple[str, int | None, int | None, bool, str | None, float]


class PredictionRecord(msgspec.Struct, omit_defaults=True):
    """An answer; result or probabilities."""

    on: Literal["full", "rationale", "rest"] = "full"
    threshold: Share | None = None
    result: str | None = None
    probabilities: dict[str, float] = {}


class WrittenRecord(msgspec.Struct, omit_defaults=True):
    """An answer that was written subword by subword: for each subword scores by token, and by subword before it."""

    subwords: list[str] = msgspec.field(name="pieces")
    scores: list[list[float | None]]
    earlier: list[list[float]]
    facts: list[dict[str, float]] = []


class AttributionRecord(msgspec.Struct, omit_defaults=True):
    """Scores by token of the instance; null for a token that has none."""

    scores: list[float | None]
    label: str = ""
    layer: Annotated[int, msgspec.Meta(ge=0, le=100_000)] | None = None
    ranking: list[Token] | None = None
    subwords: list[SubwordRow] | None = msgspec.field(default=None, name="pieces")
    convergence: float | None = None
    facts: dict[str, float] = {}
    written: WrittenRecord | None = None


class RationaleRecord(msgspec.Struct, omit_defaults=True):
    """Tokens of the instance that a model gives as its reason; quotes: where they were found by what it quoted."""

    kind: Literal["hard", "ranked"]
    spans: list[tuple[Token, Token]] = []
    ranking: list[Token] = []
    quotes: QuotesRecord | None = None


class OutputRecord(msgspec.Struct, tag_field="record", tag="output", omit_defaults=True):
    """What a run says of an instance."""

    key: str
    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    split: str = ""
    method: str = ""
    parameters: dict[str, Any] = {}
    seed: int | None = None
    unit: Literal["logit", "probability", "none"] = "none"
    signed: bool | None = None
    predictions: list[PredictionRecord] = []
    attributions: list[AttributionRecord] = []
    rationales: list[RationaleRecord] = []


def output_record(item: models.StoredOutput) -> OutputRecord:
    """A value as it is written."""
    run, output = item.run, item.output
    return OutputRecord(
        item.key, run.model, item.split, run.method, msgspec.json.decode(run.parameters), run.seed, run.unit, run.is_signed,
        [PredictionRecord(p.on, p.threshold, p.result, dict(p.probabilities)) for p in output.predictions],
        [_attribution_record(a) for a in output.attributions],
        [RationaleRecord(r.kind, list(r.spans), list(r.ranking), quotes_record(r.quotes)) for r in output.rationales],
    )  # fmt: skip


def _attribution_record(a: models.Attribution) -> AttributionRecord:
    subwords = (
        None if a.subwords is None else [(p.text, p.start, p.end, p.is_special, p.segment, s) for p, s in a.subwords]
    )
    ranking = None if a.ranking is None else list(a.ranking)
    written = None if a.written is None else WrittenRecord(
        list(a.written.subwords), [_with_nulls(row) for row in a.written.scores], [list(row) for row in a.written.earlier],
        [dict(of_subword) for of_subword in a.written.facts],
    )  # fmt: skip
    return AttributionRecord(
        _with_nulls(a.scores), a.label, a.layer, ranking, subwords, a.convergence, dict(a.facts), written
    )


def _with_nulls(scores: Sequence[float]) -> list[float | None]:
    return [None if math.isnan(score) else score for score in scores]


def output_of(record: OutputRecord, key_prefix: str, source: str, line: int) -> models.StoredOutput:
    """A record as a value."""
    parameters = models.canonical_parameters(record.parameters)
    run = models.Run(record.model, record.method, parameters, record.seed, record.unit, record.signed)
    output = models.Output(
        0,
        tuple(models.Prediction(p.result, p.probabilities, p.on, p.threshold) for p in record.predictions),
        tuple(_attribution(a) for a in record.attributions),
        tuple(
            models.MachineRationale(r.kind, tuple(r.spans), tuple(r.ranking), quotes_of(r.quotes))
            for r in record.rationales
        ),
    )
    return models.StoredOutput(key_prefix + record.key, record.split, run, output, source, line)


def _attribution(a: AttributionRecord) -> models.Attribution:
    subwords = None if a.subwords is None else tuple(
        (models.Subword(text, start, end, is_special, segment), score)
        for text, start, end, is_special, segment, score in a.subwords
    )  # fmt: skip
    ranking = None if a.ranking is None else tuple(a.ranking)
    written = None if a.written is None else models.Written(
        tuple(a.written.subwords), tuple(map(_with_nans, a.written.scores)), tuple(map(tuple, a.written.earlier)),
        tuple(map(models.facts_from, a.written.facts)),
    )  # fmt: skip
    facts = models.facts_from(a.facts)
    return models.Attribution(_with_nans(a.scores), a.label, a.layer, ranking, subwords, a.convergence, facts, written)


def _with_nans(scores: Sequence[float | None]) -> tuple[float, ...]:
    return tuple(math.nan if score is None else score for score in scores)
