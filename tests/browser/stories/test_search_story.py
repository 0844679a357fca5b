"""A lead searches, ticks, discards and takes it back; a link shows a colleague the same; a named person gets their text."""

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
    field = lead.page.get_by_label("Search in texts, keys, notes, comments and talk")
    field.fill(words)
    field.press("Enter")


def choose(lead: Person, label: str, option: str) -> None:
    lead.page.get_by_role("combobox", name=label).click()
    lead.page.get_by_role("option", name=option, exact=True).click()


def test_a_lead_searches_ticks_discards_and_undoes(person: Come) -> None:
    lead = person("Lead").open(f"/project?project={SENTIMENT}")
    lead.section("Instances")
    shown = n_shown_to(lead)
    before = n_found(lead, state="discarded")
    n = n_found(lead, words="the")
    search(lead, "THE")
    lead.sees(f"{n} texts")
    hits = lead.page.locator("[class*='st-key-project_hit_']")
    expect(lead.page.locator(".stMarkdownColoredBackground").first).to_have_text("the", ignore_case=True)
    hits.nth(0).locator("label").click()
    lead.page.get_by_role("button", name="Change 1 ticked").wait_for()
    assert n_shown_to(lead) == shown  # ticking is not looking
    hits.nth(1).locator("label").click()
    lead.page.get_by_role("button", name="Change 2 ticked").click()
    choose(lead, "What to do", "Discard")
    choose(lead, "Reason", "broken text")
    done = lead.page.get_by_role("button", name="Discard: ")
    n_done = int((done.inner_text()).split(": ")[1].split()[0])
    assert n_done >= 1
    done.click()
    lead.sees("changed, ")
    expect(hits.first.get_by_role("checkbox")).not_to_be_checked()
    expect(done).to_have_count(0)  # a second click would change all the others
    assert n_found(lead, state="discarded") == before + n_done
    lead.page.get_by_role("button", name="Last changes").click()
    lead.sees("(broken text)")
    lead.page.get_by_role("button", name="Undo", exact=True).click()
    lead.sees("as before.")
    assert n_found(lead, state="discarded") == before


def test_the_address_shows_a_colleague_the_same_search(person: Come) -> None:
    lead = person("Lead", dark=True).open(f"/project?project={SENTIMENT}&words=the&state=complete")
    n = n_found(lead, words="the", state="complete")
    lead.sees(f"{n} texts" if n != 1 else "1 text")
    expect(lead.page.get_by_label("Search in texts, keys, notes, comments and talk")).to_have_value("the")
    lead.page.get_by_role("button", name="Filters").click()
    lead.page.keyboard.press("Escape")
    search(lead, "zzqq")
    lead.sees("Nothing is found.")
    lead.page.wait_for_url(lambda url: "words=zzqq" in url)


def test_texts_that_are_for_one_annotator_are_not_given_to_another(person: Come) -> None:
    lead = person("Lead").open(f"/project?project={SENTIMENT}&state=open")
    lead.page.get_by_role("button", name="Change all").click()
    choose(lead, "What to do", "Name people for them")
    choose(lead, "For whom", "Annotator 2")
    lead.page.keyboard.press("Escape")
    lead.page.get_by_role("button", name="Name people for them: ").click()
    lead.sees("changed, ")
    n = n_found(lead, named="Annotator 2")
    assert n > 0
    other = person("Annotator 1").open(f"/annotate?project={SENTIMENT}")
    other.sees("There is nothing left for you to annotate here.")
    named = person("Annotator 2").annotate(SENTIMENT)
    lead.open(f"/project?project={SENTIMENT}&for=Annotator+2&words={named.key}")
    lead.sees("only for Annotator 2")
