"""Notices leave the server at most once: gathered, claimed, sent, tried again, given up."""

import email
import email.policy
import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import asdict
from email.message import EmailMessage
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed
from annotator.store import Store, open_store
from annotator.store.notices import outbox as message_store
from annotator.store.notices.outbox import find_address, save_channel
from annotator.usecases.delivery import outbox
from annotator.usecases.delivery.channels import (
    MailOptions,
    WebhookOptions,
    channels,
    choose_address,
    confirm,
    secret_of,
    secrets_file,
    set_mail,
    set_webhook,
    stop_mail,
    turn_off,
)
from annotator.usecases.delivery.outbox import BROKEN_AFTER, PAUSES, Outside, gather, send_next, tidy
from annotator.usecases.notices.notices import mark_all_read, unread
from annotator.usecases.project.projects import give_role, take_role
from annotator.usecases.restoration import restore
from annotator.usecases.upkeep import back_up
from tests.clock import pass_time
from tests.outbound.servers import HOST, Received, here, https_server, smtp_server

People = Callable[..., User]
OUTSIDE = Outside(here)
posix = pytest.mark.skipif(os.name != "posix", reason="kills a process as POSIX does")
ADDRESS = "ada@lab.example"


@pytest.fixture
def ada(add_person: People, project: Project) -> User:
    return add_person("Ada", project, "annotator")


@pytest.fixture
def mail(trusted: Path, store: Store, ada: User) -> Iterator[Received]:
    """A mail server that is turned on, and an address that Ada has confirmed; what went there before is forgotten."""
    with smtp_server(trusted) as (port, received):
        set_mail(store, LOCAL_OPERATOR, MailOptions(HOST, port, "starttls", "annotator@lab.example", private=HOST))
        choose_address(store, ada, ADDRESS)
        assert send_next(store, OUTSIDE)
        confirm(store, ada, code_in(received))
        received.mails.clear()
        pass_time(store, minutes=1)
        yield received


def code_in(received: Received) -> str:
    body = read_mail(received.mails[-1][2]).get_content()
    return body.partition("The code is")[2].split()[0]


def read_mail(text: str) -> EmailMessage:
    return email.message_from_string(text, policy=email.policy.default)  # type: ignore[return-value]


def happen(store: Store, project: Project, *roles: str) -> None:
    """Ada is given roles, which she is told."""
    for role in roles:
        give_role(store, LOCAL_OPERATOR, project.id, "Ada", role)  # type: ignore[arg-type]


def send_all(store: Store) -> int:
    gather(store)
    n = 0
    while send_next(store, OUTSIDE):
        n += 1
    return n


def states(store: Store) -> dict[str, int]:
    return dict(message_store.count_by_state(store))


def test_nothing_is_sent_until_an_administrator_turns_it_on(store: Store, project: Project, ada: User) -> None:
    happen(store, project, "reviewer")
    assert send_all(store) == 0
    assert states(store) == {}
    with pytest.raises(NotAllowed, match=r"Ask an administrator to do this\."):
        set_mail(store, ada, MailOptions(HOST, 587, "starttls", "a@lab.example"))


def test_what_happens_in_the_millisecond_in_which_a_channel_is_turned_on_is_sent(
    store: Store, project: Project, ada: User, trusted: Path
) -> None:
    now = store.moment()
    store.clock = lambda: now
    with smtp_server(trusted) as (port, received):
        set_mail(store, LOCAL_OPERATOR, MailOptions(HOST, port, "starttls", "annotator@lab.example", private=HOST))
        choose_address(store, ada, ADDRESS)
        assert send_next(store, OUTSIDE)
        confirm(store, ada, code_in(received))
        set_webhook(store, LOCAL_OPERATOR, WebhookOptions(f"https://{HOST}:1/in", HOST))
        happen(store, project, "reviewer")
        gather(store)
    assert states(store)["waiting"] == 2, "a mail and a call"


def test_a_mail_is_the_sum_of_the_day_and_comes_once_a_day(
    store: Store, project: Project, ada: User, mail: Received
) -> None:
    happen(store, project, "reviewer", "researcher")
    assert send_all(store) == 1
    message = read_mail(mail.mails[0][2])
    assert (message["To"], message["Subject"]) == (ADDRESS, "Annotator: 2 notices")
    body = message.get_content()
    assert "- Project: You're now reviewer" in body
    assert "- Project: You're now researcher" in body
    happen(store, project, "lead")
    assert send_all(store) == 0, "not one by one"
    pass_time(store, days=1)
    assert send_all(store) == 1
    assert "reviewer" not in read_mail(mail.mails[1][2]).get_content(), "never twice for the same notice"
    pass_time(store, days=1)
    assert send_all(store) == 0


