"""Training's own routes: messages of the token panel and of the review screen about texts with known gold (docs/panel.md)."""

from starlette.routing import Route

from annotator.domain.people import User
from annotator.errors import Conflict
from annotator.usecases.databases import Store
from annotator.usecases.qualification import marked_texts
from annotator.web.routes.messages import Query, get_route, number, post_route
from annotator.web.routes.panel import DiscardBody, SaveBody, SeenBody, SkipBody, SubmitBody

_NOT_HERE = (
    "A training text is neither skipped nor proposed to be discarded. Mark it as well as you can, and submit it."
)


def _next(store: Store, user: User, query: Query) -> object:
    return marked_texts.next_text(store, user, number(query, "project"))


def _seen(_store: Store, _user: User, _body: SeenBody) -> object:
    return {}


def _draft(store: Store, user: User, body: SaveBody) -> object:
    draft, timing = body.draft.as_draft(), body.timing.as_timing()
    return {"revision": marked_texts.save_draft(store, user, body.assignment, body.revision, draft, timing)}


def _submit(store: Store, user: User, body: SubmitBody) -> object:
    return marked_texts.submit(
        store, user, body.assignment, body.revision, body.draft.as_draft(), body.timing.as_timing(),
        is_confirmed=body.confirmed,
    )  # fmt: skip


def _refuse(_store: Store, _user: User, _body: SkipBody) -> object:
    raise Conflict(_NOT_HERE)


def _stored(store: Store, user: User, body: SaveBody) -> object:
    return marked_texts.current_text(store, user, body.assignment)


routes: list[Route] = [
    get_route("training/next", _next),
    post_route("training/seen", _seen, SeenBody),
    post_route("training/draft", _draft, SaveBody, _stored),
    post_route("training/submit", _submit, SubmitBody, _stored),
    post_route("training/skip", _refuse, SkipBody),
    post_route("training/discard", _refuse, DiscardBody),
]
