"""Plausibility of the fine-grained benchmark: token-F1 and IOU-F1 against several gold sets, as the scripts and as the paper.

Sets are kept as bits, one for each token of an instance, so that a union is one operation for all instances together.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.metrics.aggregate import Aggregate, mean_of
from annotator.metrics.definitions import Definition, from_0_to_1
from annotator.metrics.ragged import Flags, Floats, GoldSets, Integers, Ragged

Bits = npt.NDArray[np.uint64]

_WIDEST = 1024  # token indices from here on are numbered anew, so that a far index does not widen every row


@dataclass(frozen=True)
class ChosenGold:
    """The gold that a prediction is compared with, and how well the two agree.

    Shapes: f1, iou float[n_instances]; n_hits int[n_instances]; is_member bool[n_sets]: the set is part of the gold chosen;
            is_union bool[n_instances]: more than one set was put together
    Range:  0 to 1, higher is better; 0 where nothing overlaps, and then no set is chosen
    """

    f1: Floats
    iou: Floats
    n_hits: Integers
    is_member: Flags
    is_union: Flags


def choose_gold(predicted: Ragged[np.int64], gold: GoldSets, *, with_unions: bool) -> ChosenGold:
    """The single set of the largest F1 (the first of equals), or, with unions, a greedy union in file order if better.

    A union begins at each set but the last and takes every later set that overlaps the prediction and raises F1.

    Shapes: predicted: one row of token indices an instance; an index given twice counts twice in precision
    Source: PaddleNLP model_interpretation eval_senti.py `pick_max_golden_evid`; Wang et al. 2022, Eq. 1 without unions
    Raises: InvalidValue when there are not as many predictions as instances
    >>> sets = GoldSets.of([[[13, 14], [16, 17], [20, 21]]])
    >>> marked = Ragged.of([[13, 14, 16, 20, 22]], np.int64)
    >>> [choose_gold(marked, sets, with_unions=unions).f1.round(3).tolist() for unions in (True, False)]
    [[0.727], [0.571]]
    """
    encoded = _encoded(predicted, gold)
    best, is_member = _best_single(encoded)
    if with_unions:
        best, is_member = _with_unions(encoded, best, is_member)
    return _described(encoded, best, is_member)


def token_f1_scripts(predicted: Ragged[np.int64], gold: GoldSets) -> Floats:
    """Token-F1 of each instance as both code bases compute it: best set or greedy union; 0 where anything is empty."""
    return choose_gold(predicted, gold, with_unions=True).f1


def token_f1_paper(predicted: Ragged[np.int64], gold: GoldSets) -> Floats:
    """Token-F1 of each instance against the best single set.

    Undefined: NaN where gold holds no token (our decision; the paper does not say)
    Source:    Wang et al. 2022, Eq. 1
    """
    return _of_paper(choose_gold(predicted, gold, with_unions=False).f1, gold)


def iou_match_evaluator(predicted: Ragged[np.int64], gold: GoldSets) -> Floats:
    """1 where the IOU with the gold chosen by F1 (unions too) is at least a half: TrustAI `calc_iou_f1`, int(S * 10) >= 5."""
    return _is_match(choose_gold(predicted, gold, with_unions=True).iou)


def iou_match_paper(predicted: Ragged[np.int64], gold: GoldSets) -> Floats:
    """1 where the IOU with the best single set is at least a half; NaN where gold holds no token. Wang et al. 2022, Eq. 3."""
    return _of_paper(_is_match(choose_gold(predicted, gold, with_unions=False).iou), gold)


@dataclass(frozen=True)
class Agreement:
    """Token-F1 and IOU matches of one selection, as the paper and as the scripts have them. Shapes: float[n_instances]."""

    token_f1_paper: Floats
    iou_match_paper: Floats
    token_f1_scripts: Floats
    iou_match_evaluator: Floats


def agreement(predicted: Ragged[np.int64], gold: GoldSets) -> Agreement:
    """The four numbers together."""
    encoded = _encoded(predicted, gold)
    best = _best_single(encoded)
    single = with_union = _described(encoded, *best)
    if gold.n_sets.max(initial=0) > 1:
        with_union = _described(encoded, *_with_unions(encoded, *best))
    return Agreement(
        _of_paper(single.f1, gold), _of_paper(_is_match(single.iou), gold), with_union.f1, _is_match(with_union.iou)
    )


def _of_paper(values: Floats, gold: GoldSets) -> Floats:
    return np.asarray(np.where(gold.has_token, values, np.nan), dtype=np.float64)


def accuracy(labels: Integers, predicted: Integers) -> Floats:
    """float[n_instances]: 1 where the predicted label is the gold one (labels encoded as integers; -1: not predicted).

    Source: PaddleNLP cal_acc.py, where what is not predicted counts 0
    """
    return np.asarray((labels == predicted) & (predicted >= 0), dtype=np.float64)


def over_all_gold(values: Floats, is_predicted: Flags) -> Aggregate:
    """The scripts' denominator (PaddleNLP): every gold record; one without a prediction counts 0.

    >>> over_all_gold(np.array([1.0, np.nan]), np.array([True, False]))
    Aggregate(value=0.5, n=2, n_left_out=0)
    """
    return mean_of(np.where(is_predicted, values, 0.0))


def over_predicted(values: Floats, is_predicted: Flags) -> Aggregate:
    """The evaluator's denominator (TrustAI): only records that have a prediction; the others are counted as left out."""
    return mean_of(np.where(is_predicted, values, np.nan))


