"""The weights of words and their parts: fitted on examples, with the penalty that does best on texts that were held out."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np

from annotator.attribution.base import Input
from annotator.attribution.softmax_regression import (
    FeatureCounts,
    SparseTable,
    fitted,
    log_probabilities,
    scales_of,
)
from annotator.attribution.token_features import features_of
from annotator.language import _
from annotator.metrics.ragged import Flags, Floats, Integers
from annotator.metrics.significance import FEWEST

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
            raise ValueError(_("its weights are not as many as its features"))
        return NgramWeights(saved["labels"], saved["features"], repeating, weights)
