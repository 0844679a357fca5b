"""A researcher looks further than the gold: at everybody's own sets, at slices, and at texts that nobody has stored."""

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from annotator.domain.models import Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR
from annotator.store import open_store
from annotator.store.perturb.perturbations import perturbations_of
from annotator.store.projects import get_project_by_id
from annotator.store.suites import cases_of_suite, list_suites
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.intake import Intake
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=document.title='broken'>"
WORDS = ["the", "soup", "was", "cold", "and", HOSTILE, "dull"]


@pytest.fixture
def annotated(server: Server, tmp_path: Path) -> Server:
    """A text of the sentiment project that six people of a file annotated, with a map."""
    people = [
        {"annotator": f"w-{n}", "label": "negative", "group": f"G{n}", "rationales": [{"text": [n, 3]}]}
        for n in range(1, 7)
    ]
    row = {"id": "crowd", "fields": {"text": {"text": " ".join(WORDS), "tokens": WORDS}}, "label": "negative"}
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row | {"annotations": people}) + "\n", encoding="utf-8")
    scores = (ScoredPart((0.0, 0.1, 0.0, 0.9, 0.0, -0.2, 0.7)),)
    with open_store(server.database) as store:
        project = get_project_by_id(store, 1)
        import_file(store, LOCAL_OPERATOR, project, "jsonl", path)
        output = SourceOutput(
            "crowd", Run("m", "ig", is_signed=True), "f", 1, None, (), (SourceAttribution(scores, "negative"),)
        )
        with store.transaction():
            Intake(store, project, ImportOptions(), ImportReport(), lambda _: None).run([output])
    return server


def test_six_people_are_compared_with_a_map_by_keyboard_and_the_link_shows_the_same_to_others(
    annotated: Server, person: Callable[..., Person]
) -> None:
    lead = person("Lead")
    lead.open(f"/saliency?project=1&instance={lead.instance_id('crowd')}")
    page = lead.page
    page.locator(".heat-panel").first.wait_for()
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    lead.press("g")
    expect(page.locator(".person")).to_have_count(6)
    expect(page.locator(".person").first).to_contain_text("w-1")
    expect(page.locator(".person").first).to_contain_text("G1")
    expect(page.locator(".heat-fit")).to_have_count(6)
    assert page.title() != "broken"
    page.wait_for_url("**gold=people**")
    assert parse_qs(urlsplit(page.url).query)["gold"] == ["people"]

    # A slice by what the file says of annotators lists this text alone, and draws the sets of that group.
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    lead.press("f")
    page.get_by_role("combobox", name="About annotators").select_option(label="annotators' group")
    page.get_by_role("combobox", name="Value of annotators").select_option(label="G2 (1)")
    expect(page.locator(".list-row")).to_have_count(1)
    expect(page.locator(".person input:checked")).to_have_count(1)
    page.wait_for_url("**member=G2**")

    # Somebody who does not see all annotations is not told the names.
    researcher = person("Researcher").open(page.url.removeprefix(annotated.address)).page
    expect(researcher.locator(".person")).to_have_count(6)
    expect(researcher.locator(".list-row")).to_have_count(1)
    expect(researcher.locator(".person").first).to_contain_text("annotator 1")
    expect(researcher.get_by_text("w-1")).to_have_count(0)
    expect(researcher.get_by_role("rowheader", name="F1 with annotator 6")).to_be_attached()


def test_a_typed_text_is_answered_at_once_and_saved_as_a_version_and_as_a_test(
    server: Server, person: Callable[..., Person]
) -> None:
    lead = person("Lead").open("/saliency?project=1")
    page = lead.page
    page.locator(".heat-panel").first.wait_for()
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    lead.press("t")
    box = page.get_by_role("textbox", name="Typed text")
    expect(box).to_be_focused()
    stored = box.input_value()
    lead.press("End")
    page.keyboard.type(" It was a terrible waste of money")
    expect(page.locator(".typed-lines")).to_contain_text("new tokens, 0 tokens gone")
    expect(page.locator(".typed-lines")).to_contain_text("built-in ")
    expect(page.locator(".heat-panel", has_text="terrible").first).to_be_visible()

    page.get_by_role("button", name="Save as a changed version").press("Enter")
    expect(page.get_by_role("combobox", name="Kind of change")).to_be_focused()
    page.get_by_role("textbox", name="Note for the checkers").press("Enter")
    expect(page.get_by_role("alert")).to_have_text("It is saved, and waits for its checkers.")
    lead.press("Escape")
    page.get_by_role("button", name="Save as a test case").press("Enter")
    page.get_by_role("textbox", name="Suite").press("Enter")
    expect(page.get_by_role("alert")).to_have_text("It is saved on the page Tests.")
    with open_store(server.database) as store:
        written = [
            p.current.changed.texts
            for p in perturbations_of(store, int(parse_qs(urlsplit(page.url).query)["instance"][0]))
        ]
        [suite] = [one for one in list_suites(store, 1) if one.name == "Typed texts"]
        [case] = cases_of_suite(store, suite.id)
    assert written[-1] == {"text": f"{stored} It was a terrible waste of money"}
    assert case.texts == (f"{stored} It was a terrible waste of money",)

    # Somebody who writes no changed versions is not offered it.
    researcher = person("Researcher").open("/saliency?project=1").page
    researcher.locator(".heat-panel").first.wait_for()
    researcher.get_by_role("button", name="Type a text").click()
    expect(researcher.get_by_role("button", name="Save as a test case")).to_be_visible()
    expect(researcher.get_by_role("button", name="Save as a changed version")).to_be_hidden()
