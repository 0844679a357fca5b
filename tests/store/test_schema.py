"""What somebody else put into a database's schema is refused by name, and nothing of it runs."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from annotator.cli.main import run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.errors import StoreError
from annotator.store import open_store
from annotator.store.connection import opening
from annotator.store.connection.database import Database
from annotator.store.people import add_user, list_users
from annotator.store.schema.comparison import MIGRATIONS_TABLE, known_migrations, list_changes, read_schema
from annotator.store.schema.migrations import MIGRATIONS
from annotator.usecases.restoration import restore
from annotator.usecases.upkeep import check

# What is done to a database, what is said of it, and why it matters.
STRANGE = [
    ("CREATE TRIGGER steal AFTER INSERT ON users BEGIN DELETE FROM users; END", "trigger “steal” was added", "fires with a use"),
    (
        "CREATE TRIGGER early AFTER INSERT ON _sqlite_migrations BEGIN DELETE FROM users; END",
        "trigger “early” was added",
        "fires with a migration",
    ),
    ("DROP TRIGGER events_are_not_deleted", "trigger “events_are_not_deleted” was removed", "the record could shrink"),
    (
        "DROP TRIGGER events_are_not_deleted; "
        "CREATE TRIGGER events_are_not_deleted BEFORE DELETE ON events BEGIN SELECT 1; END",
        "trigger “events_are_not_deleted” was changed",
        "an old name with another body",
    ),
    ("CREATE VIEW everybody AS SELECT * FROM users", "view “everybody” was added", "runs where it is read"),
    (
        "ALTER TABLE word_lists RENAME TO hidden; CREATE VIEW word_lists AS SELECT * FROM hidden",
        "table “word_lists” was removed",
        "a view in the place of a table",
    ),
    ("CREATE TABLE notes (text TEXT)", "table “notes” was added", "of another program"),
    ("CREATE VIRTUAL TABLE found USING fts5 (text)", "table “found” was added", "a virtual table has code behind it"),
    ("ALTER TABLE users ADD COLUMN mail TEXT", "table “users” was changed", "a column more"),
    ("ALTER TABLE drafts DROP COLUMN unlocked", "table “drafts” was changed", "a column less"),
    ("CREATE INDEX mine ON users (created_at)", "index “mine” was added", "an index computes when rows are written"),
    ("DROP INDEX sessions_by_user", "index “sessions_by_user” was removed", "without it a screen takes seconds"),
]  # fmt: skip


def migrated(path: Path, *, stop_before: str | None = None) -> None:
    with closing(Database(path)) as database:
        database.execute("PRAGMA synchronous = OFF")
        MIGRATIONS.apply(database, stop_before=stop_before)
        database.execute("INSERT INTO users (name, created_at) VALUES ('ann', '2026-11-01T00:00:00.000Z')")
        database.conn.commit()


def change(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


@pytest.fixture
def made(tmp_path: Path) -> Path:
    path = tmp_path / "made.db"
    migrated(path)
    return path


@pytest.mark.parametrize(("script", "clause"), [case[:2] for case in STRANGE])
@pytest.mark.parametrize("stop_before", [None, "m030_crowd_doors"])
def test_every_kind_of_object_of_somebody_else_is_refused_by_name_and_the_file_stays_as_it_is(
    script: str, clause: str, stop_before: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "old.db"
    migrated(path, stop_before=stop_before)
    change(path, script)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="was changed by another program.*Undo that.*or use a backup") as refusal:
        open_store(path)
    assert clause in str(refusal.value)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["old.db"]


@pytest.mark.parametrize("words", [("check",), ("user", "list"), ("backup", "copy.db"), ("serve", "--port", "0")])
def test_every_command_refuses_it(words: tuple[str, ...], made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(made, STRANGE[0][0])
    assert run(["--db", str(made), *words]) == 1
    assert "trigger “steal” was added" in capsys.readouterr().err


@pytest.mark.parametrize("anyway", [False, True])
def test_a_backup_with_a_trigger_is_not_restored_even_anyway(anyway: bool, made: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    migrated(backup, stop_before="m030_crowd_doors")
    change(backup, STRANGE[1][0])
    before = made.read_bytes()
    with pytest.raises(StoreError, match=r"backup.db' was changed by another program: trigger “early” was added\."):
        restore(made, LOCAL_OPERATOR, backup, anyway=anyway)
    assert made.read_bytes() == before


def test_a_view_in_the_place_of_the_list_of_migrations_is_not_read(made: Path) -> None:
    change(made, "ALTER TABLE _sqlite_migrations RENAME TO hidden")
    endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS name FROM n"
    change(made, f"CREATE VIEW _sqlite_migrations AS {endless}")
    with pytest.raises(StoreError, match="database of another program"):
        open_store(made)


def test_a_trigger_that_comes_while_a_server_runs_is_refused_at_the_next_opening(made: Path) -> None:
    with open_store(made):
        change(made, STRANGE[0][0])
        with pytest.raises(StoreError, match="trigger “steal” was added"):
            open_store(made)


def test_many_changes_are_counted_and_their_names_shortened(made: Path) -> None:
    change(made, "".join(f'CREATE VIEW "{n}\n{"x" * 100}" AS SELECT 1;' for n in range(7)))
    with pytest.raises(StoreError, match=f"view “0 {'x' * 58}…” was added, .* and 2 more"):
        open_store(made)


@pytest.mark.parametrize("stop_before", [*sorted(known_migrations())[1:], None])
def test_a_database_of_every_version_is_brought_up_to_date(stop_before: str | None, tmp_path: Path) -> None:
    migrated(tmp_path / "old.db", stop_before=stop_before)
    with open_store(tmp_path / "old.db") as store:
        assert [user.name for user in list_users(store)] == ["ann"]
        assert (store.problems(), check(store)) == ([], [])


@pytest.mark.parametrize(
    "script",
    [
        "ANALYZE",
        "VACUUM",
        "PRAGMA optimize",
        'PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, "CREATE TABLE users (", \'CREATE TABLE "users"  (\')',
    ],
)
def test_what_sqlite_makes_for_itself_and_how_it_writes_names_is_no_change(script: str, made: Path) -> None:
    change(made, script)
    with open_store(made) as store:
        assert [user.name for user in list_users(store)] == ["ann"]


def test_text_within_quotes_is_compared_letter_by_letter(made: Path) -> None:
    change(made, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '''en''', ''' en''')")
    with pytest.raises(StoreError, match="table “users” was changed"):
        open_store(made)


def test_the_schema_is_compared_once_for_each_process_and_version(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    n_compared = 0
    compare: Callable[..., list[str]] = list_changes

    def count(*arguments: object) -> list[str]:
        nonlocal n_compared
        n_compared += 1
        return compare(*arguments)

    monkeypatch.setattr(opening, "list_changes", count)
    for _ in range(5):
        with open_store(made) as store, store.transaction():
            add_user(store, f"person {store.value('SELECT count(*) FROM users')}")
    assert n_compared == 1


def test_a_new_database_has_the_schema_of_its_version(database: Path) -> None:
    with open_store(database, create=True) as store:
        applied = [migration.name for migration in MIGRATIONS.applied(store.db)]
        assert list_changes(read_schema(store.connection), applied) == []


def test_every_object_of_the_schema_is_missed_when_it_is_gone_and_noticed_when_it_is_another() -> None:
    """Each trigger, index and table there is, one after the other: a new one is tried without a new line here."""
    applied = tuple(sorted(known_migrations()))
    unnoticed = []
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        MIGRATIONS.apply(Database(connection))
        objects = list(connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
        for kind, name, sql in objects:
            if (kind, name) == MIGRATIONS_TABLE:
                continue  # without it a database is of another program
            others = [f"DROP {kind} {name}"]
            if kind == "table":
                others.append(f"ALTER TABLE {name} ADD COLUMN mine TEXT")
            if kind == "trigger":
                others.append(f"DROP TRIGGER {name}; {sql.replace('BEGIN', 'BEGIN SELECT 1;', 1)}")
            for other in others:
                connection.execute("SAVEPOINT tried")
                for statement in other.split("; ", 1) if kind == "trigger" else [other]:
                    connection.execute(statement)
                if not any(f"{kind} “{name}”" in change for change in list_changes(read_schema(connection), applied)):
                    unnoticed.append(other)
                connection.execute("ROLLBACK TO tried")
        assert list_changes(read_schema(connection), applied) == []
    assert len(objects) > 100
    assert unnoticed == []
