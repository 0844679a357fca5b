"""McNemar's exact test against counting all outcomes, and over more texts than a float can count the ways of."""

from itertools import product
from math import erfc, sqrt

import pytest

from annotator.metrics.model_comparison import exact_mcnemar


@pytest.mark.parametrize(("n_won", "n_lost"), [(3, 0), (0, 3), (4, 1), (3, 3), (7, 2)])
def test_it_is_the_share_of_outcomes_that_are_as_far_from_even(n_won: int, n_lost: int) -> None:
    n = n_won + n_lost
    far = sum(abs(2 * sum(outcome) - n) >= abs(n_won - n_lost) for outcome in product((0, 1), repeat=n))
    assert exact_mcnemar(n_won, n_lost) == pytest.approx(far / 2**n)


def test_over_thousands_of_texts_it_is_near_the_normal_approximation() -> None:
    assert exact_mcnemar(5_000, 5_000) == 1.0
    p = exact_mcnemar(5_200, 5_000)
    assert p == pytest.approx(erfc((200 - 1) / sqrt(10_200) / sqrt(2)), rel=1e-3)
