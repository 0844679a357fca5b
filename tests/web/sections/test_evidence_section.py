"""Every evidence on Project under Texts: a lead starts a second pass and takes over what it marked."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.store import Store
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.databases import find_project
from annotator.usecases.gold import gold_instances
from annotator.web.frame import CONFIRMED

NAME = "Reviews *1* – every evidence"


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project(name="Reviews *1*")
    rows = [{"id": k, "text": "good and bad", "label": "positive", "rationales": [[[0, 1]]]} for k in ("a", "b")]
    import_rows(made, rows, split="test")
    return made


@pytest.fixture
def app(project_page: Callable[[Project, str], AppTest], project: Project) -> AppTest:
    return project_page(project, "Instances")


def test_a_lead_starts_a_pass_sees_what_would_change_and_takes_it_over(
    store: Store, project: Project, app: AppTest, add_person: Callable[..., User]
) -> None:
    ann = add_person("Ann", project, "annotator")
    app.run()
    app.button(key=f"evidence_new_{project.id}_preview").click().run()
    assert not app.exception
    assert any(m.value.startswith("Reassigns 2 of 2 texts with gold (") for m in app.markdown)
    app.button(key=f"evidence_new_{project.id}_start").click().run()
    assert not app.exception
    assert app.session_state[CONFIRMED]["words"].startswith(
        r"“Reviews *1* – every evidence” has 2 texts, ready under Annotate"
    )
    second = find_project(store, NAME)
    work = annotate_work.next_work(store, ann, second.id).work
    assert work is not None
    draft = replace(work.assignment.draft, sets=(RationaleSet.of((0, 1)), RationaleSet.of((2, 3))), result="positive")
    annotate_work.submit(store, ann, work.assignment.id, work.assignment.revision, draft)
    app.run()
    assert any("1 text would get exhaustive gold" in m.value and "1 → 2 tokens" in m.value for m in app.markdown)
    app.button(key=f"evidence_{second.id}_take").click().run()
    assert app.session_state[CONFIRMED]["words"].startswith("1 text now has exhaustive gold")
    assert any(m.value == "1 of 2 texts have exhaustive gold from this pass." for m in app.markdown)
    assert [g.instance.is_exhaustive for g in gold_instances(store, project, "chosen")].count(True) == 1
    app.button(key=f"evidence_{second.id}_back").click().run()
    assert app.session_state[CONFIRMED]["words"].startswith("1 text restored")


def test_where_nobody_else_annotates_it_is_said_before(store: Store, app: AppTest, project: Project) -> None:
    app.run()
    assert not app.warning
    with store.transaction():  # the lead, who is the only one here, marked both
        store.run("UPDATE annotations SET user_id = (SELECT id FROM users WHERE name = 'lea')")
    app.button(key=f"evidence_new_{project.id}_preview").click().run()
    assert app.warning[0].value.startswith("Everyone annotated 2 of these. Add annotators, or allow repeats.")
