"""How well scores, rankings and selections of tokens fit gold that has several sets: every plausibility number of an instance.

Each function answers numbers by their name in the register, float[n_instances] each, NaN where one is not defined. What
compares with one rationale is taken against each set by itself, and the best is told, unless its paper puts the sets together.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.metrics import er_test_alignment as alignment
from annotator.metrics import ferret_plausibility as ferret
from annotator.metrics import sentence_editing as editing
from annotator.metrics.benchmark_consistency import first_of, n_of_share
from annotator.metrics.benchmark_plausibility import agreement
from annotator.metrics.eraser_soft import areas_of_rows
from annotator.metrics.ragged import Flags, Floats, GoldSets, Integers, Ragged
from annotator.metrics.ranked_words import rank_words
from annotator.metrics.set_aware import set_aware_values

Values = dict[str, Floats]
_DEFINED_FOR_TIES = frozenset(
    {
        "editing.average_precision", "editing.auprc", "editing.auprc_as_published",
        "eraser.auprc", "eraser.average_precision", "eraser.roc_auc_score", "ferret.auprc",
    }
)  # fmt: skip
_POSITIVE_ONLY = frozenset({"ferret.token_f1", "ferret.token_iou"})
FERRET_K = 5  # its default; 7 on HateXplain, 78 on Movies, 10 on SST


@dataclass(frozen=True, eq=False)
class Sides:
    """The stretches of an instance that are ranked by themselves: both sentences of a pair, else the whole.

    Shapes: lengths int[n_instances, n_sides], tokens of each side; a side's tokens follow those of the side before
    ratios: the share of a side's tokens that is selected (the data set's mean RLR)
    """

    lengths: Integers
    ratios: tuple[float, ...]

    def __post_init__(self) -> None:
        if self.lengths.shape[1] != len(self.ratios):
            raise InvalidValue(f"There are {self.lengths.shape[1]} sides, but {len(self.ratios)} ratios.")

    @property
    def n_selected(self) -> Integers:
        """int[n_instances, n_sides]: k = ceil(ratio × n of the side)."""
        columns = [n_of_share(self.lengths[:, side], ratio) for side, ratio in enumerate(self.ratios)]
        return np.stack(columns, axis=1)


def top_of_sides(order: Ragged[np.int64], sides: Sides) -> Ragged[np.int64]:
    """The first k tokens of each side, of rankings over whole instances.

    Shapes: order: a row an instance of token indices, most important first; returns rows in which the sides follow each other
    >>> sides = Sides(np.array([[2, 4]]), (0.5, 0.5))
    >>> top_of_sides(Ragged.of([[5, 4, 3, 1, 0, 2]], np.int64), sides).values.tolist()
    [1, 5, 4]
    """
    return first_of_sides(order, sides.lengths, sides.n_selected)


def first_of_sides(order: Ragged[np.int64], lengths: Integers, counts: Integers) -> Ragged[np.int64]:
    """The first tokens of each side, so many as are asked. Shapes: lengths, counts int[n_instances, n_sides]."""
    if lengths.shape[1] == 1:
        return first_of(order, counts[:, 0])
    starts = np.cumsum(lengths, axis=1) - lengths
    parts = []
    for side in range(lengths.shape[1]):
        first, end = (values[order.rows_of_values] for values in (starts[:, side], (starts + lengths)[:, side]))
        is_here = (order.values >= first) & (order.values < end)
        n_here = order.with_values(is_here).sums().astype(np.int64)
        of_side = Ragged(order.values[is_here], np.concatenate(([0], np.cumsum(n_here))).astype(np.int64))
        parts.append(first_of(of_side, counts[:, side]))
    return side_by_side(parts)


def every_token(n_tokens: Integers) -> Ragged[np.int64]:
    """All tokens of each instance, in their order."""
    offsets = np.concatenate(([0], np.cumsum(n_tokens))).astype(np.int64)
    rows = Ragged(np.zeros(int(offsets[-1]), dtype=np.int64), offsets)
    return rows.with_values(rows.places)


def n_in_sides(tokens: Ragged[np.int64], sides: Sides) -> Integers:
    """int[n_instances, n_sides]: how many of an instance's tokens lie in each side.

    >>> n_in_sides(Ragged.of([[0, 2, 3]], np.int64), Sides(np.array([[2, 4]]), (0.5, 0.5))).tolist()
    [[1, 2]]
    """
    ends = np.cumsum(sides.lengths, axis=1)
    counts = np.zeros(sides.lengths.shape, dtype=np.int64)
    side = (tokens.values[:, None] >= ends[tokens.rows_of_values]).sum(axis=1)
    np.add.at(counts, (tokens.rows_of_values, np.minimum(side, sides.lengths.shape[1] - 1)), 1)
    return counts


def side_by_side(parts: list[Ragged[np.int64]]) -> Ragged[np.int64]:
    """Rows of several tables behind each other, row by row."""
    if len(parts) == 1:
        return parts[0]
    rows = np.concatenate([part.rows_of_values for part in parts])
    values = np.concatenate([part.values for part in parts])
    counts = np.bincount(rows, minlength=len(parts[0]))
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Ragged(values[np.argsort(rows, kind="stable")], offsets)


def order_of(scores: Ragged[np.float64]) -> Ragged[np.int64]:
    """Token indices by falling score, equal scores by position; tokens without a score (NaN) are not in it."""
    order = scores.ranked()  # NaN sorts last
    is_there = ~np.isnan(scores.values[order])
    if is_there.all():
        return scores.with_values(scores.places[order])
    lengths = scores.with_values(~np.isnan(scores.values)).sums().astype(np.int64)
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return Ragged(scores.places[order][is_there], offsets)


def n_tied_at_k(scores: Ragged[np.float64], selected: Ragged[np.int64], sides: Sides) -> Integers:
    """int[n_instances]: tokens that were left out although one of their side that was selected has their score."""
    is_selected = np.zeros(len(scores.values), dtype=np.bool_)
    is_selected[np.repeat(scores.offsets[:-1], selected.lengths) + selected.values] = True
    ends = np.cumsum(sides.lengths, axis=1)
    side = (scores.places[:, None] >= ends[scores.rows_of_values]).sum(axis=1)
    group = scores.rows_of_values * sides.lengths.shape[1] + np.minimum(side, sides.lengths.shape[1] - 1)
    lowest = np.full(len(scores) * sides.lengths.shape[1], np.inf)
    np.minimum.at(lowest, group[is_selected], scores.values[is_selected])
    is_tied = ~is_selected & (scores.values == lowest[group])
    return np.bincount(scores.rows_of_values[is_tied], minlength=len(scores)).astype(np.int64)


def is_flat(scores: Ragged[np.float64], sides: Sides) -> Flags:
    """bool[n_instances]: no side has two different scores, and some side several tokens: only position would rank them.

    Shapes: scores: rows of all sides' tokens; NaN is no score
    >>> sides = Sides(np.array([[3], [3], [1]]), (0.5,))
    >>> is_flat(Ragged.of([[0, 0, 0], [0, 0, 1], [0]], np.float64), sides).tolist()
    [True, False, False]
    """
    lengths = sides.lengths.ravel()
    is_score = ~np.isnan(scores.values)
    offsets = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    highest, negated_lowest = (
        Ragged(np.where(is_score, values, -np.inf), offsets).maxima(-np.inf)
        for values in (scores.values, -scores.values)
    )
    is_ranked = (highest > -negated_lowest).reshape(sides.lengths.shape)
    has_choice = (sides.lengths > 1).any(axis=1)
    flat: Flags = np.asarray(has_choice & ~is_ranked.any(axis=1), dtype=np.bool_)
    return flat


def without_order(values: Values, flat: Flags, scores: Ragged[np.float64]) -> Values:
    """Of flat instances only what is defined for equal scores: areas, losses, and ferret's numbers where no score is above 0."""
    if not flat.any():
        return values
    selects = flat & (scores.maxima(-np.inf) > 0)
    return {
        name: of_instances
        if name in _DEFINED_FOR_TIES or name.startswith("er_test.")
        else np.where(selects if name in _POSITIVE_ONLY else flat, np.nan, of_instances)
        for name, of_instances in values.items()
    }


