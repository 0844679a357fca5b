"""People come by a recruitment link or through training, look after their own account, and are erased."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Response, expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.qualification import QualificationRules
from annotator.domain.project.recruitment import LinkRules
from annotator.domain.projects import Project
from annotator.store import open_store
from annotator.store.instances import get_instance
from annotator.store.projects import get_project_by_id
from annotator.usecases.access import accounts
from annotator.usecases.access.accounts import add_user
from annotator.usecases.crowd.recruitment_links import make_recruitment_link, set_link_state
from annotator.usecases.qualification.items import known_of, pick, set_rules
from benchmarks.served import Server
from tests.browser.stories.story import Person, choose

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

SENTIMENT = 1
PLATFORM_ID = "5f1a2b3c4d5e6f7a8b9c0d1e"


def open_recruitment_link(server: Server, **rules: object) -> str:
    """The path of a link with its worker's id."""
    with open_store(server.database) as store:
        given = {"name": "Pilot", "most_workers": 5, "quota": 2, "parameter": "PROLIFIC_PID", **rules}
        link = make_recruitment_link(store, LOCAL_OPERATOR, SENTIMENT, LinkRules(**given))  # type: ignore[arg-type]
        set_link_state(store, LOCAL_OPERATOR, link.id, "open")
    return f"/crowd/{link.token}?PROLIFIC_PID={PLATFORM_ID}"


def begin(worker: Person, path: str) -> None:
    worker.open(path)
    worker.page.get_by_role("button", name="I agree and begin").click()
    worker.wait_for_text()


def read_guidelines(worker: Person) -> None:
    """They are asked for at the first visit, before the first text."""
    button = worker.page.get_by_role("button", name=re.compile("I've read them"))
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


def test_a_lead_makes_a_link_and_a_workers_code_is_found_again(person: Come, stranger: Come) -> None:
    lead = person("Lead").open(f"/project?project={SENTIMENT}&section=People")
    lead.page.get_by_text("New recruitment link").click()
    lead.page.get_by_role("spinbutton", name="Texts per worker").fill("2")
    lead.page.get_by_role("textbox", name="Introduction").fill("You mark the words that show a feeling.")
    lead.page.get_by_role("button", name="Create link").click()
    lead.page.get_by_role("button", name="Open link").click()
    expect(lead.page.get_by_role("button", name="Pause")).to_be_visible()
    address = lead.page.locator(".st-key-crowd_1 code").inner_text()
    assert address.endswith("?PROLIFIC_PID={{%PROLIFIC_PID%}}")

    worker = stranger()
    answers: list[Response] = []
    worker.hear("response", lambda answer: answers.append(answer) if "/api/" in answer.url else None)
    worker.page.goto(address.replace("{{%PROLIFIC_PID%}}", PLATFORM_ID))
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
    worker.sees("Thank you, you're done")
    code = worker.page.locator(".code").inner_text()
    for name in ("Lead", "Annotator 1", "Reviewer"):
        assert name not in told

    lead.page.get_by_role("textbox", name="Code", exact=True).fill(code)
    lead.page.get_by_role("button", name="Look up").click()
    lead.sees("finished, 2 texts")
    lead.page.get_by_role("button", name="Mark as paid").click()
    lead.sees("Paid: marked on")


def test_a_worker_who_comes_back_goes_on_where_they_were(server: Server, stranger: Come) -> None:
    path = open_recruitment_link(server)
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
    third.sees("Thank you, you're done")


def test_when_the_time_is_up_marks_are_kept_and_it_is_said(server: Server, stranger: Come) -> None:
    path = open_recruitment_link(server)
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


# Somebody is erased while they have a page open and hold work; and somebody looks after their own account.


