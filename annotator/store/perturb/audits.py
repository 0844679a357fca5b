"""Audits of accepted changed versions: what was drawn, who has which before them, and what they said."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from annotator.domain.project.audits import Audit, AuditItem, AuditVerdict, Drawing
from annotator.store.connection.database import Row, Store, of_columns

# A person (?2) wrote or corrected some version of it, or checked one.
_HAD_PART = """(EXISTS (SELECT 1 FROM perturbation_versions AS v WHERE v.perturbation_id = p.id AND v.made_by = {user})
    OR EXISTS (SELECT 1 FROM perturbation_checks AS c WHERE c.perturbation_id = p.id AND c.checker = {user}))"""


@dataclass(frozen=True, slots=True)
class AcceptedVersion:
    """A changed version that was accepted and is in the data set, and the instance that it became."""

    perturbation_id: int
    version: int
    kind: str
    instance_id: int


def accepted_versions(store: Store, project_id: int) -> list[AcceptedVersion]:
    """All of a project that were written here, oldest first; those that were discarded since are none."""
    rows = store.rows(
        """SELECT p.id AS perturbation_id, version, kind, instance_id FROM perturbations AS p
            JOIN instances ON instances.id = instance_id
            WHERE p.project_id = ? AND p.state = 'approved' AND instances.state <> 'discarded' ORDER BY p.id""",
        (project_id,),
    )
    return [AcceptedVersion(**dict(row)) for row in rows]


def add_audit(
    store: Store, project_id: int, drawing: Drawing, population: Mapping[str, int],
    chosen: Sequence[AcceptedVersion], made_by: str,
) -> int:  # fmt: skip
    """A sample in the order in which it is to be judged; answers its number."""
    audit_id = store.add(
        "INSERT INTO audits (project_id, drawing, population, made_by, made_at) VALUES (?, ?, ?, ?, ?)",
        (project_id, json.dumps(asdict(drawing)), json.dumps(dict(population)), made_by, store.now()),
    )
    store.run_many(
        """INSERT INTO audit_items (audit_id, position, perturbation_id, version, kind, instance_id)
            VALUES (?, ?, ?, ?, ?, ?)""",
        [
            (audit_id, position, v.perturbation_id, v.version, v.kind, v.instance_id)
            for position, v in enumerate(chosen)
        ],
    )
    return audit_id


def audits_of(store: Store, project_id: int) -> list[Audit]:
    """The audits of a project, newest first."""
    rows = store.rows("SELECT * FROM audits WHERE project_id = ? ORDER BY id DESC", (project_id,))
    return [_audit(row) for row in rows]


def find_audit(store: Store, audit_id: int) -> Audit | None:
    row = store.row("SELECT * FROM audits WHERE id = ?", (audit_id,))
    return None if row is None else _audit(row)


def items_of(store: Store, audit_id: int) -> list[AuditItem]:
    """What was drawn, in the order in which it is judged."""
    rows = store.rows(
        """SELECT audit_items.*, users.name FROM audit_items LEFT JOIN users ON users.id = auditor
            WHERE audit_id = ? ORDER BY position""",
        (audit_id,),
    )
    return [_item(row) for row in rows]


def items_open_to(store: Store, project_id: int, user_id: int) -> list[AuditItem]:
    """What of a project's audits a person may judge: versions that they had no part in and that nobody else has before them."""
    rows = store.rows(
        f"""SELECT audit_items.*, users.name FROM audit_items JOIN audits ON audits.id = audit_id
            JOIN perturbations AS p ON p.id = perturbation_id JOIN instances ON instances.id = audit_items.instance_id
            LEFT JOIN users ON users.id = auditor
            WHERE audits.project_id = ?1 AND p.state = 'approved' AND instances.state <> 'discarded'
                AND NOT {_HAD_PART.format(user="?2")} AND (held_by IS NULL OR held_by = ?2 OR held_until < ?3)
            ORDER BY held_by IS NULL OR held_by <> ?2, audit_id, position""",
        (project_id, user_id, store.now()),
    )
    return [_item(row) for row in rows]


def people_with_part(store: Store, perturbation_ids: Sequence[int]) -> dict[int, set[int]]:
    """By perturbation, who wrote, corrected or checked it."""
    people: dict[int, set[int]] = {number: set() for number in perturbation_ids}
    for row in store.rows(
        """SELECT perturbation_id, made_by AS who FROM perturbation_versions
                WHERE perturbation_id IN (SELECT value FROM json_each(?1))
            UNION SELECT perturbation_id, checker FROM perturbation_checks
                WHERE perturbation_id IN (SELECT value FROM json_each(?1))""",
        (json.dumps(list(perturbation_ids)),),
    ):
        people[row["perturbation_id"]].add(row["who"])
    return people


def hold_item(store: Store, item: AuditItem, user_id: int | None, until: str | None) -> None:
    """A person has a version before them; None: nobody."""
    store.run(
        "UPDATE audit_items SET held_by = ?, held_until = ? WHERE audit_id = ? AND perturbation_id = ?",
        (user_id, until, item.audit_id, item.perturbation_id),
    )


def set_verdict(store: Store, item: AuditItem, verdict: AuditVerdict) -> None:
    """What somebody said of a version, in place of what was said of what it was before."""
    store.run(
        """UPDATE audit_items SET auditor = ?, is_right = ?, faults = ?, comment = ?, texts = ?, result = ?, judged_at = ?,
            held_by = NULL, held_until = NULL WHERE audit_id = ? AND perturbation_id = ?""",
        (
            *(verdict.auditor, verdict.is_right, json.dumps(verdict.faults), verdict.comment),
            *(verdict.texts, verdict.result, verdict.judged_at, item.audit_id, item.perturbation_id),
        ),
    )


def rename_audited_result(store: Store, project_id: int, label: str, by: str) -> None:
    """A project calls a label otherwise: what was judged carries the same label."""
    store.run(
        "UPDATE audit_items SET result = ? WHERE result = ? AND audit_id IN (SELECT id FROM audits WHERE project_id = ?)",
        (by, label, project_id),
    )


def _audit(row: Row) -> Audit:
    drawing = json.loads(row["drawing"])
    return Audit(
        row["id"], row["project_id"], Drawing(**{**drawing, "kinds": tuple(drawing["kinds"])}),
        json.loads(row["population"]), row["made_by"], row["made_at"],
    )  # fmt: skip


def _item(row: Row) -> AuditItem:
    verdict = None
    if row["is_right"] is not None:
        verdict = AuditVerdict(
            row["auditor"], row["name"], bool(row["is_right"]), tuple(json.loads(row["faults"])), row["comment"],
            row["texts"], row["result"], row["judged_at"],
        )  # fmt: skip
    return of_columns(AuditItem, row, verdict=verdict)
