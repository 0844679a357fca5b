"""A Streamlit component that modules of the panel draw (docs/panel.md)."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from annotator.web.routes.static import panel_address, panel_sheets

# The module is fetched by its address and not handed over as text, so that its parts can import one another.
_LOADER = """
const panel = import(new URL("ADDRESS", location.origin));
export default async function (component) {
  return (await panel).default({ ...component, data: component.data[0] });
}
"""


def panel_component(name: str, entry: str, *sheets: str) -> Callable[..., Any]:
    """A component that one of the panel's modules draws; register it once, when its own module is loaded.

    entry: the module, such as "annotate/main.js"; sheets: what it needs beside the panel's own style sheet
    """
    css = panel_sheets(("shared/panel.css", *sheets))
    component = st.components.v2.component(name, css=css, js=_LOADER.replace("ADDRESS", panel_address(entry)))

    def mount(*, data: Mapping[str, object], **options: Any) -> Any:
        # In a dictionary Streamlit looks for data frames, for which it loads pandas and pyarrow; in a list it does not.
        return component(data=[data], **options)

    return mount
