"""Functional tests, contrast sets, fairness and opportunity cost: by hand, and against the definitions as plain loops."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import confusion_matrix

from annotator.errors import InvalidValue
from annotator.metrics.aggregate import Aggregate, mean_of
from annotator.metrics.er_test_functional import (
    contrast,
    direction,
    failure_rate,
    false_positive_rate_difference,
    invariance,
    is_consistent,
    minimum_functionality,
    opportunity_cost,
    opportunity_costs,
)
from annotator.metrics.ragged import Ragged

P = st.sampled_from([0.0, 0.05, 0.1, 0.4, 0.5, 0.9, 0.95, 1.0]) | st.floats(0, 1)
CASES = st.lists(st.lists(st.tuples(st.integers(0, 2), P), max_size=5), max_size=6)


def labels(cases: list[list[tuple[int, float]]]) -> Ragged[np.int64]:
    return Ragged.of(([label for label, _ in case] for case in cases), np.int64)


def probabilities(cases: list[list[tuple[int, float]]]) -> Ragged[np.float64]:
    return Ragged.of(([p for _, p in case] for case in cases), np.float64)


def verdict(results: list[bool | None]) -> float:
    """CheckList: a case fails if any of its judged texts does; None is not judged; nothing judged: not applicable."""
    judged = [result for result in results if result is not None]
    return float(not all(judged)) if judged else math.nan


def expect_inv(original: tuple[int, float], changed: tuple[int, float], tolerance: float) -> bool:
    return changed[0] == original[0] or abs(changed[1] - original[1]) <= tolerance


def expect_monotonic(original: float, changed: float, towards: str, tolerance: float) -> bool | None:
    if towards == "up":
        return None if original <= tolerance else changed - original + tolerance >= 0
    return None if original >= 1 - tolerance else changed - original - tolerance <= 0


@settings(max_examples=30)
@given(CASES, st.sampled_from([0.0, 0.1, 0.3]))
def test_inv_gives_the_verdicts_of_checklist(cases: list[list[tuple[int, float]]], tolerance: float) -> None:
    wanted = [verdict([expect_inv(case[0], text, tolerance) for text in case[1:]]) for case in cases]
    found = invariance(labels(cases), probabilities(cases), tolerance=tolerance)
    np.testing.assert_array_equal(found, wanted)


@settings(max_examples=30)
@given(CASES)
def test_inv_without_probabilities_fails_for_every_other_label(cases: list[list[tuple[int, float]]]) -> None:
    wanted = [verdict([text[0] == case[0][0] for text in case[1:]]) for case in cases]
    np.testing.assert_array_equal(invariance(labels(cases)), wanted)


def test_a_probability_that_moves_by_just_the_tolerance_is_within_it() -> None:
    texts, p = Ragged.of([[0, 1]], np.int64), Ragged.of([[0.5, 0.25]], np.float64)  # exact in binary
    assert invariance(texts, p, tolerance=0.25).tolist() == [0.0]
    assert invariance(texts, p, tolerance=0.24).tolist() == [1.0]
    assert direction(p, "up", tolerance=0.25).tolist() == [0.0]
    assert direction(p, "up", tolerance=0.24).tolist() == [1.0]


@pytest.mark.parametrize("towards", ["up", "down"])
@settings(max_examples=30)
@given(cases=CASES, tolerance=st.sampled_from([0.0, 0.1, 0.3]))
def test_dir_gives_the_verdicts_of_checklist(
    towards: str, cases: list[list[tuple[int, float]]], tolerance: float
) -> None:
    wanted = [verdict([expect_monotonic(case[0][1], p, towards, tolerance) for _, p in case[1:]]) for case in cases]
    np.testing.assert_array_equal(direction(probabilities(cases), towards, tolerance=tolerance), wanted)


@pytest.mark.parametrize(
    ("p", "towards", "expected"),
    [
        ([0.6, 0.7], "up", 0.0),  # rose
        ([0.6, 0.55], "up", 0.0),  # fell within the tolerance
        ([0.6, 0.4], "up", 1.0),  # fell
        ([0.6, 0.7, 0.4], "up", 1.0),  # one of two fell
        ([0.1, 0.0], "up", math.nan),  # cannot fail
        ([0.6, 0.8], "down", 1.0),  # rose
        ([0.9, 1.0], "down", math.nan),  # cannot fail
        ([0.6], "down", math.nan),  # no changed version
    ],
)
def test_dir_by_hand(p: list[float], towards: str, expected: float) -> None:
    np.testing.assert_array_equal(direction(Ragged.of([p], np.float64), towards), [expected])


def test_mft_of_a_group_passes_only_if_all_its_texts_do() -> None:
    verdicts = minimum_functionality(Ragged.of([[True], [True, False], [], [True, True]], np.bool_))
    np.testing.assert_array_equal(verdicts, [0, 1, math.nan, 0])
    assert mean_of(verdicts) == Aggregate(1 / 3, 3, 1)


def test_cases_that_a_slice_removes_do_not_apply() -> None:
    applies = np.array([True, False])
    expected = Ragged.of([[False], [False]], np.bool_)
    np.testing.assert_array_equal(minimum_functionality(expected, applies=applies), [1, math.nan])
    with pytest.raises(InvalidValue, match="Got 2 cases, but it is said of 1 whether the test applies"):
        minimum_functionality(expected, applies=applies[:1])


def test_the_failure_rate_is_a_mean_over_seeds_and_leaves_out_what_does_not_apply() -> None:
    verdicts = np.array([[1, 0, math.nan], [1, 1, 0], [math.nan] * 3])  # 1/2; 2/3; no rate
    rate = failure_rate(verdicts)
    assert rate.mean == pytest.approx(7 / 12)
    assert rate.deviation == pytest.approx(abs(1 / 2 - 2 / 3) / math.sqrt(2))  # divisor n − 1
    assert (rate.n_seeds, rate.n_left_out) == (2, 1)


@pytest.mark.parametrize(
    ("p", "tolerance", "message"),
    [
        ([[0.5, 1.5]], 0.1, r"Case 0 \(from 0\) has the probability 1.5"),
        ([[0.5], [math.nan]], 0.1, r"Case 1 \(from 0\) has the probability nan"),
        ([[0.5]], -0.1, "from 0 and below 1; not -0.1"),
    ],
)
def test_a_test_that_cannot_be_is_refused(p: list[list[float]], tolerance: float, message: str) -> None:
    rows = Ragged.of(p, np.float64)
    with pytest.raises(InvalidValue, match=message):
        direction(rows, "up", tolerance=tolerance)
    with pytest.raises(InvalidValue, match=message):
        invariance(Ragged.of([[0] * len(row) for row in p], np.int64), rows, tolerance=tolerance)


def test_probabilities_of_other_cases_are_refused() -> None:
    with pytest.raises(InvalidValue, match="Row 0 has 2 values, but 1 of probabilities"):
        invariance(Ragged.of([[0, 1]], np.int64), Ragged.of([[0.5]], np.float64))


SETS = st.lists(st.tuples(st.booleans(), st.lists(st.booleans(), max_size=4)), max_size=8)


@given(SETS)
def test_consistency_is_that_of_the_script(sets: list[tuple[bool, list[bool]]]) -> None:
    # ER-TEST, scripts/metrics.py: counts originals that are right and none of whose contrasts is wrong, over all originals
    count = 0
    for original, changed in sets:
        flag = True
        if original:
            for right in changed:
                if not right:
                    flag = False
            if flag:
                count += 1
    originals = np.array([original for original, _ in sets], dtype=np.bool_)
    scores = contrast(originals, Ragged.of((changed for _, changed in sets), np.bool_))
    assert scores.consistency == (count / len(sets) if sets else None)
    assert scores.n_without_contrast == sum(not changed for _, changed in sets)
    if scores.consistency is not None and scores.original is not None:
        assert scores.consistency <= scores.original


def test_contrast_by_hand() -> None:
    # originals right: 1, 2, 4 of 4; contrasts right: 3 of 5; consistent: 1 (2/2) and 4 (none), not 2 (1/2), not 3
    rows = Ragged.of([[True, True], [True, False], [False], []], np.bool_)
    scores = contrast(np.array([True, True, False, True]), rows)
    assert (scores.original, scores.contrast) == (0.75, 0.6)
    assert scores.delta == pytest.approx(-0.15)
    assert scores.consistency == 0.5
    assert scores.consistency_of_sets == pytest.approx(1 / 3)
    assert (scores.n_originals, scores.n_contrasts, scores.n_without_contrast) == (4, 5, 1)


def test_nothing_has_no_contrast_scores() -> None:
    scores = contrast(np.zeros(0, dtype=np.bool_), Ragged.of([], np.bool_))
    assert (scores.original, scores.contrast, scores.delta, scores.consistency) == (None, None, None, None)
    with pytest.raises(InvalidValue, match="Got 1 original, but contrasts of 0"):
        is_consistent(np.array([True]), Ragged.of([], np.bool_))


ITEMS = st.lists(st.tuples(st.booleans(), st.booleans(), st.booleans(), st.booleans()), max_size=12)


@settings(max_examples=30)
@given(ITEMS)
def test_fprd_is_that_of_scikit_learns_confusion_matrices(items: list[tuple[bool, bool, bool, bool]]) -> None:
    table = np.array(items, dtype=np.bool_).reshape(-1, 4)
    predicted, gold, mentions = table[:, 0], table[:, 1], table[:, 2:].T

    def rate(of: np.ndarray) -> float | None:
        if not (of & ~gold).any():
            return None
        (n_true_negative, n_false_positive), _ = confusion_matrix(gold[of], predicted[of], labels=[False, True])
        return n_false_positive / (n_false_positive + n_true_negative)

    overall, groups = rate(np.ones(len(table), dtype=np.bool_)), [rate(mention) for mention in mentions]
    found = false_positive_rate_difference(predicted, gold, mentions)
    there = [group for group in groups if group is not None]
    assert found.overall == overall
    assert found.n_groups_left_out == len(groups) - len(there)
    assert found.difference == (pytest.approx(sum(abs(group - overall) for group in there)) if there else None)


def test_groups_with_too_few_negatives_are_left_out() -> None:
    predicted, gold = np.array([True, False, False]), np.array([False, False, False])
    mentions = np.array([[True, False, False], [True, True, False]])
    every = false_positive_rate_difference(predicted, gold, mentions)
    assert every.difference == pytest.approx(abs(1 - 1 / 3) + abs(1 / 2 - 1 / 3))
    some = false_positive_rate_difference(predicted, gold, mentions, least_negatives=2)
    assert some.difference == pytest.approx(1 / 2 - 1 / 3)
    assert some.n_groups_left_out == 1
    assert some.rates.tolist() == [1.0, 0.5]  # still shown


def test_groups_that_cannot_be_are_refused() -> None:
    flags = np.array([True, False])
    with pytest.raises(InvalidValue, match="for the same items"):
        false_positive_rate_difference(flags, flags, np.array([[True]]))
    with pytest.raises(InvalidValue, match="at least one negative item; not 0"):
        false_positive_rate_difference(flags, flags, np.array([[True, True]]), least_negatives=0)


@settings(max_examples=30)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=10))
def test_the_cost_is_the_difference_of_accuracies_and_turns_with_the_models(pairs: list[tuple[bool, bool]]) -> None:
    base, other = np.array(pairs, dtype=np.bool_).T
    found, turned = opportunity_cost(base, other), opportunity_cost(other, base)
    assert found.cost == pytest.approx(base.mean() - other.mean())
    assert turned.cost == pytest.approx(-found.cost)
    assert (turned.n_won, turned.n_lost) == (found.n_lost, found.n_won)
    assert found.n_won + found.n_lost + found.n_both_right + found.n_both_wrong == len(pairs)
    assert mean_of(opportunity_costs(base, other)).value == found.cost


def test_nothing_has_no_cost_and_other_instances_are_refused() -> None:
    nothing = np.zeros(0, dtype=np.bool_)
    assert opportunity_cost(nothing, nothing).cost is None
    with pytest.raises(InvalidValue, match="there are 1 and 0"):
        opportunity_cost(np.array([True]), nothing)
