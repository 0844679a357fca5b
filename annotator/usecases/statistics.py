"""Numbers about a project: its size, its work, and its rationales under the gold policy."""

from dataclasses import dataclass

from annotator.domain.people import User
from annotator.domain.projects import GoldPolicy, Project
from annotator.review.statistics import RationaleStatistics, describe_gold
from annotator.store import Store
from annotator.store.instances import Size, size_of
from annotator.store.projects import assignment_counts, instance_counts
from annotator.usecases.exporting import gold_instances
from annotator.usecases.rights import require


@dataclass(frozen=True, slots=True)
class ProjectStatistics:
    """Everything that `annotator stats` prints."""

    project: str
    gold_policy: GoldPolicy
    size: Size
    instances: dict[str, int]
    people: dict[str, dict[str, int]]
    rationales: RationaleStatistics


def statistics_of(store: Store, actor: User, project: Project) -> ProjectStatistics:
    """The numbers of a project, over its gold under its own policy."""
    require(store, actor, project.id, "export")
    policy = project.settings.gold_policy
    return ProjectStatistics(
        project=project.name,
        gold_policy=policy,
        size=size_of(store, project.id),
        instances={state: n for state, n in instance_counts(store, project.id).items() if state != "queued"},
        people=assignment_counts(store, project.id),
        rationales=describe_gold(gold_instances(store, project, policy)),
    )
