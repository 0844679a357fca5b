"""Recipes of tests, and the suites that come along."""

import tomllib
from pathlib import Path

import pytest

from annotator import perturb
from annotator.domain.suites import CAPABILITIES, Alternative, Applies, Recipe, WordList, words_of
from annotator.errors import InvalidValue, NotFound
from annotator.perturb.functional_tests import build_cases, ready_suite, ready_suites, with_labels
from annotator.perturb.templates import Template

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
    with pytest.raises(InvalidValue, match=r"89,700 \+ 89,700 combinations, more than 100,000"):
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
        ({"type": "MFT", "expectation": "same"}, "type MFT expects label"),
        ({"type": "MFT", "expectation": "label"}, "type MFT expects a label; choose one"),
        ({"type": "INV", "expectation": "same"}, "compares changed texts with the original"),
        (
            {"type": "INV", "expectation": "same", "change": "typo", "alternatives": (Alternative(("a", "b")),)},
            "is one text",
        ),
        ({"type": "MFT", "expectation": "label", "change": "typo"}, "cannot be made by a change"),
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
    with pytest.raises(NotFound, match="There are inference, sentiment"):
        ready_suite("questions")
    with pytest.raises(NotFound, match="has no test 'x'"):
        ready_suite("sentiment").recipe("x")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("name1", "en", "slot", ("a",)), "cannot name a word list"),
        (("", "en", "slot", ("a",)), "cannot name a word list"),
        (("a b", "en", "slot", ("a",)), "cannot name a word list"),
        (("name", "en", "other", ("a",)), "A word list is for keep, ignore, slot"),
        (("name", "en", "slot", ()), "has 0 words"),
        (("name", "en", "slot", ("a|",)), "a word, and each of its forms"),
    ],
)
def test_a_word_list_that_no_slot_could_use_is_refused(arguments, said) -> None:
    with pytest.raises(InvalidValue, match=said):
        WordList(*arguments)
