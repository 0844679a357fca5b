"""How many may come to the crowd doors: so many a second from one address, and all of them one after the other.

What is turned away here costs no thread and no question to the database, and nobody comes in a heap, so that a rush takes little
from those who mark (benchmarks/crowd_rush.py measures it).
"""

import random
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

from annotator.errors import AnnotatorError, TooBusy
from annotator.language import Language, _, spoken_language, unsaid
from annotator.usecases.crowd.visits import Welcome
from annotator.web.routes.password_hashes import HashingThreads

Page = Literal["door", "begin", "end"]

RETRY_AFTER_SECONDS = 60
TOO_BUSY = 503
# Who is turned away is let go after a pause: so a rush comes no faster than it is answered, and costs nobody who marks.
PAUSE_SECONDS = 2.0
# So many at once, and so many a second after that. A worker needs three or four in all, and a room of fifty students may have
# one address together.
_OF_ADDRESS = (240.0, 2.0)
# So many a second of everybody together for each page: 15 a second are 54,000 in an hour. Whoever begins is written down, which
# takes turns with the saves of those who mark: 6 a second are 21,600 in an hour.
_A_SECOND: dict[Page, float] = {"door": 15.0, "begin": 6.0, "end": 15.0}
# A room of fifty who press the button in one moment gets in or reads that it is full within ten seconds.
_LONGEST_WAIT_SECONDS: dict[Page, float] = {"door": 5.0, "begin": 9.0, "end": 5.0}
_MOST_ADDRESSES = 20_000
_MOST_WAITING = 64  # more than have a turn within the longest wait
_KNOWN_SECONDS = 2.0
_MOST_DOORS = 1_000
BUSY = unsaid("Too many people come to this link at this moment. Please come back in a minute: your place is not lost.")

Clock = Callable[[], float]
_Key = tuple[str, Language]


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
            raise TooBusy(_(BUSY))


class Turns:
    """One after the other, so many a second, however many come at once."""

    def __init__(self, a_second: float, longest_wait: float, clock: Clock = time.monotonic) -> None:
        self._between = 1 / a_second
        self._longest_wait = longest_wait
        self._clock = clock
        self._next = 0.0

    def take(self) -> float:
        """How many seconds it is until one's turn; raises TooBusy where that is too long."""
        now = self._clock()
        turn = max(self._next, now)
        if turn - now > self._longest_wait:
            raise TooBusy(_(BUSY))
        self._next = turn + self._between
        return turn - now


class KnownDoors:
    """What the database said of a door a moment ago: the door, or why nobody new comes in by it, in each language."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._answers: OrderedDict[_Key, tuple[float, Welcome | AnnotatorError]] = OrderedDict()
        self._looked_up: set[_Key] = set()

    def answer(self, token: str) -> Welcome | AnnotatorError | None:
        """None where nothing is known, or no longer."""
        key = _key(token)
        at, answer = self._answers.get(key, (0.0, None))
        is_fresh = answer is not None and self._clock() - at < _KNOWN_SECONDS
        return answer if is_fresh or key in self._looked_up else None

    @contextmanager
    def looking_up(self, token: str) -> Iterator[None]:
        """While somebody looks it up anew, the others take what was known before."""
        key = _key(token)
        self._looked_up.add(key)
        try:
            yield
        finally:
            self._looked_up.discard(key)

    def keep(self, token: str, answer: Welcome | AnnotatorError) -> None:
        """Remember it for a moment."""
        key = _key(token)
        self._answers.pop(key, None)
        self._answers[key] = (self._clock(), answer)
        if len(self._answers) > _MOST_DOORS:
            self._answers.popitem(last=False)


def _key(token: str) -> _Key:
    """Why nobody comes in is a sentence, which is for those who read its language."""
    return token, spoken_language()


class Limits:
    """Of each address, and of all together; whoever ends a visit is not held up by those who want to begin one."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._addresses = Rate(*_OF_ADDRESS, clock)
        self._pages = {
            page: Turns(a_second, _LONGEST_WAIT_SECONDS[page], clock) for page, a_second in _A_SECOND.items()
        }

    def take(self, address: str, page: Page) -> float:
        """Take one request of an address for a page: the seconds until its turn; raises TooBusy where there is none left."""
        self._addresses.take(address)
        return self._pages[page].take()


LIMITS = Limits()
DOORS = KnownDoors()
# One thread. It may hold the lock of those who save, so that it must not step back behind them while it does.
THREADS = HashingThreads(
    1, _MOST_WAITING, pause_seconds=PAUSE_SECONDS, busy=BUSY, is_for_each_address=False, steps_back=False
)
