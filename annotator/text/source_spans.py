"""From what a file says to what is stored: spans of segments become instance token indices."""

from collections.abc import Callable, Mapping, Sequence

from annotator.domain.numbers import counted
from annotator.domain.rationales import RationaleSet, Span, check_spans
from annotator.domain.sources import SourceAnnotation, SourceSpan
from annotator.domain.texts import TokenizedText, TokenLayout
from annotator.errors import InvalidAnnotation
from annotator.text.spans import tokens_overlapping

ReadBody = Callable[[str], TokenizedText]


def resolve_spans(span: SourceSpan, layout: TokenLayout, body_of: ReadBody) -> list[Span]:
    """A span in instance token indices; one without a segment counts through the instance and is cut at segments' ends."""
    if span.segment:
        return [resolve_span(span, layout, body_of)]
    if not 0 <= span.start < span.end <= layout.n_tokens:
        raise InvalidAnnotation(
            f"Tokens {span.start} to {span.end} are not in the instance, which has {counted(layout.n_tokens, 'token')}, from 0; "
            "the end is exclusive."
        )
    overlaps = ((max(span.start, s.first_token), min(span.end, s.end_token)) for s in layout.segments)
    return [Span(start, end) for start, end in overlaps if start < end]


def resolve_span(span: SourceSpan, layout: TokenLayout, body_of: ReadBody) -> Span:
    """A segment's span in instance token indices; raises InvalidAnnotation saying what does not fit."""
    segment = layout.segment(span.segment)
    if span.unit == "char":
        tokens = _tokens_of_characters(span, body_of(span.segment))
    else:
        tokens = (span.start, span.end)
        if not 0 <= span.start < span.end <= segment.n_tokens:
            raise InvalidAnnotation(
                f"Tokens {span.start} to {span.end} are not in segment '{span.segment}', which has "
                f"{counted(segment.n_tokens, 'token')}, "
                "from 0; the end is exclusive."
            )
    return Span(segment.first_token + tokens[0], segment.first_token + tokens[1])


def _tokens_of_characters(span: SourceSpan, body: TokenizedText) -> tuple[int, int]:
    if not 0 <= span.start < span.end <= len(body.text):
        raise InvalidAnnotation(
            f"Characters {span.start} to {span.end} are not in segment '{span.segment}', which has "
            f"{counted(len(body.text), 'character')}, from 0; the end is exclusive."
        )
    tokens = tokens_overlapping(body, span.start, span.end)
    if tokens is None:
        raise InvalidAnnotation(
            f"Characters {span.start} to {span.end} of segment '{span.segment}' touch no token (white space only)."
        )
    return tokens


def widening_report(span: SourceSpan, body: TokenizedText) -> str:
    """What a span of characters became, where it begins or ends within a token; "" where it did not grow."""
    first, last = _tokens_of_characters(span, body)
    start, end = body.starts[first], body.ends[last - 1]
    if start >= span.start and end <= span.end:
        return ""
    return f"“{_shortened(body.text[span.start : span.end])}” became “{_shortened(body.text[start:end])}”"


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:20]}…{text[-19:]}"


def resolve_sets(annotation: SourceAnnotation, layout: TokenLayout, body_of: ReadBody) -> tuple[RationaleSet, ...]:
    """An annotation's sets in instance token indices; raises InvalidAnnotation naming the set."""
    sets = []
    for number, spans in enumerate(annotation.sets):
        try:
            resolved = [part for span in spans for part in resolve_spans(span, layout, body_of)]
            sets.append(RationaleSet(tuple(resolved)))
        except InvalidAnnotation as error:
            raise InvalidAnnotation(f"Set {number + 1}: {error}", set_index=number) from error
    check_spans(sets, layout)
    _check_selectable(sets, layout)
    return tuple(sets)


def _check_selectable(sets: Sequence[RationaleSet], layout: TokenLayout) -> None:
    for number, rationale_set in enumerate(sets):
        for span in rationale_set.spans:
            segment = layout.segment_at(span.start)
            if not segment.is_selectable:
                raise InvalidAnnotation(
                    f"Set {number + 1} marks tokens of '{segment.name}', which cannot be marked in this task.",
                    set_index=number,
                )


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


def no_body(segment: str) -> TokenizedText:
    """For spans that can only be given in tokens."""
    raise InvalidAnnotation(f"Spans of '{segment}' must be given in tokens here, not in characters.")
