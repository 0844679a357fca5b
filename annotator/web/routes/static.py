"""GET /panel/VERSION/ROOM/FILE: the modules of the token panel; and the icon of the browser's tab."""

import posixpath
import re
from collections.abc import Sequence
from functools import cache
from hashlib import blake2b
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

WEB = Path(__file__).resolve().parent.parent
ICON = WEB / "icon.png"
_PANEL = WEB / "panel"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json"}
_NAME = re.compile(r"[a-z]+/[A-Za-z0-9_-]+(\.[a-z]+)")  # a room and a file in it: nothing else is served
_IMPORT = re.compile(r'^(?:import|export) [^;]*?"(\.\.?/[A-Za-z0-9_/-]+\.js)";', re.MULTILINE)
_FOR_EVER = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"


@cache
def panel_version() -> str:
    """A digest of the panel's files. It stands in their address, so that the browser may keep them for ever."""
    digest = blake2b(digest_size=8)
    for path in sorted(path for path in _PANEL.rglob("*") if path.is_file()):
        digest.update(path.relative_to(_PANEL).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()


@cache
def panel_modules(entry: str) -> list[str]:
    """The addresses of the modules that an entry is made of, itself first."""
    names = [entry]
    for name in names:  # grows while it is read
        imported = _IMPORT.findall((_PANEL / name).read_text(encoding="utf-8"))
        others = [posixpath.normpath(f"{posixpath.dirname(name)}/{other}") for other in imported]
        names += [other for other in dict.fromkeys(others) if other not in names]
    return [panel_address(name) for name in names]


def panel_sheets(names: Sequence[str]) -> str:
    """Some of the panel's style sheets as one text."""
    return "\n".join((_PANEL / name).read_text(encoding="utf-8") for name in names)


def panel_address(name: str) -> str:
    """Where a file of the panel lies, in this version."""
    return f"/panel/{panel_version()}/{name}"


def panel_file(request: Request) -> Response:
    """One file of the panel; kept for ever by the browser when the address names this version."""
    name = request.path_params["file"]
    match = _NAME.fullmatch(name)
    path = _PANEL / name
    if match is None or match[1] not in _TYPES or not path.is_file():
        return PlainTextResponse("The panel has no file of this name.\n", 404)
    caching = _FOR_EVER if request.path_params["version"] == panel_version() else _ASK_AGAIN
    return FileResponse(path, headers={"Cache-Control": caching}, media_type=_TYPES[match[1]])


def icon(_: Request) -> Response:
    """Our icon in the place of Streamlit's, from the first moment."""
    return FileResponse(ICON, headers={"Cache-Control": "public, max-age=86400"})


routes = [Route("/panel/{version}/{file:path}", panel_file), Route("/favicon.png", icon), Route("/favicon.ico", icon)]
