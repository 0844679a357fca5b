"""Annotations and their rationale sets."""

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import cast

from annotator.domain.imports import NewAnnotation
from annotator.domain.instances import Annotation, AnnotationState, Draft
from annotator.domain.texts import RationaleSet
from annotator.errors import NotFound
from annotator.language import _
from annotator.store.connection.database import Row, Store
from annotator.store.packed_rows import pack_sets, unpack_set

Owners = Mapping[tuple[int, str, int], tuple[int, int]]
_NOBODY = (None, None)
_REPLACE = "UPDATE annotations SET state = ?, result = ?, note = ?, created_at = ?, guidelines = ? WHERE id = ?"
_DROP_SETS = "DELETE FROM rationale_sets WHERE annotation_id = ?"
_ADD_SET = "INSERT INTO rationale_sets (annotation_id, position, spans) VALUES (?, ?, ?)"


def add_annotation(
    store: Store,
    instance_id: int,
    annotator: str,
    *,
    state: AnnotationState,
    result: str | None,
    sets: Sequence[RationaleSet],
    note: str = "",
    round_number: int = 1,
    user_id: int | None = None,
    assignment_id: int | None = None,
    created_at: str | None = None,
    guidelines: int | None = None,
) -> int:
    """Store an annotation with its sets; answers its id. guidelines: the version that its author has read."""
    work = (instance_id, assignment_id, user_id)
    cursor = store.run(
        """INSERT INTO annotations (instance_id, assignment_id, user_id, annotator, round, state, result, note, created_at,
            guidelines) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (*work, annotator, round_number, state, result, note, created_at or store.now(), guidelines),
    )
    annotation_id = cast("int", cursor.lastrowid)
    store.run_many(_ADD_SET, _set_rows(annotation_id, sets))
    return annotation_id


def write_annotations(
    store: Store,
    of_instances: Iterable[tuple[int, Sequence[NewAnnotation]]],
    replaced: Sequence[tuple[int, NewAnnotation]] = (),
    owners: Owners = MappingProxyType({}),
) -> None:
    """Store annotations of sources, and of people, each tied to its work.

    replaced: with the numbers of those in whose places they are written
    owners: by instance, annotator and round: the numbers of a person and of the piece of work
    """
    at = store.now()
    first = 1 + int(store.value("SELECT coalesce(max(id), 0) FROM annotations"))
    new = ((instance_id, annotation) for instance_id, annotations in of_instances for annotation in annotations)
    numbered = list(enumerate(new, first))
    rows = []
    for number, (instance_id, a) in numbered:
        owner = owners.get((instance_id, a.annotator, a.round_number), _NOBODY) if a.by_user else _NOBODY
        made = (a.annotator, a.round_number, a.state, a.result, a.note, a.created_at or at, a.guidelines)
        row = (number, instance_id, *owner, *made)
        rows.append(row)
    with_sets = (*((number, a) for number, (_, a) in numbered), *replaced)
    set_rows = [row for number, a in with_sets for row in _set_rows(number, a.sets)]
    store.run_many(
        """INSERT INTO annotations (id, instance_id, user_id, assignment_id, annotator, round, state, result, note, created_at,
            guidelines) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        rows,
    )
    store.run_many(_REPLACE, [(a.state, a.result, a.note, at, a.guidelines, number) for number, a in replaced])
    store.run_many(_DROP_SETS, [(number,) for number, _ in replaced])
    store.run_many(_ADD_SET, set_rows)


def replace_annotation(
    store: Store,
    annotation_id: int,
    *,
    state: AnnotationState,
    result: str | None,
    sets: Sequence[RationaleSet],
    note: str,
    guidelines: int | None = None,
) -> None:
    """Write an annotation anew in its place."""
    store.run(_REPLACE, (state, result, note, store.now(), guidelines, annotation_id))
    store.run(_DROP_SETS, (annotation_id,))
    store.run_many(_ADD_SET, _set_rows(annotation_id, sets))


