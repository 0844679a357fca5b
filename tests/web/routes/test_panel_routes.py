"""The panel's messages (docs/panel.md): what they answer, and how each refusal looks."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotator.domain.models import Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.store.people import end_sessions_of
from annotator.usecases.access import accounts
from annotator.usecases.annotate import work
from annotator.usecases.models import preview_models
from annotator.usecases.models.built_in_model import built_in_model
from annotator.usecases.project.ends import archive, bring_back, delete
from annotator.usecases.project.projects import change_project
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes
from annotator.web.routes.access import COOKIE, ServerOptions, close_kept_store

HOST = "http://127.0.0.1:8501"
DRAFT = {"result": None, "sets": [[[0, 2]], [[3, 4], [6, 7]]], "note": "", "no_rationale": False}


class Panel:
    """A browser's panel: the cookie and the token of somebody who is signed in."""

    def __init__(self, client: TestClient, token: str, csrf: str, prefix: str = "panel") -> None:
        self.client = client
        self.prefix = prefix
        self.client.cookies.set(COOKIE, token)
        self.headers = {"X-CSRF-Token": csrf, "Origin": HOST, "Sec-Fetch-Site": "same-origin"}

    def get(self, path: str) -> Any:
        return self.client.get(f"/api/{self.prefix}/{path}", headers=self.headers)

    def post(self, path: str, **body: object) -> Any:
        return self.client.post(f"/api/{self.prefix}/{path}", json=body, headers=self.headers)


@pytest.fixture
def panel(database: Path, store: Store, project: Project, annotator: User) -> Iterator[Panel]:
    token = accounts.sign_in_as(store, annotator.name, is_demonstration=True)
    csrf = accounts.session_of(store, token).csrf
    app = Starlette(routes=all_routes(), middleware=web_middleware(ServerOptions(database)))
    with TestClient(app, base_url=HOST) as client:
        yield Panel(client, token, csrf)
    close_kept_store()


def test_next_gives_the_work_the_one_ahead_the_rules_and_the_counts(panel: Panel, project: Project) -> None:
    response = panel.get(f"next?project={project.id}")
    assert response.headers["content-encoding"] == "gzip"  # to another machine
    answer = response.json()
    assert [answer[name]["instance"]["key"] for name in ("work", "ahead")] == ["t1", "t2"]
    assert answer["counts"] == {"returned": 0, "open": 2, "waiting": 2, "submitted": 0, "skipped": 0}
    assert answer["project"]["labels"] == ["negative", "positive"]
    assert answer["work"]["result"] == {"kind": "label", "mode": "contest", "given": "negative"}
    segment = answer["work"]["instance"]["segments"][0]
    assert segment["text"][segment["starts"][1] : segment["ends"][1]] == "staff"


def test_offsets_are_utf_16_units(
    panel: Panel,
    import_rows: Callable[..., object],
    make_project: Callable[..., Project],
    add_person: Callable[..., User],
    store: Store,
) -> None:
    project = make_project(name="Emoji")
    import_rows(project, [{"id": "e", "text": "😀 good", "label": "positive"}])
    with store.transaction():
        store.run(
            "INSERT INTO memberships (project_id, user_id, role) VALUES (?, (SELECT id FROM users WHERE name = 'annotator-a'), 'annotator')",
            (project.id,),
        )
    segment = panel.get(f"next?project={project.id}").json()["work"]["instance"]["segments"][0]
    assert (segment["starts"], segment["ends"]) == ([0, 3], [2, 7])


def test_a_draft_answers_its_new_revision_and_a_stale_one_what_is_stored(panel: Panel, project: Project) -> None:
    work = panel.get(f"next?project={project.id}").json()["work"]
    assert panel.post("draft", assignment=work["assignment"], revision=0, draft=DRAFT).json() == {"revision": 1}
    stale = panel.post("draft", assignment=work["assignment"], revision=0, draft={**DRAFT, "sets": []})
    assert stale.status_code == 409
    assert "Changed in another tab. Keep this version, or use that one." in stale.json()["error"]
    assert stale.json()["work"]["draft"]["sets"] == DRAFT["sets"]


