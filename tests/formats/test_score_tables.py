"""Attributions in tables and in ERASER's rows: those of one instance become one, and what cannot be taken is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.models import MarkedPart, Prediction, Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.errors import Problem
from tests.formats.test_attribution_formats import HOSTILE, OWN, outputs, read, refusals, scores_of, warnings

# Generic rows --------------------------------------------------------------------------------------------------------

HEADER = "id,method,model,token_index,token,score,label,layer,seed"


def read_csv(folder: Path, *lines: str, header: str = HEADER, **options: Any) -> list[SourceOutput | Problem]:
    path = folder / "rows.csv"
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    return read("attributions-csv", path, **options)


def test_rows_of_one_attribution_become_one(tmp_path):
    lines = [
        "a,ig,m,1,the,.5,1,,",
        "a,ig,m,0,the,-1,1,,",
        "a,ig,m,0,the,2,0,,",
        "a,ig,m,0,the,2,0,3,7",
        f"b,x,m,0,{HOSTILE},0.25,,,",
    ]
    first, second, third, fourth = outputs(read_csv(tmp_path, *lines))
    assert scores_of(first, "positive") == [("the", -1.0), ("the", 0.5)]
    assert (first.key, first.run, first.line) == ("a", Run("m", "ig"), 2)
    assert (second.attributions[0].label, second.attributions[0].layer) == ("negative", None)
    assert (third.run.seed, third.attributions[0].layer) == (7, 3)
    assert scores_of(fourth, "") == [(HOSTILE, 0.25)]


def test_without_tokens_the_scores_are_those_of_the_instance(tmp_path):
    (output,) = outputs(read_csv(tmp_path, "a,0,1", "a,1,2", header="id,token_index,score", split="test"))
    assert output.attributions[0].parts == (ScoredPart((1.0, 2.0)),)
    assert (output.run, output.split) == (Run("bert", "ig"), "test")


def test_the_sample_of_generic_rows_is_read_whole():
    first, second = outputs(read("attributions-csv", OWN / "attributions.csv"))
    assert (first.key, first.split, first.run) == ("boots-3", "test", Run("bert-boots", "occlusion", seed=1))
    assert scores_of(second, "positive")[3] == ("软", 0.32)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["a,ig,m,0,x,nan,,,"], "score: Must be a finite number."),
        (["a,ig,m,0,x,1,,,", "a,ig,m,1,x,-inf,,,"], "score: Must be a finite number."),
        (["a,ig,m,0,x,half,,,"], "score: Must be like 0.25."),
        (["a,ig,m,0,x,1,,,", "a,ig,m,0,y,2,,,"], "token_index: Duplicate of line 2. Keep one."),
        (["a,ig,m,0,x,1,,,", "a,ig,m,2,y,2,,,"], "token_index: 'a' lacks token_index 1 (last: 2)."),
        (["a,ig,m,1,x,1,,,"], "token_index: 'a' lacks token_index 0 (last: 1)."),
        (["a,ig,m,-1,x,1,,,"], "token_index: Must be an integer from 0."),
        (["a,ig,m,,x,1,,,"], "token_index: Must be an integer from 0."),
        (["a,ig,m,0,x,1,,one,"], "layer: Must be an integer from 0."),
        ([",ig,m,0,x,1,,,"], "id: Must not be empty."),
        (["a,ig,m,0,x,1,5,,"], "label: No class 5: the project has 2 labels, from 0."),
        (["a,ig,m,0,x"], "line: Row has 5 cells, header 9 columns."),
    ],
)  # fmt: skip
def test_rows_that_cannot_be_taken_name_instance_and_line(tmp_path, lines, expected):
    items = read_csv(tmp_path, *lines, "b,ig,m,0,x,1,,,")
    (output,) = [item for item in items if isinstance(item, SourceOutput)]
    assert output.key == "b"
    (problem,) = [item for item in items if isinstance(item, Problem)]
    assert f"{problem.field}: {problem.reason}".startswith(expected)
    assert problem.line in {2, 3}


def test_rows_that_do_not_stand_together_are_named_once_and_not_taken_in_halves(tmp_path):
    lines = ["a,ig,m,0,x,1,,,", "b,ig,m,0,x,1,,,", "a,ig,m,1,y,1,,,", "b,ig,m,1,y,1,,,", "a,ig,m,2,z,1,,,"]
    items = read_csv(tmp_path, *lines)
    assert refusals(items) == [
        "id: Rows at lines 2 and 4. Sort by id, model, method, label, layer and seed.",
        "id: Rows at lines 3 and 5. Sort by id, model, method, label, layer and seed.",
    ]
    assert len(items) == 2


def test_a_missing_column_is_named(tmp_path):
    assert refusals(read_csv(tmp_path, "a,1", header="id,score")) == [
        "header: No column 'token_index'. The header needs id, model, method, token_index, token, score."
    ]
    assert "header: No id column." in refusals(read_csv(tmp_path, "0,1", header="token_index,score"))[0]


def test_without_a_model_anywhere_a_row_is_refused(tmp_path):
    (reason,) = refusals(read_csv(tmp_path, "a,0,1", header="id,token_index,score", model=""))
    assert reason.endswith("doesn't name its model. Use --model.")


# ERASER --------------------------------------------------------------------------------------------------------------


def eraser_row(**fields: Any) -> dict[str, Any]:
    return {"annotation_id": "a", "rationales": [], **fields}


def read_eraser(folder: Path, *rows: object, **options: Any) -> list[SourceOutput | Problem]:
    path = folder / "predictions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read("eraser-predictions", path, **options)


def test_an_eraser_row_gives_what_is_selected_scored_and_answered(tmp_path):
    row = eraser_row(
        rationales=[
            {"docid": "d", "hard_rationale_predictions": [{"start_token": 1, "end_token": 3}], "soft_rationale_predictions": [0.1, 0.9, 0.8]},
            {"docid": "e", "hard_rationale_predictions": [{"start_token": -1, "end_token": -1}], "soft_rationale_predictions": [0.2]},
        ],
        classification="positive",
        classification_scores={"negative": 0.2, "positive": 0.8},
        comprehensiveness_classification_scores={"negative": 0.6, "positive": 0.4},
        sufficiency_classification_scores={"negative": 0.3, "positive": 0.7},
        thresholded_scores=[
            {"threshold": 0.05, "comprehensiveness_classification_scores": {"positive": 0.5}, "sufficiency_classification_scores": {"positive": 0.6}}
        ],
    )  # fmt: skip
    (output,) = outputs(read_eraser(tmp_path, row, method="", key_prefix="p-", split="test"))
    assert (output.key, output.split, output.run, output.line) == ("p-a", "test", Run("bert", "eraser"), 1)
    assert output.predictions == (
        Prediction("positive", {"negative": 0.2, "positive": 0.8}),
        Prediction(None, {"negative": 0.6, "positive": 0.4}, "rest"),
        Prediction(None, {"negative": 0.3, "positive": 0.7}, "rationale"),
        Prediction(None, {"positive": 0.5}, "rest", 0.05),
        Prediction(None, {"positive": 0.6}, "rationale", 0.05),
    )
    assert output.attributions == (SourceAttribution((ScoredPart((0.1, 0.9, 0.8), "p-d"), ScoredPart((0.2,), "p-e"))),)
    assert [(r.kind, r.parts) for r in output.rationales] == [
        ("hard", (MarkedPart(((1, 3),), place="p-d"), MarkedPart((), place="p-e")))
    ]


def test_eraser_rows_that_cannot_be_taken_are_named(tmp_path):
    def hard(start: int, end: int) -> dict[str, Any]:
        return {"docid": "d", "hard_rationale_predictions": [{"start_token": start, "end_token": end}]}

    soft = {"docid": "d", "soft_rationale_predictions": [0.5]}
    rows = [
        eraser_row(classification="positive"),
        eraser_row(classification="positive"),
        eraser_row(annotation_id="b", rationales=[hard(3, 2)]),
        eraser_row(annotation_id="c", rationales=[soft, soft]),
        eraser_row(annotation_id="d"),
        {"rationales": []},
    ]
    items = read_eraser(tmp_path, *rows)
    assert refusals(items) == [
        "annotation_id: Duplicate of line 1. Keep one.",
        "rationales[0].hard_rationale_predictions[0]: Must satisfy 0 <= start < end.",
        "rationales[1].soft_rationale_predictions: Duplicate. Keep one.",
        "annotation_id: Required field 'annotation_id' is missing.",
    ]
    assert warnings(items) == ["Skipped: no prediction, scores or selection."]
