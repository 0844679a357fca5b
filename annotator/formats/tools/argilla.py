"""The format `argilla`, in and out: records that Argilla 2 writes as JSON, and those of Argilla 1 as far as they mark texts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from annotator.domain.instances import GoldInstance
from annotator.domain.sources import SourceItem
from annotator.domain.tasks import Task
from annotator.errors import Problem
from annotator.formats.base import ReadOptions, WriteOptions
from annotator.formats.rows.findings import Findings, shown
from annotator.formats.rows.json_files import read_content, read_items
from annotator.formats.rows.lines import LineError, Row, convert, parse_value, read_rows
from annotator.formats.rows.plain_rows import UNNAMED_ANNOTATOR, RowReader
from annotator.formats.tools import labels as tool_labels
from annotator.formats.tools.labels import Offsets, OffsetUnit, is_unit
from annotator.formats.tools.left_out import ExportReader, LeftOut
from annotator.language import _, unsaid

__all__ = ["read", "write"]

# Argilla's records in the forms that its versions write, brought to one.


# Argilla wants to know whose a response is; where our export does not, it writes this, to be replaced by a real user.
NOBODY = "00000000-0000-0000-0000-000000000000"
_RESPONSES = ".responses"
_NOT_METADATA = frozenset(
    {"id", "status", "_server_id", "score", "fields", "metadata", "responses", "suggestions", "vectors"}
)


@dataclass(frozen=True, slots=True)
class Response:
    """One person's answer to one question, and where it stands."""

    question: str
    annotator: str | None
    value: Any
    status: str | None
    field_name: str


@dataclass(slots=True)
class Record:
    """One record. unit: how its offsets are counted, where its form settles that."""

    id: str | int | None = None
    fields: tool_labels.Values = field(default_factory=dict)
    metadata: tool_labels.Values = field(default_factory=dict)
    responses: list[Response] = field(default_factory=list)
    n_suggestions: int = 0
    unit: OffsetUnit | None = None


def record_rows(path: Path, remedy: str) -> Iterator[Row | Problem]:
    """The records of a list (to_json, to_list), of lines, or of an object (to_dict in both orientations)."""
    content = read_content(path)
    if content.lstrip().startswith(b"["):
        yield from read_items(content, path.name, remedy)
        return
    try:
        values = parse_value(content)
    except LineError as fault:
        if b"\n" in content.strip() and not content.lstrip().startswith(b"{\n"):
            yield from read_rows(path, path.name)
        else:
            yield Problem(path.name, None, "file", shown(fault.value), f"{fault.reason} {remedy}")
        return
    yield from _rows_of_object(values, path.name, remedy)


def _rows_of_object(values: object, source: str, remedy: str) -> Iterator[Row | Problem]:
    if isinstance(values, dict) and values and all(isinstance(column, list) for column in values.values()):
        n_records = {len(column) for column in values.values()}
        if len(n_records) == 1:
            for number in range(n_records.pop()):
                record = {name: column[number] for name, column in values.items()}
                yield Row(f"{source}[{number}]", 1, record)
            return
    elif isinstance(values, dict) and ({"fields", "text", "inputs"} & values.keys()):
        yield Row(source, 1, values)
        return
    elif isinstance(values, dict) and values and all(isinstance(record, dict) for record in values.values()):
        for name, record in values.items():
            yield Row(f"{source}[{name}]", 1, record)
        return
    yield Problem(source, None, "file", shown(values), _("Must be a list of records. {remedy}", remedy=remedy))


class _Answer(msgspec.Struct):
    value: Any = None
    user_id: str | None = None
    status: str | None = None


class _UserResponse(msgspec.Struct):
    values: dict[str, _Answer] | None = None
    user_id: str | None = None
    status: str | None = None


class _Nested(msgspec.Struct):
    """The form of Argilla 2 (responses by question), and of its server and of Argilla 1 (responses by user)."""

    fields: dict[str, Any]
    id: str | int | None = None
    external_id: str | int | None = None
    metadata: dict[str, Any] | None = None
    responses: dict[str, list[_Answer]] | list[_UserResponse] | None = None
    suggestions: dict[str, Any] | list[Any] | None = None


class _V1Span(msgspec.Struct):
    label: str
    start: int
    end: int


class _V1(msgspec.Struct):
    """A record of Argilla 1 for token classification, or for text classification."""

    text: str | None = None
    inputs: dict[str, Any] | str | None = None
    tokens: list[str] | None = None
    annotation: list[_V1Span | tuple[str, int, int] | str] | str | None = None
    annotation_agent: str | None = None
    prediction: list[Any] | None = None
    id: str | int | None = None
    metadata: dict[str, Any] | None = None
    status: str | None = None


