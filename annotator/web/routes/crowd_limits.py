"""How many may stand before the crowd doors at once: so many a second from one address, so few at work in the database.

What stands here costs no thread and no question to the database, so that a rush at a door holds up nobody who marks.
"""

import time
from collections import OrderedDict
from collections.abc import Callable

from annotator.domain.project.crowd import Door
from annotator.errors import AnnotatorError, TooBusy
from annotator.web.routes.password_hashes import HashingThreads

RETRY_AFTER_SECONDS = 60
TOO_BUSY = 503
# Of one address: so many at once, and so many a second after that. A worker needs three or four in all; a university's
# students may have one address together.
_AT_ONCE, _A_SECOND = 60.0, 1.0
_MOST_ADDRESSES = 20_000
_MOST_WAITING = 32
_KNOWN_SECONDS = 2.0
_MOST_DOORS = 1_000
_BUSY = "Too many people come to this link at this moment. Please come back in a minute: your place is not lost."

Clock = Callable[[], float]


class AddressRate:
    """A bucket of requests for each address, which fills up again with time; the addresses that came last are remembered."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> None:
        """Take one request; raises TooBusy where there is none left."""
        now = self._clock()
        left, at = self._buckets.pop(address, (_AT_ONCE, now))
        left = min(_AT_ONCE, left + (now - at) * _A_SECOND)
        self._buckets[address] = (max(0.0, left - 1), now)
        if len(self._buckets) > _MOST_ADDRESSES:
            self._buckets.popitem(last=False)
        if left < 1:
            raise TooBusy(_BUSY)


class KnownDoors:
    """What the database said of a door a moment ago: the door, or why nobody new comes in by it."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._answers: OrderedDict[str, tuple[float, Door | AnnotatorError]] = OrderedDict()

    def answer(self, token: str) -> Door | AnnotatorError | None:
        """None where nothing is known, or no longer."""
        at, answer = self._answers.get(token, (0.0, None))
        return answer if answer is not None and self._clock() - at < _KNOWN_SECONDS else None

    def keep(self, token: str, answer: Door | AnnotatorError) -> None:
        """Remember it for a moment."""
        self._answers.pop(token, None)
        self._answers[token] = (self._clock(), answer)
        if len(self._answers) > _MOST_DOORS:
            self._answers.popitem(last=False)


RATE = AddressRate()
DOORS = KnownDoors()
# One thread, behind everybody who marks; nobody waits before they are sent away.
THREADS = HashingThreads(1, _MOST_WAITING, pause_seconds=0.0, busy=_BUSY, is_for_each_address=False)
