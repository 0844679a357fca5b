"""The charts of pages: nothing by colour alone, nobody's text as HTML, and a way back from every point."""

import datetime as dt
import re
import subprocess
import sys
from html.parser import HTMLParser
from typing import Any

import pytest

from annotator.domain.numbers import UNDEFINED
from annotator.figures.bars import Bar, Part, grouped_bars, stacked_bars
from annotator.figures.curves import COLOURS, Curve, Panel, curve_panels
from annotator.figures.html_table import Cell, Head, Line, metric_table_html
from annotator.figures.instance_html import LinkedRow, instance_list_html
from annotator.figures.instance_values import MOST_POINTS, Point, beside_confidence, distribution, drawn
from annotator.figures.work_charts import WORK_STYLE, DayBar, day_chart, row_chart

HOSTILE = "<img src=x onerror=alert(1)>\"'&"


class Tags(HTMLParser):
    """The elements of a text of HTML with their attributes, and its words."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def attributes(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def head(title: str = "Token F1", group: str = "plausibility", arrow: str = "↑") -> Head:
    return Head(group, title, "ERASER", arrow, "2PR / (P + R)")


def test_the_best_of_a_column_is_marked_by_a_star_and_told_to_screen_readers() -> None:
    html = metric_table_html(
        [head()], [Line("m · ig", "", [Cell("0.800", (), is_best=True)]), Line("m · lime", "", [Cell("0.700")])],
        corner="Model", label="Metrics",
    )  # fmt: skip
    assert re.findall(r'class="best">(.*?)0\.800', html) == [
        '<span aria-hidden="true">★ </span><span class="unseen">best: </span>'
    ]
    assert html.count("best: ") == 1


def test_columns_of_a_group_share_a_head_and_directions_are_said_in_words() -> None:
    heads = [head(), head("Order", arrow="↓"), head("Suf", "faithfulness", "↓"), head("Ratio", "faithfulness", "")]
    cells = [Cell("1"), Cell("2"), Cell(UNDEFINED), Cell("3")]
    tags = Tags(metric_table_html(heads, [Line("m", "", cells)], corner="Model", label="Metrics"))
    assert [one["colspan"] for one in tags.attributes("th") if "colspan" in one] == ["2", "2"]
    assert [word for word in tags.words if "is better" in word] == [
        "(higher is better)", "(lower is better)", "(lower is better)",
    ]  # fmt: skip
    assert tags.attributes("div")[0] == {"class": "metrics", "role": "region", "tabindex": "0", "aria-label": "Metrics"}
    assert [one["scope"] for one in tags.attributes("th")].count("row") == 1


def test_names_of_people_and_files_stay_text_in_tables() -> None:
    table = metric_table_html(
        [head(HOSTILE, HOSTILE)], [Line(HOSTILE, HOSTILE, [Cell(HOSTILE, (HOSTILE,))])], corner=HOSTILE, label=HOSTILE
    )
    listed = instance_list_html([LinkedRow("/saliency?project=1&instance=2", HOSTILE, [HOSTILE])], [HOSTILE], label=HOSTILE)  # fmt: skip
    for html in (table, listed):
        tags = Tags(html)
        assert not tags.attributes("img")
        assert HOSTILE in tags.words
    assert Tags(listed).attributes("a") == [
        {"href": "/saliency?project=1&instance=2", "target": "_blank", "rel": "noopener"}
    ]


def test_a_line_looks_the_same_in_each_panel_and_no_two_look_alike() -> None:
    names = [f"model {number}" for number in range(28)]
    curves = [Curve(name, [0.1, 0.5], [0.2, None]) for name in names]
    figure = curve_panels([Panel("Comp", "share", "drop", curves), Panel("Suff", "share", "drop", curves[::-1])])
    looks = {}
    for trace in figure.data:
        look = (trace.line.color, trace.line.dash, trace.marker.symbol)
        assert looks.setdefault(trace.name, look) == look
    assert len(set(looks.values())) == len(names)
    assert sum(trace.showlegend for trace in figure.data) == len(names)
    assert list(figure.data[0].customdata[1]) == ["model 0", "Comp", 0.5]


def test_bounds_are_drawn_as_distances_from_their_value() -> None:
    figure = curve_panels([Panel("", "layer", "F1", [Curve("m", [0, 1], [0.5, 0.25], [0.25, 0.0], [1.0, 0.5])])])
    bounds = figure.data[0].error_y
    assert (list(bounds.array), list(bounds.arrayminus)) == ([0.5, 0.25], [0.25, 0.25])
    # An upper bound of exactly 0 is a bound.
    bars = grouped_bars([Bar("syntax", "m", -0.5, 4, -1.0, 0.0), Bar("typo", "m", 0.5, 1)], across="kind", up="MAP")
    assert (list(bars.data[0].error_y.array), list(bars.data[0].error_y.arrayminus)) == ([0.5, 0.0], [0.5, 0.0])
    assert grouped_bars([Bar("syntax", "m", 0.5, 4)], across="kind", up="MAP").data[0].error_y.array is None


def test_names_of_many_columns_are_small_enough_to_stand_beside_each_other() -> None:
    few, many = ([Bar(f"0.{n}–0.{n + 1}", "m", 0.5) for n in range(size)] for size in (5, 10))
    sizes = [grouped_bars(bars, across="bin", up="share").layout.xaxis.tickfont.size for bars in (few, many)]
    assert sizes == [None, 10]


def test_bars_tell_names_by_pattern_too_and_lead_back_to_their_kind() -> None:
    bars = [Bar(kind, name, 0.5, 3) for kind in ("syntax", "typo") for name in ("a", "b", HOSTILE)]
    figure = grouped_bars(bars, across="kind", up="MAP")
    assert len({trace.marker.pattern.shape for trace in figure.data}) == 3
    assert [list(point) for point in figure.data[1].customdata] == [["syntax", "b", "3"], ["typo", "b", "3"]]
    assert "<" not in figure.data[2].name


def test_a_value_of_exactly_0_or_1_lies_in_the_middle_of_a_bar() -> None:
    points = [Point(n, f"k{n}", value) for n, value in enumerate((0.0, 0.0, 0.5, 1.0))]
    bars = distribution(points, name="F1").data[0]
    counted = {round(x, 9): y for x, y in zip(bars.x, bars.y, strict=True) if y}
    assert counted == {0.0: 2, 0.5: 1, 1.0: 1}
    # The bounds that a click gives back hold exactly what the bar counts.
    for (_, low, high), n in zip(bars.customdata, bars.y, strict=True):
        assert sum(low <= point.value < high for point in points) == n


@pytest.mark.parametrize(
    "values", [[0.3], [0.3, 0.3], [0.3, 0.1 + 0.2], [-2.0, 5.0], []]
)  # one, equal, all but equal, not in 0 to 1, none
def test_every_instance_is_counted_once(values: list[float]) -> None:
    points = [Point(n, str(n), value, 0.9, n % 2 == 0) for n, value in enumerate(values)]
    figure = distribution(points, name="F1")
    assert sum(figure.data[0].y) == len(values)
    shown = [point for trace in figure.data[1:] for point in trace.customdata]
    assert sorted(int(point[1]) for point in shown) == list(range(len(values)))


def test_right_and_wrong_answers_have_other_marks_and_points_name_their_instance() -> None:
    points = [Point(7, "a", 0.5, 0.9, True), Point(8, HOSTILE, 0.25, 0.6, False), Point(9, "c", 0.1)]
    figure = beside_confidence(points, name="F1")
    assert {trace.name: trace.marker.symbol for trace in figure.data} == {
        "correct prediction": "circle",
        "wrong prediction": "x",
    }
    assert [list(trace.customdata[0]) for trace in figure.data] == [
        ["instance", 7, "0.500", "0.900"], ["instance", 8, "0.250", "0.600"],
    ]  # fmt: skip
    assert "<" not in figure.data[1].text[0]  # Plotly reads tags in texts


def test_right_and_wrong_predictions_and_what_lacks_gold_or_a_prediction_lie_in_lanes_of_their_own() -> None:
    points = [Point(n, str(n), 0.5, 0.9, n % 3 == 0) for n in range(30)]
    points += [Point(30, "b", 0.5, 0.9), Point(31, "c", 0.5, is_predicted=False)]
    figure = distribution(points, name="F1")
    lanes = dict(zip(figure.layout.yaxis2.tickvals, figure.layout.yaxis2.ticktext, strict=True))
    assert set(lanes.values()) == {"correct prediction", "wrong prediction", "no gold", "no prediction"}
    assert {trace.name: trace.text[0] for trace in figure.data[3:]} == {"no gold": "b", "no prediction": "c"}
    for trace in figure.data[1:]:
        assert {lanes[int(height) + 0.5] for height in trace.y} == {trace.name}


def test_of_very_many_instances_the_same_points_are_drawn_each_time() -> None:
    points = [Point(n, str(n), n / 10_000) for n in range(10_000)]
    assert len(drawn(points)) == MOST_POINTS
    assert drawn(points) == drawn(points)
    assert sum(distribution(points, name="F1").data[0].y) == 10_000


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    parts = [int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("ground", ["#ffffff", "#14181d"])  # the pages' grounds in annotator/web/.streamlit/config.toml
@pytest.mark.parametrize("colour", COLOURS)
def test_lines_and_bars_stand_out_from_light_and_dark_pages(colour: str, ground: str) -> None:
    lighter, darker = sorted((luminance(colour), luminance(ground)), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 3  # WCAG 2.2, 1.4.11: graphical objects


def test_the_points_of_a_column_stand_below_each_other_and_an_interval_is_not_broken() -> None:
    texts = ["0.371", "12.3", "–", "1,234"]
    lines = [Line(text, "", [Cell(text, ("+0.020 [−0.010, +0.050]",))]) for text in texts]
    html = metric_table_html([head()], lines, corner="row", label="numbers")
    assert re.findall(r'padding-right: ([^"]*)"', html) == ["2ch", "calc(3ch + .28em)", "calc(3ch + .28em)"]
    assert html.count('<small class="interval">+0.020 [−0.010, +0.050]</small>') == len(texts)


def test_of_a_long_table_the_heads_stand_below_as_well() -> None:
    lines = [Line(str(n), "", [Cell("0.5")]) for n in range(20)]
    assert "<tfoot" in metric_table_html([head()], lines, corner="row", label="numbers")
    assert "<tfoot" not in metric_table_html([head()], lines[:5], corner="row", label="numbers")


def one_of_each() -> list[Any]:
    """A figure of each kind."""
    points = [Point(n, str(n), n / 10, 0.9, n % 2 == 0) for n in range(10)]
    panel = Panel("", "layer", "F1 ↑", [Curve("m", [0, 1], [0.5, -0.0], n=[9, 9])])
    return [
        distribution(points, name="F1 ↑"), beside_confidence(points, name="F1 ↑"), curve_panels([panel]),
        grouped_bars([Bar("typo", "m", 0.5, 4)], across="perturbation type", up="MAP ↑"),
        stacked_bars([Part("round 1", "done", 3, (1,))], {"done": "done"}, title="t", across="round", up="rounds"),
    ]  # fmt: skip


def test_a_number_above_a_slim_part_is_not_cut_and_one_within_that_has_no_room_is_hidden() -> None:
    figure = stacked_bars(
        [Part("1", "a", 99, ()), Part("1", "b", 1, ())], {"a": "A", "b": "B"}, title="", across="", up=""
    )
    assert [bar.cliponaxis for bar in figure.data] == [False, False]
    assert figure.layout.uniformtext.mode == "hide"


def axes_of(figure: Any) -> list[Any]:
    return [figure.layout[name] for name in figure.layout if name.startswith(("xaxis", "yaxis"))]


def test_no_axis_writes_thousands_as_k_or_small_numbers_with_a_prefix() -> None:
    for axis in (axis for figure in one_of_each() for axis in axes_of(figure)):
        assert (axis.exponentformat, axis.minexponent, axis.separatethousands) == ("power", 5, True)


def test_shares_go_from_0_to_1_and_losses_from_0_however_alike_their_values_are() -> None:
    curve = Curve("m", [1, 2], [0.5, 0.5])
    figure = curve_panels([Panel("", "epoch", "", [curve], "0 to 1"), Panel("", "epoch", "", [curve], "from 0")])
    assert (figure.layout.yaxis.range, figure.layout.yaxis2.rangemode) == ((0, 1), "tozero")


def test_every_axis_says_what_it_is() -> None:
    figures = one_of_each()
    for figure in figures:
        axes = axes_of(figure)
        assert all(axis.title.text for axis in axes if axis.matches is None)
        assert not [
            axis for axis in axes if axis.plotly_name.startswith("y") and set(axis.title.text or "") & set("↑↓")
        ]
    assert figures[2].data[0].text == ("0.500, n 9", "0, n 9")


# Charts of work by day, and of people and kinds in rows.

MONDAY = dt.date(2026, 11, 23)


def heights(days: list[DayBar]) -> tuple[list[float], list[str]]:
    """How high the bars of days are, in percent, and the numbers beside them."""
    html = day_chart(days, bar="submitted", line="accepted", up="tasks")
    return (
        [float(height) for height in re.findall(r'style="height:([0-9.]+)%"', html)],
        re.findall(r"<span>([0-9,]+)</span></div>", html),
    )


def test_a_day_without_work_stands_in_the_chart_as_zero() -> None:
    days = [DayBar(MONDAY, 4, 1), DayBar(MONDAY + dt.timedelta(days=1), 0, 0)]
    assert heights(days) == ([100.0, 0.0], ["0", "1", "2", "3", "4"])
    tags = Tags(day_chart(days, bar="submitted", line="accepted", up="tasks"))
    assert [one["title"] for one in tags.attributes("div") if "title" in one] == [
        "Mon 23 Nov 2026: submitted 4, accepted 1",
        "Tue 24 Nov 2026: submitted 0, accepted 0",
    ]


@pytest.mark.parametrize(
    ("n", "numbers"),
    [(0, ["0", "1"]), (1, ["0", "1"]), (6, ["0", "2", "4", "6"]), (401, ["0", "100", "200", "300", "400", "500"])],
)
def test_pieces_of_work_are_counted_in_whole_steps_from_zero(n: int, numbers: list[str]) -> None:
    assert heights([DayBar(MONDAY, n, 0)])[1] == numbers


def test_more_work_accepted_than_submitted_on_a_day_stands_within_the_chart() -> None:
    assert 'style="bottom:100.0%"' in day_chart([DayBar(MONDAY, 1, 4)], bar="", line="", up="")


def test_people_of_one_name_have_a_row_each_and_names_are_text() -> None:
    tags = Tags(row_chart([(HOSTILE, {"x": 1}), (HOSTILE, {"x": 2})], {"x": "<accepted>"}))
    assert [one["title"] for one in tags.attributes("th")] == [HOSTILE] * 2
    bars = [one for one in tags.attributes("i") if "title" in one]
    assert [(bar["style"], bar["title"]) for bar in bars] == [
        ("width:50.00%", f"{HOSTILE}: <accepted> 1"),
        ("width:100.00%", f"{HOSTILE}: <accepted> 2"),
    ]
    assert not tags.attributes("img")


def test_a_kind_that_nobody_has_takes_no_room_in_the_legend_and_states_differ_by_more_than_colour() -> None:
    states = {"complete": "complete", "returned": "returned", "queued": "to annotate"}
    chart = row_chart([("ada", {"complete": 10, "returned": 2, "queued": 0})], states)
    assert Tags(chart).words == ["ada", "10", "2", "12", "complete", "returned"]
    of_few = row_chart([("ada", {"complete": 1000}), ("bo", {"complete": 3})], states)
    assert Tags(of_few).words == ["ada", "1,000", "bo", "3", "complete"], "beside a bar that has no room for its number"
    looks = re.findall(r"\.work \.k\d { background: (.*?)#", WORK_STYLE)
    assert len(set(looks)) == len(looks) == 5


# Plotly and pandas in a server whose threads need both for the first time at once.

_AT_ONCE = """
import sys, threading
from annotator.figures.bars import Part, stacked_bars

def table():
    import pandas

def chart():
    stacked_bars([Part("a", "k", 1, ())], {"k": "K"}, title="", across="", up="")

failures = []
threading.excepthook = lambda failure: failures.append(failure.exc_value)
threads = [threading.Thread(target=of_page) for of_page in (table, chart) * 4]
sys.setswitchinterval(1e-6)
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not failures, failures
"""


def test_pages_that_need_tables_and_charts_for_the_first_time_at_once_all_get_them() -> None:
    process = subprocess.run([sys.executable, "-c", _AT_ONCE], capture_output=True, text=True, check=False, timeout=120)
    assert process.returncode == 0, process.stderr
