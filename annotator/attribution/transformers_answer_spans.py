"""Answers as stretches of a text: start and end scores by window, the best stretch, and “no answer” as SQuAD 2.0 has it.

“No answer” stands at [CLS]: its score in a window is start score + end score there, and that of a text is the lowest of its
windows, since a window that does not hold the answer says that there is none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from annotator.attribution.transformers_subwords import Batch, Encoded, Panes

Tensor = Any  # torch is not imported here: whoever makes one has it
Numbers = npt.NDArray[np.float64]

LONGEST_ANSWER = 30  # subwords; as in the question answering scripts of transformers


@dataclass(frozen=True, slots=True)
class Stretches:
    """What a reading model says of the windows of a batch; a text that it takes whole is one window.

    starts, ends: float[n_windows, length]
    may_answer:   bool[n_windows, length]: the subwords of the text to answer from
    none_at:      int64[n_windows]: where it says that there is no answer; None of a model that always answers
    """

    starts: Tensor
    ends: Tensor
    panes: Panes
    may_answer: Tensor
    none_at: Tensor | None

    @staticmethod
    def of(starts: Tensor, ends: Tensor, panes: Panes, batch: Batch, none_subword: int | None) -> "Stretches":
        """none_subword: the number of the subword at which a model says that there is no answer."""
        none_at = None if none_subword is None else (panes.of(batch.ids) == none_subword).int().argmax(dim=1)
        return Stretches(starts, ends, panes, panes.of(batch.may_answer) & panes.real, none_at)

    def choosable(self) -> Tensor:
        """bool[n_windows, length]: what may be said: the subwords of the text, and that there is no answer."""
        if self.none_at is None:
            return self.may_answer
        return self.may_answer.scatter(1, self.none_at[:, None], value=True)

    def first_windows(self, n_rows: int) -> Tensor:
        """int64[n_rows]: the first window of each text."""
        torch = import_module("torch")
        rows = torch.arange(n_rows, device=self.panes.rows.device)
        return torch.searchsorted(self.panes.rows, rows)

    def at(self, windows: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
        """int64[n] and bool[n]: the columns of subwords, by their place in the text, in windows; and which windows hold them."""
        matches = (self.panes.places[windows] == places[:, None]) & self.panes.real[windows]
        return matches.int().argmax(dim=1), matches.any(dim=1)


@dataclass(frozen=True, slots=True)
class Chosen:
    """A stretch of a text's subwords, both ends in it, or the subword for “no answer”, which is both ends.

    window: which of the text's it is read in; score: start + end
    probability: the softmax of the window's starts at the first subword times that of its ends at the last, over what may be said
    """

    window: int
    first: int
    last: int
    score: float
    probability: float
    is_none: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """The best stretch of a text, None where there is nothing to answer from; and “no answer”, None of a model without it."""

    stretch: Chosen | None
    none: Chosen | None

    @property
    def margin(self) -> float:
        """The score of “no answer” less that of the best stretch; infinite where there is nothing to answer from."""
        if self.none is None:
            return -np.inf
        return np.inf if self.stretch is None else self.none.score - self.stretch.score

    def chosen(self, threshold: float | None) -> Chosen | None:
        """What is answered: none where its margin is above the threshold; with threshold None always the stretch."""
        if threshold is None or self.none is None:
            return self.stretch
        return self.none if self.margin > threshold else self.stretch


def findings_in(stretches: Stretches, n_rows: int) -> list[Finding]:
    """The best stretch of each text over its windows, the first of equals, and how sure it is that there is no answer."""
    starts, ends = (of.double().detach().cpu().numpy() for of in (stretches.starts, stretches.ends))
    rows, places = stretches.panes.rows.cpu().numpy(), stretches.panes.places.cpu().numpy()
    may_answer, choosable = stretches.may_answer.cpu().numpy(), stretches.choosable().cpu().numpy()
    none_at = None if stretches.none_at is None else stretches.none_at.cpu().numpy()
    findings = []
    for row in range(n_rows):
        best, none = [], []
        for number, window in enumerate(np.flatnonzero(rows == row)):
            of_window = _Window(number, starts[window], ends[window], choosable[window], places[window])
            if may_answer[window].any():
                best.append(of_window.chosen(*_best_stretch(starts[window], ends[window], may_answer[window])))
            if none_at is not None:
                none.append(of_window.chosen(none_at[window], none_at[window], is_none=True))
        findings.append(Finding(max(best, key=_score, default=None), min(none, key=_score, default=None)))
    return findings


def _score(chosen: Chosen) -> float:
    return chosen.score


@dataclass(frozen=True, slots=True)
class _Window:
    number: int
    starts: Numbers
    ends: Numbers
    choosable: npt.NDArray[np.bool_]
    places: npt.NDArray[np.int64]

    def chosen(self, first: int, last: int, *, is_none: bool = False) -> Chosen:
        p_start, p_end = (_softmax(np.where(self.choosable, of, -np.inf)) for of in (self.starts, self.ends))
        return Chosen(
            self.number, int(self.places[first]), int(self.places[last]), float(self.starts[first] + self.ends[last]),
            float(p_start[first] * p_end[last]), is_none,
        )  # fmt: skip


def _softmax(logits: Numbers) -> Numbers:
    exponents = np.exp(logits - logits.max())
    shares: Numbers = exponents / exponents.sum()
    return shares


def _best_stretch(starts: Numbers, ends: Numbers, may_answer: npt.NDArray[np.bool_]) -> tuple[int, int]:
    """The columns of the stretch with the highest start + end, the first of equals."""
    sums = starts[:, None] + ends[None, :]
    columns = np.arange(len(starts))
    length = columns[None, :] - columns[:, None] + 1
    sums[(length < 1) | (length > LONGEST_ANSWER) | ~may_answer[:, None] | ~may_answer[None, :]] = -np.inf
    first, last = np.unravel_index(int(np.argmax(sums)), sums.shape)
    return int(first), int(last)


def answer_text(encoded: Encoded, first: int, last: int) -> str:
    """The characters from a subword to another, as they stand in the text."""
    text = encoded.texts[encoded.sides[first] or 0]
    return text[encoded.offsets[first][0] : encoded.offsets[last][1]].strip()


# Characters and subwords -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mark:
    """A character of a text, by its token, so that it is found again where other tokens were covered.

    token: numbered in its segment; offset: of the character in the token
    """

    segment: str
    token: int
    offset: int

    def subword_in(self, encoded: Encoded) -> int | None:
        """The subword that holds it, or in a token that is covered now, the one that covers it; None where it was cut off."""
        body = encoded.bodies[self.segment]
        start, end = body.starts[self.token], body.ends[self.token]
        character = min(start + self.offset, max(start, end - 1))
        subwords = subwords_of(encoded, self.segment, character, character + 1)
        return None if subwords is None else subwords[0]


def mark_of(encoded: Encoded, subword: int, *, is_last: bool) -> Mark:
    """The first or last character of a subword of a text."""
    of = encoded.subwords[subword]
    segment, start, end = of.segment or "", of.start or 0, of.end or 0
    body, character = encoded.bodies[segment], end - 1 if is_last else start
    token = next((n for n, token_end in enumerate(body.ends) if token_end > character), body.n_tokens - 1)
    return Mark(segment, token, max(0, character - body.starts[token]))


def subwords_of(encoded: Encoded, segment: str, start: int, end: int) -> tuple[int, int] | None:
    """The first and last subword that touch characters of a segment; None where none does."""
    touching = [
        number
        for number, subword in enumerate(encoded.subwords)
        if subword.segment == segment and (subword.start or 0) < end and (subword.end or 0) > start
    ]
    return (touching[0], touching[-1]) if touching else None


def subwords_of_answer(encoded: Encoded, segment: str, start: int, end: int) -> tuple[int, int] | None:
    """Those of an answer; None where the model does not see the whole of it."""
    subwords: Sequence[int] | None = subwords_of(encoded, segment, start, end)
    if subwords is None or (encoded.subwords[subwords[1]].end or 0) < end:
        return None
    return subwords[0], subwords[1]
