"""Stacked bars whose every part leads back to what it counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from annotator.figures.axes import write_plainly

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# Safe for colour blindness (Okabe and Ito), dark enough for white and light enough for black pages.
COLOURS = ("#0072b2", "#d55e00", "#7f7f7f", "#56b4e9", "#cc79a7")
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
    for colour, (kind, shown) in zip(COLOURS, kinds.items(), strict=False):
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
                text=[f"{of_kind[column].n:,}" for column in present],
                hovertemplate=f"{shown}: %{{y:,}}<extra>%{{x}}</extra>",
            )
        )
    figure.update_layout(
        barmode="stack", title=title, height=_HEIGHT, margin={"l": 10, "r": 10, "t": 40, "b": 10},
        xaxis={"title": across, "type": "category", "categoryorder": "array", "categoryarray": columns},
        yaxis={"title": up, "rangemode": "tozero"},
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0},
    )  # fmt: skip
    write_plainly(figure)
    return figure
