"""Small tables of numbers under the charts: written as everywhere, sorted and downloaded with all their digits."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import streamlit as st

from annotator.domain.numbers import written

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
