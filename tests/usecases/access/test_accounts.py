"""Accounts, one-time links, signing in and out, and who may do what."""

import datetime as dt
from pathlib import Path

import pytest
from argon2 import PasswordHasher

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.tasks import get_task
from annotator.errors import InvalidValue, NotAllowed, NotFound, NotSignedIn
from annotator.store import Store
from annotator.store import people as people_store
from annotator.store.connection.database import iso
from annotator.store.projects import add_project
from annotator.usecases.access import accounts, credentials
from annotator.usecases.access.credentials import LONGEST_NAME, Sender, counted_as, find_browser, noted_in
from annotator.usecases.access.rights import require, require_administrator
from annotator.usecases.lead.event_words import event_words
from annotator.usecases.upkeep import back_up
from tests.clock import ahead

pytestmark = pytest.mark.usefixtures("quick_hashes")

PASSWORD = "a good long password"
WRONG = "Wrong name or password."


NOWHERE = Sender()  # as a script of this machine signs in


def make_project(store: Store, name: str = "P") -> int:
    with store.transaction():
        return add_project(store, name, get_task("sentiment"), labels=["no", "yes"]).id


def make_user(store: Store, name: str = "ann", role: str = "administrator") -> User:
    added = accounts.add_user(store, LOCAL_OPERATOR, name, role)
    accounts.set_password_with_link(store, added.link_token, None, PASSWORD)
    return added.user


def fail(store: Store, name: str, times: int, *, seconds_ago: int = 0, sender: Sender | None = NOWHERE) -> None:
    """sender: None for failures of a name from everywhere"""
    with store.transaction():
        key = name if sender is None else counted_as(store, name, sender)
    at = iso(store.moment() - dt.timedelta(seconds=seconds_ago))
    with store.transaction():
        store.run_many("INSERT INTO sign_in_failures (name, at) VALUES (?, ?)", [(key, at)] * times)


def actions(store: Store) -> list[str]:
    return [row["action"] for row in store.rows("SELECT action FROM events ORDER BY id")]


def everything(store: Store) -> str:
    return "\n".join(store.connection.iterdump())


# --- people ---


def test_a_new_user_gets_a_role_and_a_link_that_sets_the_password_and_signs_in(store: Store) -> None:
    project_id = make_project(store)
    added = accounts.add_user(store, LOCAL_OPERATOR, "ann", "annotator", "P")
    assert accounts.open_link(store, added.link_token).user == added.user
    token = accounts.set_password_with_link(store, added.link_token, None, PASSWORD)
    assert accounts.session_of(store, token).user.name == "ann"
    assert people_store.roles_of(store, added.user, project_id) == {"annotator"}
    assert actions(store) == ["add user", "set password"]


def test_adding_somebody_again_gives_them_a_further_role_and_no_link(store: Store) -> None:
    project_id = make_project(store)
    accounts.add_user(store, LOCAL_OPERATOR, "ann", "annotator", "P")
    again = accounts.add_user(store, LOCAL_OPERATOR, "Ann", "reviewer", "P")
    assert again.link_token is None
    assert people_store.roles_of(store, again.user, project_id) == {"annotator", "reviewer"}
    with pytest.raises(InvalidValue, match=r"'ann' already has role 'reviewer' in 'P'\."):
        accounts.add_user(store, LOCAL_OPERATOR, "ann", "reviewer", "P")


def test_without_a_project_named_the_only_one_is_meant(store: Store) -> None:
    make_project(store)
    assert accounts.add_user(store, LOCAL_OPERATOR, "ann", "annotator").project_name == "P"
    make_project(store, "Q")
    before = everything(store)
    with pytest.raises(InvalidValue, match="needs --project:"):
        accounts.add_user(store, LOCAL_OPERATOR, "bob", "annotator")
    assert everything(store) == before


def test_an_account_can_be_made_before_there_is_a_project(store: Store) -> None:
    added = accounts.add_user(store, LOCAL_OPERATOR, "ann", "annotator")
    assert added.project_name is None
    assert accounts.list_users(store, LOCAL_OPERATOR) == [accounts.ListedUser(added.user, ())]


