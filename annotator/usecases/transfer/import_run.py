"""One run over a file: its items in batches of neighbours, each gathered, planned and written."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import NamedTuple

from annotator.assignment.orders import queue_position
from annotator.domain import models, own_sources
from annotator.domain.imports import InstancePlan, KeyedInstance, KnownInstance, NewInstance, Place
from annotator.domain.instances import Instance, Places
from annotator.domain.projects import Project
from annotator.domain.sources import SourceColumns, SourceDocument, SourceInstance, SourceItem
from annotator.domain.suites import WordList
from annotator.errors import InvalidValue, Problem
from annotator.store import Store
from annotator.store.annotate.instance_queue import begin_anew
from annotator.store.instances import get_instances, instances_of_keys, places_of
from annotator.store.models import RunFinder, known_outputs, write_outputs
from annotator.store.projects import set_labels
from annotator.store.transfer import import_rows as import_rows_store
from annotator.text.search import quotes_on_tokens
from annotator.text.subword_scores import How, attribution_on_tokens, rationale_on_tokens, scores_on_same_tokens
from annotator.usecases.transfer import instance_plan, output_plan, preparation
from annotator.usecases.transfer.full_export_records import ReleaseRestorer, Restorer, take_qualification
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.text_index import TextIndex, TextMatch

# From rows of model output to their instances, with the scores laid on the tokens.


class Matched(NamedTuple):
    """A row and its instance. are_edges_open: the punctuation at the ends of their texts may differ."""

    row: models.SourceOutput
    instance: KeyedInstance
    are_edges_open: bool = False


def gather_instances(
    store: Store, project: Project, rows: Sequence[models.SourceOutput], by_text: TextIndex
) -> tuple[list[Matched], list[Problem]]:
    """Each row with its instance; and the rows that have none. by_text: finds those of rows without keys."""
    known = instances_of_keys(store, project.id, list({row.key for row in rows}))
    matched: list[Matched] = []
    problems: list[Problem] = []
    for row in rows:
        instances = _instances_of(row, known.get(row.key, ()), by_text)
        if isinstance(instances, Problem):
            problems.append(instances)
        else:
            matched += [Matched(row, instance, instances.are_edges_open) for instance in instances.instances]
    return matched, problems


def _instances_of(row: models.SourceOutput, known: Sequence[KeyedInstance], by_text: TextIndex) -> TextMatch | Problem:
    """The instances of a row: by its text where it has no key, or by its text's number where the model saw a beginning."""
    instance = output_plan.match_instance(row, known)
    if row.input is None or (row.input.has_key and not isinstance(instance, Problem)):
        return instance if isinstance(instance, Problem) else TextMatch([instance])
    match = by_text.match(row, row.input)
    if match is not None:
        return match
    if isinstance(instance, Problem):
        return instance if row.input.has_key else by_text.unknown(row, row.input)
    return TextMatch([instance]) if by_text.begins(instance, row.input) else by_text.unknown(row, row.input)


def gather_outputs(runs: RunFinder, by_run: output_plan.ByRun) -> dict[models.Run, Mapping[int, models.Output]]:
    """What some runs say already of the instances that a batch speaks of."""
    numbers = {run: runs.find(run) for run in by_run}
    return {
        run: known_outputs(runs.store, number, dict.fromkeys([output.instance_id for _, output in by_run[run]]))
        for run, number in numbers.items()
        if number is not None
    }


def lay_rows(
    store: Store, project: Project, matched: Sequence[Matched], how: How
) -> tuple[list[output_plan.LaidRow], list[Problem]]:
    """The rows that can be taken, on their instances' tokens; and those that cannot.

    how: the scores of one token's subwords are joined
    """
    tokens = _Tokens(store, matched)
    laid_rows: list[output_plan.LaidRow] = []
    problems: list[Problem] = []
    for row, instance, are_edges_open in matched:
        if faults := output_plan.faults_of(row, project):
            problems += faults
            continue
        try:
            attributions = [_laid(source, instance, tokens, how, are_edges_open) for source in row.attributions]
            rationales = tokens.rationales(row, instance.id) if row.rationales else ()
            laid_rows.append(
                output_plan.LaidRow(row, models.Output(instance.id, row.predictions, tuple(attributions), rationales))
            )
        except InvalidValue as error:
            problems.append(output_plan.refusal(row, "scores", row.key, str(error)))
    return laid_rows, problems


