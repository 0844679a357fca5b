"""Hosts that the server may connect to: looked up once, checked, and connected to at the very address that was checked.

A name that leads elsewhere at a second look-up (DNS rebinding) changes nothing, since there is no second one.
"""

import ipaddress
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Self

from annotator.errors import DeliveryError, InvalidValue
from annotator.language import _

CONNECT_SECONDS = 5.0
LOOK_UP_SECONDS = 5.0
TOTAL_SECONDS = 20.0
_TRIED = 3  # addresses of a name

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
Resolver = Callable[[str, int], Sequence[str]]

_SHARED = ipaddress.ip_network("100.64.0.0/10")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Exceptions:
    """Hosts and networks that an administrator named, which may be private."""

    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()

    @classmethod
    def read(cls, text: str) -> "Exceptions":
        """As they were written: names, addresses and networks with commas or blanks between them.

        >>> Exceptions.read("mail.lab.example, 10.1.0.0/16").hosts
        frozenset({'mail.lab.example'})
        """
        hosts: set[str] = set()
        networks: list[Network] = []
        for word in text.replace(",", " ").split():
            if "/" in word or _as_address(word) is not None:
                networks.append(_network(word))
            else:
                hosts.add(word.lower().rstrip("."))
        return cls(frozenset(hosts), tuple(networks))

    def allow(self, host: str, address: Address) -> bool:
        """Whether a private address of a host was meant."""
        return host.lower().rstrip(".") in self.hosts or any(
            address.version == network.version and address in network for network in self.networks
        )


def _network(word: str) -> Network:
    try:
        return ipaddress.ip_network(word)
    except ValueError:
        raise InvalidValue(
            _("'{word}' isn't a host or network, e.g. mail.lab.example, 10.1.0.0/16.", word=word)
        ) from None


def _as_address(text: str) -> Address | None:
    try:
        return ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None


def why_refused(address: Address) -> str | None:
    """What kind of address nobody outside is reached at; None for one of the public network.

    >>> why_refused(ipaddress.ip_address("::ffff:127.0.0.1"))
    'this machine'
    """
    inner = _embedded(address)
    if inner is not None:
        return why_refused(inner)
    kinds = (
        (address.is_loopback or address.is_unspecified, _("this machine")),
        (address.is_link_local, _("a link-local address")),
        (address.is_multicast, _("a multicast address")),
        (address.version == 4 and address in _SHARED, _("a provider's shared network")),
        (not address.is_global, _("a private or reserved network")),
    )
    return next((words for is_so, words in kinds if is_so), None)


def _embedded(address: Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address leads to: mapped, 6to4, Teredo, NAT64."""
    if isinstance(address, IPv4Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    teredo = address.teredo
    return address.ipv4_mapped or address.sixtofour or (teredo[1] if teredo else None)


def resolve(host: str, port: int) -> Sequence[str]:
    """The addresses of a host, as the system knows them."""
    answers = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


def checked_addresses(host: str, port: int, exceptions: Exceptions, resolver: Resolver = resolve) -> list[str]:
    """The addresses of a host, each of which may be connected to. Raises DeliveryError naming the first that may not."""
    addresses = _looked_up(host, port, resolver)
    for text in addresses:
        address = _as_address(text)
        if address is None:
            raise DeliveryError(_("'{host}' has an unreadable address: {text}.", host=host, text=text[:60]))
        reason = why_refused(address)
        if reason is not None and not exceptions.allow(host, address):
            raise DeliveryError(
                _(
                    "'{host}' resolves to {text}, which is {reason}. An administrator can allow it.",
                    host=host,
                    text=text,
                    reason=reason,
                )
            )
    return addresses


def _looked_up(host: str, port: int, resolver: Resolver) -> list[str]:
    """A look-up has no time limit of its own: it is waited for so long and then left alone."""
    answer: list[str] = []
    problems: list[str] = []

    def look_up() -> None:
        try:
            answer.extend(resolver(host, port))
        except (OSError, UnicodeError) as error:
            problems.append(str(error))

    thread = threading.Thread(target=look_up, daemon=True)
    thread.start()
    thread.join(LOOK_UP_SECONDS)
    if thread.is_alive():
        raise DeliveryError(
            _("Looking up '{host}' took over {seconds} s.", host=host, seconds=f"{LOOK_UP_SECONDS:.0f}")
        )
    if not answer:
        raise DeliveryError(
            _("Can't find '{host}': {reason}.", host=host, reason=problems[0])
            if problems
            else _("Can't find '{host}'.", host=host)
        )
    return answer


def connect(host: str, port: int, exceptions: Exceptions, resolver: Resolver = resolve) -> socket.socket:
    """A connection to one of the checked addresses. Raises DeliveryError saying why there is none."""
    problem = ""
    for address in checked_addresses(host, port, exceptions, resolver)[:_TRIED]:
        try:
            return socket.create_connection((address, port), CONNECT_SECONDS)
        except OSError as error:
            reason = _("no reply") if isinstance(error, TimeoutError) else (error.strerror or str(error))
            problem = _("{address}, port {port}: {reason}", address=address, port=port, reason=reason)
    raise DeliveryError(_("Can't connect to '{host}' ({problem}).", host=host, problem=problem))


class Deadline:
    """Cuts a connection when all of what is done with it takes too long: who sends a byte now and then is no exception."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._handle = connection.dup()  # the same connection, also when it is encrypted from then on
        self._timer = threading.Timer(seconds, self._cut)
        self._timer.daemon = True
        self.is_over = False

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()
        self._timer.join()
        self._handle.close()

    def _cut(self) -> None:
        self.is_over = True
        with suppress(OSError):
            self._handle.shutdown(socket.SHUT_RDWR)
