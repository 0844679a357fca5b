"""What was done on each day, texts by state and kind, and when all will be done."""

import streamlit as st

from annotator.domain.projects import Project, titles_of_kinds
from annotator.figures.work_charts import DayBar, Row, day_chart, row_chart
from annotator.language import _, unsaid
from annotator.usecases.databases import Store
from annotator.usecases.lead.progress import WorkDays, forecast_words, work_days
from annotator.usecases.project.projects import Progress
from annotator.web.cached_numbers import kept
from annotator.web.session import Visit
from annotator.web.shown_times import visit_zone

NO_BAR = {"displayModeBar": False}
_STATES = {
    "complete": unsaid("complete"),
    "queued": unsaid("to annotate"),
    "open": unsaid("in progress or review"),
    "held": unsaid("with the lead"),
    "discarded": unsaid("discarded"),
}
_FEW_DAYS = 30
_LAST = {unsaid("last 30 days"): _FEW_DAYS, unsaid("last 90 days"): 90, unsaid("all"): None}


def show_forecast(store: Store, visit: Visit, project: Project, progress: Progress) -> None:
    """How many texts are left, and when all will be done."""
    forecast = _days(store, visit, project, progress).forecast
    if forecast.n_left:
        st.markdown(
            forecast_words(forecast),
            help=_(
                "Based on the last 14 full days; weekdays without work stay free. Range: 90 % prediction interval "
                "(Student’s t) with at least chance variation between counts."
            ),
        )


def show(store: Store, visit: Visit, project: Project, progress: Progress) -> None:
    """The charts of days and of kinds."""
    numbers = _days(store, visit, project, progress)
    if len(numbers.days) > _FEW_DAYS:
        st.segmented_control(
            _("Days"), list(_LAST), default="last 30 days", required=True, format_func=_,
            key=f"progress_days_{project.id}", label_visibility="collapsed"
        )  # fmt: skip
    n_days = _LAST[st.session_state.get(f"progress_days_{project.id}", "last 30 days")]
    shown = numbers.days if n_days is None else numbers.days[-n_days:]
    st.markdown(_("**Texts by type and state**"))
    states = {state: _(words) for state, words in _STATES.items()}
    by_kind = row_chart(_rows_of_kinds(project, numbers), states, across=_("texts"))
    st.plotly_chart(by_kind, key="progress_by_kind", config=NO_BAR)
    zone = _("Time zone {name}. Corrections count when submitted.", name=visit_zone()[0])
    st.markdown(_("**Submitted and accepted per day**"), help=zone)
    bars = [DayBar(day.day, day.n_submitted, day.n_accepted) for day in shown]
    by_day = day_chart(bars, bar=_("submitted"), line=_("accepted"), up=_("tasks"))
    st.plotly_chart(by_day, key="progress_by_day", config=NO_BAR)
    with st.expander(_("Show as table")):
        rows = [
            {
                _("day"): day.day,
                _("submitted"): day.n_submitted,
                _("accepted"): day.n_accepted,
                _("texts done"): day.n_done,
            }
            for day in reversed(shown)
        ]
        st.dataframe(rows, hide_index=True, key="progress_days_table")


def _rows_of_kinds(project: Project, numbers: WorkDays) -> list[Row]:
    names = {"": _("originals")} | titles_of_kinds(project)
    by_kind: dict[str, dict[str, float]] = {}
    for count in numbers.kinds:
        by_kind.setdefault(count.kind, {})[count.state] = count.n
    return [Row(names.get(kind, kind), counts) for kind, counts in by_kind.items()]


def _days(store: Store, visit: Visit, project: Project, progress: Progress) -> WorkDays:
    name, zone = visit_zone()
    return kept(
        store, visit, project, progress, ("days", name), WorkDays, lambda: work_days(store, visit.user, project, zone)
    )
