"""A researcher reads the Metrics page: other columns, another order, what a column means, an instance in Saliency, the CSV."""

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
from annotator.store import open_store
from annotator.store.events import add_event
from annotator.store.instances import iterate_instance_batches
from annotator.store.models import forget_model
from annotator.store.projects import get_project_by_id
from annotator.usecases.inspect.project_scores import evaluate_project
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.intake import Intake
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=document.title='broken'>"


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
    yield SourceOutput(instance.key, Run(HOSTILE, "lime"), "f", 1, instance.split, answers[:1], other)


@pytest.fixture
def modelled(server: Server) -> Server:
    with open_store(server.database) as store:
        project = get_project_by_id(store, 1)
        outputs = [o for batch in iterate_instance_batches(store, 1) for one in batch for o in outputs_of(one)]
        report = ImportReport(is_output=True)
        with store.transaction():
            Intake(store, project, ImportOptions(), report, lambda _: None).run(outputs)
        assert report.problems == []
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
    chooser = page.get_by_role("combobox", name="Columns, of")
    chooser.fill("A whole set found")
    page.get_by_role("option", name="A whole set found").first.click()
    # The page has followed the choice, and the place where one chooses is still open: the rest is hidden from readers meanwhile.
    expect(page.get_by_role("columnheader", name="A whole set found", include_hidden=True).first).to_be_attached()
    expect(page).to_have_url(re.compile("columns=sets.whole_set"))
    expect(page.get_by_role("button", name="Remove plausibility: A whole set found")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    order = page.get_by_role("combobox", name="Sort rows by")
    order.click()
    order.fill("A whole set found")
    page.keyboard.press("Enter")
    expect(table.get_by_role("columnheader", name="A whole set found")).to_contain_text("best first")

    page.get_by_role("button", name="What they mean").click()
    expect(page.get_by_text("Source: ours; a set alone is sufficient").first).to_be_visible()
    page.keyboard.press("Escape")

    with page.context.expect_page() as opened:
        page.locator(".instance-list a").first.click()
    expect(opened.value.locator(".heat-where h2")).to_have_text(page.locator(".instance-list a").first.inner_text())

    # Each row over its own instances, as the command has them, since few are shared: then the file holds every row.
    page.get_by_text("Only instances that all shown rows have").click()
    expect(table).to_contain_text("shared by all rows")
    page.get_by_text("Only instances that all shown rows have").click()
    expect(table).to_contain_text("over different instances")
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
    page.get_by_text("是否优于随机？用文字说明").click()
    expect(page.get_by_text("合理性优于随机，说明与人的看法一致；它并不说明模型依靠什么。")).to_be_visible()

    against = page.get_by_role("combobox", name="对照")
    against.click()
    against.fill("随机")
    page.get_by_role("option", name="对照：随机").click()
    expect(page).to_have_url(re.compile("against=random"))  # an address is the same in every language
    differences = page.get_by_role("region", name="与 随机 的差值")
    expect(differences.get_by_role("row", name="first · attention · 第 1 层")).to_contain_text("校正后")
    expect(page.get_by_text("有差异的实例")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
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
    page.get_by_text("Layers", exact=True).click()
    page.locator(".js-plotly-plot .xtitle", has_text="layer").wait_for()  # until then the chart before it stands there
    page.locator(".js-plotly-plot .points path").nth(1).click(force=True)
    researcher.sees("of first · attention · layer 1")
    assert page.locator(".instance-list a").count() > 0


def test_the_page_scrolls_with_the_pointer_over_the_table_however_many_rows_it_has(
    modelled: Server, person: Callable[..., Person]
) -> None:
    page = person("Researcher", height=480).open("/metrics?project=1").page
    table = page.get_by_role("region", name="Metrics by model and method")
    expect(table.get_by_role("row").nth(4)).to_be_attached()
    page.locator(".instance-list").wait_for()  # the last on the page
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
    expect(page.get_by_role("combobox", name="Minus the value of")).to_have_value("first · attention · layer 1")
    expect(page.get_by_text("Mean difference")).to_be_visible()


def test_a_link_shows_the_same_to_a_colleague_and_f5_and_back_do_as_people_expect(
    modelled: Server,
    person: Callable[..., Person],
) -> None:
    page = person("Researcher").open("/metrics?project=1").page
    choose(page, "Sort rows by", "Best-set token F1")
    expect(page).to_have_url(re.compile(r"order=sets\.best_f1"))
    choose(page, "Minus the value of", "first · attention · layer 1")
    expect(page).to_have_url(re.compile(r"minus=first(/|%2F)attention"))
    expect_chosen(page)

    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_text("The link is copied.")).to_be_visible()
    link = page.evaluate("navigator.clipboard.readText()")

    page.reload()
    expect_chosen(page)

    colleague = person("Lead").page
    colleague.goto(link)
    expect_chosen(colleague)

    page.go_back()
    expect(page.get_by_role("combobox", name="Minus the value of")).to_have_value("(nothing)")
    table = page.get_by_role("region", name="Metrics by model and method")
    expect(table.get_by_role("columnheader", name="Best-set token F1")).to_contain_text("best first")
    page.go_back()
    expect(table.get_by_role("columnheader", name="Best-set token F1")).not_to_contain_text("best first")


def test_a_link_to_what_is_gone_says_so_and_a_browser_without_clipboard_shows_the_link(
    modelled: Server,
    person: Callable[..., Person],
) -> None:
    page = person("Researcher").page
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.goto(f"{modelled.address}/metrics?project=1&chart=Layers&split=nowhere&row=%3Cimg+src%3Dx%3E&evil=1")
    expect(
        page.get_by_text("the split “nowhere”, the row “<img src=x>” and “evil”, which are not here")
    ).to_be_visible()
    expect(page.get_by_role("radio", name="Layers")).to_be_checked()
    page.get_by_role("button", name="Copy link").click()
    field = page.get_by_role("textbox", name="The link to what is shown")
    expect(field).to_be_focused()
    expect(field).to_have_value(f"{modelled.address}/metrics?project=1&chart=Layers")


def test_a_saved_view_is_opened_by_a_colleague_and_says_what_has_gone_since(
    modelled: Server, person: Callable[..., Person]
) -> None:
    page = person("Researcher").open("/metrics?project=1&models=first&chart=Layers").page
    page.get_by_role("button", name="Views").click()
    page.get_by_role("textbox", name="Save what is chosen now, as").fill("By layer")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Saved as “By layer”.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"project=1&view=1$"))

    with open_store(modelled.database) as store, store.transaction():
        forget_model(store, 1, "first")
        add_event(store, "operator", "import", "project", 1, project_id=1, format="predictions", file="new.jsonl")
    colleague = person("Lead").open("/metrics?project=1").page
    colleague.get_by_role("button", name="Views").click()
    colleague.get_by_role("combobox", name="Open a view").click()
    colleague.get_by_role("option", name="By layer (Researcher)").click()
    expect(colleague.get_by_text("The view “By layer” asks for the model “first”, which is not here")).to_be_visible()
    expect(colleague.get_by_role("radio", name="Layers")).to_be_checked()
    expect(colleague).to_have_url(re.compile(r"project=1&view=1$"))
    colleague.get_by_role("textbox", name="Name of this view").fill("By depth")  # a lead may
    colleague.keyboard.press("Enter")
    expect(colleague.get_by_text("The view is called “By depth” now.")).to_be_visible()
    colleague.get_by_role("button", name="Delete").click()
    expect(colleague.get_by_text("Deleted “By depth”.")).to_be_visible()
    colleague.go_back()
    expect(colleague.get_by_text("asks for the view number “1”, which is not here")).to_be_visible()


def test_what_a_popover_holds_comes_next_after_its_button_by_keyboard(
    server: Server, person: Callable[..., Person]
) -> None:
    page = person("Researcher").open("/metrics?project=1").page
    button = page.get_by_role("button", name="Views")
    name = page.get_by_role("textbox", name="Save what is chosen now, as")
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


def test_the_columns_of_a_first_visit_stand_whole_on_a_small_screen(
    server: Server, person: Callable[..., Person]
) -> None:
    page = person("Researcher").open("/metrics?project=1").page
    table = page.get_by_role("region", name="Metrics by model and method")
    expect(table.get_by_role("columnheader", name="Accuracy")).to_be_visible()
    assert table.evaluate("box => box.scrollWidth <= box.clientWidth")
