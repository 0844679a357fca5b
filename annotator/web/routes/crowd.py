"""Crowd doors: the page before the work, coming in, and the page at its end. Nobody is signed in here."""

from collections.abc import Awaitable, Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from annotator.errors import AnnotatorError, Conflict, InvalidValue, NotFound, TooBusy
from annotator.language import _, unsaid
from annotator.usecases.crowd import visits
from annotator.web import forms
from annotator.web.routes import crowd_limits
from annotator.web.routes.access import COOKIE, CROWD_COOKIE, require_own_page, route_store, said_of, status_of
from annotator.web.routes.sign_in import Form, is_https, read_form

_KEPT_SECONDS = 30 * 24 * 3600  # how long the last page can be seen again in the same browser
_TITLES: tuple[tuple[type[AnnotatorError], str], ...] = (
    (TooBusy, unsaid("Please come back later")),
    (Conflict, unsaid("This work is over")),
    (NotFound, unsaid("There is nothing here")),
)
# What MTurk puts into the address while somebody only looks at a task.
_PREVIEW = ("assignmentId", "ASSIGNMENT_ID_NOT_AVAILABLE")
_ACCEPT_FIRST = unsaid(
    "You are looking at a preview of this task. Accept it on the platform first, then open the link again."
)

Handler = Callable[[Request], Awaitable[Response]]


def _guarded(handler: Handler) -> Handler:
    """A route of strangers: what is refused is said on a plain page. Too many of them are turned away before (crowd_gate)."""

    async def answer(request: Request) -> Response:
        try:
            return await handler(request)
        except AnnotatorError as error:
            return refusal(error)

    return answer


def refusal(error: AnnotatorError, *, begun_at: str = "") -> Response:
    """begun_at: the link of a door, where whoever has begun already may go on."""
    title = next((_(title) for kind, title in _TITLES if isinstance(error, kind)), _("Not accepted"))
    if begun_at:
        page = forms.turned_away_page(title, said_of(error), status_of(error), action=begun_at)
    else:
        page = forms.message_page(title, said_of(error), status_of(error), back="")
    if status_of(error) == crowd_limits.TOO_BUSY:
        page.headers["Retry-After"] = str(crowd_limits.RETRY_AFTER_SECONDS)
    return page


async def _in_thread(request: Request, work: Callable[[], Response]) -> Response:
    return await crowd_limits.THREADS.run(request.client.host if request.client else "", work)


async def show_door(request: Request) -> Response:
    """What the work is about, and the button that begins it. Looking is written down nowhere."""
    if request.query_params.get(_PREVIEW[0]) == _PREVIEW[1]:
        raise InvalidValue(_(_ACCEPT_FIRST))
    token = request.path_params["token"]
    answer = crowd_limits.DOORS.answer(token)
    if answer is None:
        with crowd_limits.DOORS.looking_up(token):
            return await _in_thread(request, partial(_look_up_door, request, token))
    return _door_page(request, answer)


def _look_up_door(request: Request, token: str) -> Response:
    answer: visits.Welcome | AnnotatorError
    try:
        with route_store(request) as store:
            answer = visits.welcome_of(store, token)
    except (TooBusy, Conflict, NotFound) as error:
        answer = error
    crowd_limits.DOORS.keep(token, answer)
    return _door_page(request, answer)


def _door_page(request: Request, answer: visits.Welcome | AnnotatorError) -> Response:
    """Whoever has begun already goes on, also where nobody new comes in: their browser or their id says so."""
    if request.cookies.get(CROWD_COOKIE) and request.cookies.get(COOKIE) == request.cookies[CROWD_COOKIE]:
        return RedirectResponse("/crowd/end", 303)
    if isinstance(answer, AnnotatorError):
        return refusal(answer, begun_at="" if isinstance(answer, NotFound) else request.url.path)
    parameter = answer.door.rules.parameter
    platform_id = request.query_params.get(parameter, "") if parameter else ""
    platform_id = "" if platform_id.startswith("{{") else platform_id[: visits.LONGEST_ID]
    return forms.door_page(answer, action=request.url.path, platform_id=platform_id)


async def begin(request: Request) -> Response:
    """Come in: an account, a session, and the page with the first text."""
    require_own_page(request)
    form = await read_form(request)
    return await _in_thread(request, partial(_begin, request, form))


def _begin(request: Request, form: Form) -> Response:
    token = request.path_params["token"]
    try:
        with route_store(request) as store:
            entry = visits.come_in(store, token, form.get("platform_id", ""))
    except InvalidValue as error:
        with route_store(request) as store:
            welcome = visits.welcome_of(store, token)
        return forms.door_page(
            welcome, action=request.url.path, platform_id="", error=said_of(error), status=status_of(error)
        )
    if entry.token is None:
        return forms.end_page(entry.visit)
    response = RedirectResponse(f"/annotate?project={entry.visit.project_id}", 303, {"Cache-Control": "no-store"})
    for name in (COOKIE, CROWD_COOKIE):
        response.set_cookie(
            name, entry.token, max_age=_KEPT_SECONDS, path="/", httponly=True, samesite="lax", secure=is_https(request)
        )
    return response


async def show_end(request: Request) -> Response:
    """Where the worker of this browser stands; reaching the quota ends the visit here."""
    return await _in_thread(request, partial(_show_end, request))


def _show_end(request: Request) -> Response:
    with route_store(request) as store:
        visit = visits.look_at_visit(store, request.cookies.get(CROWD_COOKIE, ""))
    return forms.end_page(visit)


async def stop(request: Request) -> Response:
    """The worker stops before the quota."""
    require_own_page(request)
    return await _in_thread(request, partial(_stop, request))


def _stop(request: Request) -> Response:
    with route_store(request) as store:
        visits.leave(store, request.cookies.get(CROWD_COOKIE, ""))
    return RedirectResponse("/crowd/end", 303)


routes = [
    Route("/crowd/end", _guarded(show_end), methods=["GET"]),
    Route("/crowd/end", _guarded(stop), methods=["POST"]),
    Route("/crowd/{token}", _guarded(show_door), methods=["GET"]),
    Route("/crowd/{token}", _guarded(begin), methods=["POST"]),
]
