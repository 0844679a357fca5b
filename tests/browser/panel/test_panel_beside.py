"""What stands beside the text: guidelines, talk, and one's own work with the way back to the last submission."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route, expect

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, project, work

pytestmark = pytest.mark.browser

Open = Callable[..., PanelPage]


PANE = (
    '() => document.body.insertAdjacentHTML("beforeend", `<div class="st-key-guidelines">\n  <button '
    'class="guidelines-close">Close</button><button class="guidelines-read">I\'ve read them</button>\n  '
    '<button class="guidelines-later">Later</button></div>`)'
)


def said(version: int, asks: str = "", user: int = 7) -> dict[str, Any]:
    return {"user": user, "version": version, "asks": asks}


@pytest.fixture
def fake() -> Fake:
    return Fake([work(1, samples.english()), work(2, samples.english())], guidelines=said(1))


def opened(shown: PanelPage) -> str | None:
    """What the style sheet reads: "open", with what is said of them."""
    found: str | None = shown.page.evaluate("document.documentElement.dataset.guidelines ?? null")
    return found


def drawn(shown: PanelPage, status: int = 200) -> list[Any]:
    """The page has drawn them; answers what the panel will say to the server of who has read them."""
    posted: list[Any] = []

    def answer(route: Route) -> None:
        posted.append(route.request.post_data_json)
        route.fulfill(status=status, json={})

    shown.page.route("**/api/guidelines/read", answer)
    shown.page.evaluate(PANE)
    return posted


def becomes(shown: PanelPage, words: str | None) -> None:
    shown.page.wait_for_function(
        "(words) => (document.documentElement.dataset.guidelines ?? null) === words", arg=words
    )


def test_they_are_open_at_first_and_stay_open_until_one_closes_them(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    assert opened(shown) == "open"
    shown.open()
    assert opened(shown) == "open"
    shown.keys("g")
    assert opened(shown) is None
    shown.open()
    assert opened(shown) is None
    shown.keys("g")
    shown.open()
    assert opened(shown) == "open"


def test_whether_they_are_open_is_each_persons_own(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    shown.keys("g")
    fake.guidelines = said(1, user=8)
    shown.open()
    assert opened(shown) == "open"


@pytest.mark.parametrize("given", [None, said(0)])
def test_a_project_without_guidelines_opens_none_by_itself(panel: Open, given: dict[str, Any] | None) -> None:
    shown = panel(Fake([work(1, samples.english())], guidelines=given))
    assert opened(shown) is None


def test_who_has_not_read_them_is_asked_and_works_on_after_one_key(panel: Open, fake: Fake) -> None:
    fake.guidelines = said(1, "first")
    shown = panel(fake)
    shown.keys("Home", "Space")
    assert shown.sets() == [[[0, 1]]]  # nothing waits for what the page has not drawn yet
    posted = drawn(shown)
    becomes(shown, "open asking first")
    shown.page.keyboard.press("n")
    with shown.page.expect_response("**/api/guidelines/read"):
        shown.page.keyboard.press("Space")  # the key that scrolls, and presses a button that has the focus
    becomes(shown, "open")
    assert posted == [{"project": 1, "version": 1}]
    assert shown.sets() == [[[0, 1]]]
    shown.keys("ArrowRight", "Space")
    assert shown.sets() == [[[0, 2]]]


def test_who_answers_later_is_not_asked_again_in_this_visit_but_of_another_version(panel: Open) -> None:
    fake = Fake([work(number, samples.english()) for number in (1, 2, 3)], guidelines=said(1, "first"))
    shown = panel(fake)
    posted = drawn(shown)
    becomes(shown, "open asking first")
    shown.page.keyboard.press("Escape")
    becomes(shown, "open first")
    assert "The guidelines changed. Press g to read them." in shown.text(".hint")
    shown.keys("Home", "Space", "Control+Enter")
    assert opened(shown) == "open first"
    shown.page.evaluate("mount({ guidelines: { user: 7, version: 2, asks: 'changed' } })")
    shown.keys("Home", "Space", "Control+Enter")
    becomes(shown, "open asking changed")
    assert posted == []
    with shown.page.expect_response("**/api/guidelines/read"):
        shown.page.keyboard.press("Enter")
    becomes(shown, "open")
    assert posted == [{"project": 1, "version": 2}]


def test_a_change_while_one_works_is_said_and_moves_nothing_until_the_next_text(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    drawn(shown)
    shown.keys("g")
    shown.page.evaluate("mount({ guidelines: { user: 7, version: 2, asks: 'changed' } })")
    assert opened(shown) is None
    assert "The guidelines changed. Press g to read them." in shown.text(".hint")
    shown.keys("g")
    assert opened(shown) == "open changed"
    shown.keys("g", "Home", "Space", "Control+Enter")
    becomes(shown, "open asking changed")
    shown.page.keyboard.press("Enter")
    becomes(shown, None)


def test_a_small_change_is_not_spoken_of(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    shown.keys("g")
    shown.page.evaluate("mount({ guidelines: { user: 7, version: 2, asks: '' } })")
    assert opened(shown) is None
    assert "guidelines" not in (shown.text(".hint") or "")


def test_an_answer_that_cannot_be_stored_holds_nobody_up_and_is_asked_for_again(panel: Open, fake: Fake) -> None:
    fake.guidelines = said(1, "first")
    shown = panel(fake)
    drawn(shown, status=503)
    becomes(shown, "open asking first")
    shown.page.keyboard.press("Enter")
    shown.page.wait_for_function("document.querySelector('[data-guidelines]') !== null")
    shown.keys("Home", "Space")
    assert shown.sets() == [[[0, 1]]]
    shown.keys("Control+Enter")
    becomes(shown, "open asking first")


def test_a_script_that_ran_before_an_answer_was_stored_asks_nobody_again(panel: Open, fake: Fake) -> None:
    fake.guidelines = said(1, "first")
    shown = panel(fake)
    drawn(shown)
    shown.page.route("**/api/guidelines/read", lambda _route: None)  # it stays on its way
    becomes(shown, "open asking first")
    shown.page.keyboard.press("Enter")
    shown.page.evaluate("mount({ guidelines: { user: 7, version: 1, asks: 'first' } })")
    assert opened(shown) == "open"
    shown.keys("Home", "Space", "Control+Enter", "Home", "Space")
    assert opened(shown) == "open"
    assert shown.sets() == [[[0, 1]]]


def test_marking_goes_on_while_they_are_open(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    shown.keys("Home", "Space")
    assert opened(shown) == "open"
    assert shown.sets() == [[[0, 1]]]


def test_on_a_narrow_screen_they_lie_over_the_text_only_when_they_are_to_be_read_or_asked_for(
    panel_in: Callable[..., PanelPage], fake: Fake
) -> None:
    shown = panel_in(fake, viewport={"width": 640, "height": 720})
    assert opened(shown) is None
    shown.keys("g")
    assert opened(shown) == "open"


def test_a_panel_that_goes_away_leaves_nothing_open(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    shown.page.evaluate("mounted.at(-1)()")
    assert opened(shown) is None


# Talk in the panel: a question to the lead is one key away, and what others wrote is shown when one asks for it.


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
    expect(shown.page.locator(".asking")).to_contain_text("Only the lead reads this.")
    shown.page.keyboard.type("Is irony negative? q")
    shown.keys("Control+Enter")
    expect(shown.page.locator(".comment-text")).to_have_text("Is irony negative? q")
    assert shown.fake.named("begin") == [
        {"project": 1, "instance": 101, "about": "instance", "annotation": None, "position": None,
         "text": "Is irony negative? q", "to_lead": True}
    ]  # fmt: skip
    expect(shown.page.locator(".waits")).to_have_text("waiting for the lead")
    expect(shown.page.locator(".asking textarea")).to_be_hidden()  # what is added stands in the thread
    expect(shown.page.get_by_role("textbox", name="Add")).to_be_focused()
    shown.page.locator(".asking summary").click()
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


# My work, the way back to the last submission, and where one stands today.

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
    assert "You submitted this text." in shown.text(".notice")
    shown.click(5)
    assert shown.counts() == ["1"]
    shown.page.get_by_role("button", name="Reopen").click()
    expect(shown.page.locator(".notice")).to_contain_text("Reopened as a draft: submit it again.")
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
    expect(shown.page.locator(".mine")).to_contain_text("Nothing found. Change the search or filters.")
    shown.page.get_by_label("Search by words or ID").fill("")
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
    closed = "the round is decided"
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


def test_a_submission_that_one_only_looked_at_is_submitted_again_as_it_was(panel: Open) -> None:
    fake = four()
    shown = panel(fake)
    submit(shown)
    fake.wait_for_state(1, "submitted")
    shown.keys("v")
    shown.shown("first")
    shown.keys("Shift+v")
    shown.shown("second")
    fake.wait_for_state(1, "submitted")
    expect(shown.page.locator(".hint")).to_have_text("“first” is submitted again, unchanged.")


def test_what_was_returned_is_not_submitted_unchanged_without_a_second_word(panel: Open) -> None:
    fake = four()
    fake.works[0] |= {"state": "returned", "round": 2, "feedback": {"lines": ["Too long."], "sets": {}}}
    fake.works[0]["draft"] = {**fake.works[0]["draft"], "sets": [[[1, 2]]]}
    shown = panel(fake)
    shown.keys("Control+Enter")
    expect(shown.page.locator(".hint")).to_have_text("Nothing changed since it was returned. Submit again to confirm.")
    assert shown.key == "first"
    shown.keys("Control+Enter")
    shown.shown("second")
    fake.wait_for_state(1, "submitted")


def test_the_way_back_can_be_seen_with_its_key(panel: Open) -> None:
    shown = panel(four())
    submit(shown)
    shown.page.locator(".menu summary").click()
    way = shown.page.get_by_role("button", name="Previous")
    assert way.locator("kbd").inner_text() == "v"
    way.click()
    shown.shown("first")
    shown.keys("?")
    assert "Reopen your last submission" in shown.text("dialog")


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
    expect(shown.page.locator(".hint")).to_contain_text("Your last submission is being sent, then it reopens.")
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
    assert places == (shown.page.locator(".head-buttons").bounding_box(), shown.page.locator(".bar").bounding_box())
    assert before == shown.box(1)[1]
    assert {name for name, _ in fake.messages[messages:]} <= {"submit", "seen"}
