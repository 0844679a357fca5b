"""A restore does not bring back who was anonymised or erased since the backup."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.cli.main import run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import NotFound, StoreError
from annotator.store import Store, open_store
from annotator.store.jobs import add_job
from annotator.store.people import add_user, get_user, list_users
from annotator.store.persons.erasure import file_beside, list_removals, removals_beside
from annotator.usecases.persons.erasure import RemovedSince, anonymise, erase
from annotator.usecases.restoration import Restored, restore
from annotator.usecases.upkeep import back_up, check
from tests.clock import pass_time
from tests.usecases.persons.conftest import MAIL, WANDA, WORD, bytes_of, speak

REMOVERS = {"erase": erase, "anonymise": anonymise}


@pytest.fixture
def backup(store: Store, live, tmp_path: Path) -> Path:
    """A backup in which somebody has a whole life; she is in the database, too."""
    live(3)
    speak(store, WANDA)
    target = tmp_path / "before.db"
    back_up(store, LOCAL_OPERATOR, target)
    return target


def restored(path: Path, backup: Path, **options: object) -> tuple[Restored, list[RemovedSince]]:
    heard: list[RemovedSince] = []
    done = restore(path, LOCAL_OPERATOR, backup, tell=heard.append, **options)  # type: ignore[arg-type]
    return done, heard


@pytest.mark.parametrize("kind", REMOVERS)
@pytest.mark.parametrize("lost", ["nothing", "the file beside", "the database"])
def test_who_was_taken_out_since_the_backup_is_taken_out_of_it_again(
    kind: str, lost: str, store: Store, backup: Path, database: Path
) -> None:
    number = get_user(store, WANDA).id
    REMOVERS[kind](store, LOCAL_OPERATOR, WANDA)
    store.close()
    if lost == "the file beside":
        file_beside(database).unlink()
    elif lost == "the database":
        database.write_bytes(b"nothing that anybody can read\n" * 1000)
        database.with_name(database.name + "-wal").unlink(missing_ok=True)
    _, [since] = restored(database, backup)
    assert [(removal.kind, removal.account) for removal in since.again] == [(kind, number)]
    assert not [word for word in (WANDA, WORD, MAIL) if word.encode() in bytes_of(database)]
    with open_store(database) as again:
        assert (check(again), again.problems()) == ([], [])
        assert WANDA not in {user.name for user in list_users(again)}


def test_what_is_kept_of_it_names_nobody_and_is_for_the_owner_alone(store: Store, database: Path) -> None:
    with store.transaction():
        add_user(store, WANDA)
        add_user(store, "Ada")
    moment = store.clock()
    store.clock = lambda: moment  # both in one
    for name in (WANDA, "Ada"):
        erase(store, LOCAL_OPERATOR, name)
    kept = file_beside(database)
    assert WANDA.casefold() not in kept.read_text().casefold()
    assert os.name != "posix" or kept.stat().st_mode & 0o777 == 0o600
    assert removals_beside(database) == list_removals(store)
    assert len({removal.name_hash for removal in list_removals(store)}) == 2


def test_whom_only_an_import_names_is_known_again_by_the_name_and_another_person_of_it_is_left_alone(
    store: Store, backup: Path, database: Path, tmp_path: Path
) -> None:
    erase(store, LOCAL_OPERATOR, "zoe")
    store.close()
    done, [since] = restored(database, backup)
    assert [removal.account for removal in since.again] == [None]
    with open_store(database) as again:
        assert again.value("SELECT count(*) FROM annotations WHERE annotator = 'Zoe'") == 0
        with again.transaction():
            add_user(again, "Zoe")
        back_up(again, LOCAL_OPERATOR, tmp_path / "later.db")
    done, _ = restored(database, tmp_path / "later.db")
    assert done.since.again == ()
    with open_store(database) as again:
        assert get_user(again, "Zoe").id


def test_an_account_that_was_given_the_number_again_is_somebody_elses(
    store: Store, database: Path, tmp_path: Path
) -> None:
    back_up(store, LOCAL_OPERATOR, tmp_path / "empty.db")
    with store.transaction():
        first = add_user(store, "first")
    erase(store, LOCAL_OPERATOR, "first")
    store.close()
    restored(database, tmp_path / "empty.db")
    with open_store(database) as again, again.transaction():
        pass_time(again, minutes=1)
        second = add_user(again, "second")
    with open_store(database) as again:
        back_up(again, LOCAL_OPERATOR, tmp_path / "second.db")
    done, _ = restored(database, tmp_path / "second.db")
    assert first.id == second.id
    assert done.since.again == ()


def test_it_is_done_once_and_later_backups_know_of_it(
    store: Store, backup: Path, database: Path, tmp_path: Path
) -> None:
    anonymise(store, LOCAL_OPERATOR, WANDA)
    store.close()
    restored(database, backup)
    with open_store(database) as again:
        names = [user.name for user in list_users(again)]
        back_up(again, LOCAL_OPERATOR, tmp_path / "after.db")
    done, _ = restored(database, tmp_path / "after.db")
    assert done.since == RemovedSince()
    with open_store(database) as again:
        assert [user.name for user in list_users(again)] == names


def test_whoever_was_anonymised_and_erased_later_is_erased(store: Store, backup: Path, database: Path) -> None:
    erase(store, LOCAL_OPERATOR, anonymise(store, LOCAL_OPERATOR, WANDA).called)
    store.close()
    done, _ = restored(database, backup)
    assert [removal.kind for removal in done.since.again] == ["anonymise", "erase"]
    with open_store(database) as again:
        assert again.value("SELECT count(*) FROM users WHERE name LIKE 'person %' OR name = ?", (WANDA,)) == 0


def test_work_that_runs_in_the_backup_and_being_its_only_administrator_keep_nobody(
    store: Store, make_project: Callable[..., Project], database: Path, tmp_path: Path
) -> None:
    with store.transaction():
        ada = add_user(store, "Ada", is_administrator=True)
        add_job(store, make_project().id, "suite", "The tests", "{}", ada)
        store.run("UPDATE jobs SET state = 'running', worker = 1, beat_at = ?", (store.now(),))
    back_up(store, LOCAL_OPERATOR, tmp_path / "before.db")
    with store.transaction():
        add_user(store, "Bo", is_administrator=True)
        store.run("UPDATE jobs SET state = 'done', worker = NULL, beat_at = NULL, ended_at = ?", (store.now(),))
    erase(store, LOCAL_OPERATOR, "Ada")
    store.close()
    restored(database, tmp_path / "before.db")
    with open_store(database) as again:
        assert list_users(again) == []


def test_who_was_erased_by_mistake_can_be_brought_back_and_stays(store: Store, backup: Path, database: Path) -> None:
    erase(store, LOCAL_OPERATOR, WANDA)
    store.close()
    restored(database, backup, brings_back=True)
    done, _ = restored(database, backup)
    assert done.since.again == ()
    with open_store(database) as again:
        assert get_user(again, WANDA).id


def test_a_removal_that_an_earlier_version_noted_without_whom_is_told(
    store: Store, backup: Path, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with store.transaction():
        store.run("INSERT INTO removals (kind, at, is_wiped) VALUES ('erase', '2026-11-24T09:00:00.000Z', 1)")
    store.close()
    assert run(["--db", str(database), "restore", str(backup)]) == 0
    assert "1 person may have been erased" in (told := capsys.readouterr().err)
    assert "did not note whom (2026-11-24). Do it again: 'annotator user erase NAME'" in told


def test_the_command_tells_before_it_begins_by_number_and_day(
    store: Store, backup: Path, database: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    number = get_user(store, WANDA).id
    erase(store, LOCAL_OPERATOR, WANDA)
    day = list_removals(store)[0].at[:10]
    store.close()
    assert run(["--db", str(database), "restore", str(backup)]) == 0
    told = capsys.readouterr().err
    assert f"Since this backup: account {number} was erased on {day}. This is done again in what is restored." in told
    assert WANDA not in told


def test_a_list_that_cannot_be_read_stops_the_restore_and_changes_nothing(
    store: Store, backup: Path, database: Path
) -> None:
    store.close()
    before = database.read_bytes()
    file_beside(database).write_text('{"kind": "erase"')
    with pytest.raises(StoreError, match=r"test.db.removals' cannot be read .*Repair it, or move it away"):
        restored(database, backup)
    assert database.read_bytes() == before


@pytest.mark.parametrize("content", [b"nothing that anybody can read\n" * 1000, None])
def test_where_no_database_can_be_read_the_list_is_asked_for_that_keeps_people_erased(
    store: Store, backup: Path, database: Path, capsys: pytest.CaptureFixture[str], content: bytes | None
) -> None:
    erase(store, LOCAL_OPERATOR, WANDA)
    store.close()
    place = database.with_name("elsewhere") / "moved.db"
    place.parent.mkdir()
    if content is not None:
        place.write_bytes(content)
    assert run(["--db", str(place), "restore", str(backup)]) == 0
    assert "so they come back. 'moved.db.removals' would: it stands beside" in capsys.readouterr().err
    shutil.copy(file_beside(database), file_beside(place))
    assert run(["--db", str(place), "restore", str(backup)]) == 0
    assert "This is done again in what is restored." in capsys.readouterr().err
    with open_store(place) as moved, pytest.raises(NotFound):
        get_user(moved, WANDA)
