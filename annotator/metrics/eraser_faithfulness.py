"""ERASER's numbers from a model's recorded answers: accuracy, report by label, comprehensiveness, sufficiency, AOPC."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from annotator.errors import InvalidValue
from annotator.metrics.definitions import Definition, Direction, from_0_to_1
from annotator.metrics.ragged import Floats, Integers, Ragged

Reading = Literal["script", "paper"]
_SCORER = "ERASER's metrics.py"
_PAPER = "DeYoung et al. 2020, section 4.2"


@dataclass(frozen=True, slots=True)
class LabelScores:
    """One row of the report; 0 where there is nothing to divide by, as scikit-learn writes it."""

    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True, slots=True)
class Report:
    """Accuracy and, label by label, precision, recall and F1, with their plain mean and that weighted by support."""

    accuracy: float
    labels: dict[str, LabelScores]
    macro: LabelScores
    weighted: LabelScores


def label_report(gold: Integers, predicted: Integers, labels: Sequence[str]) -> Report:
    """The report over instances.

    Shapes: gold, predicted int[n_instances], places in `labels`
    Source: scikit-learn's classification_report, which the scorer prints
    Raises: InvalidValue when there is no instance
    """
    if not len(gold):
        raise InvalidValue("There is no instance to report on.")
    n_right = np.bincount(gold[gold == predicted], minlength=len(labels))
    n_gold, n_predicted = (np.bincount(side, minlength=len(labels)) for side in (gold, predicted))
    columns = (
        _zero_ratio(n_right, n_predicted),
        _zero_ratio(n_right, n_gold),
        _zero_ratio(2 * n_right, n_gold + n_predicted),
    )
    used = (n_gold + n_predicted) > 0
    rows = {
        label: _label_scores([float(column[column_number]) for column in columns], int(n_gold[column_number]))
        for column_number, label in enumerate(labels)
        if used[column_number]
    }
    macro = _label_scores([float(column[used].mean()) for column in columns], len(gold))
    weighted = _label_scores([float(column @ n_gold) / len(gold) for column in columns], len(gold))
    return Report(float((gold == predicted).mean()), rows, macro, weighted)


def _label_scores(three: Sequence[float], support: int) -> LabelScores:
    precision, recall, f1 = three
    return LabelScores(precision, recall, f1, support)


def probability_drop(p_full: Floats, p_changed: Floats) -> Floats:
    """How much the probability of the stated label falls: comprehensiveness (rationale removed; higher is better) or
    sufficiency (rationale alone; lower is better).

    Shapes: float[n_instances]
    Range:  -1 to 1 for probabilities
    Source: DeYoung et al. 2020, section 4.2, equations 1 and 2
    """
    return p_full - p_changed


def entropy(scores: Ragged[np.float64]) -> Floats:
    """−Σ p ln p of each row, brought to the sum 1 first.

    Shapes:    returns float[n_rows]
    Undefined: NaN for a row that sums to 0; -inf with a negative share (as scipy.stats.entropy)
    """
    shares = _shares(scores)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(shares > 0, -shares * np.log(shares), np.where(shares < 0, -np.inf, 0.0))
    terms[np.isnan(shares)] = np.nan
    return _row_sums(terms, scores)


def kl_divergence(changed: Ragged[np.float64], full: Ragged[np.float64]) -> Floats:
    """Σ m ln(m / f), both brought to the sum 1, over the labels of the full distribution.

    Shapes:    rows of the same labels in the same order; returns float[n_rows]
    Range:     0 and more; inf where the full distribution gives 0 to a label that the changed one does not
    Undefined: NaN where a row sums to 0
    """
    m, f = _shares(changed), _shares(full)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where((m > 0) & (f > 0), m * np.log(m / f), np.where((m == 0) & (f >= 0), 0.0, np.inf))
    terms[np.isnan(m) | np.isnan(f)] = np.nan
    return _row_sums(terms, full)


def aopc(p_full: Floats, p_changed: npt.NDArray[np.float64], reading: Reading = "script") -> Floats:
    """The area over the perturbation curve of each instance: its mean drop over the thresholds.

    Shapes: p_full float[n_instances], p_changed float[n_instances, n_thresholds]; returns float[n_instances]
    Range:  -1 to 1 for probabilities
    Undefined: NaN without thresholds
    Source: DeYoung et al. 2020, equation 3, divides by |B| + 1, since it counts k = 0, where nothing is changed
            (reading "paper"); the scorer divides by |B| (reading "script")
    >>> removed = np.array([[0.8, 0.7, 0.6, 0.4, 0.1]])
    >>> float(aopc(np.array([0.8]), removed).round(9)[0]), float(aopc(np.array([0.8]), removed, "paper").round(4)[0])
    (0.28, 0.2333)
    """
    n_thresholds = p_changed.shape[1]
    if not n_thresholds:
        return np.full(len(p_full), np.nan)
    drops: Floats = (p_full[:, None] - p_changed).sum(axis=1)
    means: Floats = drops / (n_thresholds + (reading == "paper"))
    return means


def aopc_points(p_full: Floats, p_changed: npt.NDArray[np.float64]) -> Floats:
    """float[n_thresholds]: the mean drop at each threshold over instances; NaN without instances."""
    if not len(p_full):
        return np.full(p_changed.shape[1], np.nan)
    points: Floats = (p_full[:, None] - p_changed).mean(axis=0)
    return points


def _shares(scores: Ragged[np.float64]) -> Floats:
    """float[total]: each value as a share of its row's sum; NaN in a row that sums to 0."""
    sums = scores.sums()[scores.rows_of_values]
    shares: Floats = np.divide(scores.values, sums, out=np.full(len(sums), np.nan), where=sums != 0)
    return shares


