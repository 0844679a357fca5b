"""A backup on its way to the place of a database: copied, opened, brought up to date, and put there when all is well."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from annotator.errors import StoreError
from annotator.files import part_folder, sync_file
from annotator.store.connection import file_access
from annotator.store.connection.database import Place, Store, connect, machine_clock, place_of
from annotator.store.connection.error_wording import ClearErrors, clear_file_errors
from annotator.store.connection.opening import bring_up_to_date, refuse_foreign
from annotator.store.connection.replacement import announce, kept_name, models_of, replace

_PATIENCE = 2.0  # seconds: a command may just be ending
_LOGS = ("-wal", "-journal")


@dataclass(frozen=True, slots=True)
class Incoming:
    """A copy of a backup beside the database that it is to replace.

    path:       the place that it is for, which a link may lead to
    kept:       the name that what is there will have; None where there is nothing
    migrations: what brought the copy of an older backup up to date
    models:     the folder for trained models of the copy
    """

    store: Store
    path: Path
    kept: Path | None
    migrations: tuple[str, ...]
    models: Path


@contextmanager
def incoming(path: Path, backup: Path) -> Iterator[Incoming]:
    """A checked copy of a backup, which takes the place of the database at `path` when the block ends without an error.

    Raises: StoreError when somebody has either of the two open, or the backup is none that this version can read
    """
    path = place_of(path).path
    _refuse(path, backup)
    backup = backup.resolve()  # a log lies beside the file, not beside a link to it
    with clear_file_errors(path):
        _refuse_in_use(backup)
        lock = file_access.enter(path, alone=True, patience=_PATIENCE)
        try:
            replace(path)  # what an earlier, killed restore began
            file_access.refuse_foreign_connections(path)
            with part_folder(path) as folder:
                made = folder / path.name
                earlier = kept_name(path)
                with _opened_copy(backup, made) as (store, migrations):
                    yield Incoming(store, path, earlier, migrations, models_of(made))
                _put_in_place(made, path, earlier)
        finally:
            file_access.leave(path, lock)


def _refuse(path: Path, backup: Path) -> None:
    if not backup.is_file():
        raise StoreError(f"There is no backup at '{backup}'. Give the file that 'annotator backup' wrote.")
    if path.exists() and path.samefile(backup):
        raise StoreError(f"'{backup}' is the database itself. Give the backup that is to take its place.")
    if backup.stat().st_size == 0:
        raise StoreError(f"'{backup}' is empty (0 bytes): it is not a backup. Choose another file.")
    if path.is_dir() or not path.parent.is_dir():
        raise StoreError(f"There can be no database at '{path}': name a file in a folder that is there.")


def _refuse_in_use(backup: Path) -> None:
    """What somebody writes meanwhile would be torn in a copy; what nobody could lock, as on a CD, nobody writes."""
    try:
        file_access.leave(backup, file_access.enter(backup, alone=True, patience=0))
        file_access.refuse_foreign_connections(backup)
    except StoreError as error:
        raise StoreError(
            f"'{backup}' is in use by a server or another program, so that a copy might be torn. Make a backup of it with "
            "'annotator backup', and restore that."
        ) from error


@contextmanager
def _opened_copy(backup: Path, made: Path) -> Iterator[tuple[Store, tuple[str, ...]]]:
    """The backup's own file is only read, with the log that may lie beside it; all errors are about the backup."""
    for ending in ("", *_LOGS):
        source = backup.with_name(backup.name + ending)
        if source.exists():
            copy = made.with_name(made.name + ending)
            file_access.make_file(copy, file_access.OWNERS)
            shutil.copyfile(source, copy)
    with ClearErrors(backup), Store(Place(made, backup), connect(made), machine_clock) as store:
        refuse_foreign(store)
        yield store, tuple(bring_up_to_date(store))
        store.checkpoint()


def _put_in_place(made: Path, path: Path, earlier: Path | None) -> None:
    """The new file is for those who may use the old one."""
    made.chmod(file_access.mode_beside(path))
    file_access.give_to_owner_of(path, made)
    file_access.share_like(models_of(made), path)
    sync_file(made)
    announce(made, path, earlier)
    replace(path)
