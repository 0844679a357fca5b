"""A text that one types beside the stored one: asked at each pause, late answers dropped, saved where one may."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.panel.saliency_harness import SaliencyFake, SaliencyPage, map_of

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=document.title='broken'>"


@dataclass
class TypedFake(SaliencyFake):
    """Answers what is typed with the words themselves; `held`: an answer that waits until it is let go."""

    held: dict[str, threading.Event] = field(default_factory=dict)

    def answer(self, route: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if route == "case":
            self.asked.append((route, body))
            return 200, {"test": body["test"]}
        if route != "typed":
            return super().answer(route, body)
        self.asked.append((route, body))
        text = body["texts"]["text"]
        if text in self.held:
            self.held[text].wait(60)
        words = text.split()
        segment = {
            "name": "text", "first": 0, "is_selectable": True, "tokens": words,
            "before": ["", *[" "] * (len(words) - 1)][: len(words)], "rest": "",
        }  # fmt: skip
        shown = super()._instance(1, None, None)
        positive = 0.8 if "good" in words else 0.3
        answer = {"label": "positive" if positive > 0.5 else "negative", "probabilities": {"positive": positive, "negative": 1 - positive}}  # fmt: skip
        panel = map_of(answer=answer, scores=[0.25] * len(words))
        facts = {
            "id": 0,
            "key": "first (typed)",
            "result": None,
            "split": "",
            "language": "en",
            "parent": None,
            "kind": None,
        }
        return 200, {
            **shown, "instance": facts, "segments": [segment], "gold": [], "sides": [{"name": "", "n": len(words)}],
            "panels": [panel], "aligned": [place if place < 5 else None for place in range(len(words))], "trouble": "",
        }  # fmt: skip


def typed(saliency: Callable[..., SaliencyPage], **changes: Any) -> tuple[SaliencyPage, TypedFake]:
    """The page at a text with one map, its field open by keyboard."""
    fake = TypedFake(panels=[map_of()], **changes)
    screen = saliency(fake)
    screen.page.locator(".heat-main").click(position={"x": 150, "y": 6})
    screen.page.keyboard.press("t")
    expect(screen.page.get_by_role("textbox", name="Typed text")).to_be_focused()
    return screen, fake


def test_what_is_typed_stands_beside_the_stored_text_with_what_changed(saliency: Callable[..., SaliencyPage]) -> None:
    screen, _ = typed(saliency)
    page = screen.page
    box = page.get_by_role("textbox", name="Typed text")
    expect(box).to_have_value("bad slow plot good cast")
    box.fill(f"bad slow plot dull cast {HOSTILE}")
    expect(screen.map(1).locator(".heat-text")).to_contain_text("onerror")
    expect(page.locator(".typed-lines")).to_contain_text("positive 80 % → 30 % (−50 points), now negative")
    expect(page.locator(".typed-lines")).to_contain_text("4 new tokens, 1 token gone")  # the markup has three words
    expect(page.locator(".typed-lines")).to_contain_text("“plot” −0.500 → +0.250 (+0.750)")
    assert page.title() != "broken"
    token_f1 = page.get_by_role("row", name="Token F1").locator("td:not(.definition)")
    expect(token_f1).to_have_text(["A1.00", ""])  # nobody has marked what was only typed
    box.press("Escape")
    expect(page.locator(".heat-panel")).to_have_count(1)
    expect(box).to_be_hidden()


def test_a_late_answer_of_an_older_text_is_dropped(saliency: Callable[..., SaliencyPage]) -> None:
    gate = threading.Event()
    screen, fake = typed(saliency, held={"older": gate})
    page = screen.page
    box = page.get_by_role("textbox", name="Typed text")
    shown: list[str] = []
    page.expose_function("noted", lambda words: shown.append(words))  # noqa: PLW0108  (a method has no signature)
    page.evaluate(
        """() => new MutationObserver(() => window.noted(window.shadow.querySelector('.heat-grid').textContent))
            .observe(window.shadow.querySelector('.heat-grid'), {childList: true})"""
    )
    with page.expect_request("**/typed"):
        box.fill("older")
    box.fill("newer")
    page.wait_for_timeout(400)  # the pause is over, and the newer text waits for the older answer
    gate.set()
    expect(screen.map(1).locator(".heat-text")).to_have_text("newer")
    assert not [words for words in shown if "older" in words]
    assert [body["texts"]["text"] for route, body in fake.asked if route == "typed"][-2:] == ["older", "newer"]


def test_what_is_typed_of_a_text_is_there_again_when_one_comes_back(saliency: Callable[..., SaliencyPage]) -> None:
    screen, fake = typed(saliency)
    page = screen.page
    box = page.get_by_role("textbox", name="Typed text")
    box.fill("mine")
    expect(screen.map(1).locator(".heat-text")).to_have_text("mine")
    page.locator(".list-row").nth(1).click()
    expect(page.locator(".heat-where h2")).to_have_text("second")
    expect(page.get_by_role("textbox", name="Typed text")).to_have_value("bad slow plot good cast")
    page.locator(".list-row").first.click()
    expect(page.get_by_role("textbox", name="Typed text")).to_have_value("mine")
    assert not [route for route, _ in fake.asked if route in {"case", "hand-in"}]


def test_it_is_saved_as_a_test_case_by_keyboard_and_as_a_version_by_those_alone_who_write_them(
    saliency: Callable[..., SaliencyPage],
) -> None:
    screen, fake = typed(saliency, may_write=False)
    page = screen.page
    expect(page.get_by_role("button", name="Save as a changed version")).to_be_hidden()
    page.get_by_role("textbox", name="Typed text").fill("bad soup")
    page.get_by_role("button", name="Save as a test case").press("Enter")
    expect(page.get_by_role("textbox", name="Suite")).to_be_focused()
    page.get_by_role("combobox", name="What is expected").select_option(label="the same answer as to the stored text")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("It is saved on the page Tests.")
    [body] = [body for route, body in fake.asked if route == "case"]
    assert (body["texts"], body["label"], body["suite"]) == ({"text": "bad soup"}, None, "Typed texts")
