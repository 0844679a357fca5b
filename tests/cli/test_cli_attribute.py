"""`annotator attribute`: what it prints, where progress goes, what it refuses."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from annotator.attribution.base import Input
from annotator.cli.attribute import InstanceProgress
from annotator.errors import ModelError
from annotator.usecases.models import project_model
from tests.attribution_inputs import Scripted, weighing
from tests.cli.conftest import Answer, Command
from tests.conftest import REPOSITORY


@pytest.fixture
def filled(annotator: Command, tmp_path: Path) -> Command:
    """A project of six texts with a gold token each."""
    file = tmp_path / "rows.jsonl"
    rows = [
        {"id": f"{label}{n}", "text": f"a {word} {thing}", "label": label, "annotator": "source",
         "rationales": [[[1, 2]]]}
        for label, word in (("yes", "good"), ("no", "bad"))
        for n, thing in enumerate(("cat", "book", "day"))
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "no,yes")
    assert annotator("import", "jsonl", str(file), "--project", "P").code == 0
    return annotator


def attribute(command: Command, *words: str, model: str = "built-in", method: str = "linear") -> Answer:
    return command("attribute", "--project", "P", "--model", model, "--method", method, *words)


def test_it_says_what_was_computed_and_that_a_second_run_computes_nothing(filled: Command) -> None:
    answer = attribute(filled, "--faithfulness")
    assert answer.code == 0
    assert answer.out == (
        "built-in, linear\nComputed 6 answers, 6 attributions and 36 rationales; 0 of 6 instances had nothing to compute, "
        "0 were left out.\n"
    )
    assert "6 of 6 instances" in answer.err
    assert "learned from all 6 instances with a label (no 3, yes 3)" in answer.err
    assert "Computed 0 answers, 0 attributions and 0 rationales; 6 of 6" in attribute(filled, "--faithfulness").out


def test_json_is_one_object_and_progress_goes_elsewhere(filled: Command) -> None:
    answer = attribute(filled, "--seed", "1", "--seed", "2", "--samples", "20", "--json", method="lime")
    report = answer.json
    assert (report["seeds"], report["n_attributions"]) == ([1, 2], 12)
    assert report["parameters"]["samples"] == 20
    assert set(report["facts"]) == {"r2", "spread"}


def test_work_that_leaves_texts_out_ends_with_1_and_a_count_by_reason(
    filled: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(one: Input) -> float:
        if "cat" in one.segments[0].tokens:
            raise ModelError("It has 9 pieces, and the model sees 3.", reason="longer than the model sees")
        return 0.0

    monkeypatch.setattr(project_model, "load_predictor", lambda *_: Scripted(refuses))
    answer = attribute(filled, "--json", model="spacy:x", method="occlusion")
    assert answer.code == 1
    assert answer.err.splitlines()[-1] == "2 of 6 texts were left out: 2 longer than the model sees."
    report = answer.json
    assert (report["n_attributions"], report["reasons"]) == (4, {"longer than the model sees": 2})


def test_labels_that_are_not_the_projects_are_confirmed_by_the_options_that_the_refusal_prints(
    filled: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = weighing({"cat": 1.0})
    model.labels = ("No!", "YES")
    monkeypatch.setattr(project_model, "load_predictor", lambda *_: model)
    refused = attribute(filled, model="spacy:x", method="occlusion")
    assert (refused.code, refused.out) == (1, "")
    options = refused.err.splitlines()[-1].removeprefix("If that is right, ask again with ")
    answer = attribute(filled, *shlex.split(options), model="spacy:x", method="occlusion")
    assert (answer.code, "Of the model 'scripted': “No!” is “no”, “YES” is “yes”." in answer.err) == (0, True)
    assert attribute(filled, model="spacy:x", method="occlusion").code == 0


def test_what_it_computed_is_scored_by_evaluate_project(filled: Command) -> None:
    attribute(filled, "--faithfulness", "--label", "all")
    numbers = filled("evaluate", "project", "--project", "P", "--json").json
    kinds = [(row["method"], row["kind"]) for row in numbers["models"][0]["methods"]]
    assert kinds == [("linear", "attribution"), ("linear", "hard")]
    assert filled("check").code == 0


def test_evaluate_project_prints_the_table_as_latex(filled: Command) -> None:
    attribute(filled, "--faithfulness")
    answer = filled("evaluate", "project", "--project", "P", "--latex")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("% Needs \\usepackage{booktabs,tabularx}.")
    assert "built-in $\\cdot$ linear & " in answer.out
    assert answer.out.endswith("\\end{table}\n")
    refused = filled("evaluate", "project", "--project", "P", "--latex", "--model", "nobody")
    assert (refused.code, "has no model 'nobody'" in refused.err) == (1, True)
    both = filled("evaluate", "project", "--project", "P", "--latex", "--json")
    assert (both.code, "Choose --json or --latex" in both.err) == (2, True)


def test_evaluate_project_prints_a_short_table_of_the_numbers_that_the_page_shows_first(filled: Command) -> None:
    attribute(filled, "--faithfulness")
    answer = filled("evaluate", "project", "--project", "P")
    assert (answer.code, answer.err) == (0, "")
    assert "built-in · linear" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 100
    assert len(answer.out.splitlines()) < 40
    named = filled("evaluate", "project", "--project", "P", "--metric", "sets.best_iou").out
    assert "token IoU" in named
    assert "F1" not in named
    refused = filled("evaluate", "project", "--project", "P", "--metric", "best_iou")
    assert (refused.code, "Did you mean sets.best_iou?" in refused.err) == (1, True)


def test_evaluate_project_prints_the_csv_of_the_page(filled: Command) -> None:
    attribute(filled)
    lines = filled("evaluate", "project", "--project", "P", "--csv").out.splitlines()
    assert lines[0].startswith("model,method,parameters,seeds,kind,layer,group,metric,part,value,n")
    named = filled("evaluate", "project", "--project", "P", "--csv", "--metric", "sets.best_f1").out.splitlines()
    assert [line.split(",")[0] for line in named] == ["model", "built-in", "random"]
    assert set(named) < set(lines)


@pytest.mark.parametrize(
    "options", [("--all", "--metric", "sets.best_f1"), ("--json", "--own-instances"), ("--json", "--csv")]
)
def test_options_that_contradict_each_other_are_wrong_usage(filled: Command, options: tuple[str, ...]) -> None:
    assert filled("evaluate", "project", "--project", "P", *options).code == 2


def test_other_parameters_are_given_by_name(filled: Command) -> None:
    answer = attribute(filled, "--set", "removal=delete", "--output", "probability", method="occlusion")
    assert answer.out.startswith('built-in, occlusion {"output": "probability", "removal": "delete"}')
    assert "has no parameter depth" in attribute(filled, "--set", "depth=3", method="occlusion").err
    assert "--set depth: write a name, =, and a value." in attribute(filled, "--set", "depth", method="occlusion").err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--method", "guess"), "There is no method 'guess'"),
        (("--model", "spacy:nowhere"), "'nowhere' is no spaCy pipeline"),
        (("--model", "mystery"), "'mystery' names no model. Write built-in"),
        (("--label", "maybe"), "'maybe' is no label that 'built-in' gives"),
        (("--split", "dev"), "has no split 'dev'"),
        (("--seed", "1"), "linear draws nothing"),
        (("--preset", "wang-2022"), "linear has no preset 'wang-2022'"),
        (("--rename", "no"), "--rename no: write a name, =, and a value."),
        (("--model", "spacy:x", "--train"), "Only the built-in model is trained here"),
        (("--model", "transformers-zero-shot:x", "--prompt", "{label}"), "holds {text} once and ends with {label}"),
        (("--model", "transformers-zero-shot:x", "--label-words", "maybe=so"), "no label 'maybe' to give words to"),
        (("--project", "Q"), "There is no project 'Q'"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(filled: Command, words: tuple[str, ...], sentence: str) -> None:
    answer = attribute(filled, *words)
    assert (answer.code, answer.out) == (1, "")
    assert sentence in answer.err


def test_a_missing_method_is_wrong_usage(filled: Command) -> None:
    assert filled("attribute", "--project", "P", "--model", "built-in").code == 2


def test_a_missing_extra_is_named(filled: Command, path: Path) -> None:
    """As on a machine without torch."""
    program = (
        "import sys; sys.modules['torch'] = None\n"
        "from annotator.cli.main import main\n"
        f"main(['--db', {str(path)!r}, 'attribute', '--project', 'P', '--model', 'transformers:x', '--method', 'random'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 1
    assert "rationale-annotator[models]" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_first_batch_and_the_last_are_always_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    progress = InstanceProgress()
    for done in (8, 16, 24):
        progress.take(done, 1030)
    progress.end()
    assert capsys.readouterr().err == "8 of 1,030 instances\n24 of 1,030 instances\n"
    monkeypatch.setattr("annotator.cli.attribute._SECONDS_BETWEEN_LINES", 0.0)
    progress.take(32, 1030)
    assert capsys.readouterr().err == "32 of 1,030 instances\n"


def test_the_time_that_is_left_follows_from_what_was_done_since_the_first_batch(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = 100.0
    monkeypatch.setattr("annotator.cli.attribute.time.monotonic", lambda: seconds)
    progress = InstanceProgress()
    seconds = 160.0  # a model was loaded
    progress.take(8, 200)
    seconds = 180.0
    progress.take(16, 200)
    seconds = 220.0
    progress.take(200, 200)
    assert capsys.readouterr().err.splitlines() == [
        "8 of 200 instances, about 24.0 min left", "16 of 200 instances, about 7.7 min left", "200 of 200 instances",
    ]  # fmt: skip


def test_evaluate_project_prints_a_table_for_each_group(filled: Command) -> None:
    attribute(filled)
    printed = filled("evaluate", "project", "--project", "P", "--group-by", "label")
    by_label = printed.out
    assert printed.err.startswith("0 of 2 groups\n")
    assert by_label.index("label: no (3 instances)") < by_label.index("label: yes (3 instances)")
    assert by_label.count("Model · method") == 2
    lines = filled("evaluate", "project", "--project", "P", "--group-by", "label", "--csv").out.splitlines()
    assert [line.startswith("model,") for line in lines].count(True) == 1
    assert {line.rsplit(",", 1)[1] for line in lines[1:]} == {"no", "yes"}
    report = filled("evaluate", "project", "--project", "P", "--group-by", "label", "--json").json
    assert report["group_by"] == "label"
    assert {name: numbers["group"] for name, numbers in report["groups"].items()} == {
        "no": "no",
        "yes": "yes",
    }
    refused = filled("evaluate", "project", "--project", "P", "--group-by", "mood")
    assert refused.code == 1
    assert "Numbers cannot be grouped by 'mood'. Choose label, split" in refused.err
    both = filled("evaluate", "project", "--project", "P", "--group-by", "label", "--criterion", "spelling")
    assert both.code == 2
    assert "Choose --criterion or --group-by" in both.err
