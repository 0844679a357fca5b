"""Offsets as labelling tools count them: characters (code points), a browser's UTF-16 units, or grapheme clusters."""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeGuard

import regex

from annotator.formats.rows.findings import Findings
from annotator.language import _, unsaid
from annotator.text.characters import utf16_offsets

OffsetUnit = Literal["characters", "utf-16", "graphemes"]
_UNIT_WORDS: dict[OffsetUnit, str] = {
    "characters": unsaid("characters"),
    "utf-16": unsaid("UTF-16 units"),
    "graphemes": unsaid("grapheme clusters"),
}
_CLUSTER = regex.compile(r"\X")
# Thai to Burmese, Khmer, and Chinese and Japanese: no blank parts words, so a span cannot be seen to cut one.
_SPACELESS = re.compile("[\u0e00-\u109f\u1780-\u17ff\u2e80-\ua4cf\uf900-\ufaff\U00020000-\U0003134f]")


def is_unit(value: object) -> TypeGuard[OffsetUnit]:
    """Whether a value names a way of counting."""
    return value in _UNIT_WORDS


@dataclass(frozen=True, slots=True)
class Offsets:
    """The borders in a text that a tool's offsets can name, in both countings.

    Shapes: offsets, characters: int[n_borders], each in ascending order; None where both countings are the same
    """

    text: str
    unit: OffsetUnit
    borders: tuple[Sequence[int], Sequence[int]] | None

    @staticmethod
    def of(text: str, unit: OffsetUnit) -> "Offsets":
        """The offsets of a text in a unit."""
        if unit == "graphemes" and not (text.isascii() and "\r" not in text):
            ends = [0, *(match.end() for match in _CLUSTER.finditer(text))]
            return Offsets(text, unit, (range(len(ends)), ends))
        if unit == "utf-16" and text and max(text) > "\uffff":
            characters = range(len(text) + 1)
            return Offsets(text, unit, (utf16_offsets(text, characters), characters))
        return Offsets(text, unit, None)

    @property
    def length(self) -> int:
        """How long the text is in the unit."""
        return self.borders[0][-1] if self.borders else len(self.text)

    def character(self, offset: int) -> int | None:
        """The character at which an offset lies; None for one inside a character, or outside the text.

        >>> [Offsets.of("a😀b", "utf-16").character(offset) for offset in (1, 2, 3)]
        [1, None, 2]
        """
        if self.borders is None:
            return offset if 0 <= offset <= len(self.text) else None
        offsets, characters = self.borders
        index = bisect_left(offsets, offset)
        return characters[index] if index < len(offsets) and offsets[index] == offset else None

    def offset(self, character: int) -> int:
        """The offset of the border before a character (which must be one of the borders)."""
        if self.borders is None:
            return character
        offsets, characters = self.borders
        return offsets[bisect_left(characters, character)]

    def range_of(self, start: int, end: int, field_name: str, findings: Findings) -> tuple[int, int] | None:
        """A half-open range in characters; None, with a finding, when it is no range of the text."""
        unit = _(_UNIT_WORDS[self.unit])
        if not 0 <= start < end:
            reason = _("Must satisfy 0 <= start < end.")
        elif end > self.length:
            reason = _(
                "Ends at {end} (exclusive); the text is {length} {unit}.", end=end, length=self.length, unit=unit
            )
        else:
            first, last = self.character(start), self.character(end)
            if first is not None and last is not None:
                return first, last
            wrong = start if first is None else end
            reason = _("Offset {wrong} ({unit}) splits a character. Check the unit.", wrong=wrong, unit=unit)
        findings.refuse(field_name, [start, end], reason)
        return None


def cuts_word(text: str, start: int, end: int) -> bool:
    """Whether a span of characters begins or ends inside a word, as far as can be seen without tokens.

    >>> cuts_word("so good", 3, 6), cuts_word("so good", 3, 7), cuts_word("很好看", 1, 2)
    (True, False, False)
    """
    return any(
        0 < border < len(text) and _is_in_word(text[border - 1]) and _is_in_word(text[border])
        for border in (start, end)
    )


def _is_in_word(character: str) -> bool:
    return unicodedata.category(character)[0] in "LMN" and not _SPACELESS.match(character)
