"""The guidelines beside the text: the panel opens and closes what the page has drawn (here nothing), and remembers it."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Route

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, work

Open = Callable[[Fake], PanelPage]


PANE = """() => document.body.insertAdjacentHTML("beforeend", `<div class="st-key-guidelines">
  <button class="guidelines-close">Close</button><button class="guidelines-read">I have read them</button>
  <button class="guidelines-later">Later</button></div>`)"""


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
    shown.page.keyboard.press("Space")  # the key that scrolls, and presses a button that has the focus
    becomes(shown, "open")
    assert posted == [{"project": 1, "version": 1}]
    assert shown.sets() == [[[0, 1]]]
    shown.keys("ArrowRight", "Space")
    assert shown.sets() == [[[0, 2]]]


def test_who_answers_later_is_not_asked_again_in_this_visit_but_of_another_version(
    panel: Open,
) -> None:
    fake = Fake([work(number, samples.english()) for number in (1, 2, 3)], guidelines=said(1, "first"))
    shown = panel(fake)
    posted = drawn(shown)
    becomes(shown, "open asking first")
    shown.page.keyboard.press("Escape")
    becomes(shown, "open first")
    assert "again when you come back" in shown.text(".hint")
    shown.keys("Home", "Space", "Control+Enter")
    assert opened(shown) == "open first"
    shown.page.evaluate("mount({ guidelines: { user: 7, version: 2, asks: 'changed' } })")
    shown.keys("Home", "Space", "Control+Enter")
    becomes(shown, "open asking changed")
    assert posted == []
    shown.page.keyboard.press("Enter")
    becomes(shown, "open")
    assert posted == [{"project": 1, "version": 2}]


def test_a_change_while_one_works_is_said_and_moves_nothing_until_the_next_text(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    drawn(shown)
    shown.keys("g")
    shown.page.evaluate("mount({ guidelines: { user: 7, version: 2, asks: 'changed' } })")
    assert opened(shown) is None
    assert "The guidelines have changed" in shown.text(".hint")
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
