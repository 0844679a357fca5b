"""The members of a file that is one big JSON object, decoded one at a time; what is wrong becomes a Problem."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from annotator.errors import Problem
from annotator.formats.rows.findings import shown
from annotator.formats.rows.json_items import read_content
from annotator.formats.rows.lines import LineError, Row, parse_value, why_not_json
from annotator.language import _, unsaid

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
        reason = _("Byte {number} of the file is not UTF-8; save the file as UTF-8.", number=fault.start + 1)
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
        reason = _("Under each key of the file must stand an object {...}.")
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
        reason = _(
            "The file is not one JSON object: the file ends in the middle of a record, at character {number}; it may be cut off.",
            number=len(text),
        )
        raise _Broken(index, reason)
    if not text.startswith(sign, index):
        reason = _(
            "The file is not one JSON object: '{sign}' is missing at character {number} of {n}.",
            sign=sign,
            number=index + 1,
            n=len(text),
        )
        raise _Broken(index, reason)
    return _after_blanks(text, index + 1) if is_taken else index


def _end_of_value(text: str, index: int) -> int:
    try:
        return _DECODER.raw_decode(text, index)[1]
    except json.JSONDecodeError as fault:
        reason = why_not_json(unsaid("file"), text, fault)
        raise _Broken(fault.pos, reason) from None
    except (ValueError, RecursionError):
        raise _Broken(index, _("A value is nested too deep or holds a number too long to be read.")) from None


def _check_rest(text: str, index: int) -> None:
    rest = _after_blanks(text, index)
    if rest < len(text):
        reason = _("The file goes on at character {number} after the object has ended.", number=rest + 1)
        raise _Broken(rest, reason)
