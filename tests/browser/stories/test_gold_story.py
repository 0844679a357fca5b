"""The lead's word on gold: an annotator asks, the lead answers, makes a version from two sides, and reads the timeline."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.store import open_store
from annotator.store.projects import get_project_by_id
from annotator.usecases.review.inspection import look_at
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser


def test_a_question_is_answered_and_a_version_is_made_of_what_was_ticked(
    server: Server, person: Callable[..., Person]
) -> None:
    ann = person("Annotator 1").annotate(1)
    ann.press("q")
    ann.page.get_by_role("textbox", name="Ask").fill("Does irony count?")
    ann.press("Control+Enter")
    ann.sees("waiting for the lead's answer")
    lead = person("Lead").open("/project?project=1")
    page = lead.page
    lead.section("Decisions")
    lead.sees("Does irony count?")
    page.get_by_role("textbox", name="Answer").fill("It does.")
    page.get_by_role("button", name="Answer").click()
    lead.sees("There is nothing to decide")
    ann.press("Escape", "q")
    ann.sees("It does.")

    page.goto(f"{server.address}/project?project=1&instance={_with_gold(server)}")
    page.get_by_test_id("stCheckbox").first.click()
    page.get_by_label("Reason", exact=True).fill("as the file has it")
    expect(page.locator(".chip .count").last).not_to_have_text("0")
    page.get_by_role("button", name="Store as gold").click()
    lead.sees("The gold is a version by")
    page.get_by_text("Timeline", exact=True).click()
    lead.sees("made a version of the lead’s the gold")
    page.get_by_role("button", name="Undo the choice").click()
    lead.sees("took back the choice of gold")
    with open_store(server.database) as store:
        choice = look_at(store, LOCAL_OPERATOR, get_project_by_id(store, 1), _with_gold(server)).choice
    assert choice is None


def _with_gold(server: Server) -> int:
    """An instance that a file annotated."""
    with open_store(server.database) as store:
        return int(store.value("SELECT min(instance_id) FROM annotations WHERE annotator = 'source'"))
