"""How numbers are written along the axes of charts."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_MOST_DIGITS = 5  # before the point, or zeros after it; beyond them a power of ten is written


def write_plainly(figure: "Figure") -> None:
    """Have all axes of a chart write 12,000 and 0.0001, where Plotly by itself writes 12k and 100µ."""
    plain = {"exponentformat": "power", "minexponent": _MOST_DIGITS, "separatethousands": True}
    figure.update_xaxes(plain)
    figure.update_yaxes(plain)
