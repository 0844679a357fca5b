"""The Saliency screen on a page: a component with routes of its own (docs/saliency.md)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from annotator.web.routes.static import panel_version

_FOLDER = Path(__file__).parent / "panel"
_SHEETS = ("panel.css", "saliency.css")

_LOADER = """
const saliency = import(new URL("/panel/VERSION/saliency.js", location.origin));
export default async function (component) {
  return (await saliency).default(component);
}
"""


def _component() -> Callable[..., Any]:
    css = "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in _SHEETS)
    return st.components.v2.component("saliency_panel", css=css, js=_LOADER.replace("VERSION", panel_version()))


_PANEL = _component()


def saliency(project_id: int, csrf: str, *, start: int | None, measured: str, may_import: bool, key: str) -> None:
    """The screen. It asks our routes by itself.

    start: an instance to open first; measured: changes with the numbers; may_import: whether the person can import texts
    """
    data = {
        "project": project_id, "csrf": csrf, "start": start, "measured": measured, "may_import": may_import,
        "routes": "/api/saliency",
    }  # fmt: skip
    _PANEL(data=data, key=key)
