"""Work that people hold: claiming, leases, drafts and time.

Every function here that writes is called inside one immediate transaction, so two people can never get the same work.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from annotator.domain.instances import Assignment, AssignmentState, Draft, Timing
from annotator.domain.people import User
from annotator.domain.proposed_sets import Arm
from annotator.errors import NotFound
from annotator.language import _
from annotator.store.annotate.instance_queue import settle
from annotator.store.connection.database import Row, Store, of_columns
from annotator.store.packed_rows import pack_sets, unpack_set
from annotator.store.qualification.exercises import next_work_number

_SELECT = """SELECT assignments.*, drafts.revision, drafts.result, drafts.sets, drafts.note, drafts.no_rationale,
    drafts.origins, drafts.unlocked
    FROM assignments LEFT JOIN drafts ON drafts.assignment_id = assignments.id"""


@dataclass(frozen=True, slots=True)
class HeldWork:
    """An assignment with the person's name and the time spent on it."""

    assignment: Assignment
    user_name: str
    first_view_at: str | None
    first_action_at: str | None
    submitted_at: str | None
    active_ms: int
    idle_ms: int
    edits: int


def get_assignment(store: Store, assignment_id: int) -> Assignment:
    """An assignment with its draft; raises NotFound."""
    row = store.row(f"{_SELECT} WHERE assignments.id = ?", (assignment_id,))
    if row is None:
        raise NotFound(
            _("No assignment number {number}. Reload; the project may have been deleted.", number=assignment_id)
        )
    return _assignment(row)


def find_assignment(store: Store, instance_id: int, user_id: int) -> Assignment | None:
    """What a person holds of an instance, or held last."""
    row = store.row(
        f"{_SELECT} WHERE instance_id = ? AND user_id = ? ORDER BY round DESC LIMIT 1", (instance_id, user_id)
    )
    return None if row is None else _assignment(row)


def holds_instance(store: Store, instance_id: int, user_id: int) -> bool:
    """Whether somebody has this instance in hand, to annotate or to correct it."""
    return store.holds(
        """SELECT EXISTS (SELECT 1 FROM assignments WHERE instance_id = ?1 AND user_id = ?2
                AND state IN ('leased', 'returned')) OR EXISTS (SELECT 1 FROM exercises
                WHERE instance_id = ?1 AND user_id = ?2 AND state = 'open' AND attempt_id IS NULL)""",
        (instance_id, user_id),
    )


def work_in_hand(store: Store, instance_id: int, user_id: int) -> Assignment | None:
    """The piece of work by which somebody has an instance in hand; None where they have none, or it is a blind check."""
    assignment = find_assignment(store, instance_id, user_id)
    return assignment if assignment is not None and assignment.state in {"leased", "returned"} else None


def drawn_arms(store: Store, instance_id: int) -> tuple[int, int]:
    """How many people of an instance the lot has helped, and how many not."""
    row = store.rows(
        """SELECT count(*) FILTER (WHERE arm = 'helped') AS helped, count(*) FILTER (WHERE arm = 'blind') AS blind
            FROM assignments WHERE instance_id = ? AND round = 1""",
        (instance_id,),
    )[0]
    return row["helped"], row["blind"]


@dataclass(frozen=True, slots=True)
class DrawnWork:
    """First work on an instance for which the lot decided; annotation_id: what was handed in, None where nothing was."""

    user_id: int
    instance_id: int
    is_helped: bool
    active_ms: int
    was_opened: bool
    annotation_id: int | None


def drawn_work(store: Store, project_id: int) -> list[DrawnWork]:
    """All of a project, of instances that are not discarded, in the order in which it was given out."""
    rows = store.rows(
        """SELECT work.user_id, work.instance_id, arm = 'helped' AS is_helped, active_ms, first_view_at IS NOT NULL AS was_opened,
                annotations.id AS annotation_id
            FROM assignments AS work JOIN instances ON instances.id = work.instance_id
            LEFT JOIN annotations ON annotations.assignment_id = work.id AND annotations.state <> 'withdrawn'
            WHERE work.project_id = ? AND arm IN ('helped', 'blind') AND work.round = 1 AND instances.state <> 'discarded'
            ORDER BY work.id""",
        (project_id,),
    )
    return [
        of_columns(DrawnWork, row, is_helped=bool(row["is_helped"]), was_opened=bool(row["was_opened"])) for row in rows
    ]


