"""Texts with tokens and sentences, rationale sets over them, and how an instance numbers tokens over several segments."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Literal

from annotator.domain.numbers import counted
from annotator.errors import InvalidAnnotation, InvalidValue
from annotator.language import _, unknown

# What help had to do with a set: none was given (free), it was given and not used, a proposed set was taken as it is or changed,
# or the set lay there when the work began. Not recorded: None.
HelpOrigin = Literal["free", "free-after-help", "accepted", "edited", "carried"]

_ENDS = " ,;:–—-"


def first_words(text: str, most: int = 80) -> str:
    r"""How a text begins, on one line of at most so many characters, cut between two words (without blanks: characters).

    >>> first_words("The soup\n was cold", 40), first_words("The soup was cold", 11), first_words("菜上得很慢，汤是冷的。", 4)
    ('The soup was cold', 'The soup…', '菜上得很…')
    """
    # White space may be long; what is read is bounded all the same.
    words = " ".join(text[: 4 * most + 1].split())
    if len(words) <= most:
        return words if len(text) <= 4 * most + 1 else f"{words}…"
    cut = words[: most + 1]
    whole = cut[: cut.rfind(" ")] if " " in cut[most // 2 :] else cut[:most]
    return f"{whole.rstrip(_ENDS)}…"


@dataclass(frozen=True, slots=True)
class TokenizedText:
    """A text, the character ranges of its tokens, and where its sentences begin.

    Shapes:  starts, ends int[n_tokens], code points, half open, in order, not overlapping (an empty token has start = end);
             sentence_starts int[n_sentences], token numbers, the first is 0; a sentence ends where the next begins
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    sentence_starts: tuple[int, ...]

    @property
    def n_tokens(self) -> int:
        return len(self.starts)

    def token(self, number: int) -> str:
        """The characters of one token."""
        return self.text[self.starts[number] : self.ends[number]]

    def tokens(self) -> list[str]:
        """The characters of every token, in order."""
        return [self.text[start:end] for start, end in zip(self.starts, self.ends, strict=True)]

    def has_tokens_of(self, other: "TokenizedText") -> bool:
        """Whether the tokens are the same; what stands between them may differ."""
        return self.tokens() == other.tokens()

    def gaps(self) -> tuple[tuple[str, ...], str]:
        """What stands before each token, and what follows the last one.

        >>> TokenizedText(" Ah , yes.", (1, 4, 6), (3, 5, 9), (0,)).gaps()
        ((' ', ' ', ' '), '.')
        """
        before = (self.text[end:start] for end, start in zip((0, *self.ends), self.starts, strict=False))
        return tuple(before), self.text[self.ends[-1] :] if self.ends else self.text

    def sentences(self) -> Iterator[tuple[int, int]]:
        """Each sentence as a half-open token range."""
        return pairwise((*self.sentence_starts, self.n_tokens))

    def sentence_of(self, token: int) -> int:
        """The number of the sentence that holds a token."""
        return bisect_right(self.sentence_starts, token) - 1

    def check(self) -> None:
        """Raise InvalidValue, naming the token, when the offsets do not describe the text."""
        previous_end = 0
        for number, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            if not previous_end <= start <= end <= len(self.text):
                raise InvalidValue(
                    _(
                        "Token {number} (characters {start} to {end}) must lie within {previous_end} to {n}, in order.",
                        number=number,
                        start=start,
                        end=end,
                        previous_end=previous_end,
                        n=len(self.text),
                    )
                )
            previous_end = end
        self._check_sentences()

    def _check_sentences(self) -> None:
        borders = (*self.sentence_starts, self.n_tokens)
        if borders[0] != 0 or any(not a < b for a, b in pairwise(borders)):
            raise InvalidValue(_("Sentences must start at token 0, in order, within the text."))


@dataclass(frozen=True, slots=True)
class SegmentTokens:
    """One segment's place in its instance: tokens first_token .. first_token + n_tokens - 1."""

    name: str
    is_selectable: bool
    first_token: int
    n_tokens: int

    @property
    def end_token(self) -> int:
        return self.first_token + self.n_tokens


