"""Small parts of sections: tables of numbers and of a file's problems, menus of values with words, files to take."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, TypeVar, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.file_problems import group_problems, on_page
from annotator.domain.numbers import written
from annotator.errors import Problem
from annotator.language import _
from annotator.web.frame import as_text

_MOST_ROWS = 20  # of more the table scrolls by itself; of fewer the page scrolls, wherever the pointer is
_HEIGHT_OF_MOST = 740


def show_numbers(
    rows: Sequence[Mapping[str, object]], measured: Collection[str], *, key: str, right: Collection[str] = ()
) -> None:
    """Rows as a table, no wider than it has to be.

    measured: the columns that hold measured numbers, None where not defined
    right:    columns of text that stand at the right as numbers do, such as a difference with its interval
    """
    import pandas as pd  # noqa: PLC0415  (half a second)

    frame = pd.DataFrame([dict(row) for row in rows])
    is_long = len(rows) > _MOST_ROWS
    formatted: Callable[[Any], str] = written
    shown = frame.style.format(formatted, subset=[name for name in frame.columns if name in measured])
    st.dataframe(
        shown, hide_index=True, key=key, width="content", height=_HEIGHT_OF_MOST if is_long else "content", placeholder="–",
        column_config={name: st.column_config.TextColumn(alignment="right") for name in right},
    )  # fmt: skip


# The problems of a file as a table in which every sentence can be read whole, since it ends with the remedy.


_ROWS_IN_VIEW = 8
_HEIGHT = 480
_VALUE_CHARACTERS = 80


def show_problem_table(problems: Sequence[Problem], say: Callable[[str], str] = on_page) -> None:
    """A row for each problem, and for many that have their reason in common. Files are named where there are several.

    say: how a reason is said, whose remedy names options
    """
    if not problems:
        return
    grouped = group_problems(problems)
    has_files = len({problem.source for problem in grouped}) > 1
    has_counts = any(problem.n > 1 for problem in grouped)
    st.table(
        [_cells(problem, say, has_files=has_files, has_counts=has_counts) for problem in grouped],
        hide_index=True,
        border="horizontal",
        height=_HEIGHT if len(grouped) > _ROWS_IN_VIEW else "content",
    )


def show_problems(words: Callable[[int], str], problems: Sequence[Problem], n: int, say: Callable[[str], str]) -> None:
    """A table under their number."""
    if not n:
        return
    n_shown = sum(problem.n for problem in problems)
    st.caption(_("{problems}, first {n}", problems=words(n), n=f"{n_shown:,}") if n > n_shown else words(n))
    show_problem_table(problems, say)


def _cells(problem: Problem, say: Callable[[str], str], *, has_files: bool, has_counts: bool) -> dict[str, str]:
    cells = {_("file"): as_text(problem.source)} if has_files else {}
    if has_counts:
        cells[_("rows")] = f"{problem.n:,}"
    return {
        **cells,
        _("lines") if has_counts else _("line"): problem.lines() or "–",
        _("field"): as_text(problem.field),
        _("value"): as_text(_begin(problem.value)),
        _("reason"): as_text(say(problem.reason)),
    }


def _begin(value: str) -> str:
    return value if len(value) <= _VALUE_CHARACTERS else f"{value[: _VALUE_CHARACTERS - 1]}…"


# Menus of values that have words, and buttons that take a file.


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
