"""The records of our own JSONL that hold perturbations with their checks, audits, and runs' output; from and to domain values."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

import msgspec

from annotator.domain import models
from annotator.domain.own_sources import SourceAudit, SourceAuditItem, SourceCheck, SourcePerturbation, SourceVersion
from annotator.domain.perturbations import ChangedText, PerturbationState, Verdict
from annotator.domain.project.audits import Drawing, Fault, Per
from annotator.errors import InvalidValue
from annotator.formats.own.values import Time, UserName, folded
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.spans import QuotesRecord, quotes_of, quotes_record
from annotator.language import _

Text = Annotated[str, msgspec.Meta(max_length=1_000_000)]
Kind = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]


class VersionRecord(msgspec.Struct, omit_defaults=True):
    """One version; `reason` is a corrector's."""

    by: UserName
    kind: Kind
    texts: dict[str, Text]
    at: Time
    result: str | None = None
    note: Text = ""
    reason: Text = ""


class CheckRecord(msgspec.Struct, omit_defaults=True):
    """What somebody said of a version, which is named by its number from 1."""

    version: Annotated[int, msgspec.Meta(ge=1)]
    by: UserName
    verdict: Verdict
    at: Time
    reason: Text = ""


class PerturbationRecord(msgspec.Struct, tag_field="record", tag="perturbation", omit_defaults=True):
    """A changed version of `original`; `instance` is what it became. Both are (key, split) and stand before it."""

    original: tuple[str, str]
    author: UserName
    state: PerturbationState
    fingerprint: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]
    gold: list[list[tuple[int, int]]]
    versions: Annotated[list[VersionRecord], msgspec.Meta(min_length=1)]
    checks: list[CheckRecord] = []
    instance: tuple[str, str] | None = None


def perturbation_record(source: SourcePerturbation) -> PerturbationRecord:
    """The record of a perturbation."""
    versions = [
        VersionRecord(v.by, v.changed.kind, dict(v.changed.texts), v.at, v.changed.result, v.changed.note, v.reason)
        for v in source.versions
    ]
    checks = [CheckRecord(c.version, c.by, c.verdict, c.at, c.reason) for c in source.checks]
    gold = msgspec.json.decode(source.gold, type=list[list[tuple[int, int]]])
    return PerturbationRecord(
        source.original, source.author, source.state, source.fingerprint, gold, versions, checks, source.instance
    )


def check_perturbation(record: PerturbationRecord, findings: Findings) -> None:
    """What the record says of its own versions and checks must fit together."""
    seen: set[tuple[int, bytes]] = set()
    for check in record.checks:
        who = (check.version, folded(check.by))
        if check.version > len(record.versions):
            findings.refuse(
                "checks",
                str(check.version),
                _("No version {version}; there are {n}.", version=check.version, n=len(record.versions)),
            )
        elif who in seen:
            findings.refuse("checks", check.by, _("Duplicate. Keep one."))
        elif check.verdict != "approve" and not check.reason.strip():
            findings.refuse("checks", check.verdict, _("Corrections and rejections need a reason."))
        seen.add(who)
    if (record.state == "approved") != (record.instance is not None):
        findings.refuse("state", record.state, _("`instance` is for approvals only, and required there."))


def perturbation_of(record: PerturbationRecord, key_prefix: str, source: str, line: int) -> SourcePerturbation:
    """A perturbation as a domain value."""

    def named(split_and_key: tuple[str, str]) -> tuple[str, str]:
        return key_prefix + split_and_key[0], split_and_key[1]

    versions = tuple(
        SourceVersion(v.by, ChangedText(v.kind, v.texts, v.result, v.note), v.reason, v.at) for v in record.versions
    )
    checks = tuple(SourceCheck(c.version, c.by, c.verdict, c.reason, c.at) for c in record.checks)
    return SourcePerturbation(
        named(record.original), record.author, record.state, record.fingerprint,
        msgspec.json.encode(record.gold).decode(), versions, checks,
        None if record.instance is None else named(record.instance), source, line,
    )  # fmt: skip


# The record of our own JSONL that holds an audit, and the way from and to domain values.


Positive = Annotated[int, msgspec.Meta(ge=1, le=2**53)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]


class DrawingRecord(msgspec.Struct, omit_defaults=True):
    """How the sample was drawn: a number, or a share in percent."""

    per: Per
    n: int | None = None
    percent: int | None = None
    kinds: list[Kind] = []
    seed: Count = 0


class AuditItemRecord(msgspec.Struct, omit_defaults=True):
    """A version that was drawn; place: of the changed version among those of its original, from 0."""

    original: tuple[str, str]
    place: Count
    version: Positive
    kind: Kind
    instance: tuple[str, str]
    auditor: UserName | None = None
    is_right: bool | None = None
    faults: list[Fault] = []
    comment: Text = ""
    texts: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")] | None = None
    result: Text | None = None
    judged_at: Time | None = None


class AuditRecord(msgspec.Struct, tag_field="record", tag="audit", omit_defaults=True):
    """A sample of the accepted changed versions, in the order in which it is judged."""

    drawing: DrawingRecord
    population: dict[Kind, Count]
    made_by: str
    made_at: Time
    items: list[AuditItemRecord] = []


def audit_record(source: SourceAudit) -> AuditRecord:
    """The record of an audit."""
    drawing = DrawingRecord(**{**asdict(source.drawing), "kinds": list(source.drawing.kinds)})
    items = [AuditItemRecord(**{**asdict(item), "faults": list(item.faults)}) for item in source.items]
    return AuditRecord(drawing, dict(source.population), source.made_by, source.made_at, items)


def check_audit(record: AuditRecord, findings: Findings) -> None:
    """A verdict is told whole or not at all, and what is wrong names a condition."""
    for item in record.items:
        verdict = (item.auditor, item.is_right, item.texts, item.judged_at)
        if any(part is None for part in verdict) and any(part is not None for part in verdict):
            findings.refuse("items", str(item.instance), _("A verdict needs auditor, is_right, texts and judged_at."))
        elif (item.is_right is False) != bool(item.faults):
            findings.refuse("items", str(item.instance), _("Faults are for wrong verdicts only, and required there."))


def audit_of(record: AuditRecord, key_prefix: str, source: str, line: int, findings: Findings) -> SourceAudit | None:
    """An audit as a domain value."""
    drawing = record.drawing
    try:
        drawn = Drawing(drawing.per, drawing.n, drawing.percent, tuple(drawing.kinds), drawing.seed)
    except InvalidValue as error:
        findings.refuse("drawing", str(drawing.n), str(error))
        return None
    items = tuple(_item(item, key_prefix) for item in record.items)
    return SourceAudit(drawn, record.population, record.made_by, record.made_at, items, source, line)


def _item(item: AuditItemRecord, key_prefix: str) -> SourceAuditItem:
    original, instance = ((key_prefix + key, split) for key, split in (item.original, item.instance))
    return SourceAuditItem(
        original, item.place, item.version, item.kind, instance, item.auditor, item.is_right, tuple(item.faults),
        item.comment, item.texts, item.result, item.judged_at,
    )  # fmt: skip


# The record of our own JSONL that holds what a run says of an instance, and the way from and to domain values.


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
