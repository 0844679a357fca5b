"""Threads and their comments."""

import json
from collections.abc import Sequence

from annotator.domain.numbers import by_key
from annotator.domain.people import User
from annotator.domain.reviews import About, Comment, Thread, Voice
from annotator.errors import NotFound
from annotator.language import _
from annotator.store.connection.database import Row, Store, of_columns


def add_thread(
    store: Store, project_id: int, instance_id: int, about: About, annotation_id: int | None, position: int | None,
    begun_by: User, *, waits_for_lead: bool,
) -> int:  # fmt: skip
    """A new thread, without comments yet; answers its number."""
    return store.add(
        """INSERT INTO threads (project_id, instance_id, annotation_id, about, position, begun_by, waits_for_lead)
            VALUES (?, ?, ?, ?, ?, ?, ?)""",
        (project_id, instance_id, annotation_id, about, position, begun_by.id, waits_for_lead),
    )


def add_comment(store: Store, thread_id: int, author: User, spoken_as: Voice, text: str) -> None:
    """One more comment; a lead's answers the question."""
    store.run(
        "INSERT INTO comments (thread_id, author, user_id, spoken_as, text, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        (thread_id, author.name, author.id, spoken_as, text, store.now()),
    )
    if spoken_as == "lead":
        store.run("UPDATE threads SET waits_for_lead = 0 WHERE id = ?", (thread_id,))


def get_thread(store: Store, thread_id: int) -> Thread:
    """A thread with its comments; raises NotFound."""
    threads = _with_comments(store, store.rows("SELECT * FROM threads WHERE id = ?", (thread_id,)))
    if not threads:
        raise NotFound(_("No {what} number {number}.", number=thread_id, what=_("thread")))
    return threads[0]


def threads_of(store: Store, instance_ids: Sequence[int]) -> dict[int, list[Thread]]:
    """For each instance its threads, oldest first."""
    rows = store.rows(
        "SELECT * FROM threads WHERE instance_id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(list(instance_ids)),),
    )
    return by_key((thread.instance_id, thread) for thread in _with_comments(store, rows))


def list_questions(store: Store, project_id: int, *, limit: int, offset: int = 0) -> list[Thread]:
    """One page of the questions that wait for the lead, oldest first."""
    rows = store.rows(
        "SELECT * FROM threads WHERE project_id = ? AND waits_for_lead = 1 ORDER BY id LIMIT ? OFFSET ?",
        (project_id, limit, offset),
    )
    return _with_comments(store, rows)


def count_questions(store: Store, project_id: int) -> int:
    """How many questions wait for the lead."""
    return store.number("SELECT count(*) FROM threads WHERE project_id = ? AND waits_for_lead = 1", (project_id,))


def has_part_in(store: Store, instance_id: int, user_id: int) -> Voice | None:
    """What a person is to an instance: they annotate it, or review an annotation of it; else None."""
    annotates = store.row(
        """SELECT 1 FROM assignments WHERE instance_id = ?1 AND user_id = ?2
            UNION ALL SELECT 1 FROM exercises WHERE instance_id = ?1 AND user_id = ?2 AND attempt_id IS NULL LIMIT 1""",
        (instance_id, user_id),
    )
    if annotates is not None:
        return "annotator"
    reviews = store.row(
        """SELECT 1 FROM rounds JOIN reviews ON reviews.annotation_id = rounds.annotation_id
            WHERE instance_id = ? AND user_id = ? AND state IN ('leased', 'submitted') LIMIT 1""",
        (instance_id, user_id),
    )
    return None if reviews is None else "reviewer"


def _with_comments(store: Store, rows: Sequence[Row]) -> list[Thread]:
    by_thread: dict[int, list[Comment]] = {}
    for row in store.rows(
        "SELECT * FROM comments WHERE thread_id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps([row["id"] for row in rows]),),
    ):
        comment = Comment(row["id"], row["author"], row["user_id"], row["spoken_as"], row["text"], row["created_at"])
        by_thread.setdefault(row["thread_id"], []).append(comment)
    return [_thread(row, tuple(by_thread.get(row["id"], ()))) for row in rows]


def _thread(row: Row, comments: tuple[Comment, ...]) -> Thread:
    return of_columns(Thread, row, waits_for_lead=bool(row["waits_for_lead"]), comments=comments)
