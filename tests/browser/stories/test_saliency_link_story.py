"""A researcher shares what they see, goes back to the former text, and loads the page again without losing what was typed."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser


def _shown(page: Page) -> str:
    """The text on the screen, once its maps are drawn and the address names it."""
    expect(page.locator(".list-row[aria-selected=true]")).to_have_count(1)
    return page.locator(".heat-where h2").inner_text()


def _copied(page: Page) -> str:
    """The link that the page's button copies; the browser of these tests does not let pages copy, so it is in a field."""
    page.get_by_role("button", name="Copy link").click()
    field = page.get_by_role("textbox", name="Link to what you see")
    expect(field).to_be_focused()
    link = field.input_value()
    page.keyboard.press("Escape")
    return link


def _without_clipboard(page: Page) -> None:
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")


def test_a_link_shows_a_colleague_the_same_text_selection_and_typed_text(
    server: Server, person: Callable[..., Person]
) -> None:
    researcher = person("Researcher")
    page = researcher.page
    _without_clipboard(page)
    researcher.open("/saliency?project=1&x=-:-:text.tokens&y=-:-:gold.sets&ys=2~3&gold=union&looks=bars")
    expect(page.locator(".scatter-count")).to_contain_text("selected; the list shows them")
    count = page.locator(".list-count").inner_text()
    page.locator(".list-row").nth(1).click()
    expect(page.locator(".list-row").nth(1)).to_have_attribute("aria-selected", "true")
    page.get_by_role("button", name="Type a text").click()
    page.get_by_role("textbox", name="Typed text").fill("A café & a *bar* = 100 % <b>fine</b>")
    page.wait_for_url(re.compile("typed="))
    link, name = _copied(page), _shown(page)

    colleague = person("Lead").open(link.removeprefix(server.address)).page
    expect(colleague.get_by_role("textbox", name="Typed text")).to_have_value("A café & a *bar* = 100 % <b>fine</b>")
    expect(colleague.locator(".heat-where h2")).to_have_text(name)
    expect(colleague.locator(".list-count")).to_have_text(count)
    expect(colleague.locator(".scatter-count")).to_contain_text("selected; the list shows them")
    expect(colleague.get_by_role("combobox", name="Sets below the words")).to_have_value("union")
    expect(colleague.get_by_role("button", name="Bars")).to_have_attribute("aria-pressed", "true")


def test_a_link_is_copied_where_the_browser_lets_the_page_copy(person: Callable[..., Person]) -> None:
    researcher = person("Researcher")
    page = researcher.page
    page.add_init_script(
        "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { window.copied = text; } } })"
    )
    researcher.open("/saliency?project=1")
    _shown(page)
    researcher.press("u")
    expect(page.locator(".heat-notice")).to_have_text("The link to what you see is copied.")
    assert page.evaluate("window.copied") == page.url


def test_a_stale_link_says_what_is_gone_and_shows_the_rest(person: Callable[..., Person]) -> None:
    link = (
        "/saliency?project=1&panels=999:-:,<b>&by=999:-:sets.best_f1&answers=999&which=wrong&x=-:-:text.colour&y=1:-:nothing"
        "&xs=9~1&gold=everybody&typed={&drawn=x&k=high&partner=99999&looks=nothing"
    )
    page = person("Researcher").open(link).page
    notice = page.locator(".heat-notice")
    expect(notice).to_contain_text("a map of run 999, the map “<b>”")
    for gone in (
        "the number that orders the texts",
        "the part of the scatter",
        "the sets “everybody”",
        "the typed text",
    ):
        expect(notice).to_contain_text(gone)
    expect(page.locator(".heat-panel").first).to_be_visible()
    expect(page.locator(".scatter")).to_be_hidden()


def test_what_a_link_lacks_stays_said_when_the_models_have_answered_its_typed_text(
    person: Callable[..., Person],
) -> None:
    researcher = person("Researcher")
    with researcher.page.expect_response("**/api/saliency/typed") as answer:
        page = researcher.open("/saliency?project=1&panels=999:-:&typed=%7B%22text%22%3A%22so+good%22%7D").page
    assert answer.value.ok
    expect(page.locator(".typed-lines")).not_to_be_empty()
    expect(page.get_by_role("textbox", name="Typed text")).to_have_value("so good")
    expect(page.locator(".heat-notice")).to_contain_text("a map of run 999")


def test_of_a_text_and_a_choice_that_are_gone_the_list_shows_all_texts_and_the_first_is_open(
    person: Callable[..., Person],
) -> None:
    page = person("Researcher").open("/saliency?project=1&instance=999999&which=wrong&answers=999").page
    expect(page.locator(".heat-panel").first).to_be_visible()
    expect(page.locator(".list-row").first).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("combobox", name="Which texts")).to_have_value("all")
    expect(page.locator(".heat-notice")).to_contain_text(
        "the text with the number 999999, the predictions (run 999). In place of the text the first one of the list is open. "
        "All texts are listed. The rest is shown."
    )
    page.wait_for_url(re.compile("instance=1&"))


