"""Rounds: annotations before their reviewers, what the gate decided, and which sets carry their scores on."""

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from annotator.domain.numbers import by_key
from annotator.domain.reviews import CarriedSet, Finding, Outcome, Round, Verdict
from annotator.store.annotate.instance_queue import settle
from annotator.store.connection.database import Row, Store, of_columns


def open_round(
    store: Store, annotation_id: int, project_id: int, instance_id: int, number: int, previous_id: int | None
) -> None:
    """An annotation comes before its reviewers (again, when it was withdrawn in between)."""
    store.run(
        """INSERT INTO rounds (annotation_id, project_id, instance_id, number, previous_id, opened_at)
            VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (annotation_id) DO UPDATE SET opened_at = excluded.opened_at""",
        (annotation_id, project_id, instance_id, number, previous_id, store.now()),
    )
    settle(store, instance_id)


def forget_round(store: Store, annotation_id: int) -> None:
    """An annotation counts without its reviewers, since the project asks for none any more; nothing was decided on it."""
    store.run("DELETE FROM rounds WHERE annotation_id = ? AND outcome IS NULL", (annotation_id,))


def find_round(store: Store, annotation_id: int) -> Round | None:
    """The round of an annotation, if it came before reviewers."""
    row = store.row("SELECT * FROM rounds WHERE annotation_id = ?", (annotation_id,))
    return None if row is None else _round(row)


def rounds_of_instances(store: Store, instance_ids: Sequence[int]) -> dict[int, list[Round]]:
    """For each instance its rounds, oldest first."""
    return by_key(
        (row["instance_id"], _round(row))
        for row in store.rows(
            "SELECT * FROM rounds WHERE instance_id IN (SELECT value FROM json_each(?)) ORDER BY annotation_id",
            (json.dumps(list(instance_ids)),),
        )
    )


def undecided_rounds(store: Store, project_id: int) -> list[int]:
    """The annotations whose round is not decided, oldest first."""
    return store.column(
        "SELECT annotation_id FROM rounds WHERE project_id = ? AND outcome IS NULL ORDER BY annotation_id",
        (project_id,),
    )


# Not while the lead has to decide about the text: nobody may score it then.
_BEFORE_REVIEWERS = """FROM rounds JOIN annotations ON annotations.id = annotation_id
    JOIN instances ON instances.id = rounds.instance_id
    WHERE rounds.project_id = ?1 AND outcome IS NULL AND annotations.state = 'submitted' AND instances.state <> 'held'"""


def list_undecided(
    store: Store, project_id: int, *, limit: int, offset: int = 0, only: Sequence[int] | None = None
) -> list[Round]:
    """One page of the rounds that are before their reviewers now, oldest first; only: those of some annotations."""
    rows = store.rows(
        f"""SELECT rounds.* {_BEFORE_REVIEWERS}
            AND (?2 IS NULL OR annotation_id IN (SELECT value FROM json_each(?2)))
            ORDER BY annotation_id LIMIT ?3 OFFSET ?4""",
        (project_id, None if only is None else json.dumps(list(only)), limit, offset),
    )
    return [_round(row) for row in rows]


def count_undecided(store: Store, project_id: int, *, at_most: int = 10_000) -> int:
    """How many rounds are before their reviewers, counted up to `at_most` so that it costs the same in any project."""
    return store.number(f"SELECT count(*) FROM (SELECT 1 {_BEFORE_REVIEWERS} LIMIT ?2)", (project_id, at_most))


def count_under_review(store: Store, project_id: int) -> int:
    """How many open texts nobody has still to annotate, and of which an annotation is before its reviewers."""
    return store.number(
        """SELECT count(DISTINCT rounds.instance_id) FROM rounds JOIN annotations ON annotations.id = annotation_id
                JOIN instances ON instances.id = rounds.instance_id
                WHERE rounds.project_id = ?1 AND outcome IS NULL AND annotations.state = 'submitted'
                    AND instances.state = 'open' AND instances.open_slots = 0
                    AND NOT EXISTS (SELECT 1 FROM assignments WHERE instance_id = instances.id AND state = 'leased')""",
        (project_id,),
    )


def close_round(
    store: Store, annotation_id: int, outcome: Outcome, decided_by: str, reason: str, verdict: Verdict | None
) -> None:
    """Write down the decision on a round."""
    packed = None if verdict is None else json.dumps(pack_verdict(verdict))
    store.run(
        "UPDATE rounds SET outcome = ?, decided_at = ?, decided_by = ?, reason = ?, verdict = ? WHERE annotation_id = ?",
        (outcome, store.now(), decided_by, reason, packed, annotation_id),
    )


def write_origins(store: Store, annotation_id: int, origins: Sequence[int | None], carried: frozenset[int]) -> None:
    """Which set of the round before each set of a correction was, and which of them carry their scores."""
    store.run("DELETE FROM set_origins WHERE annotation_id = ?", (annotation_id,))
    store.run_many(
        "INSERT INTO set_origins (annotation_id, position, previous_position, is_carried) VALUES (?, ?, ?, ?)",
        [(annotation_id, p, origin, p in carried) for p, origin in enumerate(origins) if origin is not None],
    )


def origins_of_annotation(store: Store, annotation_id: int) -> dict[int, int]:
    """For each set that goes on from the round before: its position now, its position then."""
    return store.mapping(
        "SELECT position, previous_position FROM set_origins WHERE annotation_id = ?", (annotation_id,)
    )


def carried_sets_of(store: Store, annotation_id: int) -> dict[int, CarriedSet]:
    """The sets of an annotation that carry their scores, each with the place where it was scored."""
    rows = store.rows(
        """WITH RECURSIVE way (position, annotation_id, at) AS (
                SELECT position, previous_id, previous_position FROM set_origins
                    JOIN rounds ON rounds.annotation_id = set_origins.annotation_id
                    WHERE set_origins.annotation_id = ? AND is_carried = 1
                UNION ALL
                SELECT way.position, previous_id, previous_position FROM way
                    JOIN set_origins ON set_origins.annotation_id = way.annotation_id AND set_origins.position = way.at
                    JOIN rounds ON rounds.annotation_id = way.annotation_id WHERE is_carried = 1)
            SELECT position, way.annotation_id, at FROM way WHERE NOT EXISTS (SELECT 1 FROM set_origins
                WHERE annotation_id = way.annotation_id AND position = way.at AND is_carried = 1)""",
        (annotation_id,),
    )
    return {row["position"]: CarriedSet(row["position"], row["annotation_id"], row["at"]) for row in rows}


def pack_verdict(verdict: Verdict) -> dict[str, Any]:
    """A verdict as JSON; exact numbers are strings such as "8/3"."""
    return {
        "outcome": verdict.outcome,
        "findings": [
            {
                "property": finding.name,
                "set": finding.set_index,
                "scores": finding.scores,
                "mean": str(finding.mean),
                "threshold": str(finding.threshold),
                "passes": finding.passes,
            }
            for finding in verdict.findings
        ],
    }


def unpack_verdict(packed: Mapping[str, Any]) -> Verdict:
    """The inverse of pack_verdict."""
    findings = (
        Finding(f["property"], f["set"], tuple(f["scores"]), Fraction(f["mean"]), Fraction(f["threshold"]))
        for f in packed["findings"]
    )
    return Verdict(packed["outcome"], tuple(findings))


def _round(row: Row) -> Round:
    return of_columns(
        Round, row, verdict=None if row["verdict"] is None else unpack_verdict(json.loads(row["verdict"]))
    )
