"""The fine-grained benchmark: against the reference table, and against plain loops over lists that say the definition."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.errors import InvalidValue
from annotator.metrics import benchmark_consistency as consistency
from annotator.metrics import benchmark_faithfulness as faithfulness
from annotator.metrics import benchmark_plausibility as plausibility
from annotator.metrics.aggregate import Aggregate, mean_of
from annotator.metrics.ragged import GoldSets, Ragged
from annotator.metrics.registry import all_definitions
from tests.conftest import SHARED_DATA, needs_data

CASES = json.loads((Path(__file__).parents[1] / "reference" / "benchmark.json").read_text(encoding="utf-8"))

# Close indices overlap often; -1 and the far ones are what broken files hold, and 63, 64, 70 lie around a word's border.
TOKEN = st.one_of(st.integers(0, 7), st.integers(0, 7), st.sampled_from([-1, 63, 64, 70, 1023, 1024, 10**12]))
TOKENS = st.lists(TOKEN, max_size=6)
INSTANCE = st.tuples(TOKENS, st.lists(TOKENS, max_size=5))
INSTANCES = st.lists(INSTANCE, max_size=6)
Instances = list[tuple[list[int], list[list[int]]]]

IDS = st.lists(st.integers(-3, 5), max_size=8)
PAIRS = st.lists(st.tuples(IDS, IDS), max_size=6)
Pairs = list[tuple[list[int], list[int]]]


def as_number(value: Any) -> float:
    if value is None:
        return float("nan")
    return value[0] / value[1] if isinstance(value, list) else float(value)


def encoded(instances: Instances) -> tuple[Ragged[np.int64], GoldSets]:
    predicted = Ragged.of([marked for marked, _ in instances], np.int64)
    return predicted, GoldSets.of([sets for _, sets in instances])


def rows_of(pairs: Pairs) -> tuple[Ragged[np.int64], Ragged[np.int64]]:
    return Ragged.of([one for one, _ in pairs], np.int64), Ragged.of([other for _, other in pairs], np.int64)


def loop_f1(gold: Sequence[int] | set[int], predicted: list[int]) -> float:
    n_hits = len(set(gold) & set(predicted))
    if not n_hits:
        return 0.0
    precision, recall = n_hits / len(predicted), n_hits / len(gold)
    return 2 * precision * recall / (precision + recall)


def loop_union(sets: list[list[int]], predicted: list[int]) -> tuple[float, set[int]]:
    """One greedy pass over the sets in file order."""
    union: set[int] = set()
    best = 0.0
    for tokens in sets:
        if set(tokens) <= union or not set(tokens) & set(predicted):
            continue
        f1 = loop_f1(union | set(tokens), predicted)
        if f1 > best:
            best, union = f1, union | set(tokens)
    return best, union


def loop_chosen(sets: list[list[int]], predicted: list[int], *, with_unions: bool) -> tuple[float, set[int]]:
    best, chosen = 0.0, set()
    for tokens in sets:
        f1 = loop_f1(tokens, predicted)
        if f1 > best:
            best, chosen = f1, set(tokens)
    for start in range(len(sets) - 1 if with_unions else 0):
        f1, union = loop_union(sets[start:], predicted)
        if f1 > best:
            best, chosen = f1, union
    return best, chosen


def loop_map(original: list[Any], perturbed: list[Any], *, counts_repeats: bool) -> float:
    """Equation 2, depth by depth."""
    total = 0.0
    for depth in range(1, len(perturbed) + 1):
        one, other = original[:depth], perturbed[:depth]
        n_hits = (Counter(one) & Counter(other)).total() if counts_repeats else sum(token in one for token in other)
        total += n_hits / depth
    return total / len(perturbed) if perturbed else 0.0


# --- Plausibility -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES["token_f1"], ids=lambda case: case["why"])
def test_token_f1_has_the_value_of_the_reference_table_in_both_readings(case: dict[str, Any]) -> None:
    both = encoded([(case["predicted"], case["sets"])])
    assert plausibility.token_f1_scripts(*both) == pytest.approx([as_number(case["scripts"])])
    assert plausibility.token_f1_paper(*both) == pytest.approx([as_number(case["paper"])], nan_ok=True)


@pytest.mark.parametrize("case", CASES["iou_match"], ids=lambda case: case["why"])
def test_iou_f1_has_the_value_of_the_reference_table_in_both_readings(case: dict[str, Any]) -> None:
    both = encoded([(case["predicted"], case["sets"])])
    assert plausibility.iou_match_evaluator(*both).tolist() == [case["evaluator"]]
    assert plausibility.iou_match_paper(*both).tolist() == [case["paper"]]


@settings(max_examples=30)
@given(INSTANCES, st.booleans())
def test_the_gold_chosen_is_that_of_a_loop_over_lists(instances: Instances, with_unions: bool) -> None:
    predicted, gold = encoded(instances)
    found = plausibility.choose_gold(predicted, gold, with_unions=with_unions)
    for number, (marked, sets) in enumerate(instances):
        f1, chosen = loop_chosen(sets, marked, with_unions=with_unions)
        assert found.f1[number] == f1
        either = chosen | set(marked)
        assert found.iou[number] == (len(chosen & set(marked)) / len(either) if either else 0)
        assert found.n_hits[number] == len(chosen & set(marked))
        flags = found.is_member[gold.offsets[number] : gold.offsets[number + 1]]
        members = [tokens for tokens, is_member in zip(sets, flags, strict=True) if is_member]
        assert {token for tokens in members for token in tokens} == chosen
        assert found.is_union[number] == (len(members) > 1)


def test_of_equally_good_sets_the_first_is_chosen() -> None:
    found = plausibility.choose_gold(*encoded([([1, 2], [[5], [1], [2]])]), with_unions=False)
    assert found.is_member.tolist() == [False, True, False]


@settings(max_examples=30)
@given(INSTANCES)
def test_unions_never_lower_token_f1_and_both_stay_between_0_and_1(instances: Instances) -> None:
    both = encoded(instances)
    scripts, paper = plausibility.token_f1_scripts(*both), plausibility.token_f1_paper(*both)
    assert np.all((scripts >= 0) & (scripts <= 1))
    assert np.all(np.isnan(paper) | ((paper >= 0) & (paper <= scripts)))


@settings(max_examples=30)
@given(INSTANCES, st.randoms(use_true_random=False))
def test_an_instance_has_its_values_wherever_it_stands_and_however_often(instances: Instances, random: Any) -> None:
    order = [*range(len(instances)), *range(len(instances))]
    random.shuffle(order)
    mixed = encoded([instances[number] for number in order])
    for measure in (
        plausibility.token_f1_scripts,
        plausibility.token_f1_paper,
        plausibility.iou_match_evaluator,
        plausibility.iou_match_paper,
    ):
        np.testing.assert_array_equal(measure(*mixed), measure(*encoded(instances))[order])


@settings(max_examples=30)
@given(INSTANCES, st.randoms(use_true_random=False))
def test_the_order_of_sets_does_not_matter_for_the_papers_f1(instances: Instances, random: Any) -> None:
    mixed = [(marked, random.sample(sets, len(sets))) for marked, sets in instances]
    found = plausibility.token_f1_paper(*encoded(mixed))
    np.testing.assert_array_equal(found, plausibility.token_f1_paper(*encoded(instances)))


def test_what_is_not_predicted_counts_0_over_all_gold_and_is_left_out_over_the_predicted() -> None:
    values, is_predicted = np.array([1.0, 0.5, 0.0]), np.array([True, True, False])
    assert plausibility.over_all_gold(values, is_predicted) == Aggregate(0.5, 3, 0)
    assert plausibility.over_predicted(values, is_predicted) == Aggregate(0.75, 2, 1)


def test_a_pair_has_the_mean_of_its_sides_or_one_value_for_both_together() -> None:
    # By hand. Side 1: 1 of 1 in {0}; F1 1. Side 2: nothing of {1}; F1 0. Together: {0} of {0, side 2's 1}: P 1, R 1/2.
    query, title = encoded([([0], [[0]])]), encoded([([], [[1]])])
    sides = [plausibility.token_f1_paper(*query), plausibility.token_f1_paper(*title)]
    assert plausibility.mean_over_sides(sides).tolist() == [0.5]
    pooled = plausibility.pooled_sides([query[0], title[0]], [query[1], title[1]])
    assert plausibility.token_f1_paper(*pooled) == pytest.approx([2 / 3])


@settings(max_examples=30)
@given(st.lists(st.tuples(INSTANCE, INSTANCE), max_size=4))
def test_pooling_puts_set_i_of_one_side_and_set_i_of_the_other_together(
    pairs: list[tuple[tuple[list[int], list[list[int]]], tuple[list[int], list[list[int]]]]],
) -> None:
    (ones, one_gold), (others, other_gold) = (encoded([pair[side] for pair in pairs]) for side in (0, 1))
    found = plausibility.token_f1_scripts(*plausibility.pooled_sides([ones, others], [one_gold, other_gold]))
    shift = 10**15
    for number, ((marked, sets), (other_marked, other_sets)) in enumerate(pairs):
        longest = max(len(sets), len(other_sets))
        padded, other_padded = (
            [*side, *([[]] * (longest - len(side)))]
            for side in (sets, [[token + shift for token in tokens] for tokens in other_sets])
        )
        together = [one + other for one, other in zip(padded, other_padded, strict=True)]
        predicted = [*marked, *(token + shift for token in other_marked)]
        assert found[number] == loop_chosen(together, predicted, with_unions=True)[0]


def test_accuracy_counts_a_missing_prediction_as_wrong() -> None:
    assert plausibility.accuracy(np.array([0, 1, 0]), np.array([0, 0, -1])).tolist() == [1, 0, 0]


def test_predictions_for_other_instances_than_gold_are_refused() -> None:
    with pytest.raises(InvalidValue, match="got 1 prediction for 2"):
        plausibility.token_f1_paper(Ragged.of([[1]], np.int64), GoldSets.of([[], []]))


# --- Consistency ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES["map"], ids=lambda case: case["why"])
def test_map_has_the_value_of_the_reference_table(case: dict[str, Any]) -> None:
    both = consistency.encode_tokens([case["original"].split()], [case["perturbed"].split()])
    assert consistency.mean_average_precision_scripts(*both) == pytest.approx([as_number(case["membership"])])
    counting = consistency.mean_average_precision(*both, counts_repeats=True)
    assert counting == pytest.approx([as_number(case["counting"])], nan_ok=True)


@settings(max_examples=30)
@given(PAIRS)
def test_map_is_that_of_a_loop_over_depths(pairs: Pairs) -> None:
    both = rows_of(pairs)
    expected = [loop_map(*pair, counts_repeats=False) for pair in pairs]
    assert consistency.mean_average_precision_scripts(*both) == pytest.approx(expected)
    ours = [value if all(pair) else float("nan") for value, pair in zip(expected, pairs, strict=True)]
    assert consistency.mean_average_precision(*both) == pytest.approx(ours, nan_ok=True)
    counting = [loop_map(*pair, counts_repeats=True) if all(pair) else float("nan") for pair in pairs]
    assert consistency.mean_average_precision(*both, counts_repeats=True) == pytest.approx(counting, nan_ok=True)


@settings(max_examples=30)
@given(PAIRS)
def test_counting_repeats_never_raises_map_and_both_stay_between_0_and_1(pairs: Pairs) -> None:
    both = rows_of(pairs)
    membership, counting = (
        consistency.mean_average_precision(*both, counts_repeats=counts) for counts in (False, True)
    )
    is_there = ~np.isnan(membership)
    assert np.all((counting[is_there] >= 0) & (counting[is_there] <= membership[is_there] + 1e-12))
    assert np.all(membership[is_there] <= 1)


@settings(max_examples=30)
@given(PAIRS, st.randoms(use_true_random=False))
def test_a_pair_has_its_map_whatever_the_tokens_numbers_and_wherever_it_stands(pairs: Pairs, random: Any) -> None:
    order = random.sample(range(len(pairs)), len(pairs))
    huge = [([token * 10**17 for token in one], [token * 10**17 for token in other]) for one, other in pairs]
    found = consistency.mean_average_precision_scripts(*rows_of([huge[number] for number in order]))
    np.testing.assert_allclose(found, consistency.mean_average_precision_scripts(*rows_of(pairs))[order], rtol=1e-12)


@given(st.lists(st.lists(st.integers(0, 20), unique=True, min_size=1), max_size=5))
def test_a_ranking_agrees_wholly_with_itself(rankings: list[list[int]]) -> None:
    same = Ragged.of(rankings, np.int64)
    assert consistency.mean_average_precision(same, same, counts_repeats=True) == pytest.approx([1.0] * len(rankings))


def test_the_corpus_number_divides_by_the_disturb_records_of_gold() -> None:
    assert consistency.corpus_map_scripts(np.array([0.5, 1.0]), 3) == 0.5  # one pair is not predicted
    assert consistency.corpus_map_scripts(np.array([1.0, 1.0]), 1) == 2.0  # one record is linked twice
    assert consistency.corpus_map_scripts(np.array([]), 0) is None


def test_map_is_told_by_whether_the_prediction_changed() -> None:
    values, has_changed = np.array([1.0, 0.5, 0.25, np.nan]), np.array([False, True, False, False])
    found = consistency.by_change(values, has_changed)
    assert found == consistency.ByChange(mean_of(values), Aggregate(0.625, 2, 1), Aggregate(0.5, 1, 0))
    assert consistency.by_change(values, np.zeros(4, dtype=bool)).changed == Aggregate(None, 0, 0)


@pytest.mark.parametrize(
    ("original", "perturbed", "places"),
    [
        ("the slow plot", "the dull plot", [0, 1, 2]),  # a synonym in the same place
        ("the plot", "the slow plot", [0, 3, 1]),  # what was inserted is new
        ("the slow plot", "the plot", [0, 2]),  # what was deleted is skipped
        ("the slow plot", "the very dull plot", [0, 4, 5, 2]),  # one for two: neither stands in its place
        ("", "a", [0]),  # nothing to stand in for
        ("a", "", []),
    ],
)
def test_tokens_are_aligned_by_place(original: str, perturbed: str, places: list[int]) -> None:
    assert consistency.aligned_places(original.split(), perturbed.split()) == places


def test_map_over_aligned_tokens_takes_a_synonym_in_the_same_place_for_the_same_token() -> None:
    originals, perturbed = [["the", "slow", "plot"]], [["the", "dull", "plot"]]
    ranked = Ragged.of([[1, 2]], np.int64)
    aligned = consistency.aligned_ranking(originals, perturbed, ranked)
    assert consistency.mean_average_precision(ranked, aligned).tolist() == [1.0]
    strings = consistency.encode_tokens([["slow", "plot"]], [["dull", "plot"]])
    assert consistency.mean_average_precision(*strings).tolist() == [0.25]  # (0 + 1/2) / 2


def test_a_ranking_of_tokens_that_the_text_does_not_have_is_refused() -> None:
    with pytest.raises(InvalidValue, match="names a token that the text does not have"):
        consistency.aligned_ranking([["a"]], [["b"]], Ragged.of([[1]], np.int64))


def test_rankings_of_other_pairs_are_refused() -> None:
    with pytest.raises(InvalidValue, match="got 1 original and 0 others"):
        consistency.mean_average_precision(Ragged.of([[1]], np.int64), Ragged.of([], np.int64))


@given(st.lists(st.integers(0, 2000), max_size=8), st.integers(0, 1000))
def test_k_is_the_ceiling_of_the_share_as_it_was_written(n_tokens: list[int], thousandths: int) -> None:
    lengths = np.array(n_tokens, dtype=np.int64)
    expected = [math.ceil(n * Fraction(thousandths, 1000)) for n in n_tokens]
    assert consistency.n_of_share(lengths, thousandths / 1000).tolist() == expected


@given(st.lists(st.integers(0, 100_000), max_size=8), st.floats(0, 1))
def test_k_of_a_mean_ratio_with_all_its_digits_is_exact_in_texts_of_any_length(
    n_tokens: list[int], ratio: float
) -> None:
    expected = [math.ceil(n * Fraction(repr(ratio))) for n in n_tokens]
    assert consistency.n_of_share(np.array(n_tokens, dtype=np.int64), ratio).tolist() == expected


def test_k_does_not_run_over_in_texts_of_more_than_some_hundred_tokens() -> None:
    lengths = np.array([[361], [362], [1000], [6535]])
    assert consistency.n_of_share(lengths, 0.25496945221550754).tolist() == [[93], [93], [255], [1667]]


def test_k_of_the_references_example_is_5() -> None:
    # reference/benchmark.md 2.6: n = 14, ratio .311 -> 4.354 -> 5; with .276 the float ceiling errs at n = 750 (207).
    assert consistency.n_of_share(np.array([14]), 0.311).tolist() == [5]
    assert consistency.n_of_share(np.array([750]), 0.276).tolist() == [207]
    assert math.ceil(750 * 0.276) == 208


@needs_data
@pytest.mark.parametrize("name", ["senti_ch", "senti_en", "mrc_ch", "mrc_en"])
def test_real_pairs_have_the_map_of_the_loop_and_their_unchanged_tokens_are_aligned(name: str) -> None:
    lines = (SHARED_DATA / "dutrust_samples" / "raw" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    records = {record["id"]: record for record in map(json.loads, lines)}
    linked = [(one, records[other]) for one in records.values() for other in one.get("rel_ids", []) if other in records]
    assert len(linked) >= 20, "the test found almost no pairs: does it still read the links?"
    sides = [[pair[side]["sent_token"] for pair in linked] for side in (0, 1)]
    rankings = [
        [tokens[::-1] for tokens in side] for side in sides
    ]  # any ranking will do; lengths and repeats are real
    found = consistency.mean_average_precision_scripts(*consistency.encode_tokens(*rankings))
    expected = [loop_map(one, other, counts_repeats=False) for one, other in zip(*rankings, strict=True)]
    assert found == pytest.approx(expected)
    for original, perturbed in zip(*sides, strict=True):
        places = consistency.aligned_places(original, perturbed)
        inside = [place for place in places if place < len(original)]
        assert inside == sorted(set(inside)), "a place of the original stands for one token, and the order is kept"
        assert sum(original[place] == perturbed[index] for index, place in enumerate(places) if place < len(original))


# --- Faithfulness and answers -----------------------------------------------------------------------------------------


def test_sufficiency_and_comprehensiveness_are_those_of_the_references_example() -> None:
    # reference/benchmark.md 3.4: p(x) = .8, p(r) = .9, p(rest) = .3
    full, only, rest = (np.array([[1 - p, p]]) for p in (0.8, 0.9, 0.3))
    assert faithfulness.sufficiency(full, only) == pytest.approx([-0.1])
    assert faithfulness.comprehensiveness(full, rest) == pytest.approx([0.5])


def test_the_class_is_the_one_that_was_predicted_even_if_another_is_more_probable() -> None:
    full, only = np.array([[0.4, 0.6]]), np.array([[0.1, 0.9]])
    assert faithfulness.sufficiency(full, only, np.array([0])) == pytest.approx([0.3])


def test_a_missing_probability_leaves_the_instance_out() -> None:
    full, only = np.array([[0.4, 0.6], [0.5, 0.5]]), np.array([[np.nan, np.nan], [0.25, 0.75]])
    assert mean_of(faithfulness.sufficiency(full, only)) == Aggregate(0.25, 1, 1)


@given(st.lists(st.tuples(*[st.floats(0, 1)] * 4), min_size=1, max_size=5))
def test_lost_probability_lies_between_minus_1_and_1(numbers: list[tuple[float, ...]]) -> None:
    drawn = np.array(numbers)
    values = faithfulness.comprehensiveness(drawn[:, :2], drawn[:, 2:])
    expected = [row[int(row[1] > row[0])] - row[2 + int(row[1] > row[0])] for row in numbers]
    assert values.tolist() == expected
    assert np.all(np.abs(values) <= 1)


def test_probabilities_and_labels_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(InvalidValue, match="do not belong together"):
        faithfulness.sufficiency(np.zeros((1, 2)), np.zeros((1, 3)))
    with pytest.raises(InvalidValue, match="none of the 2 for which there are probabilities"):
        faithfulness.sufficiency(np.zeros((1, 2)), np.zeros((1, 2)), np.array([2]))


@pytest.mark.parametrize(
    ("only", "without", "value"),
    [
        (1, 0, 1.0),  # the rationale keeps the label, the rest does not
        (1, 1, 0.0),  # so does the rest
        (0, 0, 0.0),  # the rationale does not
        (0, 1, 0.0),
    ],
)
def test_new_p_asks_that_only_the_rationale_keeps_the_label(only: int, without: int, value: float) -> None:
    assert faithfulness.new_p(np.array([1]), np.array([only]), np.array([without])).tolist() == [value]


def test_new_p_divides_by_the_gold_records() -> None:
    # reference/benchmark.md 5: 200 % is possible where there are predictions without gold
    assert faithfulness.corpus_new_p_scripts(np.array([1.0, 0.0]), 4) == 0.25
    assert faithfulness.corpus_new_p_scripts(np.array([1.0, 1.0]), 1) == 2.0
    assert faithfulness.corpus_new_p_scripts(np.array([]), 0) == 0.0


@pytest.mark.parametrize("case", CASES["answers_chinese"], ids=lambda case: case["why"])
def test_chinese_answers_have_the_values_of_the_reference_table(case: dict[str, Any]) -> None:
    both = [case["gold"]], [case["predicted"]]
    for key, measure in {
        "f1_scripts": faithfulness.answer_f1_chinese_scripts,
        "em_scripts": faithfulness.answer_em_chinese_scripts,
        "f1": faithfulness.answer_f1_chinese,
        "em": faithfulness.answer_em_chinese,
    }.items():
        assert measure(*both) == pytest.approx([as_number(case[key])], nan_ok=True), key


@pytest.mark.parametrize("case", CASES["answers_english"], ids=lambda case: case["why"])
def test_english_answers_have_the_values_of_the_reference_table(case: dict[str, Any]) -> None:
    both = [case["gold"]], [case["predicted"]]
    assert faithfulness.answer_f1_english(*both) == pytest.approx([as_number(case["f1"])], nan_ok=True)
    assert faithfulness.answer_em_english(*both) == pytest.approx([as_number(case["em"])], nan_ok=True)


ANSWER = st.text(alphabet="北京大学ab=， ", max_size=7)


@given(st.lists(st.tuples(ANSWER, ANSWER), max_size=5))
def test_answer_f1_is_symmetric_bounded_and_at_least_that_of_the_substring(pairs: list[tuple[str, str]]) -> None:
    gold, predicted = [one for one, _ in pairs], [other for _, other in pairs]
    f1 = faithfulness.answer_f1_chinese(gold, predicted)
    np.testing.assert_allclose(f1, faithfulness.answer_f1_chinese(predicted, gold))
    assert np.all((f1 >= 0) & (f1 <= 1))
    scripts = faithfulness.answer_f1_chinese_scripts(gold, predicted)
    is_said = np.array([other != "" for other in predicted], dtype=bool)
    assert np.all(scripts[is_said] <= f1[is_said] + 1e-12)
    is_same = faithfulness.answer_em_chinese(gold, predicted) == 1
    assert np.all(f1[is_same] == 1)


def test_answers_to_other_questions_are_refused() -> None:
    with pytest.raises(InvalidValue, match="there are 0 for 1"):
        faithfulness.answer_f1_english(["a"], [])


def test_every_measure_of_the_family_is_in_the_register() -> None:
    names = {definition.name for definition in all_definitions()}
    expected = (
        "token_f1_scripts token_f1_paper iou_f1_evaluator iou_f1_paper accuracy map_scripts map map_counting map_aligned "
        "sufficiency comprehensiveness new_p_scripts answer_f1_chinese answer_em_chinese answer_f1_chinese_scripts "
        "answer_em_chinese_scripts answer_f1_english answer_em_english"
    )
    assert {f"benchmark.{name}" for name in expected.split()} <= names
