"""The gold of a text as training knows it."""

from annotator.domain.instances import Instance
from annotator.domain.project.qualification import Item, Known
from annotator.domain.projects import Project
from annotator.review.gold import spoiled
from annotator.store import Store
from annotator.store.instances import get_instance
from annotator.usecases.gold import find_gold


def known_of(store: Store, project: Project, instance: Instance) -> Known | None:
    """The gold of a text under the project's policy; None where it has none now, or was discarded."""
    gold = find_gold(store, project, instance)
    if gold is None or instance.state == "discarded":
        return None
    return Known(gold.result, gold.sets)


def known_now(store: Store, project: Project, item: Item) -> Known | None:
    """The gold of an item as it is now, worsened as the item says; None where there is none, or it cannot be worsened so."""
    instance = get_instance(store, item.instance_id)
    known = known_of(store, project, instance)
    if known is None or item.purpose != "reviewers":
        return known
    return spoiled(known, item.spoiling, item.seed, range(instance.layout.n_selectable))
