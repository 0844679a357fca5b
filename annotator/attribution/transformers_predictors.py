"""The predictors: a model that says one of its labels, and a model that answers a question with a stretch of the text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from annotator.attribution.base import Input
from annotator.attribution.transformers_encoding import Batch, Encoded, Tensor, in_batches, seen_tokens
from annotator.attribution.transformers_loaded import Loaded
from annotator.domain.models import Prediction
from annotator.domain.numbers import counted
from annotator.errors import ModelError

_NO_NUMBER = "answered with what is no number"
_LONGEST_ANSWER = 30  # pieces; as in the question answering scripts of transformers


@dataclass(frozen=True, slots=True)
class Target:
    """What of a model's answer is explained: its name, and its position in the outputs (class; first and last piece)."""

    label: str
    position: tuple[int, ...]


class Explainable(Protocol):
    """What an explainer needs of a predictor."""

    @property
    def loaded(self) -> Loaded: ...

    def targets(self, encoded: Sequence[Encoded], labels: Sequence[str]) -> list[Target]:
        """What is explained of each input, places by the input's own pieces."""

    def explained(self, outputs: Any, batch: Batch, positions: Tensor, *, as_probability: bool) -> Tensor:
        """float[batch]: the number that is explained. places: int64[batch, 1 or 2], in the batch's own pieces."""


def two_logits(logits: Tensor) -> Tensor:
    """float[batch, 2]: −z/2 and z/2 of one sigmoid output z, whose softmax is sigmoid(z)."""
    half = logits[:, 0] / 2
    return import_module("torch").stack([-half, half], dim=1)


@dataclass(slots=True)
class Classifier:
    """A sequence classifier behind the protocols Predictor, GivesLogits and HasLimit."""

    name: str
    labels: tuple[str, ...]
    loaded: Loaded

    @property
    def about(self) -> Mapping[str, str]:
        """What made its answers: classes and versions."""
        return self.loaded.about

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
            raise ModelError(
                f"The model '{self.name}' answers {encoded[number].shown} with what is no number.", reason=_NO_NUMBER
            )
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
                f"The model '{self.name}' answers {logits.shape[-1]} numbers, but its configuration names "
                f"{counted(len(self.labels), 'label')} ({', '.join(self.labels)}). Mend id2label in its config.json."
            )
        return logits

    def seen(self, model_input: Input) -> npt.NDArray[np.bool_]:
        """bool[n_selectable]: the tokens that the model takes in whole."""
        return seen_tokens(self.loaded.encoded(model_input))

    def targets(self, encoded: Sequence[Encoded], labels: Sequence[str]) -> list[Target]:
        numbers = {label: number for number, label in enumerate(self.labels)}
        for label in labels:
            if label not in numbers:
                raise ModelError(f"The model '{self.name}' has no label '{label}'. It has {', '.join(self.labels)}.")
        return [Target(label, (numbers[label],)) for label, _ in zip(labels, encoded, strict=True)]

    def explained(self, outputs: Any, batch: Batch, positions: Tensor, *, as_probability: bool) -> Tensor:
        """The logit or the probability of the class at each place."""
        del batch
        logits = self.checked(outputs)
        return (logits.softmax(dim=1) if as_probability else logits).gather(1, positions)[:, 0]


@dataclass(slots=True)
class MaskingClassifier(Classifier):
    """A classifier that also has a piece for "nothing stands here" (protocol HasCover)."""

    @property
    def mask_token(self) -> str:
        return str(self.loaded.tokenizer.mask_token)