def _row_sums(terms: Floats, like: Ragged[np.float64]) -> Floats:
    return Ragged(terms, like.offsets).sums()


def _zero_ratio(part: Integers, whole: Integers) -> Floats:
    ratios: Floats = np.divide(part, whole, out=np.zeros(len(part)), where=whole > 0)
    return ratios


_NOT_GIVEN = "no such predictions in the file"
_SIDES: dict[str, tuple[str, Direction]] = {
    "comprehensiveness": ("removed", "higher is better"),
    "sufficiency": ("alone", "lower is better"),
}
# measure: (title, formula, bounds, undefined, source)
_MEASURES: dict[str, tuple[str, str, tuple[float | None, float | None], str, str]] = {
    "": ("", "mean of p(j | x) − p(j | rationale {})", (-1.0, 1.0), _NOT_GIVEN, f"{_PAPER}, equations 1 and 2"),
    "_entropy": (
        ", entropy form",
        "mean of H(p | x) − H(p | rationale {}), natural logarithm",
        (None, None),
        f"{_NOT_GIVEN}; scores that sum to 0",
        _SCORER,
    ),
    "_kl": (
        ", KL form",
        "mean of KL(p | rationale {} ‖ p | x)",
        (0.0, None),
        f"{_NOT_GIVEN}; scores that sum to 0",
        _SCORER,
    ),
    "_aopc": (
        ", AOPC",
        "mean over instances and thresholds of p(j | x) − p(j | top share {})",
        (-1.0, 1.0),
        _NOT_GIVEN,
        f"{_SCORER}, which divides by the number of thresholds",
    ),
    "_aopc_paper": (
        ", AOPC (Eq. 3)",
        "(Σ over thresholds of p(j | x) − p(j | top share {})) / (number of thresholds + 1)",
        (-1.0, 1.0),
        _NOT_GIVEN,
        f"{_PAPER}, equation 3",
    ),
}


def _definition(side: str, measure: str) -> Definition:
    changed, direction = _SIDES[side]
    title, formula, (lowest, highest), undefined, source = _MEASURES[measure]
    is_form = measure in {"_entropy", "_kl"}
    return Definition(
        name=f"eraser.{side}{measure}", title=f"{side.capitalize()}{title}", definition=formula.format(changed),
        direction="neither" if is_form else direction, lowest=lowest, highest=highest, undefined=undefined,
        source=source,
    )  # fmt: skip


DEFINITIONS: tuple[Definition, ...] = (
    *(_definition(side, measure) for side in _SIDES for measure in _MEASURES),
    from_0_to_1(
        "eraser.accuracy",
        "Accuracy",
        "instances with a correct stated label / instances with gold and a stated label; in projects, gold "
        "needs a counted annotation with the gold label",
        "no label stated",
        _SCORER,
    ),
    from_0_to_1(
        "eraser.macro_f1",
        "Macro F1",
        "mean over labels of 2·correct / (gold + stated)",
        "no label stated",
        "scikit-learn's classification_report, as printed by the scorer; the paper's Perf.",
    ),
)
