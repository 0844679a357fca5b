"""What happens to every request before a route sees it: options, the gate for pages, and security headers."""

from typing import cast
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from annotator.domain.people import User
from annotator.errors import NotSignedIn, StoreError
from annotator.usecases.accounts import session_of
from annotator.usecases.databases import Store
from annotator.usecases.visits import roles_anywhere
from annotator.web.navigation import first_page_for
from annotator.web.routes.access import COOKIE, ServerOptions, error_response, give_options, route_store, said_of
from annotator.web.routes.sign_in import sign_in_address

# Whoever is not signed in may see these. The web socket is open, too: the entry script asks who is there on each run,
# so that a tab whose session has ended shows a sentence instead of trying to connect for ever.
_OPEN_PATHS = ("/sign-in", "/sign-out", "/link/", "/health", "/panel/", "/static/", "/favicon.", "/_stcore/", "/api/")
# Files that people gave or get, and Streamlit's own numbers.
_CLOSED_PATHS = ("/media/", "/_stcore/upload_file/", "/_stcore/metrics")
# To these nothing is sent compressed: it would cost 15 ms for a long text and save nothing (a proxy compresses itself).
_LOOPBACK_NAMES = frozenset({"127.0.0.1", "localhost", "::1"})

# Streamlit needs inline scripts, eval (charts) and blobs (components); nothing needs another host, and none is asked.
_PAGE_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; "
    "connect-src 'self' data: blob:; object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Content-Security-Policy": _PAGE_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
}


class Gate:
    """Sends whoever is not signed in from a page to the sign-in page, and from "/" to the first page of one's own."""

    def __init__(self, app: ASGIApp, options: ServerOptions) -> None:
        self._app = app
        self._options = options

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        give_options(cast("dict[str, object]", scope), self._options)
        if scope["type"] == "http" and (scope.get("client") or ("",))[0] in _LOOPBACK_NAMES:
            scope["headers"] = [header for header in scope["headers"] if header[0] != b"accept-encoding"]
        refusal = await self._refusal(HTTPConnection(scope)) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, _with_headers(send) if scope["type"] == "http" else send)

    async def _refusal(self, request: HTTPConnection) -> Response | None:
        if self._options.is_demonstration and not _is_loopback(request.headers.get("host", "")):
            return PlainTextResponse("The demonstration answers on this machine only.", 421)
        if _is_page(request) or request.url.path.startswith(_CLOSED_PATHS):
            return await run_in_threadpool(_check, request)
        return None


def _check(request: HTTPConnection) -> Response | None:
    try:
        with route_store(request) as store:
            user = session_of(store, request.cookies.get(COOKIE)).user
            start = _start_path(store, user) if request.url.path == "/" else "/"
    except NotSignedIn as error:
        address = sign_in_address(request.url.path, request.url.query)
        return RedirectResponse(address, 303) if _is_page(request) else error_response(error)
    except StoreError as error:
        return PlainTextResponse(said_of(error), 503)
    query = f"?{request.url.query}" if request.url.query else ""
    return None if start == "/" else RedirectResponse(start + query, 303)


def _start_path(store: Store, user: User) -> str:
    """Every page keeps its own address for everybody, so "/" only leads to one; it shows itself when one has none."""
    page = first_page_for(user, roles_anywhere(store, user))
    return f"/{page.path}" if page else "/"


def _is_page(request: HTTPConnection) -> bool:
    return (
        request.scope["method"] in {"GET", "HEAD"}
        and "text/html" in request.headers.get("accept", "")
        and not request.url.path.startswith(_OPEN_PATHS)
    )


def _is_loopback(host: str) -> bool:
    """A page elsewhere may let its own name lead to this machine; the demonstration asks for no password."""
    return urlsplit(f"//{host}").hostname in _LOOPBACK_NAMES


def _with_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


def web_middleware(options: ServerOptions) -> list[Middleware]:
    """The middleware around all routes, ours and Streamlit's."""
    return [Middleware(Gate, options=options)]
