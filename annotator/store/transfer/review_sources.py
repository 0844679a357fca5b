"""What our own export carries of reviewing, out: rounds, reviews with their scores, the choice of gold, threads.

An annotation is named by its place among its instance's annotations, since numbers differ between databases.
"""

import json
from collections.abc import Mapping, Sequence

from annotator.domain.reviews import Review
from annotator.domain.sources import SourceChoice, SourceComment, SourceReview, SourceRound, SourceThread
from annotator.store.connection.database import Row, Store
from annotator.store.review.reviews import reviews_of

Places = Mapping[int, int]  # an annotation's number: its place


def annotation_ids_of(store: Store, instance_ids: Sequence[int]) -> dict[int, list[int]]:
    """For each instance the numbers of its annotations, oldest first: their order is their place."""
    by_instance: dict[int, list[int]] = {number: [] for number in instance_ids}
    for row in _of_instances(
        store, "SELECT id, instance_id FROM annotations WHERE instance_id IN wanted ORDER BY id", instance_ids
    ):
        by_instance[row["instance_id"]].append(row["id"])
    return by_instance


def rounds_as_sources(store: Store, instance_ids: Sequence[int], places: Places) -> dict[int, tuple[SourceRound, ...]]:
    """For each instance its rounds with all their reviews."""
    rows = _of_instances(store, "SELECT * FROM rounds WHERE instance_id IN wanted ORDER BY annotation_id", instance_ids)
    reviews = reviews_of(store, [row["annotation_id"] for row in rows])
    origins = _origins(store, [row["annotation_id"] for row in rows])
    by_instance: dict[int, tuple[SourceRound, ...]] = {}
    for row in rows:
        made = _round(row, places, origins.get(row["annotation_id"], ()), reviews.get(row["annotation_id"], []))
        by_instance[row["instance_id"]] = (*by_instance.get(row["instance_id"], ()), made)
    return by_instance


def _of_instances(store: Store, sql: str, instance_ids: Sequence[int]) -> list[Row]:
    wanted = "(SELECT value FROM json_each(?))"
    return store.rows(sql.replace("wanted", wanted), (json.dumps(list(instance_ids)),))


def _origins(store: Store, annotation_ids: Sequence[int]) -> dict[int, tuple[tuple[int, int, bool], ...]]:
    by_annotation: dict[int, tuple[tuple[int, int, bool], ...]] = {}
    for row in _of_instances(
        store,
        "SELECT * FROM set_origins WHERE annotation_id IN wanted ORDER BY annotation_id, position",
        annotation_ids,
    ):
        origin = (row["position"], row["previous_position"], bool(row["is_carried"]))
        by_annotation[row["annotation_id"]] = (*by_annotation.get(row["annotation_id"], ()), origin)
    return by_annotation


def _round(
    row: Row, places: Places, origins: tuple[tuple[int, int, bool], ...], reviews: Sequence[Review]
) -> SourceRound:
    return SourceRound(
        annotation=places[row["annotation_id"]],
        number=row["number"],
        opened_at=row["opened_at"],
        previous=None if row["previous_id"] is None else places[row["previous_id"]],
        outcome=row["outcome"],
        decided_at=row["decided_at"],
        decided_by=row["decided_by"],
        reason=row["reason"],
        verdict=None if row["verdict"] is None else json.loads(row["verdict"]),
        origins=origins,
        reviews=tuple(_review(review) for review in reviews),
    )


def _review(review: Review) -> SourceReview:
    return SourceReview(
        user=review.reviewer,
        state=review.state,
        revision=review.revision,
        created_at=review.created_at,
        submitted_at=review.submitted_at,
        active_ms=review.active_ms,
        idle_ms=review.idle_ms,
        comprehensiveness=review.scores.comprehensiveness,
        comment=review.scores.comment,
        sets=tuple((s.sufficiency, s.compactness, s.comment) for s in review.scores.sets),
    )


def choices_as_sources(store: Store, instance_ids: Sequence[int], places: Places) -> dict[int, SourceChoice]:
    """The choice of gold of each instance that has one."""
    rows = _of_instances(store, "SELECT * FROM gold_choices WHERE instance_id IN wanted", instance_ids)
    return {
        row["instance_id"]: SourceChoice(
            *(places[row["annotation_id"]], bool(row["is_adjudicated"]), row["chosen_by"], row["reason"]),
            *(row["chosen_at"], row["evidence_pass"]),
        )
        for row in rows
    }


def threads_as_sources(
    store: Store, instance_ids: Sequence[int], places: Places
) -> dict[int, tuple[SourceThread, ...]]:
    """For each instance its threads with all their comments."""
    rows = _of_instances(
        store,
        """SELECT threads.*, users.name AS begun_by_name FROM threads LEFT JOIN users ON users.id = begun_by
            WHERE instance_id IN wanted ORDER BY threads.id""",
        instance_ids,
    )
    comments = _comments(store, [row["id"] for row in rows])
    by_instance: dict[int, tuple[SourceThread, ...]] = {}
    for row in rows:
        thread = SourceThread(
            about=row["about"],
            annotation=None if row["annotation_id"] is None else places[row["annotation_id"]],
            position=row["position"],
            begun_by=row["begun_by_name"],
            waits_for_lead=bool(row["waits_for_lead"]),
            comments=comments.get(row["id"], ()),
        )
        by_instance[row["instance_id"]] = (*by_instance.get(row["instance_id"], ()), thread)
    return by_instance


def _comments(store: Store, thread_ids: Sequence[int]) -> dict[int, tuple[SourceComment, ...]]:
    by_thread: dict[int, tuple[SourceComment, ...]] = {}
    for row in _of_instances(
        store, "SELECT * FROM comments WHERE thread_id IN wanted ORDER BY thread_id, id", thread_ids
    ):
        comment = SourceComment(
            row["author"], row["spoken_as"], row["text"], row["created_at"], row["user_id"] is not None
        )
        by_thread[row["thread_id"]] = (*by_thread.get(row["thread_id"], ()), comment)
    return by_thread
