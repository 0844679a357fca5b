"""The Perturb screen on a page: a component with routes of its own (docs/perturb.md)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from annotator.web.routes.static import panel_version

_FOLDER = Path(__file__).parent / "panel"
_SHEETS = ("panel.css", "perturb.css")

# The module is fetched by its address and not handed over as text, so that its parts can import one another.
_LOADER = """
const perturb = import(new URL("/panel/VERSION/perturb.js", location.origin));
export default async function (component) {
  return (await perturb).default(component);
}
"""


def _component() -> Callable[..., Any]:
    css = "\n".join((_FOLDER / name).read_text(encoding="utf-8") for name in _SHEETS)
    return st.components.v2.component("perturb_panel", css=css, js=_LOADER.replace("VERSION", panel_version()))


_PANEL = _component()


def perturb(project_id: int, user_id: int | None, csrf: str, *, key: str) -> None:
    """The screen. It asks our routes by itself, and reads from the address what to open first.

    user_id: whose drafts it may take from the browser's storage
    """
    data = {"project": project_id, "user": user_id, "csrf": csrf, "routes": "/api/perturb"}
    _PANEL(data=data, key=key)
