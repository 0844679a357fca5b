"""A lead opens a crowd door, a worker comes in by its link, does two texts, and leaves with a code that the lead looks up."""

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Response, expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.recruitment import DoorRules
from annotator.store import open_store
from annotator.usecases.crowd.doors import make_door, set_door_state
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

SENTIMENT = 1
PLATFORM_ID = "5f1a2b3c4d5e6f7a8b9c0d1e"


@pytest.fixture
def stranger(server: Server, browser: Browser) -> Iterator[Callable[..., Person]]:
    """Somebody with a browser of their own who is not signed in."""
    contexts = []

    def come(*, dark: bool = False) -> Person:
        context = browser.new_context(
            viewport={"width": 1280, "height": 720}, color_scheme="dark" if dark else "light", reduced_motion="reduce"
        )
        contexts.append(context)
        return Person(context.new_page(), server)

    yield come
    for context in contexts:
        context.close()


def open_door(server: Server, **rules: object) -> str:
    """The path of a door with its worker's id."""
    with open_store(server.database) as store:
        given = {"name": "Pilot", "most_workers": 5, "quota": 2, "parameter": "PROLIFIC_PID", **rules}
        door = make_door(store, LOCAL_OPERATOR, SENTIMENT, DoorRules(**given))  # type: ignore[arg-type]
        set_door_state(store, LOCAL_OPERATOR, door.id, "open")
    return f"/crowd/{door.token}?PROLIFIC_PID={PLATFORM_ID}"


def begin(worker: Person, path: str) -> None:
    worker.open(path)
    worker.page.get_by_role("button", name="I agree and begin").click()
    worker.wait_for_text()


def read_guidelines(worker: Person) -> None:
    """They are asked for at the first visit, before the first text."""
    button = worker.page.get_by_role("button", name=re.compile("I have read them"))
    button.click()
    expect(button).to_be_hidden()


def mark_first(worker: Person) -> None:
    """The first word; in a language without blanks its first two letters."""
    worker.mark(worker.page.locator(".segment-text").first.inner_text()[:2])


def do_text(worker: Person) -> None:
    """Mark the first word and submit."""
    mark_first(worker)
    with worker.page.expect_response(lambda response: response.url.endswith("/api/panel/submit")) as answer:
        worker.press("Control+Enter")
    assert answer.value.status == 200, answer.value.text()


def test_a_lead_makes_a_door_and_a_workers_code_is_found_again(person: Come, stranger: Come) -> None:
    lead = person("Lead").open(f"/project?project={SENTIMENT}")
    lead.section("People")
    lead.page.get_by_text("Make a crowd door").click()
    lead.page.get_by_role("spinbutton", name="Texts for each worker").fill("2")
    lead.page.get_by_role("textbox", name="Shown before they begin").fill("You mark the words that show a feeling.")
    lead.page.get_by_role("button", name="Make the door").click()
    lead.page.get_by_role("button", name="Open the door").click()
    expect(lead.page.get_by_role("button", name="Pause")).to_be_visible()
    link = lead.page.locator(".st-key-crowd_1 code").inner_text()
    assert link.endswith("?PROLIFIC_PID={{%PROLIFIC_PID%}}")

    worker = stranger()
    answers: list[Response] = []
    worker.page.on("response", lambda answer: answers.append(answer) if "/api/" in answer.url else None)
    worker.page.goto(link.replace("{{%PROLIFIC_PID%}}", PLATFORM_ID))
    worker.sees("You mark the words that show a feeling.")
    worker.page.get_by_role("button", name="I agree and begin").click()
    worker.wait_for_text()
    read_guidelines(worker)
    worker.sees("0 of 2")
    assert worker.page.get_by_test_id("stSidebarNavLink").count() <= 1
    for gone in ("Ask", "My work", "Model"):
        expect(worker.page.get_by_role("button", name=re.compile(f"^{gone}"))).to_be_hidden()
    do_text(worker)
    worker.sees("1 of 2")
    assert {answer.status for answer in answers} == {200}
    told = " ".join(answer.text() for answer in answers)  # the browser forgets them when it leaves the page
    do_text(worker)
    worker.page.wait_for_url("**/crowd/end")
    worker.sees("Thank you, you have finished")
    code = worker.page.locator(".code").inner_text()
    for name in ("Lead", "Annotator 1", "Reviewer"):
        assert name not in told

    lead.page.get_by_role("textbox", name="Code", exact=True).fill(code)
    lead.page.get_by_role("button", name="Look it up").click()
    lead.sees("finished, 2 texts")
    lead.page.get_by_role("button", name="Mark as paid").click()
    lead.sees("Used up: marked as paid")


def test_a_worker_who_comes_back_goes_on_where_they_were(server: Server, stranger: Come) -> None:
    path = open_door(server)
    first = stranger()
    begin(first, path)
    read_guidelines(first)
    do_text(first)
    first.sees("1 of 2")
    second = stranger()
    begin(second, path)
    second.sees("1 of 2")
    do_text(second)
    second.page.wait_for_url("**/crowd/end")
    third = stranger()
    third.open(path)
    third.page.get_by_role("button", name="I agree and begin").click()
    third.sees("Thank you, you have finished")


def test_when_the_time_is_up_marks_are_kept_and_it_is_said(server: Server, stranger: Come) -> None:
    path = open_door(server)
    worker = stranger()
    begin(worker, path)
    read_guidelines(worker)
    mark_first(worker)
    worker.saved()
    with open_store(server.database) as store, store.transaction():
        store.run("UPDATE crowd_workers SET ends_at = ?", (store.now(),))
    worker.page.reload()
    worker.page.wait_for_url("**/crowd/end")
    worker.sees("Your time is up")
    with open_store(server.database) as store:
        state, sets = store.rows(
            """SELECT state, sets FROM assignments JOIN drafts ON drafts.assignment_id = assignments.id
                JOIN users ON users.id = user_id WHERE is_worker = 1"""
        )[0]
    assert (state, sets != "[]") == ("expired", True)
