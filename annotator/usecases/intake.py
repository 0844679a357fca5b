"""One run over a file: documents and instances in batches, tokenised, checked and written together."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from annotator.assignment.orders import queue_position
from annotator.domain.instances import AnnotationState
from annotator.domain.projects import Project
from annotator.domain.sources import (
    Problem,
    SourceAnnotation,
    SourceDocument,
    SourceEvent,
    SourceInstance,
    SourceItem,
    SourceProject,
    SourceText,
)
from annotator.domain.texts import TokenizedText, TokenLayout
from annotator.errors import AnnotatorError, InvalidValue
from annotator.store import Store
from annotator.store.annotations import annotations_of, count_accepted, replace_annotation
from annotator.store.imports import (
    DocumentWriter,
    InstanceWriter,
    KnownInstance,
    NewAnnotation,
    NewDocument,
    NewInstance,
    StoredDocument,
    last_queue_position,
    limit_slots,
)
from annotator.store.instances import get_instance, set_result
from annotator.store.packing import fingerprint
from annotator.store.projects import update_project
from annotator.text.tokenise import tokenise_all
from annotator.usecases.resolving import body_reader, resolve_sets, resolve_span
from annotator.usecases.restoring import Restorer

_BATCH = 500
GoldMode = Literal["accepted", "draft", "reference"]
GOLD_MODES: tuple[GoldMode, ...] = ("accepted", "draft", "reference")
_SHOWN_PROBLEMS = 200
_SHOWN_ROWS = 8


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How a file is taken.

    gold: how annotations of the file are stored (accepted; as drafts to correct; as reference only).
    update: changed rows of known keys overwrite. skip_invalid: store the good rows and list the rest.
    """

    gold: GoldMode = "accepted"
    split: str | None = None
    language: str | None = None
    key_prefix: str = ""
    update: bool = False
    dry_run: bool = False
    skip_invalid: bool = False


@dataclass(slots=True)
class ImportReport:
    """What an import did, or would do."""

    n_new: int = 0
    n_unchanged: int = 0
    n_updated: int = 0
    n_documents: int = 0
    n_annotations: int = 0
    n_sets: int = 0
    n_problems: int = 0
    n_warnings: int = 0
    problems: list[Problem] = field(default_factory=list)
    is_dry_run: bool = False
    preview: list[dict[str, object]] = field(default_factory=list)

    def add_problem(self, problem: Problem) -> None:
        """Count a problem; the first 200 are kept to be shown."""
        if problem.is_warning:
            self.n_warnings += 1
        else:
            self.n_problems += 1
        if len(self.problems) < _SHOWN_PROBLEMS:
            self.problems.append(problem)


@dataclass(frozen=True, slots=True)
class Part:
    """A segment on its way: its document in the store, and its text when it is at hand."""

    name: str
    is_selectable: bool
    document: StoredDocument
    body: TokenizedText | None


