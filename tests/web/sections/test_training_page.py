"""Training on the Saliency page as a script: what is asked, what is said before it begins, and what is offered when it is done."""

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import msgspec
import pytest
from streamlit.testing.v1 import AppTest

from annotator.domain.models import Attribution, Output, Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import SegmentSpec, custom_task
from annotator.store import Store
from annotator.store import jobs as jobs_store
from annotator.store.instances import ids_of_keys
from annotator.store.models import RunFinder, store_outputs
from annotator.training.card import Card
from annotator.training.loop import EpochResult
from annotator.usecases.background import AskedTraining, queue_of, training_of
from annotator.usecases.models.built_in_model import record_training
from annotator.usecases.models.model_places import models_folder
from annotator.usecases.project.projects import create_project
from annotator.usecases.training import forecast
from annotator.usecases.training.transformers import (
    AlignmentOptions,
    DataOptions,
    FittingOptions,
    RationaleOptions,
    TrainingOptions,
)
from annotator.web.sections import new_models as training_form

HOSTILE = "<b onclick=x>model</b>"
SCRIPT = """
import streamlit as st
from annotator.web.session import current_visit, page_store
from annotator.web.sections import new_models
with page_store() as store:
    visit = current_visit(store)
    new_models.show(store, visit, visit.project, is_open=st.session_state.get("is_open", True))
"""


@pytest.fixture
def page(app_for: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch) -> Callable[[Project], AppTest]:
    """What stands under “Train a model”, for a researcher of a project, on a machine that can train."""
    monkeypatch.setattr(forecast, "find_spec", lambda name: name)

    def run(project: Project) -> AppTest:
        return app_for(SCRIPT, project, "researcher").run()

    return run


@pytest.fixture
def tastes(make_project: Callable[..., Project], import_rows: Callable[..., object]) -> Project:
    """Of each split some texts; those to learn from have a rationale."""
    made = make_project(name="Tastes")
    rows: list[dict[str, object]] = [
        {"id": f"{split}-{n}", "text": f"it was {'good' if n % 2 else 'bad'}", "split": split,
         "label": "positive" if n % 2 else "negative", **({"rationales": [[[2, 3]]]} if split == "train" else {})}
        for split, size in {"train": 6, "dev": 2, "test": 3}.items()
        for n in range(size)
    ]  # fmt: skip
    import_rows(made, rows)
    return made


def asked(store: Store, project: Project) -> AskedTraining:
    (job,) = queue_of(store, LOCAL_OPERATOR, project, "train").open
    return training_of(job)


def shown(app: AppTest) -> str:
    return "\n".join(one.value for one in (*app.markdown, *app.caption, *app.warning, *app.info)).replace("\\", "")


def end_job(store: Store, project: Project, state: str, told: str = "It ended.") -> None:
    with store.transaction():
        job = jobs_store.claim_job(store, worker=1)
        assert job is not None
        jobs_store.end_job(store, job.id, 1, state, told)  # type: ignore[arg-type]


def save_model(store: Store, project: Project, name: str, options: TrainingOptions | None = None) -> Path:
    """A folder with a card, and the record of its training, without weights. options: as they were asked for."""
    folder = models_folder(store, project) / name
    folder.mkdir(parents=True)
    epochs = (EpochResult(0.7, 3.0, 0, 0.69, 0.5, 1.0), EpochResult(0.6, 2.0, 0, 0.65, 0.6, 1.0))
    data = {"project": HOSTILE, "texts": 6}
    card = Card(
        name, "digest", "scratch", ("negative", HOSTILE), "softmax", data, {"seed": 0}, epochs, 1, {}, {"torch": "2"},
        asked={} if options is None else {part: asdict(getattr(options, part)) for part in ("model", "data", "fitting")},
    )  # fmt: skip
    card.write(folder)
    record_training(
        store, LOCAL_OPERATOR, project, name, digest="digest", seed=0, split="train", held_out=None, instance_ids=[]
    )
    return folder


def test_it_says_what_it_will_learn_from_and_asks_with_defaults_alone(page, tastes, store) -> None:
    app = page(tastes)
    assert not app.exception
    assert (
        "Trains on 6 texts with gold (6 with rationales), uses 2 for early stopping, and is tested on 3, too few for accuracy (needs 20)."
        in shown(app)
    )
    app.button(key="train_go").click().run()
    assert not app.exception
    request = asked(store, tastes)
    assert request.name == "small"
    assert (request.options.model.base, request.options.model.too_long) == (None, "cut")
    assert request.options.data.split == "train"
    assert (request.options.fitting.learning_rate, request.options.fitting.alignment) == (1e-3, None)


