"""Lines of a text file and the JSON objects on them, one at a time; what is wrong with a line becomes a Problem."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn, TypeVar

import msgspec

from annotator.domain.sources import SourceSpan
from annotator.errors import InvalidValue, NotFound, NotOneFile, Problem
from annotator.formats.rows.file_kinds import N_FIRST_LINES, is_like_a_row, refuse_no_text, why_no_rows
from annotator.formats.rows.findings import Findings, either, shown
from annotator.language import _, unsaid

MAX_LINE_BYTES = 64 * 2**20
MAX_DEPTH = 100
_BOM = b"\xef\xbb\xbf"
_KEY_END = re.compile(rb'"[ \t\r\n]*:')
_T = TypeVar("_T")


class RawLine(NamedTuple):
    """One line without its line end; `content` is None when it is too long to be read."""

    number: int
    offset: int
    content: bytes | None


@dataclass(frozen=True, slots=True)
class Entity:
    """A labelled span of a row's text. sets: its rationale sets, None where nobody marked any; line: where it stands alone."""

    label: str
    span: SourceSpan
    sets: tuple[tuple[SourceSpan, ...], ...] | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """The JSON object on one line. entities: its labelled spans; None where the format has no such spans."""

    source: str
    line: int
    values: dict[str, Any]
    offset: int = 0
    entities: tuple[Entity, ...] | None = None

    def findings(self) -> Findings:
        """An empty list of problems for this row."""
        return Findings(self.source, self.line)


class LineError(Exception):
    """A line that holds no JSON object; carries field, value and reason."""

    def __init__(self, field: str, value: object, reason: str) -> None:
        super().__init__(reason)
        self.field, self.value, self.reason = field, value, reason


def check_file(path: Path) -> None:
    """Raise when there is no readable file of that name, with a sentence that says so."""
    if not path.exists():
        raise NotFound(_("No file or folder '{path}'.", path=path))
    if path.is_dir():
        raise NotOneFile(_("'{path}' is a folder. Name a file.", path=path))
    try:
        path.open("rb").close()
    except OSError as error:
        raise InvalidValue(_("Can't open '{path}': {reason}.", path=path, reason=error.strerror)) from error


def read_lines(path: Path, *, keep_blank: bool = False) -> Iterator[RawLine]:
    """Every line that is not blank, without a byte order mark and line ends.

    Raises: NotFound or InvalidValue when the file cannot be opened, or is no text
    """
    check_file(path)
    refuse_no_text(path)
    with path.open("rb") as file:
        offset = number = 0
        while raw := file.readline(MAX_LINE_BYTES):
            number += 1
            length = len(raw) + _skip_rest(file, raw)
            content = raw.removeprefix(_BOM) if number == 1 else raw
            if length > len(raw):
                yield RawLine(number, offset, None)
            elif keep_blank or content.strip():
                yield RawLine(number, offset, content.rstrip(b"\r\n"))
            offset += length


def _skip_rest(file: BinaryIO, raw: bytes) -> int:
    """Read on to the end of a line that is too long; how many bytes that were."""
    skipped = 0
    while len(raw) == MAX_LINE_BYTES and not raw.endswith(b"\n"):
        raw = file.readline(MAX_LINE_BYTES)
        skipped += len(raw)
    return skipped


def line_at(path: Path, offset: int) -> bytes:
    """The line that starts at a byte offset which read_lines gave."""
    with path.open("rb") as file:
        file.seek(offset)
        return file.readline(MAX_LINE_BYTES).removeprefix(_BOM).strip(b" \t\r\n")


def read_row_lines(path: Path, source: str) -> Iterator[RawLine | Problem]:
    """Every line that is not blank; a file of another kind, none of whose first lines is like an object, is one problem."""
    lines = read_lines(path)
    first: list[RawLine] = []
    for raw in lines:
        first.append(raw)
        if is_like_a_row(raw.content) or len(first) == N_FIRST_LINES:
            break
    if first and not is_like_a_row(first[-1].content):
        reason = why_no_rows([(raw.number, raw.content or b"") for raw in first])
        yield Problem(source, first[0].number, "file", _start(first[0].content or b""), reason)
        return
    yield from first
    yield from lines


def read_rows(path: Path, source: str) -> Iterator[Row | Problem]:
    """The JSON object of every line that is not blank, or what is wrong with the line or with the file."""
    for raw in read_row_lines(path, source):
        if isinstance(raw, Problem):
            yield raw
            continue
        try:
            yield Row(source, raw.number, parse_object(raw.content), raw.offset)
        except LineError as fault:
            yield Problem(source, raw.number, fault.field, shown(fault.value), fault.reason)


