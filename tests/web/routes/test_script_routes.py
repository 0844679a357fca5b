"""Routes for scripts (docs/api.md): tokens, model output in, gold and model output out, and how each refusal looks."""

import json
import math
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect
from starlette.testclient import TestClient

from annotator.domain.models import Attribution, Output, Run
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.store import Store, open_store
from annotator.store.instances import find_instance_ids
from annotator.store.models import RunFinder, iterate_outputs, list_runs, store_outputs
from annotator.usecases.access import accounts, credentials
from annotator.usecases.access.credentials import make_token
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes, scripts
from annotator.web.routes.access import COOKIE, ServerOptions, close_kept_store
from tests.usecases.access.test_credentials import researcher, token
from tests.web.routes.test_panel_routes import HOST

__all__ = ["researcher", "token"]
N = 10  # tokens of t1: The staff never smiled and the soup was cold .
SCORES = [float(n) for n in range(N)]
ROW = {"id": "t1", "model": "m", "method": "ig", "scores": SCORES}


class Script:
    """A script with a token."""

    def __init__(self, client: TestClient, token: str) -> None:
        self.client = client
        self.headers = {"Authorization": f"Bearer {token}"}

    def post(self, *rows: dict[str, object], query: str = "", project: object = "Project") -> Any:
        body = "".join(json.dumps(row) + "\n" for row in rows)
        return self.client.post(f"/api/projects/{project}/outputs{query}", content=body, headers=self.headers)

    def get(self, path: str, project: object = "Project") -> Any:
        return self.client.get(f"/api/projects/{project}/{path}", headers=self.headers)

    def lines(self, path: str) -> list[dict[str, Any]]:
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return [json.loads(line) for line in answer.text.splitlines()]


@pytest.fixture(autouse=True)
def _own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing that a request puts down may stay."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []


@pytest.fixture
def client(database: Path, project: Project) -> Iterator[TestClient]:
    app = Starlette(routes=all_routes(), middleware=web_middleware(ServerOptions(database)))
    with TestClient(app, base_url=HOST) as opened:
        yield opened
    close_kept_store()


@pytest.fixture
def script(client: TestClient, token: str) -> Script:
    return Script(client, token)


def outputs(store: Store, project: Project) -> list[Output]:
    return [output for stored in list_runs(store, project.id) for output in iterate_outputs(store, stored.id)]


# --- model output comes in ---


def test_model_output_is_stored_and_reported_as_by_the_command(script: Script, store: Store, project: Project) -> None:
    answer = script.post(ROW, {**ROW, "id": "t2", "scores": [0.5] * 14})
    assert answer.status_code == 200
    report = answer.json()
    assert (report["stored"], report["n_new"], report["n_problems"]) == (True, 2, 0)
    assert sorted(len(output.attributions[0].scores) for output in outputs(store, project)) == [10, 14]
    actor = store.value("SELECT actor FROM events WHERE action = 'import' ORDER BY id DESC LIMIT 1")
    assert actor == "ria"
    assert script.post(ROW, project=project.id).json()["n_unchanged"] == 1


def test_the_address_says_what_rows_do_not(script: Script, store: Store, project: Project) -> None:
    row = {"id": "1", "scores": SCORES}
    script.post(row, query="?format=attributions&model=m&method=ig&seed=7&key_prefix=t")
    [stored] = list_runs(store, project.id)
    assert stored.run == Run("m", "ig", seed=7)


def test_a_dry_run_stores_nothing(script: Script, store: Store, project: Project) -> None:
    report = script.post(ROW, query="?dry_run=true").json()
    assert (report["stored"], report["n_new"]) == (False, 1)
    assert outputs(store, project) == []


def test_problems_are_all_named_with_their_line_and_nothing_is_stored(
    script: Script, store: Store, project: Project
) -> None:
    rows = (ROW, {**ROW, "id": "nowhere"}, {**ROW, "id": "t2", "scores": [1]})
    answer = script.post(*rows)
    assert answer.status_code == 422
    said = answer.json()
    assert (said["stored"], said["n_problems"]) == (False, 2)
    assert [(one["source"], one["line"], one["field"]) for one in said["problems"]] == [
        ("body", 2, "id"), ("body", 3, "scores"),
    ]  # fmt: skip
    assert "skip_invalid=true" in said["error"]
    assert outputs(store, project) == []
    report = script.post(*rows, query="?skip_invalid=1").json()
    assert (report["n_new"], report["n_problems"]) == (1, 2)


