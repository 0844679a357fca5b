"""A project's labelled texts with their gold sets, divided into those to learn from, to stop by and to judge by."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from annotator.assignment.orders import Splittable, plan_split
from annotator.attribution.base import Input
from annotator.domain.instances import GoldInstance
from annotator.domain.projects import GoldPolicy, Project
from annotator.domain.suites import WordList
from annotator.errors import ModelError
from annotator.language import _, together, unsaid
from annotator.store import Store
from annotator.store.instances import splittable_rows
from annotator.store.models import splits_of
from annotator.training.answer_places import place_of
from annotator.training.examples import Example
from annotator.usecases.gold import labelled_gold, require_split
from annotator.usecases.training.rationales import (
    RationaleOptions,
    choose_rationales,
    lists_named,
    words_as_rationale,
)

_TRAINING = "train"
_VALIDATION = ("validation", "val", "dev")
_HOW_GOLD_COMES = {
    "label": unsaid(
        "A text gets its gold label from the import (the column “label”), or from an annotation that is accepted; "
        "rationales are not needed."
    ),
    "answer": unsaid(
        "A text gets its gold answer from the import (the column “answer”), or from an annotation that is accepted."
    ),
}
_DRAWN = Fraction(1, 10)  # of the training texts, to stop by, where no split is for that


@dataclass(frozen=True, slots=True)
class DataOptions:
    """Which texts, and which rationales.

    split:       what is learned from; None: "train" where there is such a split, else all
    validation:  the split to stop by; None: "validation", "val" or "dev", else a tenth of the training texts by document
    gold_policy: None: the project's
    """

    split: str | None = None
    validation: str | None = None
    gold_policy: GoldPolicy | None = None
    rationales: RationaleOptions = field(default_factory=RationaleOptions)
    seed: int = 0


@dataclass(frozen=True, slots=True)
class TrainingData:
    """learn, stop, judge: examples to learn from, to stop by, and those of other splits, to judge by.

    split:      that was learned from; None for all
    validation: the split to stop by; None where it was drawn from the training texts
    n_could:    how many of those to learn from had rationales before a share was chosen
    n_tied:     how many lost theirs although a model is as confident there as at the last that was chosen
    n_absent:   of a project that asks for answers, how many to learn from or stop by were left out, as their answer does not
                stand in the text
    """

    learn: tuple[Example, ...]
    stop: tuple[Example, ...]
    judge: tuple[Example, ...]
    split: str | None
    validation: str | None
    n_could: int
    n_tied: int
    n_absent: int = 0

    @property
    def n_without_answer(self) -> int:
        """Of a project that asks for answers: how many texts to learn from have none."""
        return sum(not example.label for example in self.learn)

    @property
    def n_with_rationales(self) -> int:
        return sum(bool(example.sets) for example in self.learn)


def training_data(store: Store, project: Project, options: DataOptions) -> TrainingData:
    """Divide a project's labelled texts; discarded ones and those without a gold label are left out.

    Raises: InvalidValue for a split, a word list or a model that is not there, ModelError where there is nothing to learn from
            or a model has not said how confident it is
    """
    splits = splits_of(store, project.id)
    require_split(store, [project], options.split)
    require_split(store, [project], options.validation)
    split = options.split or _usual(splits, (_TRAINING,))
    validation = options.validation or _usual(splits, _VALIDATION)
    policy = options.gold_policy or project.settings.gold_policy
    lists = lists_named(store, project, options.rationales.word_lists)
    by_split: dict[str, list[Example]] = {}
    asks_for_answers = project.task.result_kind == "answer"
    for gold in labelled_gold(store, project, policy):
        example = _example(gold, lists, asks_for_answers=asks_for_answers)
        by_split.setdefault(gold.instance.split, []).append(example)
    stop = by_split.pop(validation, []) if validation is not None and validation != split else []
    learn = [example for name, examples in by_split.items() if split in (None, name) for example in examples]
    judge = [example for name, examples in by_split.items() if split not in (None, name) for example in examples]
    if not stop:
        learn, stop = _drawn(store, project, learn, options.seed)
        validation = None
    n_all = len(learn) + len(stop)
    if asks_for_answers:
        learn, stop = ([e for e in part if e.place is not None or not e.label] for part in (learn, stop))
    n_absent = n_all - len(learn) - len(stop)
    if (nothing := _nothing_to_learn(learn, n_absent, asks_for_answers=asks_for_answers)) is not None:
        where = _(" in the split '{split}'", split=split) if split else ""
        remedy = "" if learn else _(_HOW_GOLD_COMES[project.task.result_kind])
        raise ModelError(
            together(
                _(
                    "There is nothing to learn in the project '{name}': {nothing}{where}.",
                    name=project.name,
                    nothing=nothing,
                    where=where,
                ),
                remedy,
            )
        )
    chosen = choose_rationales(store, project, learn, options.rationales, options.seed)
    return TrainingData(
        chosen.examples, tuple(stop), tuple(judge), split, validation, chosen.n_with, chosen.n_tied, n_absent
    )


def _nothing_to_learn(learn: Sequence[Example], n_absent: int, *, asks_for_answers: bool) -> str | None:
    """Why nothing can be learned; None where something can."""
    labels = {example.label for example in learn}
    if asks_for_answers:
        if labels - {""}:
            return None
        if n_absent:
            return _("a model answers with a stretch of the text, and no gold answer stands in its text")
        return _("all gold answers say that there is no answer") if labels else _("no text has a gold answer")
    if len(labels) < 2:
        return (
            _("all texts with a gold label have the label '{label}'", label=labels.pop())
            if labels
            else _("no text has a gold label")
        )
    return None


def _usual(splits: Collection[str], usual: Sequence[str]) -> str | None:
    """The first of the usual names that a split has."""
    return next((name for name in usual if name in splits), None)


def _drawn(store: Store, project: Project, learn: Sequence[Example], seed: int) -> tuple[list[Example], list[Example]]:
    """A tenth of the examples to stop by; texts that share a document or an original stay together."""
    ids = {example.id for example in learn}
    rows = [row for row in (Splittable(*of) for of in splittable_rows(store, project.id)) if row.id in ids]
    part_of = plan_split(rows, {"learn": 1 - _DRAWN, "stop": _DRAWN}, seed)
    return [e for e in learn if part_of[e.id] == "learn"], [e for e in learn if part_of[e.id] == "stop"]


def _example(gold: GoldInstance, lists: Sequence[WordList], *, asks_for_answers: bool) -> Example:
    """With the sets of the gold, or with that of word lists where there are some; a set without tokens is none."""
    sets = [frozenset(rationale.token_indices) for rationale in gold.sets]
    if lists:
        sets = [words_as_rationale(lists, gold.instance)]
    given, result = Input.of(gold.instance), gold.result or ""
    filled = tuple(tokens for tokens in sets if tokens)
    stands = place_of(given, result, filled) if asks_for_answers else None
    return Example(gold.instance.id, gold.instance.key, given, result, filled, stands)
