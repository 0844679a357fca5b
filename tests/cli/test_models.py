"""Models by command: attributions, trainings, functional tests: what is printed, where progress goes, what is refused."""

import errno
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from annotator.attribution.base import Input
from annotator.cli.attribute import InstanceProgress
from annotator.errors import ModelError
from annotator.usecases.models import project_model
from tests.attribution_inputs import Scripted, weighing
from tests.cli.conftest import Answer, Command
from tests.conftest import REPOSITORY
from tests.models.conftest import torch
from tests.models.tiny_models import reader
from tests.training.planted import LABELS

__all__ = ["torch"]


@pytest.fixture
def six_texts(annotator: Command, tmp_path: Path) -> Command:
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


def test_it_says_what_was_computed_and_that_a_second_run_computes_nothing(six_texts: Command) -> None:
    answer = attribute(six_texts, "--faithfulness")
    assert answer.code == 0
    assert answer.out == (
        "built-in, linear\nComputed 6 predictions, 6 attributions and 36 predictions on rationales or the rest; "
        "0 of 6 instances had nothing to compute, 0 were left out.\n"
    )
    assert "6 of 6 instances" in answer.err
    assert "learned from all 6 instances with a label (no 3, yes 3)" in answer.err
    assert "Computed nothing; 6 of 6" in attribute(six_texts, "--faithfulness").out


def test_json_is_one_object_and_progress_goes_elsewhere(six_texts: Command) -> None:
    answer = attribute(six_texts, "--seed", "1", "--seed", "2", "--samples", "20", "--json", method="lime")
    report = answer.json
    assert (report["seeds"], report["n_attributions"]) == ([1, 2], 12)
    assert report["parameters"]["samples"] == 20
    assert set(report["facts"]) == {"r2", "spread"}


