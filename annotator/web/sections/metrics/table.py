"""The table of metrics in its words: models and methods down, metrics across; everything as a file."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Protocol

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from annotator.domain.projects import Project
from annotator.figures.html_table import metric_table_html
from annotator.language import _, listed, several, together, unsaid
from annotator.scoring.chance_verdicts import n_without_choice
from annotator.scoring.table import MetricRow
from annotator.usecases.databases import Store
from annotator.usecases.inspect.measurement import unmeasured
from annotator.usecases.inspect.metric_formats import table_csv, table_latex
from annotator.usecases.inspect.metrics_table import gold_summary, named, title_of
from annotator.usecases.inspect.shown_table import (
    LEGEND,
    JudgedColumn,
    head_of,
    judged_column,
    lines_of,
    summaries_of_rows,
    verdict_sentences,
    what_a_verdict_is,
)
from annotator.web.buttons import pressed
from annotator.web.frame import as_text
from annotator.web.sections.metrics import choices, row_differences
from annotator.web.sections.metrics.choices import file_stem
from annotator.web.sections.metrics.numbers import ScoredTable
from annotator.web.sections.metrics.table_controls import View, choose_view
from annotator.web.sections.tables import show_numbers
from annotator.web.session import Visit

# What the table of metrics says in words: whether a number is better than chance; what its models learned from.


def say_verdicts(
    columns: Sequence[JudgedColumn], shown: Iterable[int], rows: Sequence[MetricRow], n_left_out: int
) -> None:
    """Each verdict of the rows shown as a sentence; and what would have to be computed for those that are missing."""
    titles = [title_of(row) for row in rows]
    shown = list(shown)
    sentences = [(of, list(verdict_sentences(of, shown, titles))) for of in columns]
    if any(lines for _of, lines in sentences):
        with st.expander(_("Better than random? In words")):
            for of, lines in sentences:
                if lines:
                    st.markdown(as_text(named(of.column)) + "".join(f"\n* {as_text(line)}" for line in lines))
            st.caption(as_text(what_a_verdict_is(n_left_out)))
    for missing, models in unmeasured([(of.column, of.verdicts) for of in columns], rows, shown):
        st.caption(
            as_text(
                _(
                    "There is no verdict on {missing} of {models}, since random attributions of the same model were not "
                    "measured. On the page Saliency, under “Compute attributions”, compute the method “random” with "
                    "faithfulness.",
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
                "{model}: {n} text that it learned from is left out.",
                "{model}: {n} texts that it learned from are left out.", n, model=model,
            )
            for model, n in learned.items()
        )
    )  # fmt: skip


_PAGE = 30
_COUNTS = {
    "instances": unsaid("instances"),
    "instances_without_answer": unsaid("instances without answer"),
    "instances_without_gold_sets": unsaid("instances without gold sets"),
    "instances_seen_in_part": unsaid("instances seen in part"),
    "instances_with_all_scores_equal": unsaid("instances with all scores equal"),
    "instances_with_ties_at_k": unsaid("instances with ties at k"),
    "instances_with_another_label_explained": unsaid("instances with another label explained"),
    "instances_with_nothing_selected": unsaid("instances with nothing selected"),
}
_READABLE = 960  # pixels; longer lines of text are hard to follow


def show(store: Store, visit: Visit, project: Project, scored: ScoredTable) -> ScoredTable:
    """The table with what goes with it; answers the numbers as they are shown, for the charts."""
    st.caption(as_text(gold_summary(scored.table)))
    summary = st.container()
    view, (whole, latex, page), line = choose_view(project, scored)
    with summary:
        _say_of_all(view.rows)
    reference = row_differences.choose(project, scored, line)
    if reference and view.columns and view.rows:
        compared = row_differences.compared(scored, view, reference)
        looked_at = row_differences.show(store, visit, project, compared, (whole, latex), scored.request.explained)
        _offer_report(project, view, page, looked_at)
        return view.scored
    whole.download_button(
        _("All as CSV"), partial(_csv, view.scored), f"{file_stem(project)}-metrics.csv", "text/csv", icon=":material/download:",
        on_click="ignore", width="stretch", key="metrics_csv",
        help=_(
            "One line for each number, of every metric, with its definition and source. It holds every row, or, where only "
            "shared instances count, the rows shown."
        ),
    )  # fmt: skip
    if not view.columns or not view.rows:
        st.info(_("Choose at least one column and one row."), icon=":material/view_column:")
        return view.scored
    latex.download_button(
        _("LaTeX"), partial(table_latex, view.scored.table, view.rows, view.columns), f"{file_stem(project)}-metrics.tex",
        "text/plain", icon=":material/download:", on_click="ignore", width="stretch", key="metrics_latex",
        help=_(
            "The rows and columns that are shown, for a paper: booktabs, the best of a column in bold, what is not defined as a "
            "dash with a footnote."
        ),
    )  # fmt: skip
    _offer_report(project, view, page)
    _show_rows(project, view)
    _show_counts(view.rows)
    return view.scored


def _offer_report(
    project: Project, view: View, page: DeltaGenerator, looked_at: row_differences.LookedAt = row_differences.NOTHING
) -> None:
    if pressed(
        _("Report"), container=page, key=f"metrics_report_open_{project.id}", icon=":material/description:", width="stretch",
        help=_("One HTML page to send: this table with charts and texts. It needs no server."),
    ):  # fmt: skip
        from annotator.web.sections.metrics import report  # noqa: PLC0415  (the page is shown without what makes one)

        report.dialog(project, view, looked_at, f"{file_stem(project)}-report.html")


def _say_of_all(rows: Sequence[MetricRow]) -> None:
    """What need not stand in each row."""
    if lines := summaries_of_rows(rows):
        st.caption("  \n".join(map(as_text, lines)))


def _csv(scored: ScoredTable) -> str:
    return table_csv(scored.table, explained=scored.request.explained)


def _show_rows(project: Project, view: View) -> None:
    """One page of the rows; random stands under each."""
    table, shown_view = view.scored.table, view.shown
    columns = [judged_column(shown_view, column, view.scored.judged(view.rows, column)) for column in view.columns]
    n_pages = -(-len(view.rows) // _PAGE)
    page = 1
    if n_pages > 1:
        key = choices.choices_of(project).number(choices.TABLE_PAGE, 1, n_pages, 1)
        page = int(st.number_input(_("Page of {n_pages}", n_pages=n_pages), 1, n_pages, key=key))
    shown = range(_PAGE * (page - 1), min(_PAGE * page, len(view.rows)))
    heads = [head_of(column, shown_view) for column in view.columns]
    lines = lines_of(shown_view, columns, shown)
    st.html(metric_table_html(heads, lines, corner=_("Model · method"), label=_("Metrics by model and method")))
    with st.container(width=_READABLE):
        st.caption(together(_(LEGEND), _("“What they mean” explains each column.")))
    say_verdicts(columns, shown, view.rows, n_without_choice(table))


def _show_counts(rows: Sequence[MetricRow]) -> None:
    """What was scored of each row, and what one should know of it."""
    names = list(dict.fromkeys(name for row in rows for name in row.counts))
    differ = {name for row in rows for name, deviation in row.count_deviations.items() if deviation}
    counts = [
        {_("row"): title_of(row), **{_count_title(name): _count(row, name, name in differ) for name in names}}
        for row in rows
    ]
    with st.expander(_("What was scored and what was left out, row by row")):
        show_numbers(counts, (), key="metrics_counts", right=[_count_title(name) for name in sorted(differ)])
        st.caption(
            _(
                "Of tokens with equal scores at k, the first ones by position are taken, unless all scores of the text are "
                "equal: then nothing is. Instances seen in part have tokens that the model did not see; these rank last. Over "
                "several seeds the counts are means, with ± their standard deviation where they differ."
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
