"""The table of metrics as LaTeX: the rules of booktabs, escaped texts, the best in bold, a dash with its footnote."""

from annotator.figures.html_table import Cell, Head, Line
from annotator.figures.latex_tables import metric_table_latex, tex

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
