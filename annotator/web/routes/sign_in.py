"""Signing in and out: a password (hashed by threads with a short queue), a one-time link, or the demonstration's people."""

import asyncio
import logging
import os
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import TypeVar
from urllib.parse import parse_qsl, quote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from annotator.errors import AnnotatorError, InvalidValue, NotAllowed, NotSignedIn, TooBusy
from annotator.language import _, unsaid
from annotator.usecases.access import accounts
from annotator.usecases.access.credentials import noted_in
from annotator.usecases.access.single_sign_on import require_password_allowed
from annotator.usecases.databases import Store
from annotator.web import forms
from annotator.web.routes import access

# Threads for hashing passwords, which takes long because it is meant to, and a small queue before them.


RETRY_AFTER_SECONDS = 5
_AT_ONCE = max(1, (os.cpu_count() or 1) // 4)  # each has four threads of its own, and takes 64 MiB
# Who is served and who waits, together; from one address half of them, so that one alone cannot keep others out.
_MOST = 24
_PAUSE_SECONDS = 1.0
_LESS_THAN_THE_SERVER = 10  # people who mark come first
_BUSY = unsaid("The server is busy. Try again in a minute.")

R = TypeVar("R")
_LOG = logging.getLogger(__name__)


class HashingThreads:
    """Some threads, and room for a few who wait for them."""

    def __init__(
        self, at_once: int = _AT_ONCE, most: int = _MOST, *, pause_seconds: float = _PAUSE_SECONDS, busy: str = _BUSY,
        is_for_each_address: bool = True, steps_back: bool = True,
    ) -> None:  # fmt: skip
        self._pause_seconds = pause_seconds
        self._busy = busy
        self._most_of_address = most // 2 if is_for_each_address else most
        self._threads = ThreadPoolExecutor(at_once, "hashing", _step_back if steps_back else None)
        self._most = most
        self._inside: Counter[str] = Counter()

    async def run(self, address: str, work: Callable[[], R]) -> R:
        """What the work for somebody at an address answers; raises TooBusy when there is no room to wait for it."""
        if self._inside.total() >= self._most or self._inside[address] >= self._most_of_address:
            await asyncio.sleep(self._pause_seconds)
            raise TooBusy(_(self._busy))
        self._inside[address] += 1
        try:
            # with the context of the request, which says in which language it is answered
            return await asyncio.get_running_loop().run_in_executor(self._threads, copy_context().run, work)
        finally:
            self._inside -= Counter([address])  # and nothing is kept of who has left


def _step_back() -> None:
    """Only Linux has a priority for a single thread; argon2's own threads inherit it."""
    if sys.platform == "linux":
        os.nice(_LESS_THAN_THE_SERVER)


THREADS = HashingThreads()


_LARGEST_FORM = 32_768
_MOST_FIELDS = 10
KNOWN_COOKIE = "annotator_known"
_KNOWN_SECONDS = 365 * 24 * 3600

Form = Mapping[str, str]


def local_path(path: str) -> str:
    """The path when it leads to this server and not to the sign-in page again, else the start page's.

    >>> local_path("/annotate?project=1"), local_path("//elsewhere.example"), local_path("https://elsewhere.example")
    ('/annotate?project=1', '/', '/')
    """
    is_plain = path.startswith("/") and not path.startswith("//") and path.isprintable() and "\\" not in path
    if not is_plain or f"{urlsplit(path).path}/".startswith(("/sign-in/", "/sign-out/")):
        return "/"
    return path


def with_form(
    handler: Callable[[Request, Form], Response], *, hashes: bool = False
) -> Callable[[Request], Awaitable[Response]]:
    """A route that takes a form from a page of ours and works on it in a thread; one that hashes in a thread of its own."""

    async def take(request: Request) -> Response:
        form: Form = {}
        try:
            access.require_own_page(request)
            form = await read_form(request)
            if hashes:
                return await THREADS.run(address_of(request), partial(handler, request, form))
            return await run_in_threadpool(handler, request, form)
        except TooBusy as error:
            return _come_again(request, form, error)
        except AnnotatorError as error:
            return forms.message_page(_("Not accepted"), access.said_of(error), access.status_of(error))

    return take


def address_of(request: Request) -> str:
    return request.client.host if request.client else ""


def _come_again(request: Request, form: Form, error: TooBusy) -> Response:
    """Without the database, so that it costs little; who wanted to sign in finds the form with the name."""
    if request.url.path == "/sign-in":
        answer = _empty_form(
            request, name=form.get("name", ""), error="", notice=str(error), status=access.status_of(error)
        )
    else:
        answer = forms.message_page(
            _("Not now"), _("{error} Your link still works; open it again.", error=error), access.status_of(error)
        )
    answer.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return answer


async def read_form(request: Request) -> Form:
    """The fields of a form; raises InvalidValue for one that is too long, or has too many."""
    body = await access.read_body(request, _LARGEST_FORM, _("Your input is too long. Shorten it."))
    try:
        pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as error:
        raise InvalidValue(_("The form has too many fields. Reload.")) from error
    return dict(pairs)


def show_sign_in(request: Request) -> Response:
    """The form; somebody who is signed in goes on at once (not where one chooses who one is)."""
    next_path = _next_of(request)
    if not access.options_of(request).is_by_choice and _is_signed_in(request):
        return RedirectResponse(next_path, 303)
    notice = _signed_out(request) if "signed-out" in request.query_params else ""
    return sign_in_form(request, notice=notice)


def _signed_out(request: Request) -> str:
    settings = access.options_of(request).sign_on_settings
    if settings is None:
        return _("You're signed out.")
    return _("You're signed out here. {name} may still hold a session.", name=settings.shown_name)


def sign_in_form(request: Request, *, name: str = "", error: str = "", notice: str = "", status: int = 200) -> Response:
    with access.route_store(request) as store:
        if access.options_of(request).is_by_choice:
            people = accounts.list_people_to_choose(store)
            is_demonstration = access.options_of(request).is_demonstration
            return forms.choose_page(
                people, next_path=_asked_next(request), error=error, status=status, is_demonstration=is_demonstration
            )
        if not error and not accounts.has_users(store):
            notice = _("No account yet. Open the link printed at server start.")
    return _empty_form(request, name=name, error=error, notice=notice, status=status)


def _empty_form(request: Request, *, name: str, error: str, notice: str = "", status: int) -> Response:
    return forms.sign_in_page(
        name=name, next_path=_asked_next(request), error=error, notice=notice, status=status,
        sign_on=access.options_of(request).sign_on_settings,
    )  # fmt: skip


def sign_in(request: Request, form: Form) -> Response:
    """Start a session; the one that the browser had before ends."""
    name = form.get("name", "")
    options = access.options_of(request)
    try:
        with access.route_store(request) as store:
            if options.is_by_choice:
                token = _chosen(store, options, name)
            else:
                require_password_allowed(access.options_of(request).sign_on_settings)
                note = request.cookies.get(KNOWN_COOKIE, "")
                password = form.get("password", "")
                token = accounts.sign_in(store, name, password, address=address_of(request), browser_note=note)
    except AnnotatorError as error:
        if isinstance(error, NotAllowed):  # without the name, which is often a password in the wrong field
            _LOG.warning("A sign-in from %s was refused.", address_of(request))
        return sign_in_form(request, name=name, error=access.said_of(error), status=access.status_of(error))
    return with_session(request, token, _next_of(request))


def _chosen(store: Store, options: access.ServerOptions, name: str) -> str:
    is_window = options.window is not None
    return accounts.sign_in_as(store, name, is_demonstration=options.is_demonstration, is_window=is_window)


def open_window(request: Request) -> Response:
    """The first request of a window: from now on its cookie is the only one that is answered (middleware.OwnWindow)."""
    options = access.options_of(request)
    if options.window is None or not options.window.opens(request.path_params["secret"]):
        return forms.message_page(_("Not accepted"), _("This address worked once, for one window."), 403, back="")
    with access.route_store(request) as store:
        people = accounts.list_people_to_choose(store)
        token = _chosen(store, options, people[0].user.name) if len(people) == 1 else None
    response = RedirectResponse("/sign-in", 303) if token is None else with_session(request, token, "/")
    response.set_cookie(access.WINDOW_COOKIE, options.window.cookie, path="/", httponly=True, samesite="strict")
    return response


def show_link(request: Request) -> Response:
    """What a one-time link is for. Looking does not use it up: mail programs look at links, too."""
    try:
        return _link_form(request)
    except AnnotatorError as error:
        return forms.message_page(_("This link doesn't work"), access.said_of(error), access.status_of(error))


def _link_form(request: Request, *, name: str = "", error: str = "", status: int = 200) -> Response:
    with access.route_store(request) as store:
        user = accounts.open_link(store, request.path_params["token"]).user
    require_password_allowed(access.options_of(request).sign_on_settings, user)
    return forms.link_page(
        user_name=user.name if user else None, name=name, error=error, action=request.url.path, status=status
    )


def use_link(request: Request, form: Form) -> Response:
    """Set the password and sign in."""
    name = form.get("name", "")
    try:
        with access.route_store(request) as store:
            link = request.path_params["token"]
            require_password_allowed(access.options_of(request).sign_on_settings, accounts.open_link(store, link).user)
            token = accounts.set_password_with_link(store, link, name, form.get("password", ""))
    except InvalidValue as error:
        return _link_form(request, name=name, error=access.said_of(error), status=access.status_of(error))
    except AnnotatorError as error:
        return forms.message_page(_("This link doesn't work"), access.said_of(error), access.status_of(error))
    return with_session(request, token, "/")


def show_sign_out(request: Request) -> Response:
    """Ask first: a link alone must not sign anybody out."""
    try:
        return forms.sign_out_page(access.session_of_request(request).user.name)
    except NotSignedIn:
        return RedirectResponse("/sign-in", 303)


def sign_out(request: Request, _form: Form) -> Response:
    """End the session here and in the database."""
    _end_session(request)
    response = RedirectResponse("/sign-in?signed-out", 303)
    response.delete_cookie(access.COOKIE, path="/", httponly=True, samesite="lax", secure=is_https(request))
    return response


def with_session(request: Request, token: str, next_path: str) -> Response:
    _end_session(request)
    response = RedirectResponse(next_path, 303, headers={"Cache-Control": "no-store"})
    if not access.options_of(request).is_by_choice:
        _know_again(request, response, token)
    response.set_cookie(
        access.COOKIE, token, max_age=int(accounts.SESSION_LASTS.total_seconds()), path="/", httponly=True, samesite="lax",
        secure=is_https(request),
    )  # fmt: skip
    if access.CROWD_COOKIE in request.cookies:
        response.delete_cookie(access.CROWD_COOKIE, path="/")  # whoever signs in is led to their pages again
    return response


def _know_again(request: Request, response: Response, token: str) -> None:
    """Whoever guesses at this account from elsewhere does not keep it out of this browser."""
    with access.route_store(request) as store:
        note = noted_in(store, accounts.session_of(store, token).user, request.cookies.get(KNOWN_COOKIE, ""))
    response.set_cookie(
        KNOWN_COOKIE, note, max_age=_KNOWN_SECONDS, path="/sign-in", httponly=True, samesite="lax",
        secure=is_https(request),
    )  # fmt: skip


def _end_session(request: Request) -> None:
    if token := request.cookies.get(access.COOKIE):
        with access.route_store(request) as store:
            accounts.sign_out(store, token)


def _is_signed_in(request: Request) -> bool:
    try:
        access.session_of_request(request)
    except NotAllowed:  # nobody, or a worker of a recruitment link, who has no page to go on to
        return False
    return True


def is_https(request: Request) -> bool:
    """Whether the browser reached us over TLS, so that a cookie may be kept to it."""
    return request.url.scheme == "https"


def _next_of(request: Request) -> str:
    return local_path(request.query_params.get("next", "/"))


def _asked_next(request: Request) -> str:
    return _next_of(request) if "next" in request.query_params else ""


def sign_in_address(path: str, query: str) -> str:
    """Where to sign in so that one comes back to a path afterwards."""
    wanted = local_path(f"{path}?{query}" if query else path)
    return "/sign-in" if wanted == "/" else f"/sign-in?next={quote(wanted, safe='')}"


routes = [
    Route("/sign-in", show_sign_in, methods=["GET"]),
    Route("/sign-in", with_form(sign_in, hashes=True), methods=["POST"]),
    Route("/sign-out", show_sign_out, methods=["GET"]),
    Route("/sign-out", with_form(sign_out), methods=["POST"]),
    Route("/window/{secret}", open_window, methods=["GET"]),
    Route("/link/{token}", show_link, methods=["GET"]),
    Route("/link/{token}", with_form(use_link, hashes=True), methods=["POST"]),
]