def _laid(
    source: models.SourceAttribution, instance: KeyedInstance, tokens: "_Tokens", how: How, are_edges_open: bool
) -> models.Attribution:
    """An attribution on its instance's tokens; of an answer that was written also each of its subwords.

    Where the source's scores are of subwords of the text, the means are taken over what came of these: joining is no sum.
    """
    as_it_is = scores_on_same_tokens(source, instance.n_tokens, instance.n_selectable)
    attribution = as_it_is or tokens.scores(source, instance.id, how, are_edges_open)
    if source.written is None:
        return attribution
    steps = tuple(_laid(step, instance, tokens, how, are_edges_open).scores for step in source.written.steps)
    written = models.Written(source.written.subwords, steps, source.written.earlier, source.written.facts)
    if all(part.subwords is None for part in source.parts):
        return replace(attribution, written=written)
    means = tuple(sum(of_token) / len(steps) for of_token in zip(*steps, strict=True))
    return replace(attribution, scores=means, written=written)


class _Tokens:
    """Lays what takes more to know of its instance than its size; that is read for all rows when the first asks for it."""

    def __init__(self, store: Store, matched: Sequence[Matched]) -> None:
        self._store = store
        self._matched = matched

    def scores(
        self, source: models.SourceAttribution, instance_id: int, how: How, are_edges_open: bool
    ) -> models.Attribution:
        return attribution_on_tokens(
            source, self._places[instance_id], lambda: self._texts[instance_id], how, are_edges_open=are_edges_open
        )

    def rationales(self, row: models.SourceOutput, instance_id: int) -> tuple[models.MachineRationale, ...]:
        return tuple(
            rationale_on_tokens(source, self._places[instance_id])
            if source.quotes is None
            else quotes_on_tokens(source.quotes, self._texts[instance_id], source.sets)
            for source in row.rationales
        )

    @cached_property
    def _places(self) -> dict[int, Places]:
        """How each instance numbers its tokens."""
        return places_of(self._store, sorted({instance.id for _, instance, _ in self._matched}))

    @cached_property
    def _texts(self) -> dict[int, Instance]:
        """The instances of which subwords or quotes have to be found in the texts."""
        return get_instances(
            self._store, sorted({instance.id for row, instance, _ in self._matched if _is_by_text(row)})
        )


def _is_by_text(row: models.SourceOutput) -> bool:
    parts = (part for attribution in row.attributions for part in attribution.parts)
    return any(part.subwords is not None for part in parts) or any(r.quotes is not None for r in row.rationales)


Item = SourceItem | models.SourceOutput
KnownPlaces = Mapping[Place, KnownInstance]
_BATCH = 500
# So few that a batch stays in a processor's cache, and makes fewer objects than wake the garbage collector (700), which of
# 20,000 rows looked 200 times through what was still in use, for a tenth of the time.
_OUTPUT_BATCH = 50
_OUTPUT_REPEATS = 10  # rows of a run for an instance, such as one for each label, on average


