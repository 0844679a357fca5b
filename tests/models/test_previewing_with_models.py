"""Previews by transformers models: a classifier with the project's labels, and a model that answers questions."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotator.attribution.base import Input
from annotator.attribution.loaders import LoadOptions, load_predictor
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.domain.texts import RationaleSet
from annotator.errors import InvalidValue, ModelError
from annotator.store import Store
from annotator.store.instances import find_instance_ids, get_instance
from annotator.usecases.models.previews import preview
from annotator.usecases.project.projects import change_project, create_project
from tests.models.test_zero_shot import lm_folders

__all__ = ["lm_folders"]  # a fixture

TEXT = "the film was great and the plot was not dull"
SETS = [RationaleSet.of((1, 2), (3, 4)), RationaleSet.of((9, 10))]


def asks(store: Store, project: Project, folder: Path) -> Project:
    settings = replace(project.settings, preview_model=f"transformers:{folder}")
    return change_project(store, LOCAL_OPERATOR, replace(project, settings=settings))


@pytest.fixture
def films(store: Store, import_rows: Callable[..., object]) -> Project:
    made = create_project(
        store, LOCAL_OPERATOR, "Films", get_task("sentiment"), labels=["negative", "neutral", "positive"]
    )
    import_rows(made, [{"id": "a", "text": TEXT, "label": "positive"}, {"id": "long", "text": " ".join([TEXT] * 8)}])
    return made


def test_a_classifier_answers_as_it_does_when_it_is_asked_by_itself(
    store: Store, films: Project, folders: dict[str, Path], loaded: Callable[..., Any]
) -> None:
    project = asks(store, films, folders["bert"])
    [number] = find_instance_ids(store, project.id, "a")
    shown = preview(store, LOCAL_OPERATOR, number, "positive", SETS)
    model = loaded("bert")
    text = Input.of(get_instance(store, number))

    def p(*tokens: int) -> float:
        mask = [token in tokens for token in range(10)]
        import numpy as np

        return float(model.probabilities([text.kept(np.array(mask))])[0][model.labels.index("positive")])

    assert (shown.model, shown.kind, shown.unseen) == ("bert", "transformers", 0)
    assert shown.full.p == pytest.approx(p(*range(10)), abs=1e-4)
    assert shown.rest.p == pytest.approx(p(0, 2, 4, 5, 6, 7, 8), abs=1e-4)
    assert shown.sets[0].p == pytest.approx(p(1, 3), abs=1e-4)
    assert [place for place, _ in shown.sets[0].less] == [1, 3]
    assert shown.sets[0].less[0][1] == pytest.approx(p(3), abs=1e-4)


@pytest.mark.parametrize("name", ["gpt2", "gpt2-eos", "llama"])
def test_a_decoder_answers_where_the_sets_take_every_word(
    store: Store, films: Project, folders: dict[str, Path], name: str
) -> None:
    project = asks(store, films, folders[name])
    [number] = find_instance_ids(store, project.id, "a")
    shown = preview(store, LOCAL_OPERATOR, number, "positive", [RationaleSet.of((0, 10))])
    assert 0 < shown.rest.p < 1
    assert shown.sets[0].p == shown.full.p


def test_a_text_beyond_the_models_limit_is_cut_and_it_is_told(
    store: Store, films: Project, folders: dict[str, Path]
) -> None:
    project = asks(store, films, folders["bert"])
    [number] = find_instance_ids(store, project.id, "long")
    shown = preview(store, LOCAL_OPERATOR, number, None, SETS)
    assert 0 < shown.unseen < 80


def test_a_reading_model_is_asked_for_its_answer_and_says_nothing_of_others(
    store: Store, import_rows: Callable[..., object], folders: dict[str, Path], loaded: Callable[..., Any]
) -> None:
    made = create_project(store, LOCAL_OPERATOR, "Questions", get_task("reading"))
    import_rows(made, [{"id": "r", "passage": TEXT, "question": "who wrote the script?", "answer": "dull"}])
    project = asks(store, made, folders["reader"])
    [number] = find_instance_ids(store, project.id, "r")
    shown = preview(store, LOCAL_OPERATOR, number, "dull", SETS)
    [own] = loaded("reader").answers([Input.of(get_instance(store, number))])
    assert (shown.label, shown.full.predicted) == (own.result, own.result)
    assert shown.full.p == pytest.approx(own.probabilities[own.result], abs=1e-4)
    for told in (shown.rest, *shown.sets):
        assert (told.p is None) == (told.predicted != own.result)


def test_a_reading_model_cannot_be_asked_for_labels(store: Store, films: Project, folders: dict[str, Path]) -> None:
    project = asks(store, films, folders["reader"])
    [number] = find_instance_ids(store, project.id, "a")
    with pytest.raises(ModelError, match="answers questions, but the project 'Films' asks for labels"):
        preview(store, LOCAL_OPERATOR, number, None, SETS)


def test_a_zero_shot_model_answers_by_the_prompt_and_the_words_of_the_rules(
    store: Store, films: Project, lm_folders: Path
) -> None:
    folder = lm_folders / "plain"
    words = {"positive": "great", "negative": "dull", "neutral": "film"}
    [number] = find_instance_ids(store, films.id, "a")

    def zero_shot(**settings: Any) -> Project:
        given = replace(films.settings, preview_model=f"transformers-zero-shot:{folder}", **settings)
        return change_project(store, LOCAL_OPERATOR, replace(films, settings=given))

    def p_of_rules() -> float | None:
        shown = preview(store, LOCAL_OPERATOR, number, "positive", SETS)
        assert shown.kind == "transformers-zero-shot"
        return None if shown.full is None else shown.full.p

    def p_by_itself(**options: Any) -> Any:
        load = LoadOptions(device="cpu", labels=films.labels, label_words=words, **options)
        model = load_predictor(f"transformers-zero-shot:{folder}", load)
        probabilities = model.probabilities([Input.of(get_instance(store, number))])
        return pytest.approx(probabilities[0][model.labels.index("positive")], abs=1e-4)

    zero_shot(preview_words=words)
    assert p_of_rules() == p_by_itself()
    other = "the plot: {text} was {label}"
    zero_shot(
        preview_words=words, preview_prompt=other
    )  # another prompt is another model, though the folder is the same
    assert p_of_rules() == p_by_itself(prompt=other)
    assert p_by_itself(prompt=other) != p_by_itself().expected


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"preview_prompt": "{text}"}, "holds {text} once and ends with {label}"),
        ({"preview_words": {"bad": "dull"}}, "There is no label 'bad' to give words to"),
        ({"preview_words": {"positive": "dull", "negative": "dull"}}, "words of its own, but 'dull'"),
    ],
)
def test_a_prompt_that_cannot_be_asked_is_refused_when_it_is_saved(
    store: Store, films: Project, lm_folders: Path, settings: dict[str, Any], sentence: str
) -> None:
    given = replace(films.settings, preview_model=f"transformers-zero-shot:{lm_folders / 'plain'}", **settings)
    with pytest.raises(InvalidValue, match=sentence):
        change_project(store, LOCAL_OPERATOR, replace(films, settings=given))
