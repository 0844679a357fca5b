"""The listening socket when files run out, and the log when something is said again and again."""

import errno
import logging
import resource
import socket

import pytest

from annotator.web import logs, server
from annotator.web.listening import Listener, listen
from annotator.web.logs import Sparing


def no_file_left(patch: pytest.MonkeyPatch, *, times: int) -> None:
    """The next times that a connection is to be taken, the system gives no file for it."""
    real, failures = socket.socket.accept, [errno.EMFILE] * times

    def accept(listener: socket.socket) -> object:
        if failures:
            raise OSError(failures.pop(), "Too many open files")
        return real(listener)

    patch.setattr(socket.socket, "accept", accept)


def test_a_connection_for_which_no_file_is_left_is_turned_away_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname(), 10) as waiting:
        no_file_left(monkeypatch, times=1)
        with pytest.raises(BlockingIOError):  # "nobody waits": asyncio goes back to its other work
            listener.accept()
        assert waiting.recv(1) == b""
        with socket.create_connection(listener.getsockname(), 10), listener.accept()[0] as taken:
            assert taken.fileno() >= 0


def test_a_connection_waits_when_another_thread_took_the_file_that_was_kept_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with listen("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname(), 10):
        no_file_left(monkeypatch, times=2)
        with pytest.raises(BlockingIOError):
            listener.accept()
        with listener.accept()[0] as taken:
            assert taken.fileno() >= 0


def test_any_other_trouble_is_told_as_it_is() -> None:
    listener = Listener(socket.AF_INET, socket.SOCK_STREAM)
    listener.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        listener.accept()


@pytest.mark.parametrize(
    ("limits", "wanted"),
    [
        ((1024, 524_288), (65_536, 524_288)),
        ((1024, 4096), (4096, 4096)),
        ((1024, resource.RLIM_INFINITY), (65_536, resource.RLIM_INFINITY)),
        ((100_000, 524_288), None),  # enough already
        ((resource.RLIM_INFINITY, resource.RLIM_INFINITY), None),
    ],
)
def test_the_server_allows_itself_many_open_files(
    monkeypatch: pytest.MonkeyPatch, limits: tuple[int, int], wanted: tuple[int, int] | None
) -> None:
    found: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits)
    monkeypatch.setattr(resource, "setrlimit", lambda _, given: found.append(given))
    server._allow_many_files()
    assert found == ([] if wanted is None else [wanted])


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> "Log":
    return Log(monkeypatch)


class Log:
    """A log with a clock of its own, and what came through."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.seconds = 0.0
        self.filter = Sparing()
        patch.setattr(logs.time, "monotonic", lambda: self.seconds)

    def warn(self, message: str, *given: object, times: int = 1, name: str = "a") -> list[str]:
        records = [logging.LogRecord(name, logging.WARNING, "f", 1, message, given, None) for _ in range(times)]
        return [record.getMessage() for record in records if self.filter.filter(record)]


def test_what_is_said_thousands_of_times_is_in_the_log_five_times_a_minute_with_the_count(said: Log) -> None:
    assert said.warn("No request from %s", "b", times=1000) == ["No request from b"] * 5
    said.seconds = 59
    assert said.warn("No request from %s", "b") == []
    said.seconds = 60
    assert said.warn("No request from %s", "c", times=2) == [
        "No request from c (and 996 times more since)",
        "No request from c",
    ]


def test_something_else_is_said_meanwhile(said: Log) -> None:
    said.warn("No request", times=1000)
    assert said.warn("The disk is full") == ["The disk is full"]
    assert said.warn("No request", name="another part of the program") == ["No request"]


def test_the_log_does_not_keep_every_kind_of_line_for_ever(said: Log) -> None:
    for number in range(3000):
        said.warn(f"kind {number}")
    assert len(said.filter._said) <= 1000
