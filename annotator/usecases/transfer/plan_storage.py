"""Writing what was planned for a batch, and counting it into the report: the only part of an import that writes."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from annotator.domain.imports import NewInstance, StoredDocument
from annotator.store import Store
from annotator.store.annotations import replace_annotation
from annotator.store.imports import DocumentWriter, InstanceWriter, add_annotations
from annotator.store.instance_queue import settle
from annotator.store.instances import set_result
from annotator.store.models import RunFinder, forget_outputs, write_outputs
from annotator.store.transfer.restored_work import restore_work
from annotator.usecases.transfer.import_report import ImportReport
from annotator.usecases.transfer.instance_plan import DocumentPlan, InstanceChange, InstancePlan
from annotator.usecases.transfer.output_plan import OutputPlan


@dataclass(frozen=True, slots=True)
class Writers:
    """What writes for an import. position_of: the place of a new instance in the queue."""

    store: Store
    project_id: int
    documents: DocumentWriter
    instances: InstanceWriter
    runs: RunFinder
    position_of: Callable[[NewInstance], int]


def write_documents(plan: DocumentPlan, writers: Writers, report: ImportReport) -> None:
    """Store documents with names of their own."""
    _, n_new = writers.documents.add(plan.new)
    report.n_documents += n_new
    for problem in plan.problems:
        report.add_problem(problem)


def write_instances(
    plan: InstancePlan, named: Iterable[StoredDocument], writers: Writers, report: ImportReport
) -> None:
    """Store the texts, the new instances with the work on them, and the changes of a batch.

    named: the documents with names of their own that rows show
    """
    stored, n_documents = writers.documents.add(plan.documents)
    ids = {document.fingerprint: document.id for document in (*named, *stored)}
    new_ids = writers.instances.add(plan.new, [writers.position_of(instance) for instance in plan.new], ids)
    worked_on = [(i, instance) for i, instance in zip(new_ids, plan.new, strict=True) if instance.source.is_worked_on]
    restore_work(writers.store, writers.project_id, worked_on)
    writers.instances.overwrite([(c.instance_id, c.content) for c in plan.changes if c.content is not None], ids)
    for change in plan.changes:
        _write_change(change, writers.store)
    changed = [change.instance_id for change in plan.changes if change.added or change.replaced]
    for instance_id in (*(i for i, _ in worked_on), *changed):
        settle(writers.store, instance_id)
    report.n_documents += n_documents
    _count(plan, report)


def write_output_plan(plan: OutputPlan, writers: Writers, report: ImportReport) -> None:
    """Store what is new or other of what models say."""
    ids = {run: writers.runs.id_of(run) for run in plan.runs}
    write_outputs(writers.store, [(ids[run], change.output) for run, change in plan.changes])
    for problem in plan.problems:
        report.add_problem(problem)
    for _, change in plan.changes:
        report.count_output(change.output.instance_id, *change.n_written)
    report.n_new += plan.n_new
    report.n_updated += plan.n_updated
    report.n_unchanged += plan.n_unchanged


def _write_change(change: InstanceChange, store: Store) -> None:
    """What comes with the content of a row: it forgets, gets a result, gets annotations."""
    instance_id = change.instance_id
    if change.forgets_output:
        forget_outputs(store, instance_id)
    if change.result is not None:
        set_result(store, instance_id, change.result)
    add_annotations(store, [(instance_id, change.added)])
    for number, annotation in change.replaced:
        replace_annotation(
            store, number, state=annotation.state, result=annotation.result, sets=annotation.sets, note=annotation.note
        )


def _count(plan: InstancePlan, report: ImportReport) -> None:
    for problem in plan.problems:
        report.add_problem(problem)
    report.n_character_spans += plan.n_character_spans
    for key_and_split in plan.widened:
        report.widened.add(key_and_split)
    report.add_preview((i.source, i.language, sum(len(a.sets) for a in i.annotations)) for i in plan.rows)
    report.n_new += len(plan.new)
    n_updated = sum(change.is_update for change in plan.changes)
    report.n_updated += n_updated
    report.n_unchanged += len(plan.changes) - n_updated
    for annotations in (*(i.annotations for i in plan.new), *(change.added for change in plan.changes)):
        report.count_annotations(len(a.sets) for a in annotations)
