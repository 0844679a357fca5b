"""Templates and recipes of functional tests, the suites that come along, and that a seed makes tomorrow what it makes today."""

import itertools
import json
import tomllib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator import perturb
from annotator.domain.suites import CAPABILITIES, Alternative, Applies, Recipe, WordList, words_of
from annotator.errors import InvalidValue, NotFound
from annotator.perturb.functional_tests import build_cases, ready_suite, ready_suites, with_labels
from annotator.perturb.passage import Passage, ProjectWords, Reading
from annotator.perturb.suggested_texts import SUGGESTERS, suggest
from annotator.perturb.templates import MOST_CASES, FilledTemplate, Template, cases_of
from annotator.perturb.text_changes import CHANGES, find_change
from annotator.text.tokenisation import tokenise
from tests.text.test_edits import apply_edits

FOLDER = Path(perturb.__file__).with_name("suites")
WORDS = {"good": ["good", "fine", "nice"], "bad": ["bad"], "name": ["Ada", "Bo"]}

# Joshi et al. 2022, the two tables of functional tests: how many of each capability (reference/er_test.md, 2.4).
OF_THE_PAPER = {
    "sentiment": {"Vocabulary": 6, "Robustness": 5, "Logic": 3, "Entity": 3},
    "inference": {"Vocabulary": 3, "Robustness": 4, "Logic": 3, "Entity": 1},
}


def mft(*alternatives, **more):
    return Recipe("t", "MFT", "Logic", "label", tuple(alternatives), **more)


def test_templates_of_a_test_come_by_turns_and_share_the_cases_evenly() -> None:
    recipe = mft(Alternative(("{good} {name}",), ("p",)), Alternative(("{bad}",), ("n",)))
    cases = build_cases(recipe, WORDS, n=4, seed=0)
    assert [case.labels for case in cases] == [("p",), ("n",), ("p",), ("p",)]  # the second has one combination
    assert [case.case for case in cases] == ["0", "1", "2", "3"]
    assert len(build_cases(recipe, WORDS, n=None, seed=0)) == 3 * 2 + 1


def test_all_combinations_of_several_templates_are_refused_beyond_the_limit() -> None:
    words = {"w": [f"w{n}" for n in range(300)]}
    recipe = mft(Alternative(("{w1} {w2}",), ("p",)), Alternative(("{w1}, {w2}",), ("p",)))
    with pytest.raises(
        InvalidValue, match=r"179,400 combinations; the maximum is 100,000\. Sample, or shorten a list\."
    ):
        build_cases(recipe, words, n=None, seed=0)


def test_a_change_is_made_to_the_texts_of_the_templates_or_to_others() -> None:
    recipe = Recipe("t", "INV", "Robustness", "same", (Alternative(("{Name} is {good}.",)),), change="punctuation")
    for case in build_cases(recipe, WORDS, n=3, seed=0):
        assert case.texts[0] == case.texts[1] + "."
    others = build_cases(recipe, WORDS, n=3, seed=0, bases=["One.", "...", "Two"])
    assert [case.texts for case in others] == [("One.", "One"), ("Two", "Two.")]  # nothing to change in "..."


def test_a_change_of_pairs_is_made_to_one_segment_and_to_both() -> None:
    recipe = Recipe("t", "INV", "Robustness", "same", (), change="punctuation")
    base = {"premise": "A.", "hypothesis": "B.", "note": "C."}
    (case,) = build_cases(recipe, {}, n=3, seed=0, bases=[base], segments=["premise", "hypothesis"])
    assert case.texts == (
        base,
        {"premise": "A", "hypothesis": "B.", "note": "C."},
        {"premise": "A.", "hypothesis": "B", "note": "C."},
        {"premise": "A", "hypothesis": "B", "note": "C."},
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"type": "MFT", "expectation": "same"}, "A MFT test expects"),
        ({"type": "MFT", "expectation": "label"}, "Choose the expected label of the MFT test."),
        ({"type": "INV", "expectation": "same"}, "tests need an original and perturbed texts."),
        (
            {"type": "INV", "expectation": "same", "change": "typo", "alternatives": (Alternative(("a", "b")),)},
            r"Changes need one text; 't' has 2\.",
        ),
        ({"type": "MFT", "expectation": "label", "change": "typo"}, "MFT tests can't be made by a change."),
        ({"type": "INV", "expectation": "same", "tolerance": 1.0}, "below 1"),
        ({"type": "INV", "expectation": "same", "name": " "}, "a name and a capability"),
    ],
)
def test_a_recipe_that_makes_no_sense_is_refused(more, said) -> None:
    given = {"name": "t", "category": "c", "alternatives": (Alternative(("a",)),), **more}
    with pytest.raises(InvalidValue, match=said):
        Recipe(**given)


