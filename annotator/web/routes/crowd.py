"""Recruitment links: how many may come, coming in, and the page at the end. Nobody is signed in here."""

import random
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Literal

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from annotator.errors import AnnotatorError, Conflict, InvalidValue, NotFound, TooBusy
from annotator.language import Language, _, spoken_language, unsaid
from annotator.usecases.crowd import visits
from annotator.usecases.crowd.visits import Welcome
from annotator.web import forms
from annotator.web.routes.access import COOKIE, CROWD_COOKIE, require_own_page, route_store, said_of, status_of
from annotator.web.routes.sign_in import Form, HashingThreads, is_https, read_form

# How many may come to the recruitment links: so many a second from one address, and all of them one after the other.


Page = Literal["link", "begin", "end"]

RETRY_AFTER_SECONDS = 60
TOO_BUSY = 503
# Who is turned away is let go after a pause: so a rush comes no faster than it is answered, and costs nobody who marks.
PAUSE_SECONDS = 2.0
# So many at once, and so many a second after that. A worker needs three or four in all, and a room of fifty students may have
# one address together.
_OF_ADDRESS = (240.0, 2.0)
# So many a second of everybody together for each page: 15 a second are 54,000 in an hour. Whoever begins is written down, which
# takes turns with the saves of those who mark: 6 a second are 21,600 in an hour.
_A_SECOND: dict[Page, float] = {"link": 15.0, "begin": 6.0, "end": 15.0}
# A room of fifty who press the button in one moment gets in or reads that it is full within ten seconds.
_LONGEST_WAIT_SECONDS: dict[Page, float] = {"link": 5.0, "begin": 9.0, "end": 5.0}
_MOST_ADDRESSES = 20_000
_MOST_WAITING = 64  # more than have a turn within the longest wait
_KNOWN_SECONDS = 2.0
_MOST_LINKS = 1_000
BUSY = unsaid("The server is busy. Try again in a minute.")

Clock = Callable[[], float]
_Key = tuple[str, Language]


def pause_seconds() -> float:
    """Of a length of its own each time: a rush that is let go all at once would come back all at once."""
    return PAUSE_SECONDS * (0.5 + random.random())  # noqa: S311  (no secret)


class Rate:
    """A bucket of requests for each address, which fills up again with time; the addresses that came last are remembered."""

    def __init__(self, at_once: float, a_second: float, clock: Clock = time.monotonic) -> None:
        self._at_once = at_once
        self._a_second = a_second
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> None:
        """Take one request; raises TooBusy where there is none left."""
        now = self._clock()
        left, at = self._buckets.pop(address, (self._at_once, now))
        left = min(self._at_once, left + (now - at) * self._a_second)
        self._buckets[address] = (left - 1 if left >= 1 else left, now)  # who is turned away takes nothing
        if len(self._buckets) > _MOST_ADDRESSES:
            self._buckets.popitem(last=False)
        if left < 1:
            raise TooBusy(_(BUSY))


class Turns:
    """One after the other, so many a second, however many come at once."""

    def __init__(self, a_second: float, longest_wait: float, clock: Clock = time.monotonic) -> None:
        self._between = 1 / a_second
        self._longest_wait = longest_wait
        self._clock = clock
        self._next = 0.0

    def take(self) -> float:
        """How many seconds it is until one's turn; raises TooBusy where that is too long."""
        now = self._clock()
        turn = max(self._next, now)
        if turn - now > self._longest_wait:
            raise TooBusy(_(BUSY))
        self._next = turn + self._between
        return turn - now


