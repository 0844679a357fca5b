"""Which server serves a database: its address in a file beside it, locked as long as the server lives.

The system lets the lock go when a process ends, by kill -9 too, so an address that is left behind is never believed.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from annotator.files import is_at, lock
from annotator.store.connection.file_rights import give_to_owner_of, mode_beside

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
