"""The neutral form of other people's data sets: canonical.jsonl with docs.jsonl beside it (docs/formats.md)."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain import sources
from annotator.domain.tasks import TASKS, Task
from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue, Problem
from annotator.formats.base import ReadOptions
from annotator.formats.rows.checks import InstanceReader
from annotator.formats.rows.columns import segment_of
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.lines import Row, convert, read_rows
from annotator.formats.rows.spans import spans_of_tokens
from annotator.language import _
from annotator.text.alignment import align_tokens, split_on_spaces

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+(?:['’][^\W\d_]+)?|[^\w\s]")
_UNDECIDED = "undecided"


class _Field(msgspec.Struct):
    text: str | None = None
    tokens: list[str] | None = None
    docid: str | None = None


class _CharSpan(msgspec.Struct):
    field: str
    start: int
    end: int


class _Annotation(msgspec.Struct):
    annotator: str
    label: str | None = None
    rationales: list[dict[str, list[int]]] = []
    char_spans: list[_CharSpan] = []
    explanation: str | None = None


class _Pair(msgspec.Struct):
    group: str
    role: str
    type: str | None = None


class _Row(msgspec.Struct):
    id: str
    fields: dict[str, _Field]
    lang: str | None = None
    label: str | None = None
    annotations: list[_Annotation] = []
    pair: _Pair | None = None
    meta: dict[str, Any] = {}


class _DocumentRow(msgspec.Struct):
    docid: str
    text: str
    tokens: list[str] | None = None
    tokenization: str | None = None


_KNOWN = frozenset({"id", "fields", "lang", "label", "annotations", "pair", "meta"})
_KNOWN_OF_ANNOTATION = frozenset({"annotator", "label", "rationales", "char_spans", "explanation"})


def read(path: Path, options: ReadOptions) -> Iterator[sources.SourceItem]:
    """The documents, then the instances of a canonical.jsonl; what is wrong with a row is a Problem."""
    reader = _CanonicalReader(options, path, _Survey.of(path))
    yield from reader.documents()
    for row in read_rows(path, path.name):
        yield from [row] if isinstance(row, Problem) else reader.instance(row)


@dataclass(slots=True)
class _Survey:
    """What must be known before the first instance: originals of groups, and documents and how they are marked."""

    originals: dict[str, str] = field(default_factory=dict)
    documents: dict[str, str | None] = field(default_factory=dict)  # docid: language
    marked_by_token: set[str] = field(default_factory=set)

    @staticmethod
    def of(path: Path) -> "_Survey":
        survey = _Survey()
        for row in read_rows(path, path.name):
            if not isinstance(row, Problem):
                survey._add(row)
        return survey

    def _add(self, row: Row) -> None:
        parsed = convert(row.values, _Row, row.findings())
        if parsed is None:
            return
        if parsed.pair is not None and parsed.pair.role == "original":
            self.originals.setdefault(parsed.pair.group, parsed.id)
        marked = {name for a in parsed.annotations for one_set in a.rationales for name in one_set}
        for name, given in parsed.fields.items():
            if given.docid is not None:
                self.documents.setdefault(given.docid, parsed.lang)
                if name in marked:
                    self.marked_by_token.add(given.docid)


@dataclass(slots=True)
class _CanonicalReader(InstanceReader):
    path: Path
    survey: _Survey
    line_starts: dict[str, frozenset[int]] = field(
        default_factory=dict
    )  # docid: tokens that begin a line, not the first

    def documents(self) -> Iterator[sources.SourceItem]:
        """The documents that instances point to, each once."""
        path = self.path.parent / "docs.jsonl"
        if not self.survey.documents or not path.exists():
            return
        for row in read_rows(path, path.name):
            if isinstance(row, Problem):
                yield row
                continue
            findings = row.findings()
            document = self._document(row, findings)
            if document is not None and not findings.is_refused:
                self.checker.remember(document)
                yield document
            yield from findings.problems

    def _document(self, row: Row, findings: Findings) -> sources.SourceDocument | None:
        parsed = convert(row.values, _DocumentRow, findings)
        if parsed is None or parsed.docid not in self.survey.documents:
            return None
        docid = self.options.key_prefix + parsed.docid
        if docid in self.checker.documents:
            findings.refuse("docid", parsed.docid, _("Duplicate. Keep one."))
        if parsed.tokens is None and parsed.tokenization == "whitespace":
            tokens = split_on_spaces(parsed.text)
            body = sources.SourceText(parsed.text, tokens)
            self.line_starts[parsed.docid] = frozenset(_line_starts(tokens))
        else:
            is_marked = parsed.docid in self.survey.marked_by_token
            body = _text(parsed.text, parsed.tokens, is_marked, "tokens", findings)
        language = self.survey.documents[parsed.docid] or self.options.language
        return sources.SourceDocument(docid, body, language, row.source, row.line)

    def instance(self, row: Row) -> Iterator[sources.SourceItem]:
        """The instance of one row, and what is wrong with it."""
        findings = row.findings()
        parsed = convert(row.values, _Row, findings)
        if parsed is not None:
            instance = self._instance(row, parsed, findings)
            yield from self.checked(instance, findings)
        yield from findings.problems

    def _instance(self, row: Row, parsed: _Row, findings: Findings) -> sources.SourceInstance:
        split = parsed.meta.get("split")
        parent, kind = self._parent(parsed, findings)
        self._warn_of_touching(parsed, findings)
        names = self._segment_names(parsed, findings)
        return sources.SourceInstance(
            key=self.options.key_prefix + parsed.id,
            segments=self._segments(parsed, names, findings),
            source=row.source,
            line=row.line,
            split=split if isinstance(split, str) else self.options.split or "",
            language=parsed.lang or self.options.language,
            result=self._result(parsed.label),
            annotations=tuple(
                self._annotation(a, names, f"annotations[{n}]", findings) for n, a in enumerate(parsed.annotations)
            ),
            parent_key=parent,
            perturbation_kind=kind,
            metadata=_metadata(row.values, parsed, parent),
        )

    def _warn_of_touching(self, parsed: _Row, findings: Findings) -> None:
        """Tokens alone do not tell spans that touch from one span; where one crosses a line, two probably touched."""
        for number, annotation in enumerate(parsed.annotations):
            for name, marked in ((name, set(of)) for one_set in annotation.rationales for name, of in one_set.items()):
                given = parsed.fields.get(name)
                starts = self.line_starts.get((given.docid if given else None) or "", frozenset())
                if any(start in marked and start - 1 in marked for start in starts):
                    reason = _("Span crosses a line; adjacent spans merge.")
                    findings.warn(f"annotations[{number}].rationales", name, reason)
                    return

    def _result(self, label: str | None) -> str | None:
        """A label; none for the word "undecided" (no majority), unless the project has that label."""
        return None if label == _UNDECIDED and _UNDECIDED not in self.options.labels else label

    def _parent(self, parsed: _Row, findings: Findings) -> tuple[str | None, str | None]:
        pair = parsed.pair
        if pair is None or pair.role != "perturbed":
            return None, None
        original = self.survey.originals.get(pair.group)
        if original is None:
            reason = _("Original not in the file; imported without a link.")
            findings.warn("pair.group", pair.group, reason)
            return None, None
        return self.options.key_prefix + original, pair.type or "perturbed"

    def _segment_names(self, parsed: _Row, findings: Findings) -> dict[str, str]:
        """Fields by the segment that each is; a segment's own name goes before its other names."""
        task = self.options.task
        names: dict[str, str] = {}
        for name in sorted(parsed.fields, key=lambda field_name: segment_of(task, field_name) != field_name):
            segment = segment_of(task, name)
            if segment is None or segment in names.values():
                known = listed([s.name for s in task.segments])
                reason = _("No such segment, only {known}; {remedy}.", known=known, remedy=_other_task(parsed.fields))
                findings.refuse(f"fields.{name}", name, reason)
            else:
                names[name] = segment
        return names

    def _segments(
        self, parsed: _Row, names: Mapping[str, str], findings: Findings
    ) -> dict[str, sources.SourceText | str]:
        marked = {name for a in parsed.annotations for one_set in a.rationales for name in one_set}
        segments: dict[str, sources.SourceText | str] = {}
        for name, segment in names.items():
            given = parsed.fields[name]
            spec = self.options.task.spec_of(segment)
            if given.docid is not None:
                segments[segment] = self.options.key_prefix + given.docid
            elif given.text or spec is None or not spec.may_be_empty:
                field_name = f"fields.{name}.tokens"
                segments[segment] = _text(given.text or "", given.tokens, name in marked, field_name, findings)
        if self.options.task.spec_of("choices") and "choices" not in segments:
            segments.update(_choices(parsed.meta.get("choices")))
        return segments

    def _annotation(
        self, given: _Annotation, names: Mapping[str, str], field_name: str, findings: Findings
    ) -> sources.SourceAnnotation:
        sets = tuple(
            tuple(
                span for name, tokens in one_set.items() for span in _spans(names, name, tokens, field_name, findings)
            )
            for one_set in given.rationales
        )
        if not sets and given.char_spans:
            sets = (tuple(_character_span(names, span) for span in given.char_spans),)
        return sources.SourceAnnotation(given.annotator, self._result(given.label), sets, note=given.explanation or "")


