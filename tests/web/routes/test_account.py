"""The page of one's own account: password, leaving a project, data to take along."""

import io
import shutil
import zipfile
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.store import open_store
from annotator.store.people import get_user, roles_of
from annotator.store.projects import add_project, get_project
from annotator.usecases.access import accounts
from annotator.usecases.project.projects import give_role
from tests.web.routes.test_sign_in import PAGE, PASSWORD, SAME, client_of

pytestmark = pytest.mark.usefixtures("quick_hashes")

NEW = "another long password"


@pytest.fixture
def path(tmp_path: Path, empty_database: Path) -> Path:
    path = Path(shutil.copy(empty_database, tmp_path / "annotator.db"))
    with open_store(path) as store:
        with store.transaction():
            add_project(store, "P <1>", get_task("sentiment"), labels=["no", "yes"])
        for name, role in (("ann", "annotator"), ("lea", "lead")):
            link = accounts.add_user(store, LOCAL_OPERATOR, name, role).link_token
            accounts.set_password_with_link(store, link, None, PASSWORD)
    return path


def signed_in(path: Path, name: str, password: str = PASSWORD) -> TestClient:
    client = client_of(path)
    answer = client.post("/sign-in", data={"name": name, "password": password}, headers=SAME, follow_redirects=False)
    assert answer.status_code == 303
    return client


def test_whoever_is_not_signed_in_signs_in_first_and_comes_back(path: Path) -> None:
    for address in ("/account", "/account/leave?project=1", "/account/data"):
        answer = client_of(path).get(address, headers=PAGE, follow_redirects=False)
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/sign-in?next=%2Faccount")


def test_a_password_is_changed_with_the_old_one_and_other_sessions_end(path: Path) -> None:
    here, elsewhere = signed_in(path, "ann"), signed_in(path, "ann")
    answer = here.post("/account/password", data={"old": PASSWORD, "new": NEW}, headers=SAME, follow_redirects=True)
    assert "Password changed. Your other sessions have ended." in answer.text
    assert "Signed in as <strong>ann" in here.get("/account", headers=PAGE).text
    assert elsewhere.get("/account", headers=PAGE, follow_redirects=False).status_code == 303
    assert signed_in(path, "ann", NEW)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("wrong password", NEW, "Wrong old password. Nothing was changed."),
        (PASSWORD, "short", "Passwords need at least 10 characters."),
        (PASSWORD, PASSWORD, "The new password equals the old one."),
    ],
)
def test_what_cannot_be_a_password_is_refused_and_the_old_one_stays(
    path: Path, old: str, new: str, sentence: str
) -> None:
    here, elsewhere = signed_in(path, "ann"), signed_in(path, "ann")
    assert sentence in here.post("/account/password", data={"old": old, "new": new}, headers=SAME).text
    assert elsewhere.get("/account", headers=PAGE, follow_redirects=False).status_code == 200
    assert signed_in(path, "ann")


def test_an_open_session_is_no_way_to_guess_the_password(path: Path) -> None:
    here = signed_in(path, "ann")
    answers = [
        here.post("/account/password", data={"old": f"guess {n} long", "new": NEW}, headers=SAME) for n in range(6)
    ]
    assert "Too many failed sign-ins. Try again in" in answers[-1].text


def test_a_form_of_another_site_changes_nothing(path: Path) -> None:
    here = signed_in(path, "ann")
    foreign = {"Sec-Fetch-Site": "cross-site", "Origin": "http://evil.example"}
    for address in ("/account/password", "/account/leave?project=1"):
        assert here.post(address, data={"old": PASSWORD, "new": NEW}, headers=foreign).status_code == 403
    assert signed_in(path, "ann")
    assert "annotator</span>" in here.get("/account", headers=PAGE).text


def test_somebody_leaves_a_project_after_reading_what_it_means(path: Path) -> None:
    here = signed_in(path, "ann")
    question = here.get("/account/leave?project=1", headers=PAGE).text
    assert "what you submitted stays, under your name" in question
    assert "P &lt;1&gt;" in question
    left = here.post("/account/leave?project=1", headers=SAME, follow_redirects=True)
    assert "You left the project." in left.text
    with open_store(path) as store:
        assert roles_of(store, get_user(store, "ann"), 1) == frozenset()
    assert "You have no role in this project." in here.post("/account/leave?project=1", headers=SAME).text


def test_the_only_lead_is_told_what_to_do_and_stays(path: Path) -> None:
    here = signed_in(path, "lea")
    assert "Make someone else lead first (Project, People)." in here.get("/account/leave?project=1", headers=PAGE).text
    assert "Projects need a lead. Appoint another first." in here.post("/account/leave?project=1", headers=SAME).text
    with open_store(path) as store:
        assert roles_of(store, get_user(store, "lea"), 1) == {"lead"}
        give_role(store, LOCAL_OPERATOR, get_project(store, "P <1>").id, "ann", "lead")
    left = here.post("/account/leave?project=1", headers=SAME, follow_redirects=True)
    assert "You left the project." in left.text


def test_everything_about_oneself_comes_as_one_file(path: Path) -> None:
    answer = signed_in(path, "ann").get("/account/data", headers=PAGE)
    assert answer.headers["content-disposition"] == 'attachment; filename="my-data.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert b'"ann"' in archive.read("account.json")
        assert b"lea" not in b"".join(map(archive.read, (n for n in archive.namelist() if n != "README.txt")))


def test_a_language_is_chosen_for_everywhere_and_given_up_again(path: Path) -> None:
    here, elsewhere = signed_in(path, "ann"), signed_in(path, "ann")
    answer = here.post("/account/language", data={"language": "zh"}, headers=SAME, follow_redirects=False)
    assert answer.status_code == 303
    assert "我的账号" in elsewhere.get("/account", headers=PAGE | {"Accept-Language": "en"}).text
    here.post("/account/language", data={"language": ""}, headers=SAME)
    assert "My account" in elsewhere.get("/account", headers=PAGE | {"Accept-Language": "en"}).text


def test_a_language_that_is_not_there_is_refused(path: Path) -> None:
    answer = signed_in(path, "ann").post("/account/language", data={"language": "xx"}, headers=SAME)
    assert answer.status_code == 422
    assert "Available: en, zh." in answer.text
