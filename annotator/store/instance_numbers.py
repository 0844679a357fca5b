"""Numbers of single instances that nobody has to measure: how long they are, and how sure a model is."""

from annotator.store.connection.database import Store


def lengths_by_instance(store: Store, project_id: int) -> dict[int, float]:
    """The tokens of each instance of a project that can be marked."""
    rows = store.rows("SELECT id, n_selectable FROM instances WHERE project_id = ?", (project_id,))
    return {row[0]: float(row[1]) for row in rows}


def answer_probabilities(store: Store, run_id: int) -> dict[int, float]:
    """The probability of the label that a run answers to the whole text, by instance; without those that it gives none."""
    return _probabilities(store, run_id, "predictions.label")


def gold_probabilities(store: Store, run_id: int) -> dict[int, float]:
    """The probability that a run gives to the label of the instance itself; without those where there is none."""
    return _probabilities(store, run_id, "instances.result")


def _probabilities(store: Store, run_id: int, label: str) -> dict[int, float]:
    rows = store.rows(
        f"""SELECT instance_id, p.value FROM predictions JOIN instances ON instances.id = instance_id
            JOIN json_each(probabilities) AS p ON p.key = {label}
            WHERE run_id = ? AND input = 'full' AND threshold = -1 AND p.type IN ('integer', 'real')""",
        (run_id,),
    )
    return {row[0]: float(row[1]) for row in rows}
