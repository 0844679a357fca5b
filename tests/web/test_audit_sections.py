"""Audits on the pages: a lead draws one on Quality, a third person judges on Perturb, the lead sends back what is wrong."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR, Role, User
from annotator.domain.perturbations import ChangedText
from annotator.domain.project.audits import Drawing
from annotator.domain.projects import Project
from annotator.resources import resource_folder
from annotator.store import Store
from annotator.usecases.access import accounts
from annotator.usecases.perturb import versions
from annotator.usecases.perturb.audit_results import audits_of_project
from annotator.usecases.perturb.audits import draw_audit
from annotator.web import session
from annotator.web.session import Visit

Open = Callable[[str, User, Role], AppTest]


@pytest.fixture
def project(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> Project:
    """Two accepted versions that Ann wrote; one has signs of Markdown."""
    made = make_project(name="Reviews", checkers_per_perturbation=0)
    rows = [{"id": k, "text": "so dull", "label": "negative", "rationales": [[[1, 2]]]} for k in ("a", "b")]
    import_rows(made, rows)
    ann = add_person("Ann", made, "annotator")
    for number, text in ((1, "*really* so dull"), (2, "so very dull")):
        versions.hand_in(store, ann, number, ChangedText("dispensable", {"text": text}, "negative"))
    return made


@pytest.fixture
def open_page(store: Store, database: Path, project: Project, monkeypatch: pytest.MonkeyPatch) -> Open:
    """A page, as somebody with a role sees it."""

    def opened(page: str, user: User, role: Role) -> AppTest:
        token = accounts.sign_in_as(store, user.name, is_demonstration=True)
        monkeypatch.setattr(session, "cookie_token", lambda: token)
        monkeypatch.setenv("ANNOTATOR_DB", str(database))
        app = AppTest.from_file(str(resource_folder("pages") / page), default_timeout=30)
        app.session_state["visit"] = Visit(user, "", project, frozenset({role}))
        return app

    return opened


def test_a_lead_sees_how_wide_the_interval_will_be_and_draws(store: Store, project: Project, open_page: Open) -> None:
    lea = accounts.add_user(store, LOCAL_OPERATOR, "lea", "lead", project.name).user
    app = open_page("project.py", lea, "lead")
    app.session_state["project_section"] = "Quality"
    app.run()
    assert not app.exception
    assert any(m.value.startswith("If 95 % of 2 versions are right, the 95 % interval is 3") for m in app.markdown)
    app.button(key=f"audit_new_{project.id}_draw").click().run()
    assert not app.exception
    assert any(m.value == "**Audit 1**: none judged yet" for m in app.markdown)


def test_a_third_person_judges_without_names(
    store: Store, project: Project, open_page: Open, add_person: Callable[..., User]
) -> None:
    draw_audit(store, LOCAL_OPERATOR, project, Drawing())
    dan = add_person("Dan", project, "annotator")
    app = open_page("perturb.py", dan, "annotator")
    app.session_state["perturb_part"] = "Audit"
    app.run()
    assert not app.exception
    assert any("2 versions left for you" in c.value for c in app.caption)
    texts = " ".join(m.value for m in app.markdown)
    assert "Ann" not in texts
    first = app.session_state["audit_shown"]
    app.button(key=f"{first}_right").click().run()
    second = app.session_state["audit_shown"]
    assert second != first
    app.button_group(key=f"{second}_faults").set_value(["result"]).run()
    assert app.button(key=f"{second}_right").disabled
    app.button(key=f"{second}_wrong").click().run()
    assert "No version waits for you" in app.info[0].value
    [result] = audits_of_project(store, LOCAL_OPERATOR, project)
    assert (result.overall.n_judged, result.overall.n_right) == (2, 1)


def test_whoever_has_nothing_to_audit_sees_perturb_as_ever(
    project: Project, open_page: Open, add_person: Callable[..., User]
) -> None:
    app = open_page("perturb.py", add_person("Dan", project, "annotator"), "annotator")
    app.run()
    assert not app.exception
    assert not app.get("button_group")
