"""Files that somebody removed, moved or replaced while they were open: what was stored is saved, and nothing more is taken.

SQLite goes on writing into a log that has no name any more, and everything in it is gone with the process.
"""

from contextlib import suppress
from typing import TYPE_CHECKING

from annotator.errors import NotWritable, StoreError
from annotator.store.connection.error_wording import RESTORE
from annotator.store.connection.place import EMPTIED, Files, Place

if TYPE_CHECKING:
    from annotator.store.connection.database import Store

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
            f"Stop the server, and bring back a backup with {RESTORE}.",
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
