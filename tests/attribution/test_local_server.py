"""Asking a server of this machine: nothing else is reached, nothing is waited for without end, nothing large is held."""

import re
import socket
from dataclasses import replace

import pytest

from annotator.attribution import local_server
from annotator.attribution.local_server import (
    DOWN,
    HOURS_VARIABLE,
    KEY_FILE_VARIABLE,
    KEY_VARIABLE,
    NONSENSE,
    REDIRECTED,
    SECONDS_VARIABLE,
    SLOW,
    TOO_LARGE,
    LocalAddress,
    ask,
    configured_address,
    refused_with,
)
from annotator.errors import InvalidValue, ModelError
from tests.language_model_server import breaking_off, endless, no_http, raw, saying, serving, slow, status, trickling

VARIABLES = {"KEY": KEY_VARIABLE, "KEY_FILE": KEY_FILE_VARIABLE, "SECONDS": SECONDS_VARIABLE, "HOURS": HOURS_VARIABLE}
SECRET = "sk-secret-0123456789"
NO_URL = "ANNOTATOR_MODEL_ADDRESS must be a URL like http://127.0.0.1:11434/v1."


def elsewhere(host: str) -> str:
    """What is said of an address of another machine."""
    return f"'{host}' isn't this machine. Use 127.0.0.1, ::1 or localhost."


@pytest.fixture
def configured(monkeypatch):
    """The address that the environment names."""

    def configure(address: str, **variables: str) -> LocalAddress:
        for name in VARIABLES.values():
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("ANNOTATOR_MODEL_ADDRESS", address)
        for name, value in variables.items():
            monkeypatch.setenv(VARIABLES[name], value)
        chosen = configured_address()
        assert chosen is not None
        return chosen

    return configure


def reason_of(address: LocalAddress) -> str:
    with pytest.raises(ModelError) as refusal:
        ask(address, {"messages": []})
    assert SECRET not in str(refusal.value)
    return refusal.value.reason


def test_without_an_address_there_is_none(monkeypatch):
    monkeypatch.delenv("ANNOTATOR_MODEL_ADDRESS", raising=False)
    assert configured_address() is None


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://192.168.0.1/v1", elsewhere("192.168.0.1")),
        ("http://example.org/v1", elsewhere("example.org")),
        ("http://127.0.0.1.example.org/v1", elsewhere("127.0.0.1.example.org")),
        ("http://0.0.0.0/v1", elsewhere("0.0.0.0")),
        ("http://2130706433/v1", elsewhere("2130706433")),  # 127.0.0.1 as one number
        ("http://[::ffff:127.0.0.1]/v1", elsewhere("::ffff:127.0.0.1")),
        (
            "http://user:sk-secret-0123456789@127.0.0.1/v1",
            "Put the key in ANNOTATOR_MODEL_KEY, not ANNOTATOR_MODEL_ADDRESS.",
        ),
        ("ftp://127.0.0.1/v1", NO_URL),
        ("file:///etc/passwd", NO_URL),
        ("http://127.0.0.1/v1?x=1", NO_URL),
        ("http://127.0.0.1/v 1", NO_URL),
        ("http://127.0.0.1/v1\r\nX: y", NO_URL),
        ("http://127.0.0.1:99999/v1", NO_URL),
        ("127.0.0.1:8080", NO_URL),
    ],
)
def test_an_address_of_another_machine_or_form_is_refused(configured, address, reason):
    with pytest.raises(InvalidValue, match=re.escape(reason)) as refusal:
        configured(address)
    assert SECRET not in str(refusal.value)


def test_a_model_is_asked_at_its_path_with_the_key(configured):
    with serving(saying("hello")) as server:
        assert (
            ask(configured(server.address, KEY=SECRET), {"model": "m", "messages": [{"content": "q"}]})["model"] == "m"
        )
    [(path, headers, body)] = server.requests
    assert path == "/v1/chat/completions"
    assert headers["Authorization"] == f"Bearer {SECRET}"
    assert body["messages"] == [{"content": "q"}]


def test_localhost_is_looked_up_and_asked(configured):
    with serving(saying("hello")) as server:
        address = configured(server.address.replace("127.0.0.1", "localhost"))
        assert ask(address, {"model": "m", "messages": [{"content": "q"}]})["model"] == "m"


def test_a_localhost_that_stands_for_another_machine_is_not_asked(configured, monkeypatch):
    address = configured("http://localhost:1/v1")
    other = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 1))]
    monkeypatch.setattr(local_server.socket, "getaddrinfo", lambda *_, **__: other)
    monkeypatch.setattr(local_server.socket.socket, "connect", lambda *_: pytest.fail("it was asked"))
    with pytest.raises(ModelError, match=re.escape(elsewhere("localhost"))):
        ask(address, {})


