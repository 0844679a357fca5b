"""The links for crowd workers: what they may reach, what others' names and sets they never see, and who is turned away."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.project.qualification import QualificationRules
from annotator.errors import AnnotatorError
from annotator.usecases.access.accounts import session_of
from annotator.usecases.annotate.work import next_work, submit
from annotator.usecases.crowd import visits
from annotator.usecases.crowd.recruitment_links import change_recruitment_link, links_of, set_link_state
from annotator.usecases.qualification.items import pick, set_rules
from annotator.web import middleware as crowd_gate
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes, crowd
from annotator.web.routes import crowd as crowd_limits
from annotator.web.routes.access import COOKIE, CROWD_COOKIE, WORKER_PATHS, ServerOptions, error_response
from tests.usecases.crowd.crowd_work import MARKED, open_recruitment_link

HOST = "http://127.0.0.1:8501"
SAME = {"Origin": HOST}
PAGE = {"Accept": "text/html"}
PLATFORM_ID = "5f1a2b3c4d5e6f7a8b9c0d1e"

# What a worker gets from each route of ours: a new route has to be given a row, or the test fails.
# "work": theirs; "refused": 403; "open": what any stranger gets too, and nobody's data; "token": asks for a token, not a cookie.
OF_WORKERS: dict[str, str] = {
    "/": "work", "/annotate": "work", "/sign-out": "work",
    "/api/panel/next": "work", "/api/panel/original": "work", "/api/panel/seen": "work", "/api/panel/proposed": "work",
    "/api/panel/draft": "work", "/api/panel/submit": "work", "/api/panel/skip": "work", "/api/panel/discard": "work",
    "/api/panel/withdraw": "work", "/api/panel/back": "work", "/api/guidelines/read": "work",
    "/api/training/next": "work", "/api/training/seen": "work", "/api/training/draft": "work", "/api/training/submit": "work",
    "/health": "open", "/health/metrics": "open", "/sign-in": "open", "/sign-in/with": "open", "/sign-in/back": "open",
    "/window/{secret}": "open", "/link/{token}": "open", "/crowd/end": "open", "/crowd/{token}": "open",
    "/panel/{version}/{file:path}": "open", "/favicon.png": "open", "/favicon.ico": "open",
    "/api/palette": "refused", "/api/panel/mine": "refused", "/api/training/skip": "refused", "/api/training/discard": "refused",
    "/account": "refused", "/account/language": "refused", "/start": "refused", "/account/password": "refused", "/account/leave": "refused", "/account/data": "refused",
    "/api/review/next": "refused", "/api/review/mine": "refused", "/api/review/save": "refused",
    "/api/review/submit": "refused", "/api/review/skip": "refused",
    "/review": "refused", "/perturb": "refused", "/saliency": "refused", "/metrics": "refused", "/tests": "refused",
    "/project": "refused", "/export": "refused",
}  # fmt: skip


def _unhurried() -> crowd_limits.Limits:
    """As the server's, but nobody waits for a turn."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(crowd_limits, "_A_SECOND", dict.fromkeys(crowd_limits._A_SECOND, 1e6))
        return crowd_limits.Limits()


