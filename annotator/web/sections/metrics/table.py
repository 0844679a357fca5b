"""The table of metrics: models and methods down, metrics across; what the columns mean; everything as a file."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from annotator.domain.numbers import UNDEFINED, percent, written
from annotator.domain.projects import Project
from annotator.figures.html_table import Cell, Head, Line, metric_table_html
from annotator.scoring.chance_verdicts import Judged, best_rows, n_without_choice
from annotator.scoring.table import (
    Column,
    MetricRow,
    MetricTable,
    Number,
)
from annotator.usecases.inspect.metric_latex import table_latex
from annotator.usecases.inspect.metric_names import (
    ARROWS,
    details_of,
    family_of,
    parameters_in_common,
    title_of,
    training_in_common,
)
from annotator.usecases.inspect.metric_view import gold_summary
from annotator.usecases.inspect.score_files import table_csv
from annotator.usecases.inspect.training_texts import trust_lines, words_of
from annotator.web.frame import as_text
from annotator.web.sections.metrics.choice import View, choose_view, meaning_of
from annotator.web.sections.metrics.numbers import ScoredTable
from annotator.web.sections.metrics.words import JudgedColumn, say_verdicts
from annotator.web.sections.number_frames import show_numbers

_PAGE = 30
_READABLE = 960  # pixels; longer lines of text are hard to follow
_NOTHING = Judged()


def show(project: Project, scored: ScoredTable) -> ScoredTable:
    """The table with what goes with it; answers the numbers as they are shown, for the charts."""
    st.caption(as_text(gold_summary(scored.table)))
    summary = st.container()
    view, (whole, latex) = choose_view(project, scored)
    with summary:
        _say_of_all(view.rows)
    whole.download_button(
        "All as CSV", partial(_csv, view.scored), f"{_file_name(project)}-metrics.csv", "text/csv", icon=":material/download:",
        on_click="ignore", width="stretch", key="metrics_csv",
        help="One line for each number, of every metric, with its definition and source. It holds every row, or, where only "
        "shared instances count, the rows shown.",
    )  # fmt: skip
    if not view.columns or not view.rows:
        st.info("Choose at least one column and one row.", icon=":material/view_column:")
        return view.scored
    latex.download_button(
        "LaTeX", partial(table_latex, view.scored.table, view.rows, view.columns), f"{_file_name(project)}-metrics.tex",
        "text/plain", icon=":material/download:", on_click="ignore", width="stretch", key="metrics_latex",
        help="The rows and columns that are shown, for a paper: booktabs, the best of a column in bold, what is not defined as a "
        "dash with a footnote.",
    )  # fmt: skip
    _show_rows(project, view)
    _show_counts(view.rows)
    return view.scored


def _say_of_all(rows: Sequence[MetricRow]) -> None:
    """What need not stand in each row."""
    lines = trust_lines(rows, says_training=training_in_common(rows))
    parameters = parameters_in_common(rows)
    lines += [f"Parameters that all rows of a method share. {parameters}."] if parameters else []
    if lines:
        st.caption("  \n".join(map(as_text, lines)))


def _csv(scored: ScoredTable) -> str:
    return table_csv(scored.table, explained=scored.request.explained)


def _file_name(project: Project) -> str:
    return "".join(c if c.isalnum() else "-" for c in project.name).strip("-") or "project"


def _show_rows(project: Project, view: View) -> None:
    """One page of the rows; random stands under each."""
    columns, table = [_judged(view, column) for column in view.columns], view.scored.table
    n_pages = -(-len(view.rows) // _PAGE)
    page = 1
    if n_pages > 1:
        page = int(st.number_input(f"Page of {n_pages}", 1, n_pages, key=f"metrics_page_{project.id}"))
    shown = range(_PAGE * (page - 1), min(_PAGE * page, len(view.rows)))
    below = _below_names(view)
    lines = [Line(title_of(view.rows[n]), below[n], [column.cell(n) for column in columns]) for n in shown]
    if table.random.numbers:
        cells = [_random_cell(table, column) for column in view.columns]
        lines.append(Line(title_of(table.random), "mean of ten seeds", cells, is_baseline=True))
    heads = [_head(column, view) for column in view.columns]
    st.html(metric_table_html(heads, lines, corner="Model · method", label="Metrics by model and method"))
    with st.container(width=_READABLE):
        st.caption(
            "↑ higher is better · ↓ lower is better · ★ the best of its column, among rows that are over the same instances and "
            "better than random (drops of probability and confidence are compared within one model only) · – not defined, or "
            "not in this run · n: number of instances · … to …: 95 % bootstrap interval · ±: standard deviation over seeds · "
            "below them whether the number is better than random (accuracy: than always predicting the majority label), and by "
            "how much: + is better, whichever way the column points, with the 95 % interval. “What they mean” "
            "explains each column."
        )
    say_verdicts(columns, shown, [title_of(row) for row in view.rows], n_without_choice(table))


def _judged(view: View, column: Column) -> JudgedColumn:
    verdicts = view.scored.judged(view.rows, column)
    shared = view.scored.table.shared.get(column.name)
    lacking = [0.0 if shared is None else shared.lacking.get(row.key, 0.0) for row in view.rows]
    may_mark = view.is_shared or not view.differs[column.name]
    best = best_rows(view.rows, column, verdicts, [share > 0 for share in lacking]) if may_mark else set()
    n_in_head = _n_in_head(view, column)
    cells = [
        _cell(row.numbers.get(column.name), n in best, verdicts[n], lacking[n], n_in_head)
        for n, row in enumerate(view.rows)
    ]
    return JudgedColumn(column, verdicts, cells)


def _n_in_head(view: View, column: Column) -> int | None:
    """Over how many instances all rows of a column are, or those that compete; None where they differ."""
    shared = view.scored.table.shared.get(column.name)
    if shared is not None:
        return shared.n
    sizes = {row.numbers[column.name].n for row in view.rows if column.name in row.numbers}
    return sizes.pop() if len(sizes) == 1 else None


def _head(column: Column, view: View) -> Head:
    definition = column.definition
    shared = view.scored.table.shared.get(column.name)
    notes = [family_of(column), *(["best first"] if column == view.order else [])]
    if shared is not None:
        notes.append(f"n {shared.n:,} shared by all rows")
    elif view.differs[column.name]:
        notes.append("no instance in common" if view.is_shared else "over different instances")
    elif (n := _n_in_head(view, column)) is not None:
        notes.append(f"n {n:,}")
    return Head(
        column.group, definition.title, " · ".join(notes), ARROWS[definition.direction],
        meaning_of(column), column == view.order,
    )  # fmt: skip


def _below_names(view: View) -> list[str]:
    """What stands below each row's name: what tells it from the others."""
    has_training = not training_in_common(view.rows)
    return [
        " · ".join(
            part
            for part in (
                detail,
                words_of(row.training) if has_training else "",
                "its selected tokens have the same numbers" if row.key in view.scored.merged else "",
            )
            if part
        )
        for row, detail in zip(view.rows, details_of(view.rows), strict=True)
    ]


