"""Writing many documents, instances and annotations at once, inside the one transaction of an import."""

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from annotator.domain.imports import KnownInstance, NewAnnotation, NewDocument, NewInstance, Place, StoredDocument
from annotator.domain.texts import TokenizedText
from annotator.store.connection.database import Row, Store
from annotator.store.packed_rows import pack_numbers, pack_offsets, pack_sets, unpack_text

Owners = Mapping[tuple[int, str, int], tuple[int, int]]
_NOBODY = (None, None)


class DocumentWriter:
    """Reads and stores documents, each once, whoever names them; remembers nothing but the last number given."""

    def __init__(self, store: Store, project_id: int) -> None:
        self._store = store
        self._project_id = project_id
        self._first_id = self._last_id = int(store.value("SELECT coalesce(max(id), 0) FROM documents"))

    def add(self, documents: Sequence[NewDocument]) -> tuple[list[StoredDocument], int]:
        """The stored form of each document, in order, and how many of them are new.

        A docid that is known with another content gives the stored one; the caller compares fingerprints.
        """
        by_name = self.find({document.docid for document in documents if document.docid is not None})
        by_content = self._find_by_content([d.fingerprint for d in documents if d.docid is None])
        rows, answers = [], []
        for document in documents:
            known = by_content.get(document.fingerprint) if document.docid is None else by_name.get(document.docid)
            if known is None:
                known, row = self._new(document)
                rows.append(row)
                if document.docid is None:
                    by_content[document.fingerprint] = known
                else:
                    by_name[document.docid] = known
            answers.append(known)
        self._store.run_many(
            """INSERT INTO documents (id, project_id, docid, text, n_tokens, token_offsets, sentence_starts, fingerprint)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)""",
            rows,
        )
        return answers, len(rows)

    def find(self, docids: Iterable[str]) -> dict[str, StoredDocument]:
        """The stored documents among some docids."""
        rows = self._store.rows(
            """SELECT docid, id, n_tokens, fingerprint FROM documents
                WHERE project_id = ? AND docid IN (SELECT value FROM json_each(?))""",
            (self._project_id, json.dumps(list(docids))),
        )
        return {row["docid"]: StoredDocument(row["id"], row["n_tokens"], row["fingerprint"]) for row in rows}

    def bodies(self, docids: Iterable[str]) -> dict[str, TokenizedText]:
        """The texts of the stored documents among some docids, with their tokens."""
        rows = self._store.rows(
            """SELECT docid, text, token_offsets, sentence_starts FROM documents
                WHERE project_id = ? AND docid IN (SELECT value FROM json_each(?))""",
            (self._project_id, json.dumps(list(docids))),
        )
        return {row["docid"]: unpack_text(row["text"], row["token_offsets"], row["sentence_starts"]) for row in rows}

    def remove_unshown(self, docids: Iterable[str]) -> int:
        """Take those among some docids out again that this writer stored and no instance shows; answers how many."""
        return self._store.run(
            """DELETE FROM documents WHERE project_id = ? AND id > ? AND docid IN (SELECT value FROM json_each(?))
                AND NOT EXISTS (SELECT 1 FROM segments WHERE document_id = documents.id)""",
            (self._project_id, self._first_id, json.dumps(sorted(docids))),
        ).rowcount

    def _new(self, document: NewDocument) -> tuple[StoredDocument, tuple[object, ...]]:
        self._last_id += 1
        body = document.body
        row = (
            self._last_id,
            self._project_id,
            document.docid,
            body.text,
            body.n_tokens,
            pack_offsets(body),
            pack_numbers(body.sentence_starts),
            document.fingerprint,
        )
        return StoredDocument(self._last_id, body.n_tokens, document.fingerprint), row

    def _find_by_content(self, prints: Sequence[bytes]) -> dict[bytes, StoredDocument]:
        marks = ",".join("?" * len(prints))
        rows = self._store.rows(
            f"""SELECT id, n_tokens, fingerprint FROM documents
                WHERE project_id = ? AND docid IS NULL AND fingerprint IN ({marks})""",
            (self._project_id, *prints),
        )
        return {row["fingerprint"]: StoredDocument(row["id"], row["n_tokens"], row["fingerprint"]) for row in rows}


