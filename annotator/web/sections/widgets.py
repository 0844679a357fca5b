"""Menus of values that have words, and buttons that take a file."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.language import _
from annotator.web.frame import as_text

T = TypeVar("T")


def choose(
    title: str, words: Mapping[T, str], options: Sequence[T] = (), chosen: T | None = None, *,
    column: DeltaGenerator | None = None, **look: Any,
) -> T:  # fmt: skip
    """A menu. options: some of what has words, by default all; chosen: what it begins with, by default the first."""
    draw = st.selectbox if column is None else column.selectbox
    offered = list(options or words)
    index = 0 if chosen is None else offered.index(chosen)
    return cast("T", draw(title, offered, index, format_func=lambda option: _(words[option]), **look))


def file_stem(name: str, otherwise: str = "project") -> str:
    """A name as a file's name may begin."""
    return "".join(c if c.isalnum() else "-" for c in name).strip("-") or otherwise


def download(name: str, content: bytes, **look: Any) -> None:
    """The button that takes a file that was made."""
    words = _("Download {name} ({size} KB)", name=name, size=f"{len(content) / 1024:,.0f}")
    st.download_button(as_text(words), content, name, **look)
