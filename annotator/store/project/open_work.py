"""What waits in several projects at once: one question for each kind of thing, none of which reads a whole project."""

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from annotator.domain.jobs import JobKind
from annotator.store.connection.database import Store, iso

_THESE = "IN (SELECT value FROM json_each(?1))"
_FAILED_LATELY = dt.timedelta(days=30)
_MOST_PEOPLE = 20  # of a project


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many of something wait, and since when the oldest does."""

    n: int
    since: str


@dataclass(frozen=True, slots=True)
class QuietPerson:
    """Somebody who has begun or returned work in hand and has done nothing in the project since a moment."""

    name: str
    n_held: int
    since: str


@dataclass(frozen=True, slots=True)
class ReturnedText:
    """A text that came back to its annotator."""

    instance_id: int
    key: str
    since: str


def open_decisions(store: Store, project_ids: Sequence[int]) -> dict[int, Waiting]:
    """Of each project that has some: the proposals that nobody has decided."""
    return _waiting(
        store,
        f"""SELECT project_id, count(*) AS n, min(created_at) AS since FROM proposals
            WHERE state = 'open' AND project_id {_THESE} GROUP BY project_id""",
        project_ids,
    )


def open_questions(store: Store, project_ids: Sequence[int]) -> dict[int, Waiting]:
    """Of each project that has some: the questions that no lead has answered."""
    return _waiting(
        store,
        f"""SELECT project_id, count(*) AS n,
                min((SELECT min(created_at) FROM comments WHERE thread_id = threads.id)) AS since
            FROM threads WHERE waits_for_lead = 1 AND project_id {_THESE} GROUP BY project_id""",
        project_ids,
    )


def _waiting(store: Store, sql: str, project_ids: Sequence[int]) -> dict[int, Waiting]:
    rows = store.rows(sql, (json.dumps(list(project_ids)),))
    return {row["project_id"]: Waiting(row["n"], row["since"]) for row in rows}


def failed_jobs(store: Store, project_ids: Sequence[int]) -> dict[int, list[tuple[JobKind, Waiting]]]:
    """Long work that failed lately and was not asked for again since: by project, and by kind."""
    rows = store.rows(
        f"""SELECT project_id, kind, count(*) AS n, min(ended_at) AS since FROM jobs
            WHERE state = 'failed' AND ended_at >= ?2 AND project_id {_THESE}
            AND NOT EXISTS (SELECT 1 FROM jobs AS later WHERE later.project_id = jobs.project_id AND later.id > jobs.id
                AND later.kind = jobs.kind AND later.title = jobs.title)
            GROUP BY project_id, kind ORDER BY project_id, kind""",
        (json.dumps(list(project_ids)), iso(store.moment() - _FAILED_LATELY)),
    )
    jobs: dict[int, list[tuple[JobKind, Waiting]]] = {}
    for row in rows:
        jobs.setdefault(row["project_id"], []).append((cast("JobKind", row["kind"]), Waiting(row["n"], row["since"])))
    return jobs


# What somebody holds: work that came back, texts they have opened, reviews they have taken. touched: when they last did
# something to it; a returned text's first draft is written by the gate.
_HELD = f"""SELECT work.project_id, work.user_id, work.created_at AS since, max(coalesce(work.first_view_at, ''),
            coalesce(work.first_action_at, ''), coalesce((SELECT saved_at FROM drafts WHERE assignment_id = work.id
                AND (work.state = 'leased' OR revision > 1)), '')) AS touched
        FROM assignment_counts AS counts CROSS JOIN assignments AS work ON work.project_id = counts.project_id
            AND work.user_id = counts.user_id AND work.state = counts.state
        WHERE counts.n > 0 AND counts.state IN ('leased', 'returned') AND counts.project_id {_THESE}
            AND (work.state = 'returned' OR work.first_view_at IS NOT NULL)
    UNION ALL SELECT project_id, user_id, created_at, created_at FROM reviews WHERE state = 'leased' AND project_id {_THESE}"""
_LAST_HANDED_IN = """coalesce((SELECT submitted_at FROM assignments AS done WHERE done.project_id = held.project_id
        AND done.user_id = held.user_id AND done.submitted_at IS NOT NULL
        ORDER BY coalesce(submitted_at, created_at) DESC, id DESC LIMIT 1), '')"""
_LAST_REVIEW = """coalesce((SELECT submitted_at FROM reviews AS done WHERE done.project_id = held.project_id
        AND done.user_id = held.user_id AND done.state = 'submitted' ORDER BY id DESC LIMIT 1), '')"""


def quiet_people(store: Store, project_ids: Sequence[int], before: str) -> dict[int, list[QuietPerson]]:
    """Who holds work and has done nothing since `before`: by project, the longest quiet first, twenty of each.

    What came to somebody later than that does not count: they have not had the time.
    """
    rows = store.rows(
        f"""SELECT project_id, users.name AS name, n, since FROM (
                SELECT project_id, user_id, n, max(since, touched, {_LAST_HANDED_IN}, {_LAST_REVIEW}) AS since
                FROM (SELECT project_id, user_id, count(*) AS n, min(since) AS since, max(touched) AS touched
                    FROM ({_HELD}) GROUP BY project_id, user_id) AS held) AS quiet
            JOIN users ON users.id = user_id WHERE since < ?2 AND is_disabled = 0 ORDER BY project_id, since""",
        (json.dumps(list(project_ids)), before),
    )
    people: dict[int, list[QuietPerson]] = {}
    for row in rows:
        of_project = people.setdefault(row["project_id"], [])
        if len(of_project) < _MOST_PEOPLE:
            of_project.append(QuietPerson(row["name"], row["n"], row["since"]))
    return people


def returned_texts(
    store: Store, project_ids: Sequence[int], user_id: int, *, at_most: int
) -> dict[int, list[ReturnedText]]:
    """The texts that came back to somebody: by project, the oldest first, so many of each."""
    rows = store.rows(
        f"""SELECT * FROM (SELECT assignments.project_id, instance_id, instances.key AS key, created_at AS since,
                row_number() OVER (PARTITION BY assignments.project_id ORDER BY assignments.id) AS position
                FROM assignments JOIN instances ON instances.id = instance_id
                WHERE user_id = ?2 AND assignments.state = 'returned' AND assignments.project_id {_THESE})
            WHERE position <= ?3 ORDER BY project_id, position""",
        (json.dumps(list(project_ids)), user_id, at_most),
    )
    texts: dict[int, list[ReturnedText]] = {}
    for row in rows:
        texts.setdefault(row["project_id"], []).append(ReturnedText(row["instance_id"], row["key"], row["since"]))
    return texts
