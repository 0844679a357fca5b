"""What a file is that is no text, from its first bytes; whether a text holds lines of JSON at all, or nothing."""

import re
from collections.abc import Sequence
from pathlib import Path

from annotator.errors import InvalidValue
from annotator.language import _, unsaid

_STARTS: tuple[tuple[bytes, str, str], ...] = (
    (
        b"PK\x03\x04",
        unsaid("a zip archive (including spreadsheets and Word files)"),
        unsaid("Unpack it, export text, or import spreadsheets as csv"),
    ),
    (b"PK\x05\x06", unsaid("an empty zip archive"), unsaid("It contains nothing to import")),
    (b"\x1f\x8b", unsaid("an archive"), unsaid("Unpack it")),
    (b"BZh", unsaid("an archive"), unsaid("Unpack it")),
    (b"7z\xbc\xaf\x27\x1c", unsaid("an archive"), unsaid("Unpack it")),
    (b"\xfd7zXZ\x00", unsaid("an archive"), unsaid("Unpack it")),
    (b"Rar!\x1a\x07", unsaid("an archive"), unsaid("Unpack it")),
    (b"\x28\xb5\x2f\xfd", unsaid("an archive"), unsaid("Unpack it")),
    (b"PAR1", unsaid("a Parquet file"), unsaid("Write its rows as JSONL")),
    (b"ARROW1", unsaid("an Arrow file"), unsaid("Write its rows as JSONL")),
    (b"\x93NUMPY", unsaid("a NumPy array"), unsaid("Write its values as JSON")),
    (b"SQLite format 3\x00", unsaid("a SQLite database"), unsaid("Write its rows as JSONL")),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        unsaid("an old Excel or Word file"),
        unsaid("Save it as .xlsx, or export text"),
    ),
    (b"%PDF-", unsaid("a PDF file"), unsaid("Extract its text first")),
    (b"\x89PNG\r\n", unsaid("a picture"), unsaid("Choose the text file")),
    (b"\xff\xd8\xff", unsaid("a picture"), unsaid("Choose the text file")),
    (b"GIF8", unsaid("a picture"), unsaid("Choose the text file")),
    (b"\xff\xfe\x00\x00", unsaid("text in UTF-32"), unsaid("Save it as UTF-8")),
    (b"\x00\x00\xfe\xff", unsaid("text in UTF-32"), unsaid("Save it as UTF-8")),
    (b"\xff\xfe", unsaid("text in UTF-16"), unsaid("Save it as UTF-8")),
    (b"\xfe\xff", unsaid("text in UTF-16"), unsaid("Save it as UTF-8")),
)
# Files of other tools that no format here reads: how they begin, what they are, and what to do.
_FOREIGN: tuple[tuple[re.Pattern[bytes], str, str], ...] = tuple(
    (re.compile(start), what, remedy)
    for start, what, remedy in (
        (
            rb"#FORMAT=WebAnno TSV",
            unsaid("a WebAnno TSV of INCEpTION or WebAnno"),
            unsaid("Export CoNLL 2003, or write JSONL"),
        ),
        (rb"(?:<\?xml[^>]*>\s*)?<xmi:XMI", unsaid("a UIMA CAS XMI"), unsaid("Export CoNLL 2003, or write JSONL")),
        (
            rb"[TRAEN*#][0-9]*\t\S+ (?:[0-9]+ [0-9]+|\S+:[TE][0-9]|[TER][0-9])[^\n]*(?:\t|\n)",
            unsaid("a brat annotation file"),
            unsaid("Convert it with brat's anntoconll.py"),
        ),
        (
            rb"(?:#[^\n]*\n)*1(?:-[0-9]+)?\t(?:[^\t\n]*\t){8}[^\t\n]*\n",
            unsaid("CoNLL-U, which has syntax but no marks"),
            unsaid("Write its rows as JSONL"),
        ),
        (
            rb'\{\s*"(?:annotatable|anncomplete)"\s*:',
            unsaid("a tagtog annotation file"),
            unsaid("Write texts and marks as JSONL"),
        ),
        (
            rb'\{(?=.{0,2000}"examples"\s*:\s*\[\s*\{)(?=.{0,9000}"content"\s*:)',
            unsaid("a LightTag export"),
            unsaid("Write texts and marks as JSONL"),
        ),
    )
)
_FOREIGN_BYTES = 10_000
_BOM = b"\xef\xbb\xbf"
_LONGEST_START = max(len(start) for start, _what, _remedy in _STARTS)

_OBJECT = "{...}"
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
            raise InvalidValue(
                _("'{name}' is {what}, not UTF-8 text. {remedy}.", name=path.name, what=_(what), remedy=_(remedy))
            )


def refuse_foreign(path: Path) -> None:
    """Raise InvalidValue for a file of another tool that no format here reads; in a folder, for the first such file.

    Raises: OSError when it cannot be opened
    """
    for file in sorted(path.iterdir()) if path.is_dir() else [path]:
        if not file.is_file():
            continue
        with file.open("rb") as opened:
            start = opened.read(_FOREIGN_BYTES).removeprefix(_BOM).lstrip()
        for known, what, remedy in _FOREIGN:
            if known.match(start):
                words = _(
                    "Unsupported file '{name}': {what}. {remedy}.", name=file.name, what=_(what), remedy=_(remedy)
                )
                raise InvalidValue(words)


def is_like_a_row(line: bytes | None) -> bool:
    """Whether a line looks like a JSON object, right or with a mistake in it; one that is too long to be read does.

    >>> [is_like_a_row(line) for line in (b'{"id": "1", "text": "a', b"{'id': 1}", b"{", b"# Read me", b'["a"]')]
    [True, True, False, False, False]
    """
    return line is None or _ROW.match(line.strip()) is not None


def why_no_rows(first: Sequence[tuple[int, bytes]]) -> str:
    """Why a file whose first lines (number, content) hold no object each is not JSONL, and what to do.

    >>> why_no_rows([(1, b"# Read me"), (3, b"This is the data of ...")])[:82]
    "Not JSONL: line 1 isn't an object {...}. Choose another format."
    """
    start = first[0][1].strip()
    if start.startswith((b"[", b"{")):
        return _("Not JSONL (one object {example} per line). Choose another format.", example=_OBJECT)
    return _(
        "Not JSONL: line {number} isn't an object {example}. Choose another format.",
        number=first[0][0],
        example=_OBJECT,
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