def set_annotation_state(store: Store, annotation_id: int, state: AnnotationState) -> None:
    store.run("UPDATE annotations SET state = ? WHERE id = ?", (state, annotation_id))


def get_annotation(store: Store, annotation_id: int) -> Annotation:
    """An annotation by number; raises NotFound."""
    row = store.row("SELECT * FROM annotations WHERE id = ?", (annotation_id,))
    if row is None:
        raise NotFound(_("There is no annotation number {annotation_id}.", annotation_id=annotation_id))
    return _annotation(row, _sets_of(store, [row["id"]]).get(row["id"], ()))


def get_annotations(store: Store, annotation_ids: Sequence[int]) -> dict[int, Annotation]:
    """Annotations by number."""
    wanted = json.dumps(list(annotation_ids))
    rows = store.rows("SELECT * FROM annotations WHERE id IN (SELECT value FROM json_each(?))", (wanted,))
    sets = _sets_of(store, annotation_ids)
    return {row["id"]: _annotation(row, sets.get(row["id"], ())) for row in rows}


def annotations_of(store: Store, instance_ids: Sequence[int]) -> dict[int, list[Annotation]]:
    """For each instance, its annotations, oldest first."""
    wanted = json.dumps(list(instance_ids))
    rows = store.rows(
        "SELECT * FROM annotations WHERE instance_id IN (SELECT value FROM json_each(?)) ORDER BY id", (wanted,)
    )
    sets = _sets_of(store, [row["id"] for row in rows])
    by_instance: dict[int, list[Annotation]] = {instance_id: [] for instance_id in instance_ids}
    for row in rows:
        by_instance[row["instance_id"]].append(_annotation(row, sets.get(row["id"], ())))
    return by_instance


def find_annotation_of_assignment(store: Store, assignment_id: int) -> Annotation | None:
    """What a person submitted for an assignment."""
    row = store.row("SELECT * FROM annotations WHERE assignment_id = ?", (assignment_id,))
    return None if row is None else _annotation(row, _sets_of(store, [row["id"]]).get(row["id"], ()))


def find_starting_draft(store: Store, instance_id: int) -> Draft | None:
    """Imported gold that waits to be corrected, as the start of an annotator's draft."""
    row = store.row(
        "SELECT * FROM annotations WHERE instance_id = ? AND state = 'draft' ORDER BY id LIMIT 1", (instance_id,)
    )
    if row is None:
        return None
    sets = _sets_of(store, [row["id"]]).get(row["id"], ())
    return Draft(row["result"], sets, row["note"], no_rationale=False)


def _sets_of(store: Store, annotation_ids: Iterable[int]) -> dict[int, tuple[RationaleSet, ...]]:
    wanted = json.dumps(list(annotation_ids))
    by_annotation: dict[int, tuple[RationaleSet, ...]] = {}
    for row in store.rows(
        """SELECT annotation_id, spans FROM rationale_sets
            WHERE annotation_id IN (SELECT value FROM json_each(?)) ORDER BY annotation_id, position""",
        (wanted,),
    ):
        by_annotation[row["annotation_id"]] = (*by_annotation.get(row["annotation_id"], ()), unpack_set(row["spans"]))
    return by_annotation


def _set_rows(annotation_id: int, sets: Sequence[RationaleSet]) -> list[tuple[int, int, str]]:
    return [(annotation_id, position, spans) for position, spans in enumerate(pack_sets(sets))]


def _annotation(row: Row, sets: tuple[RationaleSet, ...]) -> Annotation:
    return Annotation(
        id=row["id"],
        annotator=row["annotator"],
        round_number=row["round"],
        state=row["state"],
        result=row["result"],
        sets=sets,
        note=row["note"],
        user_id=row["user_id"],
        created_at=row["created_at"],
        instance_id=row["instance_id"],
        assignment_id=row["assignment_id"],
        guidelines=row["guidelines"],
    )