@dataclass(frozen=True)
class TokenLayout:
    """How an instance's tokens are numbered: through its segments, selectable ones first."""

    segments: tuple[SegmentTokens, ...]

    @staticmethod
    def of(segments: Sequence[tuple[str, bool, int]]) -> "TokenLayout":
        """Lay out (name, is selectable, number of tokens), given in numbering order."""
        placed, first = [], 0
        for name, is_selectable, n_tokens in segments:
            placed.append(SegmentTokens(name, is_selectable, first, n_tokens))
            first += n_tokens
        return TokenLayout(tuple(placed))

    @cached_property
    def n_tokens(self) -> int:
        return self.segments[-1].end_token if self.segments else 0

    @cached_property
    def n_selectable(self) -> int:
        return sum(s.n_tokens for s in self.segments if s.is_selectable)

    def segment(self, name: str) -> SegmentTokens:
        """The segment of that name; raises InvalidValue naming those there are."""
        for segment in self.segments:
            if segment.name == name:
                return segment
        known = ", ".join(s.name for s in self.segments)
        raise InvalidValue(unknown(_("segment"), name, known))

    def segment_at(self, token_index: int) -> SegmentTokens:
        """The segment that holds a token index; raises InvalidValue when there is no such token."""
        for segment in self.segments:
            if segment.first_token <= token_index < segment.end_token:
                return segment
        raise InvalidValue(
            _(
                "The instance has no token {token_index} ({n_tokens}, from 0).",
                token_index=token_index,
                n_tokens=self.n_tokens,
            )
        )


# Rationale sets: what alone supports a result.


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Tokens start <= i < end of an instance."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise InvalidAnnotation(_("Span from token {start} to {end} is empty.", start=self.start, end=self.end))


@dataclass(frozen=True, slots=True)
class RationaleSet:
    """An ordered list of spans; its token indices are their union. The spans are kept as given, since ERASER scores spans.

    origin: how it came about, where that was recorded (domain/proposed_sets.py); equal sets may differ in it
    """

    spans: tuple[Span, ...]
    origin: "HelpOrigin | None" = field(default=None, compare=False)

    @staticmethod
    def of(*ranges: tuple[int, int]) -> "RationaleSet":
        """A set from (start, end) pairs."""
        return RationaleSet(tuple(Span(start, end) for start, end in ranges))

    @staticmethod
    def of_tokens(token_indices: Iterable[int]) -> "RationaleSet":
        """A set from token indices: neighbouring tokens become one span.

        >>> RationaleSet.of_tokens([7, 2, 3]).spans
        (Span(start=2, end=4), Span(start=7, end=8))
        """
        spans: list[tuple[int, int]] = []
        for index in sorted(set(token_indices)):
            if spans and spans[-1][1] == index:
                spans[-1] = (spans[-1][0], index + 1)
            else:
                spans.append((index, index + 1))
        return RationaleSet.of(*spans)

    @property
    def token_indices(self) -> tuple[int, ...]:
        """The union of the spans, sorted."""
        if len(self.spans) == 1:  # as most are
            return tuple(range(self.spans[0].start, self.spans[0].end))
        return tuple(sorted({i for span in self.spans for i in range(span.start, span.end)}))


def union_of_tokens(sets: Sequence[RationaleSet]) -> frozenset[int]:
    """The token indices that lie in any of the sets."""
    return frozenset(i for rationale_set in sets for span in rationale_set.spans for i in range(span.start, span.end))


def check_spans(sets: Sequence[RationaleSet], layout: TokenLayout) -> None:
    """Raise InvalidAnnotation, naming the set, for a span outside the instance or across two segments."""
    for number, rationale_set in enumerate(sets):
        for span in rationale_set.spans:
            if span.end > layout.n_tokens:
                raise InvalidAnnotation(
                    _(
                        "Set {number} marks token {end} of {tokens}, from 0.",
                        number=number + 1,
                        end=span.end - 1,
                        tokens=counted(layout.n_tokens, "token"),
                    ),
                    set_index=number,
                )
            if layout.segment_at(span.start) != layout.segment_at(span.end - 1):
                raise InvalidAnnotation(
                    _(
                        "Set {number}: tokens {start} to {end} cross segments. Split them.",
                        number=number + 1,
                        start=span.start,
                        end=span.end - 1,
                    ),
                    set_index=number,
                )


def set_letter(number: int) -> str:
    """The letter of a set on screens and in messages: A, B ... Z, AA, AB ...

    >>> [set_letter(n) for n in (0, 25, 26)]
    ['A', 'Z', 'AA']
    """
    letters = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
