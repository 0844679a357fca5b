"""Counts of work by the quarter of an hour in which it was done, by kind of text, and by person; made in SQL, never text by text.

A quarter of an hour is what the days of every time zone are made of (review/progress.py).
"""

from dataclasses import dataclass

from annotator.store.connection.database import Row, Store

_QUARTER = "CAST(strftime('%s', {at}) AS INTEGER) / 900"
# When an annotation that was made here came to be accepted: by its round, or with its submission where nobody reviews.
_ACCEPTED = """FROM annotations AS said JOIN assignments AS work ON work.id = said.assignment_id
    LEFT JOIN rounds ON rounds.annotation_id = said.id
    WHERE work.project_id = ?1 AND said.state = 'accepted'"""
_ACCEPTED_AT = "coalesce(rounds.decided_at, work.submitted_at)"


def submitted_by_quarter(store: Store, project_id: int) -> dict[int, int]:
    """Pieces of work, corrections among them, by when they were submitted."""
    at = _QUARTER.format(at="submitted_at")
    return _counts(
        store.rows(
            f"""SELECT {at} AS quarter, count(*) AS n FROM assignments
                WHERE project_id = ? AND submitted_at IS NOT NULL GROUP BY 1""",
            (project_id,),
        )
    )


def accepted_by_quarter(store: Store, project_id: int) -> dict[int, int]:
    """Annotations made here, by when they were accepted."""
    at = _QUARTER.format(at=_ACCEPTED_AT)
    rows = store.rows(
        f"SELECT {at} AS quarter, count(*) AS n {_ACCEPTED} AND {_ACCEPTED_AT} IS NOT NULL GROUP BY 1", (project_id,)
    )
    return _counts(rows)


def finished_by_quarter(store: Store, project_id: int) -> dict[int, int]:
    """Texts that came to their end by people's work, by when: at the last submission or decision on them."""
    rows = store.rows(
        f"""SELECT {_QUARTER.format(at="at")} AS quarter, count(*) AS n FROM (SELECT instance_id, max(at) AS at FROM (
                SELECT instance_id, submitted_at AS at FROM assignments WHERE project_id = ?1 AND submitted_at IS NOT NULL
                UNION ALL SELECT instance_id, decided_at FROM rounds WHERE project_id = ?1 AND decided_at IS NOT NULL
                UNION ALL SELECT instance_id, decided_at FROM proposals WHERE project_id = ?1 AND decided_at IS NOT NULL)
                GROUP BY instance_id) AS ended
            JOIN instances ON instances.id = ended.instance_id WHERE instances.state IN ('complete', 'discarded') GROUP BY 1""",
        (project_id,),
    )
    return _counts(rows)


# A person's work since a moment, by the index on times; whoever has any has a count.
_WORK_OF_PEOPLE = """(SELECT DISTINCT user_id FROM assignment_counts WHERE project_id = ?1) AS people
    CROSS JOIN assignments AS work ON work.project_id = ?1 AND work.user_id = people.user_id
        AND coalesce(work.submitted_at, work.created_at) {when} AND work.submitted_at IS NOT NULL"""


def finished_since(store: Store, project_id: int, since: str) -> dict[int, int]:
    """As finished_by_quarter, of the texts whose end lies at or after a moment; what was done before it is not read."""
    rows = store.rows(
        f"""SELECT {_QUARTER.format(at="at")} AS quarter, count(*) AS n FROM (SELECT instance_id, max(at) AS at FROM (
                SELECT instance_id, submitted_at AS at FROM {_WORK_OF_PEOPLE.format(when=">= ?2")}
                UNION ALL SELECT instance_id, decided_at FROM rounds WHERE project_id = ?1 AND decided_at >= ?2
                UNION ALL SELECT instance_id, decided_at FROM proposals WHERE project_id = ?1 AND decided_at >= ?2)
                GROUP BY instance_id) AS ended
            JOIN instances ON instances.id = ended.instance_id WHERE instances.state IN ('complete', 'discarded') GROUP BY 1""",
        (project_id, since),
    )
    return _counts(rows)


def began_before(store: Store, project_id: int, moment: str) -> bool:
    """Whether anything was submitted or decided before a moment."""
    sql = f"""SELECT EXISTS (SELECT 1 FROM {_WORK_OF_PEOPLE.format(when="< ?2")})
        OR EXISTS (SELECT 1 FROM rounds WHERE project_id = ?1 AND decided_at < ?2)
        OR EXISTS (SELECT 1 FROM proposals WHERE project_id = ?1 AND decided_at < ?2)"""
    return bool(store.value(sql, (project_id, moment)))


def submitted_since(store: Store, project_id: int, since: str) -> dict[int, int]:
    """As submitted_by_quarter, from a moment on."""
    at = _QUARTER.format(at="submitted_at")
    sql = f"SELECT {at} AS quarter, count(*) AS n FROM {_WORK_OF_PEOPLE.format(when='>= ?2')} GROUP BY 1"
    return _counts(store.rows(sql, (project_id, since)))


def people_since(store: Store, project_id: int, since: str) -> int:
    """How many people submitted work or reviews at or after a moment."""
    sql = """SELECT count(*) FROM (SELECT user_id FROM memberships WHERE project_id = ?1
            UNION SELECT user_id FROM assignment_counts WHERE project_id = ?1) AS people
        WHERE EXISTS (SELECT 1 FROM assignments AS work WHERE work.project_id = ?1 AND work.user_id = people.user_id
                AND coalesce(work.submitted_at, work.created_at) >= ?2 AND work.submitted_at IS NOT NULL)
            OR (SELECT submitted_at FROM reviews WHERE project_id = ?1 AND reviews.user_id = people.user_id
                AND state = 'submitted' ORDER BY id DESC LIMIT 1) >= ?2"""
    return int(store.value(sql, (project_id, since)))


def _counts(rows: list[Row]) -> dict[int, int]:
    return {row["quarter"]: row["n"] for row in rows}


@dataclass(frozen=True, slots=True)
class KindCount:
    """How many texts of a kind are in a state; kind: of changed versions, "" of others; "queued": open, and free."""

    kind: str
    state: str
    n: int


def kind_counts(store: Store, project_id: int) -> list[KindCount]:
    """Texts by kind of changed version and state."""
    rows = store.rows(
        """SELECT coalesce(perturbation_kind, '') AS kind,
                iif(state = 'open' AND open_slots > 0, 'queued', state) AS state, count(*) AS n
            FROM instances WHERE project_id = ? GROUP BY 1, 2 ORDER BY 1, 2""",
        (project_id,),
    )
    return [KindCount(row["kind"], row["state"], row["n"]) for row in rows]


def last_activity(store: Store, project_id: int) -> dict[str, str]:
    """When each person last did anything in a project: what the record has of them, or a draft that was saved since."""
    rows = store.rows(
        """SELECT name, max(at) AS at FROM (
                SELECT actor AS name, max(at) AS at FROM events WHERE project_id = ?1 GROUP BY actor
                UNION ALL SELECT users.name, max(saved_at) FROM assignments JOIN drafts ON assignment_id = assignments.id
                    JOIN users ON users.id = user_id WHERE project_id = ?1 AND state IN ('leased', 'returned') GROUP BY 1)
            WHERE name IN (SELECT name FROM users) GROUP BY name""",
        (project_id,),
    )
    return {row["name"]: row["at"] for row in rows}
