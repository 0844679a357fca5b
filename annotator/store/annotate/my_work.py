"""The list of one's own work in a project: what one has begun, handed in, proposed, skipped or was given back, a line a text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from annotator.domain.instances import ASKED_NAMES, PREMISE_CHARACTERS, READ_AFTER, MyWorkState
from annotator.store.connection.database import Store

# What lists say of a text: what is asked of it and how it begins, since many claims may be about one abstract; what it holds.


_ASKED_CHARACTERS, _TEXT_CHARACTERS = 200, 500

# As `Segment.is_asked`.
_IS_ASKED = f"(name IN {ASKED_NAMES} OR NOT (is_selectable OR name = 'choices'))"
_PART = """(SELECT {shown} FROM segments JOIN documents ON documents.id = document_id
    WHERE segments.instance_id = {instance} AND {which} AND documents.n_tokens > 0 ORDER BY position LIMIT 1)"""
_PREMISE = f"""CASE WHEN length(text) > {PREMISE_CHARACTERS} THEN rtrim(substr(text, 1, {PREMISE_CHARACTERS})) || '…'
    ELSE text END"""


def excerpt_of(instance: str) -> str:
    """SQL for the excerpt of the instance with that id (a column, or ?); `Instance.excerpt` is the same of one that was read."""
    beginning = f"substr(text, 1, {_ASKED_CHARACTERS})"
    question = _PART.format(instance=instance, which=_IS_ASKED, shown=beginning)
    hypothesis = _PART.format(instance=instance, which=f"name = '{READ_AFTER}'", shown=beginning)
    is_text = f"is_selectable AND NOT {_IS_ASKED}"
    text = _PART.format(instance=instance, which=is_text, shown=f"substr(text, 1, {_TEXT_CHARACTERS})")
    premise = _PART.format(instance=instance, which=is_text, shown=_PREMISE)
    return f"coalesce({premise} || ' · ' || {hypothesis}, {question} || ' · ' || {text}, {question}, {text}, '')"


def holds(words: str, *, key: str, instance_id: str) -> str:
    """Whether an instance's key or one of its texts holds the words, whatever the case, as a condition; "" is in each."""
    return f"""({words} = '' OR instr(casefold({key}), casefold({words})) > 0 OR EXISTS (
        SELECT 1 FROM segments JOIN documents ON documents.id = document_id
        WHERE segments.instance_id = {instance_id} AND instr(casefold(text), casefold({words})) > 0))"""


@dataclass(frozen=True, slots=True)
class WorkLine:
    """One's newest piece of work on a text; annotation_id: what was last handed in of it; at: when it left one's hands."""

    assignment_id: int
    instance_id: int
    annotation_id: int | None
    key: str
    excerpt: str
    state: MyWorkState
    at: str


# A text is discarded whole, or (where several people annotate it) only what this person handed in.
_STATE = """CASE
    WHEN instances.state = 'discarded' OR said.state = 'discarded' THEN 'discarded'
    WHEN work.state = 'submitted' THEN CASE said.state WHEN 'accepted' THEN 'accepted' ELSE 'submitted' END
    WHEN work.state IN ('returned', 'expired') THEN 'returned'
    WHEN work.state = 'leased' THEN 'draft'
    WHEN work.state = 'ended' THEN 'passed on'
    ELSE work.state END"""

_WORK = """FROM assignments AS work JOIN instances ON instances.id = work.instance_id LEFT JOIN annotations AS said
    ON said.id = coalesce((SELECT own.id FROM annotations AS own WHERE own.assignment_id = work.id), work.follows_id)"""

