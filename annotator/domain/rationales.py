"""Rationale sets: what alone supports a result."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from annotator.domain.numbers import counted
from annotator.domain.texts import TokenLayout
from annotator.errors import InvalidAnnotation
from annotator.language import _


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Tokens start <= i < end of an instance."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise InvalidAnnotation(
                _(
                    "A span from token {start} to token {end} marks nothing; it needs 0 <= start < end.",
                    start=self.start,
                    end=self.end,
                )
            )


@dataclass(frozen=True, slots=True)
class RationaleSet:
    """An ordered list of spans; its token indices are their union. The spans are kept as given, since ERASER scores spans."""

    spans: tuple[Span, ...]

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
                        "Set {number} marks token {end}, but the instance has {tokens}, from 0.",
                        number=number + 1,
                        end=span.end - 1,
                        tokens=counted(layout.n_tokens, "token"),
                    ),
                    set_index=number,
                )
            if layout.segment_at(span.start) != layout.segment_at(span.end - 1):
                raise InvalidAnnotation(
                    _(
                        "Set {number} has a span (tokens {start} to {end}) that runs over the border of two "
                        "segments; split it in two.",
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
