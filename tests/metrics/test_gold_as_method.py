"""Gold as a method, and random as a method."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import accuracy_score

from annotator.errors import InvalidValue
from annotator.metrics.aggregate import Aggregate
from annotator.metrics.gold_as_method import (
    Inputs,
    is_right,
    on_three_inputs,
    p_of_predicted,
    random_as_method,
    random_rationales,
    random_scores,
    scores_drawn_for,
    split_mix,
)
from annotator.metrics.gold_sets import GoldSets
from annotator.metrics.ragged import Ragged
from annotator.metrics.set_aware import best_set


def test_the_example_of_the_evaluator() -> None:
    # reference/benchmark.md 3.4: p(x) = .8, p(r) = .9, p(rest) = .3 -> suf −.1, com +.5
    full, rationale, rest = (np.array([[p, 1 - p]]) for p in (0.8, 0.9, 0.3))
    row = on_three_inputs(is_right((full, rationale, rest), np.array([0])), p_of_predicted((full, rationale, rest)))
    assert (row.full.value, row.rationale.value, row.rest.value) == (1, 1, 0)
    assert row.sufficiency.value == pytest.approx(-0.1)
    assert row.comprehensiveness.value == pytest.approx(0.5)


def test_suf_and_com_are_of_the_predicted_label_not_of_gold() -> None:
    full, rationale, rest = np.array([[0.3, 0.7]]), np.array([[0.9, 0.1]]), np.array([[0.6, 0.4]])
    row = on_three_inputs(is_right((full, rationale, rest), np.array([0])), p_of_predicted((full, rationale, rest)))
    assert row.full.value == 0
    assert row.sufficiency.value == pytest.approx(0.7 - 0.1)
    assert row.comprehensiveness.value == pytest.approx(0.7 - 0.4)


def probabilities(seed: int, n: int, n_labels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draw = np.random.default_rng(seed)
    full, rationale, rest = (draw.dirichlet(np.ones(n_labels), n) for _ in range(3))
    return full, rationale, rest


@given(st.integers(0, 50), st.integers(1, 20), st.integers(2, 4))
def test_accuracies_are_those_of_scikit_learn_and_suf_and_com_those_of_a_loop(seed: int, n: int, n_labels: int) -> None:
    p = probabilities(seed, n, n_labels)
    gold = np.random.default_rng(seed + 1).integers(0, n_labels, n)
    row = on_three_inputs(is_right(p, gold), p_of_predicted(p))
    for found, matrix in zip((row.full, row.rationale, row.rest), p, strict=True):
        assert found.value == pytest.approx(accuracy_score(gold, matrix.argmax(axis=1)))
    predicted = [max(range(n_labels), key=list(one).__getitem__) for one in p[0]]
    suf = [p[0][i][label] - p[1][i][label] for i, label in enumerate(predicted)]
    com = [p[0][i][label] - p[2][i][label] for i, label in enumerate(predicted)]
    assert row.sufficiency.value == pytest.approx(sum(suf) / n)
    assert row.comprehensiveness.value == pytest.approx(sum(com) / n)
    assert -1 <= row.sufficiency.value <= 1


def test_the_whole_input_as_rationale_costs_nothing() -> None:
    full, _, rest = probabilities(0, 8, 3)
    row = on_three_inputs(is_right((full, full, rest), np.zeros(8, dtype=np.int64)), p_of_predicted((full, full, rest)))
    assert row.sufficiency.value == 0
    assert row.rationale == row.full


def test_an_answer_that_is_missing_is_left_out_and_counted() -> None:
    full, rest = np.array([[0.8, 0.2], [0.4, 0.6]]), np.array([[0.5, 0.5], [0.1, 0.9]])
    rationale = np.array([[math.nan, math.nan], [0.3, 0.7]])
    inputs = (full, rationale, rest)
    row = on_three_inputs(is_right(inputs, np.array([0, 1])), p_of_predicted(inputs))
    assert row.full == Aggregate(1.0, 2, 0)
    assert row.rationale == Aggregate(1.0, 1, 1)
    assert row.sufficiency.n_left_out == 1
    assert row.comprehensiveness.n_left_out == 0


def test_answer_f1_takes_the_place_of_accuracy_for_reading() -> None:
    quality = Inputs(np.array([1.0, 0.5]), np.array([0.5, 0.5]), np.array([0.0, 0.25]))
    row = on_three_inputs(quality, Inputs(np.ones(2), np.ones(2), np.zeros(2)))
    assert (row.full.value, row.rationale.value, row.rest.value) == (0.75, 0.5, 0.125)


def test_what_does_not_fit_is_refused() -> None:
    p = np.array([[0.5, 0.5]])
    with pytest.raises(InvalidValue, match="for the same instances and labels"):
        p_of_predicted((p, p, np.array([[1.0]])))
    with pytest.raises(InvalidValue, match="a gold label, from 0 to 1, for each of 1 instance"):
        is_right((p, p, p), np.array([2]))
    with pytest.raises(InvalidValue, match="Got 1 answer to the full input, 2 to the rationale and 1 to the rest"):
        Inputs(np.ones(1), np.ones(2), np.ones(1))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=8), st.integers(0, 5))
def test_a_random_rationale_has_as_many_tokens_as_asked(sizes: list[tuple[int, int]], seed: int) -> None:
    n_tokens = np.array([max(pair) for pair in sizes], dtype=np.int64)
    n_selected = np.array([min(pair) for pair in sizes], dtype=np.int64)
    mask = random_rationales(n_tokens, n_selected, seed)
    assert mask.lengths.tolist() == n_tokens.tolist()
    assert mask.sums().tolist() == n_selected.tolist()
    assert mask.values.tolist() == random_rationales(n_tokens, n_selected, seed).values.tolist()


def test_every_token_is_drawn_equally_often() -> None:
    n = 6_000
    mask = random_rationales(np.full(n, 5), np.full(n, 2), seed=0)
    counts = mask.values.reshape(n, 5).sum(axis=0)
    assert stats.chisquare(counts).pvalue > 1e-3  # two in five each; the seed is fixed


def test_split_mix_gives_its_published_numbers() -> None:
    """Those that Vigna's reference implementation gives for the seed 1234567."""
    drawn = split_mix(np.full(5, 1234567, dtype=np.uint64), np.arange(1, 6))
    assert drawn.tolist() == [
        6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821,
    ]  # fmt: skip


