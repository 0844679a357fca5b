"""The routes of signing in and out, the gate before the pages, and what a refusal looks like: without Streamlit."""

import html
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from annotator import __version__
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.tasks import get_task
from annotator.errors import (
    AnnotatorError,
    Conflict,
    ExportRefused,
    InvalidAnnotation,
    InvalidValue,
    LeaseLost,
    NotAllowed,
    NotFound,
    NotSignedIn,
    StaleDraft,
    StoreError,
)
from annotator.language import speaking
from annotator.store import open_store
from annotator.store.people import add_role, get_user
from annotator.store.projects import add_project
from annotator.usecases.access import accounts, credentials
from annotator.usecases.databases import find_project
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from annotator.web import forms
from annotator.web.middleware import web_middleware
from annotator.web.navigation import PAGES
from annotator.web.routes import all_routes
from annotator.web.routes.access import (
    ServerOptions,
    close_kept_store,
    error_response,
    require_csrf,
    said_of,
    session_of_request,
)
from annotator.web.routes.sign_in import local_path
from annotator.web.routes.static import panel_version
from tests.conftest import QUICK_HASHER

pytestmark = pytest.mark.usefixtures("quick_hashes")

HOST = "http://127.0.0.1:8501"
PASSWORD = "a good long password"
PAGE = {"Accept": "text/html,*/*"}
SAME = {"Sec-Fetch-Site": "same-origin", "Origin": HOST}
NASTY = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project P with the annotator ann, who has a password."""
    path = tmp_path_factory.mktemp("sign-in") / "annotator.db"
    with pytest.MonkeyPatch.context() as patch, open_store(path, create=True) as store:
        patch.setattr(credentials, "_HASHER", QUICK_HASHER)
        with store.transaction():
            add_project(store, "P", get_task("sentiment"), labels=["no", "yes"])
        link = accounts.add_user(store, LOCAL_OPERATOR, "ann", "annotator").link_token
        accounts.set_password_with_link(store, link, None, PASSWORD)
    return path


@pytest.fixture
def path(tmp_path: Path, prepared: Path) -> Path:
    return Path(shutil.copy(prepared, tmp_path))


def guarded(request: Request) -> PlainTextResponse:
    session = session_of_request(request)
    require_csrf(request, session)
    return PlainTextResponse(session.user.name)


def client_of(path: Path, *, is_demonstration: bool = False) -> TestClient:
    async def refuse(_: Request, error: Exception) -> Any:
        return error_response(error)

    def page(_: Request) -> PlainTextResponse:
        close_kept_store()
        return PlainTextResponse("the page")

    app = Starlette(
        routes=[
            *(Route(address, page) for address in ("/", "/annotate")),
            *all_routes(),
            Route("/guarded", guarded, methods=["POST"]),
            *(Route(address, page) for address in ("/{page}", "/static/x.js", "/_stcore/health")),
        ],
        middleware=web_middleware(ServerOptions(path, is_demonstration)),
        exception_handlers={AnnotatorError: refuse},
    )
    return TestClient(app, base_url=HOST, follow_redirects=False)


@pytest.fixture
def client(path: Path) -> Iterator[TestClient]:
    with client_of(path) as opened:
        yield opened


def sign_in(client: TestClient, **more: str) -> Any:
    return client.post("/sign-in", data={"name": "ann", "password": PASSWORD, **more}, headers=SAME)


def alert(response: Any) -> str:
    found = re.search(r'role="alert"[^>]*>([^<]*)<', response.text)
    return found[1] if found else ""


# --- signing in and out ---


def test_the_form_signs_in_with_a_cookie_that_scripts_cannot_read(client: TestClient) -> None:
    response = sign_in(client)
    assert (response.status_code, response.headers["location"]) == (303, "/")
    cookie = response.headers["set-cookie"]
    assert "annotator_session=" in cookie
    assert {"HttpOnly", "SameSite=lax", "Path=/", "Max-Age=1209600"} <= set(cookie.split("; "))
    assert "Secure" not in cookie


def test_over_https_the_cookie_travels_encrypted_only(path: Path) -> None:
    with client_of(path) as client:
        client.base_url = "https://127.0.0.1:8443"
        response = client.post(
            "/sign-in", data={"name": "ann", "password": PASSWORD}, headers={"Origin": "https://127.0.0.1:8443"}
        )
    assert "Secure" in response.headers["set-cookie"].split("; ")


def test_signing_in_leads_back_to_the_page_that_was_asked_for(client: TestClient) -> None:
    asked = client.get("/annotate?project=1&instance=2", headers=PAGE)
    assert (asked.status_code, asked.headers["location"]) == (
        303,
        "/sign-in?next=%2Fannotate%3Fproject%3D1%26instance%3D2",
    )
    form = client.get(asked.headers["location"]).text
    action = re.search(r'action="([^"]*)"', form)[1]
    response = client.post(action, data={"name": "ann", "password": PASSWORD}, headers=SAME)
    assert response.headers["location"] == "/annotate?project=1&instance=2"
    assert client.get("/annotate?project=1", headers=PAGE).status_code == 200


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/annotate?project=1", "/annotate?project=1"),
        ("https://elsewhere.example/", "/"),
        ("//elsewhere.example/", "/"),  # another host without a scheme
        ("/\\elsewhere.example", "/"),  # browsers read \ as /
        ("javascript:alert(1)", "/"),
        ("/a\nSet-Cookie: x", "/"),
        ("", "/"),
        ("/sign-in?next=/sign-in", "/"),
        ("/sign-out", "/"),  # nobody wants to be signed out at once
    ],
)
def test_only_a_local_path_is_gone_to(path: str, answer: str) -> None:
    assert local_path(path) == answer


def test_a_wrong_password_is_said_to_screen_readers_too_and_the_name_stays(client: TestClient) -> None:
    response = client.post("/sign-in", data={"name": NASTY, "password": "x"}, headers=SAME)
    assert response.status_code == 403
    assert alert(response).startswith("Wrong name or password.")
    assert NASTY not in response.text
    assert 'value="&lt;script&gt;alert(1)&lt;/script&gt;"' in response.text
    assert "set-cookie" not in response.headers


def test_a_refused_sign_in_is_logged_with_its_address_and_neither_name_nor_password(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    client.post("/sign-in", data={"name": "ann", "password": "wrong one"}, headers=SAME)
    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        "A sign-in from testclient was refused."
    ]


def test_too_many_failures_make_one_wait(client: TestClient) -> None:
    for _ in range(5):
        client.post("/sign-in", data={"name": "ann", "password": "x"}, headers=SAME)
    assert re.match(r"Too many failed sign-ins\. Try again in [45] seconds\.", alert(sign_in(client)))


def test_a_browser_of_the_account_gets_in_while_a_stranger_guesses_from_many_addresses(
    client: TestClient, path: Path
) -> None:
    signed_in = sign_in(client)
    known = next(cookie for cookie in signed_in.headers.get_list("set-cookie") if "annotator_known=" in cookie)
    assert {"HttpOnly", "SameSite=lax", "Path=/sign-in", "Max-Age=31536000"} <= set(known.split("; "))
    with open_store(path) as store, store.transaction():
        rows = [("ann", store.now())] * 100
        store.run_many("INSERT INTO sign_in_failures (name, at) VALUES (?, ?)", rows)
    client.cookies.delete("annotator_session")
    assert sign_in(client).status_code == 303
    client.cookies.clear()
    assert "Try again in 15 minutes" in alert(sign_in(client))


def test_whoever_is_signed_in_goes_on_from_the_form(client: TestClient) -> None:
    sign_in(client)
    assert client.get("/sign-in?next=/annotate").headers["location"] == "/annotate"


def test_signing_out_asks_first_and_ends_the_session_in_the_database(client: TestClient) -> None:
    sign_in(client)
    stolen = client.cookies["annotator_session"]
    assert "Signed in as <strong>ann</strong>." in client.get("/sign-out").text
    response = client.post("/sign-out", headers=SAME)
    assert response.headers["location"] == "/sign-in?signed-out"
    assert "annotator_session" not in client.cookies
    assert "You're signed out." in html.unescape(client.get("/sign-in?signed-out").text)
    client.cookies.set("annotator_session", stolen)
    assert client.get("/annotate", headers=PAGE).status_code == 303
    assert client.get("/sign-out").headers["location"] == "/sign-in"


def test_signing_in_anew_ends_the_session_before(client: TestClient) -> None:
    sign_in(client)
    first = client.cookies["annotator_session"]
    sign_in(client)
    client.cookies.clear()
    client.cookies.set("annotator_session", first)
    assert client.get("/annotate", headers=PAGE).status_code == 303


@pytest.mark.parametrize("address", ["/sign-in", "/sign-out", "/link/x"])
@pytest.mark.parametrize(
    "headers",
    [
        {},  # no browser sends neither
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},  # another program on this machine
        {"Sec-Fetch-Site": "cross-site", "Origin": HOST},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_from_elsewhere_is_refused(client: TestClient, address: str, headers: dict[str, str]) -> None:
    response = client.post(address, data={"name": "ann", "password": PASSWORD}, headers=headers)
    assert response.status_code == 403
    assert alert(response).startswith("This request came from elsewhere. Reload.")
    assert "set-cookie" not in response.headers


def test_a_proxy_that_does_not_hand_on_the_host_is_named(client: TestClient) -> None:
    through = {**SAME, "Origin": "https://annotate.example.org"}
    response = client.post("/sign-in", data={"name": "ann", "password": PASSWORD}, headers=through)
    assert response.status_code == 403
    assert "Let the proxy pass on the Host header, or start with --url (docs/deploy.md)." in alert(response)


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"name=" + b"x" * 40_000, "Your input is too long. Shorten it."),
        (b"&".join([b"a=b"] * 20), "The form has too many fields"),
    ],
)
def test_a_form_beyond_measure_is_refused(client: TestClient, body: bytes, sentence: str) -> None:
    response = client.post("/sign-in", content=body, headers=SAME)
    assert response.status_code == 422
    assert alert(response).startswith(sentence)


# --- links ---


def test_a_link_sets_a_password_and_signs_in_and_looking_does_not_use_it_up(path: Path, client: TestClient) -> None:
    with open_store(path) as store:
        link = f"/link/{accounts.reset_user(store, LOCAL_OPERATOR, 'ann')}"
    for _ in range(2):
        assert "Choose a password for <strong>ann</strong>" in client.get(link).text
    short = client.post(link, data={"password": "short"}, headers=SAME)
    assert (short.status_code, alert(short)) == (422, "Passwords need at least 10 characters.")
    response = client.post(link, data={"password": "another long password"}, headers=SAME)
    assert (response.status_code, response.headers["location"]) == (303, "/")
    assert client.get("/annotate", headers=PAGE).status_code == 200
    used = client.get(link)
    assert (used.status_code, alert(used)[:31]) == (403, "This link was used, replaced or")
    assert alert(client.post(link, data={"password": PASSWORD}, headers=SAME)).startswith(
        "This link was used, replaced or"
    )


def test_the_first_account_chooses_its_name(tmp_path: Path) -> None:
    with open_store(tmp_path / "fresh.db", create=True) as store:
        link = f"/link/{accounts.make_first_account_link(store)}"
    with client_of(tmp_path / "fresh.db") as client:
        assert "No account yet. Open the link printed at server start." in client.get("/sign-in").text
        refused = client.post(link, data={"name": " ", "password": PASSWORD}, headers=SAME)
        assert alert(refused) == "Names are one line of 1–100 visible characters."
        assert client.post(link, data={"name": NASTY, "password": PASSWORD}, headers=SAME).status_code == 303
        page = client.get("/sign-out").text
    assert NASTY not in page
    assert "&lt;script&gt;" in page


# --- the demonstration ---


def test_the_demonstration_signs_in_by_choosing_a_person(path: Path) -> None:
    with client_of(path, is_demonstration=True) as client:
        page = client.get("/sign-in").text
        assert 'name="name" value="ann"' in page
        assert "annotator</span>" in page
        assert client.post("/sign-in", data={"name": "ann"}, headers=SAME).status_code == 303
        assert 'value="ann"' in client.get("/sign-in").text  # one may change persons
        refused = client.post("/sign-in", data={"name": "nobody"}, headers=SAME)
        assert alert(refused).startswith("No person &#39;nobody&#39;.")


HOSTILE = """<img src=x onerror=alert(1)>"'&{{ 7 * 7 }}"""