@pytest.mark.parametrize(
    ("name", "role", "project", "sentence"),
    [
        ("", "administrator", None, "Names are one line of 1–100 visible characters."),
        ("  ", "administrator", None, "Names are one line of 1–100 visible characters."),  # blanks are no name
        ("a" * 101, "administrator", None, r"Names are one line of 1–100 visible characters\."),
        ("a\nb", "administrator", None, "has an invisible character."),
        ("a\u202eb", "administrator", None, "has an invisible character."),  # turns the text around
        ("Local Operator", "administrator", None, "is reserved. Choose another name."),
        ("ann", "boss", None, "Unknown role 'boss'. Available:"),
        ("ann", "annotator", "Q", "Unknown project 'Q'"),
        ("ann", "administrator", "P", "Administrators have no project. Omit it."),
    ],
)
def test_a_user_that_cannot_be_is_refused(
    store: Store, name: str, role: str, project: str | None, sentence: str
) -> None:
    make_project(store)
    before = everything(store)
    with pytest.raises((InvalidValue, NotFound), match=sentence):
        accounts.add_user(store, LOCAL_OPERATOR, name, role, project)
    assert everything(store) == before


def test_one_name_typed_in_two_ways_is_one_name(store: Store) -> None:
    make_user(store, "Zoe\u0308")
    assert accounts.sign_in(store, " Zoë ", PASSWORD)


def test_disabling_ends_sessions_and_links_at_once(store: Store) -> None:
    make_user(store, "admin")
    make_user(store, "ann")
    token = accounts.sign_in(store, "ann", PASSWORD)
    link = accounts.reset_user(store, LOCAL_OPERATOR, "admin")
    accounts.disable_user(store, LOCAL_OPERATOR, "ann")
    with pytest.raises(NotSignedIn, match=r"You're signed out\. Sign in again\."):
        accounts.session_of(store, token)
    with pytest.raises(NotAllowed, match=WRONG):
        accounts.sign_in(store, "ann", PASSWORD)
    assert accounts.open_link(store, link).user.name == "admin"
    with pytest.raises(InvalidValue, match="'ann' is already disabled"):
        accounts.disable_user(store, LOCAL_OPERATOR, "ann")


def test_administrators_read_what_was_done_with_accounts_links_and_the_database(store: Store, tmp_path: Path) -> None:
    make_project(store)
    ann = accounts.add_user(store, LOCAL_OPERATOR, "Ann", "administrator").user
    accounts.add_user(store, LOCAL_OPERATOR, "Ben", "annotator")
    accounts.disable_user(store, ann, "Ben")
    accounts.reset_user(store, ann, "Ben")
    back_up(store, ann, tmp_path / "copy.backup")
    told = [f"{event.actor} {event_words(event)}" for event in accounts.events_of_accounts(store, ann)]
    assert told == [
        "Ann created the backup “copy.backup”",
        "Ann created a sign-in link for Ben and re-enabled the account",
        "Ann disabled the account of Ben",
        f"{LOCAL_OPERATOR.name} created an account and link for Ann, role administrator",
    ]
    assert len(accounts.events_of_accounts(store, ann, limit=1, offset=3)) == 1
    with pytest.raises(NotAllowed, match=r"Ask an administrator to do this\."):
        accounts.events_of_accounts(store, accounts.list_users(store, ann)[1].user)


def test_the_only_administrator_cannot_be_disabled(store: Store) -> None:
    make_user(store, "admin")
    with pytest.raises(InvalidValue, match=r"'admin' is the only administrator\. Appoint another first\."):
        accounts.disable_user(store, LOCAL_OPERATOR, "admin")


def test_a_reset_ends_the_password_sessions_and_older_links_and_lets_a_disabled_person_back(store: Store) -> None:
    make_user(store, "admin")
    make_user(store, "ann")
    token = accounts.sign_in(store, "ann", PASSWORD)
    old_link = accounts.reset_user(store, LOCAL_OPERATOR, "ann")
    accounts.disable_user(store, LOCAL_OPERATOR, "ann")
    new_link = accounts.reset_user(store, LOCAL_OPERATOR, "ann")
    with pytest.raises(NotSignedIn, match="Sign in again"):
        accounts.session_of(store, token)
    with pytest.raises(NotAllowed, match=WRONG):
        accounts.sign_in(store, "ann", PASSWORD)
    with pytest.raises(
        NotAllowed,
        match=r"This link was used, replaced or has expired\. Ask your lead or administrator for a new one\.",
    ):
        accounts.open_link(store, old_link)
    assert accounts.set_password_with_link(store, new_link, None, "another long password")


