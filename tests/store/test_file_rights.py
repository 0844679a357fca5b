"""Who may read the files: their owner, whatever the umask, and the group with which a database is shared."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.store import Store, open_store
from annotator.store.connection.database import Database
from annotator.store.people import add_user
from annotator.store.schema.migrations import MIGRATIONS
from annotator.usecases.demonstration.construction import build
from annotator.usecases.restoration import restore
from annotator.usecases.upkeep import back_up, keep_to_owner

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")


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
