"""The built-in model of a project: trained on its gold labels, saved beside the database, loaded again."""

import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from annotator.attribution.built_in_model import BagOfWords, Example, Training, train
from annotator.attribution.loaders import BUILT_IN
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError
from annotator.language import _
from annotator.store import Store
from annotator.store.connection.file_access import make_folder, share_like
from annotator.store.connection.replacement import models_of
from annotator.store.models import has_outputs, last_detail, splits_of
from annotator.usecases.access.rights import require
from annotator.usecases.models.held_out import folds_of, held_out, labelled_examples
from annotator.usecases.models.model_places import models_folder, under_way_of
from annotator.usecases.models.model_trust import Trainings
from annotator.usecases.models.training_record import TRAIN_MODEL, record_training

_NAME = re.compile(r"[\w][\w.-]{0,60}")
_TRAINING_SPLIT = "train"
_OF_TRANSFORMERS = "config.json"  # in the folder of a transformers model, never in that of a built-in one


def take_models(store: Store, source: Path, target: Path) -> None:
    """Copy those saved models from a database's folder that are what a store's output is of, to the store's own folder."""
    for folder in source.glob("*/*"):
        copy = target / folder.parent.name / folder.name
        digest = BagOfWords.digest_of(folder)
        if digest is None or copy.exists() or not folder.parent.name.isdigit():
            continue
        training = last_detail(store, int(folder.parent.name), TRAIN_MODEL, folder.name)
        if training is not None and training.get("digest") == digest:
            shutil.copytree(folder, copy)


def is_model_name(name: str) -> bool:
    """Whether a model that is trained here can have a name; it is a folder's as well."""
    return _NAME.fullmatch(name) is not None


def built_in_name(spec: str) -> str | None:
    """The name of a built-in model, `built-in` or what follows `built-in:`; None for a spec of another kind.

    >>> built_in_name("built-in:second"), built_in_name("built-in"), built_in_name("spacy:model")
    ('second', 'built-in', None)
    """
    if spec == BUILT_IN:
        return BUILT_IN
    if not spec.startswith(f"{BUILT_IN}:"):
        return None
    name = spec.removeprefix(f"{BUILT_IN}:")
    if not is_model_name(name):
        raise InvalidValue(
            _(
                "'{name}' cannot be the name of a built-in model: letters, digits, '.', '_' and '-', up to 61.",
                name=name,
            )
        )
    return name


def built_in_model(
    store: Store, actor: User, project: Project, name: str, *, trains: bool, seed: int = 0
) -> BagOfWords:
    """The saved model of a name; it is trained first where there is none, or where asked.

    When training gives other weights than those that the stored output is of, that output is taken out.
    Raises: ModelError where there is nothing to learn from, or what is saved is not what the stored output is of; InvalidValue
            for the name of a transformers model that was trained here, or that is being trained
    """
    require(store, actor, project.id, "use models")
    if project.task.result_kind != "label":
        raise ModelError(
            _(
                "The built-in model learns labels, but the project '{name}' asks for answers. Use a question answering model "
                "(transformers:...), or bring in what your model says (format predictions).",
                name=project.name,
            )
        )
    folder = models_folder(store, project) / name
    last_training = last_detail(store, project.id, TRAIN_MODEL, name)
    _require_no_transformers_model(folder, name, last_training)
    if not trains and BagOfWords.is_saved(folder):
        return _saved(folder, name, last_training)
    if last_training is None and has_outputs(store, project.id, name):
        raise ModelError(
            _(
                "The project holds output of a model '{name}' that was not trained here. Choose another name for the built-in "
                "one: {built_in}:NAME.",
                name=name,
                built_in=BUILT_IN,
            )
        )
    return _trained(store, actor, project, name, folder, seed)


def _require_no_transformers_model(folder: Path, name: str, last_training: Mapping[str, object] | None) -> None:
    """Raise InvalidValue where a transformers model of this name was trained here, or is being trained."""
    if (folder / _OF_TRANSFORMERS).is_file() or under_way_of(folder).is_dir():
        raise InvalidValue(
            _(
                "'{name}' is the name of a transformers model that was trained in this project: name it as "
                "transformers:{folder}, or choose another name for the built-in one, {built_in}:NAME.",
                name=name,
                folder=folder,
                built_in=BUILT_IN,
            )
        )
    if last_training is not None and last_training.get("kind") == "transformers":
        raise InvalidValue(
            _(
                "'{name}' is the name of a transformers model that was trained in this project, into another folder: name it "
                "as transformers:FOLDER, or choose another name for the built-in one, {built_in}:NAME.",
                name=name,
                built_in=BUILT_IN,
            )
        )


def _saved(folder: Path, name: str, last_training: Mapping[str, object] | None) -> BagOfWords:
    """The model as it was saved; raises ModelError where what is stored here is the output of another one."""
    model = BagOfWords.load(folder, name=name)
    if last_training is not None and last_training.get("digest") != model.training.digest:
        raise ModelError(
            _(
                "The model saved in '{folder}' is not the one that was trained last ({digest}), of which the stored output "
                "is. Put that model back, or train again with --train, which takes the old output out.",
                folder=folder,
                digest=last_training.get("digest"),
            )
        )
    return model


def _trained(store: Store, actor: User, project: Project, name: str, folder: Path, seed: int) -> BagOfWords:
    split = _TRAINING_SPLIT if _TRAINING_SPLIT in splits_of(store, project.id) else None
    repeating = [segment.name for segment in project.task.segments if segment.may_repeat]

    def taught(examples: Sequence[Example]) -> BagOfWords:
        return train(examples, project.labels, name=name, seed=seed, repeating=repeating, split=split)

    with store.snapshot():
        labelled = dict(labelled_examples(store, project, split))
        folds = folds_of(store, project, labelled, seed)
    examples = {number: replace(example, fold=folds[number]) for number, example in labelled.items()}
    model = taught(list(examples.values()))
    on_held_out = held_out(store, project, model, examples, taught, seed)
    make_folder(models_of(store.path), store.path)
    model.save(folder)
    share_like(models_of(store.path), store.path)
    record_training(
        store, actor, project, name, digest=model.training.digest, seed=seed, split=split, held_out=on_held_out,
        instance_ids=examples,
    )  # fmt: skip
    return model


def notes_of(store: Store, project: Project, model: BagOfWords) -> list[str]:
    """What a person should know of a model before its answers are used."""
    summary = Trainings.of(store, project.id).summary(model.name)
    return [training_summary(model.training), *([] if summary is None else [summary])]


def training_summary(training: Training) -> str:
    """What a person should know of a model's training, in a sentence."""
    counts = ", ".join(f"{label} {n}" for label, n in training.n_examples.items())
    n = sum(training.n_examples.values())
    if training.split is not None:
        return f"The built-in model learned from {counted(n, 'instance')} of the split '{training.split}' ({counts})."
    return (
        f"The built-in model learned from all {counted(n, 'instance')} with a label ({counts}); its answers to "
        "them are those of a "
        "model that has seen them. To have others, train again once a lead has divided the project (annotator split)."
    )