def test_no_proxy_of_the_environment_is_asked(configured, monkeypatch):
    with serving(saying("hello")) as server, serving(saying("proxy")) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.address)
        ask(configured(server.address), {"model": "m", "messages": [{"content": "q"}]})
    assert (len(server.requests), proxy.requests) == (1, [])


@pytest.mark.parametrize("number", [301, 302, 307, 308])
def test_a_redirect_is_not_followed(configured, number):
    with (
        serving(saying("elsewhere")) as other,
        serving(status(number, Location=f"{other.address}/chat/completions")) as server,
    ):
        assert reason_of(configured(server.address, KEY=SECRET)) == REDIRECTED
    assert other.requests == []


@pytest.mark.parametrize(
    ("behaviour", "reason"),
    [
        (status(500), refused_with(500)),
        (status(401), refused_with(401)),
        (status(799), "answered with the status 799"),
        (raw(b"<html>"), NONSENSE),
        (raw(b"[" * 100_000), NONSENSE),
        (raw(b"9" * 10_000), NONSENSE),
        (raw(b"\xff\xfe"), NONSENSE),
        (breaking_off, NONSENSE),
        (no_http, NONSENSE),
        (endless, TOO_LARGE),
        (raw(b" " * (5 * 2**20)), TOO_LARGE),
    ],
)
def test_a_server_that_fails_is_told_in_words(configured, behaviour, reason):
    with serving(behaviour) as server:
        assert reason_of(configured(server.address, KEY=SECRET, SECONDS="30")) == reason


@pytest.mark.parametrize("behaviour", [slow, trickling])
def test_a_request_ends_with_its_time_however_the_server_dawdles(configured, behaviour):
    with serving(behaviour) as server:
        assert reason_of(configured(server.address, SECONDS="0.5")) == SLOW  # left alone it answers, after minutes


def test_a_server_that_never_answers_is_slow_and_one_that_is_not_there_is_down(configured):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert reason_of(configured(f"http://127.0.0.1:{silent.getsockname()[1]}/v1", SECONDS="0.3")) == SLOW
        address = configured(f"https://127.0.0.1:{silent.getsockname()[1]}/v1", SECONDS="0.3")
        assert reason_of(address) == SLOW  # in the middle of agreeing on a cipher
    assert reason_of(address) == DOWN


# The key -------------------------------------------------------------------------------------------------------------


def test_the_key_stands_in_no_description_of_the_address(configured):
    address = configured("http://127.0.0.1:1/v1", KEY=SECRET)
    assert address.key == SECRET
    assert SECRET not in f"{address} {address!r} {replace(address, port=2)}"


def test_a_key_is_read_from_a_file_that_nobody_else_may_read(configured, tmp_path):
    file = tmp_path / "key"
    file.write_text(f"{SECRET}\n")
    file.chmod(0o600)
    assert configured("http://127.0.0.1:1/v1", KEY_FILE=str(file)).key == SECRET
    for rights in (0o640, 0o604, 0o644):
        file.chmod(rights)
        with pytest.raises(InvalidValue, match=r"Others can read the key file\. Run: chmod 600 '"):
            configured("http://127.0.0.1:1/v1", KEY_FILE=str(file))
    with pytest.raises(
        InvalidValue, match=r"Can't read '.*none' \(from ANNOTATOR_MODEL_KEY_FILE\): No such file or directory\."
    ):
        configured("http://127.0.0.1:1/v1", KEY_FILE=str(tmp_path / "none"))


@pytest.mark.parametrize("key", [f"{SECRET}\r\nX-Evil: 1", f"{SECRET} two", f"{SECRET}é", SECRET * 1000])
def test_a_key_that_is_none_is_refused_without_being_told(configured, key):
    with pytest.raises(InvalidValue, match=r"The model server's key is invalid or too long\.") as refusal:
        configured("http://127.0.0.1:1/v1", KEY=key)
    assert SECRET not in str(refusal.value)


def test_two_keys_and_a_time_that_is_none_are_refused(configured):
    with pytest.raises(InvalidValue, match="Set either"):
        configured("http://127.0.0.1:1/v1", KEY="a", KEY_FILE="b")
    for seconds in ("0", "-1", "nan", "inf", "soon"):
        with pytest.raises(InvalidValue, match=r"ANNOTATOR_MODEL_SECONDS must be above 0, up to 100,000\."):
            configured("http://127.0.0.1:1/v1", SECONDS=seconds)
