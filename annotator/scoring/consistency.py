"""Consistency: a run's rankings of originals beside those of their perturbed versions."""

from collections.abc import Sequence

import numpy as np

from annotator.metrics import benchmark_consistency as consistency
from annotator.metrics.ragged import Floats, Integers, Ragged
from annotator.scoring.gold import GoldRow
from annotator.scoring.runs import Scored

Pair = tuple[GoldRow, GoldRow]


def values_of_pairs(scored: Scored) -> tuple[list[Pair], dict[str, Floats]]:
    """Originals and perturbed versions that both have a ranking, and the MAP of each pair."""
    rankings = scored.rankings
    pairs = _pairs(rankings.rows) if rankings is not None else []
    if not pairs or rankings is None:
        return [], {}
    rows = rankings.rows
    first, second = (np.array(side, dtype=np.int64) for side in zip(*pairs, strict=True))
    top, full = (_by_string(rows, order, first, second) for order in (rankings.selected, rankings.order))
    related = [(rows[a], rows[b]) for a, b in pairs]
    if not len(rankings.selected.values):  # nothing says how many tokens are the top
        return related, {"map_full_ranking": consistency.mean_average_precision(*full)}
    return related, {
        "map": consistency.mean_average_precision(*top),
        "map_full_ranking": consistency.mean_average_precision(*full),
        "map_counting": consistency.mean_average_precision(*top, counts_repeats=True),
        "map_aligned": consistency.mean_average_precision(*_aligned(rows, rankings.selected, first, second)),
    }


def _pairs(rows: Sequence[GoldRow]) -> list[tuple[int, int]]:
    """Places of originals and of their perturbed versions; of a key in several splits the perturbed one's split decides."""
    index_by_key = {(row.key, row.split): index for index, row in enumerate(rows)}
    by_key: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        by_key.setdefault(row.key, []).append(index)
    pairs = []
    for index, row in enumerate(rows):
        if row.parent_key is None:
            continue
        original = index_by_key.get((row.parent_key, row.split))
        others = by_key.get(row.parent_key, [])
        if original is None and len(others) == 1:
            original = others[0]
        if original is not None:
            pairs.append((original, index))
    return pairs


def _by_string(
    rows: Sequence[GoldRow], order: Ragged[np.int64], first: Integers, second: Integers
) -> tuple[Ragged[np.int64], Ragged[np.int64]]:
    tokens = [[row.tokens[token] for token in order.row(index)] for index, row in enumerate(rows)]
    return consistency.encode_tokens([tokens[index] for index in first], [tokens[index] for index in second])


def _aligned(
    rows: Sequence[GoldRow], order: Ragged[np.int64], first: Integers, second: Integers
) -> tuple[Ragged[np.int64], Ragged[np.int64]]:
    originals, perturbed = ([rows[index].tokens for index in side] for side in (first, second))
    return order.take(first), consistency.aligned_ranking(originals, perturbed, order.take(second))
