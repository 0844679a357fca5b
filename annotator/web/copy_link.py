"""A button that copies a link to what a page shows (annotator/web/panel/page/copy_link.js)."""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

from annotator.web.panel_component import panel_component

_BUTTON = panel_component("copy_link", "page/copy_link.js")


def copy_link(params: Mapping[str, Sequence[str]], *, key: str) -> None:
    """The button. params: of the address that the link leads to; the browser knows the server and the page."""
    _BUTTON(data={"query": urlencode(params, doseq=True, safe="/,")}, key=key)
