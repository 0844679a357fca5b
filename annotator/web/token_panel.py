"""The token panel on a page: one component, registered once; its modules come from our own route (docs/panel.md)."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import streamlit as st

from annotator.usecases.showing import ShownWork
from annotator.web.routes.static import panel_version

_FOLDER = Path(__file__).parent / "panel"

# The module is fetched by its address and not handed over as text, so that its parts can import one another.
_LOADER = """
const panel = import(new URL("/panel/VERSION/panel.js", location.origin));
export default async function (component) {
  return (await panel).default(component);
}
"""


@dataclass(frozen=True, slots=True)
class PanelReport:
    """What the panel told the script in this run: it made progress; the person asks for the guidelines."""

    made_progress: bool
    asks_for_guidelines: bool


def _component() -> Callable[..., Any]:
    css = (_FOLDER / "panel.css").read_text(encoding="utf-8")
    return st.components.v2.component("token_panel", css=css, js=_LOADER.replace("VERSION", panel_version()))


_PANEL = _component()


def mark(project_id: int, csrf: str, *, start: int | None, key: str) -> PanelReport:
    """The panel for marking. It asks our routes for work by itself; `start` is an instance to open first."""
    data = {"mode": "mark", "project": project_id, "start": start, "csrf": csrf, "routes": "/api/panel", "work": None}
    answer = _PANEL(data=data, key=key, on_progress_change=_nothing, on_guidelines_change=_nothing)
    return PanelReport(answer.progress is not None, answer.guidelines is not None)


def read(work: ShownWork, project: Any, *, key: str) -> None:
    """The panel for looking: nothing can be changed, nothing is fetched."""
    data = {
        "mode": "read", "project": msgspec.to_builtins(project), "start": None, "csrf": "", "routes": "",
        "work": msgspec.to_builtins(work),
    }  # fmt: skip
    _PANEL(data=data, key=key, on_progress_change=_nothing, on_guidelines_change=_nothing)


def _nothing() -> None:
    """A trigger is a reason to run the script again; what it does then it sees in the answer."""
