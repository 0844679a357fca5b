"""What waits for whom while a training stands before their work: on the start page, in the sidebar, for the lead."""

import pytest

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.usecases.annotate.my_work import waiting_counts
from annotator.usecases.qualification.attempts import begin
from annotator.usecases.qualification.people import allow
from annotator.usecases.start.overview import LeadWork, OwnWork, overview
from tests.usecases.qualification.conftest import GOLD, SetRules, hold
from tests.usecases.qualification.test_marked_texts import POOR, answer, stage, try_with


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
