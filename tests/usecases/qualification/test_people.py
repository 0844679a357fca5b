"""People in training: what waits for whom, second tries, what leads are told, and what raised rules mean for it."""

from dataclasses import replace

import pytest

from annotator.domain.people import User
from annotator.domain.project.qualification import SPOILINGS
from annotator.domain.projects import Project
from annotator.errors import NotAllowed
from annotator.language import speaking
from annotator.store import Store
from annotator.store.annotate.visibility import note_shown
from annotator.store.qualification.exercises import add_exercise, begin_attempt
from annotator.store.qualification.rules import get_item
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.my_work import waiting_counts
from annotator.usecases.crowd.visits import TrainingFirst, training_first
from annotator.usecases.lead.decisions import stuck_work
from annotator.usecases.project.projects import change_project, progress_of
from annotator.usecases.project.rules import effects_of_rules
from annotator.usecases.qualification.attempts import _drawn, answered_text, begin, end_feedback
from annotator.usecases.qualification.items import (
    count_picked,
    instances_of_keys,
    items_of,
    pick,
    picked_but_off,
    take_out,
)
from annotator.usecases.qualification.panel import next_text, submit
from annotator.usecases.qualification.people import allow, finishing_first
from annotator.usecases.review.reviews import next_review
from annotator.usecases.start.overview import LeadWork, OwnWork, overview
from tests.usecases.qualification.conftest import GOLD, KEYS, SetRules, hold, pick_keys
from tests.usecases.qualification.test_panel import POOR, answer, stage, try_with


def mine(store: Store, user: User) -> OwnWork:
    return overview(store, user)[0][0].mine


def led(store: Store, lead: User) -> LeadWork:
    return overview(store, lead)[0][0].lead


@pytest.mark.usefixtures("training")
def test_before_the_training_is_passed_no_text_waits_but_the_training_does(
    store: Store, project: Project, annotator: User
) -> None:
    assert waiting_counts(store, project, annotator)["waiting"] == 0
    work = mine(store, annotator)
    assert work.n_to_annotate == 0
    assert [(audience, training.stage, training.of) for audience, training in work.trainings] == [
        ("annotators", "begin", 2)
    ]
    begin(store, annotator, project, "annotators")
    answer(store, annotator, project, GOLD)
    ((_audience, training),) = mine(store, annotator).trainings
    assert (training.stage, training.number, training.of) == ("open", 2, 2)
    answer(store, annotator, project, GOLD)
    assert mine(store, annotator) == OwnWork(n_to_annotate=3), "as without a training"


def test_who_holds_a_text_when_training_begins_has_that_one_to_annotate(
    store: Store, project: Project, annotator: User, training: SetRules
) -> None:
    training(is_on=False)
    hold(store, annotator, project)
    training()
    assert mine(store, annotator).n_to_annotate == 2, "the text on the screen, and the next one behind it"


@pytest.mark.usefixtures("training")
def test_a_lead_reads_who_has_no_try_left_until_they_gave_another_one(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    assert led(store, lead).without_tries == ()
    while stage(store, annotator, project) != "failed":
        try_with(store, annotator, project, POOR)
    assert led(store, lead).without_tries == (annotator.name,)
    assert mine(store, annotator).trainings[0][1].stage == "failed"
    allow(store, lead, project, "annotators", annotator.name, "another try")
    assert led(store, lead).without_tries == ()


def test_nobody_is_named_where_training_was_switched_off_again(
    store: Store, project: Project, annotator: User, lead: User, training: SetRules
) -> None:
    while stage(store, annotator, project) != "failed":
        try_with(store, annotator, project, POOR)
    training(is_on=False)
    assert led(store, lead).without_tries == ()
    assert mine(store, annotator).trainings == ()


# What a lead is told of training: who goes on without having passed, and which texts count as all others do.


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
        "3 reservations of people who haven't passed come before training: ann (2) and bo (1)."
    )
    with speaking("zh"):
        assert finishing_first(store, lead, project, "annotators").startswith("尚未通过的人有 3 项预留的工作")
    training()
    allow(store, lead, project, "annotators", "ann", "let through")
    assert "annotators" not in finishing_first(store, lead, project, "reviewers")
    assert finishing_first(store, lead, project, "annotators") == (
        "1 reservation of people who haven't passed comes before training: bo (1)."
    )