@pytest.mark.parametrize(
    "page",
    [
        forms.sign_in_page(name=HOSTILE, next_path=f"/{HOSTILE}", error=HOSTILE, notice=HOSTILE),
        forms.choose_page([accounts.ListedUser(User(1, HOSTILE), ())], next_path=f"/{HOSTILE}", error=HOSTILE),
        forms.link_page(user_name=HOSTILE, name=HOSTILE, error=HOSTILE, action=f"/link/{HOSTILE}"),
        forms.link_page(user_name=None, name=HOSTILE, error=HOSTILE, action=f"/link/{HOSTILE}"),
        forms.sign_out_page(HOSTILE),
        forms.message_page(HOSTILE, HOSTILE, 403),
        forms.nowhere_page(f"/{HOSTILE}", []),
    ],
    ids=["sign in", "choose", "link", "first account", "sign out", "message", "nowhere"],
)
def test_what_people_typed_stands_in_a_page_as_text_and_means_nothing(page: HTMLResponse) -> None:
    body = bytes(page.body).decode()
    assert "<img" not in body
    assert "49" not in body
    assert "onerror=alert(1)>" not in body
    assert HOSTILE in html.unescape(body)


def test_no_request_makes_a_server_a_demonstration(client: TestClient) -> None:
    response = client.post("/sign-in?is_demonstration=1", data={"name": "ann", "is_demonstration": "1"}, headers=SAME)
    assert response.status_code == 403


