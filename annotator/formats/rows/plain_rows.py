"""Plain rows (CSV or JSONL): one row an instance, or one an instance and annotator, with columns found by name."""

import re
import shlex
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import msgspec

from annotator.domain.labels import trimmed
from annotator.domain.numbers import counted
from annotator.domain.sources import SourceAnnotation, SourceColumns, SourceInstance, SourceItem, SourceSpan, SourceText
from annotator.domain.tasks import Task
from annotator.errors import Problem
from annotator.formats.base import ReadOptions
from annotator.formats.rows.checks import Checker
from annotator.formats.rows.column_findings import own_label_remedy
from annotator.formats.rows.columns import NUMBER, Plan, Planner, accepted_names, segment_of
from annotator.formats.rows.findings import Findings, listed, shown, where_texts_differ
from annotator.formats.rows.lines import Entity, Row, convert
from annotator.formats.rows.marks import hold_marks, labels_of, n_tags, sets_of
from annotator.formats.rows.spans import AnySpan, aligned_text, read_quotes, read_sets, read_span, sets_of_numbers
from annotator.language import _, several, together, unsaid
from annotator.language import listed as listed_words
from annotator.text.alignment import split_on_spaces, text_from_tokens

# Columns that look like marks: read as rationales where somebody says so, as metadata only where somebody says that.


LABELS_NOT_KEPT = unsaid("Each span label became a rationale set (names not kept).")
_SET_NAME = re.compile(r"(?:set|rationale|rationales|evidence|highlight|why|gold|[a-z])?[ _-]*[0-9]*", re.IGNORECASE)
MARKS = "marks"  # the remedy of what looks like marks


def refuse_marks(plan: Plan, values: Mapping[str, Any], options: ReadOptions, findings: Findings) -> None:
    """Refuse a row in which a column looks like marks that would become metadata."""
    for column in plan.metadata:
        if column not in options.metadata_columns and hold_marks(values[column]):
            findings.refuse(column, values[column], what_to_do(column), MARKS)
    column = plan.names.get("metadata", "")
    inner = values.get(column)
    if isinstance(inner, dict) and column not in options.metadata_columns:
        for name in (name for name, value in inner.items() if hold_marks(value)):
            reason = _(
                "Looks like marks. Move it to its own field, or use {keep}.",
                keep=f"--metadata-column {shlex.quote(shown(column))}",
            )
            findings.refuse(f"{column}.{name}", inner[name], reason, MARKS)


def what_to_do(column: str) -> str:
    """What a column seems to hold, and what can be done."""
    name = shown(column)
    return _(
        "Column '{column}' looks like marks. Read as rationales ({read}) or metadata ({keep}).",
        column=name,
        read=f"--column {shlex.quote(f'rationales={name}')}",
        keep=f"--metadata-column {shlex.quote(name)}",
    )


def as_sets(fields: Mapping[str, Any], plan: Plan, findings: Findings) -> tuple[dict[str, Any], int | None]:
    """A row's fields with rationales as plain rows write them; how many tokens it has tags for, if it has tags."""
    if fields.get("rationales") is None:
        return dict(fields), None
    value = fields["rationales"]
    sets = sets_of(value, findings, plan.names["rationales"])
    labels = labels_of(value)
    if sets is not value and not are_set_names(labels):
        findings.warn(plan.names["rationales"], listed(labels), _(LABELS_NOT_KEPT))
    return {**fields, "rationales": sets}, n_tags(value)


def are_set_names(labels: Sequence[str]) -> bool:
    """Whether span-labels say nothing but which set is meant, such as “set 2” or “rationale”."""
    return all(_SET_NAME.fullmatch(label) for label in labels)


def refuse_other_number(column: str, n: int, n_tokens: list[int], findings: Findings) -> None:
    """Refuse a row whose tags are not as many as its tokens."""
    reason = _("{n} tags for {n_tokens} tokens. Add a list 'tokens'.", n=n, n_tokens=n_tokens[0] if n_tokens else 0)
    findings.refuse(column, n, reason)


UNNAMED_ANNOTATOR = "gold"
ENTITIES = "entities"  # the remedy of a row with labelled spans and without a target: that each is one
_NO_KEY = unsaid("Missing ID. Add one, or use --number-keys.")


