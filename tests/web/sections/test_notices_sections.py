"""Notices on the start page: read, by mail, and what an administrator sets."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.store import open_store
from annotator.store.people import get_user
from annotator.store.projects import get_project_by_id
from annotator.usecases.access import accounts
from annotator.usecases.annotate.talk import Subject, answer, begin
from annotator.usecases.delivery.channels import channels, own_address
from annotator.usecases.notices.notices import count_unread
from annotator.usecases.project.projects import create_project, give_role, take_role
from annotator.usecases.review import reviews
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from tests.usecases.review.test_reviews import annotate
from tests.web.sections.test_start_page import links

Opened = Callable[..., AppTest]


@pytest.fixture
def database(empty_database: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An administrator, and Ada, who annotates in *P*."""
    path = tmp_path / "annotator.db"
    shutil.copy(empty_database, path)
    monkeypatch.setenv("ANNOTATOR_DB", str(path))
    with open_store(path) as store:
        create_project(store, LOCAL_OPERATOR, "*P*", get_task("sentiment"), labels=("no", "yes"))
        accounts.add_user(store, LOCAL_OPERATOR, "Root", "administrator")
        accounts.add_user(store, LOCAL_OPERATOR, "Ada", "annotator", "*P*")
    return path


@pytest.fixture
def told(database: Path) -> Iterator[None]:
    """Ada was given a role."""
    with open_store(database) as store:
        give_role(store, LOCAL_OPERATOR, 1, "Ada", "reviewer")
    return


def test_what_is_new_is_a_link_that_reads_itself_and_one_button_reads_all(
    opened: Opened, told: None, database: Path
) -> None:
    app = opened("Ada")
    (label, page, query) = next(link for link in links(app) if "reviewer" in link[0])
    assert label.startswith(r"You're now reviewer · \*P\*, 20")
    assert (page, query) == ("review", "project=1&notice=1")
    app.button(key="notices_read").click().run()
    assert not app.exception
    with open_store(database) as store:
        assert count_unread(store, get_user(store, "Ada")) == 0
    assert "notice=" not in str(links(app))


def test_the_reply_to_a_reviewer_leads_to_the_annotation_that_they_score(
    opened: Opened, told: None, database: Path, tmp_path: Path
) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": "t1", "text": "The soup was cold.", "label": "no"}\n')
    with open_store(database) as store:
        project, ada = get_project_by_id(store, 1), get_user(store, "Ada")
        import_file(store, LOCAL_OPERATOR, project, "jsonl", rows, ImportOptions())
        give_role(store, LOCAL_OPERATOR, 1, "Root", "annotator")
        take_role(store, LOCAL_OPERATOR, 1, "Ada", "annotator")
        annotate(store, get_user(store, "Root"), project, RationaleSet.of((0, 2)))
        scored = reviews.next_review(store, ada, 1).work
        assert scored is not None
        begin(store, ada, 1, 1, Subject("annotation", scored.annotation.id, None, ""), "Is A whole?", to_lead=True)
        answer(store, LOCAL_OPERATOR, 1, "Yes")
    (_, page, query) = next(link for link in links(opened("Ada")) if "You have a reply" in link[0])
    assert (page, query) == ("review", f"project=1&notice=3&annotation={scored.annotation.id}")


def test_the_address_of_a_link_reads_the_notice(opened: Opened, told: None, database: Path) -> None:
    app = opened("Ada")
    app.query_params["notice"] = "1"
    app.run()
    with open_store(database) as store:
        assert count_unread(store, get_user(store, "Ada")) == 0
    assert "notice" not in app.query_params


def test_nobody_but_an_administrator_sees_how_the_server_sends(opened: Opened) -> None:
    assert [expander.label for expander in opened("Ada").expander] == []
    assert [expander.label for expander in opened("Root").expander] == ["Server mail and webhook"]


def test_an_administrator_turns_mail_on_and_whoever_wants_it_names_an_address(opened: Opened, database: Path) -> None:
    app = opened("Root")
    app.text_input(key="mail_host").input("mail.lab.example")
    app.text_input(key="mail_sender").input("annotator@lab.example")
    app.text_input(key="mail_account").input("annotator")
    app.text_input(key="mail_password_0").input("a secret")
    app.button(key="mail_save").click().run()
    assert not app.exception
    assert "a secret" not in str(app.main), "the field is empty again"
    with open_store(database) as store:
        now = channels(store, LOCAL_OPERATOR)
    assert (now.is_mail_on, now.mail.host, now.has_password) == (True, "mail.lab.example", True)

    app = opened("Ada")
    app.text_input(key="mail_address_text").input("ada@lab.example\r\nBcc: x@y.z")
    app.button(key="mail_address_send").click().run()
    assert "'ada:small[]@lab.examplernBcc: x:small[]@y.z' isn't an email address, e.g." in app.error[0].value.replace(
        "\\", ""
    )
    app.text_input(key="mail_address_text").input("ada@lab.example")
    app.button(key="mail_address_send").click().run()
    with open_store(database) as store:
        address = own_address(store, get_user(store, "Ada"))
    assert address is not None
    assert (address.address, address.confirmed_at) == ("ada@lab.example", None)
    app.button(key="mail_stop").click().run()
    with open_store(database) as store:
        assert own_address(store, get_user(store, "Ada")) is None


def test_what_is_no_server_is_refused_and_nothing_is_turned_on(opened: Opened, database: Path) -> None:
    app = opened("Root")
    app.text_input(key="mail_host").input("mail.lab.example/x")
    app.text_input(key="mail_sender").input("annotator@lab.example")
    app.button(key="mail_save").click().run()
    assert "'mail\\.lab\\.example/x' isn't a host name, e\\.g\\." in app.error[0].value
    with open_store(database) as store:
        assert not channels(store, LOCAL_OPERATOR).is_mail_on


def test_the_webhook_s_key_is_shown_until_it_is_taken_and_a_test_says_what_failed(
    opened: Opened, database: Path
) -> None:
    app = opened("Root")
    app.text_input(key="webhook_url").input("https://127.0.0.1/hooks")
    app.button(key="webhook_save").click().run()
    assert len(app.code[0].value) == 43
    app.button(key="webhook_key_taken").click().run()
    assert not app.code
    app.button(key="webhook_test").click().run()
    assert "'127.0.0.1' resolves to 127.0.0.1, which is this machine." in app.error[0].value.replace("\\", "")
    app.button(key="webhook_off").click().run()
    with open_store(database) as store:
        now = channels(store, LOCAL_OPERATOR)
    assert (now.is_webhook_on, now.has_key) == (False, False)
