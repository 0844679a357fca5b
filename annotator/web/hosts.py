"""Under which names the server answers: a page elsewhere may let its own name lead to this machine (DNS rebinding).

To the browser such a page is one of this server, so that neither origins nor cookies tell them apart: the `Host` does.
An address in numbers is nobody's name, so no page elsewhere can have it.
"""

import logging
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from annotator.errors import InvalidValue
from annotator.language import _

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
    names = LOOPBACK | {_checked(name) for name in named}
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


def _checked(name: str) -> str:
    plain = host_name(name)
    if not plain or plain != name.lower().strip("[]").rstrip("."):
        raise InvalidValue(_("'{name}' is not a host. Write it like annotate.example.org.", name=name))
    return plain
