"""A table that says that it fits one column of a paper does, as LaTeX sets it; what does not stands over both."""

import shutil
import subprocess
from pathlib import Path

import pytest

from annotator.figures.html_table import Cell, Head, Line
from annotator.figures.latex_tables import environment_for, metric_table_latex, points, tex_name

SHORT = ("F1", "MRR", "AP", "Suff.", "Comp.", "Acc.")
HEADS = [Head(group, name, "ours", "↑", "") for group, name in zip("pppffq", SHORT, strict=True)]
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
        HEADS, [*lines, RANDOM], corner="Method", caption="c", groups=[*groups, ""], label="metrics",
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
