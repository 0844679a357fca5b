"""ERASER's agreement of scored tokens or sentences with gold: areas under curves, a document a row, all rows at once."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from annotator.errors import InvalidValue
from annotator.metrics.aggregate import mean_of
from annotator.metrics.definitions import Definition, from_0_to_1
from annotator.metrics.eraser_spans import Spans
from annotator.metrics.ragged import Floats, Integers, Ragged
from annotator.metrics.ranked_words import RankedWords, rank_words

_SCORER = "ERASER's metrics.py with scikit-learn 1 (DeYoung et al. 2020, section 4.1)"

_SCORES_AT_ONCE = 250_000


@dataclass(frozen=True)
class Curves:
    """The points of each row's curves at which gold is found: of the distinct scores, from the highest down.

    Shapes: rows, n_true, n_false int[n_points], counts at or above the point's score; was_true, was_false: those at or
            above the next higher score; n_gold, n_other int[n_rows]; n_tied int[n_rows]: scores that share their value
    """

    rows: Integers
    n_true: Integers
    n_false: Integers
    was_true: Integers
    was_false: Integers
    n_gold: Integers
    n_other: Integers
    n_tied: Integers


@dataclass(frozen=True, slots=True)
class SoftScores:
    """The scorer's three numbers over documents, and what ours leave out.

    auprc:                mean over all documents, 0.5 for one without gold
    auprc_of_gold:        ours: mean over documents with gold
    average_precision, roc_auc_score: means over documents with gold and other tokens; None if there is none
    """

    auprc: float | None
    average_precision: float | None
    roc_auc_score: float | None
    auprc_of_gold: float | None
    n: int
    n_without_gold: int
    n_all_gold: int
    n_with_ties: int


def curves(truth: Ragged[np.bool_], scores: Ragged[np.float64]) -> Curves:
    """Sort each row by score, highest first, and count gold and other at each distinct score.

    Raises: InvalidValue when the rows do not fit one another or a score is not finite
    """
    if not np.array_equal(truth.offsets, scores.offsets):
        raise InvalidValue("There must be one score for each token or sentence of a document.")
    if not np.isfinite(scores.values).all():
        raise InvalidValue("A score is not a finite number; no order can be made of such scores.")
    ranked = rank_words(scores, truth)
    at = ranked.steps
    n_other = scores.lengths - ranked.n_marked
    n_false, was_false = at.ranks - at.n_hits, at.ranks_before - at.hits_before
    return Curves(at.rows, at.n_hits, n_false, at.hits_before, was_false, ranked.n_marked, n_other, _n_tied(ranked))


def _n_tied(ranked: RankedWords) -> Integers:
    """int[n_rows]: scores that another one of their row equals."""
    n_rows = len(ranked.words)
    if ranked.is_last_of_tie.all():
        return np.zeros(n_rows, dtype=np.int64)
    points = ranked.points
    sizes = points.ranks - points.ranks_before
    return np.bincount(points.rows, weights=np.where(sizes > 1, sizes, 0), minlength=n_rows).astype(np.int64)


def auprc(points: Curves, *, without_gold: float = np.nan) -> Floats:
    """The area under precision over recall by the trapezoid rule, from recall 0 and precision 1.

    Shapes:    returns float[n_rows]
    Range:     0 to 1, higher is better
    Undefined: NaN for a row without gold; the scorer's number there is 0.5 (scikit-learn 1), see `without_gold`
    Source:    the scorer's auc(recall, precision) after precision_recall_curve; it is no average precision
    >>> row = curves(Ragged.of([[True, False, False, False, False]], np.bool_), Ragged.of([[1.0] * 5], np.float64))
    >>> auprc(row).tolist()
    [0.6]
    """
    before = points.was_true + points.was_false
    precision_before = np.divide(points.was_true, before, out=np.ones(len(before)), where=before > 0)
    heights = (_precision(points) + precision_before) / 2
    return _sum(points, _recall_steps(points) * heights, np.where(points.n_gold > 0, 0.0, without_gold))


def average_precision(points: Curves) -> Floats:
    """Σ (R_i − R_{i−1}) P_i, without interpolation.

    Shapes:    returns float[n_rows]
    Range:     0 to 1, higher is better
    Undefined: NaN for a row without gold, and for one that is all gold (as in the scorer, which leaves both out)
    """
    is_defined = (points.n_gold > 0) & (points.n_other > 0)
    return _sum(points, _recall_steps(points) * _precision(points), np.where(is_defined, 0.0, np.nan))


def roc_auc(points: Curves) -> Floats:
    """The chance that a gold token has a higher score than another one, ties counting half.

    Shapes:    returns float[n_rows]
    Range:     0 to 1, higher is better; 0.5 is chance
    Undefined: NaN for a row without gold, and for one that is all gold
    """
    n_pairs = (points.n_gold * points.n_other).astype(np.float64)
    n_lower = points.n_other[points.rows] - (points.n_false + points.was_false) / 2
    n_won = np.bincount(points.rows, weights=(points.n_true - points.was_true) * n_lower, minlength=len(n_pairs))
    shares: Floats = np.divide(n_won, n_pairs, out=np.full(len(n_pairs), np.nan), where=n_pairs > 0)
    return shares


@dataclass(frozen=True)
class Areas:
    """The areas of each row. Shapes: float[n_rows], NaN where not defined; n_gold, n_other, n_tied int[n_rows]."""

    auprc_of_gold: Floats
    average_precision: Floats
    roc_auc_score: Floats
    n_gold: Integers
    n_other: Integers
    n_tied: Integers

    @property
    def auprc(self) -> Floats:
        """The scorer's: 0.5 for a row without gold."""
        return np.where(np.isnan(self.auprc_of_gold), 0.5, self.auprc_of_gold)