def _line_starts(body: TokenizedText) -> Iterator[int]:
    """The tokens before which a line ends; not the first."""
    for number in range(1, body.n_tokens):
        if "\n" in body.text[body.ends[number - 1] : body.starts[number]]:
            yield number


def _choices(choices: object) -> dict[str, sources.SourceText]:
    """The choices of a question, one a line, from a list of {"label", "text"}."""
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        return {}
    lines = [f"{choice.get('label', '')}. {choice.get('text', '')}" for choice in choices]
    return {"choices": sources.SourceText("\n".join(lines))}


def _spans(
    names: Mapping[str, str], name: str, tokens: Sequence[int], field_name: str, findings: Findings
) -> Sequence[sources.SourceSpan]:
    negative = next((index for index in tokens if index < 0), None)
    if negative is not None:
        findings.refuse(f"{field_name}.rationales", negative, _("Must be an integer from 0."))
        return ()
    return spans_of_tokens(names.get(name, name), tokens)


def _character_span(names: Mapping[str, str], span: _CharSpan) -> sources.SourceSpan:
    return sources.SourceSpan(names.get(span.field, span.field), span.start, span.end, "char")


def _text(
    text: str, tokens: Sequence[str] | None, is_marked_by_token: bool, field_name: str, findings: Findings
) -> sources.SourceText:
    """A text with the source's tokens: its own list, or those of the form's expression where it is marked by them."""
    try:
        if tokens is not None:
            return sources.SourceText(text, align_tokens(text, tokens))
        return sources.SourceText(text, expression_tokens(text) if is_marked_by_token else None)
    except InvalidValue as error:
        findings.refuse(field_name, "", str(error))
        return sources.SourceText(text)


