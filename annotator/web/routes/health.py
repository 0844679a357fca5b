"""GET /health: whether the server runs, and the database can be read and written. Only an administrator learns more than that.

A proxy on this machine makes everybody come from it, so that no address tells who asks: a session does. Numbers for Prometheus
are at /health/metrics (/metrics is a page), for whoever has the token.
"""

import os
import shutil
from collections.abc import Mapping
from functools import cache
from itertools import groupby
from pathlib import Path
from secrets import compare_digest
from threading import Thread

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from annotator import __version__
from annotator.errors import NotSignedIn, StoreError
from annotator.usecases.access.accounts import has_users, session_of
from annotator.usecases.databases import Store, open_store
from annotator.usecases.upkeep import numbers_to_watch
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


METRICS_VARIABLE = "ANNOTATOR_METRICS_TOKEN"
_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def metrics(request: Request) -> Response:
    """Prometheus' text; nothing of anybody's work but how much there is. Where no token was set there is nothing at all."""
    token = os.environ.get(METRICS_VARIABLE, "")
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    if not token:
        return PlainTextResponse(f"Set {METRICS_VARIABLE} to read numbers here (docs/deploy.md).\n", 404, _NOT_KEPT)
    if kind.lower() != "bearer" or not compare_digest(given.strip().encode(), token.encode()):
        return PlainTextResponse("The token is missing or wrong.\n", 401, {"WWW-Authenticate": "Bearer", **_NOT_KEPT})
    path = options_of(request).path
    values = {f'info{{version="{__version__}"}}': 1, "up": 0, **_of_disk(path), **_of_process()}
    try:
        with open_store(path) as store:
            values |= numbers_to_watch(store)
            store.require_writable()
            values["up"] = 1
    except StoreError as error:
        note_trouble(error)
    return Response(_as_text(values), media_type=_METRICS_TYPE, headers=_NOT_KEPT)


def _of_disk(path: Path) -> dict[str, int]:
    files = [file for ending in ("", "-wal") if (file := path.with_name(path.name + ending)).exists()]
    return {
        "database_bytes": sum(file.stat().st_size for file in files),
        "disk_free_bytes": shutil.disk_usage(path.parent).free,
    }


def _of_process() -> dict[str, int]:
    """As Linux tells them; elsewhere they are left out."""
    process = Path("/proc/self")
    if not process.exists():
        return {}
    pages = int((process / "statm").read_text(encoding="ascii").split()[1])
    return {
        "resident_memory_bytes": pages * os.sysconf("SC_PAGE_SIZE"),
        "open_files": len(list((process / "fd").iterdir())),
    }


def _as_text(values: Mapping[str, int]) -> str:
    lines: list[str] = []
    for name, samples in groupby(values.items(), key=lambda sample: sample[0].partition("{")[0]):
        lines.append(f"# TYPE annotator_{name} {'counter' if name.endswith('_total') else 'gauge'}")
        lines += [f"annotator_{sample} {value}" for sample, value in samples]
    return "\n".join(lines) + "\n"


routes = [Route("/health", health), Route("/health/metrics", metrics)]


# What is loaded while a person still reads, so that nobody waits for it after the server's start.


@cache
def make_tokeniser_ready(language: str) -> None:
    """Load the tokeniser of a language in the background, once: the first text that is written would wait seconds for it."""
    from annotator.usecases.perturb.version_draft import make_ready  # noqa: PLC0415

    Thread(target=make_ready, args=(language,), daemon=True).start()
