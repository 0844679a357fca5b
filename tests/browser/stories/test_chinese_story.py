"""People whose browsers ask for Chinese: an annotator, a lead, a reviewer, a researcher."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.search import Search
from annotator.store import open_store
from annotator.usecases.lead.instance_search import search_instances
from annotator.usecases.project.projects import projects_of
from benchmarks.served import Server
from tests.browser.stories.story import Person, take
from tests.browser.stories.test_annotator_story import SENTIMENT, words_of
from tests.browser.stories.test_review_story import KEY, SET_A, annotation_id, outcomes

pytestmark = pytest.mark.browser
Come = Callable[..., Person]


def hears(ann: Person, words: str) -> None:
    """What is announced to whoever does not see the screen."""
    expect(ann.page.locator(".live").first).to_have_text(re.compile(words))


def test_two_sets_are_marked_with_the_keyboard_alone_and_what_is_heard_is_chinese(server: Server, person: Come) -> None:
    ann = person("Annotator 1", locale="zh-CN").annotate(SENTIMENT)
    key = ann.key
    expect(ann.page.locator("html")).to_have_attribute("lang", "zh")
    hears(ann, "^文本 .+，[0-9]+ 个词元$")
    ann.press("Home", "Space")
    hears(ann, "^1 个词元已加入依据集 A：“.+”$")
    ann.press("n")
    hears(ann, "^依据集 B，0 个词元$")
    ann.press("ArrowRight", "ArrowRight", "Shift+ArrowRight")
    hears(ann, "^2 个词元：“.+”$")
    ann.press("Space")
    hears(ann, "^2 个词元已加入依据集 B：“.+”$")
    ann.press("Control+z")
    hears(ann, "^已撤销$")
    ann.press("Control+Shift+z")
    hears(ann, "^已重做$")
    expect(ann.page.locator(".word").first).to_have_text("已保存")
    ann.saved()
    ann.submit()
    assert [len(words) for words in words_of(server, key)] == [1, 2]
    expect(ann.page.locator(".progress").first).to_have_text(re.compile("^今天 1 篇 · 1 / [0-9]+$"))


def test_whoever_chooses_english_in_my_account_sees_english(person: Come) -> None:
    ann = person("Annotator 1", locale="zh-CN").annotate(SENTIMENT)
    expect(ann.page.get_by_role("button", name="提交").first).to_be_visible()
    ann.open("/account")
    ann.page.get_by_role("button", name="English", exact=True).click()
    expect(ann.page.locator("html")).to_have_attribute("lang", "en")
    ann.annotate(SENTIMENT)
    expect(ann.page.get_by_role("button", name="Submit").first).to_be_visible()
    expect(ann.page.get_by_role("button", name="提交")).to_have_count(0)
    ann.press("Home", "Space")
    hears(ann, "^1 token added to set A: “.+”$")


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_beside_open_guidelines_the_bar_keeps_its_two_rows(person: Come, locale: str) -> None:
    ann = person("Annotator 1", width=1300, height=800, locale=locale).annotate(SENTIMENT)
    bar = ann.page.locator(".bar").first
    heights = {}
    for _time in range(2):
        state = ann.page.evaluate("document.documentElement.dataset.guidelines ?? null")
        box = bar.bounding_box()
        assert box is not None
        heights[state] = box["height"]
        ann.press("g")
        ann.page.wait_for_function("(old) => (document.documentElement.dataset.guidelines ?? null) !== old", arg=state)
    assert len(heights) == 2
    assert len(set(heights.values())) == 1


# A lead whose browser asks for Chinese: progress, a search, texts given out again and taken back, a release.

WORDS = "the"


def n_complete(lead: Person) -> int:
    with open_store(lead.database) as store:
        [project] = [p for p in projects_of(store, LOCAL_OPERATOR) if p.id == SENTIMENT]
        return search_instances(store, LOCAL_OPERATOR, project, Search(words=WORDS, state="complete")).n


def test_a_lead_works_through_a_week_in_chinese(person: Come) -> None:
    lead = person("Lead", locale="zh-CN").open(f"/project?project={SENTIMENT}&section=Progress")
    lead.sees("待标注")
    lead.sees("还剩")
    n = n_complete(lead)
    assert n
    give_out_again_and_undo(lead, n)
    make_a_release(lead)


def give_out_again_and_undo(lead: Person, n: int) -> None:
    lead.open(f"/project?project={SENTIMENT}&section=Instances&state=complete")
    field = lead.page.get_by_label("搜索文本、编号、备注、评语和讨论")
    field.fill(WORDS)
    field.press("Enter")
    lead.page.get_by_role("button", name=f"更改全部 {n} 篇").click()
    take(lead.page.get_by_role("combobox", name="操作"), "重新分配", exact=True)
    lead.page.get_by_role("button", name="重新分配：").click()
    lead.sees("已更改")
    lead.page.get_by_role("button", name="最近的更改").click()
    lead.page.get_by_role("button", name="撤销", exact=True).click()
    lead.sees("已恢复原状")
    assert n_complete(lead) == n


def make_a_release(lead: Person) -> None:
    lead.open(f"/project?project={SENTIMENT}&section=Releases")
    lead.unfold("冻结当前的金标准")
    refusal = lead.page.get_by_text("发布版需要名称").first
    for _press in range(10):  # what is said of one press goes with the next run of a page that is still drawn
        lead.page.get_by_role("button", name="冻结金标准").click()
        lead.page.wait_for_timeout(1000)
        if refusal.is_visible():
            break
    expect(refusal).to_contain_text("请添加许可证")
    lead.page.get_by_label("名称（必填）").fill("camera ready")
    lead.page.get_by_label("许可证（必填）").fill("CC BY 4.0")
    lead.page.get_by_role("button", name="冻结金标准").click()
    lead.sees("已创建发布版 2")


# In Chinese: a reviewer scores with the keyboard and reads what failed the threshold; an author writes a changed version.

CHINESE = "zh-CN"


def test_a_reviewer_scores_with_the_keyboard_and_reads_in_chinese_what_failed_the_threshold(
    server: Server, person: Come
) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT, KEY)
    ann.mark(SET_A)
    ann.submit()
    number = annotation_id(server, KEY)
    for name in ("Reviewer 1", "Reviewer 2"):
        other = person(name).open(f"/review?project={SENTIMENT}&annotation={number}")
        other.wait_for_text()
        other.press("1", "4", "3")
        other.submit_review()

    reviewer = person("Reviewer 3", locale=CHINESE).open(f"/review?project={SENTIMENT}&annotation={number}")
    reviewer.wait_for_text()
    page = reviewer.page
    expect(page.locator(".ask-question")).to_have_text("仅凭依据集 A 能推断出 negative 吗？")
    expect(page.locator(".choice-words").first).to_have_text("不能支持结果")
    reviewer.press("9")
    reviewer.sees("充分性评分是 1 到 3 之间的数字。")
    reviewer.press("1")
    expect(page.locator(".ask-title")).to_contain_text("简洁性评分")
    reviewer.press("4", "3")
    expect(page.locator(".chip.whole")).to_have_attribute("aria-label", re.compile("完备"))
    expect(page.locator(".chip").first).to_have_attribute("title", re.compile("不能支持结果.*简洁"))
    reviewer.submit_review()
    assert outcomes(server, KEY) == ["returned"]

    reviewer.open(f"/review?project={SENTIMENT}&annotation={number}")
    reviewer.wait_for_text()
    reviewer.sees("第 1 轮：退回。")
    reviewer.sees("低于阈值：依据集 A：充分性评分。")
    expect(page.locator(".finding.fails")).to_contain_text("未达标")
    expect(page.locator(".finding.fails")).to_contain_text("(1 + 1 + 1) / 3 = 1 < 3")
    reviewer.press("m")
    reviewer.sees("依据集 A 未达标。充分性评分：3 × 不能支持结果。")


def test_an_author_writes_a_changed_version_in_chinese_and_submits_it_with_the_keyboard(
    server: Server, person: Come
) -> None:
    author = person("Annotator 1", locale=CHINESE)
    author.open(f"/perturb?project={SENTIMENT}&instance={author.instance_id('sentiment-zh-01')}")
    page = author.page
    author.sees("扰动类型")
    expect(page.locator(".work-title")).to_contain_text("sentiment-zh-01")
    author.press("ArrowDown", "Enter")  # the first kind: dispensable words
    copy = page.locator("textarea.copy:visible").first
    expect(copy).to_be_focused()
    expect(page.locator(".desk-facts")).to_contain_text("尚无改动")
    author.press("Control+End")
    copy.press_sequentially("真的。")
    expect(page.locator(".diff ins")).to_have_text("真的。")
    expect(page.locator(".desk-problems li")).to_have_count(0)
    expect(page.get_by_role("button", name="提交")).to_be_visible()
    author.press("Control+Enter")
    author.sees("已提交。将由另外 2 人检查。")
    with open_store(server.database) as store:
        [row] = store.rows("SELECT state, kind FROM perturbations ORDER BY id DESC LIMIT 1")
    assert tuple(row) == ("waiting", "dispensable")


# A researcher whose browser asks for Chinese chooses a run, steps through texts by keyboard, and reads numbers and legends.


def test_a_researcher_reads_attributions_in_chinese(person: Callable[..., Person], tmp_path: Path) -> None:
    researcher = person("Researcher", locale="zh-CN").open("/saliency?project=1")
    page = researcher.page
    page.locator(".heat-panel").first.wait_for()
    expect(page.locator("html")).to_have_attribute("lang", "zh")

    # A run orders the texts, and its map is opened.
    runs = page.get_by_role("combobox", name="按运行排序")
    with page.expect_response("**/api/saliency/list*"):
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
    page.get_by_text("关于这些数值").click()
    expect(page.locator(".heat-numbers dl")).to_contain_text("前 k 个词元与最吻合的金标准依据集的重叠（交集 / 并集）")
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
