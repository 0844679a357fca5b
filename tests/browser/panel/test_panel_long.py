"""Long texts: the question stays in sight, one finds the marks again, and a map shows where they lie."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.panel import review_harness, samples
from tests.browser.panel.harness import Fake, PanelPage, project, work
from tests.browser.panel.review_harness import ReviewFake, ReviewPage

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]
CLAIM = "Does the evening train still cross the narrow bridge when the river carries the ice down from the hills, and who hums?"


def long(*sets: list[list[int]], tokens: int = 5000, claim: str | None = CLAIM, **changes: Any) -> Fake:
    segment = samples.many(tokens)["segments"][0]
    asked = [] if claim is None else [samples.segment(claim, "query", "Query", selectable=False)]
    return Fake([work(1, samples.instance("long", segment, *asked), draft=samples.draft(*sets))], project(**changes))


def scroll(shown: PanelPage, pixels: int) -> None:
    """To a place of the page, and until what follows from it has been drawn."""
    shown.page.evaluate(
        """(pixels) => { document.getElementById('scroller').scrollTop = pixels;
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))); }""",
        pixels,
    )


def top(shown: PanelPage) -> float:
    return float(shown.page.evaluate("document.getElementById('scroller').scrollTop"))


# Whether a token lies in the part of the window where text can be read.
IN_SIGHT = """(token) => { const source = instances[shownKey()].segments[0]; let start = source.starts[token];
    const walker = document.createTreeWalker(shadow.querySelector('.segment-text[data-segment="0"]'), NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (start < node.length) {
        const range = document.createRange(); range.setStart(node, start); range.setEnd(node, start + 1);
        const box = range.getBoundingClientRect(), asked = shadow.querySelector('.asked-line:not([hidden])');
        const upper = (asked ?? shadow.querySelector('.bar')).getBoundingClientRect().bottom;
        return box.top >= upper && box.bottom <= innerHeight;
      }
      start -= node.length;
    } }"""


def in_sight(shown: PanelPage, token: int) -> bool:
    return bool(shown.page.evaluate(IN_SIGHT, token))


def arrives(shown: PanelPage, *tokens: int) -> None:
    """Waits until a jump has brought one of these tokens into sight."""
    shown.page.wait_for_function(f"(tokens) => tokens.some({IN_SIGHT})", arg=list(tokens))


def test_the_claim_comes_into_one_line_when_it_has_scrolled_away(panel: Open) -> None:
    shown = panel(long())
    asked = shown.page.locator(".asked-line")
    expect(asked).to_be_hidden()
    bar = shown.page.locator(".bar").bounding_box()
    scroll(shown, 1500)
    expect(asked).to_be_visible()
    assert asked.inner_text().startswith("Query")
    assert CLAIM in (asked.locator(".asked-words").text_content() or "")
    box, here = asked.bounding_box(), shown.page.locator(".bar").bounding_box()
    assert box
    assert bar
    assert here
    assert box["height"] < 36
    assert here["height"] == bar["height"]
    scroll(shown, 0)
    expect(asked).to_be_hidden()


def test_the_claim_unfolds_by_key_and_by_click_without_moving_the_text(panel: Open) -> None:
    shown = panel(long())
    scroll(shown, 1500)
    asked = shown.page.locator(".asked-line")
    folded, before = asked.bounding_box(), top(shown)
    shown.keys("f")
    unfolded = asked.bounding_box()
    assert folded
    assert unfolded
    assert unfolded["height"] > folded["height"] + 15
    assert "Which tokens support “positive”?" in asked.inner_text()
    assert top(shown) == before
    asked.click()
    assert asked.bounding_box() == folded


def test_where_nothing_is_asked_in_the_text_the_projects_question_stays(panel: Open) -> None:
    shown = panel(long(claim=None, result_mode="contest"))
    scroll(shown, 1500)
    expect(shown.page.locator(".asked-line")).to_contain_text("Which tokens support “positive”?")
    shown.keys("l")
    expect(shown.page.locator(".asked-line")).to_contain_text("Which tokens support “negative”?")


def test_in_a_short_text_no_line_is_taken_from_it(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.reading())]))
    scroll(shown, 40)
    expect(shown.page.locator(".asked-line")).to_be_hidden()


def test_a_reviewer_keeps_the_claim_in_sight_too(review: Callable[..., ReviewPage]) -> None:
    fake = long()
    shown = review(ReviewFake([review_harness.review(1, fake.works[0]["instance"], [[4, 6]])]))
    scroll(shown, 1500)
    expect(shown.page.locator(".asked-line")).to_be_visible()
    shown.keys("f")
    assert CLAIM in shown.text(".asked-line")


def test_brackets_go_to_the_next_mark_and_to_the_one_before_across_all_sets(panel: Open) -> None:
    shown = panel(long([[3, 5], [4200, 4210]], [[2000, 2004]]))
    said = shown.page.locator(".live")
    for token, words in ((3, "mark 1 of 3"), (2000, "mark 2 of 3"), (4200, "mark 3 of 3"), (3, "mark 1 of 3")):
        shown.keys("]")
        arrives(shown, token)
        assert words in said.inner_text()
    shown.keys("[")
    arrives(shown, 4200)
    shown.keys("[")
    arrives(shown, 2000)
    assert said.inner_text().startswith("set B, 4 words: “")


def test_the_next_mark_is_looked_for_from_where_one_reads(panel: Open) -> None:
    shown = panel(long([[3, 5]], [[2000, 2004]], [[4200, 4210]]))
    scroll(shown, 3000)
    shown.keys("]")
    arrives(shown, 2000)


def test_with_one_set_alone_the_brackets_stay_within_it(panel: Open) -> None:
    shown = panel(long([[3, 5]], [[2000, 2004]], [[4200, 4210]]))
    shown.keys("3", "o", "]")
    arrives(shown, 4200)


@pytest.mark.parametrize(
    "pressed",
    [
        {"key": "]", "code": "Digit9", "ctrlKey": True, "altKey": True},  # AltGr as Windows reports it
        {"key": "د", "code": "BracketRight"},  # an Arabic layout
    ],
)
def test_brackets_are_found_on_keyboards_that_write_them_otherwise(panel: Open, pressed: dict[str, Any]) -> None:
    shown = panel(long([[2000, 2004]]))
    shown.page.evaluate(
        """(pressed) => shadow.querySelector('.text').dispatchEvent(
        new KeyboardEvent('keydown', { ...pressed, bubbles: true, composed: true, cancelable: true }))""",
        pressed,
    )
    arrives(shown, 2000)


def test_a_click_on_a_set_chooses_it_and_goes_to_its_place_and_another_click_goes_back(panel: Open) -> None:
    shown = panel(long([[3, 5]], [[4200, 4210]]))
    scroll(shown, 6000)
    chip = shown.page.get_by_role("radio", name="Set B")
    chip.click()
    arrives(shown, 4200)
    expect(chip).to_have_attribute("aria-checked", "true")
    chip.click()
    assert abs(top(shown) - 6000) < 3
    expect(chip).to_have_attribute("aria-checked", "true")


def test_a_set_in_sight_and_a_key_leave_the_text_where_it_is(panel: Open) -> None:
    shown = panel(long([[3, 5]], [[4200, 4210]]))
    shown.page.get_by_role("radio", name="Set A").click()
    shown.keys("2")
    assert top(shown) == 0


def test_b_goes_back_to_where_one_was_reading(panel: Open) -> None:
    shown = panel(long([[4200, 4210], [4900, 4902]]))
    scroll(shown, 3000)
    shown.keys("]")
    arrives(shown, 4200)
    shown.keys("]")
    arrives(shown, 4900)
    shown.keys("b")
    assert abs(top(shown) - 3000) < 3


# How many pixels of a colour the map has, and how far down their middle lies (0 to 1).
_DRAWN = """(hex) => {
  const canvas = shadow.querySelector('.map-marks'), { width, height } = canvas;
  if (!width || shadow.querySelector('.map-track').hidden) return [0, 0];
  const wanted = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const data = canvas.getContext('2d').getImageData(0, 0, width, height).data;
  let count = 0, sum = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (wanted.every((part, place) => Math.abs(part - data[at + place]) < 3) && data[at + 3] === 255) {
      count += 1; sum += Math.floor(at / 4 / width);
    }
  }
  return [count, count ? sum / count / height : 0];
}"""
BLUE, ORANGE = "#1A5FE0", "#C84B00"


def drawn(shown: PanelPage, color: str) -> float:
    """Where in the map a set's marks lie, once they are drawn."""
    shown.page.wait_for_function(f"(hex) => ({_DRAWN})(hex)[0] > 0", arg=color)
    return float(shown.page.evaluate(_DRAWN, color)[1])


