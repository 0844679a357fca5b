"""How measured numbers are shown: enough digits for their size, and never a minus before a zero."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.numbers import percent, points, signed, written

NUMBERS = st.floats(-1e6, 1e6)


@given(NUMBERS)
def test_a_number_is_shown_to_two_digits_or_better(value: float) -> None:
    shown = float(written(value).replace("−", "-").replace(",", ""))
    assert shown == pytest.approx(value, rel=0.06, abs=1e-12)


@given(NUMBERS)
def test_nothing_that_is_shown_as_zero_has_a_sign(value: float) -> None:
    for text in (written(value), signed(value), percent(value), points(value)):
        if not re.search(r"[1-9∞]", text):
            assert not re.search(r"[-−+]", text)


@given(NUMBERS)
def test_a_difference_has_the_sign_of_its_number(value: float) -> None:
    text = signed(value)
    assert text == "0" or text.startswith("−" if value < 0 else "+")


@given(st.integers(-(10**9), 10**9))
def test_counts_stay_whole(count: int) -> None:
    assert int(written(count).replace(",", "").replace("−", "-")) == count
