"""Proposals to discard an instance and contested labels, and sets that are proposed to annotators."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.numbers import by_key
from annotator.domain.proposed_sets import HelpSource, HelpStep, IgnoredWords, ProposedCount, ProposedSet, ProposedState
from annotator.domain.sources import SourceHelp, SourceProposal, SourceProposedSet
from annotator.domain.texts import RationaleSet
from annotator.store.connection.database import Row, Store
from annotator.store.packed_rows import pack_sets, unpack_set


@dataclass(frozen=True, slots=True)
class Proposal:
    """One proposal; `reason` is the discard reason, or the label that the annotator would give."""

    id: int
    project_id: int
    instance_id: int
    assignment_id: int | None
    proposed_by: str
    kind: str
    reason: str
    comment: str
    state: str
    created_at: str
    decided_by: str | None
    decided_at: str | None

    def as_source(self) -> SourceProposal:
        """As our own export writes it."""
        return SourceProposal(
            self.proposed_by, self.kind, self.reason, self.comment, self.state, self.created_at, self.decided_by,
            self.decided_at,
        )  # fmt: skip


def add_proposal(
    store: Store, project_id: int, instance_id: int, assignment_id: int, proposed_by: str, kind: str, reason: str,
    comment: str,
) -> None:  # fmt: skip
    store.run(
        """INSERT INTO proposals (project_id, instance_id, assignment_id, proposed_by, kind, reason, comment, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        (project_id, instance_id, assignment_id, proposed_by, kind, reason, comment, store.now()),
    )


def find_proposal(store: Store, proposal_id: int) -> Proposal | None:
    row = store.row("SELECT * FROM proposals WHERE id = ?", (proposal_id,))
    return None if row is None else _proposal(row)


def list_open_proposals(store: Store, project_id: int, *, limit: int, offset: int = 0) -> list[Proposal]:
    """Proposals that wait for the lead, oldest first."""
    rows = store.rows(
        "SELECT * FROM proposals WHERE project_id = ? AND state = 'open' ORDER BY id LIMIT ? OFFSET ?",
        (project_id, limit, offset),
    )
    return [_proposal(row) for row in rows]


def proposals_of_instances(store: Store, instance_ids: Sequence[int]) -> dict[int, list[Proposal]]:
    """For each instance, everything that was proposed for it, oldest first."""
    return by_key(
        (row["instance_id"], _proposal(row))
        for row in store.rows(
            "SELECT * FROM proposals WHERE instance_id IN (SELECT value FROM json_each(?)) ORDER BY id",
            (json.dumps(list(instance_ids)),),
        )
    )


def last_proposal_of(store: Store, assignment_id: int) -> Proposal | None:
    """The newest proposal that came from a piece of work."""
    row = store.row("SELECT * FROM proposals WHERE assignment_id = ? ORDER BY id DESC LIMIT 1", (assignment_id,))
    return None if row is None else _proposal(row)


def list_open_proposals_of(store: Store, instance_id: int) -> list[Proposal]:
    """What the lead still has to decide about an instance."""
    rows = store.rows("SELECT * FROM proposals WHERE instance_id = ? AND state = 'open' ORDER BY id", (instance_id,))
    return [_proposal(row) for row in rows]


def count_open_proposals(store: Store, project_id: int) -> int:
    return store.number("SELECT count(*) FROM proposals WHERE project_id = ? AND state = 'open'", (project_id,))


def decide_proposal(store: Store, proposal_id: int, state: str, decided_by: str) -> None:
    store.run(
        "UPDATE proposals SET state = ?, decided_by = ?, decided_at = ? WHERE id = ?",
        (state, decided_by, store.now(), proposal_id),
    )


def withdraw_proposal(store: Store, assignment_id: int) -> None:
    """Its author takes back what the lead has not decided: then nothing was proposed."""
    store.run("DELETE FROM proposals WHERE assignment_id = ? AND state = 'open'", (assignment_id,))


def _proposal(row: Row) -> Proposal:
    return Proposal(**dict(row))


# Sets that were proposed for a piece of work, and what its person said of them.


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
        if proposed_set.first_state != "unasked":
            note_help(store, assignment_id, proposed_set.source, proposed_set.name, "shown", key[2])
    return numbers


def answers_of(store: Store, assignment_id: int) -> Answers:
    """What was said of the sets that were proposed for a piece of work; those of which nothing was said are left out."""
    return store.mapping(
        """SELECT id, state FROM proposed_sets WHERE assignment_id = ?
            AND state <> CASE source WHEN 'complement' THEN 'unasked' ELSE 'undecided' END ORDER BY id""",
        (assignment_id,),
    )


def save_answers(store: Store, assignment_id: int, answers: Mapping[int, ProposedState]) -> None:
    """Write what is said now: of what it does not name nothing is said. Numbers of other work change nothing."""
    before = _states(store, assignment_id)
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
    _note_changes(store, assignment_id, before)


