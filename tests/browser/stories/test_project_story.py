"""Another project or page, chosen in the sidebar: the keys mean the screen at once."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Route, expect

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


SCREENS = pytest.mark.parametrize(
    ("page", "listens", "key", "opened"),
    [
        ("annotate", ".panel", "m", "dialog[open]"),
        ("review", ".panel", "m", "dialog[open]"),
        (
            "perturb",
            ".panel [role=tab][aria-selected=true]",
            "p",
            "[role=tab][aria-selected=true][aria-keyshortcuts=p]",
        ),
        ("saliency", ".panel", "?", "dialog[open]"),
    ],
)


@SCREENS
def test_after_choosing_a_project_by_keyboard_the_keys_mean_the_screen(
    person: Come, page: str, listens: str, key: str, opened: str
) -> None:
    lead = person("Lead").open(f"/{page}?project={SENTIMENT}")
    expect(lead.page.locator(listens)).to_be_visible()
    box = choose_by_keyboard(lead, "Simil", "Similarity")
    lead.page.wait_for_url(re.compile(f"project={SIMILARITY}"))
    expect(box).not_to_be_focused()
    expect(lead.page.locator(".panel")).to_have_count(1)  # the one of the project before has gone
    expect(lead.page.locator(listens)).to_be_visible()
    lead.press(key)
    expect(lead.page.locator(opened)).to_be_visible()


@SCREENS
def test_after_choosing_a_page_by_keyboard_the_keys_mean_its_screen(
    person: Come, page: str, listens: str, key: str, opened: str
) -> None:
    lead = person("Lead").open(f"/export?project={SENTIMENT}")
    link = lead.page.get_by_test_id("stSidebarNavLink").filter(has_text=page.capitalize())
    link.focus()
    lead.press("Enter")
    expect(lead.page.locator(listens)).to_be_visible()
    expect(link).not_to_be_focused()
    lead.press(key)
    expect(lead.page.locator(opened)).to_be_visible()


def test_the_focus_stays_in_the_menu_where_nobody_chose_the_page_there(person: Come) -> None:
    lead = person("Lead")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    lead.page.route(re.compile("/perturb/main.js"), hold)
    with lead.page.expect_request(re.compile("/perturb/main.js")):
        lead.open(f"/perturb?project={SENTIMENT}")
    link = lead.page.get_by_test_id("stSidebarNavLink").filter(has_text="Perturb")
    link.focus()
    expect(link).to_be_focused()
    for route in held:
        route.continue_()
    expect(lead.page.locator(".panel .work-title")).to_be_visible()
    expect(link).to_be_focused()


def test_a_text_that_comes_after_another_project_was_chosen_leaves_the_address_alone(person: Come) -> None:
    lead = person("Lead")
    asked = re.compile("/api/saliency/instance")
    held: list[Route] = []

    def hold_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    lead.page.route(asked, hold_first)
    with lead.page.expect_request(asked):
        lead.open(f"/saliency?project={SENTIMENT}")
    choose_by_keyboard(lead, "Simil", "Similarity")
    lead.page.wait_for_url(re.compile(f"project={SIMILARITY}.*instance="))
    address = lead.page.url
    with lead.page.expect_response(asked) as late:
        held[0].continue_()
    late.value.finished()
    lead.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert lead.page.url == address


def test_a_tab_whose_key_is_pressed_before_the_tabs_are_there_is_opened_with_them(person: Come) -> None:
    lead = person("Lead")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    lead.page.route(re.compile("/api/perturb/rules"), hold)
    with lead.page.expect_request(re.compile("/api/perturb/rules")):
        lead.open(f"/perturb?project={SENTIMENT}")
    lead.page.locator(".panel").focus()
    lead.press("p")
    for route in held:
        route.continue_()
    expect(lead.page.locator("[role=tab][aria-selected=true]")).to_have_attribute("aria-keyshortcuts", "p")
