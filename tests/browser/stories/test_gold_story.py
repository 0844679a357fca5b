"""The lead while work goes on: the word on gold, what comes next, searching, and a second pass."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Response, expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.queue_orders import ModelOrder, QueueOrder
from annotator.domain.project.search import Search
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import get_task
from annotator.store import open_store
from annotator.store.projects import get_project_by_id
from annotator.usecases.databases import find_project
from annotator.usecases.gold import gold_instances
from annotator.usecases.lead.instance_search import search_instances
from annotator.usecases.project.projects import create_project, give_role, projects_of
from annotator.usecases.queue.orders import Preview, preview_order
from annotator.usecases.review.inspection import look_at
from annotator.usecases.transfer.file_import import import_file
from benchmarks.served import Server
from tests.browser.stories.story import Person, take

pytestmark = pytest.mark.browser


def test_a_question_is_answered_and_a_version_is_made_of_what_was_ticked(
    server: Server, person: Callable[..., Person]
) -> None:
    ann = person("Annotator 1").annotate(1)
    ann.press("q")
    ann.page.get_by_role("textbox", name="Ask").fill("Does irony count?")
    ann.press("Control+Enter")
    ann.sees("waiting for the lead")
    lead = person("Lead").open("/project?project=1&section=Decisions")
    page = lead.page
    lead.sees("Does irony count?")
    page.get_by_role("textbox", name="Answer").fill("It does.")
    page.get_by_role("button", name="Answer").click()
    lead.sees("Nothing to decide.")
    ann.press("Escape", "q")
    ann.sees("It does.")

    page.goto(f"{server.address}/project?project=1&instance={_with_gold(server)}")
    page.get_by_test_id("stCheckbox").first.click()
    page.get_by_label("Reason", exact=True).fill("as the file has it")
    expect(page.locator(".chip .count").last).not_to_have_text("0")
    page.get_by_role("button", name="Store as gold").click()
    lead.sees("Gold by")
    page.get_by_text("Timeline", exact=True).click()
    lead.sees("made the lead's version the gold:")
    page.get_by_role("button", name="Undo choice").click()
    lead.sees("undid the choice of gold")
    with open_store(server.database) as store:
        choice = look_at(store, LOCAL_OPERATOR, get_project_by_id(store, 1), _with_gold(server)).choice
    assert choice is None


def _with_gold(server: Server) -> int:
    """An instance that a file annotated."""
    with open_store(server.database) as store:
        return int(store.value("SELECT min(instance_id) FROM annotations WHERE annotator = 'source'"))


# The lead lets a model's answers say what comes next; annotators get it, and read nothing of it.

Come = Callable[..., Person]

SENTIMENT = 1
LEAST = QueueOrder("random", 7, ModelOrder("least confident", ("built-in",)))


def expected(somebody: Person) -> Preview:
    with open_store(somebody.database) as store:
        return preview_order(store, LOCAL_OPERATOR, SENTIMENT, LEAST)


def choose_least_confident(lead: Person) -> None:
    lead.sees("random (seed 7)")
    take(lead.page.get_by_role("combobox", name="First"), "lowest model probability for the label")
    lead.sees("waiting;")


def test_the_least_confident_text_comes_next_and_nothing_on_the_annotators_side_says_why(person: Come) -> None:
    lead = person("Lead").open(f"/project?project={SENTIMENT}&section=Order")
    first = expected(lead).texts[0]
    choose_least_confident(lead)
    lead.page.get_by_role("button", name="Set order").click()
    lead.sees("Set by Lead on")
    expect(lead.page.get_by_role("button", name="Draw again")).to_be_enabled()

    annotator = person("Annotator 1")
    answers: list[Response] = []
    annotator.hear("response", lambda answer: answers.append(answer) if "/api/" in answer.url else None)
    annotator.annotate(SENTIMENT)
    assert annotator.key == first.key
    told = " ".join([annotator.page.content(), *(answer.text() for answer in answers)])
    assert first.key in told
    for secret in ("least confident", "model_order", first.reason, first.reason.split(" ", 1)[0]):
        assert secret not in told


def test_what_an_annotator_holds_stays_when_the_order_changes(person: Come) -> None:
    annotator = person("Annotator 1").annotate(SENTIMENT)
    held = annotator.key
    lead = person("Lead").open(f"/project?project={SENTIMENT}&section=Order")
    choose_least_confident(lead)
    lead.page.get_by_role("button", name="Set order").click()
    lead.sees("Set by Lead on")
    annotator.annotate(SENTIMENT)
    assert annotator.key == held


# A lead searches, ticks, discards and takes it back; a link shows a colleague the same; a named person gets their text.


def n_found(somebody: Person, **search: object) -> int:
    with open_store(somebody.database) as store:
        [project] = [p for p in projects_of(store, LOCAL_OPERATOR) if p.id == SENTIMENT]
        return search_instances(store, LOCAL_OPERATOR, project, Search(**search)).n  # type: ignore[arg-type]


def n_shown_to(lead: Person) -> int:
    with open_store(lead.database) as store:
        return int(
            store.value("SELECT count(*) FROM sets_shown JOIN users ON users.id = user_id WHERE users.name = 'Lead'")
        )


def search(lead: Person, words: str) -> None:
    field = lead.page.get_by_label("Search texts, IDs, notes, comments and discussion")
    field.fill(words)
    field.press("Enter")


def choose(lead: Person, label: str, option: str) -> None:
    take(lead.page.get_by_role("combobox", name=label), option, exact=True)


def test_a_lead_searches_ticks_discards_and_undoes(person: Come) -> None:
    lead = person("Lead").open(f"/project?project={SENTIMENT}&section=Instances")
    shown = n_shown_to(lead)
    before = n_found(lead, state="discarded")
    n = n_found(lead, words="the")
    search(lead, "THE")
    lead.sees(f"{n} texts")
    hits = lead.page.locator("[class*='st-key-project_hit_']")
    expect(lead.page.locator(".stMarkdownColoredBackground").first).to_have_text("the", ignore_case=True)
    hits.nth(0).locator("label").click()
    lead.page.get_by_role("button", name="Change 1 selected").wait_for()
    assert n_shown_to(lead) == shown  # ticking is not looking
    hits.nth(1).locator("label").click()
    lead.page.get_by_role("button", name="Change 2 selected").click()
    choose(lead, "Action", "Discard")
    choose(lead, "Reason", "broken text")
    done = lead.page.get_by_role("button", name="Discard: ")
    n_done = int((done.inner_text()).split(": ")[1].split()[0])
    assert n_done >= 1
    done.click()
    lead.sees("changed, ")
    expect(hits.first.get_by_role("checkbox")).not_to_be_checked()
    expect(done).to_have_count(0)  # a second click would change all the others
    assert n_found(lead, state="discarded") == before + n_done
    lead.page.get_by_role("button", name="Recent changes").click()
    lead.sees("(broken text)")
    lead.page.get_by_role("button", name="Undo", exact=True).click()
    lead.sees("restored.")
    assert n_found(lead, state="discarded") == before


def test_the_address_shows_a_colleague_the_same_search(person: Come) -> None:
    lead = person("Lead", dark=True).open(f"/project?project={SENTIMENT}&words=the&state=complete")
    n = n_found(lead, words="the", state="complete")
    lead.sees(f"{n} texts" if n != 1 else "1 text")
    expect(lead.page.get_by_label("Search texts, IDs, notes, comments and discussion")).to_have_value("the")
    lead.page.get_by_role("button", name="Filters").click()
    lead.page.keyboard.press("Escape")
    search(lead, "zzqq")
    lead.sees("Nothing found. Change the search or filters.")
    lead.page.wait_for_url(lambda url: "words=zzqq" in url)


def test_texts_that_are_for_one_annotator_are_not_given_to_another(person: Come) -> None:
    lead = person("Lead").open(f"/project?project={SENTIMENT}&state=open")
    lead.page.get_by_role("button", name="Change all").click()
    choose(lead, "Action", "Assign to people")
    choose(lead, "Assigned to", "Annotator 2")
    lead.page.keyboard.press("Escape")
    lead.page.get_by_role("button", name="Assign to people: ").click()
    lead.sees("changed, ")
    n = n_found(lead, named="Annotator 2")
    assert n > 0
    other = person("Annotator 1").open(f"/annotate?project={SENTIMENT}")
    other.sees("Nothing left to annotate")
    named = person("Annotator 2").annotate(SENTIMENT)
    lead.open(f"/project?project={SENTIMENT}&for=Annotator+2&words={named.key}")
    lead.sees("only for Annotator 2")


# Every evidence: the lead starts a second pass, an annotator confirms and adds, the lead makes it exhaustive gold and undoes it.

TEXT = "The plot is slow, but the acting is superb and the music lifts every scene."


@pytest.fixture
def films(server: Server, tmp_path: Path) -> Project:
    """Two films of the test split, each with one gold set."""
    path = tmp_path / "films.jsonl"
    rows = [
        {"id": k, "text": TEXT, "label": "positive", "rationales": [[[7, 10]]], "split": "test"} for k in ("f1", "f2")
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with open_store(server.database) as store:
        settings = ProjectSettings(reviewers_per_annotation=0)
        made = create_project(
            store, LOCAL_OPERATOR, "Films", get_task("sentiment"), labels=["negative", "positive"], settings=settings
        )
        import_file(store, LOCAL_OPERATOR, made, "jsonl", path)
        give_role(store, LOCAL_OPERATOR, made.id, "Annotator 1", "annotator")
        give_role(store, LOCAL_OPERATOR, made.id, "Lead", "lead")
    return made


def exhaustive(server: Server, project: Project) -> list[int]:
    """The numbers of sets of the texts whose gold is exhaustive."""
    with open_store(server.database) as store:
        gold = gold_instances(store, get_project_by_id(store, project.id), "chosen")
        return [len(item.sets) for item in gold if item.instance.is_exhaustive]


def test_a_second_pass_makes_gold_exhaustive(server: Server, person: Come, films: Project) -> None:
    lead = person("Lead").open(f"/project?project={films.id}&section=Instances")
    page = lead.page
    page.get_by_role("button", name="Start second pass").click()
    page.get_by_role("button", name="Preview").last.click()
    lead.sees("Reassigns 2 of 2 texts with gold (6 tokens).")
    page.get_by_role("button", name="Start pass").click()
    lead.sees("has 2 texts, ready under Annotate.")
    with open_store(server.database) as store:
        second = find_project(store, "Films – every evidence")

    ann = person("Annotator 1").annotate(second.id)
    ann.sees("Mark every piece of evidence")
    expect(ann.page.locator(".proposal-title")).to_have_text(["first pass A"])
    ann.press("a", "n")
    ann.mark("music lifts every scene")
    ann.submit()
    assert exhaustive(server, films) == []

    page.reload()
    lead.sees("1 text would get exhaustive gold, 1 changed: 3 → 7 tokens, 1 → 2 sets.")
    page.get_by_role("button", name="Adopt 1 text").click()
    lead.sees("1 text now has exhaustive gold.")
    lead.sees("1 of 2 texts have exhaustive gold from this pass.")
    assert exhaustive(server, films) == [2]
    page.get_by_role("button", name="Undo all").click()
    lead.sees("1 text restored.")
    assert exhaustive(server, films) == []
