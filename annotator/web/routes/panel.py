"""The token panel's own routes (docs/panel.md): next, seen, draft, submit, skip, discard, withdraw, mine.

Marks, drafts and submits travel here and not through script runs: a route costs 3 ms, a script run a hundred.
"""

import datetime as dt
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotator.domain.instances import Draft, Timing
from annotator.domain.people import User
from annotator.domain.rationales import RationaleSet
from annotator.errors import AnnotatorError, InvalidValue, StaleDraft
from annotator.usecases import marking
from annotator.usecases.accounts import Session
from annotator.usecases.databases import Store
from annotator.usecases.showing import show_finished, show_next, show_work_of
from annotator.web.routes.access import (
    error_response,
    read_body,
    require_csrf,
    route_store,
    session_of_request,
)

_LONGEST_BODY = 2 * 1024 * 1024
_LARGEST = 2**53  # what a browser counts exactly
_LAST_PAGE = 10**6
_YEARS = range(1970, 9999)

Number = Annotated[int, msgspec.Meta(ge=0, le=_LARGEST)]
Elapsed = Annotated[int, msgspec.Meta(ge=-_LARGEST, le=_LARGEST)]  # a clock that is set back must not stop a save
Moment = Annotated[dt.datetime, msgspec.Meta(tz=True)]

Handler = Callable[[Store, User, Any], object]
_B = TypeVar("_B")


class DraftBody(msgspec.Struct):
    """What is marked, as the panel sends it."""

    result: str | None = None
    sets: list[list[tuple[Number, Number]]] = []
    note: str = ""
    no_rationale: bool = False

    def as_draft(self) -> Draft:
        """The domain value; raises InvalidAnnotation for a span that marks nothing."""
        sets = tuple(RationaleSet.of(*spans) for spans in self.sets)
        return Draft(self.result, sets, self.note[:10_000], self.no_rationale)


class TimingBody(msgspec.Struct):
    """Time spent since the last acknowledged message."""

    first_action_at: Moment | None = None
    active_ms: Elapsed = 0
    idle_ms: Elapsed = 0
    edits: Number = 0

    def as_timing(self) -> Timing:
        """The domain value; raises InvalidValue for a time that cannot be."""
        first = None if self.first_action_at is None else _stored_time(self.first_action_at)
        return Timing(first, self.active_ms, self.idle_ms, self.edits)


