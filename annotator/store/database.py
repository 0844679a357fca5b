"""Opening the database, transactions, backup and the integrity check."""

import datetime as dt
import sqlite3
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from annotator.errors import StoreError
from annotator.store.driver import Database
from annotator.store.schema import MIGRATIONS

_BUSY_TIMEOUT_MS = 30_000

Row = sqlite3.Row


class _Known:
    """What this process knows of the databases it opened: which are migrated, and one write lock each."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[Path, threading.RLock] = {}
        self._migrated: dict[Path, tuple[int, ...]] = {}

    def lock(self, path: Path) -> threading.RLock:
        with self._guard:
            return self._locks.setdefault(path, threading.RLock())

    def is_migrated(self, store: "Store") -> bool:
        return self._migrated.get(store.path) == _identity(store)

    def note_migrated(self, store: "Store") -> None:
        self._migrated[store.path] = _identity(store)


def _identity(store: "Store") -> tuple[int, ...]:
    """The file, and the version of its tables: a file that was deleted and made anew may have the old one's inode."""
    status = store.path.stat()
    return status.st_dev, status.st_ino, store.value("PRAGMA schema_version")


_KNOWN = _Known()


class Store:
    """One connection to the database. It belongs to the thread that opened it; open one a run and close it.

    Within a process writes queue behind one lock before they begin: SQLite's own busy waiting is unfair and slower.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self.connection = connection
        self.db = Database(connection)
        self._lock = _KNOWN.lock(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()

    @contextmanager
    def transaction(self) -> Iterator[Self]:
        """All or nothing: begins at once as the writer, commits at the end, rolls back on any error."""
        if self.connection.in_transaction:
            yield self
            return
        with self._lock, _clear_errors(self.path):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self
                self.connection.execute("COMMIT")
            except BaseException:
                self.db.rollback()
                raise

    @contextmanager
    def snapshot(self) -> Iterator[Self]:
        """Everything read inside is of one moment, whatever others write meanwhile; blocks nobody."""
        self.connection.execute("BEGIN")
        try:
            yield self
        finally:
            self.db.rollback()

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """All rows of a question."""
        with _clear_errors(self.path):
            return self.connection.execute(sql, parameters).fetchall()

    def row(self, sql: str, parameters: Sequence[Any] = ()) -> Row | None:
        """The first row of a question, or None."""
        with _clear_errors(self.path):
            found: Row | None = self.connection.execute(sql, parameters).fetchone()
            return found

    def value(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        """The first column of the first row, or None."""
        found = self.row(sql, parameters)
        return None if found is None else found[0]

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        """One statement that writes; only inside a transaction."""
        return self.connection.execute(sql, parameters)

    def run_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """One statement for many rows; only inside a transaction."""
        self.connection.executemany(sql, rows)

    def backup(self, target: Path) -> None:
        """Copy the whole database while others work; the copy appears complete or not at all."""
        if target.exists():
            raise StoreError(f"'{target}' is there already. Choose another name for the backup.")
        unfinished = target.with_name(target.name + ".part")
        with _clear_errors(target):
            copy = sqlite3.connect(unfinished)
            try:
                self.connection.backup(copy)
            finally:
                copy.close()
        unfinished.rename(target)

    @contextmanager
    def scratch_copy(self) -> Iterator["Store"]:
        """A copy to try things on; it is gone afterwards, and nobody waits for it."""
        with tempfile.TemporaryDirectory(prefix="annotator-try-") as folder:
            path = Path(folder) / "copy.db"
            self.backup(path)
            with Store(path, _connect(path)) as copy:
                yield copy

    def checkpoint(self) -> None:
        """Move everything from the write-ahead log into the file itself, so that the file alone is complete."""
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def problems(self) -> list[str]:
        """What SQLite itself finds wrong: pages, constraints, foreign keys. Empty when all is well."""
        found = [row[0] for row in self.rows("PRAGMA integrity_check") if row[0] != "ok"]
        dangling = self.rows("PRAGMA foreign_key_check")
        return found + [
            f"table {row[0]}, row {row[1]}: points to a row of {row[2]} that is not there" for row in dangling
        ]


def now() -> str:
    """The time now, UTC, ISO 8601 with milliseconds."""
    return iso(dt.datetime.now(dt.UTC))


def iso(moment: dt.datetime) -> str:
    """A moment as it is stored."""
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def open_store(path: Path | str, *, create: bool = False) -> Store:
    """Open a database, bringing it up to date first (after a backup); raises StoreError saying what is wrong.

    create: make it when it is not there (only the commands that begin something do).
    """
    path = Path(path).absolute()
    if not path.exists() and not create:
        raise StoreError(
            f"There is no database at '{path}'. Give one with --db or ANNOTATOR_DB, or make one with "
            "'annotator project create' or 'annotator demo'."
        )
    with _clear_errors(path):
        connection = _connect(path)
        try:
            store = Store(path, connection)
            if not _KNOWN.is_migrated(store):
                _migrate(store)
                _KNOWN.note_migrated(store)
        except BaseException:
            connection.close()
            raise
    return store


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_TIMEOUT_MS / 1000, cached_statements=256)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_MS}")
    return connection


def _migrate(store: Store) -> None:
    with _KNOWN.lock(store.path):
        _refuse_foreign(store)
        if not MIGRATIONS.pending(store.db):
            return
        if MIGRATIONS.applied(store.db):
            stamp = dt.datetime.now(dt.UTC).strftime("%Y%m%d-%H%M%S")
            store.backup(store.path.with_name(f"{store.path.name}.{stamp}.backup"))
        store.connection.execute("PRAGMA journal_mode = WAL")
        MIGRATIONS.apply(store.db)


def _refuse_foreign(store: Store) -> None:
    """A database of another program, or of a newer version of this one, is left alone."""
    tables = set(store.db.table_names())
    applied = {migration.name for migration in MIGRATIONS.applied(store.db)}
    of_this_version = _migrations_of_this_version()
    if applied - of_this_version:
        newer = ", ".join(sorted(applied - of_this_version))
        raise StoreError(
            f"'{store.path}' was made by a newer version of this program (it knows {newer}). "
            "Install that version, or open a backup from before."
        )
    if tables and not applied:
        raise StoreError(
            f"'{store.path}' is a database of another program (tables {', '.join(sorted(tables)[:5])}). Choose another file."
        )


def _migrations_of_this_version() -> set[str]:
    empty = Database(memory=True)
    try:
        return {migration.name for migration in MIGRATIONS.pending(empty)}
    finally:
        empty.close()


_SENTENCES = (
    ("file is not a database", "'{path}' is no SQLite database. Choose another file, or restore a backup."),
    ("malformed", "'{path}' is damaged ({error}). Restore a backup; 'annotator check' says more."),
    (
        "readonly",
        "'{path}' cannot be written: the file or its folder is read-only. Change the rights or choose another place.",
    ),
    (
        "disk is full",
        "There is no space left on the disk of '{path}'. Nothing of this step was stored; free some space and repeat it.",
    ),
    (
        "unable to open",
        "'{path}' cannot be opened: is it a file, does its folder exist, and may it be read and written?",
    ),
    ("locked", "'{path}' is busy: another program has been writing for over 30 seconds. Try again when it is done."),
    (
        "disk I/O error",
        "The disk of '{path}' reports an error ({error}). Nothing of this step was stored; check the disk.",
    ),
)


@contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's errors about the file into a sentence; constraint violations are defects and pass as they are."""
    try:
        yield
    except (sqlite3.OperationalError, sqlite3.DatabaseError) as error:
        for mark, sentence in _SENTENCES:
            if mark in str(error):
                raise StoreError(sentence.format(path=path, error=error)) from error
        raise
