"""Before everything else at the crowd doors: who is turned away costs no route, no template, no thread and no question."""

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import cast

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from annotator.errors import TooBusy
from annotator.language import Language, _, language_of_browser, speaking
from annotator.web.routes import crowd_limits
from annotator.web.routes.crowd import refusal

_DOORS = "/crowd/"
_END = "/crowd/end"


class CrowdGate:
    """Lets people come to the doors one after the other, and turns away who would have to wait for long.

    headers: which every answer of this server has
    """

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self._app = app
        self._busy = cache(lambda language: _busy_page(language, headers))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(_DOORS):
            await self._app(scope, receive, send)
            return
        try:
            seconds = crowd_limits.LIMITS.take(_address_of(scope), _page_of(scope))
        except TooBusy:
            await asyncio.sleep(crowd_limits.pause_seconds())
            language = language_of_browser(Headers(scope=scope).get("accept-language", ""))
            await self._busy(language)(scope, receive, send)
            return
        await asyncio.sleep(seconds)
        await self._app(scope, receive, send)


def _address_of(scope: Scope) -> str:
    """As the server knows it: what a proxy says counts only of one that the server trusts."""
    client = cast("tuple[str, int] | None", scope.get("client"))
    return client[0] if client else ""


def _page_of(scope: Scope) -> crowd_limits.Page:
    if scope["path"] == _END:
        return "end"
    return "begin" if scope["method"] == "POST" else "door"


def _busy_page(language: Language, headers: Mapping[str, str]) -> Response:
    with speaking(language):
        page = refusal(TooBusy(_(crowd_limits.BUSY)))
    for name, value in headers.items():
        page.headers.setdefault(name, value)
    return page
