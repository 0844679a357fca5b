"""Numbers about a project: its size, its work, and its rationales under the gold policy."""

from collections.abc import Iterator
from dataclasses import dataclass

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.people import User
from annotator.domain.projects import GoldPolicy, Project
from annotator.review.gold import gold_of, that_count
from annotator.review.statistics import RationaleStatistics, describe_gold
from annotator.store import Store
from annotator.store.annotations import annotations_of
from annotator.store.instances import Size, iterate_instance_batches, size_of
from annotator.store.projects import assignment_counts, instance_counts
from annotator.usecases.rights import require


@dataclass(frozen=True, slots=True)
class ProjectStatistics:
    """Everything that `annotator stats` prints.

    n_other_result: accepted annotations that are left out of the gold because they carry another label or answer
    """

    project: str
    gold_policy: GoldPolicy
    size: Size
    instances: dict[str, int]
    people: dict[str, dict[str, int]]
    rationales: RationaleStatistics
    n_other_result: int


def statistics_of(store: Store, actor: User, project: Project) -> ProjectStatistics:
    """The numbers of a project, over its gold under its own policy."""
    require(store, actor, project.id, "export")
    policy = project.settings.gold_policy
    gold = _Gold(store, project)
    rationales = describe_gold(gold, project.task.result_kind)
    return ProjectStatistics(
        project=project.name,
        gold_policy=policy,
        size=size_of(store, project.id),
        instances={state: n for state, n in instance_counts(store, project.id).items() if state != "queued"},
        people=assignment_counts(store, project.id),
        rationales=rationales,
        n_other_result=gold.n_other_result,
    )


class _Gold:
    """The gold of every instance that is not discarded; counts what is left out of it while it is read."""

    def __init__(self, store: Store, project: Project) -> None:
        self.store = store
        self.project = project
        self.n_other_result = 0

    def __iter__(self) -> Iterator[GoldInstance]:
        for instances in iterate_instance_batches(self.store, self.project.id):
            yield from self._of_batch([i for i in instances if i.state != "discarded"])

    def _of_batch(self, instances: list[Instance]) -> Iterator[GoldInstance]:
        annotations = annotations_of(self.store, [instance.id for instance in instances])
        for instance in instances:
            accepted = [a for a in annotations[instance.id] if a.state == "accepted"]
            self.n_other_result += len(accepted) - len(that_count(instance, accepted))
            gold = gold_of(instance, accepted, self.project.settings.gold_policy)
            if gold is not None:
                yield gold
