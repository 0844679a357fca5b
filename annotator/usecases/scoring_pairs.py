"""Consistency: a run's rankings of originals beside those of their perturbed versions."""

from collections.abc import Mapping
from dataclasses import asdict

import numpy as np

from annotator.domain.models import Prediction
from annotator.metrics import benchmark_consistency as consistency
from annotator.metrics.aggregate import bootstrap, mean_of
from annotator.metrics.ragged import Floats, Integers, Ragged
from annotator.usecases.scoring_runs import Scored


def score_pairs(scored: Scored, answers: Mapping[int, Prediction], *, n_resamples: int = 0) -> dict[str, object]:
    """MAP between the rankings of originals and perturbed versions that both have one; {} without such pairs.

    By string (top k and full ranking, with and without counting repeats) and over tokens aligned by a diff; by kind, and
    crossed with whether the prediction changed.
    n_resamples: above 0, each MAP of all pairs and of a kind comes with a bootstrap interval over its pairs
    """
    pairs, values = values_of_pairs(scored)
    if not pairs:
        return {}
    rows = scored.gold.rows
    has_changed = np.array(
        [_label(answers, rows[a].id) != _label(answers, rows[b].id) for a, b in pairs], dtype=np.bool_
    )
    kinds = [rows[b].kind or "" for _, b in pairs]
    return {
        "pairs": len(pairs),
        **{name: _told(of_pairs, n_resamples) for name, of_pairs in values.items()},
        "by_change": {name: _crossed(of_pairs, has_changed) for name, of_pairs in values.items()},
        "by_kind": {
            kind: {"pairs": kinds.count(kind), **{name: _told(of_pairs[np.array(kinds) == kind], n_resamples)
                                                 for name, of_pairs in values.items()}}
            for kind in sorted(set(kinds))
        },
    }  # fmt: skip


def _told(values: Floats, n_resamples: int) -> dict[str, object]:
    found: dict[str, object] = asdict(mean_of(values))
    if n_resamples:
        interval = bootstrap(values, n_resamples=n_resamples)
        found |= {"low": interval and interval.low, "high": interval and interval.high}
    return found


def values_of_pairs(scored: Scored) -> tuple[list[tuple[int, int]], dict[str, Floats]]:
    """Places of originals and perturbed versions that both have a ranking, and the MAP of each pair."""
    pairs = _pairs(scored)
    if not pairs or scored.order is None or scored.selected is None:
        return [], {}
    first, second = (np.array(side, dtype=np.int64) for side in zip(*pairs, strict=True))
    top, full = (_by_string(scored, order, first, second) for order in (scored.selected, scored.order))
    return pairs, {
        "map": consistency.mean_average_precision(*top),
        "map_full_ranking": consistency.mean_average_precision(*full),
        "map_counting": consistency.mean_average_precision(*top, counts_repeats=True),
        "map_aligned": consistency.mean_average_precision(*_aligned(scored, scored.selected, first, second)),
    }


def _pairs(scored: Scored) -> list[tuple[int, int]]:
    """Places of originals and of their perturbed versions; of a key in several splits the perturbed one's split decides."""
    places = {(row.key, row.split): place for place, row in enumerate(scored.gold.rows)}
    by_key: dict[str, list[int]] = {}
    for place, row in enumerate(scored.gold.rows):
        by_key.setdefault(row.key, []).append(place)
    pairs = []
    for place, row in enumerate(scored.gold.rows):
        if row.parent_key is None:
            continue
        original = places.get((row.parent_key, row.split))
        others = by_key.get(row.parent_key, [])
        if original is None and len(others) == 1:
            original = others[0]
        if original is not None:
            pairs.append((original, place))
    return pairs


def _by_string(
    scored: Scored, order: Ragged[np.int64], first: Integers, second: Integers
) -> tuple[Ragged[np.int64], Ragged[np.int64]]:
    tokens = [[row.tokens[token] for token in order.row(place)] for place, row in enumerate(scored.gold.rows)]
    return consistency.encode_tokens([tokens[place] for place in first], [tokens[place] for place in second])


def _aligned(
    scored: Scored, order: Ragged[np.int64], first: Integers, second: Integers
) -> tuple[Ragged[np.int64], Ragged[np.int64]]:
    rows = scored.gold.rows
    originals, perturbed = ([rows[place].tokens for place in side] for side in (first, second))
    return order.take(first), consistency.aligned_ranking(originals, perturbed, order.take(second))


def _crossed(values: Floats, has_changed: "np.typing.NDArray[np.bool_]") -> dict[str, object]:
    found = consistency.by_change(values, has_changed)
    return {"same": asdict(found.same), "changed": asdict(found.changed)}


def _label(answers: Mapping[int, Prediction], instance_id: int) -> str | None:
    answer = answers.get(instance_id)
    return None if answer is None else answer.label