def read_record(values: tool_labels.Values, findings: Findings) -> Record | None:
    """A record in the common form; None, with findings, when its fields are of a wrong type."""
    if "fields" in values:
        nested = convert(values, _Nested, findings)
        return None if nested is None else _from_nested(nested)
    if any(name.endswith(_RESPONSES) for name in values):
        return _from_flat(values, findings)
    if "annotation" in values or "prediction" in values or "inputs" in values:
        first = convert(values, _V1, findings)
        return None if first is None else _from_v1(first)
    metadata = {name: value for name, value in values.items() if name not in _NOT_METADATA}
    return Record(id=values.get("id"), metadata=metadata)


def _from_nested(nested: _Nested) -> Record:
    record = Record(
        id=nested.id if nested.external_id is None else nested.external_id,
        fields=nested.fields,
        metadata=nested.metadata or {},
        n_suggestions=len(nested.suggestions or ()),
    )
    if isinstance(nested.responses, dict):
        for question, answers in nested.responses.items():
            for number, answer in enumerate(answers):
                field_name = f"responses.{question}[{number}].value"
                record.responses.append(
                    Response(question, _user(answer.user_id), answer.value, _status(answer.status), field_name)
                )
    else:
        for number, response in enumerate(nested.responses or ()):
            for question, answer in (response.values or {}).items():
                field_name = f"responses[{number}].values.{question}.value"
                record.responses.append(
                    Response(question, _user(response.user_id), answer.value, _status(response.status), field_name)
                )
    return record


def _from_flat(values: tool_labels.Values, findings: Findings) -> Record | None:
    """The form of to_list(flatten=True): fields, metadata and answers side by side."""
    record = Record(id=values.get("id"))
    questions = [name.removesuffix(_RESPONSES) for name in values if name.endswith(_RESPONSES)]
    for name, value in values.items():
        question = name.partition(".")[0]
        if name.endswith(".suggestion"):
            record.n_suggestions += value is not None
        elif (
            name not in _NOT_METADATA
            and not (question in questions and question != name)
            and ".suggestion." not in name
        ):
            record.metadata[name] = value
    for question in questions:
        column = f"{question}{_RESPONSES}"
        lists = {suffix: values.get(f"{column}{suffix}") or [] for suffix in ("", ".users", ".status")}
        answers = convert(lists, dict[str, list[Any]], findings)
        if answers is None:
            return None
        for number, value in enumerate(answers[""]):
            user, status = (_at(answers[suffix], number) for suffix in (".users", ".status"))
            record.responses.append(Response(question, _user(user), value, _status(status), f"{column}[{number}]"))
    return record


def _from_v1(first: _V1) -> Record:
    """The form of Argilla 1, whose server counted characters."""
    fields: tool_labels.Values = {"text": first.text} if first.text is not None else {}
    if isinstance(first.inputs, dict):
        fields |= first.inputs
    elif first.inputs is not None:
        fields.setdefault("text", first.inputs)
    if first.tokens is not None:
        fields["tokens"] = first.tokens
    value: Any = first.annotation
    if isinstance(value, list) and not all(isinstance(item, str) for item in value):
        value = [_v1_span(item) for item in value]
    record = Record(
        first.id, fields, first.metadata or {}, n_suggestions=int(bool(first.prediction)), unit="characters"
    )
    agent, status = first.annotation_agent, _status(first.status)
    record.responses.append(Response("annotation", _user(agent), value, status, "annotation"))
    return record


def _v1_span(item: _V1Span | tuple[str, int, int] | str) -> Mapping[str, object]:
    if isinstance(item, _V1Span):
        return {"start": item.start, "end": item.end, "label": item.label}
    return {"label": item[0], "start": item[1], "end": item[2]} if isinstance(item, tuple) else {"label": item}


def _at(values: list[Any], index: int) -> object:
    return values[index] if index < len(values) else None


def _user(given: object) -> str | None:
    """The person's id; Argilla writes "None" where it knows none."""
    return given if isinstance(given, str) and given not in {"", "None", NOBODY} else None


def _status(given: object) -> str | None:
    return given.lower() if isinstance(given, str) else None


# Writing the format `argilla`: records with their gold as responses, to log to an Argilla 2 dataset.


_PACKED = ("exhaustive", "target", "metadata")


def write(path: Path, gold: Iterable[GoldInstance], options: WriteOptions) -> None:
    """Write one file, a list with a record on each line, as dataset.records.to_json writes it.

    Raises: ExportRefused when there is no instance, a key appears twice, or the file cannot be written
    """
    tool_labels.write_list(path, gold, lambda item: _record(item, options.project.task))


def _record(gold: GoldInstance, task: Task) -> tool_labels.Values:
    key, split = gold.instance.key, gold.instance.split
    fields = tool_labels.gold_fields(gold, task)
    packed = {name: fields.pop(name) for name in _PACKED if name in fields}
    if packed:
        fields["more"] = msgspec.json.encode(packed).decode()
    return {
        "id": f"{split}/{key}" if split else key,
        "fields": tool_labels.gold_texts(gold),
        "metadata": {"key": key, **fields},
        "suggestions": {},
        "responses": _responses(gold, task),
        "vectors": {},
        "status": "completed",
    }


