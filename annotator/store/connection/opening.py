"""Opening a database: what is refused, making one that is not there, bringing an old one up to date."""

import json
import logging
from contextlib import closing, suppress
from pathlib import Path

from annotator.domain.measurements import FORGOT_WRONG_K, wrong_k_summary
from annotator.errors import StoreError
from annotator.files import part_folder, put_in_place
from annotator.language import speaking
from annotator.store.connection import file_access
from annotator.store.connection.database import Clock, Database, Place, Store, connect, machine_clock, place_of, stamped
from annotator.store.connection.error_wording import RESTORE, ClearErrors, clear_file_errors
from annotator.store.connection.replacement import rescued
from annotator.store.schema.comparison import (
    MIGRATIONS_TABLE,
    expected_schema,
    known_migrations,
    list_changes,
    read_schema,
)
from annotator.store.schema.migrations import MIGRATIONS

_CHANGES_SHOWN = 5


def open_store(path: Path | str, *, create: bool = False, clock: Clock = machine_clock) -> Store:
    """Open a database, bringing it up to date first (after a backup); raises StoreError saying what is wrong.

    create: make it when it is not there (only the commands that begin something do)
    clock:  what time it is for leases, sessions and whatever else is dated
    """
    database_place = place_of(path)
    with ClearErrors(database_place.path), clear_file_errors(database_place.path), database_place.guard:
        database_place.enter()
        try:
            _require_database(database_place.path, create=create)
            return _opened(database_place, clock)
        finally:
            database_place.leave()  # when that failed


def _require_database(path: Path, *, create: bool) -> None:
    """Nothing is made where something is or was: a file that is empty now held people's work, or a log beside it does."""
    with suppress(FileNotFoundError):
        if path.stat().st_size == 0:
            raise StoreError(_EMPTIED.format(path=path))
        return
    for ending in ("-wal", "-journal"):
        log = path.with_name(path.name + ending)
        if log.exists() and log.stat().st_size:
            raise StoreError(_LOG_ALONE.format(path=path, log=log))
    copies = rescued(path)
    if copies:
        raise StoreError(_RESCUED.format(path=path, rescued=copies[-1]))
    if not create:
        raise StoreError(_NO_DATABASE.format(path=path))
    _create(path)


def _create(path: Path) -> None:
    """Make a database with all its tables; it appears complete or not at all, and for its owner alone."""
    with part_folder(path) as folder:
        made = folder / path.name
        file_access.make_file(made, file_access.OWNERS)
        with closing(connect(made)) as connection:
            connection.execute("PRAGMA synchronous = OFF")  # it counts when it is complete
            connection.execute("PRAGMA journal_mode = WAL")
            MIGRATIONS.apply(Database(connection, execute_plugins=False))
        with suppress(FileExistsError):  # another process was as quick, and made the same
            put_in_place(made, path)


def _opened(database_place: Place, clock: Clock) -> Store:
    connection = connect(database_place.path)
    try:
        store = Store(database_place, connection, clock)
        if database_place.migrated != _identity(store):
            _migrate(store)
            database_place.migrated = _identity(store)
        store.note_files()
    except BaseException:  # nobody else holds the connection, whatever stopped this
        connection.close()
        raise
    return store


def _identity(store: Store) -> tuple[int, ...]:
    """The file, and the version of its tables: a file that was deleted and made anew may have the old one's inode."""
    status = store.path.stat()
    return status.st_dev, status.st_ino, store.value("PRAGMA schema_version")


def _migrate(store: Store) -> None:
    refuse_foreign(store)
    if MIGRATIONS.pending(store.db):
        _migrate_after_a_backup(store)
    store.connection.execute("PRAGMA journal_mode = WAL")  # it is, unless somebody changed it by hand


