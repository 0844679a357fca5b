"""The part of the People page in which an administrator takes a person's data out."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.store import Store
from annotator.store.people import find_user
from annotator.usecases.access import accounts
from annotator.web import session
from annotator.web.session import Visit
from tests.usecases.review.test_reviews import annotate
from tests.web.sections.test_project_page import lea, opened, texts

__all__ = ["lea", "opened", "texts"]  # fixtures

ANN = "Ann <b>"


@pytest.fixture
def dialog(
    store: Store, texts, add_person, database: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], AppTest]:
    """What stands in one of the dialogs about Ann, who annotated a text, as an administrator sees it."""
    project: Project = texts(2)
    annotate(store, add_person(ANN, project, "annotator"), project, RationaleSet.of((0, 2)))
    ada = accounts.add_user(store, LOCAL_OPERATOR, "ada", "administrator").user
    token = accounts.sign_in_as(store, "ada", is_demonstration=True)
    monkeypatch.setattr(session, "cookie_token", lambda: token)
    monkeypatch.setenv("ANNOTATOR_DB", str(database))

    def run(function: str) -> AppTest:
        script = f"from annotator.web.sections.people import personal_data\npersonal_data.{function}({ANN!r})"
        app = AppTest.from_string(script, default_timeout=30)
        app.session_state["visit"] = Visit(ada, "", project, frozenset())
        return app.run()

    return run


def said(app: AppTest) -> str:
    return "\n".join(one.value for one in (*app.markdown, *app.error, *app.success, *app.warning, *app.info))


@pytest.mark.parametrize(("function", "is_erased"), [("ask_to_anonymise", False), ("ask_to_erase", True)])
def test_somebody_is_taken_out_after_the_counts_and_with_the_name_typed(
    store: Store, dialog, function: str, is_erased: bool
) -> None:
    app = dialog(function)
    assert "1 annotation (1 rationale set)" in said(app).replace("\\", "")
    assert (
        "Any backup or export from before keeps the name and words; the server log may. Delete what nobody needs."
        in said(app).replace("\\", "")
    )
    app.text_input("people_data_typed").input("Ann")
    app.button("people_data_go").click().run()
    assert "Nothing was done" in said(app)
    assert find_user(store, ANN) is not None
    app.text_input("people_data_typed").input(ANN)
    app.button("people_data_go").click().run()
    assert find_user(store, ANN) is None
    assert store.value("SELECT count(*) FROM annotations") == (0 if is_erased else 1)


def test_a_backup_that_is_made_first_is_said_to_hold_them(store: Store, dialog) -> None:
    app = dialog("ask_to_erase")
    app.button("people_data_backup").click().run()
    [backup] = store.path.parent.glob("*.backup")
    assert "It contains this person too\\." in said(app)
    assert ANN.encode() in backup.read_bytes()


def test_a_lead_reads_of_it_and_has_no_button(store: Store, texts, lea, opened) -> None:
    project = texts(1)
    app = opened(project, lea(project), "People").run()
    assert any("Administrators can export, anonymise or erase personal data." in one.value for one in app.markdown)
    assert not [one for one in app.button if one.key in {"people_data_hide", "people_data_erase"}]


def test_a_lead_reads_whom_to_ask_and_where_everybody_leaves_by_themselves(store: Store, texts, lea, opened) -> None:
    project = texts(1)
    accounts.add_user(store, LOCAL_OPERATOR, "*ada*", "administrator")
    page = opened(project, lea(project), "People").run()
    assert not page.exception
    words = [markdown.value for markdown in page.markdown]
    assert "Server administrator: \\*ada\\*." in words
    assert any("Administrators can export, anonymise or erase personal data." in one for one in words)
