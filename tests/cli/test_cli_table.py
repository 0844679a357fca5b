"""`annotator table`: the papers' tables by command, as text, CSV and LaTeX."""

import csv
import io
from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.fixture
def command(on_demonstration: Command, tmp_path: Path) -> Command:
    return lambda *words: on_demonstration("table", *words)


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


def test_a_computed_number_is_the_one_that_evaluate_project_has(command: Command, on_demonstration: Command) -> None:
    _, text, _ = command("eraser-soft", "--project", "Sentiment", "--model", "built-in", "--csv")
    linear = next(line for line in csv.DictReader(io.StringIO(text)) if line["method"] == "linear")
    asked = ("evaluate", "project", "--project", "Sentiment", "--model", "built-in", "--method", "linear", "--json")
    [model] = on_demonstration(*asked).json["models"]
    name = "eraser.comprehensiveness_aopc_paper"
    number = next(row["faithfulness"][name] for row in model["methods"] if row["kind"] == "attribution")
    assert (float(linear[name]), int(linear[f"{name}_n"])) == (pytest.approx(number["value"]), number["n"])


def test_a_model_of_another_name_a_project_without_numbers_and_two_forms_at_once_are_refused(command: Command) -> None:
    code, _, errors = command("benchmark", "--project", "Sentiment", "--model", "x")
    assert (code, errors.strip()) == (1, "No row of the table is of a model 'x' (there is built-in, minilm).")
    assert command("benchmark", "--project", "Reading")[0] == 1
    code, _, errors = command("benchmark", "--project", "Sentiment", "--csv", "--latex")
    assert (code, "both at once" in errors) == (2, True)
