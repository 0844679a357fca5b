"""A researcher reads the Metrics page, compares rows, and makes a report of it."""

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotator.domain.instances import Instance
from annotator.domain.models import Prediction, Run, ScoredPart, SourceAttribution, SourceOutput, canonical_parameters
from annotator.domain.people import LOCAL_OPERATOR
from annotator.store import Store, open_store
from annotator.store.events import add_event
from annotator.store.instances import iterate_instance_batches
from annotator.store.models import forget_model
from annotator.store.projects import get_project_by_id
from annotator.usecases.compare.comparison_report import write_report
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.project.projects import give_role
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake
from benchmarks.served import Server
from tests.browser.stories.story import Person, take, unfold
from tests.usecases.compare.hostile_comparison import HOSTILE, hostile_project, hostile_request

pytestmark = pytest.mark.browser

SCRIPT = "<img src=x onerror=document.title='broken'>"


def outputs_of(instance: Instance) -> Iterator[SourceOutput]:
    """Two models; the first with two layers and answers at two thresholds, the second with markup in its name."""
    n = instance.layout.n_selectable
    rising, falling = tuple(float(place) for place in range(n)), tuple(float(-place) for place in range(n))
    answers = tuple(
        Prediction(None, {"negative": p, "positive": 1 - p}, on, threshold)
        for p, on, threshold in ((0.8, "full", None), (0.6, "rest", 0.1), (0.4, "rest", 0.5))
    )
    layers = tuple(SourceAttribution((ScoredPart(scores),), layer=k) for k, scores in enumerate((rising, falling)))
    yield SourceOutput(instance.key, Run("first", "attention"), "f", 1, instance.split, answers, layers)
    other = (SourceAttribution((ScoredPart(falling),)),)
    yield SourceOutput(instance.key, Run(SCRIPT, "lime"), "f", 1, instance.split, answers[:1], other)


def take_in(store: Store, outputs: list[SourceOutput]) -> None:
    report = ImportReport(is_output=True)
    with store.transaction():
        Intake(store, get_project_by_id(store, 1), ImportOptions(), report, lambda _: None).run(outputs)
    assert report.problems == []


@pytest.fixture
def modelled(server: Server) -> Server:
    with open_store(server.database) as store:
        take_in(store, [o for batch in iterate_instance_batches(store, 1) for one in batch for o in outputs_of(one)])
    return server


