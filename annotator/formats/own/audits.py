"""The record of our own JSONL that holds an audit, and the way from and to domain values."""

from dataclasses import asdict
from typing import Annotated

import msgspec

from annotator.domain.own_sources import SourceAudit, SourceAuditItem
from annotator.domain.project.audits import Drawing, Fault, Per
from annotator.errors import InvalidValue
from annotator.formats.own.perturbations import Kind, Text
from annotator.formats.own.values import Time, UserName
from annotator.formats.rows.findings import Findings
from annotator.language import _

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
            findings.refuse("items", str(item.instance), _("What is wrong names its faults, and nothing else has any."))


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
