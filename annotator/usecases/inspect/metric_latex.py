"""The table of metrics as LaTeX: the rows and columns that are shown, with what is best of what can be compared."""

from collections.abc import Sequence

from annotator.domain.numbers import UNDEFINED, written
from annotator.figures.html_table import Cell, Head, Line
from annotator.figures.latex_table import metric_table_latex
from annotator.scoring.chance_verdicts import judged
from annotator.scoring.table import Column, MetricRow, MetricTable, Number
from annotator.usecases.inspect.metric_names import ARROWS, family_of, names_of
from annotator.usecases.inspect.metric_view import asked_group, best_of


def table_latex(table: MetricTable, rows: Sequence[MetricRow], columns: Sequence[Column]) -> str:
    """These rows and columns, and random below them. What the page marks with a star is bold."""
    cells = [_cells(table, rows, column) for column in columns]
    names = names_of(rows)
    lines = [Line(name, "", [of_column[index] for of_column in cells]) for index, name in enumerate(names)]
    if table.random.numbers:
        at_random = [_cell(table.random.numbers.get(column.name)) for column in columns]
        lines.append(Line("random", "mean of ten seeds", at_random, is_baseline=True))
    sizes = [_size(rows, column) for column in columns]
    is_same = len(set(sizes)) == 1
    heads = [
        Head(
            column.group, column.definition.title + ("" if is_same else size), family_of(column),
            ARROWS[column.definition.direction], "",
        )
        for column, size in zip(columns, sizes, strict=True)
    ]  # fmt: skip
    caption = f"Metrics of {table.project} ({_asked(table)}){sizes[0] if is_same else ''}."
    return metric_table_latex(heads, lines, corner="Model, method", caption=caption)


def _asked(table: MetricTable) -> str:
    parts = [f"gold policy {table.gold_policy}"]
    parts += [] if table.split is None else [f"split {table.split or '(none)'}"]
    parts += [asked_group(table)] if asked_group(table) else []
    return ", ".join(parts)


def _size(rows: Sequence[MetricRow], column: Column) -> str:
    """Over how many instances the numbers of a column are; "" where they are no means over instances."""
    sizes = sorted({number.n for row in rows if (number := row.numbers.get(column.name)) and number.n is not None})
    if not sizes:
        return ""
    return f", n = {sizes[0]:,}" if len(sizes) == 1 else f", n = {sizes[0]:,} to {sizes[-1]:,}"


def _cells(table: MetricTable, rows: Sequence[MetricRow], column: Column) -> list[Cell]:
    best = best_of(table, rows, column, judged(table, rows, column))
    return [_cell(row.numbers.get(column.name), index in best) for index, row in enumerate(rows)]


def _cell(number: Number | None, is_best: bool = False) -> Cell:
    """The value, with its interval and its deviation over seeds where there are any."""
    if number is None:
        return Cell(UNDEFINED)
    notes = []
    if number.low is not None and number.high is not None:
        notes.append(f"[{written(number.low)}, {written(number.high)}]")
    if number.deviation is not None:
        notes.append(f"± {written(number.deviation, small=1)}")
    return Cell(written(number.value), tuple(notes), is_best)