class PlainRow(msgspec.Struct):
    """The fields of a plain row that are no segment and no metadata, under our names."""

    key: str | int = ""
    split: str | None = None
    language: str | None = None
    result: str | int | None = None
    annotator: str | None = None
    annotator_label: str | int | None = None
    rationales: list[list[AnySpan]] | None = None
    rationale_index: list[int | list[int]] | None = None
    rationale_mask: list[int | bool] | None = None
    rationale_quotes: list[str | list[str]] | str | None = None
    note: str | None = None
    exhaustive: bool | None = None
    parent: str | int | None = None
    perturbation_kind: str | None = None
    target: AnySpan | None = None
    tokens: dict[str, list[str]] | list[str] | None = None
    metadata: Any = None


@dataclass(slots=True)
class RowReader:
    """Turns rows into instances; rows of several annotators of one instance become one where they follow each other.

    are_marks_asked: whether a column that looks like marks needs somebody's word to become metadata
    """

    options: ReadOptions
    are_marks_asked: bool = False
    checker: Checker = field(init=False)
    entities: "EntityInstances" = field(init=False)
    _planner: Planner = field(init=False)
    _are_numbered: bool | None = None

    def __post_init__(self) -> None:
        self.checker = Checker(self.options)
        self.entities = EntityInstances(self.checker)
        self._planner = Planner(self.options.task, self.options.columns, self.options.left_columns)

    def read(self, rows: Iterable[Row | Problem]) -> Iterator[SourceItem]:
        """The instances of rows, in order, and the problems of rows that cannot be taken."""
        merger = Merger(self.options.task)
        for row in rows:
            if isinstance(row, Problem):
                yield row
                continue
            for instance, findings in self._instances(row):
                if instance is not None and not findings.is_refused:
                    yield from merger.add(instance, findings, self._planner.plan(tuple(row.values)))
                yield from findings.problems
        yield from merger.rest()
        yield from self.entities.report()

    def _instances(self, row: Row) -> Iterator[tuple[SourceInstance | None, Findings]]:
        """The instance of a row, or those of its entities, each with what was found of it."""
        findings = row.findings()
        instance = self.instance_of(row, findings)
        if instance is None or findings.is_refused or not self._is_by_entity(row, instance.target):
            yield instance, findings
            return
        yield None, findings
        yield from self.entities.each(instance, row.entities or ())

    def _is_by_entity(self, row: Row, target: object) -> bool:
        """Whether a row's labelled spans are entities; one that says its target is an instance already."""
        return self.options.entities and row.entities is not None and target is None

    def instance_of(self, row: Row, findings: Findings) -> SourceInstance | None:
        """The instance of one row; None, with findings, when its fields cannot be read."""
        values = row.values
        plan = self._planner.plan(tuple(values))
        if "key" not in plan.names and self.options.key_of is None:
            findings.refuse("key", "", _(_NO_KEY), NUMBER)
            return None
        if self.are_marks_asked:
            refuse_marks(plan, values, self.options, findings)
        fields, n_tags = as_sets({name: values[column] for name, column in plan.fields}, plan, findings)
        plain = convert(fields, PlainRow, findings, plan.names)
        if plain is None:
            return None
        segments = self._segments(plan, values, plain, n_tags, findings)
        is_by_entity = self._is_by_entity(row, plain.target)
        instance = SourceInstance(
            key=self._key_of(plan, plain, segments, row.line, findings),
            segments=segments,
            source=row.source,
            line=row.line,
            split=plain.split or self.options.split or "",
            language=plain.language or self.options.language,
            result=None if is_by_entity else self._result(plain.result),
            annotations=() if is_by_entity else self._annotations(plain, findings),
            target=None if is_by_entity else self._target(plain, row, findings),
            parent_key=None if plain.parent in {None, ""} else self._key(plain.parent),
            perturbation_kind=plain.perturbation_kind or None,
            is_exhaustive=plain.exhaustive,
            metadata=_metadata(plan, values, plain),
        )
        self.checker.check(instance, findings)
        return instance

    def _key_of(
        self, plan: Plan, plain: PlainRow, segments: Mapping[str, SourceText | str], line: int, findings: Findings
    ) -> str:
        """The key that a row says, or that it is given; rows of a file all say one, or none of them does."""
        is_numbered = "key" not in plan.names
        if self._are_numbered is None:
            self._are_numbered = is_numbered
        elif self._are_numbered != is_numbered:
            reason = _("Only some rows have IDs. Add the missing ones.")
            findings.refuse("key", plain.key, reason)
        if not is_numbered or self.options.key_of is None:
            return self._key(plain.key)
        if findings.is_refused or not segments:
            return "0"  # no instance is made of it, and it takes no number from another row
        return self.options.key_of(plain.split or self.options.split or "", segments, plain.annotator or None, line)

    def _key(self, key: str | int | None) -> str:
        return f"{self.options.key_prefix}{key}" if key not in {None, ""} else ""

    def _result(self, value: str | int | None) -> str | None:
        if value is None or self.options.task.result_kind == "answer":
            return None if value is None else str(value)
        return trimmed(str(value)) or None

    def _segments(
        self, plan: Plan, values: Mapping[str, Any], plain: PlainRow, n_tags: int | None, findings: Findings
    ) -> dict[str, SourceText | str]:
        """The row's texts. n_tags: how many tokens it has tags for, where it says its marks by tags."""
        task = self.options.task
        tokens = self._tokens(plain, findings)
        n_tokens = [len(of_segment) for of_segment in tokens.values()]
        segments: dict[str, SourceText | str] = {}
        for segment, column in plan.segments:
            text = values[column]
            if text is None and segment in tokens:
                continue
            if not isinstance(text, str):
                findings.refuse(column, text, _("Segment '{segment}' must be text.", segment=segment))
            elif text or not _is_optional(self.options, segment):
                given = tokens.pop(segment, None)
                is_split = given is None and (_counts_tokens(plain) or n_tags is not None)
                n_tokens += [len(text.split())] if is_split else []
                segments[segment] = (
                    SourceText(text, split_on_spaces(text))
                    if is_split
                    else aligned_text(text, given, f"tokens.{segment}", given, findings)
                )
        language = plain.language or self.options.language or "en"
        for segment, given in tokens.items():
            text = aligned_text(text_from_tokens(given, language), given, f"tokens.{segment}", given, findings)
            segments[segment] = replace(text, is_text_of_tokens=text.tokens is not None)
        if n_tags is not None and n_tags not in n_tokens:
            refuse_other_number(plan.names["rationales"], n_tags, n_tokens, findings)
        if not segments and not findings.is_refused:
            wanted = [accepted_names(task, s.name) for s in task.segments if not s.may_be_empty]
            reason = _("The row has no text. Add {names}.", names=listed_words(wanted))
            findings.refuse("line", list(values), reason)
        return segments

    def _tokens(self, plain: PlainRow, findings: Findings) -> dict[str, list[str]]:
        if plain.tokens is None:
            return {}
        if isinstance(plain.tokens, list):
            selectable = [spec.name for spec in self.options.task.segments if spec.is_selectable]
            if len(selectable) == 1:
                return {selectable[0]: plain.tokens}
            reason = _(
                "Name the segment: {example}. The task has {segments}.",
                example="{segment: [tokens]}",
                segments=listed(selectable),
            )
            findings.refuse("tokens", plain.tokens, reason)
            return {}
        named = {name: segment_of(self.options.task, name) for name in plain.tokens}
        for name in (n for n, segment in named.items() if segment is None):
            reason = _("The task '{task}' has no segment '{segment}'.", task=self.options.task.name, segment=name)
            findings.refuse(f"tokens.{name}", name, reason)
        return {segment: plain.tokens[name] for name, segment in named.items() if segment is not None}

    def _annotates(self, plain: PlainRow) -> bool:
        """Whether a row is somebody's annotation, and not the text alone."""
        marks = (plain.rationales, plain.rationale_index, plain.rationale_mask, plain.rationale_quotes or None)
        is_empty = plain.rationale_quotes == []  # somebody looked, and there is no rationale
        return any(given is not None for given in marks) or is_empty or plain.annotator_label not in {None, ""}

    def _annotations(self, plain: PlainRow, findings: Findings) -> tuple[SourceAnnotation, ...]:
        if not self._annotates(plain):
            return ()
        result = plain.result if plain.annotator_label is None else plain.annotator_label
        sets = (
            read_sets(plain.rationales, self.options.task, findings)
            if plain.rationales is not None
            else sets_of_numbers(plain.rationale_index, plain.rationale_mask, self.options.task, findings)
        )
        quoted = read_quotes(plain.rationale_quotes, findings) if plain.rationales is None and not sets else ()
        annotator = plain.annotator or UNNAMED_ANNOTATOR
        return (SourceAnnotation(annotator, self._result(result), sets, note=plain.note or "", quoted=quoted),)

    def _target(self, plain: PlainRow, row: Row, findings: Findings) -> SourceSpan | None:
        if self.options.task.has_target and plain.target is None and row.entities is not None:
            findings.refuse("target", "", _("No target. Import each labelled span as one (--entities)."), ENTITIES)
        elif self.options.task.has_target and plain.target is None:
            findings.refuse("target", "", _("No target. Add the token range being labelled."))
        return None if plain.target is None else read_span(plain.target, self.options.task, "target", findings)


