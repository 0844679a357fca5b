"""The example notebook runs from its first cell to its last, and brings what it promises."""

import ast
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
NOTEBOOK = json.loads((EXAMPLES / "paper_table.ipynb").read_text(encoding="utf-8"))
CODE = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]


def shown(source: str, names: dict[str, Any]) -> object:
    """Run a cell; what its last line is worth, as a notebook shows it."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def test_the_notebook_is_one_without_what_a_run_left_in_it() -> None:
    assert (NOTEBOOK["nbformat"], NOTEBOOK["nbformat_minor"]) == (4, 4)
    assert {cell["cell_type"] for cell in NOTEBOOK["cells"]} == {"markdown", "code"}
    for cell in NOTEBOOK["cells"]:
        assert isinstance(cell["source"], list)
        assert cell["metadata"] == {}
    for cell in CODE:
        assert (cell["outputs"], cell["execution_count"]) == ([], None)


def test_the_notebook_goes_from_a_csv_to_a_table(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    names: dict[str, Any] = {}
    values = [shown("".join(cell["source"]), names) for cell in CODE]
    assert values[1][0] == 199
    pictures = [value._repr_html_() for value in values if type(value).__name__ == "ShownInstance"]
    assert len(pictures) == 3
    assert all("background:" in picture for picture in pictures[1:])
    assert all(len(value) for value in values if isinstance(value, pd.DataFrame))
    numbers = names["numbers"].query("metric == 'sets.best_f1'").set_index("method")
    assert numbers["n"].drop("").tolist() == [39] * 4
    assert numbers["n_seeds"]["lime"] == 3
    assert "160 texts that it learned from (split train) are left out" in [
        value for value in values if isinstance(value, str)
    ]
    assert "\\toprule" in (names["folder"] / "table.tex").read_text(encoding="utf-8")
    printed = capsys.readouterr().out
    assert "{\\emph{built-in}} \\\\\n" in printed
    assert "\n    linear & " in printed
    assert "\\begin{table}\n" in printed  # which fits one column of a paper
    assert not list(EXAMPLES.glob("*.db*"))
