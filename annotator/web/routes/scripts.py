"""Routes for scripts (docs/api.md): a token instead of a cookie; model output in, gold and model output out.

No cookie is looked at, so that no page elsewhere can make a browser send anything here. The use cases bring NumPy, so they
are imported when they are needed, and the server starts without it.
"""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from annotator.domain.file_problems import in_address
from annotator.domain.numbers import counted, whole_number
from annotator.domain.people import Scope as TokenScope
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError, ImportRefused, InvalidValue, NotSignedIn
from annotator.usecases.access.credentials import open_token
from annotator.usecases.databases import Store
from annotator.web.routes.access import error_response, route_store, status_of

MOST_BYTES = 10**9
_TOO_LARGE = "The body is longer than 1 GB. Send the rows in several requests."
_BUFFER = 2**20
_SOURCE = "body"  # how problems and the record name what was sent
_FORM = "attributions"
_WORDS = ("format", "model", "method", "split", "key_prefix", "merge")
_TRUE, _FALSE = frozenset({"1", "true", "yes"}), frozenset({"0", "false", "no"})
_FLAGS = ("update", "skip_invalid", "dry_run")
_KNOWN = frozenset((*_WORDS, *_FLAGS, "seed"))
_NONE_USABLE = "None of the rows can be used; correct them."
_NOT_KEPT = {"Cache-Control": "no-store"}

Write = Callable[[Store, User, Project, Path, Mapping[str, str]], int]


class _TooLarge(InvalidValue):
    """More than is taken in one request."""


# Model output comes in ------------------------------------------------------------------------------------------------


async def take_outputs(request: Request) -> Response:
    """POST .../outputs: the body is imported like a file; it is read to a file first, and asked for a token before that."""
    folder: Path | None = None
    try:
        await run_in_threadpool(_check_in, request, "write model output")
        query = _query(request, (*_WORDS, *_FLAGS, "seed"))
        folder = await run_in_threadpool(_new_folder)
        await _keep(request, folder / _SOURCE)
        return await run_in_threadpool(_import, request, folder / _SOURCE, query)
    except AnnotatorError as error:
        return _refusal(error)
    except ClientDisconnect:
        return Response(status_code=400)  # nobody reads it, and nothing was stored
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)  # not awaited: the task may be cancelled


async def _keep(request: Request, path: Path) -> None:
    """Write the body to a file as it comes; raises as soon as it is known to be too long."""
    if (whole_number(request.headers.get("content-length", "")) or 0) > MOST_BYTES:
        raise _TooLarge(_TOO_LARGE)
    n_bytes, buffer = 0, bytearray()
    with path.open("wb") as file:
        async for chunk in request.stream():
            buffer += chunk
            n_bytes += len(chunk)
            if n_bytes > MOST_BYTES:
                raise _TooLarge(_TOO_LARGE)
            if len(buffer) >= _BUFFER:
                await run_in_threadpool(file.write, bytes(buffer))
                buffer.clear()
        file.write(buffer)


def _import(request: Request, path: Path, query: Mapping[str, str]) -> Response:
    from annotator.usecases.transfer.file_import import READABLE_OUTPUT, import_file  # noqa: PLC0415
    from annotator.usecases.transfer.import_report import MERGES, ImportOptions  # noqa: PLC0415

    options = ImportOptions(
        split=query.get("split"), key_prefix=query.get("key_prefix", ""), model=query.get("model", ""),
        method=query.get("method", ""), seed=_whole(query, "seed"), merge=_one_of(query, "merge", MERGES, "sum"),
        update=_flag(query, "update"), skip_invalid=_flag(query, "skip_invalid"), dry_run=_flag(query, "dry_run"),
    )  # fmt: skip
    name = _one_of(query, "format", READABLE_OUTPUT, _FORM)
    with route_store(request) as store:
        # Asked again: the token may have been revoked while a long body came in.
        user, project = _open(store, request, "write model output")
        report = import_file(store, user, project, name, path, options)
    return _json({"stored": not report.is_dry_run, **msgspec.to_builtins(report)}, 200)


# Gold and model output go out -----------------------------------------------------------------------------------------


def _gold(store: Store, user: User, project: Project, path: Path, query: Mapping[str, str]) -> int:
    from annotator.usecases.transfer.contents import export_gold_lines  # noqa: PLC0415

    return export_gold_lines(store, user, project, path, policy=query.get("policy"), split=query.get("split"))


