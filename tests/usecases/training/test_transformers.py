"""Training transformers on a project's gold: saved with their cards, asked like any model, gone on with after a kill; many at once."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.attribution.loaders import LoadOptions
from annotator.attribution.transformers_models import load
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import SegmentSpec, custom_task, get_task
from annotator.errors import AnnotatorError, InvalidValue, ModelError
from annotator.metrics.aggregate import least_squares
from annotator.store import Store
from annotator.store.events import all_events
from annotator.store.trained_models import find_training, ids_learned_from
from annotator.training.alignment import AlignmentOptions
from annotator.training.loop import EpochResult, Fitted, FittingOptions
from annotator.training.trainable_models import NewModel
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.models.model_trust import Trainings
from annotator.usecases.papers.alignment_losses import alignment_slope
from annotator.usecases.project.projects import create_project
from annotator.usecases.training.examples import DataOptions, RationaleOptions, TrainingData, training_data
from annotator.usecases.training.forecast import forecast
from annotator.usecases.training.sweeps import Trial, train_sweep, trials_of
from annotator.usecases.training.transformers import TrainingOptions, TrainingReport, train_transformer
from annotator.usecases.transfer.file_import import import_file
from annotator.usecases.transfer.import_report import ImportOptions
from annotator.usecases.upkeep import check
from tests.attribution_inputs import Elsewhere
from tests.training.planted import LABELS, Planting, all_words, planted
from tests.training.test_answers import MARKER, QUESTION, SHAPE, texts

TINY = {
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 32,
}
OPTIONS = TrainingOptions(
    NewModel((), shape=TINY, n_subwords=2_000), fitting=FittingOptions(epochs=6, learning_rate=3e-3, batch_size=16)
)

pytestmark = pytest.mark.usefixtures("torch")


@pytest.fixture
def project(store: Store, import_rows: Callable[..., object]) -> Project:
    """Planted texts: 150 to learn from, 30 to stop by, 40 to judge by."""
    made = create_project(store, LOCAL_OPERATOR, "Planted", get_task("sentiment"), labels=list(LABELS))
    rows = []
    for number, example in enumerate(planted(Planting(220, n_words=8))):
        (segment,) = example.input.segments
        (tokens,) = example.sets
        split = "train" if number < 150 else "validation" if number < 180 else "test"
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
    assert (card["data"]["texts"], card["data"]["with rationales"], card["data"]["split"]) == (150, 150, "train")
    assert card["scores"]["accuracy"] == report.held_out.accuracy
    assert not list(report.folder.parent.glob("*.training"))
    asked = attribute(
        store, LOCAL_OPERATOR, project, f"transformers:{report.folder}", "gradient-x-input",
        AttributingOptions(split="test", load=LoadOptions(device="cpu")),
    )  # fmt: skip
    assert (asked.model, asked.n_attributions, asked.n_left_out) == ("planted", 40, 0)
    training = find_training(store, project.id, "planted")
    assert training is not None
    assert len(ids_learned_from(store, training.id)) == 150
    assert check(store) == []


def test_a_model_is_trained_further_on_what_came_since_without_a_new_head(
    store: Store, project: Project, import_rows: Callable[..., object]
) -> None:
    first = train_transformer(store, LOCAL_OPERATOR, project, "first", OPTIONS)
    data = DataOptions(since=str(first.folder))
    model = NewModel((), base=str(first.folder), keeps_head=True)
    further = replace(OPTIONS, model=model, data=data, fitting=FittingOptions(epochs=1, learning_rate=1e-4))
    with pytest.raises(ModelError, match=r"Nothing new since '.*first'\. Annotate more, or remove --since\."):
        train_transformer(store, LOCAL_OPERATOR, project, "second", further)
    rows = [
        {"id": f"new{e.key}", "text": e.input.segments[0].text, "label": e.label, "split": "train"}
        for e in planted(Planting(20, seed=5, n_words=8))
    ]
    import_rows(project, rows)
    second = train_transformer(store, LOCAL_OPERATOR, project, "second", further)
    assert len(second.data.learn) == 20
    assert second.held_out is not None
    assert second.held_out.accuracy > 0.9  # a new head would have learned nothing from 20 texts at this rate
    training = find_training(store, project.id, "second")
    assert training is not None
    assert len(ids_learned_from(store, training.id)) == 170  # nor is it judged by what the first one learned from
    third = replace(further, data=DataOptions(since=str(second.folder)), model=replace(model, base=str(second.folder)))
    with pytest.raises(ModelError, match="Nothing new since"):
        train_transformer(store, LOCAL_OPERATOR, project, "third", third)
    aligned = replace(further, fitting=replace(further.fitting, alignment=AlignmentOptions("mae")))
    report = train_transformer(store, LOCAL_OPERATOR, project, "aligned", aligned)
    assert len(report.data.learn) == 170  # the rationales were not learned from before
    again = replace(aligned, data=DataOptions(since=str(report.folder)))
    with pytest.raises(ModelError, match="Nothing new since"):
        train_transformer(store, LOCAL_OPERATOR, project, "again", again)


def test_a_folder_that_does_not_say_what_it_learned_from_has_no_since(
    store: Store, project: Project, tmp_path: Path
) -> None:
    with pytest.raises(InvalidValue, match="doesn't say what the model learned from. Remove --since."):
        training_data(store, project, DataOptions(since=str(tmp_path)))


def test_a_model_of_tokens_learns_the_targets_of_entities_and_is_asked_about_each(
    store: Store, project: Project, import_rows: Callable[..., object]
) -> None:
    tokens = replace(OPTIONS, model=replace(OPTIONS.model, architecture="tokens"), fitting=FittingOptions(epochs=1))
    with pytest.raises(ModelError, match=r"have no target\. Remove --architecture tokens\."):
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
    with pytest.raises(InvalidValue, match=r"has a different model\. Choose another name, or --again\."):
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
        r"The text 'long' has \d+ subwords, more than the 32 subwords that the model 'planted' sees; it is the only one of 221\. Have such texts cut at the end \(--too-long cut\) or read in windows \(--too-long windows\), or shorten them\.",
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
    with pytest.raises(
        ModelError,
        match=r"3 of 223 texts are longer than the 32 subwords that the model 'planted' sees; the longest, 'long40', has 122\.",
    ):
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
    with pytest.raises(ModelError, match=f"the 32 subwords that the model 'seed{unknowing}' sees"):
        list(train_sweep(store, LOCAL_OPERATOR, made, trials))
    assert not list(models_folder(store, made).glob("*"))
    (report,) = train_sweep(store, LOCAL_OPERATOR, made, trials[:1])
    assert report.name == f"seed{knowing}"


def test_a_sweep_that_is_trained_elsewhere_saves_the_same_models(store: Store, project: Project) -> None:
    options = replace(OPTIONS, fitting=replace(OPTIONS.fitting, epochs=1))
    trials = trials_of("m", options, {"seed": [0, 1]})
    here = list(train_sweep(store, LOCAL_OPERATOR, project, trials))
    weights = [(report.folder / "model.safetensors").read_bytes() for report in here]
    engine = Elsewhere()
    known = list(train_sweep(store, LOCAL_OPERATOR, project, trials, engine=engine))
    assert ([report.is_new for report in known], engine.n_tasks) == ([False, False], 0)
    anew = [replace(trial, options=replace(trial.options, is_anew=True)) for trial in trials]
    reports = list(train_sweep(store, LOCAL_OPERATOR, project, anew, engine=engine))
    assert [report.name for report in reports] == ["m-seed0", "m-seed1"]
    assert [(report.folder / "model.safetensors").read_bytes() for report in reports] == weights
    assert [report.held_out for report in reports] == [report.held_out for report in here]
    assert {path.name for path in reports[0].folder.iterdir()} == {path.name for path in here[0].folder.iterdir()}
    assert engine.n_tasks == 2
    assert check(store) == []


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
    with pytest.raises(InvalidValue, match=r"'planted' already exists\. Choose another name\."):
        train_transformer(store, LOCAL_OPERATOR, project, "planted", OPTIONS)


@pytest.mark.parametrize("name", ["", "../up", "a b", "x" * 62])
def test_a_name_that_cannot_be_a_folder_is_refused(store: Store, project: Project, name: str) -> None:
    with pytest.raises(InvalidValue, match=r"Use up to 61 letters, digits, \. _ and -\."):
        train_transformer(store, LOCAL_OPERATOR, project, name, OPTIONS)


def test_the_words_that_a_tokenizer_learns_are_those_of_the_texts(
    store: Store, project: Project, tmp_path: Path
) -> None:
    quick = replace(OPTIONS, folder=tmp_path, fitting=replace(OPTIONS.fitting, epochs=1))
    report = train_transformer(store, LOCAL_OPERATOR, project, "elsewhere", quick)
    assert report.folder == tmp_path / "elsewhere"
    subwords = json.loads((report.folder / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    assert set(all_words()) & set(subwords)


# Training models that answer questions: which answers are learned from, when there is none, how the card tells it.

ImportRows = Callable[..., object]
READING_OPTIONS = TrainingOptions(
    NewModel((), architecture="reading", shape={**SHAPE, "max_position_embeddings": 24}, n_subwords=1_000),
    fitting=FittingOptions(epochs=1, learning_rate=5e-3, batch_size=16),
)


@pytest.fixture
def questions(store: Store, import_rows: ImportRows) -> Project:
    """Planted passages: 60 to learn from, 30 to stop by, 30 to judge by; of each a fourth without an answer."""
    made = create_project(store, LOCAL_OPERATOR, "Planted", get_task("reading"))
    import_rows(made, [row(f"text{n}", one.input.segments[0].text, one.label, split(n)) for n, one in enumerated(120)])
    return made


def enumerated(n: int) -> Any:
    return enumerate(texts(n, 0))


def split(number: int) -> str:
    return "train" if number < 60 else "validation" if number < 90 else "test"


def row(
    key: str, passage: str, answer: str | None, of_split: str = "train", question: str = QUESTION
) -> dict[str, Any]:
    told = {} if answer is None else {"answer": answer}
    return {"id": key, "passage": passage, "question": question, "split": of_split, **told}


def test_it_is_saved_with_its_scores_and_answers_explains_and_is_found_like_any_model(
    store: Store, questions: Project
) -> None:
    report = train_transformer(store, LOCAL_OPERATOR, questions, "reader", READING_OPTIONS)
    card = json.loads((report.folder / "card.json").read_text(encoding="utf-8"))
    n_none = sum(not one.label for n, one in enumerated(120) if n >= 90)
    assert (card["scores"]["texts"], card["scores"]["questions without an answer"]) == (30, n_none)
    assert 0 <= card["scores"]["exact match"] <= card["scores"]["answer F1"] <= 1
    assert card["scores"]["exact match"] == report.held_out.accuracy  # type: ignore[union-attr]
    assert (report.held_out.label, report.held_out.n_label) == ("", n_none)  # type: ignore[union-attr]
    assert "at [CLS]" in card["data"]["says that there is no answer"]
    readme = (report.folder / "README.md").read_text(encoding="utf-8")
    assert "Trained from `scratch`; output a stretch of the text; weights" in readme
    assert "* gradients cut to the norm: 1\n" in readme
    assert not [
        word for word in ("rationaliser", "alignment:", "task loss", "–") if word in readme.split("## How it went")[0]
    ]
    assert "Always answering “no answer”:" in (Trainings.of(store, questions.id).summary("reader") or "")
    asked = attribute(
        store, LOCAL_OPERATOR, questions, f"transformers:{report.folder}", "occlusion",
        AttributingOptions(split="test", load=LoadOptions(device="cpu")),
    )  # fmt: skip
    assert (asked.model, asked.n_attributions, asked.n_left_out) == ("reader", 30, 0)
    again = train_transformer(
        store, LOCAL_OPERATOR, questions, "reader", READING_OPTIONS, progress=lambda *_: pytest.fail("trains")
    )
    assert again == replace(report, is_new=False)
    assert check(store) == []


def test_an_answer_that_does_not_stand_in_its_text_is_left_out_and_counted(
    store: Store, questions: Project, import_rows: ImportRows
) -> None:
    import_rows(questions, [row("absent", "word1 word2", "word3"), row("untold", "word1 word2", None)])
    data = training_data(store, questions, DataOptions())
    assert (len(data.learn), data.n_absent) == (60, 1)
    n_none = sum(not one.label for n, one in enumerated(60))
    assert data.n_without_answer == n_none
    foreseen = forecast(store, LOCAL_OPERATOR, questions, DataOptions()).summary()
    assert f"60 texts with gold ({n_none} “no answer”)" in foreseen
    assert foreseen.endswith("1 text is left out: it lacks its gold answer.")


def test_a_model_that_learned_from_no_text_without_an_answer_always_answers(
    store: Store, import_rows: ImportRows
) -> None:
    questions = create_project(store, LOCAL_OPERATOR, "Answered", get_task("reading"))
    answered = [one for _, one in enumerated(60) if one.label][:30]
    import_rows(questions, [row(one.key, one.input.segments[0].text, one.label) for one in answered])
    report = train_transformer(store, LOCAL_OPERATOR, questions, "reader", READING_OPTIONS)
    saved: Any = load(str(report.folder), device="cpu")
    assert saved.loaded.none_threshold is None
    card = json.loads((report.folder / "card.json").read_text(encoding="utf-8"))
    assert card["data"]["says that there is no answer"].startswith("never")


def test_a_text_whose_answer_is_cut_off_is_not_learned_from_and_in_windows_it_is(
    store: Store, questions: Project, import_rows: ImportRows
) -> None:
    long = f"{'word1 ' * 30}{MARKER} word2"
    import_rows(questions, [row("long", long, "word2")])
    with pytest.raises(ModelError, match="The text 'long' has .*--too-long windows"):
        train_transformer(store, LOCAL_OPERATOR, questions, "refused", READING_OPTIONS)
    for too_long, n_unseen in (("cut", 1), ("windows", 0)):
        new = replace(READING_OPTIONS.model, too_long=too_long)  # type: ignore[arg-type]
        report = train_transformer(store, LOCAL_OPERATOR, questions, too_long, replace(READING_OPTIONS, model=new))
        card = json.loads((report.folder / "card.json").read_text(encoding="utf-8"))
        assert card["data"]["answers that it does not see (left out)"] == n_unseen


def test_a_text_whose_answer_no_window_holds_is_not_learned_as_one_without_an_answer(
    store: Store, questions: Project, import_rows: ImportRows
) -> None:
    answer = " ".join(
        f"word{n}" for n in range(2, 16)
    )  # 14 words of 18 that a window has room for; each 9 after the former
    before = "word1 " * 6
    import_rows(questions, [row("between", f"{before}{MARKER} {answer} {'word1 ' * 20}", answer)])
    new = replace(READING_OPTIONS.model, too_long="windows")
    report = train_transformer(store, LOCAL_OPERATOR, questions, "windows", replace(READING_OPTIONS, model=new))
    card = json.loads((report.folder / "card.json").read_text(encoding="utf-8"))
    assert card["data"]["answers that no window holds (left out)"] == 1
    assert card["data"]["answers that it does not see (left out)"] == 0


def test_where_every_answer_is_cut_off_there_is_nothing_to_learn(store: Store, import_rows: ImportRows) -> None:
    questions = create_project(store, LOCAL_OPERATOR, "Cut", get_task("reading"))
    long = f"{'word1 ' * 30}{MARKER} word2"
    import_rows(questions, [row(f"t{n}", f"{long} {n}", "word2") for n in range(20)])
    new = replace(READING_OPTIONS.model, too_long="cut")
    with pytest.raises(ModelError, match="the model sees no answer whole, in no text"):
        train_transformer(store, LOCAL_OPERATOR, questions, "cut", replace(READING_OPTIONS, model=new))


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([], "no text has gold"),
        (["", ""], r"Nothing to learn in project 'Empty': all gold answers are “no answer” in the split 'train'\."),
        (["word9"], "no gold answer occurs in its text"),
    ],
)
def test_a_project_without_answers_to_learn_from_says_why(
    store: Store, import_rows: ImportRows, answers: list[str], message: str
) -> None:
    questions = create_project(store, LOCAL_OPERATOR, "Empty", get_task("reading"))
    import_rows(
        questions,
        [row(f"t{n}", f"word1 word2 word{n}", answer) for n, answer in enumerate(answers)] or [row("t", "word1", None)],
    )
    with pytest.raises(ModelError, match=message):
        train_transformer(store, LOCAL_OPERATOR, questions, "reader", READING_OPTIONS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            replace(READING_OPTIONS, model=NewModel(())),
            r"Project 'Planted' needs answers\. Use --architecture reading\.",
        ),
        (
            replace(READING_OPTIONS, model=NewModel((), architecture="reading", output="sigmoid")),
            r"trains on answers only\. Remove one sigmoid output \(--output sigmoid\)\.",
        ),
        (
            replace(READING_OPTIONS, fitting=FittingOptions(alignment=AlignmentOptions("mae"))),
            r"trains on answers only\. Remove alignment with rationales \(--align\)\.",
        ),
        (
            replace(READING_OPTIONS, fitting=FittingOptions(balances_labels=True)),
            r"trains on answers only\. Remove balanced labels \(--balance\)\.",
        ),
    ],
)
def test_what_a_reading_model_cannot_have_is_refused(
    store: Store, questions: Project, options: TrainingOptions, message: str
) -> None:
    with pytest.raises(AnnotatorError, match=message):
        train_transformer(store, LOCAL_OPERATOR, questions, "reader", options)


def test_projects_of_labels_and_of_texts_without_a_question_have_no_reading_models(store: Store) -> None:
    labels = create_project(store, LOCAL_OPERATOR, "Labels", get_task("sentiment"), labels=["a", "b"])
    with pytest.raises(ModelError, match=r"needs labels\. Remove --architecture reading\."):
        train_transformer(store, LOCAL_OPERATOR, labels, "reader", READING_OPTIONS)
    bare = create_project(store, LOCAL_OPERATOR, "Bare", custom_task([SegmentSpec("text", "Text")], "answer"))
    with pytest.raises(ModelError, match="have no question"):
        train_transformer(store, LOCAL_OPERATOR, bare, "reader", READING_OPTIONS)


# Many trainings that differ in few options: which there are, what they are called, and what alignment loss and accuracy say.

ALIGNED = TrainingOptions(fitting=FittingOptions(alignment=AlignmentOptions("mae")))
ONE_OF_EACH: dict[str, tuple[Any, ...]] = {
    "criterion": ("mae",), "strength": (1.0,), "source": ("gold",), "share": (100.0,), "seed": (0,)
}  # fmt: skip


def trials(**axes: tuple[Any, ...]) -> dict[str, Trial]:
    return {trial.name: trial for trial in trials_of("m", ALIGNED, ONE_OF_EACH | axes)}


def test_one_value_of_each_option_is_one_training_of_the_name_itself() -> None:
    assert trials() == {"m": Trial("m", {}, ALIGNED)}


def test_each_combination_of_what_differs_is_a_training_named_after_it() -> None:
    found = trials(strength=(0.5, 1.0), seed=(0, 1))
    assert list(found) == ["m-strength0.5-seed0", "m-strength0.5-seed1", "m-strength1-seed0", "m-strength1-seed1"]
    options = found["m-strength0.5-seed1"].options
    assert (options.fitting.alignment, options.fitting.seed, options.data.seed) == (
        AlignmentOptions("mae", strength=0.5),
        1,
        1,
    )
    assert found["m-strength0.5-seed1"].values == {"strength": 0.5, "seed": 1}


def test_without_an_alignment_there_is_one_training_a_seed_whatever_would_be_aligned_and_how() -> None:
    found = trials(criterion=("none", "mae"), strength=(0.5, 1.0), source=("gold", "shuffled"), seed=(0, 1))
    assert [name for name in found if name.startswith("m-none")] == ["m-none-seed0", "m-none-seed1"]
    assert len(found) == 2 + 8
    none = found["m-none-seed1"].options
    assert (none.fitting.alignment, none.data) == (None, DataOptions(seed=1))
    assert found["m-mae-strength0.5-shuffled-seed0"].options.data.rationales == RationaleOptions("shuffled")


def test_a_value_that_is_given_twice_is_trained_once() -> None:
    assert list(trials(seed=(3, 3))) == ["m"]


def test_a_value_that_will_not_do_and_a_name_that_is_too_long_are_refused_before_anything_is_trained() -> None:
    with pytest.raises(InvalidValue, match="share lies between 0 and 100"):
        trials(share=(10.0, 101.0))
    with pytest.raises(InvalidValue, match="Choose a shorter one"):
        trials_of("m" * 55, ALIGNED, ONE_OF_EACH | {"strength": (0.5, 1.0)})
    with pytest.raises(InvalidValue, match="'speed' is no option"):
        trials(speed=(1, 2))


def epoch(alignment: float | None, accuracy: float | None) -> EpochResult:
    return EpochResult(0.1, alignment, 0, 0.2, accuracy, 1.0)


def report(*epochs: EpochResult) -> TrainingReport:
    data = TrainingData((), (), (), None, None, 0, 0)
    return TrainingReport("m", Path(), data, Fitted(epochs, 0), None, 0)


def test_the_slope_is_that_of_accuracy_over_alignment_loss_with_a_point_an_epoch() -> None:
    points = [(4.0, 0.5), (2.0, 0.7), (1.0, 0.9), (0.5, 0.8)]
    x, y = np.array(points).T
    slope, _ = np.polyfit(x, y, 1)
    r_squared = np.corrcoef(x, y)[0, 1] ** 2
    assert alignment_slope(report(*(epoch(*point) for point in points)).fitted.epochs) == pytest.approx(
        (slope, r_squared)
    )


@pytest.mark.parametrize(
    "epochs", [[(1.0, 0.5), (0.5, 0.6)], [(None, 0.5)] * 5, [(1.0, 0.5), (1.0, 0.6), (1.0, 0.7)], [(1.0, None)] * 3]
)
def test_there_is_no_slope_of_two_points_of_no_alignment_and_of_a_loss_that_stays(epochs: list[Any]) -> None:
    assert alignment_slope(report(*(epoch(*point) for point in epochs)).fitted.epochs) is None


def test_a_number_that_stays_has_nothing_to_account_for() -> None:
    assert least_squares(np.array([1.0, 2.0]), np.array([3.0, 3.0])) == (0.0, 0.0)
