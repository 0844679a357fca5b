"""The regression of the built-in model, held against scikit-learn's."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from annotator.attribution.linear_classifier import FeatureCounts, SparseTable, fitted, scales_of

TEXTS, TYPES, FEATURES, N_LABELS = 60, 25, 40, 3


def table(dense: np.ndarray) -> SparseTable:
    rows, columns = np.nonzero(dense)
    n_times = dense[rows, columns]
    return SparseTable(np.repeat(rows, n_times), np.repeat(columns, n_times), dense.shape)


@pytest.fixture(scope="module")
def dense() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Texts by types, types by features, and labels that follow from some of the features."""
    chance = np.random.default_rng(0)
    texts, features = chance.poisson(0.3, (TEXTS, TYPES)), chance.poisson(0.2, (TYPES, FEATURES))
    labels = (texts @ features @ chance.normal(size=(FEATURES, N_LABELS))).argmax(axis=1)
    return texts, features, labels


@pytest.mark.parametrize("penalty", [0.3, 3.0, 30.0])
def test_weights_are_scikit_learns(dense: tuple[np.ndarray, np.ndarray, np.ndarray], penalty: float) -> None:
    texts, features, labels = dense
    counts = FeatureCounts(table(texts), table(features))
    found = fitted(counts, labels, N_LABELS, penalty, flat=1e-7)
    scaled = texts @ features * scales_of(counts)
    theirs = LogisticRegression(C=1 / penalty, tol=1e-9, max_iter=10_000).fit(scaled, labels)
    assert found[:-1] == pytest.approx(theirs.coef_.T, abs=1e-4)
    assert found[-1] - found[-1].mean() == pytest.approx(theirs.intercept_ - theirs.intercept_.mean(), abs=1e-4)


def test_products_by_way_of_types_are_those_of_the_whole_table(
    dense: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    texts, features, _ = dense
    counts, chance = FeatureCounts(table(texts), table(features)), np.random.default_rng(1)
    weights, differences = chance.normal(size=(FEATURES, 2)), chance.normal(size=(TEXTS, 2))
    assert counts.times(weights) == pytest.approx(texts @ features @ weights)
    assert counts.transposed_times(differences) == pytest.approx((texts @ features).T @ differences)
    assert counts.occurrences() == pytest.approx((texts @ features).sum(axis=0))
    keep = np.arange(TEXTS) % 3 == 0
    assert counts.of_texts(keep).times(weights) == pytest.approx(texts[keep] @ features @ weights)


def test_what_stands_in_no_text_that_is_learned_from_counts_nothing() -> None:
    counts = FeatureCounts(table(np.array([[2, 0], [1, 0]])), table(np.array([[1, 0], [0, 1]])))
    assert scales_of(counts).tolist() == pytest.approx([0.5, 0.0])
