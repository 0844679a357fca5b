"""Finding what a model quotes in the texts of an instance: as it stands there, else whatever its case and white space.

A quote says nothing of where it stands, so every occurrence counts. Those that begin and end with a token go before those that
cut one, which take it whole: “art” is found in “an art” and not in “a party”, and in “a party” where there is nothing else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from annotator.domain.instances import Instance
from annotator.domain.models import MachineRationale, Quotes
from annotator.domain.texts import TokenizedText
from annotator.text.spans import tokens_overlapping

_MISSING_KEPT = 20
_LONGEST_KEPT = 300

Range = tuple[int, int]


def quotes_on_tokens(quotes: Sequence[str], instance: Instance) -> MachineRationale:
    """What is quoted as a hard rationale: the tokens of each quote, in all texts that can be marked.

    A quote that touches no token of any of them is missing; so is one of a text that cannot be marked.
    """
    texts = [
        _SearchedText(instance.layout.segment(segment.name).first_token, segment.body)
        for segment in instance.segments
        if segment.is_selectable
    ]
    spans: set[Range] = set()
    missing: list[str] = []
    for quote in quotes:
        of_quote = _places_in(texts, quote)
        spans.update(of_quote)
        if not of_quote:
            missing.append(quote)
    return MachineRationale(
        "hard",
        tuple(sorted(spans)),
        quotes=Quotes(len(quotes), len(missing), tuple(map(_shortened, missing[:_MISSING_KEPT]))),
    )


def _places_in(texts: Sequence["_SearchedText"], quote: str) -> list[Range]:
    """The tokens of every occurrence: of those that cut no token, else of those that do; exact ones alone where there is one."""
    cutting: list[Range] = []
    for is_folded, wanted in ((False, quote.strip()), (True, _folded(quote.strip())[0])):
        whole: list[Range] = []
        of_cut: list[Range] = []
        for text in texts:
            for start, end in text.occurrences(wanted, is_folded=is_folded):
                tokens = tokens_overlapping(text.body, start, end)
                if tokens is not None:
                    token_range = (text.first_token + tokens[0], text.first_token + tokens[1])
                    (whole if text.are_borders(tokens, start, end) else of_cut).append(token_range)
        if whole:
            return whole
        cutting = cutting or of_cut
    return cutting


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
