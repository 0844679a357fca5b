"""Computing attributions on the Saliency page as a script: what is asked of which model."""

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
from annotator.usecases.models.attributions import LoadOptions
from annotator.web import session
from annotator.web.session import Visit

SCRIPT = """
from annotator.web.session import current_visit, page_store
from annotator.web.sections import computation
with page_store() as store:
    visit = current_visit(store)
    computation.show(store, visit, visit.project)
"""


@pytest.fixture
def project(make_project: Callable[..., Project]) -> Project:
    return make_project(name="Tastes")


@pytest.fixture
def page(store: Store, database: Path, project: Project, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """What stands under “Compute attributions”, for a researcher of the project."""
    user = accounts.add_user(store, LOCAL_OPERATOR, "ada", "researcher", project.name).user
    token = accounts.sign_in_as(store, "ada", is_demonstration=True)
    monkeypatch.setattr(session, "cookie_token", lambda: token)
    monkeypatch.setenv("ANNOTATOR_DB", str(database))
    app = AppTest.from_string(SCRIPT, default_timeout=30)
    app.session_state["visit"] = Visit(user, "", project, frozenset({"researcher"}))
    return app.run()


def asked(store: Store, project: Project) -> AskedAttribution:
    (job,) = queue_of(store, LOCAL_OPERATOR, project).open
    return msgspec.json.decode(job.options, type=AskedAttribution)


def test_a_model_that_is_trained_for_the_labels_is_asked_with_no_prompt(
    store: Store, project: Project, page: AppTest
) -> None:
    assert not page.text_area
    page.button(key="compute_go").click().run()
    assert asked(store, project).options.load == LoadOptions()


def test_a_zero_shot_model_is_asked_with_the_prompt_and_the_words_that_were_written(
    store: Store, project: Project, page: AppTest
) -> None:
    page.text_input(key="compute_model").input("transformers-zero-shot:models/causal").run()
    page.text_area(key="compute_prompt").input("Review: {text}\nIt was {label}")
    page.text_input(key=f"compute_words_{project.id}_positive").input(" great ")
    page.button(key="compute_go").click().run()
    load = asked(store, project).options.load
    assert (load.prompt, load.label_words) == ("Review: {text}\nIt was {label}", {"positive": "great"})
