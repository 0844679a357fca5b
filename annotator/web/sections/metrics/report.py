"""A report to send, on the Metrics page: the table as one HTML page with charts and texts, made when it is asked for."""

from dataclasses import replace

import streamlit as st

from annotator.domain.measurements import group_in_words, grouping_in_words
from annotator.domain.people import has_right
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError
from annotator.language import _, in_brackets, several, spoken_language, together, unsaid
from annotator.usecases.compare.comparison_report import WrittenReport, comparison_report
from annotator.usecases.compare.model_gains import first_pair
from annotator.usecases.compare.report_request import LONGEST_TITLE, MOST_TEXTS, N_TEXTS, ReportRequest, TextChoice
from annotator.usecases.databases import Store
from annotator.usecases.inspect.text_lists import lists_of_project
from annotator.web.buttons import pressed
from annotator.web.frame import as_text
from annotator.web.sections.metrics.numbers import table_with_intervals
from annotator.web.sections.metrics.row_differences import LookedAt
from annotator.web.sections.metrics.table_controls import View
from annotator.web.sections.tables import download
from annotator.web.session import Visit, current_visit, page_store

_NONE = ""
_READY = "metrics_report_ready"  # what was asked for and made in this visit
_DRAWN, _DIFFERENCES = unsaid("random"), unsaid("largest differences")
_LIST, _OF_ROWS = unsaid("from a saved list"), unsaid("largest differences")


def dialog(project: Project, view: View, looked_at: LookedAt, file_name: str) -> None:
    """Open it."""
    st.dialog(_("Report to share"), width="large")(_report)(project, view, looked_at, file_name)


def _report(project: Project, view: View, looked_at: LookedAt, file_name: str) -> None:
    """What the report is to hold. It runs again by itself, when the page's own connection is closed: so it opens one."""
    st.caption(as_text(_what_it_holds(view)))
    with page_store() as store:
        visit = current_visit(store)
        request = _asked(store, visit, project, view, looked_at)
        if pressed(_("Prepare report"), key=f"metrics_report_{project.id}", type="primary"):
            st.session_state[_READY] = (request, _made(store, visit, project, view, request, file_name))
    made_for, made = st.session_state.get(_READY, (None, None))
    if made_for == request and isinstance(made, str):
        st.error(as_text(made), icon=":material/error:")
    elif made_for == request and isinstance(made, WrittenReport):
        _offer(made, file_name)


def _what_it_holds(view: View) -> str:
    scored_as = view.scored.request
    page = _("Standalone HTML without scripts; names people only if you choose.")
    about = ""
    if scored_as.group is not None:
        group = group_in_words(scored_as.by, scored_as.group)
        about = _("Covers one group: {by} {group}.", by=grouping_in_words(scored_as.by), group=group)
    holds = _("Contains everything shown, 95 % intervals, charts, and texts with heatmaps and gold.")
    return together(page, about, holds, _("The report is in English.") if spoken_language() != "en" else "")


def _offer(made: WrittenReport, file_name: str) -> None:
    content = made.html.encode("utf-8", "replace")
    if made.n_closed:
        st.info(
            several(
                "Leaves out {n} text you may still annotate.",
                "Leaves out {n} texts you may still annotate.",
                made.n_closed,
            )
        )
    download(
        file_name, content, mime="text/html", icon=":material/download:", on_click="ignore", key="metrics_report_take"
    )


def _made(
    store: Store, visit: Visit, project: Project, view: View, request: ReportRequest, file_name: str
) -> WrittenReport | str:
    with st.spinner(_("Computing …")):
        try:
            table = table_with_intervals(store, visit, project, view.scored)
            return comparison_report(store, visit.user, project, request, file_name=file_name, table=table)
        except AnnotatorError as error:  # such as a list that was deleted meanwhile
            return str(error)


def _asked(store: Store, visit: Visit, project: Project, view: View, looked_at: LookedAt) -> ReportRequest:
    models = list(dict.fromkeys(row.model for row in view.rows))
    of_title, of_base, of_other = st.columns([2, 1, 1], vertical_alignment="bottom")
    title = of_title.text_input(
        _("Title"), key=f"metrics_report_title_{project.id}", max_chars=LONGEST_TITLE, placeholder=_("from model names")
    )
    base = other = _NONE
    if project.task.result_kind == "label" and len(models) > 1:
        first = first_pair(store, visit.user, project, models)
        others = [_NONE, *models]
        base, other = (
            column.selectbox(
                title, others, others.index(of), key=f"metrics_report_{part}_{project.id}",
                format_func=lambda name: name or in_brackets(_("none")),
            )
            for column, title, of, part in (
                (of_base, _("Base model"), first.base[0], "base"), (of_other, _("Other model"), first.other[0], "other"),
            )
        )  # fmt: skip
        if base == other or not (base and other):
            base = other = _NONE
    of_differences = _OF_ROWS if looked_at.row else _DIFFERENCES if base and not looked_at.against else ""
    texts = _texts(store, visit, project, of_differences)
    may_name = has_right(visit.user, visit.roles, "see all annotations")
    has_names = may_name and st.checkbox(
        _("Name annotators"),
        key=f"metrics_report_names_{project.id}",
        help=_("Also in groups by annotator; otherwise “annotator (not named)”."),
    )
    methods = dict.fromkeys(row.method for row in view.rows if row.method)
    options = replace(view.scored.request.options, n_resamples=0)
    columns = tuple(column.name for column in view.columns)
    return ReportRequest(
        title.strip(), base, other, tuple(models), tuple(methods), columns, texts, has_names, options, looked_at.against,
        looked_at.row, looked_at.metric,
    )  # fmt: skip


def _texts(store: Store, visit: Visit, project: Project, of_differences: str) -> TextChoice:
    lists = [saved.name for saved, _mine in lists_of_project(store, visit.user, project.id) if saved.n]
    ways = [_DRAWN, *([of_differences] if of_differences else []), *([_LIST] if lists else [])]
    of_way, of_n, of_more = st.columns([2, 1, 1], vertical_alignment="bottom")
    way = of_way.selectbox(_("Texts"), ways, key=f"metrics_report_texts_{project.id}", format_func=_)
    if way == _LIST:
        return TextChoice("list", list_name=of_n.selectbox(_("List"), lists, key=f"metrics_report_list_{project.id}"))
    n = int(of_n.number_input(_("Number"), 0, MOST_TEXTS, N_TEXTS, key=f"metrics_report_n_{project.id}"))
    if way == of_differences:
        return TextChoice("differences", n)
    return TextChoice(
        "drawn", n, int(of_more.number_input(_("Seed"), 0, 2**31, 0, key=f"metrics_report_seed_{project.id}"))
    )
