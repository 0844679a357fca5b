"""Argilla's records in the forms that its versions write, brought to one."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from annotator.errors import Problem
from annotator.formats.rows.findings import Findings, shown
from annotator.formats.rows.json_items import read_content, read_items
from annotator.formats.rows.lines import LineError, Row, convert, parse_value, read_rows
from annotator.formats.tools.labels import Values
from annotator.formats.tools.offsets import OffsetUnit
from annotator.language import _

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
    fields: Values = field(default_factory=dict)
    metadata: Values = field(default_factory=dict)
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
    yield Problem(
        source, None, "file", shown(values), _("The file must hold a list of records. {remedy}", remedy=remedy)
    )


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


def read_record(values: Values, findings: Findings) -> Record | None:
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


def _from_flat(values: Values, findings: Findings) -> Record | None:
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
    fields: Values = {"text": first.text} if first.text is not None else {}
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
