"""Charts of work by day, and of people and kinds in rows."""

import datetime as dt

import pytest

from annotator.figures.work_charts import DayBar, Row, day_chart, first_and_mean, row_chart

MONDAY = dt.date(2026, 11, 23)


def test_a_day_without_work_stands_in_the_chart_as_zero() -> None:
    days = [DayBar(MONDAY, 4, 1), DayBar(MONDAY + dt.timedelta(days=1), 0, 0)]
    submitted, accepted = day_chart(days, bar="submitted", line="accepted", up="pieces of work").data
    assert (list(submitted.y), list(accepted.y)) == ([4, 0], [1, 0])
    assert list(submitted.x) == [day.day for day in days]


def test_a_single_day_is_as_wide_as_one_of_many() -> None:
    submitted, _ = day_chart([DayBar(MONDAY, 4, 1)], bar="submitted", line="accepted", up="pieces of work").data
    assert submitted.width == pytest.approx(0.8 * 86_400_000)
    across = day_chart([DayBar(MONDAY, 4, 1)], bar="submitted", line="accepted", up="pieces of work").layout.xaxis
    assert across.range == ("2026-11-16T12:00:00", "2026-11-23T12:00:00")


@pytest.mark.parametrize("n", [0, 1, 4, 6])
def test_few_pieces_of_work_are_counted_in_whole_steps(n: int) -> None:
    up = day_chart([DayBar(MONDAY, n, 0)], bar="submitted", line="accepted", up="pieces of work").layout.yaxis
    assert up.dtick == 1
    assert up.range[0] == 0
    assert up.range[1] >= max(n, 1)


def test_many_pieces_of_work_begin_at_zero() -> None:
    up = day_chart([DayBar(MONDAY, 400, 3)], bar="submitted", line="accepted", up="pieces of work").layout.yaxis
    assert (up.rangemode, up.dtick) == ("tozero", None)


def test_of_a_hundred_people_the_first_stand_alone_and_the_others_as_their_mean() -> None:
    rows = [Row(f"annotator-{n}", {"accepted": float(100 - n)}) for n in range(100)]
    shown = first_and_mean(rows, 20, "mean of 80 others")
    assert [row.name for row in shown[-2:]] == ["annotator-19", "mean of 80 others"]
    assert shown[-1].counts == {"accepted": 40.5}
    assert first_and_mean(rows[:21], 20, "mean of 1 others") == rows[:21]


def test_people_of_one_name_have_a_row_each_and_names_are_text() -> None:
    chart = row_chart([Row("<b>ada", {"x": 1}), Row("<b>ada", {"x": 2})], {"x": "<accepted>"}, across="texts")
    [bar] = chart.data
    assert (list(bar.y), list(bar.x)) == ([0, 1], [1, 2])
    assert list(chart.layout.yaxis.ticktext) == ["&lt;b&gt;ada"] * 2
    assert bar.name == "&lt;accepted&gt;"


def test_a_kind_that_nobody_has_takes_no_room_in_the_legend() -> None:
    chart = row_chart([Row("ada", {"x": 1, "y": 0})], {"x": "accepted", "y": "skipped"}, across="texts")
    assert [bar.name for bar in chart.data] == ["accepted"]
