"""How often a model that is trained here is right about texts from which it did not learn."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice

import numpy as np

from annotator.assignment.orders import Splittable, plan_split
from annotator.attribution.base import Input, Predictor
from annotator.attribution.built_in_model import Example
from annotator.domain.models import HeldOut, Way
from annotator.domain.projects import Project
from annotator.errors import ModelError
from annotator.metrics.aggregate import paired_bootstrap
from annotator.metrics.significance import FEWEST
from annotator.store import Store
from annotator.store.instances import iterate_instance_batches, splittable_rows
from annotator.usecases.gold import gold_labels

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
