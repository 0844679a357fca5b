"""Marking with the mouse: what is on the screen and what reaches the server."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, project, work

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]


def english(*sets: list[list[int]], **changes: Any) -> Fake:
    return Fake(
        [work(1, samples.english(), draft=samples.draft(*sets)), work(2, samples.short("second"))], project(**changes)
    )


def test_a_drag_over_tokens_adds_them_to_the_current_set(panel: Open) -> None:
    shown = panel(english())
    shown.drag(15, 17)
    assert shown.sets() == [[[15, 18]]]
    assert shown.counts() == ["3"]
    assert shown.marks() == {"current-0": ["the lamb was"]}


def test_a_drag_backwards_adds_the_same_tokens(panel: Open) -> None:
    shown = panel(english())
    shown.drag(17, 15)
    assert shown.sets() == [[[15, 18]]]


def test_the_selection_is_shown_snapped_to_tokens_during_the_drag(panel: Open) -> None:
    shown = panel(english())
    x, y = shown.at(15, side=0.6)
    to_x, to_y = shown.at(17, side=0.4)
    shown.page.mouse.move(x, y)
    shown.page.mouse.down()
    shown.page.mouse.move(to_x, to_y, steps=4)
    assert shown.marks()["add-0"] == ["the lamb was"]
    assert shown.fake.named("draft") == []
    shown.page.mouse.up()
    assert "add-0" not in shown.marks()
    assert shown.sets() == [[[15, 18]]]


def test_escape_gives_a_drag_up(panel: Open) -> None:
    shown = panel(english())
    shown.drag(15, 17, release=False)
    shown.keys("Escape")
    shown.page.mouse.up()
    assert shown.marks() == {"current-0": []}


def test_a_click_marks_a_token_and_a_second_one_unmarks_it(panel: Open) -> None:
    shown = panel(english())
    shown.click(16)
    assert shown.sets() == [[[16, 17]]]
    shown.page.wait_for_timeout(450)  # two clicks within 400 ms are a double click
    shown.click(16)
    assert shown.sets() == [[]]


def test_neighbouring_clicks_make_one_span(panel: Open) -> None:
    shown = panel(english())
    for token in (16, 18, 17):
        shown.click(token)
    assert shown.sets() == [[[16, 19]]]


def test_shift_click_extends_from_the_last_token(panel: Open) -> None:
    shown = panel(english())
    shown.click(14)
    x, y = shown.at(18)
    shown.page.keyboard.down("Shift")
    shown.page.mouse.click(x, y)
    shown.page.keyboard.up("Shift")
    assert shown.sets() == [[[14, 19]]]


def test_a_double_click_takes_the_sentence_in_one_step(panel: Open) -> None:
    shown = panel(english())
    shown.page.mouse.dblclick(*shown.at(16))
    assert shown.sets() == [[[14, 38]]]
    shown.keys("Control+z")
    assert shown.sets() == []
    assert shown.page.locator(".bar button[aria-label=Undo]").is_disabled()


def test_a_drag_with_alt_removes(panel: Open) -> None:
    shown = panel(english([[10, 20]]))
    shown.page.keyboard.down("Alt")
    shown.drag(13, 15)
    shown.page.keyboard.up("Alt")
    assert shown.sets() == [[[10, 13], [16, 20]]]


def test_in_the_erase_mode_clicks_and_drags_remove(panel: Open) -> None:
    shown = panel(english([[10, 20]]))
    shown.page.get_by_role("button", name="Erase").click()
    shown.drag(10, 12)
    shown.click(18)
    shown.click(25)
    assert shown.sets() == [[[13, 18], [19, 20]]]


def test_a_click_in_the_empty_space_right_of_a_line_does_nothing(panel: Open) -> None:
    shown = panel(english())
    left, top, width, height = shown.box(44)
    shown.page.mouse.click(left + width + 120, top + height / 2)
    shown.page.mouse.click(left + width + 120, top + height + 8)
    assert shown.marks() == {"current-0": []}


def test_a_drag_from_the_empty_space_takes_only_the_tokens_it_passes(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.short("third", "One two three.\nFour five six."))]))
    left, top, width, height = shown.box(3)
    x, y = shown.at(5)
    shown.page.mouse.move(left + width + 200, top + height / 2)
    shown.page.mouse.down()
    shown.page.mouse.move(x, y, steps=3)
    shown.page.mouse.up()
    assert shown.sets() == [[[4, 6]]]


def test_an_overlap_stays_visible_for_every_set(panel: Open) -> None:
    shown = panel(english([[13, 17]], [[15, 20]]))
    shown.keys("n")
    shown.drag(16, 18)
    assert shown.marks() == {
        "other-0": [". But the lamb"],
        "other-1": ["the lamb was tender,"],
        "current-2": ["lamb was tender"],
    }
    assert "A ∩ B: 2 tokens · A ∩ C: 1 token · B ∩ C: 3 tokens" in shown.text(".overlaps")


def test_the_text_never_moves_while_one_marks(panel: Open) -> None:
    shown = panel(english())
    before = [shown.box(token) for token in (0, 20, 44)]
    shown.drag(2, 30)
    shown.keys("n")
    shown.drag(10, 40)
    shown.keys("o", "x", "x", "1", "e")
    shown.page.get_by_role("radio", name="Set B").hover()
    assert [shown.box(token) for token in (0, 20, 44)] == before


def test_hovering_a_set_dims_the_others(panel: Open) -> None:
    shown = panel(english([[1, 3]], [[2, 5]], [[7, 8]]))
    shown.page.get_by_role("radio", name="Set B").hover()
    assert set(shown.marks()) == {"dim-0", "current-1", "dim-2"}
    shown.page.mouse.move(5, 600)
    assert set(shown.marks()) == {"current-0", "other-1", "other-2"}


def test_only_this_set_and_everything_but_the_sets(panel: Open) -> None:
    shown = panel(english([[1, 3]], [[2, 5]]))
    shown.keys("o")
    assert set(shown.marks()) == {"alone-0", "away-1"}
    shown.keys("x")
    assert set(shown.marks()) == {"hidden-0", "hidden-1"}
    shown.keys("x")
    assert set(shown.marks()) == {"current-0", "other-1"}


def test_a_set_may_cross_segments(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.pair())]))
    shown.drag(7, 1, segment=0, to_segment=1)
    assert shown.sets() == [[[7, 11], [11, 13]]]
    assert "Sentence 1 0.36 · Sentence 2 0.29" in shown.text("tfoot")


def test_where_sets_stay_in_one_segment_a_drag_ends_at_its_border(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.pair())], project(sets_may_cross_segments=False)))
    shown.drag(7, 1, segment=0, to_segment=1)
    shown.click(2, segment=1)
    assert shown.sets() == [[[7, 11]]]
    assert "Sentence 1" in shown.text(".hint")


def test_the_question_stands_above_the_passage_and_cannot_be_marked(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.reading())]))
    names = shown.page.locator(".segment").evaluate_all("(all) => all.map((one) => one.dataset.name)")
    assert names == ["question", "title", "passage"]
    shown.click(2, segment=2)
    shown.drag(0, 1, segment=1, to_segment=0)
    n_passage = len(samples.reading()["segments"][0]["starts"])
    assert shown.sets() == [[[0, 2], [n_passage, n_passage + 5]]]


def test_the_target_is_boxed_and_cannot_be_marked(panel: Open) -> None:
    shown = panel(Fake([work(1, {**samples.english(), "target": [15, 17]})]))
    assert shown.text(".target") == "the lamb"
    shown.drag(13, 19)
    assert shown.sets() == [[[13, 15], [17, 20]]]
    assert "5 / 45" in shown.text("tfoot")


def test_a_drag_to_the_lower_edge_scrolls_the_text_along(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.many(3000))]))
    x, y = shown.at(20)
    shown.page.mouse.move(x, y)
    shown.page.mouse.down()
    shown.page.mouse.move(x, 400)
    shown.page.mouse.move(x, 715)
    shown.page.wait_for_function("document.getElementById('scroller').scrollTop > 400")
    shown.page.mouse.move(x, 400)
    shown.page.mouse.up()
    [[start, end]] = shown.sets()[0]
    assert start == 20
    assert end > 150


def test_the_bar_stays_in_view_in_a_long_text(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.many(3000))]))
    shown.page.evaluate("document.getElementById('scroller').scrollTop = 5000")
    box = shown.page.locator(".bar").bounding_box()
    assert box
    assert box["y"] == 0


def test_touching_spans_of_the_server_stay_two_until_they_are_changed(panel: Open) -> None:
    shown = panel(english([[3, 5], [5, 8]]))
    shown.click(20)
    assert shown.sets() == [[[3, 5], [5, 8], [20, 21]]]


def test_chinese_marks_characters_and_emoji_stay_whole(panel: Open) -> None:
    segment = {
        **samples.segment("服务很好👨‍👩‍👧，好OK", cjk=True),
        "starts": [0, 1, 2, 3, 4, 12, 13, 14],
        "ends": [1, 2, 3, 4, 12, 13, 14, 16],
    }
    shown = panel(Fake([work(1, samples.instance("zh", segment, language="zh"))]))
    shown.drag(2, 4)
    assert shown.sets() == [[[2, 5]]]
    assert shown.marks()["current-0"] == ["很好👨‍👩‍👧"]


def test_touch_taps_mark_and_the_finger_may_still_scroll(panel: Open) -> None:
    shown = panel(english())
    x, y = shown.at(16)
    shown.page.evaluate(
        """([x, y]) => { const text = shadow.querySelector('.text');
        const how = { clientX: x, clientY: y, pointerType: 'touch', pointerId: 1, isPrimary: true, bubbles: true };
        text.setPointerCapture = () => {}; text.hasPointerCapture = () => false;
        text.dispatchEvent(new PointerEvent('pointerdown', how)); text.dispatchEvent(new PointerEvent('pointerup', how)); }""",
        [x, y],
    )
    assert shown.sets() == [[[16, 17]]]
    assert shown.page.locator(".text").evaluate("(text) => getComputedStyle(text).touchAction") == "pan-y"


def test_pressing_on_what_is_only_to_be_read_marks_nothing_below_it(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.reading())]))
    words = shown.page.locator(".segment.quiet .segment-text").first
    box = words.bounding_box()
    assert box is not None
    for share in (0.1, 0.4):
        shown.page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] / 2)
        shown.page.mouse.click(box["x"] + share * box["width"], box["y"] + box["height"] + 6)
    assert shown.counts() == ["0"]
