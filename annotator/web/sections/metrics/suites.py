"""Failure rates of functional tests as a chart on the Metrics page; a click on a bar of a test opens its failing cases."""

from collections.abc import Iterator, Sequence

import streamlit as st

from annotator.domain.projects import Project
from annotator.domain.suites import StoredSuite
from annotator.figures.grouped_bars import Bar, grouped_bars
from annotator.language import _, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.suites.construction import suites_of
from annotator.usecases.suites.results import ResultRow, suite_results
from annotator.web.sections.metrics import state
from annotator.web.sections.metrics.numbers import ScoredTable
from annotator.web.sections.number_frames import show_numbers
from annotator.web.sections.suites.cases import failing_cases
from annotator.web.session import Visit

_CAPABILITIES = unsaid("capability")
_TESTS = unsaid("test")
_OPENED = "metrics_suite_opened"


def show(store: Store, visit: Visit, project: Project, _scored: ScoredTable) -> None:
    """One suite; a bar a model for each capability or test."""
    suites = suites_of(store, visit.user, project)
    rows, by = _choose(store, visit, project, suites) if suites else ([], _TESTS)
    bars = [bar for row in rows for bar in _bars(row)]
    if not bars:
        st.info(
            _(
                "No model has answered functional tests yet. Make a suite and run it on the page Tests; its failure rates then "
                "appear here."
            ),
            icon=":material/fact_check:",
        )
        return
    event = st.plotly_chart(
        grouped_bars(bars, across=_(by), up=_("failure rate ↓")), key=f"metrics_suite_chart_{project.id}", on_select="rerun",
        selection_mode="points", config={"displayModeBar": False}, alt=_("Failure rates by {by} and model", by=_(by)),
    )  # fmt: skip
    st.caption(
        _(
            "Failing cases / cases that the test applies to, with 95 % intervals over further cases made in the same way. "
            "Click the bar of a test to open its failing cases. The page Tests has all numbers."
        )
    )
    numbers = [
        {
            _(by): bar.column, _("model"): bar.name, _("failure rate"): bar.value, _("low"): bar.low, _("high"): bar.high,
            _("cases"): bar.n,
        }
        for bar in bars
    ]  # fmt: skip
    show_numbers(numbers, {_("failure rate"), _("low"), _("high")}, key="metrics_suite_numbers")
    points = event["selection"]["points"]
    _open(visit, project, rows, tuple(points[0]["customdata"][:2]) if points else None)


def _choose(store: Store, visit: Visit, project: Project, suites: Sequence[StoredSuite]) -> tuple[list[ResultRow], str]:
    """The rows of a suite that are shown, and what they are."""
    left, right = st.columns([2, 2], vertical_alignment="bottom")
    choices, by_name = state.choices_of(project), {stored.name: stored for stored in suites}
    names, ways = list(by_name), [_CAPABILITIES, _TESTS]
    suite = by_name[left.selectbox(_("Suite"), names, key=choices.one(state.SUITE, names, names[0]))]
    by_key = choices.one(state.BY, ways, _CAPABILITIES, part="suite")
    by = right.segmented_control(_("By"), ways, required=True, key=by_key, format_func=_) or _CAPABILITIES
    rows = suite_results(store, visit.user, project, suite).rows
    return [row for row in rows if (row.test is not None) == (by == _TESTS)], by


def _bars(row: ResultRow) -> Iterator[Bar]:
    for model, rate in row.rates.items():
        if rate.rate is not None:
            low, high = (None, None) if rate.bounds is None else (rate.bounds.low, rate.bounds.high)
            yield Bar(row.name, model, rate.rate, row.n_cases, low, high)


def _open(visit: Visit, project: Project, rows: Sequence[ResultRow], chosen: tuple[str, str] | None) -> None:
    """Open the failing cases of the bar that was clicked, once."""
    is_new = st.session_state.get(_OPENED) != chosen
    st.session_state[_OPENED] = chosen
    if chosen is None or not is_new:
        return
    name, model = chosen
    test = next((row.test for row in rows if row.name == name), None)
    if test is not None:
        failing_cases(visit, project, test, model)
