"""Threads for hashing passwords, which takes long because it is meant to, and a small queue before them.

Whoever waits here holds none of the threads that save other people's marks, and no connection. Whoever comes when the queue is
full is asked to come again, after a pause: so a flood of guesses comes no faster than it is answered.
"""

import asyncio
import os
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from annotator.errors import TooBusy
from annotator.language import _, unsaid

RETRY_AFTER_SECONDS = 5
_AT_ONCE = max(1, (os.cpu_count() or 1) // 4)  # each has four threads of its own, and takes 64 MiB
# Who is served and who waits, together; from one address half of them, so that one alone cannot keep others out.
_MOST = 24
_PAUSE_SECONDS = 1.0
_LESS_THAN_THE_SERVER = 10  # people who mark come first
_BUSY = unsaid("Too many people sign in at this moment. Wait a few seconds and try again.")

R = TypeVar("R")


class HashingThreads:
    """Some threads, and room for a few who wait for them."""

    def __init__(
        self, at_once: int = _AT_ONCE, most: int = _MOST, *, pause_seconds: float = _PAUSE_SECONDS, busy: str = _BUSY,
        is_for_each_address: bool = True, steps_back: bool = True,
    ) -> None:  # fmt: skip
        self._pause_seconds = pause_seconds
        self._busy = busy
        self._most_of_address = most // 2 if is_for_each_address else most
        self._threads = ThreadPoolExecutor(at_once, "hashing", _step_back if steps_back else None)
        self._most = most
        self._inside: Counter[str] = Counter()

    async def run(self, address: str, work: Callable[[], R]) -> R:
        """What the work for somebody at an address answers; raises TooBusy when there is no room to wait for it."""
        if self._inside.total() >= self._most or self._inside[address] >= self._most_of_address:
            await asyncio.sleep(self._pause_seconds)
            raise TooBusy(_(self._busy))
        self._inside[address] += 1
        try:
            # with the context of the request, which says in which language it is answered
            return await asyncio.get_running_loop().run_in_executor(self._threads, copy_context().run, work)
        finally:
            self._inside -= Counter([address])  # and nothing is kept of who has left


def _step_back() -> None:
    """Only Linux has a priority for a single thread; argon2's own threads inherit it."""
    if sys.platform == "linux":
        os.nice(_LESS_THAN_THE_SERVER)


THREADS = HashingThreads()
