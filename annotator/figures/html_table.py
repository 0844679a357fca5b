"""Metrics as an HTML table: grouped columns, two lines a cell, the best of a column marked by a star, not by colour alone.

It stands in its full height, so that the page scrolls wherever the pointer is; only what is too wide scrolls in its box.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from annotator.language import _, unsaid

BEST = "★"


@dataclass(frozen=True, slots=True)
class Head:
    """A column: the group it stands in, its title, whose metric it is and over what, ↑ or ↓ or "", its meaning on hovering."""

    group: str
    title: str
    family: str
    arrow: str
    meaning: str
    is_sorted: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """A value as text (UNDEFINED where there is none), what stands below it in small print, a sign and what hovering says."""

    text: str
    notes: tuple[str, ...] = ()
    is_best: bool = False
    sign: str = ""
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A row: what it is of, what more there is to say of that, and a cell for each column; size: over how many instances."""

    title: str
    detail: str
    cells: Sequence[Cell]
    is_baseline: bool = False
    meaning: str = ""
    size: str = ""


_INTERVAL = re.compile(r"[-−+\d[].*[\d\]e]")  # it begins and ends with a number, whatever stands between
_LONG = 15  # lines; of more the heads are out of sight where one reads the last ones
_WORDS = {"↑": unsaid("(higher is better)"), "↓": unsaid("(lower is better)")}

# The page's own colours are those of annotator/web/.streamlit/config.toml: cells that stay in place need a ground of their own.
_STYLE = """
.metrics { overflow-x: auto; width: fit-content; max-width: 100%;
  border: 1px solid light-dark(#dbe1e7, #303842); border-radius: .4rem;
  --ground: light-dark(#ffffff, #14181d); --raised: light-dark(#f3f5f7, #1c2229); --line: light-dark(#dbe1e7, #303842);
  --quiet: light-dark(#52606d, #9fb0c0); }
.metrics:focus-visible { outline: 2px solid light-dark(#2f6299, #8dbbe6); outline-offset: 1px; }
.metrics table { border-collapse: separate; border-spacing: 0; font-size: .875rem; line-height: 1.25; margin: 0; }
.metrics th, .metrics td { border: 0; border-bottom: 1px solid var(--line); padding: .35rem .45rem; text-align: right;
  vertical-align: top; font-weight: 400; background: var(--ground); white-space: nowrap; }
.metrics thead th, .metrics tfoot th { background: var(--raised); vertical-align: bottom; }
.metrics thead tr:first-child th { text-align: left; font-size: .75rem; letter-spacing: .02em; color: var(--quiet); }
.metrics thead tr:last-child th, .metrics tfoot th { font-weight: 600; white-space: normal; min-width: 6.2rem; max-width: 11rem; }
.metrics thead tr:first-child span { position: sticky; left: 14.2rem; }
.metrics .first { border-left: 1px solid var(--line); }
.metrics th.corner, .metrics tbody th { position: sticky; left: 0; text-align: left; white-space: normal;
  min-width: 12rem; max-width: 15rem; overflow-wrap: anywhere; border-right: 1px solid var(--line); z-index: 1; }
.metrics tr th.corner { z-index: 2; vertical-align: bottom; font-weight: 600; font-size: .875rem; color: inherit; }
.metrics table > :last-child > tr:last-child > * { border-bottom: 0; }
.metrics tbody tr:hover > * { background: var(--raised); }
.metrics small { display: block; font-size: .75rem; color: var(--quiet); font-weight: 400; }
.metrics small.size { display: inline-block; margin-left: .3em; }
.metrics td { font-variant-numeric: tabular-nums; }
.metrics td small { white-space: normal; max-width: 9.5rem; margin-left: auto; }
.metrics td small.interval { white-space: nowrap; }
/* So that the six columns of a first visit stand whole beside the sidebar of a small screen. */
@media (max-width: 1400px) {
  .metrics table { font-size: .8125rem; }
  .metrics th, .metrics td { padding: .3rem .35rem; }
  .metrics thead tr:last-child th, .metrics tfoot th { min-width: 5.4rem; hyphens: auto; }
  .metrics th.corner, .metrics tbody th { min-width: 10rem; }
  .metrics thead tr:first-child span { left: 12.2rem; }
  .metrics small { font-size: .71875rem; }
}
.metrics .sign { display: inline-block; width: 1.2em; color: var(--quiet); font-size: .75rem; }
.metrics .best { font-weight: 700; }
.metrics .baseline > * { border-top: 2px solid var(--line); font-style: italic; }
.metrics .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
"""


