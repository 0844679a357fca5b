"""Pages as somebody sees them who is signed in."""

from collections.abc import Callable
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.files import resource_folder
from annotator.store import Store, open_store
from annotator.usecases.access import accounts
from annotator.web import frame, server, session
from annotator.web.navigation import START
from annotator.web.session import Visit

APP = Path(frame.__file__).with_name("app.py")
server.spare_streamlit()


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
def app_for(store: Store, database: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., AppTest]:
    """A page or a script, as somebody is about to see it who has one role in the project: a new one by name, or `who` is there."""

    def made(page: Path | str, project: Project, role: str = "lead", who: User | str = "ada") -> AppTest:
        user = accounts.add_user(store, LOCAL_OPERATOR, who, role, project.name).user if isinstance(who, str) else who
        token = accounts.sign_in_as(store, user.name, is_demonstration=True)
        monkeypatch.setattr(session, "cookie_token", lambda: token)
        monkeypatch.setenv("ANNOTATOR_DB", str(database))
        app = (AppTest.from_string if isinstance(page, str) else AppTest.from_file)(page, default_timeout=30)
        app.session_state["visit"] = Visit(user, "", project, frozenset({role}))
        return app

    return made


@pytest.fixture
def project_page(app_for: Callable[..., AppTest]) -> Callable[[Project, str], AppTest]:
    """The Project page at a section, as Lea is about to see it, who leads the project."""

    def made(project: Project, section: str) -> AppTest:
        page: AppTest = app_for(resource_folder("pages") / "project.py", project, who="lea")
        page.session_state["project_section"] = section
        return page

    return made
