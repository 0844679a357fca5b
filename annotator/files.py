"""Files that appear whole or not at all: made in a folder of their own, which is their owner's alone until they are done.

Whoever makes something holds a lock on that folder, which the system lets go when the process ends, however it ends. So what
a killed process left is told from what another one is still making, and is removed.
"""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal

from annotator.errors import NotFound

if sys.platform != "win32":
    import fcntl

_PART = ".annotator-part"
_SCRATCH = "annotator-scratch-"
# How temporary folders are called that nobody locks: those of earlier versions, and what a notebook or a test makes by itself.
_UNLOCKED = tuple(f"annotator-{name}-" for name in ("try", "rows", "import", "export", "suite", "script"))
_SURELY_OLD = 24 * 60 * 60.0  # seconds; none of these is needed for so long


@contextmanager
def part_folder(path: Path) -> Iterator[Path]:
    """A new folder beside `path` in which it is made before it is put in its place; gone at the end, with what is left in it."""
    remove_dead_parts(path.parent)
    with _locked_folder(path.parent, f".{path.name}.", _PART) as folder:
        yield folder


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder among the system's temporary ones; gone at the end."""
    for dead in _dead(_temporary(_SCRATCH)):
        shutil.rmtree(dead, ignore_errors=True)
    with _locked_folder(Path(tempfile.gettempdir()), _SCRATCH, "") as folder:
        yield folder


def remove_dead_parts(folder: Path) -> None:
    """Remove what processes that were killed left unfinished in a folder."""
    for dead in _dead(_parts(folder)):
        shutil.rmtree(dead, ignore_errors=True)


def dead_folders(folder: Path) -> list[Path]:
    """What processes that were killed left in a folder and among the system's temporary files, and what is removed in time."""
    return [*_dead(_parts(folder)), *_dead(_temporary(_SCRATCH))]


def old_folders() -> list[Path]:
    """Temporary folders that are probably left from killed processes; no lock tells."""
    return [path for path in _temporary(_UNLOCKED) if time.time() - path.stat().st_mtime > _SURELY_OLD]


def put_in_place(made: Path, path: Path) -> None:
    """Give what was made its name, lasting; raises FileExistsError where something has that name by now."""
    sync_file(made)
    try:
        os.link(made, path)
        made.unlink()
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        if path.exists():
            raise FileExistsError(str(path)) from None
        made.rename(path)
    sync_folder(path.parent)


def sync_file(path: Path) -> None:
    """Make what a file holds last."""
    with path.open("r+b") as file:  # Windows syncs only what may be written
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make the names in a folder last."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def lock(descriptor: int, *, alone: bool) -> bool:
    """Lock an open file or folder until it is closed, with others or alone; False where that cannot be now.

    It belongs to the open file, not to the process, and is gone with it. Raises OSError where a file system has no locks.
    """
    if sys.platform == "win32":
        return True
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_at(descriptor: int, path: Path) -> bool:
    """Whether an open file or folder is the one that has this name now."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        return False


@contextmanager
def _locked_folder(base: Path, prefix: str, suffix: str) -> Iterator[Path]:
    folder, descriptor = _new_locked_folder(base, prefix, suffix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def _new_locked_folder(base: Path, prefix: str, suffix: str) -> tuple[Path, int | None]:
    """A folder whose lock is held. One that was taken for a dead one before it was locked is made anew."""
    while True:
        folder = Path(tempfile.mkdtemp(dir=base, prefix=prefix, suffix=suffix))
        if sys.platform == "win32":
            return folder, None
        with suppress(FileNotFoundError):
            descriptor = os.open(folder, os.O_RDONLY)
            if _is_locked_by_us(descriptor, folder):
                return folder, descriptor
            os.close(descriptor)
        shutil.rmtree(folder, ignore_errors=True)


def _is_locked_by_us(descriptor: int, folder: Path) -> bool:
    try:
        return lock(descriptor, alone=True) and is_at(descriptor, folder)
    except OSError:
        return True  # no locks on this file system: then nobody takes it for a dead one either


def _dead(candidates: Iterator[Path]) -> Iterator[Path]:
    """Those folders whose maker is gone; each is locked while it is looked at."""
    if sys.platform == "win32":
        return
    for path in candidates:
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                if lock(descriptor, alone=True):
                    yield path
            finally:
                os.close(descriptor)


def _parts(folder: Path) -> Iterator[Path]:
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(_PART) and entry.name.startswith(".") and _is_own_folder(entry):
                yield Path(entry.path)


def _temporary(prefix: str | tuple[str, ...]) -> Iterator[Path]:
    with suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(prefix) and _is_own_folder(entry):
                yield Path(entry.path)


def _is_own_folder(entry: "os.DirEntry[str]") -> bool:
    if not entry.is_dir(follow_symlinks=False):
        return False
    return sys.platform == "win32" or entry.stat(follow_symlinks=False).st_uid == os.geteuid()


# Where the files are that are not Python modules of the package: the pages and the demonstration's data.


_PACKAGE = Path(__file__).resolve().parent


def resource_folder(name: Literal["pages", "data"]) -> Path:
    """The folder inside the installed package, or in a checkout beside it; raises NotFound naming both places."""
    inside, beside = _PACKAGE / name, _PACKAGE.parent / name
    for folder in (inside, beside):
        if folder.is_dir():
            return folder
    raise NotFound(f"The folder '{name}' is missing: it is neither at '{inside}' nor at '{beside}'. Install again.")
