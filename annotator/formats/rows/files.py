"""Files and folders that appear whole or not at all, and are their owner's alone: exports hold texts and people's names."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Self

from annotator.errors import ExportRefused
from annotator.files import part_folder, sync_folder
from annotator.language import _, listed, unsaid

NO_GOLD = unsaid("There is no instance to write: none has gold here. Choose another split, or wait for gold.")
_OWNERS_FILE, _OWNERS_FOLDER = 0o600, 0o700  # whatever the umask says, as of databases and backups


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes the place of `path` only when everything was written and is on the disk."""
    if path.is_dir():
        raise ExportRefused(_("'{path}' is a folder; name a file to write.", path=path))
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
        raise ExportRefused(
            _("'{path}' is there already and is not an empty folder; name a new one, or empty it.", path=path)
        )
    with _errors_named(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with part_folder(path) as folder:
            made = folder / path.name
            made.mkdir()
            yield made
            _close_to_others(made)
            _sync_tree(made)
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
                _(
                    "{n} of the instances {reason} (instances: {names}).",
                    n=self.n_instances,
                    reason=_(self.why),
                    names=names,
                )
            )


@contextmanager
def _errors_named(path: Path) -> Iterator[None]:
    """What the operating system refuses, in a sentence."""
    try:
        yield
    except OSError as error:
        raise ExportRefused(
            _("'{path}' cannot be written: {reason}.", path=path, reason=error.strerror or error)
        ) from error


def _close_to_others(folder: Path) -> None:
    """What is in it too, for those who copy single files out of it."""
    folder.chmod(_OWNERS_FOLDER)
    for path in folder.rglob("*"):
        path.chmod(_OWNERS_FOLDER if path.is_dir() else _OWNERS_FILE)


def _sync_tree(folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.is_file():
            with file.open("rb") as opened:
                os.fsync(opened.fileno())
    sync_folder(folder)
