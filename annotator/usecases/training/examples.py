"""A project's labelled texts with their gold sets, divided into those to learn from, to stop by and to judge by."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from annotator.assignment.splits import Splittable, plan_split
from annotator.attribution.base import Input
from annotator.domain.instances import GoldInstance
from annotator.domain.projects import GoldPolicy, Project
from annotator.errors import InvalidValue, ModelError
from annotator.store import Store
from annotator.store.attribution_work import splits_of
from annotator.store.instances import splittable_rows
from annotator.training.examples import Example
from annotator.usecases.gold import labelled_gold

Rationales = Literal["gold", "shuffled"]

_TRAINING = "train"
_VALIDATION = ("validation", "val", "dev")
_DRAWN = Fraction(1, 10)  # of the training texts, to stop by, where no split is for that


@dataclass(frozen=True, slots=True)
class DataOptions:
    """Which texts, and which rationales.

    split:       what is learned from; None: "train" where there is such a split, else all
    validation:  the split to stop by; None: "validation", "val" or "dev", else a tenth of the training texts by document
    gold_policy: None: the project's
    rationales:  "shuffled" gives each text as many tokens at random in their place, as a control
    """

    split: str | None = None
    validation: str | None = None
    gold_policy: GoldPolicy | None = None
    rationales: Rationales = "gold"
    seed: int = 0


@dataclass(frozen=True, slots=True)
class TrainingData:
    """learn, stop, judge: examples to learn from, to stop by, and those of other splits, to judge by.

    split:      that was learned from; None for all
    validation: the split to stop by; None where it was drawn from the training texts
    """

    learn: tuple[Example, ...]
    stop: tuple[Example, ...]
    judge: tuple[Example, ...]
    split: str | None
    validation: str | None

    @property
    def n_with_rationales(self) -> int:
        return sum(bool(example.sets) for example in self.learn)


def training_data(store: Store, project: Project, options: DataOptions) -> TrainingData:
    """Divide a project's labelled texts; discarded ones and those without a gold label are left out.

    Raises: InvalidValue for a split that is not there, ModelError where there is nothing to learn from
    """
    splits = splits_of(store, project.id)
    split = _split(options.split, splits, (_TRAINING,))
    validation = _split(options.validation, splits, _VALIDATION)
    policy = options.gold_policy or project.settings.gold_policy
    by_split: dict[str, list[Example]] = {}
    for gold in labelled_gold(store, project, policy):
        by_split.setdefault(gold.instance.split, []).append(_example(gold, options))
    stop = by_split.pop(validation, []) if validation is not None and validation != split else []
    learn = [example for name, examples in by_split.items() if split in (None, name) for example in examples]
    judge = [example for name, examples in by_split.items() if split not in (None, name) for example in examples]
    if not stop:
        learn, stop = _drawn(store, project, learn, options.seed)
        validation = None
    labels = {example.label for example in learn}
    if len(labels) < 2:
        what = (
            "no text has a gold label" if not labels else f"all texts with a gold label have the label '{labels.pop()}'"
        )
        where = f" in the split '{split}'" if split else ""
        raise ModelError(f"There is nothing to learn in the project '{project.name}': {what}{where}.")
    return TrainingData(tuple(learn), tuple(stop), tuple(judge), split, validation)


def _split(wanted: str | None, splits: Iterable[str], usual: Sequence[str]) -> str | None:
    known = list(splits)
    if wanted is not None and wanted not in known:
        raise InvalidValue(f"There is no split '{wanted}'. There are {', '.join(repr(name) for name in known)}.")
    return wanted or next((name for name in usual if name in known), None)


def _drawn(store: Store, project: Project, learn: Sequence[Example], seed: int) -> tuple[list[Example], list[Example]]:
    """A tenth of the examples to stop by; texts that share a document or an original stay together."""
    ids = {example.id for example in learn}
    rows = [row for row in (Splittable(*of) for of in splittable_rows(store, project.id)) if row.id in ids]
    part_of = plan_split(rows, {"learn": 1 - _DRAWN, "stop": _DRAWN}, seed)
    return [e for e in learn if part_of[e.id] == "learn"], [e for e in learn if part_of[e.id] == "stop"]


def _example(gold: GoldInstance, options: DataOptions) -> Example:
    given = Input.of(gold.instance)
    sets = tuple(frozenset(rationale.token_indices) for rationale in gold.sets)
    if options.rationales == "shuffled":
        sets = _shuffled(sets, given.n_selectable, (options.seed, gold.instance.id))
    return Example(gold.instance.id, gold.instance.key, given, gold.result or "", tuple(s for s in sets if s))


def _shuffled(sets: Sequence[frozenset[int]], n_tokens: int, seed: tuple[int, int]) -> tuple[frozenset[int], ...]:
    """The same sets on other tokens of the text: one permutation of its tokens for all of them."""
    other = np.random.default_rng(seed).permutation(n_tokens)
    return tuple(frozenset(int(other[token]) for token in tokens) for tokens in sets)
