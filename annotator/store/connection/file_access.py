"""Who may read a database and what lies beside it, which processes have it open, and where its server listens."""

import glob
import os
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from annotator.errors import StoreError
from annotator.files import is_at, lock

OWNERS = 0o600
_GROUP_WRITES = 0o020
_OTHERS = 0o007
# What lies beside a database NAME and holds the same data: log, shared memory, the models that were trained on it, and the
# copies made before a migration, when it was replaced, and when its files were removed under a running server.
_COPIES = ("{name}.*.backup", "{name}.*.replaced*", "{name}.*.rescued")
_SAME_DATA = (
    "{name}", "{name}-wal", "{name}-shm", "{name}.models", "{name}.secrets", "{name}.removals",
    "{name}.*.backup.models", *_COPIES,
)  # fmt: skip


def copies_beside(path: Path) -> list[Path]:
    """The copies of a database that lie beside it, which hold what it held when they were made."""
    patterns = (pattern.format(name=glob.escape(path.name)) for pattern in _COPIES)
    return sorted({copy for pattern in patterns for copy in path.parent.glob(pattern)})


def mode_beside(path: Path) -> int:
    """The mode of a file that is made beside a database: the database's own, never for others; else its owner's alone."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return OWNERS
    return OWNERS | _closed(mode) & 0o060


def make_file(path: Path, mode: int) -> None:
    """An empty file of a mode, whatever the umask says; SQLite gives the files beside a database the database's mode."""
    path.touch(mode=OWNERS, exist_ok=False)
    path.chmod(mode)


def give_to_owner_of(path: Path, made: Path | int) -> None:
    """What root makes beside a database belongs to the database's owner, who could not use it otherwise."""
    if sys.platform == "win32" or os.geteuid() != 0:
        return
    with suppress(OSError):
        status = (path if path.exists() else path.parent).stat()
        os.chown(made, status.st_uid, status.st_gid)


def close_to_others(path: Path) -> list[Path]:
    """Take from others what they may do with a database and what holds the same data; answers the files that were open to them.

    A group keeps what it may do where it may write, since nobody shares a database without. A file that is closed to others
    is left as it is: somebody decided so.
    """
    if sys.platform == "win32":  # where a file's mode says nothing of others
        return []
    return [other_path for other_path in _holding_same_data(path) if _is_closed_now(other_path)]


def make_folder(folder: Path, database: Path) -> None:
    """A folder beside a database, for those alone who may use that; who fills it says why there is none."""
    with suppress(OSError):
        folder.mkdir(mode=_enterable(OWNERS), exist_ok=True)
        folder.chmod(_enterable(mode_beside(database)))
        give_to_owner_of(database, folder)


def share_like(folder: Path, database: Path) -> None:
    """Let those use what is in a folder beside a database who may use that, whatever the umask was when it was made."""
    mode = mode_beside(database)
    for made in (folder, *folder.rglob("*")):
        with suppress(OSError):
            made.chmod(_enterable(mode) if made.is_dir() else mode)
            give_to_owner_of(database, made)


def _enterable(mode: int) -> int:
    """The mode of a folder: who may read it may enter it."""
    return mode | (mode & 0o444) >> 2


def _is_closed_now(path: Path) -> bool:
    with suppress(OSError):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & _OTHERS:
            path.chmod(_closed(mode))
            return True
    return False


def _closed(mode: int) -> int:
    """A mode without others, and without the group where it is not known that somebody meant it."""
    is_meant_for_group = mode & _GROUP_WRITES or not mode & _OTHERS
    return mode & (0o770 if is_meant_for_group else 0o700)


def _holding_same_data(path: Path) -> Iterator[Path]:
    """A folder's own mode is enough: nobody reaches what lies in it."""
    for pattern in _SAME_DATA:
        yield from path.parent.glob(pattern.format(name=glob.escape(path.name)))


# Who has a database open: a lock on a file beside it, shared by those who use it, held alone by whoever replaces it.


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
            if sys.platform == "win32":
                os.lseek(descriptor, _SHARED_FIRST, os.SEEK_SET)
                msvcrt.locking(descriptor, msvcrt.LK_NBLCK, _SHARED_SIZE)
            else:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, _SHARED_SIZE, _SHARED_FIRST)
        except (BlockingIOError, PermissionError):
            raise StoreError(_IN_USE.format(path=path)) from None
        finally:
            os.close(descriptor)


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


# Which server serves a database: its address in a file beside it, locked as long as the server lives.


SERVER = "-server"
_LONGEST = 2048  # bytes of an address
_TRIES, _LOOKS_EVERY = 5, 0.05  # seconds


@contextmanager
def served(path: Path, address: str) -> Iterator[str | None]:
    """Tell others the address while the block lasts; gives the address of another server that does so already.

    Without locks (on Windows, on some network file systems) nobody is told anything.
    """
    descriptor, other = _taken(path)
    try:
        if descriptor is not None:
            with suppress(OSError):  # on a full disk nobody is told
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, address.encode(), 0)
        yield other
    finally:
        if descriptor is not None:
            with suppress(OSError):
                _file_of(path).unlink()
            os.close(descriptor)


def address_of_server(path: Path) -> str | None:
    """The address that people are given for a database that is served now, as far as that can be known."""
    if sys.platform == "win32":
        return None
    try:
        descriptor = os.open(_file_of(path), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        return None if lock(descriptor, alone=False) else _read(descriptor) or None
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _file_of(path: Path) -> Path:
    return path.with_name(path.name + SERVER)


def _taken(path: Path) -> tuple[int | None, str | None]:
    """The locked file, or the address of the server that holds it; neither where there are no locks."""
    if sys.platform == "win32":
        return None, None
    other = ""
    for _ in range(_TRIES):
        try:
            descriptor = os.open(_file_of(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError:
            return None, None
        with suppress(OSError):
            os.fchmod(descriptor, mode_beside(path))
            give_to_owner_of(path, descriptor)
        try:
            if lock(descriptor, alone=True) and is_at(descriptor, _file_of(path)):
                return descriptor, None
            other = _read(descriptor)
        except OSError:
            return descriptor, None
        os.close(descriptor)
        time.sleep(_LOOKS_EVERY)  # a command looks at it, or a server is just ending
    return None, other or "another address"


def _read(descriptor: int) -> str:
    return os.pread(descriptor, _LONGEST, 0).decode("utf-8", "replace").strip()
