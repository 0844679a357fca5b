"""JSON messages between a screen and its routes: decoded and checked, carried out as the person who is signed in, answered."""

from collections.abc import Callable, Mapping
from typing import Annotated, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotator.domain.numbers import whole_number
from annotator.domain.people import User
from annotator.errors import AnnotatorError, InvalidValue, StaleDraft
from annotator.language import _
from annotator.usecases.access.accounts import Session
from annotator.usecases.databases import Store
from annotator.web.routes import access

_LAST_PAGE = 10**6
_LONGEST_BODY = 2 * 1024 * 1024
_SHORT_BODY = 64 * 1024
_LARGEST = 2**53  # what a browser counts exactly

Number = Annotated[int, msgspec.Meta(ge=0, le=_LARGEST)]
Elapsed = Annotated[int, msgspec.Meta(ge=-_LARGEST, le=_LARGEST)]  # a clock that is set back must not stop a save

Query = Mapping[str, str]  # the names and texts of an address
_B = TypeVar("_B")
Handler = Callable[[Store, User, _B], object]


def number(query: Query, name: str, *, lowest: int = 0, highest: int = _LARGEST) -> int:
    """A whole number of an address; raises InvalidValue naming it."""
    value = query.get(name, "")
    whole = whole_number(value)
    if whole is None or not lowest <= whole <= highest:
        expected = _("a number from {lowest} to {highest}", lowest=lowest, highest=highest)
        raise unexpected(name, value, expected)
    return whole


def unexpected(name: str, value: str, expected: str, *, longest: int = 40) -> InvalidValue:
    """The error of a part of an address, of which so many characters are shown."""
    return InvalidValue(
        _(
            "Invalid '{name}' in the address: '{value}'. Expected {expected}.",
            name=name,
            expected=expected,
            value=value[:longest],
        )
    )


def page_number(query: Query) -> int:
    """The page of a list that an address names, or the first."""
    return number(query, "page", lowest=1, highest=_LAST_PAGE) if query.get("page") else 1


def get_route(path: str, handler: Handler[Query]) -> Route:
    """GET /api/PATH: the handler gets the address's query. Some give work out, so that no other site's page may ask."""

    def endpoint(request: Request) -> Response:
        try:
            session = access.session_of_request(request)
            access.require_own_page(request, session)
            return _answer(request, handler, None, session, request.query_params)
        except AnnotatorError as error:
            return access.error_response(error)

    return Route(f"/api/{path}", endpoint, methods=["GET"])


def post_route(path: str, handler: Handler[_B], body_type: type[_B], stored: Handler[_B] | None = None) -> Route:
    """POST /api/PATH: the handler gets the decoded body. `stored` answers what is there when another tab was faster."""
    decoder = msgspec.json.Decoder(body_type)

    async def endpoint(request: Request) -> Response:
        try:
            # Of whoever sends much it is asked who they are before any of it is read; a mark needs one thread only.
            session = None if _is_short(request) else await run_in_threadpool(_session_of_page, request)
            raw = await access.read_body(request, _LONGEST_BODY, _("Your input is too long. Shorten it."))
            return await run_in_threadpool(
                lambda: _answer(request, handler, stored, session or _session_of_page(request), _decode(raw, decoder))
            )
        except AnnotatorError as error:
            return access.error_response(error)

    return Route(f"/api/{path}", endpoint, methods=["POST"])


def _is_short(request: Request) -> bool:
    length = whole_number(request.headers.get("content-length", ""))
    return length is not None and length <= _SHORT_BODY


def _session_of_page(request: Request) -> Session:
    """Who sent a message, from a page of ours."""
    session = access.session_of_request(request)
    access.require_csrf(request, session)
    return session


def _answer(request: Request, handler: Handler[_B], stored: Handler[_B] | None, session: Session, body: _B) -> Response:
    with access.route_store(request) as store:
        try:
            return _json(handler(store, session.user, body), 200)
        except StaleDraft as error:
            if stored is None:
                raise
            return _json({"error": str(error), "work": stored(store, session.user, body)}, 409)


def _decode(raw: bytes, decoder: msgspec.json.Decoder[_B]) -> _B:
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidValue(_("Can't read the message: {error}.", error=error)) from error
    except RecursionError as error:
        raise AnnotatorError(_("The message is nested too deeply. Flatten it.")) from error


def _json(answer: object, status: int) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(msgspec.json.encode(answer), status, headers, media_type="application/json")
