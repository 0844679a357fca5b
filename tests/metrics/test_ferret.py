"""ferret's three plausibility numbers against what it calls: scikit-learn's curve, and its own few lines as a loop."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import auc, precision_recall_curve

from annotator.errors import InvalidValue
from annotator.metrics.ferret_plausibility import auprc, select_top_k, top_k_agreement
from annotator.metrics.ragged import Ragged

SCORE = st.sampled_from([-1.5, -0.5, 0.0, 0.25, 0.5, 2.0]) | st.floats(-3, 3)
ROW = st.lists(st.tuples(SCORE, st.booleans()), min_size=1, max_size=10)


def arrays(batch: list[list[tuple[float, bool]]]) -> tuple[Ragged[np.float64], Ragged[np.bool_]]:
    scores = Ragged.of(([score for score, _ in row] for row in batch), np.float64)
    return scores, Ragged.of(([is_gold for _, is_gold in row] for row in batch), np.bool_)


@settings(max_examples=30)
@given(st.lists(ROW, max_size=6))
def test_auprc_is_that_of_scikit_learn(batch: list[list[tuple[float, bool]]]) -> None:
    for ours, row in zip(auprc(*arrays(batch)), batch, strict=True):
        gold = [is_gold for _, is_gold in row]
        if any(gold):
            precision, recall, _ = precision_recall_curve(gold, [max(score, 0.0) for score, _ in row])
            assert ours == pytest.approx(auc(recall, precision), abs=1e-12)
        else:
            assert ours == 0.5


def test_auprc_without_gold_is_what_scikit_learn_gives() -> None:
    with pytest.warns(UserWarning, match="No positive class"):
        precision, recall, _ = precision_recall_curve([0, 0, 0], [0.3, 0.2, 0.1])
    assert auc(recall, precision) == 0.5


@pytest.mark.parametrize("share", [0.17, 0.5, 1.0])
def test_a_constant_map_scores_half_of_one_and_the_share_of_gold(share: float) -> None:
    # saliency.md, section 2.2: (1 + gold share) / 2
    gold = np.arange(100) < share * 100
    assert auprc(Ragged.of([np.ones(100)], np.float64), Ragged.of([gold], np.bool_))[0] == pytest.approx(
        (1 + share) / 2
    )


def test_auprc_of_an_instance_without_tokens_is_not_defined() -> None:
    values = auprc(Ragged.of([[], [1.0], []], np.float64), Ragged.of([[], [True], []], np.bool_))
    np.testing.assert_array_equal(values, [np.nan, 1.0, np.nan])


@settings(max_examples=30)
@given(st.lists(ROW, max_size=6), st.integers(1, 12))
def test_the_top_k_and_its_numbers_are_those_of_a_plain_loop(batch: list[list[tuple[float, bool]]], k: int) -> None:
    scores, gold = arrays(batch)
    mask, is_tied = select_top_k(scores, k)
    f1, iou = top_k_agreement(scores, gold, k=k)
    for number, row in enumerate(batch):
        order = sorted(range(len(row)), key=lambda place: (-row[place][0], place))
        selected = {place for place in order[:k] if row[place][0] > 0}
        golden = {place for place, (_, is_gold) in enumerate(row) if is_gold}
        assert set(np.flatnonzero(mask.row(number))) == selected
        last = row[order[k - 1]][0] if len(row) > k else None
        assert is_tied[number] == (last is not None and last > 0 and row[order[k]][0] == last)
        either = len(selected | golden)
        assert iou[number] == pytest.approx(len(selected & golden) / either if either else 0.0)
        if either:
            assert f1[number] == pytest.approx(2 * len(selected & golden) / (len(selected) + len(golden)))
        else:
            assert np.isnan(f1[number])


@settings(max_examples=30)
@given(st.lists(ROW, min_size=1, max_size=5))
def test_numbers_see_nothing_but_the_order_of_positive_scores(batch: list[list[tuple[float, bool]]]) -> None:
    scores, gold = arrays(batch)
    ranks = np.searchsorted(np.unique(scores.values), scores.values) + 1.0  # keeps order and equality, exactly
    raised = scores.with_values(np.where(scores.values > 0, ranks, -ranks))
    np.testing.assert_allclose(auprc(raised, gold), auprc(scores, gold))
    np.testing.assert_allclose(top_k_agreement(raised, gold, k=3), top_k_agreement(scores, gold, k=3))


def test_what_cannot_be_is_refused() -> None:
    scores, gold = arrays([[(1.0, True)], [(np.nan, False)]])
    with pytest.raises(InvalidValue, match=r"Row 1 \(from 0\) has a score that is no finite number"):
        auprc(scores, gold)
    with pytest.raises(InvalidValue, match="At least one token is selected; not 0"):
        select_top_k(scores, 0)
    with pytest.raises(InvalidValue, match="Got 2 rows, but 1 row of gold tokens"):
        top_k_agreement(scores, Ragged.of([[True]], np.bool_), k=1)
