"""How numbers are written along the axes of charts, and how a page offers a chart as a file."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# What a page gives Plotly: where one points at a chart there is one button, which saves it as an SVG.
SAVES_SVG: dict[str, Any] = {
    "displaylogo": False,
    "modeBarButtons": [["toImage"]],
    "toImageButtonOptions": {"format": "svg", "filename": "chart"},
}
_MOST_DIGITS = 5  # before the point, or zeros after it; beyond them a power of ten is written


def write_plainly(figure: "Figure") -> None:
    """Have all axes of a chart write 12,000 and 0.0001, where Plotly by itself writes 12k and 100µ."""
    plain = {"exponentformat": "power", "minexponent": _MOST_DIGITS, "separatethousands": True}
    figure.update_xaxes(plain)
    figure.update_yaxes(plain)
