"""What is known of single instances without measuring: how long they are, how sure a model is, whether it found nothing."""

from collections.abc import Mapping

from annotator.store.connection.database import Store
from annotator.store.packed_rows import unpack_floats


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


def empty_rationales(store: Store, run_id: int) -> dict[int, bool]:
    """By instance, whether the rationale that a run gives for it has no token."""
    rows = store.rows(
        "SELECT instance_id, max(length(tokens)) FROM machine_rationales WHERE run_id = ? GROUP BY instance_id",
        (run_id,),
    )
    return {row[0]: row[1] == 0 for row in rows}


def without_support(store: Store, run_id: int, answers: Mapping[int, str | None]) -> dict[int, bool]:
    """By instance, whether no token has a score above 0 in a run's attributions of the answer.

    answers: by instance; an attribution of no stated label is one of the answer, and so is the only one that there is
    """
    highest: dict[int, dict[str, float]] = {}
    for row in store.iterate("SELECT instance_id, label, scores FROM attributions WHERE run_id = ?", (run_id,)):
        by_label = highest.setdefault(row[0], {})
        by_label[row[1]] = max([by_label.get(row[1], 0.0), *(score for score in unpack_floats(row[2]) if score > 0)])
    return {
        number: not any(
            score for label, score in by_label.items() if len(by_label) == 1 or label in _of(answers, number)
        )
        for number, by_label in highest.items()
        if len(by_label) == 1 or by_label.keys() & _of(answers, number)
    }


def _of(answers: Mapping[int, str | None], number: int) -> set[str | None]:
    return {"", answers.get(number)}


def count_annotated_since(store: Store, project_id: int, moment: str) -> int:
    """How many texts were annotated after a moment, of those whose annotations count or wait for their scores."""
    return int(
        store.value(
            """SELECT count(DISTINCT instance_id) FROM annotations JOIN instances ON instances.id = instance_id
                WHERE project_id = ? AND annotations.state IN ('submitted', 'accepted') AND created_at > ?""",
            (project_id, moment),
        )
    )
