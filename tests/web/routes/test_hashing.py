"""Sign-ins wait in a queue of their own: it is short, and nobody who marks waits with them."""

import asyncio
import html
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from annotator.domain.people import LOCAL_OPERATOR
from annotator.errors import TooBusy
from annotator.store import open_store
from annotator.usecases.access import accounts, credentials
from annotator.web.routes import sign_in
from annotator.web.routes.sign_in import HashingThreads
from tests.web.routes.test_sign_in import PASSWORD, SAME, client_of

MANY = 60  # more than there are threads for all routes
ROOM = 8
WITHIN = 30  # seconds; on any machine


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "_PAUSE_SECONDS", 0)
    monkeypatch.setattr(sign_in, "THREADS", HashingThreads(at_once=1, most=ROOM))


@pytest.fixture
def hold(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Every hash takes until this is set."""
    release = threading.Event()
    monkeypatch.setattr(credentials._HASHER.__class__, "verify", lambda *_: release.wait(WITHIN))
    yield release
    release.set()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with open_store(tmp_path / "annotator.db", create=True) as store:
        accounts.add_user(store, LOCAL_OPERATOR, "ann", "administrator")
    with client_of(tmp_path / "annotator.db") as opened:
        yield opened


def guess(client: TestClient, name: str) -> int:
    return client.post("/sign-in", data={"name": name, "password": "a guess"}, headers=SAME).status_code


def test_a_flood_of_sign_ins_keeps_no_other_request_waiting(client: TestClient, hold: threading.Event) -> None:
    with ThreadPoolExecutor(MANY + 1) as people:
        guesses = [people.submit(guess, client, f"somebody {number}") for number in range(MANY)]
        answered = (each.result() for each in as_completed(guesses, timeout=WITHIN))
        assert {next(answered) for _ in range(MANY - ROOM // 2)} == {503}  # the others are inside, from one address
        assert people.submit(client.get, "/health").result(WITHIN).json() == {"status": "ok"}
        hold.set()
        assert list(answered) == [403] * (ROOM // 2)


def test_who_finds_the_queue_full_is_told_when_to_come_again_and_keeps_the_name(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_in, "THREADS", HashingThreads(most=0))
    answer = client.post("/sign-in?next=/annotate", data={"name": "ann", "password": PASSWORD}, headers=SAME)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "The server is busy. Try again in a minute." in html.unescape(answer.text)
    assert 'value="ann"' in answer.text
    assert "next=%2Fannotate" in answer.text
    assert "set-cookie" not in answer.headers


def test_a_one_time_link_waits_in_the_same_queue(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in, "THREADS", HashingThreads(most=0))
    answer = client.post("/link/anything", data={"password": PASSWORD}, headers=SAME)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "Your link still works; open it again." in answer.text


def run_together(threads: HashingThreads, *addresses: str, work: Callable[[], object]) -> list[object]:
    async def together() -> list[object]:
        return await asyncio.gather(*(threads.run(address, work) for address in addresses), return_exceptions=True)

    return asyncio.run(together())


def test_one_address_gets_half_of_the_queue_so_that_others_find_a_place() -> None:
    threads = HashingThreads(at_once=1, most=4)
    answers = run_together(threads, "a", "a", "a", "a", "b", "c", "d", work=lambda: "done")
    assert [isinstance(answer, TooBusy) for answer in answers] == [False, False, True, True, False, False, True]


def test_a_place_is_free_again_after_a_failure() -> None:
    def fails() -> None:
        raise ValueError("no")

    threads = HashingThreads(at_once=1, most=2)
    for _ in range(3):
        assert isinstance(run_together(threads, "a", work=fails)[0], ValueError)
    assert run_together(threads, "a", work=lambda: "done") == ["done"]
    assert not threads._inside
