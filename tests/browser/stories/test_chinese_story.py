"""Somebody whose browser asks for Chinese: what they see and hear, and English once they choose it."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from benchmarks.served import Server
from tests.browser.stories.story import Person
from tests.browser.stories.test_annotator_story import SENTIMENT, words_of

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
    hears(ann, "^1 个词已加入依据集 A：“.+”$")
    ann.press("n")
    hears(ann, "^依据集 B，0 个词元$")
    ann.press("ArrowRight", "ArrowRight", "Shift+ArrowRight")
    hears(ann, "^2 个词：“.+”$")
    ann.press("Space")
    hears(ann, "^2 个词已加入依据集 B：“.+”$")
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
    hears(ann, "^1 word added to set A: “.+”$")


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
