r"""A paper's table as LaTeX: the rules of booktabs, values and deviations below one another, the reasons of dashes below."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from annotator.figures.latex_letters import tex
from annotator.figures.latex_width import (
    END_TABULAR,
    NEEDS,
    SIZE,
    begin_tabular,
    environment_for,
    points,
    stacked,
    tex_name,
)
from annotator.scoring.paper_table import PaperRow, PaperTable, PrintedCell, printed


def paper_latex(table: PaperTable) -> str:
    r"""A `table`, or a `table*` where it is wider than one column of a paper. It needs the packages booktabs and tabularx.

    What lacks a deviation keeps its width, so that numbers stay in line.
    """
    table = _by_model(table)
    body = ["\\toprule", *_heads(table), "\\midrule", *_body(table), "\\bottomrule"]
    environment = environment_for(_widths(table), [table.corner, *(row.title for row in table.rows)])
    return "\n".join(
        [
            NEEDS,
            f"\\begin{{{environment}}}",
            SIZE,
            f"  \\caption{{{tex(table.caption)}}}",
            f"  \\label{{tab:{table.name}}}",
            "  \\medskip",
            "",
            f"  {begin_tabular(len(table.columns))}",
            *(f"    {line}" for line in body),
            f"  {END_TABULAR}",
            *_notes(table),
            f"\\end{{{environment}}}",
            "",
        ]
    )


def _by_model(table: PaperTable) -> PaperTable:
    """The rows below their model, where one has several and nothing else stands above them."""
    models = [row.keys.get("model", "") for row in table.rows if not row.is_baseline]
    if any(row.group for row in table.rows) or len(set(models)) == len(models):
        return table
    return replace(table, rows=tuple(row if row.is_baseline else _below_model(row) for row in table.rows))


def _below_model(row: PaperRow) -> PaperRow:
    model = row.keys.get("model", "")
    title = row.title.removeprefix(f"{model} · ")
    return row if title == row.title else replace(row, group=model, title=title)


def _widths(table: PaperTable) -> Iterator[list[float]]:
    """How wide each column has to be for each of its lines."""
    lines = printed(table)
    for at, column in enumerate(table.columns):
        spread = max(
            (points(f" ± {row[at].deviation}", is_small=True) for row in lines if row[at].deviation), default=0.0
        )
        yield [
            *map(points, column.title.split()),
            points(column.detail),
            *(points(row[at].value) + spread for row in lines),
        ]


def _heads(table: PaperTable) -> Iterator[str]:
    """The groups with a rule below each, the titles, and below them scales and directions."""
    groups = [column.group for column in table.columns]
    if any(groups):
        starts = [at for at, group in enumerate(groups) if not at or groups[at - 1] != group]
        spans = list(zip(starts, [*starts[1:], len(groups)], strict=True))
        heads = [f"\\multicolumn{{{end - start}}}{{c}}{{{tex(groups[start])}}}" for start, end in spans]
        yield f"& {' & '.join(heads)} \\\\"
        yield " ".join(f"\\cmidrule(lr){{{start + 2}-{end + 1}}}" for start, end in spans if groups[start])
    titles = [stacked([tex(word) for word in column.title.split()]) for column in table.columns]
    yield f"{tex_name(table.corner)} & {' & '.join(titles)} \\\\"
    yield f"& {' & '.join(tex(column.detail) for column in table.columns)} \\\\"


def _body(table: PaperTable) -> Iterator[str]:
    lines = list(zip(table.rows, printed(table), strict=True))
    widest = [max((row[at].deviation for _, row in lines), key=len) for at in range(len(table.columns))]
    group, is_baseline = "", False
    for number, (row, cells) in enumerate(lines):
        if number and (row.group != group or (row.is_baseline and not is_baseline)):
            yield "\\midrule"
        if row.group and row.group != group:
            yield f"\\multicolumn{{{len(cells) + 1}}}{{@{{}}l}}{{\\emph{{{tex(row.group)}}}}} \\\\"
        group, is_baseline = row.group, row.is_baseline
        yield f"{tex_name(row.title)} & {' & '.join(map(_cell, cells, widest))} \\\\"


def _cell(cell: PrintedCell, widest: str) -> str:
    """Marks and notes take no width. widest: the longest deviation of the column."""
    if not cell.value:
        return ""
    spread = f" {{\\scriptsize $\\pm$ {tex(cell.deviation or widest)}}}" if widest else ""
    after = spread if cell.deviation else f"\\phantom{{{spread}}}" if spread else ""
    raised = "".join(f"\\textsuperscript{{{tex(part)}}}" for part in (cell.mark, str(cell.note or "")) if part)
    return (
        tex(cell.value)
        + (f"\\rlap{{{raised}}}" if raised and not cell.deviation else "")
        + after
        + (f"\\rlap{{{raised}}}" if raised and cell.deviation else "")
    )


def _notes(table: PaperTable) -> Sequence[str]:
    numbered = [f"\\textsuperscript{{{at}}}{tex(reason)}" for at, reason in enumerate(table.reasons(), start=1)]
    notes = [tex(note) for note in table.notes] + ([f"--: {'; '.join(numbered)}."] if numbered else [])
    if not notes:
        return []
    return [f"  \\par\\smallskip\\begin{{minipage}}{{\\linewidth}}\\footnotesize {' '.join(notes)}\\end{{minipage}}"]
