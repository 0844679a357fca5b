"""What our own export carries of audits: read as its records, and written back as they were."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import cast

from annotator.domain.own_sources import SourceAudit, SourceAuditItem
from annotator.domain.project.audits import AuditItem
from annotator.store.connection.database import Store
from annotator.store.perturb.audits import audits_of, items_of
from annotator.store.transfer.perturbation_sources import places_of_perturbations


def audits_as_sources(store: Store, project_id: int) -> Iterator[SourceAudit]:
    """All of a project, oldest first."""
    places = places_of_perturbations(store, project_id)
    for audit in reversed(audits_of(store, project_id)):
        items = tuple(_item(store, item, places) for item in items_of(store, audit.id))
        yield SourceAudit(audit.drawing, audit.population, audit.made_by, audit.made_at, items)


def _item(store: Store, item: AuditItem, places: Mapping[int, int]) -> SourceAuditItem:
    original_id = store.value("SELECT original_id FROM perturbations WHERE id = ?", (item.perturbation_id,))
    original, instance = _named(store, original_id), _named(store, item.instance_id)
    nth, verdict = places[item.perturbation_id], item.verdict
    if verdict is None:
        return SourceAuditItem(original, nth, item.version, item.kind, instance)
    return SourceAuditItem(
        original, nth, item.version, item.kind, instance, verdict.auditor_name, verdict.is_right, verdict.faults,
        verdict.comment, verdict.texts, verdict.result, verdict.judged_at,
    )  # fmt: skip


def perturbation_at(store: Store, original_id: int, nth: int) -> int | None:
    """The number of the nth perturbation among those of its original, from 0."""
    rows = store.rows("SELECT id FROM perturbations WHERE original_id = ? ORDER BY id", (original_id,))
    return rows[nth]["id"] if nth < len(rows) else None


def restore_audit(
    store: Store,
    project_id: int,
    source: SourceAudit,
    members: list[tuple[int, int]],
    user_id: Callable[[str], int],
) -> None:
    """Write one as it was. members: of each item the numbers of its perturbation and of its instance."""
    cursor = store.run(
        "INSERT INTO audits (project_id, drawing, population, made_by, made_at) VALUES (?, ?, ?, ?, ?)",
        (
            project_id, json.dumps(asdict(source.drawing)), json.dumps(dict(source.population)), source.made_by,
            source.made_at,
        ),
    )  # fmt: skip
    audit_id = cast("int", cursor.lastrowid)
    store.run_many(
        """INSERT INTO audit_items (audit_id, position, perturbation_id, version, kind, instance_id, auditor, is_right, faults,
            comment, texts, result, judged_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [
            (
                *(audit_id, position, perturbation_id, item.version, item.kind, instance_id),
                *(None if item.auditor is None else user_id(item.auditor), item.is_right, json.dumps(item.faults)),
                *(item.comment, item.texts, item.result, item.judged_at),
            )
            for position, (item, (perturbation_id, instance_id)) in enumerate(zip(source.items, members, strict=True))
        ],
    )


def _named(store: Store, instance_id: int) -> tuple[str, str]:
    row = store.rows("SELECT key, split FROM instances WHERE id = ?", (instance_id,))[0]
    return row["key"], row["split"]