def test_a_changed_version_is_proposed_the_sets_of_its_original_and_keeps_the_answers(
    panel: Panel, store: Store, project: Project, import_rows: Callable[..., object]
) -> None:
    text = {"text": "A fine soup.", "label": "positive"}
    import_rows(
        project,
        [
            {**text, "id": "o", "rationales": [[[1, 3]]]},
            {**text, "id": "c", "text": "A fine, fine soup.", "parent": "o"},
        ],
    )
    assert not panel.get(f"next?project={project.id}").json()["work"]["proposes"]
    [number] = find_instance_ids(store, project.id, "c")
    work = panel.get(f"next?project={project.id}&instance={number}").json()["work"]
    answer = panel.post("proposed", assignment=work["assignment"]).json()
    [one] = answer["proposals"]
    assert (one["source"], one["name"], one["title"], answer["ignored"]) == ("carried", "", "original A", None)
    said = {**DRAFT, "sets": [one["spans"]], "proposed": {str(one["id"]): "accepted"}}
    assert panel.post("draft", assignment=work["assignment"], revision=0, draft=said).status_code == 200
    again = panel.get(f"next?project={project.id}&instance={number}").json()["work"]
    assert again["draft"]["proposed"] == {str(one["id"]): "accepted"}
    bad = {**DRAFT, "proposed": {str(one["id"]): "perhaps"}}
    assert panel.post("draft", assignment=work["assignment"], revision=1, draft=bad).status_code == 422


def test_nothing_that_the_server_says_to_a_blind_annotator_tells_of_a_proposal(
    panel: Panel, store: Store, project: Project
) -> None:
    """Of a planted list with a name of its own; for a helped one the same messages do tell of it."""
    save_word_list(store, LOCAL_OPERATOR, project, "quokka", ["would", "the", "and", "at"], role="keep")
    rules = {"proposed_word_lists": ("quokka",), "model_previews": "annotators"}
    heard: dict[str, list[str]] = {}
    for help_for in ("none", "all"):
        change_project(
            store, LOCAL_OPERATOR, replace(project, settings=replace(project.settings, **rules, help_for=help_for))
        )
        texts = heard.setdefault(help_for, [])
        asked = panel.get(f"next?project={project.id}")
        while asked.json()["work"]["proposes"] != (help_for == "all"):  # what was reserved ahead stays in its arm
            panel.post("skip", assignment=asked.json()["work"]["assignment"])
            asked = panel.get(f"next?project={project.id}")
        assignment, number = (asked.json()["work"][name] for name in ("assignment", "instance"))
        texts += [asked.text, panel.post("proposed", assignment=assignment).text]
        panel.post("seen", assignment=assignment, at="2026-01-01T00:00:00Z")
        asked = panel.client.post(
            "/api/preview", json={"instance": number["id"], "result": None, "sets": [[[0, 1]]]}, headers=panel.headers
        )
        texts += [asked.text]
        sent = {"assignment": assignment, "draft": {**DRAFT, "sets": [[[0, 1]]]}}
        texts += [panel.post("draft", revision=0, **sent).text, panel.post("skip", assignment=assignment).text]
    assert "quokka" in "".join(heard["all"])
    assert "annotated without help" not in "".join(heard["all"])
    assert "quokka" not in "".join(heard["none"])
    assert heard["none"][1] == '{"proposals":[],"ignored":null,"notes":[],"change":null}'
    assert "annotated without help" in heard["none"][2]


