"""Which rationales the training texts have: people's or those of word lists, of all or of a share; or shuffled, as a control."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from annotator.domain.instances import Instance
from annotator.domain.models import Prediction
from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.suites import WordList
from annotator.errors import InvalidValue, ModelError
from annotator.language import _
from annotator.metrics.er_test_alignment import choose_at_random, choose_by_confidence, n_chosen
from annotator.perturb.lexicon import is_for, spans_of_list
from annotator.scoring.runs import p_of
from annotator.store import Store
from annotator.store.models import full_answers, list_models
from annotator.store.suites import list_word_lists
from annotator.training.examples import Example

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
            raise InvalidValue(
                _("Rationales of word lists need the names of the lists, and other rationales have none.")
            )
        if (self.choice == "random") == bool(self.confidence_of):
            raise InvalidValue(
                _(
                    "The choice '{choice}' does not ask how confident a model is; leave the models out.",
                    choice=self.choice,
                )
                if self.confidence_of
                else _("The choice '{choice}' needs a model that has answered the training texts.", choice=self.choice)
            )


@dataclass(frozen=True, slots=True)
class ChosenRationales:
    """examples: all of them, those that were not chosen without rationales.

    n_with: how many had rationales; n_chosen: how many have them now; n_tied: at how many that were not chosen a model is as
    confident as at the last that was
    """

    examples: tuple[Example, ...]
    n_with: int
    n_chosen: int
    n_tied: int = 0


def lists_named(store: Store, project: Project, names: Sequence[str]) -> list[WordList]:
    """The word lists of these names, all of which mark words.

    Raises: InvalidValue for a name that no such list has
    """
    marking = {words.name: words for words in list_word_lists(store, project.id) if words.role in {"keep", "ignore"}}
    for name in names:
        if name not in marking:
            raise InvalidValue(
                _(
                    "There is no word list '{name}' that marks words (a keep list or an ignore list). There are {lists}.",
                    name=name,
                    lists=", ".join(f"'{known}'" for known in marking) or _("none"),
                )
            )
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
    return ChosenRationales(tuple(left), len(numbers), len(with_rationales), n_tied)


def _chosen(
    store: Store, project: Project, examples: Sequence[Example], options: RationaleOptions, seed: int
) -> tuple[list[int], int]:
    if options.choice == "random":
        return [int(n) for n in choose_at_random(len(examples), options.share, seed)], 0
    p_gold = _p_gold(store, project, examples, options.confidence_of)
    chosen = choose_by_confidence(p_gold, options.share, options.choice)
    return [int(n) for n in chosen.instances], chosen.n_tied


def _p_gold(
    store: Store, project: Project, examples: Sequence[Example], models: Sequence[str]
) -> npt.NDArray[np.float64]:
    """float[n_seeds, n_examples]: the probability that each model, and each of its seeds, gives the gold label."""
    rows = [row for model in models for row in _p_of_model(store, project, examples, model)]
    return np.array(rows, dtype=np.float64).reshape(len(rows), len(examples))


def _p_of_model(store: Store, project: Project, examples: Sequence[Example], model: str) -> list[list[float]]:
    known = list_models(store, project.id)
    if model not in known:
        others = (
            _("There is some of {known}.", known=", ".join(known))
            if known
            else _("No model has any here; compute attributions first.")
        )
        raise InvalidValue(_("There is no output of a model '{model}'. {others}", model=model, others=others))
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
                "The model '{model}' has given no probabilities of {n_missing} of the {texts} with rationales ({keys}). "
                "Compute its attributions of the training split first; its answers come with them.",
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
