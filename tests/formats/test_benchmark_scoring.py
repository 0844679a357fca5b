"""Gold, predictions and saliency of the benchmark for scoring: the same from every dialect, and every refusal with its row and field."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.errors import InvalidValue, NotFound
from annotator.formats.benchmark.gold import BenchmarkGold, read_gold
from annotator.formats.benchmark.predictions import ModelOutputs, RankedSide, read_predictions
from annotator.formats.benchmark.records import Shape
from annotator.formats.benchmark.saliency import (
    Saliency,
    SaliencyRecord,
    SalientSide,
    is_saliency,
    read_saliency,
    top_of,
)
from tests.conftest import SAMPLES


def read(tmp_path: Path, rows: list[Any] | bytes, shape: Shape = "single", **options: Any) -> BenchmarkGold:
    path = tmp_path / "gold.tsv"
    if isinstance(rows, bytes):
        path.write_bytes(rows)
    else:
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return read_gold(path, shape, **options)


def found_in(gold: BenchmarkGold) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.field) for problem in gold.problems]


@pytest.mark.parametrize("name", ["senti_en", "senti_ch"])
def test_the_same_gold_in_both_dialects_is_the_same(name: str) -> None:
    first, second = (
        read_gold(SAMPLES / folder / "golden" / f"{name}.tsv", "single")
        for folder in ("benchmark-sentiment", "benchmark-sentiment-trustai")
    )
    assert first.problems == second.problems == ()
    for one, other in zip(first.rows, second.rows, strict=True):
        assert (one.key, one.label, one.sets, one.tokens) == (other.key, other.label, other.sets, other.tokens)
        assert (one.sample_type, one.rel_ids, one.kind, one.language) == (
            other.sample_type, other.rel_ids, other.kind, other.language
        )  # fmt: skip
        assert one.named is None
        assert other.named is not None


def test_a_folder_joins_gold_and_input() -> None:
    gold = read_gold(SAMPLES / "benchmark-reading", "reading")
    assert gold.problems == ()
    first, second = gold.rows
    assert (first.label, first.sets, first.language) == ("at ten", (((1, 2, 3, 4, 5),),), "en")
    assert first.tokens is not None
    assert first.tokens[0][-2:] == ("Night", "train")  # the title's tokens follow the passage's
    assert (second.label, second.sets) == ("", ((),))


def test_the_example_of_the_reference_is_read(tmp_path: Path) -> None:
    # reference/benchmark.md 2.2 and 2.3: indices as text, sets that are no spans
    flat = {"sent_id": 1, "sent_label": 0, "rationales": [["2", "3", "7"], ["11", "12", "13"]], "rel_ids": [1647]}
    nested = {
        "sent_id": 1,
        "sent_label": "0",
        "rationale_ids": [[["2", "3", "7"], ["11", "12", "13"]]],
        "rel_ids": [1647],
    }
    for row in (flat, nested):
        [record] = read(tmp_path, [row]).rows
        assert (record.key, record.label, record.rel_ids) == ("1", "0", ("1647",))
        assert record.sets == (((2, 3, 7), (11, 12, 13)),)


def test_a_pair_has_two_sides_in_both_dialects(tmp_path: Path) -> None:
    flat = {"sent_id": 1, "sent_label": 1, "rationale_q_idx": [0, 2], "rationale_t_idx": []}
    nested = {
        "sent_id": 2,
        "sent_label": 1,
        "rationale_ids": [[[0], [2]], [[1]]],
        "sent_token": [["a", "b", "c"], ["d", "e"]],
    }
    first, second = read(tmp_path, [flat, nested], "pair").rows
    assert (first.sets, first.tokens) == ((((0, 2),), ()), None)
    assert (second.sets, second.tokens) == ((((0,), (2,)), ((1,),)), (("a", "b", "c"), ("d", "e")))


def test_what_gold_does_not_say_comes_from_its_input(tmp_path: Path) -> None:
    inputs = tmp_path / "input.jsonl"
    row = {"id": 1, "context": "a b", "sent_token": ["a", "b"], "sample_type": "ori", "rel_ids": [2], "adv_type": "x"}
    inputs.write_text(json.dumps(row), encoding="utf-8")
    [record] = read(tmp_path, [{"sent_id": 1, "sent_label": 0, "rationales": [[0]]}], inputs=inputs).rows
    assert (record.tokens, record.sample_type, record.rel_ids, record.kind) == ((("a", "b"),), "ori", ("2",), "x")


@pytest.mark.parametrize(
    ("answers", "language", "expected"),
    [
        (["北京", ""], None, ["zh", "zh"]),  # a record without a text is like the file's answers
        (["Paris", ""], None, ["en", "en"]),
        (["Paris", ""], "fr", ["fr", "fr"]),
    ],
)
def test_the_language_of_records_without_a_text(
    tmp_path: Path, answers: list[str], language: str | None, expected: list[str]
) -> None:
    rows = [{"sent_id": key, "sent_label": answer, "rationales": [0]} for key, answer in enumerate(answers)]
    assert [row.language for row in read(tmp_path, rows, "reading", language=language).rows] == expected


def test_marks_line_ends_and_blank_lines_are_tolerated(tmp_path: Path) -> None:
    line = b'{"sent_id": 1, "sent_label": 0, "rationales": [[0]]}'
    assert len(read(tmp_path, b"\xef\xbb\xbf" + line + b"\r\n\r\n").rows) == 1


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"sent_label": 1, "rationales": []}, "sent_id"),
        ({"sent_id": 2, "sent_label": 1, "rationales": [["-1"]]}, "rationales[0]"),
        ({"sent_id": 2, "sent_label": 1, "rationales": [[0], ["x"]]}, "rationales[1]"),
        ({"sent_id": 2, "sent_label": 1, "rationales": [["9" * 5000]]}, "rationales[0]"),
        ({"sent_id": 2, "sent_label": 1, "rationales": [[1.5]]}, "rationales[0][0]"),
        ({"sent_id": 2, "sent_label": 1, "rationale_ids": [[[0]], [[1]]]}, "rationale_ids"),
        ({"sent_id": 2, "sent_label": 1, "rationale_q_idx": [0], "rationale_t_idx": [0]}, "line"),
        ({"sent_id": 2, "sent_label": 1}, "rationales"),
        ({"sent_id": 2, "rationales": []}, "sent_label"),
        ({"sent_id": 2, "sent_label": 1, "rationales": [], "sample_type": "ori"}, "sample_type"),
        ([1], "line"),
    ],
)
def test_a_bad_row_is_refused_with_its_field(tmp_path: Path, row: Any, field: str) -> None:
    gold = read(tmp_path, [{"sent_id": 1, "sent_label": 1, "rationales": [[0]]}, row])
    line = 1 if field == "sample_type" else 2  # it is the first row that lacks it
    assert found_in(gold) == [(line, field)]


def test_tokens_that_differ_from_the_inputs_are_refused(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "context": "a b", "sent_token": ["a", "b"]},
        {"sent_id": 1, "sent_label": 0, "rationales": [[0]], "sent_token": ["a b"]},
    ]
    assert found_in(read(tmp_path, rows)) == [(2, "sent_token")]


def test_an_id_in_two_files_is_refused(tmp_path: Path) -> None:
    for name in ("a.jsonl", "b.jsonl"):
        (tmp_path / name).write_text('{"sent_id": 1, "sent_label": 0, "rationales": []}\n', encoding="utf-8")
    [problem] = read_gold(tmp_path, "single").problems
    assert (problem.source, problem.field) == ("b.jsonl", "sent_id")
    assert "score the files one by one" in problem.reason


def test_no_gold_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="No file or folder '"):
        read_gold(tmp_path / "none.tsv", "single")
    with pytest.raises(InvalidValue, match="holds no gold record"):
        read(tmp_path, [{"id": 1, "context": "a", "sent_token": ["a"]}])


# Predictions for the benchmark: the same from every dialect, and every refusal with its row and field.

PREDICTIONS = SAMPLES / "predictions"
GOOD = {"id": 1, "pred_label": 1, "rationale": [[3, 1]]}


def written(path: Path, rows: list[Any] | bytes) -> Path:
    if not isinstance(rows, bytes):
        rows = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    path.write_bytes(rows)
    return path


def read_outputs(tmp_path: Path, rows: list[Any] | bytes, shape: Shape = "single") -> ModelOutputs:
    return read_predictions(written(tmp_path / "predictions", rows), shape)


def found_in_outputs(outputs: ModelOutputs) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.field) for problem in outputs.problems]


@pytest.mark.parametrize(
    ("name", "dialect"), [("paddlenlp.jsonl", "paddlenlp"), ("trustai.jsonl", "trustai"), ("upload.tsv", "competition")]
)
def test_a_sample_of_each_dialect_holds_the_same_labels_and_rankings(name: str, dialect: str) -> None:
    outputs = read_predictions(PREDICTIONS / f"benchmark-{name}", "single")
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
    [output] = read_outputs(tmp_path, [row]).rows
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
    [output] = read_outputs(tmp_path, [row]).rows
    assert output.sides == (RankedSide((3, 1), ("d", "b"), (0, 2)),)
    assert (output.p_full, output.p_only, output.p_rest) == ((0.2, 0.8), (0.1, 0.9), (0.7, 0.3))
    assert output.sides[0].full_ranking() is None


def test_names_of_both_dialects_may_be_mixed_but_not_disagree(tmp_path: Path) -> None:
    both = {**GOOD, "no_rationale": [[0]], "rationale_tokens": [["d", "b"]]}
    assert read_outputs(tmp_path, [both]).dialect == "mixed"
    assert read_outputs(tmp_path, [GOOD]).dialect == "plain"
    assert found_in_outputs(read_outputs(tmp_path, [{**both, "non_rationale": [[2]]}])) == [(1, "non_rationale")]
    assert found_in_outputs(read_outputs(tmp_path, [{**both, "non_rationale": [[0]]}])) == []


def test_indices_as_text_are_read_and_marked(tmp_path: Path) -> None:
    [output] = read_outputs(tmp_path, [{**GOOD, "rationale": [[3, "1", "-1"]]}]).rows
    assert output.sides == (RankedSide((3, 1, -1), written_as_text=(1, 2)),)


def test_an_upload_of_each_task_is_read(tmp_path: Path) -> None:
    [pair] = read_outputs(tmp_path, b"7\t1\t3, 1\t\r\n", "pair").rows
    assert [side.ranking for side in pair.sides or ()] == [(3, 1), ()]
    first, second = read_outputs(tmp_path, b"7\tthe tower\t2\n8\t\t\n", "reading").rows
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
    outputs = read_outputs(tmp_path, b"5\t1\t0\n" + line + b"\n6\t1\t0\n")
    assert found_in_outputs(outputs) == [(2, field)]
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
    outputs = read_outputs(tmp_path, [GOOD, {**GOOD, "id": 2, **change}])
    assert found_in_outputs(outputs) == [(2, field)]
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
    assert found_in_outputs(read_outputs(tmp_path, [{**GOOD, **change}])) == [(1, field)]


def test_a_field_in_some_rows_alone_is_refused_where_it_lacks(tmp_path: Path) -> None:
    rows = [GOOD, {**GOOD, "id": 2, "rationale_pred": 1}, {"id": 3, "pred_label": 1, "rationale_pred": 1}]
    assert found_in_outputs(read_outputs(tmp_path, rows)) == [(3, "rationale"), (1, "rationale_pred")]


@pytest.mark.parametrize(
    "line",
    [b'{"id": 1, "pred_label"', b'{"id": 1, "pred_proba": [NaN]}', b'{"id": 1, "id": 2}', b"[1]", b'{"id": "\xff"}'],
)
def test_a_line_that_holds_no_object_is_refused_and_the_next_one_read(tmp_path: Path, line: bytes) -> None:
    outputs = read_outputs(tmp_path, b"\xef\xbb\xbf" + json.dumps(GOOD).encode() + b"\r\n\r\n" + line + b"\n")
    assert [problem.line for problem in outputs.problems] == [3]
    assert [row.key for row in outputs.rows] == ["1"]


def test_a_readings_label_is_its_answer_and_needs_no_probabilities(tmp_path: Path) -> None:
    [output] = read_outputs(tmp_path, [{**GOOD, "pred_label": "at ten", "pred_proba": [0.5]}], "reading").rows
    assert (output.label, output.p_full) == ("at ten", None)


def test_an_empty_file_holds_no_rows_and_a_missing_one_is_said(tmp_path: Path) -> None:
    assert read_outputs(tmp_path, b"").rows == ()
    with pytest.raises(NotFound, match="No file or folder '"):
        read_predictions(tmp_path / "none", "single")


# Saliency files of the benchmark: the keys' order ranks, titles are numbered from 0, and every refusal with its field.

SAMPLE = SAMPLES / "predictions" / "benchmark-saliency.jsonl"


def read_salient(tmp_path: Path, rows: list[Any] | bytes, shape: Shape = "single") -> Saliency:
    return read_saliency(written(tmp_path / "interpret.attention", rows), shape)


def scores(*keys: int, score: float = 0.5) -> dict[str, list[Any]]:
    return {str(key): [f"t{key}", score] for key in keys}


def test_the_order_of_the_keys_is_the_ranking(tmp_path: Path) -> None:
    # reference/benchmark.md 2.4; scores may be negative, and order alone decides between equal ones
    attributed = {"9": ["脏", 0.26], "12": ["道", 0.2], "0": [" ", 0.2], "3": ["x", -1]}
    [record] = read_salient(tmp_path, [{"id": 1, "pred_label": 0, "probs": [0.9, 0.1], "char_attri": attributed}]).rows
    assert record.sides == (SalientSide((9, 12, 0, 3), ("脏", "道", " ", "x"), (0.26, 0.2, 0.2, -1.0)),)
    assert (record.key, record.label, record.probabilities) == ("1", 0, (0.9, 0.1))
    assert record.sides[0].is_by_score
    assert record.sides[0].text() is None  # most tokens have no score


def test_the_sample_holds_whole_texts() -> None:
    saliency = read_saliency(SAMPLE, "single")
    assert saliency.problems == ()
    texts = [" ".join(row.sides[0].text() or ()) for row in saliency.rows]
    assert texts[0] == "the soup was cold and so was the waiter ."


@pytest.mark.parametrize(
    ("query", "title", "ranking", "is_moved"),
    [
        ((1, 0), (3, 2, 4), (1, 0, 2), True),  # LSTM: the first title key is the length of the query
        ((1, 0), (1, 0, 2), (1, 0, 2), False),  # RoBERTa: from 0
        ((1, 0), (2,), (0,), True),
        ((1, 0), (4, 3), (4, 3), False),  # neither: left as it is, and scoring tells that it lies outside
        ((1,), (2, 3), (2, 3), False),  # the query is not whole, so that its length is not known
    ],
)
def test_a_title_that_is_numbered_on_from_the_query_is_numbered_from_0(
    tmp_path: Path, query: tuple[int, ...], title: tuple[int, ...], ranking: tuple[int, ...], is_moved: bool
) -> None:
    row = {"id": 1, "query_char_attri": scores(*query), "title_char_attri": scores(*title)}
    [record] = read_salient(tmp_path, [row], "pair").rows
    assert (record.sides[1].ranking, record.has_moved_title) == (ranking, is_moved)
    assert record.sides[1].tokens == tuple(f"t{key}" for key in title)


@given(st.lists(st.floats(-1, 1), max_size=20), st.integers(1, 1000))
def test_the_top_is_the_first_ceil_of_the_share_and_the_rest_follows(numbers: list[float], thousandths: int) -> None:
    order = sorted(range(len(numbers)), key=lambda index: -numbers[index])
    ranked = tuple(numbers[index] for index in order)
    side = SalientSide(tuple(order), tuple(f"t{index}" for index in order), ranked)
    output, n_tied = top_of(SaliencyRecord("1", "f", 1, 0, None, (side,)), [Fraction(thousandths, 1000)])
    [made] = output.sides or ()
    k = -(-len(numbers) * thousandths // 1000)
    assert (made.ranking, made.rest, made.scores) == (tuple(order[:k]), tuple(order[k:]), ranked)
    assert made.tokens == tuple(f"t{index}" for index in order[:k])
    assert made.full_ranking() == tuple(order)
    assert n_tied == sum(number == ranked[k - 1] for number in ranked[k:])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"id": ""}, "id"),
        ({"id": None}, "id"),
        ({"probs": ["x"]}, "probs[0]"),
        ({"char_attri": [["a", 1]]}, "char_attri"),
        ({"char_attri": None}, "char_attri"),
        ({"char_attri": {"-1": ["a", 1]}}, "char_attri.-1"),
        ({"char_attri": {"a": ["a", 1]}}, "char_attri.a"),
        ({"char_attri": {"9" * 40: ["a", 1]}}, "char_attri." + "9" * 40),
        ({"char_attri": {"0": ["a"]}}, "char_attri.0"),
        ({"char_attri": {"0": ["a", "1"]}}, "char_attri.0"),
        ({"char_attri": {"0": ["a", True]}}, "char_attri.0"),
        ({"char_attri": {"0": ["a", None]}}, "char_attri.0"),
        ({"char_attri": {"0": ["a", 10**400]}}, "char_attri.0"),
        ({"char_attri": {"7": ["a", 1], "07": ["b", 1]}}, "char_attri"),
    ],
)
def test_a_bad_row_of_saliency_is_refused_with_its_field(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    good = {"id": 1, "char_attri": scores(0)}
    saliency = read_salient(tmp_path, [good, {**good, "id": 2, **change}])
    assert [(problem.line, problem.field) for problem in saliency.problems] == [(2, field)]
    assert [row.key for row in saliency.rows] == ["1"]


def test_a_file_of_another_task_is_refused(tmp_path: Path) -> None:
    saliency = read_salient(tmp_path, [{"id": 1, "char_attri": scores(0)}], "pair")
    assert [problem.field for problem in saliency.problems] == ["query_char_attri", "title_char_attri"]


@pytest.mark.parametrize("word", [b"NaN", b"Infinity", b"1e999"])
def test_a_score_that_is_no_number_is_refused(tmp_path: Path, word: bytes) -> None:
    [problem] = read_salient(tmp_path, b'{"id": 1, "char_attri": {"0": ["a", ' + word + b"]}}").problems
    assert problem.line == 1


def test_which_files_hold_scores_is_told_by_the_first_row(tmp_path: Path) -> None:
    path = tmp_path / "predictions"
    for content, expected in ((b"", False), (b'{"id": 1, "rationale": []}', False), (b"1\t1\t2", False)):
        path.write_bytes(content)
        assert is_saliency(path) is expected
    assert is_saliency(SAMPLE)