def _states(store: Store, assignment_id: int) -> dict[int, Row]:
    rows = store.rows("SELECT * FROM proposed_sets WHERE assignment_id = ? ORDER BY id", (assignment_id,))
    return {row["id"]: row for row in rows}


def _note_changes(store: Store, assignment_id: int, before: Mapping[int, Row]) -> None:
    """What is said of proposed sets otherwise than before goes into the log; a complement that was asked for is shown then."""
    for number, row in _states(store, assignment_id).items():
        was = before[number]["state"]
        if row["state"] != was:
            of_set = (assignment_id, row["source"], row["name"])
            if was == "unasked":
                note_help(store, *of_set, "shown", row["spans"])
            note_help(store, *of_set, row["state"], row["spans"])


def accepted_sets(store: Store, assignment_id: int) -> dict[int, RationaleSet]:
    """The sets that were accepted for a piece of work, as they were proposed."""
    rows = store.rows(
        "SELECT id, spans FROM proposed_sets WHERE assignment_id = ? AND state IN ('accepted', 'edited')",
        (assignment_id,),
    )
    return {row["id"]: unpack_set(row["spans"]) for row in rows}


def set_states(store: Store, assignment_id: int, states: Mapping[int, ProposedState]) -> None:
    """Write the states of some proposed sets of a piece of work."""
    before = _states(store, assignment_id)
    store.run_many("UPDATE proposed_sets SET state = ? WHERE id = ?", [(s, number) for number, s in states.items()])
    _note_changes(store, assignment_id, before)


# The log of help: what was shown to whom, and what became of it. It is added to, and never changed.


@dataclass(frozen=True, slots=True)
class Help:
    """What the log says of a piece of work.

    steps: of each proposed set that was shown, by its tokens, the last; starting: the sets that lay there at the beginning
    """

    is_given: bool
    steps: Mapping[frozenset[int], HelpStep]
    starting: frozenset[frozenset[int]]


def note_help(
    store: Store, assignment_id: int, source: HelpSource, name: str, step: HelpStep = "shown", spans: str = ""
) -> None:
    """Add a line. spans: of the set, as they are stored; "" for a model's answer, of which the first look is kept alone."""
    store.run(
        """INSERT INTO help_log (assignment_id, at, source, name, spans, step) SELECT ?1, ?2, ?3, ?4, ?5, ?6
            WHERE ?5 <> '' OR NOT EXISTS (
                SELECT 1 FROM help_log WHERE assignment_id = ?1 AND source = ?3 AND name = ?4 AND spans = '')""",
        (assignment_id, store.now(), source, name, spans, step),
    )


def note_ignored_words(store: Store, assignment_id: int, words: IgnoredWords) -> None:
    """Words are shown as no rationale: that is help too, though no set is proposed. Kept once."""
    [spans] = pack_sets([words.tokens])
    store.run(
        """INSERT INTO help_log (assignment_id, at, source, name, spans, step) SELECT ?1, ?2, 'lexicon', ?3, ?4, 'unasked'
            WHERE NOT EXISTS (
                SELECT 1 FROM help_log WHERE assignment_id = ?1 AND source = 'lexicon' AND name = ?3 AND spans = ?4)""",
        (assignment_id, store.now(), " + ".join(words.names), spans),
    )


def help_of(store: Store, assignment_id: int) -> Help:
    """What help a piece of work had."""
    rows = store.rows("SELECT * FROM help_log WHERE assignment_id = ? ORDER BY id", (assignment_id,))
    of_sets = [(frozenset(unpack_set(row["spans"]).token_indices), row) for row in rows if row["spans"]]
    shown = {of for of, row in of_sets if row["step"] == "shown"}
    return Help(
        is_given=bool(rows),
        steps={of: row["step"] for of, row in of_sets if row["source"] != "starting" and of in shown},
        starting=frozenset(of for of, row in of_sets if row["source"] == "starting"),
    )


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


def helping_models(store: Store, project_id: int) -> set[str]:
    """The models at whose answers, or sets, somebody looked who had the text in hand."""
    return set(
        store.column(
            """SELECT DISTINCT name FROM help_log JOIN assignments ON assignments.id = assignment_id
            WHERE project_id = ? AND source = 'model'""",
            (project_id,),
        )
    )


def help_of_instances(store: Store, instance_ids: Sequence[int]) -> dict[int, tuple[SourceHelp, ...]]:
    """The log of help as our own export writes it, by piece of work, for all work on some instances."""
    by_assignment: dict[int, list[SourceHelp]] = {}
    for row in store.rows(
        """SELECT help_log.* FROM help_log JOIN assignments ON assignments.id = assignment_id
            WHERE instance_id IN (SELECT value FROM json_each(?)) ORDER BY help_log.id""",
        (json.dumps(list(instance_ids)),),
    ):
        spans = tuple((start, end) for start, end in json.loads(row["spans"] or "[]"))
        made = SourceHelp(row["at"], row["source"], row["name"], spans, row["step"])
        by_assignment.setdefault(row["assignment_id"], []).append(made)
    return {number: tuple(lines) for number, lines in by_assignment.items()}


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
