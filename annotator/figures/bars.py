"""Bars: stacked, beside each other, and failure rates; with intervals where there are some, and links to what they count."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from annotator.domain.numbers import written
from annotator.figures.curves import COLOURS, title_up, write_plainly

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# Safe for colour blindness (Okabe and Ito), dark enough for white and light enough for black pages.
PART_COLOURS = ("#0072b2", "#d55e00", "#7f7f7f", "#56b4e9", "#cc79a7")
_HEIGHT = 300


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a bar: how many of a kind stand in a column; `point` is what a click on it gives back."""

    column: str
    kind: str
    n: int
    point: Sequence[object]


def stacked_bars(parts: Sequence[Part], kinds: Mapping[str, str], *, title: str, across: str, up: str) -> "Figure":
    """A chart of counts: columns across, kinds stacked in the order of `kinds` (name: what stands in the legend)."""
    from annotator.figures.plotly_parts import Bar, Figure  # noqa: PLC0415  (half a second)

    columns = list(dict.fromkeys(part.column for part in parts))
    figure = Figure()
    for colour, (kind, shown) in zip(PART_COLOURS, kinds.items(), strict=False):
        of_kind = {part.column: part for part in parts if part.kind == kind}
        present = [column for column in columns if column in of_kind]
        figure.add_trace(
            Bar(
                x=present,
                y=[of_kind[column].n for column in present],
                name=shown,
                marker_color=colour,
                customdata=[list(of_kind[column].point) for column in present],
                textangle=0,
                cliponaxis=False,
                text=[f"{of_kind[column].n:,}" for column in present],
                hovertemplate=f"{shown}: %{{y:,}}<extra>%{{x}}</extra>",
            )
        )
    figure.update_layout(
        barmode="stack", title=title, height=_HEIGHT, margin={"l": 10, "r": 10, "t": 40, "b": 10},
        uniformtext={"minsize": 10, "mode": "hide"},  # without room a number is read by pointing
        xaxis={"title": across, "type": "category", "categoryorder": "array", "categoryarray": columns},
        yaxis={"title": up, "rangemode": "tozero"},
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0},
    )  # fmt: skip
    write_plainly(figure)
    return figure


# A failure rate as a bar with its interval; what else there is to say of it shows where one points at it.


RATE_STYLE = """
.rate { padding: .45rem 0 .4rem; }
.rate .track { position: relative; height: 8px; background: light-dark(#e6eaef, #262e37); border-radius: 2px; }
.rate .track i { position: absolute; inset: 0 auto 0 0; background: #1f83c4; border-radius: 2px; }
.rate .track b { position: absolute; top: 3px; height: 2px; min-width: 2px; background: light-dark(#16202a, #e7ecf1); }
.rate .track b::before, .rate .track b::after { content: ""; position: absolute; top: -3px; width: 2px; height: 8px;
  background: inherit; }
.rate .track b::before { left: 0; } .rate .track b::after { right: 0; }
"""


@dataclass(frozen=True, slots=True)
class RateBar:
    """A share with its bounds, or None; says: what it means, in words."""

    share: float
    low: float | None
    high: float | None
    says: str


def rate_bar_html(bar: RateBar) -> str:
    """The bar from 0 to 100 %, with what it says for the pointer and for who hears it."""
    says = escape(bar.says)
    return (
        f'<div class="rate" role="img" aria-label="{says}" title="{says}"><div class="track">{_marks(bar)}</div></div>'
    )


def _marks(bar: RateBar) -> str:
    filled = f'<i style="width:{100 * bar.share:.1f}%"></i>'
    if bar.low is None or bar.high is None:
        return filled
    return f'{filled}<b style="left:{100 * bar.low:.1f}%;width:{100 * (bar.high - bar.low):.1f}%"></b>'


# Bars side by side for each kind, with the bounds of an interval where there are some.


_PATTERNS = ("", "/", ".", "x", "-", "\\", "+", "|")
_TALL = 320
_MANY = 8  # columns, beyond which their names would run together in half a page
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
        barmode="group", height=_TALL + _LEGEND_LINE * -(-len(names) // 3), margin={"l": 10, "r": 10, "t": 10, "b": 10},
        xaxis={
            "title": escape(across), "type": "category", "categoryorder": "array",
            "categoryarray": [escape(column) for column in columns],
            **({"tickfont": {"size": 10}} if len(columns) > _MANY else {}),
        },
        yaxis={"rangemode": "tozero", "title": title_up(up)}, legend={"orientation": "h", "y": -75 / _TALL, "yanchor": "top"},
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
