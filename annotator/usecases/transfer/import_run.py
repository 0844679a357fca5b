"""One run over a file: its items in batches of neighbours, each gathered, planned and written."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from annotator.assignment.orders import queue_position
from annotator.domain.imports import InstancePlan, KnownInstance, NewInstance, Place
from annotator.domain.models import SourceOutput, StoredOutput
from annotator.domain.own_sources import (
    SourceAudit,
    SourceEvent,
    SourceFrozen,
    SourceList,
    SourcePerturbation,
    SourceProject,
    SourceQualification,
    SourceRelease,
    SourceSufficientSets,
    SourceTraining,
    SourceView,
)
from annotator.domain.projects import Project
from annotator.domain.sources import SourceColumns, SourceDocument, SourceInstance, SourceItem
from annotator.domain.suites import WordList
from annotator.errors import Problem
from annotator.store import Store
from annotator.store.annotate.instance_queue import begin_anew
from annotator.store.models import RunFinder, write_outputs
from annotator.store.projects import set_labels
from annotator.store.transfer.known_rows import instances_at, last_document, last_instance, last_queue_position
from annotator.store.transfer.planned_rows import add_documents, remove_unshown, write_plan
from annotator.usecases.transfer.full_export_records import ReleaseRestorer, Restorer, take_qualification
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.instance_plan import (
    Upcoming,
    apart,
    divide,
    plan_additions,
    plan_documents,
    plan_instances,
)
from annotator.usecases.transfer.output_plan import LaidRow, QuoteCounts, outputs_by_run, plan_outputs, rounds_of
from annotator.usecases.transfer.output_preparation import gather_instances, gather_outputs, lay_rows
from annotator.usecases.transfer.preparation import (
    MajorityLabels,
    gather_additions,
    gather_documents,
    gather_rows,
    gather_texts,
    prepare_documents,
    prepare_rows,
)
from annotator.usecases.transfer.text_index import TextIndex

Item = SourceItem | SourceOutput
KnownPlaces = Mapping[Place, KnownInstance]
_BATCH = 500
# So few that a batch stays in a processor's cache, and makes fewer objects than wake the garbage collector (700), which of
# 20,000 rows looked 200 times through what was still in use, for a tenth of the time.
_OUTPUT_BATCH = 50
_OUTPUT_REPEATS = 10  # rows of a run for an instance, such as one for each label, on average


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
        self.project = project
        self.options = options
        self.report = report
        self.progress = progress
        self.records = Restorer(store, project)
        self.releases = ReleaseRestorer(store, project.id, is_wanted=self.records.was_empty)
        self.runs = RunFinder(store, project.id)
        self.by_text = TextIndex(store, project, options.all_doubles)
        self.quotes = QuoteCounts()
        self.majority = MajorityLabels(options.majority_labels, last_instance(store))
        self.labels: set[str] = set()
        self.unshown: set[str] = set()
        self.worked_on: set[int] = set()
        self.n_own_spacing = 0
        self.is_queue_changed = False
        self.last_document = last_document(store)
        self.ordinal = last_queue_position(store, project.id)
        self.n_read = 0

    def run(self, items: Iterable[Item]) -> None:
        upcoming = Upcoming(items)
        while upcoming.first is not None:
            self._take(upcoming)
        self._finish()

    def _take(self, upcoming: Upcoming[Item]) -> None:
        match upcoming.first:
            case SourceInstance():
                self._take_instances(upcoming.batch(SourceInstance, _BATCH))
            case SourceOutput():
                self._take_outputs(upcoming.batch(SourceOutput, _OUTPUT_BATCH, _run_and_place, _OUTPUT_REPEATS))
            case SourceDocument():
                self._take_documents(upcoming.batch(SourceDocument, _BATCH))
            case SourceRelease() | SourceFrozen():
                self._take_releases(upcoming)
            case Problem():
                for problem in upcoming.batch(Problem, _BATCH):
                    self.report.add_problem(problem)
            case SourceColumns():
                self.report.tell_columns(upcoming.batch(SourceColumns, _BATCH))
            case _:
                self._take_records(upcoming)

    def _take_records(self, upcoming: Upcoming[Item]) -> None:  # noqa: C901  (a case for each)
        """What only our own export brings."""
        match upcoming.first:
            case SourceProject():
                for header in upcoming.batch(SourceProject, 1):
                    self.project = self.records.take_header(header)
            case StoredOutput():
                self.records.take_outputs(upcoming.batch(StoredOutput, _BATCH), self.report)
            case WordList():
                self.records.take_word_lists(upcoming.batch(WordList, _BATCH))
            case SourceList():
                self.records.take_lists(upcoming.batch(SourceList, _BATCH), self.report)
            case SourceView():
                self.records.take_views(upcoming.batch(SourceView, _BATCH))
            case SourceQualification():
                take_qualification(self.store, self.project, upcoming.batch(SourceQualification, _BATCH), self.report)
            case SourceSufficientSets():
                self.records.take_sufficient_sets(upcoming.batch(SourceSufficientSets, _BATCH), self.report)
            case SourceTraining():
                self.records.take_trainings(upcoming.batch(SourceTraining, _BATCH), self.report)
            case SourcePerturbation() | SourceAudit():
                self._take_versions(upcoming)
            case SourceEvent():
                self.records.take_events(upcoming.batch(SourceEvent, _BATCH))
            case _:
                upcoming.batch(object, 1)  # what no case is for is passed over, not waited for

    def _take_versions(self, upcoming: Upcoming[Item]) -> None:
        """Changed versions that were written here, and the audits of them that follow."""
        self.records.take_perturbations(upcoming.batch(SourcePerturbation, _BATCH), self.report)
        self.records.take_audits(upcoming.batch(SourceAudit, _BATCH), self.report)

    def _take_releases(self, upcoming: Upcoming[Item]) -> None:
        for release in upcoming.batch(SourceRelease, 1):
            self.releases.take(release, self.report)
        self.releases.take_gold(upcoming.batch(SourceFrozen, _BATCH), self.report)

    def _finish(self) -> None:
        """An empty project takes over the labels that were met; a changed queue begins anew for everybody."""
        if not self.project.labels and self.labels and self.project.task.result_kind == "label":
            set_labels(self.store, self.project.id, sorted(self.labels))
        self.releases.check(self.report)
        if self.unshown:
            self.report.n_documents -= remove_unshown(
                self.store, self.project.id, self.unshown, after=self.last_document
            )
        self.report.notes += filter(None, [self.report.repeated_words])
        self.report.tell_own_spacing(self.n_own_spacing)
        self.report.tell_numbered()
        self.report.tell_unknown_guidelines(self.records.n_unknown_versions)
        self.report.notes += self.by_text.notes()
        self.report.notes += self.quotes.notes()
        self.majority.settle(self.store, self.project, self.report)
        if self.is_queue_changed:
            begin_anew(self.store, self.project.id, self.worked_on)

    def _take_documents(self, batch: Sequence[SourceDocument]) -> None:
        texts, prints = gather_documents(self.store, self.project, batch)
        plan = plan_documents(batch, prepare_documents(batch, texts, self._language), prints)
        add_documents(self.store, self.project.id, plan.new)
        self.report.count_documents(plan)

    def _take_instances(self, batch: Sequence[SourceInstance]) -> None:
        batch = [self.records.with_known_versions(source) for source in batch]
        self.report.count_numbered(batch)
        self.majority.note(batch)
        adding = [source.place for source in batch if source.is_addition]
        rows, additions = divide(batch, self._known(adding) if adding else {})
        for some, known in self._apart(rows):
            self._take_rows(some, known)
        for some, known in self._apart(additions):
            known_additions = gather_additions(self.store, some, known)
            self._write(plan_additions(some, known_additions, self.project, self.options))
        self._tell_progress(len(batch))

    def _take_rows(self, rows: Sequence[SourceInstance], known: KnownPlaces) -> None:
        texts = gather_texts(self.store, self.project, rows, known)
        prepared = prepare_rows(rows, texts, self.project, self._language)
        known_rows = gather_rows(self.store, prepared, known)
        plan = plan_instances(prepared, known_rows, self.project, self.options)
        self._write(plan)

    def _write(self, plan: InstancePlan) -> None:
        positions = [self._position(instance) for instance in plan.new]
        written = write_plan(self.store, self.project.id, plan, positions)
        self.report.n_documents += written.n_documents
        self.report.count_planned(plan)
        self.majority.note_changes(plan)
        self.worked_on.update(written.worked_on)
        self.labels |= plan.labels
        self.unshown |= plan.unshown
        self.n_own_spacing += plan.n_own_spacing
        self.is_queue_changed |= bool(plan.new or plan.n_updated)

    def _take_outputs(self, batch: Sequence[SourceOutput]) -> None:
        matched, without_instance = gather_instances(self.store, self.project, batch, self.by_text)
        laid_rows, unfit = lay_rows(self.store, self.project, matched, self.options.merge)
        for problem in (*without_instance, *unfit):
            self.report.add_problem(problem)
        for row in laid_rows:
            self.quotes.add(row.output)
        self.report.count_reach(
            (row.output for row in laid_rows), {match.instance.id: match.instance.key for match in matched}
        )
        for rows in rounds_of(laid_rows):
            self._write_outputs(rows)
        self._tell_progress(len(batch))

    def _write_outputs(self, rows: Sequence[LaidRow]) -> None:
        by_run = outputs_by_run(rows)
        plan = plan_outputs(rows, by_run, gather_outputs(self.runs, by_run), self.options)
        for run, changes in plan.changes.items():
            write_outputs(self.store, self.runs.id_of(run), [change.output for change in changes])
        self.report.count_outputs(plan)

    def _tell_progress(self, n: int) -> None:
        self.n_read += n
        self.progress(self.n_read)

    def _apart(self, batch: Sequence[SourceInstance]) -> Iterator[tuple[list[SourceInstance], KnownPlaces]]:
        """Rows of which no two are of one instance, with what is stored under their keys when they are taken."""
        known = self._known([source.place for source in batch])
        taken: set[int | Place] = set()
        for rows in apart(batch, partial(_instance_of, known)):
            again = [source.place for source in rows if _instance_of(known, source) in taken]
            taken |= {_instance_of(known, source) for source in rows}
            yield rows, {**known, **self._known(again)} if again else known

    def _known(self, places: Sequence[Place]) -> dict[Place, KnownInstance]:
        """What is stored now under some places of a file."""
        return instances_at(self.store, self.project.id, places)

    @property
    def _language(self) -> str:
        """Of texts whose row names none."""
        return self.options.language or self.project.language

    def _position(self, instance: NewInstance) -> int:
        """The place of a new instance in the queue; of a whole project's own export what was put first comes first again."""
        self.ordinal += 1
        settings, source = self.project.settings, instance.source
        if source.put_first is not None and self.records.was_empty and settings.model_order is not None:
            return source.put_first
        return queue_position(settings.order, settings.seed, self.ordinal, source.key, source.split)


def _instance_of(known: KnownPlaces, source: SourceInstance) -> int | Place:
    """What tells a row's instance from others: its number, where it is stored."""
    stored = known.get(source.place)
    return source.place if stored is None else stored.id


def _run_and_place(row: SourceOutput) -> int:
    """What tells a row from others of its batch: a run that speaks of an instance several times does so in several rounds."""
    return hash((row.run, row.key, row.split, row.input))
