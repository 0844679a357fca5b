"""Annotations and their rationale sets; who annotates, and how long texts took."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from annotator.domain.imports import NewAnnotation
from annotator.domain.instances import Accepted, Annotation, AnnotationState, Draft
from annotator.domain.texts import RationaleSet
from annotator.language import _
from annotator.store.connection.database import Row, Store, of_columns
from annotator.store.packed_rows import pack_sets, unpack_set

Owners = Mapping[tuple[int, str, int], tuple[int, int]]
_NOBODY = (None, None)
_REPLACE = "UPDATE annotations SET state = ?, result = ?, note = ?, created_at = ?, guidelines = ? WHERE id = ?"
_DROP_SETS = "DELETE FROM rationale_sets WHERE annotation_id = ?"
_ADD_SET = "INSERT INTO rationale_sets (annotation_id, position, spans, origin) VALUES (?, ?, ?, ?)"


def add_annotation(
    store: Store, instance_id: int, annotator: str, *, state: AnnotationState, result: str | None,
    sets: Sequence[RationaleSet], note: str = "", round_number: int = 1, user_id: int | None = None,
    assignment_id: int | None = None, created_at: str | None = None, guidelines: int | None = None,
) -> int:  # fmt: skip
    """Store an annotation with its sets; answers its id. guidelines: the version that its author has read."""
    work = (instance_id, assignment_id, user_id)
    annotation_id = store.add(
        """INSERT INTO annotations (instance_id, assignment_id, user_id, annotator, round, state, result, note, created_at,
            guidelines) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (*work, annotator, round_number, state, result, note, created_at or store.now(), guidelines),
    )
    store.run_many(_ADD_SET, _set_rows(annotation_id, sets))
    return annotation_id


