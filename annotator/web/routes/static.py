"""GET /panel/VERSION/ROOM/FILE: the modules of the token panel; Streamlit's own; and the icon of the browser's tab."""

import gzip
import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import cast

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from annotator.errors import AnnotatorError
from annotator.web.addresses import LOOPBACK, at

WEB = Path(__file__).resolve().parent.parent
ICON = WEB / "icon.png"
_PANEL = WEB / "panel"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json"}
_FONTS = {".woff2": "font/woff2"}  # these are compressed
_KEPT_COMPRESSED = 512  # files: twice what all pages ask for
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
    """Where a browser finds a file of the panel, in this version."""
    return at(_panel_path(name))


def _panel_path(name: str) -> str:
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


class PageFiles:
    """Answers for the files of pages before any route and thread: a page asks for 130 of them, and its first text waits behind.

    headers: which every answer of this server has
    Compressed for other machines alone: on this one it costs more than it saves.
    """

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self._app = app
        self._headers = headers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or (path := _page_files().get(scope["path"])) is None:
            await self._app(scope, receive, send)
            return
        headers = {**self._headers, "Cache-Control": _FOR_EVER, "Vary": "Accept-Encoding"}
        is_compressed = path.suffix in _TYPES and _takes_gzip(scope)
        if is_compressed:
            headers["Content-Encoding"] = "gzip"
        body = _compressed(path) if is_compressed else path.read_bytes()
        await Response(body, headers=headers, media_type=(_TYPES | _FONTS)[path.suffix])(scope, receive, send)


def streamlit_files() -> Path:
    """The folder of Streamlit's document and its files, which is found without the second that importing Streamlit takes."""
    spec = find_spec("streamlit")
    if spec is None or spec.origin is None:
        raise AnnotatorError("Streamlit is missing. Install the program again.")
    return Path(spec.origin).parent / "static"


@cache
def _page_files() -> dict[str, Path]:
    """The files that never change under their address: the panel's and Streamlit's, which name their version in it."""
    ours = {_panel_path(path.relative_to(_PANEL).as_posix()): path for path in _PANEL.rglob("*")}
    streamlit = streamlit_files()
    theirs = {f"/{path.relative_to(streamlit).as_posix()}": path for path in streamlit.glob("static/*/*.*.*")}
    return {address: path for address, path in (ours | theirs).items() if path.suffix in _TYPES | _FONTS}


def _takes_gzip(scope: Scope) -> bool:
    client = cast("tuple[str, int] | None", scope.get("client"))
    if client is not None and client[0] in LOOPBACK:
        return False
    return any(name == b"accept-encoding" and b"gzip" in value for name, value in scope["headers"])


@lru_cache(maxsize=_KEPT_COMPRESSED)
def _compressed(path: Path) -> bytes:
    return gzip.compress(path.read_bytes(), 6)


def icon(_: Request) -> Response:
    """Our icon in the place of Streamlit's, from the first moment."""
    return FileResponse(ICON, headers={"Cache-Control": "public, max-age=86400"})


routes = [Route("/panel/{version}/{file:path}", panel_file), Route("/favicon.png", icon), Route("/favicon.ico", icon)]
