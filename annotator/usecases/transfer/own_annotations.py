"""What each person marked, beside the gold of a data set."""

from collections.abc import Iterator

from annotator.domain.instances import Annotation, Instance
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.annotate.annotations import annotations_of
from annotator.store.instances import iterate_instance_batches
from annotator.usecases.gold import GoldOptions, counting_states, is_in


def annotations_that_count(
    store: Store, project: Project, options: GoldOptions
) -> Iterator[tuple[Instance, list[Annotation]]]:
    """Every instance that is not discarded, with those annotations of everybody that gold may be made from, oldest first."""
    states = counting_states(options)
    for instances in iterate_instance_batches(store, project.id, split=options.split):
        annotations = annotations_of(store, [instance.id for instance in instances])
        for instance in instances:
            if instance.state != "discarded" and is_in(options.half, instance):
                yield instance, [of for of in annotations[instance.id] if of.state in states]
