"""A text that is opened stands there before Streamlit does, at the place where it stays, and can be marked at once."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Route, expect

from annotator.store import open_store
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

SENTIMENT = 1
_STREAMLIT = re.compile(r"/static/js/index\..*\.js")
_EARLY = ".annotator-early .segment-text"
_STOOD_BESIDE_THE_GUIDELINES = """() =>
  Object.values(JSON.parse(localStorage.getItem("annotator:place")) ?? {}).some(({ after }) => after > 0)"""
_PLACE = "async (text) => { await document.fonts.ready; const { left, top, width, height } = text.getBoundingClientRect(); return [left, top, width, height]; }"


@contextmanager
def before_streamlit(ann: Person) -> Iterator[None]:
    """What happens in the block happens while Streamlit's own script is still on its way."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    ann.page.route(_STREAMLIT, hold)
    yield
    for route in held:
        route.continue_()
    ann.page.unroute(_STREAMLIT, hold)
    expect(ann.page.get_by_test_id("stSidebar")).to_be_visible()


def come_again(person: Come) -> Person:
    """Somebody who has been here before, with the guidelines beside the text as they stand for the first time."""
    ann = person("Annotator 1").annotate(SENTIMENT)
    ann.page.wait_for_function(_STOOD_BESIDE_THE_GUIDELINES)
    return ann


def test_marks_made_before_streamlit_is_there_are_saved_and_stay_where_they_were_made(person: Come) -> None:
    ann = come_again(person)
    with before_streamlit(ann):
        ann.page.goto(f"{ann.address}/annotate?project={SENTIMENT}", wait_until="commit")
        text = ann.page.locator(_EARLY).first
        expect(text).to_be_visible()
        words = text.inner_text().split()
        ann.mark(" ".join(words[:2]))
        count = ann.page.locator(".chip .count").first
        expect(count).not_to_have_text("0")
        marked = count.inner_text()
        ann.saved()
        before = text.evaluate(_PLACE)
        assert ann.page.locator("[data-testid=stApp]").count() == 0
    _stays(ann, before)
    assert ann.page.locator(".annotator-early").count() == 0
    expect(ann.page.locator(".chip .count").first).to_have_text(marked)
    ann.press("n")
    ann.mark(words[2])
    expect(ann.page.locator(".chip .count").nth(1)).to_have_text("1")
    ann.saved()
    assert ann.page.evaluate("[...CSS.highlights.values()].filter((one) => one.size).length") >= 2


def test_a_drag_that_is_under_way_when_streamlit_comes_is_finished_as_it_was_begun(person: Come) -> None:
    ann = come_again(person)
    with before_streamlit(ann):
        ann.page.goto(f"{ann.address}/annotate?project={SENTIMENT}", wait_until="commit")
        text = ann.page.locator(_EARLY).first
        expect(text).to_be_visible()
        left, top, width, _ = text.evaluate(_PLACE)
        ann.page.mouse.move(left + 4, top + 18)
        ann.page.mouse.down()
        ann.page.mouse.move(left + width / 4, top + 18, steps=3)
    expect(ann.page.get_by_test_id("stBidiComponentIsolated")).to_be_attached()
    ann.page.mouse.move(left + width / 2, top + 18, steps=3)
    ann.page.mouse.up()
    expect(ann.page.locator(".annotator-early")).to_have_count(0)
    expect(ann.page.locator("[data-testid=stBidiComponentIsolated] .chip .count").first).not_to_have_text("0")


def test_a_text_shown_early_gives_way_to_what_the_page_says_instead(server: Server, person: Come) -> None:
    ann = come_again(person)
    with before_streamlit(ann):
        ann.page.goto(f"{ann.address}/annotate?project={SENTIMENT}", wait_until="commit")
        expect(ann.page.locator(_EARLY).first).to_be_visible()
        with open_store(server.database) as store, store.transaction():
            store.run(
                "DELETE FROM memberships WHERE user_id = (SELECT id FROM users WHERE name = 'Annotator 1') AND project_id = ?",
                (SENTIMENT,),
            )
    expect(ann.page.get_by_test_id("stAlert").first).to_be_visible()
    expect(ann.page.locator(".annotator-early")).to_have_count(0)


