"""The guidelines beside the text: the panel opens and closes what the page has drawn (here nothing), and remembers it."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, work

Open = Callable[[Fake], PanelPage]


@pytest.fixture
def fake() -> Fake:
    return Fake([work(1, samples.english())], guidelines={"user": 7, "version": "a"})


def opened(shown: PanelPage) -> str | None:
    """What the style sheet reads: "open", with the news that goes with it."""
    found: str | None = shown.page.evaluate("document.documentElement.dataset.guidelines ?? null")
    return found


def test_they_are_open_at_the_first_visit_and_stay_open_until_one_closes_them(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    assert opened(shown) == "open first"
    shown.open()
    assert opened(shown) == "open"
    shown.keys("g")
    assert opened(shown) is None
    shown.open()
    assert opened(shown) is None
    shown.keys("g")
    shown.open()
    assert opened(shown) == "open"


def test_they_open_again_when_they_have_changed_and_for_another_person(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    shown.keys("g")
    fake.guidelines = {"user": 7, "version": "b"}
    shown.open()
    assert opened(shown) == "open changed"
    shown.keys("g")
    fake.guidelines = {"user": 8, "version": "b"}
    shown.open()
    assert opened(shown) == "open first"


@pytest.mark.parametrize("given", [None, {"user": 7, "version": ""}])
def test_a_project_without_guidelines_opens_none_by_itself(panel: Open, given: dict[str, Any] | None) -> None:
    shown = panel(Fake([work(1, samples.english())], guidelines=given))
    assert opened(shown) is None


def test_a_change_while_one_works_is_said_and_moves_nothing(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    shown.keys("g")
    shown.page.evaluate("mount({ guidelines: { user: 7, version: 'b' } })")
    assert opened(shown) is None
    assert "The guidelines have changed" in shown.text(".hint")
    shown.keys("g")
    assert opened(shown) == "open changed"


def test_marking_goes_on_while_they_are_open(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    shown.keys("Home", "Space")
    assert opened(shown) == "open first"
    assert shown.sets() == [[[0, 1]]]


def test_on_a_narrow_screen_they_lie_over_the_text_only_when_they_are_new_or_asked_for(
    panel_in: Callable[..., PanelPage], fake: Fake
) -> None:
    shown = panel_in(fake, viewport={"width": 640, "height": 720})
    assert opened(shown) == "open first"
    shown.open()
    assert opened(shown) is None
    shown.keys("g")
    assert opened(shown) == "open"


def test_a_panel_that_goes_away_leaves_nothing_open(panel: Open, fake: Fake) -> None:
    shown = panel(fake)
    shown.page.evaluate("mounted.at(-1)()")
    assert opened(shown) is None
