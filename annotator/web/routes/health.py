"""GET /health: whether the server runs, and the database can be read and written. Only an administrator learns more than that.

A proxy on this machine makes everybody come from it, so that no address tells who asks: a session does.
"""

from functools import cache
from threading import Thread

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from annotator import __version__
from annotator.errors import NotSignedIn, StoreError
from annotator.usecases.access.accounts import has_users, session_of
from annotator.usecases.databases import Store, open_store
from annotator.web.routes.access import COOKIE, note_trouble, options_of

_NOT_KEPT = {"Cache-Control": "no-store"}


def health(request: Request) -> JSONResponse:
    """Open the database anew: a kept connection would go on reading a file that was deleted."""
    try:
        with open_store(options_of(request).path) as store:
            has_users(store)
            store.require_writable()
            details = {"version": __version__} if _is_for_administrator(store, request) else {}
    except StoreError as error:
        note_trouble(error)
        return JSONResponse({"status": "failing"}, 503, _NOT_KEPT)
    return JSONResponse({"status": "ok", **details}, 200, _NOT_KEPT)


def _is_for_administrator(store: Store, request: Request) -> bool:
    try:
        return session_of(store, request.cookies.get(COOKIE)).user.is_administrator
    except NotSignedIn:
        return False


routes = [Route("/health", health)]


# What is loaded while a person still reads, so that nobody waits for it after the server's start.


@cache
def make_tokeniser_ready(language: str) -> None:
    """Load the tokeniser of a language in the background, once: the first text that is written would wait seconds for it."""
    from annotator.usecases.perturb.versions import make_ready  # noqa: PLC0415

    Thread(target=make_ready, args=(language,), daemon=True).start()
