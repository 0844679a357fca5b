"""Calls of a webhook on this machine: signed, never redirected, and what is said when they fail."""

import hashlib
import hmac
from pathlib import Path

import pytest

from annotator.errors import DeliveryError, InvalidValue
from annotator.outbound import allowed_hosts
from annotator.outbound.allowed_hosts import Exceptions
from annotator.outbound.webhook import Webhook, call
from tests.outbound.servers import HOST, here, https_server, silent_server

NAMED = Exceptions.read(HOST)
BODY = b'{"project": "P"}'


def post(port: int, *, exceptions: Exceptions = NAMED) -> None:
    hook = Webhook(f"https://{HOST}:{port}/in?room=7", exceptions)
    call(hook, "a secret", BODY, timestamp="2026-11-23T17:00:00Z", number="12", resolver=here)


def test_a_call_is_signed_over_its_time_and_body(trusted: Path) -> None:
    with https_server(trusted) as (port, received):
        post(port)
    ((path, headers, body),) = received.calls
    assert (path, body, headers["Host"]) == ("/in?room=7", BODY, f"{HOST}:{port}")
    expected = hmac.new(b"a secret", b"2026-11-23T17:00:00Z." + BODY, hashlib.sha256).hexdigest()
    assert headers["X-Annotator-Signature"] == f"sha256={expected}"
    assert (headers["X-Annotator-Timestamp"], headers["X-Annotator-Message"]) == ("2026-11-23T17:00:00Z", "12")
    assert "a secret" not in str(headers)


def test_a_private_address_is_refused_unless_it_is_named(trusted: Path) -> None:
    with https_server(trusted) as (port, received), pytest.raises(DeliveryError, match="this machine"):
        post(port, exceptions=Exceptions())
    assert received.calls == []


def test_a_redirect_is_not_followed(trusted: Path) -> None:
    with https_server(trusted) as (inner, untouched):
        with (
            https_server(trusted, 302, f"https://127.0.0.1:{inner}/secrets") as (port, received),
            pytest.raises(DeliveryError, match=r"redirects \(302\)\. Use the final address\.") as refused,
        ):
            post(port)
        assert (len(received.calls), untouched.calls) == (1, [])
    assert not refused.value.may_have_arrived


def test_an_answer_that_is_an_error_is_told(trusted: Path) -> None:
    with (
        https_server(trusted, 503) as (port, _),
        pytest.raises(DeliveryError, match=r"Webhook mail\.lab\.example replied 503\.") as refused,
    ):
        post(port)
    assert not refused.value.may_have_arrived


def test_a_call_without_an_answer_may_have_arrived(trusted: Path) -> None:
    with (
        https_server(trusted, None) as (port, received),
        pytest.raises(
            DeliveryError, match=r"gave no reply\. The message may have arrived; it isn't sent again\."
        ) as broken,
    ):
        post(port)
    assert broken.value.may_have_arrived
    assert len(received.calls) == 1


def test_a_certificate_that_nobody_trusts_is_refused(certificate: Path) -> None:
    with (
        https_server(certificate) as (port, received),
        pytest.raises(DeliveryError, match="has no trusted certificate:"),
    ):
        post(port)
    assert received.calls == []


def test_a_server_that_never_answers_is_left_after_a_short_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(allowed_hosts, "CONNECT_SECONDS", 0.1)
    with silent_server() as port, pytest.raises(DeliveryError, match="didn't reply within") as refused:
        post(port)
    assert not refused.value.may_have_arrived


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example/", "https://", "https://me:secret@hooks.example/", "https://hooks.example/#x", "file:///etc/passwd",
        "https://hooks.example/a\r\nX: y", "https://hooks.example/a b", "https://hooks.example:99999/", "https://ho\\oks.example/",
        f"https://hooks.example/{'x' * 2000}", "https://hooks.example:0/",
    ],
)  # fmt: skip
def test_addresses_that_are_no_plain_https_are_refused(url: str) -> None:
    with pytest.raises(
        InvalidValue, match=r"Use an address like https://hooks\.lab\.example/annotator, without credentials or #\."
    ):
        Webhook(url)


def test_the_environment_s_proxy_is_not_asked(trusted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")
    with https_server(trusted) as (port, received):
        post(port)
    assert len(received.calls) == 1
    assert allowed_hosts.CONNECT_SECONDS == 5.0
