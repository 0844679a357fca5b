"""Files in other encodings than UTF-8: brought into it before they are read, in the encoding that somebody names.

None is guessed. Most bytes mean something in several encodings, so that a wrong guess would change letters without a word.
"""

import codecs
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from annotator.errors import InvalidValue, NotFound
from annotator.language import _, listed, unsaid

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
_BINARY = frozenset({".npz", ".npy", ".safetensors", ".parquet", ".zip"})  # which hold no text in any encoding
_NEAR = 20  # characters on either side of a letter that is shown


@dataclass(frozen=True, slots=True)
class Sample:
    """A line in which letters stand that other encodings have otherwise, cut to what is around the first of them."""

    line: int
    text: str


def recoded_bytes(content: bytes, encoding: str, name: str) -> bytes:
    """What a file holds, in UTF-8.

    Raises: InvalidValue for an encoding that is not known here, and for bytes that mean nothing in it, with their line
    """
    if _name_of(encoding) not in _NAMES:
        raise InvalidValue(
            _(
                "'{encoding}' is not an encoding that is read here. Choose one of {encodings}.",
                encoding=encoding,
                encodings=listed(list(ENCODINGS)),
            )
        )
    if encoding == UTF8:
        return content
    try:
        return content.decode(encoding).encode("utf-8")
    except UnicodeDecodeError as fault:
        line = content[: fault.start].count(b"\n") + 1
        raise InvalidValue(
            _(
                "'{name}' is not in {encoding}: its line {line} has a byte ({byte}) that means nothing there. "
                "Choose another encoding (--encoding), or save the file as UTF-8.",
                name=name,
                encoding=encoding,
                line=line,
                byte=f"0x{content[fault.start]:02x}",
            )
        ) from None
    except UnicodeError as fault:
        raise InvalidValue(
            _(
                "'{name}' is not in {encoding}: {reason}. Choose another encoding (--encoding), or save the file as UTF-8.",
                name=name,
                encoding=encoding,
                reason=fault,
            )
        ) from None


def _name_of(encoding: str) -> str:
    """Python's name of an encoding that has several, such as cp1252; "" for none."""
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        return ""


_NAMES = frozenset(_name_of(encoding) for encoding in ENCODINGS)


@contextmanager
def recoded(path: Path, encoding: str | None) -> Iterator[Path]:
    """A file, or the files of a folder, in UTF-8 for a while, under their names; what is in it already as it lies.

    Raises: see `recoded_bytes`
    """
    if encoding in (None, UTF8) or not path.exists():
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="annotator-encoding-") as name:
        target = Path(name) / path.name
        _copy(path, target, str(encoding))
        try:
            yield target
        except (InvalidValue, NotFound) as error:  # nobody knows that folder
            error.args = tuple(str(part).replace(str(target), str(path)) for part in error.args)
            raise


def _copy(path: Path, target: Path, encoding: str) -> None:
    if path.is_dir():
        target.mkdir()
        for entry in path.iterdir():
            _copy(entry, target / entry.name, encoding)
    elif path.suffix.lower() in _BINARY:
        target.symlink_to(path.absolute())
    else:
        target.write_bytes(recoded_bytes(path.read_bytes(), encoding, path.name))


def samples(content: bytes, encoding: str, n: int = 5) -> list[Sample]:
    r"""The first lines with letters beyond ASCII as an encoding reads them, for a person to look at; none where all are ASCII.

    Bytes that mean nothing there are shown as replacement characters.

    >>> samples(b"id,text\n1,a caf\xe9\n", "windows-1252")
    [Sample(line=2, text='1,a café')]
    """
    lines = enumerate(content.decode(encoding, "replace").splitlines(), start=1)
    return list(islice((Sample(number, _around(line)) for number, line in lines if not line.isascii()), n))


def _around(line: str) -> str:
    index = next(index for index, letter in enumerate(line) if not letter.isascii())
    start, end = max(0, index - _NEAR), index + _NEAR
    return f"{'…' if start else ''}{line[start:end]}{'…' if end < len(line) else ''}"
