"""The guidelines beside the text: who says that they have read them (docs/panel.md)."""

import msgspec
from starlette.routing import Route

from annotator.domain.people import User
from annotator.usecases.databases import Store
from annotator.usecases.project.guidelines import acknowledge
from annotator.web.routes.messages import Number, post_route


class ReadBody(msgspec.Struct):
    """Which version was on the screen."""

    project: Number
    version: Number


def _read(store: Store, user: User, body: ReadBody) -> object:
    acknowledge(store, user, body.project, body.version)
    return {}


routes: list[Route] = [post_route("guidelines/read", _read, ReadBody)]
