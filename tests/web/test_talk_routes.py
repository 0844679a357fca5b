"""The talk messages (docs/panel.md): what they answer, and how each refusal looks."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.usecases.access import accounts
from annotator.usecases.annotate import work
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes
from annotator.web.routes.access import COOKIE, ServerOptions, close_kept_store

HOST = "http://127.0.0.1:8501"
Ask = Callable[..., Any]


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
