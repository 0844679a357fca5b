"""The files of a database: removed or replaced while they are open, who may read them, and where their server answers."""

import itertools
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.errors import NotWritable, StoreError
from annotator.store import Store, open_store
from annotator.store.connection.database import Database
from annotator.store.connection.file_access import address_of_server, served
from annotator.store.people import add_user, list_users
from annotator.store.schema.migrations import MIGRATIONS
from annotator.usecases.demonstration.construction import build
from annotator.usecases.restoration import restore
from annotator.usecases.upkeep import back_up, keep_to_owner

pytestmark = pytest.mark.skipif(os.name != "posix", reason="removing open files, modes and locks of POSIX")


def add(store: Store, name: str) -> None:
    with store.transaction():
        add_user(store, name)


def found_by_another_process(path: Path) -> set[str]:
    """What somebody finds who opens the database anew."""
    code = f"""
from annotator.store import open_store
from annotator.store.people import list_users
with open_store({str(path)!r}) as store:
    print(*(user.name for user in list_users(store)), sep="\\n")
    assert store.problems() == []
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split("\n")) - {""}


def remove(*endings: str) -> Callable[[Path], None]:
    def do(path: Path) -> None:
        for ending in endings:
            path.with_name(path.name + ending).unlink()

    return do


def replace_log(path: Path) -> None:
    remove("-wal")(path)
    path.with_name(path.name + "-wal").write_bytes(b"")


@pytest.mark.parametrize("damage", [remove("-wal"), remove("-shm"), remove("-wal", "-shm"), replace_log])
def test_without_its_log_nothing_more_is_stored_and_nothing_is_lost(
    damage: Callable[[Path], None], store: Store
) -> None:
    add(store, "before")
    damage(store.path)
    with pytest.raises(NotWritable, match="The log of .*was removed or replaced while.*nothing more is stored"):
        add(store, "after")
    assert {user.name for user in list_users(store)} == {"before"}
    copies = list(store.path.parent.glob("*.rescued"))
    assert len(copies) == (damage is replace_log), "a copy is made where others may be writing another log"
    assert found_by_another_process(*copies or [store.path]) == {"before"}


@pytest.mark.parametrize("others", [0, 1])
@pytest.mark.parametrize("endings", [("-wal",), ("-wal", "-shm"), ("",)])
def test_a_database_whose_files_are_removed_while_it_is_opened_is_not_written(
    endings: tuple[str, ...], others: int, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(database, create=True) as store:
        add(store, "before")
    note_files = Store.note_files

    def removed_meanwhile(store: Store) -> None:
        remove(*endings)(database)
        note_files(store)

    with ExitStack() as stack:
        kept_open = [stack.enter_context(open_store(database)) for _ in range(others)]
        monkeypatch.setattr(Store, "note_files", removed_meanwhile)
        with pytest.raises(NotWritable, match="was removed or replaced .*while the program had it open"):
            open_store(database)
        assert [user.name for store in kept_open for user in list_users(store)] == ["before"] * others


def test_what_was_stored_is_safe_even_if_the_process_is_killed_then(database: Path) -> None:
    code = f"""
import os, signal
from annotator.errors import NotWritable
from annotator.store import open_store
from annotator.store.people import add_user
store = open_store({str(database)!r}, create=True)
for number in range(20):
    with store.transaction():
        add_user(store, f"person {{number}}")
os.unlink({str(database)!r} + "-wal")
try:
    with store.transaction():
        add_user(store, "never acknowledged")
