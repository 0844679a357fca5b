"""Searching a project's instances: one pass over its texts, which are folded as they are read.

There is no index to keep true: folding 20,000 texts of 200 tokens takes 120 ms (docs/decisions/0076).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.domain.project.search import Search, SearchedPart
from annotator.store.annotate.visibility import is_at_work_on
from annotator.store.connection.database import Store
from annotator.store.instances import InstanceRow, rows_of

# Each part: where it stands, as rows of (instance_id, words). What people wrote is closed to whoever is at work on the text,
# and what reviewers wrote to whoever is still to score the annotation.
_PARTS: dict[SearchedPart, str] = {
    "text": """SELECT segments.instance_id AS instance_id, text AS words FROM documents
        JOIN segments ON segments.document_id = documents.id WHERE documents.project_id = :project""",
    "key": "SELECT id AS instance_id, key AS words FROM instances WHERE project_id = :project",
    "note": f"""SELECT annotations.instance_id AS instance_id, note AS words FROM annotations
        JOIN instances ON instances.id = annotations.instance_id WHERE project_id = :project AND note <> ''
        AND annotations.state <> 'draft' AND NOT {is_at_work_on(":reader")}""",
    "review": f"""SELECT annotations.instance_id AS instance_id, said.comment AS words
        FROM (SELECT id AS review_id, comment FROM reviews WHERE project_id = :project AND comment <> ''
            UNION ALL SELECT review_id, scores.comment FROM scores JOIN reviews ON reviews.id = review_id
                WHERE project_id = :project AND scores.comment <> '') AS said
        JOIN reviews ON reviews.id = said.review_id JOIN annotations ON annotations.id = annotation_id
        JOIN instances ON instances.id = annotations.instance_id
        WHERE reviews.state = 'submitted' AND NOT {is_at_work_on(":reader")}
        AND NOT EXISTS (SELECT 1 FROM reviews AS own WHERE own.annotation_id = annotations.id
            AND own.user_id = :reader AND own.state IN ('leased', 'skipped', 'expired'))""",
    "comment": f"""SELECT threads.instance_id AS instance_id, comments.text AS words FROM threads
        JOIN comments ON comments.thread_id = threads.id JOIN instances ON instances.id = threads.instance_id
        WHERE threads.project_id = :project AND NOT {is_at_work_on(":reader")}""",
}
_HOLDS = "instr(folded(words), :words) > 0"
# The texts themselves are looked at once each, however many instances show them.
_TEXTS = """SELECT segments.instance_id FROM documents JOIN segments ON segments.document_id = documents.id
    WHERE documents.project_id = :project AND instr(folded(text), :words) > 0"""


@dataclass(frozen=True, slots=True)
class PartWords:
    """Words of an instance in which something was found."""

    instance_id: int
    part: SearchedPart
    words: str


def find_page(
    store: Store, project_id: int, reader_id: int, search: Search, *, limit: int, offset: int
) -> tuple[list[InstanceRow], int]:
    """One page of what is found, in the order of import, and how many there are; one pass for both.

    reader_id: whoever looks, whose own work closes some of it to them; 0 for nobody who annotates
    """
    where, values = _conditions(project_id, reader_id, search)
    rows = store.rows(
        f"""SELECT id, count(*) OVER () AS n FROM instances WHERE {where} ORDER BY id LIMIT :limit OFFSET :offset""",
        {**values, "limit": limit, "offset": offset},
    )
    if not rows and offset:
        return [], store.number(f"SELECT count(*) FROM instances WHERE {where}", values)
    return rows_of(store, [row["id"] for row in rows]), rows[0]["n"] if rows else 0


def find_ids(store: Store, project_id: int, reader_id: int, search: Search) -> list[int]:
    """The numbers of all that is found, in the order of import."""
    where, values = _conditions(project_id, reader_id, search)
    return [row["id"] for row in store.rows(f"SELECT id FROM instances WHERE {where} ORDER BY id", values)]


def words_found(
    store: Store, project_id: int, reader_id: int, search: Search, instance_ids: Sequence[int]
) -> list[PartWords]:
    """What of some instances holds the words, text before notes."""
    words: list[PartWords] = []
    _, values = _conditions(project_id, reader_id, search)
    numbers = ",".join(str(int(number)) for number in instance_ids)
    for part in search.parts:
        wanted = _of_instances(part, numbers)
        rows = store.rows(f"SELECT instance_id, words FROM ({wanted}) WHERE {_HOLDS}", values)
        words += [PartWords(row["instance_id"], part, row["words"]) for row in rows]
    return words


def _of_instances(part: SearchedPart, numbers: str) -> str:
    """A part of some instances alone, found by their numbers and not by reading the project."""
    if part == "text":
        return f"""SELECT segments.instance_id AS instance_id, text AS words FROM segments
            JOIN documents ON documents.id = document_id WHERE segments.instance_id IN ({numbers})"""
    if part == "key":
        return f"SELECT id AS instance_id, key AS words FROM instances WHERE id IN ({numbers})"
    column = "threads.instance_id" if part == "comment" else "annotations.instance_id"
    return f"{_PARTS[part]} AND {column} IN ({numbers})"


def _conditions(project_id: int, reader_id: int, search: Search) -> tuple[str, dict[str, object]]:
    """What an instance must be like, and the values of it."""
    values: dict[str, object] = {
        "project": project_id, "reader": reader_id, "words": search.folded_words, "state": search.state,
        "label": search.label, "split": search.split, "annotator": search.annotator, "list": search.list_id,
        "named": search.named, "since": search.imported_from,
        "until": None if search.imported_to is None else f"{search.imported_to}~",  # after any time of that day
    }  # fmt: skip
    conditions = ["project_id = :project", *_filters(search)]
    if search.folded_words:
        conditions.append(f"({' OR '.join(_held_in(part) for part in search.parts) or 'FALSE'})")
    return " AND ".join(conditions), values


def _held_in(part: SearchedPart) -> str:
    if part == "text":
        return f"instances.id IN ({_TEXTS})"
    if part == "key":
        return "instr(folded(instances.key), :words) > 0"
    return f"instances.id IN (SELECT instance_id FROM ({_PARTS[part]}) WHERE {_HOLDS})"


_OPEN_TALK = f"""EXISTS (SELECT 1 FROM threads WHERE threads.instance_id = instances.id AND waits_for_lead = 1
    AND NOT {is_at_work_on(":reader")})"""
_ANY_TALK = f"""EXISTS (SELECT 1 FROM threads WHERE threads.instance_id = instances.id
    AND NOT {is_at_work_on(":reader")})"""
_ANY_NOTE = f"""EXISTS (SELECT 1 FROM annotations WHERE annotations.instance_id = instances.id
    AND annotations.note <> '' AND annotations.state <> 'draft' AND NOT {is_at_work_on(":reader")})"""
_ANNOTATED = """EXISTS (SELECT 1 FROM annotations WHERE annotations.instance_id = instances.id
    AND annotator = :annotator AND annotations.state NOT IN ('draft', 'withdrawn'))"""
_NAMED = """named_as IS NOT NULL AND EXISTS (SELECT 1 FROM named_people JOIN users ON users.id = user_id
    WHERE named_people.instance_id = instances.id AND users.name = :named)"""


def _filters(search: Search) -> list[str]:
    of_talk = {"open": _OPEN_TALK, "any": _ANY_TALK, "none": f"NOT {_ANY_TALK}"}
    of_exhaustive = {"yes": "is_exhaustive = 1", "no": "is_exhaustive = 0", "unsaid": "is_exhaustive IS NULL"}
    wanted = {
        "state = :state": search.state is not None,
        "result = :label": search.label is not None,
        "result IS NULL": search.is_unlabelled,
        "split = :split": search.split is not None,
        _ANNOTATED: search.annotator is not None,
        _ANY_NOTE: search.has_note is True,
        f"NOT {_ANY_NOTE}": search.has_note is False,
        "imported_at >= :since": search.imported_from is not None,
        "imported_at <= :until": search.imported_to is not None,
        "instances.id IN (SELECT instance_id FROM list_members WHERE list_id = :list)": search.list_id is not None,
        _NAMED: search.named is not None,
        "" if search.talk is None else of_talk[search.talk]: search.talk is not None,
        "" if search.exhaustive is None else of_exhaustive[search.exhaustive]: search.exhaustive is not None,
    }
    return [condition for condition, is_wanted in wanted.items() if is_wanted]
