"""Who annotated how much, counted over a project: what a file brought, and on how many texts several people worked."""

import json
from collections.abc import Iterable

from annotator.domain.instances import Accepted
from annotator.store.annotate.instance_queue import IS_TIED
from annotator.store.connection.database import Store

_OF_PROJECT = """FROM annotations JOIN instances ON instances.id = instance_id
    WHERE project_id = ? AND instances.state <> 'discarded'"""


def accepted_of(store: Store, project_id: int) -> Accepted:
    """How many annotations are accepted, on how many texts, and how many on one of them."""
    row = store.rows(
        f"""SELECT coalesce(sum(n), 0) AS n_annotations, count(*) AS n_instances, coalesce(sum(n > 1), 0) AS n_several,
                coalesce(max(n), 0) AS most
            FROM (SELECT count(*) AS n {_OF_PROJECT} AND annotations.state = 'accepted' GROUP BY instance_id)""",
        (project_id,),
    )[0]
    n_other, n_tied = count_of_other_results(store, project_id), count_of_ties(store, project_id)
    return Accepted(row["n_annotations"], row["n_instances"], row["n_several"], row["most"], n_other, n_tied)


def count_of_ties(store: Store, project_id: int, split: str | None = None) -> int:
    """Texts without a result of their own whose accepted annotations give several as often, where nobody chose the gold."""
    n: int = store.rows(
        f"""SELECT count(*) AS n FROM instances WHERE project_id = ? AND state <> 'discarded'
                AND (? IS NULL OR split = ?) AND {IS_TIED}""",
        (project_id, split, split),
    )[0]["n"]
    return n


def count_of_other_results(store: Store, project_id: int, split: str | None = None) -> int:
    """Accepted annotations with another result than the text's own, or than most of those of a text that has none.

    Where several are given as often, none is gold's, and all of them are others.
    """
    row = store.rows(
        f"""SELECT coalesce(sum(n_given - n_of_gold), 0) AS n_other FROM (
                SELECT sum(n) AS n_given, CASE WHEN own IS NOT NULL THEN coalesce(sum(n) FILTER (WHERE given = own), 0)
                    WHEN sum(n = most) = 1 THEN most ELSE 0 END AS n_of_gold
                FROM (SELECT instance_id, instances.result AS own, annotations.result AS given, count(*) AS n,
                        max(count(*)) OVER (PARTITION BY instance_id) AS most {_OF_PROJECT}
                        AND annotations.state = 'accepted' AND annotations.result IS NOT NULL AND (? IS NULL OR split = ?)
                    GROUP BY instance_id, given)
                GROUP BY instance_id)""",
        (project_id, split, split),
    )[0]
    n: int = row["n_other"]
    return n


def label_votes(store: Store, instance_ids: Iterable[int]) -> dict[int, dict[str, int]]:
    """How many annotators that came with files gave each label, by instance; not what people said here."""
    votes: dict[int, dict[str, int]] = {}
    for row in store.rows(
        """SELECT instance_id, result, count(*) AS n FROM annotations
            WHERE instance_id IN (SELECT value FROM json_each(?)) AND result IS NOT NULL AND user_id IS NULL
                AND state IN ('accepted', 'draft', 'reference') GROUP BY instance_id, result""",
        (json.dumps(list(instance_ids)),),
    ):
        votes.setdefault(row["instance_id"], {})[row["result"]] = row["n"]
    return votes


def imported_counts(store: Store, project_id: int) -> dict[str, int]:
    """Annotations that came with a file, by the name of their annotator; not those that people made here."""
    rows = store.rows(
        f"""SELECT annotator, count(*) AS n {_OF_PROJECT} AND user_id IS NULL
                AND annotations.state IN ('accepted', 'draft', 'reference')
                AND NOT EXISTS (SELECT 1 FROM gold_choices WHERE annotation_id = annotations.id AND is_adjudicated = 1)
            GROUP BY annotator ORDER BY n DESC, annotator""",
        (project_id,),
    )
    return {row["annotator"]: row["n"] for row in rows}


def annotator_names(store: Store, project_id: int) -> list[str]:
    """The names of all who annotated something of a project, people and sources."""
    rows = store.rows(
        """SELECT DISTINCT annotator FROM annotations JOIN instances ON instances.id = instance_id
            WHERE project_id = ? AND annotations.state NOT IN ('draft', 'withdrawn') ORDER BY annotator""",
        (project_id,),
    )
    return [row["annotator"] for row in rows]
