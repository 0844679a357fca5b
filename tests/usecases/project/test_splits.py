"""Splits: what they would come to is told before anything is stored, as it then comes."""

from collections.abc import Callable

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import Conflict, InvalidValue
from annotator.store import Store
from annotator.usecases.project.projects import events_of, instances_of
from annotator.usecases.project.splits import preview_split, split_project

Make = Callable[..., Project]
Rows = Callable[..., object]

PARTS = "train=.5,test=.5"


def splits_of(store: Store, project: Project) -> dict[str, str]:
    return {row.key: row.split for row in instances_of(store, LOCAL_OPERATOR, project.id, limit=100)}


def test_what_a_split_would_come_to_is_told_by_label_and_nothing_is_stored(
    store: Store, make_project: Make, import_rows: Rows
) -> None:
    project = make_project()
    labels = ["negative"] * 5 + ["positive"] * 3
    import_rows(project, [{"id": f"t{n}", "text": f"Text {n}.", "label": label} for n, label in enumerate(labels)])
    before, events = splits_of(store, project), len(events_of(store, LOCAL_OPERATOR, project.id, limit=100, offset=0))
    preview = preview_split(store, LOCAL_OPERATOR, project, PARTS, seed=3)
    assert (preview.sizes, preview.n_leaks) == ({"train": 4, "test": 4}, 0)
    assert {label: sum(of.get(label, 0) for of in preview.labels.values()) for label in labels} == {
        "negative": 5, "positive": 3,
    }  # fmt: skip
    assert splits_of(store, project) == before
    assert len(events_of(store, LOCAL_OPERATOR, project.id, limit=100, offset=0)) == events
    assert split_project(store, LOCAL_OPERATOR, project, PARTS, seed=3) == preview


@pytest.mark.parametrize(("parts", "refusal"), [("train=.5,test=.6", InvalidValue), (PARTS, None), ("all=1", Conflict)])
def test_the_preview_refuses_what_the_storing_would(
    store: Store, make_project: Make, import_rows: Rows, parts: str, refusal: type[Exception] | None
) -> None:
    project = make_project()
    rows = [{"id": "a", "text": "One text.", "label": "negative"}]
    import_rows(project, rows, split="train")
    import_rows(project, [{**rows[0], "text": "Another text."}], split="test")
    if refusal is None:
        assert preview_split(store, LOCAL_OPERATOR, project, parts).sizes == {"train": 1, "test": 1}
        return
    with pytest.raises(refusal):
        preview_split(store, LOCAL_OPERATOR, project, parts)
