"""A paper's table as text and as LaTeX: numbers in line, reasons below, hostile names as text."""

from dataclasses import replace

from annotator.figures.latex_tables import paper_latex
from annotator.figures.text_tables import paper_text
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
