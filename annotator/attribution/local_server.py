"""A language model behind an OpenAI-compatible address of this machine, as whoever runs the program set it in the environment.

The standard library's `http.client` asks it: it follows no redirect, knows no proxy, unpacks nothing, and lets us connect to the
very address that was checked. What a server says of an error is not repeated, since it may hold the key.
"""

import http.client
import ipaddress
import json
import os
import re
import socket
import ssl
import stat
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from annotator.errors import InvalidValue, ModelError
from annotator.language import _

ADDRESS_VARIABLE = "ANNOTATOR_MODEL_ADDRESS"
KEY_VARIABLE = "ANNOTATOR_MODEL_KEY"
KEY_FILE_VARIABLE = "ANNOTATOR_MODEL_KEY_FILE"
SECONDS_VARIABLE = "ANNOTATOR_MODEL_SECONDS"
HOURS_VARIABLE = "ANNOTATOR_MODEL_HOURS"

DOWN = "not asked, as nothing answers at the address"
SLOW = "not answered in time"
REDIRECTED = "answered with a redirect, which is not followed"
TOO_LARGE = "answered with more than is read"
NONSENSE = "answered with what is no answer of this interface"
SERVER_FAILURES = frozenset({DOWN, SLOW, REDIRECTED})

_HOSTS = frozenset({"127.0.0.1", "::1", "localhost"})
_SECONDS, _HOURS = 120.0, 12.0
_LARGEST_ANSWER = 4 * 2**20
_CHUNK = 2**16
_LONGEST_KEY = 4_096
_PATH = re.compile(r"[!-~]*")
_OTHERS_MAY_READ = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class LocalAddress:
    """Where a model is asked, and for how long it is waited.

    seconds: for a request, from its beginning to the last byte of its answer; hours: for all requests of one piece of work
    """

    scheme: str
    host: str
    port: int
    path: str
    seconds: float = _SECONDS
    hours: float = _HOURS
    key: str = field(default="", repr=False)


def configured_address() -> LocalAddress | None:
    """What the environment says; None where it names no address.

    Raises: InvalidValue, without the key, for an address that is not one of this machine, and for a key that others may read
    """
    written = os.environ.get(ADDRESS_VARIABLE, "").strip()
    if not written:
        return None
    scheme, host, port, path = _parts(written)
    seconds = _positive(SECONDS_VARIABLE, _SECONDS)
    return LocalAddress(scheme, host, port, path, seconds, _positive(HOURS_VARIABLE, _HOURS), _key())


def ask(address: LocalAddress, request: Mapping[str, object]) -> object:
    """What the server answers to a chat completion, from JSON. Raises: ModelError, whose reason is one of those above."""
    exchange = _Exchange(address)
    try:
        return _decoded(exchange.run(json.dumps(request).encode()))
    except ssl.SSLCertVerificationError:
        message = _("Untrusted model server certificate. Set SSL_CERT_FILE to its CA.")
        raise _failure(message, NONSENSE) from None
    except (OSError, http.client.HTTPException) as error:
        if exchange.is_late or isinstance(error, TimeoutError):
            raise _failure(
                _("No reply from the model within {seconds} s.", seconds=f"{address.seconds:g}"), SLOW
            ) from None
        if isinstance(error, ConnectionRefusedError | socket.gaierror) or not exchange.is_connected:
            raise _failure(
                _("No reply from {address}. Is the server running?", address=_shown(address)), DOWN
            ) from None
        raise _failure(_("The server disconnected or sent an invalid response."), NONSENSE) from None
    finally:
        exchange.close()


def _parts(written: str) -> tuple[str, str, int, str]:
    try:
        url = urlsplit(written)
        host, port = url.hostname or "", url.port
    except ValueError:
        raise _no_url() from None
    if url.username is not None or url.password is not None:
        raise InvalidValue(
            _("Put the key in {key_variable}, not {variable}.", variable=ADDRESS_VARIABLE, key_variable=KEY_VARIABLE)
        )
    if url.scheme not in {"http", "https"} or url.query or url.fragment:
        raise _no_url()
    if host not in _HOSTS:
        raise InvalidValue(_elsewhere(host[:80]))
    if not _PATH.fullmatch(url.path):
        raise _no_url()
    return url.scheme, host, port or (443 if url.scheme == "https" else 80), f"{url.path.rstrip('/')}/chat/completions"


def _no_url() -> InvalidValue:
    return InvalidValue(_("{variable} must be a URL like http://127.0.0.1:11434/v1.", variable=ADDRESS_VARIABLE))


def _elsewhere(host: str) -> str:
    return _("'{host}' isn't this machine. Use 127.0.0.1, ::1 or localhost.", host=host)


def _positive(variable: str, usual: float) -> float:
    written = os.environ.get(variable, "").strip()
    try:
        number = float(written) if written else usual
    except ValueError:
        number = 0.0
    if not 0 < number <= 100_000:
        raise InvalidValue(_("{variable} must be above 0, up to 100,000.", variable=variable))
    return number


