"""Trainings in the queue: asked for, told of, stopped, killed, gone on with, refused before anybody waits for them."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from annotator.domain.jobs import Job
from annotator.domain.people import User
from annotator.domain.projects import Project
from annotator.errors import InvalidValue, ModelError, NotAllowed
from annotator.jobs.worker import work
from annotator.store import Store
from annotator.store import jobs as jobs_store
from annotator.store.trained_models import find_training
from annotator.training.alignment import AlignmentOptions
from annotator.training.card import Card
from annotator.training.loop import FittingOptions
from annotator.training.trainable_models import NewModel
from annotator.usecases.background import (
    AskedAttribution,
    AskedTraining,
    ask_to_attribute,
    ask_to_train,
    queue_of,
    stop_job,
    train_again,
)
from annotator.usecases.models.alignment_proofs import alignment_proof
from annotator.usecases.models.attributions import AttributingOptions
from annotator.usecases.models.model_places import PLACES_VARIABLE, models_folder
from annotator.usecases.training.forecast import trained_models, training_of_kin
from annotator.usecases.training.transformers import TrainingOptions
from tests.conftest import REPOSITORY

TINY = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
QUICK = TrainingOptions(NewModel((), shape=TINY, n_subwords=200), fitting=FittingOptions(epochs=2, learning_rate=1e-2))
LONG = replace(QUICK, fitting=FittingOptions(epochs=20_000, patience=20_000, learning_rate=1e-3))

pytestmark = pytest.mark.usefixtures("torch")


@pytest.fixture
def tastes(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Forty texts to learn from, half of them with a rationale, and twenty-four to judge by."""
    made = make_project(name="Tastes")
    rows = [
        {"id": f"{label}-{n}", "text": f"a {word} book number {n}", "label": label, "split": "train" if n < 20 else "test",
         **({"rationales": [[[1, 2]]]} if n % 2 else {})}
        for label, word in (("positive", "good"), ("negative", "bad"))
        for n in range(32)
    ]  # fmt: skip
    import_rows(made, rows)
    return made


@pytest.fixture
def researcher(add_person: Callable[..., User], tastes: Project) -> User:
    return add_person("Ria", tastes, "researcher")


def checkpoint_of(store: Store, project: Project, name: str) -> Path:
    return models_folder(store, project) / f"{name}.training" / "checkpoint.pt"


def wait_for(condition: Callable[[], bool], seconds: float = 300) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "what was waited for did not come"
        time.sleep(0.02)


def test_a_model_is_trained_in_the_background_and_says_how_often_it_is_right(
    store: Store, tastes: Project, researcher: User
) -> None:
    aligned = replace(QUICK, fitting=replace(QUICK.fitting, alignment=AlignmentOptions("mae")))
    job = ask_to_train(store, researcher, tastes, AskedTraining("first", aligned))
    assert (job.state, job.title) == ("waiting", "Training of 'first'")
    work(store.path, idle_seconds=0)
    (done,) = queue_of(store, researcher, tastes, "train").ended
    assert (done.state, done.n_done, done.n_of) == ("done", 6, 6)  # 36 texts in batches of 16, twice
    assert done.told.startswith("Learned from 36 texts, 19 of them with rationales; its weights are those of epoch ")
    assert " of 24 held-out texts of other splits" in done.told
    training = find_training(store, tastes.id, "first")
    assert training is not None
    assert training.n == 36


def test_what_an_alignment_brought_is_asked_for_when_it_or_its_twin_or_its_control_is_trained(
    store: Store, tastes: Project, researcher: User
) -> None:
    aligned = replace(QUICK, fitting=replace(QUICK.fitting, alignment=AlignmentOptions("mae")))
    ask_to_train(store, researcher, tastes, AskedTraining("first", aligned))
    work(store.path, idle_seconds=0)
    (trained,) = queue_of(store, researcher, tastes, "train").ended
    assert trained.told.endswith("What the alignment brought is being computed; the card tells it then.")
    proof = alignment_proof(store, researcher, tastes, ["first"])
    assert proof is not None
    assert [lack.kind for lack in proof.lacking] == ["twin", "control"]
    (first,) = trained_models(store, researcher, tastes)
    for kind, name in (("twin", "none"), ("control", "drawn")):
        ask_to_train(store, researcher, tastes, AskedTraining(name, training_of_kin(first, kind)))
        work(store.path, idle_seconds=0)
    proof = alignment_proof(store, researcher, tastes, ["first"])
    assert proof is not None
    assert (proof.twins, proof.controls, proof.lacking) == (("none",), ("drawn",), ())
    asked = queue_of(store, researcher, tastes, "attribute").ended
    assert {job.state for job in asked} == {"done"}
    # twelve texts that it was not to learn from have a rationale, and perhaps some of those that it stopped by
    assert all(12 <= of.gain.n <= 16 for of in proof.measures)