def _stays(ann: Person, before: list[float]) -> None:
    """The text of Streamlit comes to stand where the early one stood, if not in its first frame."""
    after = ann.page.locator("[data-testid=stBidiComponentIsolated] .segment-text").first
    expect(after).to_be_visible()
    for _ in range(100):
        if after.evaluate(_PLACE) == pytest.approx(before):
            return
        ann.page.wait_for_timeout(100)
    assert after.evaluate(_PLACE) == pytest.approx(before)


def test_in_a_window_of_another_size_the_text_stands_where_it_will_stay_too(person: Come) -> None:
    ann = come_again(person)
    ann.page.set_viewport_size({"width": 1600, "height": 900})
    with before_streamlit(ann):
        ann.page.goto(f"{ann.address}/annotate?project={SENTIMENT}", wait_until="commit")
        expect(ann.page.locator(_EARLY).first).to_be_visible()
        before = ann.page.locator(_EARLY).first.evaluate(_PLACE)
    _stays(ann, before)


def test_where_the_guidelines_were_closed_the_text_stands_where_it_stood_without_them(person: Come) -> None:
    ann = come_again(person)
    ann.press("g")
    expect(ann.page.locator(".st-key-guidelines")).to_be_hidden()
    ann.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    with before_streamlit(ann):
        ann.page.goto(f"{ann.address}/annotate?project={SENTIMENT}", wait_until="commit")
        expect(ann.page.locator(_EARLY).first).to_be_visible()
        before = ann.page.locator(_EARLY).first.evaluate(_PLACE)
    _stays(ann, before)


@pytest.mark.parametrize("page", ["annotate", "review", "perturb", "project"])
def test_a_browser_that_comes_for_the_first_time_sees_the_frame_of_the_page_at_once(person: Come, page: str) -> None:
    lead = person("Lead")
    with before_streamlit(lead):
        lead.page.goto(f"{lead.address}/{page}?project={SENTIMENT}", wait_until="commit")
        for part in (".begin-side", ".begin-main"):
            expect(lead.page.locator(part)).to_be_visible()
    expect(lead.page.locator(".begin")).to_have_count(0)


def test_guidelines_are_not_seen_before_their_style_sheet_is_there(person: Come) -> None:
    ann = person("Annotator 1")
    with before_streamlit(ann):
        ann.page.goto(f"{ann.address}/annotate?project={SENTIMENT}", wait_until="commit")
        ann.page.locator("#root").evaluate(
            "(root) => { root.innerHTML = '<p class=st-key-guidelines>Mark words.</p>'; }"
        )
        expect(ann.page.locator(".st-key-guidelines")).to_be_hidden()
        ann.page.locator("#root").evaluate("(root) => root.replaceChildren()")


def test_on_a_tablet_the_sidebar_is_closed_until_it_is_opened_and_a_wide_window_keeps_its_own_choice(
    person: Come,
) -> None:
    ann = person("Annotator 1", width=820, height=1180).annotate(SENTIMENT)
    sidebar = ann.page.get_by_test_id("stSidebar")
    expect(sidebar).to_have_attribute("data-collapsed", "true")
    ann.page.get_by_test_id("stExpandSidebarButton").click()
    expect(sidebar).to_have_attribute("data-collapsed", "false")
    ann.annotate(SENTIMENT)
    expect(sidebar).to_have_attribute("data-collapsed", "false")
    ann.page.get_by_test_id("stSidebarCollapseButton").locator("button").click()
    ann.page.set_viewport_size({"width": 1280, "height": 720})
    expect(sidebar).to_have_attribute("data-collapsed", "false")
    ann.page.set_viewport_size({"width": 820, "height": 1180})
    expect(sidebar).to_have_attribute("data-collapsed", "true")


def test_in_a_browser_that_knows_no_place_yet_the_text_comes_with_streamlit(person: Come) -> None:
    ann = come_again(person)
    with before_streamlit(ann):
        ann.page.evaluate("localStorage.removeItem('annotator:place')")
        ann.page.goto(f"{ann.address}/annotate?project={SENTIMENT}", wait_until="commit")
        ann.page.wait_for_function("window.annotatorEarly?.answer")
        assert ann.page.locator(".annotator-early").count() == 0
    ann.wait_for_text()
