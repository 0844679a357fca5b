"""Files in other encodings than UTF-8: brought into it before they are read, in the encoding that somebody names.

None is guessed. Most bytes mean something in several encodings, so that a wrong guess would change letters without a word.
A byte order mark is no guess: a file that begins with that of UTF-16 or UTF-32 is read so.
"""

import codecs
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePath

from annotator.errors import InvalidValue, NotFound
from annotator.language import _, listed, unknown, unsaid

UTF8 = "utf-8"
# Name, as Python and the command have it, and what a person knows it as.
ENCODINGS = {
    UTF8: "UTF-8",
    "windows-1252": unsaid("Windows-1252 (Western European, often called Latin-1 or ANSI)"),
    "windows-1250": unsaid("Windows-1250 (Central European)"),
    "windows-1251": unsaid("Windows-1251 (Cyrillic)"),
    "windows-1254": unsaid("Windows-1254 (Turkish)"),
    "mac-roman": "Mac Roman",
    "utf-16": "UTF-16",
    "gb18030": unsaid("GB 18030 (Chinese, also GBK and GB 2312)"),
    "big5": unsaid("Big5 (Chinese, traditional)"),
    "shift_jis": unsaid("Shift JIS (Japanese)"),
    "euc-kr": unsaid("EUC-KR (Korean)"),
}
_BINARY = frozenset(
    {".npz", ".npy", ".safetensors", ".parquet", ".zip", ".xlsx", ".xlsm", ".ods"}
)  # which hold no text in any encoding
_NEAR = 20  # characters on either side of a letter that is shown


# Names that people use for encodings which hold all of theirs; so do browsers (WHATWG's Encoding Standard, names and labels).
_LARGER = {
    "iso8859-1": "windows-1252",
    "ascii": "windows-1252",
    "iso8859-9": "windows-1254",
    "utf-8-sig": UTF8,
    "gbk": "gb18030",
    "gb2312": "gb18030",
}
_ALIASES = {"ansi": "windows-1252", "western": "windows-1252", "macintosh": "mac-roman", "mac": "mac-roman"}
_NO_FILES = frozenset({"utf-7", "punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined"})
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True, slots=True)
class Sample:
    """A line in which letters stand that other encodings have otherwise, cut to what is around the first of them."""

    line: int
    text: str


def recoded_bytes(content: bytes, encoding: str, name: str) -> bytes:
    """What a file holds, in UTF-8.

    Raises: InvalidValue for an encoding that is not known here, and for bytes that mean nothing in it, with their line
    """
    name_of_file, encoding = name, _known(encoding)
    if encoding == UTF8:
        return content
    try:
        return content.decode(encoding).encode("utf-8")
    except UnicodeDecodeError as fault:
        line = content[: fault.start].count(b"\n") + 1
        raise InvalidValue(
            _(
                "'{name}' isn't {encoding} (line {line}, byte {byte}). Choose another --encoding.",
                name=name_of_file,
                encoding=encoding,
                line=line,
                byte=f"0x{content[fault.start]:02x}",
            )
        ) from None
    except UnicodeError as fault:
        raise InvalidValue(
            _(
                "'{name}' isn't {encoding}: {reason}. Choose another --encoding.",
                name=name_of_file,
                encoding=encoding,
                reason=fault,
            )
        ) from None


def _known(encoding: str) -> str:
    """The name of an encoding as the program calls it; raises InvalidValue for one that is none.

    >>> _known("Latin-1"), _known("cp1252"), _known("UTF8"), _known("koi8-r"), _known("gbk")
    ('windows-1252', 'windows-1252', 'utf-8', 'koi8-r', 'gb18030')
    """
    name = _name_of(_ALIASES.get(encoding.strip().casefold(), encoding))
    if not name or name.replace("_", "-") in _NO_FILES:
        raise InvalidValue(unknown(_("encoding"), encoding, listed(list(ENCODINGS))))
    return _LARGER.get(name) or next((known for known in ENCODINGS if _name_of(known) == name), name)


def _name_of(encoding: str) -> str:
    """Python's name of an encoding that has several, such as cp1252; "" for none."""
    try:
        b"ab".decode(encoding.strip(), "replace")  # which codecs that are for no letters, such as base64, refuse
        return codecs.lookup(encoding.strip()).name
    except (LookupError, UnicodeError):
        return ""


def marked(content: bytes) -> str | None:
    """UTF-16 or UTF-32, where a file begins with its byte order mark."""
    return next((encoding for mark, encoding in _MARKS if content.startswith(mark)), None)


def is_text(name: str) -> bool:
    """Whether a file of this name holds letters in some encoding, and is no archive, spreadsheet or array."""
    return PurePath(name).suffix.lower() not in _BINARY


@contextmanager
def recoded(path: Path, encoding: str | None) -> Iterator[Path]:
    """A file, or the files of a folder, in UTF-8 for a while, under their names; what is in it already as it lies.

    Raises: see `recoded_bytes`
    """
    if not path.exists() or (_is_utf8(encoding) and not _has_marks(path)):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="annotator-encoding-") as name:
        target = Path(name) / path.name
        _copy(path, target, encoding or UTF8)
        try:
            yield target
        except (InvalidValue, NotFound) as error:  # nobody knows that folder
            error.args = tuple(str(part).replace(str(target), str(path)) for part in error.args)
            raise


def _is_utf8(encoding: str | None) -> bool:
    return encoding is None or _known(encoding) == UTF8


def _has_marks(path: Path) -> bool:
    """Whether a file, or one of a folder, begins with another byte order mark than that of UTF-8."""
    files = (file for file in path.rglob("*") if file.is_file()) if path.is_dir() else (path,)
    return any(is_text(file.name) and marked(_start(file)) for file in files)


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(len(codecs.BOM_UTF32_LE))
    except OSError:
        return b""  # whoever reads it says why


def _copy(path: Path, target: Path, encoding: str) -> None:
    if path.is_dir():
        target.mkdir()
        for entry in path.iterdir():
            _copy(entry, target / entry.name, encoding)
    elif not is_text(path.name) or (_is_utf8(encoding) and marked(_start(path)) is None):
        target.symlink_to(path.absolute())
    else:
        content = path.read_bytes()
        target.write_bytes(recoded_bytes(content, marked(content) or encoding, path.name))


def samples(content: bytes, encoding: str, n: int = 5) -> list[Sample]:
    r"""The first lines with letters beyond ASCII as an encoding reads them, for a person to look at; none where all are ASCII.

    Bytes that mean nothing there are shown as replacement characters.

    >>> samples(b"id,text\n1,a caf\xe9\n", "windows-1252")
    [Sample(line=2, text='1,a café')]
    """
    lines = enumerate(content.decode(_known(encoding), "replace").splitlines(), start=1)
    return list(islice((Sample(number, _around(line)) for number, line in lines if not line.isascii()), n))


def _around(line: str) -> str:
    index = next(index for index, letter in enumerate(line) if not letter.isascii())
    start, end = max(0, index - _NEAR), index + _NEAR
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"