def test_what_was_read_in_the_program_and_what_was_lost_with_a_role_is_not_mailed(
    store: Store, project: Project, ada: User, mail: Received
) -> None:
    happen(store, project, "reviewer")
    mark_all_read(store, ada, unread(store, ada)[0].newest_id)
    assert send_all(store) == 0
    pass_time(store, days=1)
    happen(store, project, "researcher")
    for role in ("annotator", "reviewer", "researcher"):
        take_role(store, LOCAL_OPERATOR, project.id, "Ada", role)  # type: ignore[arg-type]
    assert send_all(store) == 0
    assert mail.mails == []


def test_whoever_stops_gets_no_more_mail_and_their_address_is_forgotten(
    store: Store, project: Project, ada: User, mail: Received
) -> None:
    happen(store, project, "reviewer")
    gather(store)
    stop_mail(store, ada)
    send_all(store)
    assert mail.mails == []
    assert find_address(store, ada.id or 0) is None


def test_names_with_line_breaks_end_no_header_and_no_line(
    store: Store, project: Project, ada: User, mail: Received
) -> None:
    with store.transaction():
        store.run("UPDATE projects SET name = ?", ("P\r\nBcc: all@lab.example\r\n\r\nbuy",))
        store.run("UPDATE users SET name = ? WHERE id = ?", ("Ada\r\n.\r\nRCPT TO:<x@y.z>", ada.id))
        store.run(
            "INSERT INTO memberships (project_id, user_id, role) SELECT project_id, user_id, 'lead' FROM memberships WHERE user_id = ?",
            (ada.id,),
        )
        message_store.add_mail(store, ada.id or 0, "notices")
        store.run(
            "INSERT INTO notices (user_id, project_id, kind, detail, created_at, mail_id) VALUES (?, ?, 'role', 'lead', ?, ?)",
            (ada.id, project.id, store.now(), store.value("SELECT max(id) FROM messages")),
        )
    while send_next(store, OUTSIDE):
        pass
    ((_, recipient, text),) = mail.mails
    message = read_mail(text)
    assert message["Bcc"] is None
    assert "- P Bcc: all@lab.example buy: You're now lead" in message.get_content()
    assert recipient.lower() == f"rcpt to:<{ADDRESS}>"


def test_a_code_is_needed_works_once_and_not_for_ever(store: Store, ada: User, trusted: Path) -> None:
    with smtp_server(trusted) as (port, received):
        set_mail(store, LOCAL_OPERATOR, MailOptions(HOST, port, "starttls", "annotator@lab.example", private=HOST))
        choose_address(store, ada, ADDRESS)
        with pytest.raises(NotAllowed, match=r"No code sent yet\. Wait a minute, or request another\."):
            confirm(store, ada, "")
        send_next(store, OUTSIDE)
        code = code_in(received)
        for _ in range(5):
            with pytest.raises(InvalidValue, match=r"Wrong or expired code\. Request another\."):
                confirm(store, ada, "00000000" if code != "00000000" else "1")
        with pytest.raises(NotAllowed, match=r"Wrong or expired code\. Request another\."):
            confirm(store, ada, code)
        choose_address(store, ada, ADDRESS)
        send_next(store, OUTSIDE)
        pass_time(store, hours=25)
        with pytest.raises(NotAllowed, match=r"Wrong or expired code\. Request another\."):
            confirm(store, ada, code_in(received))
    assert "code" not in json.dumps([dict(row) for row in store.rows("SELECT * FROM messages")])


def test_a_failure_that_is_certain_is_tried_again_later_and_in_the_end_given_up(
    store: Store, project: Project, ada: User, mail: Received, trusted: Path
) -> None:
    happen(store, project, "reviewer")
    gather(store)
    with smtp_server(trusted, lambda words: "451 later" if words == "." else None) as (port, refusing):
        set_mail(store, LOCAL_OPERATOR, MailOptions(HOST, port, "starttls", "annotator@lab.example", private=HOST))
        for pause in PAUSES:
            assert send_next(store, OUTSIDE)
            assert not send_next(store, OUTSIDE), "not at once"
            assert states(store)["waiting"] == 1
            pass_time(store, seconds=pause.total_seconds())
        assert send_next(store, OUTSIDE)
        pass_time(store, days=2)
        assert not send_next(store, OUTSIDE)
    assert (len(refusing.mails), states(store)["failed"]) == (len(PAUSES) + 1, 1)
    (letter,) = channels(store, LOCAL_OPERATOR).undelivered
    assert "replied 451: later" in letter.problem


