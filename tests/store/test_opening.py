"""What is opened and what is refused: emptied files, logs without a database, interrupted beginnings."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from annotator.cli.main import run
from annotator.errors import StoreError
from annotator.files import remove_dead_parts
from annotator.store import open_store
from annotator.store.connection.database import Database
from annotator.store.people import add_user, list_users
from annotator.store.schema.migrations import MIGRATIONS

posix = pytest.mark.skipif(os.name != "posix", reason="signals and links of POSIX")


@pytest.mark.parametrize("creates", [False, True])
def test_an_emptied_database_is_refused_and_not_filled_anew(creates: bool, database: Path) -> None:
    database.touch()
    with pytest.raises(StoreError, match=r"is empty \(0 bytes\).*'annotator restore BACKUP'.*remove the file"):
        open_store(database, create=creates)
    assert database.stat().st_size == 0
    assert [path.name for path in database.parent.iterdir()] == [database.name]


@pytest.mark.parametrize(
    "words",
    [
        ("check",), ("stats", "--project", "P"), ("user", "list"), ("backup", "copy.db"), ("serve", "--port", "0"),
        ("project", "create", "P", "--task", "sentiment", "--labels", "a,b"), ("user", "add", "ann", "--role", "administrator"),
        ("demo", "--port", "0", "--no-browser"),
    ],
)  # fmt: skip
def test_every_command_says_what_to_do_with_an_emptied_database(
    words: Sequence[str], database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database.touch()
    assert run(["--db", str(database), *words]) == 1
    assert (
        "Bring back a backup with 'annotator restore BACKUP'; or, if there never was anything in it, remove the file."
        in capsys.readouterr().err
    )
    assert database.stat().st_size == 0


def test_an_emptied_database_keeps_its_log_which_sqlite_would_remove(database: Path) -> None:
    database.touch()
    log = database.with_name(database.name + "-wal")
    log.write_bytes(b"what was stored last")
    with pytest.raises(StoreError, match="is empty"):
        open_store(database)
    assert log.read_bytes() == b"what was stored last"


def test_a_log_without_its_database_is_not_played_into_a_new_one(database: Path) -> None:
    log = database.with_name(database.name + "-wal")
    log.write_bytes(b"what was stored last")
    for creates in (False, True):
        with pytest.raises(StoreError, match="no database at .*but its log is there.*may hold the last work"):
            open_store(database, create=creates)
    assert not database.exists()


def test_a_database_without_tables_is_refused_and_stays_without(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    with pytest.raises(StoreError, match="is a database without any table.*'annotator restore BACKUP'"):
        open_store(database, create=True)
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_schema").fetchone() == (0,)


def test_where_a_copy_was_saved_no_empty_database_is_made(database: Path) -> None:
    copy = database.with_name(f"{database.name}.20261122-101500.rescued")
    copy.write_bytes(b"everything")
    with pytest.raises(StoreError, match="was copied to .*rescued'.*To begin anew, move the copy elsewhere"):
        open_store(database, create=True)
    copy.rename(database.with_name("elsewhere"))
    open_store(database, create=True).close()


def test_a_missing_database_is_said_with_what_makes_or_brings_one(database: Path) -> None:
    with pytest.raises(StoreError, match="'annotator project create' or 'annotator demo'.*'annotator restore BACKUP'"):
        open_store(database)


def create_and_be_killed(path: Path, at: int) -> bool:
    """Make a database in a process that is killed before its step number `at`; False when it had fewer steps."""
    child = os.fork()
    if child == 0:
        n_steps = 0

        def count(event: str, _: tuple[object, ...]) -> None:
            nonlocal n_steps
            if event in {
                "os.link",
                "os.rename",
                "os.remove",
                "os.mkdir",
                "os.rmdir",
                "os.chmod",
                "open",
                "sqlite3.connect",
            }:
                n_steps += 1
                if n_steps == at:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        try:
            open_store(path, create=True)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@posix
@pytest.mark.slow
def test_a_creation_that_is_killed_at_any_step_leaves_nothing_or_a_whole_database(tmp_path: Path) -> None:
    at, was_killed, states = 0, True, []
    while was_killed:
        at += 1
        path = tmp_path / str(at) / "annotator.db"
        path.parent.mkdir()
        was_killed = create_and_be_killed(path, at)
        states.append(path.exists())
        with open_store(path, create=not path.exists()) as store:
            assert store.problems() == []
            assert list_users(store) == []
        remove_dead_parts(path.parent)
        assert [left.name for left in path.parent.iterdir()] == ["annotator.db"]
    assert {False, True} == set(states)


@posix
def test_two_processes_that_make_it_at_once_get_the_same_one(database: Path) -> None:
    code = f"""
import sys
from annotator.store import open_store
from annotator.store.people import add_user
sys.stdin.readline()
with open_store({str(database)!r}, create=True) as store, store.transaction():
    add_user(store, sys.argv[1])
"""
    processes = [
        subprocess.Popen([sys.executable, "-c", code, f"person {n}"], stdin=subprocess.PIPE, text=True)
        for n in range(4)
    ]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        process.communicate(timeout=60)
    assert [process.returncode for process in processes] == [0, 0, 0, 0]
    with open_store(database) as store:
        assert len(list_users(store)) == 4


@posix
def test_a_link_leads_to_the_same_database_with_the_same_log(database: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    with open_store(database, create=True) as store:
        link.symlink_to(database)
        with open_store(link) as other, other.transaction():
            add_user(other, "ann")
            assert other.path == store.path
        assert [user.name for user in list_users(store)] == ["ann"]


def old_database(path: Path) -> None:
    old = Database(path)
    MIGRATIONS.apply(old, stop_before="m002_reviewing")
    old.close()


def test_a_migration_that_fails_at_once_leaves_no_backup_behind(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old_database(database)

    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("annotator.store.connection.opening.bring_up_to_date", fail)
    for _ in range(2):
        with pytest.raises(StoreError, match=r"is full; nothing was stored\."):
            open_store(database)
    assert [path.name for path in database.parent.iterdir()] == [database.name]


def test_migrations_of_one_second_have_backups_of_their_own(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old_database(database)
    (database.parent / "taken").mkdir()
    open_store(database).close()
    [first] = database.parent.glob("*.backup")
    database.unlink()
    old_database(database)
    open_store(database).close()
    assert len(list(database.parent.glob("*.backup"))) == 2
    assert first.exists()


def test_a_server_or_command_that_ends_leaves_only_the_database(database: Path) -> None:
    with open_store(database, create=True) as store, store.transaction():
        add_user(store, "ann")
        assert sorted(path.name for path in database.parent.iterdir()) == [
            "test.db", "test.db-lock", "test.db-shm", "test.db-wal",
        ]  # fmt: skip
    assert [path.name for path in database.parent.iterdir()] == ["test.db"]
