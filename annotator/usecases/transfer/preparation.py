"""What the store knows of a batch of a file (labels of other annotators too), and tokens for its texts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from annotator.domain.imports import (
    InstancePlan,
    KnownAdditions,
    KnownContent,
    KnownInstance,
    KnownRows,
    KnownTexts,
    NewDocument,
    NewSegment,
    Place,
    PreparedRow,
    PreparedRows,
    ShownText,
    ShownTexts,
)
from annotator.domain.instances import Instance, majority_label
from annotator.domain.projects import Project
from annotator.domain.sources import SourceDocument, SourceInstance, SourceText
from annotator.domain.texts import TokenizedText, TokenLayout
from annotator.errors import AnnotatorError, Problem
from annotator.formats.rows.findings import Places
from annotator.language import _
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of, label_votes
from annotator.store.instances import get_instances, instances_without_texts, places_of, set_results
from annotator.store.models import instances_with_output
from annotator.store.packed_rows import fingerprint, new_document
from annotator.store.transfer.import_rows import bodies_of, documents_of, instances_at, prints_shown, texts_shown
from annotator.text.source_spans import to_source_span
from annotator.text.tokenisation import tokenise
from annotator.usecases.transfer.import_report import ImportReport


def prepare_rows(batch: Sequence[SourceInstance], known: KnownTexts, project: Project, language: str) -> PreparedRows:
    """The rows of a batch with the tokens of their texts.

    language: of texts whose row names none
    """
    documents: list[NewDocument] = []
    rows: list[PreparedRow | Problem] = []
    for source in batch:
        shown = known.shown.get(source.place)
        of_row = _language_of(source, shown) or language
        texts = _own_texts(source, _texts_now(shown, of_row), known.named_bodies, of_row)
        if isinstance(texts, Problem):
            rows.append(texts)
        else:
            of_segments = {name: new_document(None, body) for name, body in texts.items()}
            documents += of_segments.values()
            rows.append(_prepared(source, of_segments, known, project, of_row))
    return PreparedRows(tuple(documents), tuple(rows))


def prepare_documents(
    batch: Sequence[SourceDocument], known: Mapping[str, TokenizedText], language: str
) -> list[NewDocument | Problem]:
    """Documents with names of their own, with their tokens, or what is wrong with them.

    known:    the stored documents' texts by name
    language: of documents that name none
    """
    prepared: list[NewDocument | Problem] = []
    for source in batch:
        body = _tokenised(source.body, known.get(source.docid), source.language or language)
        prepared.append(
            _problem(source, "document", source.docid, body)
            if isinstance(body, str)
            else new_document(source.docid, body)
        )
    return prepared


def fingerprint_of(source: SourceInstance, language: str, texts: Sequence[tuple[str, bytes]]) -> bytes:
    """What makes two rows of one key the same row: everything but the annotations. texts: (segment, document's print)."""
    target = source.target and (source.target.segment, source.target.start, source.target.end, source.target.unit)
    fields = (language, source.result, source.parent_key, source.perturbation_kind, source.is_exhaustive, target)
    content = json.dumps((*fields, dict(source.metadata)), sort_keys=True, ensure_ascii=False)
    return fingerprint(content, *(piece for text in texts for piece in text))


def _language_of(source: SourceInstance, shown: ShownTexts | None) -> str | None:
    """What a row names; tokens alone, which need no language to be found, keep that of the instance."""
    if source.language is None and source.has_tokens_alone and shown is not None:
        return shown.language
    return source.language


def _texts_now(shown: ShownTexts | None, language: str) -> Mapping[str, ShownText]:
    """The texts that the instance of a row has now, in the language of the row."""
    return shown.by_segment if shown is not None and shown.language == language else {}


def _own_texts(
    source: SourceInstance, now: Mapping[str, ShownText], named: Mapping[str, TokenizedText], language: str
) -> dict[str, TokenizedText] | Problem:
    """The texts that a row brings itself, or that its instance keeps, by segment; or what is wrong with one of them.

    now: of its instance; named: of the documents that it names
    """
    texts: dict[str, TokenizedText] = {}
    for name, text in source.segments.items():
        shown = now.get(name)
        if isinstance(text, SourceText):
            is_counted = text.is_text_of_tokens and name in source.segments_with_characters  # in just these spaces
            body = _tokenised(text, None if shown is None or is_counted else shown.body, language)
            if isinstance(body, str):
                return _problem(source, "text", source.key, body)
            texts[name] = body
        elif source.names_texts_of_tokens and shown is not None and _is_spaced_otherwise(shown, named.get(text)):
            texts[name] = shown.body
    return texts


def _is_spaced_otherwise(shown: ShownText, named: TokenizedText | None) -> bool:
    """Whether an instance shows, without a name, the tokens of a document of which the file says the tokens alone."""
    return not shown.is_named and named is not None and named.has_tokens_of(shown.body)


def _prepared(
    source: SourceInstance, documents: Mapping[str, NewDocument], known: KnownTexts, project: Project, language: str
) -> PreparedRow | Problem:
    segments = []
    bodies = {name: document.body for name, document in documents.items()}
    for name in project.task.in_numbering_order(list(source.segments)):
        spec = project.task.spec_of(name)
        is_selectable = spec is not None and spec.is_selectable
        text = source.segments[name]
        if name in documents or not isinstance(text, str):
            segments.append(NewSegment(name, is_selectable, documents[name].body.n_tokens, documents[name].fingerprint))
        elif (document := known.named.get(text)) is not None:
            segments.append(NewSegment(name, is_selectable, document.n_tokens, document.fingerprint, document.id))
            if text in known.named_bodies:
                bodies[name] = known.named_bodies[text]
        else:
            return _problem(source, name, text, _("No such document in the file or project."))
    digest = fingerprint_of(source, language, [(segment.name, segment.document) for segment in segments])
    replaced = [text for name, text in source.segments.items() if isinstance(text, str) and name in documents]
    n_respaced = sum(_is_respaced(text, bodies.get(name)) for name, text in source.segments.items())
    return PreparedRow(source, language, tuple(segments), bodies, digest, tuple(replaced), n_respaced)


def _is_respaced(text: SourceText | str, body: TokenizedText | None) -> bool:
    """Whether in the place of a row's tokens alone the text of its instance was taken, which has other spaces."""
    is_of_tokens = isinstance(text, SourceText) and text.is_text_of_tokens
    return is_of_tokens and body is not None and isinstance(text, SourceText) and body.text != text.text


def _tokenised(text: SourceText, stored: TokenizedText | None, language: str) -> TokenizedText | str:
    """A text with its tokens, or the reason why it has none.

    A text without tokens gets those of the stored one, so that a newer tokeniser makes no other row of it.
    Tokens alone get the stored text, where that has the same ones, so that its spaces make no other row of it either.
    """
    if text.tokens is not None:
        if text.is_text_of_tokens and stored is not None and stored.has_tokens_of(text.tokens):
            return stored
        return text.tokens
    if stored is not None and stored.text == text.text:
        return stored
    try:
        return tokenise(text.text, language)
    except AnnotatorError as error:
        return str(error)


def _problem(source: SourceInstance | SourceDocument, name: str, value: str, reason: str) -> Problem:
    return Problem(source.source, source.line, name, value, reason)


# What the store knows of the documents and instances of a batch, gathered in a few queries before anything is planned.


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
        key=stored.key, segments={}, source="", line=None, result=stored.result,
        target=to_source_span(*stored.target, layout) if stored.target else None, parent_key=stored.parent_key,
        perturbation_kind=stored.perturbation_kind, is_exhaustive=stored.is_exhaustive, metadata=stored.metadata,
    )  # fmt: skip
    return fingerprint_of(as_row, stored.language, texts)