@pytest.mark.parametrize("act", [accounts.disable_user, accounts.reset_user])
def test_unknown_people_are_named(store: Store, act: object) -> None:
    with pytest.raises(NotFound, match=r"No person 'nobody'\."):
        act(store, LOCAL_OPERATOR, "nobody")


def test_only_administrators_manage_accounts(store: Store) -> None:
    make_project(store)
    ann = make_user(store, "ann", "lead")
    for act in (
        lambda: accounts.add_user(store, ann, "eve", "administrator"),
        lambda: accounts.list_users(store, ann),
        lambda: accounts.disable_user(store, ann, "ann"),
        lambda: accounts.reset_user(store, ann, "ann"),
        lambda: require_administrator(ann),
    ):
        with pytest.raises(NotAllowed, match=r"Ask an administrator to do this\."):
            act()


# --- links ---


def test_the_first_account_is_made_once_and_is_an_administrator(store: Store) -> None:
    older, link = accounts.make_first_account_link(store), accounts.make_first_account_link(store)
    with pytest.raises(
        NotAllowed,
        match=r"This link was used, replaced or has expired\. Ask your lead or administrator for a new one\.",
    ):
        accounts.open_link(store, older)
    token = accounts.set_password_with_link(store, link, "ann", PASSWORD)
    assert accounts.session_of(store, token).user.is_administrator
    assert accounts.make_first_account_link(store) is None


def test_a_first_link_dies_when_an_account_was_made_otherwise(store: Store) -> None:
    link = accounts.make_first_account_link(store)
    make_user(store)
    with pytest.raises(
        NotAllowed,
        match=r"This link was used, replaced or has expired\. Ask your lead or administrator for a new one\.",
    ):
        accounts.set_password_with_link(store, link, "eve", PASSWORD)


def test_a_link_works_once(store: Store) -> None:
    link = accounts.add_user(store, LOCAL_OPERATOR, "ann", "administrator").link_token
    accounts.set_password_with_link(store, link, None, PASSWORD)
    with pytest.raises(
        NotAllowed,
        match=r"This link was used, replaced or has expired\. Ask your lead or administrator for a new one\.",
    ):
        accounts.set_password_with_link(store, link, None, "another long password")


def test_a_link_ends_after_a_week_and_that_of_the_first_account_after_a_day(store: Store) -> None:
    first = accounts.make_first_account_link(store)
    assert first is not None
    link = accounts.add_user(store, LOCAL_OPERATOR, "ann", "annotator").link_token
    with ahead(store, days=6):
        assert accounts.open_link(store, link).user is not None
    ended = r"This link was used, replaced or has expired\. Ask your lead or administrator for a new one\."
    with ahead(store, hours=25), pytest.raises(NotAllowed, match=ended):
        accounts.open_link(store, first)
    with ahead(store, days=7, minutes=1), pytest.raises(NotAllowed, match=ended):
        accounts.open_link(store, link)


@pytest.mark.parametrize(
    ("password", "sentence"),
    [("nine char", "Passwords need at least 10 characters."), ("x" * 1001, "Password has at most 1000 characters.")],
)
def test_a_refused_password_leaves_the_link_usable(store: Store, password: str, sentence: str) -> None:
    link = accounts.make_first_account_link(store)
    before = everything(store)
    with pytest.raises(InvalidValue, match=sentence):
        accounts.set_password_with_link(store, link, "ann", password)
    assert everything(store) == before
    assert accounts.open_link(store, link).user is None


# --- signing in ---


def test_signing_in_and_out(store: Store) -> None:
    make_user(store)
    token = accounts.sign_in(store, "ANN", PASSWORD)
    assert accounts.session_of(store, token).user.name == "ann"
    accounts.sign_out(store, token)
    accounts.sign_out(store, token)
    with pytest.raises(NotSignedIn, match=r"You're signed out\. Sign in again\."):
        accounts.session_of(store, token)
    assert actions(store)[-2:] == ["sign in", "sign out"]


@pytest.mark.parametrize("token", [None, "", "wrong", "\ud800"])
def test_a_wrong_cookie_is_nobody(store: Store, token: str | None) -> None:
    with pytest.raises(NotSignedIn, match="Sign in again"):
        accounts.session_of(store, token)


def test_a_session_ends_after_its_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    make_user(store)
    monkeypatch.setattr(accounts, "SESSION_LASTS", dt.timedelta(seconds=-1))
    with pytest.raises(NotSignedIn, match=r"You're signed out\. Sign in again\."):
        accounts.session_of(store, accounts.sign_in(store, "ann", PASSWORD))


