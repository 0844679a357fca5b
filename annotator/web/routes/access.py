"""What every route shares: the database, who is asking, whether a page of ours sent it, what workers may reach, refusals."""

import logging
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from secrets import compare_digest, token_urlsafe
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse

from annotator.domain.people import User
from annotator.errors import (
    AnnotatorError,
    Conflict,
    DeliveryError,
    InvalidAnnotation,
    InvalidValue,
    LeaseLost,
    NotAllowed,
    NotFound,
    NotSignedIn,
    StoreError,
    TooBusy,
)
from annotator.language import _, speak, unsaid
from annotator.usecases.access.accounts import Session, session_of
from annotator.usecases.access.single_sign_on import Settings, SingleSignOn
from annotator.usecases.databases import Store, open_store
from annotator.web.addresses import AllowedHosts, public_address

# Whether a request was sent by a page of this server: asked of forms, messages, web sockets, and GETs that give work out.


_OWN = "same-origin"
_NOBODY = "none"  # typed into the address bar, or a bookmark
_PORTS = {"http": 80, "https": 443}


def is_from_elsewhere(request: HTTPConnection) -> bool:
    """Whether a browser says that another page than one of this server sent the request."""
    sender = _sender(request)
    return _site(request) not in {None, _OWN, _NOBODY} or (sender is not None and not is_own_origin(request, sender))


def is_from_own_page(request: HTTPConnection) -> bool:
    """Whether a browser says that a page of this server sent the request, and nothing says otherwise."""
    sender, site = _sender(request), _site(request)
    says_so = site == _OWN or (site is None and sender is not None)
    return says_so and not is_from_elsewhere(request)


def is_changed_on_the_way(request: HTTPConnection) -> bool:
    """Whether a browser says that an own page sent the request, to another host than the one that arrived here."""
    return _site(request) == _OWN and is_from_elsewhere(request)


def is_own_origin(request: HTTPConnection, origin: str) -> bool:
    """Whether an origin is this server's, as the browser sees it: the one that was stated with --url; or the same host and port,
    and TLS where we know of TLS.

    A scheme's own port may be left out on either side. Whether there is TLS is known from a proxy that says so.
    """
    if _same_origin(origin, public_address(None)):
        return True
    has_tls = request.scope.get("scheme") in {"https", "wss"}
    try:
        sent, host = urlsplit(origin), urlsplit(f"//{request.headers.get('host', '')}")
        usual = _PORTS.get(sent.scheme)
        is_same = (sent.hostname, sent.port or usual) == (host.hostname, host.port or usual)
    except ValueError:  # a port that is no number, or half of an IPv6 address
        return False
    return is_same and bool(sent.hostname) and usual is not None and (sent.scheme == "https" or not has_tls)


def _same_origin(origin: str, stated: str) -> bool:
    try:
        first, second = _parts_of(origin), _parts_of(stated)
    except ValueError:
        return False
    return first == second and all(first)


