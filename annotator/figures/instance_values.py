"""A number of every instance: how it is distributed, and beside the probability of the answer. A point leads to its instance."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from annotator.domain.numbers import written
from annotator.figures.curves import COLOURS, title_up, write_plainly
from annotator.language import _, several, unsaid
from annotator.metrics.ragged import Floats

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

MOST_POINTS = 3000
_HEIGHT = 380
_N_STEPS = 20
_FEW = 5
_ALIKE = 1e-9
_RIGHT, _WRONG = unsaid("correct prediction"), unsaid("wrong prediction")
_NO_GOLD, _NO_PREDICTION = unsaid("no gold"), unsaid("no prediction")
_LOOKS = {
    _RIGHT: (COLOURS[0], "circle"), _WRONG: (COLOURS[1], "x"), _NO_GOLD: (COLOURS[6], "diamond-open"),
    _NO_PREDICTION: (COLOURS[6], "square-open"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Point:
    """An instance. id: what a click on it gives back; is_right: None where there is no prediction, or no gold for it."""

    id: int
    key: str
    value: float
    p: float | None = None
    is_right: bool | None = None
    is_predicted: bool = True


def drawn(points: Sequence[Point]) -> list[Point]:
    """The points that are drawn one by one: all, or MOST_POINTS of them, drawn from a fixed seed, in their order."""
    if len(points) <= MOST_POINTS:
        return list(points)
    chosen = np.sort(np.random.default_rng(0).choice(len(points), MOST_POINTS, replace=False))
    return [points[index] for index in chosen]


def distribution(points: Sequence[Point], *, name: str, marked: float | None = None) -> "Figure":
    """How many instances have which value, and below it every instance as a point, right and wrong answers apart.

    name:   of the metric; marked: a value that a line is drawn at, such as the mean
    """
    from annotator.figures.plotly_parts import Bar, make_subplots  # noqa: PLC0415  (half a second)

    values = np.array([point.value for point in points], dtype=np.float64)
    edges = _edges(values)
    counts = np.histogram(values, bins=edges)[0]
    steps = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
    figure = make_subplots(2, 1, shared_xaxes=True, row_heights=[0.55, 0.45], vertical_spacing=0.06)
    bars = Bar(
        x=((edges[:-1] + edges[1:]) / 2).tolist(), y=counts.tolist(), width=np.diff(edges).tolist(),
        marker={"color": COLOURS[0], "line": {"width": 1, "color": "rgba(128,128,128,.6)"}}, showlegend=False,
        customdata=[["between", low, high] for low, high in steps],
        hovertext=[
            several(
                "{low} to {high}: {n} instance", "{low} to {high}: {n} instances", int(n), low=written(low),
                high=written(high),
            )
            for (low, high), n in zip(steps, counts, strict=True)
        ],
        hovertemplate="%{hovertext}<extra></extra>",
    )  # fmt: skip
    figure.add_trace(bars, row=1, col=1)
    lanes = [answer for answer in reversed(_LOOKS) if any(_answer(point) == answer for point in points)]
    for trace in _points_by_answer(points, x_of=lambda point: point.value, y_of=lambda point: _height(point, lanes)):
        figure.add_trace(trace, row=2, col=1)
    if marked is not None:
        annotation = {
            "text": _("mean {mean}", mean=written(marked)),
            "y": 1,
            "yref": "y domain",
            "yanchor": "bottom",
            "showarrow": False,
        }
        figure.add_vline(x=marked, line={"dash": "dash", "width": 2, "color": "gray"}, row=1, col=1)
        figure.add_annotation(x=marked, **annotation, row=1, col=1)
    figure.update_yaxes(title=_("number of instances"), dtick=1 if counts.max(initial=0) < _FEW else None, row=1, col=1)
    figure.update_yaxes(
        tickvals=[number + 0.5 for number in range(len(lanes))], ticktext=[_(lane) for lane in lanes],
        range=[0, len(lanes)], showgrid=False, title=_("single instances"), row=2, col=1
    )  # fmt: skip
    figure.update_xaxes(title=escape(name), row=2, col=1)
    _lay_out(figure)
    figure.update_layout(showlegend=False)  # the lanes say it
    return figure


def _edges(values: Floats) -> Floats:
    """Steps such that the lowest and the highest value lie in the middle of theirs: a metric often is exactly 0 or 1."""
    lowest, highest = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    if highest - lowest < _ALIKE:
        highest = lowest
    width = (highest - lowest) / _N_STEPS or 1 / _N_STEPS
    n = round((highest - lowest) / width) + 2
    edges: Floats = lowest - width / 2 + width * np.arange(n, dtype=np.float64)
    return edges


def beside_confidence(points: Sequence[Point], *, name: str) -> "Figure":
    """The number up, the probability of the predicted label across; points without a probability are not drawn."""
    from annotator.figures.plotly_parts import Figure  # noqa: PLC0415  (half a second)

    known = [point for point in points if point.p is not None]
    figure = Figure(_points_by_answer(known, x_of=lambda point: point.p, y_of=lambda point: point.value))
    figure.update_xaxes(title=_("probability of the predicted label"))
    figure.update_yaxes(title=title_up(name))
    _lay_out(figure)
    return figure


def _points_by_answer(points: Sequence[Point], *, x_of: Any, y_of: Any) -> list[Any]:
    """As vectors, since not every machine has WebGL."""
    from annotator.figures.plotly_parts import Scatter  # noqa: PLC0415

    chosen, traces = drawn(points), []
    for answer, (colour, symbol) in _LOOKS.items():
        of_answer = [point for point in chosen if _answer(point) == answer]
        if not of_answer:
            continue
        trace = Scatter(
            x=[x_of(point) for point in of_answer],
            y=[y_of(point) for point in of_answer],
            mode="markers",
            name=_(answer),
            marker={"color": colour, "symbol": symbol, "size": 7, "opacity": 0.8},
            customdata=[["instance", point.id, written(point.value), written(point.p)] for point in of_answer],
            text=[escape(point.key) for point in of_answer],
            hovertemplate="%{text}: %{customdata[2]}, p %{customdata[3]}<extra></extra>",
        )
        traces.append(trace)
    return traces


def _answer(point: Point) -> str:
    if point.is_right is None:
        return _NO_GOLD if point.is_predicted else _NO_PREDICTION
    return _RIGHT if point.is_right else _WRONG


def _height(point: Point, lanes: Sequence[str]) -> float:
    """Where a point lies in the lane of its answer: always the same for an instance."""
    spread = (point.id * 0.6180339887498949) % 1  # multiples of the golden ratio spread evenly
    return float(lanes.index(_answer(point)) + 0.1 + 0.8 * spread)


def _lay_out(figure: "Figure") -> None:
    figure.update_layout(
        height=_HEIGHT, margin={"l": 10, "r": 10, "t": 24, "b": 10}, clickmode="event+select", dragmode=False,
        legend={"orientation": "h", "y": -0.16, "yanchor": "top", "x": 0}, hovermode="closest",
    )  # fmt: skip
    write_plainly(figure)
