"""What is written down when a model was trained here: what it learned from, how often it is right, and who trained it."""

from collections.abc import Iterable
from typing import Literal

from annotator.domain.models import HeldOut
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.events import add_event
from annotator.store.models import forget_model, has_outputs, last_detail
from annotator.store.suites import forget_computed
from annotator.store.trained_models import find_training, save_training

TRAIN_MODEL = "train model"
ModelKind = Literal["built-in", "transformers"]


def record_training(
    store: Store, actor: User, project: Project, name: str, *, digest: str, seed: int, split: str | None,
    held_out: HeldOut | None, instance_ids: Iterable[int], kind: ModelKind = "built-in",
) -> None:  # fmt: skip
    """Write a training down; where its weights are others than those that the stored output is of, that is taken out."""
    ids = list(instance_ids)
    with store.transaction():
        last = last_detail(store, project.id, TRAIN_MODEL, name)
        is_another = last is None or last.get("digest") != digest
        is_unknown = find_training(store, project.id, name) is None
        changes_numbers = (is_another or is_unknown) and has_outputs(store, project.id, name)
        if is_another:
            forget_model(store, project.id, name)
            forget_computed(store, project.id, name)
        save_training(
            store, project.id, name, digest=digest, seed=seed, split=split, held_out=held_out, instance_ids=ids
        )
        add_event(
            store, actor.name, TRAIN_MODEL, "project", project.id, project_id=project.id, model=name, digest=digest,
            seed=seed, examples=len(ids), split=split, changes_numbers=changes_numbers, kind=kind,
        )  # fmt: skip