def write_annotations(
    store: Store,
    of_instances: Iterable[tuple[int, Sequence[NewAnnotation]]],
    replaced: Sequence[tuple[int, NewAnnotation]] = (),
    owners: Owners = MappingProxyType({}),
) -> None:
    """Store annotations of sources, and of people, each tied to its work.

    replaced: with the numbers of those in whose places they are written
    owners: by instance, annotator and round: the numbers of a person and of the piece of work
    """
    at = store.now()
    first = 1 + store.number("SELECT coalesce(max(id), 0) FROM annotations")
    new = ((instance_id, annotation) for instance_id, annotations in of_instances for annotation in annotations)
    numbered = list(enumerate(new, first))
    rows = []
    for number, (instance_id, a) in numbered:
        owner = owners.get((instance_id, a.annotator, a.round_number), _NOBODY) if a.by_user else _NOBODY
        made = (a.annotator, a.round_number, a.state, a.result, a.note, a.created_at or at, a.guidelines)
        row = (number, instance_id, *owner, *made)
        rows.append(row)
    with_sets = (*((number, a) for number, (_, a) in numbered), *replaced)
    set_rows = [row for number, a in with_sets for row in _set_rows(number, a.sets)]
    store.run_many(
        """INSERT INTO annotations (id, instance_id, user_id, assignment_id, annotator, round, state, result, note, created_at,
            guidelines) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        rows,
    )
    store.run_many(_REPLACE, [(a.state, a.result, a.note, at, a.guidelines, number) for number, a in replaced])
    store.run_many(_DROP_SETS, [(number,) for number, _ in replaced])
    store.run_many(_ADD_SET, set_rows)


def replace_annotation(
    store: Store, annotation_id: int, *, state: AnnotationState, result: str | None, sets: Sequence[RationaleSet],
    note: str, guidelines: int | None = None,
) -> None:  # fmt: skip
    """Write an annotation anew in its place."""
    store.run(_REPLACE, (state, result, note, store.now(), guidelines, annotation_id))
    store.run(_DROP_SETS, (annotation_id,))
    store.run_many(_ADD_SET, _set_rows(annotation_id, sets))


def set_annotation_state(store: Store, annotation_id: int, state: AnnotationState) -> None:
    store.run("UPDATE annotations SET state = ? WHERE id = ?", (state, annotation_id))


def get_annotation(store: Store, annotation_id: int) -> Annotation:
    """An annotation by number; raises NotFound."""
    row = store.get("SELECT * FROM annotations WHERE id = ?", annotation_id, _("annotation"))
    return _annotation(row, _sets_of(store, [row["id"]]).get(row["id"], ()))


def get_annotations(store: Store, annotation_ids: Sequence[int]) -> dict[int, Annotation]:
    """Annotations by number."""
    wanted = json.dumps(list(annotation_ids))
    rows = store.rows("SELECT * FROM annotations WHERE id IN (SELECT value FROM json_each(?))", (wanted,))
    sets = _sets_of(store, annotation_ids)
    return {row["id"]: _annotation(row, sets.get(row["id"], ())) for row in rows}


def annotations_of(store: Store, instance_ids: Sequence[int]) -> dict[int, list[Annotation]]:
    """For each instance, its annotations, oldest first."""
    wanted = json.dumps(list(instance_ids))
    rows = store.rows(
        "SELECT * FROM annotations WHERE instance_id IN (SELECT value FROM json_each(?)) ORDER BY id", (wanted,)
    )
    sets = _sets_of(store, [row["id"] for row in rows])
    by_instance: dict[int, list[Annotation]] = {instance_id: [] for instance_id in instance_ids}
    for row in rows:
        by_instance[row["instance_id"]].append(_annotation(row, sets.get(row["id"], ())))
    return by_instance


def find_annotation_of_assignment(store: Store, assignment_id: int) -> Annotation | None:
    """What a person submitted for an assignment."""
    row = store.row("SELECT * FROM annotations WHERE assignment_id = ?", (assignment_id,))
    return None if row is None else _annotation(row, _sets_of(store, [row["id"]]).get(row["id"], ()))


def find_starting_draft(store: Store, instance_id: int) -> Draft | None:
    """Imported gold that waits to be corrected, as the start of an annotator's draft."""
    row = store.row(
        "SELECT * FROM annotations WHERE instance_id = ? AND state = 'draft' ORDER BY id LIMIT 1", (instance_id,)
    )
    if row is None:
        return None
    sets = _sets_of(store, [row["id"]]).get(row["id"], ())
    return Draft(row["result"], sets, row["note"], no_rationale=False)


def _sets_of(store: Store, annotation_ids: Iterable[int]) -> dict[int, tuple[RationaleSet, ...]]:
    wanted = json.dumps(list(annotation_ids))
    by_annotation: dict[int, tuple[RationaleSet, ...]] = {}
    for row in store.rows(
        """SELECT annotation_id, spans, origin FROM rationale_sets
            WHERE annotation_id IN (SELECT value FROM json_each(?)) ORDER BY annotation_id, position""",
        (wanted,),
    ):
        rationale_set = unpack_set(row["spans"], row["origin"])
        by_annotation[row["annotation_id"]] = (*by_annotation.get(row["annotation_id"], ()), rationale_set)
    return by_annotation


def _set_rows(annotation_id: int, sets: Sequence[RationaleSet]) -> list[tuple[int, int, str, str | None]]:
    rows = zip(pack_sets(sets), sets, strict=True)
    return [(annotation_id, position, spans, of.origin) for position, (spans, of) in enumerate(rows)]


def _annotation(row: Row, sets: tuple[RationaleSet, ...]) -> Annotation:
    return Annotation(
        id=row["id"], annotator=row["annotator"], round_number=row["round"], state=row["state"], result=row["result"],
        sets=sets, note=row["note"], user_id=row["user_id"], created_at=row["created_at"],
        instance_id=row["instance_id"], assignment_id=row["assignment_id"], guidelines=row["guidelines"],
    )  # fmt: skip


# Who annotated how much, counted over a project: what a file brought, and on how many texts several people worked.


_OF_PROJECT = """FROM annotations JOIN instances ON instances.id = instance_id
    WHERE project_id = ? AND instances.state <> 'discarded'"""


def accepted_of(store: Store, project_id: int, split: str | None = None) -> Accepted:
    """How many annotations are accepted, of all texts or those of a split, and how many of them may be gold."""
    row = store.rows(
        f"""WITH given AS (SELECT instance_id, instances.result AS own, annotations.result AS given, count(*) AS n,
                max(count(*) FILTER (WHERE annotations.result IS NOT NULL)) OVER (PARTITION BY instance_id) AS most
                {_OF_PROJECT} AND annotations.state = 'accepted' AND (? IS NULL OR split = ?) GROUP BY instance_id, given),
            texts AS (SELECT sum(n) AS n, own IS NULL AND sum(n = most AND given IS NOT NULL) > 1 AS is_tied,
                coalesce(sum(n) FILTER (WHERE given IS NULL), 0) AS n_without,
                CASE WHEN own IS NOT NULL THEN coalesce(sum(n) FILTER (WHERE given = own), 0)
                    WHEN sum(n = most AND given IS NOT NULL) = 1 THEN max(most) ELSE 0 END AS n_of_gold,
                (SELECT state = 'accepted' FROM gold_choices AS choice JOIN annotations ON annotations.id = annotation_id
                    WHERE choice.instance_id = given.instance_id) AS is_choice_accepted
                FROM given GROUP BY instance_id)
            SELECT coalesce(sum(n), 0) AS n_annotations, count(*) AS n_instances, coalesce(sum(n > 1), 0) AS n_several,
                coalesce(max(n), 0) AS most, coalesce(sum(n - n_without - n_of_gold), 0) AS n_other,
                coalesce(sum(coalesce(is_choice_accepted, n_without + n_of_gold > 0)), 0) AS n_chosen,
                coalesce(sum(is_tied AND is_choice_accepted IS NULL), 0) AS n_tied FROM texts""",
        (project_id, split, split),
    )[0]
    return of_columns(Accepted, row)


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
    return store.mapping(
        f"""SELECT annotator, count(*) AS n {_OF_PROJECT} AND user_id IS NULL
                AND annotations.state IN ('accepted', 'draft', 'reference')
                AND NOT EXISTS (SELECT 1 FROM gold_choices WHERE annotation_id = annotations.id AND is_adjudicated = 1)
            GROUP BY annotator ORDER BY n DESC, annotator""",
        (project_id,),
    )


def has_help(store: Store, project_id: int) -> bool:
    """Whether help is known to have had to do with any set of a project."""
    return store.holds(
        """SELECT EXISTS (SELECT 1 FROM rationale_sets JOIN annotations ON annotations.id = annotation_id
                JOIN instances ON instances.id = instance_id WHERE project_id = ? AND origin <> 'free')""",
        (project_id,),
    )


def annotator_names(store: Store, project_id: int) -> list[str]:
    """The names of all who annotated something of a project, people and sources."""
    return store.column(
        """SELECT DISTINCT annotator FROM annotations JOIN instances ON instances.id = instance_id
            WHERE project_id = ? AND annotations.state NOT IN ('draft', 'withdrawn') ORDER BY annotator""",
        (project_id,),
    )


# How long people worked on each text: the time that the panel counted, of what was submitted.


@dataclass(frozen=True, slots=True)
class TextTime:
    """Of one text: time of all its annotators and rounds together, in milliseconds.

    is_given:       it has had its label from the start
    active_ms:      pauses that count as idle left out; idle_ms: those
    is_whole:       each piece of work that was submitted has some time, and so has everybody whose annotation is accepted
    n_annotators:   who made its accepted annotations, also those that came with a file
    """

    is_given: bool
    active_ms: int
    idle_ms: int
    is_whole: bool
    n_annotators: int


_WORK = """SELECT instance_id, user_id, active_ms, idle_ms FROM assignments
    WHERE project_id = ?1 AND submitted_at IS NOT NULL"""
_REVIEWS = """SELECT annotations.instance_id, NULL, active_ms, idle_ms FROM reviews
    JOIN annotations ON annotations.id = annotation_id WHERE project_id = ?1 AND reviews.state = 'submitted'"""


def text_times(store: Store, project_id: int, *, with_reviews: bool = False) -> dict[int, TextTime]:
    """By instance, all of a project's. with_reviews: the time of those who scored the sets counts as well."""
    spent = f"{_WORK} UNION ALL {_REVIEWS}" if with_reviews else _WORK
    rows = store.rows(
        f"""SELECT instances.id, instances.result IS NOT NULL AS is_given, coalesce(active, 0) AS active,
                coalesce(idle, 0) AS idle, coalesce(n_without, 0) = 0 AND coalesce(n_timed, 0) >= coalesce(n_annotators, 0)
                AS is_whole, coalesce(n_annotators, 0) AS n_annotators
            FROM instances
            LEFT JOIN (SELECT instance_id, sum(active_ms) AS active, sum(idle_ms) AS idle, sum(active_ms = 0) AS n_without,
                    count(DISTINCT user_id) AS n_timed
                FROM ({spent}) GROUP BY instance_id) AS spent ON spent.instance_id = instances.id
            LEFT JOIN (SELECT annotations.instance_id, count(DISTINCT annotator) AS n_annotators FROM annotations
                JOIN instances ON instances.id = annotations.instance_id
                WHERE instances.project_id = ?1 AND annotations.state = 'accepted' GROUP BY 1) AS said
                ON said.instance_id = instances.id
            WHERE instances.project_id = ?1""",
        (project_id,),
    )
    return {
        row["id"]: TextTime(
            bool(row["is_given"]), row["active"], row["idle"], bool(row["is_whole"]), row["n_annotators"]
        )
        for row in rows
    }
