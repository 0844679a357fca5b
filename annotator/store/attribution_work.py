"""What computing attributions asks of the database beside the outputs themselves."""

import json
from collections.abc import Mapping

from annotator.store.connection.database import Store


def splits_of(store: Store, project_id: int) -> dict[str, int]:
    """How many instances that are not discarded each split has."""
    rows = store.rows(
        """SELECT split, count(*) AS n FROM instances WHERE project_id = ? AND state <> 'discarded'
            GROUP BY split ORDER BY split""",
        (project_id,),
    )
    return {row["split"]: row["n"] for row in rows}


def last_detail(store: Store, project_id: int, action: str, model: str) -> Mapping[str, object] | None:
    """The detail of the last event of an action that names a model; None without one."""
    detail = store.value(
        """SELECT detail FROM events WHERE project_id = ? AND action = ? AND json_extract(detail, '$.model') = ?
            ORDER BY id DESC LIMIT 1""",
        (project_id, action, model),
    )
    return None if detail is None else dict(json.loads(detail))


def has_outputs(store: Store, project_id: int, model: str) -> bool:
    """Whether anything is stored of what a model says."""
    return bool(
        store.value(
            """SELECT EXISTS (SELECT 1 FROM runs JOIN models ON models.id = model_id WHERE project_id = ?1 AND name = ?2
                AND (EXISTS (SELECT 1 FROM predictions WHERE run_id = runs.id)
                    OR EXISTS (SELECT 1 FROM attributions WHERE run_id = runs.id)
                    OR EXISTS (SELECT 1 FROM machine_rationales WHERE run_id = runs.id)))""",
            (project_id, model),
        )
    )


def forget_model(store: Store, project_id: int, model: str) -> None:
    """Take out everything that a model says, its runs and their numbers."""
    its_runs = """SELECT runs.id FROM runs JOIN models ON models.id = model_id WHERE project_id = ? AND name = ?"""
    for table in ("metric_values", "measurements", "predictions", "attributions", "machine_rationales"):
        store.run(f"DELETE FROM {table} WHERE run_id IN ({its_runs})", (project_id, model))
    store.run(f"DELETE FROM runs WHERE id IN ({its_runs})", (project_id, model))
