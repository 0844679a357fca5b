"""Where words that were looked for stand in a text, and a line of what is around them."""

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from annotator.domain.project.search import folded
from annotator.text.characters import CLUSTER, may_have_clusters

_CLUSTER = regex.compile(CLUSTER)
_BEFORE, _AFTER = 50, 110  # characters around the first place
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Context:
    """A line of a text in pieces, every second one of which are the words that were looked for."""

    pieces: tuple[str, ...]

    @property
    def line(self) -> str:
        """The line as it is read."""
        return "".join(self.pieces)


def context_of(text: str, folded_words: str) -> Context | None:
    """The first place of words in a text, with what stands around it; None where they do not stand in it.

    >>> context_of("Good food.  GOOD price.", "good").pieces
    ('', 'Good', ' food. ', 'GOOD', ' price.')
    """
    ranges = hit_ranges(text, folded_words)
    if not ranges:
        return None
    start, end = _window(text, ranges[0])
    pieces: list[str] = []
    at = start
    for first, last in ranges:
        if last > end:
            break
        pieces += [_one_line(text[at:first]), _one_line(text[first:last])]
        at = last
    pieces.append(_one_line(text[at:end]))
    pieces[0] = (_CUT if start else "") + pieces[0]
    pieces[-1] += _CUT if end < len(text) else ""
    return Context(tuple(pieces))


def hit_ranges(text: str, folded_words: str) -> list[tuple[int, int]]:
    """The character ranges of a text in which words stand, without overlaps, in order."""
    if not folded_words:
        return []
    starts: list[int] = []  # of each character of the folded text: what of the text it was made from
    ends: list[int] = []
    parts: list[str] = []
    for start, end, shape in _folded_pieces(text):
        parts.append(shape)
        starts += [start] * len(shape)
        ends += [end] * len(shape)
    whole = "".join(parts)
    ranges: list[tuple[int, int]] = []
    at = whole.find(folded_words)
    while at >= 0:
        ranges.append((starts[at], ends[at + len(folded_words) - 1]))
        at = whole.find(folded_words, at + len(folded_words))
    return ranges


def _folded_pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """Characters that are one to a reader, with what is compared of them; of a run of blanks the first one."""
    was_blank = True
    for start, end in _character_ranges(text):
        if not text[start:end].isspace():
            yield start, end, folded(text[start:end])
            was_blank = False
        elif not was_blank:
            yield start, end, " "
            was_blank = True


def _character_ranges(text: str) -> Iterator[tuple[int, int]]:
    if may_have_clusters(text):
        for match in _CLUSTER.finditer(text):
            yield match.span()
        return
    for index in range(len(text)):
        yield index, index + 1


def _window(text: str, hit: tuple[int, int]) -> tuple[int, int]:
    """What is shown around a place: up to the next blanks, where there are some near."""
    start, end = max(0, hit[0] - _BEFORE), min(len(text), hit[1] + _AFTER)
    if start and (blank := text.find(" ", start, hit[0])) >= 0:
        start = blank + 1
    if end < len(text) and (blank := text.rfind(" ", hit[1], end)) >= 0:
        end = blank
    return start, end


def _one_line(text: str) -> str:
    words = " ".join(text.split())
    return f"{' ' if text[:1].isspace() else ''}{words}{' ' if words and text[-1:].isspace() else ''}"
