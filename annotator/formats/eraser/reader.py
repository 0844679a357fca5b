"""The format `eraser`: split files with evidence groups, and their documents (DeYoung et al. 2020)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain import sources
from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, NotFound, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.eraser.documents import DocumentShelf, DocumentTokens, find_documents
from annotator.formats.rows.checks import InstanceReader
from annotator.formats.rows.findings import Findings, Places, listed
from annotator.formats.rows.lines import Row, convert, read_rows
from annotator.language import _, several

SPLITS = ("train", "val", "test")
ANNOTATOR = "eraser"
_PORTION = 256


class Evidence(msgspec.Struct):
    """One evidence; -1 stands for unknown."""

    docid: str
    start_token: int = -1
    end_token: int = -1
    start_sentence: int = -1
    end_sentence: int = -1


class _Evidence(Evidence):
    text: str | None = None


class _Annotation(msgspec.Struct):
    annotation_id: str
    classification: str
    evidences: list[list[_Evidence]]
    query: str | None = None
    docids: list[str] | None = None


_KNOWN = frozenset({"annotation_id", "classification", "evidences", "query", "docids"})


def read(path: Path, options: ReadOptions) -> Iterator[sources.SourceItem]:
    """The instances of a data folder or of one split file, each after the documents that it is the first to need.

    Raises: NotFound or InvalidValue when there are no split files, no documents, or two sorts of documents
    """
    files = _split_files(path, options)
    documents = find_documents(path if path.is_dir() else path.parent)
    yield from documents.survey()
    reader = _EraserReader(options, DocumentShelf(documents, options.language, options.key_prefix))
    yield from documents_first(reader.items(files))


def documents_first(items: Iterator[sources.SourceItem]) -> Iterator[sources.SourceItem]:
    """Items in portions, documents before the rest, so that whoever stores them can take many of a kind together."""
    while portion := list(islice(items, _PORTION)):
        yield from (item for item in portion if isinstance(item, sources.SourceDocument))
        yield from (item for item in portion if not isinstance(item, sources.SourceDocument))


def _split_files(path: Path, options: ReadOptions) -> list[tuple[str, Path]]:
    """The files to read with their splits; a folder's missing and empty ones are fine."""
    if not path.exists():
        raise NotFound(_("No file or folder '{path}'.", path=path))
    if path.is_file():
        return [(options.split or (path.stem if path.stem in SPLITS else ""), path)]
    wanted = [split for split in SPLITS if options.split in {None, split}]
    files = [(split, path / f"{split}.jsonl") for split in wanted if (path / f"{split}.jsonl").is_file()]
    if not files:
        names = listed([f"{split}.jsonl" for split in wanted]) or f"'{options.split}.jsonl'"
        raise InvalidValue(_("No {names} in '{path}'. Choose another folder.", path=path, names=names))
    return files