def test_where_no_row_can_be_used_nobody_is_told_to_leave_rows_out(script: Script) -> None:
    answer = script.post({**ROW, "scores": "many"}).json()
    assert answer["error"] == "1 problem; nothing was stored. None of the rows can be used; correct them."


def test_options_in_the_reasons_are_said_as_the_address_has_them_or_as_another_way_in(script: Script) -> None:
    script.post(ROW)
    answer = script.post({**ROW, "scores": SCORES[::-1]}, {"id": "t2", "model": "m", "prediction": "odd"}).json()
    assert "Here --update stands in the address, as update=true." in answer["error"]
    assert "What needs --add-label, --rename, --leave-out-label is imported with `annotator import`" in answer["error"]


def test_other_values_need_update(script: Script) -> None:
    script.post(ROW)
    changed = {**ROW, "scores": SCORES[::-1]}
    assert script.post(changed).status_code == 422
    assert script.post(changed, query="?update=true").json()["n_updated"] == 1


def test_half_a_line_is_a_problem_with_its_line(script: Script) -> None:
    answer = script.client.post(
        "/api/projects/Project/outputs", content=json.dumps(ROW) + '\n{"id": "t2", "sco', headers=script.headers
    )
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["line"] == 2


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("?format=jsonl", "'format' in the address must be one of predictions, attributions"),
        ("?update=maybe", "'update' in the address must be true or false; it is 'maybe'"),
        ("?seed=1.5", "'seed' in the address must be a whole number; it is '1.5'"),
        ("?merge=max", "must be one of sum, mean, signed max"),
        ("?skip-invalid=true", "'skip-invalid' in the address is not known here; there is format"),
    ],
)
def test_an_address_that_says_something_else_is_refused(script: Script, query: str, words: str) -> None:
    answer = script.post(ROW, query=query)
    assert (answer.status_code, words in answer.json()["error"]) == (422, True)


def test_a_body_that_is_too_long_is_refused_as_soon_as_that_is_known(
    script: Script, monkeypatch: pytest.MonkeyPatch, store: Store, project: Project
) -> None:
    monkeypatch.setattr(scripts, "MOST_BYTES", 1000)

    def parts() -> Iterator[bytes]:
        yield from [b" " * 600] * 2

    for content in (b" " * 1001, parts()):
        answer = script.client.post("/api/projects/Project/outputs", content=content, headers=script.headers)
        assert (answer.status_code, "longer than 1 GB" in answer.json()["error"]) == (413, True)
    assert outputs(store, project) == []


# --- gold and model output go out ---


def test_gold_comes_as_lines_that_can_be_imported_again(
    script: Script,
    store: Store,
    project: Project,
    import_rows: Callable[..., Any],
    make_project: Callable[..., Project],
) -> None:
    marked = {"id": "g", "text": "Dull  plot, dull end.", "label": "negative", "split": "test", "meta": {"page": 3},
              "parent": "t1", "perturbation_kind": "syntax", "rationales": [[[0, 1], [1, 2]], [[3, 5]]]}  # fmt: skip
    import_rows(project, [marked])
    answer = script.get("gold.jsonl")
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert answer.headers["cache-control"] == "no-store"
    [line] = script.lines("gold.jsonl")
    again = make_project(name="Again")
    import_rows(again, [line])
    other = make_token(store, store_user(store, "ria", again), again, "ria", ["read"]).text
    copied = Script(script.client, other).get("gold.jsonl", "Again").json()
    assert copied == line
    assert line["rationales"][0] == [
        {"segment": "text", "start_token": 0, "end_token": 1}, {"segment": "text", "start_token": 1, "end_token": 2},
    ]  # fmt: skip
    [union] = script.lines("gold.jsonl?policy=union&split=test")
    assert union["rationales"] == [
        [{"segment": "text", "start_token": 0, "end_token": 2}, {"segment": "text", "start_token": 3, "end_token": 5}]
    ]
    absent = script.get("gold.jsonl?split=train")
    assert (absent.status_code, "No split 'train' in" in absent.json()["error"]) == (422, True)
    assert script.get("gold.jsonl?policy=best").status_code == 422
    assert store.value("SELECT count(*) FROM events WHERE action = 'export' AND actor = 'ria'") == 4


