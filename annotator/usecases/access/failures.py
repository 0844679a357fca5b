"""Failures to sign in: each costs whoever goes on a longer wait, so that passwords and tokens cannot be guessed.

They count for a name and the address that they came from, so that nobody keeps somebody else out by failing for them. Guesses
from many addresses make the name wait for all who were never signed in, and not for the browsers of its owner.
"""

import datetime as dt
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha512
from ipaddress import IPv6Address, ip_address, ip_network

from annotator.domain.numbers import counted
from annotator.errors import NotAllowed
from annotator.language import _
from annotator.store import Store
from annotator.store import people as people_store
from annotator.store.connection.database import iso
from annotator.store.events import add_repeated_event
from annotator.store.project.crowd import platform_secret

_OF_ALL_UNTIL_A_WAIT = 30  # from all addresses together
_OF_ALL_UNTIL_THE_LONGEST_WAIT = 100
FAILURES_COUNT_FOR = dt.timedelta(minutes=15)
FAILURES_UNTIL_A_WAIT = 5
FAILURES_UNTIL_THE_LONGEST_WAIT = 20
LONGEST_WAIT_SECONDS = 15 * 60
WAIT_STEP_SECONDS = 5


@dataclass(frozen=True, slots=True)
class Sender:
    """Where an attempt to sign in comes from. browser: of the account itself, if it was signed in there before."""

    address: str = ""
    browser: str | None = None


def count_failure(store: Store, name: str, sender: Sender) -> None:
    """Note a failure of a name; raises NotAllowed, and notes nothing, while the name must wait."""
    moment = store.moment()
    since, until = failures_window(moment)
    key = counted_as(store, name, sender)
    seconds = seconds_to_wait(people_store.failures_between(store, key, since, until), moment)
    if sender.browser is None:
        of_all = people_store.failures_between(store, name, since, until)
        longest = _OF_ALL_UNTIL_THE_LONGEST_WAIT
        seconds = max(seconds, seconds_to_wait(of_all, moment, free=_OF_ALL_UNTIL_A_WAIT, until_longest=longest))
        _refuse(seconds)
        people_store.add_failure(store, name, since, until)
    _refuse(seconds)
    people_store.add_failure(store, key, since, until)


def forget_failure(store: Store, name: str, sender: Sender) -> None:
    """It was none: the attempt that was counted last succeeded."""
    people_store.clear_failures(store, counted_as(store, name, sender))
    if sender.browser is None:
        people_store.forget_last_failure(store, name)


def counted_as(store: Store, name: str, sender: Sender) -> str:
    """What failures from one place are counted under: longer than any name, and nobody reads name or address in it."""
    origin = f"browser {sender.browser}" if sender.browser else f"address {_network(sender.address)}"
    secret = platform_secret(store)
    return f"from {hmac.new(secret, f'{origin} {name.casefold()}'.encode('utf-8', 'replace'), sha512).hexdigest()}"


def _network(address: str) -> str:
    """Of IPv6 the half that one customer has as a whole."""
    try:
        ip = ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, IPv6Address) and ip.ipv4_mapped is None:
        return str(ip_network((ip, 64), strict=False))
    return str(getattr(ip, "ipv4_mapped", None) or ip)


def _refuse(seconds: int) -> None:
    if seconds > 0:
        raise NotAllowed(_("Too many failures for this name. Try again in {time}.", time=_spoken_time(seconds)))


def failures_window(moment: dt.datetime) -> tuple[str, str]:
    """Between which times failures count at a moment."""
    return iso(moment - FAILURES_COUNT_FOR), iso(moment)


def seconds_to_wait(
    failures: Sequence[str],
    moment: dt.datetime,
    *,
    free: int = FAILURES_UNTIL_A_WAIT,
    until_longest: int = FAILURES_UNTIL_THE_LONGEST_WAIT,
) -> int:
    """How long a name must still wait after its failures of the last 15 minutes.

    From the fifth on each failure costs 5 seconds more than the one before; from the twentieth on 15 minutes. From all
    addresses together that begins with the thirtieth and the hundredth.
    >>> a_minute_ago = dt.datetime(2026, 1, 31, 11, 59, tzinfo=dt.UTC)
    >>> seconds_to_wait(["2026-01-31T11:59:00.000Z"] * 16, a_minute_ago)
    60
    """
    n = len(failures)
    if n < free:
        return 0
    wait = WAIT_STEP_SECONDS * (n - free + 1)
    if n >= until_longest:
        wait = LONGEST_WAIT_SECONDS
    since = (moment - dt.datetime.fromisoformat(failures[-1])).total_seconds()
    return max(0, round(wait - since))


def _spoken_time(seconds: int) -> str:
    if seconds < 100:
        return counted(seconds, "second")
    return counted(-(-seconds // 60), "minute")


def note_failure(store: Store, name: str) -> None:
    """Write a failure of a name into the record."""
    with store.transaction():
        user = people_store.find_user(store, name)
        # An unknown name is often a password typed into the wrong field: it does not belong into the record.
        add_repeated_event(
            store, user.name if user else "unknown", "fail to sign in", "user", user.id if user else None
        )
