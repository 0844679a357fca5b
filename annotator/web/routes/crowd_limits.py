"""How many may stand before the crowd doors at once: so many a second from one address, so few at work in the database.

What is turned away here costs no thread and no question to the database, so that a rush takes little from those who mark
(benchmarks/crowd_rush.py measures it).
"""

import random
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from annotator.domain.project.crowd import Door
from annotator.errors import AnnotatorError, TooBusy
from annotator.language import unsaid
from annotator.web.routes.password_hashes import HashingThreads

Page = Literal["door", "begin", "end"]

RETRY_AFTER_SECONDS = 60
TOO_BUSY = 503
# Who is turned away is let go after a pause: so a rush comes no faster than it is answered, and costs nobody who marks.
PAUSE_SECONDS = 1.0
# So many at once, and so many a second after that. Of one address: a worker needs three or four in all, and a university's
# students may have one address together. Of everybody together for each page: 30 a second are 100,000 in an hour. Whoever begins
# is written down, which takes turns with the saves of those who mark: 10 a second are 36,000 in an hour.
_OF_ADDRESS = (60.0, 1.0)
_OF_ALL: dict[Page, tuple[float, float]] = {"door": (100.0, 30.0), "begin": (20.0, 10.0), "end": (100.0, 30.0)}
_MOST_ADDRESSES = 20_000
_MOST_WAITING = 32
_KNOWN_SECONDS = 2.0
_MOST_DOORS = 1_000
BUSY = unsaid("Too many people come to this link at this moment. Please come back in a minute: your place is not lost.")

Clock = Callable[[], float]


def pause_seconds() -> float:
    """Of a length of its own each time: a rush that is let go all at once would come back all at once."""
    return PAUSE_SECONDS * (0.5 + random.random())  # noqa: S311  (no secret)


class Rate:
    """A bucket of requests for each address, which fills up again with time; the addresses that came last are remembered."""

    def __init__(self, at_once: float, a_second: float, clock: Clock = time.monotonic) -> None:
        self._at_once = at_once
        self._a_second = a_second
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> None:
        """Take one request; raises TooBusy where there is none left."""
        now = self._clock()
        left, at = self._buckets.pop(address, (self._at_once, now))
        left = min(self._at_once, left + (now - at) * self._a_second)
        self._buckets[address] = (left - 1 if left >= 1 else left, now)  # who is turned away takes nothing
        if len(self._buckets) > _MOST_ADDRESSES:
            self._buckets.popitem(last=False)
        if left < 1:
            raise TooBusy(BUSY)


class KnownDoors:
    """What the database said of a door a moment ago: the door, or why nobody new comes in by it."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._answers: OrderedDict[str, tuple[float, Door | AnnotatorError]] = OrderedDict()
        self._looked_up: set[str] = set()

    def answer(self, token: str) -> Door | AnnotatorError | None:
        """None where nothing is known, or no longer."""
        at, answer = self._answers.get(token, (0.0, None))
        is_fresh = answer is not None and self._clock() - at < _KNOWN_SECONDS
        return answer if is_fresh or token in self._looked_up else None

    @contextmanager
    def looking_up(self, token: str) -> Iterator[None]:
        """While somebody looks it up anew, the others take what was known before."""
        self._looked_up.add(token)
        try:
            yield
        finally:
            self._looked_up.discard(token)

    def keep(self, token: str, answer: Door | AnnotatorError) -> None:
        """Remember it for a moment."""
        self._answers.pop(token, None)
        self._answers[token] = (self._clock(), answer)
        if len(self._answers) > _MOST_DOORS:
            self._answers.popitem(last=False)


class Limits:
    """Of each address, and of all together; whoever ends a visit is not held up by those who want to begin one."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._addresses = Rate(*_OF_ADDRESS, clock)
        self._pages = {page: Rate(*rate, clock) for page, rate in _OF_ALL.items()}

    def take(self, address: str, page: Page) -> None:
        """Take one request of an address for a page; raises TooBusy where there is none left."""
        self._addresses.take(address)
        self._pages[page].take("")


LIMITS = Limits()
DOORS = KnownDoors()
# One thread. It may hold the lock of those who save, so that it must not step back behind them while it does.
THREADS = HashingThreads(
    1, _MOST_WAITING, pause_seconds=PAUSE_SECONDS, busy=BUSY, is_for_each_address=False, steps_back=False
)
