"""A researcher makes a report of a comparison on the Metrics page and opens it as a colleague would: alone, from a file."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.store import open_store
from annotator.usecases.compare.comparison_report import write_report
from annotator.usecases.project.projects import give_role
from benchmarks.served import Server
from tests.browser.stories.story import Person
from tests.usecases.compare.hostile_comparison import HOSTILE, hostile_project, hostile_request

pytestmark = pytest.mark.browser


def opened(page: Page, path: Path) -> list[str]:
    """Open a file in a tab; what it asks for, what it says on the console, and dialogs, are noted in the answer."""
    noted: list[str] = []
    page.on("request", lambda request: noted.append(request.url))
    page.on("console", lambda message: noted.append(message.text))
    page.on("dialog", lambda dialog: (noted.append(dialog.message), dialog.dismiss()))
    page.goto(path.as_uri())
    page.wait_for_load_state("networkidle")
    assert noted.pop(0) == path.as_uri()
    return noted


def test_a_report_is_made_on_the_page_and_opens_without_a_server(person: Callable[..., Person], tmp_path: Path) -> None:
    researcher = person("Researcher").open("/metrics?project=1")
    page = researcher.page
    page.get_by_role("button", name="Report", exact=True).click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Title").fill("What two models look at")
    dialog.get_by_label("Title").press("Enter")
    dialog.get_by_role("button", name="Prepare the report").click()
    expect(dialog.get_by_text("Tell who made each gold set")).to_have_count(0)  # only leads may give names away
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Download Sentiment-report.html").click()
    path = tmp_path / "report.html"
    download.value.save_as(path)
    for width, height in ((1280, 720), (1920, 1080)):
        context = researcher.page.context.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark"
        )  # type: ignore[union-attr]
        report = context.new_page()
        assert opened(report, path) == []
        assert report.get_by_role("heading", level=1).inner_text() == "What two models look at"
        assert report.locator("article .heat .top").count() > 0
        assert report.evaluate("document.documentElement.scrollWidth <= innerWidth")
        too_wide = "[...document.querySelectorAll('h4, .about span, .chart th, dd, .heat p')].filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth).length"
        assert report.evaluate(too_wide) == 0
        context.close()


def test_a_report_follows_the_group_and_the_row_that_the_table_is_compared_with(
    person: Callable[..., Person], tmp_path: Path
) -> None:
    address = "/metrics?project=1&group_by=label&group=positive&against=random&compared_metric=sets.best_f1"
    page = person("Researcher").open(address).page
    page.get_by_role("button", name="Report", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("It is about one group alone: label positive.")).to_be_visible()
    dialog.get_by_label("Texts").click()
    page.get_by_role("option", name="in which the two rows differ most").click()
    dialog.get_by_role("button", name="Prepare the report").click()
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Download Sentiment-report.html").click()
    path = tmp_path / "report.html"
    download.value.save_as(path)
    report = page.context.new_page()
    report.set_viewport_size({"width": 1280, "height": 720})
    assert opened(report, path) == []
    expect(report.get_by_role("heading", name="Metrics: label positive (")).to_be_visible()
    expect(report.get_by_role("heading", name="Differences from random")).to_be_visible()
    expect(report.get_by_role("heading", name="Where they differ: Best-set token F1")).to_be_visible()
    assert report.locator("section[aria-labelledby=differences] .plain tbody tr").count() > 0
    assert report.locator("article .about", has_text="gold: negative").count() == 0
    assert report.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_report_full_of_hostile_names_runs_nothing_and_asks_for_nothing(
    server: Server, person: Callable[..., Person], tmp_path: Path
) -> None:
    path = tmp_path / "report.html"
    with open_store(server.database) as store:
        project = hostile_project(store, tmp_path)
        give_role(store, LOCAL_OPERATOR, project.id, "Researcher", "researcher")
        write_report(store, LOCAL_OPERATOR, project, hostile_request(), path)
    researcher = person("Researcher").open(f"/metrics?project={project.id}")
    researcher.page.get_by_role("button", name="Report", exact=True).click()
    expect(researcher.page.get_by_role("button", name="Prepare the report")).to_be_visible()
    report = researcher.page.context.new_page()
    assert opened(report, path) == []
    assert report.title() == HOSTILE[:200]
    assert report.locator("script, img, a, iframe, object, link").count() == 0
    assert report.locator("article h3").first.inner_text() == f"{HOSTILE}1"
    assert "{{ 7 * 7 }}" in report.locator("article .heat").first.inner_text()


def test_the_policy_of_the_page_would_stop_what_slipped_through(
    server: Server, person: Callable[..., Person], tmp_path: Path
) -> None:
    """A script, a picture and a style sheet put into the page by hand are neither run nor fetched."""
    path = tmp_path / "report.html"
    with open_store(server.database) as store:
        project = hostile_project(store, tmp_path)
        write_report(store, LOCAL_OPERATOR, project, hostile_request(), path)
    address = f"{server.address}/nothing"
    slipped = (
        f"<script>document.title='broken'</script><img src='{address}.png'><link rel=stylesheet href='{address}.css'>"
    )
    path.write_text(path.read_text(encoding="utf-8").replace("<main>", f"<main>{slipped}"), encoding="utf-8")
    report = person("Researcher").page.context.new_page()
    noted = opened(report, path)
    assert report.title() == HOSTILE[:200]
    assert [text for text in noted if "Content Security Policy" in text]
    loaded = "performance.getEntriesByType('resource').filter(entry => entry.transferSize > 0).length"
    assert report.evaluate(loaded) == 0
