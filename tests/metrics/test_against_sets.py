"""Numbers of scores and selections against several gold sets are those of each set by itself, the best one told."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from annotator.errors import InvalidValue
from annotator.metrics import against_sets as against
from annotator.metrics.er_test_alignment import Alignment, order
from annotator.metrics.gold_as_method import scores_drawn_for, split_mix
from annotator.metrics.ragged import GoldSets, Ragged
from annotator.metrics.registry import definition_of
from annotator.metrics.sentence_editing import reciprocal_rank_with_removal


@st.composite
def batches(draw: st.DrawFn) -> tuple[list[list[float]], list[list[list[int]]]]:
    """Scores of some instances, and gold sets of each; some instances have none."""
    scores, sets = [], []
    for _ in range(draw(st.integers(1, 4))):
        n = draw(st.integers(1, 6))
        scores.append(draw(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=n, max_size=n)))
        one_set = st.lists(st.integers(0, n - 1), min_size=1, max_size=n, unique=True)
        sets.append(draw(st.lists(one_set, max_size=3)))
    return scores, sets


def masked(n: int, tokens: list[int]) -> Ragged[np.bool_]:
    return Ragged.of([[place in tokens for place in range(n)]], np.bool_)


@settings(max_examples=30)
@given(batches())
def test_ranks_and_losses_are_those_of_the_best_single_set(batch) -> None:
    scores, sets = batch
    rows, gold = Ragged.of(scores, np.float64), GoldSets.of(sets)
    found = against.of_ranking(rows, gold)["editing.mrr"]
    losses = against.of_alignment(rows, gold, gamma=2.0)["er_test.order"]
    for number, (row, of_instance) in enumerate(zip(scores, sets, strict=True)):
        alone = Ragged.of([row], np.float64)
        ranks = [reciprocal_rank_with_removal(alone, masked(len(row), tokens))[0] for tokens in of_instance]
        orders = [order(Alignment.of(alone, masked(len(row), tokens), gamma=2.0))[0] for tokens in of_instance]
        orders = [value for value in orders if not np.isnan(value)]
        assert found[number] == pytest.approx(max(ranks, default=np.nan), nan_ok=True)
        assert losses[number] == pytest.approx(min(orders, default=np.nan), nan_ok=True)


def test_every_number_is_registered_and_not_defined_without_gold_sets() -> None:
    rows, gold = Ragged.of([[3.0, 1.0], [1.0, 2.0]], np.float64), GoldSets.of([[[0]], []])
    selected = Ragged.of([[0], [1]], np.int64)
    for values in (
        against.of_selection(selected, gold),
        against.of_ranking(rows, gold),
        against.of_scores(rows, gold),
        against.of_alignment(rows, gold, gamma=1.0),
    ):
        for name, of_instances in values.items():
            assert definition_of(name).name == name
            assert np.isnan(of_instances[1]), name


def test_the_top_is_taken_on_each_side_by_itself() -> None:
    # 3 and 4 tokens; the best three all stand on the second side, yet each side gives its share
    scores = Ragged.of([[0.1, 0.3, 0.2, 5.0, 7.0, 6.0, 0.0]], np.float64)
    sides = against.Sides(np.array([[3, 4]]), (0.34, 0.5))  # ceil(1.02) = 2 of 3, 2 of 4
    assert against.top_of_sides(against.order_of(scores), sides).values.tolist() == [1, 2, 4, 5]


@settings(max_examples=30)
@given(st.lists(st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=2, max_size=8), min_size=1, max_size=4))
def test_ties_at_k_are_counted_as_a_look_at_each_side_does(scores) -> None:
    rows = Ragged.of(scores, np.float64)
    first = rows.lengths // 2
    sides = against.Sides(np.stack([first, rows.lengths - first], axis=1), (0.4, 0.4))
    selected = against.top_of_sides(against.order_of(rows), sides)
    wanted = []
    for number, row in enumerate(scores):
        chosen, n = set(selected.row(number).tolist()), 0
        for side in (range(first[number]), range(first[number], len(row))):
            lowest = min((row[place] for place in side if place in chosen), default=None)
            n += sum(row[place] == lowest for place in side if place not in chosen)
        wanted.append(n)
    assert against.n_tied_at_k(rows, selected, sides).tolist() == wanted


def test_tokens_that_a_model_did_not_see_come_last_and_are_never_selected() -> None:
    scores = Ragged.of([[np.nan, -3.0, np.nan, -1.0]], np.float64)
    assert against.order_of(scores).values.tolist() == [3, 1]
    filled, had_gaps = against.without_gaps(scores)
    assert (filled.values.tolist(), had_gaps.tolist()) == ([-4.0, -3.0, -4.0, -1.0], [True])
    sides = against.Sides(np.array([[4]]), (1.0,))
    assert against.top_of_sides(against.order_of(scores), sides).values.tolist() == [3, 1]


def test_a_gold_token_beyond_the_scores_is_refused_by_its_row() -> None:
    with pytest.raises(InvalidValue, match=r"Row 0 \(from 0\) has 2 tokens; there is no token 5"):
        against.of_scores(Ragged.of([[1.0, 2.0]], np.float64), GoldSets.of([[[5]]]))


def test_equal_scores_keep_their_areas_and_have_nothing_that_depends_on_the_order() -> None:
    """Ten tokens, two of them gold: AP .2, ROC .5, AUPRC (1 + .2) / 2; ferret selects nothing of zeros, and the first five of ones."""
    rows = Ragged.of([[0.0] * 10, [1.0] * 10, [1.0, *[0.0] * 9]], np.float64)
    gold = GoldSets.of([[[0, 1]]] * 3)
    sides = against.Sides(np.array([[10]] * 3), (0.2,))
    flat = against.is_flat(rows, sides)
    assert flat.tolist() == [True, True, False]
    selected = against.top_of_sides(against.order_of(rows), sides)
    values = against.of_selection(selected, gold) | against.of_ranking(rows, gold) | against.of_scores(rows, gold)
    kept = against.without_order(values, flat, rows)
    assert {name for name, of in kept.items() if not np.isnan(of[0])} == {
        "editing.average_precision", "editing.auprc", "editing.auprc_as_published", "eraser.auprc",
        "eraser.average_precision", "eraser.roc_auc_score", "ferret.auprc", "ferret.token_f1", "ferret.token_iou",
    }  # fmt: skip
    assert kept["eraser.average_precision"].tolist() == pytest.approx([0.2, 0.2, 0.5 * 1 + 0.5 * 0.2])
    assert kept["eraser.roc_auc_score"].tolist()[:2] == [0.5, 0.5]
    assert kept["eraser.auprc"].tolist()[:2] == pytest.approx([0.6, 0.6])
    assert kept["ferret.token_f1"][0] == 0
    assert np.isnan(kept["ferret.token_f1"][1])
    assert kept["sets.best_f1"].tolist()[2] == 1.0  # the first by its score, the second by position: a tie at k


@pytest.mark.parametrize(
    ("scores", "wanted"),
    [
        ([0.0, 0.0, 1.0, 1.0], True),  # one side above the other, but each is ranked by itself
        ([0.0, 0.0, 1.0, 2.0], False),
        ([np.nan, 3.0, 3.0, 3.0], True),  # what was not seen has no score
        ([np.nan] * 4, True),
    ],
)
def test_a_pair_has_no_order_where_neither_side_has_one(scores: list[float], wanted: bool) -> None:
    sides = against.Sides(np.array([[2, 2]]), (0.5, 0.5))
    assert against.is_flat(Ragged.of([scores], np.float64), sides).tolist() == [wanted]


# What is drawn for random as a method.


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
