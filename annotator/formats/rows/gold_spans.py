"""Where the spans of gold lie: in which segment, at which tokens and characters of it, and what they say."""

from dataclasses import dataclass

from annotator.domain.instances import Instance
from annotator.domain.texts import Span


@dataclass(frozen=True, slots=True)
class PlacedSpan:
    """A span by its segment: tokens numbered within it, characters of its text (code points); half open."""

    segment: str
    start_token: int
    end_token: int
    start_char: int
    end_char: int
    text: str


def placed_span(instance: Instance, span: Span) -> PlacedSpan:
    """Where a span of an instance lies; it must not run over the border of two segments."""
    segment = instance.layout.segment_at(span.start)
    body = instance.segment(segment.name).body
    start, end = span.start - segment.first_token, span.end - segment.first_token
    start_char, end_char = body.starts[start], body.ends[end - 1]
    return PlacedSpan(segment.name, start, end, start_char, end_char, body.text[start_char:end_char])
