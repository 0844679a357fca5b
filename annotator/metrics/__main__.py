"""Prints docs/metrics.md from the register: python -m annotator.metrics > docs/metrics.md."""

import sys
from itertools import groupby

from annotator.metrics.definitions import Definition
from annotator.metrics.registry import IDEAS, all_definitions

# What each family is; a family that is not here stands under its bare name, and a test says so.
FAMILIES = {
    "benchmark": "The fine-grained interpretability benchmark (Wang et al. 2022)",
    "confidence": "Confidence and ranking (Stevens and Su 2021)",
    "contrast": "Contrast sets (ER-TEST, Joshi et al. 2022)",
    "editing": "Sentence editing (Stevens and Su 2021)",
    "er_test": "Alignment criteria (ER-TEST, Joshi et al. 2022)",
    "eraser": "ERASER (DeYoung et al. 2020)",
    "fairness": "Fairness over groups (ER-TEST, Joshi et al. 2022)",
    "families": "Families of sets: a model's own against people's, set by set",
    "ferret": "Plausibility as ferret computes it",
    "functional": "Functional tests (ER-TEST, Joshi et al. 2022)",
    "method": "Gold, and random, as a method (Wang et al. 2022)",
    "models": "Two models (ER-TEST, Joshi et al. 2022)",
    "naopc": "Normalised AOPC, comparable between models (Edin et al., ACL 2025)",
    "person": "Personal gold: against each person by themselves",
    "sets": "Set-aware, ours: several gold sets are never put together",
    "soft": "Soft gold: shares of people instead of one truth",
}
_INTRODUCTION = """\
# Metrics

What each number is, in the words of the program: screens and commands show the same. Written from the register by
`python -m annotator.metrics > docs/metrics.md`; a test fails when it is not current.

A metric has a value for each instance where one is defined, and is told as the mean over those, with how many were left
out, unless its definition says otherwise. Keys that carry a paper's or a program's name hold exactly that program's number.
Intervals are percentiles of a seeded bootstrap over instances. Equal scores are ranked by position, and counted; a
map whose scores are all equal (of a pair: on both sides) ranks nothing: what depends on the order is not defined, and
its areas (AUPRC, average precision, ROC-AUC), which equal scores have by definition, take no part in verdicts.
"""
_VARIANTS = """
Several metrics tell one thing, each in its own variant. Tables show one of them at first, the first below that there is;
`--metric` and `--all`, and *Columns* on *Metrics*, have the others. A paper's own table (`annotator table`) has its own.

| shown at first | variants |
|---|---|
"""
_HEAD = "| metric | definition | better | range | not defined | source |\n|---|---|---|---|---|---|\n"


def document() -> str:
    """All families in Markdown, each metric a row."""
    families = groupby(all_definitions(), key=lambda definition: definition.name.partition(".")[0])
    sections = "".join(_section(family, list(members)) for family, members in families)
    return f"{_INTRODUCTION}{_VARIANTS}{''.join(map(_idea, IDEAS))}{sections}"


def _idea(names: tuple[str, ...]) -> str:
    first, *variants = (f"`{name}`" for name in names)
    return f"| {first} | {', '.join(variants)} |\n"


def _section(family: str, definitions: list[Definition]) -> str:
    return f"\n## {FAMILIES.get(family, family)}\n\n{_HEAD}" + "".join(map(_row, definitions))


def _row(definition: Definition) -> str:
    """One row of a table, in which a bar would begin the next column."""
    cells = (
        f"{definition.title}<br>`{definition.name}`",
        definition.definition,
        {"higher is better": "higher", "lower is better": "lower", "neither": "neither"}[definition.direction],
        _range_of(definition),
        definition.undefined,
        definition.source,
    )
    return "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in cells) + " |\n"


def _range_of(definition: Definition) -> str:
    """Both bounds; what has none is said in words.

    >>> from annotator.metrics.registry import definition_of
    >>> _range_of(definition_of("er_test.mse")), _range_of(definition_of("contrast.delta"))
    ('from 0', '−1 to 1')
    """
    lowest, highest = (
        None if bound is None else f"{bound:g}".replace("-", "−") for bound in (definition.lowest, definition.highest)
    )
    if lowest is None:
        return "any" if highest is None else f"up to {highest}"
    return f"from {lowest}" if highest is None else f"{lowest} to {highest}"


if __name__ == "__main__":
    sys.stdout.write(document())
