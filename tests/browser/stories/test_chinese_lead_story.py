"""A lead whose browser asks for Chinese: progress, a search, texts given out again and taken back, a release."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.search import Search
from annotator.store import open_store
from annotator.usecases.lead.instance_search import search_instances
from annotator.usecases.project.projects import projects_of
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

SENTIMENT = 1
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
    lead.page.get_by_role("combobox", name="操作").click()
    lead.page.get_by_role("option", name="重新分配", exact=True).click()
    lead.page.get_by_role("button", name="重新分配：").click()
    lead.sees("已更改")
    lead.page.get_by_role("button", name="最近的更改").click()
    lead.page.get_by_role("button", name="撤销", exact=True).click()
    lead.sees("已恢复原状")
    assert n_complete(lead) == n


def make_a_release(lead: Person) -> None:
    lead.open(f"/project?project={SENTIMENT}&section=Export")
    lead.page.get_by_role("button", name="冻结金标准").click()
    expect(lead.page.get_by_text("发布版需要名称").first).to_contain_text("发布版需要许可证")
    lead.page.get_by_label("名称（必填）").fill("camera ready")
    lead.page.get_by_label("许可证（必填）").fill("CC BY 4.0")
    lead.page.get_by_role("button", name="冻结金标准").click()
    lead.sees("已创建发布版 1")