def test_the_demonstration_answers_to_its_own_name_only(path: Path) -> None:
    with client_of(path, is_demonstration=True) as client:
        answer = client.get("/sign-in", headers={"Host": "rebound.example:8501"})
    assert (answer.status_code, answer.text) == (421, "The demonstration answers on this machine only.")


# --- the gate, and what routes share ---


def test_pages_and_files_need_a_session_and_the_rest_does_not(client: TestClient) -> None:
    assert client.get("/", headers=PAGE).headers["location"] == "/sign-in"
    assert client.get("/media/a.csv").json() == {"error": "You're signed out. Sign in again."}
    assert client.get("/_stcore/upload_file/a/b").status_code == 401
    for address in (
        "/sign-in",
        "/health",
        "/panel/x/annotate/main.js",
        "/favicon.png",
        "/static/x.js",
        "/_stcore/health",
    ):
        assert client.get(address, headers=PAGE).status_code == 200, address


@pytest.mark.parametrize(
    "address", ["/auth/login", "/auth/logout", "/oauth2callback?state=x", "/_stcore/agent/interact"]
)
def test_what_streamlit_has_and_we_do_not_use_is_not_there(client: TestClient, address: str) -> None:
    sign_in(client)
    for method in ("GET", "POST"):
        answer = client.request(method, address)
        assert (answer.status_code, answer.text) == (404, "There is nothing here.")


