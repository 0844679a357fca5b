"""The keys of the Saliency screen: a field or a menu is left by Esc, and the typed text is a step of the history."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.panel.saliency_harness import SaliencyFake, SaliencyPage, number
from tests.browser.panel.test_saliency_typed import typed

pytestmark = pytest.mark.browser

LENGTH, SETS = "-:-:text.tokens", "-:-:gold.sets"


def with_scatter(
    saliency: Callable[..., SaliencyPage], keys: tuple[str, ...] = ("first", "second", "third"), **changes: Any
) -> Page:
    """The page with two numbers of its texts against each other."""
    fake = SaliencyFake(
        keys=keys, of_texts=("text.tokens", "gold.sets"), numbers=[number(1, "tiny", "", "F1")], **changes
    )
    page = saliency(fake).open(query=f"&x={LENGTH}&y={SETS}").page
    expect(page.locator(".scatter-count")).to_contain_text(f"{len(keys)} texts.")
    return page


def opens_the_second_text(page: Page) -> None:
    page.keyboard.press("j")
    expect(page.locator(".heat-where h2")).to_have_text("second")


def test_enter_in_a_bound_of_the_scatter_applies_it_and_the_keys_work_at_once(
    saliency: Callable[..., SaliencyPage],
) -> None:
    page = with_scatter(saliency)
    page.get_by_role("spinbutton", name="x from").focus()
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    expect(page.locator(".scatter-count")).to_contain_text("2 of 3 texts selected")
    opens_the_second_text(page)


@pytest.mark.parametrize(
    ("role", "name"),
    [("spinbutton", "x to"), ("combobox", "Number upwards (y)"), ("combobox", "Which texts"), ("searchbox", "Key or words")],
)  # fmt: skip
def test_esc_leaves_a_field_or_a_menu_so_that_the_keys_work(
    saliency: Callable[..., SaliencyPage], role: str, name: str
) -> None:
    page = with_scatter(saliency)
    field = page.get_by_role(role, name=name, exact=True)  # type: ignore[arg-type]
    field.focus()
    page.keyboard.press("Escape")
    expect(field).not_to_be_focused()
    opens_the_second_text(page)


def test_esc_closes_the_typed_text_after_the_page_is_loaded_again(saliency: Callable[..., SaliencyPage]) -> None:
    screen, _ = typed(saliency)
    page = screen.page
    page.get_by_role("textbox", name="Typed text").fill("mine")
    expect(screen.map(1).locator(".heat-text")).to_have_text("mine")
    page.reload()
    expect(screen.map(1).locator(".heat-text")).to_have_text("mine")
    page.keyboard.press("Escape")
    expect(page.get_by_role("region", name="Typed text")).to_be_hidden()
    opens_the_second_text(page)


def test_opening_and_closing_the_typed_text_are_steps_of_the_history(saliency: Callable[..., SaliencyPage]) -> None:
    screen, _ = typed(saliency)
    page = screen.page
    field = page.get_by_role("textbox", name="Typed text")
    field.fill("mine")
    expect(screen.map(1).locator(".heat-text")).to_have_text("mine")
    page.go_back()
    expect(field).to_be_hidden()
    expect(page.locator(".heat-where h2")).to_have_text("first")
    assert "typed=" not in page.url
    page.go_forward()
    expect(field).to_have_value("mine")
    field.press("Escape")
    expect(field).to_be_hidden()
    page.go_back()
    expect(field).to_have_value("mine")
    page.go_back()
    expect(field).to_be_hidden()