def store_user(store: Store, name: str, project: Project) -> User:
    """A person, with the role of a researcher in one more project."""
    from annotator.store.people import add_role, get_user

    user = get_user(store, name)
    with store.transaction():
        add_role(store, project.id, user, "researcher")
    return user


def test_what_went_in_comes_out_and_changes_nothing_when_it_goes_in_again(script: Script) -> None:
    rows = (
        {**ROW, "params": {"steps": 50}, "seed": 3, "unit": "logit", "signed": True, "target": "negative", "layer": 2},
        {**ROW, "scores": SCORES[:4], "partial": True, "ranking": [3, 2], "convergence": 0.5},
        {"id": "t1", "model": "m", "label": "negative", "probabilities": {"negative": 0.75, "positive": 0.25}},
        {"id": "t1", "model": "m", "method": "ig", "on": "rest", "threshold": 0.2, "label": "positive"},
        {
            "id": "t1",
            "model": "n",
            "method": "rules",
            "rationale": {"kind": "hard", "parts": [{"spans": [[0, 2], [3, 4]]}]},
        },
    )
    assert script.post(*rows).json()["n_new"] == 5
    lines = script.lines("outputs.jsonl")
    assert len(lines) == 5
    assert script.post(*lines).json()["n_unchanged"] == 5
    assert {line["model"] for line in script.lines("outputs.jsonl?model=n")} == {"n"}
    assert "Remove the split 'test'." in script.get("outputs.jsonl?split=test").json()["error"]
    of_ig = script.lines("outputs.jsonl?model=m&method=ig")
    assert {line["method"] for line in of_ig} == {"ig"}
    missing = script.get("outputs.jsonl?model=huge")
    assert (missing.status_code, missing.json()["error"]) == (
        404, "No 'huge' in project 'Project' (only 'm', 'n').",
    )  # fmt: skip


def test_gaps_between_segments_are_written_segment_by_segment_and_others_refused(
    client: TestClient, store: Store, make_project: Callable[..., Project], import_rows: Callable[..., Any], add_person: Callable[..., User]
) -> None:  # fmt: skip
    pairs = make_project("similarity", "Pairs")
    import_rows(pairs, [{"id": "p", "sentence1": "a b c", "sentence2": "d e", "label": "positive"}])
    [number] = find_instance_ids(store, pairs.id, "p")
    pat = add_person("pat", pairs, "lead")
    script = Script(client, make_token(store, pat, pairs, "pat", ["read", "write model output"]).text)

    def put(scores: list[float]) -> None:
        with store.transaction():
            run = RunFinder(store, pairs.id).id_of(Run("m", "ig"))
            attribution = Attribution(tuple(scores), ranking=(3, 0))
            store_outputs(store, run, [Output(number, attributions=(attribution,))])

    put([1.0, math.nan, math.nan, 4.0, 5.0])
    text = script.get("outputs.jsonl", "Pairs").text
    assert json.loads(text)["parts"] == [
        {"scores": [], "ranking": [3, 0], "partial": True},
        {"scores": [1.0], "segment": "sentence1", "partial": True},
        {"scores": [4.0, 5.0], "segment": "sentence2"},
    ]
    assert script.post(json.loads(text), project="Pairs").json()["n_unchanged"] == 1
    put([1.0, math.nan, 3.0, 4.0, 5.0])
    refused = script.get("outputs.jsonl", "Pairs")
    assert (refused.status_code, "skip tokens. Export as jsonl." in refused.json()["error"]) == (400, True)


# --- who may ---


def test_a_request_without_a_token_is_refused_even_with_a_cookie(
    client: TestClient, store: Store, researcher: User
) -> None:
    client.cookies.set(COOKIE, accounts.sign_in_as(store, "ria", is_demonstration=True))
    for ask in (
        lambda: client.post("/api/projects/Project/outputs"),
        lambda: client.get("/api/projects/Project/gold.jsonl"),
    ):
        answer = ask()
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
        assert "Authorization: Bearer" in answer.json()["error"]


