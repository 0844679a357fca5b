"""Half-time for the lead: each annotator's texts by how they stand, the reviewers, and the pace of the last days."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotator.domain.instances import Draft
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.reviews import Scores, SetScore
from annotator.errors import NotAllowed
from annotator.store import Store
from annotator.store.annotate.assignments import give_up_work_of
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.talk import Subject, begin
from annotator.usecases.lead.decisions import decide, open_proposals
from annotator.usecases.lead.progress import AnnotatorProgress, ReviewerProgress, WorkProgress, work_progress
from annotator.usecases.project.projects import change_project
from annotator.usecases.review import reviews
from tests.clock import pass_time
from tests.usecases.review.test_reviews import A, B, annotate, score

GOOD, POOR = Scores((SetScore(3, 4),), 3), Scores((SetScore(1, 1),), 1)


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Nine texts; one reviewer scores each annotation."""
    made = make_project(reviewers_per_annotation=1)
    text = "The staff never smiled and the soup was cold."
    import_rows(made, [{"id": f"t{n}", "text": text, "label": "negative"} for n in range(9)])
    return made


@pytest.fixture
def rita(add_person: Callable[..., User], project: Project) -> User:
    return add_person("rita", project, "reviewer")


def of(found: WorkProgress, name: str) -> AnnotatorProgress:
    return next(one for one in found.annotators if one.name == name)


def reviewer(found: WorkProgress, name: str) -> ReviewerProgress:
    return next(one for one in found.reviewers if one.name == name)


def skip_one(store: Store, user: User, project: Project) -> None:
    work = annotate_work.next_work(store, user, project.id).work
    assert work is not None
    annotate_work.skip(store, user, work.assignment.id)


def test_each_text_of_an_annotator_counts_once_as_it_stands_and_the_parts_add_up(
    store: Store, project: Project, annotator: User, lead: User, rita: User
) -> None:
    for scores in (GOOD, GOOD, POOR):  # t0 and t1 accepted, t2 returned
        annotate(store, annotator, project, A)
        score(store, rita, project, scores)
    annotate(store, annotator, project, A, B)  # what was returned comes first: t2 again
    score(store, rita, project, Scores((SetScore(1, 1), SetScore(1, 1)), 1))  # returned again
    with store.transaction():
        give_up_work_of(store, annotator)  # and left for too long: it is nobody's now
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    annotate_work.propose_discard(store, annotator, work.assignment.id, "broken text")
    [(proposal, _)] = open_proposals(store, lead, project.id)
    decide(store, lead, proposal.id, "discard")
    annotate(store, annotator, project, A)
    skip_one(store, annotator, project)
    with store.transaction():
        give_up_work_of(store, annotator)  # what was leased ahead
    found = of(work_progress(store, lead, project), annotator.name)
    assert found.standings == {"accepted": 2, "submitted": 1, "skipped": 1, "discarded": 1}
    assert found.n_texts == 5


@pytest.mark.parametrize("by", ["reviewer", "lead"])
def test_the_last_submission_is_one_that_came_back_where_all_did(
    store: Store, project: Project, annotator: User, lead: User, rita: User, by: str
) -> None:
    if by == "lead":
        project = change_project(
            store, lead, replace(project, settings=replace(project.settings, result_mode="contest"))
        )
    annotate(store, annotator, project, A, result="positive" if by == "lead" else "negative")
    if by == "lead":
        [(proposal, _)] = open_proposals(store, lead, project.id)
        decide(store, lead, proposal.id, "keep")
    else:
        score(store, rita, project, POOR)
    pass_time(store, days=2.5)
    annotate_work.next_work(store, annotator, project.id)  # it is with them again
    assert of(work_progress(store, lead, project), annotator.name).days_since == 2


