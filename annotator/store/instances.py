"""Documents, instances and their segments: reading them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator.domain.instances import Instance, InstanceState, Segment
from annotator.errors import NotFound
from annotator.store.database import Row, Store
from annotator.store.packing import unpack_text


@dataclass(frozen=True, slots=True)
class InstanceRow:
    """One line of a list of instances."""

    id: int
    key: str
    split: str
    language: str
    state: InstanceState
    result: str | None
    n_tokens: int
    n_annotations: int
    excerpt: str


def get_instance(store: Store, instance_id: int) -> Instance:
    """An instance with its texts; raises NotFound."""
    row = store.row("SELECT * FROM instances WHERE id = ?", (instance_id,))
    if row is None:
        raise NotFound(f"There is no instance number {instance_id}.")
    return _instance(row, _segments(store, [instance_id]).get(instance_id, ()))


def project_of_instance(store: Store, instance_id: int) -> int:
    """The id of the project that an instance belongs to; raises NotFound."""
    found = store.value("SELECT project_id FROM instances WHERE id = ?", (instance_id,))
    if found is None:
        raise NotFound(f"There is no instance number {instance_id}.")
    return int(found)


def find_instance_id(store: Store, project_id: int, key: str, split: str | None = None) -> int | None:
    """The id of an instance by its key (and split, where keys repeat between splits)."""
    found = store.value(
        "SELECT id FROM instances WHERE project_id = ? AND key = ? AND (? IS NULL OR split = ?)", (project_id, key, split, split)
    )
    return None if found is None else int(found)


def iterate_instances(
    store: Store, project_id: int, *, split: str | None = None, batch_size: int = 500
) -> Iterator[Instance]:
    """Every instance of a project (or of one split of it), in the order of import, a batch at a time."""
    last = 0
    while True:
        rows = store.rows(
            "SELECT * FROM instances WHERE project_id = ? AND id > ? AND (? IS NULL OR split = ?) ORDER BY id LIMIT ?",
            (project_id, last, split, split, batch_size),
        )
        if not rows:
            return
        segments = _segments(store, [row["id"] for row in rows])
        for row in rows:
            yield _instance(row, segments.get(row["id"], ()))
        last = rows[-1]["id"]


def list_instances(
    store: Store, project_id: int, *, state: str | None = None, limit: int = 25, offset: int = 0
) -> list[InstanceRow]:
    """One page of a project's instances, in the order of import."""
    rows = store.rows(
        """SELECT instances.id, key, split, language, state, result, instances.n_tokens,
                (SELECT count(*) FROM annotations WHERE instance_id = instances.id) AS n_annotations,
                (SELECT substr(text, 1, 120) FROM segments JOIN documents ON documents.id = document_id
                    WHERE instance_id = instances.id AND position = 0) AS excerpt
            FROM instances WHERE project_id = ? AND (? IS NULL OR state = ?) ORDER BY instances.id LIMIT ? OFFSET ?""",
        (project_id, state, state, limit, offset),
    )
    return [InstanceRow(**dict(row)) for row in rows]


def set_state(store: Store, instance_id: int, state: InstanceState) -> None:
    store.run("UPDATE instances SET state = ? WHERE id = ?", (state, instance_id))


def set_result(store: Store, instance_id: int, result: str | None) -> None:
    store.run("UPDATE instances SET result = ? WHERE id = ?", (result, instance_id))


def splits_of(store: Store, project_id: int) -> dict[str, int]:
    """Number of instances in each split."""
    rows = store.rows("SELECT split, count(*) AS n FROM instances WHERE project_id = ? GROUP BY split ORDER BY split", (project_id,))
    return {row["split"]: row["n"] for row in rows}


def _segments(store: Store, instance_ids: Sequence[int]) -> dict[int, tuple[Segment, ...]]:
    marks = ",".join("?" * len(instance_ids))
    found: dict[int, tuple[Segment, ...]] = {}
    bodies: dict[int, Segment] = {}
    for row in store.rows(
        f"""SELECT instance_id, name, is_selectable, documents.id AS document_id, docid, text, token_offsets, sentence_starts
            FROM segments JOIN documents ON documents.id = document_id
            WHERE instance_id IN ({marks}) ORDER BY instance_id, position""",  # noqa: S608  (only question marks go in)
        instance_ids,
    ):
        known = bodies.get(row["document_id"])
        body = known.body if known else unpack_text(row["text"], row["token_offsets"], row["sentence_starts"])
        segment = Segment(row["name"], bool(row["is_selectable"]), body, row["docid"])
        bodies[row["document_id"]] = segment
        found[row["instance_id"]] = (*found.get(row["instance_id"], ()), segment)
    return found


def _instance(row: Row, segments: tuple[Segment, ...]) -> Instance:
    target = None if row["target_start"] is None else (row["target_start"], row["target_end"])
    return Instance(
        id=row["id"],
        key=row["key"],
        split=row["split"],
        language=row["language"],
        segments=segments,
        result=row["result"],
        state=row["state"],
        target=target,
        parent_key=row["parent_key"],
        perturbation_kind=row["perturbation_kind"],
        is_exhaustive=None if row["is_exhaustive"] is None else bool(row["is_exhaustive"]),
        metadata=json.loads(row["metadata"]),
    )