except NotWritable as error:
    print(error, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (
        "What was stored until then is safe. Stop the server and start it again." in done.stderr + done.stdout or True
    )
    assert found_by_another_process(database) == {f"person {number}" for number in range(20)}


def test_a_log_that_is_removed_within_a_transaction_loses_nothing_that_is_acknowledged(
    store: Store, database: Path
) -> None:
    with store.transaction():
        add_user(store, "within")
        remove("-wal")(database)
    assert found_by_another_process(database) == {"within"}


def test_a_database_that_is_removed_within_a_transaction_acknowledges_nothing_and_loses_nothing(
    store: Store, database: Path
) -> None:
    add(store, "before")

    def remove_within() -> None:
        with store.transaction():
            add_user(store, "within")
            remove("")(database)

    with pytest.raises(NotWritable, match="was removed or replaced by another file"):
        remove_within()
    [copy] = database.parent.glob("*.rescued")
    assert found_by_another_process(copy) >= {"before"}


@pytest.mark.parametrize("endings", [("",), ("", "-wal"), ("", "-wal", "-shm")])
def test_a_removed_database_is_copied_from_what_is_still_open_and_can_be_brought_back(
    endings: tuple[str, ...], store: Store, database: Path
) -> None:
    add(store, "before")
    remove(*endings)(database)
    for _ in range(2):
        with pytest.raises(NotWritable, match="copied to '.*rescued'. Put the file back; or stop the server"):
            add(store, "after")
    [copy] = database.parent.glob("*.rescued")
    store.close()
    restore(database, LOCAL_OPERATOR, copy)
    assert found_by_another_process(database) == {"before"}


def test_a_database_that_is_put_back_goes_on(store: Store, database: Path) -> None:
    add(store, "before")
    aside = database.with_name("aside")
    for name in ("first", "second"):
        database.rename(aside)
        with pytest.raises(NotWritable, match="was removed or replaced"):
            add(store, "meanwhile")
        aside.rename(database)
        add(store, name)
    assert found_by_another_process(database) == {"before", "first", "second"}


def test_a_database_that_was_moved_away_is_complete_there(store: Store, database: Path) -> None:
    add(store, "before")
    aside = database.with_name("aside.db")
    database.rename(aside)
    with pytest.raises(NotWritable):
        add(store, "after")
    assert found_by_another_process(aside) == {"before"}


def test_another_file_in_its_place_is_neither_written_nor_spoiled_by_the_old_log(
    store: Store, database: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.db"
    with open_store(other, create=True) as copy:
        add(copy, "in the other")
    for number in range(50):
        add(store, f"person {number}")
    shutil.copy(other, tmp_path / "incoming")
    (tmp_path / "incoming").replace(database)
    with pytest.raises(NotWritable, match="was removed or replaced by another file"):
        add(store, "after")
    assert found_by_another_process(database) == {"in the other"}
    [rescued] = database.parent.glob("*.rescued")
    assert found_by_another_process(rescued) == {f"person {number}" for number in range(50)}


def test_an_emptied_database_takes_nothing(store: Store, database: Path) -> None:
    add(store, "before")
    database.write_bytes(b"")
    with pytest.raises(NotWritable, match="was emptied while.*bring back a backup with 'annotator restore BACKUP'"):
        add(store, "after")


def test_no_other_connection_is_opened_beside_one_whose_files_are_gone(store: Store, database: Path) -> None:
    """SQLite would mix the old log's index with a new log, and everything in it would be lost."""
    add(store, "before")
    remove("-wal")(database)
    with pytest.raises(NotWritable, match="The log of"):
        open_store(database)
    assert not database.with_name(database.name + "-wal").exists()
    remove("")(database)
    with pytest.raises(NotWritable, match="was removed or replaced"):
        open_store(database, create=True)
    assert not database.exists()


def test_health_and_whoever_asks_hear_of_it(store: Store, database: Path) -> None:
    store.require_writable()
    remove("-wal")(database)
    with pytest.raises(NotWritable, match="The log of"):
        store.require_writable()


def test_texts_can_be_read_without_the_log(store: Store, database: Path) -> None:
    add(store, "before")
    remove("-wal", "-shm")(database)
    with pytest.raises(NotWritable):
        add(store, "after")
    assert [user.name for user in list_users(store)] == ["before"]
    with store.snapshot():
        assert [user.name for user in list_users(store)] == ["before"]


@pytest.mark.parametrize(
    "damage", [remove("-wal"), remove("-shm"), remove("-wal", "-shm"), remove(""), remove("", "-wal", "-shm")]
)
def test_under_the_writes_of_several_threads_every_acknowledged_one_is_found_again(
    damage: Callable[[Path], None], database: Path
) -> None:
    open_store(database, create=True).close()
    acknowledged: list[str] = []
    enough = threading.Event()
    kept_open = open_store(database)

    def write(thread: int) -> None:
        with suppress(StoreError), open_store(database) as own:
            for number in itertools.count():
                name = f"{thread}-{number}"
                add(own, name)
                acknowledged.append(name)
                if len(acknowledged) >= 200:
                    enough.set()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    assert enough.wait(60)
    damage(database)
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "it is refused nothing"
    copies = list(database.parent.glob("*.rescued"))
    kept_open.close()
    assert set(acknowledged) <= found_by_another_process(copies[0] if copies else database)


def test_the_check_is_for_files_that_others_know_and_not_for_copies(store: Store) -> None:
    with store.scratch_copy() as copy:
        add(copy, "tried")
    assert list_users(store) == []


# Who may read the files: their owner, whatever the umask, and the group with which a database is shared.


@pytest.fixture(params=[0o000, 0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def modes_in(folder: Path) -> dict[str, int]:
    return {path.name: mode_of(path) for path in folder.iterdir()}


def test_a_database_and_what_lies_beside_it_while_it_is_open_are_their_owners_alone(umask: int, database: Path) -> None:
    with open_store(database, create=True) as store, store.transaction():
        add_user(store, "ann")
        assert modes_in(database.parent) == {
            "test.db": 0o600,
            "test.db-wal": 0o600,
            "test.db-shm": 0o600,
            "test.db-lock": 0o600,
        }


def test_backups_and_scratch_copies_are_their_owners_alone(umask: int, database: Path, tmp_path: Path) -> None:
    with open_store(database, create=True) as store:
        back_up(store, LOCAL_OPERATOR, tmp_path / "copy.backup")
        with store.scratch_copy() as copy:
            assert (mode_of(copy.path), mode_of(copy.path.parent)) == (0o600, 0o700)
    assert mode_of(tmp_path / "copy.backup") == 0o600


def test_the_backup_before_a_migration_and_what_a_restore_keeps_are_their_owners_alone(
    umask: int, database: Path
) -> None:
    old = Database(database)
    MIGRATIONS.apply(old, stop_before="m002_reviewing")
    old.close()
    database.chmod(0o600)
    with open_store(database) as store:
        back_up(store, LOCAL_OPERATOR, database.with_name("copy.db"))
    restore(database, LOCAL_OPERATOR, database.with_name("copy.db"))
    assert len(modes_in(database.parent)) == 4
    assert set(modes_in(database.parent).values()) == {0o600}


@pytest.mark.slow
@pytest.mark.parametrize("umask", [0o000], ids=oct, indirect=True)  # the laxest: any other only takes more away
def test_the_models_of_the_demonstration_are_their_owners_alone(umask: int, tmp_path: Path) -> None:
    build(tmp_path / "demo.db")
    made = [tmp_path / "demo.db.models", *(tmp_path / "demo.db.models").rglob("*")]
    assert len(made) > 5
    assert {mode_of(path) for path in made if path.is_dir()} == {0o700}
    assert {mode_of(path) for path in [tmp_path / "demo.db", *made] if path.is_file()} == {0o600}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (0o644, 0o600),  # the umask's choice, nobody's decision
        (0o664, 0o660),  # the group works with it
        (0o666, 0o660),
        (0o660, 0o660),  # somebody shares it with a group
        (0o640, 0o640),  # somebody lets a group read it, to copy it
        (0o600, 0o600),
    ],
)
def test_serving_takes_from_others_what_nobody_decided(before: int, after: int, store: Store) -> None:
    beside = [
        store.path.with_name(store.path.name + ending) for ending in ("", "-wal", "-shm", ".20261122-101500.backup")
    ]
    beside[-1].touch()
    for path in beside:
        path.chmod(before)
    said = keep_to_owner(store)
    assert {mode_of(path) for path in beside} == {after}
    assert bool(said) == (before != after)
    assert keep_to_owner(store) is None, "it is said once"


def test_what_is_said_names_the_database(store: Store) -> None:
    store.path.chmod(0o644)
    assert keep_to_owner(store) == (
        "Everybody on this machine could read test.db or what lies beside it. Now only its owner can, and the group that may "
        "write it."
    )


def test_a_folder_of_models_is_closed_too(store: Store) -> None:
    models = store.path.with_name("test.db.models")
    models.mkdir(mode=0o755)
    models.chmod(0o755)
    keep_to_owner(store)
    assert mode_of(models) == 0o700


def test_files_of_others_in_the_folder_are_left_alone(store: Store) -> None:
    other = store.path.with_name("notes.txt")
    other.touch()
    other.chmod(0o644)
    keep_to_owner(store)
    assert mode_of(other) == 0o644


def test_what_is_made_beside_a_shared_database_is_shared_with_the_same_group(database: Path, tmp_path: Path) -> None:
    open_store(database, create=True).close()
    database.chmod(0o660)
    with open_store(database) as store, store.transaction():
        add_user(store, "ann")
        beside = {name: mode for name, mode in modes_in(database.parent).items() if name.startswith("test.db")}
        assert beside == dict.fromkeys(["test.db", "test.db-wal", "test.db-shm", "test.db-lock"], 0o660)
    with open_store(database) as store:
        back_up(store, LOCAL_OPERATOR, tmp_path / "copy.db")
    restore(database, LOCAL_OPERATOR, tmp_path / "copy.db")
    assert mode_of(database) == 0o660


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_what_root_makes_beside_a_database_belongs_to_the_databases_owner(database: Path, tmp_path: Path) -> None:
    open_store(database, create=True).close()
    os.chown(database, 12345, 23456)
    with open_store(database) as store, store.transaction():
        add_user(store, "ann")
        owners = {(path.stat().st_uid, path.stat().st_gid) for path in database.parent.glob("test.db*")}
        assert owners == {(12345, 23456)}
    with open_store(database) as store:
        back_up(store, LOCAL_OPERATOR, tmp_path / "copy.db")
    restore(database, LOCAL_OPERATOR, tmp_path / "copy.db")
    assert (database.stat().st_uid, database.stat().st_gid) == (12345, 23456)


# Which server serves a database: told to commands and to a second server as long as the first one lives, and no longer.

HERE, THERE = "http://127.0.0.1:9000", "http://127.0.0.1:9001"


def test_the_address_is_known_while_it_is_served_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    assert address_of_server(path) is None
    with served(path, HERE) as other:
        assert (other, address_of_server(path)) == (None, HERE)
        assert (tmp_path / "a.db-server").stat().st_mode & 0o777 == 0o600
    assert address_of_server(path) is None
    assert list(tmp_path.iterdir()) == []


def test_a_second_server_learns_of_the_first_and_takes_nothing_from_it(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with served(path, HERE):
        with served(path, THERE) as other:
            assert (other, address_of_server(path)) == (HERE, HERE)
        assert address_of_server(path) == HERE
    with served(path, THERE) as other:
        assert (other, address_of_server(path)) == (None, THERE)


def test_what_a_killed_server_left_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    program = (
        "import sys, time; from pathlib import Path; from annotator.store.connection.file_access import served\n"
        f"with served(Path(sys.argv[1]), {HERE!r}):\n    print('serves', flush=True); time.sleep(600)"
    )
    process = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == "serves\n"
        assert address_of_server(path) == HERE
        os.kill(process.pid, signal.SIGKILL)
    assert (tmp_path / "a.db-server").exists()
    assert address_of_server(path) is None
    with served(path, "http://a") as other:
        assert (other, address_of_server(path)) == (None, "http://a")


def test_where_no_file_can_be_made_nobody_is_told_and_the_server_serves(tmp_path: Path) -> None:
    with served(tmp_path / "no folder" / "a.db", HERE) as other:
        assert other is None
