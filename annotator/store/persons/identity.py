"""Who is meant: an account, the names under which rows know somebody, and what goes with their name."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from annotator.store.connection.database import Store
from annotator.store.people import find_user
from annotator.store.persons.columns import COUNTED_NAMES, NAMES, WORDS

_BOTH = "?1 IS ?1 AND ?2 IS ?2"  # SQLite takes as many values as its question has


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whose data is asked for.

    id:    of the account; None for somebody whom only an import names
    names: as rows write them, the account's first; names that differ in case alone are one person's, as for accounts
    """

    id: int | None
    names: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def parameters(self) -> tuple[int | None, str]:
        """What conditions of `columns` take: ?1 and ?2."""
        return self.id, json.dumps(self.names)


def find_person(store: Store, name: str) -> Person | None:
    """The person of a name: with an account, or only named by rows."""
    user = find_user(store, name)
    names = [user.name] if user else []
    for table, column in NAMES:
        rows = store.rows(f"SELECT DISTINCT {column} FROM {table} WHERE {column} = ? COLLATE NOCASE", (name,))
        names += [row[0] for row in rows]
    return Person(user.id if user else None, tuple(dict.fromkeys(names))) if names else None


def words_of(store: Store, person: Person) -> set[str]:
    """Everything that somebody wrote in words of their own."""
    words: set[str] = set()
    for w in WORDS:
        rows = store.rows(
            f"SELECT DISTINCT {w.column} FROM {w.table} WHERE {w.column} <> '' AND {w.whose} AND {_BOTH}",
            person.parameters,
        )
        words |= {row[0] for row in rows}
    return words


def count_words(store: Store, person: Person) -> int:
    """How many notes, comments and reasons of somebody there are."""
    return sum(
        int(
            store.value(
                f"SELECT count(*) FROM {w.table} WHERE {w.column} NOT IN ('', ?3) AND {w.whose} AND {_BOTH}",
                (*person.parameters, w.instead),
            )
        )
        for w in WORDS
    )


def rename(store: Store, person: Person, called: dict[str, str]) -> None:
    """Write other names in the place of somebody's; what only counts them goes."""
    for table, column in NAMES:
        store.run_many(
            f"UPDATE {table} SET {column} = ? WHERE {column} = ?", [(new, old) for old, new in called.items()]
        )
    _rename_among_others(store, called)
    for table, column in COUNTED_NAMES:
        store.run(f"DELETE FROM {table} WHERE {column} = ? COLLATE NOCASE", (person.name,))


def _rename_among_others(store: Store, called: dict[str, str]) -> None:
    """In versions that a second pass made of several people's sets, which name them all."""
    rows = store.rows("SELECT DISTINCT annotator FROM annotations WHERE instr(annotator, ', ')")
    for row in rows:
        people = ", ".join(called.get(name, name) for name in row["annotator"].split(", "))
        if people != row["annotator"]:
            store.run("UPDATE annotations SET annotator = ? WHERE annotator = ?", (people, row["annotator"]))


def take_out_words(store: Store, person: Person) -> None:
    """Empty what somebody wrote; where a row must say something, it says that it was taken out."""
    for w in WORDS:
        store.run(
            f"UPDATE {w.table} SET {w.column} = ?3 WHERE {w.column} <> '' AND {w.whose} AND {_BOTH}",
            (*person.parameters, w.instead),
        )


@contextmanager
def append_only_lifted(store: Store, *tables: str) -> Iterator[None]:
    """Let rows be changed that are append only, within the transaction: nobody else sees the tables without their triggers."""
    marks = ",".join("?" * len(tables))
    triggers = store.rows(
        f"""SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ({marks})
            AND sql LIKE '%append only%'""",
        tables,
    )
    for trigger in triggers:
        store.run(f"DROP TRIGGER {trigger['name']}")
    yield
    for trigger in triggers:
        store.run(trigger["sql"])
