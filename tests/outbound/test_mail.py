"""Mail to a server on this machine: encrypted or not at all, and what is said when it fails."""

import email
import email.policy
import socket
import threading
from pathlib import Path

import pytest

from annotator.errors import DeliveryError, InvalidValue
from annotator.outbound import mail
from annotator.outbound.allowed_hosts import Exceptions
from annotator.outbound.mail import MailServer, compose, deliver
from tests.outbound.servers import HOST, here, silent_server, smtp_server

NAMED = Exceptions.read(HOST)
TO = "ada@lab.example"


def server_at(port: int, **options: object) -> MailServer:
    return MailServer(
        HOST, port, options.pop("security", "starttls"), "annotator@lab.example", exceptions=NAMED, **options
    )  # type: ignore[arg-type]


def send(server: MailServer, password: str = "", body: str = "2 texts came back to you.\n") -> None:
    deliver(server, password, TO, compose(server, TO, "2 notices", body), resolver=here)


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_mail_goes_out_encrypted_and_after_signing_in(trusted: Path, security: str) -> None:
    with smtp_server(trusted, begins_with_tls=security == "tls") as (port, received):
        send(server_at(port, security=security, account="annotator"), "a secret", "“t1” came back.\n.\nEnd.\n")
    ((sender, recipient, text),) = received.mails
    assert (sender.lower().partition(" size=")[0], recipient.lower()) == (
        "mail from:<annotator@lab.example>", f"rcpt to:<{TO}>",
    )  # fmt: skip
    message = email.message_from_string(text.replace("\r\n..", "\r\n."), policy=email.policy.default)
    assert message["To"] == TO
    assert "“t1” came back." in message.get_content()
    assert received.logins == ["\0annotator\0a secret"]
    if security == "starttls":
        assert received.commands.index("STARTTLS") < received.commands.index("AUTH"), "nothing secret before it"


def test_without_encryption_nothing_is_sent(trusted: Path) -> None:
    with (
        smtp_server(trusted, offers_tls=False) as (port, received),
        pytest.raises(DeliveryError, match=r"lacks STARTTLS or sign-in; nothing was sent\."),
    ):
        send(server_at(port, account="annotator"), "a secret")
    assert (received.mails, received.logins) == ([], [])


def test_a_certificate_that_nobody_trusts_is_refused(certificate: Path) -> None:
    with (
        smtp_server(certificate) as (port, received),
        pytest.raises(DeliveryError, match="has no trusted certificate:") as refused,
    ):
        send(server_at(port))
    assert received.mails == []
    assert not refused.value.may_have_arrived


def test_a_certificate_for_another_name_is_refused(trusted: Path) -> None:
    with smtp_server(trusted, begins_with_tls=True) as (port, received):
        server = MailServer(
            "other.lab.example", port, "tls", "a@lab.example", exceptions=Exceptions.read("other.lab.example")
        )
        with pytest.raises(DeliveryError, match="has no trusted certificate:"):
            deliver(server, "", TO, compose(server, TO, "s", "b"), resolver=here)
    assert received.mails == []


def test_a_refused_password_is_told_without_it(trusted: Path) -> None:
    def refuse(words: str) -> str | None:
        return f"535 wrong: {words}" if words.upper().startswith("AUTH") else None

    with smtp_server(trusted, refuse) as (port, _), pytest.raises(DeliveryError) as refused:
        send(server_at(port, account="annotator"), "a secret")
    assert str(refused.value).endswith("rejected the account or password (535).")


def test_what_the_server_says_of_a_recipient_is_told_on_one_line(trusted: Path) -> None:
    with (
        smtp_server(trusted, lambda words: "550 no\tsuch person" if words.lower().startswith("rcpt") else None) as (
            port,
            _,
        ),
        pytest.raises(DeliveryError, match=r"mail\.lab\.example:.* replied 550: no such person") as refused,
    ):
        send(server_at(port))
    assert not refused.value.may_have_arrived


def test_a_text_that_is_refused_has_not_arrived_and_one_without_an_answer_may_have(trusted: Path) -> None:
    with (
        smtp_server(trusted, lambda words: "451 later" if words == "." else None) as (port, _),
        pytest.raises(DeliveryError, match="replied 451: later") as refused,
    ):
        send(server_at(port))
    assert not refused.value.may_have_arrived
    with (
        smtp_server(trusted, lambda words: "" if words == "." else None) as (port, _),
        pytest.raises(
            DeliveryError, match=r"gave no reply\. The message may have arrived; it isn't sent again\."
        ) as broken,
    ):
        send(server_at(port))
    assert broken.value.may_have_arrived


def test_a_server_that_never_answers_is_left_after_a_short_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail, "CONNECT_SECONDS", 1.0)
    with silent_server() as port, pytest.raises(DeliveryError, match=r"didn't reply within 1 s\."):
        send(server_at(port))


def test_a_server_that_dribbles_is_cut_off(trusted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes in time, and the greeting never ends."""
    monkeypatch.setattr(mail, "TOTAL_SECONDS", 0.3)
    over = threading.Event()

    def dribble(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            while not over.wait(0.02):
                try:
                    connection.sendall(b"2")
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=dribble, args=(listener,), daemon=True)
        thread.start()
        with pytest.raises(DeliveryError, match=r"mail\.lab\.example:.* didn't reply within 0 s\."):
            send(server_at(listener.getsockname()[1]))
        over.set()
        thread.join()


@pytest.mark.parametrize(
    "address",
    [
        "ada@lab.example\r\nBcc: all@lab.example",
        "ada@lab.example, bo@lab.example",
        "Ada <ada@lab.example>",
        "ada",
        "@lab",
        "a@b\n",
    ],
)
def test_an_address_that_could_be_more_than_one_is_refused(address: str) -> None:
    server = server_at(587)
    with pytest.raises(InvalidValue, match=r"isn't an email address, e\.g\. ada@lab\.example\."):
        compose(server, address, "s", "b")
    with pytest.raises(InvalidValue):
        MailServer(HOST, 587, "starttls", address)


def test_a_line_break_in_a_subject_is_refused() -> None:
    with pytest.raises(ValueError, match="linefeed"):
        compose(server_at(587), TO, "P\r\nBcc: all@lab.example", "b")
