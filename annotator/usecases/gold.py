"""The gold of single instances, and their gold labels: what their gold says, else the label they have had from the start."""

from collections.abc import Sequence

from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.projects import Project
from annotator.review.gold import chosen_among, gold_of
from annotator.store import Store
from annotator.store.annotations import annotations_of
from annotator.store.gold_choices import choices_of


def gold_labels(store: Store, project: Project, instances: Sequence[Instance]) -> dict[int, str | None]:
    """By instance; None where nobody has given one."""
    ids = [instance.id for instance in instances]
    annotations, choices = annotations_of(store, ids), choices_of(store, ids)
    found: dict[int, str | None] = {}
    for instance in instances:
        accepted = [a for a in annotations[instance.id] if a.state == "accepted"]
        chosen = chosen_among(annotations[instance.id], choices.get(instance.id))
        gold = gold_of(instance, accepted, project.settings.gold_policy, chosen)
        found[instance.id] = instance.result if gold is None else gold.result
    return found


def gold_of_instance(store: Store, project: Project, instance: Instance) -> GoldInstance:
    """The gold of an instance under the project's policy; without sets where there is none."""
    annotations = annotations_of(store, [instance.id])[instance.id]
    accepted = [annotation for annotation in annotations if annotation.state == "accepted"]
    chosen = chosen_among(annotations, choices_of(store, [instance.id]).get(instance.id))
    found = gold_of(instance, accepted, project.settings.gold_policy, chosen)
    return GoldInstance(instance, (), instance.result) if found is None else found