def areas_of_rows(truth: Ragged[np.bool_], scores: Ragged[np.float64]) -> Areas:
    """AUPRC, average precision and ROC-AUC of each row."""
    parts = [_areas(*_rows(truth, scores, first, last)) for first, last in _portions(scores.offsets)]
    ours, precisions, rocs, *numbers = np.concatenate([np.empty((6, 0)), *parts], axis=1)
    return Areas(ours, precisions, rocs, *(of_rows.astype(np.int64) for of_rows in numbers))


def soft_scores(areas: Areas) -> SoftScores:
    """The scorer's aggregates: plain means over documents, long and short alike."""
    return SoftScores(
        auprc=mean_of(areas.auprc).value,
        average_precision=mean_of(areas.average_precision).value,
        roc_auc_score=mean_of(areas.roc_auc_score).value,
        auprc_of_gold=mean_of(areas.auprc_of_gold).value,
        n=len(areas.n_gold),
        n_without_gold=int((areas.n_gold == 0).sum()),
        n_all_gold=int(((areas.n_other == 0) & (areas.n_gold > 0)).sum()),
        n_with_ties=int((areas.n_tied > 0).sum()),
    )


def _areas(truth: Ragged[np.bool_], scores: Ragged[np.float64]) -> Floats:
    """float[6, n_rows]: AUPRC, average precision, ROC-AUC; gold, other and tied ones."""
    points = curves(truth, scores)
    areas = auprc(points), average_precision(points), roc_auc(points)
    return np.stack([*areas, points.n_gold, points.n_other, points.n_tied]).astype(np.float64)


def _portions(offsets: Integers) -> list[tuple[int, int]]:
    """Ranges of rows of about so many scores as are held at once."""
    steps = np.arange(_SCORES_AT_ONCE, offsets[-1], _SCORES_AT_ONCE)
    borders = np.unique([0, *np.searchsorted(offsets, steps), len(offsets) - 1])
    return [(int(first), int(last)) for first, last in pairwise(borders)]


def _rows(
    truth: Ragged[np.bool_], scores: Ragged[np.float64], first: int, last: int
) -> tuple[Ragged[np.bool_], Ragged[np.float64]]:
    """Some rows of both; all of them as they are, ranked already or not."""
    if (first, last) == (0, len(scores)):
        return truth, scores
    start, end = scores.offsets[first], scores.offsets[last]
    offsets = scores.offsets[first : last + 1] - start
    return Ragged(truth.values[start:end], offsets), Ragged(scores.values[start:end], offsets)


def marked(spans: Spans, rows_of_keys: Integers, offsets: Integers) -> Ragged[np.bool_]:
    """Which tokens of each row lie in a span of its key; a negative token counts from the end, as in the scorer.

    Shapes: rows_of_keys int[n_keys], -1 for a key without a row; offsets int[n_rows + 1]
    Raises: InvalidValue for a span that reaches over an end of its row
    """
    spans = spans.of_tokens()
    spans = spans.where(rows_of_keys[spans.keys] >= 0)
    rows = rows_of_keys[spans.keys]
    first, length = offsets[rows], np.diff(offsets)[rows]
    if (spans.ends > length).any() or (spans.starts < -length).any():
        raise InvalidValue("A gold span reaches over an end of its document.")
    steps = np.zeros(offsets[-1] + 1, dtype=np.int32)
    for from_end in (False, True):
        low = np.minimum(spans.starts, 0) + length if from_end else np.maximum(spans.starts, 0)
        high = np.minimum(spans.ends, 0) + length if from_end else np.maximum(spans.ends, 0)
        np.add.at(steps, first + low, 1)
        np.add.at(steps, first + high, -1)
    return Ragged(np.cumsum(steps, dtype=np.int32)[:-1] > 0, offsets)


def _precision(points: Curves) -> Floats:
    return points.n_true / (points.n_true + points.n_false)


def _recall_steps(points: Curves) -> Floats:
    """float[n_points]: the growth of recall at each point."""
    return np.asarray((points.n_true - points.was_true) / points.n_gold[points.rows], dtype=np.float64)


def _sum(points: Curves, values: Floats, start: Floats) -> Floats:
    """float[n_rows]: `start` and the values of each row's points."""
    return start + np.bincount(points.rows, weights=values, minlength=len(start))


DEFINITIONS: tuple[Definition, ...] = (
    from_0_to_1(
        "eraser.auprc",
        "AUPRC",
        "Σ (R_i − R_{i−1})(P_i + P_{i−1})/2 over distinct scores, R_0 = 0, P_0 = 1; mean over documents",
        "documents without gold: excluded and counted (scorer: 0.5)",
        _SCORER,
    ),
    from_0_to_1(
        "eraser.average_precision",
        "Average precision",
        "Σ (R_i − R_{i−1}) P_i over distinct scores; mean over documents",
        "with no or only gold tokens; excluded and counted",
        _SCORER,
    ),
    from_0_to_1(
        "eraser.roc_auc_score",
        "ROC-AUC",
        "probability that a gold token outscores another, ties counting half; mean over documents",
        "with no or only gold tokens; excluded and counted",
        _SCORER,
    ),
)
