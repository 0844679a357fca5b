"""Predictors that answer a question with a stretch of the text, or say that the text has no answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.attribution.base import Input, no_number
from annotator.attribution.transformers_answer_spans import (
    Chosen,
    Finding,
    Mark,
    Stretches,
    answer_text,
    findings_in,
    mark_of,
)
from annotator.attribution.transformers_networks import Loaded, OfNetwork
from annotator.attribution.transformers_predictors import NO_NUMBER, Target
from annotator.attribution.transformers_subwords import Batch, Encoded, Tensor, in_batches
from annotator.domain.models import Prediction
from annotator.errors import ModelError
from annotator.language import _


@dataclass(slots=True)
class Reader(OfNetwork):
    """A question answering model (protocol Answerer). The question is what cannot be marked; `labels` is empty.

    An answer is the stretch of at most 30 subwords of the text with the highest start logit + end logit, of all windows; its
    probability is the softmax of the starts, over the text's subwords, times that of the ends. A model with a threshold
    (`Loaded.none_threshold`) answers "" where “no answer” is better than that by more.
    """

    def probabilities(self, inputs: Sequence[Input]) -> npt.NDArray[np.float64]:
        """A reading model has no labels: always raises ModelError; see `answers`."""
        del inputs
        raise ModelError(_("'{name}' extracts answers and doesn't predict labels.", name=self.name))

    def answers(self, inputs: Sequence[Input]) -> list[Prediction]:
        """Each input's answer with its probability; "" without a probability where there is no text to answer from."""
        encoded = [self.loaded.encoded(model_input) for model_input in inputs]
        chosen = self._chosen(encoded)
        return [_prediction(*of_one) for of_one in zip(encoded, chosen, strict=True)]

    def targets(self, encoded: Sequence[Encoded], labels: Sequence[str]) -> list[Target]:
        """The predicted answers; a label is "" or exactly that answer."""
        chosen = self._chosen(encoded)
        return [self._target(*of_one) for of_one in zip(encoded, labels, chosen, strict=True)]

    def explained(self, outputs: Any, batch: Batch, positions: Tensor, *, as_probability: bool) -> Tensor:
        """Start logit at the first subword + end logit at the last; or the product of their probabilities."""
        stretches: Stretches = outputs
        windows = stretches.first_windows(len(batch.ids)) + positions[:, 0]
        return _numbers(stretches, windows, positions[:, 1], positions[:, 2], as_probability=as_probability)[0]

    def tracked(self, model_input: Input, label: str) -> "TrackedAnswer":
        """The model as it is asked about an input's own answer while other tokens are covered (protocol TracksAnswer)."""
        encoded = self.loaded.encoded(model_input)
        (chosen,) = self._chosen([encoded])
        target = self._target(encoded, label, chosen)
        marks = None
        if chosen is not None and not chosen.is_none:
            marks = mark_of(encoded, chosen.first, is_last=False), mark_of(encoded, chosen.last, is_last=True)
        return TrackedAnswer(self.name, (target.label,), self, marks)

    def _target(self, encoded: Encoded, label: str, chosen: Chosen | None) -> Target:
        if chosen is None:
            raise ModelError(
                _("'{name}' has no text to answer {shown} from.", name=self.name, shown=encoded.shown),
                reason="without a text to answer from",
            )
        answer = _text(encoded, chosen)
        if label not in {"", answer}:
            raise ModelError(
                _(
                    "'{name}' predicts {answer}, not {label}, and explains only that.",
                    name=self.name,
                    answer=f"{answer!r}",
                    label=f"{label!r}",
                )
            )
        return Target(answer, (chosen.window, chosen.first, chosen.last))

    def _chosen(self, encoded: Sequence[Encoded]) -> list[Chosen | None]:
        """What is answered to each input; None where there is no text to answer from."""
        for of_input in encoded:
            if of_input.question is None:
                raise ModelError(_("'{name}' needs a question (unmarkable text).", name=self.name))
        chosen: list[Chosen | None] = [None] * len(encoded)
        for numbers, _other, stretches in self.asked(encoded):
            for number, finding in zip(numbers, findings_in(stretches, len(numbers)), strict=True):
                chosen[number] = self._checked(encoded[number], finding).chosen(self.loaded.none_threshold)
        return chosen

    def asked(self, encoded: Sequence[Encoded]) -> "list[tuple[list[int], Batch, Stretches]]":
        """The inputs that go together, by number, and what is said of them."""
        torch, answered = import_module("torch"), []
        for numbers in in_batches(encoded, self.loaded.size_of_batches):
            batch = self.loaded.batch([encoded[number] for number in numbers])
            with torch.inference_mode():
                answered.append((numbers, batch, self.loaded.ask(batch)))
        return answered

    def _checked(self, encoded: Encoded, finding: Finding) -> Finding:
        if not all(np.isfinite(chosen.score) for chosen in (finding.stretch, finding.none) if chosen is not None):
            raise no_number(self.name, encoded.shown, NO_NUMBER)
        return finding


