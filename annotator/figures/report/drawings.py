"""Charts of a report as static SVG: where each mark stands. Names and numbers are HTML beside them, so that they wrap and fit."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.domain.numbers import written
from annotator.figures.curves import Panel

WIDTH = 400  # units of a drawing, which is as wide as its cell
_MARKS = ("circle", "square", "diamond", "triangle")
_N_COLOURS = 7
_N_DASHES = 4
_HEIGHT, _LEFT, _TOP = 220.0, 46.0, 8.0


@dataclass(frozen=True, slots=True)
class Interval:
    """A number with its bounds, where it has some; is_baseline: random."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    is_baseline: bool = False


@dataclass(frozen=True, slots=True)
class Tick:
    """A number at an axis."""

    at: float
    words: str


@dataclass(frozen=True, slots=True)
class IntervalRow:
    """A line of a chart of intervals: where its point and its bounds stand."""

    name: str
    at: float
    low: float | None
    high: float | None
    words: str
    is_baseline: bool


@dataclass(frozen=True, slots=True)
class IntervalChart:
    """A chart of one metric: a point a row with its interval; baseline: where a dashed line stands in all of them."""

    title: str
    note: str
    rows: Sequence[IntervalRow]
    ticks: Sequence[Tick]
    zero: float | None
    baseline: float | None


@dataclass(frozen=True, slots=True)
class BarRow:
    """Bars under each other that belong to one thing; shares: of the whole width."""

    name: str
    bars: Sequence[tuple[str, float]]
    words: str


@dataclass(frozen=True, slots=True)
class BarChart:
    """A chart of shares; kinds: what each bar of a row counts."""

    title: str
    note: str
    across: str
    kinds: Sequence[str]
    rows: Sequence[BarRow]
    most: str


@dataclass(frozen=True, slots=True)
class LineMark:
    """A line of a chart: its points, and how it is told from others without its colour."""

    name: str
    points: str
    places: Sequence[tuple[float, float]]
    colour: int
    dash: int
    mark: str


@dataclass(frozen=True, slots=True)
class LineChart:
    """One coordinate system."""

    title: str
    across: str
    up: str
    lines: Sequence[LineMark]
    ticks_across: Sequence[Tick]
    ticks_up: Sequence[Tick]


def interval_chart(title: str, note: str, intervals: Sequence[Interval]) -> IntervalChart:
    """Points with intervals over a common axis, which begins or ends at 0 where all are on one side of it."""
    bounds = [number for of in intervals for number in (of.value, of.low, of.high) if number is not None]
    lowest, highest = min(0.0, *bounds), max(0.0, *bounds)
    ticks = ticks_between(lowest, highest)
    lowest, highest = min(lowest, ticks[0]), max(highest, ticks[-1])

    def at(value: float) -> float:
        return _rounded(8 + (WIDTH - 16) * (value - lowest) / (highest - lowest))

    rows = [
        IntervalRow(
            of.name,
            at(of.value),
            None if of.low is None else at(of.low),
            None if of.high is None else at(of.high),
            written(of.value),
            of.is_baseline,
        )
        for of in intervals
    ]
    baseline = next((row.at for row in rows if row.is_baseline), None)
    zero = at(0.0) if lowest < 0 < highest else None
    return IntervalChart(title, note, rows, [Tick(at(tick), tick_words(tick)) for tick in ticks], zero, baseline)


def bar_chart(
    title: str, note: str, across: str, kinds: Sequence[str], rows: Sequence[tuple[str, Sequence[float], str]]
) -> BarChart:
    """Bars from 0. rows: a name, a share for each kind, and what is written beside them."""
    most = max((share for _, shares, _ in rows for share in shares), default=0.0) or 1.0
    drawn = [
        BarRow(name, [(kind, _rounded(WIDTH * share / most)) for kind, share in zip(kinds, shares, strict=True)], words)
        for name, shares, words in rows
    ]
    return BarChart(title, note, across, kinds, drawn, written(most))


def line_charts(panels: Sequence[Panel]) -> list[LineChart]:
    """Panels with lines; a name looks the same in each."""
    names = list(dict.fromkeys(curve.name for panel in panels for curve in panel.curves))
    return [_line_chart(panel, names) for panel in panels if panel.curves]


def _line_chart(panel: Panel, names: Sequence[str]) -> LineChart:
    points = [
        [(x, y) for x, y in zip(curve.x, curve.y, strict=True) if y is not None and math.isfinite(y)]
        for curve in panel.curves
    ]
    values = [y for of_curve in points for _, y in of_curve]
    ticks_up = ticks_between(min(0.0, *values) if values else 0.0, max(0.0, *values) if values else 1.0)
    ticks_across = ticks_between(0.0, max((x for of_curve in points for x, _ in of_curve), default=1.0))

    def place(x: float, y: float) -> tuple[float, float]:
        across = _LEFT + (WIDTH - _LEFT - 10) * x / ticks_across[-1]
        up = _TOP + (_HEIGHT - 30 - _TOP) * (ticks_up[-1] - y) / (ticks_up[-1] - ticks_up[0])
        return _rounded(across), _rounded(up)

    lines = []
    for curve, of_curve in zip(panel.curves, points, strict=True):
        number, places = names.index(curve.name), [place(x, y) for x, y in of_curve]
        lines.append(
            LineMark(
                curve.name, " ".join(f"{x:g},{y:g}" for x, y in places), places, number % _N_COLOURS,
                number % _N_DASHES, _MARKS[number % len(_MARKS)],
            )
        )  # fmt: skip
    return LineChart(
        panel.title, panel.across, panel.up, lines,
        [Tick(place(tick, 0.0)[0], tick_words(tick)) for tick in ticks_across],
        [Tick(place(0.0, tick)[1], tick_words(tick)) for tick in ticks_up],
    )  # fmt: skip


def ticks_between(lowest: float, highest: float) -> list[float]:
    """Round numbers from at most the lowest to at least the highest, three to seven of them.

    >>> ticks_between(0.0, 0.83), ticks_between(-0.12, 0.31), ticks_between(0.0, 0.0)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [-0.2, -0.1, 0.0, 0.1, 0.2, 0.3, 0.4], [0.0, 0.5, 1.0])
    """
    span = highest - lowest
    if not math.isfinite(span) or span < 1e-9:
        return [0.0, 0.5, 1.0]
    power = 10.0 ** math.floor(math.log10(span / 2))
    step = next(power * factor for factor in (1, 2, 5, 10) if span / (power * factor) <= 5)
    first, last = math.floor(lowest / step + 1e-9), math.ceil(highest / step - 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


def tick_words(tick: float) -> str:
    """A tick's value as it stands at an axis."""
    return f"{tick:g}".replace("-", "−")


def _rounded(value: float) -> float:
    return round(value, 1)