def test_a_researcher_changes_columns_looks_at_an_instance_and_takes_the_csv(
    modelled: Server, person: Callable[..., Person], tmp_path: Path
) -> None:
    page = person("Researcher").open("/metrics?project=1").page
    table = page.get_by_role("region", name="Metrics by model and method")
    expect(table.get_by_role("row", name="first · attention · layer 1")).to_be_visible()
    expect(table.get_by_role("columnheader", name="Best-set token F1 (higher is better) set by set")).to_be_visible()
    assert page.title() != "broken"

    # Another column; the table scrolls in its box and the page does not.
    page.get_by_role("button", name="Columns").click()
    chooser = page.get_by_role("combobox", name="Columns (of")
    chooser.fill("A whole set found")
    page.get_by_role("option", name="A whole set found").first.click()
    # The page has followed the choice, and the place where one chooses is still open: the rest is hidden from readers meanwhile.
    expect(page.get_by_role("columnheader", name="A whole set found", include_hidden=True).first).to_be_attached()
    expect(page).to_have_url(re.compile("columns=sets.whole_set"))
    expect(page.get_by_role("button", name="Remove plausibility: A whole set found")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    page.get_by_role("button", name="Rows", exact=True).click()
    order = page.get_by_role("combobox", name="Sort rows by")
    order.click()
    order.fill("A whole set found")
    page.keyboard.press("Enter")
    expect(table.get_by_role("columnheader", name="A whole set found")).to_contain_text("best first")

    page.keyboard.press("Escape")
    page.get_by_role("button", name="Columns").click()
    expect(page.get_by_text("Source: defined here; a single set is sufficient").first).to_be_visible()
    page.keyboard.press("Escape")

    unfold(page, re.compile("of .*: [0-9,]+ instances"))
    with page.context.expect_page() as opened:
        page.locator(".instance-list a").first.click()
    expect(opened.value.locator(".heat-where h2")).to_have_text(page.locator(".instance-list a").first.inner_text())

    # Each row over its own instances, as the command has them, since few are shared: then the file holds every row.
    expect(table).not_to_contain_text("shared by all rows")
    for is_shared in (True, False):
        page.get_by_role("button", name="Rows", exact=True).click()
        page.get_by_text("Shared instances only").click()
        page.keyboard.press("Escape")
        of_table = expect(table)
        (of_table.to_contain_text if is_shared else of_table.not_to_contain_text)("shared by all rows")
    page.get_by_role("button", name="Download", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="All as CSV").click()
    path = tmp_path / "metrics.csv"
    download.value.save_as(path)
    _agrees_with_the_command(modelled, path)


def test_a_researcher_reads_plausibility_and_a_comparison_in_chinese_and_takes_a_csv_in_english(
    modelled: Server, person: Callable[..., Person], tmp_path: Path
) -> None:
    page = person("Researcher", locale="zh-CN").open("/metrics?project=1&intervals=1").page
    table = page.get_by_role("region", name="各模型和方法的指标")
    expect(table.get_by_role("columnheader", name="合理性")).to_be_visible()
    expect(table.get_by_role("columnheader", name="最佳依据集的词元 F1 （越高越好） 逐集")).to_be_visible()
    expect(table.get_by_role("row", name="first · attention · 第 1 层")).to_contain_text(
        re.compile(r"0\.\d+ 至 0\.\d+")
    )
    page.get_by_text("关于这些数值").click()
    expect(page.get_by_text("并不说明模型依靠什么。")).to_be_visible()

    page.get_by_role("button", name="行", exact=True).click()
    against = page.get_by_role("combobox", name="对照")
    against.click()
    against.fill("随机")
    page.get_by_role("option", name="随机", exact=True).click()
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile("against=random"))  # an address is the same in every language
    differences = page.get_by_role("region", name="与 随机 的差值")
    expect(differences.get_by_role("row", name="first · attention · 第 1 层")).to_contain_text("校正后")
    expect(page.get_by_text("有差异的实例")).to_be_visible()
    page.get_by_role("button", name="下载", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").first.click()
    download.value.save_as(tmp_path / "differences.csv")
    text = (tmp_path / "differences.csv").read_text(encoding="utf-8")
    lines = list(csv.DictReader(text.splitlines()))
    assert {line["against"] for line in lines} == {"random"}
    assert "Best-set token F1" in {line["title"] for line in lines}
    assert not re.search("[\u4e00-\u9fff]", text)


def _agrees_with_the_command(server: Server, path: Path) -> None:
    """The file holds the numbers of `annotator evaluate project`."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = [row for row in csv.DictReader(file) if not row["part"]]
    found = {(row["model"], row["method"], row["parameters"], row["kind"], row["layer"], row["metric"]): row["value"] for row in lines}  # fmt: skip
    with open_store(server.database) as store:
        numbers: Any = evaluate_project(store, LOCAL_OPERATOR, get_project_by_id(store, 1))
    for of_model in numbers["models"]:
        for row in of_model["methods"]:
            layer = "" if row["layer"] is None else str(row["layer"])
            parameters = canonical_parameters(row["parameters"]) if row["parameters"] else ""
            for name, number in row["plausibility"].items():
                told = found[of_model["model"], row["method"], parameters, row["kind"], layer, name]
                expected = "" if number["value"] is None else pytest.approx(number["value"])
                assert (float(told) if told else told) == expected


def test_a_click_on_a_curve_lists_its_instances(modelled: Server, person: Callable[..., Person]) -> None:
    researcher = person("Researcher", width=1920, height=1080, dark=True).open("/metrics?project=1")
    page = researcher.page
    choose(page, "Chart", "Layers")
    page.locator(".js-plotly-plot .xtitle", has_text="layer").wait_for()  # until then the chart before it stands there
    page.locator(".js-plotly-plot .points path").nth(1).click(force=True)
    researcher.sees("of first · attention · layer 1")
    expect(page.locator(".instance-list a").first).to_be_visible()


def test_the_page_scrolls_with_the_pointer_over_the_table_however_many_rows_it_has(
    modelled: Server, person: Callable[..., Person]
) -> None:
    page = person("Researcher", height=480).open("/metrics?project=1").page
    table = page.get_by_role("region", name="Metrics by model and method")
    expect(table.get_by_role("row").nth(4)).to_be_attached()
    page.get_by_text("Click a point or bar to list it.").wait_for()  # the last on the page but for a fold
    assert table.evaluate("box => box.scrollHeight <= box.clientHeight")  # nothing in it to scroll instead of the page
    box = table.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.wheel(0, 300)
    page.wait_for_function("document.querySelector('[data-testid=stMain]').scrollTop > 200")


def choose(page: Page, name: str, words: str) -> None:
    box = page.get_by_role("combobox", name=name)
    box.click()
    box.fill(words)
    page.keyboard.press("Enter")


def expect_chosen(page: Page) -> None:
    """What the story's link shows."""
    table = page.get_by_role("region", name="Metrics by model and method")
    expect(table.get_by_role("columnheader", name="Best-set token F1")).to_contain_text("best first")
    expect(page.get_by_role("combobox", name="Subtract")).to_have_value("first · attention · layer 1")
    expect(page.get_by_text("Mean difference")).to_be_visible()


def test_a_link_shows_the_same_to_a_colleague_and_f5_and_back_do_as_people_expect(
    modelled: Server, person: Callable[..., Person]
) -> None:
    page = person("Researcher").open("/metrics?project=1").page
    page.get_by_role("button", name="Rows", exact=True).click()
    choose(page, "Sort rows by", "Best-set token F1")
    page.keyboard.press("Escape")
    expect(page).to_have_url(re.compile(r"order=sets\.best_f1"))
    choose(page, "Subtract", "first · attention · layer 1")
    expect(page).to_have_url(re.compile(r"minus=first(/|%2F)attention"))
    expect_chosen(page)

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("Link copied.")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")

    page.reload()
    expect_chosen(page)

    colleague = person("Lead").page
    colleague.goto(link)
    expect_chosen(colleague)

    page.go_back()
    expect(page.get_by_role("combobox", name="Subtract")).to_have_value("(none)")
    table = page.get_by_role("region", name="Metrics by model and method")
    expect(table.get_by_role("columnheader", name="Best-set token F1")).to_contain_text("best first")
    page.go_back()
    expect(table.get_by_role("columnheader", name="Best-set token F1")).not_to_contain_text("best first")


def test_a_link_to_what_is_gone_says_so_and_a_browser_without_clipboard_shows_the_link(
    modelled: Server, person: Callable[..., Person]
) -> None:
    researcher = person("Researcher")
    researcher.change_browser("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page = researcher.page
    page.goto(f"{modelled.address}/metrics?project=1&chart=Layers&split=nowhere&row=%3Cimg+src%3Dx%3E&evil=1")
    expect(page.get_by_text("Split “nowhere”, Row “<img src=x>”, “evil”")).to_be_visible()
    expect(page.get_by_role("combobox", name="Chart")).to_have_value("Layers")
    page.get_by_role("button", name="Copy link").click()
    field = page.get_by_role("textbox", name="Copy link")
    expect(field).to_be_focused()
    expect(field).to_have_value(f"{modelled.address}/metrics?project=1&chart=Layers")


def test_a_saved_view_is_opened_by_a_colleague_and_says_what_has_gone_since(
    modelled: Server, person: Callable[..., Person]
) -> None:
    page = person("Researcher").open("/metrics?project=1&models=first&chart=Layers").page
    page.get_by_role("button", name="Views").click()
    page.get_by_role("textbox", name="Save current choices as").fill("By layer")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved as “By layer”.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"project=1&view=1$"))

    with open_store(modelled.database) as store, store.transaction():
        forget_model(store, 1, "first")
        add_event(store, "operator", "import", "project", 1, project_id=1, format="predictions", file="new.jsonl")
    colleague = person("Lead").open("/metrics?project=1").page
    colleague.get_by_role("button", name="Views").click()
    take(colleague.get_by_role("combobox", name="Open a view"), "By layer (Researcher)")
    expect(colleague.get_by_text("The view “By layer”: Not found, so ignored: Model “first”")).to_be_visible()
    expect(colleague.get_by_role("combobox", name="Chart")).to_have_value("Layers")
    expect(colleague).to_have_url(re.compile(r"project=1&view=1$"))
    colleague.get_by_role("textbox", name="View name").fill("By depth")  # a lead may
    colleague.keyboard.press("Enter")
    expect(colleague.get_by_text("View renamed to “By depth”.")).to_be_visible()
    colleague.get_by_role("button", name="Delete").click()
    expect(colleague.get_by_text("Deleted “By depth”.")).to_be_visible()
    colleague.go_back()
    expect(colleague.get_by_text("Not found, so ignored: View “1”.")).to_be_visible()


