"""Models that are a twin or a control of others, and what they gain in accuracy and plausibility."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from annotator.domain.models import Attribution, Output, Prediction, Run
from annotator.domain.people import LOCAL_OPERATOR
from annotator.domain.projects import Project
from annotator.domain.tasks import get_task
from annotator.store import Store
from annotator.store.instances import ids_of_keys
from annotator.store.models import RunFinder, store_outputs
from annotator.training.alignment import AlignmentOptions
from annotator.training.card import Card
from annotator.training.loop import FittingOptions
from annotator.training.trainable_models import LSTM_PRESETS, NewModel
from annotator.usecases.models.alignment_gains import Measured, compared_gold, measured
from annotator.usecases.models.built_in_model import record_training
from annotator.usecases.models.related_models import (
    aligned_with,
    cards_in,
    control_command,
    related_models_of,
    trained_method,
    twin_command,
    why_without_kin,
)
from annotator.usecases.project.projects import create_project
from annotator.usecases.training.examples import DataOptions, RationaleOptions
from annotator.usecases.training.forecast import TrainedModel, training_of_kin
from annotator.usecases.training.transformers import TrainingOptions

ALIGNED = TrainingOptions(
    NewModel((), too_long="cut"), fitting=FittingOptions(learning_rate=1e-3, alignment=AlignmentOptions("mae"))
)
TWIN = replace(ALIGNED, fitting=replace(ALIGNED.fitting, alignment=None))
SHUFFLED = DataOptions(rationales=RationaleOptions("shuffled"))


def cards(folder: Path, **models: TrainingOptions) -> Mapping[str, Card]:
    """Of trainings with these options, written and read again."""
    for name, options in models.items():
        (folder / name).mkdir()
        asked = {part: asdict(getattr(options, part)) for part in ("model", "data", "fitting")}
        Card(name, "", "scratch", (), "softmax", {"project": "P Q"}, {}, (), 0, {}, {}, "", asked).write(folder / name)
    return cards_in(folder)


def related(folder: Path, **models: TrainingOptions) -> tuple[str | None, str | None]:
    found = related_models_of("mae", cards(folder, mae=ALIGNED, **models))
    assert found is not None
    return found.twin, found.control


def test_the_twin_lacks_the_alignment_alone_and_the_control_has_shuffled_rationales(tmp_path: Path) -> None:
    assert related(tmp_path, none=TWIN, random=replace(ALIGNED, data=SHUFFLED)) == ("none", "random")


@pytest.mark.parametrize(
    "change",
    [
        {"fitting": replace(ALIGNED.fitting, seed=1)},
        {"fitting": replace(ALIGNED.fitting, learning_rate=2e-3)},
        {"fitting": replace(ALIGNED.fitting, alignment=AlignmentOptions("order"))},
        {"fitting": replace(ALIGNED.fitting, alignment=AlignmentOptions("mae", strength=2.0))},
        {"fitting": replace(ALIGNED.fitting, alignment=AlignmentOptions("mae", scale=1.0))},
        {"model": replace(ALIGNED.model, architecture="decoder")},
        {"model": replace(ALIGNED.model, base="bert")},
        {"model": replace(ALIGNED.model, base="bert", keeps_head=True)},
        {"data": DataOptions(rationales=RationaleOptions("shuffled"), since="before")},
        {"data": DataOptions(rationales=RationaleOptions("shuffled", share=50.0))},
        {"data": DataOptions(split="train", rationales=RationaleOptions("shuffled"))},
        {"data": DataOptions()},
    ],
)
def test_what_differs_in_anything_else_is_no_control(tmp_path: Path, change: dict[str, Any]) -> None:
    assert related(tmp_path, other=replace(ALIGNED, **({"data": SHUFFLED} | change)))[1] is None


def test_a_twin_that_learned_at_another_rate_is_none_and_the_machine_makes_no_difference(tmp_path: Path) -> None:
    slower = replace(TWIN, fitting=replace(TWIN.fitting, learning_rate=1e-4))
    elsewhere = replace(
        TWIN, model=replace(TWIN.model, device="cpu", threads=4), fitting=replace(TWIN.fitting, one_in=2)
    )
    assert related(tmp_path, slower=slower) == (None, None)
    assert related_models_of("mae", cards(tmp_path, elsewhere=elsewhere)) == related_models_of(
        "mae", cards_in(tmp_path)
    )
    found = related_models_of("mae", cards_in(tmp_path))
    assert found is not None
    assert found.twin == "elsewhere"


def test_a_twin_takes_the_tasks_loss_of_all_texts_whatever_the_aligned_model_did(tmp_path: Path) -> None:
    literal = replace(ALIGNED, fitting=replace(ALIGNED.fitting, task_loss_on="without rationales"))
    known = cards(tmp_path, literal=literal, none=TWIN)
    found = related_models_of("literal", known)
    assert found is not None
    assert found.twin == "none"
    assert "--task-loss-on" not in twin_command(known["literal"], known)
    assert "--task-loss-on without-rationales" in control_command(known["literal"], known)


def test_the_control_of_word_lists_is_shuffled_from_the_same_lists(tmp_path: Path) -> None:
    lists, shuffled = (
        replace(ALIGNED, data=DataOptions(rationales=RationaleOptions(source, ("joy",))))
        for source in ("lexicon", "shuffled")
    )
    known = cards(tmp_path, lists=lists, random=replace(ALIGNED, data=SHUFFLED), drawn=shuffled)
    found = related_models_of("lists", known)
    assert found is not None
    assert found.control == "drawn"


def test_a_model_says_something_of_those_whose_twin_or_control_it_is(tmp_path: Path) -> None:
    known = cards(tmp_path, mae=ALIGNED, none=TWIN, random=replace(ALIGNED, data=SHUFFLED))
    assert [aligned_with(name, known) for name in ("mae", "none", "random", "x")] == [("mae",)] * 3 + [()]
    alone = cards(tmp_path / "mae", random=replace(ALIGNED, data=SHUFFLED))
    assert aligned_with("random", alone) == ("random",)
    of_control = related_models_of("random", known)
    assert of_control is not None
    assert (of_control.is_control, of_control.twin, of_control.control) == (True, "none", None)
    assert related_models_of("x", known) is None


def test_a_card_from_before_options_were_written_down_makes_no_kin(tmp_path: Path) -> None:
    cards(tmp_path, mae=ALIGNED)
    (tmp_path / "old").mkdir()
    Card("old", "", "scratch", (), "softmax", {}, {}, (), 0, {}, {}).write(tmp_path / "old")
    assert list(cards_in(tmp_path)) == ["mae"]


def test_a_card_from_before_there_were_other_methods_is_of_an_alignment_by_gradient_x_input(tmp_path: Path) -> None:
    known = cards(tmp_path, mae=ALIGNED, random=replace(ALIGNED, data=SHUFFLED))
    for name in ("by", "steps"):
        del known["mae"].asked["fitting"]["alignment"][name]  # type: ignore[attr-defined]
    assert trained_method(["mae"], known) == "gradient-x-input"
    found = related_models_of("mae", known)
    assert found is not None
    assert found.control == "random"


def test_an_alignment_by_another_method_has_a_control_of_its_own_and_its_command(tmp_path: Path) -> None:
    options = {
        by: replace(ALIGNED, fitting=replace(ALIGNED.fitting, alignment=AlignmentOptions("mae", by=by, steps=6)))
        for by in ("attention", "extractor")
    }
    known = cards(tmp_path, random=replace(ALIGNED, data=SHUFFLED), none=TWIN, **options)
    found = related_models_of("attention", known)
    assert found is not None
    assert (found.twin, found.control) == ("none", None)
    assert "--align mae --align-by attention --align-steps 6" in control_command(known["attention"], known)
    assert trained_method(["none", "attention"], known) == "attention"
    assert trained_method(["extractor"], known) == "selection"


def test_a_card_from_before_says_why_nothing_is_known_of_a_twin_and_a_control(tmp_path: Path) -> None:
    old = Card("old", "", "scratch", (), "softmax", {}, {"alignment": None}, (), 0, {}, {})
    assert "Retrain it to compare it." in why_without_kin(old)
    aligned = replace(old, parameters={"alignment": {"criterion": "mae"}})
    assert "Retrain it to compare it." in why_without_kin(aligned)
    assert why_without_kin(cards(tmp_path, mae=ALIGNED)["mae"]) == ""


def test_the_commands_say_all_that_is_not_usual_under_a_name_that_is_free(tmp_path: Path) -> None:
    chosen = RationaleOptions(share=15.0, choice="least confident", confidence_of=("none-0", "none-1"))
    alignment = AlignmentOptions("mae", strength=0.5, has_graph=False)
    model = NewModel((), base="my models/bert", special=("_MATH_",), is_query_first=True)
    options = TrainingOptions(
        model, DataOptions("train", None, "all", chosen, 3), FittingOptions(seed=3, alignment=alignment)
    )
    known = cards(tmp_path, m=options, **{"m-shuffled": TWIN})
    assert control_command(known["m"], known, Path("else where")) == (
        "annotator train --project 'P Q' --name m-shuffled-2 --base 'my models/bert' --special-token _MATH_ --query-first "
        "--split train --gold-policy all --align mae --strength 0.5 --rationales shuffled --share 15 --choose least-confident "
        "--confidence-of none-0 --confidence-of none-1 --seed 3 --no-graph --folder 'else where'"
    )
    assert twin_command(known["m"], known).split("--name ")[1] == (
        "m-none --base 'my models/bert' --special-token _MATH_ --query-first --split train --gold-policy all --seed 3"
    )


def test_the_command_of_an_lstm_names_its_word_vectors_and_its_preset_and_older_cards_name_neither(
    tmp_path: Path,
) -> None:
    model = NewModel((), architecture="lstm", vectors="glove.txt", shape=LSTM_PRESETS["wang-2022-released"])
    known = cards(tmp_path, m=replace(ALIGNED, model=model))
    assert twin_command(known["m"], known).split("m-none ")[1] == (
        "--architecture lstm --vectors glove.txt --learning-rate 0.001 --preset wang-2022-released"
    )
    (tmp_path / "older").mkdir()
    known = cards(tmp_path / "older", mae=ALIGNED, none=TWIN)
    older = {part: dict(of) for part, of in known["none"].asked.items()}
    del older["model"]["vectors"]
    found = related_models_of("mae", {**known, "none": replace(known["none"], asked=older)})
    assert found is not None
    assert found.twin == "none"


def test_the_options_of_the_kin_are_those_of_the_model_but_for_what_makes_it(tmp_path: Path) -> None:
    model = TrainedModel("mae", "", "", cards(tmp_path, mae=ALIGNED)["mae"])
    assert training_of_kin(model, "twin") == TWIN
    assert training_of_kin(model, "control") == replace(ALIGNED, data=SHUFFLED)


# Accuracy and plausibility of two models and a control: by hand, over what each did not learn from.

Importer = Callable[..., Any]
N = 24
FIRST, LAST = (3.0, 1.0, 0.0, 0.0), (0.0, 1.0, 2.0, 3.0)  # the rationale is the first of four words: AUPRC 1, and not


@pytest.fixture
def project(store: Store, import_rows: Importer) -> Project:
    """Texts of four words, of which the first is the rationale."""
    made = create_project(store, LOCAL_OPERATOR, "P", get_task("sentiment"), labels=["no", "yes"])
    import_rows(
        made,
        [
            {
                "id": f"t{n}",
                "text": f"good film number {n}",
                "label": "yes",
                "annotator": "source",
                "rationales": [[[0, 1]]],
            }
            for n in range(N)
        ],
    )
    return made


def ids(store: Store, project: Project) -> list[int]:
    found = ids_of_keys(store, project.id, [f"t{n}" for n in range(N)])
    return [found[f"t{n}"][0][2] for n in range(N)]


def answer(
    store: Store, project: Project, model: str, n_right: int, scores: Mapping[str, tuple[float, ...]],
    parameters: str = "{}", n_texts: int = N,
) -> None:  # fmt: skip
    """The first n right; of each method the same scores for all texts."""
    with store.transaction():
        numbers = ids(store, project)[:n_texts]
        answers = [
            Output(number, (Prediction(None, {"yes": float(n < n_right), "no": float(n >= n_right)}),))
            for n, number in enumerate(numbers)
        ]
        store_outputs(store, RunFinder(store, project.id).id_of(Run(model, "", "{}", None)), answers)
        for method, of_method in scores.items():
            run = RunFinder(store, project.id).id_of(Run(model, method, parameters, None))
            attributions = [
                Output(number, (), (Attribution(of_method, "yes" if n < n_right else "no"),))
                for n, number in enumerate(numbers)
            ]
            store_outputs(store, run, attributions)


def gains(store: Store, project: Project, base: str, other: str, control: tuple[str, ...] = ()) -> dict[str, Measured]:
    gold = compared_gold(store, project, [base, other, *control], project.settings.gold_policy)
    return {of.measure: of for of in measured(store, project, gold, [base], [other], control)}


def test_each_method_has_its_own_plausibility_beside_the_accuracy_and_the_control(
    store: Store, project: Project
) -> None:
    both = {"gradient-x-input": FIRST, "occlusion": LAST}
    answer(store, project, "none", 6, {"gradient-x-input": LAST, "occlusion": LAST})
    answer(store, project, "mae", 18, both)
    answer(store, project, "drawn", 18, {"gradient-x-input": LAST, "occlusion": LAST})
    found = gains(store, project, "none", "mae", ("drawn",))
    assert list(found) == ["accuracy", "gradient-x-input", "occlusion"]
    accuracy, trained, independent = (of.gain for of in found.values())
    assert (accuracy.n, accuracy.base, accuracy.other, accuracy.control) == (N, 0.25, 0.75, 0.75)
    assert accuracy.word == "as much"
    assert trained.other == 1.0
    assert trained.base is not None
    assert trained.base < 0.5
    assert (trained.word, independent.word) == ("none", "no gain")
    said = [of.sentence(is_control=False) for of in found.values()]
    assert said[0].startswith(
        "Accuracy: the shuffled-rationale control gains as much (+0.500 against +0.500): not due to rationales."
    )
    assert said[1] == "Plausibility by gradient × input was the training target: no proof."
    assert said[2] == "Plausibility by occlusion: no clear gain (0)."


def test_what_was_trained_by_attention_leaves_gradient_x_input_out_and_proves_nothing_by_attention(
    store: Store, project: Project
) -> None:
    answer(store, project, "none", 18, {"attention": LAST, "gradient-x-input": LAST})
    answer(store, project, "mae", 18, {"attention": FIRST, "gradient-x-input": FIRST})
    gold = compared_gold(store, project, ["none", "mae"], project.settings.gold_policy)
    found = measured(store, project, gold, ["none"], ["mae"], trained="attention")
    assert [of.measure for of in found] == ["accuracy", "attention", "occlusion"]
    assert found[1].sentence(is_control=False) == "Plausibility by attention was the training target: no proof."


def test_an_extractors_plausibility_is_left_out_beside_a_model_that_has_none(store: Store, project: Project) -> None:
    answer(store, project, "none", 18, {})
    answer(store, project, "mae", 18, {"selection": FIRST})
    gold = compared_gold(store, project, ["none", "mae"], project.settings.gold_policy)
    beside = measured(store, project, gold, ["none"], ["mae"], trained="selection")
    assert [of.measure for of in beside] == ["accuracy", "occlusion"]
    alone = measured(store, project, gold, ["mae"], ["mae"], trained="selection")
    assert {of.measure: of.gain.other for of in alone}["selection"] == 1.0


def test_occlusion_stands_there_without_a_number_too_and_exact_weights_where_a_model_has_them(
    store: Store, project: Project
) -> None:
    answer(store, project, "built-in", 6, {"linear": FIRST})
    answer(store, project, "mae", 18, {"gradient-x-input": FIRST})
    found = gains(store, project, "built-in", "mae")
    assert list(found) == ["accuracy", "gradient-x-input", "occlusion", "linear"]
    assert (found["occlusion"].gain.n, found["occlusion"].gain.word) == (0, "nothing")
    assert found["occlusion"].gain.other is None
    linear = found["linear"].gain  # of the built-in model alone
    assert (linear.n, linear.base, linear.other, linear.word) == (N, 1.0, None, "nothing")


def test_what_a_model_learned_from_is_left_out_and_so_are_texts_that_one_has_not_answered(
    store: Store, project: Project
) -> None:
    record_training(
        store, LOCAL_OPERATOR, project, "mae", digest="d", seed=0, split=None, held_out=None,
        instance_ids=ids(store, project)[:4],
    )  # fmt: skip
    answer(store, project, "none", 24, {"occlusion": FIRST})
    answer(store, project, "mae", 24, {"occlusion": FIRST}, n_texts=22)
    found = gains(store, project, "none", "mae")
    assert (found["accuracy"].gain.n, found["occlusion"].gain.n) == (18, 18)
    assert found["accuracy"].gain.word == "too few"


def test_a_method_with_other_parameters_of_each_model_is_said_to_be_so_and_shared_ones_come_first(
    store: Store, project: Project
) -> None:
    answer(store, project, "none", 24, {"occlusion": FIRST}, parameters='{"removal": "delete"}')
    answer(store, project, "mae", 24, {"occlusion": FIRST}, parameters='{"removal": "cover"}')
    apart = gains(store, project, "none", "mae")["occlusion"]
    assert (apart.gain.n, apart.gain.base, apart.is_alike) == (N, 1.0, False)
    assert apart.title == "Plausibility by occlusion, with different parameters"
    answer(store, project, "none", 24, {"occlusion": LAST}, parameters='{"removal": "cover"}')
    shared = gains(store, project, "none", "mae")["occlusion"]
    assert (shared.gain.n, shared.gain.other, shared.is_alike) == (N, 1.0, True)
    assert shared.gain.base is not None
    assert shared.gain.base < 0.5


def test_several_trainings_of_one_kind_are_one_mean_of_each_text(store: Store, project: Project) -> None:
    answer(store, project, "none", 0, {"occlusion": FIRST})
    for model, n_right in (("mae-0", 12), ("mae-1", 24)):
        answer(store, project, model, n_right, {"occlusion": FIRST})
    gold = compared_gold(store, project, ["none"], project.settings.gold_policy)
    [accuracy, *_] = measured(store, project, gold, ["none"], ["mae-0", "mae-1"])
    assert (accuracy.gain.base, accuracy.gain.other) == (0.0, 0.75)
