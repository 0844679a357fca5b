"""POST /api/preview: what the project's model answers to sets on the screen (docs/panel.md, "The model's answers").

The use case brings NumPy, so it is imported when the first question comes.
"""

import msgspec

from annotator.domain.people import User
from annotator.domain.texts import RationaleSet
from annotator.usecases.databases import Store
from annotator.web.routes.messages import Number, post_route


class PreviewBody(msgspec.Struct, frozen=True):
    """The text, the result that counts for it, and the sets as they are on the screen."""

    instance: Number
    result: str | None = None
    sets: list[list[tuple[Number, Number]]] = []


def _preview(store: Store, user: User, body: PreviewBody) -> object:
    from annotator.usecases.models.previews import preview  # noqa: PLC0415

    sets = [RationaleSet.of(*spans) for spans in body.sets if spans]
    return preview(store, user, body.instance, body.result, sets)


routes = [post_route("preview", _preview, PreviewBody)]
