"""Deleting a project with every row that is of it, found by the tables' own foreign keys.

No list of tables is kept by hand: a table that is added later belongs to a project when it has a column `project_id`, or points
to a row of a table that does.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from annotator.domain.numbers import by_key
from annotator.errors import StoreError
from annotator.store.connection.database import Store
from annotator.store.qualification.exercises import FIRST_OF_TRAINING


@dataclass(frozen=True, slots=True)
class OwnedTable:
    """A table with rows of projects.

    condition: which of its rows are of project ?1
    depth:     how many other tables stand between it and its project
    """

    name: str
    condition: str
    depth: int
    has_foreign_keys: bool


@contextmanager
def without_foreign_keys(store: Store) -> Iterator[None]:
    """Rows are deleted table by table, and not each looked for in all others; call it before the transaction begins."""
    store.run("PRAGMA foreign_keys = OFF")
    store.run("PRAGMA secure_delete = ON")  # what was deleted is not left in the file's free pages
    try:
        yield
    finally:
        store.run("PRAGMA secure_delete = OFF")
        store.run("PRAGMA foreign_keys = ON")


def delete_rows_of(store: Store, project_id: int) -> dict[str, int]:
    """Delete a project and all that is of it, inside a transaction; answers how many rows of each table went.

    Raises: StoreError where another row still points to one of them, so that the transaction is undone
    """
    tables = owned_tables(store)
    store.run("UPDATE projects SET is_being_deleted = 1 WHERE id = ?", (project_id,))
    _note_numbers(store, project_id)
    counts = {
        table.name: store.run(f"DELETE FROM {table.name} WHERE {table.condition}", (project_id,)).rowcount
        for table in deletion_order(tables)
    }
    store.run("DELETE FROM projects WHERE id = ?", (project_id,))
    _require_whole(store)
    return counts


def deletion_order(tables: Mapping[str, OwnedTable]) -> list[OwnedTable]:
    """Whatever points to others first; counts that triggers keep come last, since each row that goes changes them."""
    return sorted(tables.values(), key=lambda table: (not table.has_foreign_keys, -table.depth, table.name))


def owned_tables(store: Store) -> dict[str, OwnedTable]:
    """Every table with rows of projects, by its name."""
    columns_by_table = {row["name"]: _columns(store, row["name"]) for row in store.rows(_TABLES)}
    keys_by_table = {name: _foreign_keys(store, name) for name in columns_by_table}
    owned = {
        name: OwnedTable(name, "project_id = ?1", 1, bool(keys_by_table[name]))
        for name, columns in columns_by_table.items()
        if "project_id" in columns
    }
    depth = 1
    while True:
        parents = {name for name, table in owned.items() if table.depth == depth}
        further = {
            name: OwnedTable(name, _condition(keys_by_table[name], owned, parents), depth + 1, has_foreign_keys=True)
            for name in columns_by_table
            if name not in owned and any(parent in parents for _, parent, _ in keys_by_table[name])
        }
        if not further:
            return owned
        owned |= further
        depth += 1


_TABLES = r"""SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
    AND name <> 'projects'"""


def _columns(store: Store, table: str) -> set[str]:
    return {row["name"] for row in store.rows(f"PRAGMA table_info({table})")}


def _foreign_keys(store: Store, table: str) -> list[tuple[str, str, str]]:
    """Columns, table and columns there, of each key."""
    rows_by_key = by_key((row["id"], row) for row in store.rows(f"PRAGMA foreign_key_list({table})"))
    return [
        (", ".join(row["from"] for row in rows), rows[0]["table"], ", ".join(row["to"] or "id" for row in rows))
        for rows in rows_by_key.values()
    ]


def _condition(keys: list[tuple[str, str, str]], owned: Mapping[str, OwnedTable], parents: set[str]) -> str:
    return " OR ".join(
        f"({columns}) IN (SELECT {others} FROM {parent} WHERE {owned[parent].condition})"
        for columns, parent, others in sorted(keys)
        if parent in parents
    )


def _note_numbers(store: Store, project_id: int) -> None:
    """The highest numbers of the rows that pages and folders name, before they go."""
    for series, table, condition in _NUMBERED:
        store.run(
            f"""INSERT INTO used_numbers (table_name, highest)
                SELECT '{series}', max(id) FROM {table} WHERE {condition} HAVING max(id) IS NOT NULL
                ON CONFLICT DO UPDATE SET highest = max(highest, excluded.highest)""",
            (project_id,),
        )


_NUMBERED = (
    ("projects", "projects", "id = ?"),
    ("instances", "instances", "project_id = ?"),
    ("assignments", "assignments", "project_id = ?"),
    ("assignments", "exercises", f"project_id = ? AND id < {FIRST_OF_TRAINING}"),  # blind checks, numbered as any work
    ("reviews", "reviews", "project_id = ?"),
)


def _require_whole(store: Store) -> None:
    dangling = store.rows("PRAGMA foreign_key_check")
    if dangling:
        tables = ", ".join(sorted({f"{row[0]} to {row[2]}" for row in dangling}))
        raise StoreError(
            f"Nothing was deleted: rows would be left that point to nothing ({tables}). Run 'annotator check', and restore a "
            "backup that is in order."
        )
