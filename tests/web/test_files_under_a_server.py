"""The real server, and what happens to its files: removed under writes, replaced, left behind."""

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

import pytest

from annotator.cli.main import run
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.store import Store, open_store
from annotator.usecases.access.accounts import session_of, sign_in_as
from annotator.web.routes.access import COOKIE
from benchmarks.served import Server

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="signals and locks of POSIX"), pytest.mark.slow]
WITHIN = 30


@pytest.fixture
def database(tmp_path: Path) -> Path:
    (tmp_path / "place").mkdir()
    return tmp_path / "place" / "test.db"


@pytest.fixture
def ready(database: Path, store: Store, project: Project, annotator: User, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database to be served, which this process has not open; its servers have temporary files of their own."""
    (database.parent.parent / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(database.parent.parent / "temporary"))
    store.close()
    return database


@contextmanager
def serving(database: Path) -> Iterator[Server]:
    server = Server(database)
    server.log.unlink()  # beside the database it would be in the way of looking
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.stop()


class Annotator:
    """Somebody who is signed in, holds a text and saves drafts of it."""

    def __init__(self, server: Server, database: Path) -> None:
        with open_store(database) as store:
            cookie = sign_in_as(store, "annotator-a", is_demonstration=True)
            csrf = session_of(store, cookie).csrf
        self._port = server.port
        self._headers = {"Cookie": f"{COOKIE}={cookie}", "X-CSRF-Token": csrf, "Content-Type": "application/json"}
        _, answer = self.ask("GET", "/api/panel/next?project=1")
        self.assignment = answer["work"]["assignment"]
        self.revision = 0

    def save(self) -> tuple[int, dict]:
        draft = {"sets": [[[0, self.revision % 5 + 1]]]}
        body = {"assignment": self.assignment, "revision": self.revision, "draft": draft}
        status, answer = self.ask("POST", "/api/panel/draft", json.dumps(body))
        self.revision = answer.get("revision", self.revision)
        return status, answer

    def ask(self, method: str, path: str, body: str | None = None) -> tuple[int, dict]:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=30)
        try:
            connection.request(method, path, body, self._headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        finally:
            connection.close()


def wait_until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + WITHIN
    while not holds():
        assert time.monotonic() < end, "what was waited for did not come"
        time.sleep(0.05)


def stored_revision(database: Path) -> int:
    with open_store(database) as store:
        assert store.problems() == []
        return int(store.value("SELECT max(revision) FROM drafts"))


def backup_of(database: Path) -> Path:
    target = database.parent.parent / "backup.db"
    assert run(["--db", str(database), "backup", str(target)]) == 0
    return target


def test_a_server_that_nobody_asks_anything_is_in_the_way_of_a_restore_and_a_killed_one_is_not(
    ready: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    backup = backup_of(ready)
    with serving(ready) as server:
        assert run(["--db", str(ready), "restore", str(backup)]) == 1
        assert "is in use: a server" in capsys.readouterr().err
        ann = Annotator(server, ready)
        for _ in range(20):
            assert ann.save()[0] == 200
        server.kill()
    assert ready.with_name("test.db-wal").stat().st_size > 0
    assert run(["--db", str(ready), "restore", str(backup)]) == 0
    assert run(["--db", str(ready), "check"]) == 0
    with serving(ready) as again:
        assert Annotator(again, ready).save()[0] == 200


def test_a_stopped_server_leaves_only_the_database_and_a_killed_ones_files_go_with_the_next(ready: Path) -> None:
    temporary = ready.parent.parent / "temporary"
    with serving(ready) as server:
        assert len(list(temporary.glob("annotator-scratch-*"))) == 1
        server.kill()
    assert len(list(temporary.glob("annotator-scratch-*"))) == 1
    with serving(ready) as server:
        assert len(list(temporary.glob("annotator-scratch-*"))) == 1
        server.stop()
    assert list(temporary.glob("annotator-scratch-*")) == []
    assert [path.name for path in ready.parent.iterdir()] == ["test.db"]


@pytest.mark.parametrize("endings", [("-wal",), ("-wal", "-shm"), ("",)])
def test_files_removed_under_writes_are_noticed_and_no_acknowledged_save_is_lost(
    endings: tuple[str, ...], ready: Path
) -> None:
    with serving(ready) as server:
        ann = Annotator(server, ready)
        refusals: list[tuple[int, dict]] = []

        def write() -> None:
            status = 200
            while status == 200:
                status, answer = ann.save()
            refusals.append((status, answer))

        thread = threading.Thread(target=write)
        thread.start()
        wait_until(lambda: ann.revision >= 30)
        for ending in endings:
            ready.with_name(ready.name + ending).unlink()
        thread.join(WITHIN)
        [(status, answer)] = refusals
        assert status == 503
        assert "while the program had it open, so nothing more is stored" in answer["error"]
        assert ann.ask("GET", "/health")[0] == 503
        wait_until(lambda: bool(list(ready.parent.glob("*.rescued"))) or "" not in endings)
        server.kill()
    if "" in endings:
        [copy] = ready.parent.glob("*.rescued")
        assert run(["--db", str(ready), "restore", str(copy)]) == 0
    assert stored_revision(ready) >= ann.revision
    with serving(ready) as again:
        ann = Annotator(again, ready)
        assert ann.ask("GET", "/health")[0] == 200


def test_files_that_nobody_writes_to_are_missed_within_seconds(ready: Path) -> None:
    with serving(ready) as server:
        ann = Annotator(server, ready)
        for _ in range(5):
            ann.save()
        ready.unlink()
        wait_until(lambda: bool(list(ready.parent.glob("*.rescued"))))
        server.kill()
    [copy] = ready.parent.glob("*.rescued")
    assert run(["--db", str(ready), "restore", str(copy)]) == 0
    assert stored_revision(ready) == ann.revision


def test_a_text_can_be_read_without_the_log_and_its_draft_is_what_was_saved(ready: Path) -> None:
    with serving(ready) as server:
        ann = Annotator(server, ready)
        ann.save()
        ready.with_name("test.db-wal").unlink()
        assert ann.save()[0] == 503
        status, answer = ann.ask("GET", "/api/panel/next?project=1")
        assert status == 200
        assert answer["work"]["draft"]["sets"] == [[[0, 1]]]


def test_a_database_that_others_can_read_is_closed_when_it_is_served_and_that_is_said(ready: Path) -> None:
    ready.chmod(0o644)
    with serving(ready) as server:
        assert ready.stat().st_mode & 0o777 == 0o600
        assert server.process.stdout.readline().startswith("Everybody on this machine could read test.db")