@pytest.fixture(autouse=True)
def _empty_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crowd_limits, "LIMITS", _unhurried())
    monkeypatch.setattr(crowd_limits, "PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(crowd_limits, "LINKS", crowd_limits.KnownLinks())


@pytest.fixture
def path(store, project, annotator) -> Path:
    """A project of four texts, of which somebody else has done one."""
    work = next_work(store, annotator, project.id).work
    submit(store, annotator, work.assignment.id, 0, MARKED, is_confirmed=True)
    return store.path


@pytest.fixture
def client(path: Path) -> Iterator[TestClient]:
    async def refuse(_, error):
        return error_response(error)

    app = Starlette(
        routes=all_routes(), middleware=web_middleware(ServerOptions(path)), exception_handlers={AnnotatorError: refuse}
    )
    with TestClient(app, base_url=HOST, follow_redirects=False) as opened:
        yield opened


@pytest.fixture
def link(store, project, path):
    return open_recruitment_link(store, project, introduction="Mark the words.\n\nWe keep your marks.")


def come_in(client: TestClient, link, platform_id: str = PLATFORM_ID):
    response = client.post(f"/crowd/{link.token}", data={"platform_id": platform_id}, headers=SAME)
    assert response.status_code == 303, response.text
    return response


def csrf_of(store, token: str) -> str:
    return session_of(store, token).csrf


def test_the_link_shows_what_the_work_is_and_writes_nothing(client, store, link):
    before = store.value("SELECT count(*) FROM events")
    page = client.get(f"/crowd/{link.token}?PROLIFIC_PID={PLATFORM_ID}&STUDY_ID=s")
    assert page.status_code == 200
    assert "Mark the words." in page.text
    assert "2 texts" in page.text
    assert f'value="{PLATFORM_ID}"' in page.text
    assert store.value("SELECT count(*) FROM events") == before
    assert store.value("SELECT count(*) FROM crowd_workers") == 0


def test_the_page_before_one_agrees_names_the_training_that_comes_first(client, link, store, project):
    address = f"/crowd/{link.token}"
    assert "training" not in client.get(address).text
    done = store.value("SELECT instance_id FROM annotations ORDER BY id")
    crowd_limits.LINKS = crowd_limits.KnownLinks()
    pick(store, LOCAL_OPERATOR, project, "annotators", [done])
    rules = QualificationRules(is_on=True, texts=5, tries=3)
    set_rules(store, LOCAL_OPERATOR, project.id, "annotators", rules, based_on=0)
    page = client.get(address).text
    assert "First pass an extra training (<strong>1 training text</strong>, <strong>3 attempts</strong>);" in page
    refused = client.post(address, data={}, headers=SAME)
    assert "otherwise no texts and no code." in refused.text, "also where the id was missing"
    crowd_limits.LINKS = crowd_limits.KnownLinks()
    page = client.get(address, headers={"Accept-Language": "zh-CN"}).text
    assert "须先通过额外的培训（<strong>1 篇培训文本</strong>" in page


def test_without_the_platforms_parameter_the_page_asks_for_the_id(client, link):
    for query in ("", "?PROLIFIC_PID=", "?PROLIFIC_PID={{%25PROLIFIC_PID%25}}"):
        assert 'id="platform_id" name="platform_id" required' in client.get(f"/crowd/{link.token}{query}").text
    refused = client.post(f"/crowd/{link.token}", data={}, headers=SAME)
    assert refused.status_code == 422
    assert "Missing ID. Enter it, or open this link from the platform." in refused.text


def test_a_preview_on_mturk_begins_nothing(client, link):
    page = client.get(f"/crowd/{link.token}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&workerId=W")
    assert page.status_code == 422
    assert "This is a preview. Accept the task first." in page.text
    assert "<form" not in page.text


def test_another_sites_page_cannot_make_a_browser_come_in(client, store, link):
    response = client.post(
        f"/crowd/{link.token}", data={"platform_id": "x"}, headers={"Origin": "https://elsewhere.example"}
    )
    assert response.status_code == 403
    assert store.value("SELECT count(*) FROM crowd_workers") == 0


def test_a_worker_comes_in_works_and_ends_with_a_code(client, store, project, link):
    change_recruitment_link(
        store, LOCAL_OPERATOR, link.id, _with(link.rules, return_address="https://example.org/done?c={code}")
    )
    response = come_in(client, link)
    assert response.headers["location"] == f"/annotate?project={project.id}"
    assert all("HttpOnly" in cookie for cookie in response.headers.get_list("set-cookie"))
    headers = {"X-CSRF-Token": csrf_of(store, client.cookies[COOKIE]), **SAME}
    for done in range(2):
        answer = client.get(f"/api/panel/next?project={project.id}", headers=headers).json()
        assert (answer["counts"]["done"], answer["counts"]["quota"]) == (done, 2)
        body = {
            "assignment": answer["work"]["assignment"],
            "revision": 0,
            "draft": {"sets": [[[0, 2]]]},
            "confirmed": True,
        }
        assert client.post("/api/panel/submit", content=json.dumps(body), headers=headers).status_code == 200
    end = client.get("/crowd/end")
    (view,) = links_of(store, LOCAL_OPERATOR, project.id)
    code = store.value("SELECT code FROM crowd_workers")
    assert view.finished == 1
    assert code in end.text
    assert f'href="https://example.org/done?c={code}"' in end.text
    assert client.get(f"/api/panel/next?project={project.id}", headers=headers).status_code == 401
    gone = client.get("/annotate", headers=PAGE)
    assert (gone.status_code, gone.headers["location"]) == (303, "/crowd/end")


def _with(rules, **changes):
    return replace(rules, **changes)


def test_a_worker_who_comes_again_after_the_end_sees_their_code_and_gets_no_session(client, store, project, link):
    come_in(client, link)
    client.post("/crowd/end", headers=SAME)
    client.cookies.clear()
    again = client.post(f"/crowd/{link.token}", data={"platform_id": PLATFORM_ID}, headers=SAME)
    assert again.status_code == 200
    assert "You have stopped" in again.text
    assert "set-cookie" not in again.headers


def test_the_end_page_of_a_strange_browser_says_nothing_of_anybody(client, link):
    come_in(client, link)
    client.cookies.clear()
    for cookie in ("", "made up"):
        client.cookies.set(CROWD_COOKIE, cookie)
        page = client.get("/crowd/end")
        assert page.status_code == 404
        assert "worker" not in re.sub(r"<style>.*</style>", "", page.text, flags=re.DOTALL)


@pytest.mark.parametrize(
    ("state", "status", "said"),
    [
        ("paused", 503, "No work at the moment. Please try this link later."),
        ("closed", 409, "This link is closed. Please return the task on your platform."),
    ],
)
def test_a_link_that_is_not_open_says_so_plainly(client, store, link, state, status, said):
    set_link_state(store, LOCAL_OPERATOR, link.id, state)
    page = client.get(f"/crowd/{link.token}")
    assert page.status_code == status
    assert ("Retry-After" in page.headers) == (status == 503)
    assert said in page.text
    posted = client.post(f"/crowd/{link.token}", data={"platform_id": "new"}, headers=SAME)
    assert posted.status_code == status


def test_who_does_not_fit_comes_later_and_who_has_begun_goes_on(client, store, link):
    change_recruitment_link(store, LOCAL_OPERATOR, link.id, _with(link.rules, at_once=1))
    come_in(client, link, "first")
    client.cookies.clear()
    page = client.get(f"/crowd/{link.token}?PROLIFIC_PID=second")
    assert page.status_code == 503
    assert page.headers["Retry-After"] == "60"
    assert client.post(f"/crowd/{link.token}", data={"platform_id": "second"}, headers=SAME).status_code == 503
    come_in(client, link, "first")
    assert store.value("SELECT count(*) FROM crowd_workers") == 1


class _NoTurns:
    def take(self) -> float:
        return 0.0


def test_one_address_gets_a_rate_of_its_own(client, link, monkeypatch):
    monkeypatch.setattr(crowd_limits, "LIMITS", crowd_limits.Limits(lambda: 0.0))
    monkeypatch.setattr(crowd_limits.LIMITS, "_pages", dict.fromkeys(crowd_limits._A_SECOND, _NoTurns()))
    statuses = [client.get(f"/crowd/{link.token}").status_code for _ in range(245)]
    assert statuses == [200] * 240 + [503] * 5


def test_the_rate_fills_up_again_with_time_and_forgets_old_addresses(monkeypatch):
    monkeypatch.setattr(crowd_limits, "_MOST_ADDRESSES", 2)
    now = [0.0]
    rate = crowd_limits.Rate(60, 1, lambda: now[0])

    def taken(address: str) -> bool:
        try:
            rate.take(address)
        except crowd_limits.TooBusy:
            return False
        return True

    assert [taken("a") for _ in range(61)].count(True) == 60
    assert taken("b")
    now[0] = 5.0
    assert [taken("a") for _ in range(6)].count(True) == 5
    assert taken("c")
    assert len(rate._buckets) == 2


def test_who_is_turned_away_again_and_again_does_not_keep_the_others_out():
    now = [0.0]
    turns = crowd_limits.Turns(10, 3, lambda: now[0])
    n_taken = 0
    for _ in range(1000):  # in ten seconds
        now[0] += 0.01
        try:
            turns.take()
        except crowd_limits.TooBusy:
            continue
        n_taken += 1
    assert 130 <= n_taken <= 131  # ten a second, and those who wait for three at the end


def test_who_come_at_once_get_one_turn_after_the_other_and_who_comes_alone_does_not_wait():
    now = [0.0]
    turns = crowd_limits.Turns(10, 3, lambda: now[0])
    assert [round(turns.take(), 3) for _ in range(4)] == [0.0, 0.1, 0.2, 0.3]
    now[0] = 60.0
    assert turns.take() == 0.0


def test_a_rush_is_turned_away_before_a_route_with_a_page_in_the_language_of_who_came(client, link, monkeypatch):
    monkeypatch.setattr(crowd_limits, "LIMITS", crowd_limits.Limits(lambda: 0.0))
    for turns in crowd_limits.LIMITS._pages.values():
        turns._longest_wait = -1.0
    monkeypatch.setattr(crowd, "show_recruitment", None)
    pages = [client.get(f"/crowd/{link.token}", headers={"Accept-Language": name}) for name in ("zh-CN", "en", "zh")]
    assert [page.status_code for page in pages] == [503] * 3
    assert [re.search('lang="(..)', page.text)[1] for page in pages] == ["zh", "en", "zh"]
    assert {page.headers["Retry-After"] for page in pages} == {"60"}
    assert "default-src 'none'" in pages[0].headers["Content-Security-Policy"]
    assert pages[0].headers["X-Content-Type-Options"] == "nosniff"


def test_why_nobody_comes_in_is_said_to_each_in_their_own_language(client, store, link):
    set_link_state(store, LOCAL_OPERATOR, link.id, "closed")
    pages = [client.get(f"/crowd/{link.token}", headers={"Accept-Language": name}).text for name in ("zh-CN", "en")]
    assert re.search("[\u4e00-\u9fff]", pages[0])
    assert not re.search("[\u4e00-\u9fff]", pages[1]), (
        "what was kept of a moment ago is in the language of somebody else"
    )


def test_while_a_link_is_looked_up_anew_the_others_take_what_was_known(link):
    now = [0.0]
    links = crowd_limits.KnownLinks(lambda: now[0])
    links.keep("token", link)
    now[0] = 60.0
    with links.looking_up("token"):
        assert links.answer("token") is link
    assert links.answer("token") is None


def test_a_rush_from_many_addresses_is_turned_away_and_whoever_ends_a_visit_is_not():
    now = [0.0]
    limits = crowd_limits.Limits(lambda: now[0])

    def taken(number: int, page: str) -> bool:
        try:
            limits.take(f"10.0.{number >> 8}.{number & 255}", page)
        except crowd_limits.TooBusy:
            return False
        return True

    # One at once, fifteen or six a second, and nobody who would wait for more than five or nine seconds.
    assert sum(taken(number, "link") for number in range(5000)) in {75, 76}
    assert sum(taken(number, "begin") for number in range(5000)) in {54, 55}
    assert taken(6000, "end")
    now[0] = 1.0
    assert sum(taken(number, "link") for number in range(5000)) in {15, 16}


@pytest.mark.parametrize("rules", [{"most_workers": 40}, {"most_workers": 100, "at_once": 40}])
def test_fifty_who_come_in_one_moment_to_forty_places_all_get_one_or_read_that_it_is_full(
    client, store, project, import_rows, rules, monkeypatch
):
    import_rows(project, [{"id": f"more {n}", "text": f"Text {n} was good.", "label": "positive"} for n in range(100)])
    link = open_recruitment_link(store, project, **rules)
    monkeypatch.setattr(crowd_limits, "LIMITS", crowd_limits.Limits(lambda: 0.0))  # no second passes: all at once
    waits: list[float] = []
    yields = asyncio.sleep

    async def note_wait(seconds: float) -> None:
        waits.append(seconds)
        await yields(0)

    async def come(http: httpx.AsyncClient, number: int) -> httpx.Response:
        page = await http.get(f"/crowd/{link.token}")
        assert page.status_code == 200
        data = {"platform_id": f"worker {number}"}
        return await http.post(f"/crowd/{link.token}", data=data, headers=SAME | {"Accept-Language": "en"})

    async def come_all() -> list[httpx.Response]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(client.app), base_url=HOST) as http:
            return await asyncio.gather(*(come(http, number) for number in range(50)))

    monkeypatch.setattr(crowd_gate.asyncio, "sleep", note_wait)
    answers = asyncio.run(come_all())
    full = [answer for answer in answers if "All places are taken. Please try this link later." in answer.text]
    assert Counter(answer.status_code for answer in answers) == {303: 40, 503: 10}
    assert len(full) == 10
    assert store.value("SELECT count(*) FROM crowd_workers") == 40
    assert max(waits) < 10
    assert crowd_limits._MOST_WAITING > 50


