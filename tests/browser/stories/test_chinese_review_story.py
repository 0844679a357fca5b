"""In Chinese: a reviewer scores with the keyboard and reads what failed the threshold; an author writes a changed version."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from annotator.store import open_store
from benchmarks.served import Server
from tests.browser.stories.story import Person
from tests.browser.stories.test_review_story import KEY, SENTIMENT, SET_A, annotation_id, outcomes

pytestmark = pytest.mark.browser
Come = Callable[..., Person]
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
    expect(page.locator(".ask-given")).to_have_attribute("title", "A 不能支持结果 简洁 · 整体 完备")
    reviewer.submit_review()
    assert outcomes(server, KEY) == ["returned"]

    reviewer.open(f"/review?project={SENTIMENT}&annotation={number}")
    reviewer.wait_for_text()
    reviewer.sees("第 1 轮后退回给标注员。")
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
    author.sees("你想做哪种类型的改动？")
    expect(page.locator(".work-title")).to_contain_text("sentiment-zh-01")
    author.press("ArrowDown", "Enter")  # the first kind: dispensable words
    copy = page.locator("textarea.copy:visible").first
    expect(copy).to_be_focused()
    expect(page.locator(".desk-facts")).to_contain_text("尚无改动")
    author.press("Control+End")
    copy.press_sequentially("真的。")
    expect(page.locator(".diff ins")).to_have_text("真的。")
    expect(page.locator(".desk-problems")).to_contain_text("请选择改动后文本的标签。")
    author.press("Escape", "1")
    expect(page.locator(".desk-problems li")).to_have_count(0)
    author.press("Control+Enter")
    author.sees("已提交。将由另外 2 人检查。")
    with open_store(server.database) as store:
        [row] = store.rows("SELECT state, kind FROM perturbations ORDER BY id DESC LIMIT 1")
    assert tuple(row) == ("waiting", "dispensable")