def test_labels_become_the_projects_and_a_test_without_its_label_falls_away() -> None:
    recipe = mft(Alternative(("x",), ("negative",), is_forbidden=True), applies=Applies(original_is_not=("neutral",)))
    own = with_labels(recipe, {"negative": "0", "positive": "1"})
    assert own.alternatives[0] == Alternative(("x",), ("0",), is_forbidden=True)
    assert own.applies == Applies()  # nothing is predicted neutral where there is no such label
    assert with_labels(recipe, {"positive": "1"}) is None
    assert with_labels(mft(Alternative(("x",), ("a",)), applies=Applies(original_is=("b",))), {"a": "a"}) is None


@pytest.mark.parametrize("name", sorted(OF_THE_PAPER))
def test_a_ready_suite_has_the_tests_of_the_papers_table(name) -> None:
    suite = ready_suite(name)
    counted = {category: sum(r.category == category for r in suite.recipes) for category in CAPABILITIES}
    assert counted == OF_THE_PAPER[name]
    assert len({recipe.name for recipe in suite.recipes}) == len(suite.recipes)


@pytest.mark.parametrize("name", ready_suites())
def test_every_ready_test_gives_a_hundred_different_cases_within_its_own_words(name) -> None:
    suite = ready_suite(name)
    for recipe in suite.recipes:
        cases = build_cases(recipe, suite.words, n=100, seed=0)
        assert len(cases) == 100, recipe.name
        texts = {str(case.texts) for case in cases}
        assert len(texts) == 100, recipe.name
        parts = [p for case in cases for t in case.texts for p in ([t] if isinstance(t, str) else t.values())]
        assert not [part for part in parts if "{" in part or "|" in part or "  " in part], recipe.name


@pytest.mark.parametrize("name", ready_suites())
def test_ready_word_lists_are_in_order_and_all_used(name) -> None:
    suite = ready_suite(name)
    own = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    used = {slot.name.lower() for r in suite.recipes for a in r.alternatives for slot in Template.of(a.texts).slots}
    used |= {r.change.partition(":")[2] for r in suite.recipes}
    assert own["lists"].keys() <= used
    for list_name, words in suite.words.items():
        assert words_of(words) == tuple(words), f"a word stands twice in {list_name}"
        WordList(list_name, "en", "slot", tuple(words))


def test_an_unknown_ready_suite_is_refused_with_those_there_are() -> None:
    with pytest.raises(NotFound, match=r"Unknown name 'questions'\. Available: inference, sentiment\."):
        ready_suite("questions")
    with pytest.raises(NotFound, match="Unknown test 'x'"):
        ready_suite("sentiment").recipe("x")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("name1", "en", "slot", ("a",)), "Use up to 60 letters, digits and _; no digit first or last."),
        (("", "en", "slot", ("a",)), "Use up to 60 letters, digits and _; no digit first or last."),
        (("a b", "en", "slot", ("a",)), "Use up to 60 letters, digits and _; no digit first or last."),
        (("name", "en", "other", ("a",)), "A word list is for keep, ignore, slot"),
        (("name", "en", "slot", ()), "has 0 words"),
        (("name", "en", "slot", ("a|",)), "needs 1 to"),
    ],
)
def test_a_word_list_that_no_slot_could_use_is_refused(arguments, said) -> None:
    with pytest.raises(InvalidValue, match=said):
        WordList(*arguments)


