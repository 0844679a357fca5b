"""The Export page as a script: each format that can be written can be chosen, prepared and taken."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.resources import resource_folder
from annotator.store import Store
from annotator.usecases import accounts
from annotator.usecases.exporting import WRITABLE
from annotator.usecases.import_report import ImportReport
from annotator.web import session
from annotator.web.session import Visit

PAGE = resource_folder("pages") / "export.py"


@pytest.fixture
def page(
    store: Store,
    database: Path,
    make_project: Callable[..., Project],
    import_rows: Callable[..., ImportReport],
    monkeypatch: pytest.MonkeyPatch,
) -> AppTest:
    """The page of a lead, in a project of an original with gold and a perturbed version of it."""
    project = make_project()
    import_rows(project, [
        {"id": "a", "text": "bad slow plot", "label": "negative", "split": "train", "rationales": [[[0, 1]]]},
        {"id": "a1", "text": "good slow plot", "label": "positive", "split": "train", "rationales": [[[0, 1]]], "parent": "a", "perturbation_kind": "contrast"},
    ])  # fmt: skip
    user = accounts.add_user(store, LOCAL_OPERATOR, "ada", "lead", project.name).user
    token = accounts.sign_in_as(store, "ada", is_demonstration=True)
    monkeypatch.setattr(session, "cookie_token", lambda: token)
    monkeypatch.setenv("ANNOTATOR_DB", str(database))
    app = AppTest.from_file(str(PAGE), default_timeout=30)
    app.session_state["visit"] = Visit(user, "", project, frozenset({"lead"}))
    return app.run()


@pytest.mark.parametrize("format_name", WRITABLE)
def test_each_format_is_prepared_and_can_be_taken(page: AppTest, format_name: str) -> None:
    page.selectbox("export_format").set_value(format_name)
    page.button("export_prepare").click().run()
    assert not page.exception
    [taken] = page.get("download_button")
    assert taken.proto.label.startswith("Download ")
