r"""The table of metrics for a paper: LaTeX with the rules of booktabs, numbers as the page shows them, the best in bold."""

from collections.abc import Iterator, Sequence

from annotator.domain.numbers import UNDEFINED
from annotator.figures.html_table import Cell, Head, Line
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

_UNDEFINED_NOTE = "–: not defined, or not in this run."
_BEST_NOTE = (
    r"\textbf{Bold}: the best of its column, among rows that are over the same instances and better than random."
)


def metric_table_latex(
    heads: Sequence[Head], lines: Sequence[Line], *, corner: str, caption: str, groups: Sequence[str] = (), label: str = "",
    notes: Sequence[str] = (), undefined: str = _UNDEFINED_NOTE,
) -> str:  # fmt: skip
    r"""A `table`, or a `table*` where it is wider than one column of a paper. It needs the packages booktabs and tabularx.

    Of a cell its text, and below it the notes that belong to a number (±, intervals). Every text is escaped; what is not a
    letter of LaTeX's own fonts is left to the engine (XeLaTeX, LuaLaTeX).
    groups: what each line stands under; "" for nothing; label: what the text refers to it by; "" for none
    notes: sentences below the table; undefined: what a dash means
    """
    body = [*_body(lines, groups or [""] * len(lines), len(heads))]
    columns = [_widths(head, [line.cells[at] for line in lines]) for at, head in enumerate(heads)]
    environment = environment_for(columns, [corner, *(line.title for line in lines)])
    return "\n".join(
        [
            NEEDS,
            f"\\begin{{{environment}}}",
            SIZE,
            f"  \\caption{{{tex(caption)}}}",
            *([f"  \\label{{tab:{label}}}"] if label else []),
            f"  {begin_tabular(len(heads))}",
            *(f"    {part}" for part in ["\\toprule", *_heads(heads, corner), "\\midrule", *body, "\\bottomrule"]),
            f"  {END_TABULAR}",
            *(f"  {note}" for note in _footnotes(lines, notes, undefined)),
            f"\\end{{{environment}}}",
            "",
        ]
    )


def _heads(heads: Sequence[Head], corner: str) -> Iterator[str]:
    """Groups with a rule below each; titles, a word below another; which way is better."""
    starts = [column for column, head in enumerate(heads) if not column or heads[column - 1].group != head.group]
    ends = [*starts[1:], len(heads)]
    spans = list(zip(starts, ends, strict=True))
    groups = [tex(heads[start].group) if end - start > 1 else "" for start, end in spans]
    if any(groups):  # one column alone has no room for a group, and stands by itself
        over = [f"\\multicolumn{{{end - start}}}{{c}}{{{of}}}" for (start, end), of in zip(spans, groups, strict=True)]
        yield f"& {' & '.join(over)} \\\\"
        yield " ".join(
            f"\\cmidrule(lr){{{start + 2}-{end + 1}}}" for (start, end), of in zip(spans, groups, strict=True) if of
        )
    titles = [head.title for head in heads]
    named = [f"{head.title} ({head.family})" if titles.count(head.title) > 1 else head.title for head in heads]
    yield " & ".join([tex_name(corner), *(stacked(list(map(tex, name.split()))) for name in named)]) + " \\\\"
    yield f"& {' & '.join(tex(head.arrow) for head in heads)} \\\\"


def _body(lines: Sequence[Line], groups: Sequence[str], n_columns: int) -> Iterator[str]:
    group, is_baseline = "", False
    for number, (line, of_line) in enumerate(zip(lines, groups, strict=True)):
        if number and ((line.is_baseline and not is_baseline) or (of_line != group and not line.is_baseline)):
            yield "\\midrule"
        if of_line and of_line != group:
            yield f"\\multicolumn{{{n_columns + 1}}}{{@{{}}l}}{{\\emph{{{tex(of_line)}}}}} \\\\"
        group, is_baseline = of_line, line.is_baseline
        yield _line(line)


def _line(line: Line) -> str:
    title = tex_name(line.title) + (f" {{\\scriptsize {tex(line.detail)}}}" if line.detail else "")
    return " & ".join([title, *map(_cell, line.cells)]) + " \\\\"


def _widths(head: Head, cells: Sequence[Cell]) -> Iterator[float]:
    """How wide a column has to be for each thing that stands in a line of its own."""
    yield from map(points, head.title.split())
    for cell in cells:
        yield points(cell.text)
        yield from (points(_close(note), is_small=True) for note in cell.notes)


def _close(note: str) -> str:
    """What stands below a number, without the space that makes a column wider."""
    return note.replace("± ", "±")


def _cell(cell: Cell) -> str:
    value = f"\\textbf{{{tex(cell.text)}}}" if cell.is_best else tex(cell.text)
    return stacked([value, *(f"{{\\scriptsize {tex(_close(note))}}}" for note in cell.notes)])


def _footnotes(lines: Sequence[Line], notes: Sequence[str], undefined: str) -> list[str]:
    cells = [cell for line in lines for cell in line.cells]
    parts = [_BEST_NOTE] if any(cell.is_best for cell in cells) else []
    parts += [tex_name(undefined)] if any(cell.text == UNDEFINED for cell in cells) else []
    parts += map(tex_name, notes)
    if not parts:
        return []
    return [
        f"\\par\\smallskip\\begin{{minipage}}{{\\linewidth}}\\footnotesize\\raggedright {' '.join(parts)}\\end{{minipage}}"
    ]


def label_of(*parts: str) -> str:
    """What a table of these is referred to by: letters and digits, with hyphens between.

    >>> label_of("metrics", "My project 2!", "")
    'metrics-my-project-2'
    """
    letters = "".join(c.lower() if c.isalnum() else "-" for c in "-".join(filter(None, parts)))
    return "-".join(filter(None, letters.split("-")))
