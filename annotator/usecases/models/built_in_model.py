"""The built-in model of a project: trained on its gold, tried on texts held out, saved with its record, loaded again."""

import re
import shutil
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Literal

import numpy as np

from annotator.assignment.orders import Splittable, plan_split
from annotator.attribution.base import Input, Predictor
from annotator.attribution.built_in_model import BagOfWords, Example, Training, train
from annotator.attribution.loaders import BUILT_IN
from annotator.domain.models import HeldOut, Way
from annotator.domain.numbers import counted
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError
from annotator.language import _
from annotator.metrics.aggregate import paired_bootstrap
from annotator.metrics.significance import FEWEST
from annotator.store import Store
from annotator.store.connection.file_access import make_folder, share_like
from annotator.store.connection.replacement import models_of
from annotator.store.events import add_event
from annotator.store.instances import iterate_instance_batches, splittable_rows
from annotator.store.models import forget_model, has_outputs, last_detail, splits_of
from annotator.store.suites import forget_computed
from annotator.store.trained_models import find_training, save_training
from annotator.usecases.access.rights import require
from annotator.usecases.gold import gold_labels
from annotator.usecases.models.model_places import models_folder, under_way_of
from annotator.usecases.models.model_trust import Trainings

# How often a model that is trained here is right about texts from which it did not learn.


_FOLDS = {str(number): Fraction(1, 5) for number in range(5)}
_AT_ONCE = 500
Answered = list[tuple[str, str]]  # gold label, and what was answered


def held_out(
    store: Store,
    project: Project,
    model: Predictor,
    learned: Mapping[int, Example],
    train: Callable[[Sequence[Example]], Predictor],
    seed: int,
) -> HeldOut | None:
    """Answers to the texts that were not learned from where there are enough; else five folds by document of those that were.

    learned: by instance. train: teaches another model of the same kind
    Undefined: None where there are fewer texts than anything can be said of (20)
    """
    others = ((i, example) for i, example in labelled_examples(store, project, None) if i not in learned)
    answered = _answered(model, (example for _, example in others))
    way: Way = "splits"
    if len(answered) < FEWEST <= len(learned):
        answered, way = _folds(store, project, learned, train, seed), "folds"
    return held_out_of(way, answered)


def labelled_examples(store: Store, project: Project, split: str | None) -> Iterator[tuple[int, Example]]:
    """Instances that are not discarded and have a gold label, by number."""
    for instances in iterate_instance_batches(store, project.id, split=split):
        labels = gold_labels(store, project, instances)
        for instance in instances:
            label = labels[instance.id]
            if label and instance.state != "discarded":
                yield instance.id, Example(Input.of(instance), label)


def _answered(model: Predictor, examples: Iterator[Example]) -> Answered:
    answered: Answered = []
    while some := list(islice(examples, _AT_ONCE)):
        answers = model.probabilities([example.input for example in some]).argmax(axis=1)
        answered += [(example.label, model.labels[answer]) for example, answer in zip(some, answers, strict=True)]
    return answered


def _folds(
    store: Store,
    project: Project,
    learned: Mapping[int, Example],
    train: Callable[[Sequence[Example]], Predictor],
    seed: int,
) -> Answered:
    """Each fifth asked of a model that learned from the rest; texts that share a document or an original stay together."""
    fold_of = folds_of(store, project, learned, seed)
    answered: Answered = []
    for fold in _FOLDS:
        rest = [example for i, example in learned.items() if fold_of[i] != fold]
        here = (example for i, example in learned.items() if fold_of[i] == fold)
        try:
            answered += _answered(train(rest), here)
        except ModelError:
            continue  # the rest has one label alone, or no words: there is nothing to ask
    return answered


def folds_of(store: Store, project: Project, ids: Container[int], seed: int) -> dict[int, str]:
    """Instances in fifths, by number; those that share a document or an original are in the same."""
    rows = [row for row in (Splittable(*of) for of in splittable_rows(store, project.id)) if row.id in ids]
    return plan_split(rows, _FOLDS, seed)


def held_out_of(way: Way, answered: Answered) -> HeldOut | None:
    """How often answers are right. Undefined: None where there are fewer texts than anything can be said of (20)."""
    return None if len(answered) < FEWEST else _summary(way, answered)


def _summary(way: Way, answered: Answered) -> HeldOut:
    """Beside always saying the commonest label of these texts, the first of equals: nothing that always says one does better."""
    labels = [gold for gold, _ in answered]
    commonest = max(dict.fromkeys(labels), key=labels.count)
    is_right = np.array([gold == answer for gold, answer in answered], dtype=np.float64)
    is_commonest = np.array([gold == commonest for gold, _ in answered], dtype=np.float64)
    interval = paired_bootstrap(is_right, is_commonest)
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return HeldOut(way, len(answered), int(is_right.sum()), commonest, int(is_commonest.sum()), low, high)


# What is written down when a model was trained here: what it learned from, how often it is right, and who trained it.


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
        raise InvalidValue(_("Invalid model name '{name}'. Use up to 61 letters, digits, . _ and -.", name=name))
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
        raise ModelError(_("This project needs answers. Use transformers:..., or import answers (format predictions)."))
    folder = models_folder(store, project) / name
    last_training = last_detail(store, project.id, TRAIN_MODEL, name)
    _require_no_transformers_model(folder, name, last_training)
    if not trains and BagOfWords.is_saved(folder):
        return _saved(folder, name, last_training)
    if last_training is None and has_outputs(store, project.id, name):
        raise ModelError(_("Another model is named '{name}'. Use {built_in}:NAME.", name=name, built_in=BUILT_IN))
    return _trained(store, actor, project, name, folder, seed)


def _require_no_transformers_model(folder: Path, name: str, last_training: Mapping[str, object] | None) -> None:
    """Raise InvalidValue where a transformers model of this name was trained here, or is being trained."""
    is_here = (folder / _OF_TRANSFORMERS).is_file() or under_way_of(folder).is_dir()
    if is_here or (last_training is not None and last_training.get("kind") == "transformers"):
        raise InvalidValue(
            _(
                "'{name}' is a transformers model. Use transformers:{folder} or {built_in}:NAME.",
                name=name,
                folder=folder if is_here else "FOLDER",
                built_in=BUILT_IN,
            )
        )


def _saved(folder: Path, name: str, last_training: Mapping[str, object] | None) -> BagOfWords:
    """The model as it was saved; raises ModelError where what is stored here is the output of another one."""
    model = BagOfWords.load(folder, name=name)
    if last_training is not None and last_training.get("digest") != model.training.digest:
        raise ModelError(
            _(
                "The model in '{folder}' isn't the last trained one ({digest}). Restore it, or --train again "
                "(deletes old output).",
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
