"""A project's numbers for each of its groups, with one look at the gold and at the answers for all of them."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from annotator.domain.measurements import is_of_people
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.scoring.instance_numbers import Behind
from annotator.scoring.reports import ProjectReport
from annotator.scoring.runs import Answers, ScoringOptions
from annotator.store import Store
from annotator.usecases.access.rights import require
from annotator.usecases.gold import require_split
from annotator.usecases.gold_table import GoldGroups, gold_groups
from annotator.usecases.inspect.gold_release import gold_release
from annotator.usecases.inspect.project_scores import require_fact, require_may_group, runs_asked, score_gold


@dataclass(frozen=True, slots=True)
class GroupNumbers:
    """What `evaluate_with_instances` answers for a group. n: its instances with gold; behind: None where not asked for."""

    group: str
    n: int
    numbers: ProjectReport
    behind: Behind | None


def group_counts(store: Store, actor: User, project: Project, options: ScoringOptions) -> Mapping[str, int]:
    """How many instances with gold each group has by what `options` groups by."""
    _require_may(store, actor, project, options)
    with store.snapshot():
        return _groups(store, project, options).counts


def evaluate_groups(
    store: Store,
    actor: User,
    project: Project,
    *,
    model: str | None = None,
    method: str | None = None,
    options: ScoringOptions,
    keeps_instances: bool = True,
    progress: Callable[[int, int], None] = lambda _done, _of: None,
) -> Iterator[GroupNumbers]:
    """Each group by what `options` groups by, one after the other, all of one state of the database.

    progress: called with how many groups are done, and how many there are
    """
    _require_may(store, actor, project, options)
    answers_by_run: dict[int, Answers] = {}
    with store.snapshot():
        groups = _groups(store, project, options)
        policy = options.gold_policy or project.settings.gold_policy
        release = gold_release(store, project, policy, is_of_people=is_of_people(options.by))
        runs = runs_asked(store, project, model, method)
        for n_done, (group, n) in enumerate(groups.counts.items()):
            progress(n_done, len(groups.counts))
            of_group = replace(options, group=group, has_null=keeps_instances)
            made = score_gold(
                store, project, runs, groups.of(group), of_group, lambda _done, _of: None,
                keeps_instances=keeps_instances, answers_by_run=answers_by_run, release=release,
            )  # fmt: skip
            yield GroupNumbers(group, n, *made)
        progress(len(groups.counts), len(groups.counts))


def _require_may(store: Store, actor: User, project: Project, options: ScoringOptions) -> None:
    require(store, actor, project.id, "export")
    require_may_group(store, actor, project, options.by)


def _groups(store: Store, project: Project, options: ScoringOptions) -> GoldGroups:
    require_split(store, [project], options.split)
    require_fact(store, project, options.by)
    policy = options.gold_policy or project.settings.gold_policy
    return gold_groups(store, project, policy, options.split, options.by)
