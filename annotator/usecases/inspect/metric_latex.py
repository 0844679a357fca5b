"""The table of metrics as LaTeX: the rows and columns that are shown, with what is best of what can be compared."""

from collections.abc import Sequence

from annotator.domain.numbers import UNDEFINED, written
from annotator.figures.html_table import Cell, Head, Line
from annotator.figures.latex_tables import label_of, metric_table_latex
from annotator.language import speaking
from annotator.scoring.chance_verdicts import Judged, judged
from annotator.scoring.table import Column, MetricRow, MetricTable, Number
from annotator.usecases.inspect.latex_notes import latex_notes
from annotator.usecases.inspect.metric_names import ARROWS, family_of, names_of
from annotator.usecases.inspect.metric_view import asked_group, best_of
from annotator.usecases.inspect.row_sizes import RowSizes

# What a column is called above its numbers, where its title has no room; the caption says what it stands for.
_SHORT = {
    "sets.best_f1": "F1", "sets.whole_set": "Whole", "eraser.average_precision": "AP", "eraser.token_f1_macro": "F1",
    "method.comprehensiveness": "Comp.", "method.sufficiency": "Suff.", "eraser.comprehensiveness_aopc": "Comp.",
    "eraser.sufficiency_aopc": "Suff.", "eraser.accuracy": "Acc.", "eraser.macro_f1": "F1", "editing.mrr": "MRR",
    "editing.need_edit_f1": "F1", "benchmark.iou_f1_paper": "IOU", "benchmark.answer_f1_english": "F1",
    "benchmark.answer_f1_chinese": "F1",
}  # fmt: skip


@speaking("en")
def table_latex(table: MetricTable, rows: Sequence[MetricRow], columns: Sequence[Column]) -> str:
    """These rows and columns, and random below them. What the page marks with a star is bold."""
    verdicts = [judged(table, rows, column) for column in columns]
    n_of = RowSizes.of(rows, columns)
    cells = [_cells(table, rows, column, of, n_of) for column, of in zip(columns, verdicts, strict=True)]
    models = [row.model for row in rows]
    groups = models if len(set(models)) < len(models) else [""] * len(models)
    names = [
        name.removeprefix(f"{group} · ") if group else name for name, group in zip(names_of(rows), groups, strict=True)
    ]
    groups, details = _with_sizes(groups, n_of)
    lines = [Line(name, details[at], [of_column[at] for of_column in cells]) for at, name in enumerate(names)]
    if table.random.numbers:
        of_random = [table.random.numbers.get(column.name) for column in columns]
        lines.append(Line("random", "mean of ten seeds", [_cell(number) for number in of_random], is_baseline=True))
        groups = [*groups, ""]
    sizes = [_size(n_of, column) for column in columns]
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
    return metric_table_latex(
        heads, lines, corner="Method" if any(groups) else "Model, method", caption=caption, groups=groups,
        label=label_of("metrics", table.project, table.split or "", asked_group(table)),
        notes=[*latex_notes(
            table, rows, list(zip(columns, shorts, strict=True)), verdicts,
            has_best=any(cell.is_best for of_column in cells for cell in of_column),
        )],
    )  # fmt: skip


def _with_sizes(groups: Sequence[str], sizes: RowSizes) -> tuple[list[str], list[str]]:
    """What lines stand under, and what stands behind their names: n, where rows have different ones, as seldom as may be."""
    if sizes.by_column is not None:
        return [*groups], [""] * len(groups)
    own_sizes = ["" if n is None else f"n = {n:,}" for n in sizes.by_row]
    by_group: dict[str, set[str]] = {}
    for group, of_row in zip(groups, own_sizes, strict=True):
        by_group.setdefault(group, set()).add(of_row)
    is_above = [bool(group) and len(by_group[group]) == 1 for group in groups]
    return (
        [
            f"{group}, {n}" if above and n else group
            for group, n, above in zip(groups, own_sizes, is_above, strict=True)
        ],
        ["" if above else n for n, above in zip(own_sizes, is_above, strict=True)],
    )


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
    parts += [] if table.release is None else [f"gold: {table.release}"]
    parts += [] if table.split is None else [f"split {table.split or '(none)'}"]
    parts += [asked_group(table)] if asked_group(table) else []
    return ", ".join(parts)


def _size(sizes: RowSizes, column: Column) -> str:
    """Over how many instances the numbers of a column are; "" where rows tell it, and of what is no mean over instances."""
    n = None if sizes.by_column is None else sizes.by_column.get(column.name)
    return "" if n is None else f", n = {n:,}"


def _cells(
    table: MetricTable, rows: Sequence[MetricRow], column: Column, verdicts: Sequence[Judged], sizes: RowSizes
) -> list[Cell]:
    best = best_of(table, rows, column, verdicts)
    cells = []
    for at, row in enumerate(rows):
        number = row.numbers.get(column.name)
        n = None if number is None else sizes.differing(at, number)
        cells.append(_cell(number, at in best, n))
    return cells


def _cell(number: Number | None, is_best: bool = False, n: int | None = None) -> Cell:
    """The value, with its interval, its deviation over seeds, and its number of instances where these are to be told."""
    if number is None:
        return Cell(UNDEFINED)
    notes = []
    if number.low is not None and number.high is not None:
        notes.append(f"[{written(number.low)}, {written(number.high)}]")
    if number.deviation is not None:
        notes.append(f"± {written(number.deviation, small=1)}")
    if n is not None:
        notes.append(f"n = {n:,}")
    return Cell(written(number.value), tuple(notes), is_best)
