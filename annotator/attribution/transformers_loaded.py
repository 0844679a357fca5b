"""A model that is ready to be asked: its texts as pieces, its answers, and what it raises turned into sentences."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from annotator.attribution.base import Input
from annotator.attribution.transformers_encoding import (
    Batch,
    Cutter,
    Encoded,
    Tensor,
    batch_of,
    check_target,
    encode,
)
from annotator.attribution.transformers_networks import Network, Reads
from annotator.attribution.transformers_parameters import ModelKind
from annotator.attribution.transformers_prompts import Prompt, encode_in_prompt
from annotator.domain.numbers import counted
from annotator.errors import ModelError
from annotator.language import _

Device = Literal["cpu", "cuda"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model that is ready to be asked, with everything that is known of it.

    labels: in the order of its outputs; () for a reading model
    about:  what made its answers: classes and versions
    prompt: of a causal model that is asked for the words of labels, with the pieces of each label's words
    none_threshold: of a reading model, how much better than the best stretch "no answer" has to be; None: it always answers
    """

    name: str
    kind: ModelKind
    labels: tuple[str, ...]
    model: Any
    cutter: Cutter
    device: Device
    batch_size: int
    about: Mapping[str, str]
    reads: Reads = "text"
    prompt: Prompt | None = None
    label_pieces: tuple[tuple[int, ...], ...] = ()
    none_threshold: float | None = None

    @property
    def network(self) -> Network:
        """The model with what it has to know of its windows and its labels."""
        filling = self.tokenizer.pad_token_id or 0
        none = None if self.none_threshold is None else self.tokenizer.cls_token_id
        return Network(
            self.model, self.cutter.limit, self.reads, self.size_of_batches, filling, self.label_pieces, none
        )

    @property
    def tokenizer(self) -> Any:
        return self.cutter.tokenizer

    @property
    def size_of_batches(self) -> int:
        """How many inputs go together: one where shorter ones cannot be filled up at their end.

        Behind a prompt whatever stands there changes nothing, since a causal model is asked at a place that is known.
        """
        can_fill = self.tokenizer.pad_token_id is not None and self.tokenizer.padding_side == "right"
        can_fill |= self.prompt is not None
        return self.batch_size if can_fill else 1

    @property
    def steps_at_once(self) -> int:
        """How many versions of one input go together; some models without padding take one thing at a time."""
        return self.batch_size if self.tokenizer.pad_token_id is not None else 1

    def encoded(self, model_input: Input) -> Encoded:
        """An input as pieces; raises ModelError when the model cannot take it."""
        if self.prompt is not None:
            return encode_in_prompt(self.cutter, self.prompt, model_input)
        encoded = encode(self.cutter, model_input)
        if self.reads == "target":
            check_target(self.cutter, encoded)
        return encoded

    def batch(self, encoded: list[Encoded]) -> Batch:
        return batch_of(encoded, self.tokenizer, self.device)

    def ask(self, batch: Batch, embeddings: Tensor | None = None) -> Any:
        """The model's outputs for a batch; embeddings: in the place of those of its pieces.

        Raises: ModelError when it fails or memory is short
        """
        with answering(self):
            return self.network.answer(batch, embeddings)

    def attend(self, batch: Batch) -> Any:
        """The model's outputs with its attention; raises ModelError like `ask`."""
        with answering(self):
            return self.model(**batch.arguments(), return_dict=True, output_attentions=True)

    def embedding(self, ids: Tensor) -> Tensor:
        """float[batch, length, dimensions], without a gradient."""
        torch = import_module("torch")
        with torch.no_grad():
            return self.model.get_input_embeddings()(ids)


@contextmanager
def answering(loaded: Loaded) -> Iterator[None]:
    """Turn what a model raises into a ModelError that says what to do."""
    torch = import_module("torch")
    try:
        yield
    except (torch.OutOfMemoryError, MemoryError) as error:
        raise ModelError(_out_of_memory(loaded)) from error
    except (RuntimeError, ValueError, TypeError, IndexError, KeyError, AttributeError, AssertionError) as error:
        if re.search(r"out of memory|alloc.*memory|not enough memory", str(error)):
            raise ModelError(_out_of_memory(loaded)) from error
        raise ModelError(
            _(
                "The model '{name}' broke off with an error of its own while it answered ({error}: “{first_line}”).",
                name=loaded.name,
                error=type(error).__name__,
                first_line=first_line(error),
            )
        ) from error


def _out_of_memory(loaded: Loaded) -> str:
    where = "GPU" if loaded.device == "cuda" else "machine"
    return _(
        "The memory of the {where} is too small for the model '{name}' with {inputs} at once. Choose a smaller batch "
        "size (it is now {batch_size}), or shorter texts.",
        where=where,
        name=loaded.name,
        inputs=counted(loaded.batch_size, "input"),
        batch_size=loaded.batch_size,
    )


def first_line(error: Exception) -> str:
    message = str(error).strip()
    return message.splitlines()[0][:300] if message else type(error).__name__
