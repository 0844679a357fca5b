"""What the instances that a question lists are like, counted: what slices are made of."""

from collections import Counter
from dataclasses import dataclass, replace

from annotator.domain.measurements import Question, Slice
from annotator.store.connection.database import Store
from annotator.store.measurements import asked_rows
from annotator.store.slices import NAME_OF_ANNOTATOR, annotators_of, fact_text, is_scalar


@dataclass(frozen=True, slots=True)
class SlicedKind:
    """What instances have in common: label, split, tokens that can be marked, and values of one fact and of their annotators.

    members: the different values as a JSON list, since an instance has several annotators
    """

    label: str | None
    split: str
    length: int
    fact: str | None
    members: str | None


def count_kinds(store: Store, question: Question, fact: str, group: str) -> dict[SlicedKind, int]:
    """How many of each kind a question lists, whatever slice it asks for; fact, group: names, "" for none.

    One pass over the instances: what is in them as JSON is read once for all counts.
    """
    source, where, values = asked_rows(replace(question, within=Slice()))
    rows = store.rows(
        f"""SELECT instances.result, instances.split, instances.n_selectable,
            {_fact() if fact else "NULL"} AS fact, {_members() if group else "NULL"} AS members {source} WHERE {where}""",
        [*([fact] if fact else []), *([group] if group else []), *values],
    )
    return {SlicedKind(*kind): n for kind, n in Counter(map(tuple, rows)).items()}


def _fact() -> str:
    return f"""(SELECT {fact_text("fact")} FROM json_each(instances.metadata) AS fact
        WHERE fact.key = ? AND {is_scalar("fact")})"""


def _members() -> str:
    return f"""(SELECT json_group_array(DISTINCT {fact_text("fact")}) FROM {annotators_of("instances")}
        WHERE fact.key = ? AND fact.key <> '{NAME_OF_ANNOTATOR}' AND {is_scalar("fact")})"""


def all_lengths(store: Store, project_id: int) -> list[tuple[int, int]]:
    """(tokens that can be marked, how many instances) of a project, shortest first."""
    rows = store.rows(
        """SELECT n_selectable, count(*) AS n FROM instances WHERE project_id = ? AND state <> 'discarded'
            GROUP BY 1 ORDER BY 1""",
        (project_id,),
    )
    return [(row["n_selectable"], row["n"]) for row in rows]


def fact_names(store: Store, project_id: int) -> list[str]:
    """The names in the metadata of a project's instances whose values are texts, numbers, yes or no."""
    rows = store.rows(
        f"""SELECT DISTINCT fact.key AS name FROM instances, json_each(instances.metadata) AS fact
            WHERE instances.project_id = ? AND instances.metadata <> '{{}}' AND {is_scalar("fact")} ORDER BY 1""",
        (project_id,),
    )
    return [row["name"] for row in rows]


def group_names(store: Store, project_id: int) -> list[str]:
    """The names of what files say of the annotators of a project's instances, besides who they are."""
    rows = store.rows(
        f"""SELECT DISTINCT fact.key AS name FROM instances, {annotators_of("instances")}
            WHERE instances.project_id = ? AND instances.metadata <> '{{}}'
            AND fact.key <> '{NAME_OF_ANNOTATOR}' AND {is_scalar("fact")} ORDER BY 1""",
        (project_id,),
    )
    return [row["name"] for row in rows]
