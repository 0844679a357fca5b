"""The review screen on a page: a component made of the token panel's modules, registered once (docs/review.md)."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st

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


@dataclass(frozen=True, slots=True)
class ReviewReport:
    """What the screen told the script in this run: a review reached the server; the person asks for the guidelines."""

    made_progress: bool
    asks_for_guidelines: bool


def _component() -> Callable[..., Any]:
    css = "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in _SHEETS)
    return st.components.v2.component("review_panel", css=css, js=_LOADER.replace("VERSION", panel_version()))


_PANEL = _component()


def review(project_id: int, user_id: int | None, csrf: str, *, start: int | None, key: str) -> ReviewReport:
    """The review screen. It asks our routes for work by itself; `start` is an annotation to open first.

    user_id: whose scores it may take from the browser's storage
    """
    data = {"project": project_id, "user": user_id, "start": start, "csrf": csrf, "routes": "/api/review"}
    answer = _PANEL(data=data, key=key, on_progress_change=_nothing, on_guidelines_change=_nothing)
    return ReviewReport(answer.progress is not None, answer.guidelines is not None)


def _nothing() -> None:
    """A trigger is a reason to run the script again; what it does then it sees in the answer."""
