"""The list of texts beside the maps: whose label a row tells, which text is open, and keys that can be told apart."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.panel.saliency_harness import SaliencyFake, SaliencyPage
from tests.browser.panel.test_saliency_keyboard import with_scatter

pytestmark = pytest.mark.browser


def test_a_row_says_that_its_label_is_the_predicted_one(saliency: Callable[..., SaliencyPage]) -> None:
    row = saliency(SaliencyFake(predicted="positive")).page.locator(".list-row").first
    expect(row.locator(".facts")).to_have_text("→ positive")
    expect(row).to_have_accessible_description("positive is the label that the model predicts")


def test_a_row_without_a_prediction_tells_the_label_of_the_text(saliency: Callable[..., SaliencyPage]) -> None:
    row = saliency(SaliencyFake()).page.locator(".list-row").first
    expect(row.locator(".facts")).to_have_text("negative")
    expect(row).to_have_accessible_description("")


def test_a_list_without_the_open_text_says_so_and_both_ways_lead_to_its_first(
    saliency: Callable[..., SaliencyPage],
) -> None:
    page = saliency(SaliencyFake(keys=("first", "other one", "other two"))).page
    elsewhere = page.locator(".list-elsewhere")
    expect(elsewhere).to_be_hidden()
    for key in ("j", "k"):
        page.locator(".list-row").first.click()
        expect(page.locator(".heat-where h2")).to_have_text("first")
        page.get_by_role("searchbox", name="Key or words").fill("other")
        expect(elsewhere).to_have_text("The open text is not in this list.")
        page.keyboard.press("Escape")
        page.keyboard.press(key)
        expect(page.locator(".heat-where h2")).to_have_text("other one")
        expect(elsewhere).to_be_hidden()
        page.get_by_role("searchbox", name="Key or words").fill("")
        expect(page.locator(".list-row")).to_have_count(3)


def test_the_key_stays_whole_beside_the_numbers_of_the_scatter(saliency: Callable[..., SaliencyPage]) -> None:
    page = with_scatter(saliency, keys=("sentiment-en-01", "sentiment-en-02"))
    row = page.locator(".list-row").first
    expect(row.locator(".axes")).to_have_text("x 1 · y 1")
    assert row.locator("b").evaluate("key => key.scrollWidth <= key.clientWidth")


def test_a_text_that_the_model_learned_from_is_an_open_point_and_counted(saliency: Callable[..., SaliencyPage]) -> None:
    middle = """canvas => {
        const [left, right, top, bottom] = [56, canvas.clientWidth - 12, 10, canvas.clientHeight - 40];
        const scale = canvas.width / canvas.clientWidth;
        const [x, y] = [(left + right) / 2, (top + bottom) / 2].map(at => Math.round(at * scale));
        return [...canvas.getContext('2d').getImageData(x + 1, y + 1, 1, 1).data];
    }"""
    canvas = with_scatter(saliency).locator(".scatter-canvas")
    filled = canvas.evaluate(middle)
    page = with_scatter(saliency, learned={"tiny": [2]})
    expect(page.locator(".scatter-count")).to_contain_text("tiny learned from 1 of them (open points)")
    assert page.locator(".scatter-canvas").evaluate(middle) != filled
