"""Bringing back a backup: after a killed server, refused while somebody is there, and killed itself at every step."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from annotator.cli.main import run
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.errors import NotAllowed, StoreError
from annotator.store import open_store
from annotator.store.connection.database import Database
from annotator.store.people import add_user, list_users
from annotator.store.schema.migrations import MIGRATIONS
from annotator.usecases.restoration import restore
from annotator.usecases.upkeep import back_up, check

posix = pytest.mark.skipif(os.name != "posix", reason="locks and signals of POSIX")


def make(path: Path, *names: str) -> None:
    with open_store(path, create=True) as store, store.transaction():
        for name in names:
            add_user(store, name)


def names_in(path: Path) -> set[str]:
    with open_store(path) as store:
        assert (store.problems(), check(store)) == ([], [])
        return {user.name for user in list_users(store)}


def leave_in_log(path: Path, name: str) -> None:
    """What a server leaves that is killed after it acknowledged something."""
    code = f"""
import os, signal
from annotator.store import open_store
from annotator.store.people import add_user
store = open_store({str(path)!r})
with store.transaction():
    add_user(store, {name!r})
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL


@contextmanager
def opened_elsewhere(path: Path, how: str = "from annotator.store import open_store; store = open_store({path!r})"):
    """Another process that has the database open, and is killed at the end."""
    code = how.format(path=str(path)) + "\nprint('open', flush=True)\nimport time\ntime.sleep(600)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "open\n"
        yield
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def files_in(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-shm", "-lock"))
    }


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database in a place of its own, and with a backup of another one."""
    folder = tmp_path_factory.mktemp("prepared")
    path = folder / "place" / "annotator.db"
    path.parent.mkdir()
    make(path, "in the file")
    if os.name == "posix":
        leave_in_log(path, "in the log")
    source = folder / "source.db"
    make(source, "in the backup", *(f"person {n}" for n in range(50)))
    with open_store(source) as store:
        back_up(store, LOCAL_OPERATOR, folder / "backup.db")
    return folder


@pytest.fixture
def database(tmp_path: Path, prepared: Path) -> Path:
    """A database with somebody in the file and somebody in the log that a killed server left."""
    return Path(shutil.copytree(prepared / "place", tmp_path / "place")) / "annotator.db"


@pytest.fixture
def backup(tmp_path: Path, prepared: Path) -> Path:
    return Path(shutil.copy2(prepared / "backup.db", tmp_path))


@posix
def test_the_log_of_a_killed_server_is_not_played_into_the_backup(database: Path, backup: Path) -> None:
    assert database.with_name("annotator.db-wal").stat().st_size > 0
    restore(database, LOCAL_OPERATOR, backup)
    assert "in the backup" in names_in(database)
    assert not {"in the file", "in the log"} & names_in(database)


@posix
def test_what_was_there_is_kept_byte_for_byte_with_its_log_and_opens(database: Path, backup: Path) -> None:
    before = files_in(database.parent)
    done = restore(database, LOCAL_OPERATOR, backup)
    assert done.kept is not None
    assert done.kept.read_bytes() == before["annotator.db"]
    assert done.kept.with_name(done.kept.name + "-wal").read_bytes() == before["annotator.db-wal"]
    assert names_in(done.kept) == {"in the file", "in the log"}


def test_what_was_kept_can_be_brought_back_with_its_log(database: Path, backup: Path) -> None:
    before = {"in the file", "in the log"} if os.name == "posix" else {"in the file"}
    kept = restore(database, LOCAL_OPERATOR, backup).kept
    assert kept is not None
    restore(database, LOCAL_OPERATOR, kept)
    assert names_in(database) == before


def test_two_restores_in_one_second_keep_both(database: Path, backup: Path) -> None:
    kept = [restore(database, LOCAL_OPERATOR, backup).kept for _ in range(3)]
    assert len(set(kept)) == 3
    assert all(path is not None and path.exists() for path in kept)


def test_a_restore_is_written_down_in_what_was_restored(database: Path, backup: Path) -> None:
    kept = restore(database, LOCAL_OPERATOR, backup).kept
    assert kept is not None
    with open_store(database) as store:
        row = store.row("SELECT actor, action, subject, detail FROM events ORDER BY id DESC")
    assert tuple(row)[:3] == ("local operator", "restore", "database")
    assert json.loads(row["detail"]) == {"file": "backup.db", "kept": kept.name}


def test_a_backup_goes_where_no_database_is(tmp_path: Path, backup: Path) -> None:
    done = restore(tmp_path / "new.db", LOCAL_OPERATOR, backup)
    assert done.kept is None
    assert "in the backup" in names_in(tmp_path / "new.db")


@posix
def test_a_backup_beside_its_own_database_is_not_put_in_the_place_of_another(tmp_path: Path) -> None:
    mine = tmp_path / "mine.db"
    make(mine, "ann")
    copy = tmp_path / "mine.db.20261128-131641.backup"
    with open_store(mine) as store:
        back_up(store, LOCAL_OPERATOR, copy)
    with pytest.raises(StoreError, match=r"is a backup of '.*mine\.db', which stands beside it"):
        restore(tmp_path / "annotator.db", LOCAL_OPERATOR, copy)
    assert not (tmp_path / "annotator.db").exists()
    restore(mine, LOCAL_OPERATOR, copy)
    assert names_in(mine) == {"ann"}


def test_a_log_without_its_database_is_kept_too(database: Path, backup: Path) -> None:
    log = database.with_name("annotator.db-wal").read_bytes()
    database.unlink()
    kept = restore(database, LOCAL_OPERATOR, backup).kept
    assert kept is not None
    assert kept.with_name(kept.name + "-wal").read_bytes() == log
    assert "in the backup" in names_in(database)


@posix
def test_a_link_to_a_backup_brings_the_log_that_lies_beside_the_file(database: Path, tmp_path: Path) -> None:
    source = tmp_path / "elsewhere" / "source.db"
    source.parent.mkdir()
    make(source, "in the backup")
    leave_in_log(source, "in its log")
    (tmp_path / "link.db").symlink_to(source)
    restore(database, LOCAL_OPERATOR, tmp_path / "link.db")
    assert names_in(database) == {"in the backup", "in its log"}
    assert source.with_name("source.db-wal").stat().st_size > 0, "the backup itself is only read"


def test_the_backup_itself_stays_as_it_was(database: Path, backup: Path) -> None:
    before = backup.read_bytes()
    restore(database, LOCAL_OPERATOR, backup)
    assert backup.read_bytes() == before
    assert sorted(path.name for path in backup.parent.iterdir() if path.name.startswith("backup.db")) == ["backup.db"]


@posix
def test_a_damaged_database_is_replaced_and_kept(database: Path, backup: Path) -> None:
    for damage in (b"", b"no database at all\n" * 400):
        database.write_bytes(damage)
        kept = restore(database, LOCAL_OPERATOR, backup).kept
        assert kept is not None
        assert kept.read_bytes() == damage
        assert "in the backup" in names_in(database)


# --- who else is there ------------------------------------------------------------------------------------------------


@posix
@pytest.mark.parametrize(
    "how",
    [
        "from annotator.store import open_store; store = open_store({path!r})",  # a server, a worker, a command, a notebook
        "import sqlite3; other = sqlite3.connect({path!r}); other.execute('SELECT count(*) FROM users').fetchall()",  # not ours
    ],
)
def test_nothing_is_replaced_while_somebody_has_it_open_and_everything_after_kill_9(
    how: str, database: Path, backup: Path
) -> None:
    with opened_elsewhere(database, how):
        before = files_in(database.parent)
        with pytest.raises(
            StoreError, match="is in use: a server, another command or another program.*Stop the server"
        ):
            restore(database, LOCAL_OPERATOR, backup)
        assert files_in(database.parent) == before
    restore(database, LOCAL_OPERATOR, backup)
    assert "in the backup" in names_in(database)


@posix
def test_a_lock_that_a_killed_process_left_blocks_nobody(database: Path, backup: Path) -> None:
    database.with_name("annotator.db-lock").touch()
    restore(database, LOCAL_OPERATOR, backup)
    assert not database.with_name("annotator.db-lock").exists()


def test_a_connection_of_the_same_process_is_somebody_too(database: Path, backup: Path) -> None:
    with open_store(database) as store:
        with pytest.raises(StoreError, match="is in use"):
            restore(database, LOCAL_OPERATOR, backup)
        with store.transaction():
            add_user(store, "still writing")
    assert "still writing" in names_in(database)


@posix
def test_a_live_database_is_no_backup(database: Path, backup: Path) -> None:
    said = pytest.raises(StoreError, match="in use by a server.*Make a backup of it with 'annotator backup'")
    with opened_elsewhere(backup), said:
        restore(database, LOCAL_OPERATOR, backup)
    assert names_in(database) == {"in the file", "in the log"}


@posix
def test_who_opens_the_database_while_it_is_replaced_waits_and_gets_the_new_one(
    database: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one begins while the lock is held, and ends with what lies in the place then."""
    code = (
        f"from annotator.store import open_store\nprint('began', flush=True)\nstore = open_store({str(database)!r})\n"
    )
    code += "print([row['name'] for row in store.rows('SELECT name FROM users')])"
    started: list[subprocess.Popen[str]] = []

    def begin_another(*_: object) -> list[str]:
        started.append(subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True))
        assert started[0].stdout.readline() == "began\n"
        return []

    monkeypatch.setattr("annotator.usecases.restoration.check", begin_another)
    restore(database, LOCAL_OPERATOR, backup)
    assert "in the backup" in started[0].communicate(timeout=60)[0]
    assert started[0].returncode == 0


