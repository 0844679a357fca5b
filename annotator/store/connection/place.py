"""A database's files as this process knows them: who writes, who has them open, and whether they are still the same ones."""

import atexit
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakSet

from annotator.errors import NotWritable
from annotator.store.connection import presence
from annotator.store.connection.replacement import finish_replacing

if TYPE_CHECKING:
    from annotator.store.connection.database import Store

_SECONDS_BETWEEN_CHECKS = 10.0
_PATIENCE = 10.0  # seconds that are waited for 'annotator restore'

Identity = tuple[int, int] | None


class Files(NamedTuple):
    """Which files lie at the places of a database, of its log and of its shared memory; None where there is none."""

    database: Identity
    log: Identity
    memory: Identity


EMPTIED: Identity = (0, 0)


class Place:
    """Where a database lies. One in a process for each database: its writers queue behind one lock before they begin."""

    def __init__(self, path: Path, named: Path | None = None) -> None:
        self.path = path
        self.named = named or path  # what errors name: of a copy that nobody knows, the file that it was made from
        self.write_lock = threading.RLock()
        self.guard = threading.RLock()  # held while a connection is opened or closed
        self.migrated: tuple[int, ...] | None = None
        self.refused_write: NotWritable | None = None  # why the last write was refused; None since one was not
        # Where what was stored in files that are not in their place any more was saved; None: in the database's own place.
        self.saved: dict[Files, Path | None] = {}
        self._paths = (str(path), f"{path}-wal", f"{path}-shm")
        self._stores: WeakSet[Store] = WeakSet()
        self._presence: int | None = None
        self._next_check = 0.0

    def files(self) -> Files:
        """Which files lie there now. An emptied database is none."""
        database, log, memory = self._paths
        return Files(_identity(database, can_be_empty=False), _identity(log), _identity(memory))

    def enter(self) -> None:
        """Before a connection is opened: let no other process replace the file, and finish a replacement that was cut off."""
        other = next(iter(self._stores), None)
        if other is not None:
            other.require_in_place(saves=False)
        elif self._presence is None:
            finish_replacing(self.path, patience=_PATIENCE)
            self._presence = presence.enter(self.path, alone=False, patience=_PATIENCE)

    def is_check_due(self) -> bool:
        """Whether the whole file may be read to explain an error: not again and again, however often somebody meets it."""
        now = time.monotonic()
        is_due = now >= self._next_check
        self._next_check = now + _SECONDS_BETWEEN_CHECKS if is_due else self._next_check
        return is_due

    def add(self, store: "Store") -> None:
        """A connection was opened."""
        self._stores.add(store)

    def remove(self, store: "Store") -> None:
        """A connection is about to be closed."""
        self._stores.discard(store)

    def leave(self, *, at_exit: bool = False) -> None:
        """A connection was closed, or could not be opened; after the last one others may replace the file."""
        if self._presence is not None and (at_exit or not self._stores):
            presence.leave(self.path, self._presence)
            self._presence = None


def place_of(path: Path | str) -> Place:
    """The place of a path. SQLite puts log and shared memory beside the file that a link leads to, so that is the place."""
    path_given = Path(path).absolute()
    with _GUARD:
        if path_given not in _PLACES:
            real = path_given.resolve()
            _PLACES[path_given] = _PLACES.setdefault(real, Place(real))
        return _PLACES[path_given]


_GUARD = threading.Lock()
_PLACES: dict[Path, Place] = {}


@atexit.register
def _leave_all() -> None:
    """Connections of other threads are still open when a process ends; the lock's file need not stay behind."""
    for database_place in _PLACES.values():
        database_place.leave(at_exit=True)


def _identity(path: str, *, can_be_empty: bool = True) -> Identity:
    try:
        status = os.stat(path)  # noqa: PTH116  (each save pays for this; Path.stat takes twice as long)
    except OSError:
        return None
    return (status.st_dev, status.st_ino) if status.st_size or can_be_empty else EMPTIED
