"""Many trainings that differ in few options: which there are, what they are called, and what alignment loss and accuracy say."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotator.errors import InvalidValue
from annotator.metrics.aggregate import least_squares
from annotator.training.alignment import AlignmentOptions
from annotator.training.loop import EpochResult, Fitted, FittingOptions
from annotator.usecases.papers.alignment_losses import alignment_slope
from annotator.usecases.training.examples import DataOptions, RationaleOptions, TrainingData
from annotator.usecases.training.sweeps import Trial, trials_of
from annotator.usecases.training.transformers import TrainingOptions, TrainingReport

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