@dataclass(slots=True)
class MaskingReader(Reader):
    """A reading model that also has a subword for "nothing stands here" (protocol HasCover)."""

    @property
    def mask_token(self) -> str:
        return str(self.loaded.tokenizer.mask_token)


@dataclass(slots=True)
class TrackedAnswer:
    """A reading model as one with a single label, an input's answer (protocols Predictor, GivesLogits, HasCover, HasLimit).

    Its logit in an input of which tokens were covered is start logit + end logit at the same characters, or at the subwords that
    cover them; over several windows that of the best that holds both, or of "no answer" of the lowest.

    marks: the first and last character of the answer; None for "no answer"
    """

    name: str
    labels: tuple[str, ...]
    reader: Reader
    marks: tuple[Mark, Mark] | None

    @property
    def mask_token(self) -> str:
        return str(self.reader.loaded.tokenizer.mask_token)

    def seen(self, model_input: Input) -> npt.NDArray[np.bool_]:
        """bool[n_selectable]: the tokens that the model takes in whole."""
        return self.reader.seen(model_input)

    def logits(self, inputs: Sequence[Input]) -> npt.NDArray[np.float64]:
        """float[n_inputs, 1]: start logit + end logit."""
        return self._of(inputs, as_probability=False)

    def probabilities(self, inputs: Sequence[Input]) -> npt.NDArray[np.float64]:
        """float[n_inputs, 1]: the product of their probabilities."""
        return self._of(inputs, as_probability=True)

    def _of(self, inputs: Sequence[Input], *, as_probability: bool) -> npt.NDArray[np.float64]:
        torch, loaded = import_module("torch"), self.reader.loaded
        encoded = [loaded.encoded(model_input) for model_input in inputs]
        numbers = np.zeros((len(inputs), 1))
        for of_batch, batch, stretches in self.reader.asked(encoded):
            rows = stretches.panes.rows
            places = torch.tensor([self._subwords(encoded[number], batch, row) for row, number in enumerate(of_batch)])
            first, last = places.to(rows.device)[rows].T
            windows = torch.arange(len(rows), device=rows.device)
            both, holds = _numbers(stretches, windows, first, last, as_probability=False)
            both = shown = both.double().masked_fill(~holds, -np.inf)
            if as_probability:
                shown = _numbers(stretches, windows, first, last, as_probability=True)[0].double()
            for row, number in enumerate(of_batch):
                of_row = (rows == row).nonzero()[:, 0]
                best = both[of_row].argmin() if self.marks is None else both[of_row].argmax()
                numbers[number] = float(shown[of_row[best]])
        if not np.isfinite(numbers).all():
            raise ModelError(
                _(
                    "With tokens masked, '{name}' returns non-numbers or loses {labels}.",
                    name=self.name, labels=f"{self.labels[0]!r}"
                ), reason=NO_NUMBER
            )  # fmt: skip
        return numbers

    def _subwords(self, encoded: Encoded, batch: Batch, row: int) -> tuple[int, int]:
        """The first and last subword of the answer; −1 where it was cut off."""
        if self.marks is None:
            none = int((batch.ids[row] == self.reader.loaded.network.none).int().argmax())
            return none, none
        first, last = (mark.subword_in(encoded) for mark in self.marks)
        return (-1, -1) if first is None or last is None else (first, last)


def _numbers(
    stretches: Stretches, windows: Tensor, first: Tensor, last: Tensor, *, as_probability: bool
) -> tuple[Tensor, Tensor]:
    """float[n] and bool[n]: start + end at subwords in windows, or the product of their probabilities; and which hold both."""
    starts, ends = stretches.starts[windows], stretches.ends[windows]
    if as_probability:
        choosable = stretches.choosable()[windows]
        starts, ends = (logits.masked_fill(~choosable, -np.inf).softmax(dim=1) for logits in (starts, ends))
    (at_first, has_first), (at_last, has_last) = stretches.at(windows, first), stretches.at(windows, last)
    both = starts.gather(1, at_first[:, None])[:, 0], ends.gather(1, at_last[:, None])[:, 0]
    return (both[0] * both[1] if as_probability else both[0] + both[1]), has_first & has_last


def _text(encoded: Encoded, chosen: Chosen) -> str:
    return "" if chosen.is_none else answer_text(encoded, chosen.first, chosen.last)


def _prediction(encoded: Encoded, chosen: Chosen | None) -> Prediction:
    if chosen is None:
        return Prediction("")
    text = _text(encoded, chosen)
    return Prediction(text, {text: chosen.probability})


def reader_of(loaded: Loaded) -> Reader:
    """The predictor of a question answering model."""
    kind = Reader if loaded.tokenizer.mask_token is None else MaskingReader
    return kind(loaded.name, (), loaded)