def test_what_it_will_learn_from_follows_what_is_imported_meanwhile(page, tastes, import_rows) -> None:
    app = page(tastes)
    assert (
        "Trains on 6 texts with gold (6 with rationales), uses 2 for early stopping, and is tested on 3, too few for accuracy (needs 20)."
        in shown(app)
    )
    import_rows(tastes, [{"id": "new", "text": "it was so good", "label": "positive", "split": "train"}])
    assert (
        "Trains on 7 texts with gold (6 with rationales), uses 2 for early stopping, and is tested on 3, too few for accuracy (needs 20)."
        in shown(app.run())
    )


def test_an_alignment_warns_names_its_model_and_arrives_as_it_was_chosen(page, tastes, store) -> None:
    app = page(tastes)
    assert "proves nothing" not in shown(app)
    app.selectbox(key="train_alignment").set_value("mae").run()
    assert "A falling alignment loss proves nothing: compare with a shuffled-rationale control." in shown(app)
    app.selectbox(key=f"train_source_{tastes.id}").set_value("shuffled").run()
    app.number_input(key="train_seed").set_value(3)
    app.number_input(key="train_epochs").set_value(2)
    app.number_input(key="train_strength").set_value(0.5).run()
    app.button(key="train_go").click().run()
    request = asked(store, tastes)
    assert request.name == "small-mae-shuffled-3"
    assert request.options.data.rationales.source == "shuffled"
    assert request.options.data.seed == request.options.fitting.seed == 3
    assert request.options.fitting.epochs == 2
    assert request.options.fitting.alignment == AlignmentOptions("mae", strength=0.5)


def test_the_attributions_to_align_are_chosen_where_alignment_is_on(page, tastes, store) -> None:
    app = page(tastes)
    assert not [box for box in app.selectbox if box.label == "Attributions to align"]
    app.selectbox(key="train_alignment").set_value("mae").run()
    app.selectbox(key="train_aligned_by_transformer").set_value("attention").run()
    app.button(key="train_go").click().run()
    request = asked(store, tastes)
    assert request.name == "small-mae-attention"
    assert request.options.fitting.alignment == AlignmentOptions("mae", by="attention")


def test_a_pretrained_model_learns_slower_and_has_to_be_named(page, tastes, store) -> None:
    app = page(tastes)
    app.selectbox(key="train_kind").set_value("pretrained").run()
    assert "Give a pretrained model (transformers::small[]FOLDER-OR-NAME)." in shown(app)
    assert app.button(key="train_go").disabled
    app.text_input(key="train_base").set_value(" transformers:models/tiny bert/ ").run()
    app.button(key="train_go").click().run()
    request = asked(store, tastes)
    assert (request.name, request.options.model.base) == ("tiny-bert", "models/tiny bert/")
    assert request.options.fitting.learning_rate == 2e-5


def test_no_gold_is_said_and_nothing_can_be_asked_for(page, make_project) -> None:
    app = page(make_project())
    assert not app.exception
    assert "no text has gold" in shown(app)
    assert app.button(key="train_go").disabled


def test_a_pretrained_model_that_is_aligned_comes_with_what_was_seen_at_a_weight_of_1(page, tastes) -> None:
    app = page(tastes)
    app.selectbox(key="train_alignment").set_value("mae").run()
    assert "λ = 1 (under “More”) can destroy a pretrained model's accuracy. Try a lower λ." not in shown(app)
    app.selectbox(key="train_kind").set_value("pretrained").run()
    assert "λ = 1 (under “More”) can destroy a pretrained model's accuracy. Try a lower λ." in shown(app)


def kinds(app: AppTest) -> list[str]:
    """The kinds of model that are offered; none where there is one alone, which nobody is asked about."""
    offered = [box for box in app.selectbox if box.label == "Model type"]
    return list(offered[0].options) if offered else []


def test_a_decoder_is_offered_from_scratch_alone_and_arrives(page, tastes, store) -> None:
    app = page(tastes)
    assert [title.split(",")[0] for title in kinds(app)][:5] == [
        "encoder (reads in both directions)",
        "decoder (reads left to right)",
        "rationaliser (predicts from selected tokens)",
        "bidirectional LSTM with attention",
        "LSTM (predicts from its last state)",
    ]
    app.selectbox(key=f"train_architecture_{tastes.id}_scratch").set_value("decoder").run()
    app.button(key="train_go").click().run()
    request = asked(store, tastes)
    assert (request.name, request.options.model.architecture) == ("small-decoder", "decoder")
    app.selectbox(key="train_kind").set_value("pretrained").run()
    assert kinds(app) == [
        "predicts for the text",
        "selects a sentence, predicts from it",
        "selects tokens, predicts from them",
    ]


