"""A project's labelled texts for training, divided, and which rationales they have: people's, word lists', shuffled."""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from annotator.assignment.orders import Splittable, plan_split
from annotator.attribution.base import Input
from annotator.domain.instances import GoldInstance, Instance
from annotator.domain.models import Prediction
from annotator.domain.numbers import counted
from annotator.domain.projects import GoldPolicy, Project
from annotator.domain.suites import WordList
from annotator.errors import InvalidValue, ModelError
from annotator.language import _, together, unknown, unsaid
from annotator.metrics.er_test_alignment import choose_at_random, choose_by_confidence, n_chosen
from annotator.perturb.passage import is_for, spans_of_list
from annotator.scoring.runs import p_of
from annotator.store import Store
from annotator.store.instances import splittable_rows
from annotator.store.models import full_answers, list_models, splits_of
from annotator.store.suites import list_word_lists
from annotator.training.examples import Example, place_of
from annotator.usecases.gold import labelled_gold, require_split

# Which rationales the training texts have: people's or those of word lists, of all or of a share; or shuffled, as a control.


RationaleSource = Literal["gold", "lexicon", "shuffled"]
Choice = Literal["random", "least confident", "most confident"]

_NAMED = 3


@dataclass(frozen=True, slots=True)
class RationaleOptions:
    """Which rationales the training texts have.

    source:        people's; those of the word lists, which nobody has to accept; or, as a control, people's (with word_lists
                   those of the lists), each text's on as many of its tokens at random
    word_lists:    of the source "lexicon": the words of keep lists are the rationale, and those of ignore lists are not in it
    share:         how many percent of the texts with rationales keep theirs, rounded up
    choice:        which of them (ER-TEST, 2.3)
    confidence_of: models whose stored answers say how confident, those of all their seeds averaged; they should not have been
                   aligned
    """

    source: RationaleSource = "gold"
    word_lists: tuple[str, ...] = ()
    share: float = 100.0
    choice: Choice = "random"
    confidence_of: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        n_chosen(1, self.share)  # refuses what is no share
        if self.source != "shuffled" and (self.source == "lexicon") != bool(self.word_lists):
            raise InvalidValue(_("Only word-list rationales take list names, and need them."))
        if (self.choice == "random") == bool(self.confidence_of):
            raise InvalidValue(
                _("Choice '{choice}' uses no model. Remove the models.", choice=self.choice)
                if self.confidence_of
                else _("Choice '{choice}' needs a model with predictions for training texts.", choice=self.choice)
            )


@dataclass(frozen=True, slots=True)
class ChosenRationales:
    """examples: all of them, those that were not chosen without rationales.

    n_with: how many had rationales; n_tied: at how many that were not chosen a model is as confident as at the last that was
    """

    examples: tuple[Example, ...]
    n_with: int
    n_tied: int = 0


def lists_named(store: Store, project: Project, names: Sequence[str]) -> list[WordList]:
    """The word lists of these names, all of which mark words.

    Raises: InvalidValue for a name that no such list has
    """
    marking = {words.name: words for words in list_word_lists(store, project.id) if words.role in {"keep", "ignore"}}
    for name in names:
        if name not in marking:
            raise InvalidValue(unknown(_("word list"), name, ", ".join(f"'{known}'" for known in marking) or _("none")))
    return [marking[name] for name in names]


def words_as_rationale(lists: Sequence[WordList], instance: Instance) -> frozenset[int]:
    """The tokens of the keep lists' words, or all tokens where there is no keep list, without those of the ignore lists.

    Empty where no list holds a word of the text: ER-TEST's r = 1 − hit would then be the whole text, which tells nothing.
    """
    chosen = [words for words in lists if is_for(words, instance)]
    marked, ignored = (
        {token for words in chosen if words.role == role for span in spans_of_list(words, instance)
         for token in range(span.start, span.end)}
        for role in ("keep", "ignore")
    )  # fmt: skip
    if not any(words.role == "keep" for words in chosen) and ignored:
        marked = set(range(instance.layout.n_selectable))
    target = range(*(instance.target or (0, 0)))
    return frozenset(marked - ignored - set(target))


