"""Training models that answer questions: which answers are learned from, when there is none, how the card tells it."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from annotator.attribution.loaders import LoadOptions
from annotator.attribution.transformers_models import load
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import SegmentSpec, custom_task, get_task
from annotator.errors import AnnotatorError, ModelError
from annotator.store import Store
from annotator.training.alignment import AlignmentOptions
from annotator.training.loop import FittingOptions
from annotator.training.trainable_models import NewModel
from annotator.usecases.models.attributions import AttributingOptions, attribute
from annotator.usecases.models.model_trust import Trainings
from annotator.usecases.project.projects import create_project
from annotator.usecases.training.examples import DataOptions, training_data
from annotator.usecases.training.forecast import forecast
from annotator.usecases.training.transformers import TrainingOptions, train_transformer
from annotator.usecases.upkeep import check
from tests.training.test_answers import MARKER, QUESTION, SHAPE, texts

ImportRows = Callable[..., object]
OPTIONS = TrainingOptions(
    NewModel((), architecture="reading", shape={**SHAPE, "max_position_embeddings": 24}, n_pieces=1_000),
    fitting=FittingOptions(epochs=1, learning_rate=5e-3, batch_size=16),
)

pytestmark = pytest.mark.usefixtures("torch")


@pytest.fixture
def project(store: Store, import_rows: ImportRows) -> Project:
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
    store: Store, project: Project
) -> None:
    report = train_transformer(store, LOCAL_OPERATOR, project, "reader", OPTIONS)
    card = json.loads((report.folder / "card.json").read_text(encoding="utf-8"))
    n_none = sum(not one.label for n, one in enumerated(120) if n >= 90)
    assert (card["scores"]["texts"], card["scores"]["questions without an answer"]) == (30, n_none)
    assert 0 <= card["scores"]["exact match"] <= card["scores"]["answer F1"] <= 1
    assert card["scores"]["exact match"] == report.held_out.accuracy  # type: ignore[union-attr]
    assert (report.held_out.label, report.held_out.n_label) == ("", n_none)  # type: ignore[union-attr]
    assert "at [CLS]" in card["data"]["says that there is no answer"]
    readme = (report.folder / "README.md").read_text(encoding="utf-8")
    assert "Trained from `scratch`; output a stretch of the text; weights" in readme
    assert "Always saying “no answer”" in (Trainings.of(store, project.id).summary("reader") or "")
    asked = attribute(
        store, LOCAL_OPERATOR, project, f"transformers:{report.folder}", "occlusion",
        AttributingOptions(split="test", load=LoadOptions(device="cpu")),
    )  # fmt: skip
    assert (asked.model, asked.n_attributions, asked.n_left_out) == ("reader", 30, 0)
    again = train_transformer(
        store, LOCAL_OPERATOR, project, "reader", OPTIONS, progress=lambda *_: pytest.fail("trains")
    )
    assert again == replace(report, is_new=False)
    assert check(store) == []


def test_an_answer_that_does_not_stand_in_its_text_is_left_out_and_counted(
    store: Store, project: Project, import_rows: ImportRows
) -> None:
    import_rows(project, [row("absent", "word1 word2", "word3"), row("untold", "word1 word2", None)])
    data = training_data(store, project, DataOptions())
    assert (len(data.learn), data.n_absent) == (60, 1)
    n_none = sum(not one.label for n, one in enumerated(60))
    assert data.n_without_answer == n_none
    foreseen = forecast(store, LOCAL_OPERATOR, project, DataOptions()).summary()
    assert f"60 texts with a gold answer ({n_none} of them say that there is none)" in foreseen
    assert foreseen.endswith("1 text is left out, as its gold answer does not stand in the text.")


def test_a_model_that_learned_from_no_text_without_an_answer_always_answers(
    store: Store, import_rows: ImportRows
) -> None:
    project = create_project(store, LOCAL_OPERATOR, "Answered", get_task("reading"))
    answered = [one for _, one in enumerated(60) if one.label][:30]
    import_rows(project, [row(one.key, one.input.segments[0].text, one.label) for one in answered])
    report = train_transformer(store, LOCAL_OPERATOR, project, "reader", OPTIONS)
    saved: Any = load(str(report.folder), device="cpu")
    assert saved.loaded.none_threshold is None
    card = json.loads((report.folder / "card.json").read_text(encoding="utf-8"))
    assert card["data"]["says that there is no answer"].startswith("never")


def test_a_text_whose_answer_is_cut_off_is_not_learned_from_and_in_windows_it_is(
    store: Store, project: Project, import_rows: ImportRows
) -> None:
    long = f"{'word1 ' * 30}{MARKER} word2"
    import_rows(project, [row("long", long, "word2")])
    with pytest.raises(ModelError, match="The text 'long' has .*--too-long windows"):
        train_transformer(store, LOCAL_OPERATOR, project, "refused", OPTIONS)
    for too_long, n_unseen in (("cut", 1), ("windows", 0)):
        new = replace(OPTIONS.model, too_long=too_long)  # type: ignore[arg-type]
        report = train_transformer(store, LOCAL_OPERATOR, project, too_long, replace(OPTIONS, model=new))
        card = json.loads((report.folder / "card.json").read_text(encoding="utf-8"))
        assert card["data"]["answers that it does not see (left out)"] == n_unseen


def test_a_text_whose_answer_no_window_holds_is_not_learned_as_one_without_an_answer(
    store: Store, project: Project, import_rows: ImportRows
) -> None:
    answer = " ".join(
        f"word{n}" for n in range(2, 16)
    )  # 14 words of 18 that a window has room for; each 9 after the former
    before = "word1 " * 6
    import_rows(project, [row("between", f"{before}{MARKER} {answer} {'word1 ' * 20}", answer)])
    new = replace(OPTIONS.model, too_long="windows")
    report = train_transformer(store, LOCAL_OPERATOR, project, "windows", replace(OPTIONS, model=new))
    card = json.loads((report.folder / "card.json").read_text(encoding="utf-8"))
    assert card["data"]["answers that no window holds (left out)"] == 1
    assert card["data"]["answers that it does not see (left out)"] == 0


def test_where_every_answer_is_cut_off_there_is_nothing_to_learn(store: Store, import_rows: ImportRows) -> None:
    project = create_project(store, LOCAL_OPERATOR, "Cut", get_task("reading"))
    long = f"{'word1 ' * 30}{MARKER} word2"
    import_rows(project, [row(f"t{n}", f"{long} {n}", "word2") for n in range(20)])
    new = replace(OPTIONS.model, too_long="cut")
    with pytest.raises(ModelError, match="the model sees no answer whole, in no text"):
        train_transformer(store, LOCAL_OPERATOR, project, "cut", replace(OPTIONS, model=new))


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ([], "no text has a gold answer"),
        (["", ""], "all gold answers say that there is no answer"),
        (["word9"], "no gold answer stands in its text"),
    ],
)
def test_a_project_without_answers_to_learn_from_says_why(
    store: Store, import_rows: ImportRows, answers: list[str], message: str
) -> None:
    project = create_project(store, LOCAL_OPERATOR, "Empty", get_task("reading"))
    import_rows(
        project,
        [row(f"t{n}", f"word1 word2 word{n}", answer) for n, answer in enumerate(answers)] or [row("t", "word1", None)],
    )
    with pytest.raises(ModelError, match=message):
        train_transformer(store, LOCAL_OPERATOR, project, "reader", OPTIONS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (replace(OPTIONS, model=NewModel(())), r"asks for answers.*--architecture reading"),
        (replace(OPTIONS, model=NewModel((), architecture="reading", output="sigmoid")), "without one sigmoid output"),
        (replace(OPTIONS, fitting=FittingOptions(alignment=AlignmentOptions("mae"))), "without an alignment"),
        (replace(OPTIONS, fitting=FittingOptions(balances_labels=True)), "without balanced labels"),
    ],
)
def test_what_a_reading_model_cannot_have_is_refused(
    store: Store, project: Project, options: TrainingOptions, message: str
) -> None:
    with pytest.raises(AnnotatorError, match=message):
        train_transformer(store, LOCAL_OPERATOR, project, "reader", options)


def test_projects_of_labels_and_of_texts_without_a_question_have_no_reading_models(store: Store) -> None:
    labels = create_project(store, LOCAL_OPERATOR, "Labels", get_task("sentiment"), labels=["a", "b"])
    with pytest.raises(ModelError, match="asks for labels.*Leave --architecture reading out"):
        train_transformer(store, LOCAL_OPERATOR, labels, "reader", OPTIONS)
    bare = create_project(store, LOCAL_OPERATOR, "Bare", custom_task([SegmentSpec("text", "Text")], "answer"))
    with pytest.raises(ModelError, match="have no question"):
        train_transformer(store, LOCAL_OPERATOR, bare, "reader", OPTIONS)
