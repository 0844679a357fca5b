"""What each person did within a stretch of time: texts, tokens and working time, to be paid by."""

from annotator.domain.numbers import natural_order
from annotator.domain.project.recruitment import PaidWork
from annotator.store.connection.database import Store

# Time on texts that were skipped or ended without a submission is work too; it lies where somebody first saw the text, since
# nothing later is kept of it. What is in somebody's hands, or went on to others, counts once it is submitted.
_ANNOTATED = """SELECT name, sum(is_submitted AND follows_id IS NULL) AS n_submitted,
        sum(is_submitted AND follows_id IS NOT NULL) AS n_corrected,
        sum(iif(is_submitted AND follows_id IS NULL, n_tokens, 0)) AS tokens_submitted, sum(active_ms) AS active_ms,
        sum(is_submitted AND active_ms = 0) AS n_untimed
    FROM (SELECT user_id, instance_id, follows_id, active_ms, 1 AS is_submitted FROM assignments
            WHERE project_id = ?1 AND submitted_at >= ?2 AND submitted_at < ?3
        UNION ALL SELECT user_id, instance_id, follows_id, active_ms, 0 FROM assignments
            WHERE project_id = ?1 AND submitted_at IS NULL AND state IN ('skipped', 'ended')
                AND coalesce(first_view_at, created_at) >= ?2 AND coalesce(first_view_at, created_at) < ?3) AS work
    JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id GROUP BY name"""
# A text is accepted once for a person: with the first of their annotations of it that was.
_ACCEPTED = """SELECT name, count(*) AS n_accepted, sum(n_tokens) AS tokens_accepted FROM (
        SELECT work.user_id, work.instance_id, min(coalesce(rounds.decided_at, work.submitted_at)) AS at
        FROM annotations AS said JOIN assignments AS work ON work.id = said.assignment_id
        LEFT JOIN rounds ON rounds.annotation_id = said.id
        WHERE work.project_id = ?1 AND said.state = 'accepted' GROUP BY 1, 2) AS accepted
    JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id
    WHERE at >= ?2 AND at < ?3 GROUP BY name"""
_REVIEWED = """SELECT name, sum(reviews.state = 'submitted') AS n_reviewed,
        sum(iif(reviews.state = 'submitted', n_tokens, 0)) AS tokens_reviewed, sum(active_ms) AS active_ms,
        sum(reviews.state = 'submitted' AND active_ms = 0) AS n_untimed
    FROM reviews JOIN annotations ON annotations.id = annotation_id JOIN instances ON instances.id = instance_id
    JOIN users ON users.id = reviews.user_id
    WHERE reviews.project_id = ?1 AND ((reviews.state = 'submitted' AND submitted_at >= ?2 AND submitted_at < ?3)
        OR (reviews.state IN ('skipped', 'ended') AND reviews.created_at >= ?2 AND reviews.created_at < ?3))
    GROUP BY name"""


def paid_work(store: Store, project_id: int, since: str, until: str) -> list[PaidWork]:
    """Annotators, then reviewers, by name, of what was submitted (accepted) at `since` or later and before `until`."""
    within = (project_id, since, until)
    numbers_by_name: dict[str, dict[str, int]] = {}
    for sql in (_ANNOTATED, _ACCEPTED):
        for row in store.rows(sql, within):
            numbers = {key: row[key] for key in row.keys() if key != "name"}  # noqa: SIM118  (a row is no mapping)
            numbers_by_name.setdefault(row["name"], {}).update(numbers)
    annotated = [
        PaidWork(name, "annotator", **numbers_by_name[name]) for name in sorted(numbers_by_name, key=natural_order)
    ]
    reviewed = [
        PaidWork(
            row["name"], "reviewer", n_reviewed=row["n_reviewed"], tokens_reviewed=row["tokens_reviewed"],
            active_ms=row["active_ms"], n_untimed=row["n_untimed"],
        )
        for row in store.rows(_REVIEWED, within)
    ]  # fmt: skip
    return [*annotated, *sorted(reviewed, key=lambda work: natural_order(work.person))]