@dataclass
class Intake:
    """Takes items in the order of the file and remembers nothing between batches but the labels and numbers given."""

    store: Store
    project: Project
    options: ImportOptions
    report: ImportReport
    progress: Callable[[int], None]

    def __post_init__(self) -> None:
        store, project, options = self.store, self.project, self.options
        self.records = Restorer(store, project)
        self.releases = ReleaseRestorer(store, project.id, is_wanted=self.records.was_empty)
        self.runs = RunFinder(store, project.id)
        self.by_text = TextIndex(store, project, options.all_doubles)
        self.quotes = output_plan.QuoteCounts()
        self.majority = preparation.MajorityLabels(options.majority_labels, import_rows_store.last_instance(store))
        self.labels: set[str] = set()
        self.unshown: set[str] = set()
        self.worked_on: set[int] = set()
        self.n_own_spacing = 0
        self.is_queue_changed = False
        self.last_document = import_rows_store.last_document(store)
        self.ordinal = import_rows_store.last_queue_position(store, project.id)
        self.n_read = 0

    def run(self, items: Iterable[Item]) -> None:
        upcoming = instance_plan.Upcoming(items)
        while upcoming.first is not None:
            self._take(upcoming)
        self._finish()

    def _take(self, upcoming: instance_plan.Upcoming[Item]) -> None:
        match upcoming.first:
            case SourceInstance():
                self._take_instances(upcoming.batch(SourceInstance, _BATCH))
            case models.SourceOutput():
                self._take_outputs(upcoming.batch(models.SourceOutput, _OUTPUT_BATCH, _run_and_place, _OUTPUT_REPEATS))
            case SourceDocument():
                self._take_documents(upcoming.batch(SourceDocument, _BATCH))
            case own_sources.SourceRelease() | own_sources.SourceFrozen():
                self._take_releases(upcoming)
            case Problem():
                for problem in upcoming.batch(Problem, _BATCH):
                    self.report.add_problem(problem)
            case SourceColumns():
                self.report.tell_columns(upcoming.batch(SourceColumns, _BATCH))
            case _:
                self._take_records(upcoming)

    def _take_records(self, upcoming: instance_plan.Upcoming[Item]) -> None:  # noqa: C901  (a case for each)
        """What only our own export brings."""
        match upcoming.first:
            case own_sources.SourceProject():
                for header in upcoming.batch(own_sources.SourceProject, 1):
                    self.project = self.records.take_header(header)
            case models.StoredOutput():
                self.records.take_outputs(upcoming.batch(models.StoredOutput, _BATCH), self.report)
            case WordList():
                self.records.take_word_lists(upcoming.batch(WordList, _BATCH))
            case own_sources.SourceList():
                self.records.take_lists(upcoming.batch(own_sources.SourceList, _BATCH), self.report)
            case own_sources.SourceView():
                self.records.take_views(upcoming.batch(own_sources.SourceView, _BATCH))
            case own_sources.SourceQualification():
                take_qualification(
                    self.store, self.project, upcoming.batch(own_sources.SourceQualification, _BATCH), self.report
                )
            case own_sources.SourceSufficientSets():
                self.records.take_sufficient_sets(upcoming.batch(own_sources.SourceSufficientSets, _BATCH), self.report)
            case own_sources.SourceTraining():
                self.records.take_trainings(upcoming.batch(own_sources.SourceTraining, _BATCH), self.report)
            case own_sources.SourcePerturbation() | own_sources.SourceAudit():
                self._take_versions(upcoming)
            case own_sources.SourceEvent():
                self.records.take_events(upcoming.batch(own_sources.SourceEvent, _BATCH))
            case _:
                upcoming.batch(object, 1)  # what no case is for is passed over, not waited for

    def _take_versions(self, upcoming: instance_plan.Upcoming[Item]) -> None:
        """Changed versions that were written here, and the audits of them that follow."""
        self.records.take_perturbations(upcoming.batch(own_sources.SourcePerturbation, _BATCH), self.report)
        self.records.take_audits(upcoming.batch(own_sources.SourceAudit, _BATCH), self.report)

    def _take_releases(self, upcoming: instance_plan.Upcoming[Item]) -> None:
        for release in upcoming.batch(own_sources.SourceRelease, 1):
            self.releases.take(release, self.report)
        self.releases.take_gold(upcoming.batch(own_sources.SourceFrozen, _BATCH), self.report)

    def _finish(self) -> None:
        """An empty project takes over the labels that were met; a changed queue begins anew for everybody."""
        if not self.project.labels and self.labels and self.project.task.result_kind == "label":
            set_labels(self.store, self.project.id, sorted(self.labels))
        self.releases.check(self.report)
        if self.unshown:
            self.report.n_documents -= import_rows_store.remove_unshown(
                self.store, self.project.id, self.unshown, after=self.last_document
            )
        self.report.notes += filter(None, [self.report.repeated_words])
        self.report.tell_odd_tokens()
        self.report.tell_own_spacing(self.n_own_spacing)
        self.report.tell_numbered()
        self.report.tell_unknown_guidelines(self.records.n_unknown_versions)
        self.report.notes += self.by_text.notes()
        self.report.notes += self.quotes.notes()
        self.majority.settle(self.store, self.project, self.report)
        if self.is_queue_changed:
            begin_anew(self.store, self.project.id, self.worked_on)

    def _take_documents(self, batch: Sequence[SourceDocument]) -> None:
        texts, prints = preparation.gather_documents(self.store, self.project, batch)
        plan = instance_plan.plan_documents(batch, preparation.prepare_documents(batch, texts, self._language), prints)
        import_rows_store.add_documents(self.store, self.project.id, plan.new)
        self.report.count_documents(plan)

    def _take_instances(self, batch: Sequence[SourceInstance]) -> None:
        batch = [self.records.with_known_versions(source) for source in batch]
        self.report.count_numbered(batch)
        self.majority.note(batch)
        adding = [source.place for source in batch if source.is_addition]
        rows, additions = instance_plan.divide(batch, self._known(adding) if adding else {})
        for some, known in self._apart(rows):
            self._take_rows(some, known)
        for some, known in self._apart(additions):
            known_additions = preparation.gather_additions(self.store, some, known)
            self._write(instance_plan.plan_additions(some, known_additions, self.project, self.options))
        self._tell_progress(len(batch))

    def _take_rows(self, rows: Sequence[SourceInstance], known: KnownPlaces) -> None:
        texts = preparation.gather_texts(self.store, self.project, rows, known)
        prepared = preparation.prepare_rows(rows, texts, self.project, self._language)
        self.report.count_odd_tokens(prepared.rows)
        known_rows = preparation.gather_rows(self.store, prepared, known)
        plan = instance_plan.plan_instances(prepared, known_rows, self.project, self.options)
        self._write(plan)

    def _write(self, plan: InstancePlan) -> None:
        positions = [self._position(instance) for instance in plan.new]
        written = import_rows_store.write_plan(self.store, self.project.id, plan, positions)
        self.report.n_documents += written.n_documents
        self.report.count_planned(plan)
        self.majority.note_changes(plan)
        self.worked_on.update(written.worked_on)
        self.labels |= plan.labels
        self.unshown |= plan.unshown
        self.n_own_spacing += plan.n_own_spacing
        self.is_queue_changed |= bool(plan.new or plan.n_updated)

    def _take_outputs(self, batch: Sequence[models.SourceOutput]) -> None:
        matched, without_instance = gather_instances(self.store, self.project, batch, self.by_text)
        laid_rows, unfit = lay_rows(self.store, self.project, matched, self.options.merge)
        for problem in (*without_instance, *unfit):
            self.report.add_problem(problem)
        for row in laid_rows:
            self.quotes.add(row.output)
        self.report.count_reach(
            (row.output for row in laid_rows), {match.instance.id: match.instance.key for match in matched}
        )
        for rows in output_plan.rounds_of(laid_rows):
            self._write_outputs(rows)
        self._tell_progress(len(batch))

    def _write_outputs(self, rows: Sequence[output_plan.LaidRow]) -> None:
        by_run = output_plan.outputs_by_run(rows)
        plan = output_plan.plan_outputs(rows, by_run, gather_outputs(self.runs, by_run), self.options)
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
        for rows in instance_plan.apart(batch, partial(_instance_of, known)):
            again = [source.place for source in rows if _instance_of(known, source) in taken]
            taken |= {_instance_of(known, source) for source in rows}
            yield rows, {**known, **self._known(again)} if again else known

    def _known(self, places: Sequence[Place]) -> dict[Place, KnownInstance]:
        """What is stored now under some places of a file."""
        return import_rows_store.instances_at(self.store, self.project.id, places)

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


def _run_and_place(row: models.SourceOutput) -> int:
    """What tells a row from others of its batch: a run that speaks of an instance several times does so in several rounds."""
    return hash((row.run, row.key, row.split, row.input))
