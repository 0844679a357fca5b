"""Where words that are searched or quoted stand in a text, and a line of what is around them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import regex

from annotator.domain.instances import Instance
from annotator.domain.models import MachineRationale, Quotes
from annotator.domain.project.search import folded
from annotator.domain.sources import SourceSpan
from annotator.domain.texts import TokenizedText
from annotator.errors import QuoteNotPlaced
from annotator.language import _, several
from annotator.text.characters import CLUSTER, may_have_clusters
from annotator.text.source_spans import tokens_overlapping

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


# Finding what a model, or a column of a file, quotes in the texts of an instance.


_MISSING_KEPT = 20
_LONGEST_KEPT = 300

Range = tuple[int, int]


def quotes_on_tokens(quotes: Sequence[str], instance: Instance, sets: Sequence[Sequence[str]] = ()) -> MachineRationale:
    """What is quoted as a hard rationale: the tokens of each quote, in all texts that can be marked.

    A quote that touches no token of any of them is missing; so is one of a text that cannot be marked.
    sets: of these quotes; one with a missing quote is only counted, since what is left of it is not what was given
    """
    texts = [
        _SearchedText(instance.layout.segment(segment.name).first_token, segment.body)
        for segment in instance.segments
        if segment.is_selectable
    ]
    places = {quote: _places_in(texts, quote) for quote in quotes}
    missing = [quote for quote in quotes if not places[quote]]
    whole = [[places[quote] for quote in quoted] for quoted in sets]
    quotes_found = Quotes(
        len(quotes),
        len(missing),
        tuple(map(_shortened, missing[:_MISSING_KEPT])),
        len(sets),
        tuple(dict.fromkeys(_spans_of(of_set) for of_set in whole if of_set and all(of_set))),
    )
    return MachineRationale("hard", _spans_of(places.values()), quotes=quotes_found)


def _spans_of(places: Iterable[Sequence[Range]]) -> tuple[Range, ...]:
    return tuple(sorted({span for of_quote in places for span in of_quote}))


def sets_of_quotes(
    quoted: Sequence[Sequence[str]], texts: Mapping[str, TokenizedText]
) -> tuple[tuple[SourceSpan, ...], ...]:
    """Rationale sets that are given in words: of each quote the characters where it stands.

    texts: those that can be marked, by segment
    Raises: QuoteNotPlaced for a quote that is not in the texts, or that is there more than once
    """
    searched = {name: _SearchedText(0, body) for name, body in texts.items()}
    return tuple(tuple(_only_place(searched, quote) for quote in quotes) for quotes in quoted)


def _only_place(texts: Mapping[str, "_SearchedText"], quote: str) -> SourceSpan:
    occurrences = _occurrences_in(list(texts.values()), quote)
    if len(occurrences) == 1:
        [occurrence] = occurrences
        segment = next(name for name, text in texts.items() if text is occurrence.text)
        return SourceSpan(segment, occurrence.start_char, occurrence.end_char, "char")
    n = len(occurrences)
    reason = (
        several(
            "These words occur {n} time. Quote more, or give rationale_index.",
            "These words occur {n} times. Quote more, or give rationale_index.",
            n,
        )
        if n
        else _("These words aren't in the text. Quote exactly, or give rationale_index.")
    )
    raise QuoteNotPlaced(reason, quote=_shortened(quote))


def _places_in(texts: Sequence["_SearchedText"], quote: str) -> list[Range]:
    """The tokens of every occurrence."""
    return [
        (occurrence.text.first_token + occurrence.tokens[0], occurrence.text.first_token + occurrence.tokens[1])
        for occurrence in _occurrences_in(texts, quote)
    ]


def _occurrences_in(texts: Sequence["_SearchedText"], quote: str) -> list["_Occurrence"]:
    """Those that cut no token, else those that do; exact ones alone where there is one."""
    cutting: list[_Occurrence] = []
    for is_folded, wanted in ((False, quote.strip()), (True, _folded(quote.strip())[0])):
        whole: list[_Occurrence] = []
        of_cut: list[_Occurrence] = []
        for text in texts:
            for start, end in text.occurrences(wanted, is_folded=is_folded):
                tokens = tokens_overlapping(text.body, start, end)
                if tokens is not None:
                    (whole if text.are_borders(tokens, start, end) else of_cut).append(
                        _Occurrence(text, start, end, tokens)
                    )
        if whole:
            return whole
        cutting = cutting or of_cut
    return cutting


class _Occurrence(NamedTuple):
    """Where a quote stands in a text. tokens: those that it touches, numbered in the text."""

    text: "_SearchedText"
    start_char: int
    end_char: int
    tokens: Range


@dataclass(frozen=True)
class _SearchedText:
    """A text in which quotes are looked for; first_token: where its tokens begin in the instance."""

    first_token: int
    body: TokenizedText

    @cached_property
    def folded(self) -> tuple[str, list[int]]:
        return _folded(self.body.text)

    def occurrences(self, wanted: str, *, is_folded: bool) -> Iterator[Range]:
        """The characters of each occurrence, from left to right, none over another; is_folded: of what was folded."""
        if not is_folded:
            yield from _all_of(wanted, self.body.text)
            return
        text, places = self.folded
        for start, end in _all_of(wanted, text):
            yield places[start], places[end - 1] + 1

    def are_borders(self, tokens: Range, start: int, end: int) -> bool:
        """Whether no token is cut by a range of characters that touches these."""
        return self.body.starts[tokens[0]] >= start and self.body.ends[tokens[1] - 1] <= end


def _all_of(wanted: str, text: str) -> Iterator[Range]:
    start = text.find(wanted) if wanted else -1
    while start >= 0:
        yield start, start + len(wanted)
        start = text.find(wanted, start + len(wanted))


def _folded(text: str) -> tuple[str, list[int]]:
    """A text without case, each stretch of white space as one blank; and from which character each of its characters is.

    >>> _folded("So  Good")
    ('so good', [0, 1, 2, 4, 5, 6, 7])
    """
    letters: list[str] = []
    places: list[int] = []
    for position, character in enumerate(text):
        folded = character.casefold()
        if character.isspace():
            folded = "" if letters and letters[-1] == " " else " "
        letters += folded
        places += [position] * len(folded)
    return "".join(letters), places


def _shortened(quote: str) -> str:
    return quote if len(quote) <= _LONGEST_KEPT else f"{quote[: _LONGEST_KEPT - 1]}…"
