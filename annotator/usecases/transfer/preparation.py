"""From a file's rows to what is stored: texts tokenised, documents stored once, spans and results checked."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

from annotator.domain.instances import AnnotationState
from annotator.domain.projects import Project
from annotator.domain.sources import SourceAnnotation, SourceDocument, SourceInstance, SourceSpan, SourceText
from annotator.domain.texts import TokenizedText, TokenLayout
from annotator.errors import AnnotatorError, InvalidValue
from annotator.store import Store
from annotator.store.imports import (
    DocumentWriter,
    InstanceWriter,
    NewAnnotation,
    NewDocument,
    NewInstance,
    StoredDocument,
)
from annotator.store.packed_rows import fingerprint
from annotator.text.source_spans import body_reader, resolve_sets, resolve_span, widening_report
from annotator.text.tokenisation import tokenise_all
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport


@dataclass(frozen=True, slots=True)
class Part:
    """A segment on its way: its document in the store, and its text when it is at hand."""

    name: str
    is_selectable: bool
    document: StoredDocument
    body: TokenizedText | None


class Preparer:
    """Makes rows ready to be written; a row that cannot be is reported and left out."""

    def __init__(
        self, store: Store, project: Project, options: ImportOptions, report: ImportReport, instances: InstanceWriter
    ) -> None:
        self.project = project
        self.options = options
        self.report = report
        self.instances = instances
        self.documents = DocumentWriter(store, project.id)

    def prepare(
        self, batch: Sequence[SourceInstance], known: Mapping[tuple[str, str], int] = MappingProxyType({})
    ) -> list[NewInstance]:
        """known: the number of the stored instance of some (key, split): the same text keeps the tokens that it has there."""
        own = self._with_known_tokens(
            [
                (source, name, text)
                for source in batch
                for name, text in source.segments.items()
                if isinstance(text, SourceText)
            ],
            known,
        )
        bodies = self.bodies([(text, self.language_of(source.language)) for source, _, text in own])
        good = [(position, body) for position, body in enumerate(bodies) if isinstance(body, TokenizedText)]
        stored, n_new = self.documents.add([NewDocument(None, body) for _, body in good])
        self.report.n_documents += n_new
        parts: dict[tuple[int, str], tuple[StoredDocument, TokenizedText]] = {}
        failed: dict[int, str] = {id(own[p][0]): body for p, body in enumerate(bodies) if isinstance(body, str)}
        for (position, body), document in zip(good, stored, strict=True):
            parts[id(own[position][0]), own[position][1]] = (document, body)
        docids = {text for source in batch for text in source.segments.values() if isinstance(text, str)}
        named = self.documents.find(docids) if docids else {}
        prepared = (self._prepare_one(source, parts, named, failed) for source in batch)
        return [instance for instance in prepared if instance is not None]

    def _with_known_tokens(
        self, own: Sequence[tuple[SourceInstance, str, SourceText]], known: Mapping[tuple[str, str], int]
    ) -> list[tuple[SourceInstance, str, SourceText]]:
        """Texts without tokens get those of the stored instance, so that a newer tokeniser makes no other row of it."""
        stored = self.instances.bodies_of(known.values()) if known else {}

        def with_tokens(source: SourceInstance, name: str, text: SourceText) -> SourceText:
            number = known.get((source.key, source.split), 0)
            body = stored.get((number, self.language_of(source.language), name)) if text.tokens is None else None
            return SourceText(text.text, body) if body is not None and body.text == text.text else text

        return [(source, name, with_tokens(source, name, text)) for source, name, text in own]

    def documents_with_known_tokens(self, batch: Sequence[SourceDocument]) -> list[SourceDocument]:
        """The same for documents, which are known by their names."""
        bare = [document.docid for document in batch if document.body.tokens is None]
        stored = self.documents.bodies(bare) if bare else {}

        def with_tokens(document: SourceDocument) -> SourceDocument:
            body = stored.get(document.docid) if document.body.tokens is None else None
            is_same = body is not None and body.text == document.body.text
            return replace(document, body=SourceText(document.body.text, body)) if is_same else document

        return [with_tokens(document) for document in batch]

    def _prepare_one(
        self,
        source: SourceInstance,
        parts: dict[tuple[int, str], tuple[StoredDocument, TokenizedText]],
        named: dict[str, StoredDocument],
        failed: dict[int, str],
    ) -> NewInstance | None:
        if id(source) in failed:
            self.report.refuse(source, "text", source.key, failed[id(source)])
            return None
        segments: list[Part] = []
        for name in self.project.task.in_numbering_order(list(source.segments)):
            text = source.segments[name]
            spec = self.project.task.spec_of(name)
            is_selectable = spec is not None and spec.is_selectable
            if isinstance(text, str):
                if text not in named:
                    self.report.refuse(
                        source, name, text, "There is no document of this name in the file or in the project."
                    )
                    return None
                segments.append(Part(name, is_selectable, named[text], None))
            else:
                segments.append(Part(name, is_selectable, *parts[id(source), name]))
        return self._resolve(source, segments)

    def _resolve(self, source: SourceInstance, parts: Sequence[Part]) -> NewInstance | None:
        layout = TokenLayout.of([(p.name, p.is_selectable, p.document.n_tokens) for p in parts])
        if not self._check_result(source, source.result):
            return None
        body_of = body_reader({p.name: p.body or partial(self.documents.read, p.document) for p in parts})
        try:
            target = resolve_span(source.target, layout, body_of) if source.target else None
            self._count_widened(source, [source.target] if source.target else [], body_of)
            annotations = tuple(self.annotation(source, a, layout, body_of) for a in source.annotations)
        except InvalidValue as error:
            self.report.refuse(source, "rationales", source.key, str(error))
            return None
        language = self.language_of(source.language)
        settings = self.project.settings
        n_accepted = len({a.annotator for a in annotations if a.state == "accepted"})
        open_slots = max(0, settings.annotators_per_instance - n_accepted)
        return NewInstance(
            source=source,
            language=language,
            segments=tuple((p.name, p.is_selectable, p.document) for p in parts),
            target=(target.start, target.end) if target else None,
            fingerprint=fingerprint_of(source, language, [(p.name, p.document.fingerprint) for p in parts]),
            open_slots=open_slots,
            state=source.state or ("open" if open_slots else "complete"),
            annotations=annotations,
        )

    def annotation(
        self,
        source: SourceInstance,
        annotation: SourceAnnotation,
        layout: TokenLayout,
        body_of: Callable[[str], TokenizedText],
    ) -> NewAnnotation:
        result = source.result if annotation.result is None else annotation.result
        if not self._check_result(source, result):
            raise InvalidValue(
                f"The annotation of '{annotation.annotator}' has a label that the project does not have."
            )
        states: dict[str, AnnotationState] = {"accepted": "accepted", "draft": "draft", "reference": "reference"}
        state = annotation.state or states[self.options.gold]
        sets = resolve_sets(annotation, layout, body_of)
        self._count_widened(source, [span for spans in annotation.sets for span in spans], body_of)
        return NewAnnotation(
            annotation.annotator,
            result,
            sets,
            annotation.note,
            annotation.round_number,
            state,  # type: ignore[arg-type]
            annotation.created_at,
            annotation.by_user and any(w.user == annotation.annotator for w in source.work),
        )

    def _count_widened(
        self, source: SourceInstance, spans: Sequence[SourceSpan], body_of: Callable[[str], TokenizedText]
    ) -> None:
        """Count the spans of characters, and tell those that were widened since they end within a token."""
        for span in spans:
            if span.unit == "char" and span.segment:
                self.report.n_character_spans += 1
                if told := widening_report(span, body_of(span.segment)):
                    place = source.source if source.line is None else f"{source.source}, line {source.line}"
                    self.report.widened.add(f"{place}: {told}")

    def _check_result(self, source: SourceInstance, result: str | None) -> bool:
        if result is None or self.project.task.result_kind == "answer":
            return True
        if self.project.labels and result not in self.project.labels:
            allowed = ", ".join(self.project.labels)
            self.report.refuse(
                source,
                "label",
                result,
                f"The project's labels are {allowed}; add this one to them, or correct the row.",
            )
            return False
        return True

    def language_of(self, said: str | None) -> str:
        return said or self.options.language or self.project.language

    def bodies(self, wanted: Sequence[tuple[SourceText, str]]) -> list[TokenizedText | str]:
        """Each text with its tokens, or the reason why it has none."""
        found: list[TokenizedText | str] = [source.tokens or "" for source, _ in wanted]
        by_language: dict[str, list[int]] = {}
        for position, (source, language) in enumerate(wanted):
            if source.tokens is None:
                by_language.setdefault(language, []).append(position)
        for language, positions in by_language.items():
            texts = [wanted[position][0].text for position in positions]
            for position, body in zip(positions, _tokenised(texts, language), strict=True):
                found[position] = body
        return found


def _tokenised(texts: Sequence[str], language: str) -> list[TokenizedText | str]:
    """Each text tokenised; a text that cannot be gives the reason instead."""
    try:
        return list(tokenise_all(texts, language))
    except AnnotatorError:
        return [_tokenised_alone(text, language) for text in texts]


def _tokenised_alone(text: str, language: str) -> TokenizedText | str:
    try:
        return next(iter(tokenise_all([text], language)))
    except AnnotatorError as error:
        return str(error)


def fingerprint_of(source: SourceInstance, language: str, parts: Sequence[tuple[str, bytes]]) -> bytes:
    """What makes two rows of one key the same row: everything but the annotations. parts: (segment, document's print)."""
    target = source.target and (source.target.segment, source.target.start, source.target.end, source.target.unit)
    said = (language, source.result, source.parent_key, source.perturbation_kind, source.is_exhaustive, target)
    content = json.dumps((*said, dict(source.metadata)), sort_keys=True, ensure_ascii=False)
    return fingerprint(content, *(piece for part in parts for piece in part))
