"""Points with their fitted lines as an SVG file of its own, for a paper; panels beside each other, black on white."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from annotator.figures.report.drawings import tick_words, ticks_between

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM, _RIGHT = 300, 250, 54, 30, 46, 26
_COLOURS = ("#1f6fb4", "#c8541b", "#3a7d34", "#7a4fa3", "#a32f3a", "#4d4d4d")
_STYLE = "text{font:12px sans-serif;fill:#111}.t{font-weight:bold}.g{stroke:#ddd}.a{stroke:#111}"


@dataclass(frozen=True, slots=True)
class Line:
    """The points of one training; slope: of its line through their mean, None for no line."""

    name: str
    points: Sequence[tuple[float, float]]
    slope: float | None = None


@dataclass(frozen=True, slots=True)
class ScatterPanel:
    """One coordinate system."""

    title: str
    across: str
    up: str
    lines: Sequence[Line]


def scatter_svg(panels: Sequence[ScatterPanel]) -> str:
    """The whole file; texts are escaped."""
    parts = [part for number, panel in enumerate(panels) for part in _panel(panel, number * _WIDTH)]
    width = _WIDTH * len(panels)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" viewBox="0 0 {width} {_HEIGHT}">'
    )
    return "\n".join([head, f"<style>{_STYLE}</style>", *parts, "</svg>"]) + "\n"


@dataclass(frozen=True, slots=True)
class _Scale:
    """From values to places."""

    ticks: Sequence[float]
    first: float
    last: float

    def at(self, value: float) -> float:
        share = (value - self.ticks[0]) / (self.ticks[-1] - self.ticks[0])
        return round(self.first + share * (self.last - self.first), 1)


def _scale(values: Sequence[float], first: float, last: float) -> _Scale:
    lowest, highest = min(values), max(values)
    if highest - lowest < 1e-9:
        lowest, highest = lowest - 0.1, highest + 0.1
    return _Scale(ticks_between(lowest, highest), first, last)


def _panel(panel: ScatterPanel, left: int) -> Iterator[str]:
    points = [point for line in panel.lines for point in line.points]
    across = _scale([x for x, _ in points], left + _LEFT, left + _WIDTH - _RIGHT)
    up = _scale([y for _, y in points], _HEIGHT - _BOTTOM, _TOP)
    yield f'<text class="t" x="{left + _WIDTH / 2:g}" y="18" text-anchor="middle">{escape(panel.title)}</text>'
    for tick in up.ticks:
        at = up.at(tick)
        yield f'<line class="g" x1="{across.first:g}" x2="{across.last:g}" y1="{at:g}" y2="{at:g}"/>'
        yield f'<text x="{across.first - 6:g}" y="{at + 4:g}" text-anchor="end">{tick_words(tick)}</text>'
    for tick in across.ticks:
        yield f'<text x="{across.at(tick):g}" y="{up.first + 16:g}" text-anchor="middle">{tick_words(tick)}</text>'
    yield f'<line class="a" x1="{across.first:g}" x2="{across.last:g}" y1="{up.first:g}" y2="{up.first:g}"/>'
    middle = (up.first + up.last) / 2
    yield f'<text x="{(across.first + across.last) / 2:g}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(panel.across)}</text>'
    yield (
        f'<text transform="translate({left + 14},{middle:g}) rotate(-90)" text-anchor="middle">{escape(panel.up)}</text>'
    )
    for number, line in enumerate(panel.lines):
        yield from _line(line, _COLOURS[number % len(_COLOURS)], across, up)


def _line(line: Line, colour: str, across: _Scale, up: _Scale) -> Iterator[str]:
    dots = "".join(f'<circle cx="{across.at(x):g}" cy="{up.at(y):g}" r="3"/>' for x, y in line.points)
    fitted = ""
    if line.slope is not None:
        xs = [x for x, _ in line.points]
        mean_x, mean_y = math.fsum(xs) / len(xs), math.fsum(y for _, y in line.points) / len(xs)
        (x1, y1), (x2, y2) = ((x, mean_y + line.slope * (x - mean_x)) for x in (min(xs), max(xs)))
        fitted = f'<line x1="{across.at(x1):g}" y1="{up.at(y1):g}" x2="{across.at(x2):g}" y2="{up.at(y2):g}" stroke="{colour}"/>'
    yield f'<g fill="{colour}"><title>{escape(line.name)}</title>{dots}{fitted}</g>'
