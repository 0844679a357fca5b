"""Marking with the mouse, and everything by the keyboard alone: what is on the screen and what reaches the server."""

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


# The panel by the keyboard alone.


def spoken(shown: PanelPage) -> str:
    return shown.page.locator(".live").inner_text()


def test_the_text_has_the_focus_at_once_and_arrows_move_a_cursor_that_is_spoken(panel: Open) -> None:
    shown = panel(english([[1, 2]]))
    shown.keys("ArrowRight", "ArrowRight")
    assert spoken(shown) == "soup, in set A"
    assert shown.page.locator(".cursor-box").count() == 1
    shown.keys("ArrowLeft")
    assert spoken(shown) == "The"


def test_up_and_down_move_by_a_line_and_keep_the_column(panel: Open) -> None:
    shown = panel(english())
    shown.keys("ArrowRight", *["ArrowRight"] * 6)
    x, y = shown.at(6)
    shown.keys("ArrowDown")
    box = shown.page.locator(".cursor-box").bounding_box()
    assert box
    assert box["y"] > y
    assert box["x"] - 60 < x < box["x"] + box["width"] + 60
    shown.keys("ArrowUp")
    assert spoken(shown) == "for"


def test_home_and_end_go_to_the_ends_of_the_line_and_with_control_of_the_text(panel: Open) -> None:
    shown = panel(english())
    shown.keys("Control+End")
    assert spoken(shown) == "."
    shown.keys("Home")
    first = spoken(shown)
    shown.keys("ArrowUp", "End", "ArrowRight")
    assert spoken(shown) == first
    shown.keys("Control+Home")
    assert spoken(shown) == "The"
    shown.keys("End")
    last_of_line = spoken(shown)
    shown.open()
    shown.keys("End")  # the first key on a text that has no cursor yet
    assert spoken(shown) == last_of_line


def test_space_marks_and_unmarks_the_token_under_the_cursor(panel: Open) -> None:
    shown = panel(english())
    shown.keys("ArrowRight", "ArrowRight", "Space")
    assert shown.sets() == [[[1, 2]]]
    assert spoken(shown) == "1 token added to set A: “soup”"
    shown.keys("Enter")
    assert shown.sets() == [[]]


