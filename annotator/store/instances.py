"""Documents, instances and their segments: reading them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from annotator.domain.imports import KeyedInstance
from annotator.domain.instances import Instance, InstanceState, Places, Segment
from annotator.domain.texts import TokenLayout
from annotator.errors import NotFound
from annotator.language import _
from annotator.store.annotate.instance_queue import settle
from annotator.store.annotate.my_work import excerpt_of
from annotator.store.connection.database import Row, Store
from annotator.store.packed_rows import unpack_text
from annotator.store.slices import is_version_of


@dataclass(frozen=True, slots=True)
class InstanceRow:
    """One line of a list of instances."""

    id: int
    key: str
    split: str
    language: str
    state: InstanceState
    result: str | None
    n_tokens: int
    n_annotations: int
    excerpt: str


def get_instance(store: Store, instance_id: int) -> Instance:
    """An instance with its texts; raises NotFound."""
    row = store.get("SELECT * FROM instances WHERE id = ?", instance_id, _("instance"))
    return _instance(row, _segments(store, [instance_id]).get(instance_id, ()))


def project_of_instance(store: Store, instance_id: int) -> int:
    """The id of the project that an instance belongs to; raises NotFound."""
    stored_project_id = store.value("SELECT project_id FROM instances WHERE id = ?", (instance_id,))
    if stored_project_id is None:
        raise NotFound(_("No {what} number {number}.", number=instance_id, what=_("instance")))
    return int(stored_project_id)


def find_instance_ids(store: Store, project_id: int, key: str, split: str | None = None) -> list[int]:
    """The ids of the instances of a key: one, or one a split where keys repeat between splits."""
    # The + keeps SQLite from reading the whole project in the order of ids, in place of one key; so below.
    return store.column(
        "SELECT id FROM instances WHERE project_id = ?1 AND key = ?2 AND (?3 IS NULL OR split = ?3) ORDER BY +id",
        (project_id, key, split),
    )


def layout_of(store: Store, instance_id: int) -> TokenLayout:
    """How an instance numbers its tokens, without reading its texts."""
    rows = store.rows(
        """SELECT name, is_selectable, n_tokens FROM segments JOIN documents ON documents.id = document_id
            WHERE instance_id = ? ORDER BY position""",
        (instance_id,),
    )
    return TokenLayout.of([(row["name"], bool(row["is_selectable"]), row["n_tokens"]) for row in rows])


def get_instances(store: Store, instance_ids: Sequence[int]) -> dict[int, Instance]:
    """Some instances with their texts, by number."""
    marks = ",".join("?" * len(instance_ids))
    segments = _segments(store, instance_ids)
    rows = store.rows(f"SELECT * FROM instances WHERE id IN ({marks})", instance_ids)
    return {row["id"]: _instance(row, segments.get(row["id"], ())) for row in rows}


def instances_without_texts(store: Store, instance_ids: Sequence[int]) -> dict[int, Instance]:
    """Some instances without their segments, by number."""
    marks = ",".join("?" * len(instance_ids))
    return {
        row["id"]: _instance(row, ())
        for row in store.rows(f"SELECT * FROM instances WHERE id IN ({marks})", instance_ids)
    }


def places_of(store: Store, instance_ids: Sequence[int]) -> dict[int, Places]:
    """How each of some instances numbers its tokens, without reading texts."""
    marks = ",".join("?" * len(instance_ids))
    segments: dict[int, list[tuple[str, bool, int]]] = {}
    docids: dict[int, dict[str, str]] = {}
    keys: dict[int, str] = {}
    for row in store.rows(
        f"""SELECT instance_id, key, name, is_selectable, documents.n_tokens, docid FROM segments
            JOIN documents ON documents.id = document_id JOIN instances ON instances.id = instance_id
            WHERE instance_id IN ({marks}) ORDER BY instance_id, position""",
        instance_ids,
    ):
        number = row["instance_id"]
        keys[number] = row["key"]
        segments.setdefault(number, []).append((row["name"], bool(row["is_selectable"]), row["n_tokens"]))
        if row["docid"] is not None:
            docids.setdefault(number, {})[row["docid"]] = row["name"]
    return {
        number: Places(keys[number], TokenLayout.of(of_one), docids.get(number, {}))
        for number, of_one in segments.items()
    }


def instances_of_keys(store: Store, project_id: int, keys: Sequence[str]) -> dict[str, list[KeyedInstance]]:
    """The instances of each of some keys, in the order of import."""
    marks = ",".join("?" * len(keys))
    by_key: dict[str, list[KeyedInstance]] = {}
    rows = store.rows(
        f"""SELECT key, split, source_split, id, n_tokens, n_selectable FROM instances
            WHERE project_id = ? AND key IN ({marks}) ORDER BY +id""",
        (project_id, *keys),
    )
    for keyed in map(KeyedInstance._make, rows):
        by_key.setdefault(keyed.key, []).append(keyed)
    return by_key


def ids_of_keys(store: Store, project_id: int, keys: Sequence[str]) -> dict[str, list[tuple[str, str, int]]]:
    """(split, source's split, id) of the instances of each of some keys, in the order of import."""
    by_key = instances_of_keys(store, project_id, keys)
    return {key: [(keyed.split, keyed.source_split, keyed.id) for keyed in of_key] for key, of_key in by_key.items()}


def iterate_instance_batches(
    store: Store, project_id: int, *, split: str | None = None, batch_size: int = 500
) -> Iterator[list[Instance]]:
    """Every instance of a project (or of one split of it), in the order of import, a batch at a time."""
    last = 0
    condition, values = ("", ()) if split is None else ("AND split = ?", (split,))
    while True:
        rows = store.rows(
            f"SELECT * FROM instances WHERE project_id = ? AND id > ? {condition} ORDER BY id LIMIT ?",
            (project_id, last, *values, batch_size),
        )
        if not rows:
            return
        segments = _segments(store, [row["id"] for row in rows])
        yield [_instance(row, segments.get(row["id"], ())) for row in rows]
        last = rows[-1]["id"]


def keys_of_originals(store: Store, project_id: int) -> set[str]:
    """The keys that perturbed versions name as their original's."""
    return set(
        store.column(
            "SELECT DISTINCT parent_key FROM instances WHERE project_id = ? AND parent_key IS NOT NULL", (project_id,)
        )
    )


def ids_of_originals(store: Store, project_id: int) -> list[int]:
    """The ids of the instances that are neither discarded nor changed versions of others, in the order of import."""
    return store.column(
        "SELECT id FROM instances WHERE project_id = ? AND state <> 'discarded' AND parent_key IS NULL ORDER BY id",
        (project_id,),
    )


def iterate_named_documents(store: Store, project_id: int) -> Iterator[Segment]:
    """Every document with a name of its own, as a segment without an instance."""
    for row in store.iterate(
        "SELECT * FROM documents WHERE project_id = ? AND docid IS NOT NULL ORDER BY id", (project_id,)
    ):
        body = unpack_text(row["text"], row["token_offsets"], row["sentence_starts"])
        yield Segment("document", is_selectable=True, body=body, docid=row["docid"])


_ROW = f"""SELECT instances.id, key, split, language, state, result, instances.n_tokens,
        (SELECT count(*) FROM annotations WHERE instance_id = instances.id) AS n_annotations,
        {excerpt_of("instances.id")} AS excerpt
    FROM instances"""


def list_instances(
    store: Store, project_id: int, *, state: str | None = None, limit: int = 25, offset: int = 0
) -> list[InstanceRow]:
    """One page of a project's instances, in the order of import."""
    condition, values = ("", ()) if state is None else ("AND state = ?", (state,))
    rows = store.rows(
        f"{_ROW} WHERE project_id = ? {condition} ORDER BY instances.id LIMIT ? OFFSET ?",
        (project_id, *values, limit, offset),
    )
    return [InstanceRow(**dict(row)) for row in rows]


def row_of(store: Store, instance_id: int) -> InstanceRow:
    """An instance in one line, without reading its texts."""
    return InstanceRow(**dict(store.rows(f"{_ROW} WHERE instances.id = ?", (instance_id,))[0]))


def rows_of(store: Store, instance_ids: Sequence[int]) -> list[InstanceRow]:
    """Some instances in one line each, in the order in which they are named."""
    numbers = json.dumps(list(instance_ids))
    rows = store.rows(f"{_ROW} WHERE instances.id IN (SELECT value FROM json_each(?))", (numbers,))
    by_number = {row["id"]: InstanceRow(**dict(row)) for row in rows}
    return [by_number[number] for number in instance_ids]


def discard(store: Store, instance_id: int) -> None:
    """Take an instance out of the data set; it stays stored."""
    store.run("UPDATE instances SET state = 'discarded' WHERE id = ?", (instance_id,))
    settle(store, instance_id)


def bring_back(store: Store, instance_id: int) -> None:
    """Take an instance that had dropped out into the data set again."""
    store.run("UPDATE instances SET state = 'open' WHERE id = ? AND state = 'discarded'", (instance_id,))
    settle(store, instance_id)


def set_result(store: Store, instance_id: int, result: str | None) -> None:
    store.run("UPDATE instances SET result = ? WHERE id = ?", (result, instance_id))


def set_results(store: Store, results: Mapping[int, str]) -> None:
    """The same of several instances."""
    store.run_many(
        "UPDATE instances SET result = ? WHERE id = ?", [(result, number) for number, result in results.items()]
    )


def _segments(store: Store, instance_ids: Sequence[int]) -> dict[int, tuple[Segment, ...]]:
    marks = ",".join("?" * len(instance_ids))
    by_instance: dict[int, tuple[Segment, ...]] = {}
    bodies: dict[int, Segment] = {}
    for row in store.rows(
        f"""SELECT instance_id, name, is_selectable, documents.id AS document_id, docid, text, token_offsets, sentence_starts
            FROM segments JOIN documents ON documents.id = document_id
            WHERE instance_id IN ({marks}) ORDER BY instance_id, position""",
        instance_ids,
    ):
        known = bodies.get(row["document_id"])
        body = known.body if known else unpack_text(row["text"], row["token_offsets"], row["sentence_starts"])
        segment = Segment(row["name"], bool(row["is_selectable"]), body, row["docid"])
        bodies[row["document_id"]] = segment
        by_instance[row["instance_id"]] = (*by_instance.get(row["instance_id"], ()), segment)
    return by_instance


def _instance(row: Row, segments: tuple[Segment, ...]) -> Instance:
    target = None if row["target_start"] is None else (row["target_start"], row["target_end"])
    return Instance(
        id=row["id"],
        key=row["key"],
        split=row["split"],
        language=row["language"],
        segments=segments,
        result=row["result"],
        state=row["state"],
        target=target,
        parent_key=row["parent_key"],
        perturbation_kind=row["perturbation_kind"],
        is_exhaustive=None if row["is_exhaustive"] is None else bool(row["is_exhaustive"]),
        metadata={} if row["metadata"] == "{}" else json.loads(row["metadata"]),  # mostly there is none
    )


def split_names(store: Store, project_ids: Sequence[int], *, of_files: bool = False) -> set[str]:
    """The splits of projects' instances, "" for none; of_files: also as the files called them that they came from."""
    marks = ", ".join("?" * len(project_ids))
    rows = store.rows(
        f"SELECT DISTINCT split, source_split FROM instances WHERE project_id IN ({marks})", list(project_ids)
    )
    return {name for row in rows for name in (row["split"], row["source_split"] if of_files else row["split"])}


def queue_keys(store: Store, project_id: int) -> list[tuple[int, str, str]]:
    """(id, key, split) of every instance in the order of import."""
    return store.tuples("SELECT id, key, split FROM instances WHERE project_id = ? ORDER BY id", (project_id,))


def splittable_rows(store: Store, project_id: int) -> list[tuple[int, tuple[int, ...], int | None]]:
    """(id, ids of its selectable documents, id of the original) of every instance, in the order of import."""
    rows = store.rows(
        f"""SELECT instances.id, coalesce(group_concat(documents.id), '') AS documents,
            (SELECT original.id FROM instances AS original WHERE {is_version_of("instances", "original")}) AS parent_id
            FROM instances LEFT JOIN segments ON instance_id = instances.id AND is_selectable = 1
            LEFT JOIN documents ON documents.id = document_id AND documents.n_tokens > 0
            WHERE instances.project_id = ?1 GROUP BY instances.id ORDER BY instances.id""",
        (project_id,),
    )
    return [
        (row["id"], tuple(int(number) for number in row["documents"].split(",") if number), row["parent_id"])
        for row in rows
    ]


def set_splits(store: Store, project_id: int, plan: Mapping[int, str]) -> str | None:
    """Write each instance's split; answers a key that would be there twice in one split, and then writes nothing."""
    keys = store.rows("SELECT id, key FROM instances WHERE project_id = ? ORDER BY id", (project_id,))
    seen: set[tuple[str, str]] = set()
    for row in keys:
        key_and_split = (row["key"], plan.get(row["id"], ""))
        if key_and_split in seen:
            return str(row["key"])
        seen.add(key_and_split)
    # By way of names that nothing has, since a swap of two splits would meet the UNIQUE constraint half-way.
    store.run("UPDATE instances SET split = char(0) || id WHERE project_id = ?", (project_id,))
    store.run_many(
        "UPDATE instances SET split = ? WHERE id = ?", [(plan.get(row["id"], ""), row["id"]) for row in keys]
    )
    return None


def labels_of_splits(store: Store, project_id: int) -> dict[str, dict[str | None, int]]:
    """By split, how many instances have which result; None: without one."""
    labels: dict[str, dict[str | None, int]] = {}
    for row in store.rows(
        "SELECT split, result, count(*) AS n FROM instances WHERE project_id = ? GROUP BY split, result ORDER BY result",
        (project_id,),
    ):
        labels.setdefault(row["split"], {})[row["result"]] = row["n"]
    return labels


def leaking_documents(store: Store, project_id: int) -> int:
    """How many selectable texts stand in instances of more than one split."""
    return store.number(
        """SELECT count(*) FROM (SELECT document_id FROM instances JOIN segments ON instance_id = instances.id
                JOIN documents ON documents.id = document_id
                WHERE instances.project_id = ? AND is_selectable = 1 AND documents.n_tokens > 0
                GROUP BY documents.text HAVING count(DISTINCT split) > 1)""",
        (project_id,),
    )


@dataclass(frozen=True, slots=True)
class Size:
    """How much text a project has that can be marked.

    n_documents: different selectable texts; one that instances share counts once. Sentences and tokens are theirs.
    mean_tokens_per_instance: over all segments, those that cannot be marked included
    """

    n_instances: int
    n_documents: int
    n_sentences: int
    n_tokens: int
    mean_tokens_per_instance: float | None


def size_of(store: Store, project_id: int) -> Size:
    """The size of a project; reads offsets' lengths, not texts."""
    instances = store.rows(
        "SELECT count(*) AS n, avg(n_tokens) AS mean FROM instances WHERE project_id = ?", (project_id,)
    )[0]
    texts = store.rows(
        """SELECT count(*) AS n, coalesce(sum(length(sentence_starts) / 4), 0) AS sentences,
            coalesce(sum(n_tokens), 0) AS tokens FROM documents WHERE project_id = ? AND n_tokens > 0
            AND EXISTS (SELECT 1 FROM segments WHERE document_id = documents.id AND is_selectable)""",
        (project_id,),
    )[0]
    return Size(instances["n"], texts["n"], texts["sentences"], texts["tokens"], instances["mean"])


def iterate_keyed_texts(store: Store, project_id: int) -> Iterator[tuple[KeyedInstance, bool, list[tuple[bool, str]]]]:
    """Each instance of a project, whether it is discarded, and (whether it can be marked, text) of its segments in order."""
    rows = store.iterate(
        """SELECT key, split, source_split, instances.id AS id, instances.n_tokens AS n_tokens, n_selectable,
                state = 'discarded' AS is_discarded, is_selectable, text
            FROM instances JOIN segments ON instance_id = instances.id JOIN documents ON documents.id = document_id
            WHERE instances.project_id = ? ORDER BY instances.id, position""",
        (project_id,),
    )
    for _id, of_one in groupby(rows, key=itemgetter("id")):
        segments = list(of_one)
        keyed = KeyedInstance(*segments[0][:6])
        texts = [(bool(row["is_selectable"]), row["text"]) for row in segments]
        yield keyed, bool(segments[0]["is_discarded"]), texts
