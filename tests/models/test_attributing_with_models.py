"""Computing with transformers models through the use case: gradient methods beside our own, long texts, reading."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from annotator.attribution.loaders import LoadOptions
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import InvalidValue
from annotator.store import Store
from annotator.store.models import iterate_outputs, list_runs
from annotator.usecases.models.attributions import AttributingOptions, AttributingReport, attribute
from annotator.usecases.project.projects import create_project
from annotator.usecases.upkeep import check

TEXTS = ("the film was great", "a dull plot, and unlikeable people", "the plot was not dull " * 15)


@pytest.fixture
def films(store: Store, import_rows: Callable[..., object]) -> Project:
    labels = ["negative", "neutral", "positive"]
    made = create_project(store, LOCAL_OPERATOR, "Films", get_task("sentiment"), labels=labels)
    import_rows(made, [{"id": str(n), "text": text, "label": "positive"} for n, text in enumerate(TEXTS)])
    return made


def run(
    store: Store, project: Project, folder: Path, method: str, *, too_long: str = "refuse", **options: object
) -> AttributingReport:
    load = LoadOptions(device="cpu", too_long=too_long)  # type: ignore[arg-type]
    asked = AttributingOptions(load=load, **options)  # type: ignore[arg-type]
    return attribute(store, LOCAL_OPERATOR, project, f"transformers:{folder}", method, asked)


def test_gradients_attention_and_our_own_methods_are_stored_for_one_model(
    store: Store, films: Project, folders: dict[str, Path]
) -> None:
    for method in ("integrated-gradients", "attention", "occlusion"):
        report = run(store, films, folders["bert"], method, too_long="cut", has_faithfulness=True, label="all")
        assert (report.n_left_out, report.n_seen_in_part > 0) == (0, True)
        assert (
            run(store, films, folders["bert"], method, too_long="cut", has_faithfulness=True, label="all").n_known == 3
        )
    by_method = {one.run.method: list(iterate_outputs(store, one.id)) for one in list_runs(store, films.id)}
    assert [len(output.attributions) for output in by_method["attention"]] == [1, 1, 1]  # of no label
    assert [len(output.attributions) for output in by_method["occlusion"]] == [3, 3, 3]
    assert np.isnan(by_method["occlusion"][2].attributions[0].scores[-1])
    assert check(store) == []


def test_a_text_that_is_too_long_is_left_out_unless_cutting_is_asked_for(
    store: Store, films: Project, folders: dict[str, Path]
) -> None:
    report = run(store, films, folders["bert"], "integrated-gradients")
    assert [key for key, _ in report.left_out] == ["2"]
    assert report.reasons == {"longer than the model sees": 1}
    assert report.n_attributions == 2


@pytest.mark.parametrize("method", ["occlusion", "lime", "integrated-gradients", "gold"])
def test_decoders_leave_no_text_out_however_short_it_is(
    store: Store, films: Project, import_rows: Callable[..., object], folders: dict[str, Path], method: str
) -> None:
    """Every word of a text of one word is taken out, and all of it is gold."""
    import_rows(
        films, [{"id": "short", "text": "dull", "label": "negative", "annotator": "source", "rationales": [[[0, 1]]]}]
    )
    parameters = {"samples": 20} if method == "lime" else {"steps": 5} if method == "integrated-gradients" else {}
    for name in ("gpt2-eos", "llama"):
        report = run(store, films, folders[name], method, too_long="cut", has_faithfulness=True, parameters=parameters)
        assert (report.n_left_out, report.reasons) == (0, {})
        assert report.n_reduced > 0


def test_a_model_that_cannot_have_a_method_is_refused_once_and_before_the_first_text(
    store: Store, films: Project, folders: dict[str, Path]
) -> None:
    with pytest.raises(InvalidValue, match=r"^The model 'gpt2' has no MASK piece.* Choose --baseline zero\.$"):
        run(store, films, folders["gpt2"], "integrated-gradients", parameters={"baseline": "mask"})
    with pytest.raises(InvalidValue, match=r"puts no \[CLS\] piece"):
        run(store, films, folders["gpt2"], "attention", parameters={"from": "cls"})
    assert list_runs(store, films.id) == []


def test_a_reading_models_own_answer_is_explained(
    store: Store, make_project: Callable[..., Project], import_rows: Callable[..., object], folders: dict[str, Path]
) -> None:
    made = make_project("reading", name="Reading")
    import_rows(made, [{"id": "r", "passage": "the director wrote it", "question": "who wrote it?", "answer": "x"}])
    report = run(store, made, folders["reader"], "integrated-gradients", has_faithfulness=True)
    assert (report.n_answers, report.n_attributions, report.n_left_out) == (1, 1, 0)
    assert run(store, made, folders["reader"], "integrated-gradients", has_faithfulness=True).n_known == 1
    runs = {one.run.method: next(iter(iterate_outputs(store, one.id))) for one in list_runs(store, made.id)}
    answer = runs[""].predictions[0].result
    assert runs["integrated-gradients"].attributions[0].label == answer
    assert answer in "the director wrote it"