def test_shift_and_arrows_make_a_range_that_space_marks(panel: Open) -> None:
    shown = panel(english())
    shown.keys("ArrowRight", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight")
    assert shown.marks()["range"] == ["soup arrived lukewarm"]
    shown.keys("Space")
    assert shown.sets() == [[[1, 4]]]
    assert "range" not in shown.marks()


def test_digits_choose_a_set_and_n_makes_a_new_one(panel: Open) -> None:
    shown = panel(english([[1, 3]], [[5, 6]]))
    shown.keys("2", "ArrowRight", "Space", "n", "ArrowRight", "Space", "1", "ArrowRight", "Space")
    assert shown.sets() == [[[1, 2]], [[0, 1], [5, 6]], [[1, 2]]]
    assert shown.page.locator(".chip").count() == 3


def test_n_on_an_empty_set_does_not_pile_up_empty_sets(panel: Open) -> None:
    shown = panel(english([[1, 3]]))
    shown.keys("n", "n", "n")
    assert shown.page.locator(".chip").count() == 2


def test_delete_clears_a_set_and_removes_an_empty_one(panel: Open) -> None:
    shown = panel(english([[1, 3]], [[5, 6]]))
    shown.keys("2", "Delete")
    assert shown.sets() == [[[1, 3]], []]
    shown.keys("Delete")
    assert shown.sets() == [[[1, 3]]]
    assert shown.page.locator(".chip").count() == 1


def test_undo_and_redo_go_all_the_way_without_limit(panel: Open) -> None:
    shown = panel(english())
    shown.keys("ArrowRight", *["Space", "ArrowRight", "ArrowRight"] * 20)
    marked = shown.sets()
    assert len(marked[0]) == 20
    shown.keys(*["Control+z"] * 20)
    assert shown.sets() == []
    shown.keys(*["Control+Shift+Z"] * 20)
    assert shown.sets() == marked


def test_in_right_to_left_text_the_left_arrow_goes_forward(panel: Open) -> None:
    arabic = samples.instance("ar", samples.segment(samples.ARABIC), language="ar", direction="rtl")
    shown = panel(Fake([work(1, arabic)]))
    shown.keys("ArrowLeft", "ArrowLeft", "Shift+ArrowLeft", "Space")
    assert shown.sets() == [[[1, 3]]]


def test_r_and_c_do_not_reach_the_page(panel: Open) -> None:
    shown = panel(english())
    shown.keys("r", "c", "ArrowRight", "n")
    shown.page.locator("textarea").click()
    shown.keys("r", "c")
    assert shown.page.evaluate("window.leaked ?? []") == []


def test_keys_typed_into_the_note_are_text(panel: Open) -> None:
    shown = panel(english())
    shown.page.locator("textarea").click()
    shown.page.keyboard.type("n 12 does")
    assert shown.saved()["note"] == "n 12 does"
    assert shown.page.locator(".chip").count() == 1
    shown.keys("Escape", "ArrowRight", "Space")
    assert shown.sets() == [[[0, 1]]]


def test_keys_work_after_a_click_anywhere_in_the_panel(panel: Open) -> None:
    shown = panel(english())
    shown.page.locator(".numbers th").first.click()
    shown.keys("ArrowRight", "Space")
    assert shown.sets() == [[[0, 1]]]


def test_keys_work_when_nothing_has_the_focus(panel: Open) -> None:
    shown = panel(english())
    shown.page.evaluate("shadow.activeElement.blur()")
    shown.keys("ArrowRight", "Space")
    assert shown.sets() == [[[0, 1]]]


def test_control_and_enter_submits_from_anywhere(panel: Open) -> None:
    shown = panel(english([[1, 2]]))
    shown.page.locator("textarea").click()
    shown.keys("Control+Enter")
    shown.shown("second")
    shown.fake.wait_for_state(1, "submitted")


def test_enter_on_the_bar_submits(panel: Open) -> None:
    shown = panel(english([[1, 2]], [[3, 4]]))
    shown.page.get_by_role("radio", name="Set B").click()
    shown.keys("Enter")
    shown.shown("second")


def test_enter_on_a_button_of_the_bar_presses_it(panel: Open) -> None:
    shown = panel(english([[1, 2]]))
    shown.page.get_by_role("button", name="Erase").focus()
    shown.keys("Enter")
    assert shown.page.get_by_role("button", name="Erase").get_attribute("aria-pressed") == "true"
    assert shown.key == "sentiment-en-05"


def test_l_goes_through_the_labels(panel: Open) -> None:
    shown = panel(english(result_mode="give"))
    shown.keys("l")
    assert shown.saved()["result"] == "negative"
    shown.keys("l")
    assert shown.saved()["result"] == "positive"
    shown.keys("Shift+L")
    assert shown.saved()["result"] == "negative"
    assert "negative" in shown.text(".question")


def test_l_leads_to_the_answer_and_enter_there_submits(panel: Open) -> None:
    fake = english([[1, 2]], result_kind="answer", result_mode="give")
    shown = panel(fake)
    shown.keys("l")
    shown.page.keyboard.type("n1 lamb")
    assert shown.saved()["result"] == "n1 lamb"
    shown.keys("Enter")
    shown.shown("second")
    fake.wait_for_state(1, "submitted")
    assert fake.find(1)["draft"]["result"] == "n1 lamb"


def test_digits_choose_the_label_where_only_labels_are_given(panel: Open) -> None:
    shown = panel(english(result_mode="labels_only", labels=["negative", "neutral", "positive"]))
    shown.keys("2")
    assert shown.saved()["result"] == "neutral"
    assert shown.page.locator(".chip").count() == 0
    shown.drag(1, 4)
    assert shown.sets() == []
    shown.keys("Control+Enter")
    shown.shown("second")


def test_a_keyboard_layout_without_latin_letters_works(panel: Open) -> None:
    shown = panel(english([[1, 2]]))
    shown.page.evaluate(
        """() => shadow.querySelector('.text').dispatchEvent(
        new KeyboardEvent('keydown', { key: 'ى', code: 'KeyN', bubbles: true, composed: true }))"""
    )
    assert shown.page.locator(".chip").count() == 2


def test_the_list_of_keys_opens_traps_the_focus_and_closes_with_escape(panel: Open) -> None:
    shown = panel(english())
    shown.keys("?")
    assert shown.page.locator("dialog h2").inner_text() == "Keys"
    shown.keys("n", "Tab", "Tab", "Tab")
    assert shown.page.evaluate("!!shadow.activeElement.closest('dialog')")
    shown.keys("Escape")
    shown.page.wait_for_function("!shadow.querySelector('dialog')")
    assert shown.page.locator(".chip").count() == 1
    shown.keys("ArrowRight", "Space")
    assert shown.sets() == [[[0, 1]]]


def test_page_down_scrolls_and_takes_the_cursor_along(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.many(3000))]))
    shown.keys("ArrowRight", "PageDown", "PageDown", "Space")
    [[start, _]] = shown.sets()[0]
    assert start > 200
    box = shown.page.locator(".cursor-box").first.bounding_box()
    assert box
    assert 150 < box["y"] < 700


def test_the_title_is_passed_before_the_passage(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.reading())]))
    n_passage = len(samples.reading()["segments"][0]["starts"])
    shown.keys("ArrowRight", *["ArrowRight"] * 4, "Shift+ArrowRight", "Space")
    assert shown.sets() == [[[0, 1], [n_passage + 4, n_passage + 5]]]
