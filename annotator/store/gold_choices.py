"""The lead's choices of gold, and the versions that a lead made."""

import json
from collections.abc import Sequence

from annotator.domain.instances import GoldChoice
from annotator.domain.people import User
from annotator.domain.texts import RationaleSet
from annotator.store.annotate.annotations import add_annotation, replace_annotation
from annotator.store.annotate.instance_queue import GOLD_ANNOTATION
from annotator.store.connection.database import Row, Store, of_columns


def choices_of(store: Store, instance_ids: Sequence[int]) -> dict[int, GoldChoice]:
    """The choice of each instance that has one."""
    rows = store.rows(
        "SELECT * FROM gold_choices WHERE instance_id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(instance_ids)),),
    )
    return {row["instance_id"]: _choice(row) for row in rows}


def find_choice(store: Store, instance_id: int) -> GoldChoice | None:
    """The choice of an instance, if there is one."""
    return choices_of(store, [instance_id]).get(instance_id)


def has_exhaustive(store: Store, project_id: int) -> bool:
    """Whether some instance of a project says itself that its gold is exhaustive, or has it from a second pass."""
    return store.holds(
        """SELECT EXISTS (SELECT 1 FROM instances WHERE project_id = ?1 AND (is_exhaustive = 1 OR EXISTS (
                SELECT 1 FROM gold_choices WHERE instance_id = instances.id AND evidence_pass IS NOT NULL)))""",
        (project_id,),
    )


def not_chosen(store: Store, project_id: int) -> dict[str, int]:
    """By annotator, accepted annotations with sets that another one is the gold of: the lead's choice, else the first."""
    return store.mapping(
        f"""SELECT annotator, count(*) AS n FROM annotations JOIN instances ON instances.id = instance_id
            WHERE project_id = ?1 AND instances.state <> 'discarded' AND annotations.state = 'accepted'
                AND EXISTS (SELECT 1 FROM rationale_sets WHERE annotation_id = annotations.id)
                AND annotations.id <> {GOLD_ANNOTATION}
            GROUP BY annotator ORDER BY annotator""",
        (project_id,),
    )


def is_chosen(store: Store, annotation_id: int) -> bool:
    """Whether an annotation is its instance's chosen gold."""
    return store.holds(
        """SELECT 1 FROM gold_choices WHERE annotation_id = ?1
            AND instance_id = (SELECT instance_id FROM annotations WHERE id = ?1)""",
        (annotation_id,),
    )


def set_choice(store: Store, choice: GoldChoice) -> None:
    """Write an instance's choice, in place of an earlier one."""
    store.run(
        """INSERT OR REPLACE INTO gold_choices (instance_id, annotation_id, is_adjudicated, chosen_by, reason, chosen_at,
            evidence_pass) VALUES (?, ?, ?, ?, ?, ?, ?)""",
        (
            *(choice.instance_id, choice.annotation_id, choice.is_adjudicated),
            *(choice.chosen_by, choice.reason, choice.chosen_at, choice.evidence_pass),
        ),
    )


def remove_choice(store: Store, instance_id: int) -> None:
    """An instance has no choice any more."""
    store.run("DELETE FROM gold_choices WHERE instance_id = ?", (instance_id,))


def add_adjudicated(
    store: Store, instance_id: int, lead: User, result: str | None, sets: Sequence[RationaleSet], reason: str
) -> int:
    """Store a version that a lead made; answers its number. It never counts as an annotator's."""
    return add_annotation(
        store, instance_id, lead.name, state="reference", result=result, sets=sets, note=reason,
        round_number=_free_round(store, instance_id, lead.name), user_id=lead.id,
    )  # fmt: skip


def add_exhaustive(
    store: Store, instance_id: int, annotator: str, user_id: int | None, result: str | None, sets: Sequence[RationaleSet],
    pass_name: str,
) -> int:  # fmt: skip
    """Store what a second pass made of a text, in which all evidence was marked; answers its number."""
    return add_annotation(
        store, instance_id, annotator, state="reference", result=result, sets=sets, note=pass_name,
        round_number=_free_round(store, instance_id, annotator), user_id=user_id,
    )  # fmt: skip


def replace_adjudicated(
    store: Store, instance_id: int, annotation_id: int, lead: User, result: str | None, sets: Sequence[RationaleSet],
    reason: str,
) -> None:  # fmt: skip
    """Write such a version anew in its place; it is now of whoever wrote it last."""
    replace_annotation(store, annotation_id, state="reference", result=result, sets=sets, note=reason)
    store.run(
        "UPDATE annotations SET annotator = ?1, user_id = ?2, round = ?3 WHERE id = ?4 AND annotator <> ?1",
        (lead.name, lead.id, _free_round(store, instance_id, lead.name), annotation_id),
    )


def _free_round(store: Store, instance_id: int, name: str) -> int:
    """A source may have an annotator of the lead's name, and a version that was taken back stays stored."""
    last = store.value(
        """SELECT coalesce(max(round), 0) FROM annotations
            WHERE instance_id = ? AND annotator = ? AND assignment_id IS NULL""",
        (instance_id, name),
    )
    return int(last) + 1


def _choice(row: Row) -> GoldChoice:
    return of_columns(GoldChoice, row, is_adjudicated=bool(row["is_adjudicated"]))
