"""Which examples go together, drawn anew for each epoch from the seed alone, so that a run that was stopped goes on alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from annotator.attribution.transformers_encoding import Batch, batch_of
from annotator.training.examples import Row

Tensor = Any  # torch is not imported here: whoever makes one has it


@dataclass(frozen=True, slots=True)
class TrainingBatch:
    """Rows side by side, the shorter ones filled up.

    pieces:  as every model of ours is asked
    targets: int64[batch]
    gold:    bool[batch, sets, length]; is_set: bool[batch, sets]
    real:    bool[batch, length]: everything but filling
    answers: of a reading model, the first and last piece of each answer; None for no answer
    """

    keys: tuple[str, ...]
    pieces: Batch
    targets: Tensor
    gold: Tensor
    is_set: Tensor
    answers: tuple[tuple[int, int] | None, ...] = ()

    @property
    def real(self) -> Tensor:
        return self.pieces.mask.bool()


def drawn_batches(rows: Sequence[Row], size: int, one_in: int | None, seed: int, epoch: int) -> list[list[int]]:
    """The numbers of the rows that go together in an epoch.

    Where fewer rows than one in `one_in` have rationales, that share of each batch has them (at least one), drawn again and
    again, and an epoch is one pass over those that have none (ER-TEST's released code; a third in the paper, A.5). Else an
    epoch is one pass over all, as it is where rationales do not count (one_in None).

    >>> [len(batch) for batch in drawn_batches([], 16, 3, seed=0, epoch=0)]
    []
    """
    generator = np.random.default_rng((seed, epoch))
    with_sets = [number for number, row in enumerate(rows) if len(row.gold)]
    without = [number for number, row in enumerate(rows) if not len(row.gold)]
    if one_in is None or not with_sets or len(with_sets) * one_in >= len(rows):
        return _in_parts(_shuffled(range(len(rows)), generator), size)
    n_with = max(1, size // one_in)
    parts = _in_parts(_shuffled(without, generator), max(1, size - n_with))
    again: list[int] = []
    while len(again) < n_with * len(parts):
        again += _shuffled(with_sets, generator)
    return [part + again[n * n_with : (n + 1) * n_with] for n, part in enumerate(parts)]


def _shuffled(numbers: Sequence[int], generator: np.random.Generator) -> list[int]:
    return [numbers[index] for index in generator.permutation(len(numbers))]


def _in_parts(numbers: Sequence[int], size: int) -> list[list[int]]:
    return [list(numbers[first : first + size]) for first in range(0, len(numbers), size)]


def training_batch(rows: Sequence[Row], tokenizer: Any, device: str) -> TrainingBatch:
    """Rows as one batch on a device."""
    torch = import_module("torch")
    pieces = batch_of([row.encoded for row in rows], tokenizer, device)
    n_sets = max((len(row.gold) for row in rows), default=0)
    gold = np.zeros((len(rows), max(1, n_sets), pieces.ids.shape[1]), dtype=np.bool_)
    is_set = np.zeros(gold.shape[:2], dtype=np.bool_)
    for number, row in enumerate(rows):
        gold[number, : len(row.gold), : row.gold.shape[1]] = row.gold
        is_set[number, : len(row.gold)] = True
    return TrainingBatch(
        tuple(row.key for row in rows),
        pieces,
        torch.tensor([row.target for row in rows], device=device),
        torch.tensor(gold, device=device),
        torch.tensor(is_set, device=device),
        tuple(None if row.answer is None else row.answer.pieces for row in rows),
    )
