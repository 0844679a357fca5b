"""What nobody may do any more: rounds that want more reviewers than are left, free texts that can be given to nobody."""

from collections.abc import Callable

import pytest

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.store import Store
from annotator.store.annotate.visibility import note_shown
from annotator.store.people import set_disabled
from annotator.store.project.open_work import (
    ReviewersLeft,
    reviewers_left,
    rounds_without_reviewers,
    texts_without_annotators,
)
from tests.store.handed_in import begin_review, hand_in, instance_of, number_of

People = Callable[..., User]
REVIEWING, ANNOTATING = ("reviewer",), ("annotator",)


@pytest.fixture
def project(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Two texts, which two people annotate; two score each annotation."""
    made = make_project(reviewers_per_annotation=2, annotators_per_instance=2)
    import_rows(made, [{"id": f"t{n}", "text": f"text {n} is short", "label": "negative"} for n in (1, 2)])
    return made


def test_a_round_is_stuck_until_as_many_reviewers_are_left_as_it_wants(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    annotation_id = hand_in(store, project, "t1", annotator)
    assert rounds_without_reviewers(store, project.id, REVIEWING) == [annotation_id]
    rita = add_person("rita", project, "reviewer")
    assert rounds_without_reviewers(store, project.id, REVIEWING) == [annotation_id]
    add_person("ron", project, "reviewer")
    assert rounds_without_reviewers(store, project.id, REVIEWING) == []
    begin_review(store, project, annotation_id, rita)  # she has it, so it wants one more, and one is left
    assert rounds_without_reviewers(store, project.id, REVIEWING) == []


def test_whoever_annotates_a_text_is_no_reviewer_of_it_and_whoever_is_disabled_of_none(
    store: Store, project: Project, add_person: People
) -> None:
    both = add_person("ann", project, "annotator", "reviewer")
    rita, _ = (add_person(name, project, "reviewer") for name in ("rita", "ron"))
    annotation_id = hand_in(store, project, "t1", both)
    assert rounds_without_reviewers(store, project.id, REVIEWING) == []
    with store.transaction():
        set_disabled(store, rita, is_disabled=True)
    assert rounds_without_reviewers(store, project.id, REVIEWING) == [annotation_id]
    assert rounds_without_reviewers(store, project.id, REVIEWING, at_most=0) == []


def test_of_a_round_those_count_now_who_can_no_longer_be_given_the_text_and_later_the_others_too(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    annotation_id = hand_in(store, project, "t1", annotator)
    add_person("rita", project, "reviewer")
    add_person("both", project, "annotator", "reviewer")
    left = reviewers_left(store, project.id, [annotation_id], REVIEWING, ANNOTATING)
    assert left == {annotation_id: ReviewersLeft(2, 1, 1)}
    assert reviewers_left(store, project.id, [], REVIEWING, ANNOTATING) == {}


def test_a_free_text_is_stuck_once_all_who_annotate_were_shown_others_sets_of_it(
    store: Store, project: Project, annotator: User, add_person: People
) -> None:
    text = instance_of(store, project, "t1")
    ben = add_person("ben", project, "annotator")
    for person, stuck in ((annotator, []), (ben, [text])):
        with store.transaction():
            note_shown(store, text, number_of(person))
        assert texts_without_annotators(store, project.id, ANNOTATING) == stuck
    add_person("cleo", project, "annotator")
    assert texts_without_annotators(store, project.id, ANNOTATING) == []