@pytest.mark.parametrize("tokens", [5_000, 50_000])
def test_the_map_shows_where_each_set_lies_in_its_colour(panel: Open, tokens: int) -> None:
    half, end = tokens // 2, tokens - 20
    shown = panel(long([[half, half + 5]], [[end, end + 5]], tokens=tokens))
    assert abs(drawn(shown, BLUE) - 0.5) < 0.02
    assert drawn(shown, ORANGE) > 0.97


def test_a_new_mark_comes_into_the_map_and_goes_with_undo(panel: Open) -> None:
    shown = panel(long())
    shown.click(3)
    assert drawn(shown, BLUE) < 0.05
    shown.keys("Control+z")
    shown.page.wait_for_function(f"(hex) => ({_DRAWN})(hex)[0] === 0", arg=BLUE)


def test_a_click_on_the_map_goes_to_the_mark_there_and_elsewhere_to_that_part_of_the_text(panel: Open) -> None:
    shown = panel(long([[2500, 2503]]))
    for place, tokens in ((drawn(shown, BLUE), [2500]), (0.9, range(4400, 4600, 50))):
        box = shown.page.locator(".map").bounding_box()
        assert box
        shown.page.mouse.click(box["x"] + 5, box["y"] + box["height"] * place)
        arrives(shown, *tokens)