@dataclass(slots=True)
class _EraserReader(InstanceReader):
    shelf: DocumentShelf
    empty: Places = field(default_factory=Places)  # evidences that mark nothing
    unmarked: Places = field(default_factory=Places)  # instances that have no others

    def items(self, files: Sequence[tuple[str, Path]]) -> Iterator[sources.SourceItem]:
        """Everything that the rows of the split files give, in order; at the end of a file what was left out of it."""
        for split, file in files:
            self.empty, self.unmarked = Places(), Places()
            for row in read_rows(file, file.name):
                yield from [row] if isinstance(row, Problem) else self.instance(row, split)
            yield from self._left_out(file.name)

    def _left_out(self, source: str) -> Iterator[Problem]:
        """One warning for all evidences without tokens, and one for the instances that are left without any."""
        if n := self.empty.n:
            reason = several(
                "Skipped {n} evidence without tokens (end = start): {places}.",
                "Skipped {n} evidences without tokens (end = start): {places}.",
                n,
                places=self.empty,
            )
            yield Problem(source, None, "evidences", str(n), reason, is_warning=True)
        if n := self.unmarked.n:
            reason = several(
                "{n} instance without other evidence imported unannotated: {places}.",
                "{n} instances without other evidence imported unannotated: {places}.",
                n,
                places=self.unmarked,
            )
            yield Problem(source, None, "evidences", str(n), reason, is_warning=True)

    def instance(self, row: Row, split: str) -> Iterator[sources.SourceItem]:
        """The documents that a row is the first to need, its instance, and what is wrong with it."""
        findings = row.findings()
        parsed = convert(row.values, _Annotation, findings)
        if parsed is not None:
            bodies, new_documents = self._documents(parsed, findings)
            for document in new_documents:
                self.checker.remember(document)
                yield document
            if not findings.is_refused:
                instance = self._instance(row, parsed, bodies, split, findings)
                yield from self.checked(instance, findings, "annotation_id")
        yield from findings.problems

    def _documents(
        self, parsed: _Annotation, findings: Findings
    ) -> tuple[dict[str, DocumentTokens], list[sources.SourceDocument]]:
        """The instance's documents by docid, in order, and those of them that are met for the first time."""
        bodies: dict[str, DocumentTokens] = {}
        new = []
        for given in self._docids(parsed, findings):
            docid = self.shelf.resolve(given, findings)
            if docid is None or docid in bodies:
                continue
            body, document = self.shelf.fetch(docid, findings)
            if body is not None:
                bodies[docid] = body
            if document is not None:
                new.append(document)
        return bodies, new

    def _docids(self, parsed: _Annotation, findings: Findings) -> list[str]:
        """What docids names, else the documents named like the instance and those that evidences name."""
        in_evidences = [evidence.docid for group in parsed.evidences for evidence in group]
        if parsed.docids:
            unlisted = [docid for docid in dict.fromkeys(in_evidences) if docid not in parsed.docids]
            if unlisted:
                findings.warn("docids", unlisted, _("Evidences name documents missing from docids; both are imported."))
            return [*parsed.docids, *unlisted]
        key, task = parsed.annotation_id, self.options.task
        named = [f"{key}_{spec.name}" for spec in task.segments if spec.is_selectable]
        present = [docid for docid in named if self.shelf.documents.has(docid)]
        return list(dict.fromkeys([*present, *in_evidences])) or [key]

    def _instance(
        self, row: Row, parsed: _Annotation, bodies: Mapping[str, DocumentTokens], split: str, findings: Findings
    ) -> sources.SourceInstance:
        segment_of = self._segments_of(parsed.annotation_id, list(bodies), findings)
        prefix = self.options.key_prefix
        segments: dict[str, sources.SourceText | str] = {name: prefix + docid for docid, name in segment_of.items()}
        metadata = _metadata(row.values)
        query_segment = self.options.task.query_segment
        if query_segment is not None:
            segments[query_segment] = sources.SourceText(parsed.query or "")
        elif parsed.query not in {None, "", self.options.task.eraser_query, self.options.task.sentiment_query}:
            metadata["query"] = parsed.query
        sets = self._sets(row, parsed, bodies, segment_of, findings)
        has_only_empty = not sets and any(_is_empty(evidence) for group in parsed.evidences for evidence in group)
        if has_only_empty:
            self.unmarked.add(_("line {line}, '{key}'", line=row.line, key=parsed.annotation_id))
        annotation = sources.SourceAnnotation(ANNOTATOR, parsed.classification, sets)
        return sources.SourceInstance(
            key=prefix + parsed.annotation_id, segments=segments, source=row.source, line=row.line, split=split,
            language=self.options.language, result=parsed.classification,
            annotations=() if has_only_empty else (annotation,), metadata=metadata, names_texts_of_tokens=True,
        )  # fmt: skip

    def _segments_of(self, key: str, docids: Sequence[str], findings: Findings) -> dict[str, str]:
        """Which segment each document is: by the name <key>_<segment>, else in the order of the task's segments."""
        specs = [spec for spec in self.options.task.segments if spec.is_selectable]
        if len(specs) == 1 and specs[0].may_repeat:
            name = specs[0].name
            return {docid: name if number == 0 else f"{name}{number + 1}" for number, docid in enumerate(docids)}
        by_name = {f"{key}_{spec.name}": spec.name for spec in specs}
        if all(docid in by_name for docid in docids):
            return {docid: by_name[docid] for docid in docids}
        if len(docids) > len(specs):
            known = listed([spec.name for spec in specs])
            reason = _(
                "Row has {documents}; '{task}' needs {segments}.",
                documents=counted(len(docids), "document"),
                task=self.options.task.name,
                segments=known,
            )
            findings.refuse("docids", list(docids), reason)
        return {docid: spec.name for docid, spec in zip(docids, specs, strict=False)}

    def _sets(
        self,
        row: Row,
        parsed: _Annotation,
        bodies: Mapping[str, DocumentTokens],
        segment_of: Mapping[str, str],
        findings: Findings,
    ) -> tuple[tuple[sources.SourceSpan, ...], ...]:
        """One rationale set a group, in the order of the file, spans as they are; without what marks nothing."""
        sets = []
        for group_number, group in enumerate(parsed.evidences):
            if not group:
                reason = _("Empty evidence group skipped.")
                findings.warn(f"evidences[{group_number}]", "[]", reason)
                continue
            spans = []
            for number, evidence in enumerate(group):
                field_name = f"evidences[{group_number}][{number}]"
                if _is_empty(evidence):
                    self.empty.add(_("line {line}, {field_name}", line=row.line, field_name=field_name))
                    continue
                span = _span(evidence, field_name, bodies=bodies, segment_of=segment_of, findings=findings)
                if span is not None:
                    spans.append(span)
            if spans:
                sets.append(tuple(spans))
        return tuple(sets)


