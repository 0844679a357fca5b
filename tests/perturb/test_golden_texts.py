"""What a seed makes today it makes tomorrow: people keep the seed of a suite, not the suite.

golden_texts.json holds the texts that are changed, and a digest of all that each change, each test of a ready suite and each
function that suggests makes of them. Where a digest moves on purpose, the message below says what to write in its place.
"""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest

from annotator.perturb.functional_tests import build_cases, ready_suite, ready_suites
from annotator.perturb.passage import Passage, ProjectWords, Reading
from annotator.perturb.registry import SUGGESTERS
from annotator.perturb.suggested_texts import suggest
from annotator.perturb.text_changes import CHANGES, find_change
from annotator.text.edits import apply_edits
from annotator.text.tokenisation import tokenise

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
WORDS = {
    "name": ["Ada", "Emily", "John", "Mary Ann", "Bo", "小明", "王芳"],
    "phrase": ["Nice.", "Never again.", "好。"],
}


def changed_texts(name: str) -> list[list[str]]:
    change = find_change(name, WORDS)
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
    assert find_change(name, WORDS)(example["text"], Random(0)) == example["changed"]
