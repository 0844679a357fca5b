"""A network as everything here asks it: a batch of pieces in, the numbers of its labels out, in windows where that is needed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from types import SimpleNamespace
from typing import Any, Literal

from annotator.attribution.transformers_encoding import Batch, Tensor
from annotator.attribution.transformers_stretches import Stretches
from annotator.attribution.transformers_windows import Panes, panes_of
from annotator.domain.numbers import counted
from annotator.errors import ModelError
from annotator.language import _

Reads = Literal["text", "words", "target", "label words", "answer"]


@dataclass(frozen=True, slots=True)
class Network:
    """A model, and how its answer comes about.

    limit:   how many pieces it takes at once; None: any number
    reads:   "text": it answers for a text, and over several windows in the mean of their logits; "words": it answers for each
             piece, and its logits are their mean over the pieces that can be marked, each from the window that keeps it;
             "target": it answers for each piece, and its logits are those of the first piece of the target;
             "label words": a causal model, whose logits are log p(a label's words as what comes next), like those of a text;
             "answer": it says of each piece how well an answer begins and ends there, in each window by itself
    at_once: how many windows go together
    filling: the piece that shorter windows are filled up with
    labels:  the pieces of each label's words
    none:    of "answer", the piece at which it says that there is no answer; None: it always answers
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

        embeddings: float[batch, length, dimensions] in the place of those of the pieces
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

    def by_piece(self, batch: Batch, panes: Panes, embeddings: Tensor | None = None) -> Tensor:
        """float[batch, length, n_labels]: of each piece that is kept what its window answers for it; 0 of the others."""
        by_piece: Tensor = None
        for part, outputs in self._in_parts(batch, panes, embeddings):
            logits = outputs.logits
            if logits.ndim != 3:
                raise ModelError(_("The model does not answer for each piece, though its configuration says so."))
            if by_piece is None:
                by_piece = logits.new_zeros((*batch.ids.shape, logits.shape[2]))
            rows = part.rows[:, None].expand_as(part.places)
            by_piece = by_piece.index_put((rows[part.kept], part.places[part.kept]), logits[part.kept])
        return by_piece

    def _of_words(self, batch: Batch, panes: Panes, embeddings: Tensor | None) -> Tensor:
        sums = self.by_piece(batch, panes, embeddings).sum(dim=1)
        return sums / _summed(panes.kept.sum(dim=1)[:, None].to(sums.dtype), panes, len(sums))

    def _of_targets(self, batch: Batch, panes: Panes, embeddings: Tensor | None) -> Tensor:
        torch = import_module("torch")
        by_piece = self.by_piece(batch, panes, embeddings)
        return by_piece[torch.arange(len(by_piece), device=by_piece.device), batch.read_at]

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
                        _(
                            "The model ({kind}) does not answer with one start and one end score for each piece.",
                            kind=type(self.model).__name__,
                        )
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
        return _asked(self.model, batch, embeddings)

    def _of_label_words(self, batch: Batch, embeddings: Tensor | None) -> Tensor:
        """float[batch, n_labels]: Σ over a label's pieces of log p(piece | text, prompt, the pieces before it)."""
        torch = import_module("torch")
        of_labels: list[Tensor] = [None] * len(self.labels)
        for stem in {pieces[:-1] for pieces in self.labels}:  # one pass for all labels that are one piece
            longer, given = _gone_on(self.model, batch, embeddings, stem, self.filling)
            next_pieces = _next_pieces(self.model, longer, given, batch.mask.sum(dim=1), len(stem) + 1)
            for number, pieces in enumerate(self.labels):
                if pieces[:-1] == stem:
                    positions = torch.arange(len(pieces), device=next_pieces.device)
                    of_labels[number] = next_pieces[:, positions, list(pieces)].sum(dim=1)
        return torch.stack(of_labels, dim=1)


def _asked(model: Any, batch: Batch, embeddings: Tensor | None, **options: Any) -> Any:
    if embeddings is None:
        return model(**batch.arguments(), return_dict=True, **options)
    with _embeddings_given(model, embeddings):
        return model(**batch.arguments(), return_dict=True, **options)


def _gone_on(
    model: Any, batch: Batch, embeddings: Tensor | None, stem: tuple[int, ...], filling: int
) -> tuple[Batch, Tensor | None]:
    """A batch whose rows go on with some pieces after their last real one; before what they are filled up with."""
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


def _next_pieces(model: Any, batch: Batch, embeddings: Tensor | None, n_real: Tensor, n: int) -> Tensor:
    """float[batch, n, n_pieces_of_the_vocabulary]: log p of what comes after the last real piece, and after the n − 1 next."""
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
    """Let a model take these embeddings for those of its pieces.

    The model still gets the pieces themselves, since many need them: RoBERTa numbers positions by them, GPT-2 finds the
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
                "The model ({kind}) uses the embeddings of its text {times}; gradients are computed only for models that use "
                "them once.",
                kind=type(model).__name__,
                times=counted(n_used, "time"),
            )
        )
