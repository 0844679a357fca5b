"""Linear classifiers over counts of words and n-grams: their features, their training, and a token's share in a decision.

A text is a count of token types and a type a count of features: every product goes by way of these two thin tables, so that no
table of texts by features is made. Sums are made in one order and without BLAS, so that equal texts give equal weights.

A word between < and > and its runs of two to five characters, as in Bojanowski et al. 2017 ("Enriching word vectors with subword
information"), so that a word that was never seen shares parts with some that were. No part reaches beyond its token: whatever
is learned of it is a token's own.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
import regex

from annotator.attribution.base import Input
from annotator.language import _
from annotator.metrics.ragged import Flags, Floats, Integers
from annotator.metrics.significance import FEWEST

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
    for _step in range(_MOST_STEPS):
        if _length(slope) <= flat:
            break
        direction = _direction(slope, steps)
        down = _dot(direction, slope)
        size = 1.0 if steps else 1.0 / max(_length(slope), 1.0)
        for _halving in range(_MOST_HALVINGS):
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


# What the built-in model sees of a token: its word, and the parts of it.


_SHORTEST, _LONGEST = 2, 5
_MOST_CHARACTERS = 100  # of a token; behind them stand parts of addresses and of binary data, in thousands
_AROUND = regex.compile(r"^[\p{P}\p{S}]+|[\p{P}\p{S}]+$")


def features_of(segment: str, token: str, repeating: Sequence[str]) -> list[str]:
    """The features of a token by their names, each as often as it has it; those of document2 and document are the same.

    Punctuation around a word is left out, unless the token is nothing else. Single characters are parts in scripts without upper
    and lower case, where one is often a word (Chinese).
    >>> features_of("document2", "Go!", ["document"])
    ['document=<go>', 'document=<g', 'document=go', 'document=o>', 'document=<go', 'document=go>']
    >>> features_of("text", "好吃", ())
    ['text=<好吃>', 'text=好', 'text=吃', 'text=<好', 'text=好吃', 'text=吃>', 'text=<好吃', 'text=好吃>']
    >>> features_of("text", "", ())
    []
    """
    if not token:
        return []
    base = segment.rstrip("0123456789")
    side = base if base in repeating else segment
    lowered = token[:_MOST_CHARACTERS].lower()
    word = _AROUND.sub("", lowered) or lowered
    marked = f"<{word}>"
    singles = [character for character in word if character.isalpha() and character.lower() == character.upper()]
    runs = [
        marked[start : start + n]
        for n in range(_SHORTEST, min(_LONGEST, len(marked) - 1) + 1)
        for start in range(len(marked) - n + 1)
    ]
    return [f"{side}={part}" for part in (marked, *singles, *runs)]


# The weights of words and their parts: fitted on examples, with the penalty that does best on texts that were held out.


_PENALTIES = (100.0, 30.0, 10.0, 3.0, 1.0, 0.3)
_OF_FEW = 1.0  # where there are too few texts to choose by
_MOST_CHOOSING = 1_000
_ROUGHLY = 3e-2  # is enough to tell penalties apart
_FEATURES, _WEIGHTS = "features.json", "weights.npy"


@dataclass(frozen=True, slots=True)
class Example:
    """What the classifier learns from. fold: texts that share a document or an original have the same."""

    input: Input
    label: str
    fold: str = ""


@dataclass(frozen=True, eq=False)
class CountedFeatures:
    """Examples as counts. truth: int[n_examples], places in `labels`; names: of the features."""

    counts: FeatureCounts
    truth: Integers
    labels: tuple[str, ...]
    names: tuple[str, ...]
    repeating: tuple[str, ...]


def counted_features(
    examples: Sequence[Example], labels: Sequence[str], repeating: Sequence[str] = ()
) -> CountedFeatures:
    """Every token type is cut into its features once, however many texts have it."""
    types: dict[tuple[str, str], int] = {}
    names: dict[str, int] = {}
    texts = [
        [types.setdefault((s.name, token), len(types)) for s in example.input.segments for token in s.tokens]
        for example in examples
    ]
    features = [[names.setdefault(name, len(names)) for name in features_of(*token, repeating)] for token in types]
    counts = FeatureCounts(_table(texts, len(types)), _table(features, len(names)))
    truth = np.array([labels.index(example.label) for example in examples], dtype=np.int64)
    return CountedFeatures(counts, truth, tuple(labels), tuple(names), tuple(repeating))


def _table(rows: Sequence[Sequence[int]], n_columns: int) -> SparseTable:
    lengths = np.array([len(row) for row in rows], dtype=np.int64)
    columns = np.array([column for row in rows for column in row], dtype=np.int64)
    return SparseTable(np.repeat(np.arange(len(rows)), lengths), columns, (len(rows), n_columns))


def chosen_penalty(counted: CountedFeatures, folds: Sequence[str]) -> float:
    """The penalty under which held-out texts are likeliest, each asked of weights that were fitted without its fold.

    Penalties are tried from the largest down until one does worse; of many texts, 1,000 that lie evenly are tried.
    """
    stride = max(1, -(-len(folds) // _MOST_CHOOSING))
    is_tried = np.arange(len(folds)) % stride == 0
    fold_of = np.array(folds)[is_tried]
    names = sorted(set(fold_of.tolist()))
    if len(fold_of) < FEWEST or len(names) < 2:
        return _OF_FEW
    counts, truth = counted.counts.of_texts(is_tried), counted.truth[is_tried]
    held_out = [_HeldOutFold.of(counts, truth, len(counted.labels), fold_of == name) for name in names]
    best, least = _OF_FEW, np.inf
    for penalty in _PENALTIES:
        loss = sum(fold.loss(penalty) for fold in held_out)
        if loss >= least:
            break
        best, least = penalty, loss
    return best


@dataclass(slots=True)
class _HeldOutFold:
    """The texts of a fold, and the others.

    weights: those of the last penalty, where the next ones start. Shapes: *_truth int[n]
    """

    rest: FeatureCounts
    rest_truth: Integers
    asked: FeatureCounts
    asked_truth: Integers
    n_labels: int
    weights: Floats | None = None

    @staticmethod
    def of(counts: FeatureCounts, truth: Integers, n_labels: int, is_asked: Flags) -> "_HeldOutFold":
        return _HeldOutFold(
            counts.of_texts(~is_asked), truth[~is_asked], counts.of_texts(is_asked), truth[is_asked], n_labels
        )

    def loss(self, penalty: float) -> float:
        """How unlikely the fold's labels are to weights that were fitted on the rest."""
        weights = fitted(self.rest, self.rest_truth, self.n_labels, penalty, start=self.weights, flat=_ROUGHLY)
        self.weights = weights
        scales = scales_of(self.rest)[:, np.newaxis]
        logs = log_probabilities(self.asked.times(scales * weights[:-1]) + weights[-1])
        return -float(logs[np.arange(len(logs)), self.asked_truth].sum())


