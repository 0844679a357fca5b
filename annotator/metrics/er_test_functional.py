"""ER-TEST beyond alignment: functional tests, contrast sets, fairness over groups, and what a second model costs.

Verdicts are float[n_cases]: 1 the case failed, 0 it passed, NaN the test does not apply to it. So mean_of gives the
failure rate with how many cases it does not apply to.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotator.domain.numbers import counted
from annotator.domain.suites import TOLERANCE
from annotator.errors import InvalidValue
from annotator.metrics.aggregate import OverSeeds, over_seeds
from annotator.metrics.definitions import Definition, Direction, from_0_to_1
from annotator.metrics.ragged import Flags, Floats, Integers, Ragged


def minimum_functionality(is_expected: Ragged[np.bool_], *, applies: Flags | None = None) -> Floats:
    """MFT: a case fails unless each of its texts got what is expected of it.

    is_expected: a row a case: whether each text's prediction is the wanted label, or is not the forbidden one
    Undefined:   NaN for a case without texts, or to which the test does not apply
    Source:      CheckList (Ribeiro et al. 2020); ER-TEST, section 3.2.3
    >>> minimum_functionality(Ragged.of([[True, True], [True, False], []], np.bool_)).tolist()
    [0.0, 1.0, nan]
    """
    return _verdicts(
        is_expected.with_values(~is_expected.values), np.ones(len(is_expected.values), dtype=np.bool_), applies
    )


def invariance(
    predicted: Ragged[np.int64],
    p_of_original: Ragged[np.float64] | None = None,
    *,
    tolerance: float = TOLERANCE,
    applies: Flags | None = None,
) -> Floats:
    """INV: a case fails if a changed text gets another label, and its probability moved by more than the tolerance.

    predicted:     a row a case: the label of the original, then those of its changed versions
    p_of_original: in the same rows, the probability of the label that was predicted for the original; without it
                   every other label fails
    Undefined:     NaN for a case without changed versions, or to which the test does not apply
    Source:        CheckList, Expect.inv
    """
    _check_tolerance(tolerance)
    is_original = predicted.places == 0
    fails = predicted.values != _of_original(predicted)
    if p_of_original is not None:
        _check_probabilities(predicted, p_of_original)
        fails &= np.abs(p_of_original.values - _of_original(p_of_original)) > tolerance
    return _verdicts(predicted.with_values(fails), ~is_original, applies)


def direction(
    p: Ragged[np.float64], towards: Literal["up", "down"], *, tolerance: float = TOLERANCE, applies: Flags | None = None
) -> Floats:
    """DIR: a case fails if the probability of a changed version moves the wrong way by more than the tolerance.

    p:         a row a case: the probability of one label (the named one, or that predicted for the original) for the
               original, then for its changed versions
    towards:   "up": it must not fall; "down": it must not rise
    Undefined: NaN where it cannot fail (up: p of the original at most the tolerance; down: at least 1 − tolerance), for a
               case without changed versions, or to which the test does not apply
    Source:    CheckList, Expect.monotonic
    """
    _check_tolerance(tolerance)
    _check_probabilities(p, p)
    original = _of_original(p)
    change = p.values - original
    fails = change + tolerance < 0 if towards == "up" else change - tolerance > 0
    can_fail = original > tolerance if towards == "up" else original < 1 - tolerance
    return _verdicts(p.with_values(fails), can_fail & (p.places > 0), applies)


def failure_rate(verdicts: Floats) -> OverSeeds:
    """Failing cases / cases that the test applies to, as a mean over seeds with its deviation.

    verdicts: float[n_seeds, n_cases]; a seed to which no case applies is left out
    Range:    0 to 1 (the paper prints it times 100), lower is better
    >>> failure_rate(np.array([[1.0, 0.0, np.nan], [1.0, 1.0, 0.0]])).mean.__round__(4)
    0.5833
    """
    applies = ~np.isnan(verdicts)
    n_cases = applies.sum(axis=1)
    rates = np.full(len(verdicts), np.nan)
    np.divide(np.where(applies, verdicts, 0.0).sum(axis=1), n_cases, out=rates, where=n_cases > 0)
    return over_seeds(rates)


@dataclass(frozen=True, slots=True)
class Contrast:
    """Contrast sets. Fractions, None of nothing; delta is contrast − original, as the paper prints it (mostly negative).

    consistency: over all originals, as the script counts; consistency_of_sets: over those that have contrasts
    """

    original: float | None
    contrast: float | None
    delta: float | None
    consistency: float | None
    consistency_of_sets: float | None
    n_originals: int
    n_contrasts: int
    n_without_contrast: int


def is_consistent(original_is_right: Flags, contrast_is_right: Ragged[np.bool_]) -> Flags:
    """bool[n_originals]: the original and all of its contrasts are right; one without contrasts needs only itself."""
    if len(original_is_right) != len(contrast_is_right):
        raise InvalidValue(
            f"Got {counted(len(original_is_right), 'original')}, but contrasts of {len(contrast_is_right)}."
        )
    are_right: Flags = contrast_is_right.sums() == contrast_is_right.lengths
    return original_is_right & are_right


def contrast(original_is_right: Flags, contrast_is_right: Ragged[np.bool_]) -> Contrast:
    """Accuracy of originals and of contrasts, their difference, and consistency.

    Shapes: original_is_right bool[n_originals]; contrast_is_right: a row an original
    Source: ER-TEST, section 3.2.2 and scripts/metrics.py; consistency: Gardner et al. 2020
    >>> scores = contrast(np.array([True, True]), Ragged.of([[True, False], []], np.bool_))
    >>> scores.original, scores.contrast, scores.delta, scores.consistency, scores.consistency_of_sets
    (1.0, 0.5, -0.5, 0.5, 0.0)
    """
    consistent = is_consistent(original_is_right, contrast_is_right)
    has_contrast = contrast_is_right.lengths > 0
    original, changed = _share(original_is_right), _share(contrast_is_right.values)
    return Contrast(
        original, changed, None if original is None or changed is None else changed - original, _share(consistent),
        _share(consistent[has_contrast]), len(original_is_right), len(contrast_is_right.values),
        int((~has_contrast).sum()),
    )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Fairness:
    """False positive rates. Shapes: rates float[n_groups], NaN of a group without negatives; n_negatives int[n_groups]."""

    difference: float | None
    overall: float | None
    rates: Floats
    n_negatives: Integers
    n_groups_left_out: int


def false_positive_rate_difference(
    predicted_positive: Flags, gold_positive: Flags, mentions: Flags, *, least_negatives: int = 1
) -> Fairness:
    """FPRD: Σ over groups of |FPR of the items that mention the group − FPR of all|.

    Shapes:    bool[n], bool[n], bool[n_groups, n]; an item may mention several groups or none
    Range:     from 0, lower is better
    Undefined: a group with fewer negatives than least_negatives is left out and counted; None if none is left
    Source:    ER-TEST, FPRD
    """
    if mentions.ndim != 2 or not len(predicted_positive) == len(gold_positive) == mentions.shape[1]:
        raise InvalidValue("Predictions, gold labels and mentions of groups are given for the same items.")
    if least_negatives < 1:
        raise InvalidValue(f"A rate needs at least one negative item; not {least_negatives}.")
    negative = ~gold_positive
    is_wrong = negative & predicted_positive
    n_negatives = (mentions & negative).sum(axis=1)
    is_scored = n_negatives >= least_negatives
    rates = np.full(len(mentions), np.nan)
    np.divide((mentions & is_wrong).sum(axis=1), n_negatives, out=rates, where=n_negatives > 0)
    overall = _share(is_wrong[negative])
    difference = float(np.abs(rates[is_scored] - overall).sum()) if overall is not None and is_scored.any() else None
    return Fairness(difference, overall, rates, n_negatives, int((~is_scored).sum()))


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a second model wins and loses. cost: (lost − won) / n, None of nothing."""

    cost: float | None
    n_won: int
    n_lost: int
    n_both_right: int
    n_both_wrong: int