def test_what_was_trained_is_listed_with_its_card_and_computes_attributions_by_its_name(
    store: Store, tastes: Project, researcher: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PLACES_VARIABLE, str(tmp_path / "elsewhere"))
    ask_to_train(store, researcher, tastes, AskedTraining("first", QUICK))
    work(store.path, idle_seconds=0)
    (model,) = trained_models(store, researcher, tastes)
    assert (model.name, model.card.base, len(model.card.epochs)) == ("first", "scratch", 2)
    assert "Correct on 50.0 % of 24 held-out texts of other splits." in model.summary
    asked = AskedAttribution(model.spec, "gradient-x-input", AttributingOptions(split="test"))
    ask_to_attribute(
        store, researcher, tastes, asked
    )  # it lies where nobody was allowed to name models, but was made here
    work(store.path, idle_seconds=0)
    (computed,) = queue_of(store, researcher, tastes, "attribute").ended
    assert computed.told.startswith("Computed 24 attributions and 24 predictions")
    with pytest.raises(NotAllowed):
        ask_to_attribute(store, researcher, tastes, replace(asked, model=f"transformers:{tmp_path}"))


def train_until(store: Store, researcher: User, project: Project, job: Job, n_epochs: int) -> list[dict[str, object]]:
    """Let a training run until so many epochs are written down, then stop it; answers the epochs that are written down."""
    worker = threading.Thread(target=work, args=(store.path,), kwargs={"idle_seconds": 0})
    worker.start()
    wait_for(lambda: len(epochs_of(store, project)) >= n_epochs)
    stop_job(store, researcher, project, job.id)
    worker.join(120)
    assert jobs_store.get_job(store, job.id).state == "stopped"
    return epochs_of(store, project)


def epochs_of(store: Store, project: Project) -> list[dict[str, object]]:
    path = checkpoint_of(store, project, "long")
    return import_module("torch").load(path, weights_only=True)["epochs"] if path.exists() else []


def test_a_training_that_is_stopped_goes_on_from_its_last_whole_epoch(
    store: Store, tastes: Project, researcher: User
) -> None:
    job = ask_to_train(store, researcher, tastes, AskedTraining("long", LONG))
    first = train_until(store, researcher, tastes, job, 1)
    assert find_training(store, tastes.id, "long") is None
    again = train_again(store, researcher, tastes, job.id)
    assert again.id != job.id
    second = train_until(store, researcher, tastes, again, len(first) + 1)
    assert second[: len(first)] == first  # they hold how long they took, so they were not done again


