"""Soft and personal gold, by hand (reference/trust.md, section 4) and over drawn shares."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.metrics import soft_gold as soft
from annotator.metrics.ragged import Floats, GoldSets, Ragged
from annotator.metrics.set_aware import best_set

NAN = math.nan
MARKS = st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=4)  # of each person
SHARES = st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any).map(lambda of: [n / sum(of) for n in of])


def rows(*values: list[float]) -> Ragged[np.float64]:
    return Ragged.of(values, np.float64)


def tokens(*values: list[int]) -> Ragged[np.int64]:
    return Ragged.of(values, np.int64)


def of(*values: list[float]) -> Floats:
    return np.array(values, dtype=np.float64)


def test_soft_token_f1_and_its_ceiling_worked_out_by_hand() -> None:
    shares = rows([1, 2 / 3, 1 / 3, 0])
    f1 = [soft.soft_token_f1(tokens(list(range(k))), shares)[0] for k in (1, 2, 3)]
    assert f1 == pytest.approx([2 / 3, 5 / 6, 0.8])
    assert soft.soft_token_f1_ceiling(shares)[0] == pytest.approx(5 / 6)


def test_soft_tokens_are_not_defined_where_nobody_counts_or_nobody_marked_a_token() -> None:
    shares = rows([NAN, NAN], [0, 0], [], [0.5, 0])
    f1 = soft.soft_token_f1(tokens([0], [0], [], []), shares)
    assert np.isnan(f1[:3]).all()
    assert f1[3] == 0.0
    ceiling = soft.soft_token_f1_ceiling(shares)
    assert np.isnan(ceiling[:3]).all()
    assert ceiling[3] == pytest.approx(2 * 0.5 / 1.5)
    manhattan = soft.token_manhattan(rows([1, 0], [1, 0], [], [0, 0]), shares)
    assert np.isnan(manhattan[[0, 2]]).all()
    assert manhattan[[1, 3]].tolist() == [0.5, 0.25]


@settings(max_examples=30)
@given(MARKS)
def test_no_selection_is_above_the_ceiling_and_some_reaches_it(marks: list[list[bool]]) -> None:
    shares = rows(np.mean(marks, axis=0).tolist())
    selections = [list(chosen) for n in range(6) for chosen in combinations(range(5), n)]
    f1 = [soft.soft_token_f1(tokens(chosen), shares)[0] for chosen in selections]
    ceiling = soft.soft_token_f1_ceiling(shares)[0]
    assert max(f1) == pytest.approx(ceiling, abs=1e-12, nan_ok=True)


@given(st.sets(st.integers(0, 5), min_size=1), st.sets(st.integers(0, 5)), st.integers(1, 5))
def test_where_all_agree_soft_gold_is_hard_gold(gold: set[int], chosen: set[int], n_people: int) -> None:
    marks = [[float(token in gold) for token in range(6)]] * n_people
    hard = best_set(tokens(sorted(chosen)), GoldSets.of([[sorted(gold)]])).values
    shares = rows(np.mean(marks, axis=0).tolist())
    assert soft.soft_token_f1(tokens(sorted(chosen)), shares) == pytest.approx(hard, abs=1e-12)
    assert soft.soft_token_f1_ceiling(shares) == pytest.approx([1.0], abs=1e-12)
    per_person = soft.over_people(np.repeat(hard, n_people), np.arange(n_people))
    assert (per_person.mean, per_person.lowest) == pytest.approx((hard[0], hard[0]), abs=1e-12)


def test_distances_of_labels_worked_out_by_hand() -> None:
    people, model = of([0.5, 0.5, 0]), of([0, 0.5, 0.5])
    assert soft.label_manhattan(people, model).tolist() == [1.0]
    assert soft.label_wasserstein(people, model).tolist() == [1.0]
    assert soft.label_jensen_shannon(people, model) == pytest.approx([0.5])
    assert soft.label_cross_entropy(people, model) == pytest.approx([-(math.log(1e-12) + math.log(0.5)) / 2])


@given(SHARES, SHARES)
def test_distances_of_labels_stay_in_their_bounds_and_are_nothing_between_equals(
    q: list[float], p: list[float]
) -> None:
    people, model = of(q), of(p)
    assert 0 <= soft.label_manhattan(people, model)[0] <= 2 + 1e-12
    assert 0 <= soft.label_wasserstein(people, model)[0] <= 2 + 1e-12
    divergence = soft.label_jensen_shannon(people, model)[0]
    assert -1e-12 <= divergence <= 1 + 1e-12
    assert divergence == pytest.approx(soft.label_jensen_shannon(model, people)[0], abs=1e-12)
    entropy = soft.label_cross_entropy(people, people)[0]
    assert soft.label_cross_entropy(people, model)[0] >= entropy - 1e-9
    for distance in (soft.label_manhattan, soft.label_wasserstein, soft.label_jensen_shannon):
        assert distance(people, people)[0] == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("people", [[NAN, NAN], [0.5, 0.5]])
def test_labels_are_not_defined_where_one_side_has_none(people: list[float]) -> None:
    model = [NAN, NAN] if people[0] == people[0] else [0.5, 0.5]
    for distance in (soft.label_manhattan, soft.label_wasserstein, soft.label_jensen_shannon, soft.label_cross_entropy):
        assert np.isnan(distance(of(people), of(model))).all()


def test_a_person_with_many_instances_weighs_as_much_as_one_with_few() -> None:
    of_people = soft.over_people(np.array([1.0, 1.0, 1.0, 0.5, NAN]), np.array([0, 0, 0, 1, 2]))
    assert of_people == soft.OverPeople(0.75, 0.5, 1, 2)
    assert soft.over_people(np.array([NAN]), np.array([0])) == soft.OverPeople()
    assert soft.over_people(np.zeros(0), np.zeros(0, dtype=np.int64)) == soft.OverPeople()
