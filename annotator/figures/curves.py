"""Lines over numbers that go across (thresholds, layers): each is known by its colour, its dashes and its marks together."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from annotator.domain.numbers import written
from annotator.language import _

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# After Okabe and Ito, safe for colour blindness; each stands out by 3:1 or more on white and on black pages.
COLOURS = ("#1f83c4", "#d55e00", "#009e73", "#cc79a7", "#8a6fd1", "#b97f00", "#7f7f7f")
DASHES = ("solid", "dash", "dot", "dashdot")
MARKS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "star", "triangle-down")
Scale = Literal["free", "from 0", "0 to 1"]
_SCALES: dict[Scale, dict[str, Any]] = {"free": {}, "from 0": {"rangemode": "tozero"}, "0 to 1": {"range": [0, 1]}}
_HEIGHT = 340
_LEGEND_LINE = 20
_MOST_DIGITS = 5  # before the point, or zeros after it; beyond them a power of ten is written


def saves_svg(name: str) -> dict[str, Any]:
    """What a page gives Plotly: where one points at a chart there is one button, which saves it as NAME.svg."""
    file = {"format": "svg", "filename": name}
    return {"displaylogo": False, "modeBarButtons": [["toImage"]], "toImageButtonOptions": file}


@dataclass(frozen=True, slots=True)
class Curve:
    """A line of one row. y: None where there is no value; low, high: bounds of each value; n: over how many; or empty."""

    name: str
    x: Sequence[float]
    y: Sequence[float | None]
    low: Sequence[float | None] = ()
    high: Sequence[float | None] = ()
    n: Sequence[int | None] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """One coordinate system: its title, the names of what goes across and up, and its lines.

    scale: what goes up runs from the lowest value to the highest ("free"), from 0 to the highest, or of shares from 0 to 1
    """

    title: str
    across: str
    up: str
    curves: Sequence[Curve]
    scale: Scale = "free"


def curve_panels(panels: Sequence[Panel], *, whole_numbers: bool = False) -> "Figure":
    """Panels side by side; a name looks the same in each and stands once in the legend.

    A click gives [name, the panel's title, x].

    whole_numbers: what goes across is counted, such as layers
    """
    from annotator.figures.plotly_parts import Scatter, make_subplots  # noqa: PLC0415  (half a second)

    names = list(dict.fromkeys(curve.name for panel in panels for curve in panel.curves))
    figure = make_subplots(1, len(panels), subplot_titles=[escape(panel.title) for panel in panels])
    in_legend: set[str] = set()
    for column, panel in enumerate(panels, start=1):
        for curve in panel.curves:
            look = _look(names.index(curve.name))
            shown = Scatter(
                x=list(curve.x), y=list(curve.y), name=escape(curve.name), legendgroup=curve.name,
                showlegend=curve.name not in in_legend, mode="lines+markers", cliponaxis=False, error_y=_bounds(curve), **look,
                customdata=[[curve.name, panel.title, x] for x in curve.x], text=_summaries(curve),
                hovertemplate="%{x}: %{text}<extra>%{fullData.name}</extra>",
            )  # fmt: skip
            figure.add_trace(shown, row=1, col=column)
            in_legend.add(curve.name)
        figure.update_xaxes(title=escape(panel.across), dtick=_step(panel) if whole_numbers else None, col=column)
        figure.update_yaxes(title=title_up(panel.up), **_SCALES[panel.scale], col=column)
    legend = _LEGEND_LINE * -(-len(names) // 3)
    figure.update_layout(
        height=_HEIGHT + legend, margin={"l": 10, "r": 10, "t": 40, "b": 10}, hovermode="closest",
        legend={"orientation": "h", "y": -70 / _HEIGHT, "yanchor": "top", "x": 0},
    )  # fmt: skip
    write_plainly(figure)
    return figure


def write_plainly(figure: "Figure") -> None:
    """Have all axes of a chart write 12,000 and 0.0001, where Plotly by itself writes 12k and 100µ."""
    plain = {"exponentformat": "power", "minexponent": _MOST_DIGITS, "separatethousands": True}
    figure.update_xaxes(plain)
    figure.update_yaxes(plain)


def title_up(title: str) -> str:
    """The title of what goes up, in words: it is turned on its side, where an arrow would point elsewhere.

    >>> title_up("F1 ↑"), title_up("failure rate ↓")
    ('F1 (higher is better)', 'failure rate (lower is better)')
    """
    return escape(title.replace("↑", _("(higher is better)")).replace("↓", _("(lower is better)")))


def _summaries(curve: Curve) -> list[str]:
    """The words that a person reads at each point."""
    sizes = curve.n or [None] * len(curve.y)
    return [written(y) if n is None else f"{written(y)}, n {n:,}" for y, n in zip(curve.y, sizes, strict=True)]


def _look(number: int) -> dict[str, Any]:
    return {
        "line": {"color": COLOURS[number % len(COLOURS)], "dash": DASHES[number % len(DASHES)], "width": 2},
        "marker": {"symbol": MARKS[number % len(MARKS)], "size": 8},
    }


def _bounds(curve: Curve) -> dict[str, Any] | None:
    """How far each bound lies from its value, as Plotly wants it; None without bounds."""
    if not curve.low:
        return None
    up = [0 if h is None or y is None else h - y for h, y in zip(curve.high, curve.y, strict=True)]
    down = [0 if lo is None or y is None else y - lo for lo, y in zip(curve.low, curve.y, strict=True)]
    return {"type": "data", "symmetric": False, "array": up, "arrayminus": down, "thickness": 1, "width": 3}


def _step(panel: Panel) -> int:
    """So that no more than about twelve whole numbers are written."""
    return max(1, -(-int(max((max(curve.x, default=0) for curve in panel.curves), default=0)) // 12))