def test_looking_at_a_link_again_and_again_asks_the_database_once(client, link, monkeypatch):
    n_asked = []
    real = visits.link_of
    monkeypatch.setattr(visits, "link_of", lambda *given: n_asked.append(1) or real(*given))
    for _ in range(20):
        client.get(f"/crowd/{link.token}")
    assert len(n_asked) == 1


# --- what a worker may reach ---


def rows_of_routes() -> list[tuple[str, str]]:
    return [(route.path, method) for route in all_routes() for method in sorted(route.methods - {"HEAD"})]


def kind_of(path: str) -> str:
    if path in OF_WORKERS:
        return OF_WORKERS[path]
    return next((kind for begin, kind in OF_WHOLE_ROOMS.items() if path.startswith(begin)), "no row")


OF_WHOLE_ROOMS = {
    "/api/talk/": "refused", "/api/perturb/": "refused", "/api/training/review/": "refused", "/api/saliency/": "refused", "/api/lists/": "refused",
    "/api/preview": "refused", "/api/projects/": "token",
}  # fmt: skip


def test_no_row_is_of_a_route_that_is_gone():
    assert set(OF_WORKERS) <= {path for path, _ in rows_of_routes()}


@pytest.mark.parametrize(("path_of_route", "method"), rows_of_routes())
def test_every_route_gives_a_worker_what_its_row_says(client, store, project, link, path_of_route, method):
    kind = kind_of(path_of_route)
    assert kind != "no row", (
        f"{method} {path_of_route}: say in OF_WORKERS what a worker of a recruitment link gets here"
    )
    assert (path_of_route in WORKER_PATHS) == (kind == "work")
    come_in(client, link)
    headers = {"X-CSRF-Token": csrf_of(store, client.cookies[COOKIE]), **SAME, **(PAGE if method == "GET" else {})}
    address = re.sub(r"\{.*?\}", "1", path_of_route)
    query = "" if kind == "token" else f"?project={project.id}"
    response = client.request(method, address + query, headers=headers, content="{}")
    if kind == "refused":
        assert response.status_code == 403, response.text[:200]
        assert "Not part of your task. Return to the text." in response.text
    elif kind == "token":
        assert response.status_code == 401
    else:
        assert "Not part of your task. Return to the text." not in response.text
    assert "annotator-a" not in response.text


