"""Predictions for the benchmark: the same from every dialect, and every refusal with its row and field."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.errors import NotFound
from annotator.formats.benchmark.predictions import ModelOutputs, RankedSide, read_predictions
from annotator.formats.benchmark.records import Shape

SAMPLES = Path(__file__).parents[2] / "data" / "samples" / "predictions"
GOOD = {"id": 1, "pred_label": 1, "rationale": [[3, 1]]}


def read(tmp_path: Path, rows: list[Any] | bytes, shape: Shape = "single") -> ModelOutputs:
    path = tmp_path / "predictions"
    if isinstance(rows, bytes):
        path.write_bytes(rows)
    else:
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return read_predictions(path, shape)


def found_in(outputs: ModelOutputs) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.field) for problem in outputs.problems]


@pytest.mark.parametrize(
    ("name", "dialect"),
    [("paddlenlp.jsonl", "paddlenlp"), ("trustai.jsonl", "trustai"), ("upload.tsv", "competition")],
)
def test_a_sample_of_each_dialect_holds_the_same_labels_and_rankings(name: str, dialect: str) -> None:
    outputs = read_predictions(SAMPLES / f"benchmark-{name}", "single")
    assert (outputs.problems, outputs.dialect) == ((), dialect)
    found = [(row.key, str(row.label), [side.ranking for side in row.sides or ()]) for row in outputs.rows]
    assert found == [("1", "0", [(3, 8, 1)]), ("2", "1", [(4, 5, 7)]), ("4", "0", [(3, 8, 1)])]


def test_the_scripts_dialect_is_read_whole(tmp_path: Path) -> None:
    row = {
        **GOOD,
        "no_rationale": [[0, 2]],
        "rationale_token": [["d", "b"]],
        "rationale_pred": 1,
        "no_rationale_pred": 0,
        "something_else": {},
    }
    [output] = read(tmp_path, [row]).rows
    assert output.sides == (RankedSide((3, 1), ("d", "b"), (0, 2), is_rest_ranked=True),)
    assert (output.label, output.label_only, output.label_rest, output.p_full) == (1, 1, 0, None)
    assert output.sides[0].full_ranking() == (3, 1, 0, 2)


def test_the_evaluators_dialect_is_read_whole_and_its_rest_is_no_ranking(tmp_path: Path) -> None:
    row = {
        **GOOD,
        "pred_proba": [0.2, 0.8],
        "non_rationale": [[0, 2]],
        "rationale_tokens": [["d", "b"]],
        "rationale_pred_proba": [0.1, 0.9],
        "non_rationale_pred_proba": [0.7, 0.3],
    }
    [output] = read(tmp_path, [row]).rows
    assert output.sides == (RankedSide((3, 1), ("d", "b"), (0, 2)),)
    assert (output.p_full, output.p_only, output.p_rest) == ((0.2, 0.8), (0.1, 0.9), (0.7, 0.3))
    assert output.sides[0].full_ranking() is None


def test_names_of_both_dialects_may_be_mixed_but_not_disagree(tmp_path: Path) -> None:
    both = {**GOOD, "no_rationale": [[0]], "rationale_tokens": [["d", "b"]]}
    assert read(tmp_path, [both]).dialect == "mixed"
    assert read(tmp_path, [GOOD]).dialect == "plain"
    assert found_in(read(tmp_path, [{**both, "non_rationale": [[2]]}])) == [(1, "non_rationale")]
    assert found_in(read(tmp_path, [{**both, "non_rationale": [[0]]}])) == []


def test_indices_as_text_are_read_and_marked(tmp_path: Path) -> None:
    [output] = read(tmp_path, [{**GOOD, "rationale": [[3, "1", "-1"]]}]).rows
    assert output.sides == (RankedSide((3, 1, -1), written_as_text=(1, 2)),)


def test_an_upload_of_each_task_is_read(tmp_path: Path) -> None:
    [pair] = read(tmp_path, b"7\t1\t3, 1\t\r\n", "pair").rows
    assert [side.ranking for side in pair.sides or ()] == [(3, 1), ()]
    first, second = read(tmp_path, b"7\tthe tower\t2\n8\t\t\n", "reading").rows
    assert (first.label, second.label) == ("the tower", "")
    assert [side.ranking for side in second.sides or ()] == [()]


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (b"id\tlabel\trationale", "rationale"),
        (b"1\t1\t1;2", "rationale"),
        (b"1\t1\t1,,2", "rationale"),
        (b"1\t1\t1.5", "rationale"),
        (b"1\t1", "line"),
        (b"1\t1\t1\t2", "line"),
        (b"1,1,2", "line"),
        (b"\t1\t2", "id"),
        (b"1\t\xff\t2", "line"),
    ],
)
def test_a_bad_line_of_an_upload_is_refused_with_its_field(tmp_path: Path, line: bytes, field: str) -> None:
    outputs = read(tmp_path, b"5\t1\t0\n" + line + b"\n6\t1\t0\n")
    assert found_in(outputs) == [(2, field)]
    assert [row.key for row in outputs.rows] == ["5", "6"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": None}, "id"),
        ({"id": ""}, "id"),
        ({"id": 1.5}, "id"),
        ({"pred_label": None}, "pred_label"),
        ({"pred_label": True}, "pred_label"),
        ({"rationale": [3, 1]}, "rationale[0]"),
        ({"rationale": [[3], [1]]}, "rationale"),
        ({"rationale": []}, "rationale"),
        ({"rationale": [[3, 1.5]]}, "rationale[0][1]"),
        ({"rationale": [[3, "b"]]}, "rationale[0][1]"),
        ({"rationale": [[10**30]]}, "rationale[0][0]"),
    ],
)
def test_a_bad_value_is_refused_with_its_field(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    outputs = read(tmp_path, [GOOD, {**GOOD, "id": 2, **change}])
    assert found_in(outputs) == [(2, field)]
    assert [row.key for row in outputs.rows] == ["1"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"pred_proba": [0.5]}, "pred_label"),  # there is no label 1
        ({"pred_proba": [0.5, 0.5], "pred_label": "positive"}, "pred_label"),
        ({"pred_proba": [0.5, 0.5], "pred_label": -1}, "pred_label"),
        ({"rationale_pred_proba": [0.5, 0.5]}, "pred_proba"),
        ({"pred_proba": [0.5, 0.5], "non_rationale_pred_proba": [1.0]}, "non_rationale_pred_proba"),
        ({"pred_proba": [0.5, "x"]}, "pred_proba[1]"),
        ({"no_rationale": [[0], [2]]}, "no_rationale"),
        ({"rationale_tokens": [["a"], ["b"]]}, "rationale_tokens"),
        ({"rationale_token": [["a", 1]]}, "rationale_token[0][1]"),
    ],
)
def test_what_does_not_belong_together_is_refused_with_its_field(
    tmp_path: Path, change: dict[str, Any], field: str
) -> None:
    assert found_in(read(tmp_path, [{**GOOD, **change}])) == [(1, field)]


def test_a_field_in_some_rows_alone_is_refused_where_it_lacks(tmp_path: Path) -> None:
    rows = [GOOD, {**GOOD, "id": 2, "rationale_pred": 1}, {"id": 3, "pred_label": 1, "rationale_pred": 1}]
    assert found_in(read(tmp_path, rows)) == [(3, "rationale"), (1, "rationale_pred")]


@pytest.mark.parametrize(
    "line",
    [b'{"id": 1, "pred_label"', b'{"id": 1, "pred_proba": [NaN]}', b'{"id": 1, "id": 2}', b"[1]", b'{"id": "\xff"}'],
)
def test_a_line_that_holds_no_object_is_refused_and_the_next_one_read(tmp_path: Path, line: bytes) -> None:
    outputs = read(tmp_path, b"\xef\xbb\xbf" + json.dumps(GOOD).encode() + b"\r\n\r\n" + line + b"\n")
    assert [problem.line for problem in outputs.problems] == [3]
    assert [row.key for row in outputs.rows] == ["1"]


def test_a_readings_label_is_its_answer_and_needs_no_probabilities(tmp_path: Path) -> None:
    [output] = read(tmp_path, [{**GOOD, "pred_label": "at ten", "pred_proba": [0.5]}], "reading").rows
    assert (output.label, output.p_full) == ("at ten", None)


def test_an_empty_file_holds_no_rows_and_a_missing_one_is_said(tmp_path: Path) -> None:
    assert read(tmp_path, b"").rows == ()
    with pytest.raises(NotFound, match="There is no file or folder"):
        read_predictions(tmp_path / "none", "single")
