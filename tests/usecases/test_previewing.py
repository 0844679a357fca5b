"""What the built-in model answers to sets on the screen, and who may ask it."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotator.attribution.bag_of_words import BagOfWords
from annotator.attribution.base import Input
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.rationales import RationaleSet
from annotator.errors import NotAllowed, NotFound
from annotator.store import Store
from annotator.store.instances import find_instance_ids, get_instance
from annotator.usecases import marking
from annotator.usecases.built_in_model import built_in_model
from annotator.usecases.previewing import preview
from annotator.usecases.projects import change_project

SETS = [RationaleSet.of((0, 2), (4, 5)), RationaleSet.of((3, 4))]


@pytest.fixture
def trained(store: Store, project: Project) -> BagOfWords:
    return built_in_model(store, LOCAL_OPERATOR, project, "built-in", trains=True)


def opened_to(store: Store, project: Project, who: str) -> None:
    change_project(store, LOCAL_OPERATOR, replace(project, settings=replace(project.settings, model_previews=who)))


def test_each_answer_is_the_models_for_that_part_of_the_text(
    store: Store, project: Project, trained: BagOfWords
) -> None:
    [number] = find_instance_ids(store, project.id, "t1")
    shown = preview(store, LOCAL_OPERATOR, number, "negative", SETS)
    text = Input.of(get_instance(store, number))
    place = trained.labels.index("negative")

    def p(*tokens: int) -> float:
        import numpy as np

        mask = np.isin(np.arange(text.n_selectable), tokens)
        return float(trained.probabilities([text.kept(mask)])[0][place])

    assert shown["full"]["p"] == pytest.approx(p(*range(10)), abs=1e-4)
    assert shown["rest"]["p"] == pytest.approx(p(2, 5, 6, 7, 8, 9), abs=1e-4)
    assert shown["sets"][0]["p"] == pytest.approx(p(0, 1, 4), abs=1e-4)
    assert shown["sets"][0]["less"] == [
        [0, pytest.approx(p(1, 4), abs=1e-4)],
        [1, pytest.approx(p(0, 4), abs=1e-4)],
        [4, pytest.approx(p(0, 1), abs=1e-4)],
    ]
    assert shown["sets"][1]["less"] == []  # a set of one token has nothing to spare


def test_annotators_may_ask_only_about_what_they_hold_and_only_where_the_lead_says_so(
    store: Store, project: Project, trained: BagOfWords, annotator: User
) -> None:
    work = marking.next_work(store, annotator, project.id).work
    assert work is not None
    number = work.assignment.instance_id
    with pytest.raises(NotAllowed, match="the lead may open them"):
        preview(store, annotator, number, None, SETS)
    opened_to(store, project, "annotators")
    assert preview(store, annotator, number, None, SETS)["label"] in {"negative", "positive"}
    [other] = find_instance_ids(store, project.id, "t4")
    with pytest.raises(NotAllowed):
        preview(store, annotator, other, None, SETS)
    opened_to(store, project, "nobody")
    with pytest.raises(NotAllowed, match="switched the model's answers off"):
        preview(store, LOCAL_OPERATOR, number, None, SETS)


def test_without_a_trained_model_one_is_told_how_to_have_one(
    store: Store, project: Project, add_person: Callable[..., User]
) -> None:
    [number] = find_instance_ids(store, project.id, "t1")
    with pytest.raises(NotFound, match="annotator attribute --project 'Project' --model built-in"):
        preview(store, add_person("lead", project, "lead"), number, None, SETS)