def test_what_waits_for_the_lead_is_counted_there_and_not_as_under_review(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    annotate_work.propose_discard(store, annotator, work.assignment.id, "broken text")
    with store.transaction():
        give_up_work_of(store, annotator)
    assert of(work_progress(store, lead, project), annotator.name).standings == {"held": 1}


def test_a_reviewer_is_told_with_what_they_gave_what_waits_for_them_their_time_and_their_last_day(
    store: Store, project: Project, annotator: User, lead: User, rita: User, add_person: Callable[..., User]
) -> None:
    add_person("rob", project, "reviewer")
    for n, milliseconds in enumerate((20_000, 0, 40_000)):  # the time of one is not known
        annotate(store, annotator, project, A)
        work = reviews.next_review(store, rita, project.id).work
        assert work is not None, n
        reviews.submit_review(store, rita, work.review.id, 0, GOOD, milliseconds)
    pass_time(store, days=2.5)
    annotate(store, annotator, project, A)
    found = work_progress(store, lead, project)
    assert reviewer(found, "rita") == ReviewerProgress("rita", 3, 1, 30.0, 2, 2)
    assert reviewer(found, "rob") == ReviewerProgress("rob", 0, 1, None, None)


def test_a_lead_is_a_reviewer_once_they_have_reviewed(
    store: Store, project: Project, annotator: User, lead: User
) -> None:
    assert work_progress(store, lead, project).reviewers == ()
    annotate(store, annotator, project, A)
    with store.transaction():
        for number in range(1, 9):
            store.run("UPDATE instances SET state = 'complete', open_slots = 0 WHERE key = ?", (f"t{number}",))
    score(store, lead, project, GOOD)
    assert [one.name for one in work_progress(store, lead, project).reviewers] == ["lea"]


def test_the_pace_is_of_the_last_days_and_work_that_waits_for_scores_is_not_done(
    store: Store, project: Project, annotator: User, lead: User, rita: User
) -> None:
    annotate(store, annotator, project, A)
    score(store, rita, project, GOOD)
    pass_time(store, days=3.5)  # all of it lies before the last three days ...
    found = work_progress(store, lead, project)
    assert (found.submitted.n, found.done.n, found.done.n_days, found.done.n_left) == (0, 0, 3, 8)
    for n in range(6):  # ... and now all but the first
        annotate(store, annotator, project, A)
        if n < 5:
            score(store, rita, project, GOOD)
    pass_time(store, hours=9)
    found = work_progress(store, lead, project)
    assert (found.submitted.n, found.done.n, found.done.n_days) == (6, 5, 3)
    assert found.pace == "2 submissions per day and 1.7 texts done per day over the last 3 days."


def test_texts_that_came_with_a_file_as_done_make_no_pace(
    store: Store,
    make_project: Callable[..., Project],
    import_rows: Callable[..., object],
    add_person: Callable[..., User],
) -> None:
    project = make_project()
    rows = [{"id": f"t{n}", "text": "Never again.", "label": "negative", "rationales": [[[0, 1]]]} for n in range(9)]
    import_rows(project, rows)
    found = work_progress(store, add_person("lea", project, "lead"), project)
    assert (found.annotators, found.done.n, found.done.n_left) == ((), 0, 0)


def test_an_annotator_and_a_reviewer_do_not_see_how_far_the_others_are(
    store: Store, project: Project, annotator: User, rita: User
) -> None:
    for person in (annotator, rita):
        with pytest.raises(NotAllowed):
            work_progress(store, person, project)


def test_a_draft_counts_as_in_progress(store: Store, project: Project, annotator: User, lead: User) -> None:
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    annotate_work.save_draft(store, annotator, work.assignment.id, 0, Draft(sets=(A,)))
    assert of(work_progress(store, lead, project), annotator.name).standings["leased"] >= 1


def test_everybody_with_a_role_stands_somewhere_with_their_last_activity(
    store: Store, project: Project, annotator: User, lead: User, add_person: Callable[..., User]
) -> None:
    add_person("new", project, "annotator")
    annotate(store, annotator, project, A)
    pass_time(store, days=3.5)
    annotate_work.next_work(store, annotator, project.id)  # taking a text is no submission
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    annotate_work.save_draft(store, annotator, work.assignment.id, work.assignment.revision, Draft("negative", (A,)))
    pass_time(store, days=1)
    progress = work_progress(store, lead, project)
    assert (of(progress, annotator.name).days_since, of(progress, annotator.name).days_since_active) == (4, 1)
    assert [(person.name, person.roles, person.days_since_active) for person in progress.others] == [
        ("new", ("annotator",), None)
    ]
    about = Subject("instance", None, None, "")
    begin(store, annotator, project.id, work.instance.id, about, "What is meant here?", to_lead=True)
    assert of(work_progress(store, lead, project), annotator.name).days_since_active == 0
