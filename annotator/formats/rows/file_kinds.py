"""What a file is that is no text, from its first bytes; whether a text holds lines of JSON at all, or nothing."""

import re
from collections.abc import Sequence
from pathlib import Path

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue

_STARTS: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "a zip archive (a spreadsheet or a Word file is one, too)", "Unpack it, or export it as text"),
    (b"PK\x05\x06", "an empty zip archive", "There is nothing in it to import"),
    (b"\x1f\x8b", "a gzip archive", "Unpack it"),
    (b"BZh", "a bzip2 archive", "Unpack it"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "Unpack it"),
    (b"\xfd7zXZ\x00", "an xz archive", "Unpack it"),
    (b"Rar!\x1a\x07", "a RAR archive", "Unpack it"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive", "Unpack it"),
    (
        b"PAR1",
        "a Parquet file",
        "Write its rows as JSONL. Of our own exports, jsonl (the whole project) and csv (its gold) are read back",
    ),
    (b"ARROW1", "an Arrow file", "Write its rows as JSONL"),
    (b"\x93NUMPY", "a NumPy array", "Write its values as JSON"),
    (b"SQLite format 3\x00", "a SQLite database", "Export its rows as CSV or JSONL"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Word file", "Export it as CSV in UTF-8"),
    (b"%PDF-", "a PDF file", "Take its text out first"),
    (b"\x89PNG\r\n", "a picture", "Choose the file with the texts"),
    (b"\xff\xd8\xff", "a picture", "Choose the file with the texts"),
    (b"GIF8", "a picture", "Choose the file with the texts"),
    (b"\xff\xfe\x00\x00", "text in UTF-32", "Save it as UTF-8"),
    (b"\x00\x00\xfe\xff", "text in UTF-32", "Save it as UTF-8"),
    (b"\xff\xfe", "text in UTF-16", "Save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16", "Save it as UTF-8"),
)
_BOM = b"\xef\xbb\xbf"
_LONGEST_START = max(len(start) for start, _, _ in _STARTS)

N_FIRST_LINES = 20
_ROW = re.compile(rb'\{[ \t]*["}]|\{.*\}$', re.DOTALL)


def refuse_no_text(path: Path) -> None:
    """Raise InvalidValue for a file whose first bytes say that it is an archive, a picture, a database or other text.

    Raises: OSError when it cannot be opened
    """
    with path.open("rb") as file:
        start = file.read(_LONGEST_START)
    for known, what, remedy in _STARTS:
        if start.startswith(known):
            raise InvalidValue(f"'{path.name}' is {what}, and not text in UTF-8. {remedy}.")


def is_like_a_row(line: bytes | None) -> bool:
    """Whether a line looks like a JSON object, right or with a mistake in it; one that is too long to be read does.

    >>> [is_like_a_row(line) for line in (b'{"id": "1", "text": "a', b"{'id': 1}", b"{", b"# Read me", b'["a"]')]
    [True, True, False, False, False]
    """
    return line is None or _ROW.match(line.strip()) is not None


def why_no_rows(first: Sequence[tuple[int, bytes]]) -> str:
    """Why a file whose first lines (number, content) hold no object each is not JSONL, and what to do.

    >>> why_no_rows([(1, b"# Read me"), (3, b"This is the data of ...")])[:82]
    'This does not look like JSONL: line 1 is no JSON object, nor is the line after it.'
    """
    wanted = "JSONL has one object {...} on each line"
    start = first[0][1].strip()
    if start[:1] in {b"[", b"{"}:
        what = "list [...]" if start.startswith(b"[") else "object over several lines"
        return f"The file seems to be one JSON {what}. {wanted}; write it so, or choose the format that the file has."
    n_more = len(first) - 1
    more = (
        ""
        if not n_more
        else ", nor is the line after it"
        if n_more == 1
        else f", nor are the {counted(n_more, 'line')} after it"
    )
    return (
        f"This does not look like JSONL: line {first[0][0]} is no JSON object{more}. {wanted}; "
        "choose the format that the file has."
    )


def is_blank(path: Path) -> bool:
    """Whether a file holds nothing but white space and a byte order mark, or a folder no file at all.

    Raises: OSError when it cannot be opened
    """
    if path.is_dir():
        return not any(inner.is_file() for inner in path.rglob("*"))
    with path.open("rb") as file:
        rest = file.read(3).removeprefix(_BOM)
        while not rest.strip() and (more := file.read(2**20)):
            rest = more
    return not rest.strip()
