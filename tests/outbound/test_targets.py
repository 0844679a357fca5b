"""Which addresses the server may connect to."""

import ipaddress
import threading
from collections.abc import Sequence

import pytest

from annotator.errors import DeliveryError, InvalidValue
from annotator.outbound import allowed_hosts
from annotator.outbound.allowed_hosts import Exceptions, checked_addresses, connect, why_refused
from tests.outbound.servers import silent_server

NOTHING = Exceptions()


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("127.0.0.1", "this machine"),
        ("127.8.9.10", "this machine"),
        ("0.0.0.0", "this machine"),
        ("::1", "this machine"),
        ("::", "this machine"),
        ("::ffff:127.0.0.1", "this machine"),  # mapped
        ("::ffff:10.0.0.1", "a private or reserved network"),
        ("64:ff9b::7f00:1", "this machine"),  # NAT64
        ("2002:7f00:1::", "this machine"),  # 6to4
        ("10.1.2.3", "a private or reserved network"),
        ("172.16.0.1", "a private or reserved network"),
        ("192.168.1.1", "a private or reserved network"),
        ("169.254.169.254", "a link-local address"),  # what clouds tell their machines' secrets at
        ("fe80::1", "a link-local address"),
        ("fd00::1", "a private or reserved network"),
        ("100.64.0.1", "a provider's shared network"),
        ("224.0.0.1", "a multicast address"),
        ("255.255.255.255", "a private or reserved network"),
        ("198.18.0.1", "a private or reserved network"),
    ],
)
def test_addresses_that_are_not_of_the_public_network_are_refused(address: str, reason: str) -> None:
    assert why_refused(ipaddress.ip_address(address)) == reason
    with pytest.raises(DeliveryError, match=reason):
        checked_addresses("hooks.example", 443, NOTHING, lambda *_: [address])


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
def test_public_addresses_are_taken(address: str) -> None:
    assert checked_addresses("hooks.example", 443, NOTHING, lambda *_: [address]) == [address]


def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    with pytest.raises(
        DeliveryError,
        match=r"'hooks\.example' resolves to 127\.0\.0\.1, which is this machine\. An administrator can allow it\.",
    ):
        checked_addresses("hooks.example", 443, NOTHING, lambda *_: ["93.184.215.14", "127.0.0.1"])


def test_a_number_for_an_address_is_looked_up_as_the_system_does() -> None:
    with pytest.raises(DeliveryError, match="this machine"):
        checked_addresses("2130706433", 443, NOTHING)


@pytest.mark.parametrize(
    "named", ["10.0.0.0/8", "10.1.2.3", "mail.lab.example", "MAIL.lab.example.", "x.org, 10.1.0.0/16"]
)
def test_what_an_administrator_named_may_be_private(named: str) -> None:
    assert checked_addresses("mail.lab.example", 25, Exceptions.read(named), lambda *_: ["10.1.2.3"]) == ["10.1.2.3"]


@pytest.mark.parametrize("named", ["192.168.0.0/16", "other.example", ""])
def test_what_they_did_not_name_may_not(named: str) -> None:
    with pytest.raises(DeliveryError, match=r"An administrator can allow it\."):
        checked_addresses("mail.lab.example", 25, Exceptions.read(named), lambda *_: ["10.1.2.3"])


def test_a_network_with_a_mistake_is_refused() -> None:
    with pytest.raises(
        InvalidValue, match=r"'10\.0\.0\.1/8' isn't a host or network, e\.g\. mail\.lab\.example, 10\.1\.0\.0/16\."
    ):
        Exceptions.read("10.0.0.1/8")


def test_the_name_is_looked_up_once_so_that_a_second_answer_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """DNS rebinding: the first answer passes the check, every later one leads to this machine."""
    answers = [["93.184.215.14"], ["127.0.0.1"], ["127.0.0.1"]]
    tried: list[str] = []

    def rebinding(_: str, __: int) -> Sequence[str]:
        return answers.pop(0)

    def refuse(address: tuple[str, int], _: float) -> None:
        tried.append(address[0])
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr(allowed_hosts.socket, "create_connection", refuse)
    with pytest.raises(DeliveryError, match="93.184.215.14, port 443: Connection refused"):
        connect("hooks.example", 443, NOTHING, rebinding)
    assert (tried, len(answers)) == (["93.184.215.14"], 2)


def test_a_look_up_that_never_ends_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(allowed_hosts, "LOOK_UP_SECONDS", 0.05)

    def waits(_: str, __: int) -> Sequence[str]:
        over.wait(20)
        return []

    with pytest.raises(DeliveryError, match=r"Looking up 'slow\.example' took over"):
        checked_addresses("slow.example", 443, NOTHING, waits)
    over.set()


def test_a_host_that_is_not_there_is_named() -> None:
    with pytest.raises(DeliveryError, match=r"Can't find 'nowhere\.invalid': \[Errno -2\] Name or service not known\."):
        checked_addresses("nowhere.invalid", 443, NOTHING)


def test_a_named_host_is_connected_to() -> None:
    with silent_server() as port, connect("127.0.0.1", port, Exceptions.read("127.0.0.1")) as connection:
        assert connection.getpeername() == ("127.0.0.1", port)