def test_work_that_leaves_texts_out_ends_with_1_and_a_count_by_reason(
    six_texts: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(one: Input) -> float:
        if "cat" in one.segments[0].tokens:
            raise ModelError("It has 9 pieces, and the model sees 3.", reason="longer than the model sees")
        return 0.0

    monkeypatch.setattr(project_model, "load_predictor", lambda *_: Scripted(refuses))
    answer = attribute(six_texts, "--json", model="spacy:x", method="occlusion")
    assert answer.code == 1
    assert answer.err.splitlines()[-1] == "2 of 6 texts were left out: 2 longer than the model sees."
    report = answer.json
    assert (report["n_attributions"], report["reasons"]) == (4, {"longer than the model sees": 2})


def test_labels_that_are_not_the_projects_are_confirmed_by_the_options_that_the_refusal_prints(
    six_texts: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = weighing({"cat": 1.0})
    model.labels = ("No!", "YES")
    monkeypatch.setattr(project_model, "load_predictor", lambda *_: model)
    refused = attribute(six_texts, model="spacy:x", method="occlusion")
    assert (refused.code, refused.out) == (1, "")
    options = refused.err.splitlines()[-1].removeprefix("If correct, repeat with ")
    answer = attribute(six_texts, *shlex.split(options), model="spacy:x", method="occlusion")
    assert (answer.code, "Of the model 'scripted': “No!” is “no”, “YES” is “yes”." in answer.err) == (0, True)
    assert attribute(six_texts, model="spacy:x", method="occlusion").code == 0


def test_what_it_computed_is_scored_by_evaluate_project(six_texts: Command) -> None:
    attribute(six_texts, "--faithfulness", "--label", "all")
    numbers = six_texts("evaluate", "project", "--project", "P", "--json").json
    kinds = [(row["method"], row["kind"]) for row in numbers["models"][0]["methods"]]
    assert kinds == [("linear", "attribution"), ("linear", "hard")]
    assert six_texts("check").code == 0


def test_evaluate_project_prints_the_table_as_latex(six_texts: Command) -> None:
    attribute(six_texts, "--faithfulness")
    answer = six_texts("evaluate", "project", "--project", "P", "--latex")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out.startswith("% Needs \\usepackage{booktabs,tabularx}.")
    assert "built-in $\\cdot$ linear & " in answer.out
    assert answer.out.endswith("\\end{table}\n")
    refused = six_texts("evaluate", "project", "--project", "P", "--latex", "--model", "nobody")
    assert (refused.code, "has no model 'nobody'" in refused.err) == (1, True)
    both = six_texts("evaluate", "project", "--project", "P", "--latex", "--json")
    assert (both.code, "Choose --json or --latex" in both.err) == (2, True)


def test_evaluate_project_prints_a_short_table_of_the_numbers_that_the_page_shows_first(six_texts: Command) -> None:
    attribute(six_texts, "--faithfulness")
    answer = six_texts("evaluate", "project", "--project", "P")
    assert (answer.code, answer.err) == (0, "")
    assert "built-in · linear" in answer.out
    assert max(map(len, answer.out.splitlines())) <= 100
    assert len(answer.out.splitlines()) < 40
    named = six_texts("evaluate", "project", "--project", "P", "--metric", "sets.best_iou").out
    assert "token IoU" in named
    assert "F1" not in named
    refused = six_texts("evaluate", "project", "--project", "P", "--metric", "best_iou")
    assert (refused.code, "Did you mean sets.best_iou?" in refused.err) == (1, True)


def test_a_card_is_reproduced_and_two_metrics_are_related(six_texts: Command, tmp_path: Path) -> None:
    attribute(six_texts)
    card = tmp_path / "card.json"
    assert six_texts("evaluate", "project", "--project", "P", "--card", str(card)).code == 0
    again = six_texts("reproduce", str(card))
    assert (again.code, again.out.startswith("Reproduced: ")) == (0, True)
    content = json.loads(card.read_text(encoding="utf-8"))
    content["texts"][0]["label"] = "another"
    card.write_text(json.dumps(content), encoding="utf-8")
    other = six_texts("reproduce", str(card))
    assert other.code == 1
    assert other.out.splitlines()[0].startswith(f"The gold label of {content['texts'][0]['key']} was another, and is ")
    words = ("evaluate", "project", "--project", "P", "--relate", "sets.best_f1", "eraser.accuracy")
    assert "Spearman's" in " ".join(six_texts(*words).out.split())
    assert six_texts(*words, "--json").code == 2


def test_evaluate_project_prints_the_csv_of_the_page(six_texts: Command) -> None:
    attribute(six_texts)
    lines = six_texts("evaluate", "project", "--project", "P", "--csv").out.splitlines()
    assert lines[0].startswith("model,method,parameters,seeds,kind,layer,group,metric,part,value,n")
    named = six_texts("evaluate", "project", "--project", "P", "--csv", "--metric", "sets.best_f1").out.splitlines()
    assert [line.split(",")[0] for line in named] == ["model", "built-in", "random"]
    assert set(named) < set(lines)


@pytest.mark.parametrize(
    "options", [("--all", "--metric", "sets.best_f1"), ("--json", "--own-instances"), ("--json", "--csv")]
)
def test_options_that_contradict_each_other_are_wrong_usage(six_texts: Command, options: tuple[str, ...]) -> None:
    assert six_texts("evaluate", "project", "--project", "P", *options).code == 2


def test_other_parameters_are_given_by_name(six_texts: Command) -> None:
    answer = attribute(six_texts, "--set", "removal=delete", "--output", "probability", method="occlusion")
    assert answer.out.startswith('built-in, occlusion {"output": "probability", "removal": "delete"}')
    assert "has no parameter depth" in attribute(six_texts, "--set", "depth=3", method="occlusion").err
    assert (
        "--set depth: write a name, =, and a value." in attribute(six_texts, "--set", "depth", method="occlusion").err
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--method", "guess"), "Unknown method 'guess'."),
        (("--model", "spacy:nowhere"), "'nowhere' isn't a spaCy folder or pipeline (available: none)."),
        (
            ("--model", "mystery"),
            "NAME, spacy:FOLDER-OR-NAME, transformers:FOLDER-OR-NAME, transformers-zero-shot:FOLDER-OR-NAME, transformers-writing:FOLDER-OR-NAME or served:NAME.",
        ),
        (("--label", "maybe"), "'built-in' has no label 'maybe'."),
        (("--split", "dev"), "No splits in 'P'. Remove the split 'dev'."),
        (("--seed", "1"), "isn't random. Remove --seed."),
        (("--preset", "wang-2022"), "linear has no preset 'wang-2022'"),
        (("--rename", "no"), "--rename no: write a name, =, and a value."),
        (("--model", "spacy:x", "--train"), "Only the built-in model is trained here"),
        (
            ("--model", "transformers-zero-shot:x", "--prompt", "{label}"),
            "Invalid prompt '{label}': {text} once and {label} at the end, e.g.",
        ),
        (("--model", "transformers-zero-shot:x", "--label-words", "maybe=so"), "Unknown label 'maybe'. Available:"),
        (("--project", "Q"), "Unknown project 'Q'"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(six_texts: Command, words: tuple[str, ...], sentence: str) -> None:
    answer = attribute(six_texts, *words)
    assert (answer.code, answer.out) == (1, "")
    assert sentence in answer.err


def test_a_missing_method_is_wrong_usage(six_texts: Command) -> None:
    assert six_texts("attribute", "--project", "P", "--model", "built-in").code == 2


def test_a_missing_extra_is_named(six_texts: Command, path: Path) -> None:
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
    monkeypatch.setattr("annotator.cli.attribute.time.monotonic", lambda: 100.0)
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


def test_groups_end_quietly_where_nobody_reads_on(six_texts: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    attribute(six_texts)

    def closed(*_of: object) -> str:
        raise BrokenPipeError(errno.EPIPE, "closed")

    monkeypatch.setattr("annotator.cli.evaluate.project._printed", closed)
    monkeypatch.setattr("sys.stdout", sys.stdout)  # click puts another in its stead
    with pytest.raises(SystemExit, match="^1$"):
        six_texts("evaluate", "project", "--project", "P", "--group-by", "label")


def test_evaluate_project_prints_a_table_for_each_group(six_texts: Command) -> None:
    attribute(six_texts)
    printed = six_texts("evaluate", "project", "--project", "P", "--group-by", "label")
    by_label = printed.out
    assert printed.err.startswith("0 of 2 groups\n")
    assert by_label.index("label: no (3 instances)") < by_label.index("label: yes (3 instances)")
    assert by_label.count("Model · method") == 2
    lines = six_texts("evaluate", "project", "--project", "P", "--group-by", "label", "--csv").out.splitlines()
    assert [line.startswith("model,") for line in lines].count(True) == 1
    assert {line.rsplit(",", 1)[1] for line in lines[1:]} == {"no", "yes"}
    report = six_texts("evaluate", "project", "--project", "P", "--group-by", "label", "--json").json
    assert report["group_by"] == "label"
    assert {name: numbers["group"] for name, numbers in report["groups"].items()} == {"no": "no", "yes": "yes"}
    refused = six_texts("evaluate", "project", "--project", "P", "--group-by", "mood")
    assert refused.code == 1
    assert "Can't group by 'mood'. Choose label," in refused.err
    both = six_texts("evaluate", "project", "--project", "P", "--group-by", "label", "--criterion", "spelling")
    assert both.code == 2
    assert "Choose --criterion or --group-by" in both.err


@pytest.mark.parametrize("method", ["occlusion", "lime"])
def test_a_reading_models_answer_is_explained_by_command_with_its_words_covered_and_never_deleted(
    annotator: Command, tmp_path: Path, torch: Any, method: str
) -> None:
    row = {"id": "r", "passage": "the director wrote it", "question": "who wrote it?", "answer": "the director"}
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    annotator("project", "create", "P", "--task", "reading")
    assert annotator("import", "jsonl", str(tmp_path / "rows.jsonl"), "--project", "P").code == 0
    reader(tmp_path / "reader")
    model = f"transformers:{tmp_path / 'reader'}"
    refused = attribute(annotator, "--set", "removal=delete", model=model, method=method)
    assert (refused.code, refused.out) == (1, "")
    assert "'reader' extracts its answer; removal=delete would move it. Use removal=cover." in refused.err
    refused = attribute(annotator, "--label", "gold", model=model, method=method)
    assert "'reader' explains only its own answer, not gold. Choose predicted." in refused.err
    answer = attribute(annotator, "--json", model=model, method=method)
    assert answer.code == 0, answer.err
    assert (answer.json["n_answers"], answer.json["n_attributions"]) == (1, 1)
    assert (answer.json["parameters"]["output"], answer.json["parameters"]["removal"]) == ("logit", "cover")


# `annotator train`: what it prints, and what it refuses.

QUICK = ("--epochs", "2", "--learning-rate", "0.001", "--device", "cpu")


def train(command: Command, *words: str) -> Answer:
    return command("train", "--project", "P", "--name", "first", *QUICK, *words)


def test_it_prints_each_epoch_what_was_learned_from_and_how_the_model_is_named(
    planted_project: Command, torch: Any
) -> None:
    answer = train(planted_project, "--align", "mae")
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[0].split() == ["epoch", "loss", "alignment", "validation", "loss", "accuracy", "seconds"]
    assert lines[3] == "Learned from 36 texts, 36 of them with rationales; stopped by 4 texts."
    assert lines[4].startswith("Correct on ")
    assert lines[5].startswith("first, on texts that it did not learn from: accuracy ")
    assert "AUPRC, occlusion 0." in lines[5]
    assert [line.partition(" Train one")[0] for line in lines[6:8]] == [
        "“first” has no unaligned baseline: alignment's effect is unknown.",
        "“first” has no shuffled-rationale control: gains may have other causes.",
    ]
    assert lines[8].startswith("Saved: transformers:")
    folder = lines[8].removeprefix("Saved: transformers:")
    asked = planted_project("attribute", "--project", "P", "--model", f"transformers:{folder}", "--method", "occlusion")
    assert "Computed 36 predictions" in asked.out  # the others were asked for the proof


def test_what_an_alignment_brought_is_told_beside_the_twin_and_the_control_that_the_commands_train(
    planted_project: Command, torch: Any
) -> None:
    answer = train(planted_project, "--align", "order", "--strength", "0.5")
    makes_twin, makes_control = (line.partition("Train one: annotator ")[2] for line in answer.out.splitlines()[6:8])
    assert planted_project(*shlex.split(makes_twin)).code == 0
    answer = planted_project(*shlex.split(makes_control))
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    at = lines.index("first against first-none, without alignment; control: first-shuffled")
    titles = ["accuracy", "AUPRC, gradient × input", "AUPRC, occlusion"]
    rows = [line.strip() for line in lines[at + 2 : at + 5]]
    assert [row.startswith(f"{title} ") and " 24 " in row for row, title in zip(rows, titles, strict=True)] == [
        True
    ] * 3
    assert lines[at + 6] == "  Plausibility by gradient × input was the training target: no proof."
    assert lines[at + 7].startswith("  Plausibility by occlusion: ")
    assert lines[at + 8].startswith("Saved: ")
    report = json.loads(train(planted_project, "--align", "order", "--strength", "0.5", "--json").out)
    [proof] = report["proofs"]
    assert (proof["twins"], proof["controls"], proof["lacking"]) == (["first-none"], ["first-shuffled"], [])
    assert proof["measures"]["occlusion"]["n"] == 24  # those of the other split, and those that it stopped by


def test_twin_and_control_are_trained_in_one_go_and_a_row_has_both_plausibilities(
    planted_project: Command, torch: Any
) -> None:
    answer = train(planted_project, "--align", "mae", "--control")
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[0].endswith("gradient × input  occlusion")
    assert [line.split()[0] for line in lines[1:4]] == ["first-none", "first-mae-gold", "first-mae-shuffled"]
    assert all(0 <= float(number) <= 1 for line in lines[1:4] for number in line.split()[-2:])
    assert lines[4] == "first-mae-gold against first-none, without alignment; control: first-mae-shuffled"
    refused = train(planted_project, "--control")
    assert refused.code == 2
    assert "--control stands beside an alignment" in refused.err


def test_an_extractor_is_aligned_beside_its_control_and_asked_for_its_selection(
    planted_project: Command, torch: Any
) -> None:
    answer = train(planted_project, "--align", "mse", "--align-by", "extractor", "--control")
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[0].endswith("trained method  occlusion")
    assert lines[4] == "first-mse-gold against first-none, without alignment; control: first-mse-shuffled"
    assert "What the alignment" not in answer.err  # the unaligned model has no extractor, and is not asked for one
    card = json.loads(planted_project("train", "--project", "P", "--name", "first", *QUICK, "--json").out)
    folder = Path(card["model"].removeprefix("transformers:")).with_name("first-mse-gold")
    assert json.loads((folder / "card.json").read_text())["parameters"]["alignment"]["by"] == "extractor"
    model = ("attribute", "--project", "P", "--model", f"transformers:{folder}", "--method", "selection")
    selected = planted_project(*model, "--faithfulness")
    assert selected.code == 0, selected.err
    assert re.search(r"Computed (\d+) predictions, \1 attributions, \1 rationales and \d+ predictions on", selected.out)


def test_an_alignment_by_attention_is_judged_by_it_and_by_occlusion(planted_project: Command, torch: Any) -> None:
    answer = train(planted_project, "--align", "mae", "--align-by", "attention")
    assert answer.code == 0, answer.err
    assert re.search(r"AUPRC, attention [01]\.", answer.out)
    assert "AUPRC, occlusion 0." in answer.out
    assert "gradient × input" not in answer.out


def test_json_is_one_object(planted_project: Command, torch: Any) -> None:
    report = json.loads(train(planted_project, "--json").out)
    assert (report["learned_from"], len(report["epochs"]), report["epochs"][0]["alignment_loss"]) == (36, 2, None)
    assert report["held_out"]["n"] == 20


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--align", "kl"), "Choose the form 'released'"),
        (("--align", "mae", "--strength", "0"), "Alignment strength is"),
        (("--align", "mae", "--align-by", "attention", "--no-graph"), "--no-graph is for gradients. Remove it"),
        (("--align", "mae", "--align-by", "extractor", "--too-long", "windows"), "doesn't work in windows"),
        (("--split", "dev"), "No split 'dev' in 'P'."),
        (("--base", "nowhere/model"), "Give a folder, or start with --allow-model-hub."),
        (("--learning-rate", "2"), "The learning rate is 2.0"),
    ],
)
def test_what_will_not_do_is_refused_before_anything_is_made(
    planted_project: Command, torch: Any, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    answer = train(planted_project, *words)
    assert answer.code == 1
    assert message in answer.err
    assert not list(tmp_path.rglob("first*"))


def test_a_share_of_the_rationales_is_chosen_by_the_answers_of_a_model_that_was_not_aligned(
    planted_project: Command, torch: Any
) -> None:
    planted_project("attribute", "--project", "P", "--model", "built-in", "--method", "linear")
    asked = ("--align", "mae", "--share", "10", "--choose", "least-confident", "--confidence-of", "built-in")
    answer = train(planted_project, *asked)
    assert answer.code == 0, answer.err
    assert "Learned from 36 texts, 4 of them with rationales (chosen among 36)" in answer.out
    folder = answer.out.splitlines()[-1].removeprefix("Saved: transformers:")
    card = json.loads((Path(folder) / "card.json").read_text(encoding="utf-8"))
    wanted = {"rationales": "gold", "share": "10 % of 36", "choice": "least confident", "confidence of": "built-in"}
    assert wanted.items() <= card["data"].items()


@pytest.mark.parametrize("words", [("--share", "10"), ("--rationales", "shuffled")])
def test_which_rationales_is_not_asked_without_an_alignment_that_reads_them(
    planted_project: Command, words: tuple[str, ...]
) -> None:
    answer = train(planted_project, *words)
    assert answer.code == 2
    assert "Without --align no rationales are used" in answer.err


def test_two_trainings_are_compared_in_every_project_that_is_named(
    planted_project: Command, torch: Any, tmp_path: Path
) -> None:
    file = tmp_path / "other.jsonl"
    file.write_text('{"id": "a", "text": "one text", "label": "yes"}\n', encoding="utf-8")
    planted_project("project", "create", "Q", "--task", "sentiment", "--labels", "no,yes")
    assert planted_project("import", "jsonl", str(file), "--project", "Q").code == 0
    folder = train(planted_project).out.splitlines()[-1].removeprefix("Saved: ")
    renamed = [word for of, to in zip(LABELS, ("no", "yes"), strict=True) for word in ("--rename", f"{of}={to}")]
    for project, names in (("P", []), ("Q", renamed)):
        asked = ("attribute", "--project", project, "--model", folder, "--method", "gradient-x-input")
        assert planted_project(*asked, *names).code == 0
    both = ("evaluate", "models", "--base", "first", "--other", "first", "--project")
    answer = planted_project(*both, "P", "--project", "Q")
    lines = answer.out.splitlines()
    assert lines[0] == "P: first against first"
    assert sum(line.startswith("  Signature: METRIC|gold:") for line in lines) == 2
    assert lines[1] == "  Left out: 36 texts that a model learned from."
    assert "Q: first against first" in lines
    report = planted_project(*both, "Q", "--json").json["Q"]
    assert (report["parts"]["all"]["n"], report["parts"]["all"]["difference"]) == (1, 0.0)
    assert planted_project("evaluate", "models", "--base", "first", "--other", "none", "--project", "P").code == 1


def test_options_that_are_given_several_times_train_a_model_for_each_combination_and_those_that_are_done_stay(
    planted_project: Command, torch: Any
) -> None:
    first = train(planted_project, "--align", "none", "--align", "mae")
    assert first.code == 0, first.err
    lines = [line.split() for line in first.out.splitlines()]
    assert [line[0] for line in lines[:4]] == ["model", "first-none", "first-mae", "first-mae"]
    assert (lines[1][-3], lines[2][-3], lines[1][5]) == ("–", lines[2][6], "(20)")
    more = train(planted_project, "--align", "none", "--align", "mae", "--align", "bce")
    rows = more.out.splitlines()
    assert [row.endswith("was there already") for row in rows[:4]] == [False, True, True, False]
    assert rows[1].split()[:9] == lines[1]
    other = train(planted_project, "--align", "none", "--align", "mae", "--epochs", "1")
    assert other.code == 1
    assert "has a different model. Choose another name, or --again." in other.err


def test_a_reading_model_prints_exact_match_f1_and_how_often_it_tells_that_there_is_no_answer(
    annotator: Command, small_models: None, torch: Any, tmp_path: Path
) -> None:
    file = tmp_path / "rows.jsonl"
    rows = [
        {"id": f"q{n}", "passage": f"the cup stood on table {n}", "question": "where is it?", "answer": "" if n % 3 else "table",
         "split": "train" if n < 30 else "test"}
        for n in range(60)
    ]  # fmt: skip
    rows.append({**rows[0], "id": "absent", "answer": "the moon"})
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    annotator("project", "create", "P", "--task", "reading")
    assert annotator("import", "jsonl", str(file), "--project", "P").code == 0
    refused = train(annotator)
    assert refused.code == 1
    assert "--architecture reading" in refused.err
    report = json.loads(train(annotator, "--architecture", "reading", "--json").out)
    assert (report["held_out"]["n"], report["held_out"]["n_label"], report["left_out"]) == (30, 20, 1)
    assert report["scores"]["exact match"] == report["held_out"]["n_right"] / 30
    again = train(annotator, "--architecture", "reading").out.splitlines()
    assert any(line.startswith("Exact match on ") and "Always answering “" in line for line in again)
    assert "Left out as the gold answer does not stand in the text: 1 text." in again
    assert any(line.startswith("answer F1 ") and "of those without an answer told right" in line for line in again)


def test_a_rationaliser_is_trained_its_mask_told_and_its_own_rationales_scored(planted_project: Command) -> None:
    words = (
        "train",
        "--project",
        "P",
        "--name",
        "m",
        "--architecture",
        "lei",
        "--learning-rate",
        "0.01",
        "--epochs",
        "8",
    )
    alone = train(planted_project, "--epochs", "1", "--supervision", "1")
    assert (alone.code, "go with --architecture lei" in alone.err) == (2, True)
    out = planted_project(*words, "--sparsity", "5").out
    assert "Its mask is empty: it tells no words apart. Train with --supervision" in out
    planted_project("attribute", "--project", "P", "--model", "m", "--method", "selection")
    table = planted_project("evaluate", "project", "--project", "P", "--split", "test").out
    assert "m · selection · selected tokens: degenerate mask, nothing selected in " in " ".join(table.split())
    out = planted_project(*words, "--supervision", "4", "--epochs", "12", "--patience", "12", "--again").out
    assert "On 20 held-out texts it selects " in out
    assert "Its mask is" not in out
    done = planted_project("attribute", "--project", "P", "--model", "m", "--method", "selection", "--faithfulness")
    assert done.code == 0
    [model] = planted_project("evaluate", "project", "--project", "P", "--json").json["models"]
    f1 = [run["plausibility"]["sets.best_f1"]["value"] for run in model["methods"] if run["method"] == "selection"]
    assert len(f1) == 2, "its probabilities, and the tokens that it selects"
    assert min(f1) > 0.3, "random: 0.12"


def test_a_pipeline_tells_whose_error_it_was_and_its_selection_stands_in_erasers_table(
    planted_project: Command,
) -> None:
    words = ("train", "--project", "P", "--name", "m", "--architecture")
    refused = planted_project(*words, "lehman", "--align", "mae")
    assert (refused.code, "Pipelines already learn from rationales" in refused.err) == (1, True)
    out = planted_project(*words, "bert-to-bert-tokens", "--learning-rate", "0.001", "--epochs", "8").out
    assert "On 20 held-out texts it selects evidence in " in out
    assert re.search(r"wrong [\d.]+ % having selected evidence, [\d.]+ % something else", out)
    done = planted_project("attribute", "--project", "P", "--model", "m", "--method", "selection", "--faithfulness")
    assert done.code == 0
    assert re.search(r", [1-9]\d* rationales and ", done.out), "its own are counted"
    table = planted_project("table", "eraser-hard", "--project", "P", "--split", "test")
    assert (table.code, "selection" in table.out) == (0, True)


def test_what_a_model_selects_is_exported_for_erasers_scorer_which_gives_the_same_numbers(
    planted_project: Command, tmp_path: Path
) -> None:
    words = ("train", "--project", "P", "--name", "m", "--architecture", "bert-to-bert-tokens")
    assert planted_project(*words, "--learning-rate", "0.001", "--epochs", "3").code == 0
    words = (
        "attribute",
        "--project",
        "P",
        "--model",
        "m",
        "--method",
        "selection",
        "--faithfulness",
        "--split",
        "test",
    )
    assert planted_project(*words).code == 0
    path, gold = tmp_path / "predictions.jsonl", tmp_path / "gold"
    words = ("export", "eraser-predictions", str(path), "--project", "P", "--model", "m")
    assert "No run of 'm' with 'lime'" in planted_project(*words, "--method", "lime").err
    assert planted_project(*words, "--method", "selection", "--split", "test").code == 0
    for line in path.read_text(encoding="utf-8").splitlines():
        [document] = json.loads(line)["rationales"]
        spans = [range(span["start_token"], span["end_token"]) for span in document["hard_rationale_predictions"]]
        likely = {n for n, p in enumerate(document["soft_rationale_predictions"]) if p > 0.5}
        assert {token for span in spans for token in span} == likely, "its own selection, and not the top k"
    assert planted_project("export", "eraser", str(gold), "--project", "P").code == 0
    words = ("--data-dir", str(gold), "--split", "test", "--predictions", str(path), "--json")
    scored = planted_project("evaluate", "eraser", *words).json
    ours = planted_project("evaluate", "project", "--project", "P", "--split", "test", "--json").json["models"][0]
    [hard] = [run for run in ours["methods"] if run["kind"] == "hard"]
    token_f1 = hard["plausibility"]["eraser.token_f1_macro"]["value"]
    assert scored["token_prf"]["instance_macro"]["f1"] == pytest.approx(token_f1)
    assert scored["classification_scores"]["accuracy"] == pytest.approx(ours["quality"]["eraser.accuracy"]["value"])
    aopc = hard["faithfulness"]["eraser.comprehensiveness_aopc"]["value"]
    assert scored["classification_scores"]["comprehensiveness_aopc"] == pytest.approx(aopc)


def test_a_run_is_written_for_the_benchmarks_scorers_and_they_give_the_numbers_of_the_project(
    planted_project: Command, tmp_path: Path
) -> None:
    planted_project("project", "create", "Q", "--task", "sentiment", "--labels", ",".join(("unused", *LABELS)))
    assert planted_project("import", "jsonl", str(tmp_path / "rows.jsonl"), "--project", "Q").code == 0
    words = ("--project", "Q", "--model", "built-in", "--method", "random")
    assert planted_project("attribute", *words, "--faithfulness", "--seed", "1").code == 0
    path, gold = tmp_path / "predictions.jsonl", tmp_path / "gold"
    words = ("benchmark-predictions", str(path), *words, "--split", "test")
    assert "Wrote 20 lines" in planted_project("export", *words).out
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == sorted(row["id"] for row in rows)
    for row in rows:
        of_all = [*row["rationale"][0], *row["no_rationale"][0]]
        assert sorted(of_all) == list(range(len(of_all))), "every token stands once"
    assert planted_project("export", "benchmark", str(gold), "--project", "Q", "--split", "test").code == 0
    words = ("--task", "sentiment", "--gold", str(gold), "--predictions", str(path), "--json")
    scored = planted_project("evaluate", "benchmark", *words).json
    ours = planted_project("evaluate", "project", "--project", "Q", "--split", "test", "--json").json["models"][0]
    [random] = [run for run in ours["methods"] if run["kind"] == "attribution"]
    assert 0 < scored["paper"]["token_f1"] < 1
    of_both = (
        (scored["paper"]["token_f1"], random["plausibility"]["benchmark.token_f1_paper"]),
        (scored["scripts"]["token_f1"], random["plausibility"]["benchmark.token_f1_scripts"]),
        (scored["evaluator"]["iou_f1"], random["plausibility"]["benchmark.iou_f1_evaluator"]),
        (scored["evaluator"]["sufficiency"], random["faithfulness"]["method.sufficiency"]),
        (scored["evaluator"]["comprehensiveness"], random["faithfulness"]["method.comprehensiveness"]),
        (scored["scripts"]["new_p"], random["faithfulness"]["benchmark.new_p"]),
        (scored["scripts"]["accuracy"], ours["quality"]["eraser.accuracy"]),
    )
    for theirs, of_project in of_both:
        assert theirs == pytest.approx(of_project["value"])


@pytest.mark.parametrize(
    ("task", "labels", "gold", "row"),
    [
        ("similarity", ("--labels", "different,same"), "benchmark-similarity",
         {"id": 2, "rationale": [[5, 2], [3]], "no_rationale": [[0, 1, 3, 4, 6], [0, 1, 2, 4, 5, 6]],
          "rationale_token": [["monday", "museum"], ["open"]], "pred_label": 1, "rationale_pred": 0, "no_rationale_pred": 1}),
        ("reading", (), "benchmark-reading",
         {"id": 1, "rationale": [[5, 13]], "no_rationale": [[0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14]],
          "rationale_token": [["ten", "Night"]], "pred_label": "at ten", "rationale_pred": "ten", "no_rationale_pred": ""}),
    ],
)  # fmt: skip
def test_the_benchmarks_predictions_of_pairs_and_readings_come_out_as_they_went_in(
    annotator: Command, tmp_path: Path, task: str, labels: tuple[str, ...], gold: str, row: dict[str, object]
) -> None:
    before, after = tmp_path / "before.jsonl", tmp_path / "after.jsonl"
    before.write_text(json.dumps(row) + "\n", encoding="utf-8")
    annotator("project", "create", "P", "--task", task, *labels)
    assert annotator("import", "benchmark", str(REPOSITORY / "data" / "samples" / gold), "--project", "P").code == 0
    words = ("--project", "P", "--model", "m", "--method", "ig")
    assert annotator("import", "benchmark-predictions", str(before), *words).code == 0
    assert annotator("export", "benchmark-predictions", str(after), *words).code == 0
    assert [json.loads(line) for line in after.read_text(encoding="utf-8").splitlines()] == [row]


def test_an_lstm_is_trained_from_word_vectors_and_every_command_takes_its_folder(
    planted_project: Command, tmp_path: Path
) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("word1 1 0 0 0\nword2 0 1 0 0\nword1 9 9 9 9\n", encoding="utf-8")
    words = ("train", "--project", "P", "--epochs", "12", "--learning-rate", "0.01", "--name")
    refused = planted_project(*words, "m", "--vectors", str(vectors))
    assert (refused.code, "Word vectors are for encoder-lstm and lstm" in refused.err) == (1, True)
    out = planted_project(*words, "m", "--architecture", "encoder-lstm", "--vectors", str(vectors)).out
    assert "training words have no vector in vectors.txt (its mean is used). 1 line repeats a word" in out
    again = planted_project(*words, "m", "--architecture", "encoder-lstm", "--vectors", str(vectors)).out
    assert "training words have no vector in vectors.txt" in again
    assert "Was there already" in again
    assert planted_project(*words, "last", "--architecture", "lstm").code == 0
    for name, methods in (
        ("m", ("attention", "gradient-x-input")),
        ("last", ("state-products", "integrated-gradients")),
    ):
        for method in methods:
            done = planted_project("attribute", "--project", "P", "--model", name, "--method", method, "--faithfulness")
            assert done.code == 0, done.err
    models = planted_project("evaluate", "project", "--project", "P", "--json").json["models"]
    scored = {
        run["method"] for model in models for run in model["methods"] if run["plausibility"]["sets.best_f1"]["value"]
    }
    assert {"attention", "gradient-x-input", "state-products", "integrated-gradients"} <= scored


# `annotator suite` and `annotator words`: from a ready suite to failure rates, and the ways in and out.

ROWS = [("good film", "positive"), ("bad film.", "negative"), ("good food", "positive"), ("bad food!", "negative")]


@pytest.fixture
def with_texts(annotator: Command, tmp_path: Path) -> Command:
    annotator("project", "create", "P", "--task", "sentiment", "--labels", "negative,positive")
    file = tmp_path / "rows.jsonl"
    lines = [json.dumps({"id": str(n), "text": text, "label": label}) for n, (text, label) in enumerate(ROWS)]
    file.write_text("\n".join(lines), encoding="utf-8")
    annotator("import", "jsonl", str(file), "--project", "P")
    return annotator


def make(command: Command, *more: str) -> Answer:
    return command("suite", "make", "s", "--project", "P", "--ready", "sentiment", "--n", "5", *more)


def test_a_ready_suite_is_made_run_and_scored(with_texts: Command) -> None:
    assert make(with_texts).out == "The suite 's' has 17 tests with 85 cases.\n"
    assert (
        "  Logic       MFT  negatives: a positive word negated: 5 cases"
        in with_texts("suite", "list", "--project", "P").out
    )
    ran = with_texts("suite", "run", "s", "--project", "P", "--model", "built-in")
    assert ran.code == 0
    assert ran.out.startswith("'built-in' answered 17 tests, ")
    assert "learned from all 4 instances" in ran.err
    assert with_texts("suite", "run", "s", "--project", "P", "--model", "built-in", "--as", "b").code == 0
    scored = with_texts("suite", "score", "s", "--project", "P", "--compare", "b", "built-in", "--json").json
    last = scored["rows"][-1]
    assert (last["name"], last["n_cases"], last["difference"]) == ("All tests", 85, 0.0)
    assert scored["models"] == ["b", "built-in"]
    assert last["models"]["b"]["n_failed"] == last["models"]["built-in"]["n_failed"]
    words = with_texts("suite", "score", "s", "--project", "P").out
    assert "Vocabulary (30 cases)" in words
    assert "built-in: " in words


def test_tests_on_the_projects_texts_and_what_is_left_out_is_told(with_texts: Command) -> None:
    made = make(with_texts, "--on-texts", "--test", "punctuation", "--test", "change names", "--json")
    told = json.loads(made.out)
    assert [(test["name"], test["cases"]) for test in told["tests"]] == [("punctuation", 4)]
    assert list(told["left_out"]) == ["change names"]
    assert "left out: change names: " in made.err


def test_a_suite_goes_to_a_file_and_comes_back_and_is_removed(with_texts: Command, tmp_path: Path) -> None:
    make(with_texts)
    file = tmp_path / "s.jsonl"
    assert with_texts("suite", "export", "s", str(file), "--project", "P").out == f"Wrote 85 cases to {file}.\n"
    back = with_texts("suite", "import", "t", str(file), "--project", "P")
    assert back.out == "The suite 't' has 17 tests with 85 cases.\n"
    assert with_texts("suite", "remove", "t", "--project", "P", "--test", "typos").code == 0
    assert with_texts("suite", "remove", "t", "--project", "P").code == 0
    assert with_texts("suite", "remove", "t", "--project", "P").code == 1


def test_predictions_come_back_by_test_case_and_position(with_texts: Command, tmp_path: Path) -> None:
    make(with_texts, "--test", "typos")
    file, answers = tmp_path / "s.jsonl", tmp_path / "p.jsonl"
    with_texts("suite", "export", "s", str(file), "--project", "P")
    rows = [
        {
            "test": case["test"],
            "case": case["case"],
            "position": n,
            "label": "positive",
            "probabilities": {"positive": 1},
        }
        for case in map(json.loads, file.read_text(encoding="utf-8").splitlines())
        for n in range(len(case["texts"]))
    ]
    answers.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    read = with_texts("suite", "predictions", "s", str(answers), "--project", "P", "--model", "theirs")
    assert read.out == "'theirs': 1 new run, 0 changed, 0 unchanged.\n"
    answers.write_text("\n".join(map(json.dumps, rows[1:])), encoding="utf-8")
    refused = with_texts("suite", "predictions", "s", str(answers), "--project", "P", "--model", "other")
    assert refused.code == 1
    assert "1 problem; nothing was stored." in refused.err
    assert "typos, 0, 0" in refused.err


def test_word_lists_are_saved_listed_and_removed(with_texts: Command, tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("soup\nbread\n\nsoup\n", encoding="utf-8")
    assert with_texts("words", "save", "dish", str(file), "--project", "P", "--role", "keep").out == (
        "The list 'dish' has 2 words.\n"
    )
    assert with_texts("words", "list", "--project", "P").out == "dish (keep, en): soup, bread\n"
    listed = with_texts("words", "list", "--project", "P", "--json").json
    assert listed == {"word_lists": [{"name": "dish", "role": "keep", "language": "en", "words": ["soup", "bread"]}]}
    assert with_texts("words", "remove", "dish", "--project", "P").code == 0
    assert "There are no word lists yet" in with_texts("words", "list", "--project", "P").out
    file.write_bytes(b"caf\xe9")
    assert "is not UTF-8 (byte 3)" in with_texts("words", "save", "dish", str(file), "--project", "P").err


def test_a_word_list_is_read_from_a_file_of_lexicons_by_its_name(with_texts: Command, tmp_path: Path) -> None:
    file = tmp_path / "lexicons.json"
    file.write_text('{"male": ["Jo", "Al"], "pronouns": [{"name": "Jo"}]}', encoding="utf-8")
    assert "has 2 words" in with_texts("words", "save", "male", str(file), "--project", "P").out
    for name, text in (("pronouns", None), ("female", None), ("male", '{"male": [')):
        file.write_text(text or file.read_text(), encoding="utf-8")
        refused = with_texts("words", "save", name, str(file), "--project", "P").err
        assert f"has no list of words '{name}'. Write a word on each line, or JSON: {{NAME: [word]}}." in refused


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ("make", "s", "--project", "P", "--ready", "inference"),
            "'inference' is for task 'inference', not 'sentiment' (P).",
        ),
        (("make", "s", "--project", "P", "--ready", "nothing"), "Unknown name 'nothing'. Available:"),
        (("make", "s", "--project", "P", "--ready", "sentiment", "--label", "neutral=x"), "'x' isn't a project label"),
        (
            ("make", "s", "--project", "P", "--ready", "sentiment", "--label", "x=positive"),
            "no label 'x'; it has negative",
        ),
        (("run", "s", "--project", "P", "--model", "built-in"), "Unknown suite 's'. Available:"),
        (("score", "s", "--project", "P"), "Unknown suite 's'. Available:"),
    ],
)
def test_what_cannot_be_done_is_refused_with_exit_code_1(
    with_texts: Command, words: tuple[str, ...], sentence: str
) -> None:
    answer = with_texts("suite", *words)
    assert answer.code == 1
    assert sentence in answer.err


def test_the_ready_suites_are_listed_with_what_they_test(annotator: Command) -> None:
    words = annotator("suite", "ready").out
    assert "sentiment (task sentiment; labels negative, neutral, positive)" in words
    assert "  Entity      MFT  switch one entity: " in words
    assert {one["name"] for one in annotator("suite", "ready", "--json").json["suites"]} == {"inference", "sentiment"}


# Sufficient sets.


def test_sufficient_sets_are_printed_beside_peoples_and_a_second_run_searches_nothing(six_texts: Command) -> None:
    answer = six_texts("sufficient", "--project", "P", "--model", "built-in", "--fixed-threshold", "0.55")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert lines[0].startswith('built-in, sufficient sets {"removal": "delete", "rule": "paper", "search": "auto"')
    assert re.match(r"Searched 6 texts with [0-9]+ reduced texts; 0 of 6 texts were known\.", lines[1])
    assert any(line.startswith("people's sets") for line in lines)
    assert "6 of 6 texts" in answer.err
    report = six_texts(
        "sufficient", "--project", "P", "--model", "built-in", "--fixed-threshold", "0.55", "--json"
    ).json
    assert (report["n_known"], report["n_calls"]) == (6, 0)
    assert report["numbers"]["n_texts"] == 6


def test_texts_that_are_too_long_for_exact_sets_end_with_1(six_texts: Command, tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    file.write_text(json.dumps({"id": "long", "text": "good " * 13, "label": "yes"}) + "\n", encoding="utf-8")
    assert six_texts("import", "jsonl", str(file), "--project", "P").code == 0
    answer = six_texts("sufficient", "--project", "P", "--model", "built-in", "--exact")
    assert answer.code == 1
    assert "1 text left out: 1 longer than 12 tokens." in answer.err


def test_a_threshold_that_is_no_probability_is_refused(six_texts: Command) -> None:
    answer = six_texts("sufficient", "--project", "P", "--model", "built-in", "--threshold", "1.5")
    assert answer.code == 1
    assert "1.5" in answer.err