def test_a_reviewer_who_scores_already_is_named_too(store: Store, project: Project, lead: User, add_person) -> None:
    settings = replace(project.settings, reviewers_per_annotation=1)
    project = change_project(store, lead, replace(project, settings=settings))
    ann, rex = add_person("ann", project, "annotator"), add_person("rex", project, "reviewer")
    held = hold(store, ann, project, "w1")
    annotate_work.submit(store, ann, held.assignment.id, held.assignment.revision, GOLD)
    next_review(store, rex, project.id)
    words = finishing_first(store, lead, project, "reviewers")
    assert words == "1 reservation of people who haven't passed comes before training: rex (1)."


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


def test_a_link_knows_the_training_that_comes_before_a_workers_first_text(
    store: Store, project: Project, lead: User, training: SetRules
) -> None:
    assert training_first(store, project.id) == TrainingFirst(n_texts=2, tries=2)
    for item in items_of(store, lead, project, "annotators"):
        take_out(store, lead, project, item.item.id)
    assert training_first(store, project.id) == TrainingFirst(n_texts=0, tries=2)
    training(is_on=False)
    assert training_first(store, project.id) is None


# More people a text: the lead reads before what becomes incomplete by it, and what training keeps.


def with_people(project: Project, annotators: int = 1, reviewers: int = 0) -> Project:
    settings = replace(project.settings, annotators_per_instance=annotators, reviewers_per_annotation=reviewers)
    return replace(project, settings=settings)


def test_complete_texts_gold_training_texts_and_checks_are_counted_before_more_annotators_are_wanted(
    store: Store, project: Project, lead: User, add_person
) -> None:
    add_person("ann", project, "annotator")
    pick_keys(store, lead, project, "annotators", "g1", "g2")
    pick_keys(store, lead, project, "checks", "g3")
    before = progress_of(store, lead, project.id)
    effects = effects_of_rules(store, lead, with_people(project, 2))
    assert effects == (
        "4 complete texts become incomplete (2 annotators per text).",
        "4 of them have gold, which may change.",
        "2 of them stay training texts.",
        "1 of them is a blind check, unused until complete.",
    )
    assert progress_of(store, lead, project.id) == before
    changed = change_project(store, lead, with_people(project, 2))
    assert progress_of(store, lead, project.id).n_done == before.n_done - 4
    assert [item.gold for item in items_of(store, lead, changed, "annotators")] == ["as picked", "as picked"]
    assert effects_of_rules(store, lead, with_people(changed, 1)) == ()
    with speaking("zh"):
        assert effects_of_rules(store, lead, with_people(changed, 3)) == ()


def test_texts_on_which_everybody_was_trained_are_told_as_stuck_before_they_are(
    store: Store, project: Project, lead: User, training: SetRules, add_person
) -> None:
    training(texts=4)
    ann = add_person("ann", project, "annotator")
    begin(store, ann, project, "annotators")
    while (work := next_text(store, ann, project.id).work) is not None:
        submit(store, ann, work.assignment, work.revision, GOLD)
        end_feedback_of(store, ann, project)
    assert "stuck" not in effects_of_rules(store, lead, with_people(project, 2))[-1]
    for number in instances_of_keys(store, project, KEYS):
        note_shown(store, number, lead.id or 0)  # leads may annotate as well, unless they looked at what others marked
    told = effects_of_rules(store, lead, with_people(project, 2))
    assert told[-1].startswith("4 of them would be stuck: nobody can annotate them. Add annotators under People.")
    changed = change_project(store, lead, with_people(project, 2))
    assert stuck_work(store, lead, changed).n_texts == 4


def end_feedback_of(store: Store, user: User, project: Project) -> None:
    answered = answered_text(store, user, project, "annotators")
    assert answered is not None
    end_feedback(store, user, answered.exercise.id)


def test_rounds_that_wait_want_more_scores_and_what_was_accepted_stays(
    store: Store, project: Project, lead: User, add_person
) -> None:
    project = change_project(store, lead, with_people(project, reviewers=1))
    ann = add_person("ann", project, "annotator")
    assert effects_of_rules(store, lead, with_people(project, reviewers=2)) == ()
    work = hold(store, ann, project, "w1")
    annotate_work.submit(store, ann, work.assignment.id, work.assignment.revision, GOLD)
    assert effects_of_rules(store, lead, with_people(project, reviewers=2)) == (
        "1 annotation in review will need 2 reviewers.",
        "Accepted annotations stay accepted.",
    )


# A second try: texts whose gold was not seen in the first come before those that were.


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
