"""A model's sets against people's: by hand, against all small families, and what must hold of the piles."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.metrics.set_families import (
    MEASURES,
    Family,
    chance_values,
    family_values,
    iou_table,
    one_to_one,
    pile_sizes,
    random_families,
    set_table,
)

NAN = float("nan")
SETS = [tuple(s) for size in range(1, 5) for s in combinations(range(4), size)]
FAMILIES: list[list[tuple[int, ...]]] = [[], *([s] for s in SETS), *(list(pair) for pair in combinations(SETS, 2))]


def of(model: Family, people: Family) -> dict[str, float]:
    return {name: float(values[0]) for name, values in family_values([model], [people]).items()}


# From reference trust.md, section 8, worked by hand; what is not defined there is NaN.
CASES = [
    ([(1, 2), (5,)], [(1, 2, 3), (7, 8)], (0.4, 0.4, 0.4, 0.5, 0.5), "the first sets fit by F1 .8, IoU ⅔"),
    ([(1, 2)], [(1, 2), (3, 4)], (1.0, 0.5, 2 / 3, 1.0, 0.5), "a set of people's that the model does without"),
    ([(1,), (2,)], [(1, 2)], (2 / 3, 2 / 3, 2 / 3, 1.0, 1.0), "two sets may share a best match, with IoU ½ each"),
    ([], [(1,)], (NAN, 0.0, 0.0, NAN, 0.0), "no set of the model's"),
    ([(1,)], [], (0.0, NAN, 0.0, 0.0, NAN), "no set of people's"),
    ([], [], (NAN, NAN, NAN, NAN, NAN), "no set at all"),
    ([(1,)], [(2,)], (0.0, 0.0, 0.0, 0.0, 0.0), "nothing in common"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "people", "expected", "why"), CASES)
def test_numbers_by_hand(model: Family, people: Family, expected: Sequence[float], why: str) -> None:
    np.testing.assert_allclose([of(model, people)[name] for name in MEASURES], expected, err_msg=why)


def best(sets: Family, others: Family) -> tuple[Fraction, Fraction]:
    """By the formulas, in fractions: the mean best F1, and the share with IoU of at least one half."""
    f1, hits = [], []
    for one in map(set, sets):
        of_one = [Fraction(2 * len(one & set(other)), len(one) + len(other)) for other in others]
        f1.append(max(of_one))
        hits.append(any(2 * len(one & set(other)) >= len(one | set(other)) for other in others))
    return sum(f1, Fraction()) / len(f1), Fraction(sum(hits), len(hits))


def test_numbers_of_all_families_of_up_to_two_sets_over_four_tokens() -> None:
    pairs = list(product(range(1, len(FAMILIES)), repeat=2))
    values = family_values([FAMILIES[model] for model, _ in pairs], [FAMILIES[people] for _, people in pairs])
    best_of = {(of, others): best(FAMILIES[of], FAMILIES[others]) for of, others in pairs}
    expected = []
    for model, people in pairs:
        (there, given_there), (back, given_back) = best_of[model, people], best_of[people, model]
        both = 2 * there * back / (there + back) if there + back else Fraction()
        expected.append([float(number) for number in (there, back, both, given_there, given_back)])
    assert len(pairs) == 120 * 120
    np.testing.assert_allclose(np.array([values[name] for name in MEASURES]).T, expected, atol=1e-12)


def test_random_sets_are_disjoint_have_the_same_sizes_and_do_not_depend_on_what_is_beside_them() -> None:
    identities, n_tokens = np.array([7, 8], dtype=np.uint64), np.array([6, 9])
    families = random_families([[2, 3], [4, 1, 2]], n_tokens, identities, seed=1)
    assert [[len(tokens) for tokens in family] for family in families] == [[2, 3], [4, 1, 2]]
    for family, n in zip(families, n_tokens, strict=True):
        tokens = [token for one in family for token in one]
        assert len(set(tokens)) == len(tokens)
        assert max(tokens) < n
    assert random_families([[4, 1, 2]], n_tokens[1:], identities[1:], seed=1) == families[1:]


def test_chance_is_close_to_what_is_expected_of_one_random_token() -> None:
    """One of ten tokens is the one that people marked: F1 1 in a tenth of draws (by hand)."""
    n = 400
    chance = chance_values(
        [[(0,)]] * n, [[(3,)]] * n, np.full(n, 10), np.arange(n, dtype=np.uint64), seeds=range(10)
    )  # fmt: skip
    assert float(chance["both"].mean()) == pytest.approx(0.1, abs=0.015)


# Piles.

TABLE = st.lists(st.frozensets(st.integers(0, 9), min_size=1, max_size=5), max_size=5, unique=True)


@st.composite
def disjoint(draw: st.DrawFn) -> list[frozenset[int]]:
    """As a model's own sets are."""
    order, sizes = draw(st.permutations(range(10))), draw(st.lists(st.integers(1, 3), max_size=3))
    borders = [0, *np.cumsum(sizes).tolist()]
    return [frozenset(order[a:b]) for a, b in pairwise(borders)]


