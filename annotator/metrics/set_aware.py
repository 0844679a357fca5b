"""Our own plausibility numbers: an instance may have several gold sets, and they are never put together."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.metrics.definitions import Definition
from annotator.metrics.ragged import Flags, Floats, GoldSets, Integers, Ragged

_NO_SET = -1
_NO_GOLD = "without gold or with all scores equal; excluded and counted"


@dataclass(frozen=True, slots=True, eq=False)
class BestSets:
    """The gold set that fits best.

    Shapes: values float[n], NaN without gold; sets int[n], the set's place in its instance from 0, −1 without gold;
            is_tied bool[n]: another set fits as well, and the first one is named
    """

    values: Floats
    sets: Integers
    is_tied: Flags


@dataclass(frozen=True, slots=True, eq=False)
class Overlaps:
    """Counts for each gold set: tokens in both, in the set, in the prediction; int[n_all_sets] each."""

    n_both: Integers
    n_gold: Integers
    n_predicted: Integers

    def f1(self) -> Floats:
        """2 · both / (gold + predicted)."""
        return 2 * self.n_both / (self.n_gold + self.n_predicted)

    def iou(self) -> Floats:
        """Both / either."""
        return self.n_both / (self.n_gold + self.n_predicted - self.n_both)


def best_set(predicted: Ragged[np.int64], gold: GoldSets, by: Literal["f1", "iou"] = "f1") -> BestSets:
    """The gold set with the highest token F1 or IoU; among equals the first.

    predicted: a row an instance of token indices; order and repetition do not matter
    Range:     0 to 1, higher is better
    Undefined: NaN without gold sets; nothing predicted gives 0, since a set has a token
    Raises:    InvalidValue for different numbers of instances, or a negative token index
    >>> best = best_set(Ragged.of([[4, 5, 6]], np.int64), GoldSets.of([[[0, 1], [5, 6]]]))
    >>> best.values.tolist(), best.sets.tolist()
    ([0.8], [1])
    """
    overlap = _overlaps(_marks(predicted, gold), gold)
    values = gold.per_set(overlap.f1() if by == "f1" else overlap.iou())
    highest = values.maxima(np.nan)
    is_best = values.values == highest[values.rows_of_values]
    sets = np.full(len(gold), _NO_SET, dtype=np.int64)
    set_numbers = values.places[is_best][::-1]  # written from the last, so that the first one stays
    sets[values.rows_of_values[is_best][::-1]] = set_numbers
    return BestSets(highest, sets, values.with_values(is_best).sums() > 1)


def set_aware_values(predicted: Ragged[np.int64], gold: GoldSets) -> dict[str, Floats]:
    """Every number of this family by its measure, float[n_instances] each, NaN without gold sets.

    coverage: the share of the tokens of all sets together that is predicted; together they are comprehensive (Wang et al.
    2022, section 3.3)
    """
    marks = _marks(predicted, gold)
    overlap = _overlaps(marks, gold)
    is_whole = gold.per_set((overlap.n_both == overlap.n_gold).astype(np.float64))
    return {
        "best_f1": gold.per_set(overlap.f1()).maxima(np.nan),
        "best_iou": gold.per_set(overlap.iou()).maxima(np.nan),
        "whole_set": is_whole.maxima(np.nan),
        "recall": is_whole.means(),
        "coverage": _coverage(marks, gold),
    }


def _overlaps(marks: Ragged[np.bool_], gold: GoldSets) -> Overlaps:
    sets = _distinct(gold.tokens)
    hits = marks.values[np.repeat(marks.offsets[gold.instances], sets.lengths) + sets.values]
    n_predicted = marks.sums().astype(np.int64)
    return Overlaps(sets.with_values(hits).sums().astype(np.int64), sets.lengths, n_predicted[gold.instances])


def _coverage(marks: Ragged[np.bool_], gold: GoldSets) -> Floats:
    in_union = np.zeros(len(marks.values), dtype=np.bool_)
    tokens = gold.union()
    in_union[np.repeat(marks.offsets[:-1], tokens.lengths) + tokens.values] = True
    n_union, n_found = marks.with_values(in_union).sums(), marks.with_values(in_union & marks.values).sums()
    coverage = np.full(len(gold), np.nan)
    np.divide(n_found, n_union, out=coverage, where=n_union > 0)
    return coverage


def _marks(predicted: Ragged[np.int64], gold: GoldSets) -> Ragged[np.bool_]:
    """What is predicted of each instance's tokens, up to the last that is predicted or in a gold set; no set is empty."""
    gold.check_filled()
    starts = _starts(predicted, gold.union())
    marked = np.zeros(starts[-1], dtype=np.bool_)
    marked[np.repeat(starts[:-1], predicted.lengths) + predicted.values] = True
    return Ragged(marked, starts)


def _starts(predicted: Ragged[np.int64], union: Ragged[np.int64]) -> Integers:
    """int[n_instances + 1]: where each instance begins in an array that holds all tokens of all instances."""
    if len(predicted) != len(union):
        raise InvalidValue(f"Got {counted(len(union), 'instance')}, but {counted(len(predicted), 'prediction')}.")
    if min(predicted.values.min(initial=0), union.values.min(initial=0)) < 0:
        raise InvalidValue("A token index is below 0; tokens are numbered from 0.")
    widths = 1 + np.maximum(predicted.maxima(-1), union.maxima(-1)).astype(np.int64)
    return np.concatenate(([0], np.cumsum(widths)))


def _distinct(rows: Ragged[np.int64]) -> Ragged[np.int64]:
    """Rows without repetition; those that rise already, as stored sets do, are taken as they are."""
    rises = np.diff(rows.values, prepend=-1) > 0
    rises[rows.offsets[:-1][rows.is_filled]] = True
    if rises.all():
        return rows
    width = int(rows.values.max()) + 1
    keys = np.unique(rows.rows_of_values * width + rows.values)
    counts = np.bincount(keys // width, minlength=len(rows))
    return Ragged(keys % width, np.concatenate(([0], np.cumsum(counts))))


def _definition(measure: str, title: str, definition: str, **other: Any) -> Definition:
    known = {
        "direction": "higher is better",
        "lowest": 0.0,
        "highest": 1.0,
        "undefined": _NO_GOLD,
        "source": "defined here",
    }
    return Definition(f"sets.{measure}", title, definition, **{**known, **other})


DEFINITIONS: tuple[Definition, ...] = (
    _definition(
        "best_f1",
        "Best-set token F1",
        "highest 2·|P ∩ S| / (|P| + |S|) over gold sets S, P the predicted tokens; the first "
        "best set is named; mean over instances",
        source="defined here; with one set, the token F1 of DeYoung et al. 2020, section 4.1",
    ),
    _definition(
        "best_iou",
        "Best-set token IoU",
        "highest |P ∩ S| / |P ∪ S| over gold sets S; the first best set is named; mean over instances",
    ),
    _definition(
        "whole_set",
        "A whole set found",
        "1 if P contains a whole gold set, else 0; mean over instances",
        source="defined here; a single set is sufficient (Wang et al. 2022, section 3.3)",
    ),
    _definition(
        "recall",
        "Recall over sets",
        "share of gold sets with at least a stated share (1: all) of tokens in P; mean over "
        "instances; recall only where gold is exhaustive",
    ),
    _definition(
        "coverage",
        "Coverage of comprehensiveness",
        "|P ∩ U| / |U|, U the union of gold sets; mean over instances; measures coverage only where gold is exhaustive",
        source="defined here; all sets together are comprehensive (Wang et al. 2022, section 3.3)",
    ),
)