def _outputs(store: Store, user: User, project: Project, path: Path, query: Mapping[str, str]) -> int:
    from annotator.usecases.transfer.contents import export_output_lines  # noqa: PLC0415

    return export_output_lines(
        store, user, project, path, model=query.get("model"), method=query.get("method"), split=query.get("split")
    )


def _lines(name: str, write: Write, known: tuple[str, ...]) -> Callable[[Request], Response]:
    """GET .../NAME: written to a file first, so that an error is an answer of its own and no long reading holds the log up."""

    def endpoint(request: Request) -> Response:
        folder = _new_folder()
        try:
            query = _query(request, known)
            with route_store(request) as store:
                user, project = _open(store, request, "read")
                write(store, user, project, folder / name, query)
        except AnnotatorError as error:
            shutil.rmtree(folder, ignore_errors=True)
            return _refusal(error)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        return _SentOnce(folder / name, media_type="application/x-ndjson", headers=_NOT_KEPT)

    return endpoint


class _SentOnce(FileResponse):
    """A file that is gone with its folder when it was sent, or when the client left."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            shutil.rmtree(Path(self.path).parent, ignore_errors=True)  # not awaited: the task may be cancelled


# What both share ------------------------------------------------------------------------------------------------------


def _new_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="annotator-script-"))


def _check_in(request: Request, scope: TokenScope) -> None:
    with route_store(request) as store:
        _open(store, request, scope)


def _open(store: Store, request: Request, scope: TokenScope) -> tuple[User, Project]:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    text = token.strip() if kind.lower() == "bearer" else None
    return open_token(store, text, request.path_params["project"], scope)


def _query(request: Request, known: tuple[str, ...]) -> dict[str, str]:
    """What stands after the address's `?`; a name that means nothing is refused, since it was meant to do something."""
    unknown = [name for name in request.query_params if name not in known]
    if unknown:
        raise InvalidValue(f"'{unknown[0][:40]}' in the address is not known here; there is {', '.join(known)}.")
    return {name: value for name, value in request.query_params.items() if value}


def _flag(query: Mapping[str, str], name: str) -> bool:
    value = query.get(name, "0").lower()
    if value not in _TRUE | _FALSE:
        raise InvalidValue(f"'{name}' in the address must be true or false; it is '{value[:40]}'.")
    return value in _TRUE


def _whole(query: Mapping[str, str], name: str) -> int | None:
    value = query.get(name)
    if value is None:
        return None
    number = whole_number(value.removeprefix("-"))
    if number is None:
        raise InvalidValue(f"'{name}' in the address must be a whole number; it is '{value[:40]}'.")
    return -number if value.startswith("-") else number


def _one_of(query: Mapping[str, str], name: str, known: tuple[Any, ...], default: Any) -> Any:
    value = query.get(name, default)
    if value not in known:
        raise InvalidValue(f"'{name}' in the address must be one of {', '.join(known)}; it is '{value[:40]}'.")
    return value


def _refusal(error: AnnotatorError) -> Response:
    if isinstance(error, ImportRefused):
        n = error.n_problems
        message = f"{counted(n, 'problem')}; nothing was stored. {_remedy(error)}"
        return _json({"stored": False, "error": message, "n_problems": n, "problems": error.problems}, 422)
    response = error_response(error)
    response.status_code = 413 if isinstance(error, _TooLarge) else status_of(error)
    if isinstance(error, NotSignedIn):
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def _remedy(refusal: ImportRefused) -> str:
    """What can be done about rows that cannot be taken, here or with the command whose options their reasons name."""
    here = "Correct the rows, or repeat with skip_invalid=true." if refusal.can_leave_out else _NONE_USABLE
    reasons = [problem.reason for problem in refusal.problems]
    return " ".join([here, *in_address(reasons, _KNOWN, _FLAGS)])


def _json(answer: object, status: int) -> Response:
    return Response(msgspec.json.encode(answer), status, _NOT_KEPT, media_type="application/json")


_PROJECT = "/api/projects/{project:path}"
routes = [
    Route(f"{_PROJECT}/outputs", take_outputs, methods=["POST"]),
    Route(f"{_PROJECT}/gold.jsonl", _lines("gold.jsonl", _gold, ("policy", "split")), methods=["GET"]),
    Route(
        f"{_PROJECT}/outputs.jsonl", _lines("outputs.jsonl", _outputs, ("model", "method", "split")), methods=["GET"]
    ),
]
