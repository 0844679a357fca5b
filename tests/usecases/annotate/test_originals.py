"""What an annotator of a changed version sees of its original: the text and the change, and nothing that anybody said of it."""

import json
from collections.abc import Callable
from dataclasses import asdict

import pytest

from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import NotAllowed, NotFound
from annotator.store import Store
from annotator.store.instances import discard, find_instance_ids
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.annotate.my_work import Work
from annotator.usecases.annotate.panel_messages import show_original, show_work

TEXT = "The plot is slow but the acting is superb ."
CHANGED = "The plot is slow and the acting is dire ."
Make = Callable[..., Project]
Rows = Callable[..., object]
People = Callable[..., User]


def row(key: str, text: str, label: str, **more: object) -> dict[str, object]:
    return {"id": key, "text": text, "tokens": text.split(), "label": label, **more}


@pytest.fixture
def pairs(make_project: Make, import_rows: Rows) -> Project:
    made = make_project(name="Pairs", may_be_empty=True)
    rows = [
        row("film", TEXT, "positive", rationales=[[[6, 9]]]),
        row("film-changed", CHANGED, "negative", parent_key="film", perturbation_kind="contrast"),
        row("lonely", "Well made .", "positive", parent_key="elsewhere", perturbation_kind="contrast"),
    ]
    import_rows(made, rows)
    return made


@pytest.fixture
def ann(pairs: Project, add_person: People) -> User:
    return add_person("Ann", pairs, "annotator")


def work_of(store: Store, person: User, project: Project, key: str | None = None) -> Work:
    wanted = None if key is None else find_instance_ids(store, project.id, key)[0]
    work = annotate_work.next_work(store, person, project.id, wanted).work
    assert work is not None
    return work


def test_the_text_of_the_original_and_what_was_changed_are_shown(store: Store, pairs: Project, ann: User) -> None:
    work = work_of(store, ann, pairs, "film-changed")
    assert show_work(work, pairs).is_changed
    (segment,) = show_original(store, ann, work.assignment.id).segments
    assert segment.is_changed
    assert "".join(before for _, before, _ in segment.pieces) == TEXT
    assert "".join(after for _, _, after in segment.pieces) == CHANGED
    assert [(before, after) for kind, before, after in segment.pieces if kind != "kept"] == [
        (" but", " and"),
        (" superb", " dire"),
    ]


def test_neither_label_nor_sets_nor_kind_of_the_original_are_told(store: Store, pairs: Project, ann: User) -> None:
    work = work_of(store, ann, pairs, "film-changed")
    told = json.dumps(asdict(show_original(store, ann, work.assignment.id)))
    for secret in ("positive", "negative", "contrast", "film"):
        assert secret not in told
    assert set(json.loads(told)) == {"language", "direction", "segments"}


def test_it_is_shown_for_ones_own_work_alone(store: Store, pairs: Project, ann: User, add_person: People) -> None:
    work = work_of(store, ann, pairs, "film-changed")
    other = add_person("Bo", pairs, "annotator")
    with pytest.raises(NotAllowed, match="someone else's work"):
        show_original(store, other, work.assignment.id)


def test_an_original_that_is_not_there_is_told(store: Store, pairs: Project, ann: User) -> None:
    work = work_of(store, ann, pairs, "lonely")
    with pytest.raises(NotFound, match="The original of this changed version is not in the project"):
        show_original(store, ann, work.assignment.id)


def test_an_original_that_was_discarded_is_not_shown(store: Store, pairs: Project, ann: User) -> None:
    work = work_of(store, ann, pairs, "film-changed")
    with store.transaction():
        discard(store, find_instance_ids(store, pairs.id, "film")[0])
    with pytest.raises(NotFound, match="was discarded, so it is not shown"):
        show_original(store, ann, work.assignment.id)
