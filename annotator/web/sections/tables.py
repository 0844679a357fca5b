"""Small tables: numbers under charts, sorted and downloaded with all digits; and the problems of a file."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import streamlit as st

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
