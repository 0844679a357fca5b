"""What several pages share, with times in the visitor's time zone, and numbers kept for all visits of a server."""

import datetime as dt
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from annotator.domain.numbers import whole_number
from annotator.domain.people import Right, has_right
from annotator.domain.projects import Project
from annotator.errors import NotFound
from annotator.language import _, listed
from annotator.usecases.access.rights import spoken
from annotator.web.frame import as_text
from annotator.web.session import Visit

_OF_WORK: frozenset[Right] = frozenset({"annotate", "review"})
READABLE = 1200  # pixels: forms and sentences are not stretched over a wide screen


def require_project(visit: Visit, *rights: Right) -> Project | None:
    """The chosen project when the person has one of the rights there; else says what to do. The use cases check again."""
    if visit.project is None:
        st.info(
            _("You have no role in a project yet. Ask a lead or an administrator for one."), icon=":material/group:"
        )
        return None
    if not any(has_right(visit.user, visit.roles, right) for right in rights):
        st.info(
            _(
                "You may not {rights} in this project. Choose another project in the sidebar, or ask its lead for a role.",
                rights=listed([spoken(right) for right in rights], "or"),
            ),
            icon=":material/lock:",
        )
        return None
    if visit.project.is_archived and _OF_WORK.issuperset(rights):
        st.info(
            _(
                "“{project}” is archived: nothing of it is given out. What you did in it is kept. Choose another project in the "
                "sidebar, or ask its lead to bring it back.",
                project=as_text(visit.project.name),
            ),
            icon=":material/archive:",
        )
        return None
    return visit.project


def asked_instance() -> int | None:
    """The instance of a deep link (?instance=…); raises NotFound for what is no number: nothing else is shown instead."""
    return _asked_number("instance")


def asked_annotation() -> int | None:
    """The annotation of a deep link (?annotation=…); raises NotFound for what is no number."""
    return _asked_number("annotation")


def _asked_number(name: str) -> int | None:
    text = st.query_params.get(name, "")
    number = whole_number(text)
    if text and number is None:
        raise NotFound(
            _(
                "The address of this page ends with {parameter}={value}, but a number is expected there. Ask whoever sent you "
                "the link for another one, or open the page from the sidebar.",
                parameter=name,
                value=text[:40],
            )
        )
    return number


def open_instance(instance_id: int) -> None:
    """What a button does that leads to an instance: on the Project page, the section in which one looks at it."""
    st.session_state["project_section"] = "Instances"
    st.query_params["instance"] = str(instance_id)


# Times as the person who looks has them: in the time zone of their browser, and named as UTC where it tells none.


_UNKNOWN = "UTC"


def visit_zone() -> tuple[str, dt.tzinfo]:
    """The time zone of the browser, with its name; UTC where it tells none that is known."""
    name = st.context.timezone or _UNKNOWN
    try:
        return name, ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return _UNKNOWN, dt.UTC


def shown_time(at: str, *, with_seconds: bool = False, is_zone_named: bool = False) -> str:
    """A stored moment to the minute, or the second; is_zone_named: what stands around it says the zone already."""
    name, zone = visit_zone()
    words = (
        f"{dt.datetime.fromisoformat(at).astimezone(zone):{'%Y-%m-%d %H:%M:%S' if with_seconds else '%Y-%m-%d %H:%M'}}"
    )
    return words if is_zone_named or name != _UNKNOWN else f"{words} {_UNKNOWN}"


def shown_day(at: str) -> str:
    """The day of a stored moment."""
    return shown_time(at, is_zone_named=True)[:10]


# Numbers that took long to make, kept for all visits of a server until newer ones need the room.


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
