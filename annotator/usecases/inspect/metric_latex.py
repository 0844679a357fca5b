"""The table of metrics as LaTeX: the rows and columns that are shown, with what is best of what can be compared."""

from collections.abc import Sequence

from annotator.domain.numbers import UNDEFINED, written
from annotator.figures.html_table import Cell, Head, Line
from annotator.figures.latex_table import metric_table_latex
from annotator.scoring.chance_verdicts import judged
from annotator.scoring.table import Column, MetricRow, MetricTable, Number
from annotator.usecases.inspect.metric_names import ARROWS, family_of, names_of
from annotator.usecases.inspect.metric_view import asked_group, best_of

# What a column is called above its numbers, where its title has no room; the caption says what it stands for.
_SHORT = {
    "sets.best_f1": "F1", "sets.whole_set": "Whole", "eraser.average_precision": "AP", "eraser.token_f1_macro": "F1",
    "method.comprehensiveness": "Comp.", "method.sufficiency": "Suff.", "eraser.comprehensiveness_aopc": "Comp.",
    "eraser.sufficiency_aopc": "Suff.", "eraser.accuracy": "Acc.", "eraser.macro_f1": "F1", "editing.mrr": "MRR",
    "editing.need_edit_f1": "F1", "benchmark.iou_f1_paper": "IOU", "benchmark.answer_f1_english": "F1",
    "benchmark.answer_f1_chinese": "F1",
}  # fmt: skip


def table_latex(table: MetricTable, rows: Sequence[MetricRow], columns: Sequence[Column]) -> str:
    """These rows and columns, and random below them. What the page marks with a star is bold."""
    cells = [_cells(table, rows, column) for column in columns]
    models = [row.model for row in rows]
    groups = models if len(set(models)) < len(models) else [""] * len(models)
    names = [
        name.removeprefix(f"{group} · ") if group else name for name, group in zip(names_of(rows), groups, strict=True)
    ]
    lines = [Line(name, "", [of_column[index] for of_column in cells]) for index, name in enumerate(names)]
    if table.random.numbers:
        at_random = [_cell(table.random.numbers.get(column.name)) for column in columns]
        lines.append(Line("random", "mean of ten seeds", at_random, is_baseline=True))
        groups = [*groups, ""]
    sizes = [_size(rows, column) for column in columns]
    is_same = len(set(sizes)) == 1
    shorts = _shorts(columns)
    heads = [
        Head(column.group, short, family_of(column), ARROWS[column.definition.direction], "")
        for column, short in zip(columns, shorts, strict=True)
    ]
    legend = "; ".join(
        _meant(column, short, "" if is_same else size)
        for column, short, size in zip(columns, shorts, sizes, strict=True)
    )
    caption = f"Metrics of {table.project} ({_asked(table)}){sizes[0] if is_same else ''}. {legend}."
    corner = "Method" if any(groups) else "Model, method"
    return metric_table_latex(heads, lines, corner=corner, caption=caption, groups=groups)


def _shorts(columns: Sequence[Column]) -> list[str]:
    """The short name of each column; of two that would be called alike the titles."""
    shorts = [_SHORT.get(column.name, column.definition.title) for column in columns]
    return [
        column.definition.title if shorts.count(short) > 1 else short
        for column, short in zip(columns, shorts, strict=True)
    ]


def _meant(column: Column, short: str, size: str) -> str:
    """What a column's short name stands for, and whose metric it is."""
    title, family = column.definition.title, family_of(column)
    return f"{short}: {family}{size}" if short == title else f"{short}: {title} ({family}){size}"


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
