"""Reviews: who scores which annotation, with leases as for annotating; and the scores.

Every function here that writes is called inside one immediate transaction, so two people can never get the same slot.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, cast

from annotator.domain.numbers import by_key
from annotator.domain.people import User
from annotator.domain.reviews import MyReviewState, Review, ReviewState, Scores, SetScore
from annotator.errors import NotFound
from annotator.language import _
from annotator.store.annotate.instance_queue import settle
from annotator.store.annotate.my_work import excerpt_of, holds
from annotator.store.annotate.visibility import annotates, may_still_be_given
from annotator.store.connection.database import Row, Store, of_columns, unused_number

_SELECT = "SELECT reviews.*, users.name AS reviewer FROM reviews JOIN users ON users.id = reviews.user_id"

# Whoever scored the round before has a slot reserved while they are there (?3: roles that review, ?4: opened after this, ?5: and
# before now, since a clock that was ahead for a while must not reserve it until then).
_RESERVED = f"""(SELECT count(*) FROM reviews AS before JOIN users ON users.id = before.user_id
    WHERE before.annotation_id = rounds.previous_id AND before.state = 'submitted' AND is_disabled = 0
    AND rounds.opened_at > ?4 AND rounds.opened_at <= ?5
    AND before.user_id <> ?2 AND NOT {annotates("before.user_id", "rounds.instance_id")}
    AND EXISTS (SELECT 1 FROM memberships WHERE memberships.project_id = ?1 AND user_id = before.user_id
        AND role IN (SELECT value FROM json_each(?3)))
    AND NOT EXISTS (SELECT 1 FROM reviews AS again WHERE again.annotation_id = rounds.annotation_id
        AND again.user_id = before.user_id AND again.state IN ('leased', 'submitted')))"""
_SCORED_BEFORE = """EXISTS (SELECT 1 FROM reviews WHERE annotation_id = rounds.previous_id AND user_id = ?2
    AND state = 'submitted')"""
# Per text one is annotator or reviewer; whoever may still be given it is not shown others' sets of it (?6: may annotate).
_IS_OPEN_TO = f"""NOT {annotates("?2", "rounds.instance_id")}
    AND NOT (?6 AND EXISTS (SELECT 1 FROM instances WHERE id = rounds.instance_id AND {may_still_be_given("?2")}))"""
_FOR_ME = f"""FROM rounds WHERE rounds.project_id = ?1 AND open_slots > 0 AND {_IS_OPEN_TO}
    AND NOT EXISTS (SELECT 1 FROM reviews WHERE annotation_id = rounds.annotation_id AND user_id = ?2
        AND reviews.state IN ('leased', 'submitted', 'skipped'))
    AND (previous_id IS NULL OR {_SCORED_BEFORE} OR open_slots > {_RESERVED})"""


def find_reviewed_annotation(store: Store, instance_id: int, user_id: int) -> int | None:
    """The newest annotation of an instance that somebody scores or has scored; None where there is none."""
    annotation_id = store.value(
        """SELECT max(annotation_id) FROM reviews JOIN annotations ON annotations.id = annotation_id
                WHERE instance_id = ? AND reviews.user_id = ? AND reviews.state IN ('leased', 'submitted')""",
        (instance_id, user_id),
    )
    return None if annotation_id is None else int(annotation_id)


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Somebody who asks for annotations to score.

    roles: those that review; away_since: corrections handed in later wait for the reviewers of the round before
    """

    project_id: int
    user_id: int
    roles: Sequence[str]
    away_since: str
    now: str
    may_annotate: bool

    @property
    def values(self) -> tuple[object, ...]:
        """?1 to ?6 of a question."""
        return self.project_id, self.user_id, json.dumps(list(self.roles)), self.away_since, self.now, self.may_annotate


