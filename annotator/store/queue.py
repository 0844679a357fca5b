"""The queue: which instances are free, for whom, and in which order.

How many more people an instance wants, and its state, follow from what is stored of it. `settle` works both out anew after
each change, so that they cannot drift. A person's cursor says that no instance before it is free for them; whatever becomes
free lowers the cursors.
"""

import json
from collections.abc import Sequence

from annotator.domain.instances import AssignmentState
from annotator.store.database import Store

# Somebody counts once: a person by their account, a source by its name.
_PEOPLE_ON_IT = """SELECT 'user ' || user_id AS who FROM assignments WHERE instance_id = instances.id
        AND assignments.state IN ('leased', 'returned', 'submitted', 'proposed')
    UNION SELECT coalesce('user ' || user_id, 'source ' || annotator) FROM annotations
        WHERE instance_id = instances.id AND annotations.state = 'accepted'"""
_WANTED = "(SELECT json_extract(settings, '$.annotators_per_instance') FROM projects WHERE projects.id = project_id)"
_N_ACCEPTED = """(SELECT count(DISTINCT coalesce('user ' || user_id, 'source ' || annotator)) FROM annotations
    WHERE instance_id = instances.id AND annotations.state = 'accepted')"""
_IS_HELD = "EXISTS (SELECT 1 FROM proposals WHERE instance_id = instances.id AND proposals.state = 'open')"
_IS_WORKED_ON = """EXISTS (SELECT 1 FROM assignments WHERE instance_id = instances.id
    AND assignments.state IN ('leased', 'returned', 'proposed'))"""

SLOTS = f"max(0, {_WANTED} - (SELECT count(*) FROM ({_PEOPLE_ON_IT})))"
STATE = f"""CASE WHEN state = 'discarded' THEN 'discarded' WHEN {_IS_HELD} THEN 'held'
    WHEN {_N_ACCEPTED} >= {_WANTED} AND NOT {_IS_WORKED_ON} THEN 'complete' ELSE 'open' END"""
_SETTLE = f"UPDATE instances SET open_slots = {SLOTS}, state = {STATE}"
_LOWEST = -(2**63)


def settle(store: Store, instance_id: int) -> None:
    """Work out an instance's open slots and state from its work, annotations and proposals."""
    was_free = is_free(store, instance_id)
    store.run(f"{_SETTLE} WHERE id = ?", (instance_id,))
    if not was_free and is_free(store, instance_id):
        store.run(
            """UPDATE queue_cursors SET position = min(position, (SELECT queue_position - 1 FROM instances WHERE id = ?1))
                WHERE project_id = (SELECT project_id FROM instances WHERE id = ?1)""",
            (instance_id,),
        )


def settle_project(store: Store, project_id: int) -> None:
    """The same for every instance of a project, after a rule has changed."""
    store.run(f"{_SETTLE} WHERE project_id = ?", (project_id,))
    forget_cursors(store, project_id)


def forget_cursors(store: Store, project_id: int) -> None:
    """Everybody looks for free instances from the start of the queue again."""
    store.run("DELETE FROM queue_cursors WHERE project_id = ?", (project_id,))


def is_free(store: Store, instance_id: int) -> bool:
    """Whether the queue could give the instance out now."""
    return (
        store.row("SELECT 1 FROM instances WHERE id = ? AND open_slots > 0 AND state = 'open'", (instance_id,))
        is not None
    )


_FREE_FOR = f"""FROM instances WHERE project_id = ?1 AND open_slots > 0 AND state = 'open'
    AND queue_position > coalesce(
        (SELECT position FROM queue_cursors WHERE project_id = ?1 AND user_id = ?2), {_LOWEST})
    AND NOT EXISTS (SELECT 1 FROM assignments WHERE instance_id = instances.id AND user_id = ?2)"""


def next_in_queue(store: Store, project_id: int, user_id: int) -> int | None:
    """The first free instance that this person never held, in the project's order; moves the person's cursor."""
    row = store.row(f"SELECT id, queue_position {_FREE_FOR} ORDER BY queue_position LIMIT 1", (project_id, user_id))
    position = 2**63 - 1 if row is None else row["queue_position"] - 1
    store.run(
        """INSERT INTO queue_cursors (project_id, user_id, position) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET position = excluded.position""",
        (project_id, user_id, position),
    )
    return None if row is None else int(row["id"])


def next_set_aside(
    store: Store, project_id: int, user_id: int, state: AssignmentState, but_not: Sequence[int]
) -> int | None:
    """The oldest instance that this person skipped, or whose lease ran out, and that is still free."""
    found = store.value(
        """SELECT instance_id FROM assignments JOIN instances ON instances.id = instance_id
            WHERE assignments.project_id = ? AND user_id = ? AND assignments.state = ?
            AND open_slots > 0 AND instances.state = 'open'
            AND instance_id NOT IN (SELECT value FROM json_each(?)) ORDER BY lease_until, assignments.id LIMIT 1""",
        (project_id, user_id, state, json.dumps(list(but_not))),
    )
    return None if found is None else int(found)


def waiting_for(store: Store, project_id: int, user_id: int, *, at_most: int = 1000) -> int:
    """How many instances a person could still get, counted up to `at_most` so that it costs the same in any project."""
    found = store.value(f"SELECT count(*) FROM (SELECT 1 {_FREE_FOR} LIMIT ?3)", (project_id, user_id, at_most))
    return int(found)
