"""Every evidence: the lead starts a second pass, an annotator confirms and adds, the lead makes it exhaustive gold and undoes it."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import get_task
from annotator.store import open_store
from annotator.store.projects import get_project_by_id
from annotator.usecases.gold import gold_instances
from annotator.usecases.project.projects import create_project, find_project, give_role
from annotator.usecases.transfer.file_import import import_file
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

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
    lead = person("Lead").open(f"/project?project={films.id}")
    lead.section("Instances")
    page = lead.page
    page.get_by_role("button", name="Start a second pass").click()
    page.get_by_role("button", name="Show what it comes to").last.click()
    lead.sees("2 of 2 texts with gold would be given out again; their gold has 6 tokens now.")
    page.get_by_role("button", name="Start the pass").click()
    lead.sees("holds 2 texts. Its annotators find them under Annotate.")
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
    lead.section("Instances")
    lead.sees("1 text would get exhaustive gold; the tokens of 1 would change: 3 → 7 tokens, 1 → 2 sets.")
    page.get_by_role("button", name="Take over 1 text").click()
    lead.sees("The gold of 1 text is exhaustive now")
    lead.sees("1 of 2 texts have exhaustive gold from this pass.")
    assert exhaustive(server, films) == [2]
    page.get_by_role("button", name="Take all back").click()
    lead.sees("The gold of 1 text is what it was before the pass")
    assert exhaustive(server, films) == []
