"""Where a label is in use: what must not lose it."""

from dataclasses import dataclass

from annotator.store.connection.database import Store
from annotator.store.instances import InstanceRow, row_of


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
