"""The queue: which instances are free, for whom, and in which order.

How many more people an instance wants, and its state, follow from what is stored of it. `settle` works both out anew after
each change, so that they cannot drift. A person's cursor says that no instance before it is free for them; whatever becomes
free lowers the cursors.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.instances import AssignmentState
from annotator.store.annotate.visibility import is_not_kept_from, may_be_given, may_have, names, was_shown
from annotator.store.connection.database import Store

# Somebody counts once: a person by their account, a source by its name.
_PEOPLE_ON_IT = """SELECT 'user ' || user_id AS who FROM assignments WHERE instance_id = instances.id
        AND assignments.state IN ('leased', 'returned', 'submitted', 'proposed')
    UNION SELECT coalesce('user ' || user_id, 'source ' || annotator) FROM annotations
        WHERE instance_id = instances.id AND annotations.state IN ('accepted', 'discarded')"""
_WANTED = """(extra_annotators
    + (SELECT json_extract(settings, '$.annotators_per_instance') FROM projects WHERE projects.id = project_id))"""
# An annotation that the gate discarded has used its slot.
_N_DECIDED = """(SELECT count(DISTINCT coalesce('user ' || user_id, 'source ' || annotator)) FROM annotations
    WHERE instance_id = instances.id AND annotations.state IN ('accepted', 'discarded'))"""
_IS_ADJUDICATED = "EXISTS (SELECT 1 FROM gold_choices WHERE instance_id = instances.id AND is_adjudicated = 1)"
_HAS_CHOICE = "EXISTS (SELECT 1 FROM gold_choices WHERE instance_id = instances.id)"
_IS_HELD = "EXISTS (SELECT 1 FROM proposals WHERE instance_id = instances.id AND proposals.state = 'open')"
_IS_WORKED_ON = """EXISTS (SELECT 1 FROM assignments WHERE instance_id = instances.id
    AND assignments.state IN ('leased', 'returned', 'proposed'))"""

SLOTS = f"CASE WHEN {_IS_ADJUDICATED} THEN 0 ELSE max(0, {_WANTED} - (SELECT count(*) FROM ({_PEOPLE_ON_IT}))) END"
STATE = f"""CASE WHEN state = 'discarded' THEN 'discarded' WHEN {_IS_HELD} THEN 'held'
    WHEN ({_N_DECIDED} >= {_WANTED} OR {_IS_ADJUDICATED}) AND NOT {_IS_WORKED_ON} THEN 'complete' ELSE 'open' END"""
# A round wants reviewers while its annotation is handed in, nothing about the instance waits for the lead, and it is undecided.
ROUND_SLOTS = """CASE WHEN outcome IS NOT NULL
    OR (SELECT state FROM annotations WHERE annotations.id = rounds.annotation_id) <> 'submitted'
    OR (SELECT state FROM instances WHERE instances.id = rounds.instance_id) IN ('held', 'discarded') THEN 0
    ELSE max(0, (SELECT json_extract(settings, '$.reviewers_per_annotation') FROM projects
            WHERE projects.id = rounds.project_id)
        - (SELECT count(*) FROM reviews WHERE reviews.annotation_id = rounds.annotation_id
            AND reviews.state IN ('leased', 'submitted'))) END"""


def wants_more_than_done(annotators: str) -> str:
    """An instance would not be complete if so many people were to annotate each; `annotators` is an expression."""
    return f"(NOT {_IS_ADJUDICATED} AND {_N_DECIDED} < extra_annotators + {annotators})"


_SETTLE = f"UPDATE instances SET open_slots = {SLOTS}, state = {STATE}"
_SETTLE_ROUNDS = f"UPDATE rounds SET open_slots = {ROUND_SLOTS}"
_LOWEST = -(2**63)


# Who has handed something in, whatever became of it.
_PEOPLE_DONE = _PEOPLE_ON_IT.replace("'leased', ", "")
_IS_UNDER_REVIEW = """(EXISTS (SELECT 1 FROM rounds WHERE rounds.instance_id = instances.id AND outcome IS NULL)
    OR EXISTS (SELECT 1 FROM assignments WHERE assignments.instance_id = instances.id AND assignments.state = 'returned'))"""
# The text's own, else what most of its accepted annotations say; none where several are said as often.
_GOLD_RESULT = """coalesce(instances.result, (SELECT CASE WHEN count(*) = 1 THEN min(given) END FROM (
    SELECT annotations.result AS given, count(*) AS n, max(count(*)) OVER () AS most FROM annotations
        WHERE instance_id = instances.id AND annotations.state = 'accepted' AND annotations.result IS NOT NULL GROUP BY given)
    WHERE n = most))"""
# The annotation that the gold policy "chosen" takes: the lead's choice, else the first accepted one with the gold result.
GOLD_ANNOTATION = f"""coalesce((SELECT annotation_id FROM gold_choices WHERE instance_id = instances.id),
    (SELECT min(annotations.id) FROM (SELECT {_GOLD_RESULT} AS gold) JOIN annotations ON instance_id = instances.id
        AND annotations.state = 'accepted' AND (annotations.result IS NULL OR annotations.result = gold)))"""
HAS_GOLD = f"({GOLD_ANNOTATION} IS NOT NULL)"


@dataclass(frozen=True, slots=True)
class UnfinishedGold:
    """Texts that have gold and are not complete; some have fewer annotators than wanted, some are under review, or both."""

    n: int
    n_fewer: int
    n_under_review: int


def unfinished_gold(store: Store, project_id: int) -> UnfinishedGold:
    """Texts whose gold may still change by the work that is wanted of people."""
    row = store.rows(
        f"""SELECT count(*) AS n, coalesce(sum(NOT {_IS_ADJUDICATED} AND {_WANTED} > (SELECT count(*) FROM ({_PEOPLE_DONE}))), 0)
                AS n_fewer, coalesce(sum({_IS_UNDER_REVIEW}), 0) AS n_under_review
            FROM instances WHERE project_id = ? AND state IN ('open', 'held') AND {HAS_GOLD}""",
        (project_id,),
    )[0]
    return UnfinishedGold(row["n"], row["n_fewer"], row["n_under_review"])


def settle(store: Store, instance_id: int) -> None:
    """Work out an instance's open slots and state, and its rounds' slots, from its work, annotations, proposals, reviews."""
    was_free = is_free(store, instance_id)
    store.run(f"{_SETTLE} WHERE id = ?", (instance_id,))
    store.run(f"{_SETTLE_ROUNDS} WHERE instance_id = ?", (instance_id,))
    if not was_free and is_free(store, instance_id):
        store.run(
            """UPDATE queue_cursors SET position = min(position, (SELECT queue_position - 1 FROM instances WHERE id = ?1))
                WHERE project_id = (SELECT project_id FROM instances WHERE id = ?1)""",
            (instance_id,),
        )


def is_held(store: Store, instance_id: int) -> bool:
    """Whether something about an instance waits for the lead."""
    return store.holds("SELECT 1 FROM instances WHERE id = ? AND state = 'held'", (instance_id,))


def drops_out(store: Store, instance_id: int) -> bool:
    """Whether no annotation of an instance is open or accepted, and nobody else is to make one (call after settling)."""
    return store.holds(
        f"""SELECT 1 FROM instances WHERE id = ? AND open_slots = 0 AND NOT {_IS_WORKED_ON} AND NOT {_HAS_CHOICE}
                AND NOT EXISTS (SELECT 1 FROM annotations WHERE instance_id = instances.id
                    AND annotations.state IN ('submitted', 'accepted'))""",
        (instance_id,),
    )


def begin_anew(store: Store, project_id: int, instance_ids: Iterable[int]) -> None:
    """Settle many instances of a project at once; everybody looks for free ones from the start of the queue again."""
    numbers = [(number,) for number in instance_ids]
    store.run_many(f"{_SETTLE} WHERE id = ?", numbers)
    store.run_many(f"{_SETTLE_ROUNDS} WHERE instance_id = ?", numbers)
    forget_cursors(store, project_id)


def settle_project(store: Store, project_id: int) -> None:
    """The same for every instance of a project, after a rule has changed."""
    store.run(f"{_SETTLE} WHERE project_id = ?", (project_id,))
    store.run(f"{_SETTLE_ROUNDS} WHERE project_id = ? AND outcome IS NULL", (project_id,))
    forget_cursors(store, project_id)


def forget_cursors(store: Store, project_id: int) -> None:
    """Everybody looks for free instances from the start of the queue again."""
    store.run("DELETE FROM queue_cursors WHERE project_id = ?", (project_id,))


def is_free(store: Store, instance_id: int) -> bool:
    """Whether the queue could give the instance out now."""
    return store.holds("SELECT 1 FROM instances WHERE id = ? AND open_slots > 0 AND state = 'open'", (instance_id,))


@dataclass(frozen=True, slots=True)
class QueueRow:
    """An instance that is not discarded, in the queue; is_free: it could be given out now."""

    id: int
    key: str
    split: str
    result: str | None
    is_free: bool


def queue_rows(store: Store, project_id: int) -> list[QueueRow]:
    """Every instance of a project that is not discarded, in the order of import."""
    rows = store.rows(
        """SELECT id, key, split, result, open_slots > 0 AND state = 'open' FROM instances
            WHERE project_id = ? AND state <> 'discarded' ORDER BY id""",
        (project_id,),
    )
    return [QueueRow(row[0], row[1], row[2], row[3], bool(row[4])) for row in rows]


def list_put_first(store: Store, project_id: int) -> list[int]:
    """The instances that a model's answers put before all others, in their order: they have positions below 0."""
    return store.column(
        "SELECT id FROM instances WHERE project_id = ? AND queue_position < 0 ORDER BY queue_position", (project_id,)
    )


