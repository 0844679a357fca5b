"""Texts longer than a model takes, cut into windows that overlap by half; of each its middle is kept (ERASER's released code).

What stands around what can be marked ([CLS], [SEP], a question) is in every window. Each piece of the text is kept by the one
window in whose middle it lies, so that it was read with context on both sides; the first and last window also keep their
outer edge.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.attribution.transformers_encoding import Batch, Tensor


@dataclass(frozen=True, slots=True)
class Window:
    """Half-open ranges of a text's pieces: those that a window reads, and of them those that it keeps."""

    start: int
    end: int
    kept_from: int
    kept_to: int


def windows_of(n_pieces: int, room: int) -> list[Window]:
    """Windows of `room` pieces, each half a window after the one before; none that only reads what the one before it read.

    >>> [(w.start, w.end, w.kept_from, w.kept_to) for w in windows_of(10, 4)]
    [(0, 4, 0, 3), (2, 6, 3, 5), (4, 8, 5, 7), (6, 10, 7, 10)]
    """
    step = room // 2
    n_windows = 1 + max(0, -((room - n_pieces) // step))
    starts = [step * number for number in range(n_windows)]
    edge = (room - step) // 2
    borders = [0, *(start + edge for start in starts[1:]), n_pieces]
    return [
        Window(start, min(start + room, n_pieces), kept_from, kept_to)
        for start, kept_from, kept_to in zip(starts, borders, borders[1:], strict=False)
    ]


@dataclass(frozen=True, slots=True)
class Panes:
    """The windows of a batch, one below the other.

    rows:   int64[n_windows]: whose window it is
    places: int64[n_windows, length]: the pieces that it reads, by their place in the row; shorter windows are filled with 0
    real:   bool[n_windows, length]: what is no filling
    kept:   bool[n_windows, length]: the pieces that it keeps; where nothing of a row can be marked, all of it
    """

    rows: Tensor
    places: Tensor
    real: Tensor
    kept: Tensor

    def part(self, first: int, end: int) -> "Panes":
        """Some of the windows, no longer than the longest of them."""
        length = int(self.real[first:end].sum(dim=1).max())
        return Panes(self.rows[first:end], *(of[first:end, :length] for of in (self.places, self.real, self.kept)))

    def of(self, by_piece: Tensor) -> Tensor:
        """What stands at the windows' pieces: [n_windows, length, ...] of [n_rows, row's length, ...]."""
        return by_piece[self.rows[:, None], self.places]

    def batch(self, batch: Batch, filling: int) -> Batch:
        """The windows as inputs of their own."""
        types = None if batch.types is None else self.of(batch.types).masked_fill(~self.real, 0)
        ids = self.of(batch.ids).masked_fill(~self.real, filling)
        return Batch(ids, self.real.to(batch.mask.dtype), types, self.of(batch.may_answer) & self.real)


def panes_of(batch: Batch, limit: int | None) -> Panes:
    """The windows of a batch; what the model takes whole is one.

    limit: how many pieces the model takes; None: any number
    """
    torch = import_module("torch")
    n_real, slides = batch.mask.sum(dim=1).tolist(), batch.may_answer.cpu().numpy()
    cut = [(row, *pane) for row, n in enumerate(n_real) for pane in _of_row(n, np.flatnonzero(slides[row]), limit)]
    length = max(len(places) for _, places, _ in cut)

    def filled(flags_or_places: Sequence[npt.NDArray[Any]], dtype: Any) -> Tensor:
        rows = [np.pad(of_window, (0, length - len(of_window))) for of_window in flags_or_places]
        return torch.tensor(np.array(rows), dtype=dtype, device=batch.ids.device)

    return Panes(
        torch.tensor([row for row, _, _ in cut], device=batch.ids.device),
        filled([places for _, places, _ in cut], torch.long),
        filled([np.ones(len(places)) for _, places, _ in cut], torch.bool),
        filled([is_kept for _, _, is_kept in cut], torch.bool),
    )


def has_window_with(may_answer: Sequence[bool], first: int, last: int, limit: int | None) -> bool:
    """Whether a window of a text reads both of these pieces, and with them what stands between.

    may_answer: of each piece of the text, as in a batch
    """
    slides = np.flatnonzero(np.array(may_answer, dtype=np.bool_))
    return any(np.isin((first, last), places).all() for places, _ in _of_row(len(may_answer), slides, limit))


_Pane = tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]  # the places of a window's pieces, and which it keeps


def _of_row(n_pieces: int, slides: npt.NDArray[np.int64], limit: int | None) -> list[_Pane]:
    whole = np.arange(n_pieces)
    if not len(slides):
        return [(whole, np.ones(n_pieces, dtype=np.bool_))]
    if limit is None or n_pieces <= limit:
        return [(whole, np.isin(whole, slides))]
    first, end = int(slides[0]), int(slides[-1]) + 1
    panes = []
    for window in windows_of(end - first, limit - first - (n_pieces - end)):
        text = np.arange(first + window.start, first + window.end)
        places = np.concatenate([whole[:first], text, whole[end:]])
        is_kept = (places >= first + window.kept_from) & (places < first + window.kept_to)
        panes.append((places, is_kept))
    return panes