def next_to_review(store: Store, reviewer: Reviewer) -> int | None:
    """The annotation that this person is to score next: a correction they know, else the oldest; skipped ones at the end."""
    known = f"AND previous_id IS NOT NULL AND {_SCORED_BEFORE}"
    last = """AND rounds.annotation_id > (SELECT coalesce(max(annotation_id), 0) FROM reviews
        WHERE reviews.project_id = ?1 AND user_id = ?2)"""
    # Behind the last one that I had is the quickest place to look; what others gave back lies before it.
    for narrowed in (known, last, ""):
        annotation_id = store.value(
            f"SELECT rounds.annotation_id {_FOR_ME} {narrowed} ORDER BY 1 LIMIT 1", reviewer.values
        )
        if annotation_id is not None:
            return int(annotation_id)
    return _next_skipped(store, reviewer.project_id, reviewer.user_id)


def _next_skipped(store: Store, project_id: int, user_id: int) -> int | None:
    annotation_id = store.value(
        """SELECT rounds.annotation_id FROM reviews JOIN rounds ON rounds.annotation_id = reviews.annotation_id
            WHERE reviews.project_id = ? AND user_id = ? AND state = 'skipped' AND open_slots > 0
            ORDER BY lease_until, reviews.id LIMIT 1""",
        (project_id, user_id),
    )
    return None if annotation_id is None else int(annotation_id)


def count_to_review(store: Store, reviewer: Reviewer, *, at_most: int = 1000) -> int:
    """How many annotations a person could still score, counted up to `at_most` so that it costs the same in any project."""
    return store.number(f"SELECT count(*) FROM (SELECT 1 {_FOR_ME} LIMIT ?7)", (*reviewer.values, at_most))


def why_closed(store: Store, reviewer: Reviewer) -> set[Literal["annotates", "may still be given"]]:
    """Why rounds that want reviewers don't want this person; empty where there are none."""
    sql = f"""SELECT DISTINCT iif({annotates("?2", "rounds.instance_id")}, 'annotates', 'may still be given')
        FROM rounds WHERE project_id = ?1 AND open_slots > 0 AND NOT ({_IS_OPEN_TO})"""
    return {row[0] for row in store.rows(sql, reviewer.values)}


def may_claim(store: Store, annotation_id: int) -> bool:
    """Whether the round of an annotation wants another reviewer."""
    return store.holds("SELECT 1 FROM rounds WHERE annotation_id = ? AND open_slots > 0", (annotation_id,))


def claim_review(store: Store, project_id: int, annotation_id: int, user_id: int, lease_until: str) -> Review:
    """Take one slot of a round (which must have one) for a person; what was scored before is still there."""
    store.run(
        f"""INSERT INTO reviews (id, project_id, annotation_id, user_id, state, lease_until, created_at)
            VALUES ({unused_number("reviews")}, ?, ?, ?, 'leased', ?, ?)
            ON CONFLICT (annotation_id, user_id) DO UPDATE SET state = 'leased', lease_until = excluded.lease_until""",
        (project_id, annotation_id, user_id, lease_until, store.now()),
    )
    _settle_round(store, annotation_id)
    return cast("Review", find_review(store, annotation_id, user_id))


def _settle_round(store: Store, annotation_id: int) -> None:
    settle(store, store.number("SELECT instance_id FROM annotations WHERE id = ?", (annotation_id,)))


def get_review(store: Store, review_id: int) -> Review:
    """A review with its scores; raises NotFound."""
    reviews = _with_scores(store, store.rows(f"{_SELECT} WHERE reviews.id = ?", (review_id,)))
    if not reviews:
        raise NotFound(_("No {what} number {number}.", number=review_id, what=_("review")))
    return reviews[0]


def find_review(store: Store, annotation_id: int, user_id: int) -> Review | None:
    """What a person scored, or is scoring, of an annotation."""
    reviews = _with_scores(
        store, store.rows(f"{_SELECT} WHERE annotation_id = ? AND user_id = ?", (annotation_id, user_id))
    )
    return reviews[0] if reviews else None


