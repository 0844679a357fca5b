"""Slices of a project's instances as conditions, with counts, and pairs of originals and versions."""

from typing import NamedTuple

from annotator.domain.measurements import Slice
from annotator.store.connection.database import Store

NAME_OF_ANNOTATOR = "annotator"  # in an instance's metadata, beside what the file says of them
_TEXT_OF = "CASE {row}.type WHEN 'true' THEN 'true' WHEN 'false' THEN 'false' ELSE CAST({row}.value AS TEXT) END"
_SCALARS = "{row}.type IN ('text', 'integer', 'real', 'true', 'false')"


def fact_text(row: str) -> str:
    """The text of a value in JSON, as an expression; row: what json_each gave."""
    return _TEXT_OF.format(row=row)


def is_scalar(row: str) -> str:
    """Whether a value in JSON is a text, a number or a yes or no, as a condition."""
    return _SCALARS.format(row=row)


def annotators_of(instances: str) -> str:
    """What an instance's file says of its annotators, as rows `fact` with key and value, in a FROM clause."""
    of_one = "CASE annotator.type WHEN 'object' THEN annotator.value ELSE '{}' END"
    return f"json_each({instances}.metadata, '$.annotations') AS annotator, json_each({of_one}) AS fact"


def conditions_of(wanted: Slice) -> tuple[list[str], list[object]]:
    """The conditions on `instances`, and their values in order."""
    conditions: list[str] = []
    values: list[object] = []

    def add(condition: str, *given: object) -> None:
        conditions.append(condition)
        values.extend(given)

    if wanted.is_unlabelled:
        add("instances.result IS NULL")
    if wanted.label is not None:
        add("instances.result = ?", wanted.label)
    if wanted.split is not None:
        add("instances.split = ?", wanted.split)
    if wanted.length is not None:
        add("instances.n_selectable BETWEEN ? AND ?", *wanted.length)
    if wanted.fact is not None:
        add(
            f"""EXISTS (SELECT 1 FROM json_each(instances.metadata) AS fact
                WHERE fact.key = ? AND {is_scalar("fact")} AND {fact_text("fact")} = ?)""",
            *wanted.fact,
        )
    if wanted.group is not None:
        add(
            f"""EXISTS (SELECT 1 FROM {annotators_of("instances")}
                WHERE fact.key = ? AND fact.key <> '{NAME_OF_ANNOTATOR}'
                AND {is_scalar("fact")} AND {fact_text("fact")} = ?)""",
            *wanted.group,
        )
    return conditions, values


# Originals with their perturbed versions.


def is_version_of(changed: str, original: str) -> str:
    """Whether one instance is a changed version of another, as a condition; the two are names of rows of `instances`.

    Keys may repeat between splits: the original is the one of the version's own split, else the first one of its key.
    """
    near = f"near.project_id = {changed}.project_id AND near.key = {changed}.parent_key"
    return f"""({changed}.project_id = {original}.project_id AND {changed}.parent_key = {original}.key
        AND {original}.id = coalesce(
        (SELECT near.id FROM instances AS near WHERE {near} AND near.split = {changed}.split),
        (SELECT near.id FROM instances AS near WHERE {near} ORDER BY +near.id LIMIT 1)))"""


_ORIGINAL = """SELECT i.id FROM instances AS i
    WHERE i.project_id = c.project_id AND i.key = c.parent_key AND i.state <> 'discarded'"""


class Pair(NamedTuple):
    """An original and one changed version of it, neither of them discarded; kind "perturbed" where none was said."""

    original_id: int
    original_key: str
    changed_id: int
    changed_key: str
    kind: str


def pairs_of(store: Store, project_id: int, split: str | None = None) -> list[Pair]:
    """All pairs of a project (split: of changed versions in it), by original; an original of the same split is preferred."""
    rows = store.rows(
        f"""SELECT o.id, o.key, c.id, c.key, coalesce(c.perturbation_kind, 'perturbed')
            FROM instances AS c JOIN instances AS o ON o.id = coalesce(
                ({_ORIGINAL} AND i.split = c.split), ({_ORIGINAL} ORDER BY +i.id LIMIT 1))
            WHERE c.project_id = ?1 AND c.parent_key IS NOT NULL AND c.state <> 'discarded' AND (?2 IS NULL OR c.split = ?2)
            ORDER BY o.id, c.id""",
        (project_id, split),
    )
    return [Pair(*row) for row in rows]


def answered_labels(store: Store, run_id: int) -> dict[int, str]:
    """The label that a run answers to the full input, by instance."""
    return store.mapping("SELECT instance_id, label FROM predictions WHERE run_id = ? AND input = 'full'", (run_id,))
