"""Second passes in which all evidence is marked: which project is one of which, and the texts that they hold."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from annotator.domain.instances import GoldChoice
from annotator.domain.project.evidence import EvidenceCopy, EvidencePass
from annotator.store.connection.database import Row, Store, of_columns

_SELECT = """SELECT evidence_passes.*, projects.name FROM evidence_passes JOIN projects ON projects.id = project_id"""


def add_pass(store: Store, project_id: int, source_id: int, made_by: str, *, is_automatic: bool) -> None:
    """A project is the second pass of another."""
    store.run(
        "INSERT INTO evidence_passes (project_id, source_id, is_automatic, made_by, made_at) VALUES (?, ?, ?, ?, ?)",
        (project_id, source_id, is_automatic, made_by, store.now()),
    )


def set_automatic(store: Store, project_id: int, is_automatic: bool) -> None:
    store.run("UPDATE evidence_passes SET is_automatic = ? WHERE project_id = ?", (is_automatic, project_id))


def passes_of(store: Store, source_id: int) -> list[EvidencePass]:
    """The second passes of a project, oldest first."""
    return [_pass(row) for row in store.rows(f"{_SELECT} WHERE source_id = ? ORDER BY project_id", (source_id,))]


def find_pass(store: Store, project_id: int) -> EvidencePass | None:
    """The second pass that a project is, if it is one."""
    row = store.row(f"{_SELECT} WHERE project_id = ?", (project_id,))
    return None if row is None else _pass(row)


def add_copies(store: Store, copies: Sequence[EvidenceCopy]) -> None:
    store.run_many(
        "INSERT INTO evidence_copies (copy_id, original_id, result, copy_result, gold) VALUES (?, ?, ?, ?, ?)",
        [(copy.copy_id, copy.original_id, copy.result, copy.copy_result, copy.gold) for copy in copies],
    )


def copies_of(store: Store, project_id: int) -> list[EvidenceCopy]:
    """The texts of a second pass, in the order of import."""
    rows = store.rows(
        """SELECT evidence_copies.* FROM evidence_copies JOIN instances ON instances.id = copy_id
            WHERE project_id = ? ORDER BY copy_id""",
        (project_id,),
    )
    return [_copy(row) for row in rows]


def find_copy(store: Store, copy_id: int) -> EvidenceCopy | None:
    """What is known of a text, if it is one of a second pass."""
    row = store.row("SELECT * FROM evidence_copies WHERE copy_id = ?", (copy_id,))
    return None if row is None else _copy(row)


def find_copy_of(store: Store, original_id: int) -> EvidenceCopy | None:
    """The text of a second pass that was made of an instance, if there is one."""
    row = store.row("SELECT * FROM evidence_copies WHERE original_id = ?", (original_id,))
    return None if row is None else _copy(row)


def originals_in_passes(store: Store, source_id: int) -> set[int]:
    """The instances of a project that are in a second pass."""
    return set(
        store.column(
            "SELECT original_id FROM evidence_copies JOIN instances ON instances.id = original_id WHERE project_id = ?",
            (source_id,),
        )
    )


def set_taken(store: Store, copy_id: int, annotation_id: int | None, former: GoldChoice | None) -> None:
    """The version of the original that a copy's gold became, and what was chosen before; None: nothing is taken over."""
    packed = None if former is None else json.dumps(asdict(former), ensure_ascii=False)
    store.run(
        "UPDATE evidence_copies SET taken = ?, former_choice = ? WHERE copy_id = ?", (annotation_id, packed, copy_id)
    )


def annotators_of_originals(store: Store, project_id: int) -> list[tuple[int, int]]:
    """Of each text of a second pass, who annotated its original: (copy, person)."""
    return store.tuples(
        """SELECT DISTINCT copy_id, user_id FROM evidence_copies JOIN instances ON instances.id = copy_id
            JOIN annotations ON annotations.instance_id = original_id
            WHERE project_id = ? AND user_id IS NOT NULL AND annotations.state NOT IN ('withdrawn', 'reference')""",
        (project_id,),
    )


def annotators_of(store: Store, instance_ids: Sequence[int]) -> dict[int, set[int]]:
    """By instance, the people with an account who annotated it."""
    people: dict[int, set[int]] = {}
    for row in store.rows(
        """SELECT DISTINCT instance_id, user_id FROM annotations WHERE user_id IS NOT NULL
            AND state NOT IN ('withdrawn', 'reference') AND instance_id IN (SELECT value FROM json_each(?))""",
        (json.dumps(list(instance_ids)),),
    ):
        people.setdefault(row["instance_id"], set()).add(row["user_id"])
    return people


def rename_result(store: Store, project_id: int, label: str, by: str) -> None:
    """A project calls a label otherwise: so do the texts of its second passes, and those that it holds itself as one."""
    instances = "SELECT id FROM instances WHERE project_id = ?"
    store.run(
        f"UPDATE evidence_copies SET result = ? WHERE result = ? AND original_id IN ({instances})",
        (by, label, project_id),
    )
    store.run(
        f"UPDATE evidence_copies SET copy_result = ? WHERE copy_result = ? AND copy_id IN ({instances})",
        (by, label, project_id),
    )


def _pass(row: Row) -> EvidencePass:
    return of_columns(EvidencePass, row, project_name=row["name"], is_automatic=bool(row["is_automatic"]))


def _copy(row: Row) -> EvidenceCopy:
    former = row["former_choice"]
    return of_columns(EvidenceCopy, row, former_choice=None if former is None else GoldChoice(**json.loads(former)))
