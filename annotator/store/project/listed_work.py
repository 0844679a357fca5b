"""Annotations that a lead may want to look at: quick ones, without marks, with everything marked, with another label than gold.

Each way gives the annotations alone, by number; what a list shows of them is read for one page at a time.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.store.annotate.excerpts import excerpt_of
from annotator.store.connection.database import Store


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
_STANDING = """FROM annotations AS said JOIN assignments AS work ON work.id = said.assignment_id
    JOIN instances ON instances.id = said.instance_id
    WHERE work.project_id = ?1 AND said.state IN ('submitted', 'accepted') AND instances.state <> 'discarded'
        AND NOT EXISTS (SELECT 1 FROM assignments AS own WHERE own.instance_id = said.instance_id AND own.user_id = ?2
            AND own.state IN ('leased', 'returned') AND said.user_id <> ?2)"""

Authors = dict[int, str]  # by the number of an annotation, who made it


def standing_counts_of(store: Store, project_id: int, viewer_id: int | None) -> dict[str, int]:
    """How many annotations each person has that stand now."""
    rows = store.rows(f"SELECT annotator, count(*) AS n {_STANDING} GROUP BY annotator", (project_id, viewer_id or 0))
    return {row["annotator"]: row["n"] for row in rows}


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
            {_STANDING.replace("WHERE", "JOIN rationale_sets ON annotation_id = said.id WHERE", 1)} AND n_selectable > 1
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
    rows = store.rows(f"SELECT said.id, annotator {_STANDING} {condition} ORDER BY said.id DESC", parameters)
    return {row["id"]: row["annotator"] for row in rows}


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
