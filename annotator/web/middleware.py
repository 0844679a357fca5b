"""What happens to every request before a route sees it: the path below which all is served, options, the gate, headers."""

import asyncio
import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from typing import cast
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.exceptions import ExceptionMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from annotator.domain.people import User
from annotator.errors import AnnotatorError, NotAllowed, NotSignedIn, StoreError, TooBusy
from annotator.language import Language, _, language_of_browser, speak, speaking
from annotator.usecases.access.accounts import session_of
from annotator.usecases.access.rights import has_projects, roles_anywhere
from annotator.usecases.annotate.my_work import projects_with_texts
from annotator.usecases.databases import Store
from annotator.web import forms
from annotator.web.addresses import LOOPBACK, path_prefix, refusal_of
from annotator.web.navigation import PAGES, first_page_for, pages_for
from annotator.web.routes import access, all_routes
from annotator.web.routes import crowd as crowd_limits
from annotator.web.routes.account import ACCOUNT_PATHS
from annotator.web.routes.crowd import refusal
from annotator.web.routes.sign_in import sign_in_address
from annotator.web.routes.static import PageFiles

_HEALTH = "/health"
_COOKIE_PATH = re.compile(r"(?i)(; *path=)/")


class BelowPath:
    """Serves the program below a path (--url https://example.org/annotate): inside, every address is as if there were none.

    A proxy passes the path on as it is, so that each address has one meaning; /health alone is answered without it as well.
    """

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"} or scope["path"] == _HEALTH:
            await self._app(scope, receive, send)
        elif scope["path"].startswith(f"{self._prefix}/"):
            inner = {**scope, "path": scope["path"].removeprefix(self._prefix)}
            inner["raw_path"] = scope.get("raw_path", b"").removeprefix(self._prefix.encode())
            await self._app(inner, receive, self._with_prefix(send))
        elif scope["type"] == "websocket":
            await WebSocketClose(_REFUSED)(scope, receive, send)
        else:
            await self._elsewhere(scope)(scope, receive, send)

    def _elsewhere(self, scope: Scope) -> Response:
        if scope["path"] in {"/", self._prefix}:
            query = scope["query_string"].decode("latin-1")
            return RedirectResponse(f"{self._prefix}/{'?' if query else ''}{query}", 307)
        return PlainTextResponse(
            f"This server is at {self._prefix}/. A proxy must pass the path on as it is (docs/deploy.md).\n", 404
        )

    def _with_prefix(self, send: Send) -> Send:
        async def send_with_prefix(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [(name, self._outside(name.lower(), value)) for name, value in message["headers"]]
            await send(message)

        return send_with_prefix

    def _outside(self, name: bytes, value: bytes) -> bytes:
        """A header as the browser needs it: where it is sent on to, and to which addresses a cookie goes."""
        if name == b"location" and value.startswith(b"/") and not value.startswith(b"//"):
            return self._prefix.encode() + value
        if name == b"set-cookie":
            return _COOKIE_PATH.sub(rf"\1{self._prefix}/", value.decode("latin-1")).encode("latin-1")
        return value


class OwnWindow:
    """Of a server that belongs to a window: whoever else of this machine finds the port is told nothing and stores nothing."""

    def __init__(self, app: ASGIApp, key: access.WindowKey) -> None:
        self._app = app
        self._key = key

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_request = scope["type"] == "http"
        is_open = scope["type"] == "lifespan" or (
            is_request and (scope["path"] == _HEALTH or scope["path"].startswith("/window/"))
        )
        if is_open or self._key.admits(HTTPConnection(scope).cookies.get(access.WINDOW_COOKIE)):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await WebSocketClose(_REFUSED)(scope, receive, send)
        else:
            await PlainTextResponse("This server belongs to a window on this machine.\n", 403)(scope, receive, send)


# Before everything else at the recruitment links: who is turned away costs no route, no template, no thread and no question.


_LINKS = "/crowd/"
_END = "/crowd/end"


class CrowdGate:
    """Lets people come to the links one after the other, and turns away who would have to wait for long.

    headers: which every answer of this server has
    """

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self._app = app
        self._busy = cache(lambda language: _busy_page(language, headers))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(_LINKS):
            await self._app(scope, receive, send)
            return
        try:
            seconds = crowd_limits.LIMITS.take(_address_of(scope), _page_of(scope))
        except TooBusy:
            await asyncio.sleep(crowd_limits.pause_seconds())
            language = language_of_browser(Headers(scope=scope).get("accept-language", ""))
            await self._busy(language)(scope, receive, send)
            return
        await asyncio.sleep(seconds)
        await self._app(scope, receive, send)


def _address_of(scope: Scope) -> str:
    """As the server knows it: what a proxy says counts only of one that the server trusts."""
    client = cast("tuple[str, int] | None", scope.get("client"))
    return client[0] if client else ""


def _page_of(scope: Scope) -> crowd_limits.Page:
    if scope["path"] == _END:
        return "end"
    return "begin" if scope["method"] == "POST" else "link"


def _busy_page(language: Language, headers: Mapping[str, str]) -> Response:
    with speaking(language):
        page = refusal(TooBusy(_(crowd_limits.BUSY)))
    for name, value in headers.items():
        page.headers.setdefault(name, value)
    return page


# Whoever is not signed in may see these.
_OPEN_PATHS = (
    "/sign-in", "/sign-out", "/link/", "/window/", "/health", "/panel/", "/static/", "/favicon.", "/_stcore/", "/api/", "/crowd/",
)  # fmt: skip
_MESSAGES = "/api/"
# Files that people gave or get, and Streamlit's own numbers.
_CLOSED_PATHS = ("/media/", "/_stcore/upload_file/", "/_stcore/metrics")
# Of Streamlit and not of ours: signing in at another host, which would be asked, and pages for programs.
_UNUSED_PATHS = ("/auth/", "/oauth2callback", "/_stcore/agent/")
_PAGE_PATHS = frozenset(page.path for page in PAGES)
_REFUSED = 1008  # a web socket's word for 403
_UNREADABLE = 1003  # a web socket's word for what cannot be taken
_MISDIRECTED = 421
_LONGEST_PARSED = 2**20
_LONGEST_END = 200  # bytes of the message that a run has ended
_LONGEST_TURN_S, _LONGEST_MESSAGE_S, _LONGEST_CALM_S = 0.25, 0.5, 3.0
_LOG = logging.getLogger(__name__)

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
}
# A page that another site opens is cut off from it. Where the address was typed, or a page of ours leads here, there is nothing
# to cut off, and the browser is spared a new process: 30 ms before the first text.
_CUT_OFF = {**_HEADERS, "Cross-Origin-Opener-Policy": "same-origin"}