def mean_over_sides(sides: Sequence[Floats]) -> Floats:
    """Each instance's mean over its sides, as the code bases do for pairs; NaN where a side is not defined."""
    return np.asarray(np.mean(np.stack(sides), axis=0), dtype=np.float64)


def pooled_sides(predicted: Sequence[Ragged[np.int64]], gold: Sequence[GoldSets]) -> tuple[Ragged[np.int64], GoldSets]:
    """Sides of a pair as one token list: set i of one side and set i of the other are one set.

    Shapes: one entry a side, all with the same instances; a side with fewer sets adds nothing to the later ones
    """
    shifts = _shifts(predicted, gold)
    n_sets = np.max(np.stack([side.n_sets for side in gold]), axis=0)
    offsets = np.concatenate(([0], np.cumsum(n_sets))).astype(np.int64)
    pooled = [offsets[side.instances] + side.numbers.places for side in gold]  # the number that each set has among all
    joined_sets = _joined([side.tokens for side in gold], shifts, pooled)
    sets = _as_rows(joined_sets, int(offsets[-1]))
    rows = [np.arange(len(side), dtype=np.int64) for side in predicted]
    return _as_rows(_joined(predicted, shifts, rows), len(predicted[0])), GoldSets(sets, offsets)


def _shifts(predicted: Sequence[Ragged[np.int64]], gold: Sequence[GoldSets]) -> list[int]:
    """How far the indices of each side are moved, so that no two sides share one."""
    shifts, end = [], 0
    for marked, sets in zip(predicted, gold, strict=True):
        values = np.concatenate([marked.values, sets.tokens.values])
        shifts.append(end - int(values.min(initial=0)))
        end = shifts[-1] + int(values.max(initial=0)) + 1
    return shifts


def _joined(
    sides: Sequence[Ragged[np.int64]], shifts: Sequence[int], targets: Sequence[Integers]
) -> tuple[Integers, Integers]:
    """Every value of every side, moved, with the row it goes into."""
    values = np.concatenate([side.values + shift for side, shift in zip(sides, shifts, strict=True)])
    rows = np.concatenate([target[side.rows_of_values] for side, target in zip(sides, targets, strict=True)])
    return values, rows


def _as_rows(values_and_rows: tuple[Integers, Integers], n_rows: int) -> Ragged[np.int64]:
    values, rows = values_and_rows
    counts = np.bincount(rows, minlength=n_rows)
    offsets = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
    return Ragged(values[np.argsort(rows, kind="stable")], offsets)


@dataclass(frozen=True)
class _Encoded:
    """Predictions and sets as bits. predicted uint64[n, n_words], sets uint64[n_sets, n_words]; counts are list lengths."""

    predicted: Bits
    sets: Bits
    n_predicted: Integers
    set_f1: Floats
    overlaps: Flags
    gold: GoldSets

    def instances_with_set(self, set_number: int) -> Integers:
        return np.flatnonzero(self.gold.n_sets > set_number)


