"""API tokens: whose they are, what they open, when they stop, and how wrong ones are slowed down."""

import datetime as dt
from collections.abc import Callable
from hashlib import sha256

import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, NotAllowed, NotFound, NotSignedIn
from annotator.store import Store
from annotator.store.connection.database import iso
from annotator.store.people import remove_role
from annotator.usecases.access import accounts, credentials
from annotator.usecases.access import credentials as tokens
from annotator.usecases.access.credentials import make_token, open_token, revoke_token
from tests.clock import ahead, pass_time


@pytest.fixture
def researcher(add_person: Callable[..., User], project: Project) -> User:
    return add_person("ria", project, "researcher")


@pytest.fixture
def token(store: Store, project: Project, researcher: User) -> str:
    return make_token(store, researcher, project, "ria", ["read", "write model output"]).text


def number_of(token: str) -> int:
    return int(token.split("_")[1])


def wrong(token: str) -> str:
    return token[:-1] + ("A" if token[-1] != "A" else "B")


def change(store: Store, sql: str, *values: object) -> None:
    with store.transaction():
        store.run(sql, values)


def test_a_token_opens_its_project_by_name_and_by_number_as_its_person(store, project, researcher, token) -> None:
    for address in (project.name, str(project.id)):
        assert open_token(store, token, address, "read") == (researcher, project)


def test_only_the_hash_of_the_secret_is_stored(store, token) -> None:
    secret = token.split("_", 2)[2]
    dump = "\n".join(store.connection.iterdump())
    assert secret not in dump
    assert store.value("SELECT secret_hash FROM api_tokens") == sha256(secret.encode()).digest()


def test_what_is_no_token_is_not_known(store, project, token) -> None:
    unknown = token.replace(f"_{number_of(token)}_", "_999_")
    for text in ("", None):
        with pytest.raises(NotSignedIn, match="Authorization: Bearer"):
            open_token(store, text, "Project", "read")
    for text in ("x", wrong(token), unknown, token + "x", token.upper(), "annotator_0_" + "a" * 43, "é"):
        with pytest.raises(NotSignedIn, match="This token is not known here"):
            open_token(store, text, "Project", "read")


def test_a_token_stops_when_it_expires_or_is_revoked(store, project, researcher, token) -> None:
    with ahead(store, days=tokens.DAYS, minutes=-1):
        assert open_token(store, token, "Project", "read")
    expires = iso(store.moment() + dt.timedelta(days=tokens.DAYS))[:10]
    with (
        ahead(store, days=tokens.DAYS, minutes=1),
        pytest.raises(NotSignedIn, match=f"This token expired on {expires}"),
    ):
        open_token(store, token, "Project", "read")
    second = make_token(store, researcher, project, "ria", ["read"]).text
    revoke_token(store, researcher, number_of(second))
    with pytest.raises(NotSignedIn, match="This token was revoked on 20"):
        open_token(store, second, "Project", "read")


@pytest.mark.parametrize("end", [accounts.disable_user, accounts.reset_user])
def test_tokens_end_with_the_disabling_or_reset_of_their_person(store, token, end) -> None:
    end(store, LOCAL_OPERATOR, "ria")
    with pytest.raises(NotSignedIn, match="was revoked"):
        open_token(store, token, "Project", "read")


def test_a_disabled_person_who_is_let_in_again_does_not_bring_old_tokens_to_life(store, token) -> None:
    accounts.disable_user(store, LOCAL_OPERATOR, "ria")
    accounts.reset_user(store, LOCAL_OPERATOR, "ria")
    with pytest.raises(NotSignedIn, match="was revoked"):
        open_token(store, token, "Project", "read")


def test_a_token_is_for_one_project_and_its_scopes_alone(store, make_project, project, researcher, token) -> None:
    make_project(name="Other")
    for address in ("Other", "no such project", "2"):
        with pytest.raises(NotAllowed, match=r"for the project 'Project' \(number 1\) alone"):
            open_token(store, token, address, "read")
    reader = make_token(store, researcher, project, "ria", ["read"]).text
    with pytest.raises(NotAllowed, match="This token may not write model output; it may read"):
        open_token(store, reader, "Project", "write model output")


def test_a_token_may_no_more_than_its_person_may_now(store, project, researcher, token) -> None:
    change_roles = (store, project.id, researcher, "researcher")
    with store.transaction():
        remove_role(*change_roles)
    with pytest.raises(NotAllowed, match="ria, whose token this is, no longer has the right to export"):
        open_token(store, token, "Project", "read")