# The label of a text that several annotators of a file labelled, where the file says none of its own: what most of them gave.


_BATCH = 500


@dataclass(slots=True)
class MajorityLabels:
    """The texts of an import whose annotators gave labels; those without a label of their own get one, or are counted.

    is_asked: whether they get one; last_instance: the last number that an instance had before the import
    """

    is_asked: bool
    last_instance: int
    n_labelled: int = 0
    tied: Places = field(default_factory=Places)
    _places: dict[Place, None] = field(default_factory=dict)
    _changed: set[int] = field(default_factory=set)  # instances that are counted as changed already

    def note(self, rows: Sequence[SourceInstance]) -> None:
        """Remember the rows that bring annotators' labels and no label of the text."""
        for row in rows:
            if row.result is None and any(a.result is not None and a.state is None for a in row.annotations):
                self._places[row.place] = None

    def note_changes(self, plan: InstancePlan) -> None:
        """Remember what is counted as changed, so that no instance is counted twice."""
        self._changed.update(change.instance_id for change in plan.changes if change.is_update)

    def settle(self, store: Store, project: Project, report: ImportReport) -> None:
        """Give these texts their labels where that is asked for; say in the report what became of them."""
        for known in self._without_label(store, project):
            majority = self._majority(store, known)
            self.n_labelled += len(majority)
            if self.is_asked:
                numbers = {known[key_and_split].id: label for key_and_split, label in majority.items()}
                set_results(store, numbers)
                report.show_labels(majority)
                report.count_relabelled(sum(n <= self.last_instance and n not in self._changed for n in numbers))
        report.tell_majority(self.n_labelled, self.tied, project.task.result_kind, is_asked=self.is_asked)

    def _majority(self, store: Store, known: Mapping[Place, KnownInstance]) -> dict[Place, str]:
        votes = label_votes(store, [instance.id for instance in known.values()])
        labels = {
            key_and_split: majority_label(votes.get(instance.id, {})) for key_and_split, instance in known.items()
        }
        for key, _split in (key_and_split for key_and_split, label in labels.items() if label is None):
            self.tied.add(f"“{key}”")
        return {key_and_split: label for key_and_split, label in labels.items() if label is not None}

    def _without_label(self, store: Store, project: Project) -> Iterator[dict[Place, KnownInstance]]:
        places = iter(self._places)
        while batch := list(islice(places, _BATCH)):
            known = instances_at(store, project.id, batch)
            yield {key_and_split: instance for key_and_split, instance in known.items() if instance.result is None}
