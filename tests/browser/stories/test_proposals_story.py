"""Proposed sets: the lead chooses a word list, an annotator accepts, rejects and marks, and the lead sees what was kept."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import ProjectSettings
from annotator.domain.tasks import get_task
from annotator.store import open_store
from annotator.usecases.project.projects import create_project, give_role
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.transfer.file_import import import_file
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

ORIGINAL = "The plot is slow, but the acting is superb and the music lifts every scene."
CHANGED = "The plot is rather slow, but the acting is truly superb and the music lifts every scene."
ROWS: list[dict[str, object]] = [
    {"id": "film", "text": ORIGINAL, "label": "positive", "rationales": [[[7, 10]], [[11, 16]]]},
    {"id": "film-changed", "text": CHANGED, "label": "positive", "parent": "film", "perturbation_kind": "dispensable"},
]


@pytest.fixture
def pairs(server: Server, tmp_path: Path) -> int:
    """A project with an original that has gold, and a changed version that waits; and two word lists."""
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    with open_store(server.database) as store:
        settings = ProjectSettings(reviewers_per_annotation=0)
        made = create_project(
            store, LOCAL_OPERATOR, "Pairs", get_task("sentiment"), labels=["negative", "positive"], settings=settings
        )
        import_file(store, LOCAL_OPERATOR, made, "jsonl", path)
        save_word_list(store, LOCAL_OPERATOR, made, "praise", ["superb", "lifts"], role="keep")
        save_word_list(store, LOCAL_OPERATOR, made, "fillers", ["the", "is", "but", "and"], role="ignore")
        give_role(store, LOCAL_OPERATOR, made.id, "Annotator 1", "annotator")
        give_role(store, LOCAL_OPERATOR, made.id, "Lead", "lead")
    return made.id


def chips(ann: Person) -> list[str]:
    ann.page.locator(".proposal").first.wait_for()
    return ann.page.locator(".proposal-title").all_inner_texts()


def states(server: Server) -> list[tuple[str, str, str]]:
    with open_store(server.database) as store:
        return [(r["source"], r["name"], r["state"]) for r in store.rows("SELECT * FROM proposed_sets ORDER BY id")]


def test_what_is_proposed_is_chosen_answered_and_counted(server: Server, person: Come, pairs: int) -> None:
    lead = person("Lead").open(f"/project?project={pairs}")
    lead.section("Rules")
    lead.page.get_by_role("combobox", name="Word lists that propose sets").click()
    lead.page.get_by_role("option", name="fillers (ignore)").click()
    lead.page.get_by_role("option", name="praise (keep)").click()
    lead.press("Escape")
    lead.page.get_by_role("button", name="Save the rules").click()
    lead.sees("The rules are saved.")

    ann = person("Annotator 1").annotate(pairs)
    assert ann.key == "film-changed"
    ann.sees("This is a changed version of another text")
    ann.press("c")
    expect(ann.page.locator("dialog .since ins")).to_have_text(["rather", "truly"])
    ann.press("c")
    expect(ann.page.locator("dialog")).to_have_count(0)
    assert chips(ann) == ["original A", "original B", "“praise”", "all but “fillers”?"]
    ann.press("a", "r")
    ann.saved()
    ann.page.reload()
    ann.wait_for_text()
    assert chips(ann) == ["“praise”", "all but “fillers”?"]
    ann.press("Control+Enter")
    ann.sees("1 proposed set is undecided")
    ann.press("Control+Enter")
    ann.sees("There is nothing left for you to annotate here")
    ann.saved()
    assert states(server) == [
        ("carried", "dispensable", "accepted"),
        ("carried", "dispensable", "rejected"),
        ("lexicon", "praise", "undecided"),
        ("complement", "fillers", "unasked"),
    ]

    lead.section("Quality")
    lead.sees("3 suggested, 1 kept, in work that was submitted.")
