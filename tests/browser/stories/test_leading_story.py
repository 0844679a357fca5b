"""What a lead and an annotator meet at 1280×720: where a new project opens, what covers what, and which keys are to be seen."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from annotator.store import open_store
from annotator.store.projects import find_project
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]


def test_a_new_project_opens_where_one_begins_and_what_is_saved_is_said_below_the_sections(person: Come) -> None:
    lead = person("Lead").open("/project?project=1")
    lead.section("Rules")
    lead.page.get_by_role("button", name="Save the rules").click()
    toast = lead.page.get_by_test_id("stToast")
    expect(toast).to_be_visible()
    expect(lead.page.get_by_text("The rules are saved.")).to_be_visible()
    box = lead.page.get_by_test_id("stToastContainer").bounding_box()
    assert box is not None
    assert box["y"] > 360, "it covers neither the sections nor the first line of the page"
    lead.page.get_by_role("button", name="New project").click()
    lead.page.get_by_role("dialog").get_by_label("Name of the project", exact=True).fill("Fresh")
    lead.page.get_by_role("button", name="Create").click()
    expect(lead.page.get_by_role("heading", name="Fresh")).to_be_visible()
    lead.sees("Choose a file to begin")


def test_the_keys_are_to_be_seen_beside_open_guidelines(person: Come) -> None:
    page = person("Lead").annotate(1).page
    expect(page.locator(".guidelines-close")).to_be_visible()
    for name in ("Skip", "Discard", "Submit", "New set", "Erase", "Hide sets"):
        button = page.get_by_role("button", name=name).first
        key = button.locator("kbd")
        expect(key).to_be_visible()
        box, around = key.bounding_box(), button.bounding_box()
        assert box is not None
        assert around is not None
        assert 0 < box["x"] < box["x"] + box["width"] < 960, f"the key of {name} lies beside the guidelines"
        assert around["x"] <= box["x"], f"the key of {name} stays within its button"
        assert box["x"] + box["width"] <= around["x"] + around["width"], f"the key of {name} stays within its button"
        assert around["y"] <= box["y"], f"the key of {name} stays within its button"
        assert box["y"] + box["height"] <= around["y"] + around["height"], f"the key of {name} stays within its button"


def test_a_lead_renames_a_label_and_archives_the_project(person: Come) -> None:
    lead = person("Lead").open("/project?project=1")
    lead.section("Rules")
    page = lead.page
    page.get_by_role("button", name="Add, rename or map a label").click()
    page.get_by_text("Rename one").click()
    page.get_by_label("Its new name").fill("bad")
    page.get_by_label("Its new name").press("Tab")
    lead.sees("The way back is to give the label its old name again.")
    page.get_by_role("button", name="Rename the label").click()
    lead.sees("“negative” is now “bad”")
    expect(page.get_by_label("Labels, separated by commas")).to_have_value("bad, positive")
    page.get_by_role("button", name="Archive the project").click()
    page.get_by_role("dialog").get_by_role("button", name="Archive it").click()
    lead.sees("Archived since")
    with open_store(lead.database) as store:
        project = find_project(store, "Sentiment")
    assert project is not None
    assert (project.is_archived, project.labels) == (True, ("bad", "positive"))
    lead.open("/annotate?project=1")
    lead.sees("is archived: nothing of it is given out")
    lead.open("/project?project=1")
    page.get_by_role("button", name="Bring it back").click()
    lead.sees("is at work again")


def test_more_annotators_are_saved_after_the_lead_has_read_what_becomes_incomplete(person: Come) -> None:
    lead = person("Lead").open("/project?project=1")
    lead.section("Rules")
    field = lead.page.get_by_label("Annotators a text", exact=True)
    wanted = str(int(field.input_value()) + 1)
    field.fill(wanted)
    lead.page.get_by_role("button", name="Save the rules").click()
    expect(lead.page.get_by_role("dialog").get_by_text("become incomplete")).to_be_visible()
    lead.page.get_by_role("button", name="Save the rules all the same").click()
    expect(lead.page.get_by_test_id("stToast")).to_be_visible()
    with open_store(lead.database) as store:
        project = find_project(store, "Sentiment")
        assert project is not None
        assert str(project.settings.annotators_per_instance) == wanted