def positions_put_first(store: Store, instance_ids: Sequence[int]) -> dict[int, int]:
    """The positions of those of some instances that a model's answers put before all others."""
    return store.mapping(
        "SELECT id, queue_position FROM instances WHERE queue_position < 0 AND id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(instance_ids)),),
    )


def positions_of(store: Store, project_id: int) -> dict[int, int]:
    """The position of each instance of a project, by its number."""
    return store.mapping("SELECT id, queue_position FROM instances WHERE project_id = ?", (project_id,))


def set_queue_positions(store: Store, project_id: int, positions: Mapping[int, int]) -> None:
    """Give instances new positions, by number; everybody's cursor starts over. What somebody holds stays with them."""
    before = positions_of(store, project_id)
    store.run_many(
        "UPDATE instances SET queue_position = ? WHERE id = ?",
        [(position, number) for number, position in positions.items() if before[number] != position],
    )
    forget_cursors(store, project_id)


_NEW_TO_THEM = f"""NOT EXISTS (SELECT 1 FROM assignments WHERE instance_id = instances.id AND user_id = ?2)
    AND NOT {was_shown("?2")}"""
# Texts that name nobody, texts that name the person, and texts that are for others first.
_FREE_FOR = f"""FROM instances WHERE project_id = ?1 AND open_slots > 0 AND state = 'open' AND named_as IS NULL
    AND queue_position > coalesce(
        (SELECT position FROM queue_cursors WHERE project_id = ?1 AND user_id = ?2), {_LOWEST})
    AND {_NEW_TO_THEM}"""
