"""The review screen on a page: a component made of the token panel's modules, registered once (docs/review.md)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.web.guidelines import guidelines_data, show_guidelines
from annotator.web.routes.static import panel_version

_FOLDER = Path(__file__).parent / "panel"
_SHEETS = ("panel.css", "review.css")

# The module is fetched by its address and not handed over as text, so that its parts can import one another.
_LOADER = """
const review = import(new URL("/panel/VERSION/review.js", location.origin));
export default async function (component) {
  return (await review).default(component);
}
"""


def _component() -> Callable[..., Any]:
    css = "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in _SHEETS)
    return st.components.v2.component("review_panel", css=css, js=_LOADER.replace("VERSION", panel_version()))


_PANEL = _component()


def review(project: Project, user: User, csrf: str, *, start: int | None, key: str) -> None:
    """The review screen. It asks our routes for work by itself; `start` is an annotation to open first.

    user: whose scores it may take from the browser's storage
    """
    data = {
        "project": project.id, "user": user.id, "start": start, "csrf": csrf, "routes": "/api/review",
        "guidelines": guidelines_data(project, user),
    }  # fmt: skip
    _PANEL(data=data, key=key, on_progress_change=_nothing)
    show_guidelines(project)


def _nothing() -> None:
    """A trigger is a reason to run the script again: the numbers in the sidebar follow."""