class InstanceWriter:
    """Writes new instances with their segments and annotations."""

    def __init__(self, store: Store, project_id: int) -> None:
        self._store = store
        self._project_id = project_id
        self._last_id = int(store.value("SELECT coalesce(max(id), 0) FROM instances"))

    def known(self, keys: Iterable[Place]) -> dict[Place, KnownInstance]:
        """What is stored under some (key, split) of a file.

        An instance keeps the split that its source said, so that a file finds it again after `annotator split`; a row that
        says no split finds the one instance of its key.
        """
        pairs = set(keys)
        by_key: dict[str, list[Row]] = {}
        for row in self._store.rows(
            """SELECT instances.id AS id, instances.key AS key, split, source_split, fingerprint, result,
                    (SELECT count(*) FROM annotations WHERE instance_id = instances.id) AS n_annotations,
                    (SELECT count(*) FROM assignments WHERE instance_id = instances.id AND (
                        state IN ('leased', 'returned', 'proposed')
                        OR EXISTS (SELECT 1 FROM drafts WHERE assignment_id = assignments.id))) AS n_works
                FROM json_each(?2) AS wanted CROSS JOIN instances
                    ON instances.project_id = ?1 AND instances.key = wanted.value""",
            (self._project_id, json.dumps(sorted({key for key, _ in pairs}))),
        ):
            by_key.setdefault(row["key"], []).append(row)
        row_by_pair = {(key, split): _of_split(by_key.get(key, []), split) for key, split in pairs}
        return {
            pair: KnownInstance(row["id"], row["fingerprint"], row["result"], row["n_annotations"], row["n_works"])
            for pair, row in row_by_pair.items()
            if row is not None
        }

    def bodies_of(self, instance_ids: Iterable[int]) -> dict[tuple[int, str, str], TokenizedText]:
        """The texts of stored instances with their tokens, by (instance, its language, segment)."""
        rows = self._store.rows(
            """SELECT instance_id, language, name, text, token_offsets, sentence_starts FROM segments
                JOIN documents ON documents.id = document_id JOIN instances ON instances.id = instance_id
                WHERE instance_id IN (SELECT value FROM json_each(?))""",
            (json.dumps(list(instance_ids)),),
        )
        return {
            (row["instance_id"], row["language"], row["name"]): unpack_text(
                row["text"], row["token_offsets"], row["sentence_starts"]
            )
            for row in rows
        }

    def add(
        self, instances: Sequence[NewInstance], positions: Sequence[int], document_ids: Mapping[bytes, int]
    ) -> list[int]:
        """Write instances at their places in the queue; answers their ids in order.

        document_ids: the documents that the segments show, by fingerprint
        Where people's own annotations are among an instance's, all of its annotations come later, with the work.
        """
        ids = list(range(self._last_id + 1, self._last_id + 1 + len(instances)))
        self._last_id += len(instances)
        self._store.run_many(
            """INSERT INTO instances (id, project_id, key, split, source_split, language, result, target_start, target_end,
                parent_key, perturbation_kind, state, is_exhaustive, metadata, n_tokens, n_selectable, queue_position,
                open_slots, fingerprint) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
            [self._row(*row) for row in zip(ids, instances, positions, strict=True)],
        )
        self._store.run_many(
            "INSERT INTO segments (instance_id, position, name, is_selectable, document_id) VALUES (?, ?, ?, ?, ?)",
            [
                row
                for i, instance in zip(ids, instances, strict=True)
                for row in _segment_rows(i, instance, document_ids)
            ],
        )
        add_annotations(
            self._store,
            (
                (i, instance.annotations)
                for i, instance in zip(ids, instances, strict=True)
                if not instance.is_annotated_here
            ),
        )
        return ids

    def overwrite(self, contents: Sequence[tuple[int, NewInstance]], document_ids: Mapping[bytes, int]) -> None:
        """Write changed rows over the instances of their keys, which keep their annotations and their places in the queue."""
        self._store.run_many(
            """UPDATE instances SET language = ?, result = ?, target_start = ?, target_end = ?, parent_key = ?,
                perturbation_kind = ?, is_exhaustive = ?, metadata = ?, n_tokens = ?, n_selectable = ?, fingerprint = ?
                WHERE id = ?""",
            [(*self._content(instance), instance.fingerprint, instance_id) for instance_id, instance in contents],
        )
        self._store.run_many(
            "DELETE FROM segments WHERE instance_id = ?", [(instance_id,) for instance_id, _ in contents]
        )
        self._store.run_many(
            "INSERT INTO segments (instance_id, position, name, is_selectable, document_id) VALUES (?, ?, ?, ?, ?)",
            [row for instance_id, instance in contents for row in _segment_rows(instance_id, instance, document_ids)],
        )

    def texts_of(self, instance_ids: Sequence[int]) -> dict[int, list[tuple[str, bytes]]]:
        """(segment name, document's fingerprint) of each of some instances, in numbering order."""
        texts_by_instance: dict[int, list[tuple[str, bytes]]] = {number: [] for number in instance_ids}
        for row in self._store.rows(
            """SELECT instance_id, name, fingerprint FROM segments JOIN documents ON documents.id = document_id
                WHERE instance_id IN (SELECT value FROM json_each(?)) ORDER BY instance_id, position""",
            (json.dumps(list(instance_ids)),),
        ):
            texts_by_instance[row["instance_id"]].append((row["name"], row["fingerprint"]))
        return texts_by_instance

    def _row(self, instance_id: int, instance: NewInstance, position: int) -> tuple[object, ...]:
        source = instance.source
        language, result, start, end, parent, kind, exhaustive, metadata, n_tokens, n_selectable = self._content(
            instance
        )
        return (
            *(instance_id, self._project_id, source.key, source.split, source.split, language, result, start, end),
            *(parent, kind, instance.state, exhaustive, metadata, n_tokens, n_selectable),
            *(position, instance.open_slots, instance.fingerprint),
        )

    def _content(self, instance: NewInstance) -> tuple[object, ...]:
        source = instance.source
        start, end = instance.target or (None, None)
        return (
            instance.language,
            source.result,
            start,
            end,
            source.parent_key,
            source.perturbation_kind,
            source.is_exhaustive,
            json.dumps(dict(source.metadata), ensure_ascii=False),
            sum(segment.n_tokens for segment in instance.segments),
            sum(segment.n_tokens for segment in instance.segments if segment.is_selectable),
        )


def add_annotations(
    store: Store, of_instances: Iterable[tuple[int, Sequence[NewAnnotation]]], owners: Owners = MappingProxyType({})
) -> None:
    """Write annotations of sources, and of people, each tied to its work.

    owners: by instance, annotator and round: the numbers of a person and of the piece of work
    """
    rows, set_rows, at = [], [], store.now()
    number = int(store.value("SELECT coalesce(max(id), 0) FROM annotations"))
    for instance_id, annotations in of_instances:
        for a in annotations:
            number += 1
            owner = owners.get((instance_id, a.annotator, a.round_number), _NOBODY) if a.by_user else _NOBODY
            rows.append(
                (
                    *(number, instance_id, *owner, a.annotator, a.round_number, a.state, a.result, a.note),
                    a.created_at or at,
                )
            )
            set_rows += [(number, position, spans) for position, spans in enumerate(pack_sets(a.sets))]
    store.run_many(
        """INSERT INTO annotations (id, instance_id, user_id, assignment_id, annotator, round, state, result, note, created_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        rows,
    )
    store.run_many("INSERT INTO rationale_sets (annotation_id, position, spans) VALUES (?, ?, ?)", set_rows)


def _segment_rows(
    instance_id: int, instance: NewInstance, document_ids: Mapping[bytes, int]
) -> list[tuple[object, ...]]:
    return [
        (instance_id, position, segment.name, segment.is_selectable, document_ids[segment.document])
        for position, segment in enumerate(instance.segments)
    ]


def _of_split(rows: Sequence[Row], split: str) -> Row | None:
    """The instance of a key that a row of a split means: by its source's split, by its own, or the only one."""
    for name in ("source_split", "split"):
        for row in rows:
            if row[name] == split:
                return row
    return rows[0] if split == "" and len(rows) == 1 else None


def last_queue_position(store: Store, project_id: int) -> int:
    """The place of the last instance in the queue; 0 in an empty project."""
    return int(
        store.value("SELECT coalesce(max(queue_position), 0) FROM instances WHERE project_id = ?", (project_id,))
    )
