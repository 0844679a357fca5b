"""The heads of maps: what tells one from the next is always seen, and a map of nothing is a line."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.panel.saliency_harness import SaliencyFake, SaliencyPage, map_of

pytestmark = pytest.mark.browser

EMPTY = {"scores": None, "label": "", "unit": "none"}


def of_layer(run: int, layer: int, **changes: Any) -> dict[str, Any]:
    """A map of a run that differs from its neighbours in its layer alone, with names as long as they are."""
    facts = {"model": "bert_tiny_classifier", "method": "layer-integrated-gradients", "layers": [layer]}
    return map_of(run, layer=layer, parameters=json.dumps({"layer": layer, "steps": 50}), **facts, **changes)


@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1280, 720)])
def test_the_layer_that_tells_maps_apart_is_seen_whole_and_said_once(
    saliency: Callable[..., SaliencyPage], width: int, height: int
) -> None:
    shown = saliency(SaliencyFake(panels=[of_layer(run, run) for run in range(3)]))
    shown.page.set_viewport_size({"width": width, "height": height})
    shown.open()
    apart = shown.page.locator(".heat-apart")
    expect(apart).to_have_text(["layer 0", "layer 1", "layer 2"])
    sizes = apart.evaluate_all("all => all.map(one => [one.scrollWidth, one.getBoundingClientRect().width])")
    assert all(0 < content <= box + 1 for content, box in sizes)
    name = "bert_tiny_classifier · layer-integrated-gradients · layer 2, for “negative”"
    expect(shown.map(2)).to_have_accessible_name(name)


def test_a_map_without_an_attribution_of_the_text_is_a_line_beside_others(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(), map_of(3, method="lime", **EMPTY), map_of(4, method="linear")]))
    empty = shown.map(1)
    expect(empty).to_contain_text("this run has no attribution of this text")
    heights = [(shown.map(place).bounding_box() or {})["height"] for place in range(3)]
    assert heights[1] < 80 < min(heights[0], heights[2])
    expect(empty.locator(".heat-text")).to_be_hidden()
    expect(empty.get_by_role("button", name="Remove this map")).to_be_visible()


def test_the_text_stands_in_a_map_of_nothing_where_no_other_shows_it(saliency: Callable[..., SaliencyPage]) -> None:
    shown = saliency(SaliencyFake(panels=[map_of(3, method="lime", **EMPTY)]))
    expect(shown.map().locator(".heat-text")).to_be_visible()


def test_a_link_to_a_layer_and_a_label_that_are_gone_names_them_and_opens_the_runs_own(
    saliency: Callable[..., SaliencyPage],
) -> None:
    shown = saliency(SaliencyFake(panels=[of_layer(17, 2)])).open(query="&panels=17:7:nosuch&k=9999&looks=foo")
    notice = shown.page.locator(".heat-notice")
    for gone in ("layer 7 of run 17", "the label “nosuch” of run 17", "top k (9999)", "showing “foo”"):
        expect(notice).to_contain_text(gone)
    expect(shown.page.locator(".heat-apart")).to_have_text(["layer 2"])
    shown.page.wait_for_url("**panels=17%3A-%3A&**")