def test_what_may_have_arrived_is_never_sent_again(
    store: Store, project: Project, ada: User, mail: Received, trusted: Path
) -> None:
    happen(store, project, "reviewer")
    gather(store)
    with smtp_server(trusted, lambda words: "" if words == "." else None) as (port, breaking):
        set_mail(store, LOCAL_OPERATOR, MailOptions(HOST, port, "starttls", "annotator@lab.example", private=HOST))
        assert send_next(store, OUTSIDE)
        pass_time(store, days=3)
        assert send_all(store) == 0
    assert (len(breaking.mails), states(store)["unknown"]) == (1, 1)


def test_a_server_that_is_killed_in_the_middle_leaves_a_message_that_is_told_and_not_sent_again(
    store: Store, database: Path, project: Project, ada: User, mail: Received
) -> None:
    happen(store, project, "reviewer")
    gather(store)
    with open_store(database, clock=store.clock) as killed, killed.transaction():
        assert message_store.claim_message(killed) is not None
    assert send_all(store) == 0, "another one does not take it meanwhile"
    tidy(store)
    assert states(store)["sending"] == 1
    pass_time(store, seconds=BROKEN_AFTER.total_seconds() + 1)
    tidy(store)
    assert send_all(store) == 0
    (letter,) = channels(store, LOCAL_OPERATOR).undelivered
    assert (letter.state, mail.mails) == ("unknown", [])
    assert "Server stopped while sending: perhaps sent, not sent again." in letter.problem


@posix
def test_a_server_that_is_killed_while_the_mail_is_on_its_way_does_not_send_it_again(
    store: Store, database: Path, project: Project, ada: User, mail: Received, trusted: Path
) -> None:
    """A process of its own is killed by the system between the text and the answer to it."""
    happen(store, project, "reviewer")
    gather(store)
    is_taken, is_over = threading.Event(), threading.Event()

    def wait(words: str) -> str | None:
        if words == ".":
            is_taken.set()
            is_over.wait(60)
        return None

    code = f"""
import datetime as dt
from annotator.store import open_store
from annotator.usecases.delivery.outbox import Outside, send_next
with open_store({str(database)!r}, clock=lambda: dt.datetime.now(dt.UTC) + dt.timedelta(minutes=2)) as store:
    send_next(store, Outside(lambda *_: ["127.0.0.1"]))
"""
    with smtp_server(trusted, wait) as (port, received):
        set_mail(store, LOCAL_OPERATOR, MailOptions(HOST, port, "starttls", "annotator@lab.example", private=HOST))
        with subprocess.Popen(
            [sys.executable, "-c", code], env=os.environ | {"SSL_CERT_FILE": str(trusted)}
        ) as process:
            assert is_taken.wait(60)
            process.kill()
        is_over.set()
        assert states(store)["sending"] == 1
        pass_time(store, minutes=2, seconds=BROKEN_AFTER.total_seconds() + 1)
        tidy(store)
        assert send_all(store) == 0
    assert (len(received.mails), states(store)["unknown"]) == (1, 1)


def test_two_servers_send_a_message_once(
    store: Store, database: Path, project: Project, ada: User, mail: Received
) -> None:
    happen(store, project, "reviewer")
    with open_store(database, clock=store.clock) as other:
        gather(store)
        gather(other)
        assert send_next(store, OUTSIDE)
        assert not send_next(other, OUTSIDE)
    assert len(mail.mails) == 1


def test_what_waits_when_mail_is_turned_off_is_not_sent_when_it_is_turned_on_again(
    store: Store, project: Project, ada: User, mail: Received
) -> None:
    happen(store, project, "reviewer")
    gather(store)
    options = channels(store, LOCAL_OPERATOR).mail
    turn_off(store, LOCAL_OPERATOR, "mail")
    assert send_all(store) == 0
    pass_time(store, days=1)
    set_mail(store, LOCAL_OPERATOR, options)
    assert send_all(store) == 0
    assert mail.mails == []


def test_the_webhook_is_told_kinds_counts_and_keys_and_nothing_of_a_text(
    store: Store, project: Project, ada: User, add_person: People, trusted: Path
) -> None:
    from annotator.usecases.annotate.talk import begin, talk_of
    from annotator.usecases.annotate.work import next_work

    add_person("Lea", project, "lead")
    add_person("Leo", project, "lead")
    with https_server(trusted) as (port, received):
        key = set_webhook(store, LOCAL_OPERATOR, WebhookOptions(f"https://{HOST}:{port}/in", HOST))
        assert key
        pass_time(store, seconds=1)
        work = next_work(store, ada, project.id).work
        assert work is not None
        subject = talk_of(store, ada, project.id, work.instance.id).subjects[0]
        begin(store, ada, project.id, work.instance.id, subject, "A secret question", to_lead=True)
        happen(store, project, "reviewer")
        assert send_all(store) == 1
        assert send_all(store) == 0
    ((_, headers, body),) = received.calls
    call = json.loads(body)
    assert call["project"] == {"id": project.id, "name": "Project"}
    assert call["notices"] == [
        {"kind": "question", "count": 1, "keys": [work.instance.key]},  # told to two leads, and one question
        {"kind": "role", "count": 1, "keys": []},
    ]
    assert set(call) == {"sent_at", "project", "notices", "link"}
    assert "secret" not in body.decode()
    assert headers["X-Annotator-Signature"].startswith("sha256=")


