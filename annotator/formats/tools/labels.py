"""What the exports of labelling tools have in common: offsets, marks of several people, and span-labels that are sets.

Each tool's reader brings a record to a plain row for every annotator; the rows' reader does the rest.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeGuard

import msgspec
import regex

from annotator.domain.instances import GoldInstance
from annotator.domain.sources import SourceSpan, without_annotators
from annotator.domain.tasks import Task
from annotator.errors import ExportRefused, InvalidValue
from annotator.formats.base import ReadOptions
from annotator.formats.rows.columns import NUMBER, field_names, segment_of
from annotator.formats.rows.files import new_file
from annotator.formats.rows.findings import Findings, listed
from annotator.formats.rows.gold_csv import PlacedSpan, placed_span
from annotator.formats.rows.lines import Entity, Row
from annotator.language import _, several, unsaid
from annotator.text.characters import utf16_offsets

# Offsets as labelling tools count them: characters (code points), a browser's UTF-16 units, or grapheme clusters.


OffsetUnit = Literal["characters", "utf-16", "graphemes"]
_UNIT_WORDS: dict[OffsetUnit, str] = {
    "characters": unsaid("characters"),
    "utf-16": unsaid("UTF-16 units"),
    "graphemes": unsaid("grapheme clusters"),
}
_CLUSTER = regex.compile(r"\X")
# Thai to Burmese, Khmer, and Chinese and Japanese: no blank parts words, so a span cannot be seen to cut one.
_SPACELESS = re.compile("[\u0e00-\u109f\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff\U00020000-\U0003134f]")


def is_unit(value: object) -> TypeGuard[OffsetUnit]:
    """Whether a value names a way of counting."""
    return value in _UNIT_WORDS


@dataclass(frozen=True, slots=True)
class Offsets:
    """The borders in a text that a tool's offsets can name, in both countings.

    Shapes: offsets, characters: int[n_borders], each in ascending order; None where both countings are the same
    """

    text: str
    unit: OffsetUnit
    borders: tuple[Sequence[int], Sequence[int]] | None

    @staticmethod
    def of(text: str, unit: OffsetUnit) -> "Offsets":
        """The offsets of a text in a unit."""
        if unit == "graphemes" and not (text.isascii() and "\r" not in text):
            ends = [0, *(match.end() for match in _CLUSTER.finditer(text))]
            return Offsets(text, unit, (range(len(ends)), ends))
        if unit == "utf-16" and text and max(text) > "\uffff":
            characters = range(len(text) + 1)
            return Offsets(text, unit, (utf16_offsets(text, characters), characters))
        return Offsets(text, unit, None)

    @property
    def length(self) -> int:
        """How long the text is in the unit."""
        return self.borders[0][-1] if self.borders else len(self.text)

    def character(self, offset: int) -> int | None:
        """The character at which an offset lies; None for one inside a character, or outside the text.

        >>> [Offsets.of("a😀b", "utf-16").character(offset) for offset in (1, 2, 3)]
        [1, None, 2]
        """
        if self.borders is None:
            return offset if 0 <= offset <= len(self.text) else None
        offsets, characters = self.borders
        index = bisect_left(offsets, offset)
        return characters[index] if index < len(offsets) and offsets[index] == offset else None

    def offset(self, character: int) -> int:
        """The offset of the border before a character (which must be one of the borders)."""
        if self.borders is None:
            return character
        offsets, characters = self.borders
        return offsets[bisect_left(characters, character)]

    def range_of(self, start: int, end: int, field_name: str, findings: Findings) -> tuple[int, int] | None:
        """A half-open range in characters; None, with a finding, when it is no range of the text."""
        unit = _(_UNIT_WORDS[self.unit])
        if not 0 <= start < end:
            reason = _("Must satisfy 0 <= start < end.")
        elif end > self.length:
            reason = _(
                "Ends at {end} (exclusive); the text is {length} {unit}.", end=end, length=self.length, unit=unit
            )
        else:
            first, last = self.character(start), self.character(end)
            if first is not None and last is not None:
                return first, last
            wrong = start if first is None else end
            reason = _("Offset {wrong} ({unit}) splits a character. Check the unit.", wrong=wrong, unit=unit)
        findings.refuse(field_name, [start, end], reason)
        return None


def cuts_word(text: str, start: int, end: int) -> bool:
    """Whether a span of characters begins or ends inside a word, as far as can be seen without tokens.

    >>> cuts_word("so good", 3, 6), cuts_word("so good", 3, 7), cuts_word("很好看", 1, 2)
    (True, False, False)
    """
    return any(
        0 < border < len(text) and _is_in_word(text[border - 1]) and _is_in_word(text[border])
        for border in (start, end)
    )


def _is_in_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN" and not _SPACELESS.match(character)


Values = dict[str, Any]
NOTE_NAMES = frozenset({"note", "notes", "comment", "comments", "remark", "remarks", "explanation"})
_OF_ANNOTATIONS = ("annotator", "annotator_label", "annotator_answer", "rationales", "note")
_NUMBER = re.compile("[0-9]+")
_WORD_BORDERS = re.compile(r"[\W_]+")
_ZIP_START = b"PK\x03\x04"


@dataclass(frozen=True, slots=True)
class LabelledSpan:
    """Characters (code points, half open) of a segment under a span-label."""

    label: str
    segment: str
    start: int
    end: int


@dataclass(slots=True)
class Marks:
    """What one person marked in one record."""

    annotator: str
    result: str | int | None = None
    spans: list[LabelledSpan] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def refuse_archives_and_tables(path: Path, remedy: str) -> None:
    """Raise InvalidValue, saying what to do, for a zip archive and for a table, which tools export too."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        start = file.read(len(_ZIP_START))
    is_table = path.suffix.lower() in {".csv", ".tsv", ".xlsx", ".ods"}
    if (start == _ZIP_START and not is_table) or path.suffix.lower() == ".zip":
        raise InvalidValue(_("'{name}' is an archive. Unpack it first.", name=path))
    if is_table:
        raise InvalidValue(_("'{path}' is a table, less complete than JSON. {remedy}", path=path, remedy=remedy))


