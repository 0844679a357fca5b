"""Predictors that say one of their labels, and what explainers need of any predictor."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from annotator.attribution.base import Input, no_label, no_number
from annotator.attribution.transformers_networks import Loaded, OfNetwork
from annotator.attribution.transformers_subwords import Batch, Encoded, Tensor, in_batches
from annotator.domain.numbers import counted
from annotator.errors import ModelError
from annotator.language import _

NO_NUMBER = "answered with what is no number"


@dataclass(frozen=True, slots=True)
class Target:
    """What of a model's answer is explained: its name, and its position in the outputs (class; window, first, last subword)."""

    label: str
    position: tuple[int, ...]


class Explainable(Protocol):
    """What an explainer needs of a predictor."""

    @property
    def loaded(self) -> Loaded: ...

    def targets(self, encoded: Sequence[Encoded], labels: Sequence[str]) -> list[Target]:
        """What is explained of each input, places by the input's own subwords."""

    def explained(self, outputs: Any, batch: Batch, positions: Tensor, *, as_probability: bool) -> Tensor:
        """float[batch]: the number that is explained. places: int64[batch, 1 or 3], see Target."""


def two_logits(logits: Tensor) -> Tensor:
    """float[batch, 2]: −z/2 and z/2 of one sigmoid output z, whose softmax is sigmoid(z)."""
    half = logits[:, 0] / 2
    return import_module("torch").stack([-half, half], dim=1)


@dataclass(slots=True)
class Classifier(OfNetwork):
    """A sequence classifier behind the protocols Predictor, GivesLogits and HasLimit."""

    @property
    def query_first(self) -> bool:
        """Whether it reads the query before what can be marked (protocol StatesOrder)."""
        return self.loaded.cutter.question_first

    def probabilities(self, inputs: Sequence[Input]) -> npt.NDArray[np.float64]:
        """float[n_inputs, n_labels]: the softmax of the logits."""
        logits = self.logits(inputs)
        exponents = np.exp(logits - logits.max(axis=1, keepdims=True)) if len(logits) else logits
        return np.asarray(exponents / exponents.sum(axis=1, keepdims=True), dtype=np.float64)

    def logits(self, inputs: Sequence[Input]) -> npt.NDArray[np.float64]:
        """float[n_inputs, n_labels].

        Raises: ModelError when the model cannot answer, or answers what are no numbers
        """
        torch = import_module("torch")
        encoded = [self.loaded.encoded(model_input) for model_input in inputs]
        logits = np.zeros((len(inputs), len(self.labels)))
        numbers_asked = np.array(
            [n for n, of_input in enumerate(encoded) if of_input.ids], dtype=np.int64
        )  # of others, see empty_text
        for of_batch in in_batches([encoded[n] for n in numbers_asked], self.loaded.size_of_batches):
            numbers = numbers_asked[of_batch]
            batch = self.loaded.batch([encoded[n] for n in numbers])
            with torch.inference_mode():
                logits[numbers] = self.checked(self.loaded.ask(batch)).double().cpu().numpy()
        for number in np.flatnonzero(~np.isfinite(logits).all(axis=1)):
            raise no_number(self.name, encoded[number].shown, NO_NUMBER)
        return logits

    @property
    def reads_target(self) -> bool:
        """Whether it answers for the target of a text (protocol ReadsTarget)."""
        return self.loaded.reads == "target"

    @property
    def empty_text(self) -> str:
        """What stands for a text without words (protocol StatesEmpty)."""
        return self.loaded.cutter.empty_text

    def checked(self, outputs: Any) -> Tensor:
        """The logits, one for each label that the configuration names; of one sigmoid output z, −z/2 and z/2."""
        logits = outputs.logits
        if logits.ndim == 2 and logits.shape[1] == 1 and len(self.labels) == 2:
            return two_logits(logits)
        if logits.ndim != 2 or logits.shape[1] != len(self.labels):
            raise ModelError(
                _(
                    "'{name}' returns {shape} values; config.json lists {counted} ({names}). Fix id2label.",
                    name=self.name,
                    shape=logits.shape[-1],
                    counted=counted(len(self.labels), "label"),
                    names=", ".join(self.labels),
                )
            )
        return logits

    def targets(self, encoded: Sequence[Encoded], labels: Sequence[str]) -> list[Target]:
        numbers = {label: number for number, label in enumerate(self.labels)}
        for label in labels:
            if label not in numbers:
                raise ModelError(no_label(self.name, label, ", ".join(self.labels)))
        return [Target(label, (numbers[label],)) for label, _other in zip(labels, encoded, strict=True)]

    def explained(self, outputs: Any, batch: Batch, positions: Tensor, *, as_probability: bool) -> Tensor:
        """The logit or the probability of the class at each place."""
        del batch
        logits = self.checked(outputs)
        return (logits.softmax(dim=1) if as_probability else logits).gather(1, positions)[:, 0]


@dataclass(slots=True)
class MaskingClassifier(Classifier):
    """A classifier that also has a subword for "nothing stands here" (protocol HasCover)."""

    @property
    def mask_token(self) -> str:
        return str(self.loaded.tokenizer.mask_token)
