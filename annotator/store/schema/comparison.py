"""Whether a database has the tables, indexes, triggers and views of its version, and nothing else.

What a version has is what its migrations make in memory, so there is no second list of it. A trigger or view that somebody
else put into a file would act in the name of whoever opens it: nothing of a file is run or written before this comparison.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from functools import cache, lru_cache

from annotator.store.connection.database import Database
from annotator.store.schema.migrations import MIGRATIONS

Schema = Mapping[tuple[str, str], str]  # kind and name of each object: its normalised SQL

MIGRATIONS_TABLE = ("table", MIGRATIONS.migrations_table)

_LONGEST_NAME = 60
# What SQLite makes for itself (ANALYZE, AUTOINCREMENT), as it writes it. Nobody else can make a table of such a name.
_OF_SQLITE = {
    ("table", "sqlite_sequence"): "CREATE TABLE sqlite_sequence(name,seq)",
    ("table", "sqlite_stat1"): "CREATE TABLE sqlite_stat1(tbl,idx,stat)",
    ("table", "sqlite_stat4"): "CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)",
}
_PARTS_OF_SQL = re.compile(
    r"""(?P<string>'(?:[^']|'')*') | "(?P<double>\w+)" | \[(?P<bracket>\w+)\] | `(?P<backtick>\w+)`
        | (?P<comment>--[^\n]*|/\*.*?\*/) | (?P<other>\w+|\S)""",
    re.VERBOSE | re.DOTALL,
)


def read_schema(connection: sqlite3.Connection) -> Schema:
    """Every object of a database; reading it runs nothing of it."""
    rows = [tuple(row) for row in connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema")]
    counts = Counter(row[:2] for row in rows)
    schema = {(kind, name): f"{table}: {_normalised(sql or '')}" for kind, name, table, sql in rows}
    return schema | {key: "there more than once" for key, n in counts.items() if n > 1}


@cache
def expected_schema(migrations: tuple[str, ...]) -> Schema:
    """Every object that a database has after these migrations, in the order in which they were applied."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        database = Database(connection, execute_plugins=False)
        steps = {migration.name: migration.fn for migration in MIGRATIONS.pending(database)}
        connection.execute("BEGIN")
        MIGRATIONS.ensure_migrations_table(database)
        for name in migrations:
            steps[name](database)
        return read_schema(connection)


@cache
def known_migrations() -> frozenset[str]:
    """The names of the migrations that this version of the program has."""
    with closing(Database(memory=True, execute_plugins=False)) as empty:
        return frozenset(migration.name for migration in MIGRATIONS.pending(empty))


def list_changes(schema: Schema, migrations: Sequence[str]) -> list[str]:
    """What somebody else added, changed or removed, a clause each: empty when it is the schema that the migrations make."""
    expected = expected_schema(tuple(migrations))
    of_sqlite = {key: f"{key[1]}: {_normalised(sql)}" for key, sql in _OF_SQLITE.items()}
    changes = []
    for key in sorted(schema.keys() | expected.keys()):
        actual, wanted = schema.get(key), expected.get(key)
        if actual == wanted or (wanted is None and actual == of_sqlite.get(key)):
            continue
        verb = "was removed" if actual is None else "was added" if wanted is None else "was changed"
        changes.append(f"{key[0]} “{_readable(key[1])}” {verb}")
    return changes


@lru_cache(maxsize=2000)
def _normalised(sql: str) -> str:
    """Without comments, white space and quotes around names: versions of SQLite and sqlite-utils write these differently."""
    parts = (match for match in _PARTS_OF_SQL.finditer(sql) if match.lastgroup != "comment")
    return " ".join(match[match.lastgroup or 0] for match in parts)


def _readable(name: str) -> str:
    shown = "".join(letter if letter.isprintable() else " " for letter in name)
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[:_LONGEST_NAME]}…"
