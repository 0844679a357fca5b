"""What our own export carries of perturbations: read as its records, and written back as they were."""

from collections.abc import Callable, Iterator
from typing import cast

from annotator.domain.own_sources import SourceCheck, SourcePerturbation, SourceVersion
from annotator.store.connection.database import Store
from annotator.store.perturb.perturbations import SELECT, insert_version, with_history


def perturbations_as_sources(store: Store, project_id: int, split: str | None = None) -> Iterator[SourcePerturbation]:
    """All of a project, oldest first, with the keys and splits of their instances; split: of originals of that one."""
    rows = store.rows(
        f"{SELECT} JOIN instances AS i ON i.id = original_id WHERE perturbations.project_id = ?1 AND (?2 IS NULL OR split = ?2)"
        " ORDER BY perturbations.id",
        (project_id, split),
    )
    for perturbation in with_history(store, rows):
        original = _named(store, perturbation.original_id)
        yield SourcePerturbation(
            original, perturbation.author_name, perturbation.state, perturbation.original_fingerprint.hex(), perturbation.gold,
            tuple(SourceVersion(v.made_by_name, v.changed, v.reason, v.made_at) for v in perturbation.versions),
            tuple(SourceCheck(c.version, c.checker_name, c.verdict, c.reason, c.at) for c in perturbation.checks),
            None if perturbation.instance_id is None else _named(store, perturbation.instance_id),
        )  # fmt: skip


def places_of_perturbations(store: Store, project_id: int) -> dict[int, int]:
    """For each perturbation its place among those of its original, oldest first."""
    rows = store.rows(
        """SELECT id, row_number() OVER (PARTITION BY original_id ORDER BY id) - 1 AS place FROM perturbations
            WHERE project_id = ?""",
        (project_id,),
    )
    return {row["id"]: row["place"] for row in rows}


def restore_perturbation(
    store: Store,
    project_id: int,
    source: SourcePerturbation,
    original_id: int,
    instance_id: int | None,
    user_id: Callable[[str], int],
) -> None:
    """Write one as it was."""
    cursor = store.run(
        """INSERT INTO perturbations (project_id, original_id, author, kind, state, version, original_fingerprint, gold,
            instance_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            project_id, original_id, user_id(source.author), source.versions[-1].changed.kind, source.state,
            len(source.versions), bytes.fromhex(source.fingerprint), source.gold, instance_id,
        ),
    )  # fmt: skip
    perturbation_id = cast("int", cursor.lastrowid)
    for number, version in enumerate(source.versions, 1):
        insert_version(store, perturbation_id, number, user_id(version.by), version.changed, version.reason, version.at)
    store.run_many(
        "INSERT INTO perturbation_checks (perturbation_id, version, checker, verdict, reason, at) VALUES (?, ?, ?, ?, ?, ?)",
        [(perturbation_id, c.version, user_id(c.by), c.verdict, c.reason, c.at) for c in source.checks],
    )


def _named(store: Store, instance_id: int) -> tuple[str, str]:
    row = store.rows("SELECT key, split FROM instances WHERE id = ?", (instance_id,))[0]
    return row["key"], row["split"]
