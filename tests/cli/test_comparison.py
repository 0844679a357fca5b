"""Rows beside each other by command: `evaluate project --against`, the papers' tables, and a report as one HTML page."""

import csv
import io
import json
from pathlib import Path

import pytest

from annotator.domain.models import Run
from annotator.store import Store
from tests.cli.conftest import Command
from tests.usecases.transfer.comparing import N, blind, key_of, knowing, mistaken, output, project_of, take


@pytest.fixture
def ask(store: Store, annotator: Command, make_project, import_rows) -> Command:
    made = project_of(make_project, import_rows)
    for model, method, scores in (("one", "ig", knowing), ("one", "lime", mistaken), ("files", "theirs", blind)):
        take(store, made, (output(k, Run(model, method), scores(k)) for k in range(N)))
    store.close()

    return lambda *words: annotator("evaluate", "project", "--project", "Project", *words)


def test_the_table_is_of_differences_and_no_wider_than_a_terminal(ask: Command) -> None:
    code, out, err = ask("--against", "files/theirs")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 100
    assert "Project, against files · theirs" in out
    assert "▲" in out
    assert "▼" in out


def test_a_row_stands_against_another_method_though_only_its_own_is_asked_for(ask: Command) -> None:
    code, out, _ = ask("--against", "one/lime", "--method", "theirs", "--metric", "editing.mrr", "--csv")
    assert code == 0
    [line] = csv.DictReader(io.StringIO(out))
    assert (line["model"], line["against"], line["n_comparisons"]) == ("files", "one · lime", "1")


def test_each_group_has_its_own_differences(ask: Command) -> None:
    code, out, _ = ask("--against", "files/theirs", "--group-by", "label", "--metric", "editing.mrr")
    assert code == 0
    assert [line for line in out.splitlines() if line.startswith("label: ")] == [
        "label: negative (27 instances)",
        "label: positive (13 instances)",
    ]
    assert out.count("Project, against files · theirs") == 2
    lines = list(
        csv.DictReader(
            io.StringIO(ask("--against", "files", "--group-by", "label", "--metric", "editing.mrr", "--csv").out)
        )
    )
    assert {(line["of_group"], line["model"], line["n"]) for line in lines} == {
        (group, "one", n) for group, n in (("negative", "27"), ("positive", "13"))
    }


def test_the_instances_in_which_two_rows_differ_are_listed_and_written_whole_as_csv(ask: Command) -> None:
    words = ("--against", "files", "--metric", "editing.mrr", "--instances", "one/ig")
    code, out, _ = ask(*words)
    assert code == 0
    assert sum(line.startswith("  +") for line in out.splitlines()) == 10
    _, whole, _ = ask(*words, "--csv")
    lines = list(csv.DictReader(io.StringIO(whole)))
    assert len(lines) == 35  # of forty texts five have the gold word first by the other row too
    assert lines[0]["key"] == key_of(7)


def test_latex_of_differences_is_printed(ask: Command) -> None:
    code, out, _ = ask("--against", "files", "--latex")
    assert code == 0
    assert "\\begin{table*}" in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--against", "one/ig", "--json"), "--against is for the table, --csv and --latex; --json holds the numbers"),
        (("--against", "one/ig", "--all"), "--against is for the table"),
        (("--against", "one/ig", "--own-instances"), "over the instances that both have; leave --own-instances out"),
        (("--instances", "one/ig"), "--instances lists where two rows differ: name the other with --against, and one --metric"),
        (("--against", "files", "--instances", "one/ig"), "and one --metric"),
        (("--against", "files", "--metric", "editing.mrr", "--instances", "one/ig", "--group-by", "label"), "Choose --instances or"),
        (("--against", "nobody",), "Unknown row 'nobody'. Available: "),
        (("--against", "one",), "'one' is ambiguous:"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_for_is_refused_with_the_remedy(
    ask: Command, words: tuple[str, ...], sentence: str
) -> None:
    code, out, err = ask(*words)
    assert code != 0
    assert out == ""
    assert sentence in " ".join(err.split())


# `annotator table`: the papers' tables by command, as text, CSV and LaTeX.


@pytest.fixture
def command(on_demonstration: Command, tmp_path: Path) -> Command:
    return lambda *words: on_demonstration("table", *words)


@pytest.mark.parametrize("name", ["eraser-hard", "eraser-soft", "benchmark", "edits", "er-test"])
def test_every_table_is_printed_as_text_as_csv_and_as_latex(command: Command, name: str) -> None:
    code, text, errors = command(name, "--project", "Sentiment")
    assert (code, errors) == (0, "")
    assert "Gold policy “chosen”, all splits" in " ".join(text.split())
    assert "built-in" in text
    lines = list(csv.DictReader(io.StringIO(command(name, "--project", "Sentiment", "--csv")[1])))
    assert {(line["project"], line["gold_policy"], line["split"]) for line in lines} == {("Sentiment", "chosen", "")}
    assert all(line["signature"].startswith("METRIC|gold:chosen") for line in lines)
    assert "\nSignature: METRIC|gold:chosen@release-1" in text
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
    assert (code, errors.strip()) == (
        1,
        "No row of the table is of a model 'x' (there is built-in, minilm, minilm-aligned).",
    )
    assert command("benchmark", "--project", "Reading")[0] == 1
    code, _, errors = command("benchmark", "--project", "Sentiment", "--csv", "--latex")
    assert (code, "both at once" in errors) == (2, True)


# `annotator report`: a comparison as one HTML page by command.


@pytest.fixture
def report(on_demonstration: Command, tmp_path: Path) -> Command:
    return lambda *words: on_demonstration("report", str(tmp_path / "report.html"), *words)


def test_a_report_of_two_models_is_written_and_its_texts_are_counted(report: Command, tmp_path: Path) -> None:
    words = ("--project", "Sentiment", "--base", "built-in", "--other", "minilm", "--differences", "3")
    code, output, errors = report(*words)
    assert (code, errors) == (0, "")
    assert output.startswith(f"Wrote {tmp_path / 'report.html'} (3 texts, ")
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert html.count("<article>") == 3
    assert "minilm against built-in: Sentiment" in html
    assert json.loads(report(*words, "--json")[1]) == {"path": str(tmp_path / "report.html"), "texts": 3}


def test_a_report_is_of_a_group_and_against_a_row_by_the_options_of_evaluate_project(
    report: Command, tmp_path: Path
) -> None:
    words = ("--project", "Sentiment", "--group-by", "label", "--group", "positive", "--against", "random")
    code, output, errors = report(*words, "--differences", "2", "--instances-in", "sets.best_f1")
    assert (code, errors) == (0, "")
    assert "(2 texts, " in output
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Metrics: label positive (" in html
    assert "Differences from random" in html
    assert "Where they differ: Best-set token F1" in html
    assert "gold: negative" not in html
    code, _, errors = report("--project", "Sentiment", "--group", "positive")
    assert (code, "--group-by" in errors) == (1, True)


def test_texts_are_chosen_in_one_way(report: Command, tmp_path: Path) -> None:
    code, _, errors = report("--project", "Sentiment", "--draw", "3", "--list", "Hard ones")
    assert code == 2
    assert "The texts of a report are chosen in one way; --draw and --list are two." in errors
    assert not (tmp_path / "report.html").exists()


def test_a_report_cannot_take_the_place_of_a_folder(report: Command, tmp_path: Path) -> None:
    (tmp_path / "report.html").mkdir()
    code, _, errors = report("--project", "Sentiment")
    assert (code, "is a folder. Name a file." in errors) == (1, True)