def _stored_time(moment: dt.datetime) -> str:
    """A time of a browser as it is stored: UTC, ISO 8601, milliseconds."""
    if moment.year not in _YEARS:
        raise InvalidValue(f"{moment:%Y} cannot be the year; set the clock of this machine.")
    return moment.astimezone(dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class SeenBody(msgspec.Struct):
    """The instance is on screen."""

    assignment: Number
    at: Moment


class SaveBody(msgspec.Struct):
    """A draft."""

    assignment: Number
    revision: Number
    draft: DraftBody
    timing: TimingBody = msgspec.field(default_factory=TimingBody)


class SubmitBody(SaveBody):
    """A submission; `ahead` is the work that the panel shows already."""

    ahead: Number | None = None
    confirmed: bool = False


class SkipBody(msgspec.Struct):
    """Give the instance back."""

    assignment: Number
    ahead: Number | None = None


class DiscardBody(SkipBody):
    """Propose to discard the instance."""

    reason: str = ""
    comment: str = ""


class WithdrawBody(msgspec.Struct):
    """Take a submission back."""

    assignment: Number


def _next(store: Store, user: User, query: Any) -> object:
    instance = query.get("instance")
    return show_next(
        marking.next_work(store, user, _number(query, "project"), _number(query, "instance") if instance else None)
    )


def _mine(store: Store, user: User, query: Any) -> object:
    page = _number(query, "page", lowest=1, highest=_LAST_PAGE) if query.get("page") else 1
    return show_finished(*marking.list_finished(store, user, _number(query, "project"), page), page)


def _seen(store: Store, user: User, body: SeenBody) -> object:
    marking.note_seen(store, user, body.assignment, _stored_time(body.at))
    return {}


def _draft(store: Store, user: User, body: SaveBody) -> object:
    draft, timing = body.draft.as_draft(), body.timing.as_timing()
    return {"revision": marking.save_draft(store, user, body.assignment, body.revision, draft, timing)}


def _submit(store: Store, user: User, body: SubmitBody) -> object:
    counts, ahead = marking.submit(
        store, user, body.assignment, body.revision, body.draft.as_draft(), body.timing.as_timing(),
        shown_next=body.ahead, is_confirmed=body.confirmed,
    )  # fmt: skip
    return {"counts": counts, "ahead": ahead and show_work_of(store, ahead)}


def _skip(store: Store, user: User, body: SkipBody) -> object:
    counts, ahead = marking.skip(store, user, body.assignment, shown_next=body.ahead)
    return {"counts": counts, "ahead": ahead and show_work_of(store, ahead)}


def _discard(store: Store, user: User, body: DiscardBody) -> object:
    counts, ahead = marking.propose_discard(
        store, user, body.assignment, body.reason, body.comment, shown_next=body.ahead
    )
    return {"counts": counts, "ahead": ahead and show_work_of(store, ahead)}


def _withdraw(store: Store, user: User, body: WithdrawBody) -> object:
    return {"work": show_work_of(store, marking.withdraw(store, user, body.assignment))}


def _number(query: Any, name: str, *, lowest: int = 0, highest: int = _LARGEST) -> int:
    value = query.get(name, "")
    is_number = value.isascii() and value.isdigit() and len(value) <= len(str(highest))
    if not is_number or not lowest <= int(value) <= highest:
        said = f"a number from {lowest} to {highest}"
        raise InvalidValue(f"'{name}' in the address must be {said}; it is '{value[:40]}'.")
    return int(value)


def _get(path: str, handler: Handler) -> Route:
    def endpoint(request: Request) -> Response:
        try:
            return _answer(request, handler, session_of_request(request), request.query_params)
        except AnnotatorError as error:
            return error_response(error)

    return Route(f"/api/panel/{path}", endpoint, methods=["GET"])


def _post(path: str, handler: Handler, body_type: type[_B]) -> Route:
    decoder = msgspec.json.Decoder(body_type)

    async def endpoint(request: Request) -> Response:
        try:
            session = await run_in_threadpool(_session_of_page, request)
            body = _decode(await read_body(request, _LONGEST_BODY, "The message is too long."), decoder)
            return await run_in_threadpool(_answer, request, handler, session, body)
        except AnnotatorError as error:
            return error_response(error)

    return Route(f"/api/panel/{path}", endpoint, methods=["POST"])


def _session_of_page(request: Request) -> Session:
    """Who sent a message, from a page of ours; asked before any of the message is read."""
    session = session_of_request(request)
    require_csrf(request, session)
    return session


def _answer(request: Request, handler: Handler, session: Session, said: Any) -> Response:
    """Do what was asked; a draft that another tab was faster with is answered with what is stored."""
    with route_store(request) as store:
        try:
            return _json(handler(store, session.user, said), 200)
        except StaleDraft as error:
            work = marking.current_work(store, session.user, said.assignment)
            return _json({"error": str(error), "work": show_work_of(store, work)}, 409)


def _decode(raw: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidValue(f"The message cannot be read: {error}.") from error


def _json(answer: object, status: int) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(msgspec.json.encode(answer), status, headers, media_type="application/json")


routes: list[Route] = [
    _get("next", _next),
    _get("mine", _mine),
    _post("seen", _seen, SeenBody),
    _post("draft", _draft, SaveBody),
    _post("submit", _submit, SubmitBody),
    _post("skip", _skip, SkipBody),
    _post("discard", _discard, DiscardBody),
    _post("withdraw", _withdraw, WithdrawBody),
]
