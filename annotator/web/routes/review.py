"""The review screen's own routes (docs/review.md): next, save, submit, skip, mine."""

from typing import Annotated

import msgspec
from starlette.routing import Route

from annotator.domain.people import User
from annotator.domain.reviews import Scores, SetScore
from annotator.usecases.databases import Store
from annotator.usecases.review import reviews
from annotator.usecases.review.panel_messages import show_my_reviews, show_next_review, show_review
from annotator.usecases.review.reviews import my_reviews
from annotator.web.routes.messages import Elapsed, Number, Query, get_route, number, page_number, post_route

Score = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31)]  # the scale itself is the domain's


class SetScoreBody(msgspec.Struct):
    """My scores of one set."""

    sufficiency: Score | None = None
    compactness: Score | None = None
    comment: str = ""


class ScoresBody(msgspec.Struct):
    """All that I have scored."""

    comprehensiveness: Score | None = None
    comment: str = ""
    sets: list[SetScoreBody] = []

    def as_scores(self) -> Scores:
        """The domain value; raises InvalidValue for a score outside its scale."""
        most = reviews.LONGEST_COMMENT
        sets = tuple(SetScore(s.sufficiency, s.compactness, s.comment[:most]) for s in self.sets)
        return Scores(sets, self.comprehensiveness, self.comment[:most])


class TimeBody(msgspec.Struct):
    """Time spent since the last acknowledged message."""

    active_ms: Elapsed = 0
    idle_ms: Elapsed = 0


class SaveBody(msgspec.Struct):
    """Scores to be kept, or handed in."""

    review: Number
    revision: Number
    scores: ScoresBody
    timing: TimeBody = msgspec.field(default_factory=TimeBody)


class SkipBody(msgspec.Struct):
    """Leave the annotation to others."""

    review: Number


def _next(store: Store, user: User, query: Query) -> object:
    annotation = number(query, "annotation") if query.get("annotation") else None
    return show_next_review(reviews.next_review(store, user, number(query, "project"), annotation))


def _mine(store: Store, user: User, query: Query) -> object:
    page = page_number(query)
    state, words = query.get("state", ""), query.get("words", "")
    rows, total = my_reviews(store, user, number(query, "project"), page, state=state, words=words)
    return show_my_reviews(rows, total, page)


def _save(store: Store, user: User, body: SaveBody) -> object:
    scores, timing = body.scores.as_scores(), body.timing
    saved = reviews.save_review(store, user, body.review, body.revision, scores, timing.active_ms, timing.idle_ms)
    return {"revision": saved}


def _submit(store: Store, user: User, body: SaveBody) -> object:
    scores, timing = body.scores.as_scores(), body.timing
    answer = reviews.submit_review(store, user, body.review, body.revision, scores, timing.active_ms, timing.idle_ms)
    return {"next": show_next_review(answer)}


def _skip(store: Store, user: User, body: SkipBody) -> object:
    return {"next": show_next_review(reviews.skip_review(store, user, body.review))}


def _stored(store: Store, user: User, body: SaveBody | SkipBody) -> object:
    return show_review(reviews.current_review(store, user, body.review))


routes: list[Route] = [
    get_route("review/next", _next),
    get_route("review/mine", _mine),
    post_route("review/save", _save, SaveBody, _stored),
    post_route("review/submit", _submit, SaveBody, _stored),
    post_route("review/skip", _skip, SkipBody, _stored),
]
