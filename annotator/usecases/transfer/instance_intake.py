"""One run over a file: its items in batches, each prepared and written together."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from annotator.assignment.orders import queue_position
from annotator.domain.models import StoredOutput
from annotator.domain.projects import Project
from annotator.domain.sources import (
    SourceColumns,
    SourceDocument,
    SourceEvent,
    SourceInstance,
    SourceItem,
    SourceList,
    SourcePerturbation,
    SourceProject,
    SourceTraining,
)
from annotator.domain.texts import TokenizedText
from annotator.domain.word_lists import WordList
from annotator.errors import Problem
from annotator.store import Store
from annotator.store.imports import InstanceWriter, NewDocument, NewInstance, last_queue_position
from annotator.store.projects import set_labels
from annotator.store.queue import forget_cursors
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.merge import Merger
from annotator.usecases.transfer.preparation import Preparer
from annotator.usecases.transfer.review_records import Restorer

_Kind = TypeVar("_Kind")
_BATCH = 500


class Intake:
    """Takes items in the order of the file and remembers nothing between batches but the labels and numbers given."""

    def __init__(
        self,
        store: Store,
        project: Project,
        options: ImportOptions,
        report: ImportReport,
        progress: Callable[[int], None],
    ) -> None:
        self.store = store
        self.report = report
        self.progress = progress
        self.instances = InstanceWriter(store, project.id)
        self.preparer = Preparer(store, project, options, report, self.instances)
        self.merger = Merger(store, options, report, self.preparer, self.instances)
        self.restorer = Restorer(store, project)
        self.labels: set[str] = set()
        self.ordinal = last_queue_position(store, project.id)
        self.n_read = 0

    def run(self, items: Iterable[SourceItem]) -> None:
        for batch in _batches(items):
            self._take(batch)
        self._finish()

    def _take(self, batch: Sequence[SourceItem]) -> None:  # noqa: C901  (one case for each kind)
        match batch[0]:
            case Problem():
                for problem in _all(Problem, batch):
                    self.report.add_problem(problem)
            case SourceProject() as header:
                self.preparer.project = self.restorer.take_header(header)
            case SourceColumns():
                self.report.tell_columns(_all(SourceColumns, batch))
            case SourceDocument():
                self._take_documents(_all(SourceDocument, batch))
            case StoredOutput():
                self.restorer.take_outputs(_all(StoredOutput, batch), self.report)
            case WordList():
                self.restorer.take_word_lists(_all(WordList, batch))
            case SourceList():
                self.restorer.take_lists(_all(SourceList, batch), self.report)
            case SourceTraining():
                self.restorer.take_trainings(_all(SourceTraining, batch), self.report)
            case SourcePerturbation():
                self.restorer.take_perturbations(_all(SourcePerturbation, batch), self.report)
            case SourceEvent():
                self.restorer.take_events(_all(SourceEvent, batch))
            case SourceInstance():
                self._take_instances(_all(SourceInstance, batch))

    def _finish(self) -> None:
        """An empty project takes over the labels that were met; a changed queue begins anew for everybody."""
        project = self.preparer.project
        if not project.labels and self.labels and project.task.result_kind == "label":
            set_labels(self.store, project.id, sorted(self.labels))
        if self.report.n_new or self.report.n_updated:
            forget_cursors(self.store, project.id)

    def _take_documents(self, given: Sequence[SourceDocument]) -> None:
        batch = self.preparer.documents_with_known_tokens(given)
        bodies = self.preparer.bodies([(d.body, self.preparer.language_of(d.language)) for d in batch])
        new, sources = [], []
        for source, body in zip(batch, bodies, strict=True):
            if isinstance(body, TokenizedText):
                new.append(NewDocument(source.docid, body))
                sources.append(source)
            else:
                self.report.add_problem(Problem(source.source, source.line, "document", source.docid, body))
        stored, n_new = self.preparer.documents.add(new)
        self.report.n_documents += n_new
        reason = (
            "There is already a document of this name with another text or other tokens; give one of them another name."
        )
        for document, known, source in zip(new, stored, sources, strict=True):
            if known.fingerprint != document.fingerprint():
                self.report.add_problem(Problem(source.source, source.line, "docid", source.docid, reason))

    def _take_instances(self, batch: Sequence[SourceInstance]) -> None:
        additions = self._additions(batch)
        rows = [source for source in batch if id(source) not in additions]
        known = self.instances.known((source.key, source.split) for source in rows)
        prepared = self.preparer.prepare(rows, {place: there.id for place, there in known.items()})
        self.report.add_preview((p.source, p.language, sum(len(a.sets) for a in p.annotations)) for p in prepared)
        new = [p for p in prepared if (p.source.key, p.source.split) not in known]
        ids = self.instances.add(new, [self._position(instance) for instance in new])
        self.restorer.take_work(zip(ids, new, strict=True))
        self.report.n_new += len(new)
        for instance in new:
            self.report.count_annotations(len(a.sets) for a in instance.annotations)
            self.labels |= {
                r for r in (instance.source.result, *(a.result for a in instance.annotations)) if r is not None
            }
        for instance in prepared:
            there = known.get((instance.source.key, instance.source.split))
            if there is not None:
                self.merger.take_known(there, instance)
        for source in batch:
            if id(source) in additions:
                self.merger.take_addition(source)
        self.n_read += len(batch)
        self.progress(self.n_read)

    def _position(self, instance: NewInstance) -> int:
        """The place of a new instance in the queue."""
        self.ordinal += 1
        settings, source = self.preparer.project.settings, instance.source
        return queue_position(settings.order, settings.seed, self.ordinal, source.key, source.split)

    def _additions(self, batch: Sequence[SourceInstance]) -> set[int]:
        """The rows (by identity) that only add annotations to an instance that is stored, or stands before them."""
        adding = [source for source in batch if source.is_addition or not source.segments]
        known = self.instances.known((source.key, source.split) for source in adding)
        here = {(source.key, source.split) for source in batch if not source.is_addition}
        return {
            id(source)
            for source in adding
            if not source.segments or (source.key, source.split) in known or (source.key, source.split) in here
        }


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


def _all(kind: type[_Kind], batch: Sequence[SourceItem]) -> list[_Kind]:
    """The items of a batch, which are all of one kind, as that kind."""
    return [item for item in batch if isinstance(item, kind)]
