"""Times as the person who looks has them: in the time zone of their browser, and named as UTC where it tells none."""

import datetime as dt
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

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
