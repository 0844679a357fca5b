"""A source's own tokens in its text, and ERASER's two layouts."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.errors import InvalidValue
from annotator.text.alignment import (
    TokenMismatch,
    align_tokens,
    eraser_docs_folder,
    eraser_docs_jsonl,
    split_on_spaces,
    text_from_tokens,
)

SHARED_DATA = next(
    (p / "shared" / "data" for p in Path(__file__).resolve().parents if (p / "shared" / "data").is_dir()), None
)
ERASER_EXAMPLE = "t0  t1 t2\n\n   \n t3 t4 \nt5\tt5b\n"  # reference/eraser.md 1.1
BLANKS = " \t\n\r\u00a0\u2028\x0c\u3000"
DOCUMENTS = st.text(st.sampled_from("ab" + BLANKS), max_size=30)


@pytest.mark.parametrize(
    ("text", "tokens", "starts"),
    [
        ("", [], ()),
        ("  ", [], ()),  # white space alone is covered by no token
        ("a b", ["a", "b"], (0, 2)),
        ("ab", ["a", "b"], (0, 1)),  # nothing between
        ("the the", ["the", "the"], (0, 4)),  # repeats in order
        ("]  她", ["]", " ", " ", "她"], (0, 1, 2, 3)),  # the benchmark's blank tokens
        ("a \u3000b", ["a", "\u3000", "b"], (0, 2, 3)),  # an ideographic blank behind another
        ("a   b", ["a", " ", "b"], (0, 1, 4)),  # joined by blanks
        ("a  b", ["a", "", "b"], (0, 1, 3)),  # an empty token stands where the one before ended
        ("a  b", ["a", " b"], (0, 2)),  # a token with its blank before it
        ("a b c", ["a b", "c"], (0, 4)),  # a token with a blank inside
        ("a b ", ["a", "b "], (0, 2)),  # a token with its blank behind it
        ("\x00 \u200f", ["\x00", "\u200f"], (0, 2)),
    ],
)
def test_tokens_are_found_in_order(text, tokens, starts):
    body = align_tokens(text, tokens)
    assert body.starts == starts
    assert body.tokens() == tokens


@pytest.mark.parametrize(
    ("text", "tokens", "message", "token_index"),
    [
        ("one bar two", ["one", "foo"], r"Token 1 'foo' isn't in the text at character 4, where 'bar two' is\.", 1),
        ("a x b", ["a", "b"], r"Token 1 'b' isn't in the text at character 2, where 'x b' is\.", 1),  # no search ahead
        ("a", ["a", "b"], r"Token 1 'b' isn't in the text at character 1, where the text ends\.", 1),
        ("a b c", ["a", "b"], "end at character 3, before 'c' at", 2),
        ("ab", ["a", " ", "b"], r"Token 1 ' ' isn't in the text at character 1, where 'b' is\.", 1),
        ("a", [], r"The 0 tokens end at character 0, before 'a' at 0\.", 0),
        ("“a”", ["``", "a", "''"], r"Token 0 '``'", 0),  # a tokeniser that changed the quotes
    ],
)
def test_a_mismatch_names_token_and_place(text, tokens, message, token_index):
    with pytest.raises(TokenMismatch, match=message) as refused:
        align_tokens(text, tokens)
    assert refused.value.token_index == token_index


def test_sentence_starts_of_the_source_are_kept_and_checked():
    assert align_tokens("a. b", ["a.", "b"], [0, 1]).sentence_starts == (0, 1)
    with pytest.raises(InvalidValue, match=r"Sentences must start at token 0, in order, within the text\."):
        align_tokens("a b", ["a", "b"], [0, 2])


def test_a_lone_surrogate_is_refused():
    with pytest.raises(InvalidValue, match=r"U\+D800"):
        align_tokens("\ud800", ["\ud800"])


@given(
    st.lists(st.one_of(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from([" ", "", "\u3000"]))),
    st.data(),
)
def test_tokens_joined_to_a_text_are_found_again(tokens, data):
    language = data.draw(st.sampled_from(["en", "zh"]))
    if language == "en":
        tokens = [token for token in tokens if token == token.strip()]
    text = text_from_tokens(tokens, language)
    body = align_tokens(text, tokens)
    assert body.tokens() == tokens
    body.check()


def test_many_blank_tokens_that_are_not_there_are_refused_soon():
    with pytest.raises(TokenMismatch):
        align_tokens(" " * 1_000_000, [" " * 500_000 + "\u3000"])


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_split_on_spaces_gives_the_tokens_of_split(text):
    assert split_on_spaces(text).tokens() == text.split()


def lengths(body):
    return [end - start for start, end in body.sentences()]


def test_the_two_layouts_of_eraser_number_one_text_differently():
    assert lengths(eraser_docs_folder(ERASER_EXAMPLE)) == [3, 2, 1]
    assert lengths(eraser_docs_jsonl(ERASER_EXAMPLE)) == [4, 1, 1, 2, 1, 1]
    assert eraser_docs_folder(ERASER_EXAMPLE).text == ERASER_EXAMPLE


def reference_folder(text):
    lines = [line.strip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
    return [[t for t in line.split(" ") if t] for line in lines if line]


def reference_jsonl(text):
    return [line.strip().split(" ") for line in text.split("\n")]


@given(DOCUMENTS)
def test_eraser_documents_have_the_references_tokens(text):
    for layout, reference in ((eraser_docs_folder, reference_folder), (eraser_docs_jsonl, reference_jsonl)):
        body = layout(text)
        body.check()
        tokens = body.tokens()
        assert [tokens[start:end] for start, end in body.sentences()] == reference(text)


@pytest.mark.data
@pytest.mark.skipif(SHARED_DATA is None, reason="../shared/data is not there")
def test_the_benchmarks_real_tokens_align():
    rows = (SHARED_DATA / "dutrust_samples" / "canonical.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 240
    for row in map(json.loads, rows):
        texts = {name: field["text"] for name, field in row["fields"].items()}
        for name, field in row["fields"].items():
            if "tokens" in field:
                text = texts[name] + (texts.get("title", "") if name == "context" else "")  # its tokens: passage, title
                assert align_tokens(text, field["tokens"]).tokens() == field["tokens"], row["id"]
