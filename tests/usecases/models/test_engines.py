"""Where the models' work is done changes no number: an engine whose workers know only what was pickled, beside the local one."""

from collections.abc import Callable
from typing import Any

import pytest

from annotator.attribution.base import Input
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError
from annotator.store import Store
from annotator.store.models import all_sufficient_sets, list_runs
from annotator.usecases.models import project_model
from annotator.usecases.models.attributions import AttributingOptions, AttributingReport, attribute
from annotator.usecases.models.engines import LOCAL, Engine, Setup, differences, digest_of
from annotator.usecases.models.project_model import ModelSource
from annotator.usecases.models.sufficient_sets import SufficientOptions, find_sufficient_sets
from tests.attribution_inputs import Elsewhere, Scripted
from tests.usecases.models.test_attributions import everything, scripted, tastes

__all__ = ["scripted", "tastes"]


def run(
    store: Store, project: Project, method: str, engine: Engine, model: str = "built-in", **options: Any
) -> AttributingReport:
    asked = AttributingOptions(batch_size=2, **options)
    return attribute(store, LOCAL_OPERATOR, project, model, method, asked, engine=engine)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("linear", {"label": "all"}),
        ("occlusion", {"has_faithfulness": True, "label": "gold"}),
        ("lime", {"seeds": (0, 1), "parameters": {"samples": 30}, "is_normalised": True}),
        ("random", {"has_faithfulness": True}),
        ("gold", {}),
    ],
)
def test_another_engine_stores_the_same_numbers(
    store: Store, tastes: Project, method: str, options: dict[str, Any]
) -> None:
    here = run(store, tastes, method, LOCAL, **options)
    stored, engine = everything(store.path), Elsewhere()
    assert run(store, tastes, method, engine, **options).n_known == 8  # nothing is computed twice
    there = run(store, tastes, method, engine, is_anew=True, **options)
    assert everything(store.path) == stored
    assert (there.facts, there.n_reduced, there.n_calls, there.gap) == (
        here.facts,
        here.n_reduced,
        here.n_calls,
        here.gap,
    )
    assert (engine.n_loaded, engine.n_tasks) == (2, 8)


def test_bounds_of_another_run_are_taken_over_elsewhere_too(store: Store, tastes: Project) -> None:
    run(store, tastes, "occlusion", LOCAL, is_normalised=True)
    here = run(store, tastes, "linear", LOCAL, is_normalised=True)
    stored = everything(store.path)
    run(store, tastes, "occlusion", LOCAL, is_normalised=True, is_anew=True)
    there = run(store, tastes, "linear", Elsewhere(), is_normalised=True)
    assert everything(store.path) == stored
    assert there.n_calls == here.n_calls


def test_work_that_was_stopped_goes_on_and_stores_nothing_twice(store: Store, tastes: Project) -> None:
    def stop(done: int, _of: int) -> None:
        if done >= 4:
            raise KeyboardInterrupt

    run(store, tastes, "occlusion", LOCAL)
    stored = everything(store.path)
    anew = AttributingOptions(batch_size=2, is_anew=True)
    with pytest.raises(KeyboardInterrupt):
        attribute(store, LOCAL_OPERATOR, tastes, "built-in", "occlusion", anew, progress=stop, engine=Elsewhere())
    report = run(store, tastes, "occlusion", Elsewhere())
    assert (report.n_known, report.n_attributions) == (4, 4)
    assert everything(store.path) == stored


def test_a_text_for_which_the_model_fails_elsewhere_is_left_out_alone(
    store: Store, tastes: Project, scripted: Callable[..., Scripted]
) -> None:
    def refuses(one: Input) -> float:
        if "kind" in one.segments[0].tokens:
            raise ModelError("It has 9 pieces.", reason="longer than the model sees")
        if "cold" in one.segments[0].tokens:
            raise MemoryError
        return 0.0

    scripted(Scripted(refuses))
    report = run(store, tastes, "occlusion", Elsewhere(), "spacy:x")
    assert (report.n_attributions, report.n_left_out) == (6, 2)
    assert report.reasons == {"longer than the model sees": 1, "on which the model failed": 1}
    assert "memory of the machine is too small" in dict(report.left_out)["negative-1"]


@pytest.mark.parametrize("at_once", [1, 16])
def test_sufficient_sets_are_the_same_whoever_answers(store: Store, tastes: Project, at_once: int) -> None:
    def sets(engine: Engine) -> object:
        options = SufficientOptions(at_once=at_once, is_anew=True)
        report = find_sufficient_sets(store, LOCAL_OPERATOR, tastes, "built-in", options, engine=engine)
        assert report.n_examined == 8
        return all_sufficient_sets(store, tastes.id, report.model, report.parameters)

    assert sets(Elsewhere()) == sets(LOCAL)


def test_a_model_at_a_server_is_asked_from_here_alone(
    store: Store, tastes: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANNOTATOR_MODEL_ADDRESS", "http://127.0.0.1:9/v1")
    with pytest.raises(InvalidValue, match=r"is asked at its own server\. Ask it with --engine local\."):
        find_sufficient_sets(store, LOCAL_OPERATOR, tastes, "served:m", SufficientOptions(), engine=Elsewhere())
    assert list_runs(store, tastes.id) == []


def test_a_model_is_loaded_elsewhere_from_a_whole_path(
    store: Store, tastes: Project, scripted: Callable[..., Scripted], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted(Scripted(lambda _: 0.0))
    (tmp_path / "model").mkdir()
    monkeypatch.chdir(tmp_path)
    loaded = list[str]()
    chosen = project_model.asked_model(
        store, LOCAL_OPERATOR, tastes, "spacy:model", project_model.LoadOptions(threads=2, device="cpu"), {}
    )
    source = chosen.source(Elsewhere())
    assert source.setup(list) == Setup(list, 2, "cpu", tmp_path / "model")
    monkeypatch.setattr(project_model, "load_predictor", lambda spec, _: loaded.append(spec))
    ModelSource.load(source)
    assert loaded == [f"spacy:{tmp_path / 'model'}"]


def test_what_a_machine_has_otherwise_is_named(tmp_path: Any) -> None:
    assert differences({"torch": "2.8", "spacy": ""}, {"torch": "2.8", "spacy": "3.8"}) == "spacy 3.8 (here missing)"
    assert digest_of(None) == digest_of(tmp_path / "missing") == ""
    (tmp_path / "weights").write_bytes(b"1")
    before = digest_of(tmp_path)
    (tmp_path / "weights").write_bytes(b"2")
    assert digest_of(tmp_path) != before
