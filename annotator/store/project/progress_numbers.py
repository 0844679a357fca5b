"""How far people are, for the lead: how each one's texts stand, who reviewed how much, and when texts were finished."""

from dataclasses import dataclass

from annotator.store.connection.database import Store


@dataclass(frozen=True, slots=True)
class StandingCount:
    """How many texts of one annotator stand in one way; last_at: when the newest of them was submitted."""

    annotator: str
    standing: str
    n: int
    last_at: str | None


@dataclass(frozen=True, slots=True)
class ReviewCount:
    """What one person has reviewed: how much, when last, and the median working time of those whose time is known."""

    reviewer: str
    n: int
    last_at: str
    median_ms: float | None


_STANDING = """CASE WHEN work.state = 'skipped' THEN 'skipped'
    WHEN instances.state = 'discarded' OR said.state = 'discarded' THEN 'discarded'
    WHEN work.state = 'proposed' OR (work.state = 'submitted' AND instances.state = 'held') THEN 'held'
    WHEN work.state = 'submitted' AND said.state = 'accepted' THEN 'accepted'
    ELSE work.state END"""
# Work that was given back or went on to somebody else is nobody's; what was discarded stays its author's.
_IS_THEIRS = """(work.state IN ('leased', 'returned', 'submitted', 'skipped', 'proposed') OR (work.state = 'ended'
    AND (instances.state = 'discarded' OR said.state = 'discarded')
    AND (said.id IS NOT NULL OR EXISTS (SELECT 1 FROM proposals WHERE proposals.assignment_id = work.id))))"""


def standing_counts(store: Store, project_id: int) -> list[StandingCount]:
    """For each annotator: how many texts stand how. A text counts once for a person, as their newest work on it stands.

    Standings: leased, submitted (not decided), accepted, returned, skipped, held (waits for the lead), discarded
    """
    rows = store.rows(
        f"""SELECT name, {_STANDING} AS standing, count(*) AS n, max(work.submitted_at) AS last_at FROM assignments AS work
            JOIN instances ON instances.id = work.instance_id JOIN users ON users.id = work.user_id
            LEFT JOIN annotations AS said ON said.assignment_id = work.id
            WHERE work.project_id = ?1 AND {_IS_THEIRS} AND NOT EXISTS (SELECT 1 FROM assignments AS later
                WHERE later.instance_id = work.instance_id AND later.user_id = work.user_id AND later.round > work.round)
            GROUP BY 1, 2 ORDER BY 1, 2""",
        (project_id,),
    )
    return [StandingCount(row["name"], row["standing"], row["n"], row["last_at"]) for row in rows]


def review_counts(store: Store, project_id: int) -> list[ReviewCount]:
    """Everybody who has submitted reviews, by name."""
    rows = store.rows(
        """SELECT name, sum(n) AS n, max(last_at) AS last_at, avg(median) AS median_ms FROM (
                SELECT user_id, count(*) AS n, max(submitted_at) AS last_at, NULL AS median FROM reviews
                    WHERE project_id = ?1 AND state = 'submitted' GROUP BY user_id
                UNION ALL
                SELECT user_id, 0, NULL, avg(active_ms) FROM (
                    SELECT user_id, active_ms, count(*) OVER (PARTITION BY user_id) AS n_timed,
                        row_number() OVER (PARTITION BY user_id ORDER BY active_ms) AS place
                    FROM reviews WHERE project_id = ?1 AND state = 'submitted' AND active_ms > 0)
                    WHERE place IN ((n_timed + 1) / 2, (n_timed + 2) / 2) GROUP BY user_id)
            JOIN users ON users.id = user_id GROUP BY name ORDER BY name""",
        (project_id,),
    )
    return [ReviewCount(row["name"], row["n"], row["last_at"], row["median_ms"]) for row in rows]


def first_submission_at(store: Store, project_id: int) -> str | None:
    """When the first piece of work was submitted of those that still are."""
    first_at = store.value("SELECT min(submitted_at) FROM assignments WHERE project_id = ?", (project_id,))
    return None if first_at is None else str(first_at)


def submissions_between(store: Store, project_id: int, since: str, until: str) -> int:
    """How many pieces of work, corrections among them, were submitted in that time."""
    sql = "SELECT count(*) FROM assignments WHERE project_id = ? AND submitted_at > ? AND submitted_at <= ?"
    return int(store.value(sql, (project_id, since, until)))


def finished_between(store: Store, project_id: int, since: str, until: str) -> int:
    """How many texts came to their end in that time by people's work: the last submission or decision on them lies in it."""
    sql = """SELECT count(*) FROM (SELECT instance_id, max(at) AS at FROM (
            SELECT instance_id, submitted_at AS at FROM assignments WHERE project_id = ?1 AND submitted_at > ?2
            UNION ALL SELECT instance_id, decided_at FROM rounds WHERE project_id = ?1 AND decided_at > ?2
            UNION ALL SELECT instance_id, decided_at FROM proposals WHERE project_id = ?1 AND decided_at > ?2)
            GROUP BY instance_id) AS ended
        JOIN instances ON instances.id = ended.instance_id WHERE instances.state IN ('complete', 'discarded') AND at <= ?3"""
    return int(store.value(sql, (project_id, since, until)))
