"""Charts of work: what was done on each day, and rows of stacked counts for people or kinds of text."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from annotator.figures.curves import COLOURS, write_plainly
from annotator.language import spoken_language

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_HEIGHT = 300
_BAR_MS = 0.8 * 24 * 3_600_000  # said, since Plotly draws a single day as a hair
_ROW_HEIGHT = 22
_AROUND_ROWS = 110
_FEW = 10  # up to so many, each number has a tick
_LONGEST_NAME = 28
_FEW_STEPS = 6  # more counts than these are divided by whole numbers by themselves
_PATTERNS = ("", "/", ".", "x", "-", "\\", "+")
# The same look for the same state, of a text in one chart and of a person's work in another.
_LOOKS = {"complete": 0, "accepted": 0, "submitted": 1, "returned": 2, "open": 3, "leased": 3, "queued": 4, "skipped": 4,
          "held": 5, "discarded": 6}  # fmt: skip


@dataclass(frozen=True, slots=True)
class DayBar:
    """A day with two counts: the higher one is drawn as a bar, the other as a line."""

    day: dt.date
    bar: int
    line: int


def day_chart(days: Sequence[DayBar], *, bar: str, line: str, up: str) -> "Figure":
    """Counts by day, those of 0 too. bar, line: what stands in the legend."""
    from annotator.figures.plotly_parts import Bar, Figure, Scatter  # noqa: PLC0415  (half a second)

    across = [day.day for day in days]
    is_chinese = spoken_language() == "zh"
    whole_day = "%Y年%-m月%-d日" if is_chinese else "%a %d %b %Y"
    figure = Figure()
    figure.add_trace(
        Bar(x=across, y=[day.bar for day in days], name=escape(bar), marker_color=COLOURS[0], width=_BAR_MS,
            hovertemplate=f"%{{x|{whole_day}}}: %{{y:,}}<extra>{escape(bar)}</extra>")
    )  # fmt: skip
    figure.add_trace(
        Scatter(x=across, y=[day.line for day in days], name=escape(line), mode="lines+markers",
                line={"color": COLOURS[1], "width": 2}, marker={"symbol": "square", "size": 6},
                hovertemplate=f"%{{x|{whole_day}}}: %{{y:,}}<extra>{escape(line)}</extra>")
    )  # fmt: skip
    figure.update_layout(
        height=_HEIGHT, margin={"l": 10, "r": 10, "t": 10, "b": 10}, hovermode="closest",
        xaxis={"tickformat": "%-m月%-d日" if is_chinese else "%d %b", "range": _range(across)},
        yaxis={"title": escape(up), **_whole_steps(max((max(day.bar, day.line) for day in days), default=0))},
        legend={"orientation": "h", "y": -0.2, "yanchor": "top", "x": 0},
    )  # fmt: skip
    write_plainly(figure)
    return figure


def _whole_steps(highest: float) -> dict[str, object]:
    """An axis of counts: where they are few, by itself it would be divided into parts of one."""
    if highest > _FEW_STEPS:
        return {"rangemode": "tozero"}
    return {"range": [0, max(1.0, 1.05 * highest)], "dtick": 1}


def _range(days: Sequence[dt.date]) -> list[str] | None:
    """From noon to noon, so that the first and the last bar are whole; at least a week, so that a single bar is no wall."""
    if not days:
        return None
    noon = dt.datetime.combine(days[-1], dt.time(12))
    first = min(noon - dt.timedelta(days=7), dt.datetime.combine(days[0], dt.time(12)) - dt.timedelta(days=1))
    return [first.isoformat(), noon.isoformat()]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a chart, with how many of each kind stand in it."""

    name: str
    counts: Mapping[str, float]


def row_chart(rows: Sequence[Row], kinds: Mapping[str, str], *, across: str) -> "Figure":
    """Rows below each other, the first on top; kinds stacked in their order (name: what stands in the legend)."""
    from annotator.figures.plotly_parts import Bar, Figure  # noqa: PLC0415

    shown = {kind: words for kind, words in kinds.items() if any(row.counts.get(kind) for row in rows)}
    colours_and_patterns = tuple(zip(COLOURS, _PATTERNS, strict=True))
    look_by_kind = {kind: colours_and_patterns[_LOOKS.get(kind, number)] for number, kind in enumerate(kinds)}
    figure = Figure()
    for kind, words in shown.items():
        colour, pattern = look_by_kind[kind]
        figure.add_trace(
            Bar(
                y=list(range(len(rows))), x=[row.counts.get(kind, 0) for row in rows], orientation="h", name=escape(words),
                marker={"color": colour, "pattern": {"shape": pattern, "fillmode": "overlay", "solidity": 0.25}},
                customdata=[escape(row.name) for row in rows],
                hovertemplate=f"%{{customdata}}: %{{x:,}}<extra>{escape(words)}</extra>",
            )
        )  # fmt: skip
    figure.update_layout(
        barmode="stack", height=_AROUND_ROWS + _ROW_HEIGHT * max(1, len(rows)), margin={"l": 10, "r": 10, "t": 10, "b": 10},
        xaxis={"title": escape(across), "rangemode": "tozero", **({"dtick": 1} if _longest(rows) <= _FEW else {})},
        yaxis={
            "tickvals": list(range(len(rows))), "ticktext": [escape(short(row.name)) for row in rows], "autorange": "reversed",
        },
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
        showlegend=True,
    )  # fmt: skip
    write_plainly(figure)
    return figure


def _longest(rows: Sequence[Row]) -> float:
    return max((sum(row.counts.values()) for row in rows), default=0)


def first_and_mean(rows: Sequence[Row], most: int, rest: str) -> list[Row]:
    """The first rows, and the mean of those that there is no room for as one more. rest: its name.

    >>> first_and_mean([Row("a", {"x": 4}), Row("b", {"x": 2}), Row("c", {"x": 1})], 1, "mean of 2 others")
    [Row(name='a', counts={'x': 4}), Row(name='mean of 2 others', counts={'x': 1.5})]
    """
    if len(rows) <= most + 1:
        return list(rows)
    others = rows[most:]
    kinds = dict.fromkeys(kind for row in others for kind in row.counts)
    return [
        *rows[:most],
        Row(rest, {kind: sum(row.counts.get(kind, 0) for row in others) / len(others) for kind in kinds}),
    ]


def short(name: str) -> str:
    """A name that leaves room for its bar."""
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