def as_lists(family: Sequence[frozenset[int]]) -> list[list[int]]:
    return [sorted(tokens) for tokens in family]


@settings(max_examples=30)
@given(
    disjoint(), TABLE, st.lists(st.booleans(), min_size=5, max_size=5), st.lists(st.booleans(), min_size=5, max_size=5)
)
def test_every_set_lies_in_one_pile(
    model: list[frozenset[int]], people: list[frozenset[int]], is_enough: list[bool], is_needed: list[bool]
) -> None:
    table = set_table(as_lists(model), as_lists(people), is_enough, is_needed)
    pairs = (*table.matched, *table.cores)
    assert sorted([*(i for i, _ in pairs), *table.unmarked]) == list(range(len(model)))
    assert sorted([*(j for _, j in pairs), *table.ignored, *table.redundant]) == list(range(len(people)))
    assert set(table.needed) <= set(table.ignored)
    assert all(is_enough[j] and model[i] < people[j] for i, j in table.cores)
    sizes = pile_sizes([table])
    assert len(model) + len(people) == (
        2 * (sizes["same"] + sizes["cores"]) + sizes["unmarked"] + sizes["ignored"] + sizes["redundant"]
    )


@given(disjoint(), TABLE)
def test_matches_have_the_largest_sum_of_all_matchings(
    model: list[frozenset[int]], people: list[frozenset[int]]
) -> None:
    iou = iou_table(as_lists(model), as_lists(people))
    weights = np.where(iou >= 0.5, iou, 0.0)
    size = max(iou.shape, default=0)
    padded = np.zeros((size, size))
    padded[: iou.shape[0], : iou.shape[1]] = weights
    largest = max((sum(padded[i, j] for i, j in enumerate(order)) for order in permutations(range(size))), default=0.0)
    matched = set_table(as_lists(model), as_lists(people), [False] * 5, [False] * 5).matched
    assert sum(iou[i, j] for i, j in matched) == pytest.approx(largest)


def test_the_piles_of_one_text() -> None:
    """Same reason {1, 2}; core {5} of a phrase; {9} unmarked; {10, 11} ignored but needed; {12} would do."""
    model = [(1, 2), (5,), (9,)]
    people = [(1, 2, 3), (4, 5, 6, 7), (10, 11), (12,)]
    table = set_table(model, people, [True, True, False, True], [True, True, True, False])
    assert (table.matched, table.cores) == (((0, 0),), ((1, 1),))
    assert (table.unmarked, table.ignored, table.needed, table.redundant) == ((2,), (2,), (2,), (3,))


def test_a_phrase_that_is_not_enough_for_the_model_has_no_core_in_it() -> None:
    table = set_table([(5,)], [(4, 5, 6, 7)], [False], [False])
    assert (table.cores, table.unmarked, table.ignored) == ((), (0,), (0,))


def test_of_equal_matchings_the_first_is_taken() -> None:
    assert one_to_one({(0, 0): 0.5, (0, 1): 0.5}) == ((0, 0),)
    assert one_to_one({}) == ()