def of_selection(selected: Ragged[np.int64], gold: GoldSets) -> Values:
    """Numbers of selected tokens; an instance for which nothing is selected has 0, one without gold sets none."""
    scores = agreement(selected, gold)
    has_gold = gold.n_sets > 0
    values = {f"sets.{measure}": of_instances for measure, of_instances in set_aware_values(selected, gold).items()}
    return values | {
        "benchmark.token_f1_paper": scores.token_f1_paper,
        "benchmark.token_f1_scripts": np.where(has_gold, scores.token_f1_scripts, np.nan),
        "benchmark.iou_f1_paper": scores.iou_match_paper,
        "benchmark.iou_f1_evaluator": np.where(has_gold, scores.iou_match_evaluator, np.nan),
    }


_RANKED: Mapping[str, Callable[..., Floats]] = {
    "editing.mrr": editing.reciprocal_rank_with_removal,
    "editing.average_precision": editing.average_precision,
    "editing.auprc": editing.auprc,
    "editing.top_1": editing.top_1_strict,
    "editing.top_1_lenient": editing.top_1_lenient,
    "editing.top_3": editing.top_3,
    "editing.exact_match": editing.exact_match,
    "editing.jaccard": editing.jaccard,
    "editing.jaccard_match": editing.jaccard_match,
}