def choose_rationales(
    store: Store, project: Project, examples: Sequence[Example], options: RationaleOptions, seed: int
) -> ChosenRationales:
    """Leave rationales to a share of the examples alone, and shuffle them where that is asked for.

    Raises: ModelError where a model has not answered all of those that have rationales, InvalidValue for an unknown model
    """
    numbers = [number for number, example in enumerate(examples) if example.sets]
    chosen, n_tied = _chosen(store, project, [examples[number] for number in numbers], options, seed)
    with_rationales = {numbers[n] for n in chosen}
    left = (e if n in with_rationales else replace(e, sets=()) for n, e in enumerate(examples))
    if options.source == "shuffled":
        left = (_shuffled(example, seed) for example in left)
    return ChosenRationales(tuple(left), len(numbers), n_tied)


def _chosen(
    store: Store, project: Project, examples: Sequence[Example], options: RationaleOptions, seed: int
) -> tuple[list[int], int]:
    if options.choice == "random":
        return [int(n) for n in choose_at_random(len(examples), options.share, seed)], 0
    # float[n_seeds, n_examples]: the probability that each model, and each of its seeds, gives the gold label
    rows = [row for model in options.confidence_of for row in _p_of_model(store, project, examples, model)]
    p_gold = np.array(rows, dtype=np.float64).reshape(len(rows), len(examples))
    chosen = choose_by_confidence(p_gold, options.share, options.choice)
    return [int(n) for n in chosen.instances], chosen.n_tied


def _p_of_model(store: Store, project: Project, examples: Sequence[Example], model: str) -> list[list[float]]:
    known = list_models(store, project.id)
    if model not in known:
        others = _("Available: {known}.", known=", ".join(known)) if known else _("Compute attributions first.")
        raise InvalidValue(_("No output of model '{model}'. {others}", model=model, others=others))
    answers = full_answers(store, project.id, model)
    return [_complete(of_seed, examples, model) for of_seed in answers.values() or ({},)]


def _complete(answers: Mapping[int, Prediction], examples: Sequence[Example], model: str) -> list[float]:
    p_gold = [p_of(answers.get(example.id), example.label) for example in examples]
    missing = [example.key for example, p in zip(examples, p_gold, strict=True) if np.isnan(p)]
    if missing:
        keys = ", ".join(missing[:_NAMED]) + (" ..." if len(missing) > _NAMED else "")
        texts = counted(len(examples), "training text")
        raise ModelError(
            _(
                "'{model}' lacks probabilities for {n_missing} of {texts} with rationales ({keys}). Compute its "
                "attributions.",
                model=model,
                n_missing=f"{len(missing):,}",
                texts=texts,
                keys=keys,
            )
        )
    return p_gold


def _shuffled(example: Example, seed: int) -> Example:
    """The same sets on other tokens of the text: one permutation of its tokens for all of them."""
    other = np.random.default_rng((seed, example.id)).permutation(example.input.n_selectable)
    return replace(example, sets=tuple(frozenset(int(other[token]) for token in tokens) for tokens in example.sets))


_TRAINING = "train"
_VALIDATION = ("validation", "val", "dev")
_HOW_GOLD_COMES = unsaid("Gold comes from the import (column “label” or “answer”) or accepted annotations.")
LEARNED = "learned.json"  # digests, in the folder of a model
_DRAWN = Fraction(1, 10)  # of the training texts, to stop by, where no split is for that


@dataclass(frozen=True, slots=True)
class DataOptions:
    """Which texts, and which rationales.

    split:       what is learned from; None: "train" where there is such a split, else all
    validation:  the split to stop by; None: "validation", "val" or "dev", else a tenth of the training texts by document
    gold_policy: None: the project's
    since:       the folder of a model: only what it has not learned from, or not as it is now
    """

    split: str | None = None
    validation: str | None = None
    gold_policy: GoldPolicy | None = None
    rationales: RationaleOptions = field(default_factory=RationaleOptions)
    seed: int = 0
    since: str | None = None


