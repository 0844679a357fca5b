"""What unseen projects call the labels that models learn: confirmed by a person, as of any model that is asked about them."""

from collections.abc import Mapping, Sequence

from annotator.domain.labels import LabelTable
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue
from annotator.store import Store
from annotator.usecases.models.label_tables import ModelLabels, confirmed_table, remember

Renamed = Sequence[tuple[str, str]]


def unseen_tables(
    store: Store, project: Project, unseen: Sequence[Project], labels: Sequence[str], renamed: Renamed
) -> dict[str, LabelTable]:
    """By the name of each unseen project what it calls the labels that are learned from a project.

    renamed: a label that is learned and what an unseen project calls it, "" for what is never an answer there; each holds for the
             projects that have the other name and not the label itself
    Raises: ModelError where that leaves a label without a name; InvalidValue for what concerns none of the projects
    """
    for label, name in renamed:
        if not any(_concerns(foreign, label, name) for foreign in unseen):
            raise InvalidValue(
                f"--rename {label}={name} concerns no unseen project: none lacks '{label}'"
                + (f" and has '{name}'." if name else ".")
            )
    return {
        foreign.name: confirmed_table(store, foreign, _asked(project, labels), _renamed_in(foreign, renamed))
        for foreign in unseen
    }


def remember_tables(
    store: Store, actor: User, project: Project, unseen: Sequence[Project], tables: Mapping[str, LabelTable]
) -> None:
    """Keep what was confirmed, for all models that learn from the project."""
    for foreign in unseen:
        table = tables[foreign.name]
        remember(store, actor, foreign, _asked(project, tuple(table.names)), table)


def _asked(project: Project, labels: Sequence[str]) -> ModelLabels:
    return ModelLabels(f"the models that learn from '{project.name}'", tuple(labels), learned_in=project.name)


def _concerns(foreign: Project, label: str, name: str) -> bool:
    return label not in foreign.labels and (not name or name in foreign.labels)


def _renamed_in(foreign: Project, renamed: Renamed) -> dict[str, str]:
    """A name counts more than none; two names for one label are refused."""
    names: dict[str, str] = {}
    for label, name in renamed:
        if not _concerns(foreign, label, name):
            continue
        if name and names.get(label, name) not in {"", name}:
            raise InvalidValue(
                f"'{label}' cannot be both '{names[label]}' and '{name}' in the project '{foreign.name}'. "
                "Keep one --rename of it."
            )
        names[label] = name or names.get(label, "")
    return names
