"""Numbers of a project's work, counted anew only when something has happened since: they are counted over all of it."""

import datetime as dt
from collections.abc import Callable, Hashable
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from annotator.domain.projects import Project
from annotator.usecases.databases import Store
from annotator.usecases.project.projects import Progress, events_of
from annotator.web.cached_numbers import ValueCache
from annotator.web.session import Visit, database_path

T = TypeVar("T")


@st.cache_resource(show_spinner=False)
def _numbers() -> ValueCache:
    return ValueCache(most=200)


def kept(
    store: Store, visit: Visit, project: Project, progress: Progress, what: Hashable, kind: type[T], make: Callable[[], T]
) -> T:  # fmt: skip
    """What was made under these words as of the newest event; whoever asks has the right, which `progress` proves.

    That work was given out is no event; the counts that are kept tell it. What is said of today, or as days ago, changes
    with the hour.
    """
    newest = tuple(event.id for event in events_of(store, visit.user, project.id, limit=1))
    counts = (tuple(sorted(progress.instances.items())), str(progress.people))
    hour = store.moment().strftime("%Y-%m-%d %H")
    key = (str(database_path().resolve()), project.id, newest, counts, hour, what)
    return _numbers().get_or_make(key, kind, make, lambda _: 1)


def visit_zone() -> tuple[str, dt.tzinfo]:
    """The time zone of the browser, with its name; UTC where it tells none that is known."""
    name = st.context.timezone or "UTC"
    try:
        return name, ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return "UTC", dt.UTC
