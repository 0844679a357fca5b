"""What a training will learn from, said before it begins; no torch is needed for it."""

from collections.abc import Callable

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError
from annotator.store import Store
from annotator.training.alignment import AlignmentOptions
from annotator.training.loop import FittingOptions
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.project.word_lists import save_word_list
from annotator.usecases.training import forecast
from annotator.usecases.training.examples import DataOptions, RationaleOptions
from annotator.usecases.training.forecast import Forecast, base_of, check_training, choices, free_name, standing_of
from annotator.usecases.training.transformers import TrainingOptions


@pytest.fixture(autouse=True)
def packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecast, "missing_package", lambda: None)


@pytest.fixture
def tastes(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Of each split some texts, one with a rationale and one without a label."""
    made = make_project(name="Tastes")
    parts = {"train": 6, "dev": 2, "test": 3}
    rows: list[dict[str, object]] = [
        {"id": f"{split}-{n}", "text": f"it was {'good' if n % 2 else 'bad'}", "split": split,
         "label": "positive" if n % 2 else "negative"}
        for split, size in parts.items()
        for n in range(size)
    ]  # fmt: skip
    rows[0]["rationales"] = [[[2, 3]]]
    import_rows(made, [*rows, {"id": "unlabelled", "text": "who knows", "split": "train"}])
    return made


def test_it_counts_what_is_learned_from_stopped_by_and_judged_by(store: Store, tastes: Project) -> None:
    assert forecast.forecast(store, LOCAL_OPERATOR, tastes, DataOptions()) == Forecast(6, 1, 2, 3)
    of_tests = forecast.forecast(store, LOCAL_OPERATOR, tastes, DataOptions(split="test"))
    assert (of_tests.n_learn, of_tests.n_stop, of_tests.n_judge) == (3, 2, 6)


def test_words_of_lists_are_counted_as_rationales(store: Store, tastes: Project) -> None:
    save_word_list(store, LOCAL_OPERATOR, tastes, "praise", ["good"], role="keep")
    save_word_list(store, LOCAL_OPERATOR, tastes, "dish", ["soup"], role="slot")
    assert choices(store, LOCAL_OPERATOR, tastes).word_lists == ("praise",)
    options = DataOptions(rationales=RationaleOptions("lexicon", ("praise",)))
    assert forecast.forecast(store, LOCAL_OPERATOR, tastes, options).n_with_rationales == 3


def test_no_gold_and_one_class_are_refused_before_anybody_waits(
    store: Store, tastes: Project, make_project: Callable[..., Project], import_rows: Callable[..., object]
) -> None:
    with pytest.raises(ModelError, match="no text has gold"):
        check_training(store, LOCAL_OPERATOR, make_project(name="Empty"), "first", TrainingOptions())
    one = make_project(name="One")
    import_rows(one, [{"id": str(n), "text": "so good", "label": "positive"} for n in range(5)])
    with pytest.raises(ModelError, match="all gold labels are 'positive'"):
        check_training(store, LOCAL_OPERATOR, one, "first", TrainingOptions())
    check_training(store, LOCAL_OPERATOR, tastes, "first", TrainingOptions())


def test_an_alignment_with_rationales_that_nothing_has_is_refused(store: Store, tastes: Project) -> None:
    aligned = TrainingOptions(data=DataOptions(split="test"), fitting=FittingOptions(alignment=AlignmentOptions("mae")))
    with pytest.raises(
        InvalidValue, match=r"No training text has a rationale to align with\. Choose other rationales\."
    ):
        check_training(store, LOCAL_OPERATOR, tastes, "first", aligned)


def test_a_name_is_free_stopped_or_there_and_a_free_one_is_found(store: Store, tastes: Project) -> None:
    folder = models_folder(store, tastes)
    for made in ("there", "half.training", "small", "small-2.training"):
        (folder / made).mkdir(parents=True)
    standing = {name: standing_of(store, LOCAL_OPERATOR, tastes, name) for name in ("there", "half", "new")}
    assert standing == {"there": "there", "half": "stopped", "new": "free"}
    assert [free_name(store, tastes, name) for name in ("small", "large")] == ["small-3", "large"]
    with pytest.raises(InvalidValue, match=r"Use up to 61 letters, digits, \. _ and -\."):
        standing_of(store, LOCAL_OPERATOR, tastes, "../up")


@pytest.mark.parametrize("written", ["", "  ", "transformers:", "transformers:  "])
def test_a_pretrained_model_has_to_be_named(written: str) -> None:
    with pytest.raises(InvalidValue, match=r"Give a pretrained model \(transformers:FOLDER-OR-NAME\)\."):
        base_of(written)


@pytest.mark.parametrize("written", ["spacy:en_core_web_sm", "built-in:words", "transformers-zero-shot:gpt2"])
def test_a_model_of_another_kind_is_no_base(written: str) -> None:
    with pytest.raises(InvalidValue, match=r"Use transformers:FOLDER-OR-NAME\."):
        base_of(written)