def _encoded(predicted: Ragged[np.int64], gold: GoldSets) -> _Encoded:
    if len(predicted) != len(gold):
        raise InvalidValue(
            f"Each instance has one predicted rationale; got {counted(len(predicted), 'prediction')} for {len(gold)}."
        )
    marked, sets = _numbered(predicted, gold)
    highest = max(int(marked.values.max(initial=0)), int(sets.values.max(initial=0)))
    n_words = highest // 64 + 1
    marked_bits, set_bits = _bits(marked, n_words), _bits(sets, n_words)
    owner = gold.instances
    hits = _n_bits(marked_bits[owner] & set_bits)
    set_f1 = _f1(hits, predicted.lengths[owner], sets.lengths)
    return _Encoded(marked_bits, set_bits, predicted.lengths, set_f1, hits > 0, gold)


def _numbered(predicted: Ragged[np.int64], gold: GoldSets) -> tuple[Ragged[np.int64], Ragged[np.int64]]:
    """Indices as they are; where one is negative or far out, each instance's own indices are numbered from 0."""
    values = np.concatenate([predicted.values, gold.tokens.values])
    if values.min(initial=0) >= 0 and values.max(initial=0) < _WIDEST:
        return predicted, gold.tokens
    rows = np.concatenate([predicted.rows_of_values, gold.instances[gold.tokens.rows_of_values]])
    order = np.lexsort((values, rows))
    is_new_row = np.diff(rows[order], prepend=-1) != 0
    is_new = is_new_row | (np.diff(values[order], prepend=0) != 0)
    number = np.cumsum(is_new)
    in_order = number - np.maximum.accumulate(np.where(is_new_row, number, 0))
    numbers = np.empty(len(values), dtype=np.int64)
    numbers[order] = in_order
    n_predicted = len(predicted.values)
    return Ragged(numbers[:n_predicted], predicted.offsets), Ragged(numbers[n_predicted:], gold.tokens.offsets)


def _bits(rows: Ragged[np.int64], n_words: int) -> Bits:
    """uint64[n_rows, n_words]: bit i of a row is set when i is among its values."""
    flat = np.zeros(len(rows) * n_words, dtype=np.uint64)
    words = rows.rows_of_values * n_words + (rows.values >> 6)
    bits = np.uint64(1) << (rows.values & 63).astype(np.uint64)
    if n_words > 1:
        order = np.argsort(words, kind="stable")
        words, bits = words[order], bits[order]
    if len(words):
        starts = np.flatnonzero(np.diff(words, prepend=-1))
        flat[words[starts]] = np.bitwise_or.reduceat(bits, starts)
    return flat.reshape(len(rows), n_words)


def _n_bits(bits: Bits) -> Integers:
    return np.asarray(np.bitwise_count(bits).sum(axis=1), dtype=np.int64)


def _f1(n_hits: Integers, n_predicted: Integers, n_gold: Integers) -> Floats:
    """2PR / (P + R) in the scripts' order of operations, 0 where nothing overlaps."""
    precision = n_hits / np.maximum(n_predicted, 1)
    recall = n_hits / np.maximum(n_gold, 1)
    return np.asarray(2 * precision * recall / np.where(n_hits > 0, precision + recall, 1.0), dtype=np.float64)


def _best_single(encoded: _Encoded) -> tuple[Floats, Flags]:
    """Each instance's largest F1 of a single set, and which set it was: the first of equals, none of F1 0."""
    gold = encoded.gold
    best = np.zeros(len(gold))
    chosen = np.full(len(gold), -1, dtype=np.int64)
    for set_number in range(int(gold.n_sets.max(initial=0))):
        instances = encoded.instances_with_set(set_number)
        sets = gold.offsets[instances] + set_number
        is_better = encoded.set_f1[sets] > best[instances]
        best[instances[is_better]] = encoded.set_f1[sets[is_better]]
        chosen[instances[is_better]] = sets[is_better]
    is_member = np.zeros(len(gold.tokens), dtype=np.bool_)
    is_member[chosen[chosen >= 0]] = True
    return best, is_member


