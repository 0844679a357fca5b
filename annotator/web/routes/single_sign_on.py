"""Signing in through the provider that the administrator named: on the way there, and back."""

from collections.abc import Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from annotator.errors import AnnotatorError
from annotator.language import _
from annotator.usecases.access.single_sign_on import ATTEMPT_SECONDS, SingleSignOn
from annotator.web import forms
from annotator.web.routes.access import options_of, route_store, said_of, status_of
from annotator.web.routes.sign_in import HashingThreads, address_of, is_https, local_path, sign_in_form, with_session

_BACK_PATH = "/sign-in/back"
_COOKIE = "annotator_sign_on"
_FIELDS = ("state", "code", "error", "iss")
# They wait for the provider, seconds where it is slow, and hold up no other route meanwhile.
_THREADS = HashingThreads(at_once=8, most=48, steps_back=False)


def callback_address(address: str) -> str:
    """Where the provider sends browsers back, of a server that people reach at an address."""
    return f"{address}{_BACK_PATH}"


async def go(request: Request) -> Response:
    """To the provider; whoever comes back goes on to the page that they asked for."""
    return await _answered(request, _go)


async def come_back(request: Request) -> Response:
    """From the provider, with a code that says who it is."""
    return await _answered(request, _come_back)


async def _answered(request: Request, work: Callable[[Request, SingleSignOn], Response]) -> Response:
    sign_on = options_of(request).sign_on
    if sign_on is None:
        return forms.message_page(_("Sign in"), _("This server has no single sign-on."), 404)
    try:
        return await _THREADS.run(address_of(request), partial(_tried, request, sign_on, work))
    except AnnotatorError as error:  # too many at once
        return forms.message_page(_("Not now"), said_of(error), status_of(error))


def _tried(request: Request, sign_on: SingleSignOn, work: Callable[[Request, SingleSignOn], Response]) -> Response:
    try:
        return work(request, sign_on)
    except AnnotatorError as error:
        return sign_in_form(request, error=said_of(error), status=status_of(error))


def _go(request: Request, sign_on: SingleSignOn) -> Response:
    with route_store(request) as store:
        now = store.moment().timestamp()
    address, cookie = sign_on.begin(local_path(request.query_params.get("next", "/")), now)
    response = RedirectResponse(address, 303, headers={"Cache-Control": "no-store"})
    response.set_cookie(
        _COOKIE,
        cookie,
        max_age=ATTEMPT_SECONDS,
        path=_BACK_PATH,
        httponly=True,
        samesite="lax",
        secure=is_https(request),
    )
    return response


def _come_back(request: Request, sign_on: SingleSignOn) -> Response:
    answer = {name: request.query_params[name] for name in _FIELDS if name in request.query_params}
    with route_store(request) as store:
        token, next_path = sign_on.finish(store, request.cookies.get(_COOKIE, ""), answer)
    response = with_session(request, token, next_path)
    response.delete_cookie(_COOKIE, path=_BACK_PATH, httponly=True, samesite="lax", secure=is_https(request))
    return response


routes = [Route(forms.SIGN_ON_PATH, go, methods=["GET"]), Route(_BACK_PATH, come_back, methods=["GET"])]
