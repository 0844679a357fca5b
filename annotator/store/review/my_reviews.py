"""The list of one's own reviews in a project: what one has scored, is scoring or has skipped, a line an annotation."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.domain.reviews import MyReviewState
from annotator.store.annotate.excerpts import excerpt_of, holds
from annotator.store.connection.database import Store


@dataclass(frozen=True, slots=True)
class ReviewLine:
    """One review; round_number: the annotation's; at: when it left one's hands, else when one got it."""

    review_id: int
    annotation_id: int
    instance_id: int
    round_number: int
    key: str
    excerpt: str
    state: MyReviewState
    at: str


# A text is discarded whole, whatever became of the round before.
_STATE = """CASE WHEN reviews.state = 'leased' THEN 'draft' WHEN reviews.state = 'skipped' THEN 'skipped'
    WHEN instances.state = 'discarded' THEN 'discarded' ELSE coalesce(rounds.outcome, 'submitted') END"""

# What is leased and was never scored has only been opened.
_SOURCE = f"""FROM (SELECT reviews.id, reviews.annotation_id, rounds.instance_id, rounds.number, instances.key,
        {_STATE} AS standing, coalesce(reviews.submitted_at, reviews.created_at) AS at
    FROM reviews JOIN rounds ON rounds.annotation_id = reviews.annotation_id JOIN instances ON instances.id = rounds.instance_id
    WHERE reviews.project_id = ?1 AND reviews.user_id = ?2
    AND (reviews.state IN ('submitted', 'skipped') OR (reviews.state = 'leased' AND reviews.revision > 0))) AS review"""
_ASKED = f"(?3 = '' OR standing = ?3) AND {holds('?4', key='review.key', instance_id='review.instance_id')}"


def list_my_reviews(
    store: Store, project_id: int, user_id: int, state: str, words: str, *, limit: int, offset: int
) -> tuple[Sequence[ReviewLine], int]:
    """One page of a person's reviews, newest first, and how many there are; state and words may be "" for any."""
    parameters = (project_id, user_id, state, words)
    rows = store.rows(
        f"""SELECT id AS review_id, annotation_id, instance_id, number AS round_number, key, standing AS state, at,
            {excerpt_of("review.instance_id")} AS excerpt
            {_SOURCE} WHERE {_ASKED} ORDER BY at DESC, id DESC LIMIT ?5 OFFSET ?6""",
        (*parameters, limit, offset),
    )
    n = store.value(f"SELECT count(*) {_SOURCE} WHERE {_ASKED}", parameters)
    return [ReviewLine(**dict(row)) for row in rows], int(n)
