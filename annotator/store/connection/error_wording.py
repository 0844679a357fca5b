"""SQLite's errors about a database's file, as sentences that say what to do."""

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from annotator.errors import NotWritable, StoreError
from annotator.language import _, unsaid

_LONGEST_SAID = 100
RESTORE = "'annotator restore BACKUP'"

_DAMAGED = unsaid("'{path}' is damaged ({error}). Restore a backup: 'annotator restore BACKUP'.")
_READ_ONLY = unsaid("'{path}' or its folder is read-only.")
_CANNOT_OPEN = unsaid("Can't open '{path}'. Check its permissions.")
_FULL = unsaid("The disk of '{path}' is full; nothing was stored.")
_DISK_ERROR = unsaid("Disk error at '{path}' ({error}); nothing was stored.")

_DISK_ERROR_MARK = "disk I/O error"
_SHARED_MEMORY = 32 * 1024  # bytes that the first connection needs

# A part of SQLite's message, what is raised for it, and the sentence; the first that fits counts.
_SENTENCES: tuple[tuple[str, type[StoreError], str], ...] = (
    (
        "file is not a database",
        StoreError,
        unsaid("'{path}' isn't an SQLite database. Choose another, or restore a backup."),
    ),
    ("malformed", StoreError, _DAMAGED),
    ("unsupported file format", StoreError, _DAMAGED),
    ("Could not decode to UTF-8", StoreError, _DAMAGED),
    ("readonly", NotWritable, _READ_ONLY),
    ("disk is full", NotWritable, _FULL),
    ("unable to open", StoreError, _CANNOT_OPEN),
    ("locked", StoreError, unsaid("'{path}' is busy. Try again later.")),
    (_DISK_ERROR_MARK, NotWritable, _DISK_ERROR),
)


class ClearErrors:
    """Turns SQLite's errors about a file into a sentence; constraint violations are defects and pass as they are.

    A class, since every statement pays for it, and a generator takes five times as long.
    """

    __slots__ = ("_path",)

    def __init__(self, path: Path) -> None:
        self._path = path

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if isinstance(error, UnicodeDecodeError):  # Python cannot even read what SQLite says
            raise damaged(self._path, _("SQLite's message is unreadable")) from error
        if isinstance(error, sqlite3.DatabaseError):
            clear_error = _said(self._path, error)
            if clear_error is not None:
                raise clear_error from error


@contextmanager
def clear_file_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system refuses about files beside `path` into a sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise full(path) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise read_only(path) from error
        raise StoreError(_(_CANNOT_OPEN, path=path)) from error


def damaged(path: Path, error: object) -> StoreError:
    """What is said where a damaged file is the reason."""
    return StoreError(_(_DAMAGED, path=path, error=_readable(error)))


def full(path: Path) -> NotWritable:
    """What is said where there was no space."""
    return NotWritable(_(_FULL, path=path))


def nearly_full(path: Path) -> NotWritable:
    """What is said where there is hardly any space left."""
    return NotWritable(_("The disk of '{path}' is almost full. Free space.", path=path))


def read_only(path: Path) -> NotWritable:
    """What is said where a file may not be written."""
    return NotWritable(_(_READ_ONLY, path=path))


def _said(path: Path, error: sqlite3.DatabaseError) -> StoreError | None:
    if _DISK_ERROR_MARK in str(error) and _has_no_space(path):
        return full(path)  # SQLite had no space for the memory that connections share
    for mark, kind, sentence in _SENTENCES:
        if mark in str(error):
            return kind(_(sentence, path=path, error=_readable(error)))
    return None


def _has_no_space(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < _SHARED_MEMORY
    except OSError:
        return False


def _readable(error: object) -> str:
    """The beginning of what SQLite says, which may hold pieces of people's texts, or of anything."""
    sentence = "".join(letter if letter.isprintable() else " " for letter in str(error).partition(" with text ")[0])
    return sentence if len(sentence) <= _LONGEST_SAID else f"{sentence[:_LONGEST_SAID]} …"
