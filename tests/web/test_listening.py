"""The listening socket when files run out, the addresses that are printed, and a log that says the same again and again."""

import errno
import logging
import resource
import socket
from pathlib import Path

import pytest

from annotator.errors import InvalidValue
from annotator.web import addresses, server
from annotator.web import addresses as logs
from annotator.web.addresses import Addresses, Listener, Sparing, addresses_of, listen


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


OWN = "http://192.0.2.7:8501"


@pytest.mark.parametrize(
    ("bound", "url", "here", "elsewhere", "is_readable"),
    [
        ("127.0.0.1", None, "http://127.0.0.1:8501", None, False),
        ("::1", None, "http://[::1]:8501", None, False),
        ("0.0.0.0", None, "http://127.0.0.1:8501", OWN, True),
        ("::", None, "http://[::1]:8501", OWN, True),
        ("192.0.2.7", None, OWN, OWN, True),
        ("127.0.0.1", "https://a.example/", "http://127.0.0.1:8501", "https://a.example", False),  # a proxy
        ("0.0.0.0", "https://a.example", "http://127.0.0.1:8501", "https://a.example", False),
        ("127.0.0.1", "http://a.example", "http://127.0.0.1:8501", "http://a.example", True),  # one without TLS
        ("127.0.0.1", "http://localhost:9000", "http://127.0.0.1:8501", "http://localhost:9000", False),  # a tunnel
    ],
)
def test_the_addresses_are_those_of_this_machine_and_of_the_others(
    monkeypatch: pytest.MonkeyPatch, bound: str, url: str | None, here: str, elsewhere: str | None, is_readable: bool
) -> None:
    monkeypatch.setattr(addresses, "_own_address", lambda _: "192.0.2.7")
    found = addresses_of(bound, 8501, url)
    assert (found.here, found.elsewhere, found.is_readable_on_the_way) == (here, elsewhere, is_readable)
    assert found.for_links == (elsewhere or here)


@pytest.mark.parametrize("url", ["annotate.example.org", "ftp://a.example", "https://", "javascript:alert(1)"])
def test_a_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidValue, match=r"is no address of a server\. Write it as a browser shows it"):
        addresses_of("127.0.0.1", 8501, url)


def test_the_machines_own_address_is_found_without_sending_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []
    for name in ("send", "sendto", "sendmsg", "sendall"):
        monkeypatch.setattr(socket.socket, name, lambda *given: sent.append(given))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *given: sent.append(given))
    found = addresses_of("0.0.0.0", 8501).elsewhere
    assert found is not None
    assert "127.0.0.1" not in found
    assert sent == []


def test_a_machine_without_a_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object) -> None:
        raise OSError("Network is unreachable")

    monkeypatch.setattr(socket.socket, "connect", unreachable)
    monkeypatch.setattr(socket, "gethostname", lambda: "lab-7")
    assert addresses_of("::", 8501).elsewhere == "http://lab-7:8501"


def test_what_is_printed_leads_to_the_first_account_from_where_people_are_and_warns(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    server._greet(tmp_path / "a.db", Addresses("http://127.0.0.1:8501", OWN), "secret", None)
    said = capsys.readouterr()
    assert said.out.splitlines() == [
        f"Annotator serves {tmp_path / 'a.db'}",
        "at http://127.0.0.1:8501 (stop it with Ctrl+C)",
        f"People reach it at {OWN}",
        "There is no account yet. Make the first one within 24 hours:",
        f"{OWN}/link/secret",
    ]
    assert "without encryption, so passwords and texts can be read on the way" in said.err
    server._greet(tmp_path / "a.db", Addresses("http://127.0.0.1:8501", None), None, None)
    said = capsys.readouterr()
    assert (len(said.out.splitlines()), said.err) == (2, "")


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
    assert len(said.filter._counts) <= 1000


def test_a_trace_of_bytes_that_are_no_text_is_left_out_and_every_other_stays() -> None:
    for error, has_trace in (
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid"), False),
        (KeyError("a defect"), True),
    ):
        info = (type(error), error, None)
        record = logging.LogRecord("uvicorn.error", logging.ERROR, "", 1, "It failed.", (), info)
        assert logs.OneLine().filter(record)
        assert bool(record.exc_info) is has_trace
