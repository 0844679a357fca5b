"""Two numbers of every text against each other: which points there are, and the texts in a part of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.measurements import Brush, InstanceNumber, Question, Slice
from annotator.domain.models import Prediction, Run, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project
from annotator.errors import NotAllowed, NotFound
from annotator.store import Store
from annotator.store.models import list_runs
from annotator.store.trained_models import save_training
from annotator.usecases.inspect.brush import inside_outline
from annotator.usecases.inspect.measurement import measure
from annotator.usecases.inspect.saliency import count_not_listed, list_instances_by, show_numbers, show_points
from annotator.usecases.inspect.scatter import CONFIDENCE, GOLD_PROBABILITY, LENGTH, RATIO, SETS
from annotator.usecases.inspect.text_lists import keys_on_list, save_listed, show_slices
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake

Row = dict[str, Any]


def row(key: str, n_tokens: int, label: str, *sets: list[int]) -> Row:
    words = [f"w{place}" for place in range(n_tokens)]
    spans = [[[token, token + 1] for token in tokens] for tokens in sets]
    return {"id": key, "text": " ".join(words), "tokens": words, "label": label, "rationales": spans}


ROWS = [
    row("a", 2, "positive", [0]),
    row("b", 4, "positive", [0], [1, 2]),
    row("c", 4, "negative", [3]),
    row("d", 10, "negative"),
]
ANSWERS = {"a": ("positive", 0.9), "b": ("negative", 0.6), "c": ("negative", 0.7)}  # no answer to d


@pytest.fixture
def scattered(make_project: Callable[..., Project], import_rows: Callable[..., object], store: Store) -> Project:
    project = make_project(may_be_empty=True, gold_policy="all")
    import_rows(project, ROWS)
    answers = [
        SourceOutput(
            key, Run("first", ""), "f", 1, None, (Prediction(None, {label: p, _other(label): 1 - p}),), ()
        )
        for key, (label, p) in ANSWERS.items()
    ]  # fmt: skip
    report = ImportReport()
    with store.transaction():
        Intake(store, project, ImportOptions(), report, lambda _: None).run(answers)
    assert report.problems == []
    return project


def _other(label: str) -> str:
    return "negative" if label == "positive" else "positive"


@pytest.fixture
def run_id(store: Store, scattered: Project) -> int:
    [stored] = list_runs(store, scattered.id)
    return stored.id


def of_text(name: str) -> InstanceNumber:
    return InstanceNumber(None, None, name)


def points(
    store: Store, project: Project, x: InstanceNumber, y: InstanceNumber, **asked: Any
) -> dict[str, tuple[float, float]]:
    shown = show_points(store, LOCAL_OPERATOR, Question(project.id, **asked), x, y)
    return {key: (x, y) for key, x, y in zip(shown.keys, shown.x, shown.y, strict=True)}


def test_texts_are_points_of_their_length_and_of_the_share_that_gold_takes(store: Store, scattered: Project) -> None:
    assert points(store, scattered, of_text(LENGTH), of_text(RATIO)) == {"a": (2, 0.5), "b": (4, 0.75), "c": (4, 0.25)}
    assert points(store, scattered, of_text(LENGTH), of_text(SETS))["d"] == (10, 0)


def test_a_model_is_as_sure_of_its_answer_as_it_says_and_of_the_gold_label_otherwise(
    store: Store, scattered: Project, run_id: int
) -> None:
    sure, of_gold = InstanceNumber(run_id, None, CONFIDENCE), InstanceNumber(run_id, None, GOLD_PROBABILITY)
    found = points(store, scattered, sure, of_gold)
    assert found == {"a": (0.9, 0.9), "b": (0.6, pytest.approx(0.4)), "c": (0.7, 0.7)}


def test_texts_without_a_value_are_counted_for_each_axis(store: Store, scattered: Project, run_id: int) -> None:
    shown = show_points(
        store, LOCAL_OPERATOR, Question(scattered.id), InstanceNumber(run_id, None, CONFIDENCE), of_text(LENGTH)
    )
    assert (shown.n, shown.without_x, shown.without_y, len(shown.ids)) == (4, 1, 0, 3)


@pytest.mark.parametrize(("split", "learned"), [("train", {"first": ["a"]}), (None, {})])
def test_texts_that_the_model_of_an_axis_learned_from_are_told_where_metrics_leaves_them_out(
    store: Store, scattered: Project, run_id: int, split: str | None, learned: dict[str, list[str]]
) -> None:
    ids = {str(row["key"]): int(row["id"]) for row in store.rows("SELECT id, key FROM instances")}
    with store.transaction():
        seen = [ids["a"], ids["d"]]  # nothing is known of how sure the model is about d
        save_training(store, scattered.id, "first", digest="d", seed=1, split=split, held_out=None, instance_ids=seen)
    sure = InstanceNumber(run_id, None, CONFIDENCE)
    shown = show_points(store, LOCAL_OPERATOR, Question(scattered.id), of_text(LENGTH), sure)
    assert shown.learned == {model: [ids[key] for key in keys] for model, keys in learned.items()}
    of_texts = show_points(store, LOCAL_OPERATOR, Question(scattered.id), of_text(LENGTH), of_text(SETS))
    assert of_texts.learned == {}


def test_a_measured_number_is_an_axis(store: Store, scattered: Project, run_id: int) -> None:
    measure(store, LOCAL_OPERATOR, scattered)
    right = InstanceNumber(run_id, None, "eraser.accuracy")
    assert points(store, scattered, right, of_text(LENGTH)) == {"a": (1, 2), "b": (0, 4), "c": (1, 4)}


def test_points_are_of_what_is_listed_whatever_part_of_them_is_chosen_already(store: Store, scattered: Project) -> None:
    brush = Brush(of_text(LENGTH), of_text(SETS), x_bounds=(3, None))
    found = points(store, scattered, of_text(LENGTH), of_text(SETS), within=Slice(label="positive"), brush=brush)
    assert set(found) == {"a", "b"}


@pytest.mark.parametrize(
    ("chosen", "keys"),
    [
        ({"x_bounds": (4, 4)}, "bc"),  # both ends belong to it
        ({"x_bounds": (3, None), "y_bounds": (None, 1)}, "cd"),
        ({"y_bounds": (5, 9)}, ""),
        ({"outline": ((3.0, 0.5), (5.0, 0.5), (5.0, 1.5), (3.0, 1.5))}, "c"),
    ],
)
def test_a_part_of_a_scatter_lists_the_texts_in_it(store: Store, scattered: Project, chosen: Any, keys: str) -> None:
    question = Question(scattered.id, brush=Brush(of_text(LENGTH), of_text(SETS), **chosen))
    rows, n = list_instances_by(store, LOCAL_OPERATOR, question, 1)
    assert "".join(listed.key for listed in rows) == keys
    assert n == len(keys)


def test_a_part_of_a_scatter_is_counted_in_slices_and_saved_as_a_list(store: Store, scattered: Project) -> None:
    question = Question(scattered.id, brush=Brush(of_text(LENGTH), of_text(SETS), x_bounds=(4, 4)))
    assert {s.value: s.n for s in show_slices(store, LOCAL_OPERATOR, question, "", "").labels} == {
        "positive": 1,
        "negative": 1,
    }
    assert save_listed(store, LOCAL_OPERATOR, question, "of four", "").n == 2
    assert [key for key, _ in keys_on_list(store, LOCAL_OPERATOR, scattered, "of four")] == ["b", "c"]


def test_a_part_of_a_scatter_is_ordered_by_a_number_of_a_run(store: Store, scattered: Project, run_id: int) -> None:
    measure(store, LOCAL_OPERATOR, scattered)
    brush = Brush(of_text(LENGTH), of_text(SETS), x_bounds=(3, None))
    question = Question(scattered.id, run_id, None, "eraser.accuracy", brush=brush)
    assert [listed.key for listed in list_instances_by(store, LOCAL_OPERATOR, question, 1)[0]] == ["b", "c"]
    assert count_not_listed(store, LOCAL_OPERATOR, question) == 1


def test_gold_that_changes_moves_its_point(
    store: Store, scattered: Project, import_rows: Callable[..., object]
) -> None:
    assert points(store, scattered, of_text(LENGTH), of_text(SETS))["a"] == (2, 1)
    import_rows(scattered, [row("a", 2, "positive", [0], [1])], update=True)
    assert points(store, scattered, of_text(LENGTH), of_text(SETS))["a"] == (2, 2)


def test_a_number_that_is_not_there_is_refused_by_its_name(store: Store, scattered: Project) -> None:
    with pytest.raises(NotFound, match=r"No run number 99\."):
        points(store, scattered, InstanceNumber(99, None, CONFIDENCE), of_text(LENGTH))
    with pytest.raises(NotFound, match="Unknown metric 'text.colour'. Available: text.tokens"):
        points(store, scattered, of_text("text.colour"), of_text(LENGTH))


def test_points_are_for_those_who_may_use_models(
    store: Store, scattered: Project, add_person: Callable[..., User]
) -> None:
    with pytest.raises(NotAllowed):
        show_points(
            store, add_person("ann", scattered, "annotator"), Question(scattered.id), of_text(LENGTH), of_text(SETS)
        )


def test_only_runs_whose_answers_have_probabilities_offer_numbers_of_them(store: Store, scattered: Project) -> None:
    unsure = SourceOutput("a", Run("unsure", ""), "f", 1, None, (Prediction("positive", {}),), ())
    with store.transaction():
        Intake(store, scattered, ImportOptions(), ImportReport(), lambda _: None).run([unsure])
    runs = show_numbers(store, LOCAL_OPERATOR, scattered.id).runs
    assert {run.model: run.has_probabilities for run in runs} == {"first": True, "unsure": False}


def test_what_a_scatter_offers_has_a_definition_each(store: Store, scattered: Project) -> None:
    shown = show_numbers(store, LOCAL_OPERATOR, scattered.id)
    assert {*shown.of_texts, *shown.of_answers} <= set(shown.names)


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=3, max_size=8))
def test_nothing_outside_of_its_corners_is_inside_an_outline(corners: list[tuple[int, int]]) -> None:
    outline = tuple((float(x), float(y)) for x, y in corners)
    xs, ys = np.array([-6.0, 6.0, 0.0, 0.0]), np.array([0.0, 0.0, -6.0, 6.0])
    assert not inside_outline(outline, xs, ys).any()
