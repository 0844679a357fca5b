"""`annotator table`: the papers' tables by command, as text, CSV and LaTeX."""

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.cli.main import run

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(demonstration: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """A command on a copy of the demonstration: exit code, output, errors."""
    path = tmp_path / "demo.db"
    shutil.copy(demonstration, path)

    def call(*words: str) -> tuple[int, str, str]:
        code = run(["--db", str(path), "table", *words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


@pytest.mark.parametrize("name", ["eraser-soft", "benchmark", "edits", "er-test"])
def test_every_table_is_printed_as_text_as_csv_and_as_latex(command: Command, name: str) -> None:
    code, text, errors = command(name, "--project", "Sentiment")
    assert (code, errors) == (0, "")
    assert "Gold policy “chosen”, all splits" in " ".join(text.split())
    assert "built-in" in text
    lines = list(csv.DictReader(io.StringIO(command(name, "--project", "Sentiment", "--csv")[1])))
    assert {(line["project"], line["gold_policy"], line["split"]) for line in lines} == {("Sentiment", "chosen", "")}
    latex = command(name, "--project", "Sentiment", "--latex")[1]
    assert latex.count("{") == latex.count("}")
    assert f"\\label{{tab:{name}}}" in latex


def test_a_computed_number_is_the_one_that_evaluate_project_has(
    command: Command, demonstration: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, text, _ = command("eraser-soft", "--project", "Sentiment", "--model", "built-in", "--csv")
    linear = next(line for line in csv.DictReader(io.StringIO(text)) if line["method"] == "linear")
    asked = ["evaluate", "project", "--project", "Sentiment", "--model", "built-in", "--method", "linear", "--json"]
    assert run(["--db", str(demonstration), *asked]) == 0
    [model] = json.loads(capsys.readouterr().out)["models"]
    name = "eraser.comprehensiveness_aopc_paper"
    number = next(row["faithfulness"][name] for row in model["methods"] if row["kind"] == "attribution")
    assert (float(linear[name]), int(linear[f"{name}_n"])) == (pytest.approx(number["value"]), number["n"])


def test_a_model_of_another_name_a_project_without_numbers_and_two_forms_at_once_are_refused(command: Command) -> None:
    code, _, errors = command("benchmark", "--project", "Sentiment", "--model", "x")
    assert (code, errors.strip()) == (1, "No row of the table is of a model 'x' (there is built-in, minilm).")
    assert command("benchmark", "--project", "Reading")[0] == 1
    code, _, errors = command("benchmark", "--project", "Sentiment", "--csv", "--latex")
    assert (code, "both at once" in errors) == (2, True)
