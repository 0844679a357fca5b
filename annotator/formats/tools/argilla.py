"""The format `argilla`: records that Argilla 2 writes as JSON, and those of Argilla 1 as far as they mark texts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.sources import SourceItem
from annotator.errors import Problem
from annotator.formats.base import ReadOptions
from annotator.formats.rows.findings import Findings
from annotator.formats.rows.lines import LineError, Row, parse_value
from annotator.formats.rows.plain_rows import UNNAMED_ANNOTATOR, RowReader
from annotator.formats.tools.argilla_records import Record, Response, read_record, record_rows
from annotator.formats.tools.argilla_writer import write
from annotator.formats.tools.labels import (
    NOTE_NAMES,
    LabelledSpan,
    Marks,
    Values,
    has_key,
    named_segment,
    one_of_results,
    plain_rows,
    refuse_archives_and_tables,
    take_texts,
    warn_of_cut_words,
)
from annotator.formats.tools.left_out import LeftOut
from annotator.formats.tools.offsets import Offsets, OffsetUnit, is_unit
from annotator.language import _, unsaid

__all__ = ["read", "write"]

_REMEDY = unsaid("Write the records with dataset.records.to_json(path).")


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The records of a file as instances; each person's responses are an annotation, each span-label a set.

    Raises: NotFound or InvalidValue when there is no such file, or it is an archive or a table
    """
    refuse_archives_and_tables(path, _(_REMEDY))
    return RowReader(options).read(_RecordReader(path.name, options).rows(path))


class _SpanValue(msgspec.Struct):
    start: int
    end: int
    label: str


@dataclass(slots=True)
class _RecordReader:
    source: str
    options: ReadOptions
    left_out: LeftOut = field(init=False)

    def __post_init__(self) -> None:
        self.left_out = LeftOut(self.source)

    def rows(self, path: Path) -> Iterator[Row | Problem]:
        """Plain rows of every record, what is wrong with it, and at the end what was left out."""
        for row in record_rows(path, _(_REMEDY)):
            if isinstance(row, Problem):
                yield row
                continue
            findings = row.findings()
            record = read_record(row.values, findings)
            if record is not None:
                yield from self._plain(row, record, findings)
            yield from findings.problems
        yield from self.left_out.warnings()

    def _plain(self, row: Row, record: Record, findings: Findings) -> Iterator[Row]:
        self.left_out.add("suggestion", record.n_suggestions)
        values = {name: value for name, value in record.metadata.items() if value is not None}
        fields = {name: value for name, value in record.fields.items() if value is not None}
        unit = _take_unit(values, record, findings)
        _take_more(values, findings)
        _take_key(values, record, self.options, findings)
        texts = take_texts(fields or values, self.options.task)
        values |= fields
        answers = _Answers(self.options, texts, unit, findings, self.left_out)
        for response in record.responses:
            answers.take(response)
        marks = answers.settle()
        if not findings.is_refused:
            warn_of_cut_words(marks, texts, findings)
            self.left_out.add_labels(span.label for of_one in marks for span in of_one.spans)
            yield from plain_rows(row, values, texts, marks, self.options.task)


def _take_unit(values: Values, record: Record, findings: Findings) -> OffsetUnit | None:
    """How the record's offsets are counted, as far as it says it."""
    given = values.pop("offsets", record.unit)
    if given is None or is_unit(given):
        return given
    findings.refuse("metadata.offsets", given, _('It must be "utf-16", "graphemes" or "characters".'))
    return None


def _take_more(values: Values, findings: Findings) -> None:
    """Bring back what our own export packs as JSON, since metadata holds texts and numbers alone."""
    packed = values.pop("more", None)
    if packed is None:
        return
    try:
        more = parse_value(str(packed).encode())
    except LineError:
        more = None
    if isinstance(more, dict):
        values.update(more)
    else:
        findings.refuse(
            "metadata.more", packed, _("It must hold a JSON object, as our own export writes it; or remove it.")
        )


def _take_key(values: Values, record: Record, options: ReadOptions, findings: Findings) -> None:
    key = values.pop("key", record.id)
    if "id" in values:
        values["data.id"] = values.pop("id")
    if has_key(key if key != "" else None, options, findings):
        values["id"] = key


@dataclass(slots=True)
class _Answers:
    """Collects the responses of one record by person."""

    options: ReadOptions
    texts: Values
    unit: OffsetUnit | None
    findings: Findings
    left_out: LeftOut
    _marks: dict[str, Marks] = field(default_factory=dict)
    _given: dict[str, dict[str, str]] = field(default_factory=dict)  # question: annotator: answer
    _is_doubtful: bool = False

    def take(self, response: Response) -> None:
        """Take one person's answer to one question in."""
        if response.value is None:
            return
        if response.status in {"draft", "discarded"}:
            self.left_out.add("open response" if response.status == "draft" else "discarded response")
            return
        who = response.annotator or UNNAMED_ANNOTATOR
        value = response.value
        if isinstance(value, list) and all(isinstance(item, Mapping) and "start" in item for item in value):
            self._take_spans(who, response, value)
        elif isinstance(value, str):
            if response.question.lower() in NOTE_NAMES:
                self._of(who).notes.append(value)
            else:
                self._given.setdefault(response.question, {})[who] = value
        else:
            self.left_out.add("odd response")

    def _of(self, who: str) -> Marks:
        return self._marks.setdefault(who, Marks(who))

    def _take_spans(self, who: str, response: Response, value: list[Any]) -> None:
        marks = self._of(who)
        segment = named_segment(self.options.task, [response.question], self.texts) if value else None
        if value and segment is None:
            reason = _(
                "The file does not say which text is marked. Call the question like the field, such as rationale_text."
            )
            self.findings.refuse(response.field_name, response.question, reason)
        text = self.texts.get(segment or "")
        if segment is None or not isinstance(text, str):
            return
        units = Offsets.of(text, self.unit or "utf-16")
        for number, item in enumerate(value):
            field_name = f"{response.field_name}[{number}]"
            try:
                span = msgspec.convert(item, _SpanValue)
            except msgspec.ValidationError:
                reason = _("A span needs a start and an end in whole numbers, and a label.")
                self.findings.refuse(field_name, item, reason)
                continue
            characters = units.range_of(span.start, span.end, field_name, self.findings)
            if characters is not None:
                marks.spans.append(LabelledSpan(span.label, segment, *characters))
                is_same = self.unit is not None or characters == (span.start, span.end)
                self._is_doubtful = self._is_doubtful or not is_same

    def settle(self) -> list[Marks]:
        """Everybody's marks, each with the result from the question that asks for it."""
        given = {question: list(answers.values()) for question, answers in self._given.items()}
        question = one_of_results(given, self.options.task, self.options.labels)
        for who, answer in self._given.pop(question or "", {}).items():
            self._of(who).result = answer
        self.left_out.add("other answer", sum(len(a) for a in self._given.values()))
        self.left_out.add("emoji in Argilla", int(self._is_doubtful))
        return list(self._marks.values())
