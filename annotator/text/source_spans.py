"""From what a file says to what is stored: spans of segments become instance token indices."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotator.domain.instances import Draft
from annotator.domain.numbers import counted
from annotator.domain.sources import SourceAnnotation, SourceSpan, SourceWork
from annotator.domain.texts import RationaleSet, SegmentTokens, Span, TokenizedText, TokenLayout, check_spans
from annotator.errors import InvalidAnnotation, InvalidValue
from annotator.language import _

# From a source's character spans to tokens.


def tokens_overlapping(body: TokenizedText, start_char: int, end_char: int) -> tuple[int, int] | None:
    """The half-open range of the tokens that characters start_char to end_char (exclusive) touch.

    Undefined: None when they touch no token: an empty range, or white space between tokens
    Raises:    InvalidValue if the range is reversed or does not lie in the text
    """
    if not 0 <= start_char <= end_char <= len(body.text):
        raise InvalidValue(
            _(
                "Characters {start_char} to {end_char} aren't in the text ({characters}).",
                start_char=start_char,
                end_char=end_char,
                characters=counted(len(body.text), "character"),
            )
        )
    first = bisect_right(body.ends, start_char)
    last = bisect_left(body.starts, end_char)
    while first < last and body.starts[first] == body.ends[first]:
        first += 1
    while first < last and body.starts[last - 1] == body.ends[last - 1]:
        last -= 1
    return (first, last) if start_char < end_char and first < last else None


ReadBody = Callable[[str], TokenizedText]


@dataclass(frozen=True, slots=True)
class Marks:
    """What an instance's spans are in its token indices, with nothing in them that it does not have.

    sets:    of each annotation
    widened: what became of those of the spans of characters that begin or end within a token
    """

    target: tuple[int, int] | None
    sets: tuple[tuple[RationaleSet, ...], ...]
    n_character_spans: int
    widened: tuple[str, ...]


class _Resolved(NamedTuple):
    """A span in instance token indices, a part for each segment that it is in. widening: None where it is of tokens."""

    parts: list[tuple[Span, SegmentTokens]]
    widening: str | None = None


def resolve_marks(
    target: SourceSpan | None, annotations: Iterable[SourceAnnotation], layout: TokenLayout, body_of: ReadBody
) -> Marks:
    """The target and the sets of an instance; raises InvalidValue for the first span that does not fit."""
    of_target = [] if target is None else [_resolved(target, layout, body_of)]
    of_sets = [_resolved_sets(annotation, layout, body_of) for annotation in annotations]
    spans = [*of_target, *(span for sets in of_sets for of_set in sets for span in of_set)]
    widenings = [span.widening for span in spans if span.widening is not None]
    return Marks(
        target=next(((part.start, part.end) for span in of_target for part, _ in span.parts), None),
        sets=tuple(_as_rationale_sets(sets) for sets in of_sets),
        n_character_spans=len(widenings),
        widened=tuple(widening for widening in widenings if widening),
    )


def resolve_sets(annotation: SourceAnnotation, layout: TokenLayout, body_of: ReadBody) -> tuple[RationaleSet, ...]:
    """An annotation's sets in instance token indices; raises InvalidAnnotation naming the set."""
    return _as_rationale_sets(_resolved_sets(annotation, layout, body_of))


def resolve_draft(work: SourceWork, layout: TokenLayout) -> Draft:
    """The draft of a piece of work, whose spans are given in tokens; raises InvalidAnnotation naming the set."""
    draft = work.draft
    sets = resolve_sets(draft, layout, _no_body)
    check_spans([RationaleSet.of(*proposed.spans) for proposed in work.proposed], layout)
    return Draft(draft.result, sets, draft.note, work.no_rationale, origins=work.origins, unlocked=work.unlocked)


def _as_rationale_sets(sets: Iterable[Iterable[_Resolved]]) -> tuple[RationaleSet, ...]:
    return tuple(RationaleSet(tuple(part for span in spans for part, _ in span.parts)) for spans in sets)


def _resolved_sets(annotation: SourceAnnotation, layout: TokenLayout, body_of: ReadBody) -> list[list[_Resolved]]:
    sets = []
    for number, spans in enumerate(annotation.sets):
        try:
            sets.append([_resolved(span, layout, body_of) for span in spans])
        except InvalidAnnotation as error:
            raise InvalidAnnotation(
                _("Set {number}: {error}", number=number + 1, error=error), set_index=number
            ) from error
    for number, resolved in enumerate(sets):
        for segment in (segment for span in resolved for _place, segment in span.parts if not segment.is_selectable):
            raise InvalidAnnotation(
                _(
                    "Set {number} marks tokens of '{name}', which can't be marked.",
                    number=number + 1,
                    name=segment.name,
                ),
                set_index=number,
            )
    return sets


