"""The table of a suite's results: failure rates with bars and intervals, two models' difference, a way to failing cases."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.numbers import counted
from annotator.domain.projects import Project
from annotator.domain.suites import capability_name
from annotator.figures.rate_bars import RATE_STYLE, RateBar, rate_bar_html
from annotator.language import _, together, unsaid
from annotator.usecases.suites.results import (
    Rate,
    ResultRow,
    SuiteResults,
    baseline_lines,
    beside_rate,
    comparison_sentence,
    difference_words,
    rate_words,
    what_intervals_are,
)
from annotator.web.frame import as_text
from annotator.web.presses import pressed
from annotator.web.sections.suites.cases import failing_cases
from annotator.web.session import Visit

_N_CASES = 2  # the column
_MOST_BASELINES = 3  # constant ones in a cell
_WIDTH = 1180  # pixels; wider, a number is far from its name
_LEGEND = unsaid(
    "The failure rate is failing cases / cases that the test applies to (the others are n/a); lower is better. A bar reaches "
    "from 0 to 100 %, with the interval on it. ±: standard deviation over seeds. –: no answers yet. Click a number to see its "
    "failing cases. MFT: each text gets the expected label. INV: a changed text keeps the label, or the label's probability "
    "moves by no more than the tolerance. DIR: a probability does not fall, or does not rise, by more than the tolerance."
)
_BASELINES_ARE = unsaid("Baselines read nothing: they always give one label, or a random one.")

# The numbers that can be opened look like links and are no taller than the others.
_STYLE = """
.st-key-tests_table p { overflow-wrap: anywhere; }
[class*="st-key-tests_name_"] { padding-inline-start: 1rem; }
.st-key-tests_table button { min-height: 0; padding: 0; border-radius: .2rem; }
.st-key-tests_table button p { font-size: 1rem; text-decoration: underline; text-underline-offset: 3px;
  color: light-dark(#2f6299, #8dbbe6); }
"""


def show_results(visit: Visit, project: Project, results: SuiteResults, models: Sequence[str]) -> None:
    """In words how two models differ, and the table. models: those that stand in it."""
    if words := comparison_sentence(results):
        st.markdown(as_text(words))
    table = _Table(visit, project, models, results.compared)
    st.html(f"<style>{_STYLE}{RATE_STYLE}</style>")
    with st.container(key="tests_table", gap=None, width=_WIDTH):
        table.show_heads()
        for number, row in enumerate(results.rows):
            table.show_row(number, row)
    st.caption(together(_(_LEGEND), _(_BASELINES_ARE), what_intervals_are()))


class _Table:
    """Capabilities, their tests and all together down, models across; a number opens its failing cases."""

    def __init__(self, visit: Visit, project: Project, models: Sequence[str], compared: tuple[str, str] | None) -> None:
        self.visit = visit
        self.project = project
        self.models = models
        self.compared = compared
        self.widths = [3, 0.6, 0.7, *([2.2] * len(models)), *([1.5] if compared else []), 1.8]

    def show_heads(self) -> None:
        heads = [
            _("Capability and test"),
            _("Type"),
            _("Cases"),
            *self.models,
            *([_("Difference, points")] if self.compared else []),
            _("Baselines"),
        ]
        for number, (column, head) in enumerate(zip(st.columns(self.widths), heads, strict=True)):
            column.markdown(f"**{as_text(head)}**", text_alignment="right" if number == _N_CASES else "left")

    def show_row(self, number: int, row: ResultRow) -> None:
        columns = st.columns(self.widths)
        if row.test is None:
            name = capability_name(row.name) if row.category else _(row.name)
            columns[0].markdown(f"**{as_text(name)}**")
        else:
            columns[0].container(key=f"tests_name_{number}").markdown(as_text(row.name))
            columns[1].markdown(row.test.type)
        columns[2].markdown(f"{row.n_cases:,}", text_alignment="right")
        for index, model in enumerate(self.models):
            self._show_cell(columns[3 + index].container(gap=None), f"tests_cell_{number}_{index}", row, model)
        if self.compared:
            difference, *below = difference_words(row)
            cell = columns[-2].container(gap=None)
            cell.markdown(difference)
            cell.html(rate_bar_html(RateBar(None, None, None, below)))
        columns[-1].html(rate_bar_html(RateBar(None, None, None, baseline_lines(row, _MOST_BASELINES))))

    def _show_cell(self, column: DeltaGenerator, key: str, row: ResultRow, model: str) -> None:
        rate = row.rates[model]
        words = rate_words(rate, row.n_cases)
        if row.test is None or not any(rate.n_failed):
            column.markdown(as_text(words))
        elif pressed(
            as_text(words),
            container=column,
            key=key,
            type="tertiary",
            help=_failing_words(rate),
        ):
            failing_cases(visit=self.visit, project=self.project, test=row.test, model=model)
        if rate.rate is not None:
            low, high = (None, None) if rate.bounds is None else (rate.bounds.low, rate.bounds.high)
            against = "" if rate.against is None else rate.against.words
            column.html(rate_bar_html(RateBar(rate.rate, low, high, [beside_rate(rate), against])))


def _failing_words(rate: Rate) -> str:
    if rate.n_runs < 2:
        return _("The failing cases")
    failed, left_out = (", ".join(f"{n:,}" for n in ns) for ns in (rate.n_failed, rate.n_not_applicable))
    return _(
        "The failing cases. {seeds}: failed {failed}; not applicable {left_out}",
        seeds=counted(rate.n_runs, "seed"),
        failed=failed,
        left_out=left_out,
    )
