"""The suites that the program brings along: the tests of ER-TEST's two tables, in words of our own.

Each is a TOML file in `suites/`; what lists of words it shares with others stands in `suites/words.toml`.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from annotator.domain.suites import TOLERANCE, Alternative, Applies, Expectation, ReadySuite, Recipe, Text, words_of
from annotator.errors import NotFound
from annotator.language import _, listed

_FOLDER = Path(__file__).with_name("suites")
_SHARED = "words"
_NOT = "not:"
_EXPECTED: dict[str, Expectation] = {"MFT": "label", "INV": "same"}


def ready_suites() -> list[str]:
    """The names of the suites that come along."""
    return sorted(path.stem for path in _FOLDER.glob("*.toml") if path.stem != _SHARED)


@cache
def ready_suite(name: str) -> ReadySuite:
    """A suite that comes along; raises NotFound naming those there are."""
    if name not in ready_suites():
        raise NotFound(
            _(
                "There is no ready suite '{name}'. There are {names}.",
                name=name,
                names=listed(ready_suites()),
            )
        )
    content = _read(name)
    lists = {**_read(_SHARED)["lists"], **content["lists"]}
    return ReadySuite(
        name, content["title"], content["task"], content["source"], tuple(content["labels"]),
        {list_name: words_of(words) for list_name, words in lists.items()},
        tuple(_recipe(test, content.get("base", ())) for test in content["tests"]),
    )  # fmt: skip


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def _recipe(test: Mapping[str, Any], base: Sequence[Text]) -> Recipe:
    """`templates` of a test, else (for a change) the suite's `base` texts."""
    templates: Sequence[Mapping[str, Any]] = test.get("templates") or [{"texts": [text]} for text in base]
    label = test.get("label")
    return Recipe(
        test["name"],
        test["type"],
        test["category"],
        test.get("expectation") or _EXPECTED[test["type"]],
        tuple(_alternative(template) for template in templates),
        test.get("change", ""),
        () if label is None else (label,),
        test.get("tolerance", TOLERANCE),
        Applies(original_is=tuple(test.get("only_for", ())), original_is_not=tuple(test.get("not_for", ()))),
        test["about"],
    )


def _alternative(template: Mapping[str, Any]) -> Alternative:
    label: str | None = template.get("label")
    labels = () if label is None else (label.removeprefix(_NOT),)
    return Alternative(tuple(template["texts"]), labels, label is not None and label.startswith(_NOT))
