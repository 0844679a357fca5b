"""From page to page: the start page, another project, many tabs, and a text that is opened."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product

import pytest
from playwright.sync_api import Locator, Route, expect

from annotator.domain.people import LOCAL_OPERATOR, Role
from annotator.store import open_store
from annotator.store.people import get_user
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.databases import find_project
from annotator.usecases.project.projects import give_role
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

SENTIMENT = 1
SIMILARITY = 2


def choose_by_keyboard(somebody: Person, typed: str, name: str) -> Locator:
    """Type a project's name into the choice in the sidebar and take it; returns the box."""
    box = somebody.page.locator(".st-key-sidebar_project input")
    box.focus()
    somebody.page.keyboard.type(typed)
    expect(somebody.page.get_by_role("option")).to_have_text([name])
    somebody.press("Enter")
    return box


SCREENS = pytest.mark.parametrize(
    ("page", "listens", "key", "opened"),
    [
        ("annotate", ".panel", "m", "dialog[open]"),
        ("review", ".panel", "m", "dialog[open]"),
        (
            "perturb",
            ".panel [role=tab][aria-selected=true]",
            "p",
            "[role=tab][aria-selected=true][aria-keyshortcuts=p]",
        ),
        ("saliency", ".panel", "?", "dialog[open]"),
    ],
)


@pytest.fixture
def works(server: Server) -> None:
    """The lead annotates and reviews, too."""
    roles: tuple[Role, ...] = ("annotator", "reviewer")
    with open_store(server.database) as store:
        for project_id, role in product((SENTIMENT, SIMILARITY), roles):
            give_role(store, LOCAL_OPERATOR, project_id, "Lead", role)


@pytest.mark.usefixtures("works")
@SCREENS
def test_after_choosing_a_page_and_then_a_project_by_keyboard_the_keys_mean_the_screen(
    person: Come, page: str, listens: str, key: str, opened: str
) -> None:
    lead = person("Lead").open(f"/export?project={SENTIMENT}")
    link = lead.page.get_by_test_id("stSidebarNavLink").filter(has_text=page.capitalize())
    link.focus()
    lead.press("Enter")
    expect(lead.page.locator(listens)).to_be_visible()
    expect(link).not_to_be_focused()
    lead.press(key)
    expect(lead.page.locator(opened)).to_be_visible()

    lead.press("Escape")
    box = choose_by_keyboard(lead, "Simil", "Similarity")
    lead.page.wait_for_url(re.compile(f"project={SIMILARITY}"))
    expect(box).not_to_be_focused()
    expect(lead.page.locator(".panel")).to_have_count(1)  # the one of the project before has gone
    expect(lead.page.locator(listens)).to_be_visible()
    expect(lead.page.locator(opened)).to_have_count(0)
    lead.press(key)
    expect(lead.page.locator(opened)).to_be_visible()


def test_the_focus_stays_in_the_menu_where_nobody_chose_the_page_there(person: Come) -> None:
    lead = person("Lead")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    lead.page.route(re.compile("/perturb/main.js"), hold)
    with lead.page.expect_request(re.compile("/perturb/main.js")):
        lead.open(f"/perturb?project={SENTIMENT}")
    link = lead.page.get_by_test_id("stSidebarNavLink").filter(has_text="Perturb")
    link.focus()
    expect(link).to_be_focused()
    for route in held:
        route.continue_()
    expect(lead.page.locator(".panel .work-title")).to_be_visible()
    expect(link).to_be_focused()


def test_a_text_that_comes_after_another_project_was_chosen_leaves_the_address_alone(person: Come) -> None:
    lead = person("Lead")
    asked = re.compile("/api/saliency/instance")
    held: list[Route] = []

    def hold_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    lead.page.route(asked, hold_first)
    with lead.page.expect_request(asked):
        lead.open(f"/saliency?project={SENTIMENT}")
    choose_by_keyboard(lead, "Simil", "Similarity")
    lead.page.wait_for_url(re.compile(f"project={SIMILARITY}.*instance="))
    address = lead.page.url
    with lead.page.expect_response(asked) as late:
        held[0].continue_()
    late.value.finished()
    lead.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert lead.page.url == address


def test_a_tab_whose_key_is_pressed_before_the_tabs_are_there_is_opened_with_them(person: Come) -> None:
    lead = person("Lead")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    lead.page.route(re.compile("/api/perturb/rules"), hold)
    with lead.page.expect_request(re.compile("/api/perturb/rules")):
        lead.open(f"/perturb?project={SENTIMENT}")
    lead.page.locator(".panel").focus()
    lead.press("p")
    for route in held:
        route.continue_()
    expect(lead.page.locator("[role=tab][aria-selected=true]")).to_have_attribute("aria-keyshortcuts", "p")


# The start page in a browser: a line leads to where something is done.


def test_a_lead_begins_with_what_waits_and_is_led_to_it(server: Server, person: Callable[..., Person]) -> None:
    with open_store(server.database) as store:
        user, project = get_user(store, "Annotator 1"), find_project(store, "Similarity")
        work = annotate_work.next_work(store, user, project.id).work
        assert work is not None
        annotate_work.propose_discard(store, user, work.assignment.id, "broken text")
    lead = person("Lead").open("/").page
    lead.get_by_text("1 proposal to decide, oldest since").click()
    lead.get_by_text("Discard this text?").wait_for()
    lead.wait_for_url(f"**/project?project={project.id}&section=Decisions")


# Many tabs side by side: each is named after its text, its page and its project, and follows its person through the work.


def test_the_tab_of_every_screen_with_a_text_names_the_text_the_page_and_the_project(person: Come) -> None:
    ann = person("Annotator 1").annotate(SENTIMENT, "sentiment-en-08")
    expect(ann.page).to_have_title("sentiment-en-08 · Annotate · Sentiment")
    ann.press("s")
    expect(ann.page.locator(".instance-key").first).not_to_contain_text("sentiment-en-08")
    expect(ann.page).to_have_title(f"{ann.key} · Annotate · Sentiment")
    ann.page.get_by_role("link", name="Perturb").click()
    expect(ann.page).to_have_title("Perturb · Sentiment")
    ann.open(f"/perturb?project={SENTIMENT}&instance={ann.instance_id('sentiment-en-01')}")
    expect(ann.page).to_have_title("sentiment-en-01 · Perturb · Sentiment")
    reviewer = person("Reviewer 1").open(f"/review?project={SENTIMENT}")
    expect(reviewer.page).to_have_title(re.compile("^sentiment-.* · Review · Sentiment$"))
    researcher = person("Researcher").open(f"/saliency?project={SENTIMENT}")
    expect(researcher.page).to_have_title(re.compile("^sentiment-.* · Saliency · Sentiment$"))
    researcher.open(f"/metrics?project={SENTIMENT}")
    expect(researcher.page).to_have_title("Metrics · Sentiment")


# A text that is opened stands there before Streamlit does, at the place where it stays, and can be marked at once.

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
