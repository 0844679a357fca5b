"""What a lead does with doors: rules that are refused, codes that are looked up, and what no file says of a worker."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.recruitment import DoorRules, draw_code, same_code
from annotator.domain.tasks import get_task
from annotator.errors import AnnotatorError, Conflict, InvalidValue, NotAllowed, NotFound
from annotator.store import open_store
from annotator.store.people import find_user, list_members
from annotator.usecases.access.accounts import list_users
from annotator.usecases.access.invitations import members_with_accounts
from annotator.usecases.annotate.work import next_work, submit
from annotator.usecases.crowd.doors import (
    change_door,
    doors_of,
    find_code,
    make_door,
    mark_paid,
    payments_csv,
    payments_of,
    set_door_state,
)
from annotator.usecases.crowd.visits import look_at_visit
from annotator.usecases.project.exhaustive_passes import copy_project
from annotator.usecases.project.guidelines import acknowledge, change_guidelines
from annotator.usecases.project.projects import create_project, people_to_choose
from annotator.usecases.transfer.export import WRITABLE, export_file
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.upkeep import check
from tests.usecases.crowd.crowd_work import MARKED, do_texts, enter, open_door

PLATFORM_ID = "5f1a2b3c4d5e6f7a8b9c0d1e"


@pytest.fixture
def finished(store, project):
    """A worker who has done two texts; the door, and their visit at its end."""
    door = open_door(store, project)
    entry, user = enter(store, door, PLATFORM_ID)
    do_texts(store, user, project, 2)
    return door, user, look_at_visit(store, entry.token)


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
        DoorRules("Pilot", 10, 2, return_address=address)


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
        make_door(
            store, LOCAL_OPERATOR, project.id, DoorRules(**{"name": "Pilot", "most_workers": 1, "quota": 1, **wrong})
        )
    assert doors_of(store, LOCAL_OPERATOR, project.id) == []


def test_codes_differ_and_can_be_read_out():
    codes = {draw_code() for _ in range(200)}
    assert len(codes) == 200
    assert all(len(code.replace("-", "")) * 5 >= 128 for code in codes)
    assert not set("".join(codes)) & set("01IO")


def test_a_code_is_found_however_it_was_typed_and_a_foreign_one_is_not(store, project, finished):
    door, user, visit = finished
    for typed in (visit.code, visit.code.lower(), visit.code.replace("-", " "), f"  {visit.code} "):
        payment = find_code(store, LOCAL_OPERATOR, project.id, typed)
        assert (payment.worker.name, payment.worker.done, payment.door_name) == (user.name, 2, door.rules.name)
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
    with pytest.raises(Conflict, match="used up"):
        mark_paid(store, LOCAL_OPERATOR, project.id, code)
    assert mark_paid(store, LOCAL_OPERATOR, project.id, code, is_paid=False).worker.paid_at is None


def test_who_is_still_at_work_is_not_paid(store, project):
    door = open_door(store, project)
    enter(store, door)
    (payment,) = payments_of(store, LOCAL_OPERATOR, door.id)
    with pytest.raises(InvalidValue, match="still at work"):
        mark_paid(store, LOCAL_OPERATOR, project.id, payment.worker.code)


def test_a_text_that_comes_back_after_review_was_done_all_the_same(store, project, finished):
    door, user, _ = finished
    store.run("BEGIN")
    store.run("UPDATE annotations SET state = 'returned' WHERE user_id = ?", (user.id,))
    store.run("COMMIT")
    (payment,) = payments_of(store, LOCAL_OPERATOR, door.id)
    assert payment.worker.done == 2


def test_only_who_leads_the_project_sees_doors_and_codes(store, project, annotator, finished):
    door, _, visit = finished
    for attempt in (
        lambda: doors_of(store, annotator, project.id),
        lambda: payments_csv(store, annotator, door.id),
        lambda: find_code(store, annotator, project.id, visit.code),
        lambda: set_door_state(store, annotator, door.id, "closed"),
        lambda: change_door(store, annotator, door.id, replace(door.rules, quota=1)),
        lambda: make_door(store, annotator, project.id, DoorRules("Mine", 1, 1)),
    ):
        with pytest.raises(NotAllowed):
            attempt()


def test_a_closed_door_stays_closed(store, project):
    door = open_door(store, project)
    set_door_state(store, LOCAL_OPERATOR, door.id, "closed")
    with pytest.raises(Conflict):
        set_door_state(store, LOCAL_OPERATOR, door.id, "open")


def test_two_doors_of_a_project_have_two_names(store, project):
    open_door(store, project)
    with pytest.raises(Conflict):
        make_door(store, LOCAL_OPERATOR, project.id, DoorRules("Pilot", 1, 1))


def test_guidelines_that_must_be_read_stop_a_submission_and_nothing_else(store, project):
    change_guidelines(store, LOCAL_OPERATOR, project.id, "Mark little.", based_on=0)
    _, user = enter(store, open_door(store, project, must_read=True))
    work = next_work(store, user, project.id).work
    with pytest.raises(InvalidValue, match="Read the guidelines"):
        submit(store, user, work.assignment.id, 0, MARKED, is_confirmed=True)
    acknowledge(store, user, project.id, 1)
    submit(store, user, work.assignment.id, 0, MARKED, is_confirmed=True)


def test_workers_are_in_no_list_of_people(store, project, finished):
    _, user, _ = finished
    _, working = enter(store, open_door(store, project, name="Second"), "another")
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
    door, _, visit = finished
    secret = store.value("SELECT hex(platform_hash) FROM crowd_workers").lower()
    hidden = (PLATFORM_ID.encode(), visit.code.encode(), secret.encode(), door.token.encode())
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
    assert PLATFORM_ID not in payments_csv(store, LOCAL_OPERATOR, door.id)
    assert (
        PLATFORM_ID.encode()
        not in store.path.read_bytes() + store.path.with_name(f"{store.path.name}-wal").read_bytes()
    )


def test_the_csv_for_paying_has_codes_numbers_and_times(store, project, finished):
    door, user, visit = finished
    header, row = payments_csv(store, LOCAL_OPERATOR, door.id).splitlines()
    assert header == "code,worker,state,texts,active_minutes,began_at,ended_at,paid_at"
    assert row.startswith(f"{visit.code},{user.name},finished,2,0.0,")


def test_a_door_changes_nothing_for_whoever_comes_in_otherwise(store, project, annotator):
    before = next_work(store, annotator, project.id)
    open_door(store, project)
    after = next_work(store, annotator, project.id)
    assert after.counts == before.counts
    assert "quota" not in after.counts
    assert [work.assignment.id for work in (after.work, after.ahead)] == [
        work.assignment.id for work in (before.work, before.ahead)
    ]


def test_a_project_that_is_restored_elsewhere_has_the_marks_and_nothing_of_doors(store, project, finished, tmp_path):
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