def test_the_columns_of_a_first_visit_stand_whole_and_what_a_popover_holds_comes_next_after_its_button_by_keyboard(
    person: Callable[..., Person],
) -> None:
    page = person("Researcher").open("/metrics?project=1").page
    table = page.get_by_role("region", name="Metrics by model and method")
    expect(table.get_by_role("columnheader", name="Accuracy")).to_be_visible()
    assert table.evaluate("box => box.scrollWidth <= box.clientWidth")
    button = page.get_by_role("button", name="Views")
    name = page.get_by_role("textbox", name="Save current choices as")
    expect(page.get_by_role("button", name="Copy link")).to_be_visible()  # it is drawn last
    button.press("Enter")
    expect(name).to_be_visible()
    page.keyboard.press("Tab")
    expect(name).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(button).to_be_focused()
    for _ in range(3):  # the name, the button that saves, and what follows the popover's button
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Copy link")).to_be_focused()
    button.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(name).to_be_hidden()
    expect(button).to_be_focused()


# A researcher compares attributions from a file with other rows on the Metrics page, and opens a text in which they differ.


def from_a_file(instance: Instance) -> SourceOutput:
    """Attributions without a model that could be asked."""
    scores = tuple(float(place % 5) for place in range(instance.layout.n_selectable))
    attributions = (SourceAttribution((ScoredPart(scores),)),)
    return SourceOutput(instance.key, Run("theirs", "file"), "f", 1, instance.split, (), attributions)