class Gate:
    """Sends whoever is not signed in from a page to the sign-in page, and from "/" to the first page of one's own."""

    def __init__(self, app: ASGIApp, options: access.ServerOptions) -> None:
        self._app = app
        self._options = options
        self._turns = _Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        speak(language_of_browser(HTTPConnection(scope).headers.get("accept-language", "")))
        access.give_options(cast("dict[str, object]", scope), self._options)
        if not self._options.hosts.allows(HTTPConnection(scope).headers.get("host", "")):
            await self._refuse_host(scope, receive, send)
            return
        if scope["type"] == "websocket":
            if not await self._may_connect(HTTPConnection(scope)):
                await WebSocketClose(_REFUSED)(scope, receive, send)
                return
            _write_host_as_in_origin(scope)
            await _SocketOfPage(receive, send, self._turns).serve(self._app, scope)
            return
        # To these nothing is sent compressed: it would cost 15 ms for a long text and save nothing (a proxy compresses itself).
        if (scope.get("client") or ("",))[0] in LOOPBACK:
            scope["headers"] = [header for header in scope["headers"] if header[0] != b"accept-encoding"]
        refusal = await self._refusal(HTTPConnection(scope))
        with self._turns.message() if scope["path"].startswith(_MESSAGES) else nullcontext():
            await (refusal or self._app)(scope, receive, _with_headers(scope, send))

    async def _refuse_host(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Whoever runs the server reads why in the log; a web socket can say nothing."""
        refusal = refusal_of(HTTPConnection(scope).headers.get("host", ""))
        if scope["type"] == "websocket":
            await WebSocketClose(_REFUSED)(scope, receive, send)
            return
        if self._options.is_demonstration:
            refusal = "The demonstration answers on this machine only."
        await PlainTextResponse(refusal, _MISDIRECTED)(scope, receive, _with_headers(scope, send))

    async def _refusal(self, request: HTTPConnection) -> Response | None:
        if request.scope["path"].startswith(_UNUSED_PATHS):
            return PlainTextResponse("There is nothing here.", 404)
        if _is_page(request) or request.scope["path"].startswith(_CLOSED_PATHS):
            return await run_in_threadpool(_check, request)
        return None

    async def _may_connect(self, request: HTTPConnection) -> bool:
        """Whether a web socket is of a page of ours, of somebody who is signed in.

        The others are refused before they are accepted, and nothing is kept or written of them. (Streamlit would ask another host
        for this machine's address, to compare it with a foreign origin.) A tab whose session has ended finds out by its page's
        document, which asks for the page again.
        """
        if not access.is_own_origin(request, request.headers.get("origin", "")):
            return False
        return access.COOKIE in request.cookies and await run_in_threadpool(_is_signed_in, request)


class _Turns:
    """Whose page runs: one at a time in the order in which they came, while no message waits for its answer.

    The tabs that all come back at once after a restart would else take the interpreter from the messages that save people's
    marks. More at a time are no faster, since one interpreter runs them all. Whoever came long enough ago waits for no message.
    """

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(1)
        self._messages: set[object] = set()
        self._is_calm = asyncio.Event()
        self._is_calm.set()

    @contextmanager
    def message(self) -> Iterator[None]:
        """What is done in here comes before the pages' runs, unless it takes long (a model is asked)."""
        message = object()
        self._messages.add(message)
        self._is_calm.clear()
        end = asyncio.get_running_loop().call_later(_LONGEST_MESSAGE_S, self._end_message, message)
        try:
            yield
        finally:
            end.cancel()
            self._end_message(message)

    def _end_message(self, message: object) -> None:
        self._messages.discard(message)
        if not self._messages:
            self._is_calm.set()

    async def take(self) -> None:
        """Wait for a turn; whoever has one gives it back."""
        end = asyncio.get_running_loop().time() + _LONGEST_CALM_S
        await self._free.acquire()
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(end):
                    await self._is_calm.wait()
        except asyncio.CancelledError:
            self.give()
            raise

    def give(self) -> None:
        """The next one's turn."""
        self._free.release()


class _SocketOfPage:
    """A web socket up to its first message that no page sends: then it ends, with a line in the log and no trace.

    It begins, and its page is run, when it is its turn. A turn ends with the run, or when others have waited long enough.
    """

    def __init__(self, receive: Receive, send: Send, turns: _Turns) -> None:
        self._receive = receive
        self._send = send
        self._turns = turns
        self._turn_ends: asyncio.TimerHandle | None = None
        self._is_over = False

    async def serve(self, app: ASGIApp, scope: Scope) -> None:
        """Until it ends."""
        await self._take_turn()
        try:
            await app(scope, self.receive, self.send)
        finally:
            self._end_turn()

    async def receive(self) -> Message:
        """The next message, or the end."""
        message = await self._receive()
        if message["type"] != "websocket.receive":
            return message
        kind = _kind_of(message.get("bytes"))
        if kind is not None:
            if kind == "rerun_script":
                await self._take_turn()
            return message
        _LOG.warning("A web socket was closed, since it sent what no page sends.")
        await self.send({"type": "websocket.close", "code": _UNREADABLE})
        self._is_over = True
        return {"type": "websocket.disconnect", "code": _UNREADABLE}

    async def send(self, message: Message) -> None:
        """Nothing is sent after the end."""
        if not self._is_over:
            await self._send(message)
            if _ends_run(message.get("bytes")):
                self._end_turn()

    async def _take_turn(self) -> None:
        if self._turn_ends is None:
            await self._turns.take()
            self._turn_ends = asyncio.get_running_loop().call_later(_LONGEST_TURN_S, self._end_turn)

    def _end_turn(self) -> None:
        if self._turn_ends is not None:
            self._turn_ends.cancel()
            self._turn_ends = None
            self._turns.give()


def _kind_of(content: bytes | None) -> str | None:
    """What a message is of those that Streamlit's pages send; None: of none."""
    from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # noqa: PLC0415  (loaded by now)
    from streamlit.proto.BackMsg_pb2 import BackMsg  # noqa: PLC0415

    if content is None:
        return None
    if len(content) > _LONGEST_PARSED:
        return "too long"  # Streamlit itself looks at its length first
    message = BackMsg()
    try:
        message.ParseFromString(content)
    except DecodeError:
        return None
    kind: str | None = message.WhichOneof("type")
    return kind


def _ends_run(content: bytes | None) -> bool:
    """Whether Streamlit says that a run of the page has ended."""
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg  # noqa: PLC0415

    if content is None or len(content) > _LONGEST_END:
        return False
    is_end: bool = ForwardMsg.FromString(content).WhichOneof("type") == "script_finished"
    return is_end


def _write_host_as_in_origin(scope: Scope) -> None:
    """They are the same; but Streamlit compares them as they are written, a scheme's own port with none for instance."""
    origin = urlsplit(HTTPConnection(scope).headers["origin"]).netloc.encode("latin-1")
    scope["headers"] = [(name, origin if name == b"host" else value) for name, value in scope["headers"]]


def _is_signed_in(request: HTTPConnection) -> bool:
    try:
        access.session_of_request(request)
    except (NotAllowed, StoreError):
        return False
    return True


def _check(request: HTTPConnection) -> Response | None:
    try:
        with access.route_store(request) as store:
            user = session_of(store, request.cookies.get(access.COOKIE)).user
            access.require_open_to(user, request.scope["path"])
            start = _start_path(store, user, request.url.query) if request.scope["path"] == "/" else "/"
            offered = [] if _is_there(request.scope["path"]) else pages_for(user, roles_anywhere(store, user))
    except NotSignedIn as error:
        if _is_page(request) and request.cookies.get(access.CROWD_COOKIE):
            return RedirectResponse("/crowd/end", 303)
        address = sign_in_address(request.url.path, request.url.query)
        return RedirectResponse(address, 303) if _is_page(request) else access.error_response(error)
    except NotAllowed as error:
        return forms.message_page(_("Not part of this work"), access.said_of(error), 403, back="/annotate")
    except StoreError as error:
        return PlainTextResponse(access.said_of(error), 503)
    if not _is_there(request.scope["path"]):
        return forms.nowhere_page(request.scope["path"], offered)
    return None if start == "/" else RedirectResponse(start, 303)


def _is_there(path: str) -> bool:
    """Whether an address is that of a page or a file: for every other Streamlit would open its first page, or an empty one."""
    return (
        path == "/"
        or path[1:] in _PAGE_PATHS
        or path in ACCOUNT_PATHS
        or path.startswith((*_CLOSED_PATHS, "/component/"))
    )


def _start_path(store: Store, user: User, query: str) -> str:
    """Every page keeps its own address for everybody, so "/" only leads to one; it shows itself when one has none.

    An annotator's, where the address names no project, is the first with texts: not one that has nothing left beside it.
    """
    page = first_page_for(user, roles_anywhere(store, user), has_projects=has_projects(store, user))
    if page is None:
        return "/"
    is_chosen = query or page.path != "annotate"
    project = None if is_chosen else next(projects_with_texts(store, user), None)
    query = f"project={project.id}" if project else query
    return f"/{page.path}?{query}" if query else f"/{page.path}"


def _is_page(request: HTTPConnection) -> bool:
    return (
        request.scope["method"] in {"GET", "HEAD"}
        and "text/html" in request.headers.get("accept", "")
        and not request.scope["path"].startswith(_OPEN_PATHS)
    )


def _with_headers(scope: Scope, send: Send) -> Send:
    is_own = HTTPConnection(scope).headers.get("sec-fetch-site") in {"none", "same-origin"}
    given = _HEADERS if is_own else _CUT_OFF

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in given.items():
                headers.setdefault(name, value)
        await send(message)

    return send_with_headers


class OwnRoutes:
    """Answers at our own routes at once: behind here Streamlit has five more layers, none of them for these."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._answer = ExceptionMiddleware(_to_route, handlers={AnnotatorError: _refuse})
        self._compressed = GZipMiddleware(self._answer, minimum_size=_WORTH_COMPRESSING, compresslevel=_COMPRESSION)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = _route_of(scope) if scope["type"] == "http" else None
        if route is None:
            await self._app(scope, receive, send)
            return
        scope[_ROUTE] = route
        answer = self._compressed if "accept-encoding" in Headers(scope=scope) else self._answer
        await answer(scope, receive, send)


_ROUTE = "annotator.route"
_WORTH_COMPRESSING, _COMPRESSION = 500, 4  # bytes, level


async def _to_route(scope: Scope, receive: Receive, send: Send) -> None:
    await scope[_ROUTE].handle(scope, receive, send)


async def _refuse(_: Request, error: Exception) -> Response:
    return access.error_response(cast("AnnotatorError", error))


def _route_of(scope: Scope) -> Route | None:
    """The route for an address; what its names stand for is written into the scope."""
    fixed, named = _routes()
    if route := fixed.get((scope["method"], scope["path"])):
        return route
    for other in named:
        match, values = other.matches(scope)
        if match is Match.FULL:
            scope.update(values)
            return other
    return None


@cache
def _routes() -> tuple[Mapping[tuple[str, str], Route], Sequence[Route]]:
    """By method and address, and those with names in their address."""
    routes = all_routes()
    fixed = {(method, route.path): route for route in routes if "{" not in route.path for method in route.methods or ()}
    return fixed, [route for route in routes if "{" in route.path]


def web_middleware(options: access.ServerOptions) -> list[Middleware]:
    """The middleware around all routes, ours and Streamlit's."""
    prefix = path_prefix()
    return [
        *([Middleware(BelowPath, prefix=prefix)] if prefix else []),
        *([Middleware(OwnWindow, key=options.window)] if options.window else []),
        Middleware(PageFiles, headers=_HEADERS),
        Middleware(CrowdGate, headers=_CUT_OFF),
        Middleware(Gate, options=options),
        Middleware(OwnRoutes),
    ]
