r"""A paper's table as LaTeX: the rules of booktabs, values and deviations below one another, the reasons of dashes below."""

from collections.abc import Iterator, Sequence

from annotator.figures.latex_table import tex
from annotator.scoring.paper_table import PaperTable, PrintedCell, printed


def paper_latex(table: PaperTable) -> str:
    r"""A `table` that needs the package booktabs alone. What lacks a deviation keeps its width, so that numbers stay in line."""
    body = ["\\toprule", *_heads(table), "\\midrule", *_body(table), "\\bottomrule"]
    return "\n".join(
        [
            "% Needs \\usepackage{booktabs}; a wide table may need \\resizebox or the environment table*.",
            "\\begin{table}",
            "  \\centering\\small\\setlength{\\tabcolsep}{4pt}",
            f"  \\caption{{{tex(table.caption)}}}",
            f"  \\label{{tab:{table.name}}}",
            "  \\medskip",
            "",
            f"  \\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
            *(f"    {line}" for line in body),
            "  \\end{tabular}",
            *_notes(table),
            "\\end{table}",
            "",
        ]
    )


def _heads(table: PaperTable) -> Iterator[str]:
    """The groups with a rule below each, the titles, and below them scales and directions."""
    groups = [column.group for column in table.columns]
    if any(groups):
        starts = [at for at, group in enumerate(groups) if not at or groups[at - 1] != group]
        spans = list(zip(starts, [*starts[1:], len(groups)], strict=True))
        heads = [f"\\multicolumn{{{end - start}}}{{c}}{{{tex(groups[start])}}}" for start, end in spans]
        yield f"& {' & '.join(heads)} \\\\"
        yield " ".join(f"\\cmidrule(lr){{{start + 2}-{end + 1}}}" for start, end in spans if groups[start])
    yield f"{tex(table.corner)} & {' & '.join(tex(column.title) for column in table.columns)} \\\\"
    yield f"& {' & '.join(tex(column.detail) for column in table.columns)} \\\\"


def _body(table: PaperTable) -> Iterator[str]:
    lines = list(zip(table.rows, printed(table), strict=True))
    widest = [max((row[at].deviation for _, row in lines), key=len) for at in range(len(table.columns))]
    group, is_baseline = "", False
    for number, (row, cells) in enumerate(lines):
        if number and (row.group != group or (row.is_baseline and not is_baseline)):
            yield "\\midrule"
        if row.group != group:
            yield f"\\multicolumn{{{len(cells) + 1}}}{{l}}{{\\emph{{{tex(row.group)}}}}} \\\\"
        group, is_baseline = row.group, row.is_baseline
        yield f"{tex(row.title)} & {' & '.join(map(_cell, cells, widest))} \\\\"


def _cell(cell: PrintedCell, widest: str) -> str:
    """Marks and notes take no width. widest: the longest deviation of the column."""
    if not cell.value:
        return ""
    spread = f" {{\\footnotesize $\\pm$ {tex(cell.deviation or widest)}}}" if widest else ""
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
