"""The lead's view of rounds that wait, and whether there are enough people who may review."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import NotAllowed
from annotator.store import Store
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.lead.decisions import PAGE_SIZE, decide, list_undecided_rounds, open_proposals
from annotator.usecases.project.projects import change_project, missing_annotators, missing_reviewers, progress_of
from annotator.usecases.review import reviews
from annotator.usecases.review.rounds import decide_round
from tests.usecases.review.test_reviews import annotate, score

People = Callable[..., User]
A = RationaleSet.of((0, 2))


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    made = make_project(reviewers_per_annotation=2)
    text = "The staff never smiled and the soup was cold."
    import_rows(made, [{"id": f"t{n}", "text": text, "label": "negative"} for n in range(1, PAGE_SIZE + 3)])
    return made


def test_waiting_rounds_are_listed_oldest_first_with_who_has_scored_and_what_is_missing(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    reviewer, other = add_person("reviewer-1", project, "reviewer"), add_person("reviewer-2", project, "reviewer")
    annotate(store, annotator, project, A)
    annotate(store, annotator, project, A)
    score(store, reviewer, project)
    reviews.next_review(store, other, project.id)
    first, second = list_undecided_rounds(store, LOCAL_OPERATOR, project)
    assert (first.instance.key, first.annotator, first.wanted) == ("t1", "annotator-a", 2)
    assert first.scored == ("reviewer-1 · set A: sufficiency 3, compactness 4; comprehensiveness 3",)
    assert (first.n_scored, first.about, replace(first, scoring=()).about) == (1, "reviewer-2 scoring now", "")
    assert (second.scored, second.scoring) == ((), ("reviewer-1",))
    decide_round(store, LOCAL_OPERATOR, first.round.annotation_id, "returned", "too long ago")
    assert [one.instance.key for one in list_undecided_rounds(store, LOCAL_OPERATOR, project)] == ["t2"]
    assert progress_of(store, LOCAL_OPERATOR, project.id).n_open_rounds == 1


def test_what_lies_with_the_lead_does_not_wait_for_reviewers(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    two = change_project(
        store, LOCAL_OPERATOR, replace(project, settings=replace(project.settings, annotators_per_instance=2))
    )
    annotate(store, annotator, two, A)
    assert progress_of(store, LOCAL_OPERATOR, two.id).n_open_rounds == 1
    other = add_person("annotator-b", two, "annotator")
    work = annotate_work.next_work(store, other, two.id).work
    assert work is not None
    assert work.instance.key == "t1"
    annotate_work.propose_discard(store, other, work.assignment.id, "other", "unreadable")
    assert progress_of(store, LOCAL_OPERATOR, two.id).n_open_rounds == 0
    assert list_undecided_rounds(store, LOCAL_OPERATOR, two) == []
    [(proposal, _instance)] = open_proposals(store, LOCAL_OPERATOR, two.id)
    decide(store, LOCAL_OPERATOR, proposal.id, "keep")
    assert len(list_undecided_rounds(store, LOCAL_OPERATOR, two)) == 1


def test_waiting_rounds_are_paged(store: Store, project: Project, annotator: User) -> None:
    for _ in range(PAGE_SIZE + 2):
        annotate(store, annotator, project, A)
    assert progress_of(store, LOCAL_OPERATOR, project.id).n_open_rounds == PAGE_SIZE + 2
    assert [one.instance.key for one in list_undecided_rounds(store, LOCAL_OPERATOR, project, page=2)] == ["t11", "t12"]
    with pytest.raises(NotAllowed, match=r"can grant a role \("):
        list_undecided_rounds(store, annotator, project)


def test_too_few_people_who_may_review_are_counted(store: Store, project: Project, add_person: People) -> None:
    assert missing_reviewers(store, LOCAL_OPERATOR, project) == 0  # nobody annotates yet
    add_person("both", project, "reviewer", "annotator")
    assert missing_reviewers(store, LOCAL_OPERATOR, project) == 2  # whoever annotates a text does not review it
    add_person("lead", project, "lead", "reviewer")
    assert missing_reviewers(store, LOCAL_OPERATOR, project) == 1
    add_person("annotator", project, "annotator")
    assert missing_reviewers(store, LOCAL_OPERATOR, project) == 0
    settings = replace(project.settings, annotators_per_instance=2)
    project = change_project(store, LOCAL_OPERATOR, replace(project, settings=settings))
    assert missing_reviewers(store, LOCAL_OPERATOR, project) == 1


def test_nobody_is_missing_where_no_text_is_left_and_no_round_is_open(
    store: Store, project: Project, add_person: People
) -> None:
    ann = add_person("ann", project, "annotator")
    assert missing_reviewers(store, LOCAL_OPERATOR, project) == 2
    store.run("UPDATE instances SET state = 'complete'")
    assert (missing_reviewers(store, LOCAL_OPERATOR, project), missing_annotators(store, LOCAL_OPERATOR, project)) == (
        0,
        0,
    )
    store.run("UPDATE instances SET state = 'open'")
    annotate(store, ann, project, A)
    store.run("UPDATE instances SET state = 'complete'")
    assert missing_reviewers(store, LOCAL_OPERATOR, project) == 2, "the open round still needs its scores"


def test_nobody_is_missing_where_nothing_is_reviewed(store: Store, project: Project, add_person: People) -> None:
    for settings in (
        replace(project.settings, reviewers_per_annotation=0),
        replace(project.settings, result_mode="labels_only"),
    ):
        changed = change_project(store, LOCAL_OPERATOR, replace(project, settings=settings))
        assert missing_reviewers(store, LOCAL_OPERATOR, changed) == 0
    with pytest.raises(NotAllowed):
        missing_reviewers(store, add_person("reviewer", project, "reviewer"), project)
