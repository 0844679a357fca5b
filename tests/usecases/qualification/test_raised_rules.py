"""More people a text: the lead reads before what becomes incomplete by it, and what training keeps."""

from dataclasses import replace

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.language import speaking
from annotator.store import Store
from annotator.store.annotate.visibility import note_shown
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.lead.decisions import stuck_work
from annotator.usecases.project.projects import change_project, progress_of
from annotator.usecases.project.rules import effects_of_rules
from annotator.usecases.qualification.attempts import answered_text, begin, end_feedback
from annotator.usecases.qualification.items import instances_of_keys, items_of
from annotator.usecases.qualification.panel import next_text, submit
from tests.usecases.qualification.conftest import GOLD, KEYS, SetRules, hold, pick_keys


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
        "4 complete texts become incomplete, since the rules then ask for 2 annotators a text.",
        "4 of them have gold. They keep it, and what others mark may change it.",
        "2 of them are training texts. They stay in the training with their gold.",
        "1 of them is a blind check. It is given to nobody as a check until it is complete again.",
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
    assert told[-1].startswith("4 of them would be stuck: everybody who may annotate has annotated them")
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
        "1 annotation that is in review then needs the scores of 2 reviewers.",
        "Annotations that were accepted before stay accepted.",
    )
