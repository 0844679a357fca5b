"""Deleting rows with everything that refers to them, as the tables' own foreign keys say, so that a new table is reached too."""

import json
from collections.abc import Iterable

from annotator.store.connection.database import Store

# What stays without what it referred to: a correction whose first round is gone, and a text's place on the way to an instance.
# And a text of a second pass of which nothing is gold of its original any more.
_CLEARED = frozenset({("rounds", "previous_id"), ("assignments", "follows_id"), ("evidence_copies", "taken")})


def delete_with_dependents(store: Store, table: str, ids: Iterable[int]) -> None:
    """Delete rows by number, and before them whatever cannot stand without them."""
    _delete(store, table, "id IN (SELECT value FROM json_each(?))", json.dumps(list(ids)))


def _delete(store: Store, table: str, condition: str, ids: str) -> None:
    for child, columns, parents in _references_to(store, table):
        chosen = f"SELECT {', '.join(parents)} FROM {table} WHERE {condition}"
        if len(columns) == 1 and (child, columns[0]) in _CLEARED:
            store.run(f"UPDATE {child} SET {columns[0]} = NULL WHERE {columns[0]} IN ({chosen})", (ids,))
        else:
            _delete(store, child, f"({', '.join(columns)}) IN ({chosen})", ids)
    store.run(f"DELETE FROM {table} WHERE {condition}", (ids,))


def _references_to(store: Store, table: str) -> list[tuple[str, list[str], list[str]]]:
    rows = store.rows(
        """SELECT t.name AS child, f.id AS number, f."from" AS "column", coalesce(f."to", 'id') AS parent
            FROM sqlite_schema AS t, pragma_foreign_key_list(t.name) AS f
            WHERE t.type = 'table' AND f."table" = ? ORDER BY t.name, f.id, f.seq""",
        (table,),
    )
    keys: dict[tuple[str, int], tuple[list[str], list[str]]] = {}
    for row in rows:
        columns, parents = keys.setdefault((row["child"], row["number"]), ([], []))
        columns.append(row["column"])
        parents.append(row["parent"])
    return [(child, columns, parents) for (child, _), (columns, parents) in keys.items()]