@pytest.mark.parametrize("address", ["/nothing", "/project/5", "/annotate/", "/entry", "/<script>alert(1)</script>"])
def test_an_address_without_a_page_says_so_and_offers_the_pages_of_the_person(client: TestClient, address: str) -> None:
    sign_in(client)
    answer = client.get(address, headers=PAGE)
    assert answer.status_code == 404
    assert html.unescape(alert(answer)) == f"Nothing found at {address}."
    assert re.findall(r'<a href="([^"]*)">', answer.text) == ["/start", "/annotate", "/perturb"]
    assert "<script>" not in answer.text


def test_whoever_is_not_signed_in_is_not_told_which_pages_there_are(client: TestClient) -> None:
    assert client.get("/nothing", headers=PAGE).headers["location"] == "/sign-in?next=%2Fnothing"


def test_an_annotator_begins_where_texts_are_and_never_in_a_project_that_they_only_review(
    path: Path, client: TestClient
) -> None:
    sign_in(client)
    with open_store(path) as store:
        ann = get_user(store, "ann")
        with store.transaction():
            made = {
                name: add_project(store, name, get_task("sentiment"), labels=["no", "yes"]).id
                for name in ("Q reviewed", "R annotated")
            }
            add_role(store, made["Q reviewed"], ann, "reviewer")
            add_role(store, made["R annotated"], ann, "annotator")
        assert client.get("/", headers=PAGE).headers["location"] == "/annotate"  # nothing waits anywhere
        for name in made:
            text = path.parent / f"{name}.csv"
            text.write_text("id,text,label\n1,A text.,yes\n", encoding="utf-8")
            import_file(store, LOCAL_OPERATOR, find_project(store, name), "csv", text, ImportOptions())
    assert client.get("/", headers=PAGE).headers["location"] == f"/annotate?project={made['R annotated']}"


