"""A person's visit: who, in which project and time zone. Everything lasting is in the database; pages reach this in one place."""

import datetime as dt
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from annotator.domain.people import Role, User
from annotator.domain.projects import Project
from annotator.errors import NotSignedIn
from annotator.language import Language, _, language_of_browser, speak_otherwise
from annotator.usecases.access.accounts import Session, session_of
from annotator.usecases.databases import Store, open_store
from annotator.web.routes.access import COOKIE, DATABASE_VARIABLE

_VISIT = "visit"
_LANGUAGE = "language"
_OPEN_PAGE = "open_page"
_IS_JUST_OPENED = "is_just_opened"


@dataclass(frozen=True, slots=True)
class Visit:
    """Who is here, in which project, with which roles there.

    csrf: what the panel sends with each message to our routes
    """

    user: User
    csrf: str
    project: Project | None
    roles: frozenset[Role]


def cookie_token() -> str | None:
    """The session's token from the browser's cookie; tests replace this function."""
    return st.context.cookies.get(COOKIE)


def accepted_languages() -> str:
    """What the browser says of languages; tests replace this function."""
    return st.context.headers.get("Accept-Language", "")


def database_path() -> Path:
    """The server's database."""
    return Path(os.environ.get(DATABASE_VARIABLE, "annotator.db"))


@contextmanager
def page_store() -> Iterator[Store]:
    """The database for one run of a script: each may be on another thread, so the connection ends with it."""
    with open_store(database_path()) as store:
        yield store


def current_session(store: Store) -> Session:
    """Who is signed in; raises NotSignedIn. Asked anew on each run, so that ending a session ends it everywhere.

    From here on this tab speaks their language.
    """
    session = session_of(store, cookie_token())
    st.session_state[_LANGUAGE] = session.user.language or language_of_browser(accepted_languages())
    return session


def _language_of_tab() -> Language:
    """As the last run of a script in this tab learnt it: callbacks and fragments run before the next one, or without."""
    is_in_a_tab = get_script_run_ctx(suppress_warning=True) is not None
    return st.session_state.get(_LANGUAGE, "en") if is_in_a_tab else "en"


speak_otherwise(_language_of_tab)


def current_visit(store: Store) -> Visit:
    """The visit as the entry script set it, with the session checked again; raises NotSignedIn."""
    session = current_session(store)
    visit = st.session_state.get(_VISIT)
    if not isinstance(visit, Visit) or visit.user.id != session.user.id:
        raise NotSignedIn(_("Not signed in. Reload."))
    return replace(visit, user=session.user, csrf=session.csrf)


def last_project_id() -> int | None:
    """The project that was open in this tab before this run."""
    visit = st.session_state.get(_VISIT)
    return visit.project.id if isinstance(visit, Visit) and visit.project else None


def start_visit(visit: Visit) -> None:
    """What the entry script found out, for the page that it runs next."""
    st.session_state[_VISIT] = visit


def note_page(path: str, project_id: int | None) -> None:
    """Which page runs now, and of which project."""
    st.session_state[_IS_JUST_OPENED] = st.session_state.get(_OPEN_PAGE) != (path, project_id)
    st.session_state[_OPEN_PAGE] = (path, project_id)


def is_just_opened() -> bool:
    """Whether this tab showed another page, or another project, before this run."""
    return bool(st.session_state.get(_IS_JUST_OPENED, False))


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
