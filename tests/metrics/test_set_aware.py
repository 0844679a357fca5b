"""The set-aware numbers, by hand and over drawn sets, and gold sets as rows of arrays."""

import math
import random
from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.errors import InvalidValue
from annotator.metrics import against_sets as against
from annotator.metrics.ragged import Floats, GoldSets, Ragged
from annotator.metrics.set_aware import best_set, set_aware_values
from tests.reference.set_aware_cases import CASES, INDEX_SETS

TOKENS = st.lists(st.integers(0, 12), max_size=8)  # repetitions and any order are allowed
SETS = st.lists(st.lists(st.integers(0, 12), min_size=1, max_size=6), max_size=4)
BATCH = st.lists(st.tuples(TOKENS, SETS), max_size=7)


def has_whole_set(predicted: Ragged[np.int64], gold: GoldSets) -> Floats:
    return set_aware_values(predicted, gold)["whole_set"]


def recall_over_sets(predicted: Ragged[np.int64], gold: GoldSets) -> Floats:
    return set_aware_values(predicted, gold)["recall"]


def comprehensive_coverage(predicted: Ragged[np.int64], gold: GoldSets) -> Floats:
    return set_aware_values(predicted, gold)["coverage"]


def arrays(batch: list[tuple[list[int], list[list[int]]]]) -> tuple[Ragged[np.int64], GoldSets]:
    return Ragged.of((tokens for tokens, _ in batch), np.int64), GoldSets.of([sets for _, sets in batch])


def loop(predicted: list[int], sets: list[list[int]]) -> tuple[float, int, bool, float, float, float, float]:
    """Best F1, its set, whether another is as good, best IoU, whole set, recall, coverage: as one would say them."""
    chosen, golds = set(predicted), [set(tokens) for tokens in sets]
    if not golds:
        return math.nan, -1, False, math.nan, math.nan, math.nan, math.nan
    scores = [2 * len(chosen & gold) / (len(chosen) + len(gold)) for gold in golds]
    union = set().union(*golds)
    whole = [gold <= chosen for gold in golds]
    return (
        max(scores),
        scores.index(max(scores)),
        scores.count(max(scores)) > 1,
        max(len(chosen & gold) / len(chosen | gold) for gold in golds),
        float(any(whole)),
        sum(whole) / len(whole),
        len(chosen & union) / len(union),
    )


@settings(max_examples=30)
@given(BATCH)
def test_all_numbers_are_those_of_a_plain_loop(batch: list[tuple[list[int], list[list[int]]]]) -> None:
    predicted, gold = arrays(batch)
    wanted = [loop(*instance) for instance in batch]
    best = best_set(predicted, gold)
    found = zip(
        best.values.tolist(),
        best.sets.tolist(),
        best.is_tied.tolist(),
        best_set(predicted, gold, by="iou").values.tolist(),
        has_whole_set(predicted, gold).tolist(),
        recall_over_sets(predicted, gold).tolist(),
        comprehensive_coverage(predicted, gold).tolist(),
        strict=True,
    )
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours == pytest.approx(theirs, nan_ok=True, abs=1e-12)


@pytest.mark.parametrize(("predicted", "sets", "f1", "which", "iou", "whole", "recall", "coverage"), CASES)
def test_values_by_hand(
    predicted: list[int],
    sets: list[list[int]],
    f1: float,
    which: int,
    iou: float,
    whole: float,
    recall: float,
    coverage: float,
) -> None:
    tokens, gold = arrays([(predicted, sets)])
    assert best_set(tokens, gold).values[0] == pytest.approx(f1)
    assert best_set(tokens, gold).sets[0] == which
    assert best_set(tokens, gold, by="iou").values[0] == pytest.approx(iou)
    assert has_whole_set(tokens, gold)[0] == whole
    assert recall_over_sets(tokens, gold)[0] == recall
    assert comprehensive_coverage(tokens, gold)[0] == coverage


def test_one_sufficient_set_is_a_full_hit_although_little_of_the_union_is_found() -> None:
    predicted, gold = arrays([([0, 1], INDEX_SETS)])
    assert best_set(predicted, gold).values[0] == 1.0
    assert has_whole_set(predicted, gold)[0] == 1.0
    assert comprehensive_coverage(predicted, gold)[0] == 0.25  # 2 of 8: the flattened recall that ERASER reports


@settings(max_examples=30)
@given(BATCH, st.randoms(use_true_random=False))
def test_the_order_of_sets_changes_only_which_of_equals_is_named(
    batch: list[tuple[list[int], list[list[int]]]], draw: random.Random
) -> None:
    shuffled = [(tokens, draw.sample(sets, len(sets))) for tokens, sets in batch]
    for measure in (has_whole_set, recall_over_sets, comprehensive_coverage):
        np.testing.assert_allclose(measure(*arrays(batch)), measure(*arrays(shuffled)))
    before, after = best_set(*arrays(batch)), best_set(*arrays(shuffled))
    np.testing.assert_array_equal(before.values, after.values)
    for number, (_, sets) in enumerate(batch):
        if sets and not before.is_tied[number]:
            assert sets[before.sets[number]] == shuffled[number][1][after.sets[number]]