@dataclass(frozen=True, slots=True)
class TrainingData:
    """learn, stop, judge: examples to learn from, to stop by, and those of other splits, to judge by.

    split:      that was learned from; None for all
    validation: the split to stop by; None where it was drawn from the training texts
    n_could:    how many of those to learn from had rationales before a share was chosen
    n_tied:     how many lost theirs although a model is as confident there as at the last that was chosen
    n_absent:   of a project that asks for answers, how many to learn from or stop by were left out, as their answer does not
                stand in the text
    digests:    of those to learn from, by which a later training with `since` knows them
    """

    learn: tuple[Example, ...]
    stop: tuple[Example, ...]
    judge: tuple[Example, ...]
    split: str | None
    validation: str | None
    n_could: int
    n_tied: int
    n_absent: int = 0
    digests: frozenset[str] = frozenset()

    @property
    def n_without_answer(self) -> int:
        """Of a project that asks for answers: how many texts to learn from have none."""
        return sum(not example.label for example in self.learn)

    @property
    def n_with_rationales(self) -> int:
        return sum(bool(example.sets) for example in self.learn)


def training_data(
    store: Store, project: Project, options: DataOptions, *, uses_rationales: bool = True
) -> TrainingData:
    """Divide a project's labelled texts; discarded ones and those without a gold label are left out.

    uses_rationales: rationales that came since a text was learned make it a new one
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
    if options.since is not None:
        before = learned_in(Path(options.since))
        learn = [e for e in learn if example_digest(e if uses_rationales else replace(e, sets=())) not in before]
        if not learn:
            raise ModelError(_("Nothing new since '{name}'. Annotate more, or remove --since.", name=options.since))
    if not stop:
        learn, stop = _drawn(store, project, learn, options.seed)
        validation = None
    n_all = len(learn) + len(stop)
    if asks_for_answers:
        learn, stop = ([e for e in part if e.place is not None or not e.label] for part in (learn, stop))
    n_absent = n_all - len(learn) - len(stop)
    if (nothing := _nothing_to_learn(learn, n_absent, asks_for_answers=asks_for_answers)) is not None:
        where = _(" in the split '{split}'", split=split) if split else ""
        remedy = "" if learn else _(_HOW_GOLD_COMES)
        raise ModelError(
            together(
                _(
                    "Nothing to learn in project '{name}': {nothing}{where}.",
                    name=project.name,
                    nothing=nothing,
                    where=where,
                ),
                remedy,
            )
        )
    chosen = choose_rationales(store, project, learn, options.rationales, options.seed)
    return TrainingData(
        chosen.examples, tuple(stop), tuple(judge), split, validation, chosen.n_with, chosen.n_tied, n_absent,
        _digests(learn, chosen.examples, uses_rationales=uses_rationales),
    )  # fmt: skip


# What a model learned from, beside its weights: so that another one can learn what came since.


def example_digest(example: Example) -> str:
    """Changes with the text, its label and its rationale sets."""
    texts = [(segment.name, segment.text) for segment in example.input.segments]
    whole = json.dumps([example.key, texts, example.label, sorted(map(sorted, example.sets))])
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


def _digests(learn: Sequence[Example], chosen: Sequence[Example], *, uses_rationales: bool) -> frozenset[str]:
    """With the gold sets of those whose rationales are learned from, shuffled or not; and without them of all."""
    with_sets = {example.id for example in chosen if example.sets and uses_rationales}
    bare = {example_digest(replace(example, sets=())) for example in learn}
    return frozenset(bare | {example_digest(example) for example in learn if example.id in with_sets})


def learned_in(folder: Path) -> frozenset[str]:
    """The digests of what a model in a folder learned from, and those before it that it goes on from.

    Raises: InvalidValue for a folder that doesn't say
    """
    try:
        return frozenset(msgspec.json.decode((folder / LEARNED).read_bytes(), type=list[str]))
    except (OSError, msgspec.DecodeError, msgspec.ValidationError) as error:
        raise InvalidValue(
            _("{folder} doesn't say what the model learned from. Remove --since.", folder=folder)
        ) from error


def _nothing_to_learn(learn: Sequence[Example], n_absent: int, *, asks_for_answers: bool) -> str | None:
    """Why nothing can be learned; None where something can."""
    labels = {example.label for example in learn}
    if labels - {""} if asks_for_answers else len(labels) > 1:
        return None
    if n_absent:
        return _("no gold answer occurs in its text")
    if not labels:
        return _("no text has gold")
    return (
        _("all gold answers are “no answer”")
        if asks_for_answers
        else _("all gold labels are '{label}'", label=labels.pop())
    )


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