# The index keeps a person's work in the order of time, so that a page reads no more of it than it shows. What ended without ever
# having been seen was only leased ahead.
_SOURCE = f"""FROM (SELECT work.*, instances.key, {_STATE} AS standing, said.id AS annotation_id {_WORK}
    WHERE work.project_id = ?1 AND work.user_id = ?2
    AND (work.state IN ('submitted', 'proposed', 'returned', 'skipped')
        OR (work.state = 'leased' AND (work.edits > 0 OR said.assignment_id = work.id))
        OR (work.state = 'expired' AND work.follows_id IS NOT NULL)
        OR (work.state = 'ended' AND (said.id IS NOT NULL OR work.first_view_at IS NOT NULL
            OR EXISTS (SELECT 1 FROM proposals WHERE proposals.assignment_id = work.id))))
    AND NOT EXISTS (SELECT 1 FROM assignments AS later WHERE later.instance_id = work.instance_id
        AND later.user_id = work.user_id AND later.round > work.round)) AS work"""

_STANDS = "(?3 = '' OR work.standing = ?3)"
_HOLDS = holds("?4", key="work.key", instance_id="work.instance_id")

PAGE_SQL = f"""SELECT id AS assignment_id, instance_id, annotation_id, key, standing AS state,
    coalesce(submitted_at, created_at) AS at,
    {excerpt_of("work.instance_id")} AS excerpt
    {_SOURCE} WHERE {_STANDS} AND {_HOLDS}
    ORDER BY coalesce(submitted_at, created_at) DESC, id DESC LIMIT ?5 OFFSET ?6"""


def list_my_work(
    store: Store, project_id: int, user_id: int, state: str, words: str, *, limit: int, offset: int
) -> tuple[Sequence[WorkLine], int]:
    """One page of a person's work, newest first, and how much there is; state and words may be "" for any."""
    parameters = (project_id, user_id, state, words)
    rows = store.rows(PAGE_SQL, (*parameters, limit, offset))
    n = store.value(f"SELECT count(*) {_SOURCE} WHERE {_STANDS} AND {_HOLDS}", parameters)
    return [WorkLine(**dict(row)) for row in rows], int(n)


def state_of_work(store: Store, assignment_id: int) -> MyWorkState:
    """How one piece of work stands, as the list says it."""
    return cast("MyWorkState", store.value(f"SELECT {_STATE} {_WORK} WHERE work.id = ?", (assignment_id,)))


def find_last_submission(store: Store, project_id: int, user_id: int) -> tuple[str, int] | None:
    """When a person handed in, or proposed to discard, something last, and its number; not what has come back."""
    row = store.row(
        """SELECT * FROM (SELECT submitted_at AS at, id FROM assignments
                WHERE project_id = ?1 AND user_id = ?2 AND submitted_at IS NOT NULL AND state IN ('submitted', 'ended')
                ORDER BY coalesce(submitted_at, created_at) DESC, id DESC LIMIT 1)
            UNION ALL SELECT proposals.created_at, work.id FROM assignments AS work
                JOIN proposals ON assignment_id = work.id AND kind = 'discard' AND proposals.state <> 'rejected'
                WHERE work.project_id = ?1 AND user_id = ?2 AND work.state IN ('proposed', 'ended')
            ORDER BY at DESC, id DESC LIMIT 1""",
        (project_id, user_id),
    )
    return None if row is None else (row["at"], row["id"])


def find_last_decided(store: Store, project_id: int, user_id: int) -> tuple[str, int] | None:
    """When a person handed in the newest piece of work that is decided, and its number, which orders those of one moment."""
    row = store.row(
        """SELECT submitted_at, assignments.id FROM assignments
            JOIN annotations ON annotations.assignment_id = assignments.id
            WHERE assignments.project_id = ? AND assignments.user_id = ? AND submitted_at IS NOT NULL
            AND annotations.state IN ('accepted', 'returned', 'discarded')
            ORDER BY submitted_at DESC, assignments.id DESC LIMIT 1""",
        (project_id, user_id),
    )
    return None if row is None else (row[0], row[1])


def count_submitted_since(store: Store, project_id: int, user_id: int, since: str) -> int:
    """How many pieces of work a person has handed in since a moment."""
    return store.number(
        """SELECT count(*) FROM assignments WHERE project_id = ? AND user_id = ?
                AND coalesce(submitted_at, created_at) >= ? AND submitted_at IS NOT NULL""",
        (project_id, user_id, since),
    )
