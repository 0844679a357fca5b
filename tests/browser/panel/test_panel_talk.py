"""Talk in the panel: a question to the lead is one key away, and what others wrote is shown when one asks for it."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, work

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]


def two(**changes: Any) -> Fake:
    return Fake([work(1, samples.english()), work(2, samples.short("second"))], **changes)


def a_thread() -> dict[str, Any]:
    comment = {
        "id": 4,
        "author": "Lead",
        "voice": "lead",
        "mine": False,
        "text": "Mind <b>irony</b>",
        "at": "2026-01-31T10:20:00Z",
    }
    return {"id": 7, "about": "set A · round 1", "waits_for_lead": True, "comments": [comment]}


def test_a_question_is_one_key_away_and_goes_to_the_lead(panel: Open) -> None:
    shown = panel(two())
    shown.keys("q")
    field = shown.page.get_by_role("textbox", name="Ask")
    expect(field).to_be_focused()
    shown.page.keyboard.type("Is irony negative? q")
    shown.keys("Control+Enter")
    expect(shown.page.locator(".comment-text")).to_have_text("Is irony negative? q")
    assert shown.fake.named("begin") == [
        {"project": 1, "instance": 101, "about": "instance", "annotation": None, "position": None,
         "text": "Is irony negative? q", "to_lead": True}
    ]  # fmt: skip
    expect(shown.page.locator(".waits")).to_have_text("for the lead to answer")
    expect(field).to_have_value("")
    assert shown.counts() == ["0"]  # nothing was marked by what was typed


def test_the_head_counts_comments_and_says_which_are_new(panel: Open) -> None:
    shown = panel(two(threads=[a_thread()]))
    button = shown.page.locator(".talk-button")
    expect(button.locator(".talk-count")).to_have_text("1")
    assert "new" in (button.get_attribute("class") or "")
    button.click()
    expect(shown.page.locator(".thread h3").first).to_contain_text("About set A · round 1")
    expect(shown.page.locator(".comment-text")).to_have_text("Mind <b>irony</b>")
    shown.keys("Escape")
    assert "new" not in (button.get_attribute("class") or "")
    shown.open()
    expect(button.locator(".talk-count")).to_have_text("1")
    assert "new" not in (button.get_attribute("class") or "")


def test_an_answer_goes_into_its_thread(panel: Open) -> None:
    shown = panel(two(threads=[a_thread()]))
    shown.keys("q")
    shown.page.get_by_role("textbox", name="Answer").fill("I do")
    shown.page.get_by_role("button", name="Answer").click()
    expect(shown.page.locator(".comment-text")).to_have_text(["Mind <b>irony</b>", "I do"])
    assert shown.fake.named("answer") == [{"thread": 7, "text": "I do"}]


def test_what_was_typed_is_kept_when_it_is_refused_or_the_dialog_is_closed(panel: Open) -> None:
    shown = panel(two())
    shown.fake.refuse["begin"] = [(403, {"error": "Only those who annotate this text may talk about it."})]
    shown.keys("q")
    shown.page.get_by_role("textbox", name="Ask").fill("Why?")
    shown.keys("Control+Enter")
    expect(shown.page.locator(".trouble:visible")).to_have_text("Only those who annotate this text may talk about it.")
    shown.keys("Escape", "q")
    expect(shown.page.get_by_role("textbox", name="Ask")).to_have_value("Why?")


def test_another_text_has_other_talk(panel: Open) -> None:
    shown = panel(two(threads=[a_thread()]))
    expect(shown.page.locator(".talk-count")).to_have_text("1")
    shown.fake.threads = []
    shown.click(3)
    shown.keys("Control+Enter")
    shown.shown("second")
    expect(shown.page.locator(".talk-count")).to_have_text("")