def test_what_is_drawn_for_a_text_is_the_same_whatever_texts_are_beside_it() -> None:
    identities, n_tokens = np.array([7, 8, 9], dtype=np.uint64), np.array([3, 0, 4])
    together = scores_drawn_for(identities, n_tokens, 1)
    assert scores_drawn_for(identities[2:], n_tokens[2:], 1).values.tolist() == together.values[3:].tolist()
    assert scores_drawn_for(identities[:1], n_tokens[:1] + 2, 1).values[:3].tolist() == together.values[:3].tolist()
    assert scores_drawn_for(identities, n_tokens, 2).values.tolist() != together.values.tolist()


def test_what_is_drawn_for_texts_is_uniform_over_texts_places_and_seeds() -> None:
    n, n_tokens = 2_000, 10
    lengths = np.full(n, n_tokens)
    scores = np.stack([scores_drawn_for(np.arange(n, dtype=np.uint64), lengths, seed).values for seed in range(10)])
    assert stats.kstest(scores.ravel(), "uniform").pvalue > 1e-3
    highest = scores.reshape(10, n, n_tokens).argmax(axis=2)
    assert stats.chisquare(np.bincount(highest.ravel(), minlength=n_tokens)).pvalue > 1e-3
    assert abs(np.corrcoef(scores[0], scores[1])[0, 1]) < 0.02
    by_place = scores[0].reshape(n, n_tokens)
    assert np.abs(np.corrcoef(by_place, rowvar=False) - np.eye(n_tokens)).max() < 0.1


def test_other_seeds_give_other_scores() -> None:
    n_tokens = np.array([3, 0, 4])
    assert random_scores(n_tokens, 1).lengths.tolist() == [3, 0, 4]
    assert random_scores(n_tokens, 1).values.tolist() != random_scores(n_tokens, 2).values.tolist()


@pytest.mark.parametrize(
    ("n_tokens", "n_selected", "message"),
    [
        ([3, 2], [1, 3], r"Instance 1 \(from 0\) has 2 tokens; 3 cannot be drawn"),
        ([3], [-1], "-1 cannot be drawn"),
        ([3], [1, 1], "Got 1 instance, but numbers of tokens to draw for 2"),
    ],
)
def test_more_tokens_than_there_are_cannot_be_drawn(n_tokens: list[int], n_selected: list[int], message: str) -> None:
    with pytest.raises(InvalidValue, match=message):
        random_rationales(np.array(n_tokens), np.array(n_selected), seed=0)


def test_random_as_a_method_is_the_mean_of_ten_seeds() -> None:
    # one gold token of four, one drawn: F1 is 1 with chance 1/4, else 0
    n = 2_000
    gold = GoldSets.of([[[0]]] * n)

    def f1(seed: int) -> np.ndarray:
        mask = random_rationales(np.full(n, 4), np.full(n, 1), seed)
        return best_set(Ragged(mask.places[mask.values], np.arange(n + 1)), gold).values

    found = random_as_method(f1)
    assert found.n_seeds == 10
    assert found.mean == pytest.approx(0.25, abs=0.01)  # its standard error is .003
    assert found.mean == pytest.approx(np.mean([f1(seed).mean() for seed in range(10)]))
    assert found.deviation == pytest.approx(np.std([f1(seed).mean() for seed in range(10)], ddof=1))


def test_a_metric_that_is_defined_nowhere_has_no_random_mean() -> None:
    found = random_as_method(lambda _: np.full(3, np.nan))
    assert (found.mean, found.n_seeds, found.n_left_out) == (None, 0, 10)
