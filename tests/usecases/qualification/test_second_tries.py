"""A second try: texts whose gold was not seen in the first come before those that were."""

from annotator.domain.people import User
from annotator.domain.project.qualification import SPOILINGS
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.qualification.exercises import add_exercise, begin_attempt
from annotator.store.qualification.rules import get_item
from annotator.usecases.qualification.attempts import _drawn
from annotator.usecases.qualification.items import instances_of_keys, pick, picked_but_off
from tests.usecases.qualification.conftest import KEYS, SetRules


def test_a_reviewer_scores_new_texts_before_those_that_came_worsened_in_another_way(
    store: Store, project: Project, lead: User, rules: SetRules, add_person
) -> None:
    pick(store, lead, project, "reviewers", instances_of_keys(store, project, KEYS), SPOILINGS)
    number = rules("reviewers", texts=2)
    for person in range(8):
        user_id = add_person(f"rex{person}", project, "reviewer").id or 0
        drawn = _drawn(store, project.id, "reviewers", user_id, 1)[:2]
        attempt = begin_attempt(store, project.id, "reviewers", user_id, number, drawn)
        first = {get_item(store, item).instance_id for item in drawn}
        for item in drawn:
            add_exercise(store, project.id, user_id, item, get_item(store, item).instance_id, attempt.id, "passed over")
        again = _drawn(store, project.id, "reviewers", user_id, 2)[:2]
        assert not first & {get_item(store, item).instance_id for item in again}


def test_a_training_with_texts_that_is_off_is_named_until_it_is_on(
    store: Store, project: Project, lead: User, training: SetRules
) -> None:
    assert picked_but_off(store, lead, project.id) == []
    training(is_on=False)
    assert picked_but_off(store, lead, project.id) == ["annotators"]