def parse_object(raw: bytes | None) -> dict[str, Any]:
    """The JSON object that a line holds; no key twice, no NUL, no NaN, no half characters."""
    if raw is None:
        raise LineError("line", "", line_too_long())
    values = parse_value(raw)
    if not isinstance(values, dict):
        example = '{"id": "1", ...}'
        raise LineError("line", _start(raw), _("Must be like {example}.", example=example))
    return values


def line_too_long() -> str:
    """That a line is longer than is read."""
    return _("Line exceeds {size} MB. Split it.", size=MAX_LINE_BYTES // 2**20)


def not_utf8() -> str:
    """That a line is in another encoding: the same for each such line, so that many of them are one problem of the file."""
    return _("Not UTF-8. Set --encoding, or save as UTF-8 (Excel: “CSV UTF-8”).")


def parse_value(raw: bytes) -> object:
    """Any JSON value, checked like parse_object; raises LineError."""
    try:
        values = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        _explain_unreadable(raw, error)
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _is_deep(values, MAX_DEPTH):
        raise LineError("line", _start(raw), _too_deep())
    _check_keys(raw, values)
    if b"\\u0000" in raw:
        _check_nul(values, "")
    return values


def convert(values: object, kind: type[_T], findings: Findings, names: Mapping[str, str] | None = None) -> _T | None:
    """Values as `kind`; None, with a finding that names the wrong field, when one is of the wrong type.

    `names` maps a field of `kind` to what the file calls it.
    """
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        path, reason = explain_type_error(str(error))
        value = value_at(values, path)
        field, rest = re.fullmatch(r"([^.\[]*)(.*)", path, re.DOTALL).groups()  # type: ignore[union-attr]  # matches all
        findings.refuse((names or {}).get(field, field) + rest or "line", value, reason)
        return None


_TYPE_WORDS = {
    "int": unsaid("an integer"),
    "str": unsaid("text"),
    "bool": unsaid("true or false"),
    "float": unsaid("a number"),
    "array": unsaid("a list"),
    "object": unsaid("an object {...}"),
    "null": unsaid("null"),
}
_MISSING = re.compile(r"missing required field `([^`]*)`")
_PATH = re.compile(r" - at `(?:key in )?\$\.?([^`]*)`$")


def explain_type_error(message: str) -> tuple[str, str]:
    """The field and a sentence, from what msgspec says.

    >>> explain_type_error("Expected `int | null`, got `str` - at `$.rationales[0][1]`")
    ('rationales[0][1]', 'Must be an integer or null, not text.')
    """
    match = _PATH.search(message)
    field = match.group(1) if match else ""
    rest = message[: match.start()] if match else message
    if missing := _MISSING.search(rest):
        name = missing.group(1)
        return f"{field}.{name}" if field else name, _("Required field '{name}' is missing.", name=name)
    quoted = re.fullmatch(r"Expected `([^`]+)`, got `([^`]+)`", rest)
    if not quoted:
        return field, _explain_constraint(rest)
    allowed = either([_(_TYPE_WORDS.get(word, word)) for word in quoted.group(1).split(" | ")])
    return field, _(
        "Must be {allowed}, not {given}.", allowed=allowed, given=_(_TYPE_WORDS.get(quoted.group(2), quoted.group(2)))
    )


_CONSTRAINTS = (
    (re.compile(r"Expected `int` >= (?P<number>.+)"), unsaid("Must be at least {number}.")),
    (re.compile(r"Expected `int` <= (?P<number>.+)"), unsaid("Must be at most {number}.")),
    (re.compile(r"Expected `str` of length >= 1"), unsaid("Must not be empty.")),
    (re.compile(r"Expected `str` of length <= (?P<number>.+)"), unsaid("Must have at most {number} characters.")),
    (
        re.compile(r"Expected `str` matching regex .+"),
        unsaid("Must be a time, such as 2026-01-31T10:20:00Z."),
    ),  # the only ones
    (re.compile(r"Invalid enum value '(?P<value>.*)'", re.DOTALL), unsaid("Unknown value '{value}'.")),
)


def _explain_constraint(message: str) -> str:
    for pattern, sentence in _CONSTRAINTS:
        if match := pattern.fullmatch(message):
            return _(sentence, **match.groupdict())
    return f"{message}."


def value_at(values: object, path: str) -> object:
    """The value at a path such as rationales[0][1].segment; "" where there is none."""
    for step in re.findall(r"[^.\[\]]+", path):
        if isinstance(values, dict):
            values = values.get(step, "")
        elif (
            isinstance(values, Sequence) and not isinstance(values, str) and step.isdigit() and int(step) < len(values)
        ):
            values = values[int(step)]
        else:
            return ""
    return values


def _start(raw: bytes) -> str:
    return raw[:200].decode("utf-8", "replace")


def _is_deep(value: object, limit: int) -> bool:
    """Whether lists and objects nest deeper than the limit."""
    if not isinstance(value, (dict, list)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return limit == 0 or any(_is_deep(v, limit - 1) for v in inner if isinstance(v, (dict, list)))


def _check_keys(raw: bytes, values: object) -> None:
    """Refuse a key that appears twice in one object.

    Decoding drops one of the two, so a line whose keys' ends are as many as those of its values written anew has none.
    """
    n_ends = len(_KEY_END.findall(raw))
    if isinstance(values, dict) and n_ends == len(values):
        return
    if b"\\u0022" in raw or n_ends != len(_KEY_END.findall(msgspec.json.encode(values))):
        json.loads(raw, object_pairs_hook=_unique_keys)


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members: dict[str, object] = {}
    for key, value in pairs:
        if key in members:
            raise LineError(key, value, _("Duplicate. Keep one."))
        members[key] = value
    return members


def _check_nul(value: object, path: str) -> None:
    if isinstance(value, str):
        if "\0" in value:
            raise LineError(path, value, _("Contains a NUL character. Remove it."))
    elif isinstance(value, dict):
        for key, inner in value.items():
            _check_nul(key, path or "line")
            _check_nul(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _check_nul(inner, f"{path}[{number}]")


def _too_deep() -> str:
    return _("JSON nested over {n} levels. Flatten it.", n=MAX_DEPTH)


def _explain_unreadable(raw: bytes, error: Exception) -> NoReturn:
    """Say why a line is no JSON, in the order in which a person would look."""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise LineError("line", _start(raw[max(0, fault.start - 40) :]), not_utf8()) from None
    try:
        json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as fault:
        reason = why_not_json(text, fault)
        raise LineError("line", text[max(0, fault.pos - 40) :], reason) from None
    except RecursionError:
        raise LineError("line", _start(raw), _too_deep()) from None
    except ValueError:
        reason = _("A number is too long.")
        raise LineError("line", _start(raw), reason) from None
    if half := re.search(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}", text):
        reason = _("{half} is a lone surrogate. Write the whole character.", half=half.group())
        raise LineError("line", text[max(0, half.start() - 40) :], reason)
    raise LineError("line", _start(raw), _("Unreadable: {reason}.", reason=error))


def why_not_json(text: str, fault: json.JSONDecodeError) -> str:
    """Why a text, such as a line or a file, is no JSON; of one that breaks off, that it does."""
    rest = text[fault.pos :].strip()
    if fault.msg.startswith("Unterminated string"):
        return not_json(_("unterminated string"), fault.pos, text)
    if text.strip() and fault.msg != "Extra data" and any(word.startswith(rest) for word in ("true", "false", "null")):
        return _("Invalid JSON: truncated at character {number}.", number=len(text))
    return not_json(fault.msg.removesuffix(" at"), fault.pos, text)


def not_json(fault: str, index: int, text: str) -> str:
    """What is wrong with a text at an index; fault: as Python's reader says it, or in words of ours."""
    return _("Invalid JSON: {fault} at character {number} of {n}.", fault=_(fault), number=index + 1, n=len(text))


FAULTS_OF_JSON = (  # as Python's reader says them
    unsaid("Extra data"),
    unsaid("Expecting value"),
    unsaid("Expecting ',' delimiter"),
    unsaid("Expecting ':' delimiter"),
    unsaid("Expecting property name enclosed in double quotes"),
    unsaid("Illegal trailing comma before end of object"),
    unsaid("Illegal trailing comma before end of array"),
    unsaid("Invalid control character"),
    unsaid("Invalid \\escape"),
    unsaid("Invalid \\uXXXX escape"),
    unsaid("Unexpected UTF-8 BOM (decode using utf-8-sig)"),
)


def _no_constant(name: str) -> NoReturn:
    raise LineError("line", name, _("{name} isn't JSON. Write a number or null.", name=name))
