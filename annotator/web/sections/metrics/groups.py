"""The groups of instances beside each other: one metric, a line a group, under the table of all instances."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotator.domain.measurements import grouping_in_words
from annotator.domain.projects import Project
from annotator.figures.html_table import metric_table_html
from annotator.language import _, several
from annotator.scoring.table import MetricRow, MetricTable
from annotator.usecases.databases import Store
from annotator.usecases.inspect.groups import group_lines, group_tables, groups_csv, row_heads
from annotator.usecases.inspect.metric_values import what_to_score
from annotator.usecases.inspect.metrics_table import first_columns, named
from annotator.web.cached_numbers import ValueCache
from annotator.web.presses import pressed
from annotator.web.sections.metrics import state
from annotator.web.sections.metrics.file_names import file_stem
from annotator.web.sections.metrics.numbers import AUTOMATIC, ScoredTable
from annotator.web.session import Visit

_SCORED_AT_ONCE = 12  # groups; more are scored when one asks for them
_PAGE = 30


@st.cache_resource(show_spinner=False)
def _tables() -> ValueCache:
    return ValueCache(most=30_000_000)  # numbers of instances, of eight bytes each


def show(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> None:
    """Nothing where all groups are not asked for, or there are not several."""
    request, groups = scored.request, scored.table.groups
    if not request.by or request.group is not None or len(groups) < 2 or not scored.rows:
        return
    choices = state.choices_of(project)
    columns = {column.name: column for column in scored.table.columns}
    title, metric, file = st.columns([2.2, 2, 1], vertical_alignment="bottom")
    title.markdown(
        several("**{n} group by {by}**", "**{n} groups by {by}**", len(groups), by=grouping_in_words(request.by))
    )
    name = metric.selectbox(
        _("Metric of the groups"), list(columns), format_func=lambda known: named(columns[known]), label_visibility="collapsed",
        key=choices.one(state.GROUP_METRIC, list(columns), next(iter(first_columns(scored.table)), next(iter(columns)))),
    )  # fmt: skip
    tables = _made(store, visit, project, scored)
    if tables is None:
        return
    file.download_button(
        _("Groups as CSV"), partial(groups_csv, tables, explained=request.explained), f"{file_stem(project)}-groups.csv",
        "text/csv", icon=":material/download:", on_click="ignore", width="stretch", key="metrics_groups_csv",
        help=_("Every metric of every group, a line for each number."),
    )  # fmt: skip
    _draw(project, scored.rows, tables, request.by, name, scored)


def _made(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> dict[str, MetricTable] | None:
    """The tables that are kept, or made now: at once where that is quick, else when one asks for it."""
    request, n_groups = scored.request, len(scored.table.groups)
    tables: dict[str, MetricTable] | None = _tables().get(request, dict)
    if tables is not None:
        return tables
    is_quick = n_groups <= _SCORED_AT_ONCE and what_to_score(store, visit.user, project).n_stored <= AUTOMATIC
    if not is_quick and not pressed(
        _("Score each of the {n} groups", n=f"{n_groups:,}"),
        icon=":material/calculate:",
        key=f"metrics_groups_{project.id}",
    ):
        return None
    bar = st.progress(0.0, _("Scoring the groups ..."))

    def show_progress(done: int, of: int) -> None:
        bar.progress(
            min(1.0, done / max(of, 1)), _("Scoring the groups: {done} of {of}", done=f"{done:,}", of=f"{of:,}")
        )

    tables = group_tables(store, visit.user, project, request.options, show_progress)
    bar.empty()
    _tables().put(request, tables, sum(table.behind.n_numbers for table in tables.values() if table.behind) or 1)
    return tables


def _draw(
    project: Project, rows: Sequence[MetricRow], tables: dict[str, MetricTable], by: str, name: str, scored: ScoredTable
) -> None:
    column = scored.table.column(name)
    lines = list(group_lines(tables, by, [row.key for row in rows], name))
    n_pages = -(-len(lines) // _PAGE)
    page = 1
    if n_pages > 1:
        key = state.choices_of(project).number(state.GROUP_PAGE, 1, n_pages, 1)
        page = int(st.number_input(_("Page of {n_pages} of the groups", n_pages=n_pages), 1, n_pages, key=key))
    shown = lines[_PAGE * (page - 1) : _PAGE * page]
    st.html(
        metric_table_html(
            row_heads(rows, column), shown, corner=_("Group"), label=_("{metric} by group", metric=named(column))
        )
    )
    st.caption(
        _(
            "Each group is scored by itself, over its own instances and gold: ★ is the best of its line, and a verdict is "
            "about that group alone. Random differs from group to group, so read a number beside random of its line, not "
            "beside other groups; whether groups differ is not tested here. Of many groups some look better or worse by "
            "chance."
        )
    )
