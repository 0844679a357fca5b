"""GET /health: whether the server runs, and the database can be read and written."""

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from annotator import __version__
from annotator.errors import StoreError
from annotator.usecases.accounts import has_users
from annotator.usecases.databases import open_store
from annotator.web.routes.access import options_of

_NOT_KEPT = {"Cache-Control": "no-store"}


def health(request: Request) -> JSONResponse:
    """Open the database anew: a kept connection would go on reading a file that was deleted."""
    try:
        with open_store(options_of(request).path) as store:
            has_users(store)
            store.require_writable()
    except StoreError as error:
        return JSONResponse({"status": "failing", "version": __version__, "error": str(error)}, 503, _NOT_KEPT)
    return JSONResponse({"status": "ok", "version": __version__}, 200, _NOT_KEPT)


routes = [Route("/health", health)]