# --- what is no backup ------------------------------------------------------------------------------------------------


def damaged(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[8192:12288] = os.urandom(4096)
    path.write_bytes(content)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def of_a_newer_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES ('annotator', 'm999', 'x')"
        )


def of_another_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")


def no_database(path: Path) -> None:
    path.write_text("my notes\n" * 1000)


def missing(path: Path) -> None:
    path.unlink()


def with_a_wrong_count(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO assignment_counts VALUES (1, 1, 'leased', 3)")


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (damaged, "backup.db' is (damaged|not in order)"),
        (emptied, r"backup.db' is empty \(0 bytes\): it is not a backup"),
        (of_a_newer_version, r"backup.db' was made by a newer version of this program \(it knows m999\)"),
        (of_another_program, r"backup.db' is a database of another program \(tables recipes\)"),
        (no_database, "isn't an SQLite database. Choose another, or restore a backup."),
        (missing, "There is no backup at .*backup.db"),
        (with_a_wrong_count, "is not in order, so nothing was changed.*--anyway:\n  (table|The count of)"),
    ],
)
def test_what_is_no_good_backup_is_refused_and_changes_nothing(
    spoil: Callable[[Path], None], sentence: str, database: Path, backup: Path
) -> None:
    spoil(backup)
    before = files_in(database.parent)
    with pytest.raises(StoreError, match=sentence):
        restore(database, LOCAL_OPERATOR, backup)
    assert files_in(database.parent) == before


