"""Signing in through an OpenID provider that runs on this machine: the way there and back, roles, and local accounts off."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import AnnotatorError, InvalidValue, NotAllowed, NotFound
from annotator.store import Store, open_store
from annotator.store import people as people_store
from annotator.usecases.access import accounts, single_sign_on
from annotator.usecases.access.single_sign_on import ClaimedRole, Settings, SingleSignOn, join_accounts, require_way_in
from annotator.usecases.lead.event_words import event_words
from annotator.usecases.project.projects import give_role
from annotator.web.addresses import PUBLIC_VARIABLE
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes
from annotator.web.routes.access import COOKIE, ServerOptions, error_response
from annotator.web.routes.single_sign_on import callback_address
from tests.clock import pass_time
from tests.outbound.identity_provider import CLIENT_ID, SECRET, Provider, identity_provider, new_key, sign_in_at

pytest.importorskip("authlib", reason="the extra sso is not installed")
pytestmark = pytest.mark.usefixtures("quick_hashes")

HOST = "http://127.0.0.1:8501"
PAGE = {"Accept": "text/html,*/*"}
SAME = {"Sec-Fetch-Site": "same-origin", "Origin": HOST}
PASSWORD = "a good long password"
GROUPS = (
    ClaimedRole("bosses", "administrator"), ClaimedRole("students", "annotator", "Project"),
    ClaimedRole("tutors", "reviewer", "Project"), ClaimedRole("tutors", "annotator", "Not there"),
)  # fmt: skip


@pytest.fixture(scope="session")
def key() -> Any:
    return new_key("first")


@pytest.fixture
def provider(key: Any) -> Iterator[Provider]:
    with identity_provider(key) as opened:
        yield opened


@pytest.fixture
def settings(provider: Provider) -> Settings:
    return Settings(
        issuer=provider.issuer, client_id=CLIENT_ID, client_secret=SECRET, name="Lab", claim="groups", roles=GROUPS
    )


@pytest.fixture
def ada(store: Store, project: Project) -> User:
    """An administrator with a password."""
    added = accounts.add_user(store, LOCAL_OPERATOR, "boss", "administrator")
    accounts.set_password_with_link(store, added.link_token or "", None, PASSWORD)
    return added.user


def client_of(store: Store, settings: Settings, address: str = HOST) -> TestClient:
    async def refuse(_: Any, error: Exception) -> Any:
        return error_response(error)  # type: ignore[arg-type]

    sign_on = SingleSignOn(settings, callback_address(address))
    app = Starlette(
        routes=all_routes(),
        middleware=web_middleware(ServerOptions(store.path, sign_on=sign_on)),
        exception_handlers={AnnotatorError: refuse},
    )
    return TestClient(app, base_url=HOST, follow_redirects=False)


@pytest.fixture
def client(store: Store, settings: Settings, ada: User) -> Iterator[TestClient]:
    with client_of(store, settings) as opened:
        yield opened


def sign_in(client: TestClient, next_path: str = "") -> Any:
    """The whole way of a browser."""
    left = client.get("/sign-in/with", params={"next": next_path} if next_path else {}, headers=PAGE)
    assert left.status_code == 303, alert(left)
    return client.get(sign_in_at(left.headers["location"]), headers=PAGE)


def alert(response: Any) -> str:
    match = re.search(r'role="alert"[^>]*>([^<]*)<', response.text)
    return match[1].replace("&#39;", "'") if match else ""


def signed_in(client: TestClient, store: Store) -> str | None:
    token = client.cookies.get(COOKIE)
    return accounts.session_of(store, token).user.name if token else None


def refused(response: Any, store: Store, client: TestClient, words: str, status: int = 403) -> None:
    """In a sentence on the sign-in page, which still has its form; and nobody has come in."""
    assert (response.status_code, signed_in(client, store)) == (status, None)
    assert words in alert(response)
    assert 'name="password"' in response.text
    assert people_store.find_user(store, "ada") is None


# --- the way there and back ---


def test_the_button_leads_to_the_provider_with_pkce_state_and_nonce(client: TestClient, provider: Provider) -> None:
    page = client.get("/sign-in?next=%2Fannotate%3Fproject%3D1").text
    address = re.search(r'<a class="button" id="provider" href="([^"]*)">Sign in with Lab</a>', page)[1]
    left = client.get(address)
    assert left.status_code == 303
    query = parse_qs(urlsplit(left.headers["location"]).query)
    assert left.headers["location"].startswith(f"{provider.issuer}/authorize?")
    assert query["redirect_uri"] == [f"{HOST}/sign-in/back"]
    assert (query["scope"], query["code_challenge_method"]) == (["openid profile"], ["S256"])
    assert len({query[name][0] for name in ("state", "nonce", "code_challenge")}) == 3
    cookie = left.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=lax", "Path=/sign-in/back", "Max-Age=600"} <= set(cookie.split("; "))


def test_who_comes_back_has_an_account_and_goes_on_to_their_page(
    client: TestClient, store: Store, provider: Provider
) -> None:
    back = sign_in(client, "/annotate?project=1")
    assert (back.status_code, back.headers["location"]) == (303, "/annotate?project=1")
    assert signed_in(client, store) == "ada"
    assert provider.logins == ["Basic YW5ub3RhdG9yOmEgc2VjcmV0IG9mIGJvdGg="]
    assert "annotator_sign_on" not in client.cookies
    assert sign_in(client).headers["location"] == "/"
    assert [user.name for user in people_store.list_users(store)] == ["ada", "boss"]
    assert provider.asked.count(".well-known/openid-configuration") == 1
    assert provider.asked.count("jwks") == 1


def test_below_a_path_the_way_there_and_back_is_below_it(
    store: Store, settings: Settings, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PUBLIC_VARIABLE, f"{HOST}/lab")
    with client_of(store, settings, f"{HOST}/lab") as client:
        assert 'href="/lab/sign-in/with?next=%2Fannotate"' in client.get("/lab/sign-in?next=%2Fannotate").text
        left = client.get("/lab/sign-in/with?next=%2Fannotate")
        assert "Path=/lab/sign-in/back" in left.headers["set-cookie"].split("; ")
        path = sign_in_at(left.headers["location"])
        assert path.startswith("/lab/sign-in/back?")
        assert client.get(path).headers["location"] == "/lab/annotate"
        assert signed_in(client, store) == "ada"


def test_over_https_the_cookie_of_an_attempt_travels_encrypted_only(client: TestClient) -> None:
    client.base_url = "https://127.0.0.1:8443"
    assert "Secure" in client.get("/sign-in/with").headers["set-cookie"].split("; ")


@pytest.mark.parametrize(
    "path",
    [
        "https://evil.example/",
        "//evil.example",
        "/\\evil.example",
        "/sign-in/with",
        "/sign-out",
        "javascript:1",
        "/x\n",
    ],
)
def test_a_hostile_return_address_leads_to_the_start(client: TestClient, path: str) -> None:
    assert sign_in(client, path).headers["location"] == "/"


def test_an_address_that_is_too_long_for_a_cookie_leads_to_the_start(client: TestClient) -> None:
    assert sign_in(client, f"/annotate?{'x' * 5000}").headers["location"] == "/"


def test_a_wrong_state_is_refused_and_the_right_one_still_works(
    client: TestClient, store: Store, provider: Provider
) -> None:
    back = sign_in_at(client.get("/sign-in/with").headers["location"])
    wrong = client.get(re.sub("state=[^&]*", "state=other", back))
    refused(wrong, store, client, "This sign-in has expired, or began in another browser. Start again.")
    assert "token" not in provider.asked
    assert client.get(back).status_code == 303


def test_an_answer_without_the_cookie_of_this_browser_is_refused(
    client: TestClient, store: Store, provider: Provider
) -> None:
    back = sign_in_at(client.get("/sign-in/with").headers["location"])
    client.cookies.clear()
    refused(client.get(back), store, client, "began in another browser")
    client.cookies.set("annotator_sign_on", "e30=.00", path="/sign-in/back")
    refused(client.get(back), store, client, "began in another browser")
    assert "token" not in provider.asked


def test_a_code_and_a_state_work_once(client: TestClient, store: Store, provider: Provider) -> None:
    left = client.get("/sign-in/with")
    back, cookie = sign_in_at(left.headers["location"]), client.cookies["annotator_sign_on"]
    assert client.get(back).status_code == 303
    client.cookies.clear()
    client.cookies.set("annotator_sign_on", cookie, path="/sign-in/back")
    again = client.get(back)
    assert (again.status_code, signed_in(client, store)) == (403, None)
    assert "This sign-in has expired" in alert(again)
    assert provider.asked.count("token") == 1


def test_a_code_that_the_provider_has_taken_before_is_refused(
    client: TestClient, store: Store, provider: Provider
) -> None:
    back = sign_in_at(client.get("/sign-in/with").headers["location"])
    provider.codes.clear()
    refused(client.get(back), store, client, "The sign-in at 127.0.0.1 can't be accepted (invalid_grant). Try again.")


def test_an_attempt_lasts_ten_minutes(client: TestClient, store: Store, settings: Settings, provider: Provider) -> None:
    sign_on = SingleSignOn(settings, callback_address(HOST))
    address, cookie = sign_on.begin("/", store.moment().timestamp())
    answer = {name: values[0] for name, values in parse_qs(urlsplit(sign_in_at(address)).query).items()}
    pass_time(store, minutes=10, seconds=1)
    with pytest.raises(NotAllowed, match="This sign-in has expired"):
        sign_on.finish(store, cookie, answer)


def test_of_very_many_attempts_the_oldest_is_forgotten(
    store: Store, settings: Settings, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(single_sign_on, "_MOST_USED", 2)
    sign_on = SingleSignOn(settings, callback_address(HOST))
    for _ in range(4):
        address, cookie = sign_on.begin("/", store.moment().timestamp())
        answer = {name: values[0] for name, values in parse_qs(urlsplit(sign_in_at(address)).query).items()}
        sign_on.finish(store, cookie, answer)
    assert len(sign_on._used) == 2


@pytest.mark.parametrize("query", ["error=access_denied", "code=x&iss=https%3A%2F%2Fother.example"])
def test_a_refusal_of_the_provider_is_said(client: TestClient, store: Store, provider: Provider, query: str) -> None:
    back = sign_in_at(client.get("/sign-in/with").headers["location"])
    state = re.search("state=[^&]*", back)[0]
    refused(client.get(f"/sign-in/back?{state}&{query}"), store, client, "Lab didn't sign you in. Try again.")
    assert "token" not in provider.asked


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"nonce": "of another sign-in"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"aud": "another program"}, "aud"),
        ({"aud": [CLIENT_ID, "another program"]}, "azp"),
        ({"azp": "another program"}, "azp"),
        ({"iss": "https://other.example"}, "iss"),
        ({"sub": None}, "sub"),
        ({"exp": None}, "exp"),
        ({"at_hash": "wrong"}, "at_hash"),
        ({"exp": "tomorrow"}, "exp"),
    ],
)
def test_a_token_that_is_not_for_this_sign_in_is_refused(
    client: TestClient, store: Store, provider: Provider, changed: dict[str, Any], reason: str
) -> None:
    provider.changed = changed
    refused(sign_in(client), store, client, f"can't be accepted ({reason})")


@pytest.mark.parametrize("subject", ["", "x" * 256, "a\nb", 7])
def test_a_name_of_the_provider_that_cannot_be_one_is_refused(
    client: TestClient, store: Store, provider: Provider, subject: object
) -> None:
    provider.changed = {"sub": subject}
    assert sign_in(client).status_code == 403
    assert [user.name for user in people_store.list_users(store)] == ["boss"]


@pytest.mark.parametrize("seconds", [-390.0, 100.0])
def test_clocks_may_differ_a_little(client: TestClient, store: Store, provider: Provider, seconds: float) -> None:
    provider.clock = seconds  # tokens last 300 seconds
    sign_in(client)
    assert signed_in(client, store) == "ada"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-900.0, "The token of 127.0.0.1 expired 10 minutes ago. Compare both clocks."),
        (900.0, "The clock of 127.0.0.1 is 15 minutes ahead of this server's. Correct one."),
    ],
)
def test_an_expired_token_and_clocks_that_differ_are_said(
    client: TestClient, store: Store, provider: Provider, seconds: float, words: str
) -> None:
    provider.clock = seconds
    refused(sign_in(client), store, client, words)


def test_who_the_provider_says_is_the_only_issuer_of_a_person(store: Store, ada: User, settings: Settings) -> None:
    """The same name at another provider is somebody else."""
    claims = {"sub": "1", "preferred_username": "ada"}
    first = accounts.session_of(store, single_sign_on.sign_in(store, settings, claims)).user
    other = msgspec.structs.replace(settings, issuer="https://other.example")
    second = accounts.session_of(store, single_sign_on.sign_in(store, other, claims)).user
    assert (first.name, second.name) == ("ada", "ada 2")


def test_a_provider_that_is_down_is_said_and_local_accounts_still_work(
    client: TestClient, store: Store, provider: Provider
) -> None:
    provider.status = 502
    refused(client.get("/sign-in/with"), store, client, "127.0.0.1 replied 502. Try again later.", 503)
    answer = client.post("/sign-in", data={"name": "boss", "password": PASSWORD}, headers=SAME)
    assert (answer.status_code, signed_in(client, store)) == (303, "boss")


def test_a_provider_that_goes_down_on_the_way_is_said(client: TestClient, store: Store, provider: Provider) -> None:
    back = sign_in_at(client.get("/sign-in/with").headers["location"])
    provider.body = b"<html>"
    refused(client.get(back), store, client, "127.0.0.1 doesn't answer as an OpenID provider.", 503)


def test_a_server_without_single_sign_on_has_no_button_and_no_way(store: Store, ada: User) -> None:
    app = Starlette(routes=all_routes(), middleware=web_middleware(ServerOptions(store.path)))
    with TestClient(app, base_url=HOST) as client:
        assert "provider" not in client.get("/sign-in").text
        answers = [client.get(path) for path in ("/sign-in/with", "/sign-in/back")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert "This server has no single sign-on." in answers[0].text


def test_too_many_at_once_are_asked_to_come_again(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    from annotator.web.routes import single_sign_on as routes
    from annotator.web.routes.sign_in import HashingThreads

    monkeypatch.setattr(routes, "_THREADS", HashingThreads(1, 0, pause_seconds=0.0))
    answer = client.get("/sign-in/with")
    assert (answer.status_code, "The server is busy. Try again in a minute." in answer.text) == (503, True)


def test_signing_out_says_that_the_provider_may_still_hold_a_session(client: TestClient, store: Store) -> None:
    sign_in(client)
    out = client.post("/sign-out", headers=SAME)
    page = client.get(out.headers["location"]).text
    assert "You&#39;re signed out here. Lab may still hold a session." in page


def test_chinese_words(client: TestClient) -> None:
    page = client.get("/sign-in", headers={"Accept-Language": "zh"}).text
    assert "使用 Lab 登录" in page


# --- people ---


def test_nobody_is_joined_with_a_local_account_by_name_or_address(
    client: TestClient, store: Store, provider: Provider, project: Project
) -> None:
    local = accounts.add_user(store, LOCAL_OPERATOR, "Ada", "annotator", project.name).user
    store.run("INSERT INTO mail_addresses (user_id, address) VALUES (?, 'ada@lab.example')", (local.id,))
    provider.person |= {"email": "ada@lab.example", "email_verified": True}
    sign_in(client)
    assert signed_in(client, store) == "ada 2"
    assert people_store.roles_of(store, people_store.get_user(store, "ada 2"), project.id) == frozenset()


@pytest.mark.parametrize(
    ("claims", "name"),
    [
        ({"preferred_username": "local operator"}, "local operator 2"),
        ({"preferred_username": "Old Author"}, "Old Author 2"),  # of imported work, without an account
        ({"preferred_username": " \n", "name": "Ada\u202e  Lovelace"}, "Ada Lovelace"),
        ({"preferred_username": 7}, "user"),
        ({"preferred_username": "x" * 500}, "x" * 90),
    ],
)
def test_a_new_account_gets_a_free_name(
    store: Store, settings: Settings, ada: User, claims: dict[str, Any], name: str
) -> None:
    with store.transaction():
        store.run(
            "INSERT INTO guidelines_versions (project_id, number, text, made_by, made_at) VALUES (1, 9, '', 'old author', '')"
        )
    token = single_sign_on.sign_in(store, settings, {"sub": "1", **claims})
    assert accounts.session_of(store, token).user.name == name


def test_a_disabled_account_stays_out(client: TestClient, store: Store, ada: User) -> None:
    sign_in(client)
    accounts.disable_user(store, ada, "ada")
    client.cookies.clear()
    back = sign_in(client)
    assert (back.status_code, alert(back)) == (403, "'ada' is disabled. Ask an administrator.")
    assert client.cookies.get(COOKIE) is None


def test_who_signs_in_elsewhere_can_sign_in_as_the_lead_sees_it_and_gets_no_link(
    client: TestClient, store: Store, provider: Provider, project: Project, lead: User
) -> None:
    from annotator.usecases.access.invitations import members_with_accounts

    provider.person["groups"] = ["students"]
    sign_in(client)
    member = next(m for m in members_with_accounts(store, lead, project.id) if m.user.name == "ada")
    assert (member.account, member.may_renew) == ("can sign in", False)


def test_the_first_account_is_an_administrator_or_none(store: Store, settings: Settings) -> None:
    with pytest.raises(NotAllowed, match=r"No account yet\. Open the link printed at server start\."):
        single_sign_on.sign_in(store, settings, {"sub": "1", "groups": ["students"]})
    assert not people_store.has_users(store)
    token = single_sign_on.sign_in(store, settings, {"sub": "1", "groups": ["bosses"]})
    assert accounts.session_of(store, token).user.is_administrator


# --- roles from claims ---


def come(store: Store, settings: Settings, *groups: str) -> User:
    claims = {"sub": "1", "preferred_username": "ada", "groups": list(groups)}
    return accounts.session_of(store, single_sign_on.sign_in(store, settings, claims)).user


def test_roles_follow_the_claim_at_each_sign_in(
    store: Store, settings: Settings, project: Project, ada: User, caplog: pytest.LogCaptureFixture
) -> None:
    user = come(store, settings, "students", "tutors", "unknown")
    assert people_store.roles_of(store, user, project.id) == {"annotator", "reviewer"}
    assert "Single sign-on gives roles in 'Not there', but there is no such project." in caplog.text
    user = come(store, settings, "tutors")
    assert people_store.roles_of(store, user, project.id) == {"reviewer"}
    words = [event_words(event) for event in accounts.list_events(store, project.id, accounts.ALL_EVENTS, limit=3)]
    assert words == [
        "removed the role annotator from ada (by single sign-on)", "gave ada the role reviewer (by single sign-on)",
        "gave ada the role annotator (by single sign-on)",
    ]  # fmt: skip
    assert people_store.roles_of(store, come(store, settings), project.id) == frozenset()


def test_what_is_reserved_goes_back_with_the_role(
    store: Store, settings: Settings, project: Project, ada: User
) -> None:
    from annotator.usecases.annotate import work

    user = come(store, settings, "students")
    work.next_work(store, user, project.id)
    come(store, settings)
    assert store.value("SELECT count(*) FROM assignments WHERE state = 'leased'") == 0


@pytest.mark.parametrize("is_given_first", [True, False])
def test_a_role_that_a_person_gave_stays_when_the_claim_goes(
    store: Store, settings: Settings, project: Project, lead: User, ada: User, is_given_first: bool
) -> None:
    user = come(store, settings, *(() if is_given_first else ("students",)))
    give_role(store, lead, project.id, user.name, "annotator")
    come(store, settings, "students")
    assert people_store.roles_of(store, come(store, settings), project.id) == {"annotator"}


def test_an_invitation_makes_a_claimed_role_one_that_stays(
    store: Store, settings: Settings, project: Project, lead: User, ada: User
) -> None:
    from annotator.usecases.access.invitations import invite, read_invitees

    come(store, settings, "students")
    invite(store, lead, project.id, read_invitees("ada", "annotator"))
    assert people_store.roles_of(store, come(store, settings), project.id) == {"annotator"}


def test_a_claim_makes_an_administrator_and_its_loss_ends_that(store: Store, settings: Settings, ada: User) -> None:
    assert come(store, settings, "bosses").is_administrator
    assert not come(store, settings).is_administrator


def test_the_only_administrator_stays_one_when_the_claim_goes(
    store: Store, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    come(store, settings, "bosses")
    assert come(store, settings).is_administrator
    assert "'ada' is the only administrator, and stays one" in caplog.text


def test_an_administrator_by_hand_stays_one_without_the_claim(store: Store, settings: Settings, ada: User) -> None:
    come(store, settings)
    join_accounts(store, LOCAL_OPERATOR, "boss", "ada")
    assert come(store, settings, "bosses").name == "boss"
    second = accounts.add_user(store, LOCAL_OPERATOR, "second", "administrator").user
    assert second.is_administrator
    assert come(store, settings).is_administrator


# --- local accounts ---


def without_local_accounts(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, local_accounts=False)


def test_local_accounts_stay_on_until_an_administrator_has_signed_in_elsewhere(
    store: Store, settings: Settings, ada: User
) -> None:
    require_way_in(store, settings)
    come(store, settings, "students")
    with pytest.raises(InvalidValue, match="Local accounts stay on until an administrator has signed in with Lab"):
        require_way_in(store, without_local_accounts(settings))
    come(store, settings, "bosses")
    require_way_in(store, without_local_accounts(settings))


def test_local_sessions_end_when_local_accounts_are_turned_off(store: Store, settings: Settings, ada: User) -> None:
    local = accounts.sign_in(store, "boss", PASSWORD)
    token = single_sign_on.sign_in(store, settings, {"sub": "1", "groups": ["bosses"]})
    require_way_in(store, without_local_accounts(settings))
    assert accounts.session_of(store, token).user.is_administrator
    with pytest.raises(NotAllowed):
        accounts.session_of(store, local)


def test_without_local_accounts_no_password_is_asked_for_or_taken(
    store: Store, settings: Settings, ada: User, project: Project
) -> None:
    invited = accounts.add_user(store, LOCAL_OPERATOR, "eve", "annotator", project.name).link_token
    with client_of(store, without_local_accounts(settings)) as client:
        page = client.get("/sign-in").text
        assert ('name="password"' in page, "Sign in with Lab" in page) == (False, True)
        words = "This server takes no passwords. Sign in with Lab."
        assert words in alert(client.post("/sign-in", data={"name": "boss", "password": PASSWORD}, headers=SAME))
        assert words in alert(client.get(f"/link/{invited}"))
        used = client.post(f"/link/{invited}", data={"password": PASSWORD}, headers=SAME)
        assert (words in alert(used), signed_in(client, store)) == (True, None)
        assert sign_in(client).status_code == 303
        assert "You have no password." in client.get("/account", headers=PAGE).text
        changed = client.post("/account/password", data={"old": PASSWORD, "new": "x" * 12}, headers=SAME)
        assert words in alert(changed)


def test_the_link_of_an_administrator_still_lets_them_in(store: Store, settings: Settings, ada: User) -> None:
    link = accounts.reset_user(store, LOCAL_OPERATOR, "boss")
    with client_of(store, without_local_accounts(settings)) as client:
        assert 'name="password"' in client.get(f"/link/{link}").text
        assert client.post(f"/link/{link}", data={"password": PASSWORD}, headers=SAME).status_code == 303
        assert signed_in(client, store) == "boss"


# --- joining accounts ---


def test_an_account_from_before_is_joined_by_an_administrator(
    store: Store, settings: Settings, project: Project, ada: User, annotator: User
) -> None:
    come(store, settings, "students", "bosses")
    join_accounts(store, ada, annotator.name, "ada")
    other = people_store.get_user(store, "ada")
    assert (other.is_disabled, other.is_administrator) == (True, False)
    assert people_store.roles_of(store, other, project.id) == frozenset()
    joined = come(store, settings, "students", "bosses")
    assert (joined.name, joined.is_administrator) == (annotator.name, True)
    events = accounts.events_of_accounts(store, ada, limit=20)
    assert "joined annotator-a with ada's single sign-on" in map(event_words, events)


def test_joining_is_refused_where_it_makes_no_sense(
    store: Store, settings: Settings, ada: User, annotator: User
) -> None:
    come(store, settings)
    with pytest.raises(InvalidValue, match="Nobody signs in to 'annotator-a' by single sign-on"):
        join_accounts(store, ada, "ada", "annotator-a")
    with pytest.raises(InvalidValue, match="Nobody signs in to 'ada' by single sign-on"):
        join_accounts(store, ada, "ada", "ada")
    with pytest.raises(NotFound):
        join_accounts(store, ada, "ada", "nobody")
    with pytest.raises(NotAllowed, match="Ask an administrator"):
        join_accounts(store, annotator, annotator.name, "ada")
    accounts.disable_user(store, ada, annotator.name)
    with pytest.raises(InvalidValue, match="'annotator-a' is disabled"):
        join_accounts(store, ada, annotator.name, "ada")
    assert people_store.has_identity(store, people_store.get_user(store, "ada"), settings.issuer)


# --- erasing ---


@pytest.mark.parametrize("verb", ["anonymise", "erase"])
def test_nothing_of_an_identity_is_left_of_whoever_goes(store: Store, settings: Settings, ada: User, verb: str) -> None:
    from annotator.usecases.persons import erasure

    come(store, settings, "students")
    getattr(erasure, verb)(store, ada, "ada")
    assert store.value("SELECT count(*) FROM identities") == 0
    assert come(store, settings).id != 0
    assert [user.name for user in people_store.list_users(store) if not user.is_disabled] == ["ada", "boss"]


def test_a_restore_brings_identities_back_but_not_of_whoever_was_erased_since(
    store: Store, settings: Settings, ada: User, tmp_path: Path
) -> None:
    from annotator.usecases.persons import erasure, my_account
    from annotator.usecases.restoration import restore

    come(store, settings)
    single_sign_on.sign_in(store, settings, {"sub": "2", "name": "Eve"})
    with zipfile.ZipFile(io.BytesIO(my_account.data_of_person(store, ada, "Eve"))) as archive:
        assert json.loads(archive.read("single_sign_on.json"))[0]["subject"] == "2"
    backup = tmp_path / "backup.db"
    store.backup(backup)
    erasure.erase(store, ada, "Eve")
    store.close()
    restore(store.path, LOCAL_OPERATOR, backup)
    with open_store(store.path) as restored:
        assert [row["subject"] for row in restored.rows("SELECT subject FROM identities")] == ["1"]


# --- the settings file ---


GOOD = 'issuer = "https://id.example.org/realms/lab"\nclient_id = "annotator"\n'


def written(tmp_path: Path, text: str, mode: int = 0o600) -> Path:
    path = tmp_path / "sso.toml"
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_settings_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roles = '[[roles]]\nvalue = "tutors"\nrole = "lead"\nproject = "Reviews"\n'
    text = f'{GOOD}client_secret = "s"\nscopes = ["groups"]\nclaim = "groups"\nprivate_hosts = "10.0.0.0/8"\n{roles}'
    settings = single_sign_on.read_settings(written(tmp_path, text))
    assert (settings.shown_name, settings.client_secret) == ("id.example.org", "s")
    assert settings.client().scopes == ("openid", "groups")
    assert settings.roles == (ClaimedRole("tutors", "lead", "Reviews"),)
    monkeypatch.setenv("ANNOTATOR_SSO_SECRET", "of the environment")
    assert single_sign_on.read_settings(written(tmp_path, text, 0o600)).client_secret == "of the environment"
    assert single_sign_on.read_settings(written(tmp_path, GOOD, 0o644)).local_accounts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("issuer =", "has no settings for single sign-on"),
        ('client_id = "x"', "missing required field `issuer`"),
        (f'{GOOD}colour = "red"', "unknown field `colour`"),
        (f'{GOOD}claim = "g"\n[[roles]]\nvalue = "x"\nrole = "boss"', "role"),
        (f'{GOOD}claim = "g"\n[[roles]]\nvalue = "x"\nrole = "lead"', "'lead' is a role of a project"),
        (
            f'{GOOD}claim = "g"\n[[roles]]\nvalue = "x"\nrole = "administrator"\nproject = "P"',
            "or administrator without one",
        ),
        (f'{GOOD}[[roles]]\nvalue = "x"\nrole = "administrator"', "doesn't name the claim that brings them"),
        (f'{GOOD}name = "a\\nb"', "must be one line of at most 100 characters"),
        ('issuer = "http://id.example.org"\nclient_id = "x"', "isn't a provider's https address"),
        ('issuer = "https://id.example.org:x"\nclient_id = "x"', "isn't a provider's https address"),
        ('issuer = "https://id.example.org"\nclient_id = ""', "Client ID and secret are one line"),
        (f'{GOOD}client_secret = "é"', "Client ID and secret are one line"),
        (f'{GOOD}private_hosts = "10.0.0.0/99"', "isn't a host or network"),
    ],
)
def test_a_settings_file_that_cannot_be_used_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InvalidValue, match=words):
        single_sign_on.read_settings(written(tmp_path, text))


def test_no_secret_is_shown_where_settings_are(settings: Settings) -> None:
    assert SECRET in settings.client_secret
    assert SECRET not in f"{settings!r} {settings.client()!r}"


def test_a_secret_that_others_may_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidValue, match="Others can read '.*', which holds a secret. Run: chmod 600"):
        single_sign_on.read_settings(written(tmp_path, f'{GOOD}client_secret = "s"', 0o644))


def test_what_to_install_is_said_where_the_extra_is_missing(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    from annotator.outbound import identity_provider as outbound

    monkeypatch.setattr(outbound, "find_spec", lambda _: None)
    with pytest.raises(InvalidValue, match=r"Install it: pip install 'rationale-annotator\[sso\]'"):
        SingleSignOn(settings, callback_address(HOST))
