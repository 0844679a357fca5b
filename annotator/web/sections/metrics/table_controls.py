"""What is shown of the table of metrics: the controls over it choose columns, rows and their order; what columns mean."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.projects import Project
from annotator.language import _, clause_by_clause
from annotator.metrics.registry import one_of_each
from annotator.scoring.shared_instances import are_different, leaves_too_few, over_own
from annotator.scoring.table import Column, MetricRow, MetricTable, best_layers, sorted_rows
from annotator.usecases.inspect.metric_formats import signature_of_table
from annotator.usecases.inspect.metrics_table import first_columns, group_of, named, plain_words_of, sentence_of
from annotator.usecases.inspect.shown_table import TableView
from annotator.web.frame import as_text
from annotator.web.page_choices import PageChoices
from annotator.web.sections.metrics import choices as state
from annotator.web.sections.metrics.numbers import ScoredTable


@dataclass(frozen=True, slots=True)
class View:
    """What is shown of a table. order: the column by which rows are sorted, None for the order they come in."""

    scored: ScoredTable
    rows: Sequence[MetricRow]
    columns: Sequence[Column]
    order: Column | None
    differs: Mapping[str, bool]

    @property
    def shown(self) -> TableView:
        """The same as what is drawn takes it."""
        scored = self.scored
        return TableView(
            scored.table, self.rows, self.columns, self.differs, bool(scored.shared), scored.merged, self.order
        )


def choose_view(project: Project, scored: ScoredTable) -> tuple[View, Sequence[DeltaGenerator], DeltaGenerator]:
    """The controls over the table; answers what they ask for, the places of the two files and of the report, and that of the
    comparison.
    """
    table, choices = scored.table, state.choices_of(project)
    pick, filtering, taking, reporting, _rest = st.columns([1, 1, 1, 1, 1.2], vertical_alignment="center")
    with pick.popover(_("Columns"), icon=":material/view_column:", width="stretch"):
        columns = _choose_columns(choices, table)
        show_meanings(columns)
        st.code(signature_of_table(table), language=None, wrap_lines=True)
    with filtering.popover(_("Rows"), icon=":material/filter_list:", width="stretch"):
        order = _choose_order(choices, columns)
        rows = _choose_rows(choices, scored, order or (columns[0] if columns else None))
        shared, line = st.container(), st.container()
    popover = taking.popover(_("Download"), icon=":material/download:", width="stretch")
    files = [popover.container(), popover.container(), reporting]  # over the report's dialog a popover would stay open
    differs = {column.name: are_different(table, rows, column) for column in columns}
    if any(differs.values()) and _wants_shared(choices, shared, unless=leaves_too_few(table, rows, columns)):
        scored = scored.over_shared(rows)
        rows = list(scored.rows)
    else:
        scored = replace(scored, table=over_own(table, rows, columns))
    shown = sorted_rows(rows, order) if order is not None else rows
    return View(scored, shown, columns, order, differs), files, line


def _wants_shared(choices: PageChoices, line: DeltaGenerator, *, unless: bool) -> bool:
    return line.toggle(
        _("Shared instances only"),
        key=choices.flag(state.INSTANCES, default=not unless, words=("own", "shared")),
        help=_(
            "If off, each row uses its own instances and none is best. Excludes rows lacking over a fifth "
"of the instances that half of the others share."
        )
    )  # fmt: skip


def _choose_columns(choices: PageChoices, table: MetricTable) -> list[Column]:
    by_name = {column.name: column for column in table.columns}
    # Another gold policy or split may have other columns; a stated k brings more, which the first ones then show.
    part = "with_k" if table.gold["scored_without_gold"] and any(table.gold["ratios"].values()) else ""
    offered = sorted(by_name, key=lambda name: name not in one_of_each(list(by_name)))  # variants of an idea come last
    chosen = st.multiselect(
        _("Columns (of {n})", n=len(by_name)), offered,
        key=choices.several(state.COLUMNS, list(by_name), first_columns(table), part=part),
        format_func=lambda name: f"{group_of(by_name[name])}: {named(by_name[name])}", placeholder=_("Choose")
    )  # fmt: skip
    return [column for column in table.columns if column.name in chosen]


def _choose_order(choices: PageChoices, columns: Sequence[Column]) -> Column | None:
    by_name = {column.name: column for column in columns}
    names = ["", *by_name]
    chosen = st.selectbox(
        _("Sort rows by"), names, key=choices.one(state.ORDER, names, ""),
        format_func=lambda name: named(by_name[name]) if name else _("name")
    )  # fmt: skip
    return by_name.get(chosen)


def _choose_rows(choices: PageChoices, scored: ScoredTable, by: Column | None) -> list[MetricRow]:
    rows = list(scored.rows)
    for word, label, choice, values in (
        ("model", _("Only models"), state.MODELS, [row.model for row in rows]),
        ("method", _("Only methods"), state.METHODS, [row.method for row in rows if row.method]),
    ):
        options = list(dict.fromkeys(values))
        chosen = st.multiselect(
            label, options, key=choices.several(choice, options, ()), placeholder=_("all")
        )  # fmt: skip
        rows = [row for row in rows if not chosen or getattr(row, word) in chosen]
    if by is not None and any(row.layer is not None for row in rows):
        only_best = st.checkbox(
            _("Only the best layer by {metric}", metric=named(by)),
            key=choices.flag(state.LAYERS, words=("all", "best")),
        )
        return best_layers(rows, by) if only_best else rows
    return rows


def show_meanings(columns: Iterable[Column]) -> None:
    """What each column is, which way is better, when it is not defined, and where it is from."""
    for column in columns:
        plain = plain_words_of(column.definition)
        st.markdown(
            f"**{as_text(named(column))}**  \n{as_text(plain)}  \n:small[{as_text(sentence_of(column.definition))}]  \n"
            f":small[{as_text(_('Source: {source}', source=clause_by_clause(column.definition.source)))}]"
        )
