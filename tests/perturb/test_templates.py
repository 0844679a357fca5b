"""Templates: slots, copies, articles, forms, sampling without repetition, and what is refused."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.errors import InvalidValue
from annotator.perturb.templates import MOST_CASES, FilledTemplate, Template, cases_of

WORDS = {
    "name": ["Ada", "Bo", "Cy"],
    "food": ["apple", "pear", "hour-old soup"],
    "size": ["big | small", "wide | narrow"],
    "adj": ["good", "bad"],
}


def made(*texts, words=WORDS, n=None, seed=0):
    return cases_of(FilledTemplate(Template.of(texts), words), n=n, seed=seed)


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("The {adj} one.", {"The good one.", "The bad one."}),
        ("I ate {a:food}.", {"I ate an apple.", "I ate a pear.", "I ate an hour-old soup."}),
        ("{Food}!", {"Apple!", "Pear!", "Hour-old soup!"}),
        ("{A:food}!", {"An apple!", "A pear!", "An hour-old soup!"}),
        ("{size.2}, not {size}", {"small, not big", "narrow, not wide"}),  # the forms of one word
        ("{adj} and {adj}", {"good and good", "bad and bad"}),  # one slot is one word throughout a case
        ("{adj1} and {adj2}", {"good and bad", "bad and good"}),  # copies differ
        ("{{adj}} {adj}", {"{adj} good", "{adj} bad"}),
        ("no slot", {"no slot"}),
    ],
)
def test_a_template_gives_each_of_its_combinations_once(template, expected) -> None:
    found = made(template)
    assert sorted(text for (text,) in found) == sorted(expected)


def test_texts_of_a_case_share_their_words() -> None:
    for original, changed in made("{name1} met {name2}.", "{name2} met {name1}."):
        first, _, second = original.rstrip(".").partition(" met ")
        assert changed == f"{second} met {first}."


def test_segments_are_filled_by_name_and_share_their_words() -> None:
    ((text,), *_) = made({"premise": "{name1} is {adj}.", "hypothesis": "{name1} is not {adj}."})
    assert text["hypothesis"] == text["premise"].replace(" is ", " is not ")


@given(st.integers(1, 5), st.integers(1, 6), st.integers(1, 4))
@settings(deadline=None)
def test_copies_of_a_list_give_every_arrangement_once(n_copies, n_words, n_others) -> None:
    words = {"a": [f"a{n}" for n in range(n_words)], "b": [f"b{n}" for n in range(n_others)]}
    template = " ".join(f"{{a{copy}}}" for copy in range(n_copies)) + " {b}"
    if n_copies > n_words:
        with pytest.raises(InvalidValue, match=f"wants {n_copies} different words"):
            made(template, words=words)
        return
    expected = {
        " ".join((*chosen, other)) for chosen in itertools.permutations(words["a"], n_copies) for other in words["b"]
    }  # itertools is the oracle
    found = [text for (text,) in made(template, words=words)]
    assert len(found) == len(set(found))
    assert set(found) == expected


@given(st.integers(0, 40), st.integers(0, 3))
@settings(deadline=None)
def test_a_sample_has_no_repetition_and_is_the_same_for_the_same_seed(n, seed) -> None:
    found = made("{name1} {name2} {food} {adj}", n=n, seed=seed)
    assert len(found) == len(set(found)) == min(n, 3 * 2 * 3 * 2)
    assert found == made("{name1} {name2} {food} {adj}", n=n, seed=seed)


def test_other_seeds_draw_other_cases() -> None:
    words = {"w": [f"w{n}" for n in range(100)]}
    assert made("{w1} {w2}", words=words, n=20, seed=0) != made("{w1} {w2}", words=words, n=20, seed=1)


def test_ten_to_the_thirty_combinations_cost_no_more_than_the_sample() -> None:
    words = {f"list_{letter}": [f"w{n}" for n in range(1000)] for letter in "abcdefghij"}
    template = " ".join(f"{{{name}}}" for name in words)
    filled = FilledTemplate(Template.of([template]), words)
    assert filled.n_combinations == 10**30
    assert len(set(cases_of(filled, n=100, seed=0))) == 100


def test_equal_texts_of_different_combinations_count_once() -> None:
    assert made("{w.1}", words={"w": ["same | x", "same | y", "other | z"]}, n=5) in (
        [("same",), ("other",)],
        [("other",), ("same",)],
    )


def test_a_case_whose_texts_are_equal_is_left_out() -> None:
    words = {"one": ["a", "b"], "two": ["a", "b"]}
    assert sorted(made("{one}", "{two}", words=words)) == [("a", "b"), ("b", "a")]


@pytest.mark.parametrize(
    ("texts", "words", "said"),
    [
        (["{nam}"], WORDS, r"no word list for the slot \{nam\}. Did you mean \{name\}\?"),
        (["{zzz}"], WORDS, "There are adj, food, name, size"),
        (["{adj"], WORDS, r"Character 0 of '\{adj' is a lone '\{'"),
        (["adj}"], WORDS, r"is a lone '\}'"),
        (["{}"], WORDS, r"'\{\}' in '\{\}' is no slot"),
        (["{a b}"], WORDS, "is no slot"),
        (["{an:adj}"], WORDS, "is no slot"),
        (["{size.3}"], WORDS, r"asks for form 3, but the list has 'big \| small' with 2"),
        (["{adj1} {adj2} {adj3}"], WORDS, "wants 3 different words of the list 'adj', which has 2"),
        (["{loop}"], {"loop": ["a {loop}"]}, r"The word 'a \{loop\}' of the list 'loop' holds a slot"),
        ([], WORDS, "at least one text"),
    ],
)
def test_a_template_that_cannot_be_filled_is_refused_with_what_is_wrong(texts, words, said) -> None:
    with pytest.raises(InvalidValue, match=said):
        made(*texts, words=words)


def test_a_million_combinations_are_refused_with_the_count_unless_a_sample_is_asked_for() -> None:
    words = {letter: [f"{letter}{n}" for n in range(100)] for letter in ("x", "y", "z")}
    with pytest.raises(InvalidValue, match=r"1,000,000 combinations \(100 × 100 × 100\), more than 100,000"):
        made("{x} {y} {z}", words=words)
    assert len(made("{x} {y} {z}", words=words, n=50)) == 50
    with pytest.raises(InvalidValue, match="up to 100,000 cases; not 100,001"):
        made("{x} {y} {z}", words=words, n=MOST_CASES + 1)


def test_chinese_templates_need_no_article_and_no_blanks() -> None:
    words = {"菜": ["汤", "面"], "好": ["好吃", "不错"]}
    assert ("这家的汤很好吃。",) in made("这家的{菜}很{好}。", words=words)