def _cell(
    number: Number | None,
    is_best: bool = False,
    judged_number: Judged = _NOTHING,
    lacking: float = 0.0,
    n_in_head: int | None = None,
) -> Cell:
    if number is None:
        return Cell(UNDEFINED)
    notes = [*_notes(number, n_in_head), *judged_number.lines]
    if lacking:
        notes.append(f"lacks {percent(lacking)} of the instances: not compared")
    return Cell(written(number.value), tuple(notes), is_best)


def _random_cell(table: MetricTable, column: Column) -> Cell:
    shared = table.shared.get(column.name)
    return _cell(table.random.numbers.get(column.name), n_in_head=None if shared is None else shared.n)


def _notes(number: Number, n_in_head: int | None) -> list[str]:
    """The interval, the deviation over seeds, and over how many instances, where the head of the column does not say it."""
    notes = []
    if number.low is not None and number.high is not None:
        notes.append(f"{written(number.low)} to {written(number.high)}")
    if number.deviation is not None:
        notes.append(f"± {written(number.deviation, small=1)}")
    if number.n is not None:
        sizes = [f"n {number.n:,}"] if number.n != n_in_head else []
        sizes += [f"{number.n_left_out:,} left out"] if number.n_left_out else []
        notes += [", ".join(sizes)] if sizes else []
    return notes


def _show_counts(rows: Sequence[MetricRow]) -> None:
    """What was scored of each row, and what one should know of it."""
    names = list(dict.fromkeys(name for row in rows for name in row.counts))
    differ = {name for row in rows for name, deviation in row.count_deviations.items() if deviation}
    counts = [
        {"row": title_of(row), **{name.replace("_", " "): _count(row, name, name in differ) for name in names}}
        for row in rows
    ]
    with st.expander("What was scored and what was left out, row by row"):
        show_numbers(counts, (), key="metrics_counts", right=[name.replace("_", " ") for name in sorted(differ)])
        st.caption(
            "Of tokens with equal scores at k, the first ones by position are taken. Instances seen in part have tokens that the "
            "model did not see; these rank last. Over several seeds the counts are means, with ± their standard deviation where "
            "they differ."
        )


def _count(row: MetricRow, name: str, differs: bool) -> float | str | None:
    """A number; as words, with the deviation, where seeds of some row differ."""
    count, deviation = row.counts.get(name), row.count_deviations.get(name)
    if count is None or not differs:
        return count
    return f"{count:,.1f} ± {deviation:,.1f}" if deviation else f"{count:,g}"
