"""What a lead is told of training: who goes on without having passed, and which texts count as all others do."""

from dataclasses import replace

import pytest

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import NotAllowed
from annotator.language import speaking
from annotator.store import Store
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.crowd.visits import TrainingFirst, training_first
from annotator.usecases.project.projects import change_project
from annotator.usecases.qualification.items import count_picked, items_of, take_out
from annotator.usecases.qualification.people import allow, finishing_first
from annotator.usecases.review.reviews import next_review
from tests.usecases.qualification.conftest import GOLD, SetRules, hold, pick_keys


def test_who_holds_texts_without_having_passed_is_named_with_how_many(
    store: Store, project: Project, lead: User, training: SetRules, add_person
) -> None:
    ann, bo = (add_person(name, project, "annotator") for name in ("ann", "bo"))
    training(is_on=False)
    assert finishing_first(store, lead, project, "annotators") == ""
    for key in ("w1", "w2"):
        hold(store, ann, project, key)
    hold(store, bo, project, "w3")
    assert finishing_first(store, lead, project, "annotators") == (
        "3 texts are held by those who have not passed, and are finished before the training: ann (2) and bo (1)."
    )
    with speaking("zh"):
        assert finishing_first(store, lead, project, "annotators").startswith("尚未通过的人手中有 3 篇文本")
    training()
    allow(store, lead, project, "annotators", "ann", "let through")
    assert "annotators" not in finishing_first(store, lead, project, "reviewers")
    assert finishing_first(store, lead, project, "annotators") == (
        "1 text is held by somebody who has not passed, and is finished before the training: bo (1)."
    )


def test_a_reviewer_who_scores_already_is_named_too(store: Store, project: Project, lead: User, add_person) -> None:
    settings = replace(project.settings, reviewers_per_annotation=1)
    project = change_project(store, lead, replace(project, settings=settings))
    ann, rex = add_person("ann", project, "annotator"), add_person("rex", project, "reviewer")
    held = hold(store, ann, project, "w1")
    annotate_work.submit(store, ann, held.assignment.id, held.assignment.revision, GOLD)
    next_review(store, rex, project.id)
    words = finishing_first(store, lead, project, "reviewers")
    assert words == "1 annotation is held by somebody who has not passed, and is finished before the training: rex (1)."


def test_complete_texts_that_are_picked_are_counted_once_whatever_they_are_for(
    store: Store, project: Project, lead: User, add_person
) -> None:
    pick_keys(store, lead, project, "annotators", "g1", "g2")
    pick_keys(store, lead, project, "checks", "g2", "g3")
    assert (count_picked(store, lead, project), count_picked(store, lead, project, "annotators")) == (3, 2)
    take_out(store, lead, project, items_of(store, lead, project, "annotators")[0].item.id)
    assert (count_picked(store, lead, project), count_picked(store, lead, project, "reviewers")) == (2, 0)
    ann = add_person("ann", project, "annotator")
    with pytest.raises(NotAllowed):
        count_picked(store, ann, project)


def test_a_door_knows_the_training_that_comes_before_a_workers_first_text(
    store: Store, project: Project, lead: User, training: SetRules
) -> None:
    assert training_first(store, project.id) == TrainingFirst(n_texts=2, tries=2)
    for item in items_of(store, lead, project, "annotators"):
        take_out(store, lead, project, item.item.id)
    assert training_first(store, project.id) == TrainingFirst(n_texts=0, tries=2)
    training(is_on=False)
    assert training_first(store, project.id) is None
