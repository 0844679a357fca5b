"""A language model that is served on this machine: asked a prompt at a time, and as a model that chooses a label."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from annotator.attribution.base import Input, SegmentTokens
from annotator.attribution.local_server import NONSENSE, LocalAddress, ask, configured_address
from annotator.domain.self_explanations import LABEL_PROMPT, NO_ADDRESS, chat_request, label_prompt
from annotator.errors import AnnotatorError, InvalidValue, ModelError
from annotator.language import _
from annotator.metrics.ragged import Floats
from annotator.text.model_answers import read_label, text_of_response

SERVED = "served"  # what a spec of such a model begins with


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model by its name on its server. until: when the time for all that it is asked is over, of `time.monotonic`."""

    address: LocalAddress
    name: str
    until: float

    @staticmethod
    def of(name: str) -> "ServedModel":
        """The model of that name at the address that the environment names; raises InvalidValue where it names none."""
        address = configured_address()
        if address is None:
            raise InvalidValue(_(NO_ADDRESS))
        if not name.strip():
            raise InvalidValue(_("Give the model's name on its server."))
        return ServedModel(address, name.strip(), time.monotonic() + address.hours * 3600)

    def say(self, prompt: str) -> str:
        """What it writes, as certain as it can be. Raises: ModelError; TimeIsOver when it may be asked nothing more."""
        if time.monotonic() >= self.until:
            raise TimeIsOver(
                f"The time for one piece of work ({self.address.hours:g} hours) is over. What was answered is "
                "stored; ask again to go on."
            )
        text = text_of_response(ask(self.address, {**chat_request(self.name, prompt), "temperature": 0}))
        if text is None:
            raise ModelError("The server's answer holds no text of a model.", reason=NONSENSE)
        return text


class TimeIsOver(AnnotatorError):
    """Nothing more may be asked of a served model in this piece of work."""


@dataclass(slots=True)
class ServedLabels:
    """A served model that chooses a label: a predictor whose probabilities are 1 for that label and 0 for the others.

    Where its answer is no label, all are 0. The same text is asked about once.
    """

    model: ServedModel
    labels: tuple[str, ...]
    name: str = field(init=False)
    known: dict[str, str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.name = f"{self.model.name} · {SERVED} (prompt {LABEL_PROMPT})"

    @property
    def reads_target(self) -> bool:
        return True

    def probabilities(self, inputs: Sequence[Input]) -> Floats:
        """float[n_inputs, n_labels]. Raises: ModelError where the server fails."""
        chosen = [self._answer(model_input) for model_input in inputs]
        return np.array([[float(label == name) for name in self.labels] for label in chosen]).reshape(
            len(inputs), len(self.labels)
        )

    def _answer(self, model_input: Input) -> str | None:
        prompt = label_prompt(self.labels, _parts(model_input))
        if prompt not in self.known:
            self.known[prompt] = read_label(self.model.say(prompt), self.labels)
        return self.known[prompt]


def _parts(model_input: Input) -> list[str]:
    """The texts of an input, each under its name where there are several; then what the label is about."""
    segments = [segment for segment in model_input.segments if segment.text or segment.is_selectable]
    parts = [f"{segment.name}:\n{segment.text}" if len(segments) > 1 else segment.text for segment in segments]
    if model_input.target is not None:
        parts.append(f"The label is that of these words of the text: “{_target_words(model_input)}”")
    return parts


def _target_words(model_input: Input) -> str:
    first, end = model_input.target or (0, 0)
    at = 0
    for segment in model_input.segments:
        if at <= first < at + len(segment.tokens):
            part = slice(first - at, end - at)
            return SegmentTokens(segment.name, segment.tokens[part], segment.spaces[part]).text
        at += len(segment.tokens)
    return ""
