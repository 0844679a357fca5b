"""The listening socket, the addresses and names under which the server answers, and its log."""

import datetime as dt
import errno
import json
import logging
import os
import re
import socket
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import urlencode, urlsplit

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.language import _

_BACKLOG = 2048
# Addresses of nobody, kept for documents: the way to them is the way out. Nothing is sent there.
_ANYWHERE = ((socket.AF_INET6, "2001:db8::1"), (socket.AF_INET, "192.0.2.1"))
_NO_FILE_LEFT = frozenset({errno.EMFILE, errno.ENFILE})


class Listener(socket.socket):
    """A listening socket that turns connections away while the system gives no more files.

    asyncio would try thousands of times, and write thousands of lines. One file is kept back, so that the connection can be taken
    and closed: whoever it was learns it at once.
    """

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._kept_back = _a_file()

    def accept(self) -> tuple[socket.socket, Any]:
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in _NO_FILE_LEFT:
                raise
            self._turn_away()
            raise BlockingIOError from error

    def close(self) -> None:
        self._kept_back.close()
        super().close()

    def _turn_away(self) -> None:
        self._kept_back.close()
        with suppress(OSError):  # another thread was faster, or whoever it was has left
            super().accept()[0].close()
        with suppress(OSError):
            self._kept_back = _a_file()


def _a_file() -> BinaryIO:
    return Path(os.devnull).open("rb")


def listen(host: str, port: int) -> Listener:
    """A listening socket. It names TCP, else asyncio would leave Nagle's delay on and each small answer waits 40 ms."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (socket.gaierror, OverflowError) as error:
        raise InvalidValue(f"There is no address '{host}', port {port}, on this machine ({error}).") from error
    listener = Listener(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name != "nt":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        raise InvalidValue(_unusable(host, port, error)) from error
    return listener


def _unusable(host: str, port: int, error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} of {host} is taken by another program. Choose another one with --port, or stop that program."
        )
    if error.errno == errno.EACCES:
        return f"Port {port} of {host} may not be used by you. Choose one from 1024 on with --port."
    return f"'{host}', port {port}, cannot be served ({error.strerror}). Choose another --host or --port."


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where a browser reaches the server: here, on this machine; and where others do, None where they cannot."""

    here: str
    elsewhere: str | None

    @property
    def for_links(self) -> str:
        """What a link begins with that somebody is given."""
        return self.elsewhere or self.here

    @property
    def is_readable_on_the_way(self) -> bool:
        """Whether what goes to and fro passes a network without TLS."""
        parts = urlsplit(self.elsewhere or "https://")
        return parts.scheme != "https" and not is_loopback(parts.hostname or "")


def addresses_of(bound: str, port: int, url: str | None = None) -> Addresses:
    """Where a server is reached that listens at an address.

    url:    where people reach it, as whoever started it says: through a proxy, say
    Raises: InvalidValue for a URL that is none
    """
    address = ip_address(bound)
    here = (
        _written("127.0.0.1" if address.version == 4 else "::1", port)
        if address.is_unspecified
        else _written(bound, port)
    )
    if url is not None:
        public = _checked(url)
        return Addresses(here + urlsplit(public).path, public)
    if address.is_loopback:
        return Addresses(here, None)
    return Addresses(here, _written(_own_address(address.version), port) if address.is_unspecified else here)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a host."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _checked(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname or not _PREFIX.fullmatch(parts.path.rstrip("/")):
        raise InvalidValue(
            f"'{url}' is no address of a server. Write it as a browser shows it: https://annotate.example.org, or "
            "https://example.org/annotate under a path."
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


# The address under which people reach the server stands in the environment, which is all that pages get from the server. With a
# path (https://example.org/annotate) every address of the program stands below it.


PUBLIC_VARIABLE = "ANNOTATOR_URL"
IN_WINDOW = "SERVED_IN_WINDOW"  # set in the server of a window: one person does everything
SSO_ONLY_VARIABLE = "ANNOTATOR_SSO_ONLY"  # what the provider is called, where local accounts are off
_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]*[A-Za-z0-9_~-])*")


def public_address(page: str | None) -> str:
    """Where people reach the server, without a slash at the end: as it was told at its start, else as `page` was reached."""
    reached = urlsplit(page or "")
    return os.environ.get(PUBLIC_VARIABLE, f"{reached.scheme}://{reached.netloc}").rstrip("/")


def path_prefix() -> str:
    """The path below which the program is served: "/annotate", or "" where a name is its own."""
    return urlsplit(os.environ.get(PUBLIC_VARIABLE, "")).path.rstrip("/")


def at(path: str) -> str:
    """The address of a route in a browser; path: as the program knows it, "/sign-out"."""
    return path_prefix() + path


def page_address(page: str, **parameters: object) -> str:
    """The address of a page and of something on it, for links that st.page_link cannot make."""
    query = urlencode(parameters)
    return at(f"/{page}?{query}" if query else f"/{page}")


