"""What alignment brings on planted texts, judged by behaviour alone: `make proofs` prints the table for docs/planted_trials.md.

A spurious word follows the label in 98 % of the training texts. Judged are accuracy where it goes on doing so, follows nothing,
or says the opposite; how often putting the opposite word in its place changes an answer; and what the answer's logit loses when
it is replaced by a neutral word, signed and as a share of all words' absolute losses. The attributions that are trained are not
asked. A control is trained on shuffled rationales: what it gains too is no gain from the rationales.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from time import perf_counter
from typing import get_args

import click
import numpy as np
import numpy.typing as npt

from annotator.attribution.base import Input
from annotator.training.alignment import AlignmentOptions, Criterion, Extractor
from annotator.training.examples import Example, rows_of
from annotator.training.loop import FittingOptions, answered, fit
from annotator.training.trainable_models import NewModel, Trainable, make
from tests.models.conftest import words
from tests.training.planted import LABELS, LENGTH, NEUTRAL, SPURIOUS, Planting, all_words, planted

SHAPE = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 128,
    "max_position_embeddings": 32,
}
SEEDS = (0, 1, 2)
N_TRAIN, N_TEST, N_EXPLAINED = 400, 300, 100
FOLLOWS = 0.98

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Proof:
    """Of one training. Accuracies; flipped: share of answers that the opposite spurious word changes; signed: mean loss of the
    answer's logit without the spurious word; share: of the absolute losses of all words, 1/16 if all count alike."""

    in_distribution: float
    random: float
    reversed: float
    flipped: float
    signed: float
    share: float
    seconds: float


def trainings() -> Iterator[tuple[str, AlignmentOptions | None, bool]]:
    """What it is called, its alignment, and whether its rationales are shuffled."""
    yield "none", None, False
    criteria: tuple[Criterion, ...] = ("mse", "mae", "huber", "bce", "order")
    for criterion in criteria:
        yield criterion, AlignmentOptions(criterion), False
    yield "bce, shuffled", AlignmentOptions("bce"), True
    yield "order, shuffled", AlignmentOptions("order"), True
    for by in get_args(Extractor):
        mean = AlignmentOptions("mse", by=by, over="mean")  # with sums, controls of some lose the task
        wanted = [
            ("mse, mean", mean),
            *([("order", AlignmentOptions("order", by=by))] if by != "gradient-x-input" else []),
        ]
        for name, options in wanted:
            yield f"{by}: {name}", options, False
            yield f"{by}: {name}, shuffled", options, True


def prove(alignment: AlignmentOptions | None, *, is_shuffled: bool, seed: int) -> Proof:
    """Train once and judge."""
    began = perf_counter()
    options = FittingOptions(epochs=15, learning_rate=1e-3, batch_size=32, seed=seed, alignment=alignment)
    trainable = make(NewModel(LABELS, shape=SHAPE, n_subwords=2_000), all_words() * 3, seed)
    examples = planted(Planting(N_TRAIN, follows=FOLLOWS, seed=seed))
    if is_shuffled:
        examples = [_shuffled(example, seed) for example in examples]
    fit(trainable, rows_of(trainable.cutter, examples, LABELS), [], options)
    seconds = perf_counter() - began
    accuracies = [
        _accuracy(trainable, planted(Planting(N_TEST, follows=follows, seed=1_000 + seed))) for follows in (FOLLOWS, 0.5, 0.0)
    ]  # fmt: skip
    judged = planted(Planting(N_EXPLAINED, follows=0.5, seed=2_000 + seed))
    return Proof(*accuracies, *_without_words(trainable, judged, seed), seconds)


def _shuffled(example: Example, seed: int) -> Example:
    other = np.random.default_rng((seed, example.id)).permutation(LENGTH)
    return replace(example, sets=tuple(frozenset(int(other[place]) for place in tokens) for tokens in example.sets))


def _accuracy(trainable: Trainable, examples: Sequence[Example]) -> float:
    return float(np.mean([LABELS[answer] == e.label for answer, e in zip(_logits(trainable, examples).argmax(axis=1), examples, strict=True)]))  # fmt: skip


def _logits(trainable: Trainable, examples: Sequence[Example]) -> Floats:
    return answered(trainable, rows_of(trainable.cutter, examples, LABELS))


def _without_words(trainable: Trainable, examples: Sequence[Example], seed: int) -> tuple[float, float, float]:
    """Answers flipped by the opposite spurious word, and what its replacement by a neutral word takes from the answer."""
    texts = [example.input.segments[0].text.split() for example in examples]
    places = [next(place for place, word in enumerate(text) if word in SPURIOUS.values()) for text in texts]
    logits = _logits(trainable, examples)
    answers = logits.argmax(axis=1)
    opposite = dict(zip(SPURIOUS.values(), reversed(list(SPURIOUS.values())), strict=True))
    turned = [_with(e, place, opposite[text[place]]) for e, text, place in zip(examples, texts, places, strict=True)]
    flipped = float(np.mean(_logits(trainable, turned).argmax(axis=1) != answers))
    draw = np.random.default_rng(seed)
    margins = _margins(logits, answers)
    losses = np.stack(
        [
            margins - _margins(_logits(trainable, [_with(e, place, str(draw.choice(NEUTRAL))) for e in examples]), answers)
            for place in range(LENGTH)
        ],
        axis=1,
    )  # fmt: skip
    of_spurious = losses[np.arange(len(examples)), places]
    return (flipped, float(of_spurious.mean()), float((np.abs(of_spurious) / np.abs(losses).sum(axis=1)).mean()))


def _margins(logits: Floats, answers: npt.NDArray[np.int64]) -> Floats:
    "float[n]: how far the logit of the prediction is above the other's."
    rows = np.arange(len(answers))
    margins: Floats = logits[rows, answers] - logits[rows, 1 - answers]
    return margins


def _with(example: Example, place: int, word: str) -> Example:
    text = example.input.segments[0].text.split()
    text[place] = word
    return replace(example, input=Input((words("text", " ".join(text)),)))


def main() -> int:
    names = [field.name for field in fields(Proof)]
    click.echo(f"{'':<36}" + "".join(f"{name.replace('_', ' '):>20}" for name in names))
    for title, alignment, is_shuffled in trainings():
        proofs = [prove(alignment, is_shuffled=is_shuffled, seed=seed) for seed in SEEDS]
        table = np.array([[getattr(proof, name) for name in names] for proof in proofs])
        means, deviations = table.mean(axis=0), table.std(axis=0, ddof=1)
        cells = (f"{mean:.3f} ± {deviation:.3f}" for mean, deviation in zip(means, deviations, strict=True))
        click.echo(f"{title:<36}" + "".join(f"{cell:>20}" for cell in cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
