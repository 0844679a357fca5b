"""The answer to a question: typed, selected in the text, or none."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, project, work

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]


def asking(given: str | None = None, *sets: list[list[int]], mode: str = "give", **changes: Any) -> Fake:
    """Two texts that are asked something, in a project with the usual rules."""
    result = {"kind": "answer", "given": given, "mode": mode}
    rules = project(labels=[], result_kind="answer", result_mode=mode, may_be_empty=False, **changes)
    draft = samples.draft(*sets)
    return Fake(
        [work(1, samples.reading(), result=result, draft=draft), work(2, samples.short("second"), result=result)], rules
    )


def hint(shown: PanelPage) -> str:
    return shown.text(".hint:not([hidden])")


def token(word: str) -> int:
    """Where a word stands in the passage."""
    passage = samples.reading()["segments"][0]
    return next(i for i, start in enumerate(passage["starts"]) if passage["text"].startswith(word, start))


def test_that_there_is_no_answer_is_one_press_and_needs_no_rationale(panel: Open) -> None:
    fake = asking()
    shown = panel(fake)
    shown.page.get_by_role("button", name="No answer").click()
    expect(shown.page.get_by_role("button", name="No answer")).to_have_attribute("aria-pressed", "true")
    assert shown.saved()["result"] == ""
    assert "no answer" in shown.text(".question")
    shown.keys("Control+Enter")
    shown.shown("second")
    shown.page.wait_for_function("triggers.length")
    assert (fake.find(1)["state"], fake.find(1)["draft"]["sets"]) == ("submitted", [])


def test_i_says_that_there_is_no_answer_and_takes_it_back(panel: Open) -> None:
    shown = panel(asking())
    shown.keys("i")
    assert shown.saved()["result"] == ""
    shown.keys("i")
    assert shown.saved()["result"] is None


def test_a_set_that_was_emptied_again_does_not_stand_in_the_way_of_no_answer(panel: Open) -> None:
    shown = panel(asking())
    shown.click(3)
    shown.click(3)
    shown.keys("i", "Control+Enter")
    shown.shown("second")


def test_without_an_answer_the_message_names_controls_that_are_there(panel: Open) -> None:
    shown = panel(asking(None, [[1, 2]]))
    shown.keys("Control+Enter")
    named = re.findall(r"“([^”]+)”", hint(shown))
    assert named == ["No answer"]
    for name in named:
        expect(shown.page.get_by_role("button", name=name)).to_be_visible()
    assert shown.key == "reading-en-03"


def test_an_answer_that_was_typed_and_wiped_out_is_none_given_rather_than_no_answer(panel: Open) -> None:
    shown = panel(asking(None, [[1, 2]]))
    shown.page.get_by_role("textbox", name="Answer").fill("a mirror")
    assert shown.saved()["result"] == "a mirror"
    shown.page.get_by_role("textbox", name="Answer").fill("")
    assert shown.saved()["result"] is None
    shown.keys("Control+Enter")
    assert "Give the answer first: type it, select it (0), or press “No answer” (i)." in hint(shown)


def test_a_given_answer_stands_until_another_one_is_given(panel: Open) -> None:
    shown = panel(asking("a mirror", [[1, 2]], mode="contest"))
    field = shown.page.get_by_role("textbox", name="Answer")
    assert field.input_value() == "a mirror"
    field.fill("")
    assert "a mirror" in shown.text(".question")
    shown.keys("Escape")
    expect(field).to_have_value("a mirror")


def test_the_words_one_drags_over_become_the_answer_as_they_stand_in_the_text(panel: Open) -> None:
    shown = panel(asking())
    first, last = token("142"), token("evening")
    shown.keys("0")
    shown.drag(first, last, release=False)
    assert shown.marks()["pick"] == ["142 steps each evening"]
    shown.page.mouse.up()
    assert shown.saved()["result"] == "142 steps each evening"
    expect(shown.page.get_by_role("textbox", name="Answer")).to_have_value("142 steps each evening")
    assert shown.marks()["answer"] == ["142 steps each evening"]
    assert shown.counts() == ["0"]


def test_after_the_answer_one_marks_the_set_again(panel: Open) -> None:
    shown = panel(asking())
    first = token("142")
    shown.keys("0")
    shown.drag(first, first + 1)
    shown.drag(first - 2, first + 1)
    assert shown.saved() == samples.draft([[first - 2, first + 2]], result="142 steps")


def test_one_sees_whether_one_selects_the_answer_or_marks_a_set(panel: Open) -> None:
    shown = panel(asking())
    select = shown.page.get_by_role("button", name="Select")
    chip = shown.page.locator(".chip")
    look = "one => [getComputedStyle(one).boxShadow, getComputedStyle(one).borderColor]"
    marking = chip.evaluate(look)
    select.click()
    expect(select).to_have_attribute("aria-pressed", "true")
    assert chip.evaluate(look) != marking
    assert shown.page.locator(".text.picking").count() == 1
    shown.keys("Escape")
    expect(select).to_have_attribute("aria-pressed", "false")
    assert chip.evaluate(look) == marking
    assert shown.page.locator(".text.picking").count() == 0


@pytest.mark.parametrize("way", ["1", "n", "Escape"])
def test_a_key_for_a_set_gives_the_selection_of_the_answer_up(panel: Open, way: str) -> None:
    shown = panel(asking())
    shown.keys("0", way)
    shown.click(3)
    assert shown.saved()["result"] is None
    assert shown.counts()[-1] == "1"


def test_the_answer_can_be_selected_by_the_keyboard_alone(panel: Open) -> None:
    shown = panel(asking())
    shown.keys("0", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Space")
    assert shown.saved()["result"] == "lamp on"
    assert shown.page.locator(".live").inner_text() == "answer: “lamp on”; set A again"


def test_a_click_takes_one_word_and_the_second_click_of_two_marks_nothing(panel: Open) -> None:
    shown = panel(asking())
    shown.keys("0")
    shown.page.mouse.dblclick(*shown.at(token("1934")))
    assert shown.saved() == samples.draft(result="1934")


def test_an_answer_stays_within_the_segment_in_which_it_was_begun(panel: Open) -> None:
    shown = panel(asking())
    shown.keys("0")
    shown.drag(4, 3, segment=1, to_segment=0)
    assert shown.saved()["result"] == "Point"


def test_an_answer_over_two_paragraphs_keeps_the_line_break_of_the_text(panel: Open) -> None:
    shown = panel(asking())
    first = token("For eleven")
    shown.keys("0")
    shown.drag(first - 2, first + 1)
    assert shown.saved()["result"] == "name.\n\nFor eleven"


def test_undo_brings_the_answer_before_back_into_its_field(panel: Open) -> None:
    shown = panel(asking())
    first = token("142")
    field = shown.page.get_by_role("textbox", name="Answer")
    for at in (first, first + 1):
        shown.keys("0")
        shown.drag(at, at + 1)
    expect(field).to_have_value("steps each")
    shown.keys("Control+z")
    expect(field).to_have_value("142 steps")
    assert shown.marks()["answer"] == ["142 steps"]


def test_a_kept_answer_is_shown_in_the_text_where_it_stands_at_one_place_only(panel: Open) -> None:
    fake = asking()
    shown = panel(fake)
    shown.page.get_by_role("textbox", name="Answer").fill("village hall")
    shown.saved()
    shown.open()
    assert shown.marks()["answer"] == ["village hall"]
    shown.page.get_by_role("textbox", name="Answer").fill("village")
    assert "answer" not in shown.marks()


def test_the_list_of_keys_names_the_answers_keys_only_where_an_answer_is_given(panel: Open) -> None:
    shown = panel(asking())
    shown.keys("?")
    assert "the answer\n" in shown.text(".key-list").lower()
    shown = panel(Fake([work(1, samples.english())]))
    shown.keys("?")
    assert "the answer" not in shown.text(".key-list").lower()


def test_where_labels_are_given_the_answers_keys_do_nothing(panel: Open) -> None:
    shown = panel(Fake([work(1, samples.english())], project(result_mode="give")))
    shown.keys("0", "i")
    shown.click(3)
    assert shown.saved() == samples.draft([[3, 4]])
