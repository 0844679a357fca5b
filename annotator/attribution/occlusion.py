"""Occlusion: how much the label's logit or probability falls when a token is removed."""

from collections.abc import Mapping, Sequence

import numpy as np

from annotator.attribution.base import Explained, Input, Predictor
from annotator.attribution.removal import Question, scores_on_tokens, unseen_fact
from annotator.domain.models import Attribution, Unit
from annotator.metrics.ragged import Flags


class Occlusion:
    """f(x) − f(x without the token), for each token by itself; also called leave-one-out."""

    method = "occlusion"
    seed: int | None = None
    is_signed = True

    def __init__(self, predictor: Predictor, *, output: object = "default", removal: object = "default") -> None:
        self._question = Question.of(predictor, output, removal)
        self.unit: Unit = self._question.output
        self.parameters: Mapping[str, object] = self._question.parameters

    def explain(self, inputs: Sequence[Input], labels: Sequence[str]) -> list[Explained]:
        return [self._explained(model_input, label) for model_input, label in zip(inputs, labels, strict=True)]

    def _explained(self, model_input: Input, label: str) -> Explained:
        question, label = self._question.about(model_input, label)
        seen = question.seen(model_input)
        changed = (question.without(model_input, _all_but(int(token), model_input.n_selectable)) for token in seen)
        column = question.column(label)
        full = question.numbers([model_input], column)
        scores = full - question.numbers(changed, column)
        attribution = Attribution(scores_on_tokens(scores, seen, model_input.n_selectable), label)
        return Explained((attribution,), {"full": float(full[0])} | unseen_fact(seen, model_input.n_selectable))


def _all_but(token: int, n: int) -> Flags:
    mask = np.ones(n, dtype=np.bool_)
    mask[token] = False
    return mask
