"""A loaded network as everything here asks it: a batch of subwords in, the numbers of its labels out, in windows where needed.

Which layers it has stands here too, and what it raises is turned into sentences.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from types import SimpleNamespace
from typing import Any, Literal

from annotator.attribution.architectures.rationaliser import selects
from annotator.attribution.base import Input, failure
from annotator.attribution.transformers_answer_spans import Stretches
from annotator.attribution.transformers_parameters import EMBEDDINGS, ModelKind, Value
from annotator.attribution.transformers_prompts import Prompt, encode_in_prompt
from annotator.attribution.transformers_subwords import (
    Batch,
    Cutter,
    Encoded,
    Panes,
    Tensor,
    batch_of,
    check_target,
    encode,
    panes_of,
    seen_tokens,
)
from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, ModelError
from annotator.language import _
from annotator.metrics.ragged import Flags

Reads = Literal["text", "words", "target", "label words", "answer"]


@dataclass(frozen=True, slots=True)
class Network:
    """A model, and how its answer comes about.

    limit:   how many subwords it takes at once; None: any number
    reads:   "text": it answers for a text, and over several windows in the mean of their logits; "words": it answers for each
             subword, and its logits are their mean over the subwords that can be marked, each from the window that keeps it;
             "target": it answers for each subword, and its logits are those of the first subword of the target;
             "label words": a causal model, whose logits are log p(a label's words as what comes next), like those of a text;
             "answer": it says of each subword how well an answer begins and ends there, in each window by itself
    at_once: how many windows go together
    filling: the subword that shorter windows are filled up with
    labels:  the subwords of each label's words
    none:    of "answer", the subword at which it says that there is no answer; None: it always answers
    """

    model: Any
    limit: int | None
    reads: Reads = "text"
    at_once: int = 8
    filling: int = 0
    labels: tuple[tuple[int, ...], ...] = ()
    none: int | None = None

    def answer(self, batch: Batch, embeddings: Tensor | None = None) -> Any:
        """The model's outputs; of what it reads in windows, by words or for words only `logits`, float[batch, n_labels].

        Of a model that answers with a stretch of the text they are `Stretches`.

        embeddings: float[batch, length, dimensions] in the place of those of the subwords
        Raises: ModelError where the model does not use embeddings that are given exactly once
        """
        if self.reads == "answer":
            return self._stretches(batch, panes_of(batch, self.limit), embeddings)
        if not self.is_windowed(batch):
            return self._plain(batch, embeddings)
        panes = panes_of(batch, self.limit)
        of = {"words": self._of_words, "target": self._of_targets}.get(self.reads, self._of_texts)
        return SimpleNamespace(logits=of(batch, panes, embeddings))

    def is_windowed(self, batch: Batch) -> bool:
        """Whether the model cannot be asked about the batch as it is."""
        return self.reads in {"words", "target"} or (self.limit is not None and batch.ids.shape[1] > self.limit)

    def by_subword(self, batch: Batch, panes: Panes, embeddings: Tensor | None = None) -> Tensor:
        """float[batch, length, n_labels]: of each subword that is kept what its window answers for it; 0 of the others."""
        by_subword: Tensor = None
        for part, outputs in self._in_parts(batch, panes, embeddings):
            logits = outputs.logits
            if logits.ndim != 3:
                raise ModelError(_("The model doesn't predict per subword, despite its config."))
            if by_subword is None:
                by_subword = logits.new_zeros((*batch.ids.shape, logits.shape[2]))
            rows = part.rows[:, None].expand_as(part.places)
            by_subword = by_subword.index_put((rows[part.kept], part.places[part.kept]), logits[part.kept])
        return by_subword

    def _of_words(self, batch: Batch, panes: Panes, embeddings: Tensor | None) -> Tensor:
        sums = self.by_subword(batch, panes, embeddings).sum(dim=1)
        return sums / _summed(panes.kept.sum(dim=1)[:, None].to(sums.dtype), panes, len(sums))

    def _of_targets(self, batch: Batch, panes: Panes, embeddings: Tensor | None) -> Tensor:
        torch = import_module("torch")
        by_subword = self.by_subword(batch, panes, embeddings)
        return by_subword[torch.arange(len(by_subword), device=by_subword.device), batch.read_at]

    def _of_texts(self, batch: Batch, panes: Panes, embeddings: Tensor | None) -> Tensor:
        logits = import_module("torch").cat(
            [of_part.logits for _other, of_part in self._in_parts(batch, panes, embeddings)]
        )
        n_windows = _summed(logits.new_ones((len(logits), 1)), panes, len(batch.ids))
        return _summed(logits, panes, len(batch.ids)) / n_windows

    def _stretches(self, batch: Batch, panes: Panes, embeddings: Tensor | None) -> Stretches:
        torch = import_module("torch")
        of_windows: tuple[list[Tensor], list[Tensor]] = ([], [])
        for part, outputs in self._in_parts(batch, panes, embeddings):
            for of, name in zip(of_windows, ("start_logits", "end_logits"), strict=True):
                logits = getattr(outputs, name, None)
                if logits is None or logits.shape != part.places.shape:
                    raise ModelError(
                        _("The model ({kind}) lacks start and end scores.", kind=type(self.model).__name__)
                    )
                missing = panes.places.shape[1] - logits.shape[1]
                of.append(torch.nn.functional.pad(logits, (0, missing)))
        starts, ends = map(torch.cat, of_windows)
        return Stretches.of(starts, ends, panes, batch, self.none)

    def _in_parts(self, batch: Batch, panes: Panes, embeddings: Tensor | None) -> Iterator[tuple[Panes, Any]]:
        """The windows, some at a time, with what the model answers to each."""
        for first in range(0, len(panes.rows), self.at_once):
            part = panes.part(first, first + self.at_once)
            given = None if embeddings is None else part.of(embeddings)
            yield part, self._plain(part.batch(batch, self.filling), given)

    def _plain(self, batch: Batch, embeddings: Tensor | None) -> Any:
        if self.reads == "label words":
            return SimpleNamespace(logits=self._of_label_words(batch, embeddings))
        parts = {"selectable": batch.may_answer, "sentences": batch.sentences}
        options = parts if selects(self.model) else {}
        return _asked(self.model, batch, embeddings, **options)

    def _of_label_words(self, batch: Batch, embeddings: Tensor | None) -> Tensor:
        """float[batch, n_labels]: Σ over a label's subwords of log p(subword | text, prompt, the subwords before it)."""
        torch = import_module("torch")
        of_labels: list[Tensor] = [None] * len(self.labels)
        for stem in {subwords[:-1] for subwords in self.labels}:  # one pass for all labels that are one subword
            longer, given = _gone_on(self.model, batch, embeddings, stem, self.filling)
            next_subwords = _next_subwords(self.model, longer, given, batch.mask.sum(dim=1), len(stem) + 1)
            for number, subwords in enumerate(self.labels):
                if subwords[:-1] == stem:
                    positions = torch.arange(len(subwords), device=next_subwords.device)
                    of_labels[number] = next_subwords[:, positions, list(subwords)].sum(dim=1)
        return torch.stack(of_labels, dim=1)


def _asked(model: Any, batch: Batch, embeddings: Tensor | None, **options: Any) -> Any:
    if embeddings is None:
        return model(**batch.arguments(), return_dict=True, **options)
    with _embeddings_given(model, embeddings):
        return model(**batch.arguments(), return_dict=True, **options)


def _gone_on(
    model: Any, batch: Batch, embeddings: Tensor | None, stem: tuple[int, ...], filling: int
) -> tuple[Batch, Tensor | None]:
    """A batch whose rows go on with some subwords after their last real one; before what they are filled up with."""
    if not stem:
        return batch, embeddings
    torch = import_module("torch")
    added = batch.ids.new_full((len(batch.ids), len(stem)), filling)
    rows = torch.arange(len(batch.ids), device=batch.ids.device)[:, None]
    places = batch.mask.sum(dim=1)[:, None] + torch.arange(len(stem), device=batch.ids.device)[None]
    ids = torch.cat([batch.ids, added], dim=1).index_put((rows, places), torch.tensor(stem, device=batch.ids.device))
    mask = torch.cat([batch.mask, torch.zeros_like(added)], dim=1).index_put((rows, places), torch.ones_like(added[0]))
    may_answer = torch.cat([batch.may_answer, torch.zeros_like(added, dtype=torch.bool)], dim=1)
    longer = Batch(ids, mask, None, may_answer)
    if embeddings is None:
        return longer, None
    of_stem = model.get_input_embeddings()(ids.gather(1, places)).to(embeddings.dtype)
    room = embeddings.new_zeros((*added.shape, embeddings.shape[2]))
    return longer, torch.cat([embeddings, room], dim=1).index_put((rows, places), of_stem)


def _next_subwords(model: Any, batch: Batch, embeddings: Tensor | None, n_real: Tensor, n: int) -> Tensor:
    """float[batch, n, n_vocabulary]: log p of what comes after the last real subword, and after the n − 1 next."""
    torch = import_module("torch")
    places = n_real[:, None] - 1 + torch.arange(n, device=batch.ids.device)[None]
    wanted, where = places.unique(
        return_inverse=True
    )  # of all others nobody needs the distribution over the vocabulary
    only = {"logits_to_keep": wanted} if "logits_to_keep" in signature(model.forward).parameters else {}
    logits = _asked(model, batch, embeddings, **only).logits
    rows = torch.arange(len(batch.ids), device=batch.ids.device)[:, None]
    return logits[rows, where if only else places].log_softmax(dim=2)


def _summed(by_window: Tensor, panes: Panes, n_rows: int) -> Tensor:
    """[n_rows, ...]: the sums over the windows of each row."""
    return by_window.new_zeros((n_rows, *by_window.shape[1:])).index_add(0, panes.rows, by_window)


@contextmanager
def _embeddings_given(model: Any, embeddings: Tensor) -> Iterator[None]:
    """Let a model take these embeddings for those of its subwords.

    The model still gets the subwords themselves, since many need them: RoBERTa numbers positions by them, GPT-2 finds the
    last one. Raises ModelError when the embeddings are not used exactly once (encoder and decoder share them, say).
    """
    n_used = 0

    def give(*_given: object) -> Tensor:
        nonlocal n_used
        n_used += 1
        return embeddings

    # first of all hooks: what a method looks for at this layer are the embeddings that are given
    hook = model.get_input_embeddings().register_forward_hook(give, prepend=True)
    try:
        yield
    finally:
        hook.remove()
    if n_used != 1:
        raise ModelError(
            _(
                "The model ({kind}) uses its embeddings {times}; gradients need one use.",
                kind=type(model).__name__,
                times=counted(n_used, "time"),
            )
        )


# A model that is ready to be asked: its texts as subwords, its answers, and what it raises turned into sentences.


Device = Literal["cpu", "cuda"]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model that is ready to be asked, with everything that is known of it.

    labels: in the order of its outputs; () for a reading model
    about:  what made its answers: classes and versions
    prompt: of a causal model that is asked for the words of labels, with the subwords of each label's words
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
    label_subwords: tuple[tuple[int, ...], ...] = ()
    none_threshold: float | None = None

    @property
    def network(self) -> Network:
        """The model with what it has to know of its windows and its labels."""
        filling = self.tokenizer.pad_token_id or 0
        none = None if self.none_threshold is None else self.tokenizer.cls_token_id
        return Network(
            self.model, self.cutter.limit, self.reads, self.size_of_batches, filling, self.label_subwords, none
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
        """An input as subwords; raises ModelError when the model cannot take it."""
        if self.prompt is not None:
            return encode_in_prompt(self.cutter, self.prompt, model_input)
        encoded = encode(self.cutter, model_input)
        if self.reads == "target":
            check_target(self.cutter, encoded)
        return encoded

    def batch(self, encoded: list[Encoded]) -> Batch:
        return batch_of(encoded, self.tokenizer, self.device)

    def ask(self, batch: Batch, embeddings: Tensor | None = None) -> Any:
        """The model's outputs for a batch; embeddings: in the place of those of its subwords.

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
        raise failure(loaded.name, error) from error


def _out_of_memory(loaded: Loaded) -> str:
    where = "GPU" if loaded.device == "cuda" else "machine"
    return _(
        "Out of memory ({where}): '{name}', {inputs}. Reduce the batch size ({batch_size}).",
        where=where,
        name=loaded.name,
        inputs=counted(loaded.batch_size, "input"),
        batch_size=loaded.batch_size,
    )


NO_SCORES = "with scores that are no numbers"


def encoded_text(loaded: Loaded, model_input: Input) -> Encoded:
    """A text's subwords; raises ModelError where none is left."""
    encoded = loaded.encoded(model_input)
    if not encoded.ids:
        raise ModelError(
            _("Text {shown} is empty for '{name}'.", name=loaded.name, shown=encoded.shown),
            reason="of which no piece is left for the model",
        )
    return encoded


# The layers of a model: which there are, and whether what one of them gives can be taken for what the text gives.


def layers_for(loaded: Loaded, layer: Value) -> list[tuple[int | None, Any]]:
    """The modules that a parameter names, each with its number from 0; the embeddings have none.

    Raises: InvalidValue for a number that the model does not have, ModelError for a model whose layers are not found
    """
    if layer == EMBEDDINGS:
        return [(None, loaded.model.get_input_embeddings())]
    modules = _layers(loaded)
    if layer == "all":
        return list(enumerate(modules))
    number = layer_number(layer, len(modules), loaded)
    return [(number, modules[number])]


def layer_number(layer: Value, n_layers: int, loaded: Loaded) -> int:
    """The number of one layer; raises InvalidValue for one that the model does not have."""
    number = n_layers - 1 if layer == "last" else int(layer)
    if number >= n_layers:
        raise InvalidValue(
            _(
                "'{name}' has no layer {number}: layers are 0 to {n_layers}.",
                name=loaded.name,
                number=number,
                n_layers=n_layers - 1,
            )
        )
    return number


def _layers(loaded: Loaded) -> list[Any]:
    """The first list of as many modules as the configuration has layers."""
    wanted = getattr(loaded.model.config, "num_hidden_layers", None)
    for _other, module in loaded.model.named_modules():
        if type(module).__name__ == "ModuleList" and len(module) == wanted:
            return list(module)
    raise ModelError(
        _(
            "Can't find the layers of '{name}' ({about}). Use layer={embeddings}.",
            name=loaded.name,
            about=loaded.about["model"],
            embeddings=EMBEDDINGS,
        )
    )


def check_used_once(loaded: Loaded, module: Any, encoded: Encoded) -> None:
    """Raise ModelError where a text goes through a layer in several parts, of which none is the whole text.

    That is so of texts in several windows, of labels of several words, and of layers that stand for several.
    """
    n_used = 0

    def count(_module: object, _given: object, answer: Any) -> None:
        nonlocal n_used
        n_used += len(answer[0] if isinstance(answer, tuple) else answer)

    hook = module.register_forward_hook(count)
    try:
        loaded.ask(loaded.batch([encoded]))
    finally:
        hook.remove()
    if n_used != 1:
        raise ModelError(
            _(
                "{shown} passes a layer of '{name}' {times}, not once. Use integrated-gradients.",
                shown=encoded.shown,
                name=loaded.name,
                times=counted(n_used, "time"),
            ),
            reason="that go through a layer of the model several times",
        )


@dataclass(slots=True)
class OfNetwork:
    """What predictors on a loaded network share."""

    name: str
    labels: tuple[str, ...]
    loaded: Loaded

    @property
    def about(self) -> Mapping[str, str]:
        """What made its answers: classes and versions."""
        return self.loaded.about

    @property
    def too_long(self) -> str:
        """What happens to a text that is longer than it takes (protocol StatesTooLong)."""
        return self.loaded.cutter.too_long

    def seen(self, model_input: Input) -> Flags:
        """bool[n_selectable]: the tokens that the model takes in whole."""
        return seen_tokens(self.loaded.encoded(model_input))
