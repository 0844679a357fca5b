"""What waits in several projects at once: one question for each kind of thing, none of which reads a whole project."""

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from annotator.domain.jobs import JobKind
from annotator.domain.numbers import by_key
from annotator.store.annotate.instance_queue import HAS_GOLD, wants_more_than_done
from annotator.store.annotate.visibility import annotates, is_new_to, is_not_kept_from, may_be_given, may_still_be_given
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
    return by_key((row["project_id"], (cast("JobKind", row["kind"]), Waiting(row["n"], row["since"]))) for row in rows)


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
    return by_key((row["project_id"], ReturnedText(row["instance_id"], row["key"], row["since"])) for row in rows)


# What nobody may do any more: rounds for which too few reviewers are left, and free texts that can be given to nobody.


_PEOPLE = """SELECT DISTINCT user_id FROM memberships JOIN users ON users.id = user_id
    WHERE memberships.project_id = ?1 AND is_disabled = 0 AND role IN (SELECT value FROM json_each(?2))"""
# Those who annotate the text of a round, or have taken it to score it.
_HAVE_A_PART = """SELECT user_id FROM assignments WHERE assignments.instance_id = rounds.instance_id
        AND assignments.state IN ('leased', 'returned', 'submitted', 'proposed')
    UNION SELECT user_id FROM annotations WHERE annotations.instance_id = rounds.instance_id
        AND annotations.state NOT IN ('withdrawn', 'reference')
    UNION SELECT user_id FROM reviews WHERE reviews.annotation_id = rounds.annotation_id
        AND reviews.state IN ('leased', 'submitted')"""


@dataclass(frozen=True, slots=True)
class ReviewersLeft:
    """Of a round: how many people more it wants, how many may score it now, and how many when they cannot be given the text."""

    wanted: int
    n_now: int
    n_later: int


def rounds_without_reviewers(
    store: Store, project_id: int, reviewing: Sequence[str], *, at_most: int = 10_000
) -> list[int]:
    """The annotations that want more reviewers than are left for them, oldest first, among the first `at_most` that wait."""
    return store.column(
        f"""WITH people AS ({_PEOPLE})
            SELECT annotation_id FROM (SELECT annotation_id, instance_id, open_slots FROM rounds
                    WHERE project_id = ?1 AND open_slots > 0 ORDER BY annotation_id LIMIT ?3) AS rounds
                WHERE open_slots > (SELECT count(*) FROM people)
                    - (SELECT count(*) FROM ({_HAVE_A_PART}) WHERE user_id IN (SELECT user_id FROM people))""",
        (project_id, json.dumps(list(reviewing)), at_most),
    )


def is_without_reviewers(store: Store, project_id: int, annotation_id: int, reviewing: Sequence[str]) -> bool:
    """Whether the open round of one annotation wants more reviewers than are left for it."""
    return store.holds(
        f"""WITH people AS ({_PEOPLE})
                SELECT EXISTS (SELECT 1 FROM rounds WHERE annotation_id = ?3 AND open_slots > (SELECT count(*) FROM people)
                    - (SELECT count(*) FROM ({_HAVE_A_PART}) WHERE user_id IN (SELECT user_id FROM people)))""",
        (project_id, json.dumps(list(reviewing)), annotation_id),
    )


def reviewers_left(
    store: Store, project_id: int, annotation_ids: Sequence[int], reviewing: Sequence[str], annotating: Sequence[str]
) -> dict[int, ReviewersLeft]:
    """Of some rounds, how many people may still score each."""
    still = f"""EXISTS (SELECT 1 FROM memberships WHERE memberships.project_id = ?1 AND memberships.user_id = people.user_id
            AND role IN (SELECT value FROM json_each(?4)))
        AND EXISTS (SELECT 1 FROM instances WHERE instances.id = rounds.instance_id AND {may_still_be_given("people.user_id")})"""
    rows = store.rows(
        f"""WITH people AS ({_PEOPLE})
            SELECT annotation_id, open_slots, count(people.user_id) AS n, coalesce(sum({still}), 0) AS n_later
            FROM rounds LEFT JOIN people ON NOT {annotates("people.user_id", "rounds.instance_id")}
                AND NOT EXISTS (SELECT 1 FROM reviews WHERE reviews.annotation_id = rounds.annotation_id
                    AND reviews.user_id = people.user_id AND reviews.state IN ('leased', 'submitted'))
            WHERE annotation_id IN (SELECT value FROM json_each(?3)) GROUP BY annotation_id, open_slots""",
        (project_id, json.dumps(list(reviewing)), json.dumps(list(annotation_ids)), json.dumps(list(annotating))),
    )
    return {
        row["annotation_id"]: ReviewersLeft(row["open_slots"], row["n"] - row["n_later"], row["n_later"])
        for row in rows
    }


