"""A button whose press is not lost.

Streamlit gives a press to one run of the script. When something else on the page reports before that run has come to the
button (a box that is ticked right after), the run is broken off, and the next one does not know of the press. What a press
calls (`on_click`) runs before the script, though: so it is noted there, and taken when a run comes to the button. The button of
a form is pressed with what its fields hold; that is noted as well, since the browser may have cleared them by then.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.projects import Project
from annotator.language import _

_NOTED = "presses"
_WAITS_SECONDS = 60  # a button that was not drawn again by then is not pressed when it comes back


@dataclass(frozen=True, slots=True)
class _Rest:
    """A project does not change now. reads: how the keys of those buttons begin that are of use all the same."""

    reason: str
    reads: tuple[str, ...]


_RESTS: ContextVar[_Rest | None] = ContextVar("rest", default=None)


@dataclass(frozen=True, slots=True)
class _Press:
    where: tuple[str | None, str | None]
    at: float
    held: Mapping[str, Any]


def why_at_rest(project: Project) -> str:
    """Why nothing of a project changes now; "" while it is at work."""
    if not project.is_archived:
        return ""
    return _("This project is archived. Ask a lead to restore it.")


@contextmanager
def work_of(project: Project, *, reads: Sequence[str] = ()) -> Iterator[None]:
    """Buttons in here change a project or begin work in it: while it is archived they are off, and say why.

    reads: how the keys of those begin that only show something, or read it out
    """
    reason = why_at_rest(project)
    token = _RESTS.set(_Rest(reason, tuple(reads)) if reason else None)
    try:
        yield
    finally:
        _RESTS.reset(token)


def pressed(label: str, *, key: str, container: DeltaGenerator | None = None, **look: Any) -> bool:
    """A button as Streamlit's own, at a place; whether it was pressed, here and a moment ago, which is told once."""
    draw = st.button if container is None else container.button
    draw(label, key=key, on_click=_note, args=(key,), **look | _at_rest(key))
    return _taken(key) is not None


def submitted(
    label: str, *, key: str, fields: Sequence[str] = (), container: DeltaGenerator | None = None, **look: Any
) -> Mapping[str, Any] | None:
    """The button of a form; told once what these of its fields (by key) held when it was pressed, and None otherwise."""
    draw = st.form_submit_button if container is None else container.form_submit_button
    draw(label, key=key, on_click=_note, args=(key, fields), **look | _at_rest(key))
    return _taken(key)


def _at_rest(key: str) -> dict[str, Any]:
    """How a button looks that may not be pressed now."""
    rest = _RESTS.get()
    return {} if rest is None or key.startswith(rest.reads) else {"disabled": True, "help": rest.reason}


def _taken(key: str) -> Mapping[str, Any] | None:
    """What the fields held, where a press was noted here and a moment ago."""
    presses: dict[str, _Press] = st.session_state.get(_NOTED, {})
    press = presses.pop(key, None)
    if press is None or press.where != _here() or time.monotonic() - press.at >= _WAITS_SECONDS:
        return None
    return press.held


def press(key: str) -> None:
    """Press a button from a callback, as if somebody had done it."""
    _note(key)


def _note(key: str, fields: Sequence[str] = ()) -> None:
    held = {field: st.session_state[field] for field in fields}
    st.session_state.setdefault(_NOTED, {})[key] = _Press(_here(), time.monotonic(), held)


def _here() -> tuple[str | None, str | None]:
    """The page and the project: the same button of another one was not pressed."""
    return st.context.url, st.query_params.get("project")
