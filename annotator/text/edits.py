"""A sentence with an editor's marks: what stood before, what stands after, and which edits were made.

Source:  Stevens and Su 2021, and the extraction of rationales in their released code
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Literal

from annotator.domain.texts import TokenizedText
from annotator.text.source_spans import tokens_overlapping

Criterion = Literal["spelling", "deleted", "other"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of marked-up text: kept, deleted or inserted. A mark may be empty; kept text is not."""

    kind: Literal["kept", "deleted", "inserted"]
    text: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters start to end (exclusive) of the text before become `replacement`."""

    start: int
    end: int
    replacement: str


@dataclass(frozen=True)
class EditedSentence:
    """The pieces in order; no kept piece follows another, so that two marks that touch have nothing between them."""

    pieces: tuple[Piece, ...]

    @cached_property
    def before(self) -> str:
        """The text that was edited: what a model reads."""
        return "".join(p.text for p in self.pieces if p.kind != "inserted")

    @cached_property
    def after(self) -> str:
        """The text as the editor left it."""
        return "".join(p.text for p in self.pieces if p.kind != "deleted")

    @property
    def marks(self) -> tuple[Piece, ...]:
        """The deletions and insertions; a sentence that has one needs editing."""
        return tuple(p for p in self.pieces if p.kind != "kept")

    @property
    def deletions(self) -> tuple[tuple[int, int], ...]:
        """The characters of the text before that each deletion takes away (half open), as exact as the marks."""
        return tuple(span for piece, span in self._placed() if piece.kind == "deleted")

    @property
    def mask(self) -> str:
        """As long as the text before: `*` under deleted characters, a blank under all others."""
        return "".join(("*" if p.kind == "deleted" else " ") * len(p.text) for p in self.pieces if p.kind != "inserted")

    @property
    def edits(self) -> tuple[Edit, ...]:
        """What turns the text before into the text after. A deletion and an insertion that touch are one replacement."""
        edits: list[Edit] = []
        joinable: str | None = None  # the kind of the mark just read, while it waits for its other half
        for piece, (start, end) in self._placed():
            if piece.kind == "kept":
                joinable = None
                continue
            replacement = piece.text if piece.kind == "inserted" else ""
            if joinable not in {None, piece.kind}:
                first = edits.pop()
                edits.append(Edit(first.start, end, first.replacement + replacement))
                joinable = None
            else:
                edits.append(Edit(start, end, replacement))
                joinable = piece.kind
        return tuple(edits)

    def _placed(self) -> Iterable[tuple[Piece, tuple[int, int]]]:
        """Each piece with its characters in the text before; an insertion has none, so its range is empty."""
        lengths = (0 if p.kind == "inserted" else len(p.text) for p in self.pieces)
        return zip(self.pieces, pairwise(accumulate(lengths, initial=0)), strict=True)


def criterion_of(sentence: EditedSentence, is_unknown: Callable[[str], bool]) -> Criterion | None:
    """Which of the paper's rules makes the deleted text the reason for the edit.

    spelling: one deletion and then one insertion with nothing between them, a deleted string without a blank that the
    dictionary does not know, and an inserted string that it does not call unknown (both whole, so that two words
    inserted are one unknown string). deleted: nothing but deletions. other: insertions alone, or mixed; such a sentence
    says where it was edited, but not which words were the reason.

    is_unknown: whether a dictionary lacks a string (annotator.text.alignment.is_unknown)
    Undefined:  None for a sentence without edits
    Source:     Stevens and Su 2021, the two published criteria, by the rule of their code
    """
    marks = sentence.marks
    if not marks:
        return None
    if all(mark.kind == "deleted" for mark in marks):
        return "deleted"
    return "spelling" if _corrects_spelling(sentence, is_unknown) else "other"


def _corrects_spelling(sentence: EditedSentence, is_unknown: Callable[[str], bool]) -> bool:
    if [mark.kind for mark in sentence.marks] != ["deleted", "inserted"] or len(sentence.edits) != 1:
        return False
    wrong, right = (mark.text for mark in sentence.marks)
    if not is_unknown(wrong):
        return False
    return " " not in wrong.lower() and not wrong.isspace() and not is_unknown(right)


def is_comma_edit(sentence: EditedSentence) -> bool:
    """Whether one comma was deleted and nothing else done: a third rule of the code, which the paper does not have."""
    return sentence.marks == (Piece("deleted", ","),)


def touched_tokens(body: TokenizedText, ranges: Iterable[tuple[int, int]]) -> list[int]:
    """The tokens of which at least one character lies in one of the ranges, in order and once each.

    A part of a word stands for the whole word; white space stands for nothing.
    """
    token_ranges = (tokens_overlapping(body, start, end) for start, end in ranges)
    return sorted({token for token_range in token_ranges if token_range is not None for token in range(*token_range)})


def partly_covered(body: TokenizedText, tokens: Iterable[int], ranges: Sequence[tuple[int, int]]) -> list[int]:
    """Those of the tokens of which some characters lie in none of the ranges."""
    covered = {character for start, end in ranges for character in range(start, end)}
    return [token for token in tokens if not covered.issuperset(range(body.starts[token], body.ends[token]))]
