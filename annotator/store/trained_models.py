"""What models that were trained here learned from, and what labels of other projects are called."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

import msgspec

from annotator.domain.models import HeldOut, StoredTraining
from annotator.domain.own_sources import SourceTraining
from annotator.store.connection.database import Row, Store, of_columns

_SELECT = "SELECT * FROM trainings"


def save_training(
    store: Store, project_id: int, model: str, *, digest: str, seed: int, split: str | None, held_out: HeldOut | None,
    instance_ids: Iterable[int], trained_at: str | None = None,
) -> None:  # fmt: skip
    """Write what a model learned from, in the place of what was written of an older model of its name."""
    old = store.value("SELECT id FROM trainings WHERE project_id = ? AND model = ?", (project_id, model))
    store.run("DELETE FROM training_members WHERE training_id = ?", (old,))
    store.run("DELETE FROM trainings WHERE id = ?", (old,))
    held_out_as_json = None if held_out is None else json.dumps(asdict(held_out), ensure_ascii=False)
    members = list(instance_ids)
    number = store.add(
        """INSERT INTO trainings (project_id, model, digest, seed, split, trained_at, n, held_out)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
        (project_id, model, digest, seed, split, trained_at or store.now(), len(members), held_out_as_json),
    )
    store.run_many(
        "INSERT INTO training_members (training_id, instance_id) VALUES (?, ?)", [(number, i) for i in members]
    )


def trainings_of(store: Store, project_id: int) -> dict[str, StoredTraining]:
    """The trainings of a project by the model's name."""
    rows = store.rows(f"{_SELECT} WHERE project_id = ? ORDER BY model", (project_id,))
    return {row["model"]: _training(row) for row in rows}


def models_trained(store: Store, project_id: int) -> dict[str, str | None]:
    """The models of whose training the record tells, also where nothing else is known; with their kind, None of old ones."""
    rows = store.rows(
        """SELECT json_extract(detail, '$.model') AS model, json_extract(detail, '$.kind') AS kind FROM events
            WHERE project_id = ? AND action = 'train model' ORDER BY id""",
        (project_id,),
    )
    return {row["model"]: row["kind"] for row in rows if row["model"] is not None}


def find_training(store: Store, project_id: int, model: str) -> StoredTraining | None:
    """What is known of the training of a model; None where it was not trained here, or before it was written down."""
    row = store.row(f"{_SELECT} WHERE project_id = ? AND model = ?", (project_id, model))
    return None if row is None else _training(row)


def ids_learned_from(store: Store, training_id: int) -> set[int]:
    """The instances that a model learned from."""
    return set(store.column("SELECT instance_id FROM training_members WHERE training_id = ?", (training_id,)))


def ids_of_versions(store: Store, training_id: int) -> set[int]:
    """The changed versions of instances that a model learned from, of which it did not learn."""
    return set(
        store.column(
            """SELECT changed.id FROM training_members
            JOIN instances AS original ON original.id = instance_id
            JOIN instances AS changed ON changed.project_id = original.project_id
                AND changed.parent_key = original.key AND changed.split = original.split
            WHERE training_id = ?1
                AND changed.id NOT IN (SELECT instance_id FROM training_members WHERE training_id = ?1)""",
            (training_id,),
        )
    )


def trainings_with(store: Store, instance_id: int) -> set[int]:
    """The trainings that an instance was in."""
    return set(store.column("SELECT training_id FROM training_members WHERE instance_id = ?", (instance_id,)))


# --- for our own JSONL ------------------------------------------------------------------------------------------------


def trainings_as_sources(store: Store, project_id: int, split: str | None = None) -> list[SourceTraining]:
    """The trainings of a project with the keys and splits of what was learned from; split: only instances of that one."""
    sources = []
    for training in trainings_of(store, project_id).values():
        rows = store.rows(
            """SELECT key, split FROM training_members JOIN instances ON instances.id = instance_id
                WHERE training_id = ? AND (?2 IS NULL OR split = ?2) ORDER BY instances.id""",
            (training.id, split),
        )
        members = tuple((row["key"], row["split"]) for row in rows)
        sources.append(
            SourceTraining(
                training.model,
                training.digest,
                training.seed,
                training.split,
                training.trained_at,
                training.held_out,
                members,
            )
        )
    return sources


def _training(row: Row) -> StoredTraining:
    held_out = None if row["held_out"] is None else HeldOut(**json.loads(row["held_out"]))
    return of_columns(StoredTraining, row, held_out=held_out)


# What was confirmed of the labels of models: from the record, in which every confirmation stands.


MAP_LABELS = "map labels"  # the action of the event


class _Detail(msgspec.Struct):
    """What the event holds. labels: the project's when it was confirmed."""

    model: str
    names: dict[str, str]
    labels: list[str]
    learned_in: str = ""


@dataclass(frozen=True, slots=True)
class StoredLabelTable:
    """What a project calls the labels of a model, as somebody confirmed it.

    model:      "" where it was confirmed for models that are not kept
    learned_in: the project that the model learned from; "" where that is not known
    names:      by the model's label the project's, or ""
    labels:     of the project, when it was confirmed
    """

    model: str
    learned_in: str
    names: Mapping[str, str]
    labels: tuple[str, ...]
    by: str
    at: str


def list_label_tables(store: Store, project_id: int) -> list[StoredLabelTable]:
    """The newest first; events that a file brought and that say something else are passed over."""
    rows = store.rows(
        f"SELECT at, actor, detail FROM events WHERE project_id = ? AND action = '{MAP_LABELS}' ORDER BY id DESC",
        (project_id,),
    )
    tables = []
    for row in rows:
        try:
            detail = msgspec.json.decode(row["detail"], type=_Detail)
        except msgspec.ValidationError:
            continue
        labels = tuple(detail.labels)
        tables.append(StoredLabelTable(detail.model, detail.learned_in, detail.names, labels, row["actor"], row["at"]))
    return tables
