"""How long people worked on each text: the time that the panel counted, of what was submitted."""

from dataclasses import dataclass

from annotator.store.connection.database import Store


@dataclass(frozen=True, slots=True)
class TextTime:
    """Of one text: time of all its annotators and rounds together, in milliseconds.

    is_given:       it has had its label from the start
    active_ms:      pauses that count as idle left out; idle_ms: those
    is_whole:       each piece of work that was submitted has some time, and so has everybody whose annotation is accepted
    n_annotators:   who made its accepted annotations, also those that came with a file
    """

    is_given: bool
    active_ms: int
    idle_ms: int
    is_whole: bool
    n_annotators: int


_WORK = """SELECT instance_id, user_id, active_ms, idle_ms FROM assignments
    WHERE project_id = ?1 AND submitted_at IS NOT NULL"""
_REVIEWS = """SELECT annotations.instance_id, NULL, active_ms, idle_ms FROM reviews
    JOIN annotations ON annotations.id = annotation_id WHERE project_id = ?1 AND reviews.state = 'submitted'"""


def text_times(store: Store, project_id: int, *, with_reviews: bool = False) -> dict[int, TextTime]:
    """By instance, all of a project's. with_reviews: the time of those who scored the sets counts as well."""
    spent = f"{_WORK} UNION ALL {_REVIEWS}" if with_reviews else _WORK
    rows = store.rows(
        f"""SELECT instances.id, instances.result IS NOT NULL AS is_given, coalesce(active, 0) AS active,
                coalesce(idle, 0) AS idle, coalesce(n_without, 0) = 0 AND coalesce(n_timed, 0) >= coalesce(n_annotators, 0)
                AS is_whole, coalesce(n_annotators, 0) AS n_annotators
            FROM instances
            LEFT JOIN (SELECT instance_id, sum(active_ms) AS active, sum(idle_ms) AS idle, sum(active_ms = 0) AS n_without,
                    count(DISTINCT user_id) AS n_timed
                FROM ({spent}) GROUP BY instance_id) AS spent ON spent.instance_id = instances.id
            LEFT JOIN (SELECT annotations.instance_id, count(DISTINCT annotator) AS n_annotators FROM annotations
                JOIN instances ON instances.id = annotations.instance_id
                WHERE instances.project_id = ?1 AND annotations.state = 'accepted' GROUP BY 1) AS said
                ON said.instance_id = instances.id
            WHERE instances.project_id = ?1""",
        (project_id,),
    )
    return {
        row["id"]: TextTime(
            bool(row["is_given"]), row["active"], row["idle"], bool(row["is_whole"]), row["n_annotators"]
        )
        for row in rows
    }
