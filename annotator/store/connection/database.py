"""A connection to the database file: transactions, questions, backup, and whether it is sound, in its place and writable."""

import atexit
import datetime as dt
import os
import shutil
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import fields
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any, NamedTuple, Self, TypeVar, cast
from weakref import WeakSet

from annotator.domain.project.search import folded
from annotator.errors import AnnotatorError, NotFound, NotWritable, StoreError
from annotator.files import part_folder, put_in_place, scratch_folder
from annotator.language import _
from annotator.store.connection import error_wording, file_access
from annotator.store.connection.replacement import finish_replacing

__all__ = ["Database"]

# A database's files as this process knows them: who writes, who has them open, and whether they are still the same ones.


_SECONDS_BETWEEN_CHECKS = 10.0
_PATIENCE = 10.0  # seconds that are waited for 'annotator restore'

Identity = tuple[int, int] | None


class Files(NamedTuple):
    """Which files lie at the places of a database, of its log and of its shared memory; None where there is none."""

    database: Identity
    log: Identity
    memory: Identity


EMPTIED: Identity = (0, 0)


class Log:
    """The write-ahead log of a database: what commits wrote into it is put on the disk once for all who wait for it.

    With SQLite's own way (synchronous = FULL) a commit holds the writers' lock until the disk has it, and on a busy server each
    waits for all before it. Here too nothing is acknowledged before it is on the disk.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._turn = threading.Condition()
        self._n_written = self._n_on_disk = 0
        self._is_busy = False

    def note_commit(self) -> int:
        """The number of a commit that was just made."""
        with self._turn:
            self._n_written += 1
            return self._n_written

    def wait_for(self, number: int) -> None:
        """Until a commit is on the disk; raises OSError where that cannot be."""
        with self._turn:
            self._turn.wait_for(lambda: self._n_on_disk >= number or not self._is_busy)
            if self._n_on_disk >= number:
                return
            self._is_busy = True
            latest = self._n_written
        is_on_disk = False
        try:
            _put_on_disk(self._path)
            is_on_disk = True
        finally:
            with self._turn:
                self._is_busy = False
                self._n_on_disk = latest if is_on_disk else self._n_on_disk
                self._turn.notify_all()


def _put_on_disk(path: str) -> None:
    with suppress(FileNotFoundError):  # then it was moved into the database's file, and is on the disk
        descriptor = os.open(path, os.O_RDWR)
        try:
            getattr(os, "fdatasync", os.fsync)(descriptor)  # macOS and Windows have the second alone
        finally:
            os.close(descriptor)


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
        self.log = Log(self._paths[1])
        self.stores: WeakSet[Store] = WeakSet()  # those that are open
        self._presence: int | None = None
        self._next_check = 0.0

    def files(self) -> Files:
        """Which files lie there now. An emptied database is none."""
        database, log, memory = self._paths
        return Files(_identity(database, can_be_empty=False), _identity(log), _identity(memory))

    def files_open(self) -> Files | None:
        """Which files the connections of this process have open; None without any."""
        return next((store.files for store in self.stores), None)

    def enter(self) -> None:
        """Before a connection is opened: let no other process replace the file, and finish a replacement that was cut off."""
        if (other := next(iter(self.stores), None)) is not None:
            other.require_in_place(saves=False)
        elif self._presence is None:
            finish_replacing(self.path, patience=_PATIENCE)
            self._presence = file_access.enter(self.path, alone=False, patience=_PATIENCE)

    def is_check_due(self) -> bool:
        """Whether the whole file may be read to explain an error: not again and again, however often somebody meets it."""
        now = time.monotonic()
        is_due = now >= self._next_check
        self._next_check = now + _SECONDS_BETWEEN_CHECKS if is_due else self._next_check
        return is_due

    def leave(self, *, at_exit: bool = False) -> None:
        """A connection was closed, or could not be opened; after the last one others may replace the file."""
        if self._presence is not None and (at_exit or not self.stores):
            file_access.leave(self.path, self._presence)
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


# Files that somebody removed, moved or replaced while they were open: what was stored is saved, and nothing more is taken.


_PATIENCE_MS = 2_000  # that readers of an older state are waited for


def save_what_is_open(store: "Store", database_place: Place, files: Files) -> bool:
    """Bring what was stored where it can be found again; True when that is the database's own place.

    What the log holds is moved into the file that is open, wherever that is now, and the log, which would destroy whatever
    other database it was played into, is emptied. Where others have begun a log of their own, only a copy is made.
    """
    now = database_place.files()
    if now.database == EMPTIED:
        return False
    is_moved = False
    if now.log in (None, files.log) and now.memory in (None, files.memory):
        with suppress(StoreError):
            is_moved = store.checkpoint(_PATIENCE_MS)
    if now.database == files.database and is_moved:
        database_place.saved[files] = None
        return True
    if database_place.saved.get(files) is None:
        with suppress(StoreError):
            database_place.saved[files] = store.rescue()
    return False


def displaced(database_place: Place, files: Files) -> NotWritable:
    """Why nothing more is stored, where it is what was stored, and what to do."""
    now = database_place.files()
    again = "Stop the server and start it again."
    if now.database == EMPTIED:
        what, remedy = (
            f"'{database_place.path}' was emptied",
            f"Stop the server, and bring back a backup with {error_wording.RESTORE}.",
        )
    elif now.database != files.database:
        what, remedy = f"'{database_place.path}' was removed or replaced by another file", "Put it back."
    else:
        name = database_place.path.name
        what = f"The log of '{database_place.path}' ('{name}-wal' and '{name}-shm') was removed or replaced"
        remedy = f"What was stored until then is safe. {again}" if files in database_place.saved else again
    copy = database_place.saved.get(files)
    if copy is not None:
        remedy = (
            f"What was stored until then was copied to '{copy}'. Put the file back; or stop the server, and bring the copy "
            "back with 'annotator restore'."
        )
    return NotWritable(f"{what} while the program had it open, so nothing more is stored. {remedy}")


# sqlite-utils, imported without pandas and NumPy.


_NOT_NEEDED = ("pandas", "numpy")


@contextmanager
def _hidden(names: tuple[str, ...]) -> Iterator[None]:
    """Modules that are not loaded yet cannot be imported in the block: None is Python's own way to say "not there"."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden, cast("ModuleType", None)))
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


