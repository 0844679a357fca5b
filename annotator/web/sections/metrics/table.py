"""The table of metrics in its words: models and methods down, metrics across; everything as a file."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Protocol

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.projects import Project
from annotator.figures.html_table import metric_table_html
from annotator.language import _, listed, several, spoken_language, together, unsaid
from annotator.scoring.chance_verdicts import n_without_choice
from annotator.scoring.table import MetricRow
from annotator.usecases.databases import Store
from annotator.usecases.inspect import shown_table
from annotator.usecases.inspect.measurement import unmeasured
from annotator.usecases.inspect.metric_formats import table_csv, table_latex
from annotator.usecases.inspect.metrics_table import gold_summary, named, title_of
from annotator.web.buttons import pressed
from annotator.web.cached_numbers import cache_of
from annotator.web.frame import as_text
from annotator.web.page_parts import ask_page
from annotator.web.sections.metrics import choices, row_differences
from annotator.web.sections.metrics.numbers import ScoredTable
from annotator.web.sections.metrics.table_controls import View, choose_view
from annotator.web.sections.tables import file_stem, show_numbers
from annotator.web.session import Visit

# What the table of metrics says in words: whether a number is better than chance; what its models learned from.


def say_verdicts(
    columns: Sequence[shown_table.JudgedColumn], shown: Iterable[int], rows: Sequence[MetricRow], n_left_out: int
) -> None:
    """Each verdict of the rows shown as a sentence; and what would have to be computed for those that are missing."""
    titles = [title_of(row) for row in rows]
    shown = list(shown)
    sentences = [(of, list(shown_table.verdict_sentences(of, shown, titles))) for of in columns]
    if any(lines for _of, lines in sentences):
        for of, lines in sentences:
            if lines:
                st.markdown(as_text(named(of.column)) + "".join(f"\n* {as_text(line)}" for line in lines))
        st.caption(as_text(shown_table.what_a_verdict_is(n_left_out)))
    for missing, models in unmeasured([(of.column, of.verdicts) for of in columns], rows, shown):
        st.caption(
            as_text(
                _(
                    "No verdict on {missing} of {models}. Compute method “random” with faithfulness, or "
                    "normalised AOPC, on Saliency.",
                    missing=listed(missing),
                    models=listed(models),
                )
            )
        )


class _HasLearned(Protocol):
    @property
    def model(self) -> str: ...

    @property
    def n_learned(self) -> int: ...


def uncounted_training_summary(rows: Iterable[_HasLearned]) -> str:
    """Of which models what they learned from is not counted; "" of none."""
    learned = {row.model: row.n_learned for row in rows if row.n_learned}
    return together(
        *(
            several(
                "{model}: {n} training text excluded.",
                "{model}: {n} training texts excluded.", n, model=model
            )
            for model, n in learned.items()
        )
    )  # fmt: skip


_PAGE = 30
_COUNTS = {
    "instances": unsaid("instances"),
    "instances_without_answer": unsaid("instances without prediction"),
    "instances_without_gold_sets": unsaid("instances without gold sets"),
    "instances_seen_in_part": unsaid("truncated instances"),
    "instances_with_all_scores_equal": unsaid("instances with all scores equal"),
    "instances_with_ties_at_k": unsaid("instances with ties at k"),
    "instances_with_another_label_explained": unsaid("instances explaining another label"),
    "instances_with_nothing_selected": unsaid("instances with no tokens selected"),
    "instances_with_everything_selected": unsaid("instances with all tokens selected"),
    "instances_without_reaction": unsaid("instances where the model hardly reacts (AOPC range below 0.01)"),
    "instances_outside_aopc_bounds": unsaid("instances outside the beam's AOPC bounds"),
}
_headlines = partial(cache_of, "headlines", 500)
_READABLE = 960  # pixels; longer lines of text are hard to follow


def show(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> ScoredTable:
    """The table with what goes with it; answers the numbers as they are shown, for the charts."""
    summary = st.container()
    view, (whole, latex, page), line = choose_view(project, scored)
    reference = row_differences.choose(project, scored, line)
    if reference and view.columns and view.rows:
        compared = row_differences.compared(scored, view, reference)
        looked_at = row_differences.show(store, visit, project, compared, (whole, latex), scored.request.explained)
        _offer_report(project, view, page, looked_at)
        return view.scored
    contents = partial(table_csv, view.scored.table, explained=view.scored.request.explained)
    whole.download_button(
        _("All as CSV"), contents, f"{file_stem(project.name)}-metrics.csv", "text/csv", icon=":material/download:",
        on_click="ignore", width="stretch", key="metrics_csv", help=_("One value per line, with definition and source.")
    )  # fmt: skip
    if not view.columns or not view.rows:
        st.info(_("Choose a column and a row."), icon=":material/view_column:")
        return view.scored
    latex.download_button(
        _("LaTeX"), partial(table_latex, view.scored.table, view.rows, view.columns), f"{file_stem(project.name)}-metrics.tex",
        "text/plain", icon=":material/download:", on_click="ignore", width="stretch", key="metrics_latex",
        help=_("Rows and columns shown, as booktabs.")
    )  # fmt: skip
    _offer_report(project, view, page)
    columns = [
        shown_table.judged_column(view.shown, column, view.scored.judged(view.rows, column)) for column in view.columns
    ]
    # All rows are compared in the columns of first sight: seconds, where there are many texts.
    rows, names = tuple(row.key for row in view.rows), tuple(column.name for column in view.columns)
    best_row = _headlines().get_or_make(
        (view.scored.request, view.scored.shared, rows, names, spoken_language()),
        str,
        lambda: shown_table.headline(view.shown, columns),
        lambda _made: 1,
    )
    if best_row:
        summary.markdown(f"**{as_text(best_row)}**")
    shown = _show_rows(project, view, columns)
    with st.expander(_("About these numbers")):
        about = [gold_summary(scored.table), *shown_table.summaries_of_rows(view.rows, scored.merged)]
        st.caption("  \n".join(map(as_text, about)))
        say_verdicts(columns, shown, view.rows, n_without_choice(view.scored.table))
        _show_counts(view.rows)
    return view.scored


def _offer_report(
    project: Project, view: View, page: DeltaGenerator, looked_at: row_differences.LookedAt = row_differences.NOTHING
) -> None:
    if pressed(
        _("Report"), container=page, key=f"metrics_report_open_{project.id}", icon=":material/description:", width="stretch"
    ):  # fmt: skip
        from annotator.web.sections.metrics import report  # noqa: PLC0415  (the page is shown without what makes one)

        report.dialog(project, view, looked_at, f"{file_stem(project.name)}-report.html")


def _show_rows(project: Project, view: View, columns: Sequence[shown_table.JudgedColumn]) -> range:
    """One page of the rows; random stands under each. Answers the places of those that are on it."""
    shown_view = view.shown
    n_pages = -(-len(view.rows) // _PAGE)
    page = ask_page(n_pages, key=choices.choices_of(project).number(choices.TABLE_PAGE, 1, max(1, n_pages), 1))
    shown = range(_PAGE * (page - 1), min(_PAGE * page, len(view.rows)))
    heads = [shown_table.head_of(column, shown_view) for column in view.columns]
    lines = shown_table.lines_of(shown_view, columns, shown)
    st.html(metric_table_html(heads, lines, corner=_("Model · method"), label=_("Metrics by model and method")))
    with st.container(width=_READABLE):
        st.caption(_(shown_table.LEGEND))
    return shown


def _show_counts(rows: Sequence[MetricRow]) -> None:
    """What was scored of each row, and what one should know of it."""
    names = list(dict.fromkeys(name for row in rows for name in row.counts))
    differ = {name for row in rows for name, deviation in row.count_deviations.items() if deviation}
    counts = [
        {_("row"): title_of(row), **{_count_title(name): _count(row, name, name in differ) for name in names}}
        for row in rows
    ]
    show_numbers(counts, (), key="metrics_counts", right=[_count_title(name) for name in sorted(differ)])
    st.caption(
        _(
            "Ties at k go to earlier tokens; equal scores select none. Truncated tokens rank last (MAP: not "
            "ranked). Over seeds: mean ± standard deviation."
        )
    )


def _count_title(name: str) -> str:
    return _(_COUNTS[name]) if name in _COUNTS else name.replace("_", " ")


def _count(row: MetricRow, name: str, differs: bool) -> float | str | None:
    """A number; as words, with the deviation, where seeds of some row differ."""
    count, deviation = row.counts.get(name), row.count_deviations.get(name)
    if count is None or not differs:
        return count
    return f"{count:,.1f} ± {deviation:,.1f}" if deviation else f"{count:,g}"
