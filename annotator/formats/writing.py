"""Files and folders that appear whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Self

from annotator.errors import ExportRefused


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes the place of `path` only when everything was written and is on the disk."""
    if path.is_dir():
        raise ExportRefused(f"'{path}' is a folder; name a file to write.")
    with _said(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    temporary = Path(name)
    try:
        with _said(path), os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        with _said(path):
            temporary.chmod(0o644)
            temporary.replace(path)
            _sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """A folder to fill; it becomes `path` only when all is written. A folder that holds something is refused."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise ExportRefused(f"'{path}' is there already and is not an empty folder; name a new one, or empty it.")
    with _said(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part"))
    try:
        with _said(path):
            yield temporary
            _sync_tree(temporary)
            temporary.chmod(0o755)
            if path.exists():
                path.rmdir()
            temporary.replace(path)
            _sync_folder(path.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


class SortedLines:
    """Lines that are written in the order of their keys; they wait in a temporary file, not in memory."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (closed by close)
        self._places: list[tuple[str, int, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, key: str, line: bytes) -> None:
        """Keep a line (without its line end) under its key."""
        self._places.append((key, self._file.tell(), len(line)))
        self._file.write(line)

    def __iter__(self) -> Iterator[bytes]:
        """The lines, sorted by key."""
        for _, offset, length in sorted(self._places):
            self._file.seek(offset)
            yield self._file.read(length) + b"\n"


@dataclass(slots=True)
class Refused:
    """Instances that cannot be written for one reason: how many, and the first few."""

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
            more = f" and {self.n_instances - len(self.first)} more" if self.n_instances > len(self.first) else ""
            names = ", ".join(f"'{key}'" for key in self.first)
            raise ExportRefused(f"{self.n_instances} of the instances {self.why} (instances: {names}{more}).")


@contextmanager
def _said(path: Path) -> Iterator[None]:
    """What the operating system refuses, in a sentence."""
    try:
        yield
    except OSError as error:
        raise ExportRefused(f"'{path}' cannot be written: {error.strerror or error}.") from error


def _sync_tree(folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.is_file():
            with file.open("rb") as opened:
                os.fsync(opened.fileno())
    _sync_folder(folder)


def _sync_folder(folder: Path) -> None:
    """Make the names in a folder last."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