@pytest.fixture
def with_a_file(server: Server) -> Server:
    with open_store(server.database) as store:
        take_in(store, [from_a_file(one) for batch in iterate_instance_batches(store, 1) for one in batch])
    return server


def test_a_researcher_compares_rows_with_those_of_a_file_by_the_keyboard_and_opens_a_text_with_both_maps(
    with_a_file: Server, person: Callable[..., Person]
) -> None:
    researcher = person("Researcher").open("/metrics?project=1")
    page = researcher.page
    researcher.settles()
    page.get_by_role("button", name="Rows", exact=True).click()
    page.get_by_role("combobox", name="Compare with").focus()
    page.keyboard.type("theirs")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    table = page.get_by_role("region", name="Differences from theirs · file")
    expect(table.get_by_role("row", name="theirs · file reference for the other rows")).to_be_visible()
    expect(table.get_by_role("row", name="minilm · lime")).to_contain_text("corrected")
    expect(table.get_by_role("row", name="minilm · lime")).to_contain_text("n 24")
    expect(page.get_by_text("Holm-corrected for")).to_be_visible()

    researcher.settles()
    page.get_by_role("combobox", name="Compared row").focus()
    page.keyboard.type("minilm · lime")
    page.keyboard.press("Enter")
    expect(page.get_by_text("minilm · lime higher in")).to_be_visible()
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


# A researcher makes a report of a comparison on the Metrics page and opens it as a colleague would: alone, from a file.


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
    dialog.get_by_role("button", name="Prepare report").click()
    expect(dialog.get_by_text("Name annotators")).to_have_count(0)  # only leads may give names away
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Download Sentiment-report.html").click()
    path = tmp_path / "report.html"
    download.value.save_as(path)
    report = page.context.new_page()
    report.emulate_media(color_scheme="dark")
    assert opened(report, path) == []
    assert report.get_by_role("heading", level=1).inner_text() == "What two models look at"
    assert report.locator("article .heat .top").count() > 0
    for width, height in ((1280, 720), (1920, 1080)):
        report.set_viewport_size({"width": width, "height": height})
        assert report.evaluate("document.documentElement.scrollWidth <= innerWidth")
        too_wide = "[...document.querySelectorAll('h4, .about span, .chart th, dd, .heat p')].filter(e => e.scrollWidth > e.clientWidth + 1 && e.clientWidth).length"
        assert report.evaluate(too_wide) == 0


def test_a_report_follows_the_group_and_the_row_that_the_table_is_compared_with(
    person: Callable[..., Person], tmp_path: Path
) -> None:
    address = "/metrics?project=1&group_by=label&group=positive&against=random&compared_metric=sets.best_f1"
    page = person("Researcher").open(address).page
    page.get_by_role("button", name="Report", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Covers one group: label positive.")).to_be_visible()
    take(dialog.get_by_role("combobox", name="Texts"), "largest differences")
    dialog.get_by_role("button", name="Prepare report").click()
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
    expect(researcher.page.get_by_role("button", name="Prepare report")).to_be_visible()
    report = researcher.page.context.new_page()
    assert opened(report, path) == []
    assert report.title() == HOSTILE[:200]
    assert report.locator("script, img, a, iframe, object, link").count() == 0
    assert report.locator("article h3").first.inner_text() == f"{HOSTILE}1"
    assert "{{ 7 * 7 }}" in report.locator("article .heat").first.inner_text()

    # A script, a picture and a style sheet put into the page by hand are neither run nor fetched.
    address = f"{server.address}/nothing"
    slipped = (
        f"<script>document.title='broken'</script><img src='{address}.png'><link rel=stylesheet href='{address}.css'>"
    )
    path.write_text(path.read_text(encoding="utf-8").replace("<main>", f"<main>{slipped}"), encoding="utf-8")
    report = researcher.page.context.new_page()
    noted = opened(report, path)
    assert report.title() == HOSTILE[:200]
    assert [text for text in noted if "Content Security Policy" in text]
    loaded = "performance.getEntriesByType('resource').filter(entry => entry.transferSize > 0).length"
    assert report.evaluate(loaded) == 0
