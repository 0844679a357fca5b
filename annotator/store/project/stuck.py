"""What nobody may do any more: rounds for which too few reviewers are left, and free texts that can be given to nobody.

Per text one is annotator or reviewer, so a small team can come to an end before its work does. Only leads ask. A round costs its
few annotators and reviewers, and of the texts only those are looked at that were shown to somebody.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.store.annotate.shown_sets import annotates, may_be_given, may_still_be_given
from annotator.store.connection.database import Store

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
    rows = store.rows(
        f"""WITH people AS ({_PEOPLE})
            SELECT annotation_id FROM (SELECT annotation_id, instance_id, open_slots FROM rounds
                    WHERE project_id = ?1 AND open_slots > 0 ORDER BY annotation_id LIMIT ?3) AS rounds
                WHERE open_slots > (SELECT count(*) FROM people)
                    - (SELECT count(*) FROM ({_HAVE_A_PART}) WHERE user_id IN (SELECT user_id FROM people))""",
        (project_id, json.dumps(list(reviewing)), at_most),
    )
    return [row["annotation_id"] for row in rows]


def is_without_reviewers(store: Store, project_id: int, annotation_id: int, reviewing: Sequence[str]) -> bool:
    """Whether the open round of one annotation wants more reviewers than are left for it."""
    return bool(
        store.value(
            f"""WITH people AS ({_PEOPLE})
                SELECT EXISTS (SELECT 1 FROM rounds WHERE annotation_id = ?3 AND open_slots > (SELECT count(*) FROM people)
                    - (SELECT count(*) FROM ({_HAVE_A_PART}) WHERE user_id IN (SELECT user_id FROM people)))""",
            (project_id, json.dumps(list(reviewing)), annotation_id),
        )
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
    rows = store.rows(
        f"""WITH people AS ({_PEOPLE}),
            candidates AS (SELECT DISTINCT instance_id FROM sets_shown WHERE project_id = ?1 AND is_free = 1
                UNION SELECT id FROM instances WHERE project_id = ?1 AND extra_annotators > 0
                UNION SELECT id FROM instances WHERE project_id = ?1 AND named_as = 'only' LIMIT ?3)
            SELECT id FROM candidates CROSS JOIN instances ON instances.id = candidates.instance_id
                WHERE {_FOR_NOBODY} ORDER BY id""",
        (project_id, json.dumps(list(annotating)), at_most),
    )
    return [row["id"] for row in rows]


_FOR_NOBODY = f"""open_slots > 0 AND instances.state = 'open'
    AND NOT EXISTS (SELECT 1 FROM people WHERE {may_be_given("people.user_id")})"""


def texts_for_the_gone(store: Store, project_id: int, annotating: Sequence[str], *, at_most: int = 10_000) -> list[int]:
    """Free instances that are only for people who cannot be given them: who left, is shut out, has done or seen them."""
    rows = store.rows(
        f"""WITH people AS ({_PEOPLE}) SELECT id FROM instances WHERE project_id = ?1 AND named_as = 'only'
            AND {_FOR_NOBODY} ORDER BY id LIMIT ?3""",
        (project_id, json.dumps(list(annotating)), at_most),
    )
    return [row["id"] for row in rows]
