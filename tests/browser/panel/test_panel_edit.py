"""The panel for a version of the lead's own: marks only; ticked sets come and go; what is stored goes to the script."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from playwright.sync_api import expect

from tests.browser.panel import samples
from tests.browser.panel.harness import Fake, PanelPage, project, work

pytestmark = pytest.mark.browser
Open = Callable[..., PanelPage]

WORDS = {"store": "Store as gold", "reason": "Reason", "reason_hint": "why", "reason_missing": "Say why."}


@dataclass
class EditFake(Fake):
    """The page's script gives one version to edit; no route is asked."""

    entry: ClassVar[str] = "annotate/edit.js"

    def mount(self) -> dict[str, Any]:
        return {"project": 1, "settings": project(result_mode="give"), "work": self.works[0], "words": WORDS}


def version(*sets: list[list[int]]) -> EditFake:
    return EditFake([work(1, samples.english(), draft=samples.draft(*sets, result="positive"))])


def tick(shown: PanelPage, *sets: list[list[int]]) -> None:
    """The script runs again, with these sets to begin with."""
    shown.page.evaluate(
        "(sets) => mount({ work: { ...mountData.work, draft: { ...mountData.work.draft, sets } } })", list(sets)
    )


def test_a_version_is_stored_with_its_reason_and_no_route_is_asked(panel: Open) -> None:
    shown = panel(version([[1, 3]]))
    shown.keys("n")
    shown.click(5)
    shown.keys("Control+Enter")
    expect(shown.page.locator(".hint")).to_have_text("Say why.")
    shown.page.keyboard.type("clear")
    shown.keys("Control+Enter")
    assert shown.page.evaluate("window.triggers") == [
        ["version", {"result": "positive", "sets": [[[1, 3]], [[5, 6]]], "note": "clear", "no_rationale": False}]
    ]
    assert shown.fake.messages == []
    assert shown.page.evaluate("Object.keys(localStorage).length") == 0


def test_what_belongs_to_a_queue_of_work_is_not_there(panel: Open) -> None:
    shown = panel(version([[1, 3]]))
    for name in ("Skip", "Discard", "Guidelines", "My work", "Ask", "Submit"):
        expect(shown.page.get_by_role("button", name=name)).to_have_count(0)
    shown.keys("s", "d", "q", "m", "g")
    expect(shown.page.locator("dialog")).to_have_count(0)
    shown.keys("?")
    assert "skip for now" not in shown.text(".key-list")


def test_sets_that_are_ticked_come_and_those_unticked_go_but_what_was_changed_here_stays(panel: Open) -> None:
    shown = panel(version([[1, 3]]))
    tick(shown, [[1, 3]], [[5, 7]])
    assert shown.counts() == ["2", "2"]
    shown.keys("2")
    shown.click(8)
    assert shown.counts() == ["2", "3"]
    tick(shown)
    assert shown.counts() == ["3"]
    shown.keys("Control+z")
    assert shown.counts() == ["2", "3"]


def test_an_empty_set_is_refused_before_anything_is_sent(panel: Open) -> None:
    shown = panel(version())
    shown.keys("Control+Enter")
    expect(shown.page.locator(".hint")).to_contain_text("Nothing is marked yet.")
    assert shown.page.evaluate("window.triggers") == []
