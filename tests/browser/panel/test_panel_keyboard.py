"""The panel by the keyboard alone."""

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


def test_space_marks_and_unmarks_the_token_under_the_cursor(panel: Open) -> None:
    shown = panel(english())
    shown.keys("ArrowRight", "ArrowRight", "Space")
    assert shown.sets() == [[[1, 2]]]
    assert spoken(shown) == "1 word added to set A: “soup”"
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