def find_given_up_correction(store: Store, instance_id: int) -> Assignment | None:
    """A correction that its annotator let lie for too long, or cannot go on with; somebody else may take it over."""
    row = store.row(
        f"""{_SELECT} WHERE instance_id = ? AND state = 'expired' AND follows_id IS NOT NULL ORDER BY round DESC LIMIT 1""",
        (instance_id,),
    )
    return None if row is None else _assignment(row)


def list_held(store: Store, project_id: int, user_id: int) -> list[Assignment]:
    """What a person holds now: returned work first, then in the order in which it was claimed."""
    rows = store.rows(
        f"""{_SELECT} WHERE project_id = ? AND user_id = ? AND state IN ('leased', 'returned')
            ORDER BY state = 'leased', assignments.created_at, assignments.id""",
        (project_id, user_id),
    )
    return [_assignment(row) for row in rows]


def end_expired_leases(store: Store, project_id: int, *, but_not_of: int, lease_until: str, returned_until: str) -> int:
    """Give back what others let lie past its lease, or returned work past their absence, keeping their drafts; how many.

    lease_until, returned_until: the ends of what is given out now; what ends later was given out by a clock that was ahead (or
                                 under longer rules), and is cut to them
    """
    for state, until in (("leased", lease_until), ("returned", returned_until)):
        store.run(
            f"UPDATE assignments SET lease_until = ?1 WHERE project_id = ?2 AND lease_until > ?1 AND state = '{state}'",
            (until, project_id),
        )
    late = "SELECT id, instance_id FROM assignments WHERE project_id = ?1 AND lease_until <= ?2 AND user_id <> ?3"
    rows = store.rows(
        f"{late} AND state = 'leased' UNION ALL {late} AND state = 'returned'", (project_id, store.now(), but_not_of)
    )
    for row in rows:
        set_assignment_state(store, row["id"], "expired")
        settle(store, row["instance_id"])
    return len(rows)


def end_work_on(store: Store, instance_id: int) -> None:
    """Nothing more is to be done for an instance: whoever holds it holds it no longer; drafts are kept."""
    store.run(
        "UPDATE assignments SET state = 'ended' WHERE instance_id = ? AND state IN ('leased', 'returned', 'proposed')",
        (instance_id,),
    )


def count_held(store: Store, project_id: int, user: User) -> int:
    """How many texts a person holds, or has back to correct."""
    sql = "SELECT count(*) FROM assignments WHERE project_id = ? AND user_id = ? AND state IN ('leased', 'returned')"
    return store.number(sql, (project_id, user.id))


def give_up_work_of(store: Store, user: User, project_id: int | None = None, *, but_not_returned: bool = False) -> None:
    """Give back what a person holds (in one project, or all), so that others get it; drafts are kept."""
    rows = store.rows(
        """SELECT id, instance_id FROM assignments WHERE user_id = ?1 AND state IN ('leased', 'returned')
            AND (?2 IS NULL OR project_id = ?2) AND (state = 'leased' OR NOT ?3)""",
        (user.id, project_id, but_not_returned),
    )
    for row in rows:
        set_assignment_state(store, row["id"], "expired")
        settle(store, row["instance_id"])


def claim(
    store: Store, project_id: int, instance_id: int, user_id: int, lease_until: str, *, round_number: int = 1,
    follows_id: int | None = None, state: AssignmentState = "leased", arm: Arm | None = None,
) -> Assignment:  # fmt: skip
    """Take one slot of an instance (which must have one) for a person; a correction names what it follows.

    arm: of work that is new; who had the text before stays in the arm that they were in
    """
    store.run(
        """INSERT INTO assignments (id, project_id, instance_id, user_id, round, follows_id, state, lease_until, created_at, arm)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (instance_id, user_id, round) DO UPDATE SET state = excluded.state,
                follows_id = excluded.follows_id, lease_until = excluded.lease_until, created_at = excluded.created_at""",
        (
            *(next_work_number(store), project_id, instance_id, user_id, round_number, follows_id, state, lease_until),
            *(store.now(), arm),
        ),
    )
    settle(store, instance_id)
    return cast("Assignment", find_assignment(store, instance_id, user_id))