_FREE_AND_NAMED = f"""FROM named_people JOIN instances ON instances.id = named_people.instance_id
    WHERE named_people.project_id = ?1 AND named_people.user_id = ?2 AND named_people.is_free = 1 AND {_NEW_TO_THEM}"""
_FREE_AFTER_OTHERS = f"""FROM instances WHERE project_id = ?1 AND named_as = 'first' AND open_slots > 0 AND state = 'open'
    AND NOT {names("?2")} AND {_NEW_TO_THEM}"""


# A correction that somebody gave up begins with the sets that they marked.
_IS_NO_CORRECTION = """NOT EXISTS (SELECT 1 FROM assignments AS given_up WHERE given_up.instance_id = instances.id
    AND given_up.state = 'expired' AND given_up.follows_id IS NOT NULL)"""


def next_in_queue(store: Store, project_id: int, user_id: int, *, no_corrections: bool = False) -> int | None:
    """The first free instance that this person never held nor saw others' sets of; moves their cursor.

    First what names them, then the others in the project's order, and at the end what is for other people first.
    no_corrections: none that somebody else has begun
    """
    values = (project_id, user_id, no_corrections)
    may_follow = f"AND (NOT ?3 OR {_IS_NO_CORRECTION})"
    row = store.row(
        f"SELECT instances.id {_FREE_AND_NAMED} {may_follow} ORDER BY named_people.queue_position LIMIT 1", values
    )
    if row is not None:
        return int(row["id"])
    row = store.row(f"SELECT id, queue_position {_FREE_FOR} {may_follow} ORDER BY queue_position LIMIT 1", values)
    position = 2**63 - 1 if row is None else row["queue_position"] - 1
    store.run(
        """INSERT INTO queue_cursors (project_id, user_id, position) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET position = excluded.position""",
        (project_id, user_id, position),
    )
    row = row or store.row(f"SELECT id {_FREE_AFTER_OTHERS} {may_follow} ORDER BY queue_position LIMIT 1", values)
    return None if row is None else int(row["id"])


def next_set_aside(
    store: Store, project_id: int, user_id: int, state: AssignmentState, but_not: Sequence[int]
) -> int | None:
    """The oldest instance that this person skipped, or whose lease ran out, and that is still free."""
    assignment_id = store.value(
        f"""SELECT instance_id FROM assignments JOIN instances ON instances.id = instance_id
            WHERE assignments.project_id = ?1 AND assignments.user_id = ?2 AND assignments.state = ?3
            AND open_slots > 0 AND instances.state = 'open' AND {may_have("?2")} AND {is_not_kept_from("?2")}
            AND instance_id NOT IN (SELECT value FROM json_each(?4)) ORDER BY lease_until, assignments.id LIMIT 1""",
        (project_id, user_id, state, json.dumps(list(but_not))),
    )
    return None if assignment_id is None else int(assignment_id)


def waiting_for(store: Store, project_id: int, user_id: int, *, at_most: int = 1000) -> int:
    """How many instances a person could still get, counted up to `at_most` so that it costs the same in any project."""
    n_waiting = store.value(
        f"""SELECT count(*) FROM (SELECT 1 {_FREE_FOR} UNION ALL SELECT 1 {_FREE_AND_NAMED}
            UNION ALL SELECT 1 {_FREE_AFTER_OTHERS} LIMIT ?3)""",
        (project_id, user_id, at_most),
    )
    return int(n_waiting)


def is_new_work_left(store: Store, project_id: int, user_id: int) -> bool:
    """Whether the queue has anything for this person that nobody else has begun."""
    free = f"{_FREE_FOR} AND {_IS_NO_CORRECTION}"
    return store.holds(f"SELECT EXISTS (SELECT 1 {free})", (project_id, user_id))


def is_free_for(store: Store, instance_id: int, user_id: int) -> bool:
    """Whether the queue could give the instance to this person now."""
    return store.holds(f"SELECT 1 FROM instances WHERE id = ?1 AND {may_be_given('?2')}", (instance_id, user_id))
