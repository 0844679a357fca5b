"""The drawing of a report: the colours and words of the Saliency screen, and charts whose marks stand where their numbers say."""

import re

import pytest

from annotator.figures.curves import Curve, Panel
from annotator.figures.instance_html import OPPOSES, STRONGEST, SUPPORTS, WEIGHT
from annotator.figures.report.drawings import Interval, bar_chart, interval_chart, line_charts
from annotator.figures.report.heat import CutText, Painting, meaning_in_head, meaning_in_legend, painted
from tests.conftest import REPOSITORY

PANEL = REPOSITORY / "annotator" / "web" / "panel"
SHEET = (PANEL.parents[1] / "figures" / "report" / "page.css").read_text(encoding="utf-8")


def colours(text: str) -> list[str]:
    return [colour.lower() for colour in re.findall(r"#[0-9a-fA-F]{6}", text)]


@pytest.mark.parametrize(("theme", "place"), [("LIGHT", 0), ("DARK", 1)])
def test_gold_sets_have_the_colours_of_the_panel(theme: str, place: int) -> None:
    palette = (PANEL / "shared" / "set_styles.js").read_text(encoding="utf-8")
    [of_panel] = re.findall(rf"const {theme} = \[(.*?)\]", palette)
    of_report = [re.findall(rf"--set{number}: (#\w+)", SHEET)[place].lower() for number in range(9)]
    assert of_report == colours(of_panel)


@pytest.mark.parametrize(("name", "kind"), [("supports", "supports"), ("opposes", "opposes"), ("weight", "weight")])
def test_heat_has_the_colours_of_the_saliency_screen_in_both_themes(name: str, kind: str) -> None:
    of_panel = re.findall(rf"--heat-{kind}: (#\w+)", (PANEL / "saliency" / "saliency.css").read_text(encoding="utf-8"))
    assert re.findall(rf"--{name}: (#\w+)", SHEET) == of_panel


def test_what_scores_mean_is_said_in_the_words_of_the_saliency_screen() -> None:
    words = (PANEL / "saliency" / "heat_scale.js").read_text(encoding="utf-8")
    for said in (
        meaning_in_head("", is_signed=False), meaning_in_legend("", is_signed=False), meaning_in_head("", is_signed=True),
        meaning_in_legend("", is_signed=True).removeprefix("− opposes, + supports "),
        meaning_in_legend("x", is_signed=False).removeprefix("weight for “x”, "),
        meaning_in_head("x", is_signed=False).removeprefix("weight for “x”, "),
    ):  # fmt: skip
        assert said in words


def test_a_word_has_the_look_of_its_score_its_sets_and_the_top_k() -> None:
    text = CutText("text", 0, True, ("a", "b", "c", "d"), ("", " ", " ", " "), ".")
    painting = Painting((0.5, -0.25, 0.0, float("nan")), True, 0.5, frozenset({0}), ((0, 1), (1,)))
    [segment] = painted([text], painting)
    assert [word.look for word in segment.words] == ["s10 g0 top", "o5 g0-1", "", "unseen"]
    assert segment.name == ""  # one segment needs no name


def test_intervals_stand_in_the_order_of_their_numbers_and_zero_is_drawn_where_both_sides_are_met() -> None:
    chart = interval_chart(
        "t", "", [Interval("a", 0.2, 0.1, 0.4), Interval("b", -0.1), Interval("r", 0.0, is_baseline=True)]
    )
    a, b, r = chart.rows
    assert b.at < r.at < (a.low or 0) < a.at < (a.high or 0)
    assert chart.zero == chart.baseline == r.at
    assert interval_chart("t", "", [Interval("a", 0.2), Interval("b", 0.4)]).zero is None
    assert [tick.words for tick in chart.ticks] == ["−0.1", "0", "0.1", "0.2", "0.3", "0.4"]


def test_the_longest_bar_is_as_wide_as_the_chart_and_no_bars_are_no_error() -> None:
    chart = bar_chart("t", "", "x", ("won", "lost"), [("bin", (0.5, 0.25), "")])
    assert [width for _, width in chart.rows[0].bars] == [400.0, 200.0]
    assert bar_chart("t", "", "x", ("won",), [("bin", (0.0,), "")]).rows[0].bars == [("won", 0.0)]


def test_lines_leave_out_what_is_not_there_and_look_the_same_in_each_chart() -> None:
    first = Panel("p", "x", "y", [Curve("a", [0, 1], [0.0, None]), Curve("b", [0, 1], [1.0, 0.5])])
    second = Panel("q", "x", "y", [Curve("b", [0, 1], [1.0, 0.5])])
    one, two = line_charts([first, second, Panel("empty", "x", "y", [])])
    assert len(one.lines[0].places) == 1
    assert (one.lines[1].colour, one.lines[1].mark) == (two.lines[0].colour, two.lines[0].mark)


# An instance in a notebook: its own text colour can be read on every shade, on light and on dark ground.

Colour = tuple[float, float, float]


def luminance(colour: Colour) -> float:
    """WCAG 2, relative luminance."""
    parts = [of / 255 for of in colour]
    red, green, blue = (of / 12.92 if of <= 0.04045 else ((of + 0.055) / 1.055) ** 2.4 for of in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(
    ("ground", "text"),
    [((255, 255, 255), (33, 33, 33)), ((17, 17, 17), (224, 224, 224)), ((30, 30, 30), (204, 204, 204))],
)
@pytest.mark.parametrize("hue", [SUPPORTS, OPPOSES, WEIGHT])
def test_text_on_the_strongest_shade_has_the_contrast_that_reading_needs(
    hue: Colour, ground: Colour, text: Colour
) -> None:
    shade = tuple(STRONGEST * of + (1 - STRONGEST) * under for of, under in zip(hue, ground, strict=True))
    lighter, darker = sorted((luminance(shade), luminance(text)), reverse=True)
    assert (lighter + 0.05) / (darker + 0.05) >= 4.5
