"""One label in the place of another, wherever a project stores labels."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from annotator.domain.models import Prediction
from annotator.store.connection.database import Store
from annotator.store.perturb.audits import rename_audited_result
from annotator.store.project.evidence_passes import rename_result

_RUNS = "SELECT runs.id FROM runs JOIN models ON models.id = model_id WHERE project_id = ?"
_INSTANCES = "SELECT id FROM instances WHERE project_id = ?"


@dataclass(frozen=True, slots=True)
class Replaced:
    """How many of each carried the label. n_dropped: attributions of it where the model has one of the other label too."""

    instances: int
    annotations: int
    drafts: int
    proposals: int
    perturbations: int
    predictions: int
    attributions: int
    n_dropped: int


def count_opposed(store: Store, project_id: int, label: str, by: str) -> int:
    """Open proposals of one of two labels for texts that are given the other."""
    return int(
        store.value(
            """SELECT count(*) FROM proposals JOIN instances ON instances.id = instance_id
                WHERE proposals.project_id = ?1 AND kind = 'contest' AND proposals.state = 'open'
                AND ((reason = ?2 AND result = ?3) OR (reason = ?3 AND result = ?2))""",
            (project_id, label, by),
        )
    )


def count_expecting_cases(store: Store, project_id: int, label: str) -> int:
    """Saved cases of functional tests that expect something of a label; cases are never changed."""
    return int(
        store.value(
            """SELECT count(*) FROM suite_cases JOIN suite_tests ON suite_tests.id = test_id JOIN suites ON suites.id = suite_id
                WHERE project_id = ? AND EXISTS (SELECT 1 FROM json_each(suite_cases.labels) WHERE value = ?)""",
            (project_id, label),
        )
    )


def replace_label(store: Store, project_id: int, label: str, by: str) -> Replaced:
    """Write another label wherever one stands. Scores, rounds, choices of gold and decided proposals stay as they are."""
    work = f"assignment_id IN (SELECT id FROM assignments WHERE instance_id IN ({_INSTANCES}))"
    of_text = (by, label, project_id)
    n_dropped = _drop_attributions(store, project_id, label, by)  # by the answers as they were
    counts = {
        name: store.run(sql, of_text).rowcount
        for name, sql in {
            "instances": "UPDATE instances SET result = ? WHERE result = ? AND project_id = ?",
            "annotations": f"UPDATE annotations SET result = ? WHERE result = ? AND instance_id IN ({_INSTANCES})",
            "drafts": f"UPDATE drafts SET result = ? WHERE result = ? AND {work}",
            "proposals": """UPDATE proposals SET reason = ? WHERE reason = ? AND project_id = ? AND kind = 'contest'
                AND state = 'open'""",
            "perturbations": """UPDATE perturbation_versions SET result = ? WHERE result = ? AND perturbation_id IN (
                SELECT id FROM perturbations WHERE project_id = ?)""",
            "attributions": f"UPDATE attributions SET label = ? WHERE label = ? AND run_id IN ({_RUNS})",
        }.items()
    }
    store.run(f"UPDATE perturbation_drafts SET result = ? WHERE result = ? AND original_id IN ({_INSTANCES})", of_text)
    rename_result(store, project_id, label, by)
    rename_audited_result(store, project_id, label, by)
    _replace_in_training(store, project_id, label, by)
    n_predictions = _replace_in_predictions(store, project_id, label, by)
    return Replaced(**counts, predictions=n_predictions, n_dropped=n_dropped)


def _replace_in_training(store: Store, project_id: int, label: str, by: str) -> None:
    """In the gold that items were picked with and in what is being marked; what was measured stays as it was measured."""
    store.run(
        """UPDATE qualification_items SET known = json_set(known, '$.result', ?1)
            WHERE known ->> '$.result' = ?2 AND project_id = ?3""",
        (by, label, project_id),
    )
    store.run(
        """UPDATE exercises SET answer = json_set(answer, '$.draft.result', ?1), revision = revision + 1
            WHERE answer ->> '$.draft.result' = ?2 AND project_id = ?3 AND state = 'open'""",
        (by, label, project_id),
    )


def _drop_attributions(store: Store, project_id: int, label: str, by: str) -> int:
    """Where both labels have an attribution, the one of the label that the model answered stays, else the other label's."""
    answered = """SELECT answer.label FROM runs AS method JOIN runs AS own ON own.model_id = method.model_id AND own.method = ''
        JOIN predictions AS answer ON answer.run_id = own.id AND answer.input = 'full'
        WHERE method.id = mine.run_id AND answer.instance_id = mine.instance_id AND (own.seed IS method.seed OR own.seed IS NULL)
        ORDER BY own.seed IS NULL LIMIT 1"""
    return store.run(
        f"""DELETE FROM attributions WHERE id IN (
            SELECT CASE WHEN ({answered}) = ?1 THEN other.id ELSE mine.id END FROM attributions AS mine
            JOIN attributions AS other ON other.instance_id = mine.instance_id AND other.run_id = mine.run_id
                AND other.layer = mine.layer AND other.label = ?2
            WHERE mine.label = ?1 AND mine.run_id IN ({_RUNS.replace("?", "?3")}))""",
        (label, by, project_id),
    ).rowcount


def _replace_in_predictions(store: Store, project_id: int, label: str, by: str) -> int:
    """The probabilities of both labels are added up, so that another label may be the most probable one."""
    rows = store.rows(
        f"""SELECT * FROM predictions WHERE run_id IN ({_RUNS}) AND (label = ? OR result = ?
            OR EXISTS (SELECT 1 FROM json_each(probabilities) WHERE key = ?))""",
        (project_id, label, label, label),
    )
    store.run_many(
        """UPDATE predictions SET result = ?, label = ?, probabilities = ?
            WHERE run_id = ? AND instance_id = ? AND input = ? AND threshold = ?""",
        ((*_with_label(row["result"], json.loads(row["probabilities"]), label, by), *list(row)[:4]) for row in rows),
    )
    return len(rows)


def _with_label(
    result: str | None, probabilities: Mapping[str, float], label: str, by: str
) -> tuple[str | None, str, str]:
    added: dict[str, float] = {}
    for name, p in probabilities.items():
        named = by if name == label else name
        added[named] = added.get(named, 0.0) + p
    prediction = Prediction(by if result == label else result, {name: min(p, 1.0) for name, p in added.items()})
    return prediction.result, prediction.label or "", json.dumps(dict(prediction.probabilities), ensure_ascii=False)
