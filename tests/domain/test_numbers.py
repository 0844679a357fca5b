"""How measured numbers are shown: enough digits for their size, and never a minus before a zero."""

import datetime as dt
import re
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.numbers import counted, duration, percent, points, signed, written
from annotator.language import listed, parted, speaking, together, written_day

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


# Numbers, lists and days in Chinese sentences.


@pytest.mark.parametrize(
    ("words", "last", "line"),
    [
        (["甲", "乙", "丙"], "", "甲、乙、丙"),
        (["甲", "乙", "丙"], "or", "甲、乙或丙"),
        (["甲", "乙"], "and", "甲和乙"),
        (["甲"], "and", "甲"),
        ([], "or", ""),
    ],
)
def test_a_list_has_the_comma_of_lists(words: list[str], last: Literal["", "and", "or"], line: str) -> None:
    with speaking("zh"):
        assert listed(words, last) == line


@pytest.mark.parametrize("n", [0, 1, 1200])
def test_a_noun_has_one_form_for_every_number_and_its_measure_word(n: int) -> None:
    with speaking("zh"):
        assert counted(n, "text") == f"{n:,} 篇文本"
    assert counted(n, "text") == f"{n:,} text{'' if n == 1 else 's'}", "English again, as before"


def test_a_day_is_written_in_the_order_of_the_language() -> None:
    with speaking("zh"):
        assert written_day(dt.date(2026, 11, 23)) == "2026年11月23日"
    assert written_day(dt.date(2026, 11, 23)) == "23 November 2026"


def test_times_and_shares_have_their_chinese_units() -> None:
    with speaking("zh"):
        assert [duration(12), duration(150)] == ["12 秒", "2.5 分钟"]
        assert percent(0.08) == "8.0%"
    assert [duration(12), duration(150), percent(0.08)] == ["12 s", "2.5 min", "8.0 %"], "English again, as before"


@pytest.mark.parametrize(
    ("sentences", "line"),
    [
        (["共 2 篇。", "", "还剩 1 篇。"], "共 2 篇。还剩 1 篇。"),
        (["**接下来。**", "他说“好。”", "完成。"], "**接下来。**他说“好。”完成。"),
        (["共 2 组", "（另有 1 组）"], "共 2 组（另有 1 组）"),
        (["Stored in English.", "已停止。"], "Stored in English. 已停止。"),
        ([], ""),
    ],
)
def test_no_space_is_between_sentences(sentences: list[str], line: str) -> None:
    with speaking("zh"):
        assert together(*sentences) == line


def test_clauses_have_the_semicolon_of_the_language() -> None:
    with speaking("zh"):
        assert parted(["甲：2，3", "乙：4"]) == "甲：2，3；乙：4"


def test_english_sentences_have_a_space_between_them_whatever_they_end_with() -> None:
    assert together("Choose “All”", "", "It says (twice).", "Done.") == "Choose “All” It says (twice). Done."
