"""Give every instance a split, by document; report texts that would leak from one split into another."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from annotator.assignment.orders import Splittable, parse_parts, plan_split
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import Conflict
from annotator.language import _
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.instances import labels_of_splits, leaking_documents, set_splits, splittable_rows
from annotator.usecases.access.rights import require


@dataclass(frozen=True, slots=True)
class SplitReport:
    """Instances in each part, and how many texts stand in two parts all the same (under different document names).

    labels: by part, how many instances have which label (None: none)
    """

    sizes: dict[str, int]
    n_leaks: int
    labels: dict[str, dict[str | None, int]]


class _OnlyAsked(Exception):
    def __init__(self, report: SplitReport) -> None:
        super().__init__()
        self.report = report


def preview_split(store: Store, actor: User, project: Project, parts_text: str, seed: int = 0) -> SplitReport:
    """What `split_project` would come to, with its refusals; nothing is stored."""
    require(store, actor, project.id, "manage project")
    try:
        with store.transaction():
            raise _OnlyAsked(_split(store, project, parse_parts(parts_text), seed))
    except _OnlyAsked as asked:
        return asked.report


def split_project(store: Store, actor: User, project: Project, parts_text: str, seed: int = 0) -> SplitReport:
    """Distribute a project's instances over parts ("train=.8,val=.1,test=.1"); the same seed gives the same parts.

    Raises: InvalidValue when the parts do not sum to one; Conflict when two instances of one key would meet in a split
    """
    require(store, actor, project.id, "manage project")
    parts = parse_parts(parts_text)
    with store.transaction():
        report = _split(store, project, parts, seed)
        add_event(
            store, actor.name, "split", "project", project.id, project_id=project.id,
            parts={name: str(share) for name, share in parts.items()}, seed=seed,
        )  # fmt: skip
        return report


def _split(store: Store, project: Project, parts: Mapping[str, Fraction], seed: int) -> SplitReport:
    rows = [Splittable(*row) for row in splittable_rows(store, project.id)]
    plan = plan_split(rows, parts, seed)
    clash = set_splits(store, project.id, plan)
    if clash is not None:
        raise Conflict(
            _("ID '{clash}' occurs in two splits that would merge. Re-import one with --key-prefix.", clash=clash)
        )
    sizes, labels = Counter(plan.values()), labels_of_splits(store, project.id)
    return SplitReport(
        {name: sizes[name] for name in parts},
        leaking_documents(store, project.id),
        {name: labels.get(name, {}) for name in parts},
    )
