"""`evaluate_benchmark`: both programs' numbers on random files and in each edge case, the paper's, and our own."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from annotator.errors import ImportRefused, InvalidValue
from annotator.evaluation.benchmark.paper import evaluate_benchmark
from tests.conftest import SHARED_DATA, needs_data
from tests.reference import benchmark_programs as programs

Json = dict[str, Any]
Evaluate = Callable[..., Json]
TEXT = "the plot is slow , very slow and a bit tedious"


def gold(key: int, *sets: list[Any], kind: str = "ori", rel_ids: list[int] | None = None, **more: object) -> Json:
    """A record of sentiment in the scripts' layout."""
    links = {"rel_ids": rel_ids or []} if kind == "ori" else {}
    return {"sent_id": key, "sent_label": 1, "rationales": list(sets), "sample_type": kind, **links, **more}


def pair(key: int, query: list[Any], title: list[Any], **more: object) -> Json:
    place = {"sample_type": "ori", "rel_ids": [], "rationale_q_idx": query, "rationale_t_idx": title}
    return {"sent_id": key, "sent_label": 1, **place, **more}


def marked(key: int, *sides: list[Any], label: object = 1, **more: object) -> Json:
    return {"id": key, "pred_label": label, "rationale": list(sides), **more}


def ranked(key: int, words: str, **more: object) -> Json:
    """A prediction whose ranking is given by its words."""
    tokens = words.split()
    return marked(key, list(range(len(tokens))), rationale_token=[tokens], **more)


