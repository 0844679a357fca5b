"""What stands below the words on the Saliency page: gold under any policy, or everybody's own sets, to whom they are open."""

from collections.abc import Callable

import pytest

from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.errors import InvalidValue
from annotator.store import Store
from annotator.store.annotate.visibility import standing
from annotator.store.instances import find_instance_ids
from annotator.usecases.inspect.saliency import read_asked_gold, show_instance, show_partner
from tests.usecases.review.test_reviews import annotate

TEXT = "The staff never smiled and the soup was cold."
CROWD = {
    "id": "crowd",
    "fields": {"text": {"text": TEXT, "tokens": TEXT.split()}},
    "label": "negative",
    "annotations": [
        {"annotator": "w-1", "rationales": [{"text": [0, 1]}], "label": "negative", "group": "G1", "age": 30},
        {"annotator": "w-2", "rationales": [{"text": [1]}, {"text": [6]}], "label": "positive", "group": "G2"},
        {"annotator": "w-3", "rationales": [], "label": "negative", "group": "G1"},
    ],
}


@pytest.fixture
def crowd(
    make_project: Callable[..., Project], import_rows: Callable[..., object], store: Store
) -> tuple[Project, int]:
    """A text that three people of a file annotated; the third marked nothing."""
    project = make_project(gold_policy="union", may_be_empty=True)
    import_rows(project, [CROWD])
    return project, find_instance_ids(store, project.id, "crowd")[0]


def test_everybody_has_their_own_sets_with_their_label_and_what_the_file_says_of_them(store: Store, crowd) -> None:
    shown = show_instance(store, LOCAL_OPERATOR, crowd[1], [], "people")
    assert shown.people is not None
    assert [(p.name, p.label, p.facts, p.sets) for p in shown.people] == [
        ("w-1", "negative", ("G1", "30"), ((0, 1),)),
        ("w-2", "positive", ("G2",), ((1,), (6,))),
        ("w-3", "negative", ("G1",), ()),
    ]
    assert shown.gold == ()
    assert show_instance(store, LOCAL_OPERATOR, crowd[1], []).people is None


def test_gold_under_another_policy_is_shown_without_changing_the_projects(store: Store, crowd) -> None:
    _, number = crowd
    assert show_instance(store, LOCAL_OPERATOR, number, []).gold == ((0, 1),)  # the union of who agrees on the label
    assert show_instance(store, LOCAL_OPERATOR, number, [], "majority").gold == ()
    shown = show_instance(store, LOCAL_OPERATOR, number, [], "all")
    assert (shown.gold, shown.policy) == (((0, 1),), "union")


def test_whoever_does_not_see_all_annotations_is_told_numbers_and_their_own_name(
    store: Store, crowd, add_person: Callable[..., User]
) -> None:
    project, number = crowd
    ria = add_person("ria", project, "researcher")
    shown = show_instance(store, ria, number, [], "people")
    assert shown.people is not None
    assert [(p.name, p.is_named, p.is_numbered) for p in shown.people] == [
        ("annotator 1", False, True),
        ("annotator 2", False, True),
        ("annotator 3", False, True),
    ]
    assert [p.facts for p in shown.people] == [("G1", "30"), ("G2",), ("G1",)]


def test_names_that_a_file_counts_anew_in_each_text_are_told_from_names(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    annotations = [
        {**person, "annotator": name} for person, name in zip(CROWD["annotations"], ("mask 1", "w-2"), strict=False)
    ]
    project = make_project(may_be_empty=True)
    import_rows(project, [CROWD | {"annotations": annotations}])
    shown = show_instance(store, LOCAL_OPERATOR, find_instance_ids(store, project.id, "crowd")[0], [], "people")
    assert shown.people is not None
    assert [(p.name, p.is_numbered) for p in shown.people] == [("mask 1", True), ("w-2", False)]


@pytest.fixture
def reviewed(make_project, import_rows, store: Store, add_person) -> tuple[Project, int, dict[str, User]]:
    """A text that ann has submitted and nobody reviewed yet; room for one more annotator."""
    project = make_project(annotators_per_instance=2, reviewers_per_annotation=1)
    import_rows(project, [{"id": "t1", "text": TEXT, "label": "negative"}])
    people = {
        name: add_person(name, project, *roles)
        for name, *roles in (
            ("ann", "annotator", "researcher"),
            ("ben", "annotator", "researcher"),
            ("ria", "researcher"),
            ("lea", "lead"),
        )
    }
    annotate(store, people["ann"], project, RationaleSet.of((0, 2)))
    return project, find_instance_ids(store, project.id, "t1")[0], people


def test_submitted_sets_are_shown_to_leads_and_to_researchers_where_the_rules_say_so(store: Store, reviewed) -> None:
    _, number, people = reviewed
    shown = show_instance(store, people["lea"], number, [], "people")
    assert shown.people is not None
    assert [(p.name, p.is_accepted, p.is_own) for p in shown.people] == [("ann", False, False)]
    assert show_instance(store, people["ria"], number, [], "people").people == ()


def test_peoples_sets_are_closed_to_whoever_may_still_be_given_the_text(
    store: Store, make_project, import_rows, add_person
) -> None:
    project = make_project(annotators_per_instance=2)
    import_rows(project, [{"id": "t1", "text": TEXT, "label": "negative"}])
    ann, ben = (add_person(name, project, "annotator", "researcher") for name in ("ann", "ben"))
    annotate(store, ann, project, RationaleSet.of((0, 2)))
    [number] = find_instance_ids(store, project.id, "t1")
    shown = show_instance(store, ben, number, [], "people")
    assert shown.people == ()
    assert shown.withheld.startswith("You may still be given this text")
    assert not standing(store, number, ben.id or 0).was_shown
    own = show_instance(store, ann, number, [], "people")
    assert own.people is not None
    assert [(p.name, p.is_own) for p in own.people] == [("ann", True)]


def test_whoever_saw_peoples_sets_is_noted(store: Store, reviewed) -> None:
    _, number, people = reviewed
    show_instance(store, people["lea"], number, [], "people")
    assert standing(store, number, people["lea"].id or 0).was_shown


def test_a_changed_version_beside_the_text_has_its_own_people(store: Store, crowd, import_rows) -> None:
    project, number = crowd
    row = {"id": "less", "text": "cold soup", "label": "negative", "rationales": [[[0, 1]]], "parent": "crowd"}
    import_rows(project, [row | {"perturbation_kind": "synonym"}])
    [less] = find_instance_ids(store, project.id, "less")
    shown = show_partner(store, LOCAL_OPERATOR, number, less, [], "people")
    assert shown.people is not None
    assert [(p.name, p.sets) for p in shown.people] == [("gold", ((0,),))]


@pytest.mark.parametrize("asked", ["", "chosen", "all", "majority", "union", "people"])
def test_an_address_names_a_policy_or_people(asked: str) -> None:
    assert read_asked_gold(asked) == asked


def test_an_address_that_names_neither_is_refused_with_what_there_is() -> None:
    with pytest.raises(InvalidValue, match="chosen, all, majority, union, people; it is 'somebody'"):
        read_asked_gold("somebody")
