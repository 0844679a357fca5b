"""The columns of the table of metrics: what they mean."""

from collections.abc import Iterable

import streamlit as st

from annotator.metrics.definitions import Definition
from annotator.scoring.table import Column
from annotator.usecases.inspect.metric_names import named
from annotator.web.frame import as_text


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
