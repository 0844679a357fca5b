"""Gold of the benchmark for scoring: both dialects, joined with input, and every refusal with its row and field."""

import json
from pathlib import Path
from typing import Any

import pytest

from annotator.errors import InvalidValue, NotFound
from annotator.formats.benchmark.gold import BenchmarkGold, read_gold
from annotator.formats.benchmark.records import Shape

SAMPLES = Path(__file__).parents[2] / "data" / "samples"


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
    with pytest.raises(NotFound, match="There is no file or folder"):
        read_gold(tmp_path / "none.tsv", "single")
    with pytest.raises(InvalidValue, match="holds no gold record"):
        read(tmp_path, [{"id": 1, "context": "a", "sent_token": ["a"]}])
