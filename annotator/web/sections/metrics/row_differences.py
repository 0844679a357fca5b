"""The table of metrics against one of its rows: differences with interval, p and n; and the instances in which two differ."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.numbers import signed, written
from annotator.domain.projects import Project
from annotator.figures.html_table import metric_table_html
from annotator.figures.instance_html import LinkedRow, instance_list_html
from annotator.language import _, in_brackets, together
from annotator.scoring.row_differences import AgainstTable, Difference, against, with_seeds_apart
from annotator.usecases.compare import differences
from annotator.usecases.compare.row_names import compared_row, names_to_compare, spoken_to_compare
from annotator.usecases.compare.rows import DifferingInstance, TwoRows, differing_instances, maps_of
from annotator.usecases.databases import Store
from annotator.usecases.inspect.metric_values import newest_event
from annotator.usecases.inspect.metrics_table import comparisons_of, named
from annotator.web.cached_numbers import cache_of
from annotator.web.frame import as_text
from annotator.web.sections.metrics import choices as state
from annotator.web.sections.metrics.numbers import ScoredTable
from annotator.web.sections.metrics.table_controls import View
from annotator.web.sections.tables import file_stem
from annotator.web.session import Visit


@dataclass(frozen=True, slots=True)
class LookedAt:
    """By name the row that others are compared with, and the row and number whose instances are listed; "" for none."""

    against: str = ""
    row: str = ""
    metric: str = ""


NOTHING = LookedAt()
_NO_ROW = ""
_MOST = 10  # instances either way
_READABLE = 960  # pixels, as below the table


_tables = partial(cache_of, "differences", 60)


def choose(project: Project, scored: ScoredTable, line: DeltaGenerator) -> str:
    """The name of the row that the others are compared with; "" for none. scored: with all rows, shown or not."""
    names, spoken = (
        names_to_compare(scored.rows, scored.table.random),
        spoken_to_compare(scored.rows, scored.table.random),
    )
    options, shown = [_NO_ROW, *names], dict(zip(names, spoken, strict=True))
    return line.selectbox(
        _("Compare with"), options, key=state.choices_of(project).one(state.AGAINST, options, _NO_ROW),
        format_func=lambda name: shown[name] if name else in_brackets(_("none"))
    )  # fmt: skip


def compared(scored: ScoredTable, view: View, name: str) -> AgainstTable:
    """The rows shown against the row of a name. scored: with all rows."""
    reference = compared_row(scored.rows, scored.table.random, name)

    def made() -> AgainstTable:
        with st.spinner(_("Computing …")):
            shown = with_seeds_apart(view.rows, reference)
            return against(scored.table, reference, shown, view.columns, comparisons_of(scored.table, reference))

    keys = tuple(row.key for row in view.rows)
    return _tables().get_or_make(
        (scored.request, name, keys, tuple(column.name for column in view.columns)), AgainstTable, made, lambda _made: 1
    )


def show(
    store: Store, visit: Visit, project: Project, made: AgainstTable, places: Sequence[DeltaGenerator], explained: str
) -> LookedAt:
    """The table of differences with what goes with it; answers what is looked at. places: of the files."""
    if not made.rows:
        st.info(_("No other rows shown. Choose some under “Rows”."), icon=":material/filter_list:")
        return NOTHING
    _offer_files(project, made, places, explained)
    heads, lines = differences.heads_and_lines(made)
    name = differences.reference_name(made)
    st.html(metric_table_html(heads, lines, corner=_("Model · method"), label=_("Differences from {name}", name=name)))
    with st.container(width=_READABLE):
        lines_below = [
            together(differences.what_it_is(made, name), differences.legend()),
            differences.what_could_be_told(made),
            *differences.reasons(made),
        ]
        st.caption("  \n".join(as_text(line) for line in lines_below if line))
    if made.n_comparisons:
        with st.expander(_("Differences in words")):
            for column in made.columns:
                if listed := list(differences.sentences(made, column)):
                    st.markdown(as_text(named(column)) + "".join(f"\n* {as_text(line)}" for line in listed))
        return _show_instances(store, visit, project, made)
    return LookedAt(differences.english_reference(made))


def _offer_files(project: Project, made: AgainstTable, places: Sequence[DeltaGenerator], explained: str) -> None:
    whole, latex = places[:2]
    written_out: tuple[tuple[DeltaGenerator, str, Callable[[], str], str], ...] = (
        (whole, "CSV", partial(differences.against_csv, made, explained=explained), "csv"),
        (latex, "LaTeX", partial(differences.against_latex, made), "tex"),
    )
    for column, label, contents, ending in written_out:
        column.download_button(
            label, contents, f"{file_stem(project.name)}-differences.{ending}",
            f"text/{'csv' if ending == 'csv' else 'plain'}", width="stretch",
            icon=":material/download:", on_click="ignore", key=f"metrics_against_{ending}_{project.id}",
            help=_("Differences shown, with interval, p and n.")
        )  # fmt: skip


def _show_instances(store: Store, visit: Visit, project: Project, made: AgainstTable) -> LookedAt:
    """For a chosen row and column the largest differences either way, each with a link."""
    newest_event(store, visit.user, project)  # asks for the right as well, whoever made what is kept
    st.markdown(f"##### {_('Instances that differ')}")
    choices = state.choices_of(project)
    of_row, of_column = st.columns([1.3, 1.3])
    columns = {
        column.name: column
        for column in made.columns
        if any(isinstance(cell, Difference) for cell in made.cells[column.name])
    }
    metric = of_column.selectbox(
        _("Compared metric"), list(columns), key=choices.one(state.COMPARED_METRIC, list(columns), next(iter(columns))),
        format_func=lambda name: named(columns[name])
    )  # fmt: skip
    names = differences.english_names(made)
    shown = dict(zip(names, differences.names_of_compared(made), strict=True))
    rows = [name for name, cell in zip(names, made.cells[metric], strict=True) if isinstance(cell, Difference)]
    row = of_row.selectbox(
        _("Compared row"), rows, key=choices.one(state.COMPARED_ROW, rows, rows[0]), format_func=shown.__getitem__
    )
    pair = TwoRows(made.table, columns[metric], made.rows[names.index(row)], made.reference)
    cell = made.cell(names.index(row), columns[metric])
    if isinstance(cell, Difference):
        st.markdown(as_text(differences.sentence_of_pair(cell, shown[row], differences.reference_name(made))))
    listed = differing_instances(store, visit.user, project, pair, most=_MOST)
    panels = maps_of(store, visit.user, project, pair)
    left, right = st.columns(2, gap="medium")
    with left:
        _list(project, _("{row} is higher", row=shown[row]), listed.higher, panels)
    with right:
        _list(project, _("{row} is higher", row=differences.reference_name(made)), listed.lower, panels)
    return LookedAt(differences.english_reference(made), row, metric)


def _list(project: Project, title: str, instances: Sequence[DifferingInstance], panels: str) -> None:
    st.markdown(f"**{as_text(title)}**")
    if not instances:
        st.caption(_("In no instance."))
        return
    rows = [_linked(project, of, panels) for of in instances]
    heads = [_("difference"), _("value"), _("reference value"), _("gold"), _("split")]
    st.html(instance_list_html(rows, heads, label=title))
    st.caption(_("Largest differences, with both heatmaps if available."))


def _linked(project: Project, of: DifferingInstance, panels: str) -> LinkedRow:
    address = state.saliency_address(project, instance=of.id, **({"panels": panels} if panels else {}))
    cells = [signed(of.difference), written(of.value), written(of.of_reference), of.result or "–", of.split or "–"]
    return LinkedRow(address, of.key, cells)
