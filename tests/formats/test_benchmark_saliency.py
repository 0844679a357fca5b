"""Saliency files of the benchmark: the keys' order ranks, titles are numbered from 0, and every refusal with its field."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.formats.benchmark.records import Shape
from annotator.formats.benchmark.saliency import (
    Saliency,
    SaliencyRecord,
    SalientSide,
    is_saliency,
    read_saliency,
    top_of,
)

SAMPLE = Path(__file__).parents[2] / "data" / "samples" / "predictions" / "benchmark-saliency.jsonl"


def read(tmp_path: Path, rows: list[Any] | bytes, shape: Shape = "single") -> Saliency:
    path = tmp_path / "interpret.attention"
    if isinstance(rows, bytes):
        path.write_bytes(rows)
    else:
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return read_saliency(path, shape)


def scores(*keys: int, score: float = 0.5) -> dict[str, list[Any]]:
    return {str(key): [f"t{key}", score] for key in keys}


def test_the_order_of_the_keys_is_the_ranking(tmp_path: Path) -> None:
    # reference/benchmark.md 2.4; scores may be negative, and order alone decides between equal ones
    attributed = {"9": ["脏", 0.26], "12": ["道", 0.2], "0": [" ", 0.2], "3": ["x", -1]}
    [record] = read(tmp_path, [{"id": 1, "pred_label": 0, "probs": [0.9, 0.1], "char_attri": attributed}]).rows
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
    [record] = read(tmp_path, [row], "pair").rows
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
def test_a_bad_row_is_refused_with_its_field(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    good = {"id": 1, "char_attri": scores(0)}
    saliency = read(tmp_path, [good, {**good, "id": 2, **change}])
    assert [(problem.line, problem.field) for problem in saliency.problems] == [(2, field)]
    assert [row.key for row in saliency.rows] == ["1"]


def test_a_file_of_another_task_is_refused(tmp_path: Path) -> None:
    saliency = read(tmp_path, [{"id": 1, "char_attri": scores(0)}], "pair")
    assert [problem.field for problem in saliency.problems] == ["query_char_attri", "title_char_attri"]


@pytest.mark.parametrize("word", [b"NaN", b"Infinity", b"1e999"])
def test_a_score_that_is_no_number_is_refused(tmp_path: Path, word: bytes) -> None:
    [problem] = read(tmp_path, b'{"id": 1, "char_attri": {"0": ["a", ' + word + b"]}}").problems
    assert problem.line == 1


def test_which_files_hold_scores_is_told_by_the_first_row(tmp_path: Path) -> None:
    path = tmp_path / "predictions"
    for content, expected in ((b"", False), (b'{"id": 1, "rationale": []}', False), (b"1\t1\t2", False)):
        path.write_bytes(content)
        assert is_saliency(path) is expected
    assert is_saliency(SAMPLE)