def has_key(key: object, options: ReadOptions, findings: Findings) -> bool:
    """Whether a record has a key; a record without one is refused, unless its text gets a number (`base.ReadOptions.key_of`)."""
    if key is None and options.key_of is None:
        reason = _("Missing ID. Add one, or use --number-keys.")
        findings.refuse("id", "", reason, NUMBER)
    return key is not None


def take_texts(values: Values, task: Task, *, are_named: bool = False) -> Values:
    """Take the segments' texts out of a record, by the names under which plain rows know them.

    Where none of these names is there, the task needs one text, and the record has just one, it is that one; unless
    are_named: only names count.
    """
    reserved = {name for names in field_names(task).values() for name in names} | {"result"}
    column_of = _named_columns(values, task, reserved)
    if not column_of and not are_named:
        column_of = _only_text(values, task, reserved)
    return {segment: values.pop(column) for segment, column in column_of.items()}


def _named_columns(values: Values, task: Task, reserved: Collection[str]) -> dict[str, str]:
    """By segment, the column with its text: one of the segment's own name comes before one of another name for it."""
    column_of: dict[str, str] = {}
    columns = [column for column in values if column not in reserved or task.spec_of(column)]
    for column in sorted(columns, key=lambda name: segment_of(task, name) != name):
        segment = segment_of(task, column)
        if segment is not None:
            column_of.setdefault(segment, column)
    return column_of


def _only_text(values: Values, task: Task, reserved: Collection[str]) -> dict[str, str]:
    """The record's only text, for a task that needs just one; {} else."""
    required = [spec.name for spec in task.segments if not spec.may_be_empty]
    texts = [column for column, value in values.items() if column not in reserved and isinstance(value, str)]
    return {required[0]: texts[0]} if len(required) == len(texts) == 1 else {}


def named_segment(task: Task, names: Sequence[str], texts: Iterable[str]) -> str | None:
    """The segment that a control is about: by its name, by a word of its name, or because one alone can be marked.

    >>> from annotator.domain.tasks import TASKS
    >>> named_segment(TASKS["inference"], ["rationale_premise"], ["premise", "hypothesis"])
    'premise'
    """
    segment_names = list(texts)
    for name in names:
        if (segment := segment_of(task, name)) in segment_names:
            return segment
    for name in names:
        words = {segment_of(task, word) for word in _WORD_BORDERS.split(name)} | {name.partition("_")[2]}
        named = [segment for segment in segment_names if segment in words]
        if len(named) == 1:
            return named[0]
    selectable = [name for name in segment_names if (spec := task.spec_of(name)) and spec.is_selectable]
    return selectable[0] if len(selectable) == 1 else None


def sets_by_label(spans: Sequence[LabelledSpan]) -> list[list[Values]]:
    """The spans of each span-label as one set, as plain rows write them.

    Labels without a number come first, in the order in which they appear; then those with one, in the order of the first.

    >>> spans = [LabelledSpan(label, "text", 0, 1) for label in ("set 10", "set 2", "why")]
    >>> list(labels_in_order(spans))
    ['why', 'set 2', 'set 10']
    """
    sets: dict[str, list[Values]] = {label: [] for label in labels_in_order(spans)}
    for span in spans:
        sets[span.label].append({"segment": span.segment, "start_char": span.start, "end_char": span.end})
    return list(sets.values())


def labels_in_order(spans: Iterable[LabelledSpan]) -> Iterable[str]:
    """The span-labels in the order of their sets."""

    def number(label: str) -> int:
        match = _NUMBER.search(label)
        return int(match.group()[:18]) if match else -1

    return sorted(dict.fromkeys(span.label for span in spans), key=number)


def set_label(number: int) -> str:
    """The span-label of a set that is written; the first is number 0."""
    return f"set {number + 1}"


def warn_of_cut_words(marks: Iterable[Marks], texts: Mapping[str, object], findings: Findings) -> None:
    """Tell of spans that begin or end inside a word, since on import spans grow to whole tokens."""
    cut = []
    for span in (span for of_one in marks for span in of_one.spans):
        text = texts[span.segment]
        if isinstance(text, str) and cuts_word(text, span.start, span.end):
            cut.append(text[span.start : span.end])
    if cut:
        reason = several(
            "{n} span cuts words and grows to whole tokens.", "{n} spans cut words and grow to whole tokens.", len(cut)
        )
        findings.warn("rationales", listed(cut, 3), reason)


