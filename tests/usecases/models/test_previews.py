"""What the project's preview model answers to sets on the screen, how they fit attributions, and who may ask."""

import json
import os
import shutil
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
import spacy

from annotator.attribution.base import Input
from annotator.attribution.built_in_model import BagOfWords
from annotator.domain.labels import LabelTable
from annotator.domain.models import Run, ScoredPart, SourceAttribution, SourceOutput
from annotator.domain.people import LOCAL_OPERATOR, User
from annotator.domain.projects import Project, ProjectSettings
from annotator.domain.texts import RationaleSet
from annotator.errors import Conflict, InvalidValue, ModelError, NotAllowed, NotFound
from annotator.store import Store, open_store
from annotator.store.instances import find_instance_ids, get_instance
from annotator.usecases.annotate import work as annotate_work
from annotator.usecases.databases import find_project
from annotator.usecases.models import preview_models
from annotator.usecases.models.built_in_model import built_in_model
from annotator.usecases.models.label_tables import ModelLabels, remember
from annotator.usecases.models.model_places import HUB_VARIABLE
from annotator.usecases.models.previews import ShownPreview, preview
from annotator.usecases.project.projects import change_project
from annotator.usecases.transfer.export import export_file
from annotator.usecases.transfer.full_export_records import Restorer
from annotator.usecases.transfer.import_report import ImportOptions, ImportReport
from annotator.usecases.transfer.import_run import Intake

SETS = [RationaleSet.of((0, 2), (4, 5)), RationaleSet.of((3, 4))]


@pytest.fixture
def trained(store: Store, project: Project) -> BagOfWords:
    return built_in_model(store, LOCAL_OPERATOR, project, "built-in", trains=True)


def opened_to(store: Store, project: Project, who: str) -> None:
    change_project(store, LOCAL_OPERATOR, replace(project, settings=replace(project.settings, model_previews=who)))


def test_each_answer_is_the_models_for_that_part_of_the_text(
    store: Store, project: Project, trained: BagOfWords
) -> None:
    [number] = find_instance_ids(store, project.id, "t1")
    shown = preview(store, LOCAL_OPERATOR, number, "negative", SETS)
    text = Input.of(get_instance(store, number))
    place = trained.labels.index("negative")

    def p(*tokens: int) -> float:
        import numpy as np

        mask = np.isin(np.arange(text.n_selectable), tokens)
        return float(trained.probabilities([text.kept(mask)])[0][place])

    assert shown.full.p == pytest.approx(p(*range(10)), abs=1e-4)
    assert shown.rest.p == pytest.approx(p(2, 5, 6, 7, 8, 9), abs=1e-4)
    assert shown.sets[0].p == pytest.approx(p(0, 1, 4), abs=1e-4)
    assert shown.sets[0].less == (
        (0, pytest.approx(p(1, 4), abs=1e-4)),
        (1, pytest.approx(p(0, 4), abs=1e-4)),
        (4, pytest.approx(p(0, 1), abs=1e-4)),
    )
    assert shown.sets[1].less == ()  # a set of one token has nothing to spare


def test_annotators_may_ask_only_about_what_they_hold_and_only_where_the_lead_says_so(
    store: Store, project: Project, trained: BagOfWords, annotator: User
) -> None:
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    number = work.assignment.instance_id
    with pytest.raises(NotAllowed, match=r"Predictions are for reviewers only \(Project, Previews\)\."):
        preview(store, annotator, number, None, SETS)
    opened_to(store, project, "annotators")
    assert preview(store, annotator, number, None, SETS).label in {"negative", "positive"}
    [other] = find_instance_ids(store, project.id, "t4")
    with pytest.raises(NotAllowed):
        preview(store, annotator, other, None, SETS)
    opened_to(store, project, "nobody")
    with pytest.raises(NotAllowed, match=r"The lead has turned predictions off \(Project, Previews\)\."):
        preview(store, LOCAL_OPERATOR, number, None, SETS)


def test_without_a_trained_model_one_is_told_how_to_have_one(
    store: Store, project: Project, add_person: Callable[..., User]
) -> None:
    [number] = find_instance_ids(store, project.id, "t1")
    with pytest.raises(NotFound, match=r"first \(Saliency, Compute attributions\)\."):
        preview(store, add_person("lead", project, "lead"), number, None, SETS)


# Another model than the built-in one ---------------------------------------------------------------------------------

