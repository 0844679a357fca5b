"""The original of a changed version, and the changed versions of an original, as a lead follows them."""

from dataclasses import dataclass

from annotator.domain.instances import Instance
from annotator.domain.people import User
from annotator.domain.projects import Project, titles_of_kinds
from annotator.language import _, listed, unsaid
from annotator.store import Store
from annotator.store.instances import get_instances
from annotator.store.perturb import originals as originals_store
from annotator.store.perturb import perturbations as perturbations_store
from annotator.usecases.access.rights import require
from annotator.usecases.annotate.originals import find_original

_STATES = {"waiting": unsaid("being checked"), "returned": unsaid("returned to its author")}


@dataclass(frozen=True, slots=True)
class Relative:
    """A changed version of a text, or its original.

    kind:            of the changed version, which of the two it may be
    instance_id:     None for a version that is no instance yet; perturbation_id: None for what came with a file
    """

    key: str
    kind: str
    result: str | None
    state: str
    instance_id: int | None
    perturbation_id: int | None = None


def original_of(store: Store, actor: User, project: Project, instance: Instance) -> Relative | None:
    """What a changed version was made from; None for one that is an original itself.

    Where the project does not have it, its key alone is told.
    """
    require(store, actor, project.id, "see all annotations")
    if instance.parent_key is None:
        return None
    kind = titles_of_kinds(project).get(instance.perturbation_kind or "", instance.perturbation_kind or "")
    original = find_original(store, project.id, instance)
    if original is None:
        return Relative(instance.parent_key, kind, None, _("not in this project"), None)
    return Relative(original.key, kind, original.result, original.state, original.id)


def versions_of(store: Store, actor: User, project: Project, instance: Instance) -> list[Relative]:
    """The changed versions of an original: those that are on their way, then those that are instances; no withdrawn ones."""
    require(store, actor, project.id, "see all annotations")
    titles = titles_of_kinds(project)
    written = perturbations_store.perturbations_of(store, instance.id)
    on_their_way = [
        Relative("", titles.get(of.kind, of.kind), of.result, _(_STATES[perturbation.state]), None, perturbation.id)
        for perturbation in written
        if perturbation.state in _STATES
        for of in [perturbation.current.changed]
    ]
    children = get_instances(store, originals_store.children_of(store, instance.id)).values()
    made = {perturbation.instance_id: perturbation.id for perturbation in written}
    accepted = [
        Relative(
            child.key, titles.get(kind := child.perturbation_kind or "", kind), child.result,
            listed([_("approved") if child.id in made else _("imported"), _(child.state)]), child.id, made.get(child.id),
        )
        for child in children
    ]  # fmt: skip
    return [*on_their_way, *accepted]
