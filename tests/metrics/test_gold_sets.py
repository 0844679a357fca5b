"""The gold sets of a batch: rows of rows against lists of lists."""

from collections.abc import Callable
from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.errors import InvalidValue
from annotator.metrics import against_sets as against
from annotator.metrics.ragged import GoldSets, Ragged
from annotator.metrics.set_aware import best_set

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