def _is_empty(evidence: _Evidence) -> bool:
    """Whether an evidence marks nothing, as some of ERASER's own do: it ends where it begins, or has neither place nor text."""
    if evidence.start_token < 0 and evidence.end_token < 0:
        return evidence.text is not None and not evidence.text.strip()
    return evidence.start_token == evidence.end_token


def _span(
    evidence: _Evidence,
    field_name: str,
    *,
    bodies: Mapping[str, DocumentTokens],
    segment_of: Mapping[str, str],
    findings: Findings,
) -> sources.SourceSpan | None:
    docid = evidence.docid if evidence.docid in bodies else f"{evidence.docid}.txt"
    body, segment = bodies.get(docid), segment_of.get(docid)
    if body is None or segment is None:
        return None  # said before
    start, end = evidence.start_token, evidence.end_token
    if start < 0 or end < 0:
        reason = _("Add token offsets (start_token, end_token).")
        findings.refuse(f"{field_name}.start_token", start, reason)
    elif start >= end:
        reason = _("Must satisfy 0 <= start < end.")
        findings.refuse(f"{field_name}.end_token", end, reason)
    elif end > body.n_tokens:
        reason = _(
            "Ends at token {end} (exclusive); '{docid}' has {tokens}.",
            end=end,
            docid=docid,
            tokens=counted(body.n_tokens, "token"),
        )
        findings.refuse(f"{field_name}.end_token", end, reason)
    else:
        _compare_text(evidence, body, field_name, findings)
        return sources.SourceSpan(segment, start, end)
    return None


def _compare_text(evidence: _Evidence, body: DocumentTokens, field_name: str, findings: Findings) -> None:
    tokens = body.text(evidence.start_token, evidence.end_token)
    if evidence.text is not None and evidence.text != tokens:
        reason = _("Text differs from its tokens ({tokens}); using the offsets.", tokens=repr(tokens[:60]))
        findings.warn(f"{field_name}.text", evidence.text, reason)


def _metadata(values: Mapping[str, Any]) -> dict[str, object]:
    """Everything that the format does not know, and query_type where it says something."""
    return {
        name: value
        for name, value in values.items()
        if name not in _KNOWN and not (name == "query_type" and value is None)
    }
