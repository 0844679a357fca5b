"""`annotator train`: what it prints, and what it refuses."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Answer, Command
from tests.models.conftest import torch
from tests.training.planted import LABELS

__all__ = ["torch"]  # fixtures

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
    assert lines[3] == "Learned from 54 texts, 54 of them with rationales; stopped by 6 texts."
    assert lines[4].startswith("Correct on ")
    assert lines[5].startswith("first, on texts that it did not learn from: accuracy ")
    assert "AUPRC, occlusion 0." in lines[5]
    assert [line.split(", so that")[0] for line in lines[6:8]] == [
        "“first” has no twin without alignment",
        "“first” has no control on shuffled rationales",
    ]
    assert lines[8].startswith("Saved: transformers:")
    folder = lines[8].removeprefix("Saved: transformers:")
    asked = planted_project("attribute", "--project", "P", "--model", f"transformers:{folder}", "--method", "occlusion")
    assert "Computed 54 answers" in asked.out  # the others were asked for the proof


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
    assert [row.startswith(f"{title} ") and " 36 " in row for row, title in zip(rows, titles, strict=True)] == [
        True
    ] * 3
    assert lines[at + 6] == "  Plausibility by gradient × input was trained, so that its gain proves nothing."
    assert lines[at + 7].startswith("  Plausibility by occlusion: ")
    assert lines[at + 8].startswith("Saved: ")
    report = json.loads(train(planted_project, "--align", "order", "--strength", "0.5", "--json").out)
    [proof] = report["proofs"]
    assert (proof["twins"], proof["controls"], proof["lacking"]) == (["first-none"], ["first-shuffled"], [])
    assert proof["measures"]["occlusion"]["n"] == 36  # those of the other split, and those that it stopped by


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


def test_json_is_one_object(planted_project: Command, torch: Any) -> None:
    report = json.loads(train(planted_project, "--json").out)
    assert (report["learned_from"], len(report["epochs"]), report["epochs"][0]["alignment_loss"]) == (54, 2, None)
    assert report["held_out"]["n"] == 30


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--align", "kl"), "Choose the form 'released'"),
        (("--align", "mae", "--strength", "0"), "The strength of an alignment is 0.0"),
        (("--split", "dev"), "has no split 'dev'"),
        (("--base", "nowhere/model"), "no other host is asked"),
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
    assert "Learned from 54 texts, 6 of them with rationales (chosen among 54)" in answer.out
    folder = answer.out.splitlines()[-1].removeprefix("Saved: transformers:")
    card = json.loads((Path(folder) / "card.json").read_text(encoding="utf-8"))
    wanted = {"rationales": "gold", "share": "10 % of 54", "choice": "least confident", "confidence of": "built-in"}
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
    assert lines[1] == "  Left out: 54 texts that a model learned from."
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
    assert (lines[1][-3], lines[2][-3]) == ("–", lines[2][5])
    more = train(planted_project, "--align", "none", "--align", "mae", "--align", "bce")
    rows = more.out.splitlines()
    assert [row.endswith("was there already") for row in rows[:4]] == [False, True, True, False]
    assert rows[1].split()[:8] == lines[1]
    other = train(planted_project, "--align", "none", "--align", "mae", "--epochs", "1")
    assert other.code == 1
    assert "with other texts or settings" in other.err


def test_a_reading_model_prints_exact_match_f1_and_how_often_it_tells_that_there_is_no_answer(
    annotator: Command, torch: Any, tmp_path: Path
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
    assert any(line.startswith("Exactly the gold answer on ") for line in again)
    assert "Left out as the gold answer does not stand in the text: 1 text." in again
    assert any(line.startswith("answer F1 ") and "of those without an answer told right" in line for line in again)
