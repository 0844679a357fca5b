"""Who has a database open: a lock on a file beside it, shared by those who use it, held alone by whoever replaces it.

The system lets the lock go when a process ends, by kill -9 too, so nothing that is left behind can block anybody. On Windows an
open file cannot be renamed, which says the same.
"""

import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from annotator.errors import StoreError
from annotator.files import is_at, lock
from annotator.store.connection.file_rights import give_to_owner_of, mode_beside

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

LOCK = "-lock"
_LOOKS_EVERY = 0.05  # seconds
# Where SQLite itself locks every database that is open (sqlite.org/fileformat2.html, "the lock-byte page"): the byte range
# that a reader holds shared, and in write-ahead mode as long as its connection is open.
_SHARED_FIRST, _SHARED_SIZE = 0x40000002, 510


def enter(path: Path, *, alone: bool, patience: float) -> int | None:
    """Hold the lock of a database until `leave`; None where there can be none (no such folder, no locks there).

    patience: seconds until it raises StoreError because others hold it
    """
    if sys.platform == "win32":
        return None
    until = time.monotonic() + patience
    while True:
        try:
            descriptor = _opened(path)
        except OSError:
            return None
        if _is_held(descriptor, path, alone=alone):
            return descriptor
        os.close(descriptor)
        if time.monotonic() >= until:
            raise StoreError(_IN_USE.format(path=path) if alone else _BEING_REPLACED.format(path=path))
        time.sleep(_LOOKS_EVERY)


def leave(path: Path, descriptor: int | None) -> None:
    """Let the lock go; whoever is the last takes its file away."""
    if descriptor is None:
        return
    with suppress(OSError):
        if lock(descriptor, alone=True) and is_at(descriptor, _lock_of(path)):
            _lock_of(path).unlink()
    os.close(descriptor)


def refuse_foreign_connections(path: Path) -> None:
    """Raise StoreError while a program that knows nothing of our lock has a database open; never call it where this process has.

    The lock is SQLite's own, asked for and given back. A file that may not be written cannot be asked; then nobody writes it.
    """
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDWR)
        try:
            _lock_as_sqlite_does(descriptor)
        except (BlockingIOError, PermissionError):
            raise StoreError(_IN_USE.format(path=path)) from None
        finally:
            os.close(descriptor)


def _lock_as_sqlite_does(descriptor: int) -> None:
    if sys.platform == "win32":
        os.lseek(descriptor, _SHARED_FIRST, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, _SHARED_SIZE)
    else:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_SIZE, _SHARED_FIRST)


def _lock_of(path: Path) -> Path:
    return path.with_name(path.name + LOCK)


def _opened(path: Path) -> int:
    """The lock's file; whoever may use the database may lock it, whoever made the file."""
    descriptor = os.open(_lock_of(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    with suppress(OSError):
        os.fchmod(descriptor, mode_beside(path))
        give_to_owner_of(path, descriptor)
    return descriptor


def _is_held(descriptor: int, path: Path, *, alone: bool) -> bool:
    """Whether the lock is ours now. The last one may have taken its file away meanwhile; then another file is the lock."""
    try:
        return lock(descriptor, alone=alone) and is_at(descriptor, _lock_of(path))
    except OSError:
        return True  # a file system without locks


_IN_USE = (
    "'{path}' is in use: a server, another command or another program has it open. Stop the server (and close the "
    "others), then repeat this."
)
_BEING_REPLACED = "'{path}' is just being replaced by 'annotator restore'. Try again when it is done."
