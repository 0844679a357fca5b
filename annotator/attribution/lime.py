"""LIME over token positions: a linear model of what the classifier answers when some of an input's tokens are removed.

A word that stands twice has two scores, and the words of a pair's two sides have scores of their own; the original scores word
types. Sampling, kernel and fit are those of Ribeiro et al. 2016 and their program `lime`, with positions in the place of types.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotator.attribution.base import Explained, Input, Predictor
from annotator.attribution.removal_methods import Question, Removing, Steps, Text, chance_for
from annotator.domain.models import Unit
from annotator.metrics.ragged import Flags, Floats, Integers

Perturbed = Literal["all", "side"]

_PENALTY_OF_SELECTION = 0.01  # of the fit by which features are chosen; lime's


@dataclass(frozen=True, slots=True)
class Fit:
    """A weighted ridge regression. coefficients: float[n_features]; r2: weighted, NaN where all answers are equal."""

    coefficients: Floats
    r2: float


class Lime(Removing):
    """Coefficients of the linear model: what a token's presence adds to the label's logit or probability.

    samples:      changed inputs for each text; the text itself is one of them
    features:     that many tokens of the highest weight are fitted again, the others get 0; None: all tokens
    kernel_width: of the weight √exp(−d² / width²) of a sample, d = 100 · cosine distance to the text
    penalty:      of the ridge regression. lime's is 1, which takes most of the scores of texts of a few tokens away
    perturbed:    "all" removes from the whole input; "side" from one segment of it at a time, the sides in turn
    Facts: `r2`, how well the linear model fits the samples; with fewer samples than tokens it fits any
    """

    method = "lime"
    is_signed = True

    def __init__(
        self,
        predictor: Predictor,
        *,
        seed: int = 0,
        samples: int = 500,
        features: int | None = None,
        kernel_width: int = 25,
        penalty: float = 0.001,
        perturbed: Perturbed = "all",
        output: object = "default",
        removal: object = "default",
    ) -> None:
        self._question = Question.of(predictor, output, removal)
        self._samples = samples
        self._features = features
        self._kernel_width = kernel_width
        self._penalty = penalty
        self._perturbed: Perturbed = perturbed
        self.seed: int | None = seed
        self.unit: Unit = self._question.output
        self.parameters: Mapping[str, object] = {
            "samples": samples,
            "features": "all" if features is None else features,
            "kernel_width": kernel_width,
            "penalty": penalty,
            "perturbed": perturbed,
            **self._question.parameters,
        }

    def steps(self, text: Text) -> Steps[Explained]:
        """A sample that comes again is asked about once."""
        if not len(text.seen):
            return text.explained(np.empty(0), {})
        different, places = np.unique(self._masks(text.model_input, text.seen), axis=0, return_inverse=True)
        places = places.reshape(-1)
        answers, masks = (yield different)[places], different[places]
        fit = fitted(masks, answers, kernel(masks, self._kernel_width), self._features, self._penalty)
        return text.explained(fit.coefficients, {"r2": fit.r2})

    def _masks(self, model_input: Input, seen: Integers) -> Flags:
        """bool[samples, n_seen]: what stays in each sample, everything in the first; else how many go is drawn first."""
        chance = chance_for(model_input, self.seed or 0)
        sides = [np.flatnonzero((seen >= first) & (seen < end)) for first, end in model_input.sides()]
        filled = [side for side in sides if len(side)] if self._perturbed == "side" else [np.arange(len(seen))]
        masks = np.ones((self._samples, len(seen)), dtype=np.bool_)
        for number in range(1, self._samples):
            side = filled[number % len(filled)]
            n_removed = chance.integers(1, len(side) + 1)
            masks[number, chance.choice(side, n_removed, replace=False)] = False
        return masks


def kernel(masks: Flags, width: float) -> Floats:
    """float[samples]: the weight of each sample, 1 for the text itself."""
    distances = 100.0 * (1.0 - np.sqrt(masks.mean(axis=1)))  # cosine distance of a binary vector to all ones
    weights: Floats = np.sqrt(np.exp(-(distances**2) / width**2))
    return weights


def fitted(masks: Flags, answers: Floats, weights: Floats, n_features: int | None, penalty: float) -> Fit:
    """The linear model of all features, or of those with the highest absolute weights (ties by position).

    Shapes: masks bool[samples, n], answers and weights float[samples]
    """
    n = masks.shape[1]
    if n_features is None or n_features >= n:
        return _ridge(masks, answers, weights, penalty)
    first = _ridge(masks, answers, weights, _PENALTY_OF_SELECTION).coefficients
    chosen = np.sort(np.argsort(-np.abs(first), kind="stable")[:n_features])
    fit = _ridge(masks[:, chosen], answers, weights, penalty)
    coefficients = np.zeros(n)
    coefficients[chosen] = fit.coefficients
    return Fit(coefficients, fit.r2)


def _ridge(masks: Flags, answers: Floats, weights: Floats, penalty: float) -> Fit:
    """The intercept is not penalised. With more features than samples the equations are solved in samples."""
    share = weights / weights.sum()
    roots = np.sqrt(weights)
    x = roots[:, None] * (masks - share @ masks)
    y = roots * (answers - share @ answers)
    if x.shape[1] <= x.shape[0]:
        coefficients: Floats = np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T @ y)
    else:
        coefficients = x.T @ np.linalg.solve(x @ x.T + penalty * np.eye(x.shape[0]), y)
    spread, rest = float(y @ y), y - x @ coefficients
    is_flat = spread <= 1e-20 * float(weights.sum()) * max(1.0, float(np.abs(answers).max()) ** 2)
    return Fit(coefficients, np.nan if is_flat else 1.0 - float(rest @ rest) / spread)


def spread_over_seeds(scores: Sequence[Sequence[float]]) -> float:
    """How far seeds lie apart: the mean over tokens of the standard deviation (n − 1) over seeds, in the scores' unit.

    Undefined: NaN for fewer than two seeds, or where no token has a score
    >>> round(spread_over_seeds([[1.0, 0.0], [3.0, 0.0]]), 4)
    0.7071
    """
    rows = np.array(scores, dtype=np.float64).reshape(len(scores), -1)
    rows = rows[:, ~np.isnan(rows).any(axis=0)]
    return float(rows.std(axis=0, ddof=1).mean()) if len(rows) > 1 and rows.size else np.nan