# Templates: slots, copies, articles, forms, sampling without repetition, and what is refused.

SLOT_WORDS = {
    "name": ["Ada", "Bo", "Cy"],
    "food": ["apple", "pear", "hour-old soup"],
    "size": ["big | small", "wide | narrow"],
    "adj": ["good", "bad"],
}


def made(*texts, words=SLOT_WORDS, n=None, seed=0):
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
def test_copies_of_a_list_give_every_arrangement_once(n_copies, n_words, n_others) -> None:
    words = {"a": [f"a{n}" for n in range(n_words)], "b": [f"b{n}" for n in range(n_others)]}
    template = " ".join(f"{{a{copy}}}" for copy in range(n_copies)) + " {b}"
    if n_copies > n_words:
        with pytest.raises(InvalidValue, match=f"needs {n_copies} different words from 'a' \\({n_words}\\)"):
            made(template, words=words)
        return
    expected = {
        " ".join((*chosen, other)) for chosen in itertools.permutations(words["a"], n_copies) for other in words["b"]
    }  # itertools is the oracle
    found = [text for (text,) in made(template, words=words)]
    assert len(found) == len(set(found))
    assert set(found) == expected


@given(st.integers(0, 40), st.integers(0, 3))
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
        (["{nam}"], SLOT_WORDS, r"No word list for slot \{nam\}\. Did you mean \{name\}\?"),
        (["{zzz}"], SLOT_WORDS, r"No word list for slot \{zzz\}\. Available: adj, food, name, size\."),
        (["{adj"], SLOT_WORDS, r"Character 0 of '\{adj' is an unpaired '\{'\."),
        (["adj}"], SLOT_WORDS, r"is an unpaired '\}'\."),
        (["{}"], SLOT_WORDS, r"'\{\}' in '\{\}' isn't a slot\."),
        (["{a b}"], SLOT_WORDS, "isn't a slot."),
        (["{an:adj}"], SLOT_WORDS, "isn't a slot."),
        (["{size.3}"], SLOT_WORDS, r"\{size\.3\} needs form 3, but 'big \| small' has 2\."),
        (["{adj1} {adj2} {adj3}"], SLOT_WORDS, r"The template needs 3 different words from 'adj' \(2\)\."),
        (["{loop}"], {"loop": ["a {loop}"]}, r"'a \{loop\}' in list 'loop' contains a slot\. Put it in the template\."),
        ([], SLOT_WORDS, "at least one text"),
    ],
)
def test_a_template_that_cannot_be_filled_is_refused_with_what_is_wrong(texts, words, said) -> None:
    with pytest.raises(InvalidValue, match=said):
        made(*texts, words=words)


def test_a_million_combinations_are_refused_with_the_count_unless_a_sample_is_asked_for() -> None:
    words = {letter: [f"{letter}{n}" for n in range(100)] for letter in ("x", "y", "z")}
    with pytest.raises(
        InvalidValue, match=r"1,000,000 combinations; the maximum is 100,000\. Sample, or shorten a list\."
    ):
        made("{x} {y} {z}", words=words)
    assert len(made("{x} {y} {z}", words=words, n=50)) == 50
    with pytest.raises(InvalidValue, match=r"Tests have 1 to 100,000 cases\."):
        made("{x} {y} {z}", words=words, n=MOST_CASES + 1)


def test_chinese_templates_need_no_article_and_no_blanks() -> None:
    words = {"菜": ["汤", "面"], "好": ["好吃", "不错"]}
    assert ("这家的汤很好吃。",) in made("这家的{菜}很{好}。", words=words)


# What a seed makes today it makes tomorrow: people keep the seed of a suite, not the suite.

