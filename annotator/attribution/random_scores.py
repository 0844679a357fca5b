"""Random as a method: a uniform score for each token. Its numbers are means over ten seeds."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np

from annotator.attribution.base import Explained, Input
from annotator.domain.models import Attribution, Unit
from annotator.metrics.gold_as_method import TEN_SEEDS

SEEDS = TEN_SEEDS


class RandomScores:
    """Uniform scores in [0, 1), of no label. They follow from an input's tokens and the seed, whatever is asked beside it."""

    method = "random"
    unit: Unit = "none"
    is_signed = False

    def __init__(self, *, seed: int = 0) -> None:
        self.seed: int | None = seed
        self.parameters: Mapping[str, object] = {}

    def explain(self, inputs: Sequence[Input], labels: Sequence[str]) -> list[Explained]:
        return [self._explained(model_input) for model_input, _ in zip(inputs, labels, strict=True)]

    def _explained(self, model_input: Input) -> Explained:
        scores = chance_for(model_input, self.seed or 0).random(model_input.n_selectable)
        return Explained((Attribution(tuple(scores.tolist())),))


def chance_for(model_input: Input, seed: int) -> np.random.Generator:
    """Random numbers for one input. Without its tokens in the seed, one place would be favoured in all texts alike."""
    digest = blake2b(digest_size=16)
    for segment in model_input.segments:
        for word in (segment.name, *segment.tokens):
            data = word.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "little") + data)
    return np.random.default_rng([seed, int.from_bytes(digest.digest(), "little")])
