"""What became of labels that others took the place of."""

from annotator.domain.projects import Project
from annotator.store.connection.database import Store

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
    return bool(
        store.value(
            """SELECT EXISTS (SELECT 1 FROM assignments WHERE project_id = ?1 AND state IN ('leased', 'returned')
                AND created_at <= (SELECT at FROM events WHERE id = ?2))""",
            (project_id, replaced[-1]),
        )
    )
