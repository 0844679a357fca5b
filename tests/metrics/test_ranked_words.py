"""Numbers that share one ranking are those that each definition gives alone: scikit-learn's, and plain loops over a row."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score

from annotator.metrics import against_sets as against
from annotator.metrics.ragged import GoldSets, Ragged

Batch = tuple[list[list[float]], list[list[list[int]]]]


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    """Texts of very different lengths, with ties or without, and up to three sets each."""
    scores, sets = [], []
    for _ in range(draw(st.integers(1, 6))):
        n = draw(st.integers(1, 6) | st.integers(20, 40))
        score = st.sampled_from([-1.0, 0.0, 0.5, 2.0]) if draw(st.booleans()) else st.floats(-3, 3)
        scores.append(draw(st.lists(score, min_size=n, max_size=n)))
        sets.append(draw(st.lists(st.lists(st.integers(0, n - 1), min_size=1, max_size=5, unique=True), max_size=3)))
    return scores, sets


def by_hand(scores: list[float], tokens: list[int]) -> dict[str, float]:
    """Stevens and Su's numbers of one set; the four areas by scikit-learn, the published one as its docstring says it."""
    order = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    ranks = sorted(order.index(token) + 1 for token in tokens)
    k, overlap = len(tokens), len(set(order[: len(tokens)]) & set(tokens))
    numbers = {
        "editing.mrr": 1 / np.mean([rank - i for i, rank in enumerate(ranks)]),
        "editing.top_1": float(k == 1 and ranks == [1]),
        "editing.top_1_lenient": float(ranks[0] == 1),
        "editing.top_3": float(ranks[-1] <= 3),
        "editing.exact_match": float(overlap == k),
        "editing.jaccard": overlap / (2 * k - overlap),
        "editing.jaccard_match": float(overlap / (2 * k - overlap) >= 0.5),
    }
    areas = dict.fromkeys(("editing.average_precision", "editing.auprc", "editing.auprc_as_published"), np.nan)
    if k < len(scores):
        gold = [place in tokens for place in range(len(scores))]
        precision, recall, _ = precision_recall_curve(gold, scores, drop_intermediate=False)
        last = int(np.flatnonzero(recall == 1)[-1])  # thresholds rise: full recall is first reached here
        points = sorted(zip(precision[last:], recall[last:], strict=True))
        areas = {
            "editing.average_precision": average_precision_score(gold, scores),
            "editing.auprc": auc(recall, precision),
            "editing.auprc_as_published": sum((x - x0) * (y + y0) / 2 for (x0, y0), (x, y) in pairwise(points)),
        }
    return numbers | areas


@settings(max_examples=30)
@given(batches())
def test_numbers_of_the_ranking_are_those_of_each_set_alone(batch: Batch) -> None:
    scores, sets = batch
    found = against.of_ranking(Ragged.of(scores, np.float64), GoldSets.of(sets))
    for number, (row, of_instance) in enumerate(zip(scores, sets, strict=True)):
        alone = [by_hand(row, tokens) for tokens in of_instance]
        for name, values in found.items():
            best = min if name == "editing.auprc_as_published" else max
            wanted = [one[name] for one in alone if not np.isnan(one[name])]
            assert values[number] == pytest.approx(best(wanted, default=np.nan), abs=1e-12, nan_ok=True), name


@settings(max_examples=30)
@given(batches())
def test_numbers_of_all_sets_together_are_scikit_learns(batch: Batch) -> None:
    scores, sets = batch
    found = against.of_scores(Ragged.of(scores, np.float64), GoldSets.of(sets))
    for number, (row, of_instance) in enumerate(zip(scores, sets, strict=True)):
        gold = [any(place in tokens for tokens in of_instance) for place in range(len(row))]
        wanted = dict.fromkeys(
            ("eraser.auprc", "ferret.auprc", "eraser.average_precision", "eraser.roc_auc_score"), np.nan
        )
        if any(gold):
            for name, of in (("eraser.auprc", row), ("ferret.auprc", [max(score, 0.0) for score in row])):
                precision, recall, _ = precision_recall_curve(gold, of)
                wanted[name] = auc(recall, precision)
        if any(gold) and not all(gold):
            wanted["eraser.average_precision"] = average_precision_score(gold, row)
            wanted["eraser.roc_auc_score"] = roc_auc_score(gold, row)
        for name, value in wanted.items():
            assert found[name][number] == pytest.approx(value, abs=1e-12, nan_ok=True), name


@settings(max_examples=30)
@given(st.lists(st.lists(st.sampled_from([np.nan, -1.0, 0.0, 1.0]) | st.floats(-2, 2), max_size=30), max_size=12))
def test_rows_of_any_lengths_are_ranked_as_each_row_alone(rows: list[list[float]]) -> None:
    made = Ragged.of(rows, np.float64)
    alone = [start + np.argsort(-np.array(row), kind="stable") for start, row in zip(made.offsets, rows, strict=False)]
    assert made.ranked().tolist() == [place for row in alone for place in row.tolist()]
    chosen = np.arange(len(rows), dtype=np.int64)[::-1].repeat(2)
    taken = made.take(chosen)
    np.testing.assert_array_equal(taken.ranked(), Ragged(taken.values, taken.offsets).ranked())