def test_the_only_backup_there_is_can_be_taken_with_its_problems(database: Path, backup: Path) -> None:
    with_a_wrong_count(backup)
    done = restore(database, LOCAL_OPERATOR, backup, anyway=True)
    assert done.problems
    with open_store(database) as store:
        assert "in the backup" in {user.name for user in list_users(store)}


def test_a_database_is_not_restored_onto_itself_whatever_it_is_called(database: Path) -> None:
    other = database.with_name("other name.db")
    os.link(database, other)
    for name in (database, other, database.parent / "." / database.name):
        with pytest.raises(StoreError, match="is the database itself. Give the backup"):
            restore(database, LOCAL_OPERATOR, name)


def test_there_must_be_a_folder_for_it(tmp_path: Path, backup: Path) -> None:
    for place in (tmp_path / "nowhere" / "annotator.db", tmp_path):
        with pytest.raises(StoreError, match="There can be no database at .*name a file in a folder that is there"):
            restore(place, LOCAL_OPERATOR, backup)


def test_only_an_administrator_restores(database: Path, backup: Path) -> None:
    before = files_in(database.parent)
    with pytest.raises(NotAllowed, match=r"Ask an administrator to do this\."):
        restore(database, User(1, "ann"), backup)
    assert files_in(database.parent) == before