with _hidden(_NOT_NEEDED):
    from sqlite_utils import Database


_BUSY_TIMEOUT_MS = 30_000
_LEAST_FREE = 4 * 2**20  # what the write-ahead log may grow by before it is moved into the file ...
_LEAST_SHARE = 50  # ... or a fiftieth of a disk that is small

Row = sqlite3.Row
Clock = Callable[[], dt.datetime]  # of what time it is
Made = TypeVar("Made")


def of_columns(kind: type[Made], row: Row, **others: Any) -> Made:
    """A value whose fields are columns of the row, but for those that are given."""
    names = (field.name for field in fields(cast("Any", kind)))
    return kind(**others, **{name: row[name] for name in names if name not in others})


class Store:
    """One connection to the database. It belongs to the thread that opened it; open one a run and close it.

    Within a process writes queue behind one lock before they begin: SQLite's own busy waiting is unfair and slower.
    """

    def __init__(self, database_place: Place, connection: sqlite3.Connection, clock: Clock) -> None:
        self.path = database_place.path
        self.connection = connection
        self.db = Database(connection, execute_plugins=False)  # what others installed has no place in the store
        self.clock = clock
        self._place = database_place
        self._clear_errors = error_wording.ClearErrors(database_place.named)
        self.files: Files | None = None  # those that are open; None for a copy that nobody else knows of

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        try:
            self.explain(error)
        finally:
            self.close()

    def close(self) -> None:
        with self._place.guard:
            self._place.stores.discard(self)
            self.connection.close()
            self._place.leave()

    @property
    def named(self) -> Path:
        """What errors name."""
        return self._place.named

    def note_files(self) -> None:
        """From now on it is noticed when other files lie in the place of those that are open, and commits share the disk.

        Raises NotWritable where they did while this connection was opened: it may write into a log that has no name.
        """
        self.connection.execute("PRAGMA synchronous = NORMAL")
        files = self._place.files()
        files_of_others = self._place.files_open()
        if {None, EMPTIED} & {files.database, files.log} or files_of_others not in (None, files):
            raise displaced(self._place, files_of_others or files)
        self.files = files
        self._place.stores.add(self)

    def moment(self) -> dt.datetime:
        """What the clock says that was handed in."""
        return self.clock()

    def now(self) -> str:
        """The same as it is stored."""
        return iso(self.clock())

    @contextmanager
    def transaction(self) -> Iterator[Self]:
        """All or nothing: begins at once as the writer, commits at the end, rolls back on any error.

        One inside another is a savepoint: its error undoes what it did, also where somebody outside catches the error.
        """
        if self.connection.in_transaction:
            with self._savepoint():
                yield self
            return
        with self._place.write_lock:
            try:
                self.require_in_place()
                self.run("BEGIN IMMEDIATE")
                yield self
                self.run("COMMIT")
                self._require_saved()
            except BaseException as error:  # an interrupt too must not leave a transaction open
                self.db.rollback()
                if isinstance(error, NotWritable):
                    self._place.refused_write = error
                raise
            number = self._place.log.note_commit()
        self._wait_for_disk(number)

    def _wait_for_disk(self, number: int) -> None:
        """What a commit wrote is on the disk when this ends; without the writers' lock, so that others write meanwhile."""
        try:
            if self.files is not None:
                with error_wording.clear_file_errors(self.path):
                    self._place.log.wait_for(number)
        except NotWritable as error:
            self._place.refused_write = error
            raise
        self._place.refused_write = None

    @contextmanager
    def _savepoint(self) -> Iterator[None]:
        """As sqlite-utils' `atomic`, with one name for all, so that its statements stay prepared: the innermost is meant."""
        self.run("SAVEPOINT inner_step")
        try:
            yield
        except BaseException:  # as above
            if self.connection.in_transaction:  # a full disk can end all of it
                self.run("ROLLBACK TO inner_step")
                self.run("RELEASE inner_step")
            raise
        self.run("RELEASE inner_step")

    @contextmanager
    def snapshot(self) -> Iterator[Self]:
        """Everything read inside is of one moment, whatever others write meanwhile; blocks nobody."""
        self.run("BEGIN")
        try:
            yield self
        finally:
            self.db.rollback()

    def rows(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[Row]:
        """All rows of a question."""
        with self._clear_errors:
            return self.connection.execute(sql, parameters).fetchall()

    def iterate(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[Row]:
        """The rows of a question, one after the other, for more than memory should hold."""
        with self._clear_errors:
            yield from self.connection.execute(sql, parameters)

    def row(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Row | None:
        """The first row of a question, or None."""
        with self._clear_errors:
            row: Row | None = self.connection.execute(sql, parameters).fetchone()
            return row

    def value(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> Any:
        """The first column of the first row, or None."""
        row = self.row(sql, parameters)
        return None if row is None else row[0]

    def get(self, sql: str, number: int, what: str) -> Row:
        """The row with a number, which says what it is of; raises NotFound."""
        row = self.row(sql, (number,))
        if row is None:
            raise NotFound(_("No {what} number {number}.", number=number, what=what))
        return row

    def number(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> int:
        """The first column of the first row, of a question that always has a number as its answer."""
        return int(self.value(sql, parameters))

    def holds(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> bool:
        """Whether the first column of the first row is true; False without a row."""
        return bool(self.value(sql, parameters))

    def column(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        """The first column of all rows."""
        return [row[0] for row in self.rows(sql, parameters)]

    def tuples(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[Any]:
        """All rows as tuples, in the order of their columns."""
        return [tuple(row) for row in self.rows(sql, parameters)]

    def mapping(self, sql: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> dict[Any, Any]:
        """The second column of all rows by the first."""
        return {row[0]: row[1] for row in self.rows(sql, parameters)}

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        """One statement that writes; only inside a transaction."""
        with self._clear_errors:
            return self.connection.execute(sql, parameters)

    def add(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """One statement that writes a new row, whose number it answers; only inside a transaction."""
        return cast("int", self.run(sql, parameters).lastrowid)

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        """One statement for many rows; only inside a transaction. Answers how many it wrote."""
        with self._clear_errors:
            return self.connection.executemany(sql, rows).rowcount

    # What is saved of it ----------------------------------------------------------------------------------------------

    def backup(self, target: Path, mode: int = file_access.OWNERS) -> None:
        """Copy the whole database while others work; the copy appears complete or not at all."""
        if target.exists():
            raise StoreError(_IS_THERE.format(path=target))
        with error_wording.clear_file_errors(target), part_folder(target) as folder:
            made = folder / target.name
            self._copy_to(made, mode, target)
            try:
                put_in_place(made, target)
            except FileExistsError:
                raise StoreError(_IS_THERE.format(path=target)) from None

    def _copy_to(self, target: Path, mode: int, named: Path) -> None:
        """Errors name another file than the target, which nobody knows."""
        file_access.make_file(target, mode)
        with error_wording.ClearErrors(named), closing(sqlite3.connect(target)) as copy:
            copy.execute("PRAGMA synchronous = OFF")  # it counts when it is complete, and is put on the disk as a whole
            self.connection.backup(copy)

    @contextmanager
    def scratch_copy(self) -> Iterator["Store"]:
        """A copy to try things on; it is gone afterwards, and nobody waits for it."""
        with error_wording.clear_file_errors(self.path), scratch_folder() as folder:
            path = folder / "copy.db"
            self._copy_to(path, file_access.OWNERS, folder)
            with Store(Place(path), connect(path), self.clock) as copy:
                yield copy

    def rescue(self) -> Path:
        """A backup beside the place of the database, of files that are not there any more; answers its path."""
        target = stamped(self.path, "rescued")
        self.backup(target)
        return target

    def checkpoint(self, patience_ms: int = _BUSY_TIMEOUT_MS) -> bool:
        """Move everything from the write-ahead log into the file itself; False where others still read the log."""
        with self._clear_errors:
            self.connection.execute(f"PRAGMA busy_timeout = {patience_ms}")
            try:
                busy, *_ = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                self.connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
        return not busy

    def rewrite(self) -> bool:
        """Write the file anew, without what was deleted in it; False where others still read the log, which has it."""
        with self._place.write_lock:
            self.require_in_place()
            self.run("VACUUM")
            return self.checkpoint()

    # Whether it is sound ----------------------------------------------------------------------------------------------

    def problems(self) -> list[str]:
        """What SQLite itself finds wrong: pages, constraints, foreign keys. Empty when all is well."""
        faults = [row[0] for row in self.rows("PRAGMA integrity_check") if row[0] != "ok"]
        dangling = self.rows("PRAGMA foreign_key_check")
        return faults + [
            f"table {row[0]}, row {row[1]}: points to a row of {row[2]} that is not there" for row in dangling
        ]

    def explain(self, error: BaseException | None) -> None:
        """Raise StoreError where something that cannot fail did, because what was read from a damaged file made no sense."""
        if (
            not isinstance(error, Exception)
            or isinstance(error, AnnotatorError | OSError)
            or not self._place.is_check_due()
        ):
            return
        try:
            fault = self.value("PRAGMA integrity_check(1)")
        except StoreError as clear_error:
            raise clear_error from error
        except sqlite3.Error as clear_error:
            fault = str(clear_error)
        if fault != "ok":
            raise error_wording.damaged(self.named, fault) from error

    # Whether it can be written ----------------------------------------------------------------------------------------

    def require_writable(self) -> None:
        """Raise NotWritable when nothing can be stored, or soon nothing can; writes only where the last write was refused."""
        self.require_in_place()
        if not os.access(self.path, os.W_OK):
            raise error_wording.read_only(self.path)
        usage = shutil.disk_usage(self.path.parent)
        if usage.free < min(_LEAST_FREE, usage.total // _LEAST_SHARE):
            raise error_wording.nearly_full(self.path)
        if self._place.refused_write is not None:
            with self.transaction():
                self.run(f"PRAGMA user_version = {self.value('PRAGMA user_version')}")

    def require_in_place(self, *, saves: bool = True) -> None:
        """Raise NotWritable when the files that are open are not in their place any more: what is written would be lost.

        saves: what was stored until then is saved first, which only the thread of this connection may do
        """
        if self.files is None or self.files == self._place.files():
            self._place.saved.clear()
            return
        if saves and self.files not in self._place.saved:
            with self._place.write_lock:
                save_what_is_open(self, self._place, self.files)
        raise displaced(self._place, self.files)

    def _require_saved(self) -> None:
        """After a commit: it went into files that are in their place, or was brought there."""
        if self.files is None or self.files == self._place.files():
            return
        if not save_what_is_open(self, self._place, self.files):
            raise displaced(self._place, self.files)


def machine_clock() -> dt.datetime:
    """The time that the machine has."""
    return dt.datetime.now(dt.UTC)


def iso(moment: dt.datetime) -> str:
    """A moment as it is stored: UTC, ISO 8601 with milliseconds."""
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def connect(path: Path) -> sqlite3.Connection:
    """A connection as ours are; a Store is made of it."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_TIMEOUT_MS / 1000, cached_statements=256)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")  # until Log does it
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
    # SQLite's own lower() knows the 26 letters of English alone.
    connection.create_function("casefold", 1, str.casefold, deterministic=True)
    connection.create_function("folded", 1, folded, deterministic=True)
    return connection


def stamped(path: Path, ending: str) -> Path:
    """A name beside a database that nothing has yet, with the time in it."""
    moment = dt.datetime.now(dt.UTC)
    while (named := path.with_name(f"{path.name}.{moment:%Y%m%d-%H%M%S}.{ending}")).exists():
        moment += dt.timedelta(seconds=1)
    return named


_IS_THERE = "'{path}' is there already. Choose another name for the backup."


# Numbers for new rows that no deleted row had.


def unused_number(table: str) -> str:
    """SQL for the number of a new row: above those that are there, and above those that went with their project.

    SQLite alone gives the highest number anew once its row is gone, and a page that is still open would come to mean another
    piece of work, or a folder of trained models another project.
    """
    return f"""(SELECT 1 + max(coalesce((SELECT max(id) FROM {table}), 0),
        coalesce((SELECT highest FROM used_numbers WHERE table_name = '{table}'), 0)))"""
