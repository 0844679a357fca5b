"""A lead searches, ticks, discards and takes it back; a link shows a colleague the same; a named person gets their text."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.instance_search import Search
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


def search(lead: Person, words: str) -> None:
    field = lead.page.get_by_label("Search in texts, keys, notes, comments and talk")
    field.fill(words)
    field.press("Enter")


def choose(lead: Person, label: str, option: str) -> None:
    lead.page.get_by_role("combobox", name=label).click()
    lead.page.get_by_role("option", name=option, exact=True).click()


def pic(lead: Person, name: str) -> None:
    if folder := os.environ.get("SEARCH_PICTURES"):
        lead.page.wait_for_timeout(1500)
        lead.picture(Path(folder) / f"{name}.png")


def test_a_lead_searches_ticks_discards_and_undoes(person: Come) -> None:
    lead = person("Lead").open(f"/project?project={SENTIMENT}")
    lead.section("Instances")
    before = n_found(lead, state="discarded")
    n = n_found(lead, words="the")
    search(lead, "THE")
    lead.sees(f"{n} texts")
    pic(lead, "1-found")
    hits = lead.page.locator("[class*='st-key-project_hit_']")
    expect(hits.first.locator(".stMarkdownColoredBackground").first).to_have_text("the", ignore_case=True)
    for number in (0, 1):
        hits.nth(number).locator("label").click()
    lead.page.get_by_role("button", name="Change 2 ticked").click()
    choose(lead, "What to do", "Discard")
    choose(lead, "Reason", "broken text")
    pic(lead, "2-change")
    done = lead.page.get_by_role("button", name="Discard: ")
    n_done = int((done.inner_text()).split(": ")[1].split()[0])
    assert n_done >= 1
    done.click()
    expect(lead.page.get_by_text("changed, ", exact=False).first).to_be_visible()
    assert n_found(lead, state="discarded") == before + n_done
    lead.page.get_by_role("button", name="Last changes").click()
    lead.sees("(broken text)")
    pic(lead, "3-last")
    lead.page.get_by_role("button", name="Undo", exact=True).click()
    lead.sees("as before.")
    assert n_found(lead, state="discarded") == before


def test_the_address_shows_a_colleague_the_same_search(person: Come) -> None:
    lead = person("Lead", dark=True).open(f"/project?project={SENTIMENT}&words=the&state=complete")
    n = n_found(lead, words="the", state="complete")
    lead.sees(f"{n} texts" if n != 1 else "1 text")
    expect(lead.page.get_by_label("Search in texts, keys, notes, comments and talk")).to_have_value("the")
    lead.page.get_by_role("button", name="Filters").click()
    pic(lead, "4-filters-dark")
    lead.page.keyboard.press("Escape")
    search(lead, "zzqq")
    lead.sees("Nothing is found.")
    lead.page.wait_for_url(lambda url: "words=zzqq" in url)


def test_a_text_is_named_for_somebody_who_is_given_it_next(person: Come) -> None:
    lead = person("Lead").open(f"/project?project={SENTIMENT}&state=open")
    lead.page.get_by_role("button", name="Change all").click()
    choose(lead, "What to do", "Name people for them")
    choose(lead, "For", "Annotator 2")
    pic(lead, "5-name")
    lead.page.keyboard.press("Escape")
