"""Files that are removed, moved, replaced or emptied while they are open: noticed before anything is acknowledged, nothing lost."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.errors import NotWritable, StoreError
from annotator.store import Store, open_store
from annotator.store.people import add_user, list_users
from annotator.usecases.restoration import restore

pytestmark = pytest.mark.skipif(os.name != "posix", reason="elsewhere an open file cannot be removed")


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
        with open_store(database) as own:
            number = 0
            while True:
                name = f"{thread}-{number}"
                try:
                    add(own, name)
                except StoreError:
                    return
                acknowledged.append(name)
                number += 1
                if len(acknowledged) >= 200:
                    enough.set()

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    assert enough.wait(60)
    damage(database)
    for thread in threads:
        thread.join(60)
    copies = list(database.parent.glob("*.rescued"))
    kept_open.close()
    assert set(acknowledged) <= found_by_another_process(copies[0] if copies else database)


def test_the_check_is_for_files_that_others_know_and_not_for_copies(store: Store) -> None:
    with store.scratch_copy() as copy:
        add(copy, "tried")
    assert list_users(store) == []