@pytest.mark.parametrize(
    "sent",
    [
        {"Sec-Fetch-Site": "cross-site"},  # a picture, a frame, or a link on another site's page
        {"Sec-Fetch-Site": "same-site", "Referer": "http://127.0.0.1:9999/"},  # another program on this machine
        {"Sec-Fetch-Site": "none"},  # a link in a mail
        {"Referer": "http://elsewhere.example/"},
        {"Origin": "null"},
        {},  # browsers say nothing of themselves to a server without TLS, and a page can leave out where it is
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_no_other_sites_page_makes_the_server_give_work_out(
    panel: Panel, store: Store, project: Project, sent: dict[str, str], method: str
) -> None:
    for address in (f"/api/panel/next?project={project.id}", f"/api/review/next?project={project.id}"):
        answer = panel.client.request(method, address, headers=sent)
        assert answer.status_code == 403
    assert "This request came from elsewhere. Reload." in panel.client.get(address, headers=sent).json()["error"]
    assert store.value("SELECT count(*) FROM assignments") == 0


@pytest.mark.parametrize("sent", [{"Sec-Fetch-Site": "same-origin"}, {"Referer": f"{HOST}/annotate?project=1"}])
def test_the_pages_own_document_may_ask_for_the_first_text_before_it_has_a_token(
    panel: Panel, project: Project, sent: dict[str, str]
) -> None:
    answer = panel.client.get(f"/api/panel/next?project={project.id}", headers=sent)
    assert (answer.status_code, answer.json()["work"]["instance"]["key"]) == (200, "t1")


@pytest.mark.parametrize(
    ("sent", "asks"),
    [
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({}, True),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Referer": "https://elsewhere.example/"}, False),
    ],
)
def test_a_page_that_another_site_leads_to_is_shown_and_takes_no_text_ahead(
    panel: Panel, sent: dict[str, str], asks: bool
) -> None:
    answer = panel.client.get("/annotate?project=1", headers={"Accept": "text/html", **sent})
    assert (answer.status_code, "/api/panel/next" in answer.text) == (200, asks)
    assert (panel.headers["X-CSRF-Token"] in answer.text) == asks
    assert answer.headers["Cache-Control"] == "private, no-cache"


def test_a_submission_answers_the_next_one_ahead(panel: Panel, project: Project) -> None:
    first = panel.get(f"next?project={project.id}").json()
    answer = panel.post(
        "submit", assignment=first["work"]["assignment"], revision=0, draft=DRAFT, ahead=first["ahead"]["assignment"],
        timing={"first_action_at": "2026-01-01T10:00:00Z", "active_ms": 1200, "idle_ms": 0, "edits": 3},
    )  # fmt: skip
    assert answer.json()["ahead"]["instance"]["key"] == "t3"
    assert answer.json()["counts"]["submitted"] == 1


def test_a_submission_whose_answer_got_lost_is_recognised(panel: Panel, project: Project) -> None:
    work = panel.get(f"next?project={project.id}").json()["work"]
    panel.post("submit", assignment=work["assignment"], revision=0, draft=DRAFT)
    again = panel.post("submit", assignment=work["assignment"], revision=0, draft=DRAFT)
    assert again.status_code == 409
    assert again.json()["work"]["state"] == "submitted"
    assert again.json()["work"]["draft"]["sets"] == DRAFT["sets"]


def test_a_refused_submission_names_the_set(panel: Panel, project: Project) -> None:
    work = panel.get(f"next?project={project.id}").json()["work"]
    twice = {**DRAFT, "sets": [[[0, 2]], [[0, 2]]]}
    answer = panel.post("submit", assignment=work["assignment"], revision=0, draft=twice)
    assert answer.status_code == 422
    assert answer.json() == {
        "error": "Sets A and B are identical. Change one.", "set": 1, "warning": False,
    }  # fmt: skip


def test_a_span_that_marks_nothing_is_refused(panel: Panel, project: Project) -> None:
    work = panel.get(f"next?project={project.id}").json()["work"]
    answer = panel.post("draft", assignment=work["assignment"], revision=0, draft={**DRAFT, "sets": [[[4, 2]]]})
    assert answer.status_code == 422
    assert "Span from token" in answer.json()["error"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"assignment": "x"}',
        b'{"assignment": 1}',
        b"\xff\xfe",
        b'{"assignment": 1e400, "revision": 0}',
        b'{"assignment": 99999999999999999999999, "revision": 0, "draft": {}}',
        b'{"assignment": 1, "revision": 9223372036854775808, "draft": {}}',
        b'{"assignment": 1, "revision": -1, "draft": {}}',
        b'{"assignment": 1, "revision": 0, "draft": {"sets": [[[0, 9223372036854775808]]]}}',
        b'{"assignment": 1, "revision": 0, "draft": {}, "timing": {"active_ms": 9223372036854775808}}',
        b'{"assignment": 1, "revision": 0, "draft": {}, "timing": {"edits": -1}}',
        b'{"assignment": 1, "revision": 0, "draft": {}, "timing": {"first_action_at": "yesterday"}}',
        b'{"assignment": 1, "revision": 0, "draft": {}, "timing": {"first_action_at": "2026-01-01T10:00:00"}}',
    ],
)
def test_a_message_that_cannot_be_read_is_refused_without_a_trace(panel: Panel, body: bytes) -> None:
    answer = panel.client.post("/api/panel/draft", content=body, headers=panel.headers)
    assert answer.status_code == 422
    assert answer.json()["error"].startswith("Can't read the message:")


