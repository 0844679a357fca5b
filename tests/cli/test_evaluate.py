"""`annotator evaluate`: files to numbers as one JSON object or a table for people, refusals by line, and that little is loaded."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from annotator.cli.main import run
from annotator.cli.scores import show_scores
from annotator.evaluation.benchmark.counts import MEANINGS
from tests.cli.conftest import Answer, Command, heavy_parts
from tests.conftest import REPOSITORY, SAMPLES
from tests.formats.test_eraser_predictions import CHANGED, GOLD, answered, hard, row, write
from tests.models.conftest import torch

__all__ = ["torch"]


@pytest.fixture
def evaluate(annotator: Command, tmp_path: Path) -> Command:
    def command(rows: list[dict[str, object]], *words: str) -> Answer:
        path = write(tmp_path / "data", GOLD, rows)
        place = ["--data-dir", str(tmp_path / "data"), "--split", "test", "--predictions", str(path)]
        return annotator("evaluate", "eraser", *place, *words)

    return command


def full(key: str, **more: object) -> dict[str, object]:
    return {**answered(key, p=1.0, **{**CHANGED, **more}), "rationales": [hard("d1", (0, 3))]}


def test_json_prints_one_object_with_the_scorers_names(evaluate: Command, database: Path) -> None:
    answer = evaluate([full("i1"), full("i2")], "--json")
    assert (answer.code, answer.err) == (0, "")
    found = answer.json
    assert list(found) == [
        "iou_scores",
        "rationale_prf",
        "token_prf",
        "classification_scores",
        "group_aware",
        "beside_random",
        "counts",
        "signature",
    ]
    assert found["iou_scores"][0] == {
        "threshold": 0.5,
        "micro": {"p": 0.5, "r": 0.25, "f1": pytest.approx(1 / 3)},
        "macro": {"p": 0.5, "r": pytest.approx(1 / 6), "f1": 0.25},  # recall 1/2, 0 and 0 of three documents with gold
    }
    assert set(found["classification_scores"]) == {
        "accuracy",
        "prf",
        "aopc_thresholds",
        *(side + form for side in ("comprehensiveness", "sufficiency") for form in ("", "_entropy", "_kl", "_aopc", "_aopc_points")),
    }  # fmt: skip
    assert not database.exists()


def test_what_is_no_number_is_null_and_infinity_a_word(evaluate: Command) -> None:
    zeros = {"sufficiency_classification_scores": {"Y": 0, "N": 0}}
    found = evaluate([full("i1", **zeros), full("i2", **zeros)], "--json").json["classification_scores"]
    assert (found["comprehensiveness_kl"], found["sufficiency_entropy"]) == ("Infinity", None)
    assert (found["comprehensiveness_aopc"], found["aopc_thresholds"]) == (None, None)


def test_thresholds_are_taken_as_often_as_they_are_given(evaluate: Command) -> None:
    rows = [full(key, thresholded_scores=[{"threshold": t, **CHANGED} for t in (0.3, 0.1)]) for key in ("i1", "i2")]
    options = ["--iou-threshold", "0.1", "--iou-threshold", "0", "--aopc-threshold", "0.3", "--aopc-threshold", "0.1"]
    found = evaluate(rows, *options, "--json").json
    assert [one["threshold"] for one in found["iou_scores"]] == [0.1, 0.0]
    assert found["classification_scores"]["aopc_thresholds"] == [0.1, 0.3]
    assert found["classification_scores"]["comprehensiveness_aopc"] == 0.5
    assert found["paper"]["comprehensiveness_aopc"] == pytest.approx(1 / 3)


def test_the_table_tells_direction_and_definition_beside_each_number(evaluate: Command) -> None:
    rows = [full(key, thresholded_scores=[{"threshold": 0.5, **CHANGED}]) for key in ("i1", "i2")]
    lines = evaluate(rows, "--aopc-threshold", "0.5").out.splitlines()
    by_name = {line[:58].rstrip(): line[58:].split(None, 1) for line in lines}
    assert by_name["iou_scores[0].macro.f1"][0] == "0.25"
    assert by_name["iou_scores[0].macro.f1"][1].startswith("higher is better: predicted spans with IOU")
    assert by_name["classification_scores.sufficiency"][1].startswith("lower is better: mean of p(j | x)")
    assert by_name["paper.sufficiency_aopc"][1].startswith(
        "lower is better: (Σ over thresholds of p(j | x) − p(j | top share alone))"
    )
    assert by_name["classification_scores.comprehensiveness_kl"][0] == "inf"
    assert by_name["token_prf.instance_macro.f1"][1].startswith("higher is better: tokens in predicted")
    assert by_name["counts.instances"] == ["2"]


def test_what_is_not_defined_is_a_dash_in_the_table(evaluate: Command) -> None:
    lines = evaluate([row("i1", {"docid": "d1", "soft_rationale_predictions": [0.0] * 8}), row("i9")]).out.splitlines()
    assert any(line.startswith("token_soft_metrics.auprc ") and "higher is better" in line for line in lines)
    lines = evaluate([row("i9", {"docid": "d1", "soft_rationale_predictions": [0.0] * 8})]).out.splitlines()
    assert any(line.split()[:2] == ["token_soft_metrics.average_precision", "–"] for line in lines)


def test_a_refusal_names_file_line_and_field_and_prints_no_object(evaluate: Command) -> None:
    answer = evaluate([row("i1", hard("d1", (0, 9)))], "--json")
    assert (answer.code, answer.out) == (1, "")
    assert "predictions, line 1, field hard_rationale_predictions, value '[0, 9)'" in answer.err


def test_a_split_that_the_folder_does_not_have_is_told_with_those_that_it_has(evaluate: Command) -> None:
    answer = evaluate([row("i1")], "--split", "tst")
    assert (answer.code, "has no split 'tst'; it has 'test'." in answer.err) == (1, True)


def test_a_missing_option_is_wrong_usage_and_a_threshold_that_is_no_number_a_refusal(evaluate: Command) -> None:
    assert run(["evaluate", "eraser", "--split", "test"]) == 2
    assert evaluate([row("i1")], "--iou-threshold", "many").code == 1
    assert evaluate([row("i1")], "--iou-threshold", "2").code == 1


def test_scoring_loads_no_large_package(tmp_path: Path) -> None:
    path = write(tmp_path / "data", GOLD, [full("i1"), full("i2")])
    place = ("--data-dir", path.parent, "--split", "test", "--predictions", path)
    assert heavy_parts("evaluate", "eraser", *place) == []


# `annotator evaluate edits`, `alignment` and `project`: two files to numbers, refusals by line, and that little is loaded.


# Two sentences with a deleted word, one without an edit. "The boy ate the found his ball .": the worked example of
# Stevens and Su 2021, section 4, whose rationale is the two words that are ranked first.
MARKUP = (
    "The boy <del>ate the </del>found his ball .\n"
    "It is <del>very </del>good .\n"
    "Nothing to mend .\n"
)  # fmt: skip


def attribution(key: str, scores: list[float], **more: object) -> dict[str, object]:
    return {"id": key, "model": "m", "method": "attention", "scores": scores, **more}


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    gold, scores = tmp_path / "edits.txt", tmp_path / "scores.jsonl"
    gold.write_text(MARKUP, encoding="utf-8")
    rows = [
        attribution("line1", [0, 0, 0.9, 0.8, 0.1, 0, 0, 0], prediction={"needs edit": 0.9, "correct": 0.1}),
        attribution("line2", [0.9, 0, 0.5, 0, 0.1], prediction={"needs edit": 0.4, "correct": 0.6}),
    ]
    scores.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(gold), str(scores)


def test_edits_give_all_correct_and_wrong_rows_with_their_confidence(
    annotator: Command, files: tuple[str, str]
) -> None:
    answer = annotator("evaluate", "edits", "--gold", files[0], "--predictions", files[1], "--json")
    assert (answer.code, answer.err) == (0, "")
    assert answer.json["gold"] == {
        "instances": 2, "instances_without_sets": 0, "sets": 2, "rows_of_unknown_instances": 0, "warnings": 0,
    }  # fmt: skip
    [row] = answer.json["runs"]
    mrr = {part: row[part]["editing.mrr"]["value"] for part in ("all", "correct", "wrong")}
    assert mrr == {"all": 0.75, "correct": 1.0, "wrong": 0.5}  # "ate the" at ranks 1 and 2; "very" at rank 2
    assert row["all"]["editing.top_1"]["value"] == 0.0  # two words never count, one is second
    assert row["correct"]["editing.top_1_lenient"]["value"] == 1.0
    assert (row["confidence"]["perfect"], row["confidence"]["other"]) == (0.9, None)
    assert (row["model"], row["method"], row["layer"]) == ("m", "attention", None)


def test_edits_are_told_by_criterion_too(annotator: Command, tmp_path: Path) -> None:
    gold, scores = tmp_path / "edits.txt", tmp_path / "scores.jsonl"
    gold.write_text(MARKUP + "The <del>weigthed</del><ins>weighted</ins> mean .\n", encoding="utf-8")
    said = {"line1": [0, 0, 0.9, 0.8, 0, 0, 0, 0], "line2": [0.9, 0, 0.5, 0, 0], "line4": [0.9, 0.5, 0.7, 0]}
    rows = [attribution(key, of_key, prediction={"needs edit": 0.9, "correct": 0.1}) for key, of_key in said.items()]
    scores.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    [row] = annotator("evaluate", "edits", "--gold", str(gold), "--predictions", str(scores), "--json").json["runs"]
    mrr = {
        criterion: (numbers["all"]["editing.mrr"]["value"], numbers["all"]["editing.mrr"]["n"])
        for criterion, numbers in row["by_criterion"].items()
    }
    assert mrr == {"deleted": ((1.0 + 0.5) / 2, 2), "spelling": (pytest.approx(1 / 3), 1)}
    assert row["by_criterion"]["spelling"]["wrong"]["editing.mrr"]["n"] == 0


def test_a_sentence_without_an_answer_or_without_a_gold_label_is_neither_right_nor_wrong_and_is_counted(
    annotator: Command, tmp_path: Path
) -> None:
    gold, scores = tmp_path / "gold.jsonl", tmp_path / "scores.jsonl"
    texts = [
        {"id": key, "text": "a b c d", "rationales": [[[0, 1]]]}
        for key in ("right", "wrong", "unlabelled", "unanswered")
    ]
    labels = {"right": "edit", "wrong": "edit", "unanswered": "edit"}
    rows = [text | ({"label": labels[text["id"]]} if text["id"] in labels else {}) for text in texts]
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    said = {"right": ("edit", [4, 3, 2, 1]), "wrong": ("keep", [3, 4, 2, 1]), "unlabelled": ("edit", [1, 2, 3, 4])}
    answered = [attribution(key, of_key, prediction={label: 0.9}) for key, (label, of_key) in said.items()]
    lines = [*answered, attribution("unanswered", [1, 2, 3, 4])]
    scores.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    words = ["--gold", str(gold), "--gold-format", "jsonl", "--predictions", str(scores), "--json"]
    [row] = annotator("evaluate", "edits", *words).json["runs"]
    mrr = {
        part: (row[part]["editing.mrr"]["value"], row[part]["editing.mrr"]["n"]) for part in ("all", "correct", "wrong")
    }
    assert mrr == {"all": (0.75, 2), "correct": (1.0, 1), "wrong": (0.5, 1)}  # all = R x correct + (1 - R) x wrong
    counts = {
        name: row["counts"][f"instances_{name}"] for name in ("without_answer", "without_gold_label", "left_out_of_all")
    }
    assert counts == {"without_answer": 1, "without_gold_label": 1, "left_out_of_all": 2}


def test_where_nothing_is_answered_all_sentences_count_and_none_is_wrong(
    annotator: Command, files: tuple[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text(json.dumps(attribution("line2", [0.9, 0, 0.5, 0, 0.1])) + "\n", encoding="utf-8")
    [row] = annotator("evaluate", "edits", "--gold", files[0], "--predictions", str(path), "--json").json["runs"]
    assert {part: row[part]["editing.mrr"]["n"] for part in ("all", "correct", "wrong")} == {
        "all": 1,
        "correct": 0,
        "wrong": 0,
    }
    assert (row["counts"]["instances_without_answer"], row["counts"]["instances_left_out_of_all"]) == (1, 0)


def test_each_layer_is_a_row(annotator: Command, files: tuple[str, str], tmp_path: Path) -> None:
    path = tmp_path / "layers.jsonl"
    rows = [attribution("line2", [0, 0, float(layer), 0.5, 0], layer=layer) for layer in (0, 1)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    answer = annotator("evaluate", "edits", "--gold", files[0], "--predictions", str(path), "--json")
    assert [(row["layer"], row["all"]["editing.mrr"]["value"]) for row in answer.json["runs"]] == [(0, 0.25), (1, 1.0)]


ALIGNED = [0, 0.04, -0.01, 0.01, 0, 0]  # er_test.md 2.1, the worked case; y = 0 1 1 0 0 0


@pytest.fixture
def aligned(tmp_path: Path) -> tuple[str, str]:
    gold, scores = tmp_path / "gold.jsonl", tmp_path / "scores.jsonl"
    row = {"id": "a", "tokens": ["t0", "t1", "t2", "t3", "t4", "t5"], "label": "x", "rationales": [[[1, 3]]]}
    gold.write_text(json.dumps(row) + "\n", encoding="utf-8")
    scores.write_text(json.dumps(attribution("a", ALIGNED)) + "\n", encoding="utf-8")
    return str(gold), str(scores)


@pytest.mark.parametrize(("gamma", "mse", "mae", "order"), [("1", 0.249, 0.499, 0.0001), ("100", 0.303, 0.497, 0.400)])
def test_alignment_gives_the_worked_numbers_at_both_gammas(
    annotator: Command, aligned: tuple[str, str], gamma: str, mse: float, mae: float, order: float
) -> None:
    words = ["--task", "sentiment", "--gold", aligned[0], "--predictions", aligned[1], "--gamma", gamma, "--json"]
    [row] = annotator("evaluate", "alignment", *words).json["runs"]
    defined = {name: number["value"] for name, number in row["defined"].items()}
    assert defined["er_test.mse_mean"] == pytest.approx(mse, abs=5e-4)
    assert defined["er_test.mae_mean"] == pytest.approx(mae, abs=5e-4)
    assert defined["er_test.order"] == pytest.approx(order, abs=5e-4)
    released = row["released"]["er_test.mse_released"]
    assert released["value"] == pytest.approx(mse, abs=5e-4)
    assert (released["n_batches"], row["released"]["er_test.huber_released"]["value"]) == (1, released["value"] / 2)


def test_alignment_adds_what_the_released_code_alone_computes_where_asked(annotator: Command, tmp_path: Path) -> None:
    # calc_neg_expl_loss and calc_plaus by hand. a: gold x, predicted x; b: gold y, predicted x; c has no rationale.
    gold, scores = tmp_path / "gold.jsonl", tmp_path / "scores.jsonl"
    rows = [
        {"id": "a", "tokens": ["t0", "t1"], "label": "x", "rationales": [[[0, 1]]]},
        {"id": "b", "tokens": ["t0", "t1"], "label": "y", "rationales": [[[1, 2]]]},
        {"id": "c", "tokens": ["t0", "t1"], "label": "x", "rationales": []},
    ]
    of_labels = {"a": {"x": [0.4, -0.1], "y": [0.2, -0.2]}, "b": {"x": [-0.5, 0.1], "y": [0.3, 0.1]}}
    of_labels |= {"c": {"x": [0.1, 0.2], "y": [0.0, 0.4]}}
    maps = [
        attribution(key, of, target=label, prediction={"x": 0.9, "y": 0.1})
        for key, by in of_labels.items()
        for label, of in by.items()
    ]
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    scores.write_text("".join(json.dumps(row) + "\n" for row in maps), encoding="utf-8")
    words = ["--task", "sentiment", "--gold", str(gold), "--predictions", str(scores), "--gamma", "100", "--json"]
    [row] = annotator("evaluate", "alignment", *words).json["runs"]
    [asked] = annotator("evaluate", "alignment", *words, "--as-released").json["runs"]
    more = {name: number["value"] for name, number in asked["released"].items() if name not in row["released"]}
    assert more == {
        "er_test.auprc_released": pytest.approx((1 + 0.25 + 0) / 3),  # b: the rationale second, (.5 + 0) / 2
        "er_test.token_f1_released": pytest.approx((1 + 1 / 3 + 0) / 3),  # b: both above 0; (2/3 + 0) / 2
        "er_test.negative_released": pytest.approx((0.2 + 0.2 + 0.5 + 0.1 + 0.0 + 0.4) / 6),
        "er_test.negative_incorrect_released": pytest.approx((0.5 + 0.1) / 2),  # b alone is wrong
    }
    assert asked["counts"]["instances_without_negative_classes"] == 0


def test_a_row_that_does_not_fit_is_refused_with_file_line_and_name(
    annotator: Command, files: tuple[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(json.dumps(attribution("line2", [1.0])) + "\n", encoding="utf-8")
    answer = annotator("evaluate", "edits", "--gold", files[0], "--predictions", str(path), "--json")
    assert (answer.code, answer.out) == (1, "")
    assert "bad.jsonl, line 1" in answer.err
    assert "1 score for 5 tokens" in answer.err
    path.write_text(json.dumps(attribution("77", [1.0])) + "\n", encoding="utf-8")
    answer = annotator("evaluate", "edits", "--gold", files[0], "--predictions", str(path))
    assert (answer.code, "are the ids the same?" in answer.err) == (1, True)


def test_edits_are_a_table_for_people_with_a_row_for_all_right_and_wrong_ones(
    annotator: Command, files: tuple[str, str]
) -> None:
    words = ("evaluate", "edits", "--gold", files[0], "--predictions", files[1])
    lines = annotator(*words).out.splitlines()
    assert lines[0] == "2 sentences with an edit, 2 rationale sets"
    heads = next(line for line in lines if line.startswith("Model · method"))
    assert (
        heads.split()[3:] == ["↑"] * 4
    )  # MRR, AP, top 1, Jaccard: of the areas, of first words and of overlaps one each
    assert "AUPRC" not in "".join(lines)
    assert "AUPRC" in annotator(*words, "--all").out
    of_all = next(line for line in lines if line.startswith("m · attention  "))
    assert of_all.split()[3:6] == ["2", "0.750", "0.750"]  # MRR 1 and 1/2
    assert any(line.startswith("m · attention, answered") for line in lines)
    assert "m, attention: confidence 0.900 where the ranking is perfect (n 1), – where it is not (n 0)." in lines
    assert "[0.500, 1.00]" in annotator(*words, "--intervals").out


def test_bounds_stand_in_intervals_by_the_place_of_their_number_as_in_every_evaluation(
    annotator: Command, files: tuple[str, str]
) -> None:
    # MRR of the two sentences is 1 and 1/2: the mean of a draw is at least .5 and at most 1
    words = ("evaluate", "edits", "--gold", files[0], "--predictions", files[1], "--json")
    plain, asked = annotator(*words).json, annotator(*words, "--intervals").json
    intervals = asked.pop("intervals")
    assert asked.pop("signature") == plain.pop("signature").replace("|v:", "|boot:1000|v:")
    assert asked == plain
    assert intervals["runs[0].all.editing.mrr"] == {
        "low": 0.5, "high": 1.0, "level": 0.95, "n_resamples": 1000, "seed": 0,
    }  # fmt: skip


def test_bounds_of_alignment_and_of_projects_stand_in_intervals_too(
    annotator: Command, aligned: tuple[str, str], tmp_path: Path
) -> None:
    words = (
        "evaluate",
        "alignment",
        "--task",
        "sentiment",
        "--gold",
        aligned[0],
        "--predictions",
        aligned[1],
        "--json",
    )
    plain, asked = annotator(*words).json, annotator(*words, "--intervals").json
    assert asked.pop("intervals")["runs[0].defined.er_test.order"] is None  # of one instance
    assert asked.pop("signature") != plain.pop("signature")
    assert asked == plain
    database = ("--db", str(tmp_path / "p.db"))
    annotator(*database, "project", "create", "P", "--task", "sentiment")
    annotator(*database, "import", "jsonl", aligned[0], "--project", "P")
    annotator(*database, "import", "attributions", aligned[1], "--project", "P")
    words = (*database, "evaluate", "project", "--project", "P", "--json")
    plain, asked = annotator(*words).json, annotator(*words, "--intervals").json
    assert asked.pop("intervals")["models[0].methods[0].plausibility.sets.best_f1"] is None
    assert asked == plain
    of_groups = annotator(*words, "--intervals", "--group-by", "label").json["groups"]["x"]
    assert "models[0].methods[0].plausibility.sets.best_f1" in of_groups["intervals"]


def test_for_people_an_interval_stands_beside_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    interval = {"low": 0.25, "high": 0.75, "level": 0.95, "n_resamples": 1000, "seed": 0}
    show_scores({"paper": {"map": 0.5}, "intervals": {"paper.map": interval}}, lambda _: None, as_json=False)
    assert capsys.readouterr().out.split() == ["paper.map", "0.5", "[0.25,", "0.75]"]


def test_the_lines_for_people_name_runs_and_definitions(annotator: Command, aligned: tuple[str, str]) -> None:
    words = ("evaluate", "alignment", "--task", "sentiment", "--gold", aligned[0], "--predictions", aligned[1])
    lines = annotator(*words, "--intervals").out.splitlines()
    assert any(line.startswith("m, ") and "lower is better" in line and "n = " in line for line in lines)


def test_a_project_is_scored_by_command(annotator: Command, aligned: tuple[str, str], tmp_path: Path) -> None:
    database = ("--db", str(tmp_path / "p.db"))
    annotator(*database, "project", "create", "P", "--task", "sentiment")
    assert annotator(*database, "import", "jsonl", aligned[0], "--project", "P").code == 0
    assert annotator(*database, "import", "attributions", aligned[1], "--project", "P").code == 0
    answer = annotator(*database, "evaluate", "project", "--project", "P", "--model", "m", "--json")
    assert list(answer.json)[:3] == ["project", "gold_policy", "release"]
    assert (
        answer.json["models"][0]["methods"][0]["plausibility"]["sets.best_f1"]["value"] == 0.5
    )  # t1, t3 against t1, t2
    assert annotator(*database, "evaluate", "project", "--project", "P", "--model", "x").code == 1
    every = annotator(*database, "evaluate", "project", "--project", "P", "--all").out
    assert "m, attention (attribution).plausibility" in every
    soft = annotator(*database, "evaluate", "project", "--project", "P", "--gold-policy", "soft", "--json").json
    assert soft["models"][0]["methods"][0]["plausibility"]["soft.token_f1"]["value"] == 0.5  # of one annotator each
    table = annotator(
        *database, "evaluate", "project", "--project", "P", "--gold-policy", "soft", "--metric", "sets.best_f1"
    )
    assert "metrics against sets" in " ".join(table.out.split())
    of_nobody = annotator(*database, "evaluate", "project", "--project", "P", "--gold-policy", "annotator:zoe")
    assert (of_nobody.code, "No gold instance has annotator 'zoe'" in of_nobody.err) == (1, True)
    wrong = annotator(*database, "evaluate", "project", "--project", "P", "--gold-policy", "most")
    assert "Available: chosen, all, majority, union, soft, annotator:NAME." in wrong.err


def test_scoring_files_loads_no_large_package(files: tuple[str, str]) -> None:
    assert heavy_parts("evaluate", "edits", "--gold", files[0], "--predictions", files[1]) == []


# `annotator evaluate minutes`: models that are trained on what minutes buy, told one by one and as a table.

SIMULATED = ("--seconds-per-label", "6", "--seconds-per-rationale", "12")
QUICK = ("--epochs", "1", "--seed", "0", "--device", "cpu", "--start", "20")


def minutes(command: Command, folder: Path, *words: str) -> Answer:
    return command("evaluate", "minutes", "--project", "P", "--minutes", "1", "--folder", str(folder), *QUICK, *words)


def test_each_model_is_told_when_it_is_done_and_then_the_table_and_asked_again_nothing_is_trained(
    planted_project: Command, torch: Any, tmp_path: Path
) -> None:
    answer = minutes(planted_project, tmp_path / "out", *SIMULATED)
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    assert lines[0].startswith("No minutes, labels of the start, seed 0: 20 texts, 0 with rationales: P ")
    assert lines[1].startswith("1 minute, labels, seed 0: 30 texts, 0 with rationales, 60 s spent, simulated: P ")
    assert lines[2].startswith("1 minute, rationales, seed 0: 20 texts, 5 with rationales, 60 s spent, simulated: P ")
    assert lines[3].startswith("1 minute, both, seed 0: 23 texts, 3 with rationales, 54 s spent, simulated: P ")
    assert "SIMULATED" in answer.out
    again = minutes(planted_project, tmp_path / "out", *SIMULATED)
    assert [line.endswith("(was there already)") for line in again.out.splitlines()[:4]] == [True] * 4
    csv = minutes(planted_project, tmp_path / "out", *SIMULATED, "--csv")
    assert [line.split(",")[:3] for line in csv.out.splitlines()[1:]] == [
        ["0", "start", ""], ["1", "labels", "simulated"], ["1", "rationales", "simulated"], ["1", "both", "simulated"],
        ["", "majority label", ""],
    ]  # fmt: skip
    told = json.loads(minutes(planted_project, tmp_path / "out", *SIMULATED, "--json").out)
    assert (told["is_simulated"], told["texts"], told["start"]) == (True, 36, 20)
    assert told["models"][3]["with_rationales"] == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "No text of 'P' that can be learned from has a time"),
        ((*SIMULATED, "--labels-only", "Q"), "Unknown project 'Q'. Available:"),
        ((*SIMULATED, "--minutes", "0"), "0 minutes buy nothing"),
        (("--by-token",), "Give seconds to apply per token, or remove that option."),
    ],
)
def test_what_will_not_do_is_refused_before_anything_is_made(
    planted_project: Command, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    answer = minutes(planted_project, tmp_path / "out", *words)
    assert (answer.code, message in answer.err) == (1, True), answer.err
    assert not (tmp_path / "out").exists()


def test_two_ways_of_printing_at_once_are_a_wrong_use(planted_project: Command, tmp_path: Path) -> None:
    assert minutes(planted_project, tmp_path / "out", "--csv", "--json").code == 2


# `annotator evaluate benchmark`: one JSON object with stable keys, a table for people, refusals, and that it loads little.

BENCHMARK_GOLD = SAMPLES / "benchmark-sentiment" / "golden" / "senti_en.tsv"
GOLD_TRUSTAI = SAMPLES / "benchmark-sentiment-trustai" / "golden" / "senti_en.tsv"
PREDICTIONS = SAMPLES / "predictions"

PROGRAMS = {
    "scripts": ["token_f1", "map", "new_p", "accuracy", "answer_f1", "answer_em"],
    "evaluator": ["token_f1", "iou_f1", "map", "sufficiency", "comprehensiveness"],
}
PAPER = [
    *["token_f1", "iou_f1", "map", "sufficiency", "comprehensiveness"],
    *["over_predicted", "pooled", "sides", "map_variants", "map_by_change", "map_by_kind", "answers"],
]
SETS = ["best_f1", "best_iou", "whole_set", "recall", "coverage"]
COUNTS = ["task", "dialect", "gold", "links", "predictions", "extraction", "n", "flagged", "refused"]


@pytest.fixture
def evaluate_benchmark(annotator: Command) -> Command:
    def command(gold: Path, predictions: Path, *words: str, task: str = "sentiment") -> Answer:
        place = ["--task", task, "--gold", str(gold), "--predictions", str(predictions)]
        return annotator("evaluate", "benchmark", *place, *words)

    return command


def test_json_prints_one_object_with_the_documented_keys(evaluate_benchmark: Command, database: Path) -> None:
    answer = evaluate_benchmark(BENCHMARK_GOLD, PREDICTIONS / "benchmark-paddlenlp.jsonl", "--json")
    assert (answer.code, answer.err) == (0, "")
    found = answer.json
    assert list(found) == ["scripts", "evaluator", "paper", "sets", "counts", "signature"]
    assert {name: list(found[name]) for name in PROGRAMS} == PROGRAMS
    assert (list(found["paper"]), list(found["sets"]), list(found["counts"])) == (PAPER, SETS, COUNTS)
    assert not database.exists()


def test_a_signature_names_files_by_their_content_alone(evaluate_benchmark: Command, tmp_path: Path) -> None:
    path = tmp_path / "other-name.jsonl"
    shutil.copy(PREDICTIONS / "benchmark-paddlenlp.jsonl", path)
    of_sample, of_copy = (
        evaluate_benchmark(BENCHMARK_GOLD, each, "--json").json["signature"]
        for each in (PREDICTIONS / "benchmark-paddlenlp.jsonl", path)
    )
    assert of_sample == of_copy
    assert re.fullmatch(r"METRIC\|task:sentiment\|gold:[0-9a-f]{16}\|predictions:[0-9a-f]{16}\|v:\S+", of_copy)
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert evaluate_benchmark(BENCHMARK_GOLD, path, "--json").json["signature"] != of_copy


def test_the_samples_have_the_numbers_worked_by_hand(evaluate_benchmark: Command) -> None:
    # Record 1: {3, 8, 1} against {1, 2, 3} 2/3, {6, 7, 8} 1/3, the union of both 3 of 3 and of 6: 2/3, no better.
    # Record 2: {4, 5, 7} against {4, 5} 4/5, with {7, 8} 6/7. Record 4: 2 of 3 and of 3, 2/3.
    # MAP: cold waiter soup, lukewarm waiter soup: (0 + 1/2 + 2/3) / 3. New-P: record 2's rest keeps the label.
    found = evaluate_benchmark(BENCHMARK_GOLD, PREDICTIONS / "benchmark-paddlenlp.jsonl", "--json").json
    assert found["scripts"] == {
        "token_f1": pytest.approx((2 / 3 + 6 / 7 + 2 / 3) / 3),
        "map": pytest.approx(7 / 18),
        "new_p": pytest.approx(2 / 3),
        "accuracy": 1.0,
        "answer_f1": None,
        "answer_em": None,
    }
    assert found["paper"]["token_f1"] == pytest.approx((2 / 3 + 4 / 5 + 2 / 3) / 3)
    assert found["sets"]["recall"] == {
        "value": pytest.approx(1 / 6),
        "n": 3,
        "n_left_out": 0,
    }  # {4, 5} of two, of three


@pytest.mark.parametrize("gold", [BENCHMARK_GOLD, GOLD_TRUSTAI])
@pytest.mark.parametrize("name", ["paddlenlp.jsonl", "trustai.jsonl", "upload.tsv"])
def test_dialects_of_gold_and_predictions_may_be_paired_freely(
    evaluate_benchmark: Command, gold: Path, name: str
) -> None:
    found = evaluate_benchmark(gold, PREDICTIONS / f"benchmark-{name}", "--json").json
    expected = evaluate_benchmark(BENCHMARK_GOLD, PREDICTIONS / "benchmark-paddlenlp.jsonl", "--json").json
    for reading, number in (
        ("scripts", "token_f1"),
        ("scripts", "map"),
        ("evaluator", "iou_f1"),
        ("paper", "token_f1"),
    ):
        assert found[reading][number] == expected[reading][number]
    assert (found["counts"]["flagged"], found["counts"]["refused"]) == ([], [])


def test_sufficiency_and_comprehensiveness_of_the_sample(evaluate_benchmark: Command) -> None:
    found = evaluate_benchmark(BENCHMARK_GOLD, PREDICTIONS / "benchmark-trustai.jsonl", "--json").json
    assert found["evaluator"]["sufficiency"] == pytest.approx((0.03 + 0.08 - 0.04) / 3)
    assert found["evaluator"]["comprehensiveness"] == pytest.approx((0.48 + 0.28 + 0.36) / 3)
    assert found["scripts"]["new_p"] is None


def test_scores_of_tokens_are_predictions_too_and_the_share_is_said(evaluate_benchmark: Command) -> None:
    words = ["--ratio", "0.3", "--json"]
    found = evaluate_benchmark(BENCHMARK_GOLD, PREDICTIONS / "benchmark-saliency.jsonl", *words).json
    expected = evaluate_benchmark(BENCHMARK_GOLD, PREDICTIONS / "benchmark-paddlenlp.jsonl", "--json").json
    for reading in ("scripts", "evaluator"):
        assert found[reading]["token_f1"] == expected[reading]["token_f1"]
        assert found[reading]["map"] == expected[reading]["map"]
    assert found["paper"]["map_variants"] == expected["paper"]["map_variants"]
    assert found["counts"]["extraction"] == {
        "ratio": [0.3], "ratio_from": "--ratio", "ties_at_the_cut": 0, "titles_numbered_on": 0, "rankings_not_by_score": 0
    }  # fmt: skip
    of_gold = evaluate_benchmark(BENCHMARK_GOLD, PREDICTIONS / "benchmark-saliency.jsonl", "--json").json
    assert of_gold["counts"]["extraction"]["ratio"] == [pytest.approx((6 + 4 + 3) / 30)]


@pytest.mark.parametrize("reading", ["scripts", "evaluator", "paper"])
def test_a_reading_is_printed_alone_with_its_counts(evaluate_benchmark: Command, reading: str) -> None:
    path = PREDICTIONS / "benchmark-trustai.jsonl"
    found = evaluate_benchmark(BENCHMARK_GOLD, path, "--reading", reading, "--json").json
    assert list(found) == [reading, "counts", "signature"]
    assert found[reading] == evaluate_benchmark(BENCHMARK_GOLD, path, "--json").json[reading]
    assert {place.partition(".")[0] for place in found["counts"]["n"]} == {reading}


def test_the_table_tells_n_direction_and_definition_beside_each_number(evaluate_benchmark: Command) -> None:
    lines = evaluate_benchmark(BENCHMARK_GOLD, PREDICTIONS / "benchmark-trustai.jsonl").out.splitlines()
    by_name = {line[:58].rstrip(): line[58:].strip() for line in lines}
    assert by_name["scripts.token_f1"].startswith("0.7302   n = 3   higher is better: 2PR/(P+R) of token indices")
    assert by_name["evaluator.sufficiency"].startswith("0.0233   n = 3   lower is better: p(c | full)")
    assert by_name["paper.map_variants.full.value"].startswith("–   n = 0 (1 left out)   higher is better")
    assert by_name["paper.map_by_kind.important words.aligned.all.value"].startswith(
        "1   n = 1   higher is better: MAP over positions aligned"
    )
    assert by_name["sets.whole_set.value"].startswith(
        "0.3333   n = 3   higher is better: 1 if P contains a whole gold set"
    )
    assert by_name["scripts.new_p"].startswith("–   higher is better")
    assert by_name["counts.gold.records"] == "3"


@pytest.mark.parametrize(
    ("task", "folder", "row"),
    [
        ("similarity", "benchmark-similarity", '{"id": 1, "pred_label": 0, "rationale": [[2], [0]]}'),
        ("reading", "benchmark-reading", '{"id": 1, "pred_label": "at ten", "rationale": [[4, 5]]}'),
    ],
)
def test_every_number_of_the_other_tasks_has_its_definition(
    evaluate_benchmark: Command, tmp_path: Path, task: str, folder: str, row: str
) -> None:
    (tmp_path / "p.jsonl").write_text(row, encoding="utf-8")
    answer = evaluate_benchmark(SAMPLES / folder, tmp_path / "p.jsonl", task=task)
    assert (answer.code, answer.err) == (0, "")
    numbers = [line for line in answer.out.splitlines() if " n = " in line]
    assert len(numbers) > 15
    assert [line for line in numbers if " is better: " not in line] == []


def test_a_refusal_of_the_benchmark_names_file_line_and_field_and_prints_no_object(
    evaluate_benchmark: Command, tmp_path: Path
) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": 1, "pred_label": 1, "rationale": [[0], [1]]}\n', encoding="utf-8")
    answer = evaluate_benchmark(BENCHMARK_GOLD, path, "--json")
    assert (answer.code, answer.out) == (1, "")
    assert "1 problem; nothing was scored." in answer.err
    assert "p.jsonl, line 1, field rationale, value '[[0],[1]]': Has 2 lists; 1 needed, one per side." in answer.err


def test_what_a_program_stops_at_is_refused_where_it_alone_is_asked_for(
    evaluate_benchmark: Command, tmp_path: Path
) -> None:
    (tmp_path / "gold.tsv").write_text('{"sent_id": 1, "sent_label": 1, "rationales": []}\n', encoding="utf-8")
    path = PREDICTIONS / "benchmark-upload.tsv"
    answer = evaluate_benchmark(tmp_path / "gold.tsv", path, "--reading", "evaluator", "--json")
    assert (answer.code, answer.out) == (1, "")
    assert "gold.tsv, line 1, field rationales" in answer.err
    assert "No evaluator.iou_f1 can be given" in answer.err
    assert evaluate_benchmark(tmp_path / "gold.tsv", path, "--json").code == 0


def test_gold_of_another_task_is_refused(evaluate_benchmark: Command) -> None:
    answer = evaluate_benchmark(BENCHMARK_GOLD, PREDICTIONS / "benchmark-upload.tsv", task="similarity")
    assert answer.code == 1
    assert "senti_en.tsv, line 1, field rationales" in answer.err
    assert "see --task" in answer.err


def test_a_missing_option_is_wrong_usage_and_an_unknown_value_a_refusal(
    evaluate_benchmark: Command, tmp_path: Path
) -> None:
    assert run(["evaluate", "benchmark", "--task", "sentiment"]) == 2
    assert evaluate_benchmark(BENCHMARK_GOLD, PREDICTIONS / "benchmark-upload.tsv", task="editing").code == 1
    assert evaluate_benchmark(BENCHMARK_GOLD, PREDICTIONS / "benchmark-upload.tsv", "--reading", "mine").code == 1
    assert evaluate_benchmark(BENCHMARK_GOLD, PREDICTIONS / "benchmark-saliency.jsonl", "--ratio", "2").code == 1
    assert evaluate_benchmark(tmp_path / "none", PREDICTIONS / "benchmark-upload.tsv").code == 1


def test_every_flag_names_a_count_that_is_printed_and_is_described(evaluate_benchmark: Command) -> None:
    counts = evaluate_benchmark(BENCHMARK_GOLD, PREDICTIONS / "benchmark-saliency.jsonl", "--json").json["counts"]
    described = (REPOSITORY / "docs" / "scores.md").read_text(encoding="utf-8")
    for place in MEANINGS:
        part, name = place.split(".")
        assert counts[part][name] == 0
        assert f"`{name}`" in described, f"docs/scores.md does not describe counts.{place}"


def test_scoring_the_benchmark_loads_no_large_package() -> None:
    words = ("--task", "sentiment", "--gold", BENCHMARK_GOLD, "--predictions", PREDICTIONS / "benchmark-saliency.jsonl")
    assert heavy_parts("evaluate", "benchmark", *words) == []
