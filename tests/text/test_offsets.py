"""Character spans to tokens, offsets in UTF-16, and what a language code says."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.texts import TokenizedText
from annotator.errors import InvalidValue
from annotator.text.characters import direction, is_spaceless, utf16_offsets
from annotator.text.source_spans import tokens_overlapping

BODY = TokenizedText("one two, three", (0, 4, 7, 9), (3, 7, 8, 14), (0,))


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
    assert tokens_overlapping(BODY, start_char, end_char) == tokens


@pytest.mark.parametrize(("start_char", "end_char"), [(-1, 2), (3, 2), (0, 15)])
def test_a_range_that_is_not_in_the_text_is_refused(start_char, end_char):
    with pytest.raises(InvalidValue, match="no range of the text, which has 14 characters"):
        tokens_overlapping(BODY, start_char, end_char)


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
    with pytest.raises(InvalidValue, match="no character offset 3 in a text of 2"):
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