@pytest.mark.parametrize(
    ("header", "status"),
    [("Bearer {}", 200), ("bearer  {}", 200), ("Basic {}", 401), ("{}", 401), ("Bearer", 401), ("Bearer {}x", 401)],
)
def test_the_token_stands_in_the_authorization_header(client: TestClient, token: str, header: str, status: int) -> None:
    answer = client.get("/api/projects/Project/gold.jsonl", headers={"Authorization": header.format(token)})
    assert answer.status_code == status


def test_another_project_another_scope_and_a_lost_right_are_403(
    script: Script, client: TestClient, store: Store, project: Project, researcher: User, make_project: Callable[..., Project]
) -> None:  # fmt: skip
    make_project(name="Other")
    for name in ("Other", "nowhere"):
        assert script.get("gold.jsonl", name).status_code == 403
        assert script.post(ROW, project=name).status_code == 403
    writer = Script(client, make_token(store, researcher, project, "ria", ["write model output"]).text)
    assert writer.get("gold.jsonl").status_code == 403
    assert "may not read" in writer.get("outputs.jsonl").json()["error"]
    with store.transaction():
        store.run("DELETE FROM memberships WHERE user_id = ?", (researcher.id,))
    assert script.post(ROW).status_code == 403


def test_revoked_and_expired_tokens_are_401(script: Script, store: Store) -> None:
    with store.transaction():
        store.run("UPDATE api_tokens SET created_at = '2019', expires_at = '2020-01-02T00:00:00.000Z'")
    answer = script.get("gold.jsonl")
    assert (answer.status_code, "expired on 2020-01-02" in answer.json()["error"]) == (401, True)
    with store.transaction():
        store.run("UPDATE api_tokens SET revoked_at = '2020-01-01T00:00:00.000Z'")
    answer = script.post(ROW)
    assert (answer.status_code, "revoked on 2020-01-01" in answer.json()["error"]) == (401, True)


def test_wrong_secrets_must_wait_after_a_while(script: Script, client: TestClient, token: str) -> None:
    guess = Script(client, token[:-3] + "AAA")
    answers = [guess.get("gold.jsonl") for _ in range(credentials.FAILURES_UNTIL_A_WAIT + 1)]
    assert {answer.status_code for answer in answers} == {401}
    assert "Too many failures with this token" in answers[-1].json()["error"]
    assert "This token is not known here" in answers[0].json()["error"]


def test_a_body_is_not_read_before_the_token_is_known(script: Script, monkeypatch: pytest.MonkeyPatch) -> None:
    async def keep(*_: object) -> None:
        raise AssertionError("the body was read")

    monkeypatch.setattr(scripts, "_keep", keep)
    for wrong in ("x", "annotator_1_" + "a" * 43):
        assert Script(script.client, wrong).post(ROW).status_code == 401


def test_a_token_that_is_revoked_while_a_body_comes_in_stores_nothing(
    script: Script, database: Path, store: Store, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep = scripts._keep

    async def slowly(request: Any, path: Path) -> None:
        await keep(request, path)
        with open_store(database) as other, other.transaction():
            other.run("UPDATE api_tokens SET revoked_at = '2020-01-01'")

    monkeypatch.setattr(scripts, "_keep", slowly)
    assert script.post(ROW).status_code == 401
    assert outputs(store, project) == []


def test_a_script_that_leaves_in_the_middle_stores_nothing_and_leaves_nothing_behind(
    script: Script, store: Store, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken_off(request: Any) -> AsyncIterator[bytes]:
        yield json.dumps(ROW).encode() + b"\n"
        raise ClientDisconnect

    monkeypatch.setattr(scripts.Request, "stream", broken_off)
    assert script.post(ROW).status_code == 400
    assert outputs(store, project) == []


def test_a_project_whose_name_has_a_slash_is_reached_by_its_name(
    client: TestClient, store: Store, make_project: Callable[..., Project], add_person: Callable[..., User]
) -> None:
    odd = make_project(name="a/b c")
    lead = add_person("lea", odd, "lead")
    script = Script(client, make_token(store, lead, odd, "lea", ["read"]).text)
    assert script.get("gold.jsonl", "a%2Fb%20c").status_code == 200
