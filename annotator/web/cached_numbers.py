"""Numbers that took long to make, kept for all visits of a server: until newer ones need the room, or something has happened."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _
from annotator.usecases.databases import Store
from annotator.usecases.project.projects import Progress, events_of
from annotator.web.session import Visit, database_path

T = TypeVar("T")


class ValueCache:
    """Values by what made them. Whoever gets one leaves it as it is, since others get the same one.

    most: the sum of the weights that are kept; the longest unused go first, the newest is always kept
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._values: OrderedDict[Hashable, tuple[object, int]] = OrderedDict()

    def get(self, key: Hashable, kind: type[T]) -> T | None:
        """What is kept under a key, or None."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            value = self._values[key][0]
        return value if isinstance(value, kind) else None

    def put(self, key: Hashable, value: object, weight: int = 1) -> None:
        with self._lock:
            self._values.pop(key, None)
            self._values[key] = (value, weight)
            while len(self._values) > 1 and sum(heavy for _, heavy in self._values.values()) > self._most:
                self._values.popitem(last=False)

    def get_or_make(self, key: Hashable, kind: type[T], make: Callable[[], T], weight_of: Callable[[T], int]) -> T:
        """What is kept, else what is made now; two that ask at the same moment may both make it."""
        value = self.get(key, kind)
        if value is None:
            value = make()
            self.put(key, value, weight_of(value))
        return value


# Numbers of a project's work, counted anew only when something has happened since: they are counted over all of it.


_LONG_SECONDS = 0.3
_REST = 20  # times as long as they took to count, numbers that took long are shown though something has happened since


@dataclass(frozen=True, slots=True)
class Kept:
    """A value, as of what it was made, when, and how long that took."""

    value: object
    made_of: Hashable
    at: float
    seconds: float

    def holds(self, made_of: Hashable) -> bool:
        is_long = self.seconds > _LONG_SECONDS
        return self.made_of == made_of or (is_long and time.monotonic() - self.at < _REST * self.seconds)


@st.cache_resource(show_spinner=False)
def cache_of(what: str, most: int) -> ValueCache:  # noqa: ARG001  (each has one of its own)
    """Values that are kept for all visits of a server. most: as of ValueCache."""
    return ValueCache(most)


def kept(
    store: Store, visit: Visit, project: Project, progress: Progress, what: Hashable, kind: type[T], make: Callable[[], T]
) -> T:  # fmt: skip
    """What was made under these words as of the newest event; whoever asks has the right, which `progress` proves.

    That work was given out is no event; the counts that are kept tell it. What is said of today, or as days ago, changes
    with the hour. Where a hundred people work there is always something newer, so numbers that took long rest for a while.
    """
    newest = tuple(event.id for event in events_of(store, visit.user, project.id, limit=1))
    counts = (tuple(sorted(progress.instances.items())), str(progress.people))
    hour = store.moment().strftime("%Y-%m-%d %H")
    key, made_of = (str(database_path().resolve()), project.id, what), (newest, counts, hour)
    cache = cache_of("progress", 200)
    known = cache.get(key, Kept)
    if known is not None and known.holds(made_of) and isinstance(known.value, kind):
        return known.value
    began = time.monotonic()
    with st.spinner(_("Computing …")):
        value = make()
    now = time.monotonic()
    cache.put(key, Kept(value, made_of, now, now - began))
    return value
