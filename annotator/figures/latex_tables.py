"""Tables for a paper in LaTeX: the table of metrics and the papers' own, with the rules of booktabs; their width and letters."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from annotator.domain.numbers import UNDEFINED
from annotator.figures.html_table import Cell, Head, Line
from annotator.scoring.paper_table import PaperRow, PaperTable, PrintedCell, printed

# A text as LaTeX shows it, whoever wrote it.


_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': "''", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "−": "$-$", "±": r"$\pm$", "∞": r"$\infty$",
    "▲": "+", "▼": "$-$", "≈": r"$\approx$", "†": r"$\dagger$",
    "Δ": r"$\Delta$", "→": r"$\rightarrow$", "≤": r"$\leq$", "≥": r"$\geq$",
    "×": r"$\times$", "·": r"$\cdot$", "–": "--", "\n": " ", "\r": " ",
}  # fmt: skip
_LIGATURE = re.compile(r"(?<=[-`',?!])(?=[-`',])")  # between two signs of which TeX makes one
_POWER = re.compile(r"e(−?)(\d+)$")


def tex(text: str) -> str:
    r"""A text as LaTeX shows it.

    >>> print(tex("50% of a_b & {c}"))
    50\% of a\_b \& \{c\}
    >>> print(tex("2.0e−5"), tex("−0.187"))
    $2.0\times10^{-5}$ $-$0.187
    >>> print(tex("--all 1800--05 ``"))
    -{}-all 1800-{}-05 `{}`
    """
    power = _POWER.search(text)
    if power and text[: power.start()].replace(".", "").lstrip("−").isdigit():
        mantissa = text[: power.start()].replace("−", "-")
        return f"${mantissa}\\times10^{{{'-' if power[1] else ''}{power[2]}}}$"
    return "{}".join("".join(_SPECIAL.get(sign, sign) for sign in part) for part in _LIGATURE.split(text))


# How wide a table is as LaTeX sets it: whether it stands in one column of a paper, and where its names may be broken.


NEEDS = "% Needs \\usepackage{booktabs,tabularx}."
SIZE = "  \\centering\\footnotesize\\setlength{\\tabcolsep}{2pt}"
# The narrowest of the usual styles with two columns: ACL's 219 points (IEEE's has 252, that of article 229), with a few to spare.
_COLUMN = 215.0
_BETWEEN = 4.0
_LINES = 2.3  # of a name: two, seldom three
_NARROW, _WIDE = frozenset(".,:;|!'()[]iljtf "), frozenset("mw%→∞−±×")
_CJK = 0x2E7F  # from here on a letter is as wide as it is high
_BREAK = re.compile(r"(?<=[\s/_·-])")


def environment_for(columns: Iterable[Iterable[float]], names: Iterable[str]) -> str:
    """`table`, or `table*` where one column of a paper has no room for columns of these widths beside names in a few lines.

    >>> environment_for([[points("0.359"), points("F1")]] * 6, ["minilm", "integrated-gradients"])
    'table'
    >>> environment_for([[points("0.359"), points("[0.290, 0.431]", is_small=True)]] * 6, ["minilm"])
    'table*'
    """
    room = _COLUMN - sum(max(widths, default=0.0) + _BETWEEN for widths in columns)
    wanted = [max(*(points(piece) for piece in _BREAK.split(name)), points(name) / _LINES) for name in names]
    return "table" if max(wanted, default=0.0) <= room else "table*"


def begin_tabular(n_columns: int) -> str:
    """As wide as there is room for; the first column has the names, in lines as they fit."""
    return f"\\begin{{tabularx}}{{\\linewidth}}{{@{{}}>{{\\raggedright\\arraybackslash}}X*{{{n_columns}}}{{r}}@{{}}}}"


END_TABULAR = "\\end{tabularx}"


def tex_name(name: str) -> str:
    r"""A name that may be broken where a person would break it.

    >>> print(tex_name("my_model/ig"))
    my\_\allowbreak{}model/\allowbreak{}ig
    """
    return re.sub(r"(\\_|/)(?=\S)", r"\1\\allowbreak{}", tex(name))


def stacked(lines: Sequence[str]) -> str:
    """Lines of a cell below one another, the first in line with the other cells; they are LaTeX already."""
    if len(lines) < 2:
        return "".join(lines)
    body = " \\\\ ".join(lines)
    return f"\\begin{{tabular}}[t]{{@{{}}r@{{}}}}{body}\\end{{tabular}}"


def points(text: str, *, is_small: bool = False) -> float:
    r"""About how wide a text is in \footnotesize, or in \scriptsize."""
    widths = (
        2.6 if c in _NARROW else 6.6 if c in _WIDE or c.isupper() else 8.0 if ord(c) > _CJK else 4.3 for c in text
    )
    return sum(widths) * (0.875 if is_small else 1.0)


_UNDEFINED_NOTE = "–: not defined, or not in this run."
_BEST_NOTE = (
    r"\textbf{Bold}: the best of its column, among rows over the same instances that beat their baseline, if any."
)


def metric_table_latex(
    heads: Sequence[Head], lines: Sequence[Line], *, corner: str, caption: str, groups: Sequence[str] = (), label: str = "",
    notes: Sequence[str] = (), undefined: str = _UNDEFINED_NOTE,
) -> str:  # fmt: skip
    r"""A `table`, or a `table*` where it is wider than one column of a paper. It needs the packages booktabs and tabularx.

    Of a cell its text, its sign as a superscript, and below it what belongs to the number (±, intervals). Every text is escaped;
    what is not a letter of LaTeX's own fonts is left to the engine (XeLaTeX, LuaLaTeX).
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
    value += f"\\rlap{{\\textsuperscript{{{tex(cell.sign)}}}}}" if cell.sign else ""
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


# A paper's table as LaTeX: the rules of booktabs, values and deviations below one another, the reasons of dashes below.


def paper_latex(table: PaperTable) -> str:
    r"""A `table`, or a `table*` where it is wider than one column of a paper. It needs the packages booktabs and tabularx.

    What lacks a deviation keeps its width, so that numbers stay in line.
    """
    table = _by_model(table)
    body = ["\\toprule", *_paper_latex_heads(table), "\\midrule", *_paper_latex_body(table), "\\bottomrule"]
    environment = environment_for(_paper_latex_widths(table), [table.corner, *(row.title for row in table.rows)])
    return "\n".join(
        [
            NEEDS,
            *([f"% {table.provenance['signature']}"] if "signature" in table.provenance else []),
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


def _paper_latex_widths(table: PaperTable) -> Iterator[list[float]]:
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


def _paper_latex_heads(table: PaperTable) -> Iterator[str]:
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


def _paper_latex_body(table: PaperTable) -> Iterator[str]:
    lines = list(zip(table.rows, printed(table), strict=True))
    widest = [max((row[at].deviation for _, row in lines), key=len) for at in range(len(table.columns))]
    group, is_baseline = "", False
    for number, (row, cells) in enumerate(lines):
        if number and (row.group != group or (row.is_baseline and not is_baseline)):
            yield "\\midrule"
        if row.group and row.group != group:
            yield f"\\multicolumn{{{len(cells) + 1}}}{{@{{}}l}}{{\\emph{{{tex(row.group)}}}}} \\\\"
        group, is_baseline = row.group, row.is_baseline
        yield f"{tex_name(row.title)} & {' & '.join(map(_paper_latex_cell, cells, widest))} \\\\"


def _paper_latex_cell(cell: PrintedCell, widest: str) -> str:
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