def expression_tokens(text: str) -> TokenizedText:
    """The tokens that the neutral form gives a text which came without.

    >>> expression_tokens("Don't panic, 你好!").tokens()
    ["Don't", 'panic', ',', '你', '好', '!']
    """
    return align_tokens(text, _TOKEN.findall(text))


def _metadata(values: Mapping[str, Any], parsed: _Row, parent: str | None) -> dict[str, object]:
    metadata: dict[str, object] = {name: value for name, value in values.items() if name not in _KNOWN}
    if parsed.label == _UNDECIDED:
        metadata["label"] = _UNDECIDED
    if parsed.pair is not None and parent is None:
        metadata["pair"] = values["pair"]
    extras = [_annotation_extras(annotation) for annotation in values.get("annotations", ())]
    if any(len(extra) > 1 for extra in extras):
        metadata["annotations"] = extras
    return {**metadata, **parsed.meta}


def _annotation_extras(annotation: Mapping[str, Any]) -> dict[str, object]:
    rest = {name: value for name, value in annotation.items() if name not in _KNOWN_OF_ANNOTATION}
    return {"annotator": annotation["annotator"], **rest}


def _other_task(names: Collection[str]) -> str:
    """What is to be done where a task lacks fields: the one task that has just these, where there is one.

    >>> _other_task(["premise", "hypothesis"]), _other_task(["text"])
    ("choose the task 'inference' with these segments", 'choose another task')
    """
    fitting = [task.name for task in TASKS.values() if not task.has_target and _has_just(task, names)]
    if len(fitting) != 1:
        return _("choose another task")
    return _("choose the task '{task}' with these segments", task=fitting[0])


def _has_just(task: Task, names: Collection[str]) -> bool:
    needed = {spec.name for spec in task.segments if not spec.may_be_empty}
    return needed <= set(names) and all(task.spec_of(name) is not None for name in names)