@pytest.mark.parametrize("at", ["", "now", "2026-13-01T10:00:00Z", "0001-01-01T00:00:00+23:59", "9" * 100_000, 5])
def test_a_time_that_is_none_is_refused(panel: Panel, store: Store, project: Project, at: object) -> None:
    work = panel.get(f"next?project={project.id}").json()["work"]
    assert panel.post("seen", assignment=work["assignment"], at=at).status_code == 422
    assert store.value("SELECT first_view_at FROM assignments WHERE id = ?", (work["assignment"],)) is None


def test_a_clock_that_is_set_back_does_not_stop_a_save(panel: Panel, project: Project) -> None:
    work = panel.get(f"next?project={project.id}").json()["work"]
    answer = panel.post(
        "draft", assignment=work["assignment"], revision=0, draft=DRAFT, timing={"active_ms": -5000, "idle_ms": 0}
    )
    assert answer.json() == {"revision": 1}


@pytest.mark.parametrize("page", ["0", "1000001", "9" * 30, "-1", "x"])
def test_a_page_that_cannot_be_is_refused(panel: Panel, project: Project, page: str) -> None:
    assert panel.get(f"mine?project={project.id}&page={page}").status_code == 422


def test_a_page_past_the_end_is_empty(panel: Panel, project: Project) -> None:
    answer = panel.get(f"mine?project={project.id}&page=1000000")
    assert (answer.status_code, answer.json()["rows"]) == (200, [])


def test_a_message_that_is_too_long_is_refused(panel: Panel) -> None:
    answer = panel.client.post("/api/panel/draft", content=b" " * (2 * 1024 * 1024 + 1), headers=panel.headers)
    assert (answer.status_code, answer.json()["error"]) == (422, "Your input is too long. Shorten it.")


@pytest.mark.parametrize(("headers", "status"), [({"X-CSRF-Token": "guess"}, 401), ({"Cookie": "x=y"}, 401)])
def test_nothing_of_a_strangers_message_is_read(panel: Panel, headers: dict[str, str], status: int) -> None:
    taken: list[int] = []

    async def receive() -> dict[str, object]:
        taken.append(1)
        return {"type": "http.request", "body": b" " * 1024, "more_body": True}

    # In a thread of its own: a browser test that ran before in this process keeps an event loop in the main one.
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(anyio.run, _raw_post, panel, headers, receive).result()
    assert (answer, taken) == (status, [])


async def _raw_post(panel: Panel, headers: dict[str, str], receive: Callable[..., object]) -> int:
    """The status of a message that is sent past the test client, which reads bodies by itself."""
    cookie = {"Cookie": f"{COOKIE}={panel.client.cookies[COOKIE]}"}
    sent = {"Host": "127.0.0.1:8501", **cookie, **panel.headers, **headers}
    scope = {
        "type": "http", "method": "POST", "path": "/api/panel/draft", "query_string": b"", "scheme": "http",
        "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
    }  # fmt: skip
    statuses: list[int] = []

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await panel.client.app(scope, receive, send)  # type: ignore[arg-type]
    return statuses[0]


