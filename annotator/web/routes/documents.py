"""GET /annotate, /project ...: Streamlit's own document, told beforehand what it would find out by trial.

A page at /annotate first asks /annotate/_stcore/health, is refused, waits, and asks again at the root; and the panel's modules
are found one after the other. Naming the server and the modules in the document saves both.
"""

from functools import cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from annotator.web.navigation import PAGES
from annotator.web.routes.static import panel_modules

_SERVER = '<script>window.__streamlit = { BACKEND_BASE_URL: location.origin + "/" }</script>'


@cache
def _document() -> str:
    import streamlit  # noqa: PLC0415  (half a second)

    index = (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
    modules = "".join(f'<link rel="modulepreload" href="{address}">' for address in panel_modules())
    return index.replace("<head>", f"<head>{_SERVER}", 1).replace("</head>", f"{modules}</head>", 1)


def document(_: Request) -> Response:
    """The document of a page; the page's script decides what it shows, and to whom."""
    return HTMLResponse(_document(), headers={"Cache-Control": "no-cache"})


routes = [Route(f"/{page.path}", document) for page in PAGES]