def reviews_of(store: Store, annotation_ids: Sequence[int]) -> dict[int, list[Review]]:
    """For each annotation all its reviews, oldest first."""
    rows = store.rows(
        f"{_SELECT} WHERE annotation_id IN (SELECT value FROM json_each(?)) ORDER BY reviews.id",
        (json.dumps(list(annotation_ids)),),
    )
    return by_key((review.annotation_id, review) for review in _with_scores(store, rows))


def find_open_review(store: Store, project_id: int, user_id: int) -> Review | None:
    """A person's oldest review in work."""
    rows = store.rows(
        f"{_SELECT} WHERE project_id = ? AND user_id = ? AND state = 'leased' ORDER BY reviews.id LIMIT 1",
        (project_id, user_id),
    )
    return next(iter(_with_scores(store, rows)), None)


def count_reviews(store: Store, project_id: int, user_id: int, state: ReviewState) -> int:
    return store.number(
        "SELECT count(*) FROM reviews WHERE project_id = ? AND user_id = ? AND state = ?", (project_id, user_id, state)
    )


def save_scores(store: Store, review_id: int, scores: Scores, revision: int) -> None:
    """Write scores under a new revision number."""
    store.run(
        "UPDATE reviews SET comprehensiveness = ?, comment = ?, revision = ? WHERE id = ?",
        (scores.comprehensiveness, scores.comment, revision, review_id),
    )
    store.run("DELETE FROM scores WHERE review_id = ?", (review_id,))
    store.run_many(
        "INSERT INTO scores (review_id, position, sufficiency, compactness, comment) VALUES (?, ?, ?, ?, ?)",
        [(review_id, p, s.sufficiency, s.compactness, s.comment) for p, s in enumerate(scores.sets)],
    )


def add_review_time(store: Store, review_id: int, active_ms: int, idle_ms: int) -> None:
    """Add the time spent since the last message."""
    store.run(
        "UPDATE reviews SET active_ms = active_ms + ?, idle_ms = idle_ms + ? WHERE id = ?",
        (active_ms, idle_ms, review_id),
    )


def set_review_state(store: Store, review: Review, state: ReviewState) -> None:
    """Bring a review into another state, and its round after it."""
    store.run(
        "UPDATE reviews SET state = ?, submitted_at = CASE WHEN ?1 = 'submitted' THEN ? ELSE submitted_at END WHERE id = ?",
        (state, store.now(), review.id),
    )
    _settle_round(store, review.annotation_id)


def extend_review_leases(store: Store, project_id: int, user_id: int, lease_until: str) -> None:
    """Whoever works keeps everything that is leased to them."""
    store.run(
        "UPDATE reviews SET lease_until = ? WHERE project_id = ? AND user_id = ? AND state = 'leased'",
        (lease_until, project_id, user_id),
    )


def end_expired_reviews(store: Store, project_id: int, *, but_not_of: int, lease_until: str) -> None:
    """Give back what others let lie past its lease, keeping what they scored.

    lease_until: the end of a lease given now; one that ends later was given by a clock that was ahead, and is cut to it
    """
    store.run(
        "UPDATE reviews SET lease_until = ?1 WHERE project_id = ?2 AND state = 'leased' AND lease_until > ?1",
        (lease_until, project_id),
    )
    rows = store.rows(
        f"{_SELECT} WHERE project_id = ? AND state = 'leased' AND lease_until <= ? AND reviews.user_id <> ?",
        (project_id, store.now(), but_not_of),
    )
    for review in _with_scores(store, rows):
        set_review_state(store, review, "expired")


def end_open_reviews(store: Store, annotation_id: int) -> None:
    """Nothing more is to be scored: the round is decided, or the annotation was withdrawn. Scores handed in stay."""
    store.run(
        "UPDATE reviews SET state = 'ended' WHERE annotation_id = ? AND state IN ('leased', 'skipped', 'expired')",
        (annotation_id,),
    )


