"""McNemar's exact test against counting all outcomes, and over more texts than a float can count the ways of."""

from itertools import product
from math import erfc, sqrt

import numpy as np
import pytest

from annotator.metrics.model_comparison import ControlledGain, controlled_gain, exact_mcnemar
from annotator.metrics.ragged import Floats
from annotator.metrics.significance import Verdict


@pytest.mark.parametrize(("n_won", "n_lost"), [(3, 0), (0, 3), (4, 1), (3, 3), (7, 2)])
def test_it_is_the_share_of_outcomes_that_are_as_far_from_even(n_won: int, n_lost: int) -> None:
    n = n_won + n_lost
    far = sum(abs(2 * sum(outcome) - n) >= abs(n_won - n_lost) for outcome in product((0, 1), repeat=n))
    assert exact_mcnemar(n_won, n_lost) == pytest.approx(far / 2**n)


def test_over_thousands_of_texts_it_is_near_the_normal_approximation() -> None:
    assert exact_mcnemar(5_000, 5_000) == 1.0
    p = exact_mcnemar(5_200, 5_000)
    assert p == pytest.approx(erfc((200 - 1) / sqrt(10_200) / sqrt(2)), rel=1e-3)


# A gain beside a control on shuffled rationales: by hand, what becomes of it for every lie of the two intervals.


def verdict(mean: float, low: float, high: float, n: int = 100) -> Verdict:
    return Verdict("better" if low > 0 else "not better" if high < 0 else "not told", n, mean, low, high)


def gain(of_other: Verdict | None, of_control: Verdict | None = None, over: Verdict | None = None) -> ControlledGain:
    return ControlledGain(100, 0.5, 0.7, None if of_control is None else 0.6, of_other, of_control, over)


CLEAR = verdict(0.20, 0.12, 0.28)


@pytest.mark.parametrize(
    ("of_control", "over_control", "word"),
    [
        (verdict(0.18, 0.10, 0.25), verdict(0.02, -0.05, 0.09), "as much"),
        (
            verdict(0.18, 0.10, 0.20),
            verdict(0.02, 0.01, 0.03),
            "as much",
        ),  # it reaches the gain, however narrow the rest
        (verdict(0.10, 0.04, 0.16), verdict(0.10, 0.05, 0.15), "less"),
        (verdict(0.10, 0.04, 0.19), verdict(0.10, -0.01, 0.21), "not told"),  # it does not reach .20, nor lies it below
        (verdict(0.02, -0.05, 0.09), verdict(0.18, 0.10, 0.26), "none"),
        (verdict(-0.10, -0.15, -0.05), verdict(0.30, 0.20, 0.40), "none"),
        (verdict(0.10, -0.05, 0.25), verdict(0.10, -0.02, 0.22), "not told"),  # it reaches .20, and 0 too
    ],
)
def test_a_clear_gain_is_called_by_where_the_interval_of_its_control_lies(
    of_control: Verdict, over_control: Verdict, word: str
) -> None:
    assert gain(CLEAR, of_control, over_control).word == word


@pytest.mark.parametrize(
    ("of_other", "word"),
    [
        (verdict(0.05, -0.01, 0.11), "no gain"),
        (verdict(-0.05, -0.09, -0.01), "loss"),
        (Verdict("too few", 12, 0.3), "too few"),
        (None, "nothing"),
        (CLEAR, "no control"),
    ],
)
def test_what_is_no_gain_needs_no_control_and_a_gain_without_one_is_called_so(
    of_other: Verdict | None, word: str
) -> None:
    assert gain(of_other).word == word
    if word != "no control":
        assert gain(of_other, CLEAR, CLEAR).word == word


def test_a_control_without_any_value_is_as_none() -> None:
    made = controlled_gain(np.full(30, 0.5), np.full(30, 0.7), np.full(30, np.nan))
    assert made == controlled_gain(np.full(30, 0.5), np.full(30, 0.7))
    assert (made.n, made.word) == (30, "no control")


def test_a_control_that_gains_as_much_is_said_with_both_gains() -> None:
    said = gain(CLEAR, verdict(0.18, 0.10, 0.25), verdict(0.02, -0.05, 0.09)).sentence
    assert "The shuffled-rationale control gains as much (+0.180 against +0.200): not due to rationales." in said
    assert "cause unknown without a shuffled-rationale control." in gain(CLEAR).sentence
    assert gain(None).sentence == ""


def column(*values: float) -> Floats:
    return np.array(values, dtype=np.float64)


def test_all_three_are_compared_over_the_texts_that_all_have() -> None:
    base, other = np.tile([0.0, 0.5], 15), np.tile([0.5, 0.5], 15)
    made = controlled_gain(base, other, np.where(np.arange(30) < 24, base, np.nan))
    assert (made.n, made.base, made.other, made.control) == (24, 0.25, 0.5, 0.25)
    assert made.gain is not None
    assert made.of_control is not None
    assert (made.gain.difference, made.of_control.difference) == (0.25, 0.0)
    assert made.word == "none"
    assert controlled_gain(base, other).n == 30


def test_of_no_common_text_nothing_is_said() -> None:
    made = controlled_gain(column(0.5, np.nan), column(np.nan, 0.5))
    assert (made.n, made.base, made.gain, made.word) == (0, None, None, "nothing")