def test_a_short_text_has_no_map(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.english(), draft=samples.draft([[1, 3]]))]))
    shown.page.evaluate("new Promise((done) => requestIdleCallback(() => setTimeout(done, 50)))")
    expect(shown.page.locator(".map-track")).to_be_hidden()


def test_a_short_text_far_down_on_a_page_has_no_map_either(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.english(), draft=samples.draft([[1, 3]]))]))
    shown.page.evaluate("shadow.host.style.cssText = 'display: block; margin-top: 640px; width: 900px'")
    shown.page.evaluate("new Promise((done) => setTimeout(done, 500))")
    expect(shown.page.locator(".map-track")).to_be_hidden()


def test_the_map_takes_nothing_from_the_text_and_moves_nothing_when_it_comes(panel: Open) -> None:
    shown = panel(long([[3, 5]]))
    before = shown.page.locator(".segment-text").last.bounding_box()
    drawn(shown, BLUE)
    assert shown.page.locator(".segment-text").last.bounding_box() == before


def test_t_keeps_the_table_of_sets_in_sight_and_lets_it_go(panel: Open) -> None:
    shown = panel(long([[3, 5]]))
    scroll(shown, 1500)
    table = shown.page.locator(".numbers")
    expect(table).not_to_be_in_viewport()
    shown.keys("t")
    expect(table).to_be_in_viewport(ratio=1)
    assert top(shown) == 1500
    expect(shown.page.get_by_role("button", name="Table")).to_have_attribute("aria-pressed", "true")
    shown.keys("Escape")
    expect(table).not_to_be_in_viewport()


def test_the_cursor_stays_above_the_table_that_is_kept_in_sight(panel: Open) -> None:
    shown = panel(long([[3, 5]]))
    shown.keys("t", "ArrowRight", *["ArrowDown"] * 25)
    cursor, table = shown.page.locator(".cursor-box").first.bounding_box(), shown.page.locator(".aside").bounding_box()
    assert cursor
    assert table
    assert cursor["y"] + cursor["height"] <= table["y"]
