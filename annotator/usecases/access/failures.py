"""Failures to sign in: each costs whoever goes on a longer wait, so that passwords and tokens cannot be guessed."""

import datetime as dt
from collections.abc import Sequence

from annotator.domain.numbers import counted
from annotator.errors import NotAllowed
from annotator.language import _
from annotator.store import Store
from annotator.store import people as people_store
from annotator.store.connection.database import iso
from annotator.store.events import add_repeated_event

FAILURES_COUNT_FOR = dt.timedelta(minutes=15)
FAILURES_UNTIL_A_WAIT = 5
FAILURES_UNTIL_THE_LONGEST_WAIT = 20
LONGEST_WAIT_SECONDS = 15 * 60
WAIT_STEP_SECONDS = 5


def count_failure(store: Store, name: str) -> None:
    """Note a failure of a name; raises NotAllowed, and notes nothing, while the name must wait."""
    moment = store.moment()
    since, until = failures_window(moment)
    seconds = seconds_to_wait(people_store.failures_between(store, name, since, until), moment)
    if seconds > 0:
        raise NotAllowed(_("Too many failures for this name. Try again in {time}.", time=_spoken_time(seconds)))
    people_store.add_failure(store, name, since, until)


def failures_window(moment: dt.datetime) -> tuple[str, str]:
    """Between which times failures count at a moment."""
    return iso(moment - FAILURES_COUNT_FOR), iso(moment)


def seconds_to_wait(failures: Sequence[str], moment: dt.datetime) -> int:
    """How long a name must still wait after its failures of the last 15 minutes.

    From the fifth on each failure costs 5 seconds more than the one before; from the twentieth on 15 minutes.
    >>> a_minute_ago = dt.datetime(2026, 1, 31, 11, 59, tzinfo=dt.UTC)
    >>> seconds_to_wait(["2026-01-31T11:59:00.000Z"] * 16, a_minute_ago)
    60
    """
    n = len(failures)
    if n < FAILURES_UNTIL_A_WAIT:
        return 0
    wait = WAIT_STEP_SECONDS * (n - FAILURES_UNTIL_A_WAIT + 1)
    if n >= FAILURES_UNTIL_THE_LONGEST_WAIT:
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