def forget_unsubmitted_scores(store: Store, annotation_id: int) -> None:
    """An annotation is handed in anew, with other sets perhaps: what was scored of it but never handed in is void."""
    ids = store.rows("SELECT id FROM reviews WHERE annotation_id = ? AND state = 'ended'", (annotation_id,))
    for row in ids:
        save_scores(store, row["id"], Scores(), 0)


def end_reviews_of_instance(store: Store, instance_id: int) -> None:
    """The instance leaves the data set; whoever is scoring one of its annotations holds it no longer."""
    store.run(
        """UPDATE reviews SET state = 'ended' WHERE state IN ('leased', 'skipped', 'expired')
            AND annotation_id IN (SELECT id FROM annotations WHERE instance_id = ?)""",
        (instance_id,),
    )


def count_held_reviews(store: Store, project_id: int, user: User) -> int:
    """How many annotations a person has open to score."""
    sql = "SELECT count(*) FROM reviews WHERE project_id = ? AND user_id = ? AND state = 'leased'"
    return store.number(sql, (project_id, user.id))


def give_up_reviews_of(store: Store, user: User, project_id: int | None = None) -> None:
    """Give back what a person is scoring (in one project, or all), so that others get it."""
    rows = store.rows(
        f"{_SELECT} WHERE reviews.user_id = ?1 AND state = 'leased' AND (?2 IS NULL OR project_id = ?2)",
        (user.id, project_id),
    )
    for review in _with_scores(store, rows):
        set_review_state(store, review, "expired")


def has_scores(store: Store, annotation_id: int) -> bool:
    """Whether somebody has handed in scores of an annotation."""
    return store.holds(
        "SELECT 1 FROM reviews WHERE annotation_id = ? AND state = 'submitted' LIMIT 1", (annotation_id,)
    )


def _with_scores(store: Store, rows: Sequence[Row]) -> list[Review]:
    by_review: dict[int, list[SetScore]] = {}
    for row in store.rows(
        "SELECT * FROM scores WHERE review_id IN (SELECT value FROM json_each(?)) ORDER BY review_id, position",
        (json.dumps([row["id"] for row in rows]),),
    ):
        score = SetScore(row["sufficiency"], row["compactness"], row["comment"])
        by_review.setdefault(row["review_id"], []).append(score)
    return [_review(row, tuple(by_review.get(row["id"], ()))) for row in rows]


def _review(row: Row, sets: tuple[SetScore, ...]) -> Review:
    return of_columns(Review, row, scores=Scores(sets, row["comprehensiveness"], row["comment"]))


def submitted_reviews(store: Store, annotation_id: int) -> list[Review]:
    """The reviews of an annotation that were handed in."""
    return [r for r in reviews_of(store, [annotation_id]).get(annotation_id, []) if r.state == "submitted"]


# The list of one's own reviews in a project: what one has scored, is scoring or has skipped, a line an annotation.


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
_SOURCE = f"""FROM (SELECT reviews.id, reviews.annotation_id, rounds.instance_id, rounds.number, instances.key, reviews.comment,
        {_STATE} AS standing, coalesce(reviews.submitted_at, reviews.created_at) AS at
    FROM reviews JOIN rounds ON rounds.annotation_id = reviews.annotation_id JOIN instances ON instances.id = rounds.instance_id
    WHERE reviews.project_id = ?1 AND reviews.user_id = ?2
    AND (reviews.state IN ('submitted', 'skipped') OR (reviews.state = 'leased' AND reviews.revision > 0))) AS review"""
_ASKED = f"""(?3 = '' OR standing = ?3) AND ({holds("?4", key="review.key", instance_id="review.instance_id")}
    OR instr(casefold(review.comment), casefold(?4)) > 0
    OR EXISTS (SELECT 1 FROM scores WHERE review_id = review.id AND instr(casefold(comment), casefold(?4)) > 0))"""


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
