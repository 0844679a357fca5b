"""JSON files: one list, one object or records under their ids; each is decoded alone, and what is wrong becomes a Problem."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from annotator.errors import InvalidValue, Problem
from annotator.formats.rows.file_kinds import refuse_no_text
from annotator.formats.rows.findings import Findings, shown
from annotator.formats.rows.lines import LineError, Row, check_file, not_json, parse_value, read_rows, why_not_json
from annotator.language import _

MAX_FILE_BYTES = 2**30
_BOM = b"\xef\xbb\xbf"


def read_content(path: Path) -> bytes:
    """The bytes of a file that has to be read whole, without a byte order mark.

    Raises: NotFound or InvalidValue when the file cannot be opened, is no text or is larger than 1 GB
    """
    check_file(path)
    refuse_no_text(path)
    if path.stat().st_size > MAX_FILE_BYTES:
        size = MAX_FILE_BYTES // 2**20
        raise InvalidValue(_("'{path}' exceeds {size} MB. Split it.", path=path, size=size))
    return path.read_bytes().removeprefix(_BOM)


def read_items(content: bytes, source: str, wanted: str) -> Iterator[Row | Problem]:
    """The objects of a list, in order. A row's source names its place: `export.json[0]` is the first.

    wanted: what the file should be, as a sentence for whoever gives another
    """
    try:
        items = msgspec.json.decode(content, type=list[msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        yield _explained(content, source, wanted)
        return
    line, counted = 1, 0
    for number, raw in enumerate(items):
        item = bytes(raw)
        start = content.index(item, counted)
        line += content.count(b"\n", counted, start)
        yield _item(item, f"{source}[{number}]", line)
        counted = start + len(item)
        line += item.count(b"\n")


def _item(item: bytes, source: str, line: int) -> Row | Problem:
    try:
        values = parse_value(item)
    except LineError as fault:
        field = "item" if fault.field == "line" else fault.field
        return Problem(source, line, field, shown(fault.value), fault.reason)
    if isinstance(values, dict):
        return Row(source, line, values)
    return Problem(source, line, "item", shown(values), _("Must be an object {...}."))


def _explained(content: bytes, source: str, wanted: str) -> Problem:
    """Why a file is no JSON list."""
    try:
        values = parse_value(content)
    except LineError as fault:
        return Problem(source, None, "file", shown(fault.value), f"{fault.reason} {wanted}")
    return Problem(source, None, "file", shown(values), f"{_('The file must be a list [...].')} {wanted}")


# The members of a file that is one big JSON object, decoded one at a time; what is wrong becomes a Problem.


_BLANKS = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class _Broken(Exception):
    """The text is no JSON from here on; carries place and reason."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(reason)
        self.place, self.reason = index, reason


def read_members(path: Path, source: str) -> Iterator[tuple[str, Row] | Problem]:
    """Each key with the object under it, in order, keys that repeat too; or what is wrong with a member.

    The file's text is held in memory whole, its values one at a time. What stands before a place where the JSON breaks
    is given, what follows is not.

    Raises: NotFound or InvalidValue when the file cannot be opened or is larger than 1 GB
    """
    content = read_content(path)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as fault:
        reason = _("Byte {number} isn't UTF-8. Save as UTF-8.", number=fault.start + 1)
        yield Problem(source, None, "file", "", reason)
        return
    line, counted = 1, 0
    try:
        for start, key, value in _members(text):
            line, counted = line + text.count("\n", counted, start), start
            yield _member(source, line, key, value)
    except _Broken as fault:
        line += text.count("\n", counted, fault.place)
        yield Problem(source, line, "file", shown(text[max(0, fault.place - 40) : fault.place + 40]), fault.reason)


def _member(source: str, line: int, key: str, value: str) -> tuple[str, Row] | Problem:
    try:
        name = str(parse_value(key.encode("utf-8")))
    except LineError as fault:
        return Problem(source, line, "key", shown(key), fault.reason)
    try:
        values = parse_value(value.encode("utf-8"))
    except LineError as fault:
        field = name if fault.field == "line" else f"{name}.{fault.field}"
        return Problem(source, line, field, shown(fault.value), fault.reason)
    if not isinstance(values, dict):
        reason = _("Must be an object {...}.")
        return Problem(source, line, name, shown(values), reason)
    return name, Row(source, line, values)


def _members(text: str) -> Iterator[tuple[int, str, str]]:
    """The place of each member with the JSON of its key and of its value; raises _Broken."""
    index = _expect(text, _after_blanks(text, 0), "{")
    if text.startswith("}", index):
        return _check_rest(text, index + 1)
    while True:
        start = index
        key_end = _end_of_value(text, _expect(text, start, '"', is_taken=False))
        value_start = _expect(text, _after_blanks(text, key_end), ":")
        value_end = _end_of_value(text, value_start)
        yield start, text[start:key_end], text[value_start:value_end]
        index = _after_blanks(text, value_end)
        if text.startswith("}", index):
            return _check_rest(text, index + 1)
        index = _expect(text, index, ",")


def _after_blanks(text: str, index: int) -> int:
    match = _BLANKS.match(text, index)
    return match.end() if match else index


def _expect(text: str, index: int, sign: str, *, is_taken: bool = True) -> int:
    """The place after a sign and the blanks that follow; before it when it is not taken."""
    if text and index >= len(text):
        reason = _("Invalid JSON: truncated at character {number}.", number=len(text))
        raise _Broken(index, reason)
    if not text.startswith(sign, index):
        raise _Broken(index, not_json(_("missing {sign}", sign=f"'{sign}'"), index, text))
    return _after_blanks(text, index + 1) if is_taken else index