def test_somebody_is_erased_while_they_have_a_text_open(server: Server, person: Come) -> None:
    with open_store(server.database) as store:
        add_user(store, LOCAL_OPERATOR, "Ada", "administrator")
    ann = person("Annotator 2").annotate(1)
    ada = person("Ada").open("/project?project=1&section=People")
    page = ada.page
    page.get_by_role("heading", name="Recruitment links").scroll_into_view_if_needed()  # the page is drawn to its end
    page.get_by_text("A person's data", exact=True).first.click()
    choose(page.get_by_role("combobox", name="Person", exact=True).last, "Annotator 2")
    page.get_by_role("button", name="Erase", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Deletes the account")).to_be_visible()
    expect(
        dialog.get_by_text(
            "Any backup or export from before keeps the name and words; the server log may. Delete what nobody needs."
        )
    ).to_be_visible()
    dialog.get_by_label("Type this name:").fill("Annotator 2")
    dialog.get_by_role("button", name="Erase", exact=True).click()
    ada.sees("Done. Now named “someone who was erased”.")
    ann.mark("the")
    ann.page.reload()
    expect(ann.page).to_have_url(f"{ann.address}/sign-in?next=%2Fannotate%3Fproject%3D1")
    assert b"Annotator 2" not in server.database.read_bytes()


def test_somebody_leaves_a_project_from_their_own_account(person: Come) -> None:
    ann = person("Annotator 2").annotate(1)
    page = ann.page
    page.get_by_role("link", name="My account").click()
    ann.sees("Signed in as")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all your data").click()
    assert download.value.suggested_filename == "my-data.zip"
    page.get_by_role("listitem").filter(has_text="Sentiment").get_by_role("link", name="Leave").click()
    ann.sees("reserved text")
    page.get_by_role("button", name="Leave project").click()
    ann.sees("You left the project.")
    expect(page.get_by_role("listitem").filter(has_text="Sentiment")).to_have_count(0)


# A lead switches training on; somebody new fails once, passes at the second try, and gets work.

N_TEXTS = 4


@pytest.fixture
def texts(server: Server) -> list[int]:
    """Short texts with gold, which the lead picked; somebody new has come."""
    with open_store(server.database) as store:
        project = get_project_by_id(store, SENTIMENT)
        accounts.add_user(store, LOCAL_OPERATOR, "Nora", "annotator", project.name)
        ids = [
            row["id"]
            for row in store.rows(
                "SELECT id FROM instances WHERE project_id = ? AND state = 'complete' AND language = 'en' ORDER BY id",
                (SENTIMENT,),
            )
        ]
        ids = [number for number in ids if phrases(store, project, number)][:N_TEXTS]
        pick(store, LOCAL_OPERATOR, project, "annotators", ids)
    assert len(ids) == N_TEXTS
    return ids


def phrases(store: object, project: Project, number: int) -> list[list[str]]:
    """For each gold set the words of its spans, where these can be found again on the screen; else nothing."""
    instance = get_instance(store, number)  # type: ignore[arg-type]
    known = known_of(store, project, instance)  # type: ignore[arg-type]
    if known is None or not known.sets or known.result != instance.result or len(instance.segments) > 1:
        return []
    body = instance.segments[0].body
    sets = [[body.text[body.starts[s.start] : body.ends[s.end - 1]] for s in each.spans] for each in known.sets]
    is_plain = all(body.text.count(words) == 1 and "\n" not in words for words_of in sets for words in words_of)
    return sets if is_plain else []


def shown_text(nora: Person) -> int:
    """The text to be marked, when what came of the one before is gone."""
    expect(nora.page.get_by_text("Your marks")).to_have_count(0)
    expect(nora.page.get_by_role("button", name="Submit")).to_be_enabled()
    expect(nora.page.locator(".instance-key")).to_have_count(1)
    expect(nora.page.locator(".instance-key")).to_contain_text("sentiment")
    return nora.instance_id(nora.key)


def mark_gold(nora: Person, number: int) -> None:
    with open_store(nora.database) as store:
        sets = phrases(store, get_project_by_id(store, SENTIMENT), number)
    for at, spans in enumerate(sets):
        if at:
            nora.press("n")
        for words in spans:
            nora.mark(words)


def go_on(nora: Person, name: str) -> None:
    nora.page.get_by_role("button", name=name).click()


def test_somebody_new_fails_once_passes_at_the_second_try_and_gets_work(person: Come, texts: list[int]) -> None:
    lead = person("Lead").open(f"/project?project={SENTIMENT}&section=Training")
    lead.unfold("Training is off")
    lead.page.get_by_text("Annotators must pass training first").click()
    lead.page.get_by_role("spinbutton", name="Texts per attempt").fill("2")
    lead.page.get_by_role("button", name="Save", exact=True).click()
    lead.sees("Saved. Attempts in progress keep the old rules.")

    nora = person("Nora").open(f"/annotate?project={SENTIMENT}")
    nora.sees("2 training texts")
    go_on(nora, "Begin training")
    for number, name in ((1, "Next training text"), (2, "Continue")):
        nora.sees(f"Training: text {number} of 2")
        assert shown_text(nora) in texts
        if number == 1:
            nora.page.get_by_role("button", name="I've read them").click()
        expect(nora.page.get_by_role("button", name="Skip")).to_have_count(0)
        nora.press("ArrowRight", "Space")
        nora.press("Control+Enter")
        nora.sees("Your marks")
        nora.sees("You missed gold set")
        go_on(nora, name)
    nora.sees("You have 1 attempt left.")
    go_on(nora, "Begin training")
    for number, name in ((1, "Next training text"), (2, "Continue")):
        nora.sees(f"Training: text {number} of 2")
        mark_gold(nora, shown_text(nora))
        nora.press("Control+Enter")
        nora.sees("equals gold set")
        go_on(nora, name)
    nora.page.get_by_role("button", name="Skip").wait_for()
    assert shown_text(nora) not in texts
    nora.mark(nora.page.locator(".segment-text").first.inner_text().split()[0])
    nora.submit()
    lead.open(f"/project?project={SENTIMENT}&section=Training")
    lead.sees("Not passed yet")


def test_a_reviewer_is_trained_on_worsened_sets_and_sees_what_was_expected(
    server: Server, person: Come, texts: list[int]
) -> None:
    with open_store(server.database) as store:
        project = get_project_by_id(store, SENTIMENT)
        accounts.add_user(store, LOCAL_OPERATOR, "Rita", "reviewer", project.name)
        n_sets = len(phrases(store, project, texts[0]))
        pick(store, LOCAL_OPERATOR, project, "reviewers", texts[:1], ["token too much"], seed=1)
        set_rules(store, LOCAL_OPERATOR, SENTIMENT, "reviewers", QualificationRules(is_on=True, tries=1), based_on=0)
    rita = person("Rita").open(f"/review?project={SENTIMENT}")
    go_on(rita, "Begin training")
    rita.sees("Training: text 1 of 1")
    rita.page.get_by_role("button", name="I've read them").click()
    rita.page.wait_for_function("!(document.documentElement.dataset.guidelines ?? '').includes('asking')")
    expect(rita.page.get_by_role("button", name="Skip")).to_have_count(0)
    rita.press(*"1" * (2 * n_sets + 1))
    rita.press("Control+Enter")
    rita.sees("A token was added to a gold set.")
    rita.sees("You didn't pass this time.")
    go_on(rita, "Continue")
    rita.sees("No training attempts left.")
