"""What waits for a person, over all their projects."""

from collections.abc import Callable
from dataclasses import replace

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.store import Store
from annotator.store.jobs import add_job, claim_job, end_job
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.talk import answer, begin, talk_of
from annotator.usecases.project.projects import change_project
from annotator.usecases.releases.frozen_gold import freeze_gold
from annotator.usecases.review.rounds import decide_round
from annotator.usecases.start.overview import QUIET_DAYS, LeadWork, OwnWork, ProjectWork, overview
from tests.clock import pass_time
from tests.usecases.review.test_reviews import annotate

People = Callable[..., User]
A = RationaleSet.of((0, 2))


def work_in(store: Store, user: User, project: Project) -> ProjectWork:
    projects, _ = overview(store, user)
    return next(work for work in projects if work.project.id == project.id)


def test_an_annotator_sees_what_is_left_and_nothing_of_the_lead(
    store: Store, project: Project, annotator: User
) -> None:
    work = work_in(store, annotator, project)
    assert work.mine == OwnWork(n_to_annotate=4)
    assert work.lead == LeadWork()


def test_texts_that_came_back_are_named(store: Store, make_project, import_rows, add_person: People) -> None:
    project = make_project(reviewers_per_annotation=1)
    import_rows(project, [{"id": "t1", "text": "Never again.", "label": "negative"}])
    ann = add_person("ann", project, "annotator")
    annotate(store, ann, project, RationaleSet.of((0, 1)))
    annotation_id = store.value("SELECT id FROM annotations")
    decide_round(store, LOCAL_OPERATOR, annotation_id, "returned", "one more word")
    mine = work_in(store, ann, project).mine
    assert (mine.n_returned, [text.key for text in mine.texts]) == (1, ["t1"])


def test_nobody_waits_for_a_lead_to_annotate(store: Store, project: Project, annotator: User, lead: User) -> None:
    assert not work_in(store, lead, project).waits
    annotate_work.next_work(store, lead, project.id)
    assert work_in(store, lead, project).mine.n_to_annotate > 0, "but what they have in hand is theirs"


def test_a_question_and_a_proposal_wait_since_they_were_made(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    subject = talk_of(store, annotator, project.id, work.instance.id).subjects[0]
    thread = begin(store, annotator, project.id, work.instance.id, subject, "Is a title part of it?", to_lead=True)
    asked_at = store.now()
    pass_time(store, days=3)
    annotate_work.propose_discard(store, annotator, work.assignment.id, "broken text")
    waiting = work_in(store, lead, project).lead
    assert waiting.questions is not None
    assert (waiting.questions.n, waiting.questions.since[:10]) == (1, asked_at[:10])
    assert waiting.decisions is not None
    assert waiting.decisions.since[:10] == store.now()[:10]
    answer(store, lead, thread, "Yes.")
    assert work_in(store, lead, project).lead.questions is None


def test_somebody_with_work_in_hand_is_quiet_after_some_days_and_not_before(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    annotate_work.note_seen(store, annotator, work.assignment.id, store.now())
    pass_time(store, days=QUIET_DAYS - 1)
    assert work_in(store, lead, project).lead.quiet == ()
    pass_time(store, days=2)
    (person,) = work_in(store, lead, project).lead.quiet
    assert (person.name, person.n_held) == ("annotator-a", 1)
    current = annotate_work.current_work(store, annotator, work.assignment.id).assignment
    annotate_work.save_draft(store, annotator, current.id, current.revision, current.draft)
    assert work_in(store, lead, project).lead.quiet == ()


def test_who_never_saw_what_was_leased_ahead_is_not_quiet(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    annotate_work.next_work(store, annotator, project.id)
    pass_time(store, days=QUIET_DAYS + 1)
    assert work_in(store, lead, project).lead.quiet == ()


def test_a_job_that_failed_waits_until_it_is_asked_for_again(store: Store, project: Project, lead: User) -> None:
    with store.transaction():
        add_job(store, project.id, "measure", "Metrics", "{}", lead)
        job = claim_job(store, 1)
        assert job is not None
        end_job(store, job.id, 1, "failed", "no memory")
    ((kind, failed),) = work_in(store, lead, project).lead.failed
    assert (kind, failed.n) == ("measure", 1)
    with store.transaction():
        add_job(store, project.id, "measure", "Metrics", "{}", lead)
    assert work_in(store, lead, project).lead.failed == ()


def test_people_who_are_missing_are_counted(store: Store, project: Project, annotator: User, lead: User) -> None:
    change_project(store, lead, replace(project, settings=replace(project.settings, annotators_per_instance=5)))
    assert work_in(store, lead, project).lead.n_missing_annotators == 4


def test_projects_are_paged(store: Store, project: Project, make_project, lead: User) -> None:
    for number in range(25):
        make_project(name=f"P{number}")
    first, total = overview(store, LOCAL_OPERATOR)
    second, _ = overview(store, LOCAL_OPERATOR, 2)
    assert (len(first), len(second), total) == (20, 6, 26)
    assert [work.project.id for work in overview(store, lead)[0]] == [project.id], "each sees their own"


def test_gold_moves_on_from_a_release_with_the_next_submission(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    annotate(store, annotator, project, A)
    licensed = change_project(store, lead, replace(project, licence="CC BY 4.0"))
    release = freeze_gold(store, lead, licensed, "1.0")
    assert work_in(store, lead, project).lead.release is None
    annotate(store, annotator, project, A)
    assert work_in(store, lead, project).lead.release == release
