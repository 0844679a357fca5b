"""The ready suites of functional tests, and how the cases of a test are made: from templates, or by changing texts.

Each is a TOML file in `suites/`; what lists of words it shares with others stands in `suites/words.toml`.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice, zip_longest
from pathlib import Path
from random import Random
from typing import Any

from annotator.domain import suites
from annotator.errors import InvalidValue, NotFound
from annotator.language import _, listed, unknown
from annotator.perturb.templates import MOST_CASES, FilledTemplate, Template, Words, cases_of, refuse_too_many
from annotator.perturb.text_changes import Change, find_change


def build_cases(
    recipe: suites.Recipe, words: Words, *, n: int | None, seed: int, bases: Iterable[suites.Text] | None = None,
    segments: Sequence[str] = (),
) -> list[suites.Case]:  # fmt: skip
    """Cases in an order drawn from the seed: n of them (fewer where there are not so many), or (None) all.

    bases:    what the change is made to, in place of the recipe's own texts
    segments: of a text with several, those that are changed; (): all
    Raises:   InvalidValue as `FilledTemplate` and `cases_of` do
    """  # fmt: skip
    change = find_change(recipe.change, words) if recipe.change else None
    if bases is not None and change is None:
        raise InvalidValue(_("'{name}' works on templates only.", name=recipe.name))
    if bases is not None and change is not None:
        made: Iterator[tuple[tuple[suites.Text, ...], suites.Alternative]]
        made = ((texts, suites.Alternative(texts)) for texts in _changed(bases, change, seed, segments))
    else:
        made = _from_templates(recipe, words, n, seed, change, segments)
    limit = MOST_CASES if n is None else n
    return [
        _case(recipe, number, *texts_and_alternative)
        for number, texts_and_alternative in enumerate(islice(made, limit))
    ]


def _from_templates(
    recipe: suites.Recipe, words: Words, n: int | None, seed: int, change: Change | None, segments: Sequence[str]
) -> Iterator[tuple[tuple[suites.Text, ...], suites.Alternative]]:
    """Each template gives as many cases as the others, if it has them; they come by turns."""
    filled = [FilledTemplate(Template.of(alternative.texts), words) for alternative in recipe.alternatives]
    if n is None:
        refuse_too_many(sum(template.n_combinations for template in filled))
    # What a change cannot change gives no case, so that more texts are drawn than cases are wanted.
    wanted = n if n is None or change is None else min(2 * n, MOST_CASES)
    shares = _shares([template.n_combinations for template in filled], wanted)
    rows = []
    for number, (template, share) in enumerate(zip(filled, shares, strict=True)):
        texts: Iterable[tuple[suites.Text, ...]] = cases_of(template, n=share, seed=seed + number)
        if change is not None:
            texts = _changed((base for (base,) in texts), change, seed + number, segments)
        rows.append([(row, recipe.alternatives[number]) for row in texts])
    for turn in zip_longest(*rows):
        yield from (row for row in turn if row is not None)


def _shares(sizes: Sequence[int], wanted: int | None) -> list[int]:
    """How many each gives: all, or equally many, those that have more making up for those that have less.

    >>> _shares([2, 100, 100], 12)
    [2, 5, 5]
    """
    if wanted is None:
        return list(sizes)
    shares = [0] * len(sizes)
    left = wanted
    order = sorted(range(len(sizes)), key=lambda index: sizes[index])
    for n_done, index in enumerate(order):
        shares[index] = min(sizes[index], -(-left // (len(sizes) - n_done)))
        left -= shares[index]
    return shares


def _changed(
    bases: Iterable[suites.Text], change: Change, seed: int, segments: Sequence[str]
) -> Iterator[tuple[suites.Text, ...]]:
    """Each text with its changed versions; those that the change cannot change are left out."""
    random = Random(seed)  # noqa: S311  (no secret)
    for base in bases:
        variants = change(base, random) if isinstance(base, str) else _changed_segments(base, change, random, segments)
        if variants:
            yield (base, *variants)


def _changed_segments(
    base: Mapping[str, str], change: Change, random: Random, segments: Sequence[str]
) -> list[Mapping[str, str]]:
    """One segment changed at a time, then all of them at once."""
    changed = {name: change(text, random) for name, text in base.items() if not segments or name in segments}
    alone: list[Mapping[str, str]] = [
        {**base, name: variant} for name, texts in changed.items() for variant in texts[:1]
    ]
    if len(alone) < 2:
        return alone
    return [*alone, {**base, **{name: texts[0] for name, texts in changed.items() if texts}}]


def _case(
    recipe: suites.Recipe, number: int, texts: tuple[suites.Text, ...], alternative: suites.Alternative
) -> suites.Case:
    labels = alternative.labels if recipe.type == "MFT" else recipe.labels
    return suites.Case(
        recipe.name, recipe.type, recipe.category, str(number), texts, recipe.expectation, labels,
        alternative.is_forbidden, recipe.tolerance, recipe.applies,
    )  # fmt: skip


def with_labels(recipe: suites.Recipe, names: Mapping[str, str]) -> suites.Recipe | None:
    """A recipe in a project's labels; None where it expects, watches or only applies to labels that the project has not.

    names: what the project calls labels of the recipe, several perhaps the same; a label without a name is none of the project's
    """

    def named(labels: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(names[label] for label in labels if label in names))

    needed = (recipe.labels, recipe.applies.original_is, *(a.labels for a in recipe.alternatives))
    if any(labels and not named(labels) for labels in needed):
        return None
    applies = replace(
        recipe.applies,
        original_is=named(recipe.applies.original_is),
        original_is_not=named(recipe.applies.original_is_not),
    )
    alternatives = tuple(replace(a, labels=named(a.labels)) for a in recipe.alternatives)
    return replace(recipe, alternatives=alternatives, labels=named(recipe.labels), applies=applies)


# The suites that the program brings along: the tests of ER-TEST's two tables, in words of our own.


_FOLDER = Path(__file__).with_name("suites")
_SHARED = "words"
_NOT = "not:"
_EXPECTED: dict[str, suites.Expectation] = {"MFT": "label", "INV": "same"}


def ready_suites() -> list[str]:
    """The names of the suites that come along."""
    return sorted(path.stem for path in _FOLDER.glob("*.toml") if path.stem != _SHARED)


@cache
def ready_suite(name: str) -> suites.ReadySuite:
    """A suite that comes along; raises NotFound naming those there are."""
    if name not in ready_suites():
        raise NotFound(unknown(_("name"), name, listed(ready_suites())))
    content = _read(name)
    lists = {**_read(_SHARED)["lists"], **content["lists"]}
    return suites.ReadySuite(
        name, content["title"], content["task"], content["source"], tuple(content["labels"]),
        {list_name: suites.words_of(words) for list_name, words in lists.items()},
        tuple(_recipe(test, content.get("base", ())) for test in content["tests"]),
    )  # fmt: skip


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def _recipe(test: Mapping[str, Any], base: Sequence[suites.Text]) -> suites.Recipe:
    """`templates` of a test, else (for a change) the suite's `base` texts."""
    templates: Sequence[Mapping[str, Any]] = test.get("templates") or [{"texts": [text]} for text in base]
    label = test.get("label")
    return suites.Recipe(
        test["name"],
        test["type"],
        test["category"],
        test.get("expectation") or _EXPECTED[test["type"]],
        tuple(_alternative(template) for template in templates),
        test.get("change", ""),
        () if label is None else (label,),
        test.get("tolerance", suites.TOLERANCE),
        suites.Applies(original_is=tuple(test.get("only_for", ())), original_is_not=tuple(test.get("not_for", ()))),
        test["about"],
    )


def _alternative(template: Mapping[str, Any]) -> suites.Alternative:
    label: str | None = template.get("label")
    labels = () if label is None else (label.removeprefix(_NOT),)
    return suites.Alternative(tuple(template["texts"]), labels, label is not None and label.startswith(_NOT))
