"""A researcher whose browser asks for Chinese chooses a run, steps through texts by keyboard, and reads numbers and legends."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser


def test_a_researcher_reads_attributions_in_chinese(person: Callable[..., Person], tmp_path: Path) -> None:
    researcher = person("Researcher", locale="zh-CN").open("/saliency?project=1")
    page = researcher.page
    page.locator(".heat-panel").first.wait_for()
    expect(page.locator("html")).to_have_attribute("lang", "zh")

    # A run orders the texts, and its map is opened.
    runs = page.get_by_role("combobox", name="按运行排序")
    runs.select_option(index=1)
    expect(page.get_by_role("combobox", name="运行的数值")).to_be_visible()
    expect(page.locator(".list-count")).to_contain_text("篇，共")

    # Keys step through the texts, as far as the list goes.
    page.locator(".heat-main").click(position={"x": 150, "y": 6})
    first = page.locator(".heat-where h2").inner_text()
    researcher.press("j")
    expect(page.locator(".heat-where h2")).not_to_have_text(first)
    researcher.press("k")
    expect(page.locator(".heat-where h2")).to_have_text(first)
    researcher.press("k")
    researcher.sees("这是列表中的第一篇文本。")

    # What the colours and the numbers mean is said in the same language, with the names of the papers as they are.
    expect(page.locator(".heat-legend").first).to_contain_text("支持")
    expect(page.get_by_role("rowheader", name="词元 F1", exact=True)).to_be_visible()
    expect(page.get_by_role("rowheader", name="IoU", exact=True)).to_be_visible()
    page.get_by_text("这些数值的含义").click()
    expect(page.locator(".heat-numbers dl")).to_contain_text("同一依据集的 |前 k 个 ∩ 依据集| / |前 k 个 ∪ 依据集|")
    page.locator(".heat-panel .t").first.hover()
    expect(page.locator(".heat-pointed").first).to_contain_text("排名第")

    # What a paper takes along stays English.
    researcher.press("e")
    with page.expect_download() as download:
        page.get_by_role("button", name="LaTeX").click()
    path = tmp_path / "maps.tex"
    download.value.save_as(path)
    latex = path.read_text(encoding="utf-8")
    assert "supports" in latex
    assert not any("\u4e00" <= sign <= "\u9fff" for sign in latex)
