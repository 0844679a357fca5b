"""Which of a project's texts a model learns from, stops by and is judged by, and with which rationales."""

from collections.abc import Callable
from typing import Any

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import InvalidValue, ModelError
from annotator.store import Store
from annotator.usecases.project.projects import create_project
from annotator.usecases.training.examples import DataOptions, TrainingData, training_data

Importer = Callable[..., Any]


@pytest.fixture
def project(store: Store) -> Project:
    return create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])


def row(key: str, label: str, split: str = "train", sets: list[list[list[int]]] | None = None) -> dict[str, object]:
    """A text of five words; sets: of one annotator's annotation."""
    marked = {} if sets is None else {"annotator": "source", "rationales": sets}
    return {"id": key, "text": f"a {label} word of {key}", "label": label, "split": split, **marked}


def keys(data: TrainingData) -> tuple[set[str], set[str], set[str]]:
    learn, stop, judge = ({example.key for example in part} for part in (data.learn, data.stop, data.judge))
    return learn, stop, judge


def test_the_splits_are_for_learning_stopping_and_judging(
    store: Store, project: Project, import_rows: Importer
) -> None:
    rows = [
        row(f"{split}{n}", label, split) for split in ("train", "dev", "test") for n, label in enumerate(("no", "yes"))
    ]
    import_rows(project, rows)
    data = training_data(store, project, DataOptions())
    assert keys(data) == ({"train0", "train1"}, {"dev0", "dev1"}, {"test0", "test1"})
    assert (data.split, data.validation) == ("train", "dev")


def test_without_a_split_to_stop_by_a_tenth_of_the_training_texts_is_drawn_and_the_same_again(
    store: Store, project: Project, import_rows: Importer
) -> None:
    import_rows(project, [row(f"t{n}", "no" if n % 2 else "yes") for n in range(40)])
    data = training_data(store, project, DataOptions())
    learn, stop, judge = keys(data)
    assert (len(learn), len(stop), len(judge)) == (36, 4, 0)
    assert not learn & stop
    assert data.validation is None
    assert keys(training_data(store, project, DataOptions())) == keys(data)
    assert keys(training_data(store, project, DataOptions(seed=1)))[1] != stop


def test_each_set_of_the_gold_comes_with_its_text_and_a_text_without_gold_comes_with_its_label_alone(
    store: Store, project: Project, import_rows: Importer
) -> None:
    import_rows(project, [row("two", "no", sets=[[[1, 2]], [[3, 5]]]), row("none", "yes"), row("other", "yes", "dev")])
    examples = {example.key: example for example in training_data(store, project, DataOptions()).learn}
    assert examples["two"].sets == (frozenset({1}), frozenset({3, 4}))
    assert (examples["none"].sets, examples["none"].label) == ((), "yes")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row("a", "no")], "all texts with a gold label have the label 'no'"),
        ([], "no text has a gold label. A text gets its gold label from the import"),
    ],
)
def test_where_there_is_nothing_to_learn_it_says_why(
    store: Store, project: Project, import_rows: Importer, rows: list[dict[str, object]], message: str
) -> None:
    import_rows(project, [*rows, {"id": "bare", "text": "a text", "split": "dev"}])
    with pytest.raises(ModelError, match=message):
        training_data(store, project, DataOptions())


def test_a_split_that_is_not_there_is_named_with_those_that_are(
    store: Store, project: Project, import_rows: Importer
) -> None:
    import_rows(project, [row("a", "no"), row("b", "yes", "test")])
    with pytest.raises(InvalidValue, match="has no split 'dev'; it has 'test', 'train'."):
        training_data(store, project, DataOptions(validation="dev"))
