"""Training a transformer on a project's gold: saved with its card, asked like any model, gone on with after a kill."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from annotator.attribution.loaders import LoadOptions
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.errors import InvalidValue, ModelError
from annotator.store import Store
from annotator.store.events import all_events
from annotator.store.trained_models import find_training, ids_learned_from
from annotator.training.alignment import AlignmentOptions
from annotator.training.loop import FittingOptions
from annotator.training.trainable_models import NewModel
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.project.projects import create_project
from annotator.usecases.training.examples import DataOptions, training_data
from annotator.usecases.training.sweeps import Trial, train_sweep
from annotator.usecases.training.transformers import TrainingOptions, train_transformer
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from annotator.usecases.upkeep import check
from tests.training.planted import LABELS, Planting, all_words, planted

TINY = {
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 32,
}
OPTIONS = TrainingOptions(
    NewModel((), shape=TINY, n_pieces=2_000), fitting=FittingOptions(epochs=6, learning_rate=3e-3, batch_size=16)
)

pytestmark = pytest.mark.usefixtures("torch")


@pytest.fixture
def project(store: Store, import_rows: Callable[..., object]) -> Project:
    """Planted texts: 300 to learn from, 30 to stop by, 40 to judge by."""
    made = create_project(store, LOCAL_OPERATOR, "Planted", get_task("sentiment"), labels=list(LABELS))
    rows = []
    for number, example in enumerate(planted(Planting(370))):
        (segment,) = example.input.segments
        (tokens,) = example.sets
        split = "train" if number < 300 else "validation" if number < 330 else "test"
        rationales = [[[token, token + 1] for token in sorted(tokens)]]
        rows.append(
            {"id": example.key, "text": segment.text, "label": example.label, "split": split, "annotator": "source",
             "rationales": rationales}
        )  # fmt: skip
    import_rows(made, rows)
    return made


def test_it_learns_is_saved_with_its_card_and_is_asked_like_any_model(store: Store, project: Project) -> None:
    report = train_transformer(store, LOCAL_OPERATOR, project, "planted", OPTIONS)
    assert report.folder == models_folder(store, project) / "planted"
    assert report.held_out is not None
    assert (report.held_out.way, report.held_out.n) == ("splits", 40)
    assert report.held_out.accuracy > 0.9
    card = json.loads((report.folder / "card.json").read_text(encoding="utf-8"))
    assert (card["data"]["texts"], card["data"]["with rationales"], card["data"]["split"]) == (300, 300, "train")
    assert card["scores"]["accuracy"] == report.held_out.accuracy
    assert not list(report.folder.parent.glob("*.training"))
    asked = attribute(
        store, LOCAL_OPERATOR, project, f"transformers:{report.folder}", "gradient-x-input",
        AttributingOptions(split="test", load=LoadOptions(device="cpu")),
    )  # fmt: skip
    assert (asked.model, asked.n_attributions, asked.n_left_out) == ("planted", 40, 0)
    training = find_training(store, project.id, "planted")
    assert training is not None
    assert len(ids_learned_from(store, training.id)) == 300
    assert check(store) == []


def test_a_model_of_tokens_learns_the_targets_of_entities_and_is_asked_about_each(
    store: Store, project: Project, import_rows: Callable[..., object]
) -> None:
    tokens = replace(OPTIONS, model=replace(OPTIONS.model, architecture="tokens"), fitting=FittingOptions(epochs=1))
    with pytest.raises(ModelError, match="have no target for which a model of tokens could answer"):
        train_transformer(store, LOCAL_OPERATOR, project, "types", tokens)
    entities = create_project(store, LOCAL_OPERATOR, "Entities", get_task("entity"), labels=["person", "place"])
    rows = [
        {"id": f"e{n}", "text": "we met washington near washington", "target": target, "label": label,
         "annotator": "source", "rationales": [[[target[0] - 1, target[0]]]]}
        for n in range(12)
        for target, label in [(([2, 3], "person"), ([4, 5], "place"))[n % 2]]
    ]  # fmt: skip
    import_rows(entities, rows)
    report = train_transformer(store, LOCAL_OPERATOR, entities, "types", tokens)
    card = json.loads((report.folder / "card.json").read_text(encoding="utf-8"))
    assert card["data"]["answers from"] == "the first piece of the target"
    asked = attribute(
        store, LOCAL_OPERATOR, entities, f"transformers:{report.folder}", "occlusion",
        AttributingOptions(has_faithfulness=True, load=LoadOptions(device="cpu")),
    )  # fmt: skip
    assert (asked.n_attributions, asked.n_left_out) == (12, 0)
    assert asked.n_reduced > 0  # the target stays in every text that it is asked about


def test_a_training_that_was_killed_goes_on_from_its_last_epoch(store: Store, project: Project) -> None:
    class Killed(Exception):
        pass

    steps: list[int] = []

    def kill(done: int, of: int) -> None:
        steps.append(done)
        if done > of / 2:
            raise Killed

    with pytest.raises(Killed):
        train_transformer(store, LOCAL_OPERATOR, project, "planted", OPTIONS, progress=kill)
    assert find_training(store, project.id, "planted") is None
    again: list[int] = []
    report = train_transformer(
        store, LOCAL_OPERATOR, project, "planted", OPTIONS, progress=lambda done, _: again.append(done)
    )
    assert again[0] > 1
    assert again[0] <= steps[-1]  # the epoch that was not whole is done again
    assert len(report.fitted.epochs) == 6


def test_a_training_that_replaces_a_model_goes_on_after_a_kill_and_the_model_stays_until_then(
    store: Store, project: Project
) -> None:
    class Killed(Exception):
        pass

    def kill(done: int, of: int) -> None:
        if done > of / 2:
            raise Killed

    old = train_transformer(
        store, LOCAL_OPERATOR, project, "planted", replace(OPTIONS, fitting=replace(OPTIONS.fitting, epochs=1))
    )
    weights = (old.folder / "model.safetensors").read_bytes()
    anew = replace(OPTIONS, is_anew=True)
    with pytest.raises(Killed):
        train_transformer(store, LOCAL_OPERATOR, project, "planted", anew, progress=kill)
    assert (old.folder / "model.safetensors").read_bytes() == weights
    steps: list[int] = []
    train_transformer(store, LOCAL_OPERATOR, project, "planted", anew, progress=lambda done, _: steps.append(done))
    assert steps[0] > 1
    assert (old.folder / "model.safetensors").read_bytes() != weights


def test_a_model_that_is_there_stays_unless_it_is_to_be_replaced(store: Store, project: Project) -> None:
    quick = replace(OPTIONS, fitting=replace(OPTIONS.fitting, epochs=1))
    made = train_transformer(store, LOCAL_OPERATOR, project, "planted", quick)
    first = find_training(store, project.id, "planted")
    again = train_transformer(
        store, LOCAL_OPERATOR, project, "planted", quick, progress=lambda *_: pytest.fail("trains")
    )
    assert again == replace(made, is_new=False)
    other = replace(quick, fitting=replace(quick.fitting, seed=1))
    with pytest.raises(InvalidValue, match=r"other texts or settings. .* replace it with --again"):
        train_transformer(store, LOCAL_OPERATOR, project, "planted", other)
    assert find_training(store, project.id, "planted") == first
    train_transformer(store, LOCAL_OPERATOR, project, "planted", replace(other, is_anew=True))
    second = find_training(store, project.id, "planted")
    assert first is not None
    assert second is not None
    assert first.digest != second.digest


def test_a_text_to_judge_by_that_is_too_long_is_refused_before_anything_is_learned(
    store: Store, project: Project, import_rows: Callable[..., object]
) -> None:
    import_rows(project, [{"id": "long", "text": "so very good " * 40, "label": LABELS[0], "split": "test"}])
    with pytest.raises(ModelError) as refused:
        train_transformer(
            store, LOCAL_OPERATOR, project, "planted", OPTIONS, progress=lambda *_: pytest.fail("it learned")
        )
    assert re.fullmatch(
        r"The text 'long' has \d+ pieces, more than the 32 pieces that the model 'planted' sees; it is the only one of 371\. Have "
        r"such texts cut at the end \(--too-long cut\) or read in windows \(--too-long windows\), or shorten them\.",
        str(refused.value),
    )


def test_all_texts_that_are_too_long_are_counted_and_the_longest_is_named(
    store: Store, project: Project, import_rows: Callable[..., object]
) -> None:
    rows = [
        {"id": f"long{n}", "text": "so very good " * n, "label": LABELS[0], "split": split}
        for n, split in ((20, "train"), (40, "validation"), (30, "test"))
    ]
    import_rows(project, rows)
    with pytest.raises(ModelError, match="^3 of 373 texts are longer than the 32 pieces .* the longest, 'long40', has"):
        train_transformer(store, LOCAL_OPERATOR, project, "planted", OPTIONS)


def test_a_sweep_is_refused_before_its_first_training_where_a_text_is_too_long_for_its_last_model(
    store: Store, import_rows: Callable[..., object]
) -> None:
    """A tokenizer from scratch knows whole words of the texts that it learned from: those that the seed did not put aside."""
    made = create_project(store, LOCAL_OPERATOR, "Rare", get_task("sentiment"), labels=list(LABELS))
    rare, letters = "qzxjvkwpy" * 3, "qq zz xx jj vv kk ww pp yy"
    rows = [{"id": f"t{n}", "text": f"{letters} {n}", "label": LABELS[n % 2], "split": "train"} for n in range(29)]
    rows.append({"id": "rare", "text": f"{rare} {rare}", "label": LABELS[0], "split": "train"})
    import_rows(made, [*rows, {"id": "judged", "text": f"{rare} {rare}", "label": LABELS[0], "split": "test"}])

    def of_seed(seed: int) -> TrainingOptions:
        return replace(OPTIONS, data=DataOptions(seed=seed), fitting=replace(OPTIONS.fitting, epochs=1, seed=seed))

    def knows(seed: int) -> bool:
        return "rare" in {example.key for example in training_data(store, made, DataOptions(seed=seed)).learn}

    knowing, unknowing = (next(seed for seed in range(100) if knows(seed) is known) for known in (True, False))
    trials = [Trial(f"seed{seed}", {"seed": seed}, of_seed(seed)) for seed in (knowing, unknowing)]
    with pytest.raises(ModelError, match=f"the 32 pieces that the model 'seed{unknowing}'"):
        list(train_sweep(store, LOCAL_OPERATOR, made, trials))
    assert not list(models_folder(store, made).glob("*"))
    (report,) = train_sweep(store, LOCAL_OPERATOR, made, trials[:1])
    assert report.name == f"seed{knowing}"


def test_an_alignment_is_written_into_the_card_and_the_record(store: Store, project: Project) -> None:
    options = replace(
        OPTIONS, fitting=replace(OPTIONS.fitting, epochs=1, alignment=AlignmentOptions("mae", strength=2.0))
    )
    report = train_transformer(store, LOCAL_OPERATOR, project, "aligned", options)
    assert report.fitted.epochs[0].alignment_loss is not None
    card = json.loads((report.folder / "card.json").read_text(encoding="utf-8"))
    assert (card["parameters"]["alignment"]["criterion"], card["parameters"]["alignment"]["strength"]) == ("mae", 2.0)
    (event,) = [event for event in all_events(store, project.id) if event.action == "train model"]
    assert event.detail["kind"] == "transformers"


def test_the_name_of_a_model_whose_output_came_from_a_file_is_refused(
    store: Store, project: Project, tmp_path: Path
) -> None:
    path = tmp_path / "output.jsonl"
    path.write_text(json.dumps({"id": "text0", "model": "planted", "label": LABELS[0]}) + "\n", encoding="utf-8")
    import_file(store, LOCAL_OPERATOR, project, "predictions", path, ImportOptions())
    with pytest.raises(InvalidValue, match="was not trained here"):
        train_transformer(store, LOCAL_OPERATOR, project, "planted", OPTIONS)


@pytest.mark.parametrize("name", ["", "../up", "a b", "x" * 62])
def test_a_name_that_cannot_be_a_folder_is_refused(store: Store, project: Project, name: str) -> None:
    with pytest.raises(InvalidValue, match="cannot be the name of a model"):
        train_transformer(store, LOCAL_OPERATOR, project, name, OPTIONS)


def test_the_words_that_a_tokenizer_learns_are_those_of_the_texts(
    store: Store, project: Project, tmp_path: Path
) -> None:
    quick = replace(OPTIONS, folder=tmp_path, fitting=replace(OPTIONS.fitting, epochs=1))
    report = train_transformer(store, LOCAL_OPERATOR, project, "elsewhere", quick)
    assert report.folder == tmp_path / "elsewhere"
    pieces = json.loads((report.folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    assert set(all_words()) & set(pieces)
