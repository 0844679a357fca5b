"""A button whose press is not lost.

Streamlit gives a press to one run of the script. When something else on the page reports before that run has come to the
button (a box that is ticked right after), the run is broken off, and the next one does not know of the press. What a press
calls (`on_click`) runs before the script, though: so it is noted there, and taken when a run comes to the button.
"""

import time
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

_NOTED = "presses"
_WAITS_SECONDS = 60  # a button that was not drawn again by then is not pressed when it comes back


@dataclass(frozen=True, slots=True)
class _Press:
    where: tuple[str | None, str | None]
    at: float


def pressed(label: str, *, key: str, container: DeltaGenerator | None = None, **look: Any) -> bool:
    """A button as Streamlit's own, at a place; whether it was pressed, here and a moment ago, which is told once."""
    draw = st.button if container is None else container.button
    draw(label, key=key, on_click=_note, args=(key,), **look)
    presses: dict[str, _Press] = st.session_state.get(_NOTED, {})
    press = presses.pop(key, None)
    return press is not None and press.where == _here() and time.monotonic() - press.at < _WAITS_SECONDS


def press(key: str) -> None:
    """Press a button from a callback, as if somebody had done it."""
    _note(key)


def _note(key: str) -> None:
    st.session_state.setdefault(_NOTED, {})[key] = _Press(_here(), time.monotonic())


def _here() -> tuple[str | None, str | None]:
    """The page and the project: the same button of another one was not pressed."""
    return st.context.url, st.query_params.get("project")
