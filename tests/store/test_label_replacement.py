"""Where a label is in use, and one label in the place of another: of one project alone, and all or nothing."""

from collections.abc import Callable

import pytest

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.domain.texts import RationaleSet
from annotator.store import Store
from annotator.store.annotate.annotations import add_annotation, annotations_of
from annotator.store.annotate.assignments import claim
from annotator.store.annotate.proposals import add_proposal
from annotator.store.instances import find_instance_ids
from annotator.store.project.label_replacement import (
    LabelUse,
    count_opposed,
    instances_with_label,
    label_use,
    replace_label,
)

NOWHERE = LabelUse(0, 0, 0, 0)
SET = (RationaleSet.of((0, 1)),)


@pytest.fixture
def twin(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Another project with the same labels, key and text."""
    made = make_project(name="Twin")
    import_rows(made, [{"id": "t1", "text": "The staff never smiled.", "label": "negative"}])
    return made


def first_of(store: Store, project: Project) -> int:
    return find_instance_ids(store, project.id, "t1")[0]


def results(store: Store, project: Project) -> list[str]:
    return [
        row[0] for row in store.rows("SELECT result FROM instances WHERE project_id = ? ORDER BY id", (project.id,))
    ]


def said_of(store: Store, project: Project) -> list[str | None]:
    first = first_of(store, project)
    return [said.result for said in annotations_of(store, [first])[first]]


def annotate(store: Store, project: Project, result: str) -> None:
    with store.transaction():
        add_annotation(store, first_of(store, project), "source", state="accepted", result=result, sets=SET)


def test_texts_annotations_and_open_proposals_use_a_label_each_in_its_own_project(
    store: Store, project: Project, twin: Project
) -> None:
    assert label_use(store, twin.id, "positive") == NOWHERE
    annotate(store, twin, "positive")
    assert label_use(store, twin.id, "positive") == LabelUse(0, 1, 0, 0)
    assert label_use(store, project.id, "positive") == LabelUse(2, 0, 0, 0)
    assert [row.key for row in instances_with_label(store, twin.id, "positive", 10)] == ["t1"]
    assert [row.key for row in instances_with_label(store, project.id, "positive", 10)] == ["t2", "t4"]
    assert [row.key for row in instances_with_label(store, project.id, "positive", 1)] == ["t2"]
    assert label_use(store, project.id, "no such label") == NOWHERE


def test_an_open_proposal_of_a_label_uses_it_and_stands_against_whoever_merges_both(
    store: Store, project: Project, twin: Project, add_person: Callable[..., User]
) -> None:
    ann = add_person("ann", twin, "annotator")
    with store.transaction():
        held = claim(store, twin.id, first_of(store, twin), ann.id or 0, "2200-01-01T00:00:00.000Z")
        add_proposal(store, twin.id, held.instance_id, held.id, "ann", "contest", "positive", "")
    assert label_use(store, twin.id, "positive") == LabelUse(0, 0, 1, 0)
    assert [row.key for row in instances_with_label(store, twin.id, "positive", 10)] == ["t1"]
    assert count_opposed(store, twin.id, "positive", "negative") == 1
    assert count_opposed(store, twin.id, "negative", "positive") == 1
    assert count_opposed(store, project.id, "negative", "positive") == 0
    with store.transaction():
        store.run("UPDATE proposals SET state = 'rejected', decided_by = 'lea', decided_at = ?", (store.now(),))
    assert label_use(store, twin.id, "positive") == NOWHERE
    assert count_opposed(store, twin.id, "positive", "negative") == 0


def test_a_replaced_label_is_nowhere_any_more_and_in_another_project_everything_stays(
    store: Store, project: Project, twin: Project
) -> None:
    annotate(store, project, "negative")
    annotate(store, twin, "negative")
    with store.transaction():
        replaced = replace_label(store, project.id, "negative", "positive")
    assert (replaced.instances, replaced.annotations) == (2, 1)
    assert label_use(store, project.id, "negative") == NOWHERE
    assert results(store, project) == ["positive"] * 4
    assert said_of(store, project) == ["positive"]
    assert results(store, twin) == ["negative"]
    assert said_of(store, twin) == ["negative"]


def test_a_replacement_that_is_undone_leaves_the_database_as_it_was(store: Store, project: Project) -> None:
    annotate(store, project, "negative")
    before = list(store.connection.iterdump())

    def replace_and_fail() -> None:
        with store.transaction():
            replace_label(store, project.id, "negative", "positive")
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError, match="stop"):
        replace_and_fail()
    assert list(store.connection.iterdump()) == before
