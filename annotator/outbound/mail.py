"""One mail through the SMTP server that an administrator named, encrypted, to one person."""

import re
import smtplib
import socket
import ssl
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import Any, Literal

from annotator.errors import DeliveryError, InvalidValue
from annotator.language import _, unsaid
from annotator.outbound.allowed_hosts import (
    CONNECT_SECONDS,
    TOTAL_SECONDS,
    Deadline,
    Exceptions,
    Resolver,
    connect,
    resolve,
)

Security = Literal["starttls", "tls"]
USUAL_PORTS: dict[Security, int] = {"starttls": 587, "tls": 465}

_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,188}[A-Za-z0-9])?")
_HOST = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.:-]{0,251}[A-Za-z0-9])?")
_LONGEST_ADDRESS = 254
_LONGEST_ANSWER = 200  # characters of what a server said


@dataclass(frozen=True, slots=True)
class MailServer:
    """The server, how the connection is encrypted, who the mail is from, and the account there, if it wants one."""

    host: str
    port: int
    security: Security
    sender: str
    account: str = ""
    exceptions: Exceptions = field(default_factory=Exceptions)

    def __post_init__(self) -> None:
        check_host(self.host)
        check_address(self.sender)
        if not 1 <= self.port <= 65_535:
            raise InvalidValue(_("{port} isn't a port. Use 1 to 65535, usually 587.", port=self.port))
        if self.security not in USUAL_PORTS:
            raise InvalidValue(_("Unknown mail encryption '{security}'. Use starttls or tls.", security=self.security))
        if not self.account.isprintable():
            raise InvalidValue(_("Mail account names are one line of printable characters."))


def check_address(address: str) -> str:
    """An e-mail address as it is; raises InvalidValue for anything that could be more than one, or end a header."""
    if len(address) > _LONGEST_ADDRESS or _ADDRESS.fullmatch(address) is None:
        raise InvalidValue(_("{address} isn't an email address, e.g. ada@lab.example.", address=repr(address[:60])))
    return address


def check_host(host: str) -> str:
    """The name or address of a host; raises InvalidValue."""
    if _HOST.fullmatch(host) is None:
        raise InvalidValue(_("{host} isn't a host name, e.g. mail.lab.example.", host=repr(host[:60])))
    return host


def compose(server: MailServer, to: str, subject: str, body: str) -> EmailMessage:
    """A mail as plain text. No header holds anything that people or files named."""
    message = EmailMessage()
    message["From"] = server.sender
    message["To"] = check_address(to)
    message["Subject"] = subject
    message["Date"] = formatdate(localtime=False)
    message["Message-ID"] = make_msgid(domain=server.sender.rpartition("@")[2])
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(body, cte="quoted-printable")  # not every server takes eight bits
    return message


def deliver(server: MailServer, password: str, to: str, message: EmailMessage, *, resolver: Resolver = resolve) -> None:
    """Hand a mail to the server. Raises DeliveryError; `may_have_arrived` where the server did not say what became of it."""
    step = _Steps(server)
    connection = connect(server.host, server.port, server.exceptions, resolver)
    with Deadline(connection, TOTAL_SECONDS) as deadline:
        try:
            context = ssl.create_default_context()
            if server.security == "tls":
                connection = context.wrap_socket(connection, server_hostname=server.host)
            with closing(_Session(server, connection)) as session:
                _send(session, step, context, password, to, message)
        except (OSError, smtplib.SMTPException, ValueError) as failure:
            # smtplib says of a server that is silent that it has gone.
            error = _NoAnswer() if isinstance(failure, TimeoutError) or "timed out" in str(failure) else failure
            raise DeliveryError(
                step.problem(error, is_late=deadline.is_over), may_have_arrived=step.is_unknown_after(error)
            ) from None
        finally:
            connection.close()


def _send(
    session: "_Session", step: "_Steps", context: ssl.SSLContext, password: str, to: str, message: EmailMessage
) -> None:
    if step.server.security == "starttls":
        session.starttls(context=context)
    if step.server.account:
        step.name = "sign in"
        session.login(step.server.account, password)
    step.name = "send"
    for code, answer in (session.mail(step.server.sender), session.rcpt(to)):
        if code not in _ACCEPTED:
            raise smtplib.SMTPResponseException(code, answer)
    step.name = "hand over"
    code, answer = session.data(message.as_bytes(policy=message.policy.clone(linesep="\r\n")))
    if code != _OK:
        raise smtplib.SMTPDataError(code, answer)


_OK = 250
_ACCEPTED = frozenset({250, 251})


class _Session(smtplib.SMTP):
    """An SMTP conversation over a connection that is there already, to the address that was checked."""

    def __init__(self, server: MailServer, connection: socket.socket) -> None:
        self._connection = connection
        super().__init__(
            server.host, server.port, local_hostname=server.sender.rpartition("@")[2], timeout=CONNECT_SECONDS
        )

    def _get_socket(self, *_rest: object) -> socket.socket:
        self._connection.settimeout(CONNECT_SECONDS)
        return self._connection


class _NoAnswer(Exception):
    """Nothing came for too long."""


@dataclass(slots=True)
class _Steps:
    """How far a delivery is, so that a failure can be told from a text that may have gone through."""

    server: MailServer
    name: str = "connect"

    def is_unknown_after(self, error: Exception) -> bool:
        """The text was on its way, and the server has not refused it."""
        return self.name == "hand over" and not isinstance(error, smtplib.SMTPResponseException)

    def problem(self, error: Exception, *, is_late: bool) -> str:
        """What failed, without anything secret: of a refused sign-in only the number is told."""
        values: dict[str, object] = {"host": self.server.host, "port": self.server.port}
        if self.is_unknown_after(error):
            return _("{host}:{port} gave no reply. The message may have arrived; it isn't sent again.", **values)
        if is_late:
            seconds = f"{TOTAL_SECONDS:.0f}"
            return _("{host}:{port} didn't reply within {seconds} s.", **values, seconds=seconds)
        if isinstance(error, smtplib.SMTPResponseException) and not isinstance(error, smtplib.SMTPAuthenticationError):
            answer = _one_line(error.smtp_error)
            return _("{host}:{port} replied {code}: {answer}", **values, code=error.smtp_code, answer=answer)
        sentence, reason = next(
            ((text, of(error)) for kind, text, of in _REASONS if isinstance(error, kind)), (_ENDED, "")
        )
        return _(sentence, **values, reason=reason, seconds=f"{CONNECT_SECONDS:.0f}")


_ENDED = unsaid("{host}:{port} closed the connection.")
# The first that fits; a refusal to verify is an SSLError, and that an OSError.
_REASONS: tuple[tuple[type[Exception], str, Callable[[Any], object]], ...] = (
    (
        ssl.SSLCertVerificationError,
        unsaid("{host}:{port} has no trusted certificate: {reason}."),
        lambda error: error.verify_message,
    ),
    (ssl.SSLError, unsaid("{host}:{port} doesn't use TLS. Check the port."), lambda _error: ""),
    (
        smtplib.SMTPAuthenticationError,
        unsaid("{host}:{port} rejected the account or password ({reason})."),
        lambda error: error.smtp_code,
    ),
    (
        smtplib.SMTPNotSupportedError,
        unsaid("{host}:{port} lacks STARTTLS or sign-in; nothing was sent."),
        lambda _error: "",
    ),
    (_NoAnswer, unsaid("{host}:{port} didn't reply within {seconds} s."), lambda _error: ""),
)


def _one_line(answer: bytes | str) -> str:
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_LONGEST_ANSWER]
