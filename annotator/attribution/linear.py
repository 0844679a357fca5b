"""Exact attribution for a model whose logits are sums of token weights: the score of a token is its weight."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from annotator.attribution.base import Explained, GivesLogits, Input, Predictor
from annotator.domain.models import Attribution, Unit
from annotator.errors import ModelError
from annotator.language import _
from annotator.metrics.ragged import Floats


@runtime_checkable
class IsLinear(GivesLogits, Protocol):
    """A predictor whose logits are a bias and the sum of its tokens' weights. bias: float[n_labels]."""

    bias: Floats

    def token_weights(self, model_input: Input) -> Floats:
        """float[n_tokens, n_labels]: of all tokens, those that cannot be marked included."""


class Linear:
    """The tokens' own weights. Facts: `base`, the bias and the weights of what cannot be marked; `logit`.

    The sum of an input's scores and its base is the logit; `convergence` is what is left between the two.
    """

    method = "linear"
    seed: int | None = None
    unit: Unit = "logit"
    is_signed = True

    def __init__(self, predictor: Predictor) -> None:
        if not isinstance(predictor, IsLinear):
            raise ModelError(
                _(
                    "{name} is no linear model, so its logits are no sums of token weights. Choose another method, such as "
                    "occlusion, or the built-in model.",
                    name=predictor.name,
                )
            )
        self._predictor: IsLinear = predictor
        self.parameters: Mapping[str, object] = {}

    def explain(self, inputs: Sequence[Input], labels: Sequence[str]) -> list[Explained]:
        logits = self._predictor.logits(inputs)
        return [self._explained(*row) for row in zip(inputs, labels, logits, strict=True)]

    def _explained(self, model_input: Input, label: str, logits: Floats) -> Explained:
        column = self._predictor.labels.index(label)
        weights = self._predictor.token_weights(model_input)[:, column]
        scores, rest = weights[: model_input.n_selectable], weights[model_input.n_selectable :]
        base, logit = float(self._predictor.bias[column] + rest.sum()), float(logits[column])
        difference = logit - base - float(scores.sum())
        attribution = Attribution(tuple(scores.tolist()), label, convergence=float(np.abs(difference)))
        return Explained((attribution,), {"base": base, "logit": logit})