def of_ranking(scores: Ragged[np.float64], gold: GoldSets) -> Values:
    """Numbers that look at the order alone, against each set by itself; the best set's is given. Scores without NaN."""
    repeated, marks = _each_set(scores, gold)
    ranked = rank_words(repeated, marks)
    values = {name: _highest(gold.per_set(metric(repeated, marks, ranked=ranked))) for name, metric in _RANKED.items()}
    published = editing.auprc_as_published(repeated, marks, ranked=ranked)  # of which the lowest is the best
    return values | {"editing.auprc_as_published": -_highest(gold.per_set(-published))}


def of_scores(scores: Ragged[np.float64], gold: GoldSets, *, ferret_k: int = FERRET_K) -> Values:
    """ERASER's areas and ferret's numbers, which put all sets together as these do; none without gold sets. Without NaN."""
    union = mask_of(gold.union(), scores)
    areas = areas_of_rows(union, scores)
    f1, iou = ferret.top_k_agreement(scores, union, k=ferret_k)
    of_ferret = {"ferret.auprc": ferret.auprc(scores, union), "ferret.token_f1": f1, "ferret.token_iou": iou}
    return {
        "eraser.auprc": areas.auprc_of_gold,
        "eraser.average_precision": areas.average_precision,
        "eraser.roc_auc_score": areas.roc_auc_score,
        **{name: np.where(gold.n_sets > 0, values, np.nan) for name, values in of_ferret.items()},
    }


def of_alignment(scores: Ragged[np.float64], gold: GoldSets, *, gamma: float, delta: float = 1.0) -> Values:
    """ER-TEST's losses against each set by itself; the lowest is given. Scores without NaN."""
    repeated, marks = _each_set(scores, gold)
    both = alignment.Alignment.of(repeated, marks, gamma=gamma)
    losses: Values = {
        "er_test.mse": alignment.squared_error(both),
        "er_test.mse_mean": alignment.mean_squared_error(both),
        "er_test.mae": alignment.absolute_error(both),
        "er_test.mae_mean": alignment.mean_absolute_error(both),
        "er_test.bce": alignment.cross_entropy(both),
        "er_test.huber": alignment.huber(both, delta=delta),
        "er_test.order": alignment.order(both),
    }
    return {name: -_highest(gold.per_set(-values)) for name, values in losses.items()}


def mask_of(tokens: Ragged[np.int64], like: Ragged[np.float64]) -> Ragged[np.bool_]:
    """Tokens as a mask in the rows of `like`; raises InvalidValue for a token beyond its row."""
    far = np.flatnonzero(tokens.values >= like.lengths[tokens.rows_of_values])
    if len(far):
        row = int(tokens.rows_of_values[far[0]])
        raise InvalidValue(
            f"Row {row} (from 0) has {counted(int(like.lengths[row]), 'token')}; there is no token {tokens.values[far[0]]}."
        )
    marks = np.zeros(len(like.values), dtype=np.bool_)
    marks[like.offsets[:-1][tokens.rows_of_values] + tokens.values] = True
    return like.with_values(marks)


def _highest(values: Ragged[np.float64]) -> Floats:
    """float[n_rows]: the highest value of each row that is one; NaN without any."""
    highest = values.with_values(np.where(np.isnan(values.values), -np.inf, values.values)).maxima(-np.inf)
    return np.where(np.isneginf(highest), np.nan, highest)


def _each_set(scores: Ragged[np.float64], gold: GoldSets) -> tuple[Ragged[np.float64], Ragged[np.bool_]]:
    """Each set as a row of its own: its instance's scores, and the set as a mask."""
    scores.ranked()  # once an instance: its sets share the ranking
    gold.check_filled()
    repeated = scores.take(gold.instances) if np.any(gold.n_sets != 1) else scores
    return repeated, mask_of(gold.tokens, repeated)


def without_gaps(scores: Ragged[np.float64]) -> tuple[Ragged[np.float64], Flags]:
    """Scores in which tokens that have none stand below all others of their row; bool[n_instances]: rows that had such."""
    is_gap = np.isnan(scores.values)
    lowest = -Ragged(np.where(is_gap, -np.inf, -scores.values), scores.offsets).maxima(0.0)
    below = np.where(np.isfinite(lowest), lowest, 0.0) - 1.0
    filled = np.where(is_gap, below[scores.rows_of_values], scores.values)
    return scores.with_values(filled), scores.with_values(is_gap).sums() > 0