def opportunity_costs(base_is_right: Flags, other_is_right: Flags) -> Floats:
    """float[n]: 1 where only the base model is right, −1 where only the other is, else 0; its mean is the cost."""
    if len(base_is_right) != len(other_is_right):
        raise InvalidValue(
            f"Two models are compared over the same instances; there are {len(base_is_right)} and {len(other_is_right)}."
        )
    return base_is_right.astype(np.float64) - other_is_right.astype(np.float64)


def opportunity_cost(base_is_right: Flags, other_is_right: Flags) -> Exchange:
    """How many instances a second model loses and wins against a base model.

    Range:  −1 to 1, lower is better (the paper prints it times 100)
    Source: ER-TEST, opportunity cost
    >>> opportunity_cost(np.array([True, True, False, False]), np.array([False, True, True, False]))
    Exchange(cost=0.0, n_won=1, n_lost=1, n_both_right=1, n_both_wrong=1)
    """
    costs = opportunity_costs(base_is_right, other_is_right)
    n_both_right = int((base_is_right & other_is_right).sum())
    n_won, n_lost = int((costs < 0).sum()), int((costs > 0).sum())
    n_both_wrong = len(costs) - n_won - n_lost - n_both_right
    return Exchange(float(costs.mean()) if len(costs) else None, n_won, n_lost, n_both_right, n_both_wrong)


