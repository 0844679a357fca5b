"""Counts of work by the quarter of an hour in which it was done, by kind of text, and by person; made in SQL, never text by text.

A quarter of an hour is what the days of every time zone are made of (review/progress.py).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator.domain.numbers import natural_order
from annotator.domain.project.recruitment import PaidWork
from annotator.store.annotate.my_work import excerpt_of
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
    return store.holds(sql, (project_id, moment))


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
    return store.number(sql, (project_id, since))


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
    """When each person last did anything in a project: by the record, a comment, or a draft saved since."""
    return store.mapping(
        """SELECT name, max(at) AS at FROM (
                SELECT actor AS name, max(at) AS at FROM events WHERE project_id = ?1 GROUP BY actor
                UNION ALL SELECT author, max(created_at) FROM comments JOIN threads ON threads.id = thread_id
                    WHERE project_id = ?1 GROUP BY author
                UNION ALL SELECT users.name, max(saved_at) FROM assignments JOIN drafts ON assignment_id = assignments.id
                    JOIN users ON users.id = user_id WHERE project_id = ?1 AND state IN ('leased', 'returned') GROUP BY 1)
            WHERE name IN (SELECT name FROM users) GROUP BY name""",
        (project_id,),
    )


# How far people are, for the lead: how each one's texts stand, who reviewed how much, and when texts were finished.


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

    Standings: leased, submitted (not decided), accepted, returned, skipped, held (waits for the lead), discarded. last_at
    is of all their work on these texts: what came back was submitted too.
    """
    rows = store.rows(
        f"""SELECT name, {_STANDING} AS standing, count(*) AS n, max((SELECT max(submitted_at) FROM assignments AS ever
                WHERE ever.instance_id = work.instance_id AND ever.user_id = work.user_id)) AS last_at
            FROM assignments AS work JOIN instances ON instances.id = work.instance_id JOIN users ON users.id = work.user_id
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
    return store.number(sql, (project_id, since, until))


def finished_between(store: Store, project_id: int, since: str, until: str) -> int:
    """How many texts came to their end in that time by people's work: the last submission or decision on them lies in it."""
    sql = """SELECT count(*) FROM (SELECT instance_id, max(at) AS at FROM (
            SELECT instance_id, submitted_at AS at FROM assignments WHERE project_id = ?1 AND submitted_at > ?2
            UNION ALL SELECT instance_id, decided_at FROM rounds WHERE project_id = ?1 AND decided_at > ?2
            UNION ALL SELECT instance_id, decided_at FROM proposals WHERE project_id = ?1 AND decided_at > ?2)
            GROUP BY instance_id) AS ended
        JOIN instances ON instances.id = ended.instance_id WHERE instances.state IN ('complete', 'discarded') AND at <= ?3"""
    return store.number(sql, (project_id, since, until))


# How long people worked on each text that they submitted, in the order in which each of them submitted.


@dataclass(frozen=True, slots=True)
class TimedWork:
    """A first submission of somebody's for a text; corrections, which begin with sets that are there, are none.

    position:  the how-manieth first submission of this person in the project, from 1
    active_ms: working time without pauses; 0 where it is not known
    """

    person: str
    position: int
    active_ms: int
    n_tokens: int


def timed_work(store: Store, project_id: int) -> Iterator[TimedWork]:
    """Everybody's, one after the other."""
    rows = store.iterate(
        """SELECT name, row_number() OVER (PARTITION BY user_id ORDER BY submitted_at, work.id) AS position, active_ms, n_tokens
            FROM assignments AS work JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id
            WHERE work.project_id = ? AND submitted_at IS NOT NULL AND follows_id IS NULL""",
        (project_id,),
    )
    for row in rows:
        yield TimedWork(row["name"], row["position"], row["active_ms"], row["n_tokens"])


# Annotations that a lead may want to look at: quick ones, without marks, with everything marked, with another label than gold.


@dataclass(frozen=True, slots=True)
class ListedAnnotation:
    """What a list shows of an annotation. active_ms: 0 where it is not known; gold: the text's own result, or None."""

    annotation_id: int
    instance_id: int
    key: str
    excerpt: str
    annotator: str
    active_ms: int
    n_tokens: int
    result: str | None
    gold: str | None


# What stands now and was made here. A text that the viewer has in hand is left out, so that they mark it without knowing.
_COUNTED = """FROM annotations AS said JOIN assignments AS work ON work.id = said.assignment_id
    JOIN instances ON instances.id = said.instance_id
    WHERE work.project_id = ?1 AND said.state IN ('submitted', 'accepted') AND instances.state <> 'discarded'
        AND NOT EXISTS (SELECT 1 FROM assignments AS own WHERE own.instance_id = said.instance_id AND own.user_id = ?2
            AND own.state IN ('leased', 'returned') AND said.user_id <> ?2)"""

Authors = dict[int, str]  # by the number of an annotation, who made it


def standing_counts_of(store: Store, project_id: int, viewer_id: int | None) -> dict[str, int]:
    """How many annotations each person has that stand now."""
    return store.mapping(f"SELECT annotator, count(*) AS n {_COUNTED} GROUP BY annotator", (project_id, viewer_id or 0))


def quick_annotations(store: Store, project_id: int, viewer_id: int | None, ms_per_token: float) -> Authors:
    """First submissions whose known time is below so much a token; a correction is quick by its nature."""
    return _authors(
        store, "AND follows_id IS NULL AND active_ms > 0 AND active_ms < ?3 * n_tokens",
        (project_id, viewer_id or 0, ms_per_token),
    )  # fmt: skip


def empty_annotations(store: Store, project_id: int, viewer_id: int | None) -> Authors:
    """Those without a set."""
    return _authors(
        store, "AND NOT EXISTS (SELECT 1 FROM rationale_sets WHERE annotation_id = said.id)",
        (project_id, viewer_id or 0),
    )  # fmt: skip


def full_annotations(store: Store, project_id: int, viewer_id: int | None) -> Authors:
    """Those whose sets together hold every token that can be marked, of texts with two or more of them."""
    rows = store.rows(
        f"""SELECT said.id, annotator, n_selectable, json_group_array(json(spans)) AS sets
            {_COUNTED.replace("WHERE", "JOIN rationale_sets ON annotation_id = said.id WHERE", 1)} AND n_selectable > 1
            GROUP BY said.id HAVING sum((SELECT sum((value ->> 1) - (value ->> 0)) FROM json_each(spans))) >= n_selectable""",
        (project_id, viewer_id or 0),
    )
    return {row["id"]: row["annotator"] for row in rows if _n_marked(row["sets"]) == row["n_selectable"]}


def _n_marked(sets: str) -> int:
    return len({token for spans in json.loads(sets) for start, end in spans for token in range(start, end)})


def other_results(store: Store, project_id: int, viewer_id: int | None) -> Authors:
    """Those with another result than the text's own."""
    return _authors(store, "AND said.result <> instances.result", (project_id, viewer_id or 0))


def _authors(store: Store, condition: str, parameters: Sequence[object]) -> Authors:
    return store.mapping(f"SELECT said.id, annotator {_COUNTED} {condition} ORDER BY said.id DESC", parameters)


def listed_annotations(store: Store, project_id: int, annotation_ids: Sequence[int]) -> list[ListedAnnotation]:
    """What a list shows of some annotations, in their order."""
    rows = store.rows(
        f"""SELECT said.id, said.instance_id, instances.key, {excerpt_of("instances.id")} AS excerpt, annotator, active_ms,
                n_tokens, said.result, instances.result AS gold
            FROM json_each(?) AS wanted JOIN annotations AS said ON said.id = wanted.value
            JOIN instances ON instances.id = said.instance_id JOIN assignments AS work ON work.id = said.assignment_id
            WHERE work.project_id = ? ORDER BY wanted.key""",
        (json.dumps(list(annotation_ids)), project_id),
    )
    return [ListedAnnotation(*row) for row in rows]


# What each person did within a stretch of time: texts, tokens and working time, to be paid by.


# Time on texts that were skipped or ended without a submission is work too; it lies where somebody first saw the text, since
# nothing later is kept of it. What is in somebody's hands, or went on to others, counts once it is submitted. A blind check looks
# like any text to whoever answers it, and is paid like one.
_CHECKED = "FROM exercises WHERE project_id = ?1 AND attempt_id IS NULL AND state IN ('answered', 'done')"
_ANNOTATED = f"""SELECT name, sum(is_submitted AND follows_id IS NULL) AS n_submitted,
        sum(is_submitted AND follows_id IS NOT NULL) AS n_corrected,
        sum(iif(is_submitted AND follows_id IS NULL, n_tokens, 0)) AS tokens_submitted, sum(active_ms) AS active_ms,
        sum(is_submitted AND active_ms = 0) AS n_untimed
    FROM (SELECT user_id, instance_id, follows_id, active_ms, 1 AS is_submitted FROM assignments
            WHERE project_id = ?1 AND submitted_at >= ?2 AND submitted_at < ?3
        UNION ALL SELECT user_id, instance_id, NULL, active_ms, 1 {_CHECKED} AND answered_at >= ?2 AND answered_at < ?3
        UNION ALL SELECT user_id, instance_id, follows_id, active_ms, 0 FROM assignments
            WHERE project_id = ?1 AND submitted_at IS NULL AND state IN ('skipped', 'ended')
                AND coalesce(first_view_at, created_at) >= ?2 AND coalesce(first_view_at, created_at) < ?3) AS work
    JOIN instances ON instances.id = instance_id JOIN users ON users.id = user_id GROUP BY name"""
# A text is accepted once for a person: with the first of their annotations of it that was.
_ACCEPTED_WORK = f"""SELECT name, count(*) AS n_accepted, sum(n_tokens) AS tokens_accepted FROM (
        SELECT work.user_id, work.instance_id, min(coalesce(rounds.decided_at, work.submitted_at)) AS at
        FROM annotations AS said JOIN assignments AS work ON work.id = said.assignment_id
        LEFT JOIN rounds ON rounds.annotation_id = said.id
        WHERE work.project_id = ?1 AND said.state = 'accepted' GROUP BY 1, 2
        UNION ALL SELECT user_id, instance_id, answered_at {_CHECKED}) AS accepted
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
    for sql in (_ANNOTATED, _ACCEPTED_WORK):
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
