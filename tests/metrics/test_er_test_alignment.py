"""ER-TEST's alignment criteria: worked values, a plain loop of the definitions, and the released code read again."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit
from scipy.special import huber as scipy_huber

from annotator.errors import InvalidValue
from annotator.metrics import er_test_alignment as er_test
from annotator.metrics.er_test_alignment import Alignment
from annotator.metrics.ragged import Ragged
from tests.reference.er_test_cases import ATTRIBUTIONS, RATIONALE, WORKED, AssertionOfTheirs, released_loss

PER_INSTANCE: list[Callable[[Alignment], np.ndarray]] = [
    er_test.squared_error,
    er_test.mean_squared_error,
    er_test.absolute_error,
    er_test.mean_absolute_error,
    er_test.cross_entropy,
    er_test.order,
    lambda alignment: er_test.huber(alignment, delta=0.7),
]


@dataclass(frozen=True)
class Batch:
    rows: list[list[float]]
    marks: list[list[int]]
    flags: list[bool]
    gamma: float

    def alignment(self) -> Alignment:
        attributions, rationale = Ragged.of(self.rows, np.float64), Ragged.of(self.marks, np.bool_)
        return Alignment.of(
            attributions, rationale, gamma=self.gamma, has_rationale=np.array(self.flags, dtype=np.bool_)
        )


@st.composite
def batches(draw: st.DrawFn, *, least_tokens: int = 1) -> Batch:
    token = st.tuples(st.floats(-0.5, 0.5), st.integers(0, 1))
    rows = draw(st.lists(st.lists(token, min_size=least_tokens, max_size=6), min_size=1, max_size=5))
    flags = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    gamma = draw(st.sampled_from([1.0, 10.0, 100.0]))
    return Batch([[z for z, _ in row] for row in rows], [[y for _, y in row] for row in rows], flags, gamma)


def single(attributions: list[float], rationale: list[int], gamma: float = 1.0) -> Alignment:
    return Alignment.of(Ragged.of([attributions], np.float64), Ragged.of([rationale], np.bool_), gamma=gamma)


@pytest.mark.parametrize(("gamma", "mse", "mae", "order", "decimals"), WORKED)
def test_worked_values(gamma: float, mse: float, mae: float, order: float, decimals: tuple[int, int, int]) -> None:
    alignment = single(ATTRIBUTIONS, RATIONALE, gamma)
    assert round(er_test.mean_squared_error(alignment)[0], decimals[0]) == mse
    assert round(er_test.mean_absolute_error(alignment)[0], decimals[1]) == mae
    assert round(er_test.order(alignment)[0], decimals[2]) == order


@settings(max_examples=30)
@given(batches(least_tokens=0))
def test_each_instance_has_what_the_definitions_say(batch: Batch) -> None:
    alignment = batch.alignment()
    found = [measure(alignment) for measure in PER_INSTANCE]
    for number, (values, y, has_rationale) in enumerate(zip(batch.rows, batch.marks, batch.flags, strict=True)):
        wanted = by_definition(values, y, batch.gamma) if has_rationale else [math.nan] * len(PER_INSTANCE)
        assert [values[number] for values in found] == pytest.approx(wanted, nan_ok=True, rel=1e-9, abs=1e-12)


def by_definition(attributions: list[float], y: list[int], gamma: float) -> list[float]:
    p = [float(expit(gamma * value)) for value in attributions]
    errors = [abs(one - mark) for one, mark in zip(p, y, strict=True)]
    inside = [one for one, mark in zip(p, y, strict=True) if mark]
    outside = [one for one, mark in zip(p, y, strict=True) if not mark]
    square, absolute = sum(error**2 for error in errors), sum(errors)
    order = sum(min(one / max(outside) - 1, 0) ** 2 for one in inside) if outside else (math.nan if inside else 0.0)
    return [
        square,
        square / len(p) if p else math.nan,
        absolute,
        absolute / len(p) if p else math.nan,
        sum(-math.log(one) for one in inside) if inside else math.nan,
        order,
        square / 2 if absolute < 0.7 else 0.7 * (absolute - 0.35),
    ]


RELEASED: dict[str, Callable[[Alignment], float | None]] = {
    "mse": er_test.mse_released,
    "l1": er_test.mae_released,
    "huber": er_test.huber_released,
    "bce": er_test.bce_released,
    "order": er_test.order_released,
    "kldiv": er_test.kl_released,
}


@pytest.mark.parametrize("criterion", RELEASED)
@settings(max_examples=30)
@given(batch=batches())
def test_a_batch_has_what_the_released_code_computes(criterion: str, batch: Batch) -> None:
    ours = RELEASED[criterion](batch.alignment())
    try:
        theirs = released_loss(batch.rows, batch.marks, batch.flags, criterion, batch.gamma)
    except AssertionOfTheirs:
        assert ours is None
    else:
        assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-12)


def test_released_plausibility_counts_an_instance_without_a_rationale_as_zero() -> None:
    # src/utils/metrics.py, calc_plaus, by hand. First row: rationale 1 0 0, scores .5 .2 -.1; AUPRC 1; above 0: 1 1 0;
    # F1 of rationale tokens 2 * 1 / (1 + 2) = 2/3, of the others 2 * 1 / (2 + 1) = 2/3. Second row: no rationale, 0.
    rows, marks = [[0.5, 0.2, -0.1], [0.3]], [[1, 0, 0], [0]]
    batch = Batch(rows, marks, [True, False], 100.0).alignment()
    assert er_test.auprc_released(batch) == pytest.approx(1 / 2)
    assert er_test.token_f1_released(batch) == pytest.approx(1 / 3)


def test_released_plausibility_is_what_scikit_learn_makes_of_each_row() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rows, marks = [[0.5, -0.2, 0.5, 0.0], [0.1, 0.2], [-0.1, -0.2]], [[0, 1, 1, 0], [1, 1], [0, 1]]
    areas, f1s = [], []
    for scores, marked in zip(rows, marks, strict=True):
        precision, recall, _ = metrics.precision_recall_curve(marked, scores)
        areas.append(metrics.auc(recall, precision))
        f1s.append(metrics.f1_score(marked, [score > 0 for score in scores], average="macro"))
    batch = Batch(rows, marks, [True] * 3, 1.0).alignment()
    assert er_test.auprc_released(batch) == pytest.approx(np.mean(areas))
    assert er_test.token_f1_released(batch) == pytest.approx(np.mean(f1s))


def test_padding_punishes_a_perfectly_ordered_instance_in_the_released_code() -> None:
    # er_test.md 2.1: "0 by definition, .79 released" is one such case; here by hand:
    # p = .1 and .01 beside padding of .5: (.1 / .5 − 1)² = .64
    logit = math.log(0.1 / 0.9)
    alignment = single([logit, math.log(0.01 / 0.99)], [1, 0])
    assert er_test.order(alignment)[0] == 0
    assert er_test.order_released(alignment) == 0
    assert er_test.order_released(alignment, padded_length=3) == pytest.approx(0.64)


def test_a_released_batch_cannot_be_padded_to_less_than_it_has() -> None:
    with pytest.raises(InvalidValue, match="a row of 2 tokens is not padded to 1"):
        er_test.order_released(single([0.0, 0.1], [1, 0]), padded_length=1)


@settings(max_examples=30)
@given(batches())
def test_the_released_huber_is_half_of_the_released_mse(batch: Batch) -> None:
    theirs = released_loss(batch.rows, batch.marks, batch.flags, "huber", batch.gamma)
    assert theirs == pytest.approx(er_test.mse_released(batch.alignment()) / 2)


@given(st.floats(-5, 5), st.floats(0.05, 2))
def test_the_papers_huber_of_one_token_is_that_of_scipy(z: float, delta: float) -> None:
    # of one token the sum of squares is the square of the sum, as in Huber's own definition
    ours = er_test.huber(single([z], [1]), delta=delta)[0]
    assert ours == pytest.approx(scipy_huber(delta, 1 - expit(z)))


def test_huge_attributions_overflow_nowhere() -> None:
    alignment = single([1e3, -1e3, 1e3, -1e3], [1, 1, 0, 0], gamma=1.0)
    assert er_test.squared_error(alignment)[0] == pytest.approx(2)
    assert er_test.cross_entropy(alignment)[0] == pytest.approx(1000)
    assert er_test.bce_released(alignment) == pytest.approx(500)
    # shares 1/2, 0, 1/2, 0; wanted 1/2, 1/2: (0 + ½ · log(.5 / .0001)) / 4
    assert er_test.kl_released(alignment) == pytest.approx(0.5 * math.log(0.5 / 1e-4) / 4)


def test_without_a_rationale_there_is_nothing_to_show() -> None:
    alignment = single([0.1, 0.2], [0, 0])
    assert all(np.isnan(measure(alignment)[0]) for measure in PER_INSTANCE)
    assert er_test.mse_released(alignment) == 0
    assert er_test.bce_released(alignment) is None
    assert er_test.kl_released(alignment) is None


def test_an_empty_rationale_that_was_given_has_errors_and_order_zero() -> None:
    rows = Ragged.of([[0.0, 0.0]], np.float64)
    empty = Alignment.of(rows, Ragged.of([[0, 0]], np.bool_), gamma=1, has_rationale=np.array([True]))
    assert er_test.squared_error(empty)[0] == 0.5
    assert er_test.order(empty)[0] == 0
    assert np.isnan(er_test.cross_entropy(empty)[0])


def test_every_token_in_the_rationale_leaves_order_undefined_and_the_released_bce_zero() -> None:
    alignment = single([0.3, -0.3], [1, 1])
    assert np.isnan(er_test.order(alignment)[0])
    assert er_test.order_released(alignment) == 0
    assert er_test.bce_released(alignment) == 0


def test_an_empty_batch_has_no_order() -> None:
    nothing = Alignment.of(Ragged.of([], np.float64), Ragged.of([], np.bool_), gamma=1)
    assert er_test.order_released(nothing) is None
    assert er_test.order(nothing).shape == (0,)


@settings(max_examples=30)
@given(batches())
def test_bounds_hold_and_instances_do_not_touch_each_other(batch: Batch) -> None:
    turned = Batch(batch.rows[::-1], batch.marks[::-1], batch.flags[::-1], batch.gamma)
    for measure in PER_INSTANCE:
        values = measure(batch.alignment())
        np.testing.assert_allclose(measure(turned.alignment()), values[::-1])
        assert np.all(np.isnan(values) | (values >= 0))
    for bounded in (er_test.mean_squared_error, er_test.mean_absolute_error):
        values = bounded(batch.alignment())
        assert np.all(np.isnan(values) | (values <= 1))


@settings(max_examples=30)
@given(batches())
def test_a_batch_twice_has_the_same_released_numbers(batch: Batch) -> None:
    twice = Batch(batch.rows * 2, batch.marks * 2, batch.flags * 2, batch.gamma)
    for measure in RELEASED.values():
        assert measure(twice.alignment()) == pytest.approx(measure(batch.alignment()))


@pytest.mark.parametrize(
    ("attributions", "rationale", "options", "message"),
    [
        ([0.1], [1, 0], {}, "Row 0 has 1 value, but 2 of the rationale"),
        ([math.inf], [1], {}, r"Row 0 \(from 0\) has an attribution that is no finite number"),
        ([0.1], [1], {"gamma": 0}, "gamma scales attributions and is above 0; not 0"),
        ([0.1], [1], {"has_rationale": np.array([True, True])}, "said for 2 of 1 instance"),
    ],
)
def test_what_cannot_be_is_refused(
    attributions: list[float], rationale: list[int], options: dict[str, object], message: str
) -> None:
    with pytest.raises(InvalidValue, match=message):
        Alignment.of(
            Ragged.of([attributions], np.float64), Ragged.of([rationale], np.bool_), **{"gamma": 1.0, **options}
        )


def test_a_delta_that_cannot_be_is_refused() -> None:
    with pytest.raises(InvalidValue, match="delta is above 0; not 0"):
        er_test.huber(single([0.1], [1]), delta=0)


@given(st.integers(0, 10_000), st.integers(0, 1000))
def test_the_number_of_chosen_instances_is_rounded_up_exactly(n: int, per_mille: int) -> None:
    # in floats 1000 · 0.3 / 100 is 3.0000000000000004 on the way, and would be 4
    assert er_test.n_chosen(n, per_mille / 10) == math.ceil(Fraction(n * per_mille, 1000))


def test_the_least_confident_come_first_and_equals_by_position() -> None:
    p_gold = np.array([[0.9, 0.2, 0.5, 0.5, 0.1], [0.9, 0.2, 0.5, 0.5, 0.3]])
    least = er_test.choose_by_confidence(p_gold, 50, "least confident")  # ceil(2.5) = 3
    np.testing.assert_allclose(least.uncertainty, [0.1, 0.8, 0.5, 0.5, 0.8])
    assert least.instances.tolist() == [1, 4, 2]
    assert least.n_tied == 1  # the other of the two at 0.5
    most = er_test.choose_by_confidence(p_gold, 50, "most confident")
    assert most.instances.tolist() == [0, 2, 3]
    assert most.n_tied == 0


def test_nothing_is_chosen_of_zero_percent_and_everything_of_all() -> None:
    p_gold = np.array([[0.1, 0.2]])
    assert er_test.choose_by_confidence(p_gold, 0, "least confident").instances.tolist() == []
    assert er_test.choose_by_confidence(p_gold, 100, "least confident").instances.tolist() == [0, 1]


def test_a_random_choice_depends_on_its_seed_and_repeats_nothing() -> None:
    chosen = er_test.choose_at_random(100, 15, seed=1)
    assert len(set(chosen.tolist())) == 15
    assert chosen.tolist() == er_test.choose_at_random(100, 15, seed=1).tolist()
    assert chosen.tolist() != er_test.choose_at_random(100, 15, seed=2).tolist()


@pytest.mark.parametrize(
    ("p_gold", "percent", "message"),
    [
        (np.array([[0.5, 1.2]]), 5, r"instance 1 at seed 0 \(both from 0\) is 1.2"),
        (np.array([[np.nan]]), 5, "is nan; probabilities lie between 0 and 1"),
        (np.array([0.5]), 5, "given for each seed and each instance"),
        (np.array([[0.5]]), 101, "between 0 and 100 percent; not 101"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(p_gold: np.ndarray, percent: float, message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        er_test.choose_by_confidence(p_gold, percent, "least confident")
