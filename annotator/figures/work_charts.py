"""Charts of work: what was done on each day, and rows of stacked counts. Plain HTML, since Plotly takes a browser a second."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from annotator.figures.curves import COLOURS
from annotator.figures.report.drawings import tick_words, ticks_between
from annotator.language import spoken_language

_ROOM_FOR_NUMBER = 0.035  # of the whole width
_MOST_DATES = 8
_STRIPES = "repeating-linear-gradient({angle}deg, transparent 0 5px, rgb(255 255 255 / .25) 5px 7px), "
_LOOKS = ((0, ""), (6, "45"), (4, "0"), (1, "135"), (3, "90"))  # a colour, and the angle of its stripes
_KINDS = "\n".join(
    f".work .k{number} {{ background: {angle and _STRIPES.format(angle=angle)}{COLOURS[colour]} }}"
    for number, (colour, angle) in enumerate(_LOOKS)
)

WORK_STYLE = f"""<style>
.work {{ font-size: .8125rem; font-variant-numeric: tabular-nums }}
.work i {{ font-style: normal }}
.work table {{ border-collapse: collapse; width: 100% }}
.work tr > * {{ border: 0; padding: 3px 0; font-weight: 400; text-align: start }}
.work tr > :first-child {{ max-width: 14rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }}
.work td:nth-child(2) {{ width: 100%; padding-inline-start: 10px }}
.work tr > :last-child {{ text-align: end; padding-inline-start: 10px }}
.work .bar {{ display: flex; gap: 1px; height: 22px; line-height: 22px }}
.work .bar i {{ color: #fff; font-weight: 600; text-shadow: 0 0 3px #000; text-align: center; overflow: hidden }}
.work .legend {{ display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 8px 0 0 }}
.work .legend i {{ display: inline-block; width: 12px; height: 12px; margin-inline-end: 6px; vertical-align: -1px }}
.work .days {{ position: relative; height: 180px; margin: 10px 0 22px 36px; display: flex; align-items: end }}
.work .day {{ position: relative; flex: 1 1 0; height: 100%; display: flex; align-items: end; max-width: 64px }}
.work .day:hover {{ background: rgb(127 127 127 / .15) }}
.work .day i {{ flex: 1; margin: 0 8% }}
.work .day b, .work .legend b {{ height: 3px; background: {COLOURS[1]} }}
.work .day b {{ position: absolute; inset-inline: 8%; transform: translateY(50%); outline: 1px solid rgb(255 255 255 / .7) }}
.work .legend b {{ display: inline-block; width: 12px; margin-inline-end: 6px; vertical-align: 3px }}
.work .grid {{ position: absolute; inset-inline: 0; border-top: 1px solid rgb(127 127 127 / .25); pointer-events: none }}
.work .grid span {{ position: absolute; inset-inline-end: calc(100% + 8px); transform: translateY(-50%); opacity: .75 }}
.work .day span {{ position: absolute; top: 100%; left: 50%; transform: translateX(-50%); white-space: nowrap; opacity: .75 }}
{_KINDS}
</style>
"""


@dataclass(frozen=True, slots=True)
class DayBar:
    """A day with two counts: the higher one is drawn as a bar, the other as a line across it."""

    day: dt.date
    bar: int
    line: int


def day_chart(days: Sequence[DayBar], *, bar: str, line: str, up: str) -> str:
    """Counts by day as HTML, those of 0 too. bar, line: what stands in the legend; up: what is counted."""
    ticks = [
        tick
        for tick in ticks_between(0.0, max((max(day.bar, day.line) for day in days), default=0))
        if tick == int(tick)
    ]
    grid = "".join(
        f'<div class="grid" style="bottom:{100 * tick / ticks[-1]:.1f}%"><span>{tick_words(tick)}</span></div>'
        for tick in ticks
    )
    every = -(-len(days) // _MOST_DATES)
    drawn = "".join(
        _day(day, ticks[-1], bar, line, is_named=(len(days) - 1 - number) % every == 0)
        for number, day in enumerate(days)
    )
    legend = f'<span><i class="k0"></i>{escape(bar)}</span><span><b></b>{escape(line)}</span>'
    days_shown = f'<div class="days" role="img" aria-label="{escape(f"{up}: {bar}, {line}")}">{grid}{drawn}</div>'
    return f'<div class="work">{days_shown}<div class="legend">{legend}</div></div>'


def _day(day: DayBar, most: float, bar: str, line: str, *, is_named: bool) -> str:
    is_chinese = spoken_language() == "zh"
    short_date = f"{day.day.month}月{day.day.day}日" if is_chinese else f"{day.day:%d %b}"
    whole_date = f"{day.day.year}年{short_date}" if is_chinese else f"{day.day:%a %d %b %Y}"
    name = f"<span>{short_date}</span>" if is_named else ""
    mark = f'<b style="bottom:{100 * day.line / most:.1f}%"></b>' if day.line else ""
    says = escape(f"{whole_date}: {bar} {day.bar:,}, {line} {day.line:,}")
    return f'<div class="day" title="{says}"><i class="k0" style="height:{100 * day.bar / most:.1f}%"></i>{mark}{name}</div>'


Row = tuple[str, Mapping[str, int]]  # its name, and how many of each kind stand in it


def row_chart(rows: Sequence[Row], kinds: Mapping[str, str]) -> str:
    """Rows below each other as HTML, with the sums of several kinds; these are stacked in their order, at most five."""
    look_by_kind = {kind: number for number, kind in enumerate(kinds) if any(counts.get(kind) for _, counts in rows)}
    longest = max((sum(counts.values()) for _, counts in rows), default=0)
    drawn = "".join(
        f'<tr><th scope="row" title="{escape(name)}">{escape(name)}</th>'
        f'<td><div class="bar">{"".join(_parts((name, counts), kinds, look_by_kind, longest))}</div></td>'
        f"<td>{_sum(counts, longest)}</td></tr>"
        for name, counts in rows
    )
    legend = "".join(
        f'<span><i class="k{look}"></i>{escape(kinds[kind])}</span>' for kind, look in look_by_kind.items()
    )
    return f'<div class="work"><table>{drawn}</table><div class="legend">{legend}</div></div>'


def _parts(row: Row, kinds: Mapping[str, str], look_by_kind: Mapping[str, int], longest: int) -> Iterator[str]:
    name, counts = row
    for kind, look in look_by_kind.items():
        if count := counts.get(kind):
            number = f"{count:,}" if count / longest >= _ROOM_FOR_NUMBER else ""
            says = escape(f"{name}: {kinds[kind]} {count:,}")
            yield f'<i class="k{look}" style="width:{100 * count / longest:.2f}%" title="{says}">{number}</i>'


def _sum(counts: Mapping[str, int], longest: int) -> str:
    """Nothing where the one number in the bar says it."""
    total = sum(counts.values())
    is_said = max(counts.values(), default=0) == total >= _ROOM_FOR_NUMBER * longest
    return "" if is_said else f"{total:,}"
