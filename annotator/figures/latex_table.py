r"""The table of metrics for a paper: LaTeX with the rules of booktabs, numbers as the page shows them, the best in bold."""

import re
from collections.abc import Iterator, Sequence

from annotator.domain.numbers import UNDEFINED
from annotator.figures.html_table import Cell, Head, Line

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': "''", "↑": r"$\uparrow$", "↓": r"$\downarrow$", "−": "$-$", "±": r"$\pm$", "∞": r"$\infty$",
    "Δ": r"$\Delta$", "→": r"$\rightarrow$", "≤": r"$\leq$", "≥": r"$\geq$",
    "×": r"$\times$", "·": r"$\cdot$", "–": "--", "\n": " ", "\r": " ",
}  # fmt: skip
_POWER = re.compile(r"e(−?)(\d+)$")
_UNDEFINED_NOTE = "--: not defined, or not in this run."
_BEST_NOTE = (
    r"\textbf{Bold}: the best of its column, among rows that are over the same instances and better than random."
)


def metric_table_latex(heads: Sequence[Head], lines: Sequence[Line], *, corner: str, caption: str) -> str:
    r"""A `table` that needs the package booktabs. Of a cell its text, and below the notes that belong to a number (±, intervals).

    Every text is escaped; what is not a letter of LaTeX's own fonts is left to the engine (XeLaTeX, LuaLaTeX).
    """
    rows = [_line(line) for line in lines if not line.is_baseline]
    baselines = [_line(line) for line in lines if line.is_baseline]
    body = [*rows, *(["\\midrule", *baselines] if baselines else [])]
    return "\n".join(
        [
            "% Needs \\usepackage{booktabs}; a wide table may need \\resizebox or the environment table*.",
            "\\begin{table}",
            "  \\centering",
            f"  \\caption{{{tex(caption)}}}",
            f"  \\begin{{tabular}}{{l{'r' * len(heads)}}}",
            *(f"    {part}" for part in ["\\toprule", *_heads(heads, corner), "\\midrule", *body, "\\bottomrule"]),
            "  \\end{tabular}",
            *(f"  {note}" for note in _footnotes(lines)),
            "\\end{table}",
            "",
        ]
    )


def tex(text: str) -> str:
    r"""A text as LaTeX shows it.

    >>> print(tex("50% of a_b & {c}"))
    50\% of a\_b \& \{c\}
    >>> print(tex("2.0e−5"), tex("−0.187"))
    $2.0\times10^{-5}$ $-$0.187
    """
    power = _POWER.search(text)
    if power and text[: power.start()].replace(".", "").lstrip("−").isdigit():
        mantissa = text[: power.start()].replace("−", "-")
        return f"${mantissa}\\times10^{{{'-' if power[1] else ''}{power[2]}}}$"
    return "".join(_SPECIAL.get(character, character) for character in text)


def _heads(heads: Sequence[Head], corner: str) -> Iterator[str]:
    starts = [column for column, head in enumerate(heads) if not column or heads[column - 1].group != head.group]
    ends = [*starts[1:], len(heads)]
    spans = list(zip(starts, ends, strict=True))
    groups = [f"\\multicolumn{{{end - start}}}{{c}}{{{tex(heads[start].group)}}}" for start, end in spans]
    yield f"& {' & '.join(groups)} \\\\"
    yield " ".join(f"\\cmidrule(lr){{{start + 2}-{end + 1}}}" for start, end in spans)
    titles = [head.title for head in heads]
    named = [f"{head.title} ({head.family})" if titles.count(head.title) > 1 else head.title for head in heads]
    written_titles = [f"{tex(name)} {tex(head.arrow)}".strip() for name, head in zip(named, heads, strict=True)]
    yield " & ".join([tex(corner), *written_titles]) + " \\\\"


def _line(line: Line) -> str:
    title = tex(line.title) + (f" {{\\footnotesize {tex(line.detail)}}}" if line.detail else "")
    return " & ".join([title, *map(_cell, line.cells)]) + " \\\\"


def _cell(cell: Cell) -> str:
    value = f"\\textbf{{{tex(cell.text)}}}" if cell.is_best else tex(cell.text)
    return " ".join([value, *(f"{{\\footnotesize {tex(note)}}}" for note in cell.notes)])


def _footnotes(lines: Sequence[Line]) -> list[str]:
    cells = [cell for line in lines for cell in line.cells]
    notes = [_BEST_NOTE] if any(cell.is_best for cell in cells) else []
    notes += [_UNDEFINED_NOTE] if any(cell.text == UNDEFINED for cell in cells) else []
    return [f"\\par\\smallskip{{\\footnotesize {' '.join(notes)}}}"] if notes else []
