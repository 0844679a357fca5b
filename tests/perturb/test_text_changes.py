"""Small changes: each changes something, leaves the rest alone, and is the same for the same seed; word lists in texts."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.perturbations import KINDS
from annotator.domain.suites import WordList
from annotator.errors import InvalidValue
from annotator.perturb.passage import Lexicon
from annotator.perturb.text_changes import CHANGES, find_change
from annotator.text.tokenisation import tokenise

LISTS = {"name": ["Ada", "Bo", "Mary Ann"], "phrase": ["Nice.", "Good."], "名": ["小明", "小红", "小李"]}
TEXTS = st.text(st.sampled_from("abcé '’.!?1245 手机。") | st.characters(codec="utf-8"), max_size=40)
EVERY = [*CHANGES, "swap:name", "add:phrase", "swap:名"]


@given(
    st.sampled_from(EVERY),
    TEXTS | st.sampled_from(["Ada isn't 10; it's 5, I don't.", "小明今天3岁"]),
    st.integers(0, 5),
)
def test_what_comes_out_differs_from_the_text_and_is_the_same_for_a_seed(name, text, seed) -> None:
    change = find_change(name, LISTS)
    changed = change(text, Random(seed))
    assert text not in changed
    assert len(set(changed)) == len(changed)
    assert changed == change(text, Random(seed))


@given(TEXTS, st.integers(1, 3), st.integers(0, 5))
def test_typos_only_swap_letters(text, n, seed) -> None:
    for changed in find_change({1: "typo", 2: "two typos"}.get(n, "typo"), {})(text, Random(seed)):
        assert Counter(changed) == Counter(text)
        n_moved = sum(a != b for a, b in zip(changed, text, strict=True))
        assert n_moved == (4 if n == 2 else 2)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("punctuation", "Fine.", ["Fine"]),
        ("punctuation", "Fine?!", ["Fine", "Fine."]),
        ("punctuation", "...", []),
        ("contractions", "It's been good.", []),  # "has", which is not known
        ("contractions", "He isn’t here.", ["He is not here."]),
        ("contractions", "I do not know.", ["I don't know."]),
        ("contractions", "Undo nothing.", []),
        ("numbers", "2 or 4 of v2.5 and a1", []),  # as CheckList, 2 and 4 stay; no part of a word or a decimal
        ("swap:name", "Adam", []),
        ("typo", "aa b", []),  # no pair of different neighbours
        ("two typos", "ab", []),
    ],
)
def test_what_a_change_makes_of_a_text(name, text, expected) -> None:
    assert find_change(name, LISTS)(text, Random(0)) == expected


def test_numbers_stay_near_and_the_same_number_goes_the_same_way() -> None:
    for seed in range(20):
        for changed in find_change("numbers", {})("50 men, 50 women", Random(seed)):
            first, second = changed.split(" men, ")
            assert first == second.split()[0]
            assert 40 <= int(first) <= 60  # a fifth of 50
            assert first != "50"


def test_names_give_way_to_others_of_their_list() -> None:
    (changed, *_) = find_change("swap:name", LISTS)("Ada saw Mary Ann's cat.", Random(0)) or [""]
    assert changed == ""  # two names are found and only one is left to take their places
    for changed in find_change("swap:name", LISTS)("Mary Ann saw Mary Ann.", Random(0)):
        assert changed in ("Ada saw Ada.", "Bo saw Bo.")
    assert all("小明" not in changed for changed in find_change("swap:名", LISTS)("今天小明来了", Random(0)))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nothing", "Unknown change 'nothing'. Available:"),
        ("swap:towns", "needs word list 'towns'. Available:"),
        (
            "swap:",
            r"Unknown change 'swap:'\. Available: punctuation, typo, two typos, contractions, urls and handles, numbers, swap:LIST and add:LIST\.",
        ),
    ],
)
def test_an_unknown_change_is_refused(name, said) -> None:
    with pytest.raises(InvalidValue, match=said):
        find_change(name, LISTS)


# Word lists in texts: whole tokens, in any case, the longest phrase first; the complement is exactly the rest.


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


# Kinds of perturbation and what is said of them.


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_description_leaves_the_label_to_the_sentence_that_stands_after_it(kind) -> None:
    for words in ("usually", "Result", "the label"):
        assert words not in kind.description
