"""`annotator report`: a comparison as one HTML page by command."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command


@pytest.fixture
def command(on_demonstration: Command, tmp_path: Path) -> Command:
    return lambda *words: on_demonstration("report", str(tmp_path / "report.html"), *words)


def test_a_report_of_two_models_is_written_and_its_texts_are_counted(command: Command, tmp_path: Path) -> None:
    words = ("--project", "Sentiment", "--base", "built-in", "--other", "minilm", "--differences", "3")
    code, output, errors = command(*words)
    assert (code, errors) == (0, "")
    assert output.startswith(f"Wrote {tmp_path / 'report.html'} (3 texts, ")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert html.count("<article>") == 3
    assert "minilm against built-in: Sentiment" in html
    assert json.loads(command(*words, "--json")[1]) == {"path": str(tmp_path / "report.html"), "texts": 3}


def test_a_report_is_of_a_group_and_against_a_row_by_the_options_of_evaluate_project(
    command: Command, tmp_path: Path
) -> None:
    words = ("--project", "Sentiment", "--group-by", "label", "--group", "positive", "--against", "random")
    code, output, errors = command(*words, "--differences", "2", "--instances-in", "sets.best_f1")
    assert (code, errors) == (0, "")
    assert "(2 texts, " in output
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Metrics: label positive (" in html
    assert "Differences from random" in html
    assert "Where they differ: Best-set token F1" in html
    assert "gold: negative" not in html
    code, _, errors = command("--project", "Sentiment", "--group", "positive")
    assert (code, "--group-by" in errors) == (1, True)


def test_texts_are_chosen_in_one_way(command: Command, tmp_path: Path) -> None:
    code, _, errors = command("--project", "Sentiment", "--draw", "3", "--list", "Hard ones")
    assert code == 2
    assert "The texts of a report are chosen in one way; --draw and --list are two." in errors
    assert not (tmp_path / "report.html").exists()


def test_a_report_cannot_take_the_place_of_a_folder(command: Command, tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    code, _, errors = command("--project", "Sentiment")
    assert (code, "is a folder; name a file to write" in errors) == (1, True)
