"""Spans as files give them, in the tokens of their instance."""

import pytest

from annotator.domain.sources import SourceAnnotation, SourceSpan
from annotator.domain.texts import RationaleSet, TokenizedText, TokenLayout
from annotator.errors import InvalidAnnotation, InvalidValue
from annotator.text.source_spans import Marks, resolve_marks

BODY = TokenizedText("Good food .", (0, 5, 10), (4, 9, 11), (0,))
LAYOUT = TokenLayout.of([("text", True, 3), ("title", True, 3), ("query", False, 3)])


def marks(*sets: tuple[SourceSpan, ...], target: SourceSpan | None = None) -> Marks:
    annotation = SourceAnnotation("ada", None, sets)
    return resolve_marks(target, [annotation], LAYOUT, {"text": BODY, "title": BODY, "query": BODY}.__getitem__)


def test_tokens_of_a_segment_are_numbered_through_the_instance() -> None:
    made = marks((SourceSpan("title", 0, 2),), target=SourceSpan("query", 1, 3))
    assert made == Marks((7, 9), ((RationaleSet.of((3, 5)),),), 0, ())


def test_a_span_without_a_segment_is_cut_where_segments_end() -> None:
    assert marks((SourceSpan("", 2, 5),)).sets == ((RationaleSet.of((2, 3), (3, 5)),),)


def test_characters_are_counted_and_those_that_end_within_a_token_are_told_in_order() -> None:
    made = marks(
        (SourceSpan("text", 0, 4, "char"), SourceSpan("title", 6, 9, "char")), target=SourceSpan("query", 0, 2, "char")
    )
    assert made.sets == ((RationaleSet.of((0, 1), (4, 5)),),)
    assert made.target == (6, 7)
    assert (made.n_character_spans, made.widened) == (3, ("“Go” became “Good”", "“ood” became “food”"))


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (((SourceSpan("text", 2, 4),),), "Set 1: Tokens 2 to 4 are not in segment 'text', which has 3 tokens"),
        (((SourceSpan("", 2, 10),),), "Set 1: Tokens 2 to 10 are not in the instance, which has 9 tokens"),
        (((SourceSpan("text", 0, 1),), (SourceSpan("text", 3, 99, "char"),)), "Set 2: Characters 3 to 99 are not in"),
        (((SourceSpan("text", 4, 5, "char"),),), "Set 1: Characters 4 to 5 of segment 'text' touch no token"),
        (((SourceSpan("query", 0, 1),),), "Set 1 marks tokens of 'query', which cannot be marked"),
        # What is nowhere is told before what may not be marked, though that comes first.
        (((SourceSpan("query", 0, 1),), (SourceSpan("text", 2, 4),)), "Set 2: Tokens 2 to 4 are not in segment 'text'"),
    ],
)  # fmt: skip
def test_a_span_that_the_instance_does_not_have_is_refused_by_its_set(
    sets: tuple[tuple[SourceSpan, ...], ...], message: str
) -> None:
    with pytest.raises(InvalidAnnotation, match=f"^{message}"):
        marks(*sets)


def test_a_segment_that_the_instance_does_not_have_is_refused_with_those_it_has() -> None:
    with pytest.raises(InvalidValue, match=r"no segment 'choices' \(it has text, title, query\)"):
        marks((SourceSpan("choices", 0, 1),))