class Intake:
    """One run over a file: batches of documents and instances, tokenised and written together."""

    def __init__(
        self,
        store: Store,
        project: Project,
        options: ImportOptions,
        report: ImportReport,
        progress: Callable[[int], None],
    ) -> None:
        self.store = store
        self.project = project
        self.options = options
        self.report = report
        self.progress = progress
        self.documents = DocumentWriter(store, project.id)
        self.instances = InstanceWriter(store, project.id)
        self.restorer = Restorer(store, project)
        self.labels: dict[str, None] = {}
        self.n_read = 0
        self.ordinal = last_queue_position(store, project.id)

    def run(self, items: Iterable[SourceItem]) -> None:
        for batch in _batches(items):
            match batch[0]:
                case Problem():
                    for problem in batch:
                        self.report.add_problem(problem)  # type: ignore[arg-type]
                case SourceProject() as header:
                    self.project = self.restorer.take_header(header)
                case SourceDocument():
                    self._take_documents(batch)  # type: ignore[arg-type]
                case SourceEvent():
                    self.restorer.take_events(batch)  # type: ignore[arg-type]
                case SourceInstance():
                    self._take_instances(batch)  # type: ignore[arg-type]
        if not self.project.labels and self.labels:
            update_project(self.store, replace(self.project, labels=tuple(sorted(self.labels))))

    # -- documents

    def _take_documents(self, batch: Sequence[SourceDocument]) -> None:
        bodies = self._bodies([(d.body, self._language(d.language)) for d in batch])
        new, sources = [], []
        for source, body in zip(batch, bodies, strict=True):
            if isinstance(body, TokenizedText):
                new.append(NewDocument(source.docid, body))
                sources.append(source)
            else:
                self.report.add_problem(Problem(source.source, source.line, "document", source.docid, body))
        stored, n_new = self.documents.add(new)
        self.report.n_documents += n_new
        for document, known, source in zip(new, stored, sources, strict=True):
            if known.fingerprint != document.fingerprint():
                self.report.add_problem(
                    Problem(
                        source.source, source.line, "docid", source.docid,
                        "a document of this name with another text or other tokens is in the project already; "
                        "give one of them another name",
                    )
                )  # fmt: skip

    def _language(self, said: str | None) -> str:
        return said or self.options.language or self.project.language

    def _bodies(self, wanted: Sequence[tuple[SourceText, str]]) -> list[TokenizedText | str]:
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

    # -- instances

    def _take_instances(self, batch: Sequence[SourceInstance]) -> None:
        joins = [source for source in batch if not source.segments]
        whole = [source for source in batch if source.segments]
        prepared = self._prepare(whole)
        self._add_preview(prepared)
        known = self.instances.known((p.source.key, p.source.split) for p in prepared)
        new = [p for p in prepared if (p.source.key, p.source.split) not in known]
        ids = self.instances.add(new)
        self.restorer.take_work(zip(ids, new, strict=True))
        self.report.n_new += len(new)
        for instance in new:
            self._count_annotations(instance.annotations)
        for instance in prepared:
            there = known.get((instance.source.key, instance.source.split))
            if there is not None:
                self._take_known(there, instance)
        for source in joins:
            self._take_join(source)
        self.n_read += len(batch)
        self.progress(self.n_read)

    def _add_preview(self, prepared: Sequence[NewInstance]) -> None:
        """The first rows, as they would be stored, for the person to look at."""
        for instance in prepared[: _SHOWN_ROWS - len(self.report.preview)]:
            source = instance.source
            texts = {n: t if isinstance(t, str) else t.text[:120] for n, t in source.segments.items()}
            sets = sum(len(a.sets) for a in instance.annotations)
            said = {"key": source.key, "split": source.split, "language": instance.language, "result": source.result}
            self.report.preview.append({**said, "sets": sets, **texts})

    def _prepare(self, batch: Sequence[SourceInstance]) -> list[NewInstance]:
        own = [
            (source, name, text)
            for source in batch
            for name, text in source.segments.items()
            if isinstance(text, SourceText)
        ]
        bodies = self._bodies([(text, self._language(source.language)) for source, _, text in own])
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

    def _prepare_one(
        self,
        source: SourceInstance,
        parts: dict[tuple[int, str], tuple[StoredDocument, TokenizedText]],
        named: dict[str, StoredDocument],
        failed: dict[int, str],
    ) -> NewInstance | None:
        if id(source) in failed:
            self._refuse(source, "text", source.key, failed[id(source)])
            return None
        segments: list[Part] = []
        for name in self.project.task.in_numbering_order(list(source.segments)):
            text = source.segments[name]
            spec = self.project.task.spec_of(name)
            is_selectable = spec is not None and spec.is_selectable
            if isinstance(text, str):
                if text not in named:
                    self._refuse(source, name, text, "there is no document of this name in the file or the project")
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
            annotations = tuple(self._annotation(source, a, layout, body_of) for a in source.annotations)
        except InvalidValue as error:
            self._refuse(source, "rationales", source.key, str(error))
            return None
        language = self._language(source.language)
        settings = self.project.settings
        n_accepted = len({a.annotator for a in annotations if a.state == "accepted"})
        open_slots = max(0, settings.annotators_per_instance - n_accepted)
        self.ordinal += 1
        return NewInstance(
            source=source,
            language=language,
            segments=tuple((p.name, p.is_selectable, p.document) for p in parts),
            target=(target.start, target.end) if target else None,
            fingerprint=_fingerprint(source, language, parts),
            queue_position=queue_position(settings.order, settings.seed, self.ordinal, source.key, source.split),
            open_slots=open_slots,
            state=source.state or ("open" if open_slots else "complete"),
            annotations=annotations,
        )

    def _annotation(
        self,
        source: SourceInstance,
        annotation: SourceAnnotation,
        layout: TokenLayout,
        body_of: Callable[[str], TokenizedText],
    ) -> NewAnnotation:
        result = source.result if annotation.result is None else annotation.result
        if not self._check_result(source, result):
            raise InvalidValue(f"the annotation of '{annotation.annotator}' has a label that the project does not have")
        states: dict[str, AnnotationState] = {"accepted": "accepted", "draft": "draft", "reference": "reference"}
        state = annotation.state or states[self.options.gold]
        sets = resolve_sets(annotation, layout, body_of)
        return NewAnnotation(
            annotation.annotator,
            result,
            sets,
            annotation.note,
            annotation.round_number,
            state,  # type: ignore[arg-type]
        )

    def _check_result(self, source: SourceInstance, result: str | None) -> bool:
        if result is None or self.project.task.result_kind == "answer":
            return True
        if self.project.labels and result not in self.project.labels:
            allowed = ", ".join(self.project.labels)
            self._refuse(source, "label", result, f"the project's labels are {allowed}; add it to them or mend the row")
            return False
        self.labels[result] = None
        return True

    def _refuse(self, source: SourceInstance, name: str, value: str, reason: str) -> None:
        self.report.add_problem(Problem(source.source, source.line, name, value, reason))

    # -- rows that are known already

    def _take_known(self, there: KnownInstance, instance: NewInstance) -> None:
        source = instance.source
        is_changed = there.fingerprint != instance.fingerprint
        if is_changed and not self.options.update:
            reason = "this key is in the project with other content; repeat with --update to overwrite it"
            self._refuse(source, "id", source.key, reason)
            return
        if is_changed and there.n_annotations and not self._texts_equal(there.id, instance):
            reason = f"its text changed, but it has {there.n_annotations} annotation(s) on the old tokens; give it another key"
            self._refuse(source, "id", source.key, reason)
            return
        if is_changed:
            self.instances.update(there.id, instance)
        wrote = self._merge_annotations(there.id, source, instance.annotations)
        if is_changed or wrote:
            self.report.n_updated += 1
        else:
            self.report.n_unchanged += 1

    def _texts_equal(self, instance_id: int, instance: NewInstance) -> bool:
        return self.instances.documents_of(instance_id) == [(name, d.id) for name, _, d in instance.segments]

    def _take_join(self, source: SourceInstance) -> None:
        """An annotation for an instance that is stored already: the file has no text of it."""
        there = self.instances.known([(source.key, source.split)]).get((source.key, source.split))
        if there is None:
            reason = "no instance of this key is in the project; import the file with its texts first (or give --split)"
            self._refuse(source, "id", source.key, reason)
            return
        stored = get_instance(self.store, there.id)
        body_of = body_reader({s.name: s.body for s in stored.segments})
        try:
            annotations = [self._annotation(source, a, stored.layout, body_of) for a in source.annotations]
        except InvalidValue as error:
            self._refuse(source, "rationales", source.key, str(error))
            return
        if source.result is not None and stored.result is None:
            set_result(self.store, there.id, source.result)
        if self._merge_annotations(there.id, source, annotations):
            self.report.n_updated += 1
        else:
            self.report.n_unchanged += 1

    def _merge_annotations(self, instance_id: int, source: SourceInstance, new: Sequence[NewAnnotation]) -> bool:
        """Add annotations that are not there yet; answers whether anything was written."""
        stored = {(a.annotator, a.round_number): a for a in annotations_of(self.store, [instance_id])[instance_id]}
        wrote = False
        for annotation in new:
            there = stored.get((annotation.annotator, annotation.round_number))
            if there is None:
                self.instances.add_annotations([(instance_id, [annotation])])
                self._count_annotations([annotation])
            elif (there.result, there.sets, there.note) == (annotation.result, annotation.sets, annotation.note):
                continue
            elif self.options.update and there.user_id is None:
                replace_annotation(
                    self.store, there.id, state=annotation.state, result=annotation.result, sets=annotation.sets,
                    note=annotation.note,
                )  # fmt: skip
            else:
                reason = f"'{annotation.annotator}' annotated this instance otherwise already; repeat with --update to overwrite"
                self._refuse(source, "rationales", source.key, reason)
                continue
            wrote = True
        if wrote:
            self._settle_slots(instance_id)
        return wrote

    def _settle_slots(self, instance_id: int) -> None:
        """Gold that joined later takes the slots it fills."""
        wanted = self.project.settings.annotators_per_instance
        limit_slots(self.store, instance_id, max(0, wanted - count_accepted(self.store, instance_id)))

    def _count_annotations(self, annotations: Sequence[NewAnnotation]) -> None:
        self.report.n_annotations += len(annotations)
        self.report.n_sets += sum(len(a.sets) for a in annotations)


def _batches(items: Iterable[SourceItem]) -> Iterator[list[SourceItem]]:
    """Neighbouring items of one kind, at most 500 together."""
    batch: list[SourceItem] = []
    for item in items:
        if batch and (len(batch) >= _BATCH or type(item) is not type(batch[0])):
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


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


def _fingerprint(source: SourceInstance, language: str, parts: Sequence[Part]) -> bytes:
    """What makes two rows of one key the same row: everything but the annotations."""
    said = (
        language, source.result, source.parent_key, source.perturbation_kind, source.is_exhaustive,
        source.target and (source.target.segment, source.target.start, source.target.end, source.target.unit),
        dict(source.metadata),
    )  # fmt: skip
    content = json.dumps(said, sort_keys=True, ensure_ascii=False)
    return fingerprint(content, *(piece for p in parts for piece in (p.name, p.document.fingerprint)))