def test_a_text_of_another_project_is_not_shown_in_this_one(person: Callable[..., Person]) -> None:
    researcher = person("Researcher")
    other = researcher.instance_id("similarity-en-11")
    page = researcher.open(f"/saliency?project=1&instance={other}").page
    expect(page.locator(".heat-notice")).to_contain_text(f"the text with the number {other}. In place of the text")
    expect(page.locator(".heat-where h2")).to_have_text("sentiment-en-01")


def test_of_a_text_that_is_gone_in_a_list_without_texts_both_are_said(person: Callable[..., Person]) -> None:
    page = person("Researcher").open("/saliency?project=1&instance=999999&words=nowhere").page
    expect(page.locator(".heat-notice")).to_contain_text(
        "the text with the number 999999. The rest is shown. No text matches what is chosen on the left."
    )


def test_back_leads_to_the_former_text_and_forward_again(person: Callable[..., Person]) -> None:
    researcher = person("Researcher").open("/saliency?project=1")
    page = researcher.page
    names = [_shown(page)]
    for row in (1, 2):
        page.locator(".list-row").nth(row).click()
        expect(page.locator(".list-row").nth(row)).to_have_attribute("aria-selected", "true")
        names.append(_shown(page))
    title = page.locator(".heat-where h2")
    page.go_back()
    expect(title).to_have_text(names[1])
    page.go_back()
    expect(title).to_have_text(names[0])
    expect(page.locator(".list-row").first).to_have_attribute("aria-selected", "true")
    page.go_forward()
    expect(title).to_have_text(names[1])
    expect(page.locator(".list-row").nth(1)).to_have_attribute("aria-selected", "true")
    assert page.locator(".heat-panel").count() > 1


def test_back_brings_the_list_as_it_was_with_the_former_text(person: Callable[..., Person]) -> None:
    page = person("Researcher").open("/saliency?project=1").page
    name, count = _shown(page), page.locator(".list-count").inner_text()
    page.locator(".list-row").nth(1).click()
    expect(page.locator(".heat-where h2")).not_to_have_text(name)
    page.get_by_role("searchbox", name="Key or words").fill("sentiment-en-1")
    page.wait_for_url(re.compile("words="))
    page.go_back()
    expect(page.locator(".heat-where h2")).to_have_text(name)
    expect(page.locator(".list-count")).to_have_text(count)
    expect(page.get_by_role("searchbox", name="Key or words")).to_have_value("")


def test_a_typed_text_is_there_when_the_page_is_loaded_again(person: Callable[..., Person]) -> None:
    page = person("Researcher").open("/saliency?project=1").page
    _shown(page)
    page.get_by_role("button", name="Type a text").click()
    field = page.get_by_role("textbox", name="Typed text")
    field.fill("short and typed")
    page.reload()  # at once: before anybody was asked about it
    expect(field).to_have_value("short and typed")

    long = "a very long text " * 400  # too long for an address
    field.fill(long)
    page.wait_for_url(re.compile("typed=tab"))
    page.reload()
    expect(field).to_have_value(long)

    # Of another text, too, when one comes back to it.
    page.locator(".list-row").nth(1).click()
    expect(field).not_to_have_value(long)
    page.reload()
    page.locator(".list-row").first.click()
    expect(field).to_have_value(long)


def test_a_link_to_a_typed_text_that_is_too_long_says_so_to_both(person: Callable[..., Person], server: Server) -> None:
    researcher = person("Researcher")
    page = researcher.page
    _without_clipboard(page)
    researcher.open("/saliency?project=1")
    _shown(page)
    page.get_by_role("button", name="Type a text").click()
    page.get_by_role("textbox", name="Typed text").fill("a very long text " * 400)
    page.wait_for_url(re.compile("typed=tab"))
    link = _copied(page)
    expect(page.locator(".heat-notice")).to_contain_text("too long for a link")
    colleague = person("Lead").open(link.removeprefix(server.address)).page
    expect(colleague.locator(".heat-notice")).to_contain_text("The typed text was too long for the link")


def test_nobody_is_offered_a_model_against_itself(person: Callable[..., Person]) -> None:
    page = person("Researcher").open("/saliency?project=1").page
    _shown(page)
    page.get_by_role("combobox", name="Which texts").select_option("won")
    first = page.get_by_role("combobox", name="Whose predictions", exact=True)
    other = page.get_by_role("combobox", name="The other model")
    values = [option.get_attribute("value") or "" for option in first.get_by_role("option").all()]
    assert len(values) > 1
    for value in values:
        first.select_option(value)
        offered = [option.get_attribute("value") for option in other.get_by_role("option").all()]
        assert value not in offered
        assert offered