def _counts_tokens(plain: PlainRow) -> bool:
    """Whether a row numbers tokens without saying which: then they are what stands between blanks."""
    return plain.rationales is None and (plain.rationale_index is not None or plain.rationale_mask is not None)


def _is_optional(options: ReadOptions, segment: str) -> bool:
    spec = options.task.spec_of(segment)
    return spec is not None and spec.may_be_empty


def _metadata(plan: Plan, values: Mapping[str, Any], plain: PlainRow) -> dict[str, object]:
    metadata: dict[str, object] = {column: values[column] for column in plan.metadata}
    if isinstance(plain.metadata, dict):
        metadata.update(plain.metadata)
    elif plain.metadata is not None and plain.metadata != "":
        metadata[plan.names["metadata"]] = plain.metadata
    return metadata


def _addition(instance: SourceInstance) -> SourceInstance:
    """A row's annotations alone, to be added to the instance of its key."""
    return SourceInstance(
        key=instance.key, segments={}, source=instance.source, line=instance.line, split=instance.split,
        language=instance.language, annotations=instance.annotations, is_addition=True,
    )  # fmt: skip


@dataclass(slots=True)
class _EntityText:
    """A text of which entities were met: where, a hash of its words, and each entity's label by its span."""

    line: int
    words: int
    by_span: dict[SourceSpan, str] = field(default_factory=dict)