def test_neither_tokens_nor_passwords_are_in_the_database(store: Store) -> None:
    added = accounts.add_user(store, LOCAL_OPERATOR, "ann", "administrator")
    token = accounts.set_password_with_link(store, added.link_token, None, PASSWORD)
    kept = everything(store)
    assert not [secret for secret in (added.link_token, token, PASSWORD) if secret in kept]


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("ann", "wrong password"),
        ("nobody", PASSWORD),
        ("", ""),
        ("a\0b", "x"),
        ("\ud800", "\ud800"),
        ("x" * 500, "x" * 5000),
    ],
)
def test_a_wrong_name_and_a_wrong_password_give_the_same_sentence(store: Store, name: str, password: str) -> None:
    make_user(store)
    with pytest.raises(NotAllowed, match=WRONG):
        accounts.sign_in(store, name, password)
    assert actions(store)[-1] == "fail to sign in"


def test_an_unknown_name_is_compared_with_a_hash_too(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    class Hasher(PasswordHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> bool:  # noqa: A002  (argon2's own name)
            compared.append(hash)
            return super().verify(hash, password)

    monkeypatch.setattr(credentials, "_HASHER", Hasher(time_cost=1, memory_cost=8, parallelism=1))
    with pytest.raises(NotAllowed, match=WRONG):
        accounts.sign_in(store, "nobody", PASSWORD)
    assert len(compared) == 1


def test_a_hash_of_older_parameters_is_made_anew_at_the_next_sign_in(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_user(store)
    monkeypatch.setattr(credentials, "_HASHER", PasswordHasher(time_cost=2, memory_cost=16, parallelism=1))
    accounts.sign_in(store, "ann", PASSWORD)
    assert "m=16,t=2,p=1" in people_store.password_hash(store, "ann")
    assert accounts.sign_in(store, "ann", PASSWORD)


@pytest.mark.parametrize(
    ("failures", "seconds_ago", "sentence"),
    [
        (4, 0, None),  # nobody waits before the fifth
        (5, 0, r"Too many failed sign-ins. Try again in 5 seconds\."),
        (5, 6, None),  # the wait is over
        (12, 0, r"Try again in 40 seconds\."),
        (19, 0, r"Try again in 75 seconds\."),
        (20, 0, r"Try again in 15 minutes\."),
        (20, 300, r"Try again in 10 minutes\."),
        (20, 901, None),  # failures count for 15 minutes
    ],
)
def test_failures_of_a_name_make_it_wait(store: Store, failures: int, seconds_ago: int, sentence: str | None) -> None:
    make_user(store)
    moment = store.moment()
    store.clock = lambda: moment  # seconds may pass on a busy machine
    fail(store, "ann", failures, seconds_ago=seconds_ago)
    if sentence is None:
        assert accounts.sign_in(store, "ann", PASSWORD)
        return
    before = everything(store)
    with pytest.raises(NotAllowed, match=sentence):
        accounts.sign_in(store, "ANN", PASSWORD)
    assert everything(store) == before


def test_a_name_that_is_not_there_waits_as_well(store: Store) -> None:
    fail(store, "nobody", 5)
    with pytest.raises(NotAllowed, match=r"Too many failed sign-ins\. Try again in"):
        accounts.sign_in(store, "nobody", PASSWORD)


def test_success_forgets_the_failures(store: Store) -> None:
    make_user(store)
    fail(store, "ann", 4)
    accounts.sign_in(store, "ann", PASSWORD)
    assert store.value("SELECT count(*) FROM sign_in_failures") == 0


def test_who_guesses_at_a_name_from_elsewhere_does_not_keep_its_owner_out(store: Store) -> None:
    make_user(store)
    for _ in range(5):
        with pytest.raises(NotAllowed, match=WRONG):
            accounts.sign_in(store, "ann", "a guess", address="192.0.2.1")
    with pytest.raises(NotAllowed, match=r"Too many failed sign-ins\. Try again in"):
        accounts.sign_in(store, "ann", PASSWORD, address="192.0.2.1")
    assert accounts.sign_in(store, "ann", PASSWORD, address="192.0.2.2")
    with pytest.raises(
        NotAllowed, match=r"Too many failed sign-ins\. Try again in"
    ):  # its owner's success helps nobody who guesses
        accounts.sign_in(store, "ann", PASSWORD, address="192.0.2.1")


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        ("192.0.2.1", "192.0.2.2", False),
        ("192.0.2.1", "::ffff:192.0.2.1", True),
        ("2001:db8::1", "2001:db8::ffff", True),  # one customer has all of these
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("", "unknown", False),
    ],
)
def test_addresses_of_one_customer_count_as_one(store: Store, first: str, second: str, is_one: bool) -> None:
    with store.transaction():
        keys = [counted_as(store, name, Sender(address)) for name, address in (("ann", first), ("ANN", second))]
    assert (keys[0] == keys[1]) is is_one
    assert min(map(len, keys)) > LONGEST_NAME  # so that no name that somebody types is counted as one


def guess_from_many_addresses(store: Store, times: int) -> None:
    for number in range(times):
        with pytest.raises(NotAllowed, match=WRONG):
            accounts.sign_in(store, "ann", "a guess", address=f"192.0.2.{number}")


def test_guesses_from_many_addresses_make_the_name_wait_and_not_the_browsers_of_its_owner(store: Store) -> None:
    ann = make_user(store)
    note = noted_in(store, ann, "")
    moment = store.moment()
    store.clock = lambda: moment
    guess_from_many_addresses(store, 30)
    with pytest.raises(NotAllowed, match=r"Too many failed sign-ins\. Try again in"):
        accounts.sign_in(store, "ann", "a guess", address="198.51.100.1")
    fail(store, "ann", 70, sender=None)
    with pytest.raises(NotAllowed, match="Try again in 15 minutes"):
        accounts.sign_in(store, "ann", PASSWORD, address="198.51.100.1")
    assert accounts.sign_in(store, "ann", PASSWORD, address="198.51.100.1", browser_note=note)


def test_success_from_many_places_is_no_guessing(store: Store) -> None:
    make_user(store)
    for number in range(40):
        accounts.sign_in(store, "ann", PASSWORD, address=f"192.0.2.{number}")


def test_a_browser_that_is_known_waits_for_its_own_failures_alone(store: Store) -> None:
    ann = make_user(store)
    note = noted_in(store, ann, "")
    for _ in range(5):
        with pytest.raises(NotAllowed, match=WRONG):
            accounts.sign_in(store, "ann", "wrong password", address="192.0.2.1", browser_note=note)
    with pytest.raises(NotAllowed, match=r"Too many failed sign-ins\. Try again in"):
        accounts.sign_in(store, "ann", PASSWORD, address="192.0.2.1", browser_note=note)
    assert accounts.sign_in(store, "ann", PASSWORD, address="192.0.2.1")
    assert accounts.sign_in(store, "ann", PASSWORD, browser_note=noted_in(store, ann, ""))


def test_a_note_counts_for_its_account_and_password_alone_and_cannot_be_made_up(store: Store) -> None:
    ann, bea = make_user(store), make_user(store, "bea")
    note = noted_in(store, ann, "")
    shared = noted_in(store, bea, note)
    assert [find_browser(store, name, shared) is not None for name in ("ann", "bea", "nobody")] == [True, True, False]
    assert find_browser(store, "bea", note) is None
    forged = [note[:-1] + ("0" if note[-1] != "0" else "1"), note.replace(f"{ann.id}.", f"{bea.id}.", 1), "", "~", "1..", "1.é.é", "x" * 9000]  # fmt: skip
    assert [find_browser(store, name, cookie) for cookie in forged for name in ("ann", "bea")] == [None] * 14
    token = accounts.reset_user(store, LOCAL_OPERATOR, "ann")
    accounts.set_password_with_link(store, token, None, PASSWORD + "!")
    assert find_browser(store, "ann", shared) is None


def test_a_browser_keeps_notes_of_a_few_people_who_share_it(store: Store) -> None:
    people = [make_user(store, f"person {number}") for number in range(7)]
    cookie = ""
    for person in (*people, people[-1]):
        cookie = noted_in(store, person, cookie)
    assert [find_browser(store, person.name, cookie) is not None for person in people] == [False] * 2 + [True] * 5
    assert len(cookie) < 1_000


def test_guessed_names_do_not_fill_the_record_and_it_still_tells_how_many_there_were(store: Store) -> None:
    def guess(times: int) -> None:
        for number in range(times):
            with pytest.raises(NotAllowed, match=WRONG):
                accounts.sign_in(store, f"somebody {number}", "a guess")

    def told() -> list[tuple[str, int]]:
        rows = store.rows("SELECT actor, json_extract(detail, '$.n') AS n FROM events ORDER BY id")
        return [(row["actor"], row["n"]) for row in rows]

    hour = dt.datetime(2026, 1, 31, 11, tzinfo=dt.UTC)
    store.clock = lambda: hour - dt.timedelta(milliseconds=1)
    guess(100)
    assert told() == [("unknown", n) for n in (1, 2, 4, 8, 16, 32, 64)]
    store.clock = lambda: hour
    guess(3)
    assert told()[7:] == [("unknown", 1), ("unknown", 2)]
    assert store.value("SELECT count(*) FROM repeated_events") == 1


def test_failures_of_a_person_are_told_apart_from_those_of_nobody(store: Store) -> None:
    make_user(store)
    for name in ("nobody", "ann", "ann"):
        with pytest.raises(NotAllowed, match=WRONG):
            accounts.sign_in(store, name, "a guess")
    rows = store.rows("SELECT actor, detail FROM events WHERE action = 'fail to sign in' ORDER BY id")
    assert [tuple(row) for row in rows] == [("unknown", '{"n": 1}'), ("ann", '{"n": 1}'), ("ann", '{"n": 2}')]


def test_a_cookie_of_nobody_holds_up_nobody_who_writes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Store, "transaction")
    accounts.sign_out(store, "a cookie of nobody")