def texts_without_annotators(
    store: Store, project_id: int, annotating: Sequence[str], *, at_most: int = 10_000
) -> list[int]:
    """The free instances that can be given to nobody: all who annotate have done them, saw others' sets, or are not named."""
    return store.column(
        f"""WITH people AS ({_PEOPLE}),
            candidates AS (SELECT DISTINCT instance_id FROM sets_shown WHERE project_id = ?1 AND is_free = 1
                UNION SELECT id FROM instances WHERE project_id = ?1 AND extra_annotators > 0
                UNION SELECT id FROM instances WHERE project_id = ?1 AND named_as = 'only' LIMIT ?3)
            SELECT id FROM candidates CROSS JOIN instances ON instances.id = candidates.instance_id
                WHERE {_FOR_NOBODY} ORDER BY id""",
        (project_id, json.dumps(list(annotating)), at_most),
    )


_FOR_NOBODY = f"""open_slots > 0 AND instances.state = 'open'
    AND NOT EXISTS (SELECT 1 FROM people WHERE {may_be_given("people.user_id")})"""


def texts_for_the_gone(store: Store, project_id: int, annotating: Sequence[str], *, at_most: int = 10_000) -> list[int]:
    """Free instances that are only for people who cannot be given them: who left, is shut out, has done or seen them."""
    return store.column(
        f"""WITH people AS ({_PEOPLE}) SELECT id FROM instances WHERE project_id = ?1 AND named_as = 'only'
            AND {_FOR_NOBODY} ORDER BY id LIMIT ?3""",
        (project_id, json.dumps(list(annotating)), at_most),
    )


# Complete texts that more annotators a text would make incomplete, before anybody asks for them.


_PICKED = """EXISTS (SELECT 1 FROM qualification_items AS items WHERE items.instance_id = instances.id AND is_removed = 0
    AND purpose {condition})"""


@dataclass(frozen=True, slots=True)
class ReopenedTexts:
    """How many complete texts become incomplete; of them: with gold, in training, blind checks, and for nobody who is there."""

    n: int
    n_with_gold: int
    n_training: int
    n_checks: int
    n_for_nobody: int


def reopened_texts(store: Store, project_id: int, annotators: int, annotating: Sequence[str]) -> ReopenedTexts:
    """What wanting so many annotators a text would reopen. annotating: the roles with which one annotates."""
    is_for_somebody = f"""EXISTS (SELECT 1 FROM people WHERE {is_new_to("people.user_id")}
        AND {is_not_kept_from("people.user_id")})"""
    row = store.rows(
        f"""WITH people AS ({_PEOPLE}) SELECT count(*) AS n, coalesce(sum({HAS_GOLD}), 0) AS n_with_gold,
                coalesce(sum({_PICKED.format(condition="<> 'checks'")}), 0) AS n_training,
                coalesce(sum({_PICKED.format(condition="= 'checks'")}), 0) AS n_checks,
                coalesce(sum(NOT {is_for_somebody}), 0) AS n_for_nobody
            FROM instances WHERE project_id = ?1 AND state = 'complete' AND {wants_more_than_done("?3")}""",
        (project_id, json.dumps(list(annotating)), annotators),
    )[0]
    return ReopenedTexts(row["n"], row["n_with_gold"], row["n_training"], row["n_checks"], row["n_for_nobody"])