@settings(max_examples=30)
@given(BATCH)
def test_instances_do_not_touch_each_other(batch: list[tuple[list[int], list[list[int]]]]) -> None:
    for measure in (has_whole_set, recall_over_sets, comprehensive_coverage):
        values = measure(*arrays(batch))
        np.testing.assert_array_equal(measure(*arrays(batch[::-1])), values[::-1])
        np.testing.assert_array_equal(measure(*arrays(batch + batch)), np.concatenate((values, values)))
        assert np.all(np.isnan(values) | ((values >= 0) & (values <= 1)))


@settings(max_examples=30)
@given(BATCH, st.integers(0, 12))
def test_one_more_predicted_token_never_loses_a_set(batch: list[tuple[list[int], list[list[int]]]], token: int) -> None:
    more = [([*tokens, token], sets) for tokens, sets in batch]
    for measure in (has_whole_set, recall_over_sets, comprehensive_coverage):
        before, after = measure(*arrays(batch)), measure(*arrays(more))
        assert np.all(np.isnan(before) | (after >= before))


def test_nothing_at_all_gives_nothing() -> None:
    predicted, gold = arrays([])
    assert best_set(predicted, gold).values.shape == (0,)
    assert comprehensive_coverage(predicted, gold).shape == (0,)


def test_a_text_of_many_tokens_costs_no_more_than_its_own_width() -> None:
    batch = [([49_999], [[0, 49_999]])] + [([0], [[0]])] * 20_000  # one width for all would be a billion flags
    predicted, gold = arrays(batch)
    assert best_set(predicted, gold).values[0] == pytest.approx(2 / 3)
    assert best_set(predicted, gold).values[1:].min() == 1.0


@pytest.mark.parametrize(
    ("predicted", "sets", "message"),
    [
        ([[0]], [[[0]], [[1]]], "Got 2 instances, but 1 prediction"),
        ([[-1]], [[[0]]], "A token index is below 0"),
        ([[0]], [[[-2]]], "A token index is below 0"),
        ([[0], [0]], [[[0]], [[1], []]], r"A gold set of instance 1 \(from 0\) has no token"),
    ],
)
def test_what_cannot_be_is_refused(predicted: list[list[int]], sets: list[list[list[int]]], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        best_set(Ragged.of(predicted, np.int64), GoldSets.of(sets))


# The gold sets of a batch: rows of rows against lists of lists.

Listed = list[list[list[int]]]
INSTANCES = st.lists(st.lists(st.lists(st.integers(-1, 9), max_size=4), max_size=4), min_size=1, max_size=6)


def listed(gold: GoldSets) -> Listed:
    sets = [gold.tokens.row(number).tolist() for number in range(len(gold.tokens))]
    return [[sets[number] for number in gold.numbers.row(instance)] for instance in range(len(gold))]


@given(INSTANCES)
def test_what_is_known_of_the_sets_is_that_of_the_lists(instances: Listed) -> None:
    gold = GoldSets.of(instances)
    assert listed(gold) == instances
    assert gold.n_sets.tolist() == [len(sets) for sets in instances]
    assert gold.instances.tolist() == [number for number, sets in enumerate(instances) for _ in sets]
    assert gold.numbers.places.tolist() == [place for sets in instances for place in range(len(sets))]
    assert gold.has_token.tolist() == [any(sets) for sets in instances]
    union = gold.union()
    assert [union.row(number).tolist() for number in range(len(gold))] == [list(chain(*sets)) for sets in instances]


@given(INSTANCES, st.data())
def test_some_instances_have_their_own_sets_in_the_order_asked(instances: Listed, data: st.DataObject) -> None:
    asked = data.draw(st.lists(st.integers(0, len(instances) - 1), max_size=8))
    taken = GoldSets.of(instances).take(np.array(asked, dtype=np.int64))
    assert listed(taken) == [instances[number] for number in asked]


@given(INSTANCES)
def test_an_empty_set_is_named_by_its_instance(instances: Listed) -> None:
    gold = GoldSets.of(instances)
    first = next((number for number, sets in enumerate(instances) if not all(sets)), None)
    if first is None:
        gold.check_filled()
    else:
        with pytest.raises(InvalidValue, match=rf"A gold set of instance {first} \(from 0\) has no token"):
            gold.check_filled()


@pytest.mark.parametrize(
    "measure",
    [
        lambda gold: best_set(Ragged.of([[0]], np.int64), gold),
        lambda gold: against.of_ranking(Ragged.of([[1.0]], np.float64), gold),
        lambda gold: against.of_alignment(Ragged.of([[1.0]], np.float64), gold, gamma=1.0),
    ],
)
def test_numbers_of_a_project_refuse_an_empty_set(measure: Callable[[GoldSets], Any]) -> None:
    with pytest.raises(InvalidValue, match="has no token"):
        measure(GoldSets.of([[[0], []]]))


@pytest.mark.parametrize("offsets", [[0, 2], [1, 1], [0, 1, 0, 1], []])
def test_sets_whose_borders_do_not_fit_are_refused(offsets: list[int]) -> None:
    with pytest.raises(InvalidValue, match="borders do not fit"):
        GoldSets(Ragged.of([[1]], np.int64), np.array(offsets, dtype=np.int64))