def test_the_start_leads_to_the_first_page_of_the_person(path: Path, client: TestClient) -> None:
    sign_in(client)
    assert client.get("/?project=1", headers=PAGE).headers["location"] == "/annotate?project=1"
    with open_store(path) as store:
        admin = accounts.add_user(store, LOCAL_OPERATOR, "admin", "administrator").link_token
    client.post(f"/link/{admin}", data={"password": PASSWORD}, headers=SAME)
    assert client.get("/", headers=PAGE).headers["location"] == "/start"


def test_every_answer_says_what_a_browser_may_do_with_it(client: TestClient) -> None:
    for address in ("/sign-in", "/health", "/annotate"):
        headers = client.get(address).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "frame-ancestors 'self'" in headers["content-security-policy"]
        assert "http" not in headers["content-security-policy"]


@pytest.mark.parametrize("address", ["/sign-in", "/annotate"])
def test_a_page_that_another_site_opens_is_cut_off_from_it(client: TestClient, address: str) -> None:
    """Also a browser's that does not say where it comes from."""
    came_from = {site: {} if site is None else {"Sec-Fetch-Site": site} for site in (None, "cross-site", "same-site")}
    for site, headers in (*came_from.items(), ("none", {"Sec-Fetch-Site": "none"}), ("same-origin", SAME)):
        answer = client.get(address, headers=headers, follow_redirects=False)
        is_cut = answer.headers.get("cross-origin-opener-policy") == "same-origin"
        assert is_cut == (site in came_from), site


def test_a_message_needs_the_sessions_token_and_the_same_origin(path: Path, client: TestClient) -> None:
    sign_in(client)
    with open_store(path) as store:
        csrf = accounts.session_of(store, client.cookies["annotator_session"]).csrf
    assert client.post("/guarded", headers={"X-CSRF-Token": csrf, **SAME}).text == "ann"
    for headers in (
        {},
        {"X-CSRF-Token": "ä".encode()},
        {"X-CSRF-Token": csrf, "Origin": "https://elsewhere.example"},
        {"X-CSRF-Token": csrf, "Sec-Fetch-Site": "cross-site"},
    ):
        answer = client.post("/guarded", headers=headers)
        assert answer.status_code == 403
        assert answer.json()["error"].startswith("This request came from elsewhere. Reload.")
    earlier = client.post("/guarded", headers={"X-CSRF-Token": "of an earlier sign-in", **SAME})
    assert earlier.status_code == 401
    client.cookies.clear()
    assert client.post("/guarded", headers={"X-CSRF-Token": csrf, **SAME}).status_code == 401


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotSignedIn("a"), 401),
        (NotAllowed("a"), 403),
        (NotFound("a"), 404),
        (StaleDraft("a"), 409),
        (Conflict("a"), 409),
        (LeaseLost("a"), 410),
        (InvalidValue("a"), 422),
        (StoreError("a"), 503),
        (ExportRefused("a"), 400),
    ],
)
def test_a_refusal_has_its_status(error: AnnotatorError, status: int) -> None:
    response = error_response(error)
    assert (response.status_code, response.body) == (status, b'{"error":"a"}')


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("/srv/data/annotator.db", "'annotator.db' is busy."),
        ("/srv/o'brien/annotator.db", "'annotator.db' is busy."),
        ("C:\\data\\annotator.db", "'annotator.db' is busy."),
        ("annotator.db", "'annotator.db' is busy."),
    ],
)
def test_trouble_with_the_database_is_said_without_its_place(place: str, said: str) -> None:
    assert said_of(StoreError(f"'{place}' is busy.")) == said
    assert said_of(InvalidValue("'/api/x' is no model.")) == "'/api/x' is no model."


def test_a_refused_annotation_says_which_set_is_meant() -> None:
    response = error_response(InvalidAnnotation("a", set_index=1, is_warning=True))
    assert (response.status_code, response.body) == (422, b'{"error":"a","set":1,"warning":true}')


def test_health_tells_its_version_to_administrators_alone(path: Path, client: TestClient) -> None:
    assert client.get("/health").json() == {"status": "ok"}
    sign_in(client)
    assert client.get("/health").json() == {"status": "ok"}
    with open_store(path) as store:
        link = accounts.add_user(store, LOCAL_OPERATOR, "admin", "administrator").link_token
    client.post(f"/link/{link}", data={"password": PASSWORD}, headers=SAME)
    assert client.get("/health").json() == {"status": "ok", "version": __version__}


