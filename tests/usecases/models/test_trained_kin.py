"""Which models are a twin or a control of which, as their cards tell it, and the commands that make them."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from annotator.training.alignment import AlignmentOptions
from annotator.training.card import Card
from annotator.training.loop import FittingOptions
from annotator.training.trainable_models import NewModel
from annotator.usecases.models.related_models import (
    aligned_with,
    cards_in,
    control_command,
    kin_of,
    twin_command,
    why_without_kin,
)
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


def kin(folder: Path, **models: TrainingOptions) -> tuple[str | None, str | None]:
    found = kin_of("mae", cards(folder, mae=ALIGNED, **models))
    assert found is not None
    return found.twin, found.control


def test_the_twin_lacks_the_alignment_alone_and_the_control_has_shuffled_rationales(tmp_path: Path) -> None:
    assert kin(tmp_path, none=TWIN, random=replace(ALIGNED, data=SHUFFLED)) == ("none", "random")


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
        {"data": DataOptions(rationales=RationaleOptions("shuffled", share=50.0))},
        {"data": DataOptions(split="train", rationales=RationaleOptions("shuffled"))},
        {"data": DataOptions()},
    ],
)
def test_what_differs_in_anything_else_is_no_control(tmp_path: Path, change: dict[str, Any]) -> None:
    assert kin(tmp_path, other=replace(ALIGNED, **({"data": SHUFFLED} | change)))[1] is None


def test_a_twin_that_learned_at_another_rate_is_none_and_the_machine_makes_no_difference(tmp_path: Path) -> None:
    slower = replace(TWIN, fitting=replace(TWIN.fitting, learning_rate=1e-4))
    elsewhere = replace(
        TWIN, model=replace(TWIN.model, device="cpu", threads=4), fitting=replace(TWIN.fitting, one_in=2)
    )
    assert kin(tmp_path, slower=slower) == (None, None)
    assert kin_of("mae", cards(tmp_path, elsewhere=elsewhere)) == kin_of("mae", cards_in(tmp_path))
    found = kin_of("mae", cards_in(tmp_path))
    assert found is not None
    assert found.twin == "elsewhere"


def test_a_twin_takes_the_tasks_loss_of_all_texts_whatever_the_aligned_model_did(tmp_path: Path) -> None:
    literal = replace(ALIGNED, fitting=replace(ALIGNED.fitting, task_loss_on="without rationales"))
    known = cards(tmp_path, literal=literal, none=TWIN)
    found = kin_of("literal", known)
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
    found = kin_of("lists", known)
    assert found is not None
    assert found.control == "drawn"


def test_a_model_says_something_of_those_whose_twin_or_control_it_is(tmp_path: Path) -> None:
    known = cards(tmp_path, mae=ALIGNED, none=TWIN, random=replace(ALIGNED, data=SHUFFLED))
    assert [aligned_with(name, known) for name in ("mae", "none", "random", "x")] == [("mae",)] * 3 + [()]
    alone = cards(tmp_path / "mae", random=replace(ALIGNED, data=SHUFFLED))
    assert aligned_with("random", alone) == ("random",)
    of_control = kin_of("random", known)
    assert of_control is not None
    assert (of_control.is_control, of_control.twin, of_control.control) == (True, "none", None)
    assert kin_of("x", known) is None


def test_a_card_from_before_options_were_written_down_makes_no_kin(tmp_path: Path) -> None:
    cards(tmp_path, mae=ALIGNED)
    (tmp_path / "old").mkdir()
    Card("old", "", "scratch", (), "softmax", {}, {}, (), 0, {}, {}).write(tmp_path / "old")
    assert list(cards_in(tmp_path)) == ["mae"]


def test_a_card_from_before_says_why_nothing_is_known_of_a_twin_and_a_control(tmp_path: Path) -> None:
    old = Card("old", "", "scratch", (), "softmax", {}, {"alignment": None}, (), 0, {}, {})
    assert "and it is nobody's twin. Train it again" in why_without_kin(old)
    aligned = replace(old, parameters={"alignment": {"criterion": "mae"}})
    assert "Train it again to see what its alignment brought." in why_without_kin(aligned)
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


def test_the_options_of_the_kin_are_those_of_the_model_but_for_what_makes_it(tmp_path: Path) -> None:
    model = TrainedModel("mae", "", "", cards(tmp_path, mae=ALIGNED)["mae"])
    assert training_of_kin(model, "twin") == TWIN
    assert training_of_kin(model, "control") == replace(ALIGNED, data=SHUFFLED)
