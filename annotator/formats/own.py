"""Our own JSONL: project, documents, instances with all annotations and work, events. It reads back as written."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from annotator.domain.sources import Problem, SourceDocument, SourceInstance, SourceItem, SourceProject, SourceText
from annotator.errors import ExportRefused, InvalidValue
from annotator.formats.base import ReadOptions
from annotator.formats.checks import Checker, KeyLines
from annotator.formats.findings import Findings
from annotator.formats.lines import Row, convert, read_rows
from annotator.formats.own_records import (
    VERSION,
    DocumentRecord,
    EventRecord,
    InstanceRecord,
    OwnRecord,
    ProjectRecord,
    TextRecord,
    TokensRecord,
    annotation_of,
    event_of,
    project_of,
    proposal_of,
    record_of,
    text_of,
    work_of,
)
from annotator.formats.spans import read_sets, read_span
from annotator.formats.writing import new_file


def write(path: Path, items: Iterable[SourceItem]) -> None:
    """Write everything to one file; it appears whole or not at all. Documents must come before their instances.

    Raises: ExportRefused when the file cannot be written, or when an item is a Problem
    """
    encoder = msgspec.json.Encoder()
    with new_file(path) as file:
        buffer = bytearray()
        for item in items:
            if isinstance(item, Problem):
                raise ExportRefused(f"A problem cannot be written: {item}")
            encoder.encode_into(record_of(item), buffer)
            file.write(buffer)
            file.write(b"\n")


def read(rows: Iterable[Row | Problem], options: ReadOptions) -> Iterator[SourceItem]:
    """The items of our own JSONL, in the order of the file."""
    reader = _OwnReader(options)
    for row in rows:
        if isinstance(row, Problem):
            yield row
        else:
            yield from reader.read(row)


def find_project(path: Path) -> SourceProject | None:
    """The project header of a file of ours; None when the file does not begin with one. Reads one line."""
    first = next(read_rows(path, path.name), None)
    if first is None or isinstance(first, Problem) or first.values.get("record") != "project":
        return None
    record = convert(first.values, ProjectRecord, first.findings())
    return None if record is None else project_of(record)


@dataclass(slots=True)
class _OwnReader:
    options: ReadOptions
    checker: Checker = field(init=False)
    keys: KeyLines = field(default_factory=KeyLines)

    def __post_init__(self) -> None:
        self.checker = Checker(self.options)

    def read(self, row: Row) -> Iterator[SourceItem]:
        findings = row.findings()
        record = convert(row.values, OwnRecord, findings)  # type: ignore[arg-type]  # a union is a type to msgspec
        item = self._item(record, row, findings)
        if item is not None and not findings.is_refused:
            yield item
        yield from findings.problems

    def _item(self, record: OwnRecord | None, row: Row, findings: Findings) -> SourceItem | None:
        match record:
            case InstanceRecord():
                return self._instance(record, row, findings)
            case DocumentRecord():
                return self._document(record, row, findings)
            case EventRecord():
                return event_of(record)
            case ProjectRecord():
                return _project(record, findings)
            case None:
                return None

    def _document(self, record: DocumentRecord, row: Row, findings: Findings) -> SourceDocument:
        body = _text(record.text, record.tokens, "tokens", findings)
        document = SourceDocument(
            self.options.key_prefix + record.docid, body, self._language(record.language), row.source, row.line
        )
        if document.docid in self.checker.documents:
            findings.refuse("docid", record.docid, f"The document '{record.docid}' stands twice; keep one of the two.")
        if not findings.is_refused:
            self.checker.remember(document)
        return document

    def _instance(self, record: InstanceRecord, row: Row, findings: Findings) -> SourceInstance:
        task, prefix = self.options.task, self.options.key_prefix
        sets = [read_sets(a.rationales, task, findings, f"annotations[{n}]") for n, a in enumerate(record.annotations)]
        drafts = [read_sets(w.draft.rationales, task, findings, f"work[{n}].draft") for n, w in enumerate(record.work)]
        instance = SourceInstance(
            key=prefix + record.key,
            segments={name: self._segment(name, text, findings) for name, text in record.segments.items()},
            source=row.source,
            line=row.line,
            split=record.split or self.options.split or "",
            language=self._language(record.language),
            result=record.result,
            annotations=tuple(annotation_of(a, s) for a, s in zip(record.annotations, sets, strict=True)),
            target=None if record.target is None else read_span(record.target, task, "target", findings),
            parent_key=None if record.parent is None else prefix + record.parent,
            perturbation_kind=record.perturbation_kind,
            is_exhaustive=record.exhaustive,
            metadata=record.metadata,
            state=record.state,
            work=tuple(work_of(w, s) for w, s in zip(record.work, drafts, strict=True)),
            proposals=tuple(proposal_of(proposal) for proposal in record.proposals),
            is_addition=not record.segments,
        )
        self.checker.check(instance, findings)
        if instance.segments:
            self.keys.refuse_twice(instance, findings, "key")
        return instance

    def _language(self, given: str | None) -> str | None:
        return self.options.language if given is None else given

    def _segment(self, name: str, record: TextRecord, findings: Findings) -> SourceText | str:
        if record.docid is not None:
            return self.options.key_prefix + record.docid
        return _text(record.text or "", record.tokens, f"segments.{name}.tokens", findings)


def _project(record: ProjectRecord, findings: Findings) -> SourceProject:
    if record.version > VERSION:
        reason = f"The file was made by a newer version (this program reads version {VERSION}); update the program."
        findings.refuse("version", record.version, reason)
    return project_of(record)


def _text(text: str, tokens: TokensRecord | None, place: str, findings: Findings) -> SourceText:
    try:
        return text_of(text, tokens)
    except (InvalidValue, ValueError) as error:
        reason = str(error) if isinstance(error, InvalidValue) else "starts and ends must be equally many."
        findings.refuse(place, "", reason)
        return SourceText(text)
