"""What is stored of the documents and instances that the rows of a file speak of, read for many rows at once."""

import json
from collections.abc import Iterable, Sequence

from annotator.domain.imports import KnownInstance, Place, ShownText, ShownTexts, StoredDocument
from annotator.domain.texts import TokenizedText
from annotator.store.connection.database import Row, Store
from annotator.store.packed_rows import unpack_text


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
    by_key: dict[str, list[Row]] = {}
    for row in store.rows(
        """SELECT instances.id AS id, instances.key AS key, split, source_split, fingerprint, result,
                (SELECT count(*) FROM annotations WHERE instance_id = instances.id) AS n_annotations,
                (SELECT count(*) FROM assignments WHERE instance_id = instances.id AND (
                    state IN ('leased', 'returned', 'proposed')
                    OR EXISTS (SELECT 1 FROM drafts WHERE assignment_id = assignments.id))) AS n_works
            FROM json_each(?2) AS wanted CROSS JOIN instances
                ON instances.project_id = ?1 AND instances.key = wanted.value""",
        (project_id, json.dumps(sorted({key for key, _ in pairs}))),
    ):
        by_key.setdefault(row["key"], []).append(row)
    row_by_pair = {(key, split): _of_split(by_key.get(key, []), split) for key, split in pairs}
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
    return int(store.value("SELECT coalesce(max(id), 0) FROM documents"))


def last_instance(store: Store) -> int:
    """The number of the last instance; 0 where there is none."""
    return int(store.value("SELECT coalesce(max(id), 0) FROM instances"))


def last_queue_position(store: Store, project_id: int) -> int:
    """The place of the last instance in the queue; 0 in an empty project."""
    return int(
        store.value("SELECT coalesce(max(queue_position), 0) FROM instances WHERE project_id = ?", (project_id,))
    )


def _of_split(rows: Sequence[Row], split: str) -> Row | None:
    """The instance of a key that a row of a split means: by its source's split, by its own, or the only one."""
    for name in ("source_split", "split"):
        for row in rows:
            if row[name] == split:
                return row
    return rows[0] if split == "" and len(rows) == 1 else None
