"""Records of a JSON file: the elements of a list, one object, or an object a line. Each is decoded alone.

What is wrong with a record, NaN too, becomes a Problem of that record. Files that would have to be unpickled are refused.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from annotator.errors import InvalidValue, Problem
from annotator.formats.rows.findings import Findings, shown
from annotator.formats.rows.json_items import read_content
from annotator.formats.rows.lines import LineError, check_file, parse_value, read_rows, why_not_json
from annotator.language import _, unsaid

_BLANKS = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()
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
        held = _("'{path}' holds packed objects, which are never unpacked here.", path=path)
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
        return Record(source, line, parse_value(content, unsaid("record")))
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
        reason = _("Byte {number} of the file is not UTF-8; save the file as UTF-8.", number=fault.start + 1)
        raise LineError("file", "", reason) from None
    index = _after_blanks(text, text.index("[") + 1)
    n_bytes, counted = 0, 0
    while not text.startswith("]", index):
        try:
            end = _DECODER.raw_decode(text, index)[1]
        except json.JSONDecodeError as fault:
            raise LineError("file", text[index : index + 40], why_not_json(unsaid("file"), text, fault)) from None
        except (ValueError, RecursionError) as error:
            reason = _("The file is not valid JSON: {reason}.", reason=error)
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
        return _(
            "The file is not valid JSON: the file ends in the middle of a record, at character {number}; it may be cut off.",
            number=len(text),
        )
    return _(
        "The file is not valid JSON: ',' or ']' is missing at character {number} of {n}.", number=index + 1, n=len(text)
    )


def _after_blanks(text: str, index: int) -> int:
    match = _BLANKS.match(text, index)
    return match.end() if match else index
