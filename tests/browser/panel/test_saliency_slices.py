"""Slices of the list: menus with counts, by keyboard, in the address, and told while they are closed."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.panel.saliency_harness import SaliencyFake, SaliencyPage

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=document.title='broken'>"


def slices(**changes: Any) -> dict[str, Any]:
    made = {
        "labels": [{"value": "positive", "n": 1200}, {"value": HOSTILE, "n": 2}, {"value": None, "n": 1}],
        "splits": [{"value": "", "n": 3}],
        "lengths": [{"value": "1-4", "n": 2}, {"value": "5-5", "n": 1}],
        "facts": [],
        "groups": [],
        "left_out": 0,
    }
    return made | changes


def test_slices_are_opened_and_chosen_by_keyboard_and_stand_in_the_address(
    saliency: Callable[..., SaliencyPage],
) -> None:
    fake = SaliencyFake(slices=slices())
    page = saliency(fake).page
    assert not [route for route, _ in fake.asked if route.startswith("slice")]  # nobody counts for closed menus
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    page.keyboard.press("f")
    label = page.get_by_role("combobox", name="Label", exact=True)
    expect(label).to_be_focused()
    assert label.locator("option").all_inner_texts() == [
        "any label",
        "positive (1,200)",
        f"{HOSTILE} (2)",
        "no label (1)",
    ]
    expect(page.get_by_role("combobox", name="Split")).to_be_hidden()  # there is one split, so nothing to choose
    label.select_option(label="no label (1)")
    page.wait_for_url("**unlabelled=yes**")
    page.get_by_role("combobox", name="Length in tokens").select_option("5-5")
    page.wait_for_url("**length=5-5**")
    assert [body for route, body in fake.asked if route == "list"][-1]["unlabelled"] == "yes"
    expect(page.locator(".slices summary")).to_have_text("Slices: no label · 5 tokens")
    page.reload()
    expect(page.locator(".slices summary")).to_have_text("Slices: no label · 5 tokens")
    expect(page.get_by_role("combobox", name="Length in tokens")).to_have_value("5-5")
    page.get_by_role("button", name="All of them").click()
    expect(page.locator(".slices summary")).to_have_text("Slices")
    page.wait_for_url(lambda url: "length" not in url and "unlabelled" not in url)
    assert page.title() != "broken"


def test_a_slice_of_a_link_that_is_empty_now_stays_chosen_and_is_counted(saliency: Callable[..., SaliencyPage]) -> None:
    page = saliency(SaliencyFake(slices=slices())).open(query="&label=neutral").page
    expect(page.get_by_role("combobox", name="Label", exact=True).locator("option:checked")).to_have_text("neutral (0)")