def _written(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _own_address(version: int) -> str:
    """The address that this machine has towards others, else its name. Connecting a datagram socket only chooses the way."""
    for family, anywhere in _ANYWHERE[0 if version == 6 else 1 :]:
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((anywhere, 9))
            address = str(probe.getsockname()[0])
            if not ip_address(address).is_loopback:
                return address
    return socket.gethostname()


# The server's log, which is standard error: the same trouble once a minute, and a few lines of each kind in one.


_A_MINUTE = 60.0
_OF_ONE_KIND = 5
_MOST_KINDS = 1000
_MOST_KEPT = 100


@dataclass(slots=True)
class _Count:
    """How often something was said in the minute that began at `since`."""

    since: float
    n: int = 0


class Sparing(logging.Filter):
    """Lets five lines of a kind pass in a minute; the first after it says how many there were besides."""

    def __init__(self) -> None:
        super().__init__()
        self._counts: dict[tuple[str, str, str], _Count] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        now = time.monotonic()
        kind = (record.name, str(record.msg), "" if not record.exc_info else str(record.exc_info[0]))
        if len(self._counts) >= _MOST_KINDS:
            self._counts.clear()
        count = self._counts.setdefault(kind, _Count(now))
        left_out = 0
        if now - count.since >= _A_MINUTE:
            left_out = max(0, count.n - _OF_ONE_KIND)
            count.since, count.n = now, 0
        count.n += 1
        if left_out:
            record.msg, record.args = f"{record.getMessage()} (and {counted(left_out, 'time')} more since)", ()
        return count.n <= _OF_ONE_KIND


class OneLine(logging.Filter):
    """Takes the trace from what is the sender's fault, as bytes that are no text: it says nothing of this program."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Every record is written."""
        if record.exc_info and isinstance(record.exc_info[1], UnicodeError):
            record.exc_info = record.exc_text = None
        return True


class OnceAMinute(logging.Filter):
    """Lets a warning through unless the same one was written within the last minute.

    A full disk is noticed by every save of everybody; one line says it.
    """

    def __init__(self) -> None:
        super().__init__()
        self._written: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written; what comes with a trace always is."""
        if record.exc_info:
            return True
        line, now = record.getMessage(), time.monotonic()
        if now - self._written.get(line, -_A_MINUTE) < _A_MINUTE:
            return False
        if len(self._written) >= _MOST_KEPT:
            self._written.clear()
        self._written[line] = now
        return True


class JsonLines(logging.Formatter):
    """A record as a line of JSON: time (UTC), level, logger, message, and trace where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        time_of = dt.datetime.fromtimestamp(record.created, dt.UTC).isoformat(timespec="milliseconds")
        fields = {
            "time": time_of, "level": record.levelname, "logger": record.name, "message": record.getMessage(),
            **({"trace": self.formatException(record.exc_info)} if record.exc_info and record.exc_info[0] else {}),
        }  # fmt: skip
        return json.dumps(fields, ensure_ascii=False)


def begin_log(*, as_json: bool = False) -> None:
    """Warnings and errors, on standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(
        JsonLines() if as_json else logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    )
    handler.addFilter(OnceAMinute())
    handler.addFilter(Sparing())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    logging.getLogger("uvicorn.access").disabled = True  # a one-time link is an address; it must not stay in a log
    _filter(logging.getLogger("uvicorn.error"))


def take_over_log(*, as_json: bool = False) -> None:
    """After Streamlit was imported, which gives its loggers and the server's handlers of their own."""
    for name in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        room = name.partition(".")[0]
        if room == "streamlit":
            _filter(logger)
            for handler in logger.handlers if as_json else ():
                handler.setFormatter(JsonLines())
        elif room in {"uvicorn", "websockets"}:
            logger.handlers, logger.propagate = [], True
            logger.setLevel(logging.WARNING)


def _filter(logger: logging.Logger) -> None:
    logger.addFilter(OneLine())
    logger.addFilter(Sparing())


# Under which names the server answers: a page elsewhere may let its own name lead to this machine (DNS rebinding).


LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_LONGEST_SHOWN = 100
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """The hosts under which a server answers; at first those of this machine alone.

    takes_addresses: whether any address in numbers is taken, as where other machines reach the server
    """

    names: frozenset[str] = LOOPBACK
    takes_addresses: bool = False

    def allows(self, host: str) -> bool:
        """Whether a request with this `Host` is answered. No browser leaves it out; old health checks do."""
        name = host_name(host)
        if name is None:
            return False
        return not name or name in self.names or (self.takes_addresses and _is_address(name))


def allowed_hosts(bound: str, host: str, url: str | None, named: Iterable[str]) -> AllowedHosts:
    """Of a server that listens at `bound`, which was asked for as `host`, and is reached at `url`, or under other names.

    Raises: InvalidValue for a name that is none
    """
    names = LOOPBACK | {_checked_name(name) for name in named}
    if url is not None:
        names |= {host_name(urlsplit(url).netloc.rpartition("@")[2]) or ""}
    if ip_address(bound).is_loopback:
        return AllowedHosts(names | {bound, host.lower()})
    machine = socket.gethostname().lower()  # without asking anybody for a longer one
    return AllowedHosts(names | {host.lower(), machine, f"{machine}.local"}, takes_addresses=True)


def host_name(host: str) -> str | None:
    """The name in a `Host`, without its port; None for what is no host."""
    try:
        parts = urlsplit(f"//{host}")
        name = (parts.hostname or "").rstrip(".")
        is_plain = parts.netloc == host and "@" not in host and (parts.port is None or parts.port >= 0)
    except ValueError:  # a port that is no number, or half of an IPv6 address
        return None
    return name if is_plain and bool(name) == bool(host) else None


def refusal_of(host: str) -> str:
    """What is said to whoever asks for another host; in the log, too, since it may be the operator's own proxy."""
    shown = "".join(letter for letter in host if letter.isprintable())[:_LONGEST_SHOWN]
    _LOG.warning("The host '%s' was refused. If people use it for this server: --allowed-host or --url.", shown)
    return _("Unknown host '{name}'. Start the server with --allowed-host or --url (docs/server.md).", name=shown)


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def _checked_name(name: str) -> str:
    plain = host_name(name)
    if not plain or plain != name.lower().strip("[]").rstrip("."):
        raise InvalidValue(_("'{name}' is not a host. Write it like annotate.example.org.", name=name))
    return plain
