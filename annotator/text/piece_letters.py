"""Pieces as letters, in the form of one family (plain, WordPiece, Unigram, BPE)."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from annotator.text.piece_forms import Form, folded, is_unknown

Range = tuple[int, int]
# One character of UTF-8, or a byte that is part of none.
_CHARACTER = re.compile(
    rb"[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|[\x80-\xff]"
)
_BLANK_MARKS = "▁ĠĊ \t\r\n"


@dataclass(slots=True)
class Cut:
    """Pieces as letters. spans: the letters of each piece; gaps: (letters before, the unknown pieces that stand there)."""

    pieces: Sequence[str]
    form: Form
    letters: list[str] = field(default_factory=list)
    spans: list[Range] = field(default_factory=list)
    gaps: list[tuple[int, list[int]]] = field(default_factory=list)

    @staticmethod
    def of(pieces: Sequence[str], form: Form, contents: Sequence[str | bytes]) -> "Cut":
        """Pieces by what they say in a form."""
        cut = Cut(pieces, form)
        waiting: list[bytes] = []
        for number, (piece, content) in enumerate(zip(pieces, contents, strict=True)):
            if is_unknown(piece):
                cut._flush(waiting)
                cut._add_unknown(number)
            elif isinstance(content, bytes) and (waiting or not content.isascii()):
                waiting.append(content)
                if not _ends_inside_character(b"".join(waiting)):
                    cut._flush(waiting)
            else:
                cut._flush(waiting)
                cut._add(content if isinstance(content, str) else content.decode("ascii"))
        cut._flush(waiting)
        return cut

    def _add(self, text: str) -> None:
        start = len(self.letters)
        if text.isascii():
            self.letters.extend("".join(text.lower().split()))
        else:
            for character in text:
                self.letters.extend(folded(character))
        self.spans.append((start, len(self.letters)))

    def _add_unknown(self, number: int) -> None:
        n_letters = len(self.letters)
        self.spans.append((n_letters, n_letters))
        if self.gaps and self.gaps[-1][0] == n_letters:
            self.gaps[-1][1].append(number)
        else:
            self.gaps.append((n_letters, [number]))

    def _flush(self, waiting: list[bytes]) -> None:
        """Pieces that are bytes: each gets the letters of every character that it has a byte of."""
        characters: list[int] = []  # by byte
        starts: list[int] = []  # by character
        for match in _CHARACTER.finditer(b"".join(waiting)):
            characters += [len(starts)] * len(match.group())
            starts.append(len(self.letters))
            self.letters.extend(folded(match.group().decode("utf-8", "replace")[0]))
        starts.append(len(self.letters))
        end = 0
        for piece in waiting:
            start, end = end, end + len(piece)
            self.spans.append((starts[characters[start]], starts[characters[end - 1] + 1]))
        waiting.clear()

    def chunk(self, number: int) -> Range:
        """The letters between two gaps; chunk 0 stands before the first."""
        start = self.gaps[number - 1][0] if number else 0
        end = self.gaps[number][0] if number < len(self.gaps) else len(self.letters)
        return start, end

    def piece_at(self, letter: int) -> int:
        """The piece that holds a letter; the number of pieces after the last letter."""
        if letter >= len(self.letters):
            return len(self.pieces)
        number = bisect_right(self.spans, letter, key=lambda span: span[0]) - 1
        while self.spans[number][1] <= letter:
            number -= 1
        return number

    def begins_word(self, letter: int) -> bool | None:
        """Whether the piece that begins with a letter says that a blank stands before it."""
        number = self.piece_at(letter)
        while number > 0 and not self.pieces[number - 1].strip(_BLANK_MARKS):
            number -= 1  # a blank piece of its own
        return self.form.begins_word(self.pieces[number]) if number < len(self.pieces) else None


def _ends_inside_character(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.reason == "unexpected end of data"
    return False
