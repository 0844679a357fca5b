"""Another project, chosen in the sidebar: the keys mean its text at once."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

SENTIMENT = 1
SIMILARITY = 2


def choose_by_keyboard(somebody: Person, typed: str, name: str) -> Locator:
    """Type a project's name into the choice in the sidebar and take it; returns the box."""
    box = somebody.page.locator(".st-key-sidebar_project input")
    box.focus()
    somebody.page.keyboard.type(typed)
    expect(somebody.page.get_by_role("option")).to_have_text([name])
    somebody.press("Enter")
    return box


@pytest.mark.parametrize(
    ("page", "key", "opened"),
    [
        ("annotate", "m", "dialog[open]"),
        ("review", "m", "dialog[open]"),
        ("perturb", "p", "[role=tab][aria-selected=true][aria-keyshortcuts=p]"),
        ("saliency", "?", "dialog[open]"),
    ],
)
def test_after_choosing_a_project_by_keyboard_the_keys_mean_the_screen(
    person: Come, page: str, key: str, opened: str
) -> None:
    lead = person("Lead").open(f"/{page}?project={SENTIMENT}")
    expect(lead.page.locator(".panel")).to_be_visible()
    box = choose_by_keyboard(lead, "Simil", "Similarity")
    lead.page.wait_for_url(re.compile(f"project={SIMILARITY}"))
    expect(box).not_to_be_focused()
    lead.press(key)
    expect(lead.page.locator(opened)).to_be_visible()
