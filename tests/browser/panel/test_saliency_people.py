"""Everybody's own sets below the words: who is who, how a map agrees with each, and how many stay readable."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.panel.saliency_harness import SaliencyFake, SaliencyPage, annotator

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=document.title='broken'>"


def test_people_stand_in_the_place_of_gold_with_the_agreement_of_each_map(
    saliency: Callable[..., SaliencyPage],
) -> None:
    people = (
        annotator("ann", (0, 1), facts=["G1"]),
        annotator(HOSTILE, (2,), (3,), label="positive"),
        annotator("cem"),
    )
    screen = saliency(SaliencyFake(people=people)).open(query="&gold=people")
    page = screen.page
    expect(page.get_by_role("combobox", name="Sets below the words")).to_have_value("people")
    expect(page.locator(".person")).to_have_count(3)
    expect(page.locator(".person").first).to_contain_text("annnegative · G1")
    expect(page.locator(".person").nth(1)).to_contain_text(HOSTILE)
    expect(page.locator(".person").nth(2)).to_contain_text("marked nothing")
    # k is 2 of 5: "bad" and "slow" of the first map, "bad" and "plot" or "good" of the second.
    expect(screen.map(0).locator(".heat-fit")).to_have_text(["11.00", "20", "3–"])
    expect(page.get_by_role("rowheader", name="F1 with ann")).to_be_visible()
    expect(page.get_by_role("rowheader", name="Token F1")).to_have_count(0)
    screen.map(0).locator("[data-token='2']").hover()
    assert page.title() != "broken"


def test_the_keyboard_goes_from_gold_to_people_and_back_and_takes_lanes_away(
    saliency: Callable[..., SaliencyPage],
) -> None:
    screen = saliency(SaliencyFake(people=(annotator("ann", (0, 1)), annotator("bob", (2,))))).open()
    page = screen.page
    expect(page.locator(".gold-chip")).to_have_count(2)
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    page.keyboard.press("g")
    box = page.get_by_role("checkbox").nth(1)
    expect(box).to_be_checked()
    expect(screen.map(0).locator("[data-token='2']")).to_have_class("t o10 g1")
    box.focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("checkbox").nth(1)).not_to_be_checked()
    expect(page.get_by_role("checkbox").nth(1)).to_be_focused()
    expect(screen.map(0).locator("[data-token='2']")).to_have_class("t o10")
    expect(screen.map(0).locator(".heat-fit")).to_have_count(2)
    page.keyboard.press("Escape")
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    page.keyboard.press("g")
    expect(page.locator(".gold-chip")).to_have_count(2)


def test_twenty_people_leave_room_for_the_text(saliency: Callable[..., SaliencyPage]) -> None:
    crowd = tuple(annotator(f"somebody with a long name {n}", (n % 5,), facts=["G1", "30"]) for n in range(20))
    screen = saliency(SaliencyFake(people=crowd)).open(query="&gold=people")
    expect(screen.page.locator(".person input:checked")).to_have_count(12)
    expect(screen.map(0).locator(".heat-fit")).to_have_count(20)
    box = screen.map(0).locator(".heat-text").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 720