def test_what_happened_before_the_webhook_was_turned_on_is_not_told(
    store: Store, project: Project, ada: User, trusted: Path
) -> None:
    happen(store, project, "reviewer")
    pass_time(store, seconds=1)
    with https_server(trusted) as (port, received):
        set_webhook(store, LOCAL_OPERATOR, WebhookOptions(f"https://{HOST}:{port}/in", HOST))
        assert send_all(store) == 0
    assert received.calls == []


def test_secrets_are_in_a_file_of_their_own_and_nowhere_else(
    store: Store, project: Project, ada: User, trusted: Path, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    password = "correct horse battery"
    with smtp_server(trusted, lambda words: "535 no" if words.startswith("AUTH") else None) as (port, _):
        options = MailOptions(HOST, port, "starttls", "annotator@lab.example", "annotator", HOST)
        set_mail(store, LOCAL_OPERATOR, options, password)
        key = set_webhook(store, LOCAL_OPERATOR, WebhookOptions("https://hooks.invalid/in"))
        choose_address(store, ada, ADDRESS)
        send_next(store, OUTSIDE)
    assert key
    store.backup(tmp_path / "backup.db")
    store.checkpoint()
    for secret in (password, key):
        assert secret.encode() in secrets_file(store.path).read_bytes()
        assert secret not in caplog.text
        assert secret not in repr(channels(store, LOCAL_OPERATOR))
        for path in (store.path, tmp_path / "backup.db"):
            assert secret.encode() not in path.read_bytes()
    assert "rejected the account or password (" in caplog.text
    assert secrets_file(store.path).stat().st_mode & 0o077 == 0
    assert set_webhook(store, LOCAL_OPERATOR, WebhookOptions("https://hooks.invalid/in")) is None, "told once"


def test_a_password_is_not_sent_to_a_host_that_it_was_not_entered_for(store: Store) -> None:
    options = MailOptions("mail.lab.example", 587, "starttls", "a@lab.example", "annotator")
    set_mail(store, LOCAL_OPERATOR, options, "a secret")
    other = MailOptions("mail.elsewhere.example", 587, "starttls", "a@lab.example", "annotator")
    with pytest.raises(InvalidValue, match="needs its password"):
        set_mail(store, LOCAL_OPERATOR, other)
    with store.transaction():  # as a backup that names another host brings it
        save_channel(store, "mail", json.dumps({**asdict(other)}), is_on=True)
    assert secret_of(store.path, "mail", other.target) == ""
    assert not channels(store, LOCAL_OPERATOR).has_password


def test_what_a_backup_was_to_send_is_not_sent_after_it_was_restored(
    store: Store, project: Project, ada: User, mail: Received, tmp_path: Path
) -> None:
    happen(store, project, "reviewer")
    gather(store)
    back_up(store, LOCAL_OPERATOR, tmp_path / "backup.db")
    assert send_next(store, OUTSIDE)
    (tmp_path / "new").mkdir()
    restore(tmp_path / "new" / "annotator.db", LOCAL_OPERATOR, tmp_path / "backup.db")
    with open_store(tmp_path / "new" / "annotator.db", clock=store.clock) as restored:
        assert send_all(restored) == 0
        pass_time(restored, days=1)
        set_mail(restored, LOCAL_OPERATOR, channels(restored, LOCAL_OPERATOR).mail)
        assert send_all(restored) == 0
    assert len(mail.mails) == 1


def test_the_environment_s_secret_comes_first(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANNOTATOR_SMTP_PASSWORD", "from the environment")
    set_mail(store, LOCAL_OPERATOR, MailOptions("mail.lab.example", 587, "starttls", "a@lab.example", "annotator"))
    assert not secrets_file(store.path).exists() or b"environment" not in secrets_file(store.path).read_bytes()
    assert channels(store, LOCAL_OPERATOR).has_password


@pytest.mark.parametrize(
    ("hour", "now", "began"),
    [(6, "2026-11-23T05:59:00+00:00", "2026-11-22T06:00"), (6, "2026-11-23T06:00:00+00:00", "2026-11-23T06:00")],
)
def test_a_day_begins_at_the_hour_that_is_set(hour: int, now: str, began: str) -> None:
    import datetime as dt

    assert outbox._day_began(dt.datetime.fromisoformat(now), hour).startswith(began)