RENAMED = {"good": "positive", "bad": "negative"}


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spaCy pipeline with the labels good and bad; its weights are what they are drawn as."""
    nlp = spacy.blank("en")
    textcat: Any = nlp.add_pipe("textcat")
    for label in ("bad", "good"):
        textcat.add_label(label)
    nlp.initialize()
    textcat.model.get_ref("output_layer").set_param("b", textcat.model.ops.asarray1f([0.5, -0.5]))
    folder = tmp_path_factory.mktemp("pipelines") / "tastes"
    nlp.to_disk(folder)
    return folder


@pytest.fixture
def folder(pipeline: Path, tmp_path: Path) -> Path:
    """A copy of it, which a test may break."""
    return Path(shutil.copytree(pipeline, tmp_path / "secret place" / "tastes"))


def ruled(store: Store, name: str = "Project", **settings: object) -> Project:
    project = find_project(store, name)
    return change_project(
        store,
        LOCAL_OPERATOR,
        replace(project, settings=replace(project.settings, **settings)),  # type: ignore[arg-type]
    )


def asked_by(store: Store, person: User, key: str = "t1", result: str | None = "negative") -> ShownPreview:
    [number] = find_instance_ids(store, find_project(store, "Project").id, key)
    return preview(store, person, number, result, SETS)


def test_the_lead_chooses_a_model_from_a_folder_and_says_what_its_labels_are_here(
    store: Store, project: Project, folder: Path
) -> None:
    ruled(store, preview_model=f"spacy:{folder}")
    with pytest.raises(ModelError, match=r"The lead maps them under Project, Previews \("):
        asked_by(store, LOCAL_OPERATOR)
    ruled(store, preview_labels=RENAMED)
    shown = asked_by(store, LOCAL_OPERATOR)
    assert (shown.model, shown.kind, shown.label) == ("tastes", "spacy", "negative")
    nlp = spacy.load(folder)  # the same words as the set has, asked without us
    [words] = [spacy.tokens.Doc(nlp.vocab, ["The", "staff", "smiled"], [True, True, True])]
    assert shown.sets[0].p == pytest.approx(nlp(words).cats["bad"], abs=1e-4)
    assert len(shown.sets[0].less) == 3


def test_without_names_in_the_rules_previews_take_those_that_were_confirmed(
    store: Store, project: Project, folder: Path
) -> None:
    ruled(store, preview_model=f"spacy:{folder}")
    remember(store, LOCAL_OPERATOR, project, ModelLabels.of_model("tastes", ["bad", "good"]), LabelTable(RENAMED))
    by_table = asked_by(store, LOCAL_OPERATOR)
    ruled(store, preview_labels=RENAMED)
    assert asked_by(store, LOCAL_OPERATOR) == by_table
    ruled(store, preview_labels={"good": "positive", "bad": ""})
    shown = asked_by(store, LOCAL_OPERATOR, result=None)
    assert (shown.label, shown.full and shown.full.p) == ("positive", 1.0)  # the only label that it may still answer


def test_no_one_but_a_lead_ever_reads_where_a_model_lies(
    store: Store, project: Project, annotator: User, folder: Path
) -> None:
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    ruled(store, preview_model=f"spacy:{folder}", preview_labels=RENAMED, model_previews="annotators")
    answered = msgspec.json.encode(asked_by(store, annotator)).decode()
    assert "tastes" in answered
    assert "secret place" not in answered
    (folder / "textcat" / "model").write_bytes(b"broken")
    with pytest.raises(
        ModelError, match=r"Preview model 'tastes' can't be used\. The lead can change it \(Project, Previews\)\."
    ) as refused:
        asked_by(store, annotator)
    assert "secret place" not in str(refused.value)
    with pytest.raises(ModelError, match="secret place"):
        asked_by(store, LOCAL_OPERATOR)
    shutil.rmtree(folder)
    with pytest.raises(
        ModelError,
        match=r"The folder of preview model 'tastes' is missing\. The lead can change it \(Project, Previews\)\.",
    ) as refused:
        asked_by(store, annotator)
    assert "secret place" not in str(refused.value)
    with pytest.raises(ModelError, match="secret place"):
        asked_by(store, LOCAL_OPERATOR)


def test_a_model_that_is_not_there_cannot_be_chosen_and_one_that_went_hinders_no_other_rule(
    store: Store, project: Project, folder: Path, add_person: Callable[..., User]
) -> None:
    for spec, reason in (
        (f"transformers:{folder}", r"has no transformers model: config\.json is missing\."),
        (f"spacy:{folder / 'nowhere'}", r"No folder '.*nowhere' for preview model 'spacy:"),
        ("spacy:", "'spacy:' isn't a preview model. Use none, built-in"),
        ("pickle:/x", "'pickle:/x' isn't a preview model. Use none, built-in"),
    ):
        with pytest.raises(InvalidValue, match=reason):
            ruled(store, preview_model=spec)
    with pytest.raises(InvalidValue, match=r"Preview label 'bad' maps to 'awful', not a project label \("):
        ruled(store, preview_labels={"bad": "awful"})
    with pytest.raises(NotAllowed):
        change_project(store, add_person("annotator-b", project, "annotator"), find_project(store, "Project"))
    ruled(store, preview_model=f"spacy:{folder}")
    shutil.rmtree(folder)
    assert ruled(store, max_rounds=2).settings.preview_model == f"spacy:{folder}"


def test_an_export_says_nothing_of_the_folder_and_an_import_takes_none(
    store: Store, project: Project, folder: Path, tmp_path: Path, make_project: Callable[..., Project]
) -> None:
    ruled(store, preview_model=f"spacy:{folder}")
    path = tmp_path / "all.jsonl"
    export_file(store, LOCAL_OPERATOR, find_project(store, "Project"), "jsonl", path)
    header = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    assert header["settings"]["preview_model"] == "none"
    assert "secret place" not in path.read_text(encoding="utf-8")
    from tests.usecases.transfer.test_export import content_of

    header = content_of(store, find_project(store, "Project"))[0]
    foreign = {**header.settings, "preview_model": f"spacy:{folder}"}
    with store.transaction():
        copy = Restorer(store, make_project(name="Copy")).take_header(replace(header, settings=foreign))
    assert copy.settings.preview_model == "none"


def test_without_torch_a_transformers_model_is_refused_with_what_to_install(
    store: Store, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bert").mkdir()
    (tmp_path / "bert" / "config.json").write_text("{}", encoding="utf-8")
    ruled(store, preview_model=f"transformers:{tmp_path / 'bert'}")
    monkeypatch.setitem(sys.modules, "torch", None)  # as where it is not installed
    with pytest.raises(ModelError, match=r"Run: pip install 'rationale-annotator\[models\]'\."):
        asked_by(store, LOCAL_OPERATOR)


class Slow:
    """Loads a model as slowly as a test wants, and counts."""

    def __init__(self) -> None:
        self.go_on = threading.Event()
        self.n_loaded = 0

    def load(self, *_: object) -> "Slow":
        self.go_on.wait(10)
        self.n_loaded += 1
        return self

    name = "slow"
    labels = ("negative", "positive")

    def probabilities(self, inputs: list[Input]) -> Any:
        import numpy as np

        return np.tile([0.25, 0.75], (len(inputs), 1))


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    made = Slow()
    monkeypatch.setattr(preview_models, "load_predictor", made.load)
    monkeypatch.setattr(preview_models, "_MODELS", preview_models._LoadedModels())
    return made


def test_a_model_is_loaded_once_however_many_ask_at_once(
    store: Store, project: Project, folder: Path, database: Path, slow: Slow
) -> None:
    ruled(store, preview_model=f"spacy:{folder}")
    answers: list[str] = []

    def ask() -> None:
        with open_store(database) as own:
            answers.append(asked_by(own, LOCAL_OPERATOR).model)

    threads = [threading.Thread(target=ask) for _ in range(5)]
    for thread in threads:
        thread.start()
    slow.go_on.set()
    for thread in threads:
        thread.join(10)
    assert (answers, slow.n_loaded) == (["slow"] * 5, 1)
    (folder / "meta.json").write_text("{}", encoding="utf-8")
    asked_by(store, LOCAL_OPERATOR)
    assert slow.n_loaded == 2  # its folder was changed


def test_who_asks_while_a_model_is_loaded_is_told_so_and_does_not_wait_without_end(
    store: Store, project: Project, folder: Path, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruled(store, preview_model=f"spacy:{folder}")
    monkeypatch.setattr(preview_models, "_PATIENCE_S", 0.05)
    with pytest.raises(Conflict, match=r"'tastes' is busy\. Try again later\."):
        asked_by(store, LOCAL_OPERATOR)
    slow.go_on.set()
    monkeypatch.setattr(preview_models, "_PATIENCE_S", 10.0)
    assert asked_by(store, LOCAL_OPERATOR).model == "slow"
    assert slow.n_loaded == 1


def test_so_many_may_wait_for_models_that_threads_are_left_for_saving(
    store: Store, project: Project, folder: Path, slow: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruled(store, preview_model=f"spacy:{folder}")
    for _ in range(preview_models._MOST_WAITING):
        preview_models._MODELS._waiting.acquire()
    with pytest.raises(Conflict, match=r"'tastes' is busy\. Try again later\."):
        asked_by(store, LOCAL_OPERATOR)


# Sets beside attributions --------------------------------------------------------------------------------------------

FALLING = (9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0, 0.0)  # of the ten tokens of t1


def attributed(
    store: Store, *runs: Run, key: str = "t1", scores: tuple[float, ...] = FALLING, label: str = "negative"
) -> None:
    project = find_project(store, "Project")
    report = ImportReport()
    rows = [
        SourceOutput(key, run, "f", 1, None, (), (SourceAttribution((ScoredPart(scores),), label),)) for run in runs
    ]
    with store.transaction():
        Intake(store, project, ImportOptions(), report, lambda _: None).run(rows)
    assert report.problems == []


def test_each_set_is_told_beside_the_attributions_of_its_text(store: Store, project: Project) -> None:
    ruled(store, preview_model="none")
    with pytest.raises(NotFound, match=r"No preview model is chosen \(Project, Previews\)\."):
        asked_by(store, LOCAL_OPERATOR)
    attributed(store, Run("m", "ig"))
    shown = asked_by(store, LOCAL_OPERATOR)
    assert (shown.model, shown.trouble) == (None, None)
    [beside] = shown.attributions
    assert (beside.model, beside.method, beside.label) == ("m", "ig", "negative")
    assert (beside.k, beside.n) == ((2,), (10,))  # nothing was measured: 0.2 of ten tokens, the first two
    first, second = beside.sets  # tokens 0, 1, 4 and token 3
    assert (first.f1, first.iou) == (0.8, pytest.approx(2 / 3, abs=1e-4))  # two of two found, of three wanted
    assert first.ap == pytest.approx((1 + 1 + 3 / 5) / 3, abs=1e-4)
    assert (second.f1, second.iou, second.ap) == (0.0, 0.0, 0.25)


def test_without_a_model_the_attributions_are_told_with_the_reason(store: Store, project: Project) -> None:
    attributed(store, Run("m", "ig"))
    shown = asked_by(store, LOCAL_OPERATOR)
    assert shown.model is None
    assert "first (Saliency, Compute attributions)." in shown.trouble
    assert len(shown.attributions) == 1


def test_the_newest_methods_are_compared_one_run_of_each_unless_the_lead_names_one(
    store: Store, project: Project
) -> None:
    def methods() -> list[tuple[str, int | None]]:
        return [(one.method, one.seed) for one in asked_by(store, LOCAL_OPERATOR).attributions]

    ruled(store, preview_model="none")
    attributed(store, Run("m", "oldest"), Run("m", "lime", seed=0), Run("m", "lime", seed=1), Run("m", "ig"))
    attributed(store, Run("m", "random", seed=0), Run("m", "occlusion"))
    assert methods() == [("occlusion", None), ("ig", None), ("lime", 0)]
    ruled(store, preview_method="oldest")
    assert methods() == [("oldest", None)]
    ruled(store, preview_method="none")
    with pytest.raises(NotFound):
        methods()


def test_the_attribution_is_that_of_the_label_on_the_screen_and_never_betrays_the_one_that_was_given(
    store: Store, project: Project
) -> None:
    def label(result: str | None) -> str:
        told: str = asked_by(store, LOCAL_OPERATOR, "t2", result).attributions[0].label
        return told

    ruled(store, preview_model="none")
    scores = tuple(float(n) for n in range(14))
    attributed(store, Run("m", "ig"), key="t2", scores=scores, label="positive")
    assert label("negative") == "positive"  # there is no other
    attributed(store, Run("m", "ig"), key="t2", scores=scores, label="negative")
    assert (label("negative"), label("positive")) == ("negative", "positive")
    assert label(None) == "negative"  # the first by name, though the text's own label is positive


def test_who_may_not_ask_the_model_sees_no_attribution_either(store: Store, project: Project, annotator: User) -> None:
    work = annotate_work.next_work(store, annotator, project.id).work
    assert work is not None
    attributed(store, Run("m", "ig"))
    with pytest.raises(NotAllowed):
        asked_by(store, annotator)
    ruled(store, model_previews="annotators")
    assert len(asked_by(store, annotator).attributions) == 1


def test_where_the_hub_is_allowed_a_preview_does_not_forbid_it_to_the_processes_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HUB_VARIABLE, "1")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    load = preview_models.load_options(ProjectSettings(), [])
    with pytest.raises(ModelError, match=r"isn't a folder written by save_pretrained\."):
        preview_models._loaded(f"transformers:{tmp_path}", tmp_path, load)
    assert "HF_HUB_OFFLINE" not in os.environ
