"""Agreement between the annotators of a project."""

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.review.agreement import Agreement, AgreementTally
from annotator.review.spread import Spread
from annotator.store import Store
from annotator.store.annotations import annotations_of
from annotator.store.instances import iterate_instance_batches
from annotator.usecases.access.rights import require

__all__ = ["Agreement", "Spread", "agreement_of"]


def agreement_of(store: Store, actor: User, project: Project) -> Agreement:
    """How far the annotators of a project agree, over the instances that are not discarded, at one moment.

    Each annotator's latest round at an instance takes part when it is submitted or accepted, imported annotations with them.
    """
    require(store, actor, project.id, "export")
    tally = AgreementTally()
    with store.snapshot():
        for instances in iterate_instance_batches(store, project.id):
            annotations = annotations_of(store, [instance.id for instance in instances])
            for instance in instances:
                if instance.state != "discarded":
                    tally.add(instance, annotations[instance.id])
    return tally.result()
