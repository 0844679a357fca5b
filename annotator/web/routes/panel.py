"""The token panel's own routes (docs/panel.md): next, seen, draft, submit, skip, discard, withdraw, mine.

Marks, drafts and submits travel here and not through script runs: a route costs 3 ms, a script run a hundred.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from annotator.domain.instances import Draft, Timing
from annotator.domain.people import User
from annotator.domain.rationales import RationaleSet
from annotator.errors import AnnotatorError, InvalidAnnotation, InvalidValue, StaleDraft
from annotator.usecases import marking
from annotator.usecases.databases import Store
from annotator.usecases.showing import show_finished, show_next, show_work_of
from annotator.web.routes.access import error_response, require_csrf, route_store, session_of_request

_LONGEST_BODY = 8 * 1024 * 1024

Handler = Callable[[Store, User, Any], object]
_B = TypeVar("_B")


class DraftBody(msgspec.Struct):
    """What is marked, as the panel sends it."""

    result: str | None = None
    sets: list[list[tuple[int, int]]] = []
    note: str = ""
    no_rationale: bool = False

    def as_draft(self) -> Draft:
        """The domain value; raises InvalidAnnotation for a span that marks nothing."""
        sets = tuple(RationaleSet.of(*spans) for spans in self.sets)
        return Draft(self.result, sets, self.note[:10_000], self.no_rationale)


class TimingBody(msgspec.Struct):
    """Time spent since the last acknowledged message."""

    first_action_at: str | None = None
    active_ms: int = 0
    idle_ms: int = 0
    edits: int = 0

    def as_timing(self) -> Timing:
        return Timing(self.first_action_at, self.active_ms, self.idle_ms, self.edits)


class SeenBody(msgspec.Struct):
    """The instance is on screen."""

    assignment: int
    at: str


class SaveBody(msgspec.Struct):
    """A draft."""

    assignment: int
    revision: int
    draft: DraftBody
    timing: TimingBody = msgspec.field(default_factory=TimingBody)


class SubmitBody(SaveBody):
    """A submission; `ahead` is the work that the panel shows already."""

    ahead: int | None = None
    confirmed: bool = False


class SkipBody(msgspec.Struct):
    """Give the instance back."""

    assignment: int
    ahead: int | None = None


class DiscardBody(SkipBody):
    """Propose to discard the instance."""

    reason: str = ""
    comment: str = ""


class WithdrawBody(msgspec.Struct):
    """Take a submission back."""

    assignment: int


def _next(store: Store, user: User, query: Any) -> object:
    instance = query.get("instance")
    return show_next(
        marking.next_work(store, user, _number(query, "project"), _number(query, "instance") if instance else None)
    )


def _mine(store: Store, user: User, query: Any) -> object:
    page = _number(query, "page") if query.get("page") else 1
    return show_finished(*marking.list_finished(store, user, _number(query, "project"), max(1, page)), page)


def _seen(store: Store, user: User, body: SeenBody) -> object:
    marking.note_seen(store, user, body.assignment, body.at)
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


def _number(query: Any, name: str) -> int:
    value = query.get(name, "")
    if not value.isascii() or not value.isdigit() or len(value) > 18:
        raise InvalidValue(f"'{name}' in the address must be a number; it is '{value[:40]}'.")
    return int(value)


def _get(path: str, handler: Handler) -> Route:
    async def endpoint(request: Request) -> Response:
        return await run_in_threadpool(_answer, request, handler, request.query_params, None)

    return Route(f"/api/panel/{path}", endpoint, methods=["GET"])


def _post(path: str, handler: Handler, body_type: type[_B]) -> Route:
    decoder = msgspec.json.Decoder(body_type)

    async def endpoint(request: Request) -> Response:
        raw = await request.body()
        return await run_in_threadpool(_answer, request, handler, raw, decoder)

    return Route(f"/api/panel/{path}", endpoint, methods=["POST"])


def _answer(request: Request, handler: Handler, said: Any, decoder: msgspec.json.Decoder[Any] | None) -> Response:
    """Check who asks, do it, and turn every refusal into its status and sentence."""
    try:
        with route_store(request) as store:
            session = session_of_request(request)
            body = said
            if decoder is not None:
                require_csrf(request, session)
                body = _decode(said, decoder)
            try:
                answer = handler(store, session.user, body)
            except StaleDraft as error:
                work = marking.current_work(store, session.user, body.assignment)
                return _json({"error": str(error), "work": show_work_of(store, work)}, 409)
    except InvalidAnnotation as error:
        return _json({"error": str(error), "set": error.set_index, "warning": error.is_warning}, 422)
    except AnnotatorError as error:
        return error_response(error)
    return _json(answer, 200)


def _decode(raw: bytes, decoder: msgspec.json.Decoder[Any]) -> Any:
    if len(raw) > _LONGEST_BODY:
        raise InvalidValue("The message is too long.")
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
