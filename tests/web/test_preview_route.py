"""POST /api/preview (docs/panel.md, "The model's answers"): what it answers, and how each refusal looks."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotator.domain.models import Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.instances import find_instance_ids
from annotator.usecases.access import accounts
from annotator.usecases.models import preview_models
from annotator.usecases.models.built_in_model import built_in_model
from annotator.usecases.project.projects import change_project
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes
from annotator.web.routes.access import COOKIE, ServerOptions, close_kept_store
from tests.web.test_panel_routes import HOST

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
    assert (answer.status_code, "has no trained model yet" in answer.json()["error"]) == (404, True)
    built_in_model(store, LOCAL_OPERATOR, project, "built-in", trains=True)
    is_read = threading.Event()
    load = preview_models._loaded
    monkeypatch.setattr(preview_models, "_loaded", lambda *asked: load(*asked) if is_read.wait(60) else None)
    monkeypatch.setattr(preview_models, "_PATIENCE_S", 0.0)
    monkeypatch.setattr(preview_models, "_MODELS", preview_models._LoadedModels())
    answer = ask("lead")
    is_read.set()
    assert (answer.status_code, "is being loaded" in answer.json()["error"]) == (409, True)
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
