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
