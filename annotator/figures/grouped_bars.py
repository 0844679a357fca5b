"""Bars side by side for each kind, with the bounds of an interval where there are some."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from annotator.domain.numbers import written
from annotator.figures.axes import write_plainly
from annotator.figures.curves import COLOURS, title_up

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_PATTERNS = ("", "/", ".", "x", "-", "\\", "+", "|")
_HEIGHT = 320
_LEGEND_LINE = 20


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: in which column it stands, whose it is, how high, from how many; low and high: bounds, or None."""

    column: str
    name: str
    value: float
    n: int | None = None
    low: float | None = None
    high: float | None = None


def grouped_bars(bars: Sequence[Bar], *, across: str, up: str) -> "Figure":
    """A group for each column, in the order of the bars; names are known by colour and pattern. A click gives [column, name]."""
    from annotator.figures.plotly_parts import Bar as Trace  # noqa: PLC0415  (half a second)
    from annotator.figures.plotly_parts import Figure  # noqa: PLC0415

    columns, names = (list(dict.fromkeys(of_all)) for of_all in ([b.column for b in bars], [b.name for b in bars]))
    figure = Figure()
    for number, name in enumerate(names):
        mine = [bar for bar in bars if bar.name == name]
        figure.add_trace(
            Trace(
                x=[escape(bar.column) for bar in mine],
                y=[bar.value for bar in mine],
                name=escape(name),
                marker={
                    "color": COLOURS[number % len(COLOURS)],
                    "pattern": {"shape": _PATTERNS[number % len(_PATTERNS)], "fillmode": "overlay", "solidity": 0.3},
                },
                error_y=_bounds(mine),
                customdata=[[bar.column, bar.name, "–" if bar.n is None else f"{bar.n:,}"] for bar in mine],
                hovertext=[written(bar.value) for bar in mine],
                hovertemplate="%{hovertext}, n %{customdata[2]}<extra>%{fullData.name}</extra>",
            )
        )
    figure.update_layout(
        barmode="group", height=_HEIGHT + _LEGEND_LINE * -(-len(names) // 3), margin={"l": 10, "r": 10, "t": 10, "b": 10},
        xaxis={
            "title": escape(across), "type": "category", "categoryorder": "array",
            "categoryarray": [escape(column) for column in columns],
        },
        yaxis={"rangemode": "tozero", "title": title_up(up)}, legend={"orientation": "h", "y": -75 / _HEIGHT, "yanchor": "top"},
    )  # fmt: skip
    write_plainly(figure)
    return figure


def _bounds(bars: Sequence[Bar]) -> dict[str, Any] | None:
    """How far each bound lies from its value, as Plotly wants it; None without bounds."""
    if all(bar.low is None for bar in bars):
        return None
    up = [0.0 if bar.high is None else bar.high - bar.value for bar in bars]
    down = [0.0 if bar.low is None else bar.value - bar.low for bar in bars]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "thickness": 1}