@dataclass(slots=True)
class EntityInstances:
    """Makes an instance of each entity of a text, named by its place; one that several people marked is one."""

    checker: Checker
    _source: str = ""
    _texts: dict[int, _EntityText] = field(default_factory=dict)

    def each(
        self, text: SourceInstance, entities: Sequence[Entity]
    ) -> Iterator[tuple[SourceInstance | None, Findings]]:
        """The instances of one text's entities, and what is wrong with each. text: without target and label."""
        self._source = text.source
        words = hash(tuple(text.segments.values()))
        first = self._texts.setdefault(hash((text.split, text.key)), _EntityText(text.line or 0, words))
        if first.words != words:
            findings = Findings(text.source, text.line)
            findings.refuse("id", text.key, _("Line {line} has another text with this ID.", line=first.line))
            yield None, findings
            return
        for entity in sorted(entities, key=lambda entity: (entity.span.start, entity.span.end)):
            findings = Findings(text.source, entity.line or text.line)
            instance = _of_entity(text, entity) if self._adds(first, text, entity, findings) else None
            if instance is not None:
                self.checker.check(instance, findings)
            yield instance, findings

    def _adds(self, first: _EntityText, text: SourceInstance, entity: Entity, findings: Findings) -> bool:
        """Whether an entity is new or brings triggers; with a finding where it is there under another label."""
        span = entity.span
        known = first.by_span.get(span)
        if known is not None:
            if known != entity.label:
                reason = _("Labelled “{label}” here, “{first}” before. Keep one.", label=entity.label, first=known)
                findings.refuse(ENTITIES, _words(text, span), reason)
            return entity.sets is not None
        overlapping = [
            o for o in first.by_span if o.segment == span.segment and o.start < span.end and span.start < o.end
        ]
        if overlapping:
            others = listed([_words(text, other) for other in overlapping], 3)
            findings.warn(ENTITIES, _words(text, span), _("Overlaps {others}; each is an instance.", others=others))
        first.by_span[span] = entity.label
        return True

    def report(self) -> Iterator[SourceItem]:
        """How many entities of how many texts there were, at the end; a problem where there were none."""
        if not self._texts:
            return
        numbers = [len(text.by_span) for text in self._texts.values()]
        n_empty = numbers.count(0)
        if not any(numbers):
            texts = counted(n_empty, "text")
            reason = _("No labelled spans in {texts}. Choose a file with entities.", texts=texts)
            yield Problem(self._source, None, "file", "", reason)
            return
        sentence = several(
            "{n} entity of {texts}, one instance each.",
            "{n} entities of {texts}, one instance each.",
            sum(numbers),
            texts=counted(len(numbers) - n_empty, "text"),
        )
        if n_empty:
            skipped = _("{what} skipped.", what=counted(n_empty, "text without entities", "texts without entities"))
            sentence = together(sentence, skipped)
        yield SourceColumns(sentence)


