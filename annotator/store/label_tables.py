"""What was confirmed of the labels of models: from the record, in which every confirmation stands."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from annotator.store.connection.database import Store

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
