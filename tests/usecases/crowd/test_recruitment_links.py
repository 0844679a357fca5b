"""Recruitment links: rules, codes, and a worker who comes in by one and does their texts."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.recruitment import LinkRules, draw_code, same_code
from annotator.domain.tasks import get_task
from annotator.errors import AnnotatorError, Conflict, InvalidValue, NotAllowed, NotFound, NotSignedIn, TooBusy
from annotator.store import open_store
from annotator.store.people import find_user, list_members
from annotator.usecases.access import accounts
from annotator.usecases.access.accounts import list_users, session_of
from annotator.usecases.access.invitations import members_with_accounts
from annotator.usecases.annotate.work import next_work, save_draft, submit
from annotator.usecases.crowd import visits
from annotator.usecases.crowd.recruitment_links import (
    change_recruitment_link,
    find_code,
    links_of,
    make_recruitment_link,
    mark_paid,
    payments_csv,
    payments_of,
    set_link_state,
    stop_worker,
    workers_at_work,
)
from annotator.usecases.crowd.visits import come_in, leave, look_at_visit
from annotator.usecases.project.exhaustive_passes import copy_project
from annotator.usecases.project.guidelines import acknowledge, change_guidelines
from annotator.usecases.project.projects import create_project, give_role, people_to_choose
from annotator.usecases.transfer.export import WRITABLE, export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.upkeep import check
from tests.clock import pass_time
from tests.usecases.crowd.crowd_work import MARKED, do_texts, enter, open_recruitment_link

PLATFORM_ID = "5f1a2b3c4d5e6f7a8b9c0d1e"


@pytest.fixture
def finished(store, project):
    """A worker who has done two texts; the link, and their visit at its end."""
    link = open_recruitment_link(store, project)
    entry, user = enter(store, link, PLATFORM_ID)
    do_texts(store, user, project, 2)
    return link, user, look_at_visit(store, entry.token)


@pytest.mark.parametrize(
    "address",
    [
        "http://app.prolific.com/x",
        "javascript:alert(1)",
        "//elsewhere.example",
        "https://",
        "https://{code}.example/x",
        "https://example.org/{name}",
        "https://user@example.org/",
        "https://example.org/a b",
        "https://example.org\\@elsewhere.example/",
        "https://example.org/{code}{code}",
        "https://example.org/\n",
        "https://[::1/x",
    ],
)
def test_a_return_address_is_https_and_fixed_but_for_the_code(address):
    with pytest.raises(InvalidValue):
        LinkRules("Pilot", 10, 2, return_address=address)


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": " "},
        {"name": "a\nb"},
        {"quota": 0},
        {"most_workers": 0},
        {"minutes": 10**6},
        {"at_once": 0},
        {"parameter": "a&b"},
        {"parameter": "a=b"},
        {"introduction": "x" * 5001},
    ],
)
def test_rules_that_cannot_be_are_refused_and_nothing_is_stored(store, project, wrong):
    with pytest.raises(InvalidValue):
        make_recruitment_link(
            store, LOCAL_OPERATOR, project.id, LinkRules(**{"name": "Pilot", "most_workers": 1, "quota": 1, **wrong})
        )
    assert links_of(store, LOCAL_OPERATOR, project.id) == []


def test_codes_differ_and_can_be_read_out():
    codes = {draw_code() for _ in range(200)}
    assert len(codes) == 200
    assert all(len(code.replace("-", "")) * 5 >= 128 for code in codes)
    assert not set("".join(codes)) & set("01IO")


def test_a_code_is_found_however_it_was_typed_and_a_foreign_one_is_not(store, project, finished):
    link, user, visit = finished
    for typed in (visit.code, visit.code.lower(), visit.code.replace("-", " "), f"  {visit.code} "):
        payment = find_code(store, LOCAL_OPERATOR, project.id, typed)
        assert (payment.worker.name, payment.worker.done, payment.link_name) == (user.name, 2, link.rules.name)
    for typed in ("", "  ", draw_code(), visit.code[:-1]):
        with pytest.raises(NotFound):
            find_code(store, LOCAL_OPERATOR, project.id, typed)
    assert not same_code(visit.code, "é")


def test_a_code_is_of_its_project_alone(store, make_project, finished):
    with pytest.raises(NotFound):
        find_code(store, LOCAL_OPERATOR, make_project(name="Other").id, finished[2].code)


def test_a_code_is_used_up_once(store, project, finished):
    code = finished[2].code
    assert mark_paid(store, LOCAL_OPERATOR, project.id, code).worker.paid_at is not None
    with pytest.raises(Conflict, match=f"The code of {finished[1].name} was used on "):
        mark_paid(store, LOCAL_OPERATOR, project.id, code)
    assert mark_paid(store, LOCAL_OPERATOR, project.id, code, is_paid=False).worker.paid_at is None


def test_who_is_still_at_work_is_not_paid(store, project):
    link = open_recruitment_link(store, project)
    enter(store, link)
    (payment,) = payments_of(store, LOCAL_OPERATOR, link.id)
    with pytest.raises(InvalidValue, match=r"is still working\. Pay afterwards\."):
        mark_paid(store, LOCAL_OPERATOR, project.id, payment.worker.code)


def test_a_text_that_comes_back_after_review_was_done_all_the_same(store, project, finished):
    link, user, _ = finished
    store.run("BEGIN")
    store.run("UPDATE annotations SET state = 'returned' WHERE user_id = ?", (user.id,))
    store.run("COMMIT")
    (payment,) = payments_of(store, LOCAL_OPERATOR, link.id)
    assert payment.worker.done == 2


def test_only_who_leads_the_project_sees_links_and_codes(store, project, annotator, finished):
    link, _, visit = finished
    for attempt in (
        lambda: links_of(store, annotator, project.id),
        lambda: payments_csv(store, annotator, link.id),
        lambda: find_code(store, annotator, project.id, visit.code),
        lambda: set_link_state(store, annotator, link.id, "closed"),
        lambda: change_recruitment_link(store, annotator, link.id, replace(link.rules, quota=1)),
        lambda: make_recruitment_link(store, annotator, project.id, LinkRules("Mine", 1, 1)),
    ):
        with pytest.raises(NotAllowed):
            attempt()


def test_a_closed_link_stays_closed(store, project):
    link = open_recruitment_link(store, project)
    set_link_state(store, LOCAL_OPERATOR, link.id, "closed")
    with pytest.raises(Conflict):
        set_link_state(store, LOCAL_OPERATOR, link.id, "open")


def test_two_links_of_a_project_have_two_names(store, project):
    open_recruitment_link(store, project)
    with pytest.raises(Conflict):
        make_recruitment_link(store, LOCAL_OPERATOR, project.id, LinkRules("Pilot", 1, 1))


def test_guidelines_that_must_be_read_stop_a_submission_and_nothing_else(store, project):
    change_guidelines(store, LOCAL_OPERATOR, project.id, "Mark little.", based_on=0)
    _, user = enter(store, open_recruitment_link(store, project, must_read=True))
    work = next_work(store, user, project.id).work
    with pytest.raises(InvalidValue, match="Read the guidelines"):
        submit(store, user, work.assignment.id, 0, MARKED, is_confirmed=True)
    acknowledge(store, user, project.id, 1)
    submit(store, user, work.assignment.id, 0, MARKED, is_confirmed=True)


def test_workers_are_in_no_list_of_people(store, project, finished):
    _, user, _ = finished
    _, working = enter(store, open_recruitment_link(store, project, name="Second"), "another")
    names = {user.name, working.name}
    assert not names & set(people_to_choose(store, LOCAL_OPERATOR, project.id))
    assert not names & {member.user.name for member in members_with_accounts(store, LOCAL_OPERATOR, project.id)}
    assert not names & {account.user.name for account in list_users(store, LOCAL_OPERATOR)}
    copy = copy_project(store, LOCAL_OPERATOR, project.id, "Copy", has_people=True)
    assert list_members(store, copy.id, with_workers=True) == list_members(store, copy.id)


def every_byte(path: Path) -> bytes:
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            return b"".join(archive.read(name) for name in archive.namelist())
    files = [path] if path.is_file() else [inner for inner in path.rglob("*") if inner.is_file()]
    return b"".join(inner.read_bytes() for inner in files)


def test_no_file_event_or_table_has_the_platforms_id_or_a_code(store, project, finished, tmp_path, caplog):
    link, _, visit = finished
    secret = store.value("SELECT hex(platform_hash) FROM crowd_workers").lower()
    hidden = (PLATFORM_ID.encode(), visit.code.encode(), secret.encode(), link.token.encode())
    written = 0
    for form in WRITABLE:
        target = tmp_path / form
        try:
            export_file(store, LOCAL_OPERATOR, project, form, target)
        except AnnotatorError:
            continue  # a format that cannot hold this project
        content = every_byte(target)
        written += 1
        assert not [word for word in hidden if word in content], form
    assert written >= len(WRITABLE) - 2
    events = json.dumps([tuple(row) for row in store.rows("SELECT actor, action, detail FROM events")])
    assert not [word for word in hidden if word.decode() in events]
    assert PLATFORM_ID not in caplog.text
    assert PLATFORM_ID not in payments_csv(store, LOCAL_OPERATOR, link.id)
    assert (
        PLATFORM_ID.encode()
        not in store.path.read_bytes() + store.path.with_name(f"{store.path.name}-wal").read_bytes()
    )


def test_the_csv_for_paying_has_codes_numbers_and_times(store, project, finished):
    link, user, visit = finished
    header, row = payments_csv(store, LOCAL_OPERATOR, link.id).splitlines()
    assert header == "code,worker,state,texts,active_minutes,began_at,ended_at,paid_at"
    assert row.startswith(f"{visit.code},{user.name},finished,2,0.0,")


def test_a_link_changes_nothing_for_whoever_comes_in_otherwise(store, project, annotator):
    before = next_work(store, annotator, project.id)
    open_recruitment_link(store, project)
    after = next_work(store, annotator, project.id)
    assert after.counts == before.counts
    assert "quota" not in after.counts
    assert [work.assignment.id for work in (after.work, after.ahead)] == [
        work.assignment.id for work in (before.work, before.ahead)
    ]


def test_a_project_that_is_restored_elsewhere_has_the_marks_and_nothing_of_links(store, project, finished, tmp_path):
    _, user, _ = finished
    path = tmp_path / "whole.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    with open_store(tmp_path / "other.db", create=True) as other:
        copy = create_project(other, LOCAL_OPERATOR, "Copy", get_task("sentiment"))
        import_file(other, LOCAL_OPERATOR, copy, "jsonl", path)
        assert other.value("SELECT count(*) FROM annotations WHERE annotator = ?", (user.name,)) == 2
        assert other.value("SELECT count(*) FROM crowd_doors") + other.value("SELECT count(*) FROM crowd_workers") == 0
        account = find_user(other, user.name)
        assert account is None or (account.is_disabled, account.is_worker) == (True, False)
        assert check(other) == []


# A worker comes in by a link, does their texts, and gets a code; who does not fit leaves no trace.


def changes(store):
    return store.connection.total_changes


def test_a_worker_does_the_quota_and_then_has_a_code_a_way_back_and_no_account(store, project):
    link = open_recruitment_link(
        store, project, return_address="https://app.prolific.com/submissions/complete?cc=ABC&w={code}"
    )
    entry, user = enter(store, link)
    assert user.is_worker
    assert entry.visit.code is None
    do_texts(store, user, project, 2)
    after = next_work(store, user, project.id)
    assert (after.work, after.counts["done"], after.counts["quota"]) == (None, 2, 2)
    visit = look_at_visit(store, entry.token)
    assert (visit.state, visit.done) == ("finished", 2)
    assert visit.return_link == f"https://app.prolific.com/submissions/complete?cc=ABC&w={visit.code}"
    with pytest.raises(NotSignedIn):
        session_of(store, entry.token)
    assert find_user(store, user.name).is_disabled
    assert look_at_visit(store, entry.token) == visit
    assert check(store) == []


def test_no_text_is_leased_beyond_the_quota(store, project):
    link = open_recruitment_link(store, project, quota=1)
    _, user = enter(store, link)
    answer = next_work(store, user, project.id)
    assert answer.work is not None
    assert answer.ahead is None
    do_texts(store, user, project, 1)
    assert next_work(store, user, project.id).work is None


def test_the_same_worker_goes_on_with_their_visit_and_after_the_end_is_told_so(store, project):
    link = open_recruitment_link(store, project)
    _, user = enter(store, link, "one")
    do_texts(store, user, project, 1)
    again, same = enter(store, link, "one")
    assert same.id == user.id
    do_texts(store, same, project, 1)
    look_at_visit(store, again.token)
    before = changes(store)
    third = come_in(store, link.token, "one")
    assert (third.token, third.visit.state, third.visit.done) == (None, "finished", 2)
    assert third.visit.code is not None
    assert changes(store) == before


def test_a_worker_is_somebody_else_at_another_link(store, project):
    _, at_first = enter(store, open_recruitment_link(store, project), "one")
    _, at_second = enter(store, open_recruitment_link(store, project, name="Second"), "one")
    assert at_first.id != at_second.id


def test_the_platforms_id_stands_nowhere_in_the_database(store, project):
    link = open_recruitment_link(store, project)
    entry, user = enter(store, link, "5f1a2b3c4d5e6f7a8b9c0d1e")
    do_texts(store, user, project, 2)
    look_at_visit(store, entry.token)
    dump = "\n".join(store.connection.iterdump())
    assert "5f1a2b3c4d5e6f7a8b9c0d1e" not in dump
    assert b"5f1a2b3c4d5e6f7a8b9c0d1e".hex() not in dump.lower()


def test_a_link_is_off_until_the_lead_opens_it(store, project):
    from annotator.domain.project.recruitment import LinkRules

    link = make_recruitment_link(store, LOCAL_OPERATOR, project.id, LinkRules("Pilot", 10, 2))
    with pytest.raises(TooBusy):
        come_in(store, link.token, "")
    set_link_state(store, LOCAL_OPERATOR, link.id, "open")
    assert come_in(store, link.token, "").token


@pytest.mark.parametrize(
    ("state", "rules", "error", "words"),
    [
        ("paused", {}, TooBusy, r"No work at the moment\. Please try this link later\."),
        ("closed", {}, Conflict, "closed"),
        ("open", {"until": "2020-01-01T00:00:00.000Z"}, Conflict, "closed"),
        ("open", {"at_once": 1}, TooBusy, "All places are taken"),
        ("open", {"most_workers": 1}, TooBusy, "All places are taken"),
    ],
)
def test_who_does_not_fit_is_told_why_and_nothing_is_written(store, project, state, rules, error, words):
    link = open_recruitment_link(store, project, **{**rules, **({"until": None} if "until" in rules else {})})
    enter(store, link, "first")
    if "until" in rules:
        from annotator.usecases.crowd.recruitment_links import change_recruitment_link

        change_recruitment_link(store, LOCAL_OPERATOR, link.id, replace(link.rules, until=rules["until"]))
    if state != "open":
        set_link_state(store, LOCAL_OPERATOR, link.id, state)
    before = changes(store)
    with pytest.raises(error, match=words):
        come_in(store, link.token, "second")
    assert changes(store) == before
    assert come_in(store, link.token, "first").token  # who is at work goes on


def test_all_links_together_let_in_no_more_than_the_server_takes(store, project, monkeypatch):
    monkeypatch.setenv(visits.AT_ONCE_VARIABLE, "1")
    enter(store, open_recruitment_link(store, project), "one")
    with pytest.raises(TooBusy):
        come_in(store, open_recruitment_link(store, project, name="Second").token, "two")


def test_a_used_up_link_says_so_and_who_left_makes_room(store, project):
    link = open_recruitment_link(store, project, most_workers=1, quota=1)
    entry, _ = enter(store, link, "leaves")
    assert leave(store, entry.token).code is None  # nothing was done
    entry, user = enter(store, link, "stays")
    do_texts(store, user, project, 1)
    look_at_visit(store, entry.token)
    with pytest.raises(Conflict, match=r"This link is closed\. Please return the task on your platform\."):
        come_in(store, link.token, "late")


def test_a_wrong_link_and_a_missing_id_are_refused(store, project):
    link = open_recruitment_link(store, project)
    with pytest.raises(NotFound):
        come_in(store, "no such door", "one")
    for missing in ("", "  ", "{{%PROLIFIC_PID%}}", "x" * 201):
        with pytest.raises(InvalidValue):
            come_in(store, link.token, missing)


def test_when_the_time_is_up_marks_stay_as_a_draft_and_the_text_goes_to_others(store, project, annotator):
    link = open_recruitment_link(store, project, minutes=10)
    entry, user = enter(store, link)
    do_texts(store, user, project, 1)
    work = next_work(store, user, project.id).work
    pass_time(store, minutes=9)
    revision = save_draft(store, user, work.assignment.id, work.assignment.revision, MARKED)
    pass_time(store, minutes=2)
    save_draft(store, user, work.assignment.id, revision, MARKED)  # made in time, arrived a moment later
    pass_time(store, minutes=2)
    next_work(store, annotator, project.id)  # anybody's next text ends what is overdue
    visit = look_at_visit(store, entry.token)
    assert (visit.state, visit.done, visit.return_link) == ("out of time", 1, "")
    assert visit.code is not None
    assert store.value("SELECT state FROM assignments WHERE id = ?", (work.assignment.id,)) == "expired"
    assert store.value("SELECT revision FROM drafts WHERE assignment_id = ?", (work.assignment.id,)) == 2
    assert check(store) == []


def test_in_time_that_is_over_no_new_text_is_given_out(store, project):
    _, user = enter(store, open_recruitment_link(store, project, minutes=10, quota=3))
    do_texts(store, user, project, 1)
    pass_time(store, minutes=11)
    held = next_work(store, user, project.id)
    assert held.counts["seconds_left"] == 0
    assert held.counts["open"] <= 2


def test_where_no_text_is_left_a_worker_has_finished_with_what_there_was(store, project):
    entry, user = enter(store, open_recruitment_link(store, project, quota=50))
    do_texts(store, user, project, 4)
    assert look_at_visit(store, entry.token).state == "finished"
    with pytest.raises(TooBusy, match=r"No work at the moment\. Please try this link later\."):
        come_in(store, open_recruitment_link(store, project, name="Second").token, "two")


def test_nobody_makes_a_person_of_a_workers_account(store, project):
    _, user = enter(store, open_recruitment_link(store, project))
    for attempt in (
        lambda: give_role(store, LOCAL_OPERATOR, project.id, user.name, "reviewer"),
        lambda: accounts.add_user(store, LOCAL_OPERATOR, user.name, "lead"),
        lambda: accounts.reset_user(store, LOCAL_OPERATOR, user.name),
    ):
        with pytest.raises(NotAllowed, match=r"'worker .*' came by recruitment link\. Create another account\."):
            attempt()
    with pytest.raises(NotAllowed):
        accounts.sign_in(store, user.name, "")


def test_a_link_counts_who_came_and_what_became_of_them(store, project):
    link = open_recruitment_link(store, project, minutes=10, quota=1)
    entry, user = enter(store, link, "one")
    do_texts(store, user, project, 1)
    look_at_visit(store, entry.token)
    leave(store, enter(store, link, "two")[0].token)
    enter(store, link, "three")
    pass_time(store, minutes=20)
    enter(store, link, "four")
    (view,) = links_of(store, LOCAL_OPERATOR, project.id)
    assert (view.came, view.finished, view.left, view.out_of_time, view.working) == (4, 1, 1, 1, 1)


def test_who_was_shut_out_does_not_come_in_again(store, project):
    link = open_recruitment_link(store, project)
    entry, user = enter(store, link, "one")
    do_texts(store, user, project, 1)
    accounts.disable_user(store, LOCAL_OPERATOR, user.name)
    again = come_in(store, link.token, "one")
    assert (again.token, again.visit.state) == (None, "left")
    assert look_at_visit(store, entry.token).state == "left"


def test_who_comes_back_with_the_quota_done_has_finished(store, project):
    link = open_recruitment_link(store, project, quota=1)
    _, user = enter(store, link, "one")
    do_texts(store, user, project, 1)  # and the browser closes before the last page
    again = come_in(store, link.token, "one")
    assert (again.token, again.visit.state) == (None, "finished")
    assert again.visit.code is not None


def test_a_lead_ends_the_work_of_one_worker_and_the_link_stays_open(store, project, annotator):
    """What was handed in stays with its code, what is held goes to others, and the worker is told at the next request."""
    link = open_recruitment_link(store, project)
    entry, user = enter(store, link, "one")
    _, other = enter(store, link, "two")
    do_texts(store, user, project, 1)
    held = next_work(store, user, project.id).work
    assert held is not None
    with pytest.raises(NotAllowed):
        stop_worker(store, annotator, project.id, user.name)
    with pytest.raises(NotFound, match="“nobody”"):
        stop_worker(store, LOCAL_OPERATOR, project.id, "nobody")
    stop_worker(store, LOCAL_OPERATOR, project.id, user.name)
    assert [worker.name for worker in workers_at_work(store, LOCAL_OPERATOR, project.id)] == [other.name]
    with pytest.raises(NotSignedIn):
        session_of(store, entry.token)
    visit = look_at_visit(store, entry.token)
    assert (visit.state, visit.is_stopped, visit.done, bool(visit.code)) == ("left", True, 1, True)
    assert come_in(store, link.token, "one").token is None, "the same id does not begin again"
    assert store.value("SELECT state FROM assignments WHERE id = ?", (held.assignment.id,)) not in (
        "leased",
        "returned",
    )
    assert next_work(store, other, project.id).work is not None
    assert store.value("SELECT count(*) FROM events WHERE action = 'stop worker'") == 1
    with pytest.raises(NotFound):
        stop_worker(store, LOCAL_OPERATOR, project.id, user.name)
    assert check(store) == []


def test_who_stops_by_themselves_is_not_said_to_have_been_stopped(store, project):
    entry, user = enter(store, open_recruitment_link(store, project))
    do_texts(store, user, project, 1)
    assert not leave(store, entry.token).is_stopped
