"""Originals with their perturbed versions."""

from typing import NamedTuple

from annotator.store.connection.database import Store


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
    rows = store.rows("SELECT instance_id, label FROM predictions WHERE run_id = ? AND input = 'full'", (run_id,))
    return {row["instance_id"]: row["label"] for row in rows}
