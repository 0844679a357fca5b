"""Proposals to discard an instance and contested labels: what a person proposed and what the lead decided."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.domain.sources import SourceProposal
from annotator.store.connection.database import Row, Store


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
            self.proposed_by,
            self.kind,
            self.reason,
            self.comment,
            self.state,
            self.created_at,
            self.decided_by,
            self.decided_at,
        )


def add_proposal(
    store: Store,
    project_id: int,
    instance_id: int,
    assignment_id: int,
    proposed_by: str,
    kind: str,
    reason: str,
    comment: str,
) -> None:
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
    by_instance: dict[int, list[Proposal]] = {}
    for row in store.rows(
        "SELECT * FROM proposals WHERE instance_id IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(list(instance_ids)),),
    ):
        by_instance.setdefault(row["instance_id"], []).append(_proposal(row))
    return by_instance


def last_proposal_of(store: Store, assignment_id: int) -> Proposal | None:
    """The newest proposal that came from a piece of work."""
    row = store.row("SELECT * FROM proposals WHERE assignment_id = ? ORDER BY id DESC LIMIT 1", (assignment_id,))
    return None if row is None else _proposal(row)


def list_open_proposals_of(store: Store, instance_id: int) -> list[Proposal]:
    """What the lead still has to decide about an instance."""
    rows = store.rows("SELECT * FROM proposals WHERE instance_id = ? AND state = 'open' ORDER BY id", (instance_id,))
    return [_proposal(row) for row in rows]


def count_open_proposals(store: Store, project_id: int) -> int:
    return int(store.value("SELECT count(*) FROM proposals WHERE project_id = ? AND state = 'open'", (project_id,)))


def decide_proposal(store: Store, proposal_id: int, state: str, decided_by: str) -> None:
    store.run(
        "UPDATE proposals SET state = ?, decided_by = ?, decided_at = ? WHERE id = ?",
        (state, decided_by, store.now(), proposal_id),
    )


def _proposal(row: Row) -> Proposal:
    return Proposal(**dict(row))