class KnownLinks:
    """What the database said of a link a moment ago: the link, or why nobody new comes in by it, in each language."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._answers: OrderedDict[_Key, tuple[float, Welcome | AnnotatorError]] = OrderedDict()
        self._looked_up: set[_Key] = set()

    def answer(self, token: str) -> Welcome | AnnotatorError | None:
        """None where nothing is known, or no longer."""
        key = _key(token)
        at, answer = self._answers.get(key, (0.0, None))
        is_fresh = answer is not None and self._clock() - at < _KNOWN_SECONDS
        return answer if is_fresh or key in self._looked_up else None

    @contextmanager
    def looking_up(self, token: str) -> Iterator[None]:
        """While somebody looks it up anew, the others take what was known before."""
        key = _key(token)
        self._looked_up.add(key)
        try:
            yield
        finally:
            self._looked_up.discard(key)

    def keep(self, token: str, answer: Welcome | AnnotatorError) -> None:
        """Remember it for a moment."""
        key = _key(token)
        self._answers.pop(key, None)
        self._answers[key] = (self._clock(), answer)
        if len(self._answers) > _MOST_LINKS:
            self._answers.popitem(last=False)


def _key(token: str) -> _Key:
    """Why nobody comes in is a sentence, which is for those who read its language."""
    return token, spoken_language()


class Limits:
    """Of each address, and of all together; whoever ends a visit is not held up by those who want to begin one."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self._addresses = Rate(*_OF_ADDRESS, clock)
        self._pages = {
            page: Turns(a_second, _LONGEST_WAIT_SECONDS[page], clock) for page, a_second in _A_SECOND.items()
        }

    def take(self, address: str, page: Page) -> float:
        """Take one request of an address for a page: the seconds until its turn; raises TooBusy where there is none left."""
        self._addresses.take(address)
        return self._pages[page].take()


LIMITS = Limits()
LINKS = KnownLinks()
# One thread. It may hold the lock of those who save, so that it must not step back behind them while it does.
THREADS = HashingThreads(
    1, _MOST_WAITING, pause_seconds=PAUSE_SECONDS, busy=BUSY, is_for_each_address=False, steps_back=False
)


_KEPT_SECONDS = 30 * 24 * 3600  # how long the last page can be seen again in the same browser
_TITLES: tuple[tuple[type[AnnotatorError], str], ...] = (
    (TooBusy, unsaid("Please come back later")),
    (Conflict, unsaid("This work is over")),
    (NotFound, unsaid("Nothing here")),
)
# What MTurk puts into the address while somebody only looks at a task.
_PREVIEW = ("assignmentId", "ASSIGNMENT_ID_NOT_AVAILABLE")
_ACCEPT_FIRST = unsaid("This is a preview. Accept the task first.")

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
    """begun_at: the link, where whoever has begun already may go on."""
    title = next((_(title) for kind, title in _TITLES if isinstance(error, kind)), _("Not accepted"))
    if begun_at:
        page = forms.turned_away_page(title, said_of(error), status_of(error), action=begun_at)
    else:
        page = forms.message_page(title, said_of(error), status_of(error), back="")
    if status_of(error) == TOO_BUSY:
        page.headers["Retry-After"] = str(RETRY_AFTER_SECONDS)
    return page


async def _in_thread(request: Request, work: Callable[[], Response]) -> Response:
    return await THREADS.run(request.client.host if request.client else "", work)


async def show_recruitment(request: Request) -> Response:
    """What the work is about, and the button that begins it. Looking is written down nowhere."""
    if request.query_params.get(_PREVIEW[0]) == _PREVIEW[1]:
        raise InvalidValue(_(_ACCEPT_FIRST))
    token = request.path_params["token"]
    answer = LINKS.answer(token)
    if answer is None:
        with LINKS.looking_up(token):
            return await _in_thread(request, partial(_look_up_link, request, token))
    return _recruitment_page(request, answer)


def _look_up_link(request: Request, token: str) -> Response:
    answer: visits.Welcome | AnnotatorError
    try:
        with route_store(request) as store:
            answer = visits.welcome_of(store, token)
    except (TooBusy, Conflict, NotFound) as error:
        answer = error
    LINKS.keep(token, answer)
    return _recruitment_page(request, answer)


def _recruitment_page(request: Request, answer: visits.Welcome | AnnotatorError) -> Response:
    """Whoever has begun already goes on, also where nobody new comes in: their browser or their id says so."""
    if request.cookies.get(CROWD_COOKIE) and request.cookies.get(COOKIE) == request.cookies[CROWD_COOKIE]:
        return RedirectResponse("/crowd/end", 303)
    if isinstance(answer, AnnotatorError):
        return refusal(answer, begun_at="" if isinstance(answer, NotFound) else request.url.path)
    parameter = answer.link.rules.parameter
    platform_id = request.query_params.get(parameter, "") if parameter else ""
    platform_id = "" if platform_id.startswith("{{") else platform_id[: visits.LONGEST_ID]
    return forms.recruitment_page(answer, action=request.url.path, platform_id=platform_id)


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
        return forms.recruitment_page(
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
    Route("/crowd/{token}", _guarded(show_recruitment), methods=["GET"]),
    Route("/crowd/{token}", _guarded(begin), methods=["POST"]),
]