def _verdicts(fails: Ragged[np.bool_], is_judged: Flags, applies: Flags | None) -> Floats:
    """A case fails if any of its judged texts does; NaN where none is judged."""
    n_judged = fails.with_values(is_judged).sums()
    n_failing = fails.with_values(fails.values & is_judged).sums()
    verdicts = np.where(n_judged > 0, (n_failing > 0).astype(np.float64), np.nan)
    if applies is None:
        return verdicts
    if len(applies) != len(verdicts):
        raise InvalidValue(
            f"Got {counted(len(verdicts), 'case')}, but it is said of {len(applies)} whether the test applies."
        )
    return np.where(applies, verdicts, np.nan)


def _of_original(rows: Ragged[np.int64] | Ragged[np.float64]) -> Floats:
    """float[total]: the first value of the row, beside each of its values."""
    firsts = rows.values[rows.offsets[:-1][rows.lengths > 0]].astype(np.float64)
    return np.repeat(firsts, rows.lengths[rows.lengths > 0])


def _share(flags: Flags) -> float | None:
    return float(flags.mean()) if len(flags) else None


def _check_tolerance(tolerance: float) -> None:
    if not 0 <= tolerance < 1:
        raise InvalidValue(f"A tolerance is a difference of probabilities, from 0 and below 1; not {tolerance}.")


def _check_probabilities(cases: Ragged[np.int64] | Ragged[np.float64], p: Ragged[np.float64]) -> None:
    cases.check_same_rows(p, "probabilities")
    is_wrong = ~((p.values >= 0) & (p.values <= 1))
    if is_wrong.any():
        row, value = int(p.rows_of_values[is_wrong][0]), p.values[is_wrong][0]
        raise InvalidValue(f"Case {row} (from 0) has the probability {value}; probabilities lie between 0 and 1.")


_PAPER = "ER-TEST (Joshi et al. 2022)"
_LOWER: Direction = "lower is better"
_HIGHER: Direction = "higher is better"
_NO_CASES = "a case that the test does not apply to is left out and counted; none without cases"

DEFINITIONS: tuple[Definition, ...] = (
    from_0_to_1(
        "functional.mft",
        "Failure rate, MFT",
        "failing cases / cases that apply; a case fails unless each of its texts gets what is expected (a label, or not "
        "a label); mean and deviation (n − 1) over seeds; the paper prints it times 100",
        _NO_CASES,
        f"{_PAPER}, section 3.2.3; CheckList, MFT",
        direction=_LOWER,
    ),
    from_0_to_1(
        "functional.inv",
        "Failure rate, INV",
        "failing cases / cases that apply; a case fails if a changed text gets another label and the probability of the "
        "original's moved by more than the tolerance (0.1)",
        _NO_CASES,
        f"{_PAPER}, section 3.2.3; CheckList, Expect.inv",
        direction=_LOWER,
    ),
    from_0_to_1(
        "functional.dir",
        "Failure rate, DIR",
        "failing cases / cases that apply; a case fails if a changed text's probability moves the wrong way by more "
        "than the tolerance (0.1)",
        f"{_NO_CASES}; it does not apply where it cannot fail (up: p ≤ tolerance; down: p ≥ 1 − tolerance)",
        f"{_PAPER}, section 3.2.3; CheckList, Expect.monotonic",
        direction=_LOWER,
    ),
    from_0_to_1(
        "contrast.original",
        "Accuracy on originals",
        "originals that are right / originals",
        "none without originals",
        f"{_PAPER}, section 3.2.2",
    ),
    from_0_to_1(
        "contrast.contrast",
        "Accuracy on contrasts",
        "contrasts that are right / contrasts",
        "none without contrasts",
        f"{_PAPER}, section 3.2.2",
    ),
    Definition(
        "contrast.delta",
        "Contrast delta",
        "accuracy on contrasts − accuracy on originals; as printed, mostly negative",
        _HIGHER,
        -1.0,
        1.0,
        "none without originals or contrasts",
        f"{_PAPER}, Table 2",
    ),
    from_0_to_1(
        "contrast.consistency",
        "Contrast consistency",
        "originals that are right with all of their contrasts / all originals, also those without contrasts",
        "none without originals",
        f"{_PAPER}, scripts/metrics.py",
    ),
    from_0_to_1(
        "contrast.consistency_of_sets",
        "Contrast consistency, sets only",
        "originals that are right with all of their contrasts / originals that have contrasts",
        "none without contrasts; originals without contrasts are left out and counted",
        "ours, after Gardner et al. 2020",
    ),
    Definition(
        "fairness.fprd",
        "False positive rate difference",
        "Σ over groups z of |FPR of the items that mention z − FPR of all items|",
        _LOWER,
        0.0,
        None,
        "a group without (enough) negatives is left out and counted; none if no group is left",
        _PAPER,
    ),
    Definition(
        "models.opportunity_cost",
        "Opportunity cost",
        "(only the base model right − only the other model right) / instances; the paper prints it times 100",
        _LOWER,
        -1.0,
        1.0,
        "none without instances",
        _PAPER,
    ),
)
