"""Training's own routes: messages of the token panel and of the review screen about texts with known gold (docs/panel.md)."""

from starlette.routing import Route

from annotator.domain.people import User
from annotator.errors import Conflict
from annotator.language import _, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.qualification import panel as marked_texts
from annotator.usecases.qualification import panel as scored_texts
from annotator.web.routes import review
from annotator.web.routes.messages import Query, get_route, number, post_route
from annotator.web.routes.panel import DiscardBody, SaveBody, SeenBody, SkipBody, SubmitBody

_NOT_HERE = unsaid("Training texts can't be skipped or discarded. Just submit.")


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


def _refuse(_store: Store, _user: User, _body: object) -> object:
    raise Conflict(_(_NOT_HERE))


def _stored(store: Store, user: User, body: SaveBody) -> object:
    return marked_texts.current_text(store, user, body.assignment)


def _next_review(store: Store, user: User, query: Query) -> object:
    return scored_texts.next_scored_text(store, user, number(query, "project"))


def _save_scores(store: Store, user: User, body: review.SaveBody) -> object:
    scores, active_ms = body.scores.as_scores(), body.timing.active_ms
    return {"revision": scored_texts.save_scores(store, user, body.review, body.revision, scores, active_ms)}


def _submit_scores(store: Store, user: User, body: review.SaveBody) -> object:
    scores, active_ms = body.scores.as_scores(), body.timing.active_ms
    return {"next": scored_texts.submit_scores(store, user, body.review, body.revision, scores, active_ms)}


def _stored_scores(store: Store, user: User, body: review.SaveBody) -> object:
    return scored_texts.current_scored_text(store, user, body.review)


routes: list[Route] = [
    get_route("training/next", _next),
    post_route("training/seen", _seen, SeenBody),
    post_route("training/draft", _draft, SaveBody, _stored),
    post_route("training/submit", _submit, SubmitBody, _stored),
    post_route("training/skip", _refuse, SkipBody),
    post_route("training/discard", _refuse, DiscardBody),
    get_route("training/review/next", _next_review),
    post_route("training/review/save", _save_scores, review.SaveBody, _stored_scores),
    post_route("training/review/submit", _submit_scores, review.SaveBody, _stored_scores),
    post_route("training/review/skip", _refuse, review.SkipBody),
]