def _of_entity(text: SourceInstance, entity: Entity) -> SourceInstance:
    """Its key names its place, so that an entity that is added before it in a later file changes nothing."""
    label, span = trimmed(entity.label) or None, entity.span
    annotations = () if entity.sets is None else (SourceAnnotation(UNNAMED_ANNOTATOR, label, entity.sets),)
    return replace(
        text, key=f"{text.key}-{span.start}-{span.end}", line=entity.line or text.line, result=label, target=span,
        annotations=annotations,
    )  # fmt: skip


def _words(text: SourceInstance, span: SourceSpan) -> str:
    """What a span says, as far as its text is here."""
    body = text.segments.get(span.segment)
    if not isinstance(body, SourceText):
        return ""
    if span.unit == "char":
        return body.text[span.start : span.end]
    return "" if body.tokens is None else " ".join(body.tokens.tokens()[span.start : span.end])


_MOST_CHARACTERS = 20_000_000
_COMPARED_CHARACTERS = 2_000
_RESULT = "label"
_COMPARED = ("language", _RESULT, "target", "parent", "perturbation_kind", "exhaustive", "metadata")


def _fingerprints(instance: SourceInstance) -> "array[int]":
    """The line, then hashes of everything of a row that no annotator may change (in the order of _compared)."""
    segments = instance.segments
    values = (
        instance.language,
        instance.result,
        instance.target,
        instance.parent_key,
        instance.perturbation_kind,
        instance.is_exhaustive,
        msgspec.json.encode(instance.metadata, order="deterministic") if instance.metadata else b"",
        *(segments.values() if len(segments) == 1 else [segments[name] for name in sorted(segments)]),
    )
    return array("q", (instance.line or 0, *map(hash, values)))


def _compared(instance: SourceInstance) -> tuple[str, ...]:
    """What the fingerprints after the line stand for."""
    return (*_COMPARED, *sorted(instance.segments))


def _value(instance: SourceInstance, name: str) -> object:
    """What a row says in a field that is compared, to be shown; its key where that is nothing that can be shown."""
    value = instance.segments.get(name, instance.result if name == _RESULT else instance.key)
    return value.text if isinstance(value, SourceText) else value


@dataclass(slots=True)
class _FirstTexts:
    """The beginnings of the texts of the first rows, to show where those of a later row differ."""

    _by_key: dict[int, dict[str, str]] = field(default_factory=dict)
    _n_characters: int = 0

    def keep(self, key_hash: int, instance: SourceInstance) -> None:
        """Remember the texts of a row, until there are so many that they would fill the memory."""
        if self._n_characters > _MOST_CHARACTERS:
            return
        texts = {
            n: text.text[:_COMPARED_CHARACTERS] for n, text in instance.segments.items() if isinstance(text, SourceText)
        }
        self._by_key[key_hash] = texts
        self._n_characters += sum(map(len, texts.values()))

    def difference(self, instance: SourceInstance, name: str) -> str:
        """Where a text of a row begins to differ from the first one's, as a sentence that follows another; "" if not known."""
        first = self._by_key.get(hash((instance.split, instance.key)), {}).get(name)
        now = instance.segments.get(name)
        if first is None or not isinstance(now, SourceText):
            return ""
        return where_texts_differ(first, now.text[:_COMPARED_CHARACTERS])


