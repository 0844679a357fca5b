"""The words of a sentence that an annotator of e-SNLI highlighted, which its files say in two columns.

`Sentence1_marked_1` is the sentence with stars around each highlighted word, `Sentence1_Highlighted_1` the numbers of
these words. The authors ask to read the stars and to ignore the numbers (README of the data set), so the stars win where
the two disagree; the numbers are for rows whose stars are missing or stand in another sentence.

A word is what stands between white space, with the punctuation at its ends: nothing smaller could be highlighted.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator.domain.numbers import counted
from annotator.domain.texts import TokenizedText
from annotator.formats.rows.findings import Findings
from annotator.language import _, unsaid

_NONE = "{}"


@dataclass(frozen=True, slots=True)
class Highlight:
    """What the two columns of one sentence and annotator hold, with their names."""

    stars: str
    numbers: str
    stars_column: str
    numbers_column: str

    @property
    def is_given(self) -> bool:
        return bool(self.stars.strip() or self.numbers.strip())


def read_highlight(given: Highlight, sentence: TokenizedText, findings: Findings) -> Sequence[int]:
    """The numbers of the highlighted words, in order, from 0; what is wrong, and what was overlooked, is noted."""
    starred = _starred(given.stars, sentence)
    numbered, fault = _numbered(given.numbers, sentence)
    if starred is None:
        return _without_stars(given, numbered, fault, findings)
    if fault:
        findings.warn(
            given.numbers_column,
            given.numbers,
            _("{fault} The stars of {column} are taken.", fault=fault, column=given.stars_column),
        )
    elif given.numbers.strip() and starred not in numbered:
        words = ", ".join(map(str, starred)) or "none"
        reason = _(
            "The words with stars in {column} are others ({words}); they are taken.",
            column=given.stars_column,
            words=words,
        )
        findings.warn(given.numbers_column, given.numbers, reason)
    return starred


def _without_stars(given: Highlight, numbered: Sequence[list[int]], fault: str, findings: Findings) -> Sequence[int]:
    has_stars = bool(given.stars.strip())
    if fault or not numbered:
        if has_stars:
            none_at_all = unsaid(
                "It is not the sentence with stars around words, and there are no numbers in {column}."
            )
            none_of_use = unsaid(
                "It is not the sentence with stars around words, and there are no numbers in {column} that can be used."
            )
            reason = _(none_of_use if fault else none_at_all, column=given.numbers_column)
            findings.refuse(given.stars_column, given.stars, reason)
        if fault:
            findings.refuse(given.numbers_column, given.numbers, fault)
        return ()
    if has_stars:
        reason = _(
            "It is not the sentence with stars around words; the numbers of {column} are taken.",
            column=given.numbers_column,
        )
        findings.warn(given.stars_column, given.stars, reason)
    if len(numbered) > 1:
        reason = _(
            "The sentence has blanks in a row and there are no stars; words were counted as if each were one blank."
        )
        findings.warn(given.numbers_column, given.numbers, reason)
    return numbered[0]


def _starred(stars: str, sentence: TokenizedText) -> list[int] | None:
    """The words between stars; None where the words are not those of the sentence.

    A word that has stars of its own (*sigh*) has two more when it is highlighted (**sigh**).
    """
    words, given = sentence.tokens(), stars.split()
    if len(words) != len(given) or any(w not in {word, f"*{word}*"} for w, word in zip(given, words, strict=True)):
        return None
    return [number for number, word in enumerate(words) if given[number] != word]


def _numbered(cell: str, sentence: TokenizedText) -> tuple[list[list[int]], str]:
    """What the numbers may mean, the likeliest first, and what is wrong with them ("" for nothing).

    Numbers count what stands between white space or, where blanks follow each other, perhaps between single blanks.
    """
    pieces = [piece.strip() for piece in cell.split(",")]
    if cell.strip() in {"", _NONE}:
        return ([[]] if cell.strip() else []), ""
    if any(not (piece.isascii() and piece.isdigit() and len(piece) < 7) for piece in pieces):
        return [], _("It must hold numbers of words with commas between them, or {none} for none.", none=_NONE)
    numbers = sorted({int(piece) for piece in pieces})
    readings = []
    if numbers[-1] < sentence.n_tokens:
        readings.append(numbers)
    if sentence.text.split(" ") != sentence.tokens():
        by_blank = _between_blanks(numbers, sentence)
        if by_blank is not None and by_blank not in readings:
            readings.append(by_blank)
    if not readings:
        return [], _(
            "Word {number} is not in the sentence, which has {words}, from 0.",
            number=numbers[-1],
            words=counted(sentence.n_tokens, "word"),
        )
    return readings, ""


def _between_blanks(numbers: Sequence[int], sentence: TokenizedText) -> list[int] | None:
    """The words in the pieces of these numbers, where each single blank parts two pieces; None for a piece without."""
    words = list(_words_of_pieces(sentence))
    if any(number >= len(words) or not words[number] for number in numbers):
        return None
    return [word for number in numbers for word in words[number]]


def _words_of_pieces(sentence: TokenizedText) -> Iterator[list[int]]:
    start = 0
    for piece in sentence.text.split(" "):
        end = start + len(piece)
        yield [n for n in range(sentence.n_tokens) if start <= sentence.starts[n] < end]
        start = end + 1
