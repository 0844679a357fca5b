"""The three plausibility numbers of ferret, under its own names: AUPRC, token F1 and token IoU of one gold mask.

They differ from ERASER's: negative scores count as 0, k is one number for all instances, only positive scores are
selected, and IoU is that of the tokens without a threshold.
"""

from dataclasses import replace

import numpy as np

from annotator.errors import InvalidValue
from annotator.metrics.definitions import Definition, from_0_to_1
from annotator.metrics.ragged import Flags, Floats, Ragged
from annotator.metrics.ranked_words import RankedWords, rank_words


def auprc(scores: Ragged[np.float64], gold: Ragged[np.bool_]) -> Floats:
    """float[n_instances]: area under the precision-recall curve, trapezoids, negative scores taken as 0.

    Range:     0 to 1; a constant score gives (1 + share of gold tokens) / 2
    Undefined: 0.5 without gold tokens, as scikit-learn gives it; NaN without tokens
    Source:    ferret, AUPRC_PlausibilityEvaluation with only_pos; scikit-learn's precision_recall_curve and auc
    >>> auprc(Ragged.of([[3.0, 2.0, -1.0, -2.0]], np.float64), Ragged.of([[1, 0, 1, 0]], np.bool_)).tolist()
    [0.75]
    """
    _check(scores, gold)
    ranked = _with_all_below_0_tied(rank_words(scores, gold), scores)
    steps = ranked.steps
    widths = ranked.recall(steps) - ranked.recall_before(steps)
    heights = (steps.precision + steps.precision_before) / 2
    areas = np.bincount(steps.rows, weights=widths * heights, minlength=len(scores)).astype(np.float64)
    areas[ranked.n_marked == 0] = 0.5
    areas[scores.lengths == 0] = np.nan
    return areas


def _with_all_below_0_tied(ranked: RankedWords, scores: Ragged[np.float64]) -> RankedWords:
    """Scores below 0 are taken as 0: the order stays, and what is not above 0 is one point."""
    if scores.values.min(initial=0.0) >= 0:
        return ranked
    is_last = ranked.is_last_of_tie & (scores.values[scores.ranked()] > 0)
    is_last[scores.offsets[1:][scores.is_filled] - 1] = True
    return replace(ranked, is_last_of_tie=is_last)


def select_top_k(scores: Ragged[np.float64], k: int) -> tuple[Ragged[np.bool_], Flags]:
    """The k highest scores of each row, positive ones only; among equals the first.

    Shapes: mask of the scores' rows; bool[n_rows]: equal scores stood at the border, and their place decided
    """
    if k < 1:
        raise InvalidValue(f"At least one token is selected; not {k}.")
    order = scores.ranked()
    mask = np.zeros(len(order), dtype=np.bool_)
    mask[order[scores.places < k]] = True
    ranked = scores.values[order]
    borders = (scores.offsets[:-1] + k)[scores.lengths > k]
    is_tied = np.zeros(len(scores), dtype=np.bool_)
    is_tied[scores.lengths > k] = (ranked[borders] == ranked[borders - 1]) & (ranked[borders] > 0)
    return scores.with_values(mask & (scores.values > 0)), is_tied


def top_k_agreement(scores: Ragged[np.float64], gold: Ragged[np.bool_], *, k: int) -> tuple[Floats, Floats]:
    """Two float[n_instances] of the k highest positive scores with the gold mask: F1, NaN when both sides are empty, and
    |selected and gold| / |selected or gold|, 0 when both sides are empty, as ferret gives it.
    """
    _check(scores, gold)
    selected, _ = select_top_k(scores, k)
    n_both, n_either = gold.with_values(selected.values & gold.values).sums(), gold.sums() + selected.sums()
    f1: Floats = np.divide(2 * n_both, n_either, out=np.full(len(gold), np.nan), where=n_either > 0)
    iou: Floats = n_both / np.maximum(n_either - n_both, 1)
    return f1, iou


def _check(scores: Ragged[np.float64], gold: Ragged[np.bool_]) -> None:
    scores.check_same_rows(gold, "gold tokens")
    if not np.isfinite(scores.values).all():
        row = int(scores.rows_of_values[~np.isfinite(scores.values)][0])
        raise InvalidValue(f"Row {row} (from 0) has a score that is no finite number.")


DEFINITIONS: tuple[Definition, ...] = (
    from_0_to_1(
        "ferret.auprc",
        "AUPRC (ferret)",
        "area under the precision–recall curve by trapezoids, negative scores as 0; mean over instances; "
        "constant scores give (1 + share of gold) / 2",
        "0.5 without gold tokens, as in scikit-learn; none without tokens",
        "ferret, plausibility_measures.py, auprc_plau",
    ),
    from_0_to_1(
        "ferret.token_f1",
        "Token F1 of the top k (ferret)",
        "F1 of the k highest positive scores with the gold mask, k fixed (HateXplain 7, Movies 78, SST 10, "
        "else 5); ties by position; mean over instances",
        "if neither side has tokens",
        "ferret, plausibility_measures.py, token_f1_plau",
    ),
    from_0_to_1(
        "ferret.token_iou",
        "Token IoU of the top k (ferret)",
        "|T ∩ G| / |T ∪ G|, T the k highest positive scores, G gold; ties by position; mean over instances",
        "0 if neither side has tokens, as in ferret",
        "ferret, plausibility_measures.py, token_iou_plau",
    ),
)
