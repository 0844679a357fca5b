"""The review screen's messages (docs/review.md): what they answer, and how each refusal looks."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from annotator.domain.instances import Draft
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.store import Store
from annotator.usecases.access import accounts
from annotator.usecases.annotate import work as annotate_work
from annotator.web.middleware import web_middleware
from annotator.web.routes import all_routes
from annotator.web.routes.access import ServerOptions, close_kept_store
from tests.web.routes.test_panel_routes import HOST, Panel

SETS = (RationaleSet.of((0, 2)), RationaleSet.of((3, 4), (6, 7)))
GOOD = {"comprehensiveness": 3, "comment": "", "sets": [{"sufficiency": 3, "compactness": 4}] * 2}
WEAK = {
    "comprehensiveness": 3,
    "sets": [{"sufficiency": 3, "compactness": 4}, {"sufficiency": 2, "compactness": 4, "comment": "too short"}],
}


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project(reviewers_per_annotation=1)
    import_rows(
        made,
        [{"id": f"t{n}", "text": "The staff never smiled and the soup was cold.", "label": "negative"} for n in (1, 2)],
    )
    return made


def hand_in(store: Store, annotator: User, project: Project, *sets: RationaleSet) -> None:
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    draft = replace(work.assignment.draft, sets=sets) if work.assignment.follows_id else Draft(sets=sets)
    annotate_work.submit(store, annotator, work.assignment.id, work.assignment.revision, draft)


@pytest.fixture
def screen(
    database: Path, store: Store, project: Project, annotator: User, add_person: Callable[..., User]
) -> Iterator[Panel]:
    reviewer = add_person("reviewer", project, "reviewer")
    hand_in(store, annotator, project, *SETS)
    token = accounts.sign_in_as(store, reviewer.name, is_demonstration=True)
    csrf = accounts.session_of(store, token).csrf
    app = Starlette(routes=all_routes(), middleware=web_middleware(ServerOptions(database)))
    with TestClient(app, base_url=HOST) as client:
        yield Panel(client, token, csrf, "review")
    close_kept_store()


def first(screen: Panel, project: Project) -> Any:
    return screen.get(f"next?project={project.id}").json()["work"]


def test_next_gives_the_annotation_its_sets_and_the_counts(screen: Panel, project: Project) -> None:
    answer = screen.get(f"next?project={project.id}").json()
    work = answer["work"]
    assert (work["instance"]["key"], work["round"], work["max_rounds"], work["state"]) == ("t1", 1, 3, "open")
    assert work["sets"][1] == {"spans": [[3, 4], [6, 7]], "is_carried": False, "carried": None, "previous": None}
    assert work["scores"]["sets"] == [{"sufficiency": None, "compactness": None, "comment": ""}] * 2
    assert answer["counts"] == {"to_review": 0, "open": 1, "submitted": 0}
    assert "annotator-a" not in str(answer)  # who annotated is nothing to judge by


def test_scores_are_saved_and_a_stale_save_answers_what_is_stored(screen: Panel, project: Project) -> None:
    work = first(screen, project)
    assert screen.post("save", review=work["review"], revision=0, scores=GOOD).json() == {"revision": 1}
    stale = screen.post("save", review=work["review"], revision=0, scores={**GOOD, "comprehensiveness": 1})
    assert stale.status_code == 409
    assert stale.json()["work"]["scores"]["comprehensiveness"] == 3


def test_the_last_review_decides_and_the_answer_brings_what_is_next(
    screen: Panel, project: Project, store: Store, annotator: User
) -> None:
    hand_in(store, annotator, project, *SETS)
    work = first(screen, project)
    answer = screen.post(
        "submit", review=work["review"], revision=0, scores=GOOD, timing={"active_ms": 900, "idle_ms": 10}
    )
    assert answer.json()["next"]["work"]["instance"]["key"] == "t2"
    decided = screen.get(f"next?project={project.id}&annotation={work['annotation']}").json()["work"]
    assert decided["state"] == "decided"
    assert decided["decision"]["outcome"] == "accepted"
    assert decided["decision"]["findings"][1] == {
        "property": "sufficiency", "set": 1, "scores": [3], "mean": "3", "threshold": "3", "passes": True,
    }  # fmt: skip


def test_a_correction_shows_the_round_before_and_what_it_carries(
    screen: Panel, project: Project, store: Store, annotator: User
) -> None:
    work = first(screen, project)
    screen.post("submit", review=work["review"], revision=0, scores=WEAK)
    hand_in(store, annotator, project, SETS[0], RationaleSet.of((5, 7)))
    again = first(screen, project)
    assert again["round"] == 2
    assert again["sets"][0]["carried"] == {"sufficiency": "3", "compactness": "4"}
    assert again["sets"][1] == {"spans": [[5, 7]], "is_carried": False, "carried": None, "previous": 1}
    assert again["previous"]["sets"] == [[[0, 2]], [[3, 4], [6, 7]]]
    assert again["previous"]["set_lines"]["1"][1] == "You: too short"


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ({"comprehensiveness": 4}, "Comprehensiveness score is 4; use 1 to 3."),
        ({"sets": [{"sufficiency": 0}]}, "Sufficiency score is 0"),
        ({"sets": [{"compactness": 5}]}, "Compactness score is 5; use 1 to 4."),
        ({"sets": [{"compactness": 3.5}]}, "Can't read the message:"),
        ({"sets": [{}] * 3}, "Scores cover 3 sets, but the annotation has"),
    ],
)
def test_scores_outside_the_scale_are_refused(
    screen: Panel, project: Project, store: Store, scores: dict[str, object], sentence: str
) -> None:
    work = first(screen, project)
    answer = screen.post("save", review=work["review"], revision=0, scores=scores)
    assert answer.status_code == 422
    assert sentence in answer.json()["error"]
    assert store.value("SELECT count(*) FROM scores") == 0


def test_a_missing_score_names_its_set(screen: Panel, project: Project) -> None:
    work = first(screen, project)
    answer = screen.post("submit", review=work["review"], revision=0, scores={**GOOD, "sets": GOOD["sets"][:1]})  # type: ignore[index]
    assert answer.status_code == 422
    assert answer.json()["set"] == 1


def test_a_withdrawn_annotation_answers_that_nothing_is_to_be_scored(
    screen: Panel, project: Project, store: Store, annotator: User
) -> None:
    work = first(screen, project)
    annotate_work.reopen_last(store, annotator, project.id)
    answer = screen.post("save", review=work["review"], revision=0, scores=GOOD)
    assert answer.status_code == 410
    assert "This annotation isn't under review any more." in answer.json()["error"]


def test_an_annotator_cannot_use_these_routes(
    database: Path, store: Store, screen: Panel, project: Project, annotator: User
) -> None:
    work = first(screen, project)
    token = accounts.sign_in_as(store, annotator.name, is_demonstration=True)
    other = Panel(screen.client, token, accounts.session_of(store, token).csrf, "review")
    assert other.get(f"next?project={project.id}").status_code == 403
    assert other.post("submit", review=work["review"], revision=0, scores=GOOD).status_code == 403


def test_my_reviews_are_listed_with_what_became_of_them(screen: Panel, project: Project) -> None:
    work = first(screen, project)
    screen.post("submit", review=work["review"], revision=0, scores=WEAK)
    answer = screen.get(f"mine?project={project.id}").json()
    [row] = answer["rows"]
    assert (answer["total"], row["key"], row["state"]) == (1, "t1", "returned")
    assert row["scored"][1] == ("Set B: sufficiency score 2 (not sure), compactness score 4 (concise), “too short”")
    assert row["lines"] == ["Set B fell short. Sufficiency score: 1 × not sure."]
    assert screen.get(f"mine?project={project.id}&state=returned&words=SOUP").json()["total"] == 1
    assert screen.get(f"mine?project={project.id}&words=bread").json()["total"] == 0


def test_a_skipped_review_answers_what_is_next(screen: Panel, project: Project, store: Store, annotator: User) -> None:
    hand_in(store, annotator, project, *SETS)
    work = first(screen, project)
    assert screen.post("skip", review=work["review"]).json()["next"]["work"]["instance"]["key"] == "t2"


def test_a_message_without_the_token_is_refused(screen: Panel, project: Project) -> None:
    work = first(screen, project)
    screen.headers.pop("X-CSRF-Token")
    assert screen.post("submit", review=work["review"], revision=0, scores=GOOD).status_code == 403


def test_nothing_of_a_text_that_one_may_still_be_given_reaches_the_browser(
    database: Path, store: Store, screen: Panel, make_project: Callable[..., Project], import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:  # fmt: skip
    project = make_project(name="Double", annotators_per_instance=2, reviewers_per_annotation=1)
    import_rows(project, [{"id": "d1", "text": "Zebras never smiled and the soup was cold.", "label": "negative"}])
    ann, ben = (add_person(name, project, "annotator", "reviewer") for name in ("ann", "ben"))
    hand_in(store, ann, project, *SETS)
    annotation = store.value("SELECT annotation_id FROM rounds WHERE project_id = ?", (project.id,))
    token = accounts.sign_in_as(store, ben.name, is_demonstration=True)
    other = Panel(screen.client, token, accounts.session_of(store, token).csrf, "review")
    queue, address = (
        other.get(f"next?project={project.id}"),
        other.get(f"next?project={project.id}&annotation={annotation}"),
    )
    assert (queue.status_code, queue.json()["work"], address.status_code) == (200, None, 403)
    assert "Others' marks are hidden while you can still annotate this text." in address.json()["error"]
    for answer in (queue, address, other.get(f"mine?project={project.id}")):
        assert "Zebras" not in answer.text
        assert "spans" not in answer.text