def plain_rows(
    row: Row, values: Values, texts: Values, marks: Sequence[Marks], task: Task, *, are_all: bool = True
) -> Iterator[Row]:
    """A plain row for each person's marks, or one without; the record's result is its own, else what all agree on.

    are_all: these are all marks of the record; where others may follow, they cannot be seen to agree
    """
    record = {f"data.{name}" if name in _OF_ANNOTATIONS else name: value for name, value in values.items()}
    result_names = field_names(task)["result"]
    if not any(name in record for name in result_names):
        if "result" in record:
            record[result_names[0]] = record.pop("result")
        elif are_all and len(given := {of_one.result for of_one in marks if of_one.result is not None}) == 1:
            record[result_names[0]] = given.pop()
    record |= texts
    for of_one in marks:
        more = {"annotator": of_one.annotator, "annotator_label": of_one.result, "note": "\n".join(of_one.notes)}
        values = {**record, **more, "rationales": sets_by_label(of_one.spans)}
        spans = [(span.label, SourceSpan(span.segment, span.start, span.end, "char")) for span in of_one.spans]
        yield Row(row.source, row.line, values, entities=tuple(Entity(*span) for span in spans))
    if not marks:
        yield Row(row.source, row.line, record, entities=())


def one_of_results(given: Mapping[str, Sequence[str]], task: Task, labels: Sequence[str]) -> str | None:
    """Which question's answers are the result: the only one, the one named so, or the only one that gives labels.

    given: what was answered, by question
    """
    named = [name for name in (*field_names(task)["result"], "result") if name in given]
    if named or len(given) == 1:
        return named[0] if named else next(iter(given))
    fitting = [name for name, answers in given.items() if answers and all(answer in labels for answer in answers)]
    return fitting[0] if len(fitting) == 1 else None


@dataclass(slots=True)
class GoldKeys:
    """What a writer to a tool checks of all instances together: there are some, and no key appears twice in a split."""

    _seen: set[int] = field(default_factory=set)

    def add(self, gold: GoldInstance) -> None:
        """Take note of an instance; raises ExportRefused when its key is there already."""
        key_hash = hash((gold.instance.split, gold.instance.key))
        if key_hash in self._seen:
            split, key = gold.instance.split, gold.instance.key
            raise ExportRefused(_("Duplicate ID '{key}' in split '{split}'.", split=split, key=key))
        self._seen.add(key_hash)

    def finish(self) -> None:
        """Raise ExportRefused when there was no instance."""
        if not self._seen:
            raise ExportRefused(_("No gold yet. Choose another split."))


def write_list(path: Path, gold: Iterable[GoldInstance], values_of: Callable[[GoldInstance], Values]) -> None:
    """Write one JSON file, a list with what stands for an instance on each line.

    Raises: ExportRefused when there is no instance, a key appears twice, or the file cannot be written
    """
    keys = GoldKeys()
    with new_file(path) as file:
        before = b"[\n"
        for item in gold:
            keys.add(item)
            file.write(before + msgspec.json.encode(values_of(item)))
            before = b",\n"
        keys.finish()
        file.write(b"\n]\n")


def gold_spans(gold: GoldInstance) -> Iterator[tuple[str, PlacedSpan]]:
    """Every span of gold with the label of its set, in order; raises ExportRefused for one without a character."""
    for number, one_set in enumerate(gold.sets):
        for span in one_set.spans:
            placed = placed_span(gold.instance, span)
            if placed.start_char >= placed.end_char:
                raise ExportRefused(
                    _("Instance '{key}': set {number} marks an empty token.", key=gold.instance.key, number=number + 1)
                )
            yield set_label(number), placed


def gold_texts(gold: GoldInstance) -> dict[str, str]:
    """The segments' texts, without empty ones that may be left out."""
    return {s.name: s.body.text for s in gold.instance.segments if s.body.text}


def gold_fields(gold: GoldInstance, task: Task) -> Values:
    """What a tool is to carry of an instance beside texts and spans; what is not there is left out."""
    instance = gold.instance
    fields: Values = {"split": instance.split or None, "language": instance.language}
    fields[field_names(task)["result"][0]] = gold.result
    fields |= {"parent": instance.parent_key, "perturbation_kind": instance.perturbation_kind}
    fields |= {"exhaustive": instance.is_exhaustive, "target": _target(gold)}
    fields["metadata"] = without_annotators(instance.metadata) or None
    return {name: value for name, value in fields.items() if value is not None}


def _target(gold: GoldInstance) -> Values | None:
    if gold.instance.target is None:
        return None
    start, end = gold.instance.target
    layout = gold.instance.layout
    segment = layout.segment_at(start)
    body = gold.instance.segment(segment.name).body
    first, last = body.starts[start - segment.first_token], body.ends[end - 1 - segment.first_token]
    return {"segment": segment.name, "start_char": first, "end_char": last}
