"""Texts whose label is decided by known words, some beside a word that only seems to decide it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotator.attribution.base import Input
from annotator.training.examples import Example
from tests.models.conftest import words

LABELS = ("negative", "positive")
LENGTH = 16
NEUTRAL = [f"word{n}" for n in range(200)]
_DECIDING = {label: [f"{label[:3]}{n}" for n in range(40)] for label in LABELS}
SPURIOUS = {"negative": "blue", "positive": "red"}


@dataclass(frozen=True, slots=True)
class Planting:
    """How texts are drawn. n_deciding: words of the label; follows: how often the spurious word does; None: there is none.

    n_words: among how many the words of a label are; of fewer each stands in more texts, so that fewer texts teach them
    """

    n: int
    n_deciding: int = 2
    follows: float | None = None
    seed: int = 0
    n_words: int = 40


def planted(planting: Planting) -> list[Example]:
    """Texts of 16 words; the rationale is the words that decide."""
    generator = np.random.default_rng(planting.seed)
    return [_one(number, planting, generator) for number in range(planting.n)]


def _one(number: int, planting: Planting, generator: np.random.Generator) -> Example:
    label = LABELS[int(generator.integers(2))]
    text = list(generator.choice(NEUTRAL, LENGTH))
    places = generator.choice(LENGTH, planting.n_deciding + 1, replace=False)
    for place in places[:-1]:
        text[place] = str(generator.choice(_DECIDING[label][: planting.n_words]))
    if planting.follows is not None:
        other = LABELS[1 - LABELS.index(label)]
        text[places[-1]] = SPURIOUS[label if generator.random() < planting.follows else other]
    return Example(
        number, f"text{number}", Input((words("text", " ".join(text)),)), label, (frozenset(map(int, places[:-1])),)
    )


def without_sets(examples: Sequence[Example]) -> list[Example]:
    """The same texts with their labels alone."""
    return [Example(e.id, e.key, e.input, e.label) for e in examples]


def all_words() -> list[str]:
    """Every word, so that a tokenizer trained on them keeps each whole."""
    return [*NEUTRAL, *SPURIOUS.values(), *(word for of_label in _DECIDING.values() for word in of_label)]
