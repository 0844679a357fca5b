"""The columns of the table of metrics: how they are named, which are shown first, what they mean."""

from collections.abc import Iterable

import streamlit as st

from annotator.metrics.registry import Definition
from annotator.usecases.metric_table import Column, MetricTable
from annotator.web.frame import as_text

ARROWS = {"higher is better": "↑", "lower is better": "↓", "neither": ""}
_FAMILIES = {
    "sets": "set by set",
    "benchmark": "benchmark",
    "editing": "sentence editing",
    "eraser": "ERASER",
    "er_test": "ER-TEST",
    "method": "rationale as input",
    "confidence": "sentence editing",
}
# What is shown before anybody chose: the first of each line that the project has, then spare ones until there are six.
_FIRST: tuple[tuple[str, ...], ...] = (
    ("sets.best_f1",),
    ("eraser.average_precision", "eraser.token_f1_macro"),
    ("method.comprehensiveness", "eraser.comprehensiveness_aopc", "benchmark.new_p"),
    ("method.sufficiency", "eraser.sufficiency_aopc"),
    ("benchmark.map",),
    ("eraser.accuracy", "benchmark.answer_f1_english", "benchmark.answer_f1_chinese"),
)
_SPARE = ("editing.mrr", "benchmark.iou_f1_paper", "sets.whole_set", "eraser.comprehensiveness_aopc", "eraser.macro_f1")
_N_FIRST = 6


def family_of(column: Column) -> str:
    """Whose metric it is."""
    family = column.name.partition(".")[0]
    return _FAMILIES.get(family, family)


def named(column: Column) -> str:
    """A column where it stands outside of the table."""
    arrow = ARROWS[column.definition.direction]
    return f"{column.definition.title} ({family_of(column)}){f' {arrow}' if arrow else ''}"


def first_columns(table: MetricTable) -> list[str]:
    """The names of the columns that are shown before anybody chose."""
    there = [column.name for column in table.columns]
    chosen = [name for line in _FIRST if (name := next((one for one in line if one in there), None)) is not None]
    spare = [name for name in (*_SPARE, *there) if name in there and name not in chosen]
    shown = {*chosen, *spare[: max(0, _N_FIRST - len(chosen))]}
    return [name for name in there if name in shown]


def show_meanings(columns: Iterable[Column]) -> None:
    """What each column is, which way is better, when it is not defined, and where it is from."""
    for column in columns:
        plain = column.definition.in_plain_words
        st.markdown(
            f"**{as_text(named(column))}**  \n{as_text(f'{plain} {way_of(column.definition)}') if plain else ''}  \n"
            f":small[{as_text(sentence_of(column.definition))}]  \n:small[Source: {as_text(column.definition.source)}]"
        )


def way_of(definition: Definition) -> str:
    """Which way is better, as a sentence."""
    return "" if definition.direction == "neither" else f"{definition.direction.capitalize()}."


def meaning_of(column: Column) -> str:
    """What a column tells, on its head."""
    return f"{column.definition.in_plain_words or column.definition.definition} {way_of(column.definition)}".strip()


def sentence_of(definition: Definition) -> str:
    """A definition with its bounds, and what happens where it is not defined."""
    lowest, highest = ("–" if bound is None else f"{bound:g}" for bound in (definition.lowest, definition.highest))
    bounds = "" if definition.lowest is definition.highest is None else f", from {lowest} to {highest}"
    return f"Definition: {definition.definition}{bounds}. Not defined: {definition.undefined}."