def _parts_of(address: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(address)
    return parts.scheme, parts.hostname, parts.port or _PORTS.get(parts.scheme)


def _site(request: HTTPConnection) -> str | None:
    return request.headers.get("sec-fetch-site")


def _sender(request: HTTPConnection) -> str | None:
    """The origin that the browser names, else the address of the page; our own pages let their address be told to us."""
    return request.headers.get("origin") or request.headers.get("referer")


# What a worker of a recruitment link may reach: the one page with the panel, the panel's own messages, and the end of the visit.


PAGE = "/annotate"
WORKER_PATHS = frozenset({
    "/", PAGE, "/sign-out", "/_stcore/stream",
    "/api/panel/next", "/api/panel/original", "/api/panel/seen", "/api/panel/proposed", "/api/panel/draft",
    "/api/panel/submit", "/api/panel/skip", "/api/panel/discard", "/api/panel/withdraw", "/api/panel/back",
    "/api/training/next", "/api/training/seen", "/api/training/draft", "/api/training/submit",
    "/api/guidelines/read",
})  # fmt: skip
_REFUSED = unsaid("Not part of your task. Return to the text.")


def require_open_to(user: User, path: str) -> None:
    """Raise NotAllowed for a worker at a path that is not for workers; everybody else may ask anywhere."""
    if user.is_worker and path not in WORKER_PATHS:
        raise NotAllowed(_(_REFUSED))


COOKIE = "annotator_session"
WINDOW_COOKIE = "annotator_window"
CROWD_COOKIE = "annotator_visit"  # of a worker, who finds the end of their visit with it when the session is over
DATABASE_VARIABLE = "ANNOTATOR_DB"  # pages run in this process, but get nothing from the server but its environment
_SCOPE_KEY = "annotator"
_LOG = logging.getLogger(__name__)
_PLACE = re.compile(r"'(?:/|[A-Za-z]:[\\/]).*?([^/\\]*)'(?![^\s.,:;)])")
_FOREIGN = unsaid("This request came from elsewhere. Reload.")
_EARLIER = unsaid("You signed in again in another tab. Reload.")
_PROXIED = unsaid("Let the proxy pass on the Host header, or start with --url (docs/deploy.md).")

# The first that fits counts, so a subclass stands before its base.
_STATUS: tuple[tuple[type[AnnotatorError], int], ...] = (
    (NotSignedIn, 401), (NotAllowed, 403), (NotFound, 404), (LeaseLost, 410), (Conflict, 409), (InvalidValue, 422),
    (StoreError, 503), (TooBusy, 503), (DeliveryError, 503),
)  # fmt: skip


@dataclass(slots=True)
class WindowKey:
    """What lets one window in and nobody else of this machine: a secret that works once, and the cookie that it is given."""

    secret: str
    cookie: str = field(default_factory=token_urlsafe)
    is_used: bool = False

    def opens(self, secret: str) -> bool:
        """Whether it is the secret, for the first time."""
        if self.is_used or not compare_digest(secret.encode(), self.secret.encode()):
            return False
        self.is_used = True
        return True

    def admits(self, cookie: str | None) -> bool:
        """Whether a request comes from the window."""
        return cookie is not None and compare_digest(cookie.encode(), self.cookie.encode())


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How the server was started; nothing of this ever comes from a request."""

    path: Path
    is_demonstration: bool = False
    hosts: AllowedHosts = field(default_factory=AllowedHosts)
    sign_on: SingleSignOn | None = None
    window: "WindowKey | None" = None

    @property
    def is_by_choice(self) -> bool:
        """Whether people sign in by choosing who they are: in the demonstration, and in a window on one's own file."""
        return self.is_demonstration or self.window is not None

    @property
    def sign_on_settings(self) -> Settings | None:
        """None where people sign in here alone."""
        return None if self.sign_on is None else self.sign_on.settings


def give_options(connection_scope: dict[str, object], options: ServerOptions) -> None:
    """Put the options where routes find them (the middleware does, for every request)."""
    connection_scope[_SCOPE_KEY] = options


def options_of(request: HTTPConnection) -> ServerOptions:
    """How the server of a request was started."""
    options = request.scope[_SCOPE_KEY]
    if not isinstance(options, ServerOptions):
        raise TypeError(f"the request's scope holds {options!r} in the place of the server's options")
    return options


class _ThreadStore(threading.local):
    """The connection of this thread: it may not wander to another, and opening one for each request takes longer."""

    store: Store | None = None
    path: Path | None = None  # as it was asked for; a link leads elsewhere
    identity: tuple[int, int] | None = None


_OF_THREAD = _ThreadStore()


@contextmanager
def route_store(request: HTTPConnection) -> Iterator[Store]:
    """The database, over a connection that belongs to this thread and is kept open; only in sync handlers."""
    store = kept_store(options_of(request).path)
    try:
        yield store
    except BaseException as error:
        store.explain(error)
        raise


def kept_store(path: Path) -> Store:
    """The open connection of this thread; another file in the place of the open one is opened anew, or refused."""
    path = path.absolute()
    identity = _identity(path)
    if _OF_THREAD.store is not None and (_OF_THREAD.path != path or _OF_THREAD.identity != identity):
        _OF_THREAD.store.close()
        _OF_THREAD.store = None
    if _OF_THREAD.store is None:
        _OF_THREAD.store = open_store(path)
        _OF_THREAD.path, _OF_THREAD.identity = path, identity
    return _OF_THREAD.store


def close_kept_store() -> None:
    """Close this thread's connection."""
    if _OF_THREAD.store is not None:
        _OF_THREAD.store.close()
        _OF_THREAD.store = None


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116  (each request pays for this; Path.stat takes twice as long)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def session_of_request(request: HTTPConnection) -> Session:
    """Who is signed in with the request's cookie; raises NotSignedIn, or NotAllowed for a worker where no worker may be.

    From here on they are spoken to in their language. Only in sync handlers.
    """
    with route_store(request) as store:
        session = session_of(store, request.cookies.get(COOKIE))
    require_open_to(session.user, request.scope["path"])
    if session.user.language:
        speak(session.user.language)
    return session


def require_csrf(request: Request, session: Session) -> None:
    """Raise NotAllowed unless the request carries the session's token and comes from a page of this server."""
    _require_this_sign_in(request, session)
    if not _has_token(request, session) or is_from_elsewhere(request):
        raise _foreign(request)


def require_own_page(request: Request, session: Session | None = None) -> None:
    """Raise NotAllowed unless a page of this server sent the request.

    A browser says so; or the request carries the token of a session, where one is given (a form has none).
    """
    if session is not None:
        _require_this_sign_in(request, session)
    has_token = session is not None and _has_token(request, session) and not is_from_elsewhere(request)
    if not (has_token or is_from_own_page(request)):
        raise _foreign(request)


def _require_this_sign_in(request: Request, session: Session) -> None:
    """A page of ours with another token is one of an earlier sign-in, maybe of another person: NotSignedIn.

    So it keeps what it has and asks to sign in, and shows nobody the work of somebody else.
    """
    if request.headers.get("x-csrf-token") and is_from_own_page(request) and not _has_token(request, session):
        raise NotSignedIn(_(_EARLIER))


def _foreign(request: Request) -> NotAllowed:
    return NotAllowed(_(_PROXIED if is_changed_on_the_way(request) else _FOREIGN))


def _has_token(request: Request, session: Session) -> bool:
    return compare_digest(request.headers.get("x-csrf-token", "").encode(), session.csrf.encode())


async def read_body(request: Request, most: int, refusal: str) -> bytes:
    """The body of a request; raises InvalidValue as soon as it is longer than `most` bytes, without reading on."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > most:
            raise InvalidValue(refusal)
    return bytes(body)


def status_of(error: AnnotatorError) -> int:
    """The HTTP status of a refusal."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 400)


def said_of(error: AnnotatorError) -> str:
    """What is said of a refusal to a browser, which anybody may hold: no place on this machine, only a file's name."""
    if not isinstance(error, StoreError):
        return str(error)
    note_trouble(error)
    return _PLACE.sub(r"'\1'", str(error))


def note_trouble(error: StoreError) -> None:
    """Write trouble with the database into the log, with the place: only whoever runs the server reads it."""
    _LOG.warning("%s", error)


def error_response(error: AnnotatorError) -> JSONResponse:
    """A refusal as JSON: the sentence, and for an annotation which set is meant and whether it may be confirmed."""
    body: dict[str, object] = {"error": said_of(error)}
    if isinstance(error, InvalidAnnotation):
        body |= {"set": error.set_index, "warning": error.is_warning}
    return JSONResponse(body, status_of(error), {"Cache-Control": "no-store"})
