"""What is drawn for random as a method."""

import numpy as np
from scipy import stats

from annotator.metrics.gold_as_method import scores_drawn_for, split_mix


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
