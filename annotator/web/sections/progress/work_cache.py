"""Numbers of a project's work, counted anew only when something has happened since: they are counted over all of it."""

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar

import streamlit as st

from annotator.domain.projects import Project
from annotator.language import _
from annotator.usecases.databases import Store
from annotator.usecases.project.projects import Progress, events_of
from annotator.web.page_parts import ValueCache
from annotator.web.session import Visit, database_path

T = TypeVar("T")

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
def _numbers() -> ValueCache:
    return ValueCache(most=200)


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
    known = _numbers().get(key, Kept)
    if known is not None and known.holds(made_of) and isinstance(known.value, kind):
        return known.value
    began = time.monotonic()
    with st.spinner(_("Counting …")):
        value = make()
    now = time.monotonic()
    _numbers().put(key, Kept(value, made_of, now, now - began))
    return value
