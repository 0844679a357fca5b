"""A researcher looks for texts by two numbers: the scatter, a part of it as the list, saved, opened, by pointer and by keys."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from annotator.store import open_store
from annotator.store.models import list_runs
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser

LENGTH, SETS = "-:-:text.tokens", "-:-:gold.sets"


def _count(page: Page) -> Locator:
    return page.locator(".scatter-count")


def _open_scatter(page: Page) -> None:
    expect(page.locator(".heat-where h2")).to_be_visible()
    page.keyboard.press("d")
    expect(_count(page)).to_contain_text("Draw a box around some")


def test_beside_the_scatter_the_first_words_of_the_maps_are_seen_on_a_low_screen(person: Callable[..., Person]) -> None:
    page = person("Researcher", width=1280, height=720).open("/saliency?project=1").page
    _open_scatter(page)
    words = page.locator(".heat-text [data-token='0']").first.bounding_box()
    assert words is not None
    assert words["y"] + words["height"] < 720


def _draw_around_everything(page: Page) -> None:
    page.locator(".scatter-canvas").scroll_into_view_if_needed()
    box = page.locator(".scatter-canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 60, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=3)
    page.mouse.move(box["x"] + box["width"] - 14, box["y"] + box["height"] - 42, steps=3)
    page.mouse.up()


def _selected(page: Page) -> int:
    """How many texts are selected, once the list shows exactly them."""
    expect(_count(page)).to_contain_text("selected; the list shows them")
    match = re.match(r"([\d,]+) of", _count(page).inner_text())
    assert match is not None
    expect(page.locator(".list-count")).to_have_text(re.compile(rf"of {match[1]}$"))
    return int(match[1].replace(",", ""))


def test_a_box_around_points_becomes_the_list_and_a_saved_list(person: Callable[..., Person]) -> None:
    page = person("Researcher").open("/saliency?project=1").page
    _open_scatter(page)
    expect(_count(page)).to_contain_text(re.compile(r"\d+ of \d+ texts have no value of"))
    _draw_around_everything(page)
    n = _selected(page)
    assert n > 1
    expect(page.locator(".scatter-note")).to_contain_text("Selected in the scatter")

    page.locator(".list-row").nth(1).click()
    expect(page.locator(".list-row").nth(1)).to_have_attribute("aria-selected", "true")
    page.locator(".scatter").get_by_role("button", name="Close").click()
    expect(page.locator(".list-count")).to_have_text(re.compile(rf"of {n}$"))  # closing keeps what is selected

    page.locator(".heat-where h2").click()
    page.keyboard.press("l")
    page.get_by_role("textbox", name="Name of the list").fill("around the middle")
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"“around the middle” is saved with {n} texts.")).to_be_visible()


def test_ranges_and_keys_alone_select_list_and_walk(person: Callable[..., Person]) -> None:
    page = person("Researcher").open(f"/saliency?project=1&x={LENGTH}&y={SETS}").page
    expect(_count(page)).to_contain_text("Draw a box")
    page.get_by_role("spinbutton", name="y from").focus()
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    n = _selected(page)
    assert n >= 2
    page.get_by_role("spinbutton", name="x from").focus()
    page.keyboard.type("999999")
    page.keyboard.press("Enter")
    expect(page.locator(".list-count")).to_contain_text("No text matches")
    page.get_by_role("spinbutton", name="x from").fill("")
    page.keyboard.press("Tab")
    assert _selected(page) == n

    # What is selected is the list: its rows tell both numbers, and j goes from one to the next.
    expect(page.locator(".list-row .axes").first).to_have_text(re.compile(r"x \d+ · y \d+"))
    page.locator(".list-row").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".list-row").first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("j")
    expect(page.locator(".list-row").nth(1)).to_have_attribute("aria-selected", "true")


def test_a_range_that_ends_before_it_begins_changes_nothing_and_says_so(person: Callable[..., Person]) -> None:
    page = person("Researcher").open(f"/saliency?project=1&x={LENGTH}&y={SETS}&ys=2~").page
    n = _selected(page)
    page.get_by_role("spinbutton", name="y to").fill("1")
    page.keyboard.press("Tab")
    expect(_count(page)).to_have_text("Nothing is changed: a range begins with the smaller number.")
    expect(page.locator(".list-count")).to_have_text(re.compile(rf"of {n}$"))


def test_a_click_on_a_point_opens_its_text(person: Callable[..., Person]) -> None:
    page = person("Researcher").open(f"/saliency?project=1&x={LENGTH}&y={LENGTH}").page
    expect(_count(page)).to_contain_text("Draw a box")
    before = page.locator(".heat-where h2").inner_text()
    box = page.locator(".scatter-canvas").bounding_box()
    assert box is not None
    # The same number on both axes is a diagonal: its upper end is the longest text of all.
    left, right = box["x"] + 56, box["x"] + box["width"] - 12
    top, bottom = box["y"] + 10, box["y"] + box["height"] - 40
    room = 0.04 / 1.08
    page.mouse.click(right - room * (right - left), top + room * (bottom - top))
    expect(page.locator(".heat-where h2")).not_to_have_text(before)


def test_one_number_of_two_models_lies_about_a_diagonal(person: Callable[..., Person], server: Server) -> None:
    with open_store(server.database) as store:
        first, second, *_ = [stored.id for stored in list_runs(store, 1) if not stored.run.method]
    axes = f"x={first}:-:answer.confidence&y={second}:-:answer.confidence"
    page = person("Researcher").open(f"/saliency?project=1&{axes}").page
    expect(page.locator(".scatter-canvas")).to_have_attribute(
        "aria-label", re.compile("Confidence, .* by Confidence, ")
    )
    expect(_count(page)).to_contain_text("Draw a box")
