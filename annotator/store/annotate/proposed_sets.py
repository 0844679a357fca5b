"""Sets that were proposed for a piece of work, and what its person said of them."""

import json
from collections.abc import Mapping, Sequence

from annotator.domain.proposed_sets import ProposedCount, ProposedSet, ProposedState
from annotator.domain.sources import SourceProposedSet
from annotator.domain.texts import RationaleSet
from annotator.store.connection.database import Store
from annotator.store.packed_rows import pack_sets, unpack_set

Answers = dict[int, ProposedState]


def offer_sets(store: Store, assignment_id: int, sets: Sequence[ProposedSet]) -> list[int]:
    """Keep what is proposed now; the number of each set, in order.

    What was proposed before, is not now, and was never decided, goes away; what was decided stays.
    """
    spans = pack_sets([proposed_set.rationale_set for proposed_set in sets])
    keys = [(proposed_set.source, proposed_set.name, packed) for proposed_set, packed in zip(sets, spans, strict=True)]
    known = {
        (row["source"], row["name"], row["spans"]): row
        for row in store.rows("SELECT * FROM proposed_sets WHERE assignment_id = ?", (assignment_id,))
    }
    gone = [(row["id"],) for key, row in known.items() if key not in keys and row["state"] in ("unasked", "undecided")]
    store.run_many("DELETE FROM proposed_sets WHERE id = ?", gone)
    numbers = []
    for proposed_set, key in zip(sets, keys, strict=True):
        if key in known:
            numbers.append(int(known[key]["id"]))
            continue
        cursor = store.run(
            "INSERT INTO proposed_sets (assignment_id, source, name, spans, state) VALUES (?, ?, ?, ?, ?)",
            (assignment_id, *key, proposed_set.first_state),
        )
        numbers.append(int(cursor.lastrowid or 0))
    return numbers


def answers_of(store: Store, assignment_id: int) -> Answers:
    """What was said of the sets that were proposed for a piece of work; those of which nothing was said are left out."""
    rows = store.rows(
        """SELECT id, state FROM proposed_sets WHERE assignment_id = ?
            AND state <> CASE source WHEN 'complement' THEN 'unasked' ELSE 'undecided' END ORDER BY id""",
        (assignment_id,),
    )
    return {row["id"]: row["state"] for row in rows}


def save_answers(store: Store, assignment_id: int, answers: Mapping[int, ProposedState]) -> None:
    """Write what is said now: of what it does not name nothing is said. Numbers of other work change nothing."""
    store.run(
        """UPDATE proposed_sets SET state = CASE source WHEN 'complement' THEN 'unasked' ELSE 'undecided' END
            WHERE assignment_id = ?""",
        (assignment_id,),
    )
    store.run_many(
        """UPDATE proposed_sets SET state = ?1 WHERE id = ?2 AND assignment_id = ?3
            AND (?1 <> 'unasked' OR source = 'complement')""",
        [(state, number, assignment_id) for number, state in answers.items()],
    )


def accepted_sets(store: Store, assignment_id: int) -> dict[int, RationaleSet]:
    """The sets that were accepted for a piece of work, as they were proposed."""
    rows = store.rows(
        "SELECT id, spans FROM proposed_sets WHERE assignment_id = ? AND state IN ('accepted', 'edited')",
        (assignment_id,),
    )
    return {row["id"]: unpack_set(row["spans"]) for row in rows}


def set_states(store: Store, states: Mapping[int, ProposedState]) -> None:
    """Write the states of some proposed sets."""
    store.run_many("UPDATE proposed_sets SET state = ? WHERE id = ?", [(s, number) for number, s in states.items()])


def proposed_of_instances(store: Store, instance_ids: Sequence[int]) -> dict[int, tuple[SourceProposedSet, ...]]:
    """As our own export writes them, by piece of work, for all work on some instances."""
    by_assignment: dict[int, tuple[SourceProposedSet, ...]] = {}
    for row in store.rows(
        """SELECT proposed_sets.* FROM proposed_sets JOIN assignments ON assignments.id = assignment_id
            WHERE instance_id IN (SELECT value FROM json_each(?)) ORDER BY proposed_sets.id""",
        (json.dumps(list(instance_ids)),),
    ):
        spans = tuple((start, end) for start, end in json.loads(row["spans"]))
        made = SourceProposedSet(row["source"], row["name"], spans, row["state"])
        by_assignment[row["assignment_id"]] = (*by_assignment.get(row["assignment_id"], ()), made)
    return by_assignment


def proposed_counts(store: Store, project_id: int) -> list[ProposedCount]:
    """What became of proposed sets in work that was handed in and not taken back, by source and name."""
    rows = store.rows(
        """SELECT source, name, count(*) AS n, sum(p.state IN ('accepted', 'edited')) AS kept, sum(p.state = 'edited') AS edited,
                sum(p.state = 'rejected') AS rejected, sum(p.state = 'undecided') AS undecided
            FROM proposed_sets AS p JOIN assignments ON assignments.id = p.assignment_id
            WHERE assignments.project_id = ? AND p.state <> 'unasked' AND EXISTS (
                SELECT 1 FROM annotations WHERE assignment_id = assignments.id AND annotations.state <> 'withdrawn')
            GROUP BY source, name ORDER BY source, name""",
        (project_id,),
    )
    return [ProposedCount(*tuple(row)) for row in rows]