def test_that_the_database_cannot_be_read_is_said_to_all_and_where_it_lies_only_in_the_log(
    path: Path, client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    assert client.get("/health").status_code == 200
    path.rename(path.with_suffix(".away"))
    answer = client.get("/health")
    assert (answer.status_code, answer.json()) == (503, {"status": "failing"})
    assert f"There is no database at '{path}'" in caplog.text
    close_kept_store()
    for address, headers in (("/sign-in", {}), ("/annotate", PAGE), ("/link/x", {}), ("/api/panel/next?project=1", {})):
        said = client.get(address, headers=headers)
        assert (said.status_code, str(path.parent) in said.text) == (503, False), address
        assert "There is no database at 'annotator.db'." in html.unescape(said.text)


def test_another_database_in_the_place_of_the_one_that_the_server_has_open_is_refused(
    path: Path, client: TestClient
) -> None:
    with open_store(path):  # as the server has it
        sign_in(client)
        assert client.get("/annotate", headers=PAGE).status_code == 200
        with open_store(path.with_name("other.db"), create=True):
            pass
        for file in path.parent.glob("annotator.db*"):
            file.unlink()
        path.with_name("other.db").rename(path)
        answer = client.get("/annotate", headers=PAGE)
        assert (answer.status_code, "was removed or replaced by another file" in answer.text) == (503, True)


@pytest.mark.parametrize(
    ("address", "status", "caching"),
    [
        (f"/panel/{panel_version()}/annotate/main.js", 200, "public, max-age=31536000, immutable"),
        ("/panel/older/annotate/main.js", 200, "no-cache"),  # a tab that was open while the program was renewed
        ("/panel/older/shared/panel.css", 200, "no-cache"),
        ("/panel/x/shared/nothing.js", 404, None),
        ("/panel/x/main.js", 404, None),
        ("/panel/x/shared/..%2f..%2fserver.py", 404, None),
        ("/panel/x/..%2fserver.py", 404, None),
        ("/panel/x/%2e%2e%2fsign_in_pages/forms.css", 404, None),
        ("/panel/%2e%2e/sign_in_pages/forms.css", 404, None),
        ("/panel/x/shared/.hidden.js", 404, None),
        ("/panel/x/panel.py", 404, None),
    ],
)
def test_files_of_the_panel_are_served_and_no_others(
    client: TestClient, address: str, status: int, caching: str | None
) -> None:
    response = client.get(address)
    assert response.status_code == status
    assert response.headers.get("cache-control") == caching
    if status == 200:
        kind = "text/css" if ".css" in address else "text/javascript"
        assert response.headers["content-type"].startswith(kind)


def test_the_sign_in_page_is_in_the_language_of_the_browser(client: TestClient) -> None:
    page = client.get("/sign-in", headers=PAGE | {"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"}).text
    assert '<html lang="zh">' in page
    assert "登录" in page
    assert "Sign in" not in page
    assert "Sign in" in client.get("/sign-in", headers=PAGE | {"Accept-Language": "fr,en;q=0.5"}).text


def test_where_there_is_nothing_the_pages_are_named_in_the_language_of_who_came() -> None:
    with speaking("zh"):
        body = bytes(forms.nowhere_page("/lost", PAGES).body).decode()
    assert all(name in body for name in ("首页", "标注", "导出"))
    assert not any(page.title in body for page in PAGES)


def test_a_language_that_somebody_chose_stands_before_that_of_their_browser(client: TestClient, path: Path) -> None:
    sign_in(client)
    with open_store(path) as store:
        user = accounts.session_of(store, client.cookies["annotator_session"]).user
        accounts.choose_language(store, user, "zh")
    assert "返回工作" in client.get("/sign-out", headers=PAGE | {"Accept-Language": "en"}).text
    with open_store(path) as store:
        accounts.choose_language(store, user, None)
    assert "Back to work" in client.get("/sign-out", headers=PAGE | {"Accept-Language": "en"}).text


def test_names_stand_out_in_translated_sentences_and_stay_text(client: TestClient, path: Path) -> None:
    with open_store(path) as store:
        link = accounts.add_user(store, LOCAL_OPERATOR, NASTY, "annotator").link_token
    page = client.get(f"/link/{link}", headers=PAGE | {"Accept-Language": "zh"}).text
    assert f"<strong>{html.escape(NASTY)}</strong>" in page
    assert NASTY not in page