def test_pages_and_files_that_are_no_route_of_ours_are_refused_too(client, link):
    come_in(client, link)
    for address in ("/media/x.png", "/_stcore/upload_file/a/b", "/_stcore/metrics", "/nowhere", "/component/x"):
        assert client.get(address, headers=PAGE).status_code == 403, address


def test_no_byte_that_a_worker_gets_has_anothers_name_or_sets(client, store, project, annotator, link):
    """Somebody's correction that was given up would begin with their sets: no worker is given it."""
    store.run("BEGIN")
    store.run(
        "UPDATE assignments SET state = 'expired', round = 2, follows_id = (SELECT id FROM annotations)"
        " WHERE user_id = ? AND state = 'submitted'",
        (annotator.id,),
    )
    store.run("UPDATE instances SET open_slots = 1, state = 'open'")
    store.run("COMMIT")
    change_recruitment_link(store, LOCAL_OPERATOR, link.id, _with(link.rules, quota=50))
    come_in(client, link)
    headers = {"X-CSRF-Token": csrf_of(store, client.cookies[COOKIE]), **SAME}
    begun = store.value("SELECT instance_id FROM annotations WHERE user_id = ?", (annotator.id,))
    shown = []
    while (work := client.get(f"/api/panel/next?project={project.id}", headers=headers).json()["work"]) is not None:
        shown.append(work["instance"]["id"])
        assert work["draft"]["sets"] == []
        body = {"assignment": work["assignment"], "revision": 0, "draft": {"sets": [[[0, 2]]]}, "confirmed": True}
        answer = client.post("/api/panel/submit", content=json.dumps(body), headers=headers)
        assert annotator.name not in answer.text
    assert len(shown) == 3
    assert begun not in shown
    asked = client.get(f"/api/panel/next?project={project.id}&instance={begun}", headers=headers)
    assert asked.status_code == 403


def test_a_worker_sees_nothing_of_other_projects(client, store, make_project, link):
    other = make_project(name="Other")
    come_in(client, link)
    headers = {"X-CSRF-Token": csrf_of(store, client.cookies[COOKIE]), **SAME}
    assert client.get(f"/api/panel/next?project={other.id}", headers=headers).status_code == 404