def metric_table_html(heads: Sequence[Head], lines: Sequence[Line], *, corner: str, label: str) -> str:
    """The table in a box in which it scrolls sideways; every text is escaped. Of a long one the heads stand below as well."""
    decimals = [max((_decimals(line.cells[column].text) for line in lines), default=0) for column in range(len(heads))]
    has_signs = any(cell.sign for line in lines for cell in line.cells)
    body = "".join(_line(line, _starts(heads), decimals, has_signs) for line in lines)
    row = "".join(_head(head, is_first) for head, is_first in zip(heads, _starts(heads), strict=True))
    below = f'<tfoot aria-hidden="true"><tr><th class="corner">{escape(corner)}</th>{row}</tr></tfoot>'
    return (
        f"<style>{_STYLE}</style>"
        f'<div class="metrics" role="region" tabindex="0" aria-label="{escape(label)}"><table>'
        f'<thead><tr><th class="corner" scope="col" rowspan="2">{escape(corner)}</th>{"".join(_groups(heads))}</tr>'
        f"<tr>{row}</tr></thead><tbody>{body}</tbody>{below if len(lines) > _LONG else ''}</table></div>"
    )


def _starts(heads: Sequence[Head]) -> list[bool]:
    """Whether each column begins a group."""
    return [not column or heads[column - 1].group != head.group for column, head in enumerate(heads)]


def _groups(heads: Sequence[Head]) -> Iterator[str]:
    starts = [column for column, is_first in enumerate(_starts(heads)) if is_first]
    for start, end in zip(starts, [*starts[1:], len(heads)], strict=True):
        yield f'<th class="first" scope="colgroup" colspan="{end - start}"><span>{escape(heads[start].group)}</span></th>'


def _head(head: Head, is_first: bool) -> str:
    direction = f'&nbsp;<span aria-hidden="true">{head.arrow}</span>' if head.arrow else ""
    unseen = f'<span class="unseen">{escape(_(_WORDS[head.arrow]))}</span>' if head.arrow else ""
    order = ' aria-sort="other"' if head.is_sorted else ""
    return (
        f'<th scope="col"{_first(is_first)}{order} title="{escape(head.meaning)}">{escape(head.title)}{direction}{unseen}'
        f"<small>{escape(head.family)}</small></th>"
    )


def _line(line: Line, starts: Sequence[bool], decimals: Sequence[int], has_signs: bool) -> str:
    cells = "".join(_cell(*of, has_signs) for of in zip(line.cells, starts, decimals, strict=True))
    baseline = ' class="baseline"' if line.is_baseline else ""
    size = f' <small class="size">{escape(line.size)}</small>' if line.size else ""
    head = (
        f'<th scope="row"{_meaning(line.meaning)}>{escape(line.title)}{size}<small>{escape(line.detail)}</small></th>'
    )
    return f"<tr{baseline}>{head}{cells}</tr>"


def _cell(cell: Cell, is_first: bool, decimals: int, has_signs: bool) -> str:
    """The point of its value stands below those of the others: decimals, the most that its column has."""
    notes = "".join(f"<small{_unbroken(note)}>{escape(note)}</small>" for note in cell.notes)
    notes = f'<span class="sign">{escape(cell.sign)}</span>{notes}' if has_signs else notes
    attributes = f"{_first(is_first)}{_meaning(cell.meaning)}"
    missing = decimals - _decimals(cell.text)
    room = f"{missing}ch" if "." in cell.text else f"calc({missing}ch + .28em)"
    style = f' style="padding-right: {room}"' if missing else ""
    if not cell.is_best:
        value = f"<span{style}>{escape(cell.text)}</span>" if style else escape(cell.text)
        return f"<td{attributes}>{value}{notes}</td>"
    star = f'<span aria-hidden="true">{BEST} </span><span class="unseen">{escape(_("best:"))} </span>'
    return f'<td{attributes}><span class="best"{style}>{star}{escape(cell.text)}</span>{notes}</td>'


def _meaning(text: str) -> str:
    return f' title="{escape(text)}"' if text else ""


def _unbroken(note: str) -> str:
    """An interval stays in one line."""
    return ' class="interval"' if _INTERVAL.fullmatch(note) else ""


def _decimals(text: str) -> int:
    """How many characters follow the point.

    >>> _decimals("0.371"), _decimals("–"), _decimals("1,234")
    (3, 0, 0)
    """
    return len(text.partition(".")[2])


def _first(is_first: bool) -> str:
    return ' class="first"' if is_first else ""
