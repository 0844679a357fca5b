"""The page of a report: what is on it, and its template, in which every value is escaped by itself.

No script, no link that leads elsewhere, and no file beside it: the Content-Security-Policy forbids the browser to fetch anything,
so that a text that slipped through would do nothing either.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.domain.texts import set_letter
from annotator.figures.html_table import Head, Line, metric_table_html
from annotator.figures.report.drawings import BarChart, IntervalChart, LineChart
from annotator.figures.report.heat import MOST_LANES, STEPS, HeatMap, gold_rules

if TYPE_CHECKING:
    from jinja2 import Environment

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Definition:
    """What a number is. words: in plain words and which way is better, "" for none."""

    title: str
    words: str
    definition: str
    source: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """The table of metrics with what is said of it. verdicts: by column, a sentence a line."""

    title: str
    heads: Sequence[Head]
    lines: Sequence[Line]
    about: Sequence[str]
    legend: str
    verdicts: Sequence[tuple[str, Sequence[str]]]
    verdict_note: str
    intervals: Sequence[IntervalChart]
    curves: Sequence[LineChart]
    curve_note: str


@dataclass(frozen=True, slots=True)
class TwoModels:
    """What one model wins and loses against another; rows: cells by head, all of the same heads."""

    title: str
    sentences: Sequence[str]
    rows: Sequence[Mapping[str, str]]
    note: str
    bins: BarChart | None


@dataclass(frozen=True, slots=True)
class DifferingSide:
    """The texts in which one of two rows is higher; rows: cells by head, all of the same heads."""

    title: str
    rows: Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class DifferingTexts:
    """The texts in which two rows differ most in a number, and in a sentence how much they differ in all."""

    title: str
    sentence: str
    sides: Sequence[DifferingSide]


@dataclass(frozen=True, slots=True)
class Differences:
    """Rows against one of them. words: by column, a sentence a row; texts: None where nothing is compared."""

    title: str
    heads: Sequence[Head]
    lines: Sequence[Line]
    notes: Sequence[str]
    words: Sequence[tuple[str, Sequence[str]]]
    texts: DifferingTexts | None


@dataclass(frozen=True, slots=True)
class GoldSet:
    """A gold set of a text: how many tokens it has, and who made it where that is told."""

    number: int
    n_tokens: int
    by: str = ""

    @property
    def letter(self) -> str:
        return set_letter(self.number)


@dataclass(frozen=True, slots=True)
class ReportedText:
    """A text with its gold and the maps of the models. facts: its label, its split ..."""

    key: str
    language: str
    facts: Sequence[str]
    gold: Sequence[GoldSet]
    maps: Sequence[HeatMap]


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts that are shown, and how they were chosen."""

    chosen: str
    notes: Sequence[str]
    items: Sequence[ReportedText]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything on the page, in its order. made: how, as facts; command: what makes it again."""

    title: str
    facts: Sequence[tuple[str, str]]
    numbers: Numbers
    differences: Differences | None
    two_models: TwoModels | None
    texts: Texts
    definitions: Sequence[Definition]
    command: str
    made: Sequence[str]


def report_html(report: Report) -> str:
    """The whole page."""
    combinations = {
        look
        for text in report.texts.items
        for heat_map in text.maps
        for segment in heat_map.segments
        for word in segment.words
        for look in word.look.split()
        if look.startswith("g")
    }
    lanes = max(1, min(MOST_LANES, max((len(text.gold) for text in report.texts.items), default=1)))
    table = _table(report.numbers, "Metrics by model and method")
    against = "" if report.differences is None else _table(report.differences, report.differences.title)
    css, template = _css(combinations, lanes), _environment().get_template("page.html")
    return template.render(report=report, policy=POLICY, lanes=lanes, table=table, against=against, css=_safe(css))


def _table(of: Numbers | Differences, label: str) -> object:
    return _safe(metric_table_html(of.heads, of.lines, corner="Model · method", label=label))


def _css(combinations: set[str], lanes: int) -> str:
    """Of our own making alone: the sheet, the steps of heat and the underlines of the combinations of sets that are met."""
    steps = "".join(
        f".heat .{end}{step}{{background-color:color-mix(in srgb,var(--{name}) {100 * step // STEPS}%,var(--paper))}}"
        for end, name in (("s", "supports"), ("o", "opposes"), ("w", "weight"))
        for step in range(1, STEPS + 1)
    )
    return (_FOLDER / "page.css").read_text(encoding="utf-8") + steps + "".join(gold_rules(combinations, lanes))


def _safe(ours: str) -> object:
    """What was escaped where it was made, or holds nothing from outside."""
    from markupsafe import Markup  # noqa: PLC0415

    return Markup(ours)  # noqa: S704  (a table whose every value is escaped, and our own sheet)


@cache
def _environment() -> "Environment":
    """A value that a template names and nobody gives is an error and not an empty place."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # noqa: PLC0415  (with the first report)

    return Environment(
        loader=FileSystemLoader(_FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, auto_reload=False,
    )  # fmt: skip
