"""An audit: the lead draws it, somebody who had no part judges it, the lead sends back what is wrong, the author reads why."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.perturbations import ChangedText
from annotator.domain.project.audits import Drawing
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.tasks import get_task
from annotator.store import open_store
from annotator.store.instances import find_instance_ids
from annotator.store.people import get_user
from annotator.usecases.perturb import versions
from annotator.usecases.perturb.audit_results import audits_of_project
from annotator.usecases.perturb.audits import draw_audit
from annotator.usecases.project.projects import create_project, give_role
from annotator.usecases.transfer.file_import import import_file
from benchmarks.served import Server
from tests.browser.stories.story import Person

pytestmark = pytest.mark.browser
Come = Callable[..., Person]

TEXT = "The plot is slow, but the acting is superb and the music lifts every scene."


@pytest.fixture
def films(server: Server, tmp_path: Path) -> Project:
    """Two films, each with a changed version that Annotator 1 wrote and that was accepted."""
    path = tmp_path / "films.jsonl"
    rows = [{"id": k, "text": TEXT, "label": "positive", "rationales": [[[7, 10]]]} for k in ("f1", "f2")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with open_store(server.database) as store:
        settings = ProjectSettings(reviewers_per_annotation=0, checkers_per_perturbation=0)
        made = create_project(
            store, LOCAL_OPERATOR, "Films", get_task("sentiment"), labels=["negative", "positive"], settings=settings
        )
        import_file(store, LOCAL_OPERATOR, made, "jsonl", path)
        for name, role in (("Annotator 1", "annotator"), ("Annotator 2", "annotator"), ("Lead", "lead")):
            give_role(store, LOCAL_OPERATOR, made.id, name, role)  # type: ignore[arg-type]
        author = get_user(store, "Annotator 1")
        for key, word in (("f1", "truly"), ("f2", "*quite*")):
            changed = ChangedText("dispensable", {"text": TEXT.replace("is superb", f"is {word} superb")}, "positive")
            versions.hand_in(store, author, find_instance_ids(store, made.id, key)[0], changed)
    return made


def test_a_sample_is_judged_with_the_keyboard_alone(server: Server, person: Come, films: Project) -> None:
    with open_store(server.database) as store:
        draw_audit(store, LOCAL_OPERATOR, films, Drawing())
    somebody = person("Annotator 2").open(f"/perturb?project={films.id}&audit=1")
    page = somebody.page
    somebody.sees("2 versions left for you.")
    somebody.sees("give the verdict and go on")
    wrong = page.get_by_role("button", name="It is wrong")
    field = page.locator("[data-stale=false][class*=st-key-audit_][class*=_comment]")
    first = field.get_attribute("class") or ""
    somebody.press("2")
    expect(wrong).to_be_enabled()
    somebody.press("2")
    expect(wrong).to_be_disabled()
    somebody.press("Control+Enter")
    somebody.sees("1 version left for you.")

    expect(field).not_to_have_class(first)
    somebody.press("c")
    expect(page.get_by_role("textbox", name="Comment")).to_be_focused()
    page.keyboard.type("2 things are wrong")
    somebody.press("Escape", "2", "Control+Enter")
    somebody.sees("No version waits for you.")
    with open_store(server.database) as store:
        [result] = audits_of_project(store, LOCAL_OPERATOR, films)
    [judged] = result.wrong
    assert (result.overall.n_judged, result.overall.n_right) == (2, 1)
    assert judged.item.verdict is not None
    assert (judged.item.verdict.faults, judged.item.verdict.comment) == (("result",), "2 things are wrong")


def test_a_sample_is_drawn_judged_and_what_is_wrong_goes_back(person: Come, films: Project) -> None:
    lead = person("Lead").open(f"/project?project={films.id}")
    lead.section("Quality")
    page = lead.page
    page.get_by_role("button", name="Draw a sample").click()
    lead.sees("If 95 % of 2 versions are right, the 95 % interval is")
    page.get_by_role("button", name="Draw it").click()
    lead.sees("none judged yet")

    somebody = person("Annotator 2").open(f"/perturb?project={films.id}&audit=1")
    judged = somebody.page
    somebody.sees("2 versions left for you.")
    expect(judged.get_by_text("Annotator 1")).to_have_count(0)
    judged.get_by_role("button", name="It is right").click()
    somebody.sees("1 version left for you.")
    wrong = judged.get_by_text("its label or answer is wrong")
    expect(wrong).to_have_count(1)  # that of the first version is gone
    wrong.click()
    wrong = judged.get_by_role("button", name="It is wrong")
    expect(wrong).to_be_enabled()
    wrong.click()
    somebody.sees("No version waits for you.")

    page.reload()
    lead.section("Quality")
    lead.sees("50.0 % right of 2 judged (95 % interval 9.5 % to 90.5 %)")
    lead.sees("1 wrong version")
