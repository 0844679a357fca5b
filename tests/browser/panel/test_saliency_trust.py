"""How far a model is to be trusted stands with its answer, in the head of its map."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.panel.saliency_harness import SaliencyFake, SaliencyPage, attention, map_of

pytestmark = pytest.mark.browser

LINE = "right on 58.7 % of 138 held-out texts; always “negative”: 44.9 %"


def test_how_often_a_model_is_right_stands_under_its_answer_and_of_one_from_elsewhere_nothing(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(held_out=LINE), attention()]))
    expect(shown.map(0).locator("header")).to_contain_text(LINE)
    expect(shown.map(1).locator(".heat-held-out")).to_have_count(0)


def test_without_an_answer_there_is_nothing_to_trust(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(held_out=LINE, answer=None)]))
    expect(shown.map().locator("h3")).to_be_visible()
    expect(shown.map().locator(".heat-held-out")).to_have_count(0)
