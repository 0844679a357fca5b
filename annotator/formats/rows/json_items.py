"""The objects of a file that is one JSON list; each is decoded alone, and what is wrong becomes a Problem."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from annotator.errors import InvalidValue, Problem
from annotator.formats.rows.file_kinds import refuse_no_text
from annotator.formats.rows.findings import shown
from annotator.formats.rows.lines import LineError, Row, check_file, parse_value
from annotator.language import _, unsaid

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
        raise InvalidValue(_("'{path}' is larger than {size} MB; export it in parts.", path=path, size=size))
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
        values = parse_value(item, unsaid("item"))
    except LineError as fault:
        field = "item" if fault.field == "line" else fault.field
        return Problem(source, line, field, shown(fault.value), fault.reason)
    if isinstance(values, dict):
        return Row(source, line, values)
    return Problem(source, line, "item", shown(values), _("Every item of the list must be an object {...}."))


def _explained(content: bytes, source: str, wanted: str) -> Problem:
    """Why a file is no JSON list."""
    try:
        values = parse_value(content, unsaid("file"))
    except LineError as fault:
        return Problem(source, None, "file", shown(fault.value), f"{fault.reason} {wanted}")
    return Problem(source, None, "file", shown(values), f"{_('The file must hold a list [...].')} {wanted}")
