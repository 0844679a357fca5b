"""Tables as text and as LaTeX: numbers in line, booktabs' rules, reasons below, hostile names as text, and a width that is kept."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.figures.html_table import Cell, Head, Line
from annotator.figures.latex_tables import environment_for, metric_table_latex, paper_latex, points, tex, tex_name
from annotator.figures.text_tables import WIDTH, TextCell, TextHead, TextLine, metric_table_text, paper_text
from annotator.scoring.paper_table import BLANK, PaperCell, PaperColumn, PaperRow, PaperTable

F1 = PaperColumn("f1", "Token-F1", "Plausibility", "↑", 100, 1)
SUF = PaperColumn("suf", "Suf", "", "↓")
TABLE = PaperTable(
    "made", "Model", "Numbers of A & B.", (F1, SUF),
    (
        PaperRow("a_1", (PaperCell(0.3649, 0.0123, 9, 2, mark="*"), PaperCell(-0.0253)), {"model": "a_1"}),
        PaperRow("b", (PaperCell(1.0), PaperCell(reason="it was not asked")), {"model": "b"}),
        PaperRow("random", (PaperCell(reason="it was not asked"), BLANK), {"model": "random"}, is_baseline=True),
    ),
    ("n = 9.",),
)  # fmt: skip


def test_the_text_has_values_below_one_another_with_deviation_mark_and_reason() -> None:
    assert paper_text(TABLE).splitlines() == [
        "Numbers of A & B.",
        "",
        "        Plausibility",
        "Model       Token-F1      Suf",
        "              ×100 ↑        ↓",
        "-----------------------------",
        "a_1      36.5 ± 1.2*  −0.025",
        "b       100.0              –¹",
        "",
        "random      –¹",
        "",
        "n = 9.",
        "–¹ it was not asked.",
    ]


def test_a_group_of_rows_has_its_title_above_them() -> None:
    rows = tuple(
        replace(row, group=group) for row, group in zip(TABLE.rows, ("Spelling", "Spelling", "All"), strict=True)
    )
    lines = paper_text(replace(TABLE, rows=rows)).splitlines()
    assert [line for line in lines if line in {"Spelling", "All"}] == ["Spelling", "All"]
    assert lines[lines.index("Spelling") + 1].startswith("  a_1")


def test_the_latex_has_the_rules_of_booktabs_and_keeps_numbers_in_line() -> None:
    lines = [line.strip() for line in paper_latex(TABLE).splitlines()]
    start = lines.index(r"\begin{tabularx}{\linewidth}{@{}>{\raggedright\arraybackslash}X*{2}{r}@{}}")
    assert lines[start + 1 : start + 13] == [
        r"\toprule",
        r"& \multicolumn{1}{c}{Plausibility} & \multicolumn{1}{c}{} \\",
        r"\cmidrule(lr){2-2}",
        r"Model & Token-F1 & Suf \\",
        r"& $\times$100 $\uparrow$ & $\downarrow$ \\",
        r"\midrule",
        r"a\_\allowbreak{}1 & 36.5 {\scriptsize $\pm$ 1.2}\rlap{\textsuperscript{*}} & $-$0.025 \\",
        r"b & 100.0\phantom{ {\scriptsize $\pm$ 1.2}} & --\rlap{\textsuperscript{1}} \\",
        r"\midrule",
        r"random & --\rlap{\textsuperscript{1}}\phantom{ {\scriptsize $\pm$ 1.2}} &  \\",
        r"\bottomrule",
        r"\end{tabularx}",
    ]
    assert r"\caption{Numbers of A \& B.}" in lines
    assert any(r"--: \textsuperscript{1}it was not asked." in line for line in lines)


def test_a_name_from_a_file_is_text_in_latex() -> None:
    hostile = replace(TABLE.rows[0], title=r"\input{x} 50% of $a_b$ #1 ~ ^")
    made = paper_latex(replace(TABLE, rows=(hostile,)))
    assert (
        r"\textbackslash{}input\{x\} 50\% of \$a\_\allowbreak{}b\$ \#1 \textasciitilde{} \textasciicircum{} &" in made
    )


def test_rows_stand_under_their_model_where_one_has_several() -> None:
    [first, _, random] = TABLE.rows
    rows = (replace(first, title="a_1 · ig"), replace(first, title="a_1 · lime"), random)
    lines = [line.strip() for line in paper_latex(replace(TABLE, rows=rows)).splitlines()]
    start = lines.index(r"\multicolumn{3}{@{}l}{\emph{a\_1}} \\")
    assert lines[start + 1].startswith("ig & ")
    assert lines[start + 2].startswith("lime & ")
    assert lines[start + 3] == r"\midrule"
    assert lines[start + 4].startswith("random & ")


# The table of metrics as LaTeX: the rules of booktabs, escaped texts, the best in bold, a dash with its footnote.

HEADS = [
    Head("plausibility", "F1", "set by set · n 40", "↑", ""),
    Head("plausibility", "F1", "ERASER · n 40", "↑", ""),
    Head("quality", "Accuracy", "ERASER · n 40", "↑", ""),
]
LINES = [
    Line("my_model · ig", "", [Cell("0.371", ("± 0.02",), is_best=True), Cell("−0.187"), Cell("–")]),
    Line("random", "mean of ten seeds", [Cell("0.200"), Cell("2.0e−5"), Cell("–")], is_baseline=True),
]


def test_groups_have_rules_the_best_is_bold_and_a_dash_has_a_footnote() -> None:
    made = metric_table_latex(HEADS, LINES, corner="Model", caption="Metrics of R&D")
    lines = [line.strip() for line in made.splitlines()]
    assert r"\caption{Metrics of R\&D}" in lines
    start = lines.index(r"\begin{tabularx}{\linewidth}{@{}>{\raggedright\arraybackslash}X*{3}{r}@{}}")
    first = r"\begin{tabular}[t]{@{}r@{}}F1 \\ (set \\ by \\ set \\ $\cdot$ \\ n \\ 40)\end{tabular}"
    second = r"\begin{tabular}[t]{@{}r@{}}F1 \\ (ERASER \\ $\cdot$ \\ n \\ 40)\end{tabular}"
    assert lines[start + 1 : start + 12] == [
        r"\toprule",
        r"& \multicolumn{2}{c}{plausibility} & \multicolumn{1}{c}{} \\",
        r"\cmidrule(lr){2-3}",
        rf"Model & {first} & {second} & Accuracy \\",
        r"& $\uparrow$ & $\uparrow$ & $\uparrow$ \\",
        r"\midrule",
        r"my\_\allowbreak{}model $\cdot$ ig & \begin{tabular}[t]{@{}r@{}}\textbf{0.371} \\ {\scriptsize $\pm$0.02}\end{tabular}"
        r" & $-$0.187 & -- \\",
        r"\midrule",
        r"random {\scriptsize mean of ten seeds} & 0.200 & $2.0\times10^{-5}$ & -- \\",
        r"\bottomrule",
        r"\end{tabularx}",
    ]
    assert lines[-2].startswith(
        r"\par\smallskip\begin{minipage}{\linewidth}\footnotesize\raggedright \textbf{Bold}: the best"
    )
    assert "--: not defined" in lines[-2]


def test_without_a_dash_and_a_best_nothing_is_explained() -> None:
    made = metric_table_latex(HEADS[:1], [Line("m", "", [Cell("0.4")])], corner="Model", caption="c")
    assert "Bold" not in made
    assert "not defined" not in made
    assert "\\midrule\n    m & 0.4 \\\\\n    \\bottomrule" in made


def test_a_quotation_mark_and_signs_of_mathematics_need_no_other_font() -> None:
    assert tex('a "b" Δ → ≤ ≥') == r"a ''b'' $\Delta$ $\rightarrow$ $\leq$ $\geq$"


def test_a_hostile_name_is_text() -> None:
    assert tex("\\input{/etc/passwd} % $x_1$ ^^4d\n~#") == (
        r"\textbackslash{}input\{/etc/passwd\} \% \$x\_1\$ \textasciicircum{}\textasciicircum{}4d \textasciitilde{}\#"
    )


# A table that says that it fits one column of a paper does, as LaTeX sets it; what does not stands over both.

SHORT = ("F1", "MRR", "AP", "Suff.", "Comp.", "Acc.")
WIDTH_HEADS = [Head(group, name, "ours", "↑", "") for group, name in zip("pppffq", SHORT, strict=True)]
NUMBERS = ("0.335", "0.160", "0.513", "−0.034", "0.531", "0.800")
RANDOM = Line(
    "random", "mean of ten seeds", [Cell(n, ("± 0.015",)) for n in NUMBERS[:3]] + [Cell("–")] * 3, is_baseline=True
)
METHODS = ("attention · layer 5", "integrated-gradients", "lime", r"my_{m}/50%_&_$x$#~\in")

# The columns of ACL's style, with the letters that every LaTeX has.
PAPER = r"""\documentclass[10pt,twocolumn]{article}
\setlength{\textwidth}{455.24pt}\setlength{\columnsep}{17.07pt}
\usepackage{booktabs,tabularx}
\begin{document}\typeout{A column is \the\columnwidth}
%s
\end{document}
"""


def made(notes: tuple[str, ...] = (), names: tuple[str, ...] = METHODS) -> str:
    lines = [Line(name, "", [Cell(number, notes, is_best=name == "lime") for number in NUMBERS]) for name in names]
    groups = ["minilm"] * len(lines)
    return metric_table_latex(
        WIDTH_HEADS, [*lines, RANDOM], corner="Method", caption="c", groups=[*groups, ""], label="metrics",
        notes=["Not compared: minilm · integrated-gradients, minilm · attention · layer 5, a_b & {c} (3 rows)."],
    )  # fmt: skip


def test_six_columns_are_a_table_of_one_column_and_their_intervals_are_not() -> None:
    assert "\\begin{table}\n" in made()
    with_intervals = made(("[0.290, 0.431]",))
    assert "\\begin{table*}\n" in with_intervals
    assert "\\end{table*}\n" in with_intervals


def test_a_long_word_that_cannot_be_broken_needs_both_columns() -> None:
    assert environment_for([[points("0.359")]] * 6, ["a" * 12, "integrated-gradients"]) == "table"
    assert environment_for([[points("0.359")]] * 6, ["a" * 30]) == "table*"


def test_a_name_is_escaped_where_it_may_be_broken() -> None:
    assert tex_name("a_b/{c}") == r"a\_\allowbreak{}b/\allowbreak{}\{c\}"
    assert tex_name("ends_") == r"ends\_"


@pytest.mark.skipif(
    shutil.which("pdflatex") is None, reason="pdflatex is not here; no document of the project needs it"
)
@pytest.mark.parametrize("notes", [(), ("[0.290, 0.431]",)], ids=["plain", "intervals"])
def test_what_is_made_is_no_wider_than_it_says(tmp_path: Path, notes: tuple[str, ...]) -> None:
    (tmp_path / "paper.tex").write_text(PAPER % made(notes), encoding="utf-8")
    subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=120,
    )
    log = (tmp_path / "paper.log").read_text(encoding="latin-1")
    assert "A column is 219.08" in log
    assert "Output written on paper.pdf" in log
    assert "Overfull" not in log
    assert "\n!" not in log


# The table of metrics as text: numbers below one another, not wider than a terminal, names and heads broken where they are long.


def printed(heads: list[TextHead], lines: list[TextLine], notes: tuple[str, ...] = ()) -> list[str]:
    return metric_table_text(heads, lines, corner="Model", caption="Numbers", notes=notes).splitlines()


def test_values_and_deviations_end_below_one_another_and_signs_stand_behind_them() -> None:
    cells = [TextCell("0.512", "0.01", "▲★"), TextCell("−0.04"), TextCell("0.3", "", "≈", ("[0.1, 0.5]",))]
    lines = [TextLine(name, [cell]) for name, cell in zip(("a", "b", "c"), cells, strict=True)]
    assert printed([TextHead("quality", "F1", "↑ n 7")], lines)[-4:] == [
        "a      0.512 ± 0.01 ▲★",
        "b      −0.04",
        "c        0.3        ≈",
        "            [0.1, 0.5]",
    ]


def test_what_is_too_wide_stands_below_with_the_names_once_more() -> None:
    heads = [TextHead("one", f"Metric number {n}") for n in range(12)]
    lines = [TextLine("a model", [TextCell(f"{n}.000 ± 0.001") for n in range(12)])]
    made = printed(heads, lines)
    assert max(map(len, made)) <= WIDTH
    assert sum(line.startswith("a model") for line in made) == 2
    assert [value for value in " ".join(made).split() if value.endswith(".000")] == [f"{n}.000" for n in range(12)]


def test_long_names_and_long_words_go_on_in_the_next_line() -> None:
    made = printed(
        [TextHead("", "Comprehensiveness")],
        [TextLine("a model with a name that is longer than others", [TextCell("1")])],
    )
    assert made[2:] == [
        "                             Comprehen-",
        "Model                          siveness",
        "---------------------------------------",
        "a model with a name that is           1",
        "  longer than others",
    ]


def test_a_hostile_name_stays_in_its_row_and_notes_are_paragraphs() -> None:
    made = printed([TextHead("", "F1")], [TextLine("a\nb\tc", [TextCell("1")])], ("First. " * 20, "Second."))
    assert "a b c   1" in made
    assert made[-1] == "Second."
    assert max(map(len, made)) <= WIDTH


def test_baselines_are_set_apart() -> None:
    lines = [TextLine("a", [TextCell("1")]), TextLine("random", [TextCell("2")], is_baseline=True)]
    assert printed([TextHead("", "F1")], lines)[-3:] == ["a        1", "", "random   2"]