def _migrate_after_a_backup(store: Store) -> None:
    backup = stamped(store.path, "backup")
    store.backup(backup, file_access.mode_beside(store.path))
    file_access.give_to_owner_of(store.path, backup)
    before = len(MIGRATIONS.applied(store.db))
    try:
        bring_up_to_date(store)
    except BaseException:  # an interrupt too: whether the backup is of use depends on what was done, not on the error
        if len(MIGRATIONS.applied(store.db)) == before:
            backup.unlink()  # the database is as it was
        raise


def bring_up_to_date(store: Store) -> list[str]:
    """Apply the migrations that a database does not have yet; answers their names."""
    store.connection.execute("PRAGMA journal_mode = WAL")
    pending = [migration.name for migration in MIGRATIONS.pending(store.db)]
    last = store.value("SELECT coalesce(max(id), 0) FROM events")
    MIGRATIONS.apply(store.db)
    # On standard error or in the server's log; the record of each project has it too
    rows = store.rows(
        "SELECT name, detail FROM events JOIN projects ON projects.id = project_id WHERE action = ? AND events.id > ?",
        (FORGOT_WRONG_K, last),
    )
    for row in rows:
        with speaking("en"):  # the log's language
            summary = wrong_k_summary(json.loads(row["detail"]))
        logging.getLogger(__name__).warning(
            "Project “%s”: the upgrade of %s %s.", row["name"], store.named.name, summary
        )
    return pending


def refuse_foreign(store: Store) -> None:
    """A database of another program, of a newer version of this one, or with anything of somebody else in it is left alone.

    Nothing of the file is run before its schema is known: a trigger or a view acts when it is used, a table may be no table.
    """
    with ClearErrors(store.named):
        schema = read_schema(store.connection)
    tables = sorted(name for kind, name in schema if kind == "table")
    if not tables:
        raise StoreError(_NO_TABLES.format(path=store.named))
    if schema.get(MIGRATIONS_TABLE) != expected_schema(())[MIGRATIONS_TABLE]:
        raise StoreError(_FOREIGN.format(path=store.named, tables=", ".join(tables[:5])))
    applied = [migration.name for migration in MIGRATIONS.applied(store.db)]
    newer = sorted(set(applied) - known_migrations())
    if newer:
        raise StoreError(_NEWER.format(path=store.named, newer=", ".join(newer)))
    if not applied:
        raise StoreError(_FOREIGN.format(path=store.named, tables=", ".join(tables[:5])))
    changes = list_changes(schema, applied)
    if changes:
        more = f" and {len(changes) - _CHANGES_SHOWN:,} more" if len(changes) > _CHANGES_SHOWN else ""
        raise StoreError(_CHANGED.format(path=store.named, changes=", ".join(changes[:_CHANGES_SHOWN]) + more))


_NO_DATABASE = (
    "There is no database at '{path}'. Give one with --db or ANNOTATOR_DB, make one with 'annotator project create' or "
    f"'annotator demo', or bring back a backup with {RESTORE}."
)
_EMPTIED = (
    "'{path}' is empty (0 bytes), which no database is: what it held is gone. Bring back a backup with "
    f"{RESTORE}; or, if there never was anything in it, remove the file."
)
_LOG_ALONE = (
    "There is no database at '{path}', but its log is there ('{log}'), which may hold the last work. Put the database back "
    f"beside it, or bring back a backup with {RESTORE}, which keeps the log under another name."
)
_RESCUED = (
    "There is no database at '{path}'. It was removed while it was open; what it held was copied to '{rescued}', and "
    "'annotator restore' brings it back from there. To begin anew, move the copy elsewhere."
)
_NO_TABLES = (
    f"'{{path}}' is a database without any table: what it held is gone. Bring back a backup with {RESTORE}; or, if there "
    "never was anything in it, remove the file."
)
_NEWER = (
    "'{path}' was made by a newer version of this program (it knows {newer}). Install that version, or bring back a backup "
    f"from before with {RESTORE}."
)
_FOREIGN = "'{path}' is a database of another program (tables {tables}). Choose another file."
_CHANGED = (
    "'{path}' was changed by another program: {changes}. Nothing of it was run or written. Undo that with the program that "
    "did it, or use a backup from before."
)
