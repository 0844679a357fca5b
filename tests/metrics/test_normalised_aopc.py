"""Normalised AOPC: bounds over all orders of tokens by dynamic programming and by a beam, against every permutation."""

from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np
import pytest

from annotator.metrics.normalised_aopc import (
    MOST_EXACT,
    Bounds,
    Known,
    MeasuredAopc,
    aopc_of_order,
    beam_bounds,
    exact_bounds,
    gap_of,
    is_outside,
    left_of_order,
    most_calls,
    normalised,
    search_all,
    search_bounds,
)
from annotator.metrics.ragged import Flags, Floats

Model = Callable[[Flags], float]


def asks(models: Sequence[Model], asked: list[int] | None = None) -> Callable[[Sequence[tuple[int, Flags]]], Floats]:
    def ask(subsets: Sequence[tuple[int, Flags]]) -> Floats:
        if asked is not None:
            asked.append(len(subsets))
        return np.array([models[number](mask) for number, mask in subsets])

    return ask


def table_of(n: int, seed: int) -> Model:
    """Any function of subsets: a number drawn for each."""
    drawn = np.random.default_rng(seed).random(2**n)
    return lambda mask: float(drawn[int(mask @ (1 << np.arange(n)))])


def pairs_of(n: int, seed: int) -> Model:
    """A model of single tokens and of pairs."""
    weights = np.triu(np.random.default_rng(seed).normal(size=(n, n)))
    return lambda mask: float(1 / (1 + np.exp(-(mask @ weights @ mask))))


def area(model: Model, order: Sequence[int], n: int) -> float:
    left = left_of_order(np.array(order), n)
    return aopc_of_order(model(np.ones(n, dtype=np.bool_)), np.array([model(mask) for mask in left]))


def test_a_text_of_two_tokens_has_the_areas_counted_by_hand() -> None:
    """p(12) .9, p(1) .8, p(2) .3, p(∅) .2: order 1,2 (.6 + .7)/2, order 2,1 (.1 + .7)/2 (by hand)."""
    p = {(True, True): 0.9, (True, False): 0.8, (False, True): 0.3, (False, False): 0.2}
    model: Model = lambda mask: p[bool(mask[0]), bool(mask[1])]  # noqa: E731
    first, second = area(model, [0, 1], 2), area(model, [1, 0], 2)
    assert [first, second] == pytest.approx([0.65, 0.4])
    (bounds,) = search_all([exact_bounds(2)], [{}], asks([model]))
    assert [bounds.low, bounds.high] == pytest.approx([0.4, 0.65])
    low, high = np.array([bounds.low] * 2), np.array([bounds.high] * 2)
    # token 1 first is perfect: most important first 1, least important first 0
    assert normalised(np.array([first, second]), low, high) == pytest.approx([1.0, 0.0])


@pytest.mark.parametrize("seed", range(20))
def test_exact_bounds_are_those_of_all_permutations(seed: int) -> None:
    model = table_of(6, seed)
    areas = [area(model, order, 6) for order in permutations(range(6))]
    (bounds,) = search_all([exact_bounds(6)], [{}], asks([model]))
    assert [bounds.low, bounds.high] == pytest.approx([min(areas), max(areas)])


@pytest.mark.parametrize("width", [1, 5, 10])
@pytest.mark.parametrize("made", [table_of, pairs_of])
def test_bounds_of_a_beam_lie_inside_the_exact_ones(made: Callable[[int, int], Model], width: int) -> None:
    models = [made(8, seed) for seed in range(15)]
    known: list[Known] = [{} for _ in models]
    exact = search_all([exact_bounds(8) for _ in models], [{} for _ in models], asks(models))
    beams = search_all([beam_bounds(8, width) for _ in models], known, asks(models))
    for inner, outer, calls in zip(beams, exact, known, strict=True):
        assert outer.low - 1e-12 <= inner.low <= inner.high <= outer.high + 1e-12
        assert len(calls) <= width * 8 * 9
        assert inner.width == width


def test_a_beam_as_wide_as_all_subsets_is_exact() -> None:
    model = table_of(6, 1)
    beam, exact = search_all([beam_bounds(6, 20), exact_bounds(6)], [{}, {}], asks([model, model]))
    assert [beam.low, beam.high] == pytest.approx([exact.low, exact.high])


def test_of_a_linear_model_the_narrowest_beam_is_exact() -> None:
    """Without interaction the best order is that of the weights (by arithmetic)."""
    weights = np.random.default_rng(3).normal(size=30)
    model: Model = lambda mask: float(mask @ weights)  # noqa: E731
    (beam,) = search_all([beam_bounds(30, 1)], [{}], asks([model]))
    falling = np.argsort(-weights)
    assert beam.high == pytest.approx(area(model, falling.tolist(), 30))
    assert beam.low == pytest.approx(area(model, falling[::-1].tolist(), 30))


def test_up_to_twelve_tokens_bounds_are_exact_and_above_by_a_beam() -> None:
    model: Model = lambda mask: float(mask.mean())  # noqa: E731
    known: list[Known] = [{}, {}]
    made = search_all([search_bounds(MOST_EXACT), search_bounds(MOST_EXACT + 1)], known, asks([model] * 2))
    assert [bounds.width for bounds in made] == [0, 5]
    assert len(known[0]) == 4096 == most_calls(12)
    assert len(known[1]) <= most_calls(13) == 5 * 13 * 14


def test_texts_are_asked_about_together_and_a_subset_once() -> None:
    models = [pairs_of(15, seed) for seed in range(4)]
    asked: list[int] = []
    known: list[Known] = [{} for _ in models]
    search_all([beam_bounds(15, 5) for _ in models], known, asks(models, asked))
    assert len(asked) <= 1 + 15  # a round for everything, and for each size
    assert sum(asked) == sum(map(len, known))
    again: list[int] = []
    search_all([beam_bounds(15, 5) for _ in models], known, asks(models, again))
    assert again == []


def test_the_gap_is_what_a_wider_beam_adds_as_a_share_of_its_range() -> None:
    assert gap_of(Bounds(0.1, 0.5, 5), Bounds(0.0, 0.6, 10)) == pytest.approx(0.2 / 0.6)
    assert gap_of(Bounds(0.2, 0.2, 5), Bounds(0.2, 0.2, 10)) == 0


def test_one_token_and_none_have_no_range_and_so_no_value() -> None:
    one, none = search_all([search_bounds(1), search_bounds(0)], [{}, {}], asks([lambda mask: float(mask.sum())] * 2))
    assert (one.low, one.high) == (1.0, 1.0)
    low, high = np.array([one.low, none.low]), np.array([one.high, none.high])
    assert np.isnan(normalised(np.array([1.0, np.nan]), low, high)).all()


def test_a_model_that_hardly_reacts_has_no_value_and_nothing_is_cut_to_0_and_1() -> None:
    aopc = np.array([0.5, 0.62, 0.38])
    values = normalised(aopc, np.array([0.496, 0.4, 0.4]), np.array([0.5, 0.6, 0.6]))
    assert np.isnan(values[0])
    assert values[1:] == pytest.approx([1.1, -0.1])
    assert is_outside(values).tolist() == [False, True, True]


def test_what_is_measured_comes_back_from_its_facts() -> None:
    measured = MeasuredAopc(0.5, 0.1, Bounds(0.05, 0.6, 5), 14, 812, 0.01)
    assert MeasuredAopc.of_facts({"r2": 0.9, **measured.facts()}) == measured
    assert MeasuredAopc.of_facts({"r2": 0.9}) is None
