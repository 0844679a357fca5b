"""Pages as somebody sees them who is signed in."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.resources import resource_folder
from annotator.store import Store, open_store
from annotator.usecases.access import accounts
from annotator.web import frame, server, session
from annotator.web.navigation import START
from annotator.web.session import Visit

APP = Path(frame.__file__).with_name("app.py")
server.find_no_components()


@pytest.fixture
def opened(database: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], AppTest]:
    """The start page of the database, by the name of who looks at it."""

    def run(name: str) -> AppTest:
        with open_store(database) as store:
            token = accounts.sign_in_as(store, name, is_demonstration=True)
        monkeypatch.setattr(session, "cookie_token", lambda: token)
        monkeypatch.setattr(frame, "first_page_for", lambda *_, **__: START)
        return AppTest.from_file(str(APP), default_timeout=30).run()

    return run


@pytest.fixture
def project_page(store: Store, database: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Project, str], AppTest]:
    """The Project page at a section, as Lea is about to see it, who leads the project."""

    def made(project: Project, section: str) -> AppTest:
        lea: User = accounts.add_user(store, LOCAL_OPERATOR, "lea", "lead", project.name).user
        token = accounts.sign_in_as(store, lea.name, is_demonstration=True)
        monkeypatch.setattr(session, "cookie_token", lambda: token)
        monkeypatch.setenv("ANNOTATOR_DB", str(database))
        page = AppTest.from_file(str(resource_folder("pages") / "project.py"), default_timeout=30)
        page.session_state["visit"] = Visit(lea, "", project, frozenset({"lead"}))
        page.session_state["project_section"] = section
        return page

    return made