GOLDEN: dict[str, Any] = json.loads(Path(__file__).with_name("golden_texts.json").read_text(encoding="utf-8"))
TEXTS: list[tuple[str, str]] = [(language, text) for language, texts in GOLDEN["texts"].items() for text in texts]
SEEDS = (0, 1, 20)
GIVEN = ProjectWords(
    synonyms={"film": ["movie"], "服务员": ["店员"]},
    related={"dog": ["puppy", "cat"], "餐厅": ["食堂"]},
    antonyms={"day": ["night"]},
    names=("Zaphod", "Trillian", "Arthur"),
    places=("Springfield", "Shelbyville", "Ogdenville"),
)
GIVEN_WORDS = {
    "name": ["Ada", "Emily", "John", "Mary Ann", "Bo", "小明", "王芳"],
    "phrase": ["Nice.", "Never again.", "好。"],
}


def changed_texts(name: str) -> list[list[str]]:
    change = find_change(name, GIVEN_WORDS)
    return [change(text, Random(seed)) for seed in SEEDS for _, text in TEXTS]


def cases(name: str) -> list[Any]:
    suite_name, _, recipe_name = name.partition("/")
    suite = ready_suite(suite_name)
    recipe = suite.recipe(recipe_name)
    made = [case for seed in SEEDS for case in build_cases(recipe, suite.words, n=40, seed=seed)]
    if recipe.change:
        bases = [text for _, text in TEXTS]
        made += [case for seed in SEEDS for case in build_cases(recipe, suite.words, n=40, seed=seed, bases=bases)]
    return [[case.case, case.texts, case.labels] for case in made]


def suggestions(name: str) -> list[Any]:
    """All that a function finds, in the texts of its languages."""
    suggester, made = SUGGESTERS[name], []
    for seed in SEEDS:
        for language, text in TEXTS:
            if not suggester.languages or language in suggester.languages:
                reading = Reading(tokenise(text, language), language)
                for edits, why in suggester.find(Passage(reading, GIVEN, Random(f"{seed} {name}"))):
                    made.append([why, *([edit.start, edit.end, edit.replacement] for edit in edits)])
    return made


def suggestions_of_a_kind(name: str) -> list[Any]:
    """What a person is shown: at most five of each function, in their order."""
    return [
        [suggestion.maker, suggestion.why, apply_edits(text, suggestion.edits)]
        for seed in SEEDS
        for language, text in TEXTS
        for suggestion in suggest(tokenise(text, language), language, name, seed, GIVEN)
        if suggestion.maker != "use_wordnet"  # its corpus is not everywhere
    ]


MAKERS: dict[str, Callable[[str], list[Any]]] = {
    "changes": changed_texts,
    "suites": cases,
    "suggesters": suggestions,
    "kinds": suggestions_of_a_kind,
}
PINNED = [(part, name) for part in MAKERS for name in GOLDEN[part]]


def digest(made: list[Any]) -> str:
    return sha256(json.dumps(made, ensure_ascii=False).encode()).hexdigest()[:16]


@pytest.mark.parametrize(("part", "name"), PINNED, ids=[f"{part}-{name}" for part, name in PINNED])
def test_a_seed_makes_what_it_made_before(part, name) -> None:
    made = MAKERS[part](name)
    assert made, "nothing is made of these texts, so that nothing is pinned"
    assert digest(made) == GOLDEN[part][name], f"{part} of {name} are not what they were; they begin {made[:3]}"


def test_all_changes_tests_and_suggestions_are_pinned() -> None:
    assert GOLDEN["changes"].keys() == {*CHANGES, "swap:name", "add:phrase"}
    suites = {f"{name}/{recipe.name}" for name in ready_suites() for recipe in ready_suite(name).recipes}
    assert GOLDEN["suites"].keys() == suites
    own = {name for name, suggester in SUGGESTERS.items() if suggester.find.__module__.startswith("annotator.")}
    assert GOLDEN["suggesters"].keys() == own - {"use_wordnet"}  # its corpus is not everywhere


@pytest.mark.parametrize("name", GOLDEN["examples"])
def test_what_seed_0_makes_of_one_text_can_be_read(name) -> None:
    example = GOLDEN["examples"][name]
    assert find_change(name, GIVEN_WORDS)(example["text"], Random(0)) == example["changed"]