def test_five_wrong_passwords_in_a_row_end_in_a_wait(store: Store) -> None:
    make_user(store)
    for _ in range(5):
        with pytest.raises(NotAllowed, match=WRONG):
            accounts.sign_in(store, "ann", "wrong password")
    with pytest.raises(NotAllowed, match=r"Too many failed sign-ins\. Try again in"):
        accounts.sign_in(store, "ann", PASSWORD)


# --- the demonstration ---


def test_choosing_a_person_works_in_the_demonstration_only(store: Store) -> None:
    make_user(store)
    token = accounts.sign_in_as(store, "ann", is_demonstration=True)
    assert accounts.session_of(store, token).user.name == "ann"
    assert [listed.user.name for listed in accounts.list_people_to_choose(store)] == ["ann"]
    with pytest.raises(NotAllowed, match=r"Only the demo works without a password\."):
        accounts.sign_in_as(store, "ann", is_demonstration=False)


def test_a_disabled_person_cannot_be_chosen(store: Store) -> None:
    make_user(store, "admin")
    make_user(store, "ann")
    accounts.disable_user(store, LOCAL_OPERATOR, "ann")
    with pytest.raises(NotAllowed, match=r"'ann' is disabled\. Choose another person"):
        accounts.sign_in_as(store, "ann", is_demonstration=True)


