"""Word lists in texts: whole tokens, in any case, the longest phrase first; the complement is exactly the rest."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.suites import WordList
from annotator.perturb.lexicon import Lexicon, complement
from annotator.text.tokenisation import tokenise


def found(words, text, language="en"):
    body = tokenise(text, language)
    hits = Lexicon(WordList("list", language, "keep", tuple(words))).hits(body)
    return [(body.text[body.starts[h.start_token] : body.ends[h.end_token - 1]], h.word) for h in hits]


@pytest.mark.parametrize(
    ("words", "text", "expected"),
    [
        (["good"], "Good goods, good!", [("Good", "good"), ("good", "good")]),  # no part of a word
        (["not", "not good"], "not good, not bad", [("not good", "not good"), ("not", "not")]),
        (["not good at all"], "not good at most", []),
        (["don't"], "I don't", [("don't", "don't")]),  # two tokens to spaCy
        (["big|large"], "a large one", [("large", "large")]),  # any form
        (["good good"], "good good good good", [("good good", "good good")] * 2),  # none over another
    ],
)
def test_words_are_found_as_whole_tokens(words, text, expected) -> None:
    assert found(words, text) == expected


def test_chinese_words_are_runs_of_characters() -> None:
    assert found(["好吃", "不好"], "这不好吃。真好吃！", "zh") == [("不好", "不好"), ("好吃", "好吃")]  # from the left


@given(st.lists(st.sampled_from(["a", "b", "ab", "c d"]), min_size=1), st.text("abcd ", max_size=30))
def test_hits_and_complement_part_the_text(words, text) -> None:
    body = tokenise(text, "en")
    hits = Lexicon(WordList("list", "en", "ignore", tuple(dict.fromkeys(words)))).hits(body)
    rest = complement(hits, body.n_tokens)
    covered = [t for h in hits for t in range(h.start_token, h.end_token)] + [t for r in rest for t in range(*r)]
    assert sorted(covered) == list(range(body.n_tokens))
