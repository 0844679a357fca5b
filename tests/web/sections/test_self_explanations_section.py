"""Asking a model for its own reasons on the Saliency page: the prompts, and the button where an address is set."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.usecases.access import accounts
from annotator.usecases.background import AskedAttribution, queue_of
from annotator.web import session
from annotator.web.session import Visit

SCRIPT = """
from annotator.web.session import current_visit, page_store
from annotator.web.sections.self_explanations import prompts
with page_store() as store:
    visit = current_visit(store)
    prompts.show(store, visit, visit.project)
"""
SECRET = "sk-secret-0123456789"


@pytest.fixture
def page(store: Store, database: Path, project: Project, monkeypatch: pytest.MonkeyPatch) -> Callable[[], AppTest]:
    user = accounts.add_user(store, LOCAL_OPERATOR, "ada", "researcher", project.name).user
    token = accounts.sign_in_as(store, "ada", is_demonstration=True)
    monkeypatch.setattr(session, "cookie_token", lambda: token)
    monkeypatch.setenv("ANNOTATOR_DB", str(database))

    def run() -> AppTest:
        app = AppTest.from_string(SCRIPT, default_timeout=30)
        app.session_state["visit"] = Visit(user, "", project, frozenset({"researcher"}))
        return app.run()

    return run


def shown(app: AppTest) -> str:
    values = [str(element.value) for kind in (app.caption, app.markdown, app.warning, app.error) for element in kind]
    return "\n".join(values).replace("\\", "")


def test_without_an_address_there_are_the_prompts_alone(page, monkeypatch):
    monkeypatch.delenv("ANNOTATOR_MODEL_ADDRESS", raising=False)
    app = page()
    assert [button.key for button in app.button] == ["selfexp_prepare"]
    app.button(key="selfexp_prepare").click().run()
    assert "Download Project-prompts.jsonl (3 KB)" in app.get("download_button")[0].proto.label.replace("\\", "")


def test_a_prompt_without_a_place_for_the_text_is_refused_in_words(page, project, monkeypatch):
    monkeypatch.delenv("ANNOTATOR_MODEL_ADDRESS", raising=False)
    app = page()
    app.text_area(key=f"selfexp_template_{project.id}_0").input("{labels}")
    app.button(key="selfexp_prepare").click().run()
    assert "The prompt must contain {text} exactly once." in app.error[0].value.replace("\\", "")


def test_with_an_address_a_model_is_asked_in_the_background_and_nothing_of_the_key_is_shown(
    page, store, project, monkeypatch
):
    monkeypatch.setenv("ANNOTATOR_MODEL_ADDRESS", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("ANNOTATOR_MODEL_KEY", SECRET)
    app = page()
    app.button(key="selfexp_go").click().run()
    assert "Give the model's name on its server." in shown(app)
    app.text_input(key="selfexp_model").input("small:3b")
    app.text_input(key="selfexp_split").input("test")
    app.button(key="selfexp_go").click().run()
    [job] = queue_of(store, LOCAL_OPERATOR, project).open
    request = msgspec.json.decode(job.options, type=AskedAttribution)
    assert (request.model, request.method, request.options.split) == ("small:3b", "quotes", "test")
    assert SECRET not in shown(app) + job.options + job.title


def test_an_address_of_another_machine_is_told_and_not_offered(page, monkeypatch):
    monkeypatch.setenv("ANNOTATOR_MODEL_ADDRESS", "http://192.0.2.1/v1")
    app = page()
    assert "'192.0.2.1' isn't this machine." in shown(app)
    assert [button.key for button in app.button] == ["selfexp_prepare"]
