"""Words of a list in the tokens of a text: whole tokens, phrases, any case, Chinese characters one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.texts import TokenizedText
from annotator.perturb.lexicon import find_words
from annotator.text.tokenise import tokenise


def found(words: list[str], text: str, language: str = "en") -> list[str]:
    body = tokenise(text, language)
    return [body.text[body.starts[start] : body.ends[end - 1]] for start, end in find_words(words, body)]


@pytest.mark.parametrize(
    ("words", "text", "language", "expected"),
    [
        (["superb"], "Superb acting, SUPERB cast", "en", ["Superb", "SUPERB"]),  # any case
        (["art"], "the best part", "en", []),  # no part of a token
        (["not bad", "bad"], "It was not bad, only badly lit", "en", ["not bad"]),  # the longest; no hit in another one
        (["bad", "not"], "not bad", "en", ["not", "bad"]),  # neighbours stay two
        (["don't"], "We don’t know, I don't care", "en", ["don't"]),  # over do|n't; another apostrophe is another word
        (["apart"], "a part of it, apart", "en", ["apart"]),  # a blank parts words
        (["a  part"], "a\npart", "en", ["a\npart"]),  # any white space is one blank
        (["good|better|best"], "better than good", "en", ["better", "good"]),  # forms of a word
        (["很热情", "干净"], "服务很热情，房间也干净。", "zh", ["很热情", "干净"]),  # over characters
        (["热情"], "热 情", "zh", ["热 情"]),  # a blank between characters parts nothing
        (["ＡＢＣ酒店"], "abc酒店很好", "zh", ["abc酒店"]),  # full width, case, mixed scripts
        (["straße"], "STRASSE", "de", ["STRASSE"]),  # case as Unicode folds it
        (["soup"], "", "en", []),  # nothing
    ],
)
def test_words_are_found_in_whole_tokens(words: list[str], text: str, language: str, expected: list[str]) -> None:
    assert found(words, text, language) == expected


@given(
    st.lists(st.text("ab c", min_size=1, max_size=4).filter(str.strip), max_size=5),
    st.lists(st.text("abc", min_size=1, max_size=2), max_size=9),
)
def test_what_is_found_is_what_a_search_at_every_place_finds(words: list[str], tokens: list[str]) -> None:
    starts = [sum(len(token) + 1 for token in tokens[:number]) for number in range(len(tokens))]
    ends = [start + len(token) for start, token in zip(starts, tokens, strict=True)]
    body = TokenizedText(" ".join(tokens), tuple(starts), tuple(ends), (0,) if tokens else ())
    phrases = {" ".join(word.split()) for word in words}
    marked = set()
    for start in range(len(tokens)):
        hits = [end for end in range(start + 1, len(tokens) + 1) if " ".join(tokens[start:end]) in phrases]
        marked |= set(range(start, max(hits))) if hits else set()
    spans = find_words(words, body)
    assert {token for start, end in spans for token in range(start, end)} == marked
    assert spans == sorted(spans)