def test_models_for_the_target_are_offered_where_the_task_has_one(page, make_project, import_rows) -> None:
    entities = make_project("entity")
    rows = [
        {"id": f"e{n}", "text": f"they met Ann in Rome {n}", "label": "positive" if n % 2 else "negative",
         "target": {"start_token": 2, "end_token": 3}, "split": "train"}
        for n in range(20)
    ]  # fmt: skip
    import_rows(entities, rows)
    app = page(entities)
    assert not app.exception
    assert "encoder predicting for the target" in kinds(app)
    app.selectbox(key="train_kind").set_value("pretrained").run()
    assert kinds(app) == ["predicts for the text", "predicts for the target"]


def test_a_project_that_asks_for_answers_trains_a_model_that_reads(page, make_project, import_rows, store) -> None:
    questions = make_project("reading")
    import_rows(
        questions,
        [
            {
                "id": f"q{n}",
                "passage": f"the cup stood on table {n}",
                "question": "where?",
                "answer": "" if n % 3 else "table",
            }
            for n in range(30)
        ],
    )
    app = page(questions)
    assert not app.exception
    assert kinds(app) == ["encoder extracting an answer span", "match-LSTM extracting an answer span"]
    assert not [box for box in app.selectbox if box.label in {"Rationale alignment", "Outputs"}]
    assert (
        "Trains on 27 texts with gold (19 “no answer”), uses 3 for early stopping, and isn't tested (no other split has gold)."
        in shown(app)
    )
    app.button(key="train_go").click().run()
    assert not app.exception
    request = asked(store, questions)
    assert (request.options.model.architecture, request.options.fitting.alignment) == ("reading", None)


def test_answers_without_a_question_cannot_be_learned_and_the_page_says_so(page, store) -> None:
    app = page(create_project(store, LOCAL_OPERATOR, "P", custom_task([SegmentSpec("text", "Text")], "answer")))
    assert not app.exception
    assert "Texts need a question (a segment that can't be marked)." in shown(app)
    assert not app.button


def test_without_torch_the_page_says_what_to_install_and_shows_no_form(page, tastes, monkeypatch) -> None:
    monkeypatch.setattr(forecast, "missing_package", lambda: "torch")
    monkeypatch.setattr("annotator.web.sections.new_models.missing_package", lambda: "torch")
    app = page(tastes)
    assert "Run: pip install 'rationale-annotator[models]'." in shown(app)
    assert [one.key for one in app.button] == ["built_in_go_train"]  # which needs nothing


@pytest.mark.parametrize("name", ["../up", "a b", HOSTILE])
def test_a_name_that_no_model_can_have_is_said_at_once(page, tastes, name) -> None:
    app = page(tastes)
    app.text_input(key=f"train_name_{tastes.id}").set_value(name).run()
    assert not app.exception
    assert "Use up to 61 letters, digits, . _ and -." in shown(app)
    assert app.button(key="train_go").disabled
    assert HOSTILE not in "".join(one.value for one in (*app.markdown, *app.warning))


def test_a_name_that_is_there_is_replaced_only_where_that_is_ticked(page, tastes, store) -> None:
    save_model(store, tastes, "small")
    app = page(tastes)
    assert app.text_input(key=f"train_name_{tastes.id}").placeholder == "small-2"
    app.text_input(key=f"train_name_{tastes.id}").set_value("small").run()
    app.button(key="train_go").click().run()
    assert "'small' already exists. Choose another name, or replace it." in app.error[0].value.replace("\\", "")
    app.checkbox(key=f"train_replace_{tastes.id}_small").check().run()
    app.button(key="train_go").click().run()
    assert not app.error
    assert asked(store, tastes).options.is_anew


def test_what_is_done_offers_its_attributions_and_its_card(page, tastes, store) -> None:
    folder = save_model(store, tastes, "first")
    with store.transaction():
        options = AskedTraining("first", TrainingOptions())
        jobs_store.add_job(
            store, tastes.id, "train", "Training of 'first'", msgspec.json.encode(options).decode(), LOCAL_OPERATOR
        )
    end_job(store, tastes, "done", "Correct on 58.7 % of 138 texts.")
    app = page(tastes)
    assert "Training of 'first'" in shown(app)
    assert "Correct on 58.7 % of 138 texts." in shown(app)
    app.button(key="train_card_of_1").click().run()
    assert not app.exception
    assert "Its weights are those of epoch 2." in shown(app)
    assert "Accuracy unknown: fewer than" in shown(app)
    app.button(key="train_compute_1").click().run()
    assert (app.session_state["compute_model"], app.session_state["compute_open"]) == (f"transformers:{folder}", True)


ALIGNED = TrainingOptions(fitting=FittingOptions(alignment=AlignmentOptions("mae")))


