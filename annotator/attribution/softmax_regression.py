"""Softmax regression with a quadratic penalty, over counts of features that belong to token types.

A text is a count of token types and a type a count of features: every product goes by way of these two thin tables, so that no
table of texts by features is made. Sums are made in one order and without BLAS, so that equal texts give equal weights.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.metrics.ragged import Flags, Floats, Integers

_REMEMBERED = 10  # steps of the quasi-Newton method
_MOST_STEPS = 200
_MOST_HALVINGS = 30
_ENOUGH_DESCENT = 1e-4
FLAT = 1e-4  # of the slope at the start

Loss = Callable[[Floats], tuple[float, Floats]]


@dataclass(frozen=True, eq=False)
class SparseTable:
    """A table that is mostly 0, as the places of ones; several at a place add up.

    Shapes: rows, columns int[n]; shape: of the table
    """

    rows: Integers
    columns: Integers
    shape: tuple[int, int]

    def times(self, dense: Floats) -> Floats:
        """float[n_rows, k], of float[n_columns, k]."""
        return _sums(dense, self.columns, self.rows, self.shape[0])

    def transposed_times(self, dense: Floats) -> Floats:
        """float[n_columns, k], of float[n_rows, k]."""
        return _sums(dense, self.rows, self.columns, self.shape[1])

    def of_rows(self, keep: Flags) -> "SparseTable":
        """Some of the rows, in their order. keep: bool[n_rows]."""
        numbers = np.cumsum(keep) - 1
        is_kept = keep[self.rows]
        return SparseTable(numbers[self.rows[is_kept]], self.columns[is_kept], (int(keep.sum()), self.shape[1]))


def _sums(dense: Floats, taken: Integers, into: Integers, n: int) -> Floats:
    """A column at a time, which is several times as fast as rows of a few values each."""
    sums = [np.bincount(into, weights=column[taken], minlength=n) for column in np.ascontiguousarray(dense.T)]
    return np.stack(sums, axis=1)


@dataclass(frozen=True, eq=False)
class FeatureCounts:
    """How often each text has each feature. texts: of texts by token types; features: of types by features."""

    texts: SparseTable
    features: SparseTable

    def of_texts(self, keep: Flags) -> "FeatureCounts":
        """Of some of the texts. keep: bool[n_texts]."""
        return FeatureCounts(self.texts.of_rows(keep), self.features)

    def occurrences(self) -> Floats:
        """float[n_features]: in all texts."""
        n_texts, _ = self.texts.shape
        of_types = self.texts.transposed_times(np.ones((n_texts, 1)))
        return self.features.transposed_times(of_types)[:, 0]

    def times(self, weights: Floats) -> Floats:
        return self.texts.times(self.features.times(weights))

    def transposed_times(self, of_texts: Floats) -> Floats:
        return self.features.transposed_times(self.texts.transposed_times(of_texts))


def scales_of(counts: FeatureCounts) -> Floats:
    """float[n_features]: the more often a feature stands in the texts, the less each of its occurrences counts; 0 for none.

    Without it, what stands everywhere would carry the weights: "the" tells little of each text, and is in all of them.
    """
    occurrences = counts.occurrences()
    scales: Floats = np.where(occurrences > 0, 1 / np.sqrt(1 + occurrences), 0.0)
    return scales


def fitted(
    counts: FeatureCounts, labels: Integers, n_labels: int, penalty: float, *,
    start: Floats | None = None, flat: float = FLAT,
) -> Floats:  # fmt: skip
    """Weights of scaled features and, in the last row, the biases: the least of loss and half the penalty times the squares.

    Biases are not penalised. flat: the share of the first slope at which it is flat enough
    Shapes: labels int[n_texts]; start and answer float[n_features + 1, n_labels]
    """
    scales = scales_of(counts)[:, np.newaxis]
    truth = np.eye(n_labels)[labels]

    def loss(weights: Floats) -> tuple[float, Floats]:
        given, biases = weights[:-1], weights[-1]
        logits = counts.times(scales * given) + biases
        logs = log_probabilities(logits)
        differences = np.exp(logs) - truth
        slope = np.concatenate(
            (scales * counts.transposed_times(differences) + penalty * given, differences.sum(axis=0)[np.newaxis])
        )
        return float(-(logs * truth).sum() + penalty / 2 * (given * given).sum()), slope

    zero = np.zeros((len(scales) + 1, n_labels))
    zero[-1] = np.log((truth.sum(axis=0) + 1) / (len(truth) + n_labels))
    return _least(loss, zero if start is None else start, flat * _length(loss(zero)[1]))


def log_probabilities(logits: Floats) -> Floats:
    """float[n_texts, n_labels]."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    logs: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logs


def _least(loss: Loss, start: Floats, flat: float) -> Floats:
    """Where a smooth convex function is least, by L-BFGS (Nocedal and Wright 2006, algorithm 7.5) with halved steps.

    flat: the slope that is small enough
    """
    point, (value, slope) = start, loss(start)
    steps: list[tuple[Floats, Floats]] = []
    for _ in range(_MOST_STEPS):
        if _length(slope) <= flat:
            break
        direction = _direction(slope, steps)
        down = _dot(direction, slope)
        size = 1.0 if steps else 1.0 / max(_length(slope), 1.0)
        for _ in range(_MOST_HALVINGS):
            new_value, new_slope = loss(point + size * direction)
            if new_value <= value + _ENOUGH_DESCENT * size * down:
                break
            size /= 2
        else:
            break  # as low as numbers of 64 bits tell
        step, change = size * direction, new_slope - slope
        point, value, slope = point + step, new_value, new_slope
        if _dot(step, change) > 0:
            steps = [*steps[-_REMEMBERED + 1 :], (step, change)]
    return point


def _direction(slope: Floats, steps: Sequence[tuple[Floats, Floats]]) -> Floats:
    """Down the slope, bent by what the last steps told of the curvature."""
    direction = -slope
    shares: list[float] = []
    for step, change in reversed(steps):
        share = _dot(step, direction) / _dot(step, change)
        shares.append(share)
        direction = direction - share * change
    if steps:
        step, change = steps[-1]
        direction = direction * (_dot(step, change) / _dot(change, change))
    for (step, change), share in zip(steps, reversed(shares), strict=True):
        direction = direction + (share - _dot(change, direction) / _dot(step, change)) * step
    return direction


def _dot(first: Floats, second: Floats) -> float:
    return float((first * second).sum())


def _length(of: Floats) -> float:
    return math.sqrt(_dot(of, of))