def _with_unions(encoded: _Encoded, best: Floats, is_member: Flags) -> tuple[Floats, Flags]:
    """Each instance's best greedy union where that is strictly better than what was best before."""
    for start in range(int(encoded.gold.n_sets.max(initial=0)) - 1):
        f1, is_taken = _union_from(encoded, start)
        is_better = (f1 > best) & (encoded.gold.n_sets > start + 1)
        best = np.where(is_better, f1, best)
        is_member = np.where(is_better[encoded.gold.instances], is_taken, is_member)
    return best, is_member


def _union_from(encoded: _Encoded, start: int) -> tuple[Floats, Flags]:
    """The greedy union that begins at the set `start` of each instance: its F1, and the sets that it took."""
    gold = encoded.gold
    union = np.zeros_like(encoded.predicted)
    f1 = np.zeros(len(gold))
    is_taken = np.zeros(len(gold.tokens), dtype=np.bool_)
    for set_number in range(start, int(gold.n_sets.max(initial=0))):
        instances = encoded.instances_with_set(set_number)
        # A set that holds nothing of the prediction could only lower F1; asking first saves the trying.
        instances = instances[encoded.overlaps[gold.offsets[instances] + set_number]]
        sets = gold.offsets[instances] + set_number
        tried = union[instances] | encoded.sets[sets]
        hits = _n_bits(encoded.predicted[instances] & tried)
        tried_f1 = _f1(hits, encoded.n_predicted[instances], _n_bits(tried))
        takes = tried_f1 > f1[instances]
        union[instances[takes]] = tried[takes]
        f1[instances[takes]] = tried_f1[takes]
        is_taken[sets[takes]] = True
    return f1, is_taken


def _described(encoded: _Encoded, f1: Floats, is_member: Flags) -> ChosenGold:
    owner = encoded.gold.instances[is_member]
    chosen = np.zeros_like(encoded.predicted)
    if len(owner):
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        chosen[owner[starts]] = np.bitwise_or.reduceat(encoded.sets[is_member], starts, axis=0)
    n_hits = _n_bits(encoded.predicted & chosen)
    n_either = _n_bits(encoded.predicted | chosen)
    n_members = np.bincount(owner, minlength=len(encoded.gold))
    return ChosenGold(f1, n_hits / np.maximum(n_either, 1), n_hits, is_member, n_members > 1)


def _is_match(iou: Floats) -> Floats:
    return (np.floor(iou * 10) >= 5).astype(np.float64)


_CODE_F1 = "PaddleNLP model_interpretation eval_senti.py, TrustAI Evaluator.cal_f1"

DEFINITIONS: tuple[Definition, ...] = (
    from_0_to_1(
        "benchmark.token_f1_scripts",
        "Token-F1 (scripts)",
        "2PR/(P+R) of token indices against the best set or greedy union in file order; mean over sides, "
        "then all gold (PaddleNLP) or predicted (TrustAI) records",
        "0 for an empty prediction or gold; over all gold also for a missing prediction, as in the code",
        _CODE_F1,
    ),
    from_0_to_1(
        "benchmark.token_f1_paper",
        "Token-F1 (paper)",
        "2PR/(P+R) of token indices against the single set with largest F1; mean over instances",
        "without gold tokens; excluded and counted",
        "Wang et al. 2022, Eq. 1",
    ),
    from_0_to_1(
        "benchmark.iou_f1_evaluator",
        "IOU-F1 (evaluator)",
        "share of sides with int(10 |S and G| / |S or G|) >= 5, G chosen by F1 with unions",
        "0 for an empty prediction or gold; without predictions: excluded",
        "TrustAI Evaluator.calc_iou_f1",
    ),
    from_0_to_1(
        "benchmark.iou_f1_paper",
        "IOU-F1 (paper)",
        "share of instances with |S and G| / |S or G| >= 0.5, G the single set with largest F1",
        "without gold tokens; excluded and counted",
        "Wang et al. 2022, Eq. 3; choice of set defined here",
    ),
    from_0_to_1(
        "benchmark.accuracy",
        "Accuracy",
        "share of instances whose predicted label is the gold label",
        "a missing prediction counts 0 over all gold and is left out over the predicted ones",
        "PaddleNLP model_interpretation cal_acc.py",
    ),
)
