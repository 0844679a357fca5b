"""The fields of our own JSON lines of model output, as docs/model_output.md describes them."""

from typing import Any

import msgspec

from annotator.domain.models import Input, RationaleKind, Unit
from annotator.formats.rows.spans import QuotesRecord


class SubwordRow(msgspec.Struct, omit_defaults=True):
    """What a score belongs to; start and end are characters (code points) of its segment's text, half open."""

    text: str
    start: int | None = None
    end: int | None = None
    segment: str | None = None
    special: bool = False


class PartRow(msgspec.Struct, omit_defaults=True):
    """Scores of one stretch: of `tokens`, or, without them, of the tokens of the segment or instance.

    special: which of the scores stand for nothing in the text, 1 or 0 (true or false) each
    """

    scores: list[float]
    segment: str | None = None
    tokens: list[str | SubwordRow] | None = None
    special: list[bool | int] | None = None
    ranking: list[int] | None = None
    partial: bool = False


class TargetRow(msgspec.Struct, omit_defaults=True):
    """The label that is explained; the name goes before the index."""

    index: int | None = None
    name: str | None = None


class MarkedRow(msgspec.Struct, omit_defaults=True):
    """Selected spans (tokens, half open), or tokens by importance, of one segment or the instance."""

    segment: str | None = None
    spans: list[tuple[int, int]] = []
    ranking: list[int] = []


class RationaleRow(msgspec.Struct, omit_defaults=True):
    """What a model gives as its reason without scores; quotes: where the parts are what it quoted."""

    kind: RationaleKind
    parts: list[MarkedRow]
    quotes: QuotesRecord | None = None


class WrittenRow(msgspec.Struct, omit_defaults=True):
    """An answer that was written: its subwords, for each the scores as `parts`, those of the subwords before it, facts."""

    subwords: list[str] = msgspec.field(name="pieces")
    steps: list[list[PartRow]]
    earlier: list[list[float]]
    facts: list[dict[str, float]] = []


class AnswerRow(msgspec.Struct, omit_defaults=True):
    """What a model answers."""

    label: str | int | None = None
    answer: str | None = None
    probabilities: dict[str, float] | list[float] | None = None
    on: Input = "full"
    threshold: float | None = None


class OutputRow(msgspec.Struct, omit_defaults=True):
    """One line. The fields of a part stand in it where there is one part, those of an answer where nothing is explained.

    id: missing where the line has its text, in fields that are called like the segments
    """

    id: str | int | None = None
    split: str | None = None
    model: str | None = None
    method: str | None = None
    params: dict[str, Any] = {}
    seed: int | None = None
    unit: Unit = "none"
    signed: bool | None = None
    target: TargetRow | str | int | None = None
    layer: int | None = None
    convergence: float | None = None
    facts: dict[str, float] = {}
    segment: str | None = None
    tokens: list[str | SubwordRow] | None = None
    scores: list[float] | None = None
    special: list[bool | int] | None = None
    ranking: list[int] | None = None
    partial: bool = False
    parts: list[PartRow] | None = None
    written: WrittenRow | None = None
    rationale: RationaleRow | None = None
    prediction: Any = None
    label: str | int | None = None
    answer: str | None = None
    probabilities: dict[str, float] | list[float] | None = None
    on: Input = "full"
    threshold: float | None = None