def test_a_full_disk_changes_nothing(database: Path, backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fill(*_: object) -> None:
        raise OSError(28, "No space left on device")

    before = files_in(database.parent)
    monkeypatch.setattr("annotator.store.connection.restoration.shutil.copyfile", fill)
    with pytest.raises(StoreError, match=r"is full; nothing was stored\."):
        restore(database, LOCAL_OPERATOR, backup)
    assert files_in(database.parent) == before


# --- older ones, and models -------------------------------------------------------------------------------------------


def test_an_older_backup_is_brought_up_to_date_and_that_is_said(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = Database(tmp_path / "old.db")
    MIGRATIONS.apply(old, stop_before="m002_reviewing")
    old.conn.execute("INSERT INTO users VALUES (1, 'from long ago', NULL, 0, 0, '2026-11-01T00:00:00.000Z')")
    old.conn.commit()
    old.close()
    before = (tmp_path / "old.db").read_bytes()
    assert run(["--db", str(database), "restore", str(tmp_path / "old.db")]) == 0
    assert "is of an older version; its copy was brought up to date (m002_reviewing," in capsys.readouterr().out
    assert names_in(database) == {"from long ago"}
    assert (tmp_path / "old.db").read_bytes() == before
    assert not list(database.parent.glob("*.backup"))


def save_model(database: Path, name: str, digest: str) -> None:
    """What a training leaves beside a database, as far as anybody looks at it here."""
    folder = database.with_name(database.name + ".models") / "1" / name
    (folder / digest).mkdir(parents=True)
    (folder / "current.json").write_text(json.dumps({"digest": digest}))


def note_training(path: Path, name: str, digest: str) -> None:
    with open_store(path) as store, store.transaction():
        store.run(
            """INSERT OR IGNORE INTO projects (id, name, task, segments, result_kind, labels, language, settings, guidelines, question,
                licence, citation, created_at) VALUES (1, 'P', 'sentiment', '[{"name": "text", "title": "Text"}]', 'label',
                '["no", "yes"]', 'en', '{}', '', '', '', '', '2026-11-01T00:00:00.000Z')"""
        )
        store.run(
            """INSERT INTO events (at, actor, action, project_id, subject, subject_id, detail)
                VALUES ('2026-11-01T00:00:00.000Z', 'x', 'train model', 1, 'project', 1, ?)""",
            (json.dumps({"model": name, "digest": digest}),),
        )


def test_models_stay_with_the_data_that_they_were_trained_on(database: Path, backup: Path) -> None:
    note_training(backup, "same", "aa")
    note_training(backup, "older", "bb")
    save_model(database, "same", "aa")
    save_model(database, "older", "cc")  # trained again since the backup
    kept = restore(database, LOCAL_OPERATOR, backup).kept
    assert kept is not None
    models = database.with_name("annotator.db.models") / "1"
    assert sorted(path.name for path in models.iterdir()) == ["same"]
    assert sorted(path.name for path in (kept.with_name(kept.name + ".models") / "1").iterdir()) == ["older", "same"]
    restore(database, LOCAL_OPERATOR, kept)
    assert not models.exists()  # of what is there now nothing was trained, as far as it knows


def test_no_folder_for_models_is_left_where_there_are_none(database: Path, backup: Path) -> None:
    restore(database, LOCAL_OPERATOR, backup)
    assert not [path.name for path in database.parent.iterdir() if path.is_dir()]


# --- killed at every step ---------------------------------------------------------------------------------------------

_STEPS = frozenset(
    {"os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.utime", "os.chmod", "open", "shutil.copyfile"}
)


def restore_and_be_killed(database: Path, backup: Path, at: int) -> bool:
    """Restore in a process of its own that is killed before its step number `at`; False when it had fewer steps."""
    child = os.fork()
    if child == 0:
        n_steps = 0

        def count(event: str, _: tuple[object, ...]) -> None:
            nonlocal n_steps
            if event in _STEPS:
                n_steps += 1
                if n_steps == at:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        try:
            restore(database, LOCAL_OPERATOR, backup)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@posix
@pytest.mark.slow
def test_a_restore_that_is_killed_at_any_step_leaves_the_old_database_or_the_new_one(
    database: Path, backup: Path, tmp_path: Path
) -> None:
    note_training(backup, "same", "aa")
    save_model(database, "same", "aa")
    old, new = {"in the file", "in the log"}, names_in(backup)
    seen: list[str] = []
    at = 0
    was_killed = True
    while was_killed:
        at += 1
        place = tmp_path / f"killed-{at}" / "annotator.db"
        shutil.copytree(database.parent, place.parent, copy_function=shutil.copyfile)
        was_killed = restore_and_be_killed(place, backup, at)
        assert place.exists(), f"nothing is there after a kill at step {at}"
        found = names_in(place)
        assert found in (old, new), f"neither is there after a kill at step {at}"
        kept = list(place.parent.glob("*.replaced"))
        if found == new:
            assert [names_in(path) for path in kept] == [old], f"what was there is gone after a kill at step {at}"
        assert (place.parent / "annotator.db.models" / "1" / "same" / "aa").is_dir()
        seen.append("new" if found == new else "old")
        restore(place, LOCAL_OPERATOR, backup)  # whatever was left, the next one works and clears up
        assert names_in(place) == new
        assert not [path.name for path in place.parent.iterdir() if "part" in path.name or "-restored" in path.name]
        shutil.rmtree(place.parent)
    assert seen.index("new") > 5
    assert set(seen[seen.index("new") :]) == {"new"}
    assert at > 20


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_says_what_it_did(database: Path, backup: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--db", str(database), "restore", str(backup), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["bytes"] == database.stat().st_size
    assert Path(told.pop("kept")).is_file()
    assert told | {"bytes": 0} == {
        "database": str(database), "backup": str(backup), "bytes": 0, "migrations": [], "problems": [],
        "removed_again": 0, "removed_by_earlier_versions": 0,
    }  # fmt: skip
    assert run(["--db", str(database), "restore", str(backup)]) == 0
    said = capsys.readouterr().out
    assert f"Restored {database} from {backup}" in said
    assert "The old files are kept in" in said


def test_the_command_refuses_in_a_sentence(database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--db", str(database), "restore", "nowhere.db"]) == 1
    assert "There is no backup at 'nowhere.db'." in capsys.readouterr().err
