"""The rows of an import: what is stored of the instances that they speak of, and writing what was planned for them."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from annotator.domain.imports import (
    InstancePlan,
    KnownInstance,
    NewDocument,
    NewInstance,
    Place,
    ShownText,
    ShownTexts,
    StoredDocument,
)
from annotator.domain.numbers import by_key
from annotator.domain.texts import TokenizedText
from annotator.store.annotate.annotations import write_annotations
from annotator.store.connection.database import Row, Store, unused_number
from annotator.store.models import OUTPUT_TABLES
from annotator.store.packed_rows import pack_numbers, pack_offsets, unpack_text
from annotator.store.transfer.restored_work import restore_work


def documents_of(store: Store, project_id: int, docids: Iterable[str]) -> dict[str, StoredDocument]:
    """The stored documents among some docids."""
    rows = store.rows(
        """SELECT docid, id, n_tokens, fingerprint FROM documents
            WHERE project_id = ? AND docid IN (SELECT value FROM json_each(?))""",
        (project_id, json.dumps(list(docids))),
    )
    return {row["docid"]: StoredDocument(row["id"], row["n_tokens"], row["fingerprint"]) for row in rows}


def bodies_of(store: Store, project_id: int, docids: Iterable[str]) -> dict[str, TokenizedText]:
    """The texts of the stored documents among some docids, with their tokens."""
    rows = store.rows(
        """SELECT docid, text, token_offsets, sentence_starts FROM documents
            WHERE project_id = ? AND docid IN (SELECT value FROM json_each(?))""",
        (project_id, json.dumps(list(docids))),
    )
    return {row["docid"]: unpack_text(row["text"], row["token_offsets"], row["sentence_starts"]) for row in rows}


def instances_at(store: Store, project_id: int, places: Iterable[Place]) -> dict[Place, KnownInstance]:
    """What is stored under some (key, split) of a file.

    An instance keeps the split that its source said, so that a file finds it again after `annotator split`; a row that
    says no split finds the one instance of its key.
    """
    pairs = set(places)
    rows_by_key = by_key(
        (row["key"], row)
        for row in store.rows(
            """SELECT instances.id AS id, instances.key AS key, split, source_split, fingerprint, result,
                (SELECT count(*) FROM annotations WHERE instance_id = instances.id) AS n_annotations,
                (SELECT count(*) FROM assignments WHERE instance_id = instances.id AND (
                    state IN ('leased', 'returned', 'proposed')
                    OR EXISTS (SELECT 1 FROM drafts WHERE assignment_id = assignments.id))) AS n_works
            FROM json_each(?2) AS wanted CROSS JOIN instances
                ON instances.project_id = ?1 AND instances.key = wanted.value""",
            (project_id, json.dumps(sorted({key for key, _ in pairs}))),
        )
    )
    row_by_pair = {(key, split): _of_split(rows_by_key.get(key, []), split) for key, split in pairs}
    return {
        pair: KnownInstance(row["id"], row["fingerprint"], row["result"], row["n_annotations"], row["n_works"])
        for pair, row in row_by_pair.items()
        if row is not None
    }


def texts_shown(store: Store, instance_ids: Iterable[int]) -> dict[int, ShownTexts]:
    """What each of some instances shows."""
    shown: dict[int, ShownTexts] = {}
    by_instance: dict[int, dict[str, ShownText]] = {}
    for row in store.rows(
        """SELECT instance_id, language, name, docid, text, token_offsets, sentence_starts FROM segments
            JOIN documents ON documents.id = document_id JOIN instances ON instances.id = instance_id
            WHERE instance_id IN (SELECT value FROM json_each(?))""",
        (json.dumps(list(instance_ids)),),
    ):
        by_segment = by_instance.setdefault(row["instance_id"], {})
        body = unpack_text(row["text"], row["token_offsets"], row["sentence_starts"])
        by_segment[row["name"]] = ShownText(body, row["docid"] is not None)
        shown[row["instance_id"]] = ShownTexts(row["language"], by_segment)
    return shown


def prints_shown(store: Store, instance_ids: Sequence[int]) -> dict[int, list[tuple[str, bytes]]]:
    """(segment name, document's fingerprint) of each of some instances, in numbering order."""
    prints_by_instance: dict[int, list[tuple[str, bytes]]] = {number: [] for number in instance_ids}
    for row in store.rows(
        """SELECT instance_id, name, fingerprint FROM segments JOIN documents ON documents.id = document_id
            WHERE instance_id IN (SELECT value FROM json_each(?)) ORDER BY instance_id, position""",
        (json.dumps(list(instance_ids)),),
    ):
        prints_by_instance[row["instance_id"]].append((row["name"], row["fingerprint"]))
    return prints_by_instance


def last_document(store: Store) -> int:
    """The number of the last document; 0 where there is none."""
    return store.number("SELECT coalesce(max(id), 0) FROM documents")


def last_instance(store: Store) -> int:
    """The number of the last instance; 0 where there is none."""
    return store.number("SELECT coalesce(max(id), 0) FROM instances")


def last_queue_position(store: Store, project_id: int) -> int:
    """The place of the last instance in the queue; 0 in an empty project."""
    return store.number("SELECT coalesce(max(queue_position), 0) FROM instances WHERE project_id = ?", (project_id,))


def _of_split(rows: Sequence[Row], split: str) -> Row | None:
    """The instance of a key that a row of a split means: by its source's split, by its own, or the only one."""
    for name in ("source_split", "split"):
        for row in rows:
            if row[name] == split:
                return row
    return rows[0] if split == "" and len(rows) == 1 else None


# Writing what was planned for a batch of an import: the rows of each table are made first, then written table by table.


Values = tuple[object, ...]

# A text without a name is stored once, however many instances show it.
_ADD_DOCUMENT = """INSERT INTO documents (project_id, docid, text, n_tokens, token_offsets, sentence_starts, fingerprint)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project_id, fingerprint) WHERE docid IS NULL DO NOTHING"""
_ADD_INSTANCE = """INSERT INTO instances (language, result, target_start, target_end, parent_key, perturbation_kind,
    is_exhaustive, metadata, n_tokens, n_selectable, fingerprint, id, project_id, key, split, source_split, state,
    queue_position, open_slots, imported_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
# An instance that is overwritten keeps its annotations and its place in the queue.
_OVERWRITE_INSTANCE = """UPDATE instances SET language = ?, result = ?, target_start = ?, target_end = ?, parent_key = ?,
    perturbation_kind = ?, is_exhaustive = ?, metadata = ?, n_tokens = ?, n_selectable = ?, fingerprint = ? WHERE id = ?"""
_SET_RESULT = "UPDATE instances SET result = ? WHERE id = ?"
_DROP_SEGMENTS = "DELETE FROM segments WHERE instance_id = ?"
_ADD_SEGMENT = """INSERT INTO segments (instance_id, position, name, is_selectable, document_id) VALUES (?, ?, ?, ?,
    coalesce(?, (SELECT id FROM documents WHERE project_id = ? AND docid IS NULL AND fingerprint = ?)))"""
_FORGET_OUTPUT = "DELETE FROM {} WHERE instance_id = ?"


class Written(NamedTuple):
    """What became of a plan. worked_on: instances whose place in the queue follows from work and annotations on them."""

    n_documents: int
    worked_on: tuple[int, ...]


def add_documents(store: Store, project_id: int, documents: Iterable[NewDocument]) -> int:
    """Store documents that are not there yet; answers how many."""
    return store.run_many(_ADD_DOCUMENT, [_document_row(project_id, document) for document in documents])


def remove_unshown(store: Store, project_id: int, docids: Iterable[str], *, after: int) -> int:
    """Take those among some docids out that no instance shows, and whose number is past `after`; answers how many."""
    return store.run(
        """DELETE FROM documents WHERE project_id = ? AND id > ? AND docid IN (SELECT value FROM json_each(?))
            AND NOT EXISTS (SELECT 1 FROM segments WHERE document_id = documents.id)""",
        (project_id, after, json.dumps(sorted(docids))),
    ).rowcount


def write_plan(store: Store, project_id: int, plan: InstancePlan, positions: Sequence[int]) -> Written:
    """Write the texts, the new instances with the work on them, and what changes of others.

    positions: of the new instances in the queue
    """
    new = list(enumerate(plan.new, store.number(f"SELECT {unused_number('instances')}")))
    worked_on = [(number, instance) for number, instance in new if instance.source.is_worked_on]
    of_sources = [(number, instance.annotations) for number, instance in new if not instance.is_annotated_here]
    added = [*of_sources, *((change.instance_id, change.added) for change in plan.changes)]
    replaced = [annotation for change in plan.changes for annotation in change.replaced]
    rows_by_statement = _rows(project_id, plan, new, positions, store.now())

    n_documents = add_documents(store, project_id, plan.documents)
    for sql, rows in rows_by_statement.items():
        store.run_many(sql, rows)
    write_annotations(store, added, replaced)
    restore_work(store, project_id, worked_on)
    changed = [change.instance_id for change in plan.changes if change.added or change.replaced]
    return Written(n_documents, (*(number for number, _ in worked_on), *changed))


def _rows(
    project_id: int, plan: InstancePlan, new: Sequence[tuple[int, NewInstance]], positions: Sequence[int], at: str
) -> dict[str, Sequence[Values]]:
    """What is written of instances, by the statement that writes it, in their order. new: with their numbers."""
    contents = [(change.instance_id, change.content) for change in plan.changes if change.content is not None]
    forgotten = [(change.instance_id,) for change in plan.changes if change.forgets_output]
    return {
        _ADD_INSTANCE: [
            _instance_row(project_id, *row, position, at) for row, position in zip(new, positions, strict=True)
        ],
        _OVERWRITE_INSTANCE: [(*_content(instance), number) for number, instance in contents],
        _SET_RESULT: [(change.result, change.instance_id) for change in plan.changes if change.result is not None],
        _DROP_SEGMENTS: [(number,) for number, _ in contents],
        _ADD_SEGMENT: [row for instance in (*new, *contents) for row in _segment_rows(project_id, *instance)],
        **{_FORGET_OUTPUT.format(table): forgotten for table in OUTPUT_TABLES},
    }


def _document_row(project_id: int, document: NewDocument) -> Values:
    body = document.body
    offsets, sentence_starts = pack_offsets(body), pack_numbers(body.sentence_starts)
    return project_id, document.docid, body.text, body.n_tokens, offsets, sentence_starts, document.fingerprint


def _instance_row(project_id: int, number: int, instance: NewInstance, position: int, at: str) -> Values:
    source = instance.source
    return (
        *(*_content(instance), number, project_id, source.key, source.split, source.split),
        *(instance.state, position, instance.open_slots, at),
    )


def _content(instance: NewInstance) -> Values:
    source = instance.source
    start, end = instance.target or (None, None)
    return (
        *(
            instance.language,
            source.result,
            start,
            end,
            source.parent_key,
            source.perturbation_kind,
            source.is_exhaustive,
        ),
        json.dumps(dict(source.metadata), ensure_ascii=False),
        sum(segment.n_tokens for segment in instance.segments),
        sum(segment.n_tokens for segment in instance.segments if segment.is_selectable),
        instance.fingerprint,
    )


def _segment_rows(project_id: int, number: int, instance: NewInstance) -> list[Values]:
    return [
        (number, position, segment.name, segment.is_selectable, segment.document_id, project_id, segment.document)
        for position, segment in enumerate(instance.segments)
    ]
