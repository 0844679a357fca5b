"""My work, the way back to the last submission, and where one stands today."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, project, work

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]
WORDS = ["first", "second", "third", "fourth"]
MACHINE_KEY = "9a0364b9e99bb480dd25e1f0284c8555"


def four(**changes: Any) -> Fake:
    texts = [f"{word.capitalize()} came the soup and then a long wait." for word in WORDS]
    works = [
        work(number, samples.short(key, text), draft=samples.draft([[1, 2]]))
        for number, (key, text) in enumerate(zip(WORDS, texts, strict=True), start=1)
    ]
    return Fake(works, project(**changes))


def submit(shown: PanelPage, count: int = 1) -> None:
    for _ in range(count):
        shown.keys("Control+Enter")
        shown.page.wait_for_function("!Object.keys(localStorage).some((key) => key.startsWith('annotator:draft:'))")


def rows(shown: PanelPage, *expected: str) -> None:
    expect(shown.page.locator(".mine-text")).to_have_text(list(expected))


def test_my_work_is_read_and_reopened_by_keyboard_alone(panel: Open) -> None:
    shown = panel(four())
    submit(shown)
    shown.keys("m")
    rows(shown, "First came the soup and then a long wait.")
    shown.keys("Tab", "Tab", "Enter")
    shown.shown("first")
    assert "You have submitted this text." in shown.text(".notice")
    shown.click(5)
    assert shown.counts() == ["1"]
    shown.page.get_by_role("button", name="Reopen").click()
    expect(shown.page.locator(".notice")).to_contain_text("It is a draft again until you submit it.")
    shown.click(5)
    assert shown.sets() == [[[1, 2], [5, 6]]]
    submit(shown)
    assert shown.key == "second"


def test_my_work_is_searched_and_chosen_by_state(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    submit(shown, 2)
    shown.keys("s", "m")
    rows(shown, *(f"{word} came the soup and then a long wait." for word in ("First", "Second", "Third")))
    shown.page.keyboard.type("second")
    rows(shown, "Second came the soup and then a long wait.")
    shown.page.get_by_label("State").select_option("skipped")
    expect(shown.page.locator(".mine")).to_contain_text("No text matches.")
    shown.page.get_by_label("Search my work").fill("")
    rows(shown, "Third came the soup and then a long wait.")


def test_my_work_turns_its_pages(panel: Open) -> None:
    fake = four()
    fake.page_size = 1
    shown = panel(fake)
    submit(shown, 2)
    shown.keys("m")
    expect(shown.page.locator(".page-words")).to_have_text("2 texts · page 1 of 2")
    shown.page.get_by_role("button", name="Next page").click()
    rows(shown, "Second came the soup and then a long wait.")
    expect(shown.page.get_by_role("button", name="Next page")).to_be_disabled()


def test_a_discarded_text_says_why_and_how_it_was_scored(panel: Open) -> None:
    fake = four()
    closed = "the round has been decided, and your work was discarded"
    said = {"0": ["Compactness score 2 (2), needs 3.6: not concise enough."]}
    fake.works[3] |= {
        "state": "submitted",
        "outcome": {"state": "discarded", "closed": closed, "lines": ["The lead decided: too short."], "sets": said},
    }
    shown = panel(fake)
    shown.keys("m")
    expect(shown.page.locator(".mine-line")).to_have_text("The lead decided: too short.")
    shown.keys("Tab", "Tab", "Enter")
    shown.shown("fourth")
    notice = shown.text(".notice")
    for words in ("This text was discarded.", "The lead decided: too short.", "Compactness score 2 (2)"):
        assert words in notice
    assert shown.page.get_by_role("button", name="Reopen").count() == 0
    shown.keys("Shift+v")
    shown.shown("first")


def test_a_key_that_a_machine_made_is_no_title(panel: Open) -> None:
    fake = four()
    fake.works[0]["instance"]["key"] = MACHINE_KEY
    shown = panel(fake)
    assert shown.page.locator("h1").inner_text() == "Annotate: First came the soup and then a long…"
    expect(shown.page).to_have_title("First came the soup and then a long… · token panel")
    expect(shown.page.locator(".key-words")).to_be_hidden()
    submit(shown)
    shown.keys("m")
    rows(shown, "First came the soup and then a long wait.")
    assert MACHINE_KEY not in shown.page.locator(".mine-row").inner_text()


def test_one_key_goes_back_reopens_and_loses_nothing_of_the_text_in_hand(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    submit(shown)
    shown.click(6)
    shown.keys("v")
    shown.shown("first")
    assert fake.find(1)["state"] == "open"
    shown.click(4)
    shown.keys("Shift+v")
    shown.shown("second")
    assert shown.sets() == [[[1, 2], [6, 7]]]
    assert fake.find(1)["draft"]["sets"] == [[[1, 2], [4, 5]]]
    shown.keys("Shift+v")
    shown.shown("first")
    submit(shown)
    assert shown.key == "second"
    fake.wait_for_state(1, "submitted")


def test_the_way_back_can_be_seen_with_its_key(panel: Open) -> None:
    shown = panel(four())
    submit(shown)
    way = shown.page.get_by_role("button", name="Previous")
    assert way.locator("kbd").inner_text() == "v"
    way.click()
    shown.shown("first")
    shown.keys("?")
    assert "go back to your last submission and reopen it" in shown.text("dialog")


def test_a_submission_that_may_not_be_reopened_says_why(panel: Open) -> None:
    fake = four()
    sentence = "Your last submission, “First came”, cannot be reopened: a reviewer has already scored it."
    fake.refuse["back"] = [(409, {"error": sentence})]
    shown = panel(fake)
    submit(shown)
    shown.keys("v")
    expect(shown.page.locator(".hint")).to_have_text(sentence)
    assert shown.key == "second"


def test_going_back_waits_for_a_submission_that_is_still_on_its_way(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    gate = fake.hold("submit")
    shown.keys("Control+Enter", "v")
    expect(shown.page.locator(".hint")).to_contain_text("still on its way")
    assert fake.named("back") == []
    gate.set()
    shown.shown("first")


def test_one_goes_back_where_no_text_is_left(panel: Open) -> None:
    fake = four()
    fake.works = fake.works[:1]
    shown = panel(fake)
    shown.keys("Control+Enter")
    shown.page.wait_for_selector(".empty:not([hidden])")
    fake.refuse["back"] = [(409, {"error": "It was made gold."})]
    shown.keys("v")
    expect(shown.page.locator(".notice")).to_contain_text("It was made gold.")
    shown.keys("v")
    shown.shown("first")


def test_where_one_stands_follows_each_submission_and_moves_nothing(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    stands = shown.page.locator(".progress")
    expect(stands).to_have_text("0 today · 0 of 4")
    before = shown.box(1)[1]
    messages = len(fake.messages)
    submit(shown)
    expect(stands).to_have_text("1 today · 1 of 4")
    places = shown.page.locator(".head-buttons").bounding_box(), shown.page.locator(".bar").bounding_box()
    submit(shown)
    expect(stands).to_have_text("2 today · 2 of 4")
    assert places == (
        shown.page.locator(".head-buttons").bounding_box(),
        shown.page.locator(".bar").bounding_box(),
    )
    assert before == shown.box(1)[1]
    assert {name for name, _ in fake.messages[messages:]} <= {"submit", "seen"}
