"""One signed call of the https address that an administrator named."""

import hashlib
import hmac
import http.client
import socket
import ssl
from contextlib import closing
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from annotator.errors import DeliveryError, InvalidValue
from annotator.language import _
from annotator.outbound import allowed_hosts

_LONGEST = 2_000  # characters
_HTTPS = 443


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where it is called. Its path may hold a secret of the receiver, so it is not written to any log."""

    url: str
    exceptions: allowed_hosts.Exceptions = field(default_factory=allowed_hosts.Exceptions)

    def __post_init__(self) -> None:
        _checked(self.url)

    @property
    def host(self) -> str:
        return _checked(self.url).hostname or ""

    @property
    def port(self) -> int:
        return _checked(self.url).port or _HTTPS

    @property
    def path(self) -> str:
        """What is asked for there."""
        parts = _checked(self.url)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")


def _checked(url: str) -> SplitResult:
    refusal = InvalidValue(_("Use an address like https://hooks.lab.example/annotator, without credentials or #."))
    try:
        parts = urlsplit(url)
        has_port = parts.port is None or parts.port > 0
    except ValueError:
        raise refusal from None
    is_plain = len(url) <= _LONGEST and url.isascii() and url.isprintable() and " " not in url and "\\" not in url
    if (
        not (is_plain and has_port and parts.scheme == "https" and parts.hostname)
        or "@" in parts.netloc
        or parts.fragment
    ):
        raise refusal
    return parts


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """HMAC-SHA256 over the time, a dot and the body, in hexadecimal: who knows the secret can tell that it was we, and when."""
    return hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def call(
    hook: Webhook,
    secret: str,
    body: bytes,
    *,
    timestamp: str,
    number: str,
    resolver: allowed_hosts.Resolver = allowed_hosts.resolve,
) -> None:
    """Post a JSON body. Raises DeliveryError; `may_have_arrived` where it was sent and nobody answered.

    number: of the message, in a header, by which a receiver tells one that they have
    """
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "annotator",
        "X-Annotator-Message": number,
        "X-Annotator-Timestamp": timestamp,
        "X-Annotator-Signature": f"sha256={signature(secret, timestamp, body)}",
        "Connection": "close",
    }
    status = _posted(hook, body, headers, resolver)
    if 300 <= status < 400:
        raise DeliveryError(_("{host} redirects ({status}). Use the final address.", host=hook.host, status=status))
    if not 200 <= status < 300:
        raise DeliveryError(_("Webhook {host} replied {status}.", host=hook.host, status=status))


def _posted(hook: Webhook, body: bytes, headers: dict[str, str], resolver: allowed_hosts.Resolver) -> int:
    connection = allowed_hosts.connect(hook.host, hook.port, hook.exceptions, resolver)
    is_sent = False
    with allowed_hosts.Deadline(connection, allowed_hosts.TOTAL_SECONDS) as deadline:
        try:
            connection = ssl.create_default_context().wrap_socket(connection, server_hostname=hook.host)
            with closing(Session(hook.host, hook.port, connection)) as session:
                is_sent = True  # from the first byte on, nobody knows what the other side makes of it
                session.request("POST", hook.path, body, headers)
                return session.getresponse().status
        except (OSError, http.client.HTTPException) as error:
            raise DeliveryError(
                _problem(hook, error, is_sent=is_sent, is_late=deadline.is_over), may_have_arrived=is_sent
            ) from None
        finally:
            connection.close()


class Session(http.client.HTTPConnection):
    """HTTP over a connection that is there already, to the address that was checked; it follows nothing and asks no proxy."""

    def __init__(self, host: str, port: int, connection: socket.socket) -> None:
        super().__init__(host, port, timeout=allowed_hosts.CONNECT_SECONDS)
        self._connection = connection
        self.default_port = _HTTPS if isinstance(connection, ssl.SSLSocket) else self.default_port

    def connect(self) -> None:
        self.sock = self._connection


def _problem(hook: Webhook, error: Exception, *, is_sent: bool, is_late: bool) -> str:
    if is_sent:
        return _(
            "{host}:{port} gave no reply. The message may have arrived; it isn't sent again.",
            host=hook.host,
            port=hook.port,
        )
    return problem_of(hook.host, hook.port, error, is_late=is_late)


def problem_of(host: str, port: int, error: Exception, *, is_late: bool) -> str:
    """What kept a host from answering, in a sentence."""
    if is_late or isinstance(error, TimeoutError):
        seconds = allowed_hosts.TOTAL_SECONDS if is_late else allowed_hosts.CONNECT_SECONDS
        return _("{host}:{port} didn't reply within {seconds} s.", host=host, port=port, seconds=f"{seconds:.0f}")
    if isinstance(error, ssl.SSLCertVerificationError):
        return _(
            "{host}:{port} has no trusted certificate: {reason}.", host=host, port=port, reason=error.verify_message
        )
    if isinstance(error, ssl.SSLError):
        return _("{host}:{port} doesn't use TLS. Check the port.", host=host, port=port)
    return _("{host}:{port} closed the connection.", host=host, port=port)
