"""Which models may be named on pages: what whoever runs the server allows, when it is asked for and when it is loaded."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.errors import ModelError, NotAllowed
from annotator.jobs.worker import work
from annotator.store import Store
from annotator.store import jobs as jobs_store
from annotator.usecases.background import AskedAttribution, AskedSuite, ask_to_attribute, ask_to_run_suite
from annotator.usecases.models.attributions import AttributingOptions, LoadOptions
from annotator.usecases.models.model_places import (
    HUB_VARIABLE,
    PLACES_VARIABLE,
    check_preview_model,
    models_folder,
    require_allowed_place,
    spec_of_trained,
)
from annotator.usecases.models.preview_models import asking
from annotator.usecases.project.projects import change_project
from annotator.usecases.suites.runs import SuiteOptions
from tests.attribution_inputs import weighing


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two folders from which models are taken, the first with a model; another model lies outside."""
    for folder in ("models/bert", "more", "private/bert"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "config.json").write_text("{}")
        (tmp_path / folder / "config.cfg").write_text("")
    (tmp_path / "models" / "out").symlink_to(tmp_path / "private")
    monkeypatch.setenv(PLACES_VARIABLE, os.pathsep.join([str(tmp_path / "models"), str(tmp_path / "more")]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_where_no_place_is_named_all_are_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PLACES_VARIABLE, raising=False)
    require_allowed_place(f"transformers:{tmp_path}")


@pytest.mark.parametrize(
    "spec",
    [
        "transformers:{0}/models/bert",
        "spacy:{0}/more",
        "transformers:models/bert",
        "transformers:{0}/private/../models/bert",
        "transformers:owner/name",  # the hub's names and installed pipelines lie nowhere
        "spacy:en_core_web_sm",
        "built-in",
        "built-in:second",
        "model",  # of no kind, which is said where it is loaded
    ],
)
def test_what_lies_in_an_allowed_place_or_nowhere_may_be_named(places: Path, spec: str) -> None:
    require_allowed_place(spec.format(places))


@pytest.mark.parametrize(
    "source",
    [
        "{0}/private/bert",
        "private/bert",
        "{0}/models/../private/bert",
        "models/out/bert",
        "/etc",
        "..",
        "{0}/no/such/place",
    ],
)
@pytest.mark.parametrize("kind", ["spacy", "transformers", "transformers-zero-shot"])
def test_what_lies_elsewhere_is_refused_whether_it_is_there_or_not(places: Path, kind: str, source: str) -> None:
    with pytest.raises(NotAllowed, match=r"isn't in an allowed folder \("):
        require_allowed_place(f"{kind}:{source.format(places)}")


def test_pages_are_refused_at_once_and_nothing_waits(store: Store, project: Project, places: Path) -> None:
    spec = f"transformers:{places}/private/bert"
    with pytest.raises(NotAllowed, match=r"isn't in an allowed folder \("):
        ask_to_attribute(store, LOCAL_OPERATOR, project, AskedAttribution(spec, "occlusion", AttributingOptions()))
    with pytest.raises(NotAllowed, match=r"isn't in an allowed folder \("):
        ask_to_run_suite(store, LOCAL_OPERATOR, project, AskedSuite("s", spec, SuiteOptions()))
    with pytest.raises(NotAllowed, match=r"isn't in an allowed folder \("):
        check_preview_model(store, project, spec)
    assert jobs_store.open_jobs(store, project.id) == []


def test_a_preview_model_that_is_allowed_no_more_is_not_loaded_and_only_the_lead_learns_where_it_lies(
    store: Store, project: Project, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PLACES_VARIABLE)
    settings = replace(project.settings, preview_model=f"spacy:{places}/private/bert")
    changed = change_project(store, LOCAL_OPERATOR, replace(project, settings=settings))
    monkeypatch.setenv(PLACES_VARIABLE, str(places / "models"))
    with pytest.raises(NotAllowed, match="private/bert"), asking(store, changed, is_lead=True):
        pass
    with pytest.raises(ModelError) as refused, asking(store, changed, is_lead=False):
        pass
    assert str(refused.value) == ("Preview model 'bert' can't be used. The lead can change it (Project, Previews).")


def test_a_model_that_was_trained_in_the_project_may_be_the_preview_model_wherever_models_are_taken_from(
    store: Store, project: Project, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = models_folder(store, project) / "mine"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}", encoding="utf-8")
    settings = replace(project.settings, preview_model=f"transformers:{folder}")
    changed = change_project(store, LOCAL_OPERATOR, replace(project, settings=settings))
    trained = weighing({})
    trained.labels = tuple(project.labels)
    monkeypatch.setattr("annotator.usecases.models.preview_models.load_predictor", lambda *_: trained)
    with asking(store, changed, is_lead=False) as model:
        assert model.labels == tuple(project.labels)
    of_another = models_folder(store, replace(project, id=project.id + 1)) / "theirs"
    with pytest.raises(NotAllowed, match=r"isn't in an allowed folder \("):
        check_preview_model(store, project, f"transformers:{of_another}")


def test_long_work_follows_what_the_server_allows_now(
    store: Store, project: Project, places: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PLACES_VARIABLE)
    ask_to_attribute(
        store,
        LOCAL_OPERATOR,
        project,
        AskedAttribution(f"spacy:{places}/private/bert", "occlusion", AttributingOptions()),
    )
    monkeypatch.setenv(PLACES_VARIABLE, str(places / "models"))
    assert work(store.path, idle_seconds=0) == 1
    [ended] = jobs_store.ended_jobs(store, project.id, 5)
    assert (ended.state, "isn't in an allowed folder (" in ended.told) == ("failed", True)


@pytest.mark.parametrize(("said", "asks"), [("1", True), ("true", True), ("0", False), ("", False), (None, False)])
def test_the_hub_is_asked_for_pages_only_where_the_server_was_started_so(
    store: Store, project: Project, monkeypatch: pytest.MonkeyPatch, said: str | None, asks: bool
) -> None:
    seen: list[LoadOptions] = []
    monkeypatch.setattr("annotator.jobs.worker.attribute", lambda *given, **_: seen.append(given[5].load) or 1 / 0)
    if said is None:
        monkeypatch.delenv(HUB_VARIABLE, raising=False)
    else:
        monkeypatch.setenv(HUB_VARIABLE, said)
    wanting = AttributingOptions(load=LoadOptions(threads=2, asks_hub=True))  # whatever stands in the database
    ask_to_attribute(store, LOCAL_OPERATOR, project, AskedAttribution("transformers:owner/name", "occlusion", wanting))
    with pytest.raises(ZeroDivisionError):
        work(store.path, idle_seconds=0)
    assert seen == [LoadOptions(threads=2, asks_hub=asks)]


def test_a_transformers_model_that_was_trained_in_the_project_is_known_by_its_name(
    store: Store, make_project: Callable[..., Project]
) -> None:
    project, other = make_project(), make_project(name="Other")
    folder = models_folder(store, project) / "tiny"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}", encoding="utf-8")
    assert spec_of_trained(store, project, "tiny") == f"transformers:{folder}"
    for given in ("built-in", "spacy:tiny", "transformers:tiny", "huge", f"../{project.id}/tiny", ""):
        assert spec_of_trained(store, project, given) == given
    assert spec_of_trained(store, other, "tiny") == "tiny"
