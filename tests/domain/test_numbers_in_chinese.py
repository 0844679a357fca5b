"""Numbers, lists and days in Chinese sentences."""

import datetime as dt
from typing import Literal

import pytest

from annotator.domain.numbers import counted, duration, percent
from annotator.language import listed, speaking, written_day


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
