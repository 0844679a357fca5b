"""The Review page: who gets it, and what its document reads beforehand. What it shows is tested in Chromium."""

import re
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.errors import NotFound
from annotator.store import open_store
from annotator.store.projects import add_project, get_project
from annotator.usecases.access import accounts
from annotator.web import frame, page_parts, session
from annotator.web.routes.documents import _document
from annotator.web.routes.static import _PANEL, panel_modules

APP = Path(frame.__file__).with_name("app.py")


@pytest.fixture
def database(tmp_path: Path, empty_database: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ANNOTATOR_DB", str(tmp_path / "annotator.db"))
    with open_store(shutil.copy(empty_database, tmp_path / "annotator.db")) as store, store.transaction():
        add_project(store, "P", get_task("sentiment"), labels=["no", "yes"])
    return tmp_path / "annotator.db"


def sign_in(database: Path, monkeypatch: pytest.MonkeyPatch, role: str) -> None:
    with open_store(database) as store:
        accounts.add_user(store, LOCAL_OPERATOR, "rev", role, "P")
        token = accounts.sign_in_as(store, "rev", is_demonstration=True)
    monkeypatch.setattr(session, "cookie_token", lambda: token)


def test_a_reviewer_gets_the_screen(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sign_in(database, monkeypatch, "reviewer")
    app = AppTest.from_file(str(APP), default_timeout=20).run()
    assert not app.exception
    assert not app.error
    assert not app.info


def test_who_may_not_review_reads_why(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(page_parts.st, "info", lambda sentence, **_: said.append(sentence))
    with open_store(database) as store:
        project = get_project(store, "P")
    visit = session.Visit(LOCAL_OPERATOR, "token", project, frozenset({"annotator"}))
    assert page_parts.require_project(visit, "review") is None
    assert said[0].startswith("You can't review here. Ask a lead.")


@pytest.mark.parametrize(("asked", "number"), [("31", 31), ("", None)])
def test_a_deep_link_names_an_annotation(monkeypatch: pytest.MonkeyPatch, asked: str, number: int | None) -> None:
    monkeypatch.setattr(page_parts.st, "query_params", {"annotation": asked})
    assert page_parts.asked_annotation() == number


@pytest.mark.parametrize("asked", ["x", "-1", "9" * 19])
def test_a_deep_link_without_a_number_is_refused(monkeypatch: pytest.MonkeyPatch, asked: str) -> None:
    monkeypatch.setattr(page_parts.st, "query_params", {"annotation": asked})
    with pytest.raises(NotFound, match=rf"Invalid address: annotation={asked} isn't a number\."):
        page_parts.asked_annotation()


@pytest.mark.parametrize(
    ("page", "entry", "other"),
    [("annotate", "annotate/main.js", "annotate/flow.js"), ("review", "review/main.js", "review/flow.js")],
)
def test_the_document_names_the_modules_of_its_own_screen(page: str, entry: str, other: str) -> None:
    named = re.findall(r'<link rel="modulepreload" href="([^"]+)">', _document(page))
    own = [address for address in named if address.startswith("/panel/")]
    assert own == panel_modules(entry)
    names = ["/".join(address.rsplit("/", 2)[1:]) for address in own]
    assert other in names
    assert len(names) == len(set(names))
    assert all((_PANEL / name).is_file() for name in names)
    assert ("review/flow.js" in names) == (page == "review")