# --- rights ---


@pytest.mark.parametrize(
    ("role", "right", "sentence"),
    [
        ("annotator", "annotate", None),
        ("annotator", "manage project", r"ann can't manage 'P'\. .*lea.* can grant a role \(lead\)\."),
        ("reviewer", "annotate", r"can grant a role \(annotator or lead\)\."),
        ("researcher", "export", None),
        ("lead", "review", None),
        ("administrator", "manage project", None),
        ("administrator", "annotate", r"ann can't annotate in 'P'\. .*lea.* can grant a role \(annotator or lead\)\."),
    ],
)
def test_a_right_is_asked_by_role(store: Store, role: str, right: str, sentence: str | None) -> None:
    project_id = make_project(store)
    make_user(store, "lea", "lead")
    user = make_user(store, "ann", role)
    if sentence is None:
        assert require(store, user, project_id, right) == ({role} - {"administrator"})
        return
    with pytest.raises(NotAllowed, match=sentence):
        require(store, user, project_id, right)


def test_a_project_without_a_lead_names_the_administrators(store: Store) -> None:
    project_id = make_project(store)
    with pytest.raises(NotAllowed, match=r"An administrator can grant a role \("):
        require(store, make_user(store, "ann", "annotator"), project_id, "export")


def test_a_right_in_a_project_that_is_not_there_is_not_found(store: Store) -> None:
    make_project(store)
    with pytest.raises(NotFound, match=r"No such project, or you have no role in it\. Ask its lead\."):
        require(store, make_user(store, "ann", "annotator"), 99, "annotate")
