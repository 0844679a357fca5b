"""Sign flips against trying all signs and against a binomial, and Holm's correction by hand."""

from itertools import product
from math import comb

import numpy as np
import pytest

from annotator.metrics.significance import holm, sign_flips, sign_flips_many


@pytest.mark.parametrize("differences", [[0.1, 0.2, 0.3], [0.5, -0.5, 0.25, 0.25], [1, 1, 1, -1, 0, 0], [0.1] * 6])
def test_few_differences_are_tried_with_all_signs(differences: list[float]) -> None:
    mean = abs(sum(differences))
    all_signs = list(product((-1, 1), repeat=len(differences)))
    far = sum(abs(float(np.dot(signs, differences))) >= mean - 1e-9 for signs in all_signs)
    assert sign_flips(np.array(differences, dtype=np.float64)) == pytest.approx(far / len(all_signs))


def test_many_equal_differences_are_drawn_as_a_binomial() -> None:
    differences = np.array([1.0] * 60 + [-1.0] * 40 + [0.0] * 900)
    exact = 2 * sum(comb(100, k) for k in range(41)) / 2**100
    assert sign_flips(differences) == pytest.approx(exact, abs=0.008)


def test_differences_that_all_differ_are_drawn_one_by_one_and_no_draw_is_never_p_0() -> None:
    assert sign_flips(np.linspace(0.1, 0.2, 40)) == 1 / 10_000
    even = sign_flips(np.linspace(-0.2, 0.2, 40))
    assert even is not None
    assert even > 0.99


def test_nothing_to_compare_has_no_p_and_equal_rows_have_1() -> None:
    assert sign_flips(np.array([np.nan])) is None
    assert sign_flips(np.zeros(30)) == 1.0
    assert sign_flips(np.array([0.1, 0.2, 0.3, np.nan])) == 0.25


def test_holm_multiplies_the_smallest_by_all_and_never_falls() -> None:
    assert holm([0.01, 0.02, 0.03, 0.04]) == pytest.approx([0.04, 0.06, 0.06, 0.06])
    assert holm([0.6, 0.001, 0.5]) == pytest.approx([1.0, 0.003, 1.0])
    assert holm([]) == []


def test_differences_of_distinct_sizes_are_drawn_as_all_their_signs_would_be_counted() -> None:
    """The sizes 1 to 30: how many of the 2^30 signs give which sum is counted size by size."""
    counts = np.ones(1)
    for size in range(1, 31):
        counts = np.convolve(counts, np.eye(2 * size + 1)[[0, -1]].sum(axis=0))
    sums = np.arange(len(counts)) - len(counts) // 2
    differences = np.array([size if size % 3 else -size for size in range(1, 31)], dtype=np.float64)
    exact = counts[np.abs(sums) >= abs(differences.sum())].sum() / 2**30
    assert 0.05 < exact < 0.2
    assert sign_flips(differences) == pytest.approx(exact, abs=0.012)


def test_several_comparisons_over_the_same_texts_have_the_p_of_each_by_itself() -> None:
    draw = np.random.default_rng(3)
    many = np.column_stack(
        [draw.normal(shift, 1, 200) for shift in (0.0, 0.1, 0.3)]  # all of different sizes: they share their draws
        + [draw.integers(-1, 2, 200), np.r_[0.1, 0.2, 0.3, np.zeros(197)], np.full(200, np.nan)]
    )
    many[:50, 0] = np.nan  # a comparison over fewer of the texts
    p_values = sign_flips_many(many)
    alone = [sign_flips(of_one) for of_one in many.T]
    assert p_values[:3] == pytest.approx(alone[:3], abs=0.02)
    assert p_values[3:] == alone[3:]
    assert sign_flips_many(many[:, :1]) == p_values[:1]  # whatever else is compared
