"""Files and folders that appear whole or not at all, and are their owner's alone; archives, and files named after splits."""

import os
import re
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Self
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from annotator.domain.numbers import counted
from annotator.errors import ExportRefused, InvalidValue
from annotator.files import part_folder, sync_folder
from annotator.language import _, listed, unsaid

NO_GOLD = unsaid("No gold yet. Choose another split.")
_OWNERS_FILE, _OWNERS_FOLDER = 0o600, 0o700  # whatever the umask says, as of databases and backups


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes the place of `path` only when everything was written and is on the disk."""
    if path.is_dir():
        raise ExportRefused(_("'{path}' is a folder. Name a file.", path=path))
    with _errors_named(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with part_folder(path) as folder, (folder / path.name).open("wb") as file:
            (folder / path.name).chmod(_OWNERS_FILE)
            yield file
            file.flush()
            os.fsync(file.fileno())
            file.close()
            (folder / path.name).replace(path)
            sync_folder(path.parent)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to fill; it becomes `path` only when all is written. A folder that holds something is refused."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ExportRefused(_("'{path}' exists and isn't an empty folder.", path=path))
    with _errors_named(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with part_folder(path) as folder:
            made = folder / path.name
            made.mkdir()
            yield made
            _close_to_others(made)
            for file in made.rglob("*"):
                if file.is_file():
                    with file.open("rb") as opened:
                        os.fsync(opened.fileno())
            sync_folder(made)
            if path.exists():
                path.rmdir()
            made.replace(path)
            sync_folder(path.parent)


class SortedLines:
    """Lines that are written in the order of their keys; they wait in a temporary file, not in memory."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (closed by close)
        self._positions: list[tuple[str, int, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._file.close()

    def add(self, key: str, line: bytes) -> None:
        """Keep a line (without its line end) under its key."""
        self._positions.append((key, self._file.tell(), len(line)))
        self._file.write(line)

    def __iter__(self) -> Iterator[bytes]:
        """The lines, sorted by key."""
        for _key, offset, length in sorted(self._positions):
            self._file.seek(offset)
            yield self._file.read(length) + b"\n"


@dataclass(slots=True)
class Refused:
    """Instances that cannot be written for one reason: how many, and the first few. why: `unsaid`, follows their number."""

    why: str
    n_instances: int = 0
    first: list[str] = field(default_factory=list)

    def add(self, key: str) -> None:
        """Count one more."""
        self.n_instances += 1
        if len(self.first) < 5:
            self.first.append(key)

    def raise_if_any(self) -> None:
        """Raise ExportRefused when there are some."""
        if self.n_instances:
            names = listed([f"'{key}'" for key in self.first])
            if self.n_instances > len(self.first):
                names = _("{names} and {n} more", names=names, n=self.n_instances - len(self.first))
            raise ExportRefused(
                _("{n} instances {reason} (instances: {names}).", n=self.n_instances, reason=_(self.why), names=names)
            )


@contextmanager
def _errors_named(path: Path) -> Iterator[None]:
    """What the operating system refuses, in a sentence."""
    try:
        yield
    except OSError as error:
        raise ExportRefused(_("Can't write '{path}': {reason}.", path=path, reason=error.strerror or error)) from error


def _close_to_others(folder: Path) -> None:
    """What is in it too, for those who copy single files out of it."""
    folder.chmod(_OWNERS_FOLDER)
    for path in folder.rglob("*"):
        path.chmod(_OWNERS_FOLDER if path.is_dir() else _OWNERS_FILE)


# Zip archives that people hand in: unpacked into a folder, or refused with the reason; nothing leaves that folder.


MAX_UNPACKED_GB = 2
MAX_FILES = 200_000
MAX_FOLDERS_DEEP = 20
_LONGEST_NAME = 255  # bytes; what file systems take
_IS_LOCKED = 0x1  # the flag of an entry that needs a password
_METHODS = frozenset({ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2})  # LZMA may ask for gigabytes of memory


def unpack(archive: Path, folder: Path, *, name: str) -> None:
    """Unpack an archive, which people know under `name`, into a folder; where it is refused, files may lie there already.

    Raises: InvalidValue when it is none, is damaged, locked, empty or too large, or a name in it cannot be one here
    """
    try:
        with ZipFile(archive) as opened:
            entries = opened.infolist()
            _check(name, entries, folder)
            opened.extractall(folder)
    except (BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError) as error:
        raise InvalidValue(
            _("'{name}' isn't a valid zip file: {reason}. Zip it again.", name=name, reason=_reason(error))
        ) from None
    except OSError as error:
        reason = error.strerror or _("truncated")
        raise InvalidValue(_("Can't unpack '{name}': {reason}.", name=name, reason=reason)) from None


def _reason(error: Exception) -> str:
    """What Python says, without a full stop of its own; EOFError says nothing."""
    return str(error).rstrip(".") or _("truncated")


def _check(name: str, entries: Sequence[ZipInfo], folder: Path) -> None:
    files = [entry for entry in entries if not entry.is_dir()]
    if not files:
        raise InvalidValue(_("'{name}' is empty.", name=name))
    if len(entries) > MAX_FILES:
        raise InvalidValue(
            _(
                "'{name}' has {files}; the limit is {most}. Split it.",
                name=name,
                files=counted(len(entries), "file"),
                most=f"{MAX_FILES:,}",
            )
        )
    if sum(entry.file_size for entry in files) > MAX_UNPACKED_GB * 2**30:
        raise InvalidValue(
            _(
                "'{name}' exceeds {size} GB unpacked. Import the folder by command line.",
                name=name,
                size=MAX_UNPACKED_GB,
            )
        )
    if any(entry.flag_bits & _IS_LOCKED for entry in files):
        raise InvalidValue(_("'{name}' is password-protected.", name=name))
    if any(entry.compress_type not in _METHODS for entry in files):
        raise InvalidValue(_("Unsupported compression in '{name}'. Use an ordinary zip file.", name=name))
    _check_names(name, entries, folder)


def _check_names(name: str, entries: Sequence[ZipInfo], folder: Path) -> None:
    files: set[str] = set()
    for entry in entries:
        if reason := _why_not(entry.filename):
            shown = entry.filename if len(entry.filename) <= 80 else f"{entry.filename[:77]}..."
            raise InvalidValue(
                _("'{name}' contains '{entry}', {reason}. Remove it.", name=name, entry=shown, reason=reason)
            )
        path = str(PurePosixPath(entry.filename))
        if entry.is_dir():
            continue
        if path in files or (folder / path).is_file():
            raise InvalidValue(_("'{path}' is twice in '{name}'. Rename one.", name=name, path=path))
        files.add(path)
    for entry in entries:
        above = next((str(p) for p in PurePosixPath(entry.filename).parents if str(p) in files), None)
        if above is not None:
            raise InvalidValue(_("'{path}' is both file and folder in '{name}'. Zip it again.", name=name, path=above))


def _why_not(filename: str) -> str | None:
    """What is wrong with the name of an entry."""
    parts = filename.replace("\\", "/").split("/")
    if filename.startswith(("/", "\\")) or parts[0].endswith(":") or ".." in parts:
        return _("a path outside its folder")
    if len(parts) > MAX_FOLDERS_DEEP:
        return _("more than {n} folders deep", n=MAX_FOLDERS_DEEP)
    if any(len(part.encode("utf-8", "surrogatepass")) > _LONGEST_NAME for part in parts):
        return _("a file name that is too long")
    return None


# Splits that the names of files tell, and which files of a folder to read.


_WORD = re.compile(r"(?<![a-z])(train|dev|validation|val|test)(?![a-z])")
_OURS = {"dev": "val", "validation": "val"}


def split_in_name(path: Path) -> str:
    """The split that a file's name holds as a word, in our words; "" for none.

    >>> split_in_name(Path("esnli_train_1.csv")), split_in_name(Path("cose_dev_v1.0.jsonl")), split_in_name(Path("a.csv"))
    ('train', 'val', '')
    """
    match = _WORD.search(path.stem.lower())
    return _OURS.get(match.group(), match.group()) if match else ""


def files_of_split(files: Iterable[Path], split: str | None) -> list[Path]:
    """The files in the order of their names; where a split is asked for, without those whose name tells another."""
    return sorted(file for file in files if split is None or split_in_name(file) in {"", split})