def _responses(gold: GoldInstance, task: Task) -> tool_labels.Values:
    texts = tool_labels.gold_texts(gold)
    units = {name: Offsets.of(text, "utf-16") for name, text in texts.items()}
    values: dict[str, list[tool_labels.Values]] = {
        s.name: [] for s in gold.instance.segments if s.is_selectable and s.name in texts
    }
    for label, span in tool_labels.gold_spans(gold):
        start, end = (units[span.segment].offset(index) for index in (span.start_char, span.end_char))
        values[span.segment].append({"start": start, "end": end, "label": label})
    responses: tool_labels.Values = {f"rationale_{name}": _response(spans) for name, spans in values.items()}
    if gold.result:
        responses[task.result_kind] = _response(gold.result)
    return responses


def _response(value: object) -> list[tool_labels.Values]:
    return [{"value": value, "user_id": NOBODY}]


_REMEDY = unsaid("Write records with dataset.records.to_json(path).")


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The records of a file as instances; each person's responses are an annotation, each span-label a set.

    Raises: NotFound or InvalidValue when there is no such file, or it is an archive or a table
    """
    tool_labels.refuse_archives_and_tables(path, _(_REMEDY))
    return RowReader(options).read(_RecordReader(path.name, options).rows(path))


class _SpanValue(msgspec.Struct):
    start: int
    end: int
    label: str


class _RecordReader(ExportReader):
    __slots__ = ()

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
        self.left_out.add("prediction", record.n_suggestions)
        values = {name: value for name, value in record.metadata.items() if value is not None}
        fields = {name: value for name, value in record.fields.items() if value is not None}
        unit = _take_unit(values, record, findings)
        _take_more(values, findings)
        _take_key(values, record, self.options, findings)
        texts = tool_labels.take_texts(fields or values, self.options.task)
        values |= fields
        answers = _Answers(self.options, texts, unit, findings, self.left_out)
        for response in record.responses:
            answers.take(response)
        marks = answers.settle()
        if not findings.is_refused:
            tool_labels.warn_of_cut_words(marks, texts, findings)
            self.left_out.add_labels(span.label for of_one in marks for span in of_one.spans)
            yield from tool_labels.plain_rows(row, values, texts, marks, self.options.task)


def _take_unit(values: tool_labels.Values, record: Record, findings: Findings) -> OffsetUnit | None:
    """How the record's offsets are counted, as far as it says it."""
    given = values.pop("offsets", record.unit)
    if given is None or is_unit(given):
        return given
    findings.refuse(
        "metadata.offsets", given, _("Must be one of {values}.", values='"utf-16", "graphemes", "characters"')
    )
    return None


def _take_more(values: tool_labels.Values, findings: Findings) -> None:
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
        findings.refuse("metadata.more", packed, _("Must be a JSON object from an Annotator export."))


def _take_key(values: tool_labels.Values, record: Record, options: ReadOptions, findings: Findings) -> None:
    key = values.pop("key", record.id)
    if "id" in values:
        values["data.id"] = values.pop("id")
    if tool_labels.has_key(key if key != "" else None, options, findings):
        values["id"] = key


@dataclass(slots=True)
class _Answers:
    """Collects the responses of one record by person."""

    options: ReadOptions
    texts: tool_labels.Values
    unit: OffsetUnit | None
    findings: Findings
    left_out: LeftOut
    _marks: dict[str, tool_labels.Marks] = field(default_factory=dict)
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
            if response.question.lower() in tool_labels.NOTE_NAMES:
                self._of(who).notes.append(value)
            else:
                self._given.setdefault(response.question, {})[who] = value
        else:
            self.left_out.add("odd response")

    def _of(self, who: str) -> tool_labels.Marks:
        return self._marks.setdefault(who, tool_labels.Marks(who))

    def _take_spans(self, who: str, response: Response, value: list[Any]) -> None:
        marks = self._of(who)
        segment = tool_labels.named_segment(self.options.task, [response.question], self.texts) if value else None
        if value and segment is None:
            reason = _("Name the question like its marked field (rationale_text).")
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
                reason = _("A span needs integer offsets and a label.")
                self.findings.refuse(field_name, item, reason)
                continue
            characters = units.range_of(span.start, span.end, field_name, self.findings)
            if characters is not None:
                marks.spans.append(tool_labels.LabelledSpan(span.label, segment, *characters))
                is_same = self.unit is not None or characters == (span.start, span.end)
                self._is_doubtful = self._is_doubtful or not is_same

    def settle(self) -> list[tool_labels.Marks]:
        """Everybody's marks, each with the result from the question that asks for it."""
        given = {question: list(answers.values()) for question, answers in self._given.items()}
        question = tool_labels.one_of_results(given, self.options.task, self.options.labels)
        for who, answer in self._given.pop(question or "", {}).items():
            self._of(who).result = answer
        self.left_out.add("other answer", sum(len(a) for a in self._given.values()))
        self.left_out.add("emoji in Argilla", int(self._is_doubtful))
        return list(self._marks.values())