def test_a_training_whose_process_was_killed_goes_on_from_its_last_whole_epoch(
    store: Store, tastes: Project, researcher: User
) -> None:
    n_epochs = 60
    options = replace(QUICK, fitting=FittingOptions(epochs=n_epochs, patience=n_epochs, learning_rate=1e-3))
    ask_to_train(store, researcher, tastes, AskedTraining("killed", options))
    command = [sys.executable, "-m", "annotator.jobs", str(store.path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, cwd=REPOSITORY) as killed:
        wait_for(lambda: checkpoint_of(store, tastes, "killed").exists())
        os.kill(killed.pid, signal.SIGKILL)
    assert queue_of(store, researcher, tastes).open[0].state == "running"
    first = import_module("torch").load(checkpoint_of(store, tastes, "killed"), weights_only=True)["epochs"][0]
    with store.transaction():
        jobs_store.release_jobs_of(store, killed.pid, is_counted=True)
    work(store.path, idle_seconds=0)
    (done,) = queue_of(store, researcher, tastes).ended
    assert (done.state, done.n_starts) == ("done", 2)
    card = Card.read(models_folder(store, tastes) / "killed")
    assert card is not None
    assert len(card.epochs) == n_epochs
    assert card.epochs[0].seconds == first["seconds"]  # the epoch was not done again


def test_a_stopped_training_is_begun_again_with_other_settings_where_that_is_asked_for(
    store: Store, tastes: Project, researcher: User
) -> None:
    folder = checkpoint_of(store, tastes, "again").parent
    ask_to_train(store, researcher, tastes, AskedTraining("other", QUICK))
    work(store.path, idle_seconds=0)
    job = ask_to_train(store, researcher, tastes, AskedTraining("again", LONG))
    worker = threading.Thread(target=work, args=(store.path,), kwargs={"idle_seconds": 0})
    worker.start()
    wait_for((folder / "checkpoint.pt").exists)
    stop_job(store, researcher, tastes, job.id)
    worker.join(120)
    with pytest.raises(InvalidValue, match=r"has other settings\. Choose another name\."):
        ask_to_train(store, researcher, tastes, AskedTraining("again", QUICK))
    ask_to_train(store, researcher, tastes, AskedTraining("again", replace(QUICK, is_anew=True)))
    work(store.path, idle_seconds=0)
    assert queue_of(store, researcher, tastes).ended[0].state == "done"
    assert not folder.exists()


def test_two_tabs_ask_for_the_same_training_once_and_not_for_two_models_of_one_name(
    store: Store, tastes: Project, researcher: User
) -> None:
    first = ask_to_train(store, researcher, tastes, AskedTraining("first", QUICK))
    assert ask_to_train(store, researcher, tastes, AskedTraining("first", QUICK)).id == first.id
    with store.transaction():
        jobs_store.claim_job(store, worker=1)
    assert ask_to_train(store, researcher, tastes, AskedTraining("first", QUICK)).id == first.id
    with pytest.raises(
        InvalidValue, match=r"Training 'first' is queued or running\. Choose another name, or stop it\."
    ):
        ask_to_train(store, researcher, tastes, AskedTraining("first", LONG))
    ask_to_train(store, researcher, tastes, AskedTraining("second", LONG))
    assert len(queue_of(store, researcher, tastes).open) == 2


def test_the_name_of_a_model_that_is_there_is_refused_unless_it_is_to_be_replaced(
    store: Store, tastes: Project, researcher: User
) -> None:
    (models_folder(store, tastes) / "there").mkdir(parents=True)
    with pytest.raises(InvalidValue, match=r"'there' already exists\. Choose another name, or replace it\."):
        ask_to_train(store, researcher, tastes, AskedTraining("there", QUICK))
    assert queue_of(store, researcher, tastes).open == ()
    assert ask_to_train(store, researcher, tastes, AskedTraining("there", replace(QUICK, is_anew=True))).is_open


def test_the_name_of_the_built_in_model_is_refused(store: Store, tastes: Project, researcher: User) -> None:
    ask_to_attribute(store, researcher, tastes, AskedAttribution("built-in:words", "linear", AttributingOptions()))
    work(store.path, idle_seconds=0)
    for name in ("built-in", "words"):
        anew = AskedTraining(name, replace(QUICK, is_anew=True))
        with pytest.raises(InvalidValue, match=r"already exists\. Choose another name\."):
            ask_to_train(store, researcher, tastes, anew)


def test_only_those_who_may_use_models_train(
    store: Store, tastes: Project, researcher: User, add_person: Callable[..., User]
) -> None:
    ann = add_person("Ann", tastes, "annotator")
    job = ask_to_train(store, researcher, tastes, AskedTraining("first", QUICK))
    for refused in (
        lambda: ask_to_train(store, ann, tastes, AskedTraining("second", QUICK)),
        lambda: train_again(store, ann, tastes, job.id),
        lambda: trained_models(store, ann, tastes),
    ):
        with pytest.raises(NotAllowed, match="use models"):
            refused()


def test_a_base_outside_of_the_folders_that_the_server_allows_is_refused_when_asked_for_and_when_begun(
    store: Store, tastes: Project, researcher: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "private").mkdir()
    asked = AskedTraining("first", replace(QUICK, model=NewModel((), base=str(tmp_path / "private"))))
    ask_to_train(store, researcher, tastes, asked)
    monkeypatch.setenv(PLACES_VARIABLE, str(tmp_path / "models"))
    with pytest.raises(NotAllowed, match=r"isn't in an allowed folder \("):
        ask_to_train(store, researcher, tastes, replace(asked, name="second"))
    work(store.path, idle_seconds=0)
    (failed,) = queue_of(store, researcher, tastes).ended
    assert failed.state == "failed"
    assert "isn't in an allowed folder (" in failed.told


def test_a_machine_without_torch_says_what_to_install_before_anybody_waits(
    store: Store, tastes: Project, researcher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "annotator.usecases.training.forecast.find_spec", lambda name: None if name == "torch" else name
    )
    with pytest.raises(ModelError, match=r"Run: pip install 'rationale-annotator\[models\]'\."):
        ask_to_train(store, researcher, tastes, AskedTraining("first", QUICK))
