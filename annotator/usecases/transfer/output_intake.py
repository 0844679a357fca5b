"""One run over a file of model output: each row's instance is found, its scores are laid on the tokens, batches are written."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from annotator.domain.instances import Instance, Places
from annotator.domain.models import (
    Attribution,
    MachineRationale,
    Output,
    Prediction,
    Run,
    SourceAttribution,
    SourceOutput,
)
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, Problem
from annotator.store import Store
from annotator.store.instances import KeyedInstance, get_instances, instances_of_keys, places_of
from annotator.store.models import Planned, RunFinder, plan_outputs, write_planned
from annotator.text.source_scores import attribution_on_tokens, rationale_on_tokens, scores_on_same_tokens
from annotator.text.word_scores import How
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.output_labels import strange_label, strange_label_report

_BATCH = 100  # so few that everything of a batch stays in a processor's cache, which is a third quicker than 500


class _Batch:
    """Lays what takes more to know of its instance than its size; that is read for all rows when the first asks for it."""

    def __init__(self, store: Store, rows: Sequence[SourceOutput], instances: Mapping[int, KeyedInstance]) -> None:
        self._store = store
        self._rows = rows
        self._instances = instances

    def scores_on_tokens(self, source: SourceAttribution, instance_id: int, how: How) -> Attribution:
        return attribution_on_tokens(source, self._places[instance_id], lambda: self._texts[instance_id], how)

    def rationales_on_tokens(self, row: SourceOutput, instance_id: int) -> tuple[MachineRationale, ...]:
        return tuple(rationale_on_tokens(source, self._places[instance_id]) for source in row.rationales)

    @cached_property
    def _places(self) -> dict[int, Places]:
        """How each instance numbers its tokens."""
        return places_of(self._store, sorted({instance.id for instance in self._instances.values()}))

    @cached_property
    def _texts(self) -> dict[int, Instance]:
        """The instances whose scores come for pieces, which have to be found in the texts."""
        ids = {instance.id for number, instance in self._instances.items() if _has_pieces(self._rows[number])}
        return get_instances(self._store, sorted(ids))


class OutputIntake:
    """Takes rows in the order of the file; a row is taken whole or not at all."""

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
        self.runs = RunFinder(store, project.id)
        self.n_read = 0

    def run(self, rows: Iterable[SourceOutput | Problem]) -> None:
        for batch in _batches(rows):
            outputs = [row for row in batch if isinstance(row, SourceOutput)]
            for row in batch:
                if isinstance(row, Problem):
                    self.report.add_problem(row)
            if outputs:
                self._take(outputs)
            self.n_read += len(outputs)
            self.progress(self.n_read)

    def _take(self, rows: Sequence[SourceOutput]) -> None:
        instances = self._instances_of(rows)
        batch = _Batch(self.store, rows, instances)
        by_run: dict[Run, list[tuple[int, Output]]] = {}
        for number, instance in instances.items():
            row = rows[number]
            if strange := strange_label(self.project, row):
                self.report.refuse(row, *strange, strange_label_report(self.project, strange[1]))
                continue
            try:
                output = self._on_tokens(row, instance, batch)
            except InvalidValue as error:
                self.report.refuse(row, "scores", row.key, str(error))
                continue
            for run, said in _by_run(row.run, output):
                by_run.setdefault(run, []).append((number, said))
        self._write(rows, by_run)

    def _instances_of(self, rows: Sequence[SourceOutput]) -> dict[int, KeyedInstance]:
        """The instance of each row (by its place) that has one."""
        known = instances_of_keys(self.store, self.project.id, list({row.key for row in rows}))
        found: dict[int, KeyedInstance] = {}
        for number, row in enumerate(rows):
            there = known.get(row.key, [])
            fitting = (
                there if row.split is None else [one for one in there if row.split in (one.split, one.source_split)]
            )
            if len(fitting) == 1:
                found[number] = fitting[0]
            elif not there:
                reason = (
                    "The project has no instance with this key. Correct the key, or have a lead import its text first."
                )
                self.report.refuse(row, "id", row.key, reason)
            elif not fitting:
                splits = ", ".join(f"'{one.split}'" for one in there)
                self.report.refuse(
                    row,
                    "split",
                    row.split or "",
                    f"The instance with this key is in the split {splits}; correct the split or leave it out.",
                )
            else:
                reason = (
                    "Instances of several splits have this key. Say which split is meant, in the row's field 'split' or for "
                    "the whole file."
                )
                self.report.refuse(row, "id", row.key, reason)
        return found

    def _on_tokens(self, row: SourceOutput, instance: KeyedInstance, batch: _Batch) -> Output:
        for prediction in row.predictions:
            self._check_prediction(prediction)
        attributions = []
        for source in row.attributions:
            as_it_is = scores_on_same_tokens(source, instance.n_tokens, instance.n_selectable)
            attributions.append(as_it_is or batch.scores_on_tokens(source, instance.id, self.options.merge))
        rationales = batch.rationales_on_tokens(row, instance.id) if row.rationales else ()
        return Output(instance.id, row.predictions, tuple(attributions), rationales)

    def _check_prediction(self, prediction: Prediction) -> None:
        for label, p in prediction.probabilities.items():
            if not math.isfinite(p):
                raise InvalidValue(f"The probability of '{label}' is {p}; write a number.")

    def _write(self, rows: Sequence[SourceOutput], by_run: Mapping[Run, Sequence[tuple[int, Output]]]) -> None:
        """Write each row whole, or not at all where something is there otherwise and may not be overwritten."""
        planned: list[tuple[int, Planned]] = []
        refused: dict[int, str] = {}
        for run, outputs in by_run.items():
            first = {output.instance_id: output for _, output in reversed(outputs)}
            plans = plan_outputs(self.store, self.runs.id_of(run), list(first.values()))
            by_instance = {plan.instance_id: plan for plan in plans}
            for number, output in outputs:
                same, plan = first[output.instance_id], by_instance[output.instance_id]
                if output is not same and output != same:  # only answers to the full input can be met twice here
                    refused[number] = "the answer to the full input"
                elif plan.overwritten and not self.options.update:
                    refused.setdefault(number, plan.overwritten)
                planned.append((number, plan))
        for number, what in sorted(refused.items()):
            self._refuse(rows[number], what)
        taken = {number for number, _ in planned if number not in refused}
        changed = {number for number, plan in planned if plan.changes}
        overwritten = {number for number, plan in planned if plan.overwritten}
        self.report.n_updated += len(taken & overwritten)
        self.report.n_new += len(taken & changed - overwritten)
        self.report.n_unchanged += len(taken - changed)
        written = {id(plan): plan for number, plan in planned if number in taken}.values()
        for plan in written:
            self.report.count_output(plan.instance_id, *plan.n_written())
        write_planned(self.store, written)

    def _refuse(self, row: SourceOutput, what: str) -> None:
        reason = (
            f"{what[0].upper()}{what[1:]} of '{row.run.model}' for this instance is there already with other values. To "
            "overwrite it, import the file again with --update (“Overwrite what is stored of a run”)."
        )
        self.report.refuse(row, "id", row.key, reason)


def _by_run(run: Run, output: Output) -> Iterator[tuple[Run, Output]]:
    """Answers to the full input belong to the model and its seed; everything else to the run."""
    if not output.predictions:
        yield run, output
        return
    full = tuple(p for p in output.predictions if p.on == "full")
    if full:
        yield run.answers(), Output(output.instance_id, full)
    rest = tuple(p for p in output.predictions if p.on != "full")
    if rest or output.attributions or output.rationales:
        yield run, Output(output.instance_id, rest, output.attributions, output.rationales)


def _has_pieces(row: SourceOutput) -> bool:
    return any(part.pieces is not None for attribution in row.attributions for part in attribution.parts)


def _batches(rows: Iterable[SourceOutput | Problem]) -> Iterator[list[SourceOutput | Problem]]:
    """Neighbouring rows, at most 100 together; a run that says the same instance twice has its rows in two batches."""
    batch: list[SourceOutput | Problem] = []
    seen: set[int] = set()
    for row in rows:
        name = hash((row.run, row.key, row.split)) if isinstance(row, SourceOutput) else None
        if len(batch) >= _BATCH or name in seen:
            yield batch
            batch, seen = [], set()
        batch.append(row)
        if name is not None:
            seen.add(name)
    if batch:
        yield batch
