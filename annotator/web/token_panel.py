"""The token panel on a page: one component, registered once; its modules come from our own route (docs/panel.md)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import streamlit as st

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.usecases.annotate.work_messages import ShownProject, ShownWork
from annotator.web.guidelines import guidelines_data, show_guidelines
from annotator.web.routes.static import panel_version

_FOLDER = Path(__file__).parent / "panel"

# The module is fetched by its address and not handed over as text, so that its parts can import one another.
_LOADER = """
const panel = import(new URL("/panel/VERSION/MODULE.js", location.origin));
export default async function (component) {
  return (await panel).default(component);
}
"""


def panel_component(name: str, module: str) -> Callable[..., Any]:
    """A component that one of the panel's modules draws; register it once, when its own module is loaded."""
    css = (_FOLDER / "panel.css").read_text(encoding="utf-8")
    loader = _LOADER.replace("VERSION", panel_version()).replace("MODULE", module)
    return st.components.v2.component(name, css=css, js=loader)


_PANEL = panel_component("token_panel", "panel")


def mark(project: Project, user: User, csrf: str, *, start: int | None, key: str) -> None:
    """The panel for marking. It asks our routes for work by itself; `start` is an instance to open first.

    user: whose drafts it may take from the browser's storage
    """
    data = {
        "mode": "mark", "project": project.id, "user": user.id, "start": start, "csrf": csrf, "routes": "/api/panel",
        "work": None, "guidelines": guidelines_data(project, user),
    }  # fmt: skip
    _PANEL(data=data, key=key, on_progress_change=_nothing)
    show_guidelines(project)


def read(work: ShownWork, project: ShownProject, *, is_brief: bool = False, key: str) -> None:
    """The panel for looking: nothing can be changed, nothing is fetched. is_brief: without the numbers below the text."""
    data = {
        "mode": "read", "project": project.id, "start": None, "csrf": "", "routes": "", "work": msgspec.to_builtins(work),
        "brief": is_brief,
    }  # fmt: skip
    _PANEL(data=data, key=key, on_progress_change=_nothing)


def _nothing() -> None:
    """A trigger is a reason to run the script again: the numbers in the sidebar follow."""