def choose_card(app: AppTest, project: Project, name: str) -> AppTest:
    return app.selectbox(key=f"train_card_{project.id}").set_value(name).run()


def test_the_card_of_a_model_from_before_says_why_it_has_no_twin_and_no_control(page, tastes, store) -> None:
    save_model(store, tastes, "old")
    save_model(store, tastes, "plain", TrainingOptions())
    app = page(tastes)
    told = "This old model's card doesn't identify its baseline or control"
    assert told in shown(choose_card(app, tastes, "old"))
    assert told not in shown(choose_card(app, tastes, "plain"))


def test_the_card_of_an_aligned_model_says_what_is_missing_to_judge_it_and_has_it_trained(page, tastes, store) -> None:
    save_model(store, tastes, "mae", ALIGNED)
    app = choose_card(page(tastes), tastes, "mae")
    assert not app.exception
    assert "“mae” has no unaligned baseline: alignment's effect is unknown." in shown(app)
    assert "“mae” has no shuffled-rationale control: gains may have other causes." in shown(app)
    app.button(key=f"train_lack_control_{tastes.id}_mae").click().run()
    request = asked(store, tastes)
    assert request.name == "mae-shuffled"
    assert request.options == replace(ALIGNED, data=DataOptions(rationales=RationaleOptions("shuffled")))


def test_the_card_of_an_aligned_model_stands_beside_its_twin_and_its_control(page, tastes, store, import_rows) -> None:
    rows = [{"id": f"more-{n}", "text": f"it was good {n}", "label": "positive", "split": "test",
             "rationales": [[[2, 3]]]} for n in range(24)]  # fmt: skip
    import_rows(tastes, rows)
    unaligned = replace(ALIGNED, fitting=FittingOptions())
    shuffled = replace(ALIGNED, data=DataOptions(rationales=RationaleOptions("shuffled")))
    for name, options, n_right in (("mae", ALIGNED, 24), ("none", unaligned, 0), ("drawn", shuffled, 24)):
        save_model(store, tastes, name, options)
        ids = ids_of_keys(store, tastes.id, [row["id"] for row in rows])
        with store.transaction():
            run = RunFinder(store, tastes.id).id_of(Run(name, "occlusion", "{}", None))
            outputs = [
                Output(ids[row["id"]][0][2], (Prediction(None, {"positive": float(n < n_right), "negative": float(n >= n_right)}),),
                       (Attribution((0.0, 0.0, 1.0, 0.5), "positive"), Attribution((0.0, 0.0, 1.0, 0.5), "negative")))
                for n, row in enumerate(rows)
            ]  # fmt: skip
            store_outputs(store, run, outputs)
    app = choose_card(page(tastes), tastes, "mae")
    assert not app.exception
    assert "All but training texts. Differences from unaligned baseline none, 95 % intervals over texts." in shown(app)
    (table,) = (frame.value for frame in app.dataframe if "control" in frame.value.columns)
    assert table["metric"].tolist() == ["Accuracy", "Plausibility by occlusion"]
    (columns,) = (frame.proto.columns for frame in app.dataframe if "control" in frame.value.columns)
    assert msgspec.json.decode(columns)["difference"]["alignment"] == "right"
    assert table[["n", "unaligned", "aligned", "control"]].iloc[0].tolist() == [24, 0.0, 1.0, 1.0]
    unaligned_card = choose_card(app, tastes, "none")
    assert "Effect of alignment" not in shown(unaligned_card)


def test_what_was_stopped_is_gone_on_with_by_one_button_and_only_once(page, tastes, store) -> None:
    app = page(tastes)
    app.button(key="train_go").click().run()
    wanted = asked(store, tastes)
    end_job(store, tastes, "stopped")
    app.run()
    again = next(button for button in app.button if button.label == "Continue")
    again.click().run()
    assert not app.exception
    assert asked(store, tastes) == wanted
    assert "Continue" not in [button.label for button in app.button]


def test_a_form_that_is_closed_asks_the_database_nothing_and_what_was_chosen_stands_there_when_it_is_opened_again(
    page: Callable[[Project], AppTest], tastes: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = page(tastes)
    app.selectbox("train_alignment").select("bce")
    app.number_input("train_seed").set_value(7)
    app.run()
    app.session_state["is_open"] = False
    with monkeypatch.context() as closed:
        closed.setattr(training_form, "choices", lambda *_: pytest.fail("the choices are read"))
        app.run()
    assert not app.exception
    assert not app.selectbox
    app.session_state["is_open"] = True
    app.run()
    assert (app.selectbox("train_alignment").value, app.number_input("train_seed").value) == ("bce", 7)