def _key() -> str:
    key, file = os.environ.get(KEY_VARIABLE, "").strip(), os.environ.get(KEY_FILE_VARIABLE, "").strip()
    if key and file:
        raise InvalidValue(
            _(
                "Set either {key_variable} or {key_file_variable}.",
                key_variable=KEY_VARIABLE,
                key_file_variable=KEY_FILE_VARIABLE,
            )
        )
    key = _key_in(Path(file)) if file else key
    if len(key) > _LONGEST_KEY or not all("!" <= character <= "~" for character in key):
        raise InvalidValue(_("The model server's key is invalid or too long."))
    return key


def _key_in(path: Path) -> str:
    """The key in a file that nobody else may read."""
    try:
        with path.open("rb") as file:
            rights = os.fstat(file.fileno())
            if not stat.S_ISREG(rights.st_mode) or rights.st_mode & _OTHERS_MAY_READ:
                raise InvalidValue(_("Others can read the key file. Run: chmod 600 '{path}'", path=path))
            return file.read(_LONGEST_KEY + 2).decode("ascii", "replace").strip()
    except OSError as error:
        raise InvalidValue(
            _(
                "Can't read '{path}' (from {key_file_variable}): {reason}.",
                path=path,
                key_file_variable=KEY_FILE_VARIABLE,
                reason=error.strerror,
            )
        ) from None


class _Exchange:
    """One request and its answer. A timer shuts the connection at the end of the time, whatever the server is doing then."""

    def __init__(self, address: LocalAddress) -> None:
        self.address = address
        self.is_late = False
        self.is_connected = False
        self._socket: socket.socket | None = None
        self._until = time.monotonic() + address.seconds
        self._timer = threading.Timer(address.seconds, self._end)
        self._timer.daemon = True
        self._timer.start()

    def run(self, body: bytes) -> bytes:
        connection = http.client.HTTPConnection(self.address.host, self.address.port)
        connection.sock = self._connected()
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
        if self.address.key:
            headers["Authorization"] = f"Bearer {self.address.key}"
        connection.request("POST", self.address.path, body, headers)
        with closing(connection.getresponse()) as response:
            return self._body_of(response)

    def _body_of(self, response: http.client.HTTPResponse) -> bytes:
        if 300 <= response.status < 400:
            raise _failure(_("The server sent a redirect."), REDIRECTED)
        if response.status != HTTPStatus.OK:
            raise _failure(
                _("The server returned status {status}.", status=_named(response.status)), refused_with(response.status)
            )
        return self._read(response)

    def close(self) -> None:
        self._timer.cancel()
        if self._socket is not None:
            self._socket.close()

    def _connected(self) -> socket.socket:
        """A connection to an address that was checked after the name was looked up, encrypted where that is wanted."""
        refusal: OSError = ConnectionRefusedError()
        for family, socket_address in _own_addresses(self.address):
            plain = socket.socket(family, socket.SOCK_STREAM)
            self._socket = plain
            plain.settimeout(max(0.001, self._until - time.monotonic()))
            try:
                plain.connect(socket_address)
            except OSError as error:
                plain.close()
                refusal = error
                continue
            self.is_connected = True
            return self._encrypted(plain) if self.address.scheme == "https" else plain
        raise refusal

    def _encrypted(self, plain: socket.socket) -> socket.socket:
        context = ssl.create_default_context()
        encrypted = context.wrap_socket(plain, server_hostname=self.address.host, do_handshake_on_connect=False)
        self._socket = encrypted
        encrypted.do_handshake()
        return encrypted

    def _read(self, response: http.client.HTTPResponse) -> bytes:
        """The answer up to what is read at most; nothing more is ever held."""
        parts: list[bytes] = []
        n_bytes = 0
        while chunk := response.read(_CHUNK):
            parts.append(chunk)
            n_bytes += len(chunk)
            if n_bytes > _LARGEST_ANSWER:
                raise _failure(_("The response exceeds {size} MB.", size=_LARGEST_ANSWER // 2**20), TOO_LARGE)
        if self.is_late:
            raise TimeoutError
        return b"".join(parts)

    def _end(self) -> None:
        self.is_late = True
        if self._socket is not None:
            try:
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)  # also of an encrypted one, without its farewell
            except OSError:
                return


def _own_addresses(address: LocalAddress) -> Sequence[tuple[socket.AddressFamily, tuple[str, int]]]:
    """What the host's name stands for now. Raises: ModelError where one of them is another machine."""
    looked_up = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    targets = [(family, (str(target[0]), int(target[1]))) for family, _kind, _protocol, _name, target in looked_up]
    for _family, (number, _port) in targets:
        if not ipaddress.ip_address(number.partition("%")[0]).is_loopback:
            raise _failure(_elsewhere(address.host), DOWN)
    return targets


def _decoded(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise _failure(_("The server disconnected or sent an invalid response."), NONSENSE) from None


def refused_with(status: int) -> str:
    """The reason of a failure by its status, in words that follow a number of texts."""
    return f"answered with the status {_named(status)}"


def _named(status: int) -> str:
    try:
        return f"{status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return str(status)


def _shown(address: LocalAddress) -> str:
    host = f"[{address.host}]" if ":" in address.host else address.host
    return f"{address.scheme}://{host}:{address.port}"


def _failure(message: str, reason: str) -> ModelError:
    return ModelError(message, reason=reason)