def write(path: Path, rows: list[Json]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def evaluate(tmp_path: Path) -> Evaluate:
    def run(gold_rows: list[Json], rows: list[Json], task: str = "sentiment", **options: Any) -> Json:
        paths = write(tmp_path / "gold.tsv", gold_rows), write(tmp_path / "predictions.jsonl", rows)
        return evaluate_benchmark(task, *paths, **options)

    return run


def flagged(found: Json) -> dict[str, list[str]]:
    return {flag["what"]: flag["rows"] for flag in found["counts"]["flagged"]}


def refused(found: Json) -> dict[str, list[str]]:
    return {stop["number"]: stop["rows"] for stop in found["counts"]["refused"]}


# --- Both programs on random files ------------------------------------------------------------------------------------


def random_files(seed: int) -> tuple[str, list[Json], list[Json]]:
    """Files with everything that the reference's table of edge cases has, but what both programs stop at."""
    draw = random.Random(seed)
    task = draw.choice(list(programs.SIDES))
    keys = list(range(1, draw.randint(2, 7)))
    types = {key: draw.choice(["ori", "disturb"]) for key in keys}
    rows = keys + draw.choices(keys, k=draw.random() < 0.2)
    changed = [key for key in keys if types[key] == "disturb"]
    gold_rows = [
        {
            "sent_id": key,
            "sent_label": draw.randint(0, 1),
            "sample_type": types[key],
            "rel_ids": draw.choices([*changed, 99], k=draw.randint(0, 2)),
            "rationale_ids": [random_sets(draw, many=task == "sentiment") for _ in range(programs.SIDES[task])],
        }
        for key in rows
    ]
    unknown = [77] if draw.random() < 0.15 else []
    return task, gold_rows, [random_row(draw, task, key) for key in rows + unknown if draw.random() < 0.85]


def random_sets(draw: random.Random, *, many: bool) -> list[list[Any]]:
    n_sets = draw.randint(1, 4) if many or draw.random() < 0.1 else 1
    as_index = draw.choice([int, str])
    return [[as_index(i) for i in draw.choices(range(9), k=draw.choice([0, 1, 2, 2, 3, 3, 4]))] for _ in range(n_sets)]


def random_row(draw: random.Random, task: str, key: int) -> Json:
    sides = [draw.choices(range(9), k=draw.randint(0, 5)) for _ in range(programs.SIDES[task])]
    as_text = draw.random() < 0.1
    shares = [round(draw.random(), 3) for _ in range(3)]
    names = ("pred_proba", "rationale_pred_proba", "non_rationale_pred_proba")
    return {
        "id": key,
        "pred_label": draw.randint(0, 1),
        "rationale": [[str(index) for index in side] if as_text else side for side in sides],
        "rationale_token": [draw.choices(["a", "b", "c", "d", "，"], k=len(side)) for side in sides],
        "rationale_pred": draw.randint(0, 1),
        "no_rationale_pred": draw.randint(0, 1),
        **{name: [share, 1 - share] for name, share in zip(names, shares, strict=True)},
    }


def as_scripts_layout(task: str, row: Json) -> Json:
    """The same gold as the scripts have it; several sets of a pair or reading have no form there and stay nested."""
    sides = [sets[0] if len(sets) == 1 and task != "sentiment" else sets for sets in row["rationale_ids"]]
    names = ("rationale_q_idx", "rationale_t_idx") if task == "similarity" else ("rationales",)
    return {**row, "rationale_ids": None, **dict(zip(names, sides, strict=True))}


@pytest.mark.parametrize("block", range(8))
def test_each_reading_gives_what_plain_loops_over_its_definitions_give(evaluate: Evaluate, block: int) -> None:
    n_defined = 0
    for seed in range(block * 25, block * 25 + 25):
        task, gold_rows, rows = random_files(seed)
        in_layout = [as_scripts_layout(task, row) for row in gold_rows]
        for layout in (gold_rows, [{k: v for k, v in row.items() if v is not None} for row in in_layout]):
            found = evaluate(layout, rows, task)
            for reading, expected in (
                ("scripts", programs.scripts(task, gold_rows, rows)),
                ("evaluator", programs.evaluator(task, gold_rows, rows)),
            ):
                ours = {name: found[reading][name] for name in expected}
                assert ours == pytest.approx(expected, abs=1e-12), f"seed {seed}"
                n_defined += sum(value is not None for value in expected.values())
    assert n_defined > 200, "most of the random files give no number: does the test still draw what it should?"


# --- Worked numbers of the reference ----------------------------------------------------------------------------------


def test_scripts_take_a_union_of_sets_and_the_paper_takes_the_best_set(evaluate: Evaluate) -> None:
    # reference/benchmark.md 3.1
    found = evaluate([gold(1, [13, 14], [16, 17], [20, 21])], [marked(1, [13, 14, 16, 20, 22])])
    assert found["scripts"]["token_f1"] == found["evaluator"]["token_f1"] == pytest.approx(8 / 11)
    assert found["paper"]["token_f1"] == pytest.approx(4 / 7)
    assert found["sets"]["best_f1"]["value"] == pytest.approx(4 / 7)
    assert (found["evaluator"]["iou_f1"], found["paper"]["iou_f1"]) == (
        1.0,
        0.0,
    )  # 4 of 7 with the union, 2 of 5 without


def test_the_greedy_union_depends_on_the_order_of_the_sets(evaluate: Evaluate) -> None:
    # reference/benchmark.md 3.1
    sets, predicted = ([0, 9], [0, 1, 2], [3, 4, 5]), [marked(1, [0, 1, 2, 3, 4, 5])]
    assert evaluate([gold(1, *sets)], predicted)["scripts"]["token_f1"] == 1.0
    other = evaluate([gold(1, sets[2], sets[0], sets[1])], predicted)
    assert other["scripts"]["token_f1"] == pytest.approx(12 / 13)
    assert other["paper"]["token_f1"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("original", "perturbed", "value"),
    [
        ("slow plot very", "slow very tedious plot", 35 / 48),
        ("slow very tedious plot", "slow plot very", 13 / 18),
        ("a b c", "a a a", 1.0),
        ("a a a", "a b c", 11 / 18),
        ("a b", "a b c d", 19 / 24),
        ("a b c d", "a b", 1.0),
    ],
)
def test_map_has_the_worked_numbers_of_the_reference(
    evaluate: Evaluate, original: str, perturbed: str, value: float
) -> None:
    # reference/benchmark.md 3.3: .7292, .7222, 1, .611, .792, 1
    pairs = [gold(1, [0], rel_ids=[2]), gold(2, [0], kind="disturb")]
    found = evaluate(pairs, [ranked(1, original), ranked(2, perturbed)])
    for reading in ("scripts", "evaluator", "paper"):
        assert found[reading]["map"] == pytest.approx(value)


def test_sufficiency_and_comprehensiveness_are_of_the_predicted_class(evaluate: Evaluate) -> None:
    # reference/benchmark.md 3.4: p(x) = .8, p(r) = .9, p(rest) = .3
    numbers = {"pred_proba": [0.2, 0.8], "rationale_pred_proba": [0.1, 0.9], "non_rationale_pred_proba": [0.7, 0.3]}
    found = evaluate([gold(1, [0], sent_label=0)], [marked(1, [0], **numbers)])
    for reading in ("evaluator", "paper"):
        assert found[reading]["sufficiency"] == pytest.approx(-0.1)
        assert found[reading]["comprehensiveness"] == pytest.approx(0.5)


# --- The table of edge cases, reference/benchmark.md 5 -----------------------------------------------------------------


def test_an_empty_predicted_rationale_counts_0(evaluate: Evaluate) -> None:
    found = evaluate([gold(1, [2])], [marked(1, [])])
    assert [found[reading]["token_f1"] for reading in ("scripts", "evaluator", "paper")] == [0.0, 0.0, 0.0]
    assert found["counts"]["predictions"]["empty_rationales"] == 1


@pytest.mark.parametrize("sets", [[], [[]]])
@pytest.mark.parametrize("predicted", [[3], []])
def test_gold_without_a_token_is_0_for_the_scripts_not_defined_for_us_and_stops_the_evaluator(
    evaluate: Evaluate, sets: list[list[int]], predicted: list[int]
) -> None:
    rows = [gold(1, *sets), gold(2, [4])], [marked(1, predicted), marked(2, [4])]
    found = evaluate(*rows)
    assert found["scripts"]["token_f1"] == 0.5
    assert (found["evaluator"]["token_f1"], found["evaluator"]["iou_f1"]) == (None, None)
    assert refused(found)["evaluator.token_f1"] == ["gold.tsv, line 1, id 1"]
    assert (found["paper"]["token_f1"], found["counts"]["n"]["paper.token_f1"]) == (1.0, {"n": 1, "n_left_out": 1})
    assert found["sets"]["recall"] == {"value": 1.0, "n": 1, "n_left_out": 1}
    with pytest.raises(ImportRefused) as refusal:
        evaluate(*rows, reading="evaluator")
    assert {(one.source, one.line, one.field) for one in refusal.value.problems} == {("gold.tsv", 1, "rationales")}


def test_a_pair_with_an_empty_side_is_not_defined_for_us(evaluate: Evaluate) -> None:
    found = evaluate([pair(1, [0], []), pair(2, [0], [1])], [marked(1, [0], [1]), marked(2, [0], [1])], "similarity")
    assert found["scripts"]["token_f1"] == 0.75  # (1 + 0) / 2 and 1
    assert (found["paper"]["token_f1"], found["counts"]["n"]["paper.token_f1"]) == (1.0, {"n": 1, "n_left_out": 1})
    assert found["paper"]["sides"][0]["token_f1"] == {"value": 1.0, "n": 2, "n_left_out": 0}
    assert found["counts"]["gold"]["without_rationale"] == 1


def test_an_index_predicted_twice_counts_twice_in_f1_and_once_in_iou(evaluate: Evaluate) -> None:
    found = evaluate([gold(1, [2, 3])], [marked(1, [2, 2, 3])])
    assert found["scripts"]["token_f1"] == found["evaluator"]["token_f1"] == pytest.approx(0.8)
    assert found["evaluator"]["iou_f1"] == 1.0
    assert flagged(found)["predictions.repeated_indices"] == ["predictions.jsonl, line 1, id 1"]


def test_gold_indices_may_be_text(evaluate: Evaluate) -> None:
    assert evaluate([gold(1, ["2", "3"])], [marked(1, [2, 3])])["scripts"]["token_f1"] == 1.0


def test_predicted_indices_as_text_never_hit_in_the_programs_and_are_read_by_us(evaluate: Evaluate) -> None:
    found = evaluate([gold(1, [2, 3])], [marked(1, ["2", "3"])])
    assert (found["scripts"]["token_f1"], found["evaluator"]["token_f1"], found["evaluator"]["iou_f1"]) == (0, 0, 0)
    assert found["paper"]["token_f1"] == found["sets"]["best_f1"]["value"] == 1.0
    assert flagged(found)["predictions.indices_as_text"] == ["predictions.jsonl, line 1, id 1"]


def test_a_missing_prediction_is_0_for_the_scripts_and_left_out_by_the_evaluator(evaluate: Evaluate) -> None:
    pairs = [gold(1, [0], rel_ids=[2]), gold(2, [0], kind="disturb")]
    row = marked(1, [0], rationale_token=[["a"]], rationale_pred=1, no_rationale_pred=0)
    found = evaluate(pairs, [row])
    scripts = {"token_f1": 0.5, "map": 0.0, "new_p": 0.5, "accuracy": 0.5, "answer_f1": None, "answer_em": None}
    assert found["scripts"] == scripts
    assert (found["evaluator"]["token_f1"], found["evaluator"]["map"]) == (1.0, 0.0)
    # The paper divides by the number of instances; the other denominator stands beside it.
    assert found["paper"]["token_f1"] == 0.5
    assert found["paper"]["over_predicted"]["token_f1"] == {"value": 1.0, "n": 1, "n_left_out": 1}
    assert found["paper"]["over_predicted"]["accuracy"] == {"value": 1.0, "n": 1, "n_left_out": 1}
    assert found["paper"]["map"] is None
    assert flagged(found)["predictions.missing"] == ["gold.tsv, line 2, id 2"]


def test_a_prediction_without_gold_is_ignored_or_counted_or_stops_as_in_each_program(evaluate: Evaluate) -> None:
    pairs = [gold(1, [0], rel_ids=[2]), gold(2, [0], kind="disturb")]
    numbers = {"pred_proba": [0.5, 0.5], "rationale_pred_proba": [0.0, 1.0], "non_rationale_pred_proba": [0.5, 0.5]}
    more: Json = {"rationale_pred": 1, "no_rationale_pred": 0, **numbers}
    rows = [ranked(key, "a", **more) for key in (1, 2)]
    stranger = ranked(9, "a", **{**more, "rationale_pred_proba": [1.0, 0.0]})
    found = evaluate(pairs, [*rows, stranger, {**stranger, "id": 8}, {**stranger, "id": 7}])
    assert found["scripts"] | {"map": None} == {
        "token_f1": 1.0, "map": None, "new_p": 2.5, "accuracy": 1.0, "answer_f1": None, "answer_em": None
    }  # fmt: skip
    assert found["scripts"]["map"] is found["evaluator"]["map"] is None
    assert refused(found)["scripts.map"] == refused(found)["evaluator.map"]
    assert refused(found)["scripts.map"][0] == "predictions.jsonl, line 3, id 9"
    assert found["evaluator"]["sufficiency"] == pytest.approx((2 * -0.5 + 3 * 0.5) / 5)
    assert found["paper"]["sufficiency"] == -0.5
    assert found["paper"]["map"] == 1.0
    assert found["paper"]["over_predicted"]["new_p"] == {"value": 1.0, "n": 2, "n_left_out": 0}
    assert {"scripts.new_p", "predictions.without_gold"} <= flagged(found).keys()
    # Unknown ids are scored and flagged, so that no reading refuses the files.
    assert evaluate(pairs, [*rows, stranger], reading="evaluator")["evaluator"]["map"] is None


def test_the_scripts_for_pairs_stop_at_a_prediction_without_gold(evaluate: Evaluate) -> None:
    found = evaluate([pair(1, [0], [0])], [marked(1, [0], [0]), marked(9, [0], [0])], "similarity")
    assert (found["scripts"]["token_f1"], found["evaluator"]["token_f1"], found["paper"]["token_f1"]) == (
        None,
        1.0,
        1.0,
    )
    assert refused(found)["scripts.token_f1"] == ["predictions.jsonl, line 2, id 9"]


def test_without_perturbed_records_map_is_not_defined_and_the_evaluator_says_0(evaluate: Evaluate) -> None:
    found = evaluate([gold(1, [0])], [ranked(1, "a")])
    assert (found["scripts"]["map"], found["evaluator"]["map"], found["paper"]["map"]) == (None, 0.0, None)
    assert refused(found) == {"scripts.map": []}


def test_gold_that_knows_no_sample_types_has_no_map(evaluate: Evaluate) -> None:
    row = {"sent_id": 1, "sent_label": 1, "rationales": [[0]]}
    found = evaluate([row], [ranked(1, "a")])
    assert [found[reading]["map"] for reading in ("scripts", "evaluator", "paper")] == [None, None, None]
    assert found["scripts"]["token_f1"] == 1.0


def test_a_predicted_original_without_rel_ids_stops_both_programs_and_is_refused(evaluate: Evaluate) -> None:
    original = {key: value for key, value in gold(1, [0]).items() if key != "rel_ids"}
    rows = [original, gold(2, [0], kind="disturb")]
    with pytest.raises(ImportRefused) as refusal:
        evaluate(rows, [ranked(1, "a")])
    [problem] = refusal.value.problems
    assert (problem.source, problem.line, problem.field) == ("gold.tsv", 1, "rel_ids")
    assert "write rel_ids, [] where there is none" in problem.reason
    assert evaluate(rows, [ranked(1, "a")], reading="paper")["paper"]["token_f1"] == 0.5
    assert evaluate(rows, [ranked(2, "a")])["scripts"]["map"] == 0.0  # not predicted: neither program looks at it


def test_a_record_of_two_originals_counts_twice_and_is_not_defined_for_us(evaluate: Evaluate) -> None:
    rows = [gold(1, [0], rel_ids=[3]), gold(2, [0], rel_ids=[3]), gold(3, [0], kind="disturb")]
    found = evaluate(rows, [ranked(key, "a") for key in (1, 2, 3)])
    assert (found["scripts"]["map"], found["evaluator"]["map"]) == (2.0, 2.0)
    assert found["paper"]["map"] is None
    assert found["counts"]["n"]["paper.map"] == {"n": 0, "n_left_out": 2}
    assert {"scripts.map", "evaluator.map", "links.linked_twice"} <= flagged(found).keys()


def test_a_record_that_nobody_names_lowers_the_programs_map(evaluate: Evaluate) -> None:
    rows = [gold(1, [0], rel_ids=[2]), gold(2, [0], kind="disturb"), gold(3, [0], kind="disturb")]
    found = evaluate(rows, [ranked(key, "a") for key in (1, 2, 3)])
    assert (found["scripts"]["map"], found["evaluator"]["map"], found["paper"]["map"]) == (0.5, 0.5, 1.0)
    assert flagged(found)["links.unlinked"] == ["gold.tsv, line 3, id 3"]


def test_an_empty_predictions_file_is_0_and_stops_the_evaluators_map(evaluate: Evaluate) -> None:
    found = evaluate([gold(1, [0], rel_ids=[2]), gold(2, [0], kind="disturb")], [])
    assert list(found["scripts"].values()) == [0.0, 0.0, 0.0, 0.0, None, None]
    assert found["evaluator"] == {
        "token_f1": 0.0, "iou_f1": 0.0, "map": None, "sufficiency": 0.0, "comprehensiveness": 0.0
    }  # fmt: skip
    assert refused(found) == {"evaluator.map": []}
    assert found["paper"]["over_predicted"]["token_f1"] == {"value": None, "n": 0, "n_left_out": 2}
    assert found["counts"]["predictions"]["missing"] == 2


def test_another_number_of_sides_is_refused(evaluate: Evaluate) -> None:
    with pytest.raises(ImportRefused) as refusal:
        evaluate([pair(1, [0], [0]), pair(2, [0], [0])], [marked(1, [0], [0]), marked(2, [0])], "similarity")
    [problem] = refusal.value.problems
    assert (problem.source, problem.line, problem.field) == ("predictions.jsonl", 2, "rationale")


def test_of_rows_with_one_id_the_last_counts_but_new_p_counts_each(evaluate: Evaluate) -> None:
    more: Json = {"rationale_pred": 1, "no_rationale_pred": 0}
    rows = [marked(1, [5], **more), marked(1, [0], **more)]
    found = evaluate([gold(1, [7]), gold(1, [0])], rows)
    assert (found["scripts"]["token_f1"], found["paper"]["token_f1"], found["scripts"]["new_p"]) == (1.0, 1.0, 2.0)
    assert flagged(found)["predictions.ids_twice"] == ["predictions.jsonl, line 2, id 1"]
    assert flagged(found)["gold.ids_twice"] == ["gold.tsv, line 2, id 1"]


def test_an_iou_of_exactly_a_half_matches(evaluate: Evaluate) -> None:
    found = evaluate([gold(1, [0, 1, 3])], [marked(1, [0, 1, 2])])
    assert (found["evaluator"]["iou_f1"], found["paper"]["iou_f1"]) == (1.0, 1.0)


# --- Indices that do not mean their tokens -----------------------------------------------------------------------------


def test_indices_that_count_from_1_are_flagged_and_not_defined_for_us(evaluate: Evaluate) -> None:
    # As in TrustAI's example: [CLS] is word 0 in the prediction, not in gold; reference/benchmark.md 4, row 15.
    tokens = TEXT.split()
    records = [gold(1, [3, 5, 6], sent_token=tokens), gold(2, [3], sent_token=tokens)]
    rows = [
        marked(1, [4, 6, 7], rationale_tokens=[["slow", "very", "slow"]]),
        marked(2, [3], rationale_tokens=[["slow"]]),
    ]
    found = evaluate(records, rows)
    assert found["scripts"]["token_f1"] == pytest.approx((1 / 3 + 1) / 2)  # only 6 hits, by chance
    assert (found["paper"]["token_f1"], found["counts"]["n"]["paper.token_f1"]) == (1.0, {"n": 1, "n_left_out": 1})
    [flag] = [flag for flag in found["counts"]["flagged"] if flag["what"] == "predictions.shifted_by_one"]
    assert flag["rows"] == ["predictions.jsonl, line 1, id 1"]
    assert "Subtract 1 from each index" in flag["meaning"]


def test_an_index_that_is_the_length_of_the_text_is_taken_for_counting_from_1(evaluate: Evaluate) -> None:
    found = evaluate([gold(1, [3], sent_token=["a", "b", "c", "d"])], [marked(1, [4, 2])])
    assert "predictions.shifted_by_one" in flagged(found)
    assert (found["scripts"]["token_f1"], found["paper"]["token_f1"]) == (0.0, None)


@pytest.mark.parametrize("wrong", [[9], [0, -1]])
def test_an_index_outside_of_the_text_never_hits_and_is_not_defined_for_us(
    evaluate: Evaluate, wrong: list[int]
) -> None:
    # -1 is what the scripts' alignment writes for a token that it does not find (reference/benchmark.md 5).
    found = evaluate([gold(1, [3], sent_token=["a", "b", "c", "d"])], [marked(1, wrong)])
    assert (found["scripts"]["token_f1"], found["paper"]["token_f1"]) == (0.0, None)
    assert flagged(found)["predictions.indices_outside"] == ["predictions.jsonl, line 1, id 1"]


def test_other_tokens_than_those_at_the_indices_are_flagged_and_scored(evaluate: Evaluate) -> None:
    tokens = ["The", "plot", "is", "slow"]
    named = [
        marked(1, [3, 0], rationale_token=[["dull", "the"]]),
        marked(2, [3, 0], rationale_token=[["slow ", "the"]]),
    ]
    found = evaluate([gold(key, [3], sent_token=tokens) for key in (1, 2)], named)
    assert flagged(found)["predictions.named_tokens_differ"] == [
        "predictions.jsonl, line 1, id 1"
    ]  # case does not count
    assert found["counts"]["n"]["paper.token_f1"] == {"n": 2, "n_left_out": 0}


def test_gold_whose_indices_are_one_off_is_flagged_and_not_defined_for_us(evaluate: Evaluate) -> None:
    tokens = ["the", "plot", "is", "slow"]
    record = {"sent_id": 1, "sent_label": 1, "sent_token": tokens, "rationale_ids": [[[2, 4]]]}
    found = evaluate([{**record, "rationale_tokens": [[["plot", "slow"]]]}], [marked(1, [2])])
    assert flagged(found)["gold.shifted_by_one"] == ["gold.tsv, line 1, id 1"]
    assert found["scripts"]["token_f1"] == pytest.approx(2 / 3)
    assert (found["paper"]["token_f1"], found["sets"]["coverage"]["value"]) == (None, None)


def test_rationales_that_all_rise_by_position_are_flagged(evaluate: Evaluate) -> None:
    rising = evaluate([gold(1, [0])], [marked(1, [0, 1, 2, 3, 4, 5, 6])])
    assert "predictions.sorted_by_position" in flagged(rising)
    assert "predictions.sorted_by_position" not in flagged(evaluate([gold(1, [0])], [marked(1, [6, 1, 2, 3, 4, 5, 0])]))
    assert "predictions.sorted_by_position" not in flagged(evaluate([gold(1, [0])], [marked(1, [1, 2])]))


# --- Our own variants -------------------------------------------------------------------------------------------------


def test_a_pair_has_numbers_by_side_as_mean_and_pooled(evaluate: Evaluate) -> None:
    # By hand. Query: 1 hit of 1 and 1, F1 1. Title: 0 of {1}. Pooled: 1 hit, P 1, R 1/2, F1 2/3; IOU 1/2, a match.
    found = evaluate([pair(1, [0], [1])], [marked(1, [0], [])], "similarity")["paper"]
    assert (found["token_f1"], found["iou_f1"]) == (0.5, 0.5)
    assert [side["token_f1"]["value"] for side in found["sides"]] == [1.0, 0.0]
    assert found["pooled"]["token_f1"]["value"] == pytest.approx(2 / 3)
    assert found["pooled"]["iou_f1"]["value"] == 1.0


def test_several_sets_of_a_pair_have_no_number_in_the_scripts(evaluate: Evaluate) -> None:
    # reference/benchmark.md 4, row 4: the scripts read exactly one flat set.
    rows = [{"sent_id": 1, "sent_label": 1, "rationale_ids": [[[0], [1]], [[0]]]}], [marked(1, [1], [0])]
    found = evaluate(*rows, "similarity")
    assert (found["scripts"]["token_f1"], found["evaluator"]["token_f1"]) == (None, 1.0)
    assert refused(found)["scripts.token_f1"] == ["gold.tsv, line 1, id 1"]
    assert found["sets"]["whole_set"]["value"] == 1.0  # set 1 of the query alone, as the title has one set
    with pytest.raises(ImportRefused, match="1 problem"):
        evaluate(*rows, "similarity", reading="scripts")


def test_map_counts_repeats_aligns_tokens_and_takes_the_full_ranking_where_there_is_one(evaluate: Evaluate) -> None:
    texts = {1: ["a", "slow", "plot", "a"], 2: ["a", "dull", "plot", "a"]}
    pairs = [gold(1, [1], rel_ids=[2], sent_token=texts[1]), gold(2, [1], kind="disturb", sent_token=texts[2])]
    rows = [marked(1, [1, 0], no_rationale=[[3, 2]]), marked(2, [1, 0], no_rationale=[[2, 3]])]
    found = evaluate(pairs, rows)["paper"]
    # By hand. Tokens: O = slow a a plot, Q = dull a plot a. Top 2: (0 + 1/2) / 2.
    assert found["map"] == 0.25
    variants = {name: mean["value"] for name, mean in found["map_variants"].items()}
    assert variants["counting"] == 0.25
    assert variants["aligned"] == 1.0  # dull stands where slow stood
    assert variants["full"] == pytest.approx((0 + 1 / 2 + 1 / 3 + 3 / 4) / 4)
    assert variants["full_counting"] == pytest.approx((0 + 1 / 2 + 1 / 3 + 3 / 4) / 4)
    assert variants["full_aligned"] == pytest.approx((1 + 1 + 2 / 3 + 1) / 4)


def test_the_rest_in_the_evaluators_dialect_is_no_ranking(evaluate: Evaluate) -> None:
    tokens = {"sent_token": ["a", "b"]}
    pairs = [gold(1, [1], rel_ids=[2], **tokens), gold(2, [1], kind="disturb", **tokens)]
    found = evaluate(pairs, [marked(key, [1], non_rationale=[[0]]) for key in (1, 2)])["paper"]
    assert found["map"] == 1.0
    assert found["map_variants"]["full"] == {"value": None, "n": 0, "n_left_out": 1}


def test_map_is_told_by_kind_and_by_whether_the_answer_changed(evaluate: Evaluate) -> None:
    pairs = [
        gold(1, [0], rel_ids=[2, 3]),
        gold(2, [0], kind="disturb", adv_type="syntax"),
        gold(3, [0], kind="disturb", adv_type="important words"),
    ]
    found = evaluate(pairs, [ranked(1, "a"), ranked(2, "a"), ranked(3, "b", label="0")])["paper"]
    assert {name: mean["value"] for name, mean in found["map_by_change"]["map"].items()} == {
        "all": 0.5, "same": 1.0, "changed": 0.0
    }  # fmt: skip
    assert list(found["map_by_kind"]) == ["important words", "syntax"]
    assert found["map_by_kind"]["syntax"]["map"]["same"] == {"value": 1.0, "n": 1, "n_left_out": 0}
    assert found["map_by_kind"]["syntax"]["map"]["changed"] == {"value": None, "n": 0, "n_left_out": 0}


def test_tokens_for_map_come_from_the_input_where_the_predictions_name_none(evaluate: Evaluate, tmp_path: Path) -> None:
    rows = [pair(1, [0], [0], rel_ids=[2]), {**pair(2, [0], [0]), "sample_type": "disturb"}]
    predictions = [marked(key, [0], [1]) for key in (1, 2)]
    without = evaluate(rows, predictions, "similarity")
    assert without["scripts"]["map"] is without["evaluator"]["map"] is without["paper"]["map"] is None
    assert refused(without)["scripts.map"] == ["gold.tsv, line 1, id 1", "gold.tsv, line 2, id 2"]
    texts = [("a b", "c d"), ("a x", "y z")]
    inputs = [
        {"id": key, "query": one, "title": other, "text_q_seg": one.split(), "text_t_seg": other.split()}
        for key, (one, other) in enumerate(texts, 1)
    ]
    found = evaluate(rows, predictions, "similarity", inputs=write(tmp_path / "input.jsonl", inputs))
    assert found["scripts"]["map"] == found["evaluator"]["map"] == found["paper"]["map"] == 0.5  # a is kept, d is not


def test_a_readings_answers_are_scored_by_language(evaluate: Evaluate) -> None:
    rows = [
        gold(1, sent_label="北京大学", rationales=[0], language="zh"),
        gold(2, sent_label="the Eiffel Tower", rationales=[0], language="en"),
        gold(3, sent_label="", rationales=[], language="en"),
        gold(4, sent_label="Paris", rationales=[0], language="en"),
    ]
    given = {1: "北京的大学", 2: "Eiffel tower, Paris", 3: ""}
    found = evaluate(rows, [marked(key, [0], label=answer) for key, answer in given.items()], "reading")
    # reference/benchmark.md 3.6: .889 by a subsequence; SQuAD 2.0's script: 4/5, and 1 where both say "no answer".
    assert found["paper"]["answers"]["zh"]["f1"]["value"] == pytest.approx(8 / 9)
    assert found["paper"]["answers"]["en"]["f1"] == {"value": pytest.approx(0.9), "n": 2, "n_left_out": 1}
    assert found["paper"]["answers"]["en"]["em"]["value"] == 0.5
    assert (found["scripts"]["accuracy"], found["evaluator"]["sufficiency"]) == (None, None)
    assert (found["scripts"]["answer_f1"], found["scripts"]["answer_em"]) == (None, None)  # not all are Chinese


def test_the_scripts_number_for_chinese_answers_counts_an_empty_answer_as_right(evaluate: Evaluate) -> None:
    # reference/benchmark.md 3.6: .444 by the longest common substring, and 1 for an empty prediction
    rows = [gold(key, sent_label="北京大学", rationales=[0]) for key in (1, 2)]
    found = evaluate(rows, [marked(1, [0], label="北京的大学"), marked(2, [0], label="")], "reading")
    assert found["scripts"]["answer_f1"] == pytest.approx((4 / 9 + 1) / 2)
    assert found["scripts"]["answer_em"] == 0.5
    assert found["paper"]["answers"]["zh"]["f1"]["value"] == pytest.approx((8 / 9 + 0) / 2)


def test_new_p_compares_labels_as_they_are_written_and_accuracy_as_numbers(evaluate: Evaluate) -> None:
    rows = [marked(1, [0], label="1", rationale_pred=1, no_rationale_pred=0)]
    found = evaluate([gold(1, [0])], rows)["scripts"]
    assert (found["accuracy"], found["new_p"]) == (1.0, 0.0)


def test_labels_and_probabilities_that_do_not_agree_are_scored_and_counted(evaluate: Evaluate) -> None:
    numbers = {name: [0.8, 0.1] for name in ("pred_proba", "rationale_pred_proba", "non_rationale_pred_proba")}
    found = evaluate([gold(1, [0])], [marked(1, [0], label=1, **numbers)])
    assert found["evaluator"]["sufficiency"] == 0.0
    assert found["counts"]["predictions"]["labels_not_of_the_highest_probability"] == 1
    assert found["counts"]["predictions"]["probabilities_not_summing_to_one"] == 1


def test_answers_alone_and_rationales_alone_are_scored_as_far_as_they_go(evaluate: Evaluate) -> None:
    answers = evaluate([gold(1, [0])], [{"id": 1, "pred_label": 1}])
    assert (answers["scripts"]["accuracy"], answers["scripts"]["token_f1"], answers["sets"]) == (1.0, None, None)
    reasons = evaluate([gold(1, [0])], [{"id": 1, "rationale": [[0]]}])
    assert (reasons["scripts"]["accuracy"], reasons["scripts"]["token_f1"]) == (None, 1.0)


# --- Rationales cut from scores ---------------------------------------------------------------------------------------


def scored(key: int, scores: list[float], label: int = 1) -> Json:
    order = sorted(range(len(scores)), key=lambda index: -scores[index])
    return {"id": key, "pred_label": label, "char_attri": {str(i): [f"t{i}", scores[i]] for i in order}}


def test_the_top_of_a_ranking_is_the_mean_share_of_gold_unless_it_is_said(evaluate: Evaluate) -> None:
    tokens = [f"t{i}" for i in range(10)]
    records = [gold(1, [0, 1], [1, 2], sent_token=tokens), gold(2, [5], sent_token=tokens)]  # 3/10 and 1/10
    rows = [scored(key, [0.9, 0.5, 0.1, 0.5, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]) for key in (1, 2)]
    found = evaluate(records, rows)
    assert found["counts"]["extraction"]["ratio"] == [0.2]
    assert found["counts"]["extraction"]["ratio_from"] == "the mean RLR of gold"
    assert found["counts"]["extraction"]["ties_at_the_cut"] == 2  # token 3 has the score of token 1
    assert found["paper"]["token_f1"] == 0.5  # {0, 1} and {0, 1}
    said = evaluate(records, rows, ratios=[0.1])
    assert said["counts"]["extraction"]["ratio_from"] == "--ratio"
    assert said["paper"]["token_f1"] == pytest.approx(1 / 3)


def test_the_number_of_tokens_is_rounded_up_as_in_the_reference(evaluate: Evaluate) -> None:
    # reference/benchmark.md 2.6: n = 14, ratio .311 -> 4.354 -> 5; F1 of 5 of 5
    found = evaluate([gold(1, [0, 1, 2, 3, 4])], [scored(1, [1 - i / 20 for i in range(14)])], ratios=[0.311])
    assert found["scripts"]["token_f1"] == 1.0


def test_scores_that_do_not_fall_along_the_keys_are_flagged_and_the_keys_rank(evaluate: Evaluate) -> None:
    row = {"id": 1, "pred_label": 1, "char_attri": {"0": ["a", 0.1], "1": ["b", 0.9]}}
    found = evaluate([gold(1, [0])], [row], ratios=[0.5])
    assert found["scripts"]["token_f1"] == 1.0
    assert flagged(found)["extraction.rankings_not_by_score"] == ["predictions.jsonl, line 1, id 1"]


def test_nothing_scored_is_an_empty_rationale_and_equal_scores_rank_by_the_keys(evaluate: Evaluate) -> None:
    # reference/benchmark.md 5, the last two rows: both stop TrustAI's tools
    rows = [{"id": 1, "pred_label": 1, "char_attri": {}}, scored(2, [0.5, 0.5, 0.5])]
    found = evaluate([gold(1, [0]), gold(2, [0])], rows, ratios=[0.2])
    assert found["scripts"]["token_f1"] == 0.5
    assert found["counts"]["predictions"]["empty_rationales"] == 1
    assert found["counts"]["extraction"]["ties_at_the_cut"] == 2


def test_each_side_of_a_pair_has_its_own_share(evaluate: Evaluate) -> None:
    sides = {
        "query_char_attri": {"1": ["b", 0.9], "0": ["a", 0.1]},
        "title_char_attri": {"0": ["c", 0.9], "1": ["d", 0.1]},
    }
    row = {"id": 1, "pred_label": 1, **sides}
    found = evaluate([pair(1, [1], [0, 1])], [row], "similarity")
    assert found["counts"]["extraction"]["ratio"] == [0.5, 1.0]
    assert found["paper"]["token_f1"] == 1.0
    assert evaluate([pair(1, [1], [0])], [row], "similarity", ratios=[1.0, 0.5])["paper"]["sides"][0]["token_f1"][
        "value"
    ] == pytest.approx(2 / 3)


def test_a_share_that_cannot_be_is_refused(evaluate: Evaluate) -> None:
    row = scored(1, [0.5])
    with pytest.raises(InvalidValue, match="The ratio 1.5 is not above 0 and at most 1"):
        evaluate([gold(1, [0])], [row], ratios=[1.5])
    with pytest.raises(InvalidValue, match="once for each side; this task has 1"):
        evaluate([gold(1, [0])], [row], ratios=[0.1, 0.2])
    with pytest.raises(InvalidValue, match="say it with --ratio"):
        evaluate([gold(1)], [row])
    with pytest.raises(InvalidValue, match="name their rationales already"):
        evaluate([gold(1, [0])], [marked(1, [0])], ratios=[0.1])


@needs_data
@pytest.mark.parametrize(
    ("name", "task"), [("senti_ch", "sentiment"), ("senti_en", "sentiment"), ("mrc_ch", "reading")]
)
def test_real_inputs_with_made_gold_are_scored_whole(evaluate: Evaluate, name: str, task: str) -> None:
    path = SHARED_DATA / "dutrust_samples" / "raw" / f"{name}.jsonl"
    inputs = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    sets: Any = [0, 1] if task == "reading" else [[0, 1], [2]]
    rows = [{"sent_id": one["id"], "sent_label": "1", "rationales": sets} for one in inputs]
    scores = [scored(one["id"], [1 / (1 + i) for i in range(len(one["sent_token"]))]) for one in inputs]
    found = evaluate(rows, scores, task, inputs=path, ratios=[0.3])
    assert found["counts"]["gold"]["records"] == found["counts"]["predictions"]["records"] == len(inputs)
    assert found["counts"]["links"]["links"] == found["counts"]["links"]["predicted"] == len(inputs) / 2
    assert found["paper"]["map_variants"]["full_aligned"]["n"] == len(inputs) / 2
    assert flagged(found).keys() <= {
        "predictions.named_tokens_differ",
        "links.to_unknown",
    }  # the names t0, t1 ... are ours


def test_intervals_are_those_of_the_means_over_records_that_the_paper_gives(evaluate: Evaluate) -> None:
    gold = [
        {"sent_id": n, "sent_label": 1, "sample_type": "ori", "rel_ids": [], "rationale_ids": [[[0]]]} for n in range(6)
    ]
    rows = [marked(n, [0] if n % 2 else [3]) for n in range(6)]
    found = evaluate(gold, rows, n_resamples=200)
    interval = found["intervals"]["paper.token_f1"]
    assert found["paper"]["token_f1"] == pytest.approx(0.5)
    assert 0 <= interval["low"] < 0.5 < interval["high"] <= 1
    assert (interval["n_resamples"], interval["seed"], interval["level"]) == (200, 0, 0.95)
    assert "intervals" not in evaluate(gold, rows)
