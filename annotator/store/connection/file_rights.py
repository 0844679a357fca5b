"""Who may read a database and what lies beside it: its owner, and the group that it is shared with."""

import glob
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

OWNERS = 0o600
_GROUP_WRITES = 0o020
_OTHERS = 0o007
# What lies beside a database NAME and holds the same data: log, shared memory, the models that were trained on it, and the
# copies made before a migration, when it was replaced, and when its files were removed under a running server.
_COPIES = ("{name}.*.backup", "{name}.*.replaced*", "{name}.*.rescued")
_SAME_DATA = (
    "{name}",
    "{name}-wal",
    "{name}-shm",
    "{name}.models",
    "{name}.secrets",
    "{name}.removals",
    "{name}.*.backup.models",
    *_COPIES,
)


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