class NgramWeights:
    """What words and their parts weigh; a token weighs what its features do together."""

    def __init__(self, labels: Sequence[str], names: Sequence[str], repeating: Sequence[str], weights: Floats) -> None:
        """weights: float[n_features + 1, n_labels]; the biases are the last."""
        self.labels = tuple(labels)
        self.bias: Floats = weights[-1]
        self._names = names
        self._repeating = repeating
        self._weights = weights
        self._rows = {name: row for row, name in enumerate(names)}

    @staticmethod
    def fitted(counted: CountedFeatures, penalty: float) -> "NgramWeights":
        weights = fitted(counted.counts, counted.truth, len(counted.labels), penalty)
        weights[:-1] *= scales_of(counted.counts)[:, np.newaxis]
        return NgramWeights(counted.labels, counted.names, counted.repeating, weights)

    def of_tokens(self, named_tokens: Sequence[tuple[str, str]]) -> Floats:
        weights = np.zeros((len(named_tokens), len(self.labels)))
        for number, (segment, token) in enumerate(named_tokens):
            known = [self._rows[name] for name in features_of(segment, token, self._repeating) if name in self._rows]
            weights[number] = self._weights[known].sum(axis=0)
        return weights

    def digest(self) -> str:
        digest = blake2b(json.dumps([self.labels, self._repeating, self._names]).encode(), digest_size=8)
        digest.update(self._weights.tobytes())
        return digest.hexdigest()

    def write(self, folder: Path) -> None:
        (folder / _FEATURES).write_text(json.dumps({"labels": self.labels, "features": self._names}), encoding="ascii")
        np.save(folder / _WEIGHTS, self._weights)

    @staticmethod
    def read(folder: Path, repeating: Sequence[str]) -> "NgramWeights":
        saved = json.loads((folder / _FEATURES).read_text(encoding="ascii"))
        weights = np.load(folder / _WEIGHTS, allow_pickle=False)
        if weights.shape != (len(saved["features"]) + 1, len(saved["labels"])):
            raise ValueError(_("weight and feature counts differ"))
        return NgramWeights(saved["labels"], saved["features"], repeating, weights)