def _resolved(span: SourceSpan, layout: TokenLayout, body_of: ReadBody) -> _Resolved:
    """A span in instance token indices; raises InvalidAnnotation saying what does not fit."""
    if not span.segment:
        return _through_segments(span, layout)
    segment = layout.segment(span.segment)
    if span.unit == "char":
        return _of_characters(span, segment, body_of(span.segment))
    if not 0 <= span.start < span.end <= segment.n_tokens:
        raise InvalidAnnotation(
            _(
                "Tokens {start} to {end} aren't in segment '{segment}' ({tokens}, from 0, end exclusive).",
                start=span.start,
                end=span.end,
                segment=span.segment,
                tokens=counted(segment.n_tokens, "token"),
            )
        )
    return _Resolved([(Span(segment.first_token + span.start, segment.first_token + span.end), segment)])


def _through_segments(span: SourceSpan, layout: TokenLayout) -> _Resolved:
    """One without a segment counts through the instance and is cut at segments' ends."""
    if not 0 <= span.start < span.end <= layout.n_tokens:
        raise InvalidAnnotation(
            _(
                "Tokens {start} to {end} aren't in the instance ({tokens}, from 0, end exclusive).",
                start=span.start,
                end=span.end,
                tokens=counted(layout.n_tokens, "token"),
            )
        )
    overlaps = ((max(span.start, s.first_token), min(span.end, s.end_token), s) for s in layout.segments)
    return _Resolved([(Span(start, end), segment) for start, end, segment in overlaps if start < end])


def _of_characters(span: SourceSpan, segment: SegmentTokens, body: TokenizedText) -> _Resolved:
    """Every token that the characters touch."""
    if not 0 <= span.start < span.end <= len(body.text):
        raise InvalidAnnotation(
            _(
                "Characters {start} to {end} aren't in segment '{segment}' ({characters}, from 0, end exclusive).",
                start=span.start,
                end=span.end,
                segment=span.segment,
                characters=counted(len(body.text), "character"),
            )
        )
    tokens = tokens_overlapping(body, span.start, span.end)
    if tokens is None:
        raise InvalidAnnotation(
            _(
                "Characters {start} to {end} of '{segment}' are only white space.",
                start=span.start,
                end=span.end,
                segment=span.segment,
            )
        )
    first, end = tokens
    marked = Span(segment.first_token + first, segment.first_token + end)
    return _Resolved([(marked, segment)], _widening(span, body, body.starts[first], body.ends[end - 1]))


def _widening(span: SourceSpan, body: TokenizedText, start: int, end: int) -> str:
    """What a span of characters became, where it begins or ends within a token; "" where it did not grow."""
    if start >= span.start and end <= span.end:
        return ""
    return _(
        "“{before}” became “{after}”",
        before=_shortened(body.text[span.start : span.end]),
        after=_shortened(body.text[start:end]),
    )


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:20]}…{text[-19:]}"


def to_source_sets(sets: Sequence[RationaleSet], layout: TokenLayout) -> tuple[tuple[SourceSpan, ...], ...]:
    """The inverse of resolve_sets: spans by segment and token within it."""
    return tuple(tuple(to_source_span(span.start, span.end, layout) for span in s.spans) for s in sets)


def to_source_span(start: int, end: int, layout: TokenLayout) -> SourceSpan:
    """A range of instance tokens as a segment's own range."""
    segment = layout.segment_at(start)
    return SourceSpan(segment.name, start - segment.first_token, end - segment.first_token)


def body_reader(bodies: Mapping[str, TokenizedText | Callable[[], TokenizedText]]) -> ReadBody:
    """Look up a segment's text, reading it only when it is needed."""

    def read(segment: str) -> TokenizedText:
        body = bodies[segment]
        return body if isinstance(body, TokenizedText) else body()

    return read


def _no_body(segment: str) -> TokenizedText:
    """For spans that can only be given in tokens."""
    raise InvalidAnnotation(_("Give spans of '{segment}' in tokens, not characters.", segment=segment))
