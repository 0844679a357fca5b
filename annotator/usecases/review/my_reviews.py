"""My reviews: the list of what one has scored in a project, with one's own scores and what came of each round."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast, get_args

from annotator.domain.instances import Annotation
from annotator.domain.people import User
from annotator.domain.reviews import SCALES, SCORE_NAMES, MyReviewState, Property, Review, Round
from annotator.domain.texts import first_words, set_letter
from annotator.errors import InvalidValue
from annotator.language import _, listed
from annotator.review.gate import in_words
from annotator.store import Store
from annotator.store.annotate.annotations import get_annotations
from annotator.store.review.reviews import ReviewLine, get_review, list_my_reviews
from annotator.store.review.rounds import find_round
from annotator.usecases.access.rights import require
from annotator.usecases.annotate.outcomes import DISCARDED, why_discarded

PAGE_SIZE = 20
STATES: tuple[MyReviewState, ...] = get_args(MyReviewState)
_EXCERPT_CHARS = 160
_LINE_CHARS = 200


@dataclass(frozen=True, slots=True)
class MyReviewRow:
    """One line of one's own reviews.

    scored: one's own scores and comments, a line a set and one for the whole; lines: what came of it, and why
    """

    line: ReviewLine
    excerpt: str
    result: str | None
    n_sets: int
    may_change: bool
    scored: tuple[str, ...]
    lines: tuple[str, ...]


def my_reviews(
    store: Store, user: User, project_id: int, page: int = 1, *, state: str = "", words: str = ""
) -> tuple[list[MyReviewRow], int]:
    """One page of one's own reviews, newest first, and how many there are.

    state: one of STATES, or "" for all; words: what its key or texts hold, whatever the case
    """
    require(store, user, project_id, "review")
    if state not in {"", *STATES}:
        raise InvalidValue(
            _(
                "'{state}' is no state of one's own reviews; choose one of: {states}.",
                state=state,
                states=listed(STATES),
            )
        )
    lines, n = list_my_reviews(
        store, project_id, cast("int", user.id), state, words.strip(), limit=PAGE_SIZE, offset=PAGE_SIZE * (page - 1)
    )
    annotations = get_annotations(store, [line.annotation_id for line in lines])
    return [_row(store, line, annotations[line.annotation_id]) for line in lines], n


def _row(store: Store, line: ReviewLine, annotation: Annotation) -> MyReviewRow:
    review = get_review(store, line.review_id)
    return MyReviewRow(
        line, first_words(line.excerpt, _EXCERPT_CHARS), annotation.result, len(annotation.sets),
        may_change=line.state == "submitted",
        scored=_brief(_scored(review)),
        lines=_brief(_became(store, line)),
    )  # fmt: skip


def _brief(lines: list[str]) -> tuple[str, ...]:
    return tuple(first_words(sentence, _LINE_CHARS) for sentence in lines)


def _scored(review: Review) -> list[str]:
    """One's own scores, in the words of their scales, and what one said of them."""
    whole = review.scores
    sets = [
        _line(
            _("Set {letter}", letter=set_letter(number)),
            {"sufficiency": of.sufficiency, "compactness": of.compactness},
            of.comment,
        )
        for number, of in enumerate(whole.sets)
    ]
    return [
        sentence
        for sentence in (*sets, _line(_("All sets"), {"comprehensiveness": whole.comprehensiveness}, whole.comment))
        if sentence
    ]


def _line(about: str, scores: Mapping[Property, int | None], comment: str) -> str:
    parts = [
        _("{score} {number} ({words})", score=_(SCORE_NAMES[name]), number=n, words=_(SCALES[name][n - 1]))
        for name, n in scores.items()
        if n is not None
    ]
    parts += [f"“{comment}”"] if comment else []
    return _("{about}: {scores}", about=about, scores=listed(parts)) if parts else ""


def _became(store: Store, line: ReviewLine) -> list[str]:
    """Why the round, or the text, came to its end; while the round is open nothing is told of others' scores."""
    review_round = cast("Round", find_round(store, line.annotation_id))
    lines = why_discarded(store, line.instance_id) if line.state == "discarded" else []
    if review_round.reason:
        lines.append(_("The lead decided: {reason}", reason=review_round.reason))
    for finding in review_round.verdict.failed if review_round.verdict else ():
        about = (
            _("All sets together")
            if finding.set_index is None
            else _("Set {letter}", letter=set_letter(finding.set_index))
        )
        lines.append(_("{about} fell short. {scores}", about=about, scores=in_words(finding)))
    return [DISCARDED] if line.state == "discarded" and not lines else lines
