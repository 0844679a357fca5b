"""Who was made nameless or erased, without a name: so that no byte is left of them, and no restore brings them back.

It is kept in the database and in a file beside it (NAME.removals), which is there also when the database is damaged or gone.
"""

import hashlib
import hmac
import json
import logging
import secrets
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from annotator.errors import NotWritable, StoreError
from annotator.files import part_folder, sync_file, sync_folder
from annotator.store.connection import file_rights
from annotator.store.connection.database import Store
from annotator.store.persons.columns import NAMES
from annotator.store.persons.identity import Person
from annotator.store.schema.comparison import read_schema

_BESIDE = ".removals"
_COLUMNS = "kind, at, account, account_made_at, name_hash"


@dataclass(frozen=True, slots=True)
class Removal:
    """One person who was taken out.

    kind:            'anonymise' or 'erase'
    account:         the number that their account had; None for somebody whom only an import named
    account_made_at: when that account was made: a number alone may be given again after a restore
    name_hash:       of the name, salted and slow; "" where an earlier version did not note whom
    """

    kind: str
    at: str
    account: int | None = None
    account_made_at: str | None = None
    name_hash: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from others, in databases of earlier versions too."""
        return self.kind, self.at


def removal_of(store: Store, kind: str, person: Person) -> Removal:
    """What is noted of somebody who is about to be taken out."""
    made_at = store.value("SELECT created_at FROM users WHERE id = ?", (person.id,))
    noted = store.value("SELECT name_hash FROM removals WHERE name_hash <> '' ORDER BY id DESC")
    salt = noted.partition("$")[0] if noted else secrets.token_hex(16)
    return Removal(kind, store.now(), person.id, made_at, _name_hash(salt, person.name.casefold()))


def add_removal(store: Store, removal: Removal) -> None:
    """Note that somebody was taken out, in the transaction that does it: the file is still to be written anew."""
    store.run(
        f"INSERT INTO removals ({_COLUMNS}) VALUES (?, ?, ?, ?, ?)",
        (removal.kind, removal.at, removal.account, removal.account_made_at, removal.name_hash),
    )


def list_removals(store: Store) -> list[Removal]:
    """All of a database, the first one first."""
    return [Removal(*row) for row in store.rows(f"SELECT {_COLUMNS} FROM removals ORDER BY id")]


def find_removed(store: Store, removal: Removal) -> str | None:
    """The name under which a database still knows somebody who was taken out of another one; None where it does not."""
    name = store.value(
        "SELECT name FROM users WHERE id = ? AND created_at = ?", (removal.account, removal.account_made_at)
    )
    if name is not None or not removal.name_hash:
        return None if name is None else str(name)
    salt = removal.name_hash.partition("$")[0]
    return next(
        (
            name
            for name in _names_without_account(store)
            if hmac.compare_digest(_name_hash(salt, name.casefold()), removal.name_hash)
        ),
        None,
    )


def _names_without_account(store: Store) -> list[str]:
    """An account of the same name that was made at another time is somebody else's."""
    questions = (
        f"SELECT DISTINCT {column} AS name FROM {table} WHERE {column} NOT IN (SELECT name FROM users)"
        for table, column in NAMES
    )
    return [row["name"] for row in store.rows(" UNION ".join(questions)) if row["name"]]


@lru_cache(maxsize=10_000)
def _name_hash(salt: str, name: str) -> str:
    """Slow, so that whoever has the file does not try all names in no time."""
    digest = hashlib.scrypt(name.encode(), salt=salt.encode(), n=2**12, r=8, p=1)
    return f"{salt}${digest.hex()}"


# Beside the database ---------------------------------------------------------------------------------------------------


def file_beside(path: Path) -> Path:
    """Where the removals of a database are kept for the time when it is replaced."""
    return path.with_name(path.name + _BESIDE)


def removals_beside(path: Path) -> list[Removal]:
    """Those that the file beside a database holds; raises StoreError where it cannot be read."""
    try:
        lines = file_beside(path).read_text(encoding="utf-8").splitlines()
        return [Removal(**json.loads(line)) for line in lines]
    except FileNotFoundError:
        return []
    except (OSError, UnicodeError, ValueError, TypeError, RecursionError) as error:
        raise StoreError(_UNREADABLE.format(path=file_beside(path), error=type(error).__name__)) from error


def keep_beside(store: Store) -> None:
    """Bring what a database holds into the file beside it; where that cannot be now, the next start of the server does it."""
    try:
        write_beside(store.path, [*removals_beside(store.path), *list_removals(store)])
    except (OSError, StoreError) as error:
        logging.getLogger(__name__).warning("Who was erased could not be noted beside the database: %s", error)


def write_beside(path: Path, removals: Iterable[Removal]) -> None:
    """Let the file hold these, each once; it is the old one or the new one at every moment."""
    by_key = {removal.key: removal for removal in removals}
    if by_key == {removal.key: removal for removal in removals_beside(path)}:
        return
    target = file_beside(path)
    with part_folder(target) as folder:
        made = folder / target.name
        file_rights.make_file(made, file_rights.mode_beside(path))
        made.write_text("".join(json.dumps(asdict(removal)) + "\n" for removal in by_key.values()), encoding="utf-8")
        file_rights.give_to_owner_of(path, made)
        sync_file(made)
        made.replace(target)
        sync_folder(target.parent)


def removals_at(path: Path) -> list[Removal] | None:
    """Those that are known at the place of a database that nobody has open: of itself, only read, and of the file beside it.

    None where neither can say anything, since the database is damaged or of another program
    """
    beside = removals_beside(path)
    if not path.exists():
        return beside
    with suppress(sqlite3.Error, UnicodeDecodeError), closing(_read_only(path)) as connection:
        if not read_schema(connection).get(("table", "removals"), "").startswith("removals: CREATE TABLE"):
            return beside  # from before there were removals
        names = {row[1] for row in connection.execute("PRAGMA table_info(removals)")}
        columns = _COLUMNS if "name_hash" in names else "kind, at"
        rows = connection.execute(f"SELECT {columns} FROM removals").fetchall()
        inside = {removal.key: removal for removal in (Removal(*row) for row in rows)}
        return list((inside | {removal.key: removal for removal in beside}).values())
    return beside or None


def _read_only(path: Path) -> sqlite3.Connection:
    """Without a log of its own, which SQLite would leave behind."""
    how = "mode=ro" if path.with_name(f"{path.name}-wal").exists() else "immutable=1"
    return sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)


# No byte is left -------------------------------------------------------------------------------------------------------


def is_wiping_due(store: Store) -> bool:
    """Whether something was taken out whose bytes may still be in the file."""
    return store.row("SELECT 1 FROM removals WHERE is_wiped = 0") is not None


def wipe(store: Store) -> bool:
    """Write the file anew; False where somebody still reads the log, or the disk has no room: then it is to be done again.

    What was taken out while the file was written is noted for the next time.
    """
    due = [row["id"] for row in store.rows("SELECT id FROM removals WHERE is_wiped = 0")]
    try:
        is_rewritten = store.rewrite()
    except (NotWritable, StoreError):  # what was to be done is done, and this is noted as not done
        return False
    if not is_rewritten:
        return False
    with store.transaction():
        store.run_many("UPDATE removals SET is_wiped = 1 WHERE id = ?", [(number,) for number in due])
    return True


_UNREADABLE = (
    "'{path}' cannot be read ({error}). It lists who was erased or anonymised, so that a restore does not bring them back. "
    "Repair it, or move it away and erase them again by hand."
)