def test_people_make_tokens_for_themselves_and_administrators_for_others(store, project, researcher, annotator) -> None:
    with pytest.raises(NotAllowed, match=r"can grant a role \("):
        make_token(store, annotator, project, "annotator-a", ["read"])
    with pytest.raises(
        NotAllowed,
        match=r"annotator-a does not have the right to use models in the project 'Project', which a token with the scope 'write model output' needs\.",
    ):
        make_token(store, LOCAL_OPERATOR, project, "annotator-a", ["write model output"])
    with pytest.raises(NotAllowed, match=r"Ask an administrator to do this\."):
        make_token(store, annotator, project, "ria", ["read"])
    made = make_token(store, LOCAL_OPERATOR, project, "ria", ["read"], note="nightly")
    assert (made.token.user, made.token.created_by, made.token.note) == (researcher, "local operator", "nightly")
    with pytest.raises(NotFound, match=r"No person 'nobody'\."):
        make_token(store, LOCAL_OPERATOR, project, "nobody", ["read"])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"scopes": []}, "A token needs at least one scope"),
        ({"scopes": ["write"]}, "There is no scope 'write'. Choose one or more of: read, write model output"),
        ({"days": 0}, "A token may be valid for 1 to 365 days, not 0"),
        ({"days": 366}, "not 366"),
        ({"note": "a\nb"}, "A note is one line"),
        ({"note": "n" * 201}, "at most 200 characters"),
    ],
)
def test_a_token_that_cannot_be_is_refused(store, project, researcher, given, sentence) -> None:
    with pytest.raises(InvalidValue, match=sentence):
        make_token(store, researcher, project, "ria", **{"scopes": ["read"], **given})
    assert store.value("SELECT count(*) FROM api_tokens") == 0


def test_who_may_revoke_a_token_sees_it_in_the_list(store, project, make_project, add_person, token) -> None:
    lead = add_person("lea", project, "lead")
    stranger = add_person("sam", make_project(name="Other"), "lead")
    assert [one.id for one in tokens.list_tokens(store, lead)] == [number_of(token)]
    assert tokens.list_tokens(store, stranger) == []
    with pytest.raises(NotAllowed, match="Token 1 is not yours"):
        revoke_token(store, stranger, number_of(token))
    assert tokens.state_of(store, revoke_token(store, lead, number_of(token))) == "revoked"
    with pytest.raises(InvalidValue, match="was already revoked"):
        revoke_token(store, LOCAL_OPERATOR, number_of(token))
    with pytest.raises(NotFound, match="No access token number"):
        revoke_token(store, LOCAL_OPERATOR, 9)
    actions = [row["action"] for row in store.rows("SELECT action FROM events WHERE subject = 'user' ORDER BY id")]
    assert actions == ["make token", "revoke token"]


def test_wrong_secrets_slow_that_token_down_and_no_other(store, project, researcher, token) -> None:
    for _ in range(credentials.FAILURES_UNTIL_A_WAIT):
        with pytest.raises(
            NotSignedIn, match=r"This token is not known here\. Check that you copied all of it, or make another one\."
        ):
            open_token(store, wrong(token), "Project", "read")
    for text in (wrong(token), token):
        with pytest.raises(NotSignedIn, match=r"Too many failures with this token. Try again in \d+ seconds"):
            open_token(store, text, "Project", "read")
    other = make_token(store, researcher, project, "ria", ["read"]).text
    assert open_token(store, other, "Project", "read")
    pass_time(store, hours=1)
    assert open_token(store, token, "Project", "read")


def test_wrong_secrets_do_not_fill_the_record(store, project, token) -> None:
    for _ in range(12):
        with pytest.raises(
            NotSignedIn, match=r"This token is not known here\. Check that you copied all of it, or make another one\."
        ):
            open_token(store, wrong(token), "Project", "read")
        change(store, "DELETE FROM sign_in_failures")
    rows = store.rows("SELECT detail FROM events WHERE action = 'fail to use token' ORDER BY id")
    assert [row["detail"] for row in rows] == [f'{{"token": 1, "n": {n}}}' for n in (1, 2, 4, 8)]


def test_nobody_can_slow_a_token_down_by_failing_to_sign_in_under_some_name(store, token) -> None:
    counted_under = tokens._failures_name(number_of(token))
    for _ in range(credentials.FAILURES_UNTIL_A_WAIT + 1):
        with pytest.raises(NotAllowed):
            accounts.sign_in(store, counted_under, "a wrong password")
    assert open_token(store, token, "Project", "read")


def test_tokens_that_were_never_made_leave_nothing_behind(store, project) -> None:
    before = "\n".join(store.connection.iterdump())
    for _ in range(20):
        with pytest.raises(NotSignedIn):
            open_token(store, f"annotator_7_{'a' * 43}", "Project", "read")
    assert "\n".join(store.connection.iterdump()) == before


def test_the_last_use_is_noted_at_most_once_a_minute(store, token) -> None:
    def last_use() -> object:
        return store.value("SELECT last_used_at FROM api_tokens")

    assert last_use() is None
    open_token(store, token, "Project", "read")
    first = last_use()
    assert first is not None
    open_token(store, token, "Project", "read")
    assert last_use() == first
    pass_time(store, seconds=61)
    open_token(store, token, "Project", "read")
    assert str(last_use()) > str(first)
