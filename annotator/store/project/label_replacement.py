"""Labels of a project: where one is used, what was changed of them, and one put in the place of another."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from annotator.domain.models import Prediction
from annotator.domain.projects import Project
from annotator.store.connection.database import Store
from annotator.store.instances import InstanceRow, row_of
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
    return store.number(
        """SELECT count(*) FROM proposals JOIN instances ON instances.id = instance_id
                WHERE proposals.project_id = ?1 AND kind = 'contest' AND proposals.state = 'open'
                AND ((reason = ?2 AND result = ?3) OR (reason = ?3 AND result = ?2))""",
        (project_id, label, by),
    )


def count_expecting_cases(store: Store, project_id: int, label: str) -> int:
    """Saved cases of functional tests that expect something of a label; cases are never changed."""
    return store.number(
        """SELECT count(*) FROM suite_cases JOIN suite_tests ON suite_tests.id = test_id JOIN suites ON suites.id = suite_id
                WHERE project_id = ? AND EXISTS (SELECT 1 FROM json_each(suite_cases.labels) WHERE value = ?)""",
        (project_id, label),
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
    store.run(
        """UPDATE sufficient_sets SET label = ? WHERE label = ?
            AND model_id IN (SELECT id FROM models WHERE project_id = ?)""",
        of_text,
    )
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


# Where a label is in use: what must not lose it.


@dataclass(frozen=True, slots=True)
class LabelUse:
    """How many instances and annotations carry a label, and how many open proposals and changed versions would give it."""

    n_instances: int
    n_annotations: int
    n_proposals: int
    n_perturbations: int

    @property
    def is_used(self) -> bool:
        return bool(self.n_instances or self.n_annotations or self.n_proposals or self.n_perturbations)


def label_use(store: Store, project_id: int, label: str) -> LabelUse:
    """How often a project uses a label. Reads the whole project: for the moment at which a lead takes the label away."""
    row = store.rows(
        """SELECT
            (SELECT count(*) FROM instances WHERE project_id = ?1 AND result = ?2) AS n_instances,
            (SELECT count(*) FROM annotations JOIN instances ON instances.id = instance_id
                WHERE project_id = ?1 AND annotations.result = ?2) AS n_annotations,
            (SELECT count(*) FROM proposals
                WHERE project_id = ?1 AND kind = 'contest' AND state = 'open' AND reason = ?2) AS n_proposals,
            (SELECT count(*) FROM perturbations AS p JOIN perturbation_versions AS v
                ON v.perturbation_id = p.id AND v.number = p.version
                WHERE project_id = ?1 AND p.state IN ('waiting', 'returned') AND result = ?2) AS n_perturbations""",
        (project_id, label),
    )[0]
    return LabelUse(**dict(row))


@dataclass(frozen=True, slots=True)
class LabelReach:
    """What else than instances and annotations is reached when another label takes the place of one.

    n_gold_choices: choices of the lead that are of annotations with it; n_runs_with_numbers: runs whose numbers are stored
    n_releases:     of the project, whichever labels are in them
    n_predictions:  answers of models that give it; n_probabilities: other answers, which name it with a probability
    """

    n_drafts: int
    n_versions: int
    n_predictions: int
    n_probabilities: int
    n_attributions: int
    n_gold_choices: int
    n_runs_with_numbers: int
    n_releases: int


def label_reach(store: Store, project_id: int, label: str) -> LabelReach:
    """How much there is of it. Reads the whole project, as `label_use`."""
    row = store.rows(
        """SELECT
            (SELECT count(*) FROM drafts JOIN assignments ON assignments.id = assignment_id
                WHERE project_id = ?1 AND result = ?2) AS n_drafts,
            (SELECT count(*) FROM perturbation_versions JOIN perturbations ON perturbations.id = perturbation_id
                WHERE project_id = ?1 AND result = ?2) AS n_versions,
            (SELECT count(*) FROM predictions JOIN runs ON runs.id = run_id JOIN models ON models.id = model_id
                WHERE project_id = ?1 AND (label = ?2 OR result = ?2)) AS n_predictions,
            (SELECT count(*) FROM predictions JOIN runs ON runs.id = run_id JOIN models ON models.id = model_id
                WHERE project_id = ?1 AND label IS NOT ?2 AND result IS NOT ?2
                AND EXISTS (SELECT 1 FROM json_each(probabilities) WHERE key = ?2)) AS n_probabilities,
            (SELECT count(*) FROM attributions JOIN runs ON runs.id = run_id JOIN models ON models.id = model_id
                WHERE project_id = ?1 AND label = ?2) AS n_attributions,
            (SELECT count(*) FROM gold_choices JOIN annotations ON annotations.id = annotation_id
                JOIN instances ON instances.id = annotations.instance_id
                WHERE project_id = ?1 AND annotations.result = ?2) AS n_gold_choices,
            (SELECT count(*) FROM runs JOIN models ON models.id = model_id
                WHERE project_id = ?1 AND EXISTS (SELECT 1 FROM metric_values WHERE run_id = runs.id)) AS n_runs_with_numbers,
            (SELECT count(*) FROM releases WHERE project_id = ?1) AS n_releases""",
        (project_id, label),
    )[0]
    return LabelReach(**dict(row))


def instances_with_label(store: Store, project_id: int, label: str, limit: int) -> list[InstanceRow]:
    """The first instances that carry a label, that an annotation gives it, or that an open proposal or changed version would."""
    rows = store.rows(
        """SELECT id FROM instances WHERE project_id = ?1 AND (result = ?2
            OR EXISTS (SELECT 1 FROM annotations WHERE instance_id = instances.id AND annotations.result = ?2)
            OR EXISTS (SELECT 1 FROM proposals
                WHERE instance_id = instances.id AND kind = 'contest' AND proposals.state = 'open' AND reason = ?2)
            OR EXISTS (SELECT 1 FROM perturbations AS p JOIN perturbation_versions AS v
                ON v.perturbation_id = p.id AND v.number = p.version
                WHERE original_id = instances.id AND p.state IN ('waiting', 'returned') AND v.result = ?2))
            ORDER BY id LIMIT ?3""",
        (project_id, label, limit),
    )
    return [row_of(store, row["id"]) for row in rows]


def labelled_ids(store: Store, project_id: int, split: str | None = None) -> set[int]:
    """The instances with a label of their own that are not discarded; split None: of all."""
    rows = store.rows(
        """SELECT id FROM instances WHERE project_id = ? AND result <> '' AND state <> 'discarded'
           AND (? IS NULL OR split = ?)""",
        (project_id, split, split),
    )
    return {number for (number,) in rows}


# What became of labels that others took the place of.


_REPLACED = """SELECT id, detail ->> 'label' AS label, detail ->> 'by' AS other FROM events
    WHERE project_id = ? AND action = 'replace label' ORDER BY id"""


def label_of_now(store: Store, project: Project, label: str | None) -> str | None:
    """A result as the project calls it now: a page that was open while a label was replaced still sends the old one."""
    if not label or not project.labels or label in project.labels:
        return label
    return present_label(store, project.id, label)


def present_label(store: Store, project_id: int, label: str) -> str:
    """What a label that is none of the project's any more is called now; itself where nothing took its place.

    Asked for such labels alone, since it reads the project's record.
    """
    for row in store.rows(_REPLACED, (project_id,)):
        if row["label"] == label:
            label = row["other"]
    return label


def is_meant_by_open_work(store: Store, project_id: int, label: str, successor: str) -> bool:
    """Whether somebody holds work from a time at which a label meant another one than `successor` means now.

    Their page would go on sending it in the old meaning. That of the label which takes its name back is the same.
    """
    replaced = [row["id"] for row in store.rows(_REPLACED, (project_id,)) if row["label"] == label]
    if not replaced or present_label(store, project_id, label) == successor:
        return False
    return store.holds(
        """SELECT EXISTS (SELECT 1 FROM assignments WHERE project_id = ?1 AND state IN ('leased', 'returned')
                AND created_at <= (SELECT at FROM events WHERE id = ?2))""",
        (project_id, replaced[-1]),
    )
