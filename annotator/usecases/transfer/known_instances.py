"""What the store knows of the documents and instances of a batch, gathered in a few queries before anything is planned."""

from collections.abc import Mapping, Sequence

from annotator.domain.imports import (
    KnownAdditions,
    KnownContent,
    KnownInstance,
    KnownRows,
    KnownTexts,
    Place,
    PreparedRow,
    PreparedRows,
)
from annotator.domain.instances import Instance
from annotator.domain.projects import Project
from annotator.domain.sources import SourceDocument, SourceInstance
from annotator.domain.texts import TokenizedText, TokenLayout
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.instances import get_instances, instances_without_texts, places_of
from annotator.store.models import instances_with_output
from annotator.store.transfer.known_rows import bodies_of, documents_of, prints_shown, texts_shown
from annotator.text.source_spans import to_source_span
from annotator.usecases.transfer.preparation import fingerprint_of


def gather_texts(
    store: Store, project: Project, batch: Sequence[SourceInstance], instances: Mapping[Place, KnownInstance]
) -> KnownTexts:
    """The texts that the instances of some rows have now, and the documents that the rows name."""
    docids = {text for source in batch for text in source.segments.values() if isinstance(text, str)}
    read = {docid for source in batch for docid in _docids_to_read(source, instances)}
    shown = texts_shown(store, [known.id for known in instances.values()]) if instances else {}
    return KnownTexts(
        shown={at: shown[known.id] for at, known in instances.items() if known.id in shown},
        named=documents_of(store, project.id, docids) if docids else {},
        named_bodies=bodies_of(store, project.id, read) if read else {},
    )


def gather_documents(
    store: Store, project: Project, batch: Sequence[SourceDocument]
) -> tuple[dict[str, TokenizedText], dict[str, bytes]]:
    """By name: the stored texts of documents that bring no tokens or them alone, and the fingerprints of all that are stored."""
    bare = [d.docid for d in batch if d.body.tokens is None or d.body.is_text_of_tokens]
    stored = documents_of(store, project.id, {document.docid for document in batch})
    prints = {docid: known.fingerprint for docid, known in stored.items()}
    return bodies_of(store, project.id, bare) if bare else {}, prints


def gather_rows(store: Store, prepared: PreparedRows, instances: Mapping[Place, KnownInstance]) -> KnownRows:
    """What is stored of some rows: annotations, and the content where the row was another when it was imported."""
    rows = [row for row in prepared.rows if isinstance(row, PreparedRow)]
    met = [(row, known) for row in rows if (known := instances.get(row.source.place)) is not None]
    others = sorted({known.id for row, known in met if known.fingerprint != row.fingerprint})
    return KnownRows(
        instances=instances,
        contents=_contents(store, others) if others else {},
        annotations=annotations_of(store, sorted({known.id for _, known in met})) if met else {},
    )


def gather_additions(
    store: Store, batch: Sequence[SourceInstance], instances: Mapping[Place, KnownInstance]
) -> KnownAdditions:
    """What is stored of instances that rows add annotations to; texts are read only where characters or quoted words count."""
    ids = sorted({known.id for known in instances.values()})
    met = [source for source in batch if source.place in instances]
    counted = {instances[s.place].id for s in met if s.segments_with_characters or s.has_quotes}
    texts = get_instances(store, sorted(counted)) if counted else {}
    return KnownAdditions(
        instances=instances,
        layouts={number: instance_place.layout for number, instance_place in places_of(store, ids).items()},
        bodies={number: {s.name: s.body for s in instance.segments} for number, instance in texts.items()},
        annotations=annotations_of(store, ids),
    )


def _docids_to_read(source: SourceInstance, instances: Mapping[Place, KnownInstance]) -> set[str]:
    """The documents that a row names and in which it counts characters; all of them, where they may be its instance's own."""
    named = {name: text for name, text in source.segments.items() if isinstance(text, str)}
    if not named or (source.names_texts_of_tokens and source.place in instances):
        return set(named.values())
    counted = source.segments_with_characters
    return {text for name, text in named.items() if name in counted}


def _contents(store: Store, instance_ids: Sequence[int]) -> dict[int, KnownContent]:
    stored = instances_without_texts(store, instance_ids)
    places = places_of(store, instance_ids)
    texts = prints_shown(store, instance_ids)
    with_output = instances_with_output(store, instance_ids)
    return {
        number: KnownContent(
            _fingerprint_now(instance, places[number].layout, texts[number]),
            tuple(texts[number]),
            number in with_output,
        )
        for number, instance in stored.items()
    }


def _fingerprint_now(stored: Instance, layout: TokenLayout, texts: Sequence[tuple[str, bytes]]) -> bytes:
    """Of the row that an instance would be today: a lead may have changed its label since it was imported."""
    as_row = SourceInstance(
        key=stored.key,
        segments={},
        source="",
        line=None,
        result=stored.result,
        target=to_source_span(*stored.target, layout) if stored.target else None,
        parent_key=stored.parent_key,
        perturbation_kind=stored.perturbation_kind,
        is_exhaustive=stored.is_exhaustive,
        metadata=stored.metadata,
    )
    return fingerprint_of(as_row, stored.language, texts)