@pytest.mark.parametrize("query", ["", "?project=", "?project=x", "?project=-1", "?project=99999999999999999999"])
def test_an_address_without_a_project_is_refused(panel: Panel, query: str) -> None:
    assert panel.get(f"next{query}").status_code == 422


def test_an_unknown_project_and_a_foreign_one_are_refused_alike(
    panel: Panel, make_project: Callable[..., Project]
) -> None:
    unknown, foreign = (panel.get(f"next?project={number}") for number in (999, make_project(name="Foreign").id))
    assert (unknown.status_code, foreign.status_code) == (404, 404)
    assert unknown.json() == foreign.json()


@pytest.mark.parametrize(
    "headers", [{"X-CSRF-Token": ""}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://evil.example"}]
)
def test_a_message_from_a_foreign_page_is_refused(panel: Panel, project: Project, headers: dict[str, str]) -> None:
    work = panel.get(f"next?project={project.id}").json()["work"]
    panel.headers |= headers
    answer = panel.post("draft", assignment=work["assignment"], revision=0, draft=DRAFT)
    assert answer.status_code == 403


def test_a_revoked_a_wrong_and_no_cookie_are_signed_out(
    panel: Panel, store: Store, project: Project, annotator: User
) -> None:
    with store.transaction():
        end_sessions_of(store, annotator)
    revoked = panel.get(f"next?project={project.id}")
    assert (revoked.status_code, "Sign in" in revoked.json()["error"]) == (401, True)
    for cookie in ("wrong", ""):
        panel.client.cookies.set(COOKIE, cookie)
        assert panel.get(f"next?project={project.id}").status_code == 401


@pytest.mark.parametrize("path", ["next?project=1", "draft"])
def test_a_page_of_an_earlier_sign_in_is_signed_out(panel: Panel, path: str) -> None:
    own = {"X-CSRF-Token": "of-another-session", "Sec-Fetch-Site": "same-origin"}
    ask = panel.client.post if path == "draft" else panel.client.get
    answer = ask(f"/api/panel/{path}", headers=panel.headers | own)
    assert (answer.status_code, "You signed in again in another tab. Reload." in answer.json()["error"]) == (401, True)


def test_skip_discard_withdraw_and_the_finished_list_speak_the_same_way(panel: Panel, project: Project) -> None:
    first = panel.get(f"next?project={project.id}").json()
    skipped = panel.post("skip", assignment=first["work"]["assignment"], ahead=first["ahead"]["assignment"]).json()
    assert skipped["counts"]["skipped"] == 1
    discarded = panel.post("discard", assignment=first["ahead"]["assignment"], reason="wrong language", comment="Dutch")
    assert discarded.json()["ahead"]["instance"]["key"] == "t3"
    third = discarded.json()["ahead"]["assignment"]
    panel.post("submit", assignment=third, revision=0, draft=DRAFT)
    mine = panel.get(f"mine?project={project.id}&page=1").json()
    rows = {(row["key"], row["state"], row["may_reopen"]) for row in mine["rows"]}
    assert rows == {("t3", "accepted", True), ("t2", "proposed", True), ("t1", "skipped", False)}
    assert panel.post("withdraw", assignment=third).json()["work"]["state"] == "open"


def test_seeing_an_instance_is_noted(panel: Panel, store: Store, project: Project) -> None:
    work = panel.get(f"next?project={project.id}").json()["work"]
    assert panel.post("seen", assignment=work["assignment"], at="2026-01-01T10:00:00Z").json() == {}
    assert (
        store.value("SELECT first_view_at FROM assignments WHERE id = ?", (work["assignment"],))
        == "2026-01-01T10:00:00.000Z"
    )


def test_my_work_is_searched_and_chosen_by_state(panel: Panel, project: Project) -> None:
    first = panel.get(f"next?project={project.id}").json()
    panel.post("discard", assignment=first["work"]["assignment"], reason="wrong language")
    panel.post("skip", assignment=first["ahead"]["assignment"])
    asked = f"mine?project={project.id}"
    assert [row["key"] for row in panel.get(f"{asked}&state=proposed").json()["rows"]] == ["t1"]
    assert [row["key"] for row in panel.get(f"{asked}&words=friendly%20CAT").json()["rows"]] == ["t2"]
    refused = panel.get(f"{asked}&state=finished")
    assert (refused.status_code, "Unknown state 'finished'. Available:" in refused.json()["error"]) == (422, True)


def test_counts_say_how_many_were_submitted_since_the_persons_day_began(panel: Panel, project: Project) -> None:
    began, later = "2020-01-01T00:00:00Z", "2999-01-01T00:00:00+02:00"
    first = panel.get(f"next?project={project.id}&day={began}").json()
    assert first["counts"]["today"] == 0
    answer = panel.post("submit", assignment=first["work"]["assignment"], revision=0, draft=DRAFT, day=began).json()
    assert (answer["counts"]["today"], answer["counts"]["submitted"]) == (1, 1)
    assert panel.get(f"next?project={project.id}&day={later.replace('+', '%2B')}").json()["counts"]["today"] == 0
    assert "today" not in panel.get(f"next?project={project.id}").json()["counts"]
    assert panel.get(f"next?project={project.id}&day=yesterday").status_code == 422


def test_going_back_reopens_the_last_submission_and_says_why_where_it_may_not(panel: Panel, project: Project) -> None:
    nothing = panel.post("back", project=project.id)
    assert (nothing.status_code, "You haven't submitted anything yet." in nothing.json()["error"]) == (409, True)
    first = panel.get(f"next?project={project.id}").json()["work"]
    panel.post("submit", assignment=first["assignment"], revision=0, draft=DRAFT)
    answer = panel.post("back", project=project.id, day="2020-01-01T00:00:00Z").json()
    assert (answer["work"]["assignment"], answer["work"]["state"]) == (first["assignment"], "open")
    assert answer["work"]["draft"]["sets"] == DRAFT["sets"]
    assert answer["counts"]["today"] == 0


def test_the_original_of_a_text_that_is_no_changed_version_is_refused(panel: Panel, project: Project) -> None:
    work = panel.get(f"next?project={project.id}").json()["work"]
    assert work["is_changed"] is False
    answer = panel.get(f"original?assignment={work['assignment']}")
    assert (answer.status_code, answer.json()["error"]) == (404, "This text isn't a perturbed version.")


def test_a_page_that_is_open_is_told_in_a_sentence_that_its_project_was_archived_or_deleted(
    panel: Panel, project: Project, store: Store
) -> None:
    work = panel.get(f"next?project={project.id}").json()["work"]
    archive(store, LOCAL_OPERATOR, project.id)
    for answer in (
        panel.post("draft", assignment=work["assignment"], revision=0, draft=DRAFT),
        panel.post("submit", assignment=work["assignment"], revision=0, draft=DRAFT),
        panel.get(f"next?project={project.id}"),
    ):
        assert answer.status_code == 403
        assert answer.json()["error"].startswith("The project 'Project' is archived: nothing in it is given out")
    bring_back(store, LOCAL_OPERATOR, project.id)
    assert panel.post("draft", assignment=work["assignment"], revision=0, draft=DRAFT).json() == {"revision": 1}
    delete(store, LOCAL_OPERATOR, project.id, project.name)
    gone = panel.post("draft", assignment=work["assignment"], revision=1, draft=DRAFT)
    assert (gone.status_code, "Reload; the project may have been deleted." in gone.json()["error"]) == (404, True)
    assert (
        panel.get(f"next?project={project.id}")
        .json()["error"]
        .startswith("No such project, or you have no role in it.")
    )


# POST /api/preview (docs/panel.md, "The model's answers"): what it answers, and how each refusal looks.

Ask = Callable[..., Any]


@pytest.fixture
def ask(database: Path, store: Store, project: Project, add_person: Callable[..., User]) -> Iterator[Ask]:
    """What somebody with a role is answered about two sets of the first text."""
    [number] = find_instance_ids(store, project.id, "t1")
    body = {"instance": number, "result": "negative", "sets": [[[0, 2], [4, 5]], [[3, 4]]]}
    people = {role: add_person(role, project, role) for role in ("lead", "annotator")}
    app = Starlette(routes=all_routes(), middleware=web_middleware(ServerOptions(database)))
    with TestClient(app, base_url=HOST) as client:

        def post(role: str, **other: object) -> Any:
            token = accounts.sign_in_as(store, people[role].name, is_demonstration=True)
            client.cookies.set(COOKIE, token)
            headers = {"X-CSRF-Token": accounts.session_of(store, token).csrf, "Origin": HOST}
            return client.post("/api/preview", json=body | other, headers=headers)

        yield post
    close_kept_store()


def test_the_answer_holds_what_the_model_says_and_how_sets_fit_the_attributions(
    store: Store, project: Project, ask: Ask
) -> None:
    built_in_model(store, LOCAL_OPERATOR, project, "built-in", trains=True)
    scores = tuple(float(n) for n in range(10))
    with store.transaction():
        Intake(store, project, ImportOptions(), ImportReport(), lambda _: None).run(
            [SourceOutput("t1", Run("m", "ig"), "f", 1, None, (), (SourceAttribution((ScoredPart(scores),)),))]
        )
    answer = ask("lead")
    assert answer.status_code == 200
    told = answer.json()
    assert (told["model"], told["kind"], told["trouble"], told["unseen"]) == ("built-in", "built-in", None, 0)
    assert set(told["full"]) == {"p", "predicted"}
    assert [len(one["less"]) for one in told["sets"]] == [3, 0]
    [beside] = told["attributions"]
    assert (beside["model"], beside["method"], beside["k"], beside["n"]) == ("m", "ig", [2], [10])
    assert beside["sets"][1] == {"f1": 0.0, "iou": 0.0, "ap": pytest.approx(1 / 7, abs=1e-4)}  # the seventh of ten


def test_refusals_have_a_status_and_a_sentence(
    store: Store, project: Project, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask("annotator").status_code == 403
    answer = ask("lead")
    assert (answer.status_code, "first (Saliency, Compute attributions)." in answer.json()["error"]) == (404, True)
    built_in_model(store, LOCAL_OPERATOR, project, "built-in", trains=True)
    is_read = threading.Event()
    load = preview_models._loaded
    monkeypatch.setattr(preview_models, "_loaded", lambda *asked: load(*asked) if is_read.wait(60) else None)
    monkeypatch.setattr(preview_models, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(preview_models, "_MODELS", preview_models._LoadedModels())
    answer = ask("lead")
    is_read.set()
    assert (answer.status_code, "is busy. Try again later." in answer.json()["error"]) == (409, True)
    change_project(store, LOCAL_OPERATOR, replace(project, settings=replace(project.settings, model_previews="nobody")))
    assert ask("lead").status_code == 403


def test_what_no_model_says_is_left_out_where_none_can_be_asked(store: Store, project: Project, ask: Ask) -> None:
    scores = tuple(float(n) for n in range(10))
    with store.transaction():
        Intake(store, project, ImportOptions(), ImportReport(), lambda _: None).run(
            [SourceOutput("t1", Run("m", "ig"), "f", 1, None, (), (SourceAttribution((ScoredPart(scores),)),))]
        )
    assert list(ask("lead").json()) == ["model", "kind", "trouble", "attributions"]
    built_in_model(store, LOCAL_OPERATOR, project, "built-in", trains=True)
    said = ["label", "unseen", "full", "rest", "sets", "trust", "seen"]
    assert list(ask("lead").json()) == ["model", "kind", "trouble", *said, "attributions"]


@pytest.mark.parametrize(
    ("other", "place"),
    [
        ({"instance": "t1"}, "$.instance"),
        ({"result": 1}, "$.result"),
        ({"sets": [[[0]]]}, "$.sets[0][0]"),
        ({"sets": [[[0, -2]]]}, "$.sets[0][0][1]"),
    ],
)
def test_a_malformed_question_is_refused_with_the_place(ask: Ask, other: dict[str, object], place: str) -> None:
    answer = ask("lead", **other)
    assert (answer.status_code, place in answer.json()["error"]) == (422, True)


# The talk messages (docs/panel.md): what they answer, and how each refusal looks.


@pytest.fixture
def talk(database: Path, store: Store, project: Project) -> Iterator[Callable[[User], Ask]]:
    """Somebody's browser: GET without a body, POST with one."""
    app = Starlette(routes=all_routes(), middleware=web_middleware(ServerOptions(database)))
    with TestClient(app, base_url=HOST) as client:

        def signed_in(person: User) -> Ask:
            token = accounts.sign_in_as(store, person.name, is_demonstration=True)
            headers = {
                "X-CSRF-Token": accounts.session_of(store, token).csrf,
                "Origin": HOST,
                "Cookie": f"{COOKIE}={token}",
            }

            def ask(path: str, *, without: str = "", **body: object) -> Any:
                said = {name: value for name, value in headers.items() if name != without}
                if body:
                    return client.post(f"/api/talk/{path}", json=body, headers=said)
                return client.get(f"/api/talk/{path}", headers=said)

            return ask

        yield signed_in
    close_kept_store()


def test_a_question_is_begun_read_and_answered(
    talk: Callable[[User], Ask], store: Store, project: Project, annotator: User, add_person: Callable[..., User]
) -> None:
    work.next_work(store, annotator, project.id)
    ann, lead = talk(annotator), talk(add_person("lead", project, "lead"))
    begun = ann("begin", project=project.id, instance=1, text="Why?", to_lead=True).json()
    [thread] = begun["threads"]
    assert (thread["about"], thread["waits_for_lead"]) == ("this text", True)
    assert [(c["author"], c["voice"], c["mine"], c["text"]) for c in thread["comments"]] == [
        ("annotator-a", "annotator", True, "Why?")
    ]
    assert begun["subjects"] == [{"about": "instance", "annotation": None, "position": None, "words": "this text"}]
    assert lead("answer", thread=thread["id"], text="Because").json()["threads"][0]["waits_for_lead"] is False
    seen = ann(f"of?project={project.id}&instance=1").json()["threads"][0]["comments"]
    assert [(c["text"], c["mine"]) for c in seen] == [("Why?", True), ("Because", False)]


def test_refusals_say_why_and_store_nothing(
    talk: Callable[[User], Ask], store: Store, project: Project, annotator: User
) -> None:
    ask = talk(annotator)
    assert ask(f"of?project={project.id}&instance=1").status_code == 403  # nothing of it is theirs yet
    work.next_work(store, annotator, project.id)
    refused = [
        (ask("begin", project=project.id, instance=1, text=" "), 422),
        (ask("begin", project=project.id, instance=1, text="x" * 10_001), 422),
        (ask("begin", project=project.id, instance=1, text="a", about="weather"), 422),
        (ask("begin", project=project.id, instance=1, text="a", about="set", annotation=9, position=0), 404),
        (ask("begin", project=99, instance=1, text="a"), 404),
        (ask("begin", project=project.id, instance=999, text="a"), 404),
        (ask("answer", thread=1, text="a"), 404),
        (ask("answer", thread=1), 422),
        (ask("of?project=x&instance=1"), 422),
        (ask("begin", without="X-CSRF-Token", project=project.id, instance=1, text="a"), 403),
        (ask("begin", without="Cookie", project=project.id, instance=1, text="a"), 401),
    ]
    assert [answer.status_code for answer, _ in refused] == [status for _, status in refused]
    assert all(answer.json()["error"] for answer, _ in refused)
    assert store.value("SELECT count(*) FROM comments") == 0


def test_a_strangers_thread_is_not_answered(
    talk: Callable[[User], Ask], store: Store, project: Project, annotator: User, add_person: Callable[..., User]
) -> None:
    work.next_work(store, annotator, project.id)
    number = talk(annotator)("begin", project=project.id, instance=1, text="Why?").json()["threads"][0]["id"]
    other = talk(add_person("annotator-b", project, "annotator"))
    assert other("answer", thread=number, text="me too").status_code == 403
    assert store.value("SELECT count(*) FROM comments") == 1