@dataclass(slots=True)
class Merger:
    """Joins rows of one instance. Of instances handed on it keeps hashes alone; later rows then add to them by key."""

    task: Task
    _pending: SourceInstance | None = None
    _known: "dict[int, array[int]]" = field(default_factory=dict)
    _annotators: set[int] = field(default_factory=set)
    _texts: _FirstTexts = field(default_factory=_FirstTexts)

    def add(self, instance: SourceInstance, findings: Findings, plan: Plan) -> Iterator[SourceInstance]:
        """Take one row's instance in; gives what can be handed on. plan: what the columns of the row hold."""
        key_hash = hash((instance.split, instance.key))
        prints = _fingerprints(instance)
        first = self._known.setdefault(key_hash, prints)
        if first is not prints and not self._agrees(instance, first, prints, findings, plan):
            return
        if first is prints:
            self._texts.keep(key_hash, instance)
        for annotation in instance.annotations:
            self._annotators.add(hash((key_hash, annotation.annotator)))
        if first is prints:
            yield from self.rest()
            self._pending = instance
        elif self._pending is not None and (self._pending.split, self._pending.key) == (instance.split, instance.key):
            self._pending = replace(self._pending, annotations=self._pending.annotations + instance.annotations)
        else:
            yield from self.rest()
            self._pending = _addition(instance)

    def rest(self) -> Iterator[SourceInstance]:
        """The instance that waits for more rows, if there is one."""
        if self._pending is not None:
            yield self._pending
            self._pending = None

    def _agrees(
        self, instance: SourceInstance, first: "array[int]", prints: "array[int]", findings: Findings, plan: Plan
    ) -> bool:
        key, line = instance.key, first[0]
        differs = _("Differs from line {line}; only annotator, annotator_label, rationales and note may.", line=line)
        if len(first) != len(prints):
            findings.refuse("id", key, differs)
        for name, old, new in zip(_compared(instance), first[1:], prints[1:], strict=False):
            if old != new and not findings.is_refused:
                remedy = own_label_remedy(plan, self.task) if name == _RESULT else ""
                difference = self._texts.difference(instance, name)
                findings.refuse(name, _value(instance, name), f"{differs}{difference}{remedy}")
        duplicate = _("Duplicate of line {line}. Keep one.", line=line)
        if not instance.annotations and not findings.is_refused:
            findings.refuse("id", key, duplicate + own_label_remedy(plan, self.task))
        for annotation in instance.annotations:
            if hash((hash((instance.split, key)), annotation.annotator)) in self._annotators:
                findings.refuse("annotator", annotation.annotator, duplicate)
        return not findings.is_refused


# Whether a column that is called like the label holds what each annotator said of a text.


_ROWS_LOOKED_AT = 20_000


def have_own_labels(rows: Iterable[Mapping[str, object]], options: ReadOptions) -> bool:
    """Whether among the first rows two annotators of one text have different labels, so that they cannot be the text's."""
    planner = Planner(options.task, options.columns, options.left_columns)
    first: dict[int, tuple[object, object]] = {}
    for values in islice(rows, _ROWS_LOOKED_AT):
        plan = planner.plan(tuple(values))
        label, annotator = (str(values.get(plan.names.get(name, ""), "")) for name in ("result", "annotator"))
        if not label or not annotator:
            continue
        of_text = first.setdefault(_name(plan, values), (annotator, label))
        if of_text[0] != annotator and of_text[1] != label:
            return True
    return False


def _name(plan: Plan, values: Mapping[str, object]) -> int:
    """What tells a text from others: its key, or where rows have none its words."""
    key = plan.names.get("key")
    columns = [column for _, column in plan.segments] if key is None else [key]
    split = plan.names.get("split", "")
    return hash((str(values.get(split, "")), *(str(values.get(column, "")) for column in columns)))