def give_back_to_annotator(store: Store, assignment_id: int, until: str) -> None:
    """Return work to whom it belongs; past `until` somebody else may have it."""
    store.run("UPDATE assignments SET state = 'returned', lease_until = ? WHERE id = ?", (until, assignment_id))


def extend_leases(store: Store, project_id: int, user_id: int, lease_until: str) -> None:
    """Whoever works keeps everything that is leased to them, the work ahead too."""
    store.run(
        "UPDATE assignments SET lease_until = ? WHERE project_id = ? AND user_id = ? AND state = 'leased'",
        (lease_until, project_id, user_id),
    )


def set_assignment_state(store: Store, assignment_id: int, state: AssignmentState) -> None:
    """Write a state; work keeps the time at which it was handed in, whatever becomes of it, unless it is reopened."""
    store.run(
        """UPDATE assignments SET state = ?1, submitted_at = CASE ?1 WHEN 'submitted' THEN ?2 WHEN 'leased' THEN NULL
            ELSE submitted_at END
            WHERE id = ?3""",
        (state, store.now(), assignment_id),
    )


def note_first_view(store: Store, assignment_id: int, at: str) -> None:
    """When the person first saw the instance; later views do not move it."""
    store.run("UPDATE assignments SET first_view_at = coalesce(first_view_at, ?) WHERE id = ?", (at, assignment_id))


def add_timing(store: Store, assignment_id: int, timing: Timing) -> None:
    """Add the time spent since the last message."""
    store.run(
        """UPDATE assignments SET first_action_at = coalesce(first_action_at, ?), active_ms = active_ms + ?,
            idle_ms = idle_ms + ?, edits = edits + ? WHERE id = ?""",
        (timing.first_action_at, timing.active_ms, timing.idle_ms, timing.edits, assignment_id),
    )


def save_draft(store: Store, assignment_id: int, draft: Draft, revision: int) -> None:
    """Write a draft under a new revision number."""
    store.run(
        """INSERT INTO drafts (assignment_id, revision, result, sets, note, no_rationale, origins, unlocked, saved_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET revision = excluded.revision,
                result = excluded.result, sets = excluded.sets, note = excluded.note,
                no_rationale = excluded.no_rationale, origins = excluded.origins, unlocked = excluded.unlocked,
                saved_at = excluded.saved_at""",
        (
            *(assignment_id, revision, draft.result, _sets_json(draft), draft.note, draft.no_rationale),
            *(json.dumps(draft.origins), json.dumps(draft.unlocked), store.now()),
        ),
    )


def _sets_json(draft: Draft) -> str:
    return f"[{','.join(pack_sets(draft.sets))}]"


def _assignment(row: Row) -> Assignment:
    draft = Draft()
    if row["revision"] is not None:
        sets = tuple(unpack_set(json.dumps(spans)) for spans in json.loads(row["sets"]))
        origins, unlocked = tuple(json.loads(row["origins"])), tuple(json.loads(row["unlocked"]))
        draft = Draft(row["result"], sets, row["note"], bool(row["no_rationale"]), origins, unlocked)
    return Assignment(
        id=row["id"], project_id=row["project_id"], instance_id=row["instance_id"], user_id=row["user_id"],
        round_number=row["round"], state=row["state"], lease_until=row["lease_until"], revision=row["revision"] or 0,
        draft=draft, follows_id=row["follows_id"], arm=row["arm"],
    )  # fmt: skip


def work_of_instances(store: Store, instance_ids: Sequence[int]) -> dict[int, list[HeldWork]]:
    """For each instance, what people hold or held of it, oldest first."""
    by_instance: dict[int, list[HeldWork]] = {}
    for row in store.rows(
        f"""SELECT work.*, users.name FROM ({_SELECT}) AS work JOIN users ON users.id = user_id
            WHERE instance_id IN (SELECT value FROM json_each(?)) ORDER BY work.id""",
        (json.dumps(list(instance_ids)),),
    ):
        held = HeldWork(
            _assignment(row), row["name"], row["first_view_at"], row["first_action_at"], row["submitted_at"],
            row["active_ms"], row["idle_ms"], row["edits"],
        )  # fmt: skip
        by_instance.setdefault(row["instance_id"], []).append(held)
    return by_instance