@dataclass(slots=True)
class Reader:
    """A question answering model (protocol Answerer). The question is what cannot be marked; `labels` is empty.

    An answer is the stretch of at most 30 pieces of the text with the highest start logit + end logit; its probability is
    the softmax of the starts, over the text's pieces, times that of the ends.
    """

    name: str
    labels: tuple[str, ...]
    loaded: Loaded

    @property
    def about(self) -> Mapping[str, str]:
        """What made its answers: classes and versions."""
        return self.loaded.about

    def probabilities(self, inputs: Sequence[Input]) -> npt.NDArray[np.float64]:
        """A reading model has no labels: always raises ModelError; see `answers`."""
        del inputs
        raise ModelError(f"The model '{self.name}' answers questions with a stretch of the text, not with labels.")

    def answers(self, inputs: Sequence[Input]) -> list[Prediction]:
        """Each input's answer with its probability; "" without a probability where there is no text to answer from."""
        encoded = [self.loaded.encoded(model_input) for model_input in inputs]
        predictions = [Prediction("")] * len(encoded)
        for number, best in self._best(encoded):
            text = answer_text(encoded[number], best.first, best.last)
            predictions[number] = Prediction(text, {text: best.probability})
        return predictions

    def seen(self, model_input: Input) -> npt.NDArray[np.bool_]:
        """bool[n_selectable]: the tokens that the model takes in whole."""
        return seen_tokens(self.loaded.encoded(model_input))

    def targets(self, encoded: Sequence[Encoded], labels: Sequence[str]) -> list[Target]:
        """The predicted answers; a label is "" or exactly that answer."""
        targets = {
            number: Target(answer_text(encoded[number], best.first, best.last), (best.first, best.last))
            for number, best in self._best(encoded)
        }
        for number, (of_input, label) in enumerate(zip(encoded, labels, strict=True)):
            if number not in targets:
                raise ModelError(
                    f"There is no text from which '{self.name}' could answer {of_input.shown}.",
                    reason="without a text to answer from",
                )
            if label not in {"", targets[number].label}:
                raise ModelError(
                    f"The model '{self.name}' answers {targets[number].label!r}, not {label!r}; "
                    "only a reading model's own answer can be explained."
                )
        return [targets[number] for number in range(len(encoded))]

    def explained(self, outputs: Any, batch: Batch, positions: Tensor, *, as_probability: bool) -> Tensor:
        """Start logit at the first piece + end logit at the last; or the product of their probabilities."""
        starts, ends = self.checked(outputs, batch)
        if as_probability:
            starts, ends = (logits.masked_fill(~batch.may_answer, -np.inf).softmax(dim=1) for logits in (starts, ends))
        first, last = starts.gather(1, positions[:, :1])[:, 0], ends.gather(1, positions[:, 1:])[:, 0]
        return first * last if as_probability else first + last

    def checked(self, outputs: Any, batch: Batch) -> tuple[Tensor, Tensor]:
        """Start and end logits, one for each piece."""
        starts, ends = getattr(outputs, "start_logits", None), getattr(outputs, "end_logits", None)
        if starts is None or ends is None or starts.shape != batch.ids.shape or ends.shape != batch.ids.shape:
            raise ModelError(
                f"The model '{self.name}' does not answer with one start and one end score for each piece."
            )
        return starts, ends

    def _best(self, encoded: Sequence[Encoded]) -> list[tuple[int, "_Best"]]:
        """The best stretch of each input that has a text to answer from, by the input's number."""
        torch = import_module("torch")
        for of_input in encoded:
            if of_input.question is None:
                raise ModelError(f"The model '{self.name}' needs a question: a text that cannot be marked.")
        stretches = []
        for numbers in in_batches(encoded, self.loaded.size_of_batches):
            of_batch = [encoded[number] for number in numbers]
            batch = self.loaded.batch(of_batch)
            with torch.inference_mode():
                both = [x.double().cpu().numpy() for x in self.checked(self.loaded.ask(batch), batch)]
            for row, (number, of_input) in enumerate(zip(numbers, of_batch, strict=True)):
                allowed = [side is not None and side != of_input.question for side in of_input.sides]
                starts, ends = (np.where(allowed, logits[row, : len(allowed)], -np.inf) for logits in both)
                if np.isnan(starts).any() or np.isnan(ends).any():
                    raise ModelError(
                        f"The model '{self.name}' answers {of_input.shown} with what is no number.", reason=_NO_NUMBER
                    )
                if any(allowed):
                    stretches.append((number, _best_stretch(starts, ends)))
        return stretches


@dataclass(frozen=True, slots=True)
class _Best:
    """A stretch of pieces, both ends in it."""

    first: int
    last: int
    probability: float


def _best_stretch(starts: npt.NDArray[np.float64], ends: npt.NDArray[np.float64]) -> _Best:
    """The stretch with the highest start + end, the first of equals; what may not be chosen is −infinity."""
    sums = starts[:, None] + ends[None, :]
    positions = np.arange(len(starts))
    length = positions[None, :] - positions[:, None] + 1
    sums[(length < 1) | (length > _LONGEST_ANSWER)] = -np.inf
    first, last = np.unravel_index(int(np.argmax(sums)), sums.shape)
    p_start, p_end = (np.exp(x - x.max()) / np.exp(x - x.max()).sum() for x in (starts, ends))
    return _Best(int(first), int(last), float(p_start[first] * p_end[last]))


def answer_text(encoded: Encoded, first: int, last: int) -> str:
    """The characters from a piece to another, as they stand in the text."""
    text = encoded.texts[encoded.sides[first] or 0]
    return text[encoded.offsets[first][0] : encoded.offsets[last][1]].strip()
