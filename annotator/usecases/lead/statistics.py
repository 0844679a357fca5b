"""Numbers about a project, also as one table: its size, its work, and its rationales under the gold policy."""

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.people import User
from annotator.domain.projects import GoldPolicy, Project
from annotator.formats.rows.gold_csv import written_csv
from annotator.review.agreement import Agreement, AgreementTally
from annotator.review.gold import chosen_among, gold_with_choice, is_tied, that_count
from annotator.review.statistics import DataSetTables, RationaleStatistics, TablesTally, describe_gold
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of, imported_counts
from annotator.store.gold_choices import choices_of
from annotator.store.instances import Size, iterate_instance_batches, size_of
from annotator.store.projects import assignment_counts, instance_counts
from annotator.usecases.access.rights import require
from annotator.usecases.lead.quality import WorkQuality, work_quality
from annotator.usecases.perturb.audit_results import AuditShare, results_of
from annotator.usecases.project.projects import done_among


@dataclass(frozen=True, slots=True)
class ProjectStatistics:
    """Everything that `annotator stats` prints.

    n_done, done_share: instances that are complete or discarded, and their share of all; None of none
    people: work done here; imported: annotations that came with files, by annotator
    n_accepted: accepted annotations; n_counting: those of them that the gold is made from
    n_other_result: accepted annotations that are left out of the gold because they carry another label or answer
    n_tied: texts that have no gold because several labels or answers were given as often
    signature: what the numbers follow from, where it was asked for (scoring/signatures.py)
    audit: of the newest audit of changed versions what is right, altogether and by kind; () without one
    """

    project: str
    gold_policy: GoldPolicy
    size: Size
    instances: dict[str, int]
    n_done: int
    done_share: float | None
    people: dict[str, dict[str, int]]
    imported: dict[str, int]
    n_accepted: int
    n_counting: int
    rationales: RationaleStatistics
    n_other_result: int
    n_tied: int
    tables: DataSetTables
    agreement: Agreement
    work: WorkQuality
    audit: tuple[AuditShare, ...] = ()
    signature: str = ""


def statistics_of(store: Store, actor: User, project: Project) -> ProjectStatistics:
    """The numbers of a project at one moment, over its gold under its own policy."""
    require(store, actor, project.id, "export")
    with store.snapshot():
        gold = _Gold(store, project)
        rationales = describe_gold(gold, project.task.result_kind)
        instances = {state: n for state, n in instance_counts(store, project.id).items() if state != "queued"}
        n_instances = sum(instances.values())
        n_labels = len(project.labels) if project.task.result_kind == "label" else None
        return ProjectStatistics(
            project=project.name,
            gold_policy=project.settings.gold_policy,
            size=size_of(store, project.id),
            instances=instances,
            n_done=done_among(instances),
            done_share=done_among(instances) / n_instances if n_instances else None,
            people=assignment_counts(store, project.id),
            imported=imported_counts(store, project.id),
            n_accepted=gold.n_accepted,
            n_counting=gold.n_counting,
            rationales=rationales,
            n_other_result=gold.n_other_result,
            n_tied=gold.n_tied,
            tables=gold.tables.result(n_labels),
            agreement=gold.agreement.result(),
            work=work_quality(store, project),
            audit=next((result.shares for result in results_of(store, project.id)), ()),
        )


class _Gold:
    """The gold of every instance that is not discarded; counts while it is read what is left out of it, what stands in the
    papers' tables, and how far annotators agree, so that the project is read once.
    """

    def __init__(self, store: Store, project: Project) -> None:
        self.store = store
        self.project = project
        self.n_accepted = self.n_counting = self.n_other_result = self.n_tied = 0
        self.tables = TablesTally(is_exhaustive=project.settings.is_exhaustive)
        self.agreement = AgreementTally()

    def __iter__(self) -> Iterator[GoldInstance]:
        for instances in iterate_instance_batches(self.store, self.project.id):
            yield from self._of_batch([i for i in instances if i.state != "discarded"])

    def _of_batch(self, instances: list[Instance]) -> Iterator[GoldInstance]:
        ids = [instance.id for instance in instances]
        annotations, choices = annotations_of(self.store, ids), choices_of(self.store, ids)
        for instance in instances:
            accepted = [a for a in annotations[instance.id] if a.state == "accepted"]
            n_that_count = len(that_count(instance, accepted))
            self.n_accepted += len(accepted)
            self.n_other_result += len(accepted) - n_that_count
            choice = choices.get(instance.id)
            self.n_tied += choice is None and is_tied(instance, accepted)
            policy = self.project.settings.gold_policy
            gold = gold_with_choice(instance, accepted, policy, annotations[instance.id], choice)
            chosen = chosen_among(annotations[instance.id], choice)
            if chosen and choice and (policy == "chosen" or choice.is_exhaustive):
                n_that_count = chosen.state == "accepted"
            self.n_counting += min(1, n_that_count) if policy == "chosen" else n_that_count
            self.tables.add(instance if gold is None else gold.instance, gold)
            self.agreement.add(instance, annotations[instance.id])
            if gold is not None:
                yield gold


# All the statistics of a project as one table, a number a row.


_COLUMNS = ("name", "of", "value")


def statistics_csv(statistics: ProjectStatistics) -> str:
    """The table as CSV."""
    return written_csv(_COLUMNS, _rows_of(dataclasses.asdict(statistics)))


def _rows_of(value: object, name: str = "", of: str = "") -> Iterator[tuple[str, str, object]]:
    """Every number by its name, such as agreement.labels.pairs.kappa; of: the texts that stand beside it in a row."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _rows_of(inner, f"{name}.{key or '(none)'}" if name else str(key), of)
    elif isinstance(value, list | tuple) and any(isinstance(inner, Mapping) for inner in value):
        for inner in value:
            yield from _row(inner, name)
    else:
        yield name, of, ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


def _row(row: Mapping[str, Any], name: str) -> Iterator[tuple[str, str, object]]:
    of = " / ".join(text or "(none)" for text in row.values() if isinstance(text, str))
    yield from _rows_of({key: inner for key, inner in row.items() if not isinstance(inner, str)}, name, of)
