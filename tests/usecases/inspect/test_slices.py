"""Slices of the list on the Saliency page: what is in them, how they combine, and how they are counted."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from annotator.domain.measurements import Question, Slice
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import NotAllowed
from annotator.store import Store
from annotator.usecases.inspect.saliency import list_instances_by
from annotator.usecases.inspect.saliency_messages import ShownSlice
from annotator.usecases.inspect.text_lists import MOST_VALUES, save_listed, show_slice_names, show_slices

Row = dict[str, Any]


def row(key: str, n_tokens: int, label: str | None, *, split: str = "train", groups: str = "", **facts: object) -> Row:
    words = [f"w{place}" for place in range(n_tokens)]
    people = [{"annotator": f"p{n}", "rationales": [], "group": f"G{group}"} for n, group in enumerate(groups)]
    made: Row = {"id": key, "fields": {"text": {"text": " ".join(words), "tokens": words}}, "annotations": people}
    return made | facts | {"label": label, "meta": {"split": split}}


ROWS = [
    row("a", 2, "positive", groups="12", source="web", year=2001),
    row("b", 4, "positive", split="test", groups="1", source="web", year=2002),
    row("c", 6, "negative", groups="2", source="paper", year=2001, checked=True),
    row("d", 8, None, split="test", source='it\'s "odd"'),
]


@pytest.fixture
def sliced(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    project = make_project(may_be_empty=True)
    import_rows(project, ROWS)
    return project


def keys(store: Store, project: Project, **within: Any) -> str:
    rows, n = list_instances_by(store, LOCAL_OPERATOR, Question(project.id, within=Slice(**within)), 1)
    assert n == len(rows)
    return "".join(listed.key for listed in rows)


@pytest.mark.parametrize(
    ("within", "listed"),
    [
        ({}, "abcd"),
        ({"label": "positive"}, "ab"),
        ({"is_unlabelled": True}, "d"),
        ({"split": "test"}, "bd"),
        ({"length": (4, 6)}, "bc"),
        ({"fact": ("source", "web")}, "ab"),
        ({"fact": ("source", 'it\'s "odd"')}, "d"),
        ({"fact": ("year", "2001")}, "ac"),
        ({"fact": ("checked", "true")}, "c"),
        ({"fact": ("source", "nowhere")}, ""),
        ({"group": ("group", "G2")}, "ac"),
        ({"group": ("annotator", "p0")}, ""),  # who somebody is, is no group
        ({"label": "positive", "split": "test"}, "b"),
        ({"fact": ("year", "2001"), "group": ("group", "G1"), "length": (1, 3)}, "a"),
    ],
)
def test_a_slice_lists_its_texts(store: Store, sliced: Project, within: Mapping[str, Any], listed: str) -> None:
    assert keys(store, sliced, **within) == listed


def test_slices_combine_with_words_and_are_saved_as_a_list(store: Store, sliced: Project) -> None:
    question = Question(sliced.id, words="w5", within=Slice(fact=("year", "2001")))
    assert [listed.key for listed in list_instances_by(store, LOCAL_OPERATOR, question, 1)[0]] == ["c"]
    assert save_listed(store, LOCAL_OPERATOR, question, "long ones of 2001", "").n == 1


def counts(store: Store, project: Project, *names: str, **within: Any) -> dict[str, dict[str | None, int]]:
    """The counts of each way to slice; names: of the fact, and of what is said of annotators."""
    fact, group = (*names, "", "")[:2]
    shown = show_slices(store, LOCAL_OPERATOR, Question(project.id, within=Slice(**within)), fact, group)
    ways = {name: getattr(shown, name) for name in ("labels", "splits", "lengths", "facts", "groups")}
    return {name: {one.value: one.n for one in slices} for name, slices in ways.items()}


def test_each_count_is_what_choosing_that_slice_would_list(store: Store, sliced: Project) -> None:
    everything = counts(store, sliced, "source", "group")
    assert everything["labels"] == {"positive": 2, "negative": 1, None: 1}
    assert everything["splits"] == {"train": 2, "test": 2}
    assert everything["lengths"] == {"2-2": 1, "4-4": 1, "6-6": 1, "8-8": 1}
    assert everything["facts"] == {"web": 2, "paper": 1, 'it\'s "odd"': 1}
    assert everything["groups"] == {"G1": 2, "G2": 2}
    of_positive = counts(store, sliced, "source", label="positive")
    assert of_positive["labels"] == everything["labels"]  # another label may be chosen in its place
    assert of_positive["splits"] == {"train": 1, "test": 1}
    assert of_positive["facts"] == {"web": 2}
    both = counts(store, sliced, "source", label="positive", fact=("source", "paper"))
    assert (both["labels"], both["facts"]) == ({"negative": 1}, {"web": 2})
    assert both["splits"] == {}


def test_the_names_of_facts_and_of_annotators_are_told_apart_and_nobodys_name_is_a_group(
    store: Store, sliced: Project
) -> None:
    names = show_slice_names(store, LOCAL_OPERATOR, sliced.id)
    assert set(names.facts) >= {"source", "year", "checked", "split"}
    assert names.groups == ("group",)


def test_metadata_of_any_form_is_no_problem(store: Store, sliced: Project, import_rows) -> None:
    strange = [
        {
            "id": f"s{n}",
            "text": "soup",
            "label": "negative",
            "metadata": {"annotations": value, "list": [1], "none": None},
        }
        for n, value in enumerate(("w1", ["w1"], [["x"]], {"annotator": "w1"}, None, 3))
    ]
    import_rows(sliced, strange)
    assert counts(store, sliced, "list", "group")["groups"] == {"G1": 2, "G2": 2}
    assert "none" not in show_slice_names(store, LOCAL_OPERATOR, sliced.id).facts


def test_rare_values_are_counted_where_there_are_too_many(store: Store, make_project, import_rows) -> None:
    project = make_project(may_be_empty=True)
    import_rows(project, [row(f"t{n}", 3, "positive", source=f"s{n}") for n in range(MOST_VALUES + 7)])
    shown = show_slices(store, LOCAL_OPERATOR, Question(project.id), "source", "")
    assert (len(shown.facts), shown.left_out) == (MOST_VALUES, 7)
    assert shown.lengths == (ShownSlice("3-3", MOST_VALUES + 7),)


def test_slices_are_for_those_who_use_models(store: Store, sliced: Project, add_person: Callable[..., User]) -> None:
    ann = add_person("ann", sliced, "annotator")
    with pytest.raises(NotAllowed):
        show_slices(store, ann, Question(sliced.id), "", "")
    with pytest.raises(NotAllowed):
        show_slice_names(store, ann, sliced.id)