def _end_of_value(text: str, index: int) -> int:
    try:
        return _DECODER.raw_decode(text, index)[1]
    except json.JSONDecodeError as fault:
        reason = why_not_json(text, fault)
        raise _Broken(fault.pos, reason) from None
    except (ValueError, RecursionError):
        raise _Broken(index, _("Nested too deeply, or a number too long.")) from None


def _check_rest(text: str, index: int) -> None:
    rest = _after_blanks(text, index)
    if rest < len(text):
        reason = _("Content after the object, at character {number}.", number=rest + 1)
        raise _Broken(rest, reason)


# Records of a JSON file: the elements of a list, one object, or an object a line. Each is decoded alone.


_PICKLED_SUFFIXES = frozenset({".pkl", ".pickle", ".pt", ".pth", ".bin", ".joblib", ".npy", ".npz"})
_PICKLED_STARTS = (b"\x80", b"PK\x03\x04", b"\x93NUMPY", b"\x1f\x8b")


@dataclass(frozen=True, slots=True)
class Record:
    """One value of a file. source names its place: `file.json[0]` is the first; line: where it begins."""

    source: str
    line: int
    values: object

    def findings(self) -> Findings:
        """An empty list of problems for this record."""
        return Findings(self.source, self.line)


def refuse_pickled(path: Path, remedy: str) -> None:
    """Raise InvalidValue for a file of pickled or packed objects: reading one can run what somebody put into it.

    Raises: NotFound or InvalidValue when the file cannot be opened, too
    """
    check_file(path)
    with path.open("rb") as file:
        start = file.read(8)
    if path.suffix.lower() in _PICKLED_SUFFIXES or start.startswith(_PICKLED_STARTS):
        held = _("'{path}' contains packed objects, which are never unpacked.", path=path)
        raise InvalidValue(f"{held} {remedy}")


def read_records(path: Path, remedy: str) -> Iterator[Record | Problem]:
    """The records of a file, in order. remedy: how to write such a file, as a sentence.

    Raises: NotFound or InvalidValue when the file cannot be opened, is pickled or larger than 1 GB
    """
    refuse_pickled(path, remedy)
    if _is_by_line(path):
        for row in read_rows(path, path.name):
            yield row if isinstance(row, Problem) else Record(path.name, row.line, row.values)
        return
    content = read_content(path)
    if not content.lstrip().startswith(b"["):
        yield _record(content, path.name, 1)
        return
    line, counted = 1, 0
    try:
        for number, (start, element) in enumerate(_elements(content)):
            line, counted = line + content.count(b"\n", counted, start), start
            yield _record(element, f"{path.name}[{number}]", line)
    except LineError as fault:
        yield Problem(path.name, None, "file", shown(fault.value), f"{fault.reason} {remedy}")


def as_one_record(records: Sequence[Record | Problem], is_part: Callable[[object], bool]) -> Sequence[Record | Problem]:
    """The records; a file that is one list of parts (of tokens, of pairs) is one record."""
    whole = [record for record in records if isinstance(record, Record)]
    if len(whole) < len(records) or not whole or not all(is_part(record.values) for record in whole):
        return records
    source = whole[0].source.partition("[")[0]
    return [Record(source, whole[0].line, [record.values for record in whole])]


def _is_by_line(path: Path) -> bool:
    """Whether the first line that is not blank is an object of its own."""
    with path.open("rb") as file:
        first = next((line for line in file if line.strip()), b"").removeprefix(b"\xef\xbb\xbf").strip()
    return first.startswith(b"{") and first.endswith(b"}")


def _record(content: bytes, source: str, line: int) -> Record | Problem:
    try:
        return Record(source, line, parse_value(content))
    except LineError as fault:
        field = "record" if fault.field == "line" else fault.field
        return Problem(source, line, field, shown(fault.value), fault.reason)


def _elements(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The place and the bytes of each element of a list; raises LineError where it is none."""
    try:
        elements = [bytes(raw) for raw in msgspec.json.decode(content, type=list[msgspec.Raw])]
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        yield from _elements_slowly(content)
        return
    end = 0
    for element in elements:
        start = content.index(element, end)
        end = start + len(element)
        yield start, element


def _elements_slowly(content: bytes) -> Iterator[tuple[int, bytes]]:
    """The same for a list that is no strict JSON, as with NaN in it, and up to the place where it breaks."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as fault:
        reason = _("Byte {number} isn't UTF-8. Save as UTF-8.", number=fault.start + 1)
        raise LineError("file", "", reason) from None
    index = _after_blanks(text, text.index("[") + 1)
    n_bytes, counted = 0, 0
    while not text.startswith("]", index):
        try:
            end = _DECODER.raw_decode(text, index)[1]
        except json.JSONDecodeError as fault:
            raise LineError("file", text[index : index + 40], why_not_json(text, fault)) from None
        except (ValueError, RecursionError) as error:
            reason = _("Invalid JSON: {reason}.", reason=error)
            raise LineError("file", text[index : index + 40], reason) from None
        n_bytes, counted = n_bytes + len(text[counted:index].encode()), index
        yield n_bytes, text[index:end].encode()
        index = _after_blanks(text, end)
        if text.startswith(",", index):
            index = _after_blanks(text, index + 1)
        elif not text.startswith("]", index):
            raise LineError("file", text[max(0, index - 40) : index], _why_no_next(text, index))


def _why_no_next(text: str, index: int) -> str:
    """Why no further element of a list can be read after one."""
    if index >= len(text):
        return _("Invalid JSON: truncated at character {number}.", number=len(text))
    return not_json(_("missing {sign}", sign="',' or ']'"), index, text)
