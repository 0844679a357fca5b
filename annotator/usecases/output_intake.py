"""One run over a file of model output: each row's instance is found, its scores are laid on the tokens, batches are written."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from annotator.domain.instances import Instance, Places
from annotator.domain.models import (
    Output,
    Prediction,
    Run,
    SourceOutput,
)
from annotator.domain.projects import Project
from annotator.domain.sources import Problem
from annotator.errors import InvalidValue
from annotator.store import Store
from annotator.store.instances import get_instances, ids_of_keys, places_of
from annotator.store.models import Planned, RunFinder, plan_outputs, write_planned
from annotator.usecases.import_report import ImportOptions, ImportReport
from annotator.usecases.laying import laid_attribution, laid_rationale

_BATCH = 500


class _Texts:
    """The texts of the instances whose scores come for pieces, read together when the first is asked for."""

    def __init__(self, store: Store, instance_ids: Sequence[int]) -> None:
        self._store = store
        self._ids = instance_ids
        self._found: dict[int, Instance] = {}

    def of(self, instance_id: int) -> Instance:
        if not self._found:
            self._found = get_instances(self._store, self._ids)
        return self._found[instance_id]


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
        ids = self._instances_of(rows)
        places = places_of(self.store, sorted(set(ids.values())))
        texts = _Texts(self.store, sorted({ids[n] for n, row in enumerate(rows) if n in ids and _has_pieces(row)}))
        by_run: dict[Run, list[tuple[int, Output]]] = {}
        for number, row in enumerate(rows):
            if number not in ids:
                continue
            try:
                output = self._laid(row, ids[number], places[ids[number]], texts)
            except InvalidValue as error:
                self.report.refuse(row, "scores", row.key, str(error))
                continue
            for run, said in _by_run(row.run, output):
                by_run.setdefault(run, []).append((number, said))
        self._write(rows, by_run)

    def _instances_of(self, rows: Sequence[SourceOutput]) -> dict[int, int]:
        """The instance of each row (by its place) that has one."""
        known = ids_of_keys(self.store, self.project.id, sorted({row.key for row in rows}))
        found: dict[int, int] = {}
        for number, row in enumerate(rows):
            there = known.get(row.key, [])
            fitting = [i for split, source_split, i in there if row.split in {None, split, source_split}]
            if len(fitting) == 1:
                found[number] = fitting[0]
            elif not there:
                self.report.refuse(
                    row, "id", row.key, "no instance of this key is in the project; import the texts first"
                )
            elif not fitting:
                splits = ", ".join(f"'{split}'" for split, _, _ in there)
                self.report.refuse(row, "split", row.split or "", f"the instance of this key is in the split {splits}")
            else:
                reason = (
                    "instances of several splits have this key; say which split is meant (a field split, or --split)"
                )
                self.report.refuse(row, "id", row.key, reason)
        return found

    def _laid(self, row: SourceOutput, instance_id: int, places: Places, texts: _Texts) -> Output:
        for prediction in row.predictions:
            self._check_prediction(prediction)
        return Output(
            instance_id,
            row.predictions,
            tuple(
                laid_attribution(a, places, partial(texts.of, instance_id), self.options.merge)
                for a in row.attributions
            ),
            tuple(laid_rationale(r, places) for r in row.rationales),
        )

    def _check_prediction(self, prediction: Prediction) -> None:
        labels = self.project.labels if self.project.task.result_kind == "label" else ()
        named = [*prediction.probabilities, *([] if prediction.result is None else [prediction.result])]
        for label in named if labels else ():
            if label not in labels:
                raise InvalidValue(f"the label '{label}' is none of the project's ({', '.join(labels)})")
        for label, p in prediction.probabilities.items():
            if not math.isfinite(p):
                raise InvalidValue(f"the probability of '{label}' is {p}; write a number")

    def _write(self, rows: Sequence[SourceOutput], by_run: Mapping[Run, Sequence[tuple[int, Output]]]) -> None:
        """Write each row whole, or not at all where something is there otherwise and may not be overwritten."""
        planned: dict[int, list[Planned]] = {}
        for run, outputs in by_run.items():
            first = {output.instance_id: output for _, output in reversed(outputs)}
            plans = plan_outputs(self.store, self.runs.id_of(run), list(first.values()))
            by_instance = {plan.instance_id: plan for plan in plans}
            for number, output in outputs:
                if output != first[output.instance_id]:  # only answers to the full input can be met twice here
                    self._refuse(rows[number], "the answer to the full input")
                    planned[number] = []
                elif planned.get(number) != []:
                    planned.setdefault(number, []).append(by_instance[output.instance_id])
        taken: dict[int, Planned] = {}
        for number, of_row in planned.items():
            overwritten = next((plan.overwritten for plan in of_row if plan.overwritten), "")
            if overwritten and not self.options.update:
                self._refuse(rows[number], overwritten)
                continue
            has_changes = any(plan.changes for plan in of_row)
            self.report.n_updated += bool(overwritten)
            self.report.n_new += has_changes and not overwritten
            self.report.n_unchanged += bool(of_row) and not has_changes
            taken |= {id(plan): plan for plan in of_row}
        write_planned(self.store, taken.values())

    def _refuse(self, row: SourceOutput, what: str) -> None:
        reason = f"{what} of '{row.run.model}' for this instance is there already, otherwise; repeat with --update to overwrite"
        self.report.refuse(row, "id", row.key, reason)


def _by_run(run: Run, output: Output) -> Iterator[tuple[Run, Output]]:
    """Answers to the full input belong to the model and its seed; everything else to the run."""
    full = tuple(p for p in output.predictions if p.on == "full")
    if full:
        yield run.answers(), Output(output.instance_id, full)
    rest = tuple(p for p in output.predictions if p.on != "full")
    if rest or output.attributions or output.rationales:
        yield run, Output(output.instance_id, rest, output.attributions, output.rationales)


def _has_pieces(row: SourceOutput) -> bool:
    return any(part.pieces is not None for attribution in row.attributions for part in attribution.parts)


def _batches(rows: Iterable[SourceOutput | Problem]) -> Iterator[list[SourceOutput | Problem]]:
    """Neighbouring rows, at most 500 together; a run that says the same instance twice has its rows in two batches."""
    batch: list[SourceOutput | Problem] = []
    seen: set[tuple[object, ...]] = set()
    for row in rows:
        name = (row.run, row.key, row.split) if isinstance(row, SourceOutput) else ()
        if len(batch) >= _BATCH or (name and name in seen):
            yield batch
            batch, seen = [], set()
        batch.append(row)
        seen.add(name)
    if batch:
        yield batch
