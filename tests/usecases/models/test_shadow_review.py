"""A language model as a shadow reviewer: what it is asked, what is stored, and how far it agrees with people."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.cli.main import run
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.errors import ImportRefused, ModelError, NotAllowed
from annotator.jobs.worker import KINDS
from annotator.store import Store
from annotator.store.jobs import claim_job
from annotator.store.review.review_numbers import shadow_scores
from annotator.usecases.background import ask_to_explain_self
from annotator.usecases.lead.quality import quality_of
from annotator.usecases.models.self_explanations import SelfExplanationOptions
from annotator.usecases.models.shadow_review import shadow_review, shadow_review_summary
from annotator.usecases.persons.erasure import erase
from annotator.usecases.project import ends
from annotator.usecases.project.projects import create_project
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.file_import import import_file
from tests.language_model_server import ModelServer, saying, serving, status
from tests.usecases.review.test_reviews import project, return_then_accept, reviewers

__all__ = ["project", "reviewers"]
NAME = "small · shadow reviewer (prompt 1)"


def gives_scores(prompt: str) -> str:
    """A model that scores every set alike."""
    n_sets = len(re.findall(r"^Set [A-Z]: ", prompt, re.MULTILINE))
    return json.dumps({"sets": [{"sufficiency": 3, "compactness": 2}] * n_sets, "comprehensiveness": 3})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    with serving(saying(gives_scores)) as served:
        monkeypatch.setenv("ANNOTATOR_MODEL_ADDRESS", served.address)
        yield served


@pytest.fixture
def reviewed(store: Store, project: Project, annotator: User, reviewers: list[User]) -> None:
    """t1: returned, then accepted; t2: scored by one reviewer so far, which the model must not see."""
    return_then_accept(store, annotator, reviewers, project)


@pytest.mark.usefixtures("reviewed")
def test_decided_rounds_are_scored_once_in_the_reviewers_words_and_no_round_changes(
    store: Store, project: Project, lead: User, server: ModelServer
) -> None:
    before = quality_of(store, lead, project)
    report = shadow_review(store, LOCAL_OPERATOR, project, "small")
    assert (report.model, report.n_answers, report.n_left_out) == (NAME, 2, 0)
    assert shadow_review_summary(report).startswith(f"{NAME} scored 2 annotations.")
    first, _changed = server.prompts
    assert "Set A: “" in first
    assert "1 includes redundant tokens, 2 includes disturbances, 3 not sure, 4 concise" in first
    assert "one entry for each of 2 sets" in first
    assert set(shadow_scores(store, project.id)[NAME].values()) == {Scores((SetScore(3, 2), SetScore(3, 2)), 3)}
    after = quality_of(store, lead, project)
    assert (after.outcomes, after.scores, after.reviewers) == (before.outcomes, before.scores, before.reviewers)
    assert (before.shadows, set(after.shadows)) == ({}, {"sufficiency", "compactness", "comprehensiveness"})
    [compactness] = after.shadows["compactness"]
    assert (compactness.model, compactness.shadow.n) == (
        NAME,
        3,
    )  # two sets of the first round, the one that was changed
    again = shadow_review(store, LOCAL_OPERATOR, project, "small")
    assert (again.n_instances, len(server.prompts)) == (0, 2)


@pytest.mark.usefixtures("reviewed")
def test_an_answer_without_scores_of_every_set_is_left_out_and_a_server_that_fails_loses_nothing(
    store: Store, project: Project, server: ModelServer
) -> None:
    for nonsense in (
        '{"sets": [], "comprehensiveness": 3}',
        '{"sets": [{"sufficiency": 4, "compactness": 1}, {"sufficiency": 3, "compactness": 1}], "comprehensiveness": 3}',
        '{"sets": [{"sufficiency": 3}, {"sufficiency": 3}], "comprehensiveness": 3}',
        '{"sets": [{"sufficiency": Infinity, "compactness": 1}, {"sufficiency": NaN, "compactness": 1}], "comprehensiveness": 3}',
        '{"sets": [{"sufficiency": 1e999, "compactness": 1}, {"sufficiency": 2.5, "compactness": 1}], "comprehensiveness": 3}',
        "They are fine.",
    ):
        server.behaviour = saying(nonsense)
        report = shadow_review(store, LOCAL_OPERATOR, project, "small")
        assert report.reasons == {"answered without scores of all sets that could be read": 2}
    server.behaviour = status(500)
    assert shadow_review(store, LOCAL_OPERATOR, project, "small").n_left_out == 2
    assert shadow_scores(store, project.id) == {}
    server.behaviour = saying(gives_scores)
    assert shadow_review(store, LOCAL_OPERATOR, project, "small").n_answers == 2


@pytest.mark.usefixtures("reviewed")
def test_who_may_not_see_all_annotations_asks_no_model_for_scores(
    store: Store, project: Project, add_person: Callable[..., User], server: ModelServer
) -> None:
    researcher = add_person("rosa", project, "researcher")
    with pytest.raises(NotAllowed):
        shadow_review(store, researcher, project, "small")
    with pytest.raises(NotAllowed):
        ask_to_explain_self(store, researcher, project, "small", SelfExplanationOptions(), asks_scores=True)
    assert server.prompts == []


@pytest.mark.usefixtures("reviewed", "server")
def test_the_work_in_the_background_and_the_command_are_the_same(
    store: Store, project: Project, lead: User, capsys: pytest.CaptureFixture[str]
) -> None:
    job = ask_to_explain_self(store, lead, project, "small", SelfExplanationOptions(), asks_scores=True)
    assert job.title == "Shadow review by small"
    with store.transaction():
        assert claim_job(store, 1) is not None
    said = KINDS["attribute"](store, lead, project, job, lambda _done, _of: None)
    assert said.startswith(f"{NAME} scored 2 annotations.")
    command = ["--db", str(store.path)]
    assert run([*command, "shadow-review", "--project", project.name, "--model", "small"]) == 0
    assert capsys.readouterr().out.startswith(f"{NAME} scored 0 annotations.")
    assert run([*command, "stats", "--project", project.name, "--all"]) == 0
    assert NAME in capsys.readouterr().out


@pytest.mark.usefixtures("reviewed", "server")
def test_scores_go_with_the_annotation_of_a_person_who_is_erased_and_with_the_project(
    store: Store, project: Project, annotator: User
) -> None:
    shadow_review(store, LOCAL_OPERATOR, project, "small")
    erase(store, LOCAL_OPERATOR, annotator.name)
    assert shadow_scores(store, project.id) == {}
    ends.delete(store, LOCAL_OPERATOR, project.id, project.name)
    assert store.value("SELECT count(*) FROM shadow_scores") == 0


def test_without_anything_reviewed_nothing_is_asked(store: Store, project: Project, server: ModelServer) -> None:
    assert shadow_review(store, LOCAL_OPERATOR, project, "small").n_answers == 0
    assert server.prompts == []


@pytest.mark.usefixtures("reviewed")
def test_a_server_that_is_down_is_given_up(store: Store, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANNOTATOR_MODEL_ADDRESS", "http://127.0.0.1:9/v1")
    monkeypatch.setattr("annotator.usecases.models.self_explanations._GIVE_UP_ON_SERVER_AFTER", 2)
    with pytest.raises(ModelError, match="2 texts one after another could not be answered"):
        shadow_review(store, LOCAL_OPERATOR, project, "small")


@pytest.mark.usefixtures("reviewed", "server")
def test_scores_travel_with_our_own_export_and_those_of_another_number_of_sets_are_a_problem(
    store: Store, project: Project, tmp_path: Path
) -> None:
    shadow_review(store, LOCAL_OPERATOR, project, "small")
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, project, "jsonl", path)
    other = create_project(store, LOCAL_OPERATOR, "Other", project.task, labels=list(project.labels))
    import_file(store, LOCAL_OPERATOR, other, "jsonl", path)
    before, after = (list(shadow_scores(store, p.id)[NAME].values()) for p in (project, other))
    assert before == after
    assert quality_of(store, LOCAL_OPERATOR, other).shadows == quality_of(store, LOCAL_OPERATOR, project).shadows
    path.write_text(path.read_text().replace('"sets":[[3,2],[3,2]]}', '"sets":[[3,2]]}', 1))
    third = create_project(store, LOCAL_OPERATOR, "Third", project.task, labels=list(project.labels))
    with pytest.raises(ImportRefused):
        import_file(store, LOCAL_OPERATOR, third, "jsonl", path)
