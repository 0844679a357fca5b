"""A researcher compares attributions from a file with other rows on the Metrics page, and opens a text in which they differ."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from annotator.domain.instances import Instance
from annotator.domain.models import Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.store import open_store
from annotator.store.instances import iterate_instance_batches
from annotator.store.projects import get_project_by_id
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.intake import Intake
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser


def from_a_file(instance: Instance) -> SourceOutput:
    """Attributions without a model that could be asked."""
    scores = tuple(float(place % 5) for place in range(instance.layout.n_selectable))
    attributions = (SourceAttribution((ScoredPart(scores),)),)
    return SourceOutput(instance.key, Run("theirs", "file"), "f", 1, instance.split, (), attributions)


@pytest.fixture
def with_a_file(server: Server) -> Server:
    with open_store(server.database) as store:
        project = get_project_by_id(store, 1)
        outputs = [from_a_file(one) for batch in iterate_instance_batches(store, 1) for one in batch]
        report = ImportReport(is_output=True)
        with store.transaction():
            Intake(store, project, ImportOptions(), report, lambda _: None).run(outputs)
        assert report.problems == []
    return server


def test_a_researcher_compares_rows_with_those_of_a_file_by_the_keyboard_and_opens_a_text_with_both_maps(
    with_a_file: Server, person: Callable[..., Person]
) -> None:
    page = person("Researcher").open("/metrics?project=1").page
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.get_by_role("combobox", name="Against").focus()
    page.keyboard.type("theirs")
    page.keyboard.press("Enter")
    table = page.get_by_role("region", name="Differences from theirs · file")
    expect(table.get_by_role("row", name="theirs · file what the others are compared with")).to_be_visible()
    expect(table.get_by_role("row", name="minilm · lime")).to_contain_text("corrected")
    expect(table.get_by_role("row", name="minilm · lime")).to_contain_text("n 20")
    expect(page.get_by_text("comparisons of this table")).to_be_visible()

    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    page.get_by_role("combobox", name="Compared row").focus()
    page.keyboard.type("minilm · lime")
    page.keyboard.press("Enter")
    expect(page.get_by_text("minilm · lime is higher in")).to_be_visible()
    instances = page.get_by_role("table", name="minilm · lime is higher").get_by_role("link")
    key = instances.first.inner_text()
    with page.context.expect_page() as opened:
        instances.first.press("Enter")
    saliency = opened.value
    expect(saliency.locator(".heat-where h2")).to_have_text(key)
    panels = saliency.locator(".heat-panel")
    expect(panels).to_have_count(2)
    expect(panels.nth(0)).to_contain_text("minilm")
    expect(panels.nth(1)).to_contain_text("theirs")
