"""Spans as files give them: in characters, in UTF-16, as quoted words; and the tokens of their instance."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.instances import Instance, Segment
from annotator.domain.sources import SourceAnnotation, SourceSpan
from annotator.domain.texts import RationaleSet, TokenizedText, TokenLayout
from annotator.errors import InvalidAnnotation, InvalidValue
from annotator.text.characters import direction, is_spaceless, utf16_offsets
from annotator.text.search import quotes_on_tokens
from annotator.text.source_spans import Marks, resolve_marks, tokens_overlapping
from annotator.text.tokenisation import tokenise

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
        (((SourceSpan("text", 2, 4),),), "Set 1: Tokens 2 to 4 aren't in segment 'text' (3 tokens, "),
        (((SourceSpan("", 2, 10),),), "Set 1: Tokens 2 to 10 aren't in the instance (9 tokens, "),
        (((SourceSpan("text", 0, 1),), (SourceSpan("text", 3, 99, "char"),)), "Set 2: Characters 3 to 99 aren't in segment 'text' (11 characters, "),
        (((SourceSpan("text", 4, 5, "char"),),), "Set 1: Characters 4 to 5 of 'text' are only white space."),
        (((SourceSpan("query", 0, 1),),), "Set 1 marks tokens of 'query', which can't be marked."),
        # What is nowhere is told before what may not be marked, though that comes first.
        (((SourceSpan("query", 0, 1),), (SourceSpan("text", 2, 4),)), "Set 2: Tokens 2 to 4 aren't in segment 'text' (3 tokens, "),
    ],
)  # fmt: skip
def test_a_span_that_the_instance_does_not_have_is_refused_by_its_set(
    sets: tuple[tuple[SourceSpan, ...], ...], message: str
) -> None:
    with pytest.raises(InvalidAnnotation, match=f"^{re.escape(message)}"):
        marks(*sets)


def test_a_segment_that_the_instance_does_not_have_is_refused_with_those_it_has() -> None:
    with pytest.raises(InvalidValue, match=r"Unknown segment 'choices'\. Available: text, title, query\."):
        marks((SourceSpan("choices", 0, 1),))


# Character spans to tokens, offsets in UTF-16, and what a language code says.

ONE_BODY = TokenizedText("one two, three", (0, 4, 7, 9), (3, 7, 8, 14), (0,))


@pytest.mark.parametrize(
    ("start_char", "end_char", "tokens"),
    [
        (0, 3, (0, 1)),  # one token
        (4, 8, (1, 3)),  # two that touch
        (1, 2, (0, 1)),  # inside a token
        (0, 14, (0, 4)),  # everything
        (3, 4, None),  # white space
        (3, 5, (1, 2)),  # white space and a first character
        (5, 10, (1, 4)),
        (4, 4, None),  # nothing
        (5, 5, None),  # nothing, inside a token
        (14, 14, None),  # the end
    ],
)
def test_characters_touch_tokens(start_char, end_char, tokens):
    assert tokens_overlapping(ONE_BODY, start_char, end_char) == tokens


@pytest.mark.parametrize(("start_char", "end_char"), [(-1, 2), (3, 2), (0, 15)])
def test_a_range_that_is_not_in_the_text_is_refused(start_char, end_char):
    with pytest.raises(InvalidValue, match=r"aren't in the text \(14 characters"):
        tokens_overlapping(ONE_BODY, start_char, end_char)


def test_empty_tokens_are_touched_by_nothing():
    body = TokenizedText("a  b", (0, 2, 3), (1, 2, 4), (0,))  # ERASER's docs.jsonl
    assert tokens_overlapping(body, 1, 3) is None
    assert tokens_overlapping(body, 0, 3) == (0, 1)
    assert tokens_overlapping(body, 1, 4) == (2, 3)
    assert tokens_overlapping(body, 0, 4) == (0, 3)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_utf16_offsets_count_the_units_before_them(text):
    expected = [len(text[:offset].encode("utf-16-le")) // 2 for offset in range(len(text) + 1)]
    assert utf16_offsets(text, range(len(text) + 1)) == expected


def test_utf16_offsets_outside_the_text_are_refused():
    assert utf16_offsets("", []) == []
    with pytest.raises(InvalidValue, match=r"Character offset 3 is outside the text \(2 characters"):
        utf16_offsets("ab", [0, 3])


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("en", "ltr"),
        ("ar", "rtl"),
        ("he-IL", "rtl"),
        ("fa", "rtl"),
        ("UR", "rtl"),
        ("az-Arab", "rtl"),  # the script decides
        ("uz_Cyrl", "ltr"),
        ("ur-Latn-PK", "ltr"),
        ("zh-words", "ltr"),
        ("xx", "ltr"),
    ],
)
def test_direction(language, expected):
    assert direction(language) == expected


@pytest.mark.parametrize(
    ("language", "expected"),
    [("zh", True), ("zh-Hant-TW", True), ("ja", True), ("th", True), ("ko", False), ("en", False)],
)
def test_languages_without_blanks(language, expected):
    assert is_spaceless(language) is expected


# What models quote, found in the texts of an instance.


def instance(*texts: str, asked: str = "") -> Instance:
    segments = [Segment(f"text{n}", True, tokenise(text, "en")) for n, text in enumerate(texts, 1)]
    segments += [Segment("question", False, tokenise(asked, "en"))] if asked else []
    return Instance(1, "k", "", "en", tuple(segments), None)


def words(rationale, of: Instance) -> list[str]:
    return [" ".join(of.token(token) for token in range(start, end)) for start, end in rationale.spans]


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("soup was", "The soup was cold.", ["soup was"]),
        (" soup was ", "The soup was cold.", ["soup was"]),  # blanks around it belong to nothing
        ("SOUP  was", "The soup\n was cold.", ["soup was"]),  # case and white space are folded
        ("Soup", "Soup, soup and SOUP", ["Soup"]),  # as it stands goes before what is folded
        ("soup", "soup and soup", ["soup", "soup"]),  # every occurrence
        ("art", "An art party", ["art"]),  # whole tokens go before cut ones
        ("art", "A party", ["party"]),  # where there is nothing else, a cut token is taken whole
        ("art", "Art at a party", ["Art"]),  # ... and a whole one in other case before a cut one as it stands
        ("STRASSE", "Die Straße war leer", ["Straße"]),  # folding may change the length
        ("soup is", "The soup was cold.", []),
        ("...", "Cold soup", []),
        ("   ", "Cold soup", []),
    ],
)
def test_a_quote_is_laid_on_the_tokens_of_its_occurrences(quote, text, found):
    of = instance(text)
    rationale = quotes_on_tokens([quote], of)
    assert words(rationale, of) == found
    assert rationale.quotes is not None
    assert rationale.quotes.n_missing == (not found)


def test_quotes_of_a_pair_are_found_in_both_texts_and_not_in_what_cannot_be_marked():
    of = instance("A man sleeps.", "A man is awake.", asked="Is the man tall?")
    rationale = quotes_on_tokens(["man", "tall"], of)
    assert words(rationale, of) == ["man", "man"]
    assert (rationale.quotes.n, rationale.quotes.missing) == (2, ("tall",))


def test_missing_quotes_are_all_counted_and_the_first_are_kept_cut():
    rationale = quotes_on_tokens(["x" * 1000, *(f"nowhere {n}" for n in range(50))], instance("Cold soup"))
    assert (rationale.quotes.n, rationale.quotes.n_missing, len(rationale.quotes.missing)) == (51, 51, 20)
    assert len(rationale.quotes.missing[0]) == 300
