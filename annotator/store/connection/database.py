"""A connection to the database: transactions, questions, backup, and whether it is sound and can be written."""

import datetime as dt
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from annotator.domain.project.search import folded
from annotator.errors import AnnotatorError, NotWritable, StoreError
from annotator.files import part_folder, put_in_place, scratch_folder
from annotator.store.connection import file_rights
from annotator.store.connection.displaced_files import displaced, save_what_is_open
from annotator.store.connection.driver import Database
from annotator.store.connection.error_wording import ClearErrors, clear_file_errors, damaged, nearly_full, read_only
from annotator.store.connection.place import Files, Place

_BUSY_TIMEOUT_MS = 30_000
_LEAST_FREE = 4 * 2**20  # what the write-ahead log may grow by before it is moved into the file ...
_LEAST_SHARE = 50  # ... or a fiftieth of a disk that is small

Row = sqlite3.Row
Clock = Callable[[], dt.datetime]  # of what time it is


class Store:
    """One connection to the database. It belongs to the thread that opened it; open one a run and close it.

    Within a process writes queue behind one lock before they begin: SQLite's own busy waiting is unfair and slower.
    """

    def __init__(self, database_place: Place, connection: sqlite3.Connection, clock: Clock) -> None:
        self.path = database_place.path
        self.connection = connection
        self.db = Database(connection)
        self.clock = clock
        self._place = database_place
        self._clear_errors = ClearErrors(database_place.named)
        self._files: Files | None = None  # those that are open; None for a copy that nobody else knows of

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
            self._place.remove(self)
            self.connection.close()
            self._place.leave()

    @property
    def named(self) -> Path:
        """What errors name."""
        return self._place.named

    def note_files(self) -> None:
        """From now on it is noticed when other files lie in the place of those that are open."""
        self._files = self._place.files()
        self._place.add(self)

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

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        """One statement that writes; only inside a transaction."""
        with self._clear_errors:
            return self.connection.execute(sql, parameters)

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        """One statement for many rows; only inside a transaction. Answers how many it wrote."""
        with self._clear_errors:
            return self.connection.executemany(sql, rows).rowcount

    # What is saved of it ----------------------------------------------------------------------------------------------

    def backup(self, target: Path, mode: int = file_rights.OWNERS) -> None:
        """Copy the whole database while others work; the copy appears complete or not at all."""
        if target.exists():
            raise StoreError(_IS_THERE.format(path=target))
        with clear_file_errors(target), part_folder(target) as folder:
            made = folder / target.name
            self._copy_to(made, mode, target)
            try:
                put_in_place(made, target)
            except FileExistsError:
                raise StoreError(_IS_THERE.format(path=target)) from None

    def _copy_to(self, target: Path, mode: int, named: Path) -> None:
        """Errors name another file than the target, which nobody knows."""
        file_rights.make_file(target, mode)
        with ClearErrors(named), closing(sqlite3.connect(target)) as copy:
            copy.execute("PRAGMA synchronous = OFF")  # it counts when it is complete, and is put on the disk as a whole
            self.connection.backup(copy)

    @contextmanager
    def scratch_copy(self) -> Iterator["Store"]:
        """A copy to try things on; it is gone afterwards, and nobody waits for it."""
        with clear_file_errors(self.path), scratch_folder() as folder:
            path = folder / "copy.db"
            self._copy_to(path, file_rights.OWNERS, folder)
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
            raise damaged(self.named, fault) from error

    # Whether it can be written ----------------------------------------------------------------------------------------

    def require_writable(self) -> None:
        """Raise NotWritable when nothing can be stored, or soon nothing can; writes only where the last write was refused."""
        self.require_in_place()
        if not os.access(self.path, os.W_OK):
            raise read_only(self.path)
        usage = shutil.disk_usage(self.path.parent)
        if usage.free < min(_LEAST_FREE, usage.total // _LEAST_SHARE):
            raise nearly_full(self.path)
        if self._place.refused_write is not None:
            with self.transaction():
                self.run(f"PRAGMA user_version = {self.value('PRAGMA user_version')}")

    def require_in_place(self, *, saves: bool = True) -> None:
        """Raise NotWritable when the files that are open are not in their place any more: what is written would be lost.

        saves: what was stored until then is saved first, which only the thread of this connection may do
        """
        if self._files is None or self._files == self._place.files():
            self._place.saved.clear()
            return
        if saves and self._files not in self._place.saved:
            with self._place.write_lock:
                save_what_is_open(self, self._place, self._files)
        raise displaced(self._place, self._files)

    def _require_saved(self) -> None:
        """After a commit: it went into files that are in their place, or was brought there."""
        if self._files is None or self._files == self._place.files():
            return
        if not save_what_is_open(self, self._place, self._files):
            raise displaced(self._place, self._files)


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
    connection.execute("PRAGMA synchronous = FULL")
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
