"""What a second model changes against a base model: where the base was unsure, and what alignment brought beside its control."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from annotator.domain.numbers import signed
from annotator.errors import InvalidValue
from annotator.language import _, unsaid
from annotator.metrics.aggregate import mean_of
from annotator.metrics.er_test_functional import opportunity_costs
from annotator.metrics.ragged import Flags, Floats, Integers
from annotator.metrics.significance import Verdict, beside


@dataclass(frozen=True, slots=True, eq=False)
class ConfidenceBins:
    """Instances by the probability that the base model gives the gold label, in bins of equal width; 1 is in the last.

    Shapes: all [n_bins]. n_won: wrong of the base and right of the other; n_lost: the reverse; change: mean of the other's
            probability of the gold label − the base's, NaN of an empty bin
    """

    low: Floats
    n: Integers
    n_won: Integers
    n_lost: Integers
    change: Floats


def bins_by_confidence(
    p_base: Floats, p_other: Floats, base_is_right: Flags, other_is_right: Flags, *, n_bins: int = 10
) -> ConfidenceBins:
    """Won, lost and the change of confidence where the base model was more or less sure of the gold label.

    p_base, p_other: float[n], probabilities of the gold label
    Source: ER-TEST, Table 7 (the share of a bin that is won) and Figure 9 (the change of confidence)
    Raises: InvalidValue for what is no probability
    >>> bins = bins_by_confidence(*np.array([[0.2, 1.0], [0.6, 0.9]]), np.array([False, True]), np.array([True, True]), n_bins=2)
    >>> bins.n.tolist(), bins.n_won.tolist(), bins.change.round(2).tolist()
    ([1, 1], [1, 0], [0.4, -0.1])
    """
    for p in (p_base, p_other):
        if not np.all((p >= 0) & (p <= 1)):
            raise InvalidValue(f"Probabilities lie between 0 and 1; not {p[~((p >= 0) & (p <= 1))][0]}.")
    costs = opportunity_costs(base_is_right, other_is_right)
    bin_of = np.minimum((p_base * n_bins).astype(np.int64), n_bins - 1)
    n, n_won, n_lost = (
        np.bincount(bin_of[flags], minlength=n_bins) for flags in (np.ones(len(costs), dtype=np.bool_), costs < 0, costs > 0)
    )  # fmt: skip
    change = np.full(n_bins, np.nan)
    np.divide(np.bincount(bin_of, weights=p_other - p_base, minlength=n_bins), n, out=change, where=n > 0)
    return ConfidenceBins(np.arange(n_bins) / n_bins, n, n_won, n_lost, change)


def exact_mcnemar(n_won: int, n_lost: int) -> float | None:
    """The two-sided p value of won against lost instances, were each as likely; None where nothing is won or lost.

    Source: McNemar's test in its exact form: a binomial test with one half
    >>> exact_mcnemar(5, 0), exact_mcnemar(1, 1), exact_mcnemar(0, 0)
    (0.0625, 1.0, None)
    """
    n = n_won + n_lost
    if not n:
        return None
    ways = one_tail = 1
    for k in range(min(n_won, n_lost)):  # whole numbers: floats know none of such size from some thousand texts on
        ways = ways * (n - k) // (k + 1)
        one_tail += ways
    return min(1.0, one_tail / (1 << (n - 1)))


# What alignment brought a model, beside its control on shuffled rationales: whether a gain comes from the rationales.


GainWord = Literal["nothing", "too few", "no gain", "loss", "no control", "as much", "less", "none", "not told"]


@dataclass(frozen=True, slots=True)
class ControlledGain:
    """A number of texts, higher is better, for a model without alignment, with it, and for its control.

    n:     texts for which all have a value; where only one of the models has any, so that there is no gain, its own
    base, other, control: means over these; None of none
    gain, of_control: other − base and control − base; over_control: other − control; each with its paired 95 % interval
    """

    n: int
    base: float | None
    other: float | None
    control: float | None
    gain: Verdict | None
    of_control: Verdict | None
    over_control: Verdict | None

    @property
    def word(self) -> GainWord:
        """What becomes of the gain beside the control.

        "no gain", "loss": the interval of the gain is not above 0, or below it
        "as much":  the control gains too (its whole interval is above 0), and that interval reaches the gain
        "less", "none": the model lies above its control (the whole interval of the difference), which gains too, or does not
        "not told": neither, so that more texts are needed
        """
        gain, of_control, over_control = self.gain, self.of_control, self.over_control
        if gain is None:
            return "nothing"
        if gain.word != "better":
            return _WITHOUT_GAIN[gain.word]
        if of_control is None or over_control is None:
            return "no control"
        gains_too = of_control.word == "better"
        if gains_too and (0.0 if of_control.high is None else of_control.high) >= _mean(gain) - _ROUNDING:
            return "as much"
        if over_control.word == "better":
            return "less" if gains_too else "none"
        return "not told"

    @property
    def sentence(self) -> str:
        """What becomes of the gain, in words; "" where nothing can be compared.

        >>> from annotator.metrics.significance import Verdict
        >>> gain, control = Verdict("better", 90, 0.2, 0.1, 0.3), Verdict("better", 90, 0.18, 0.1, 0.25)
        >>> ControlledGain(90, 0.5, 0.7, 0.68, gain, control, Verdict("not told", 90, 0.02, -0.1, 0.1)).sentence
        'The shuffled-rationale control gains as much (+0.180 against +0.200): not due to rationales.'
        """
        gain, control = (0.0 if of is None else _mean(of) for of in (self.gain, self.of_control))
        figures = _("({control} against {gain})", control=signed(control), gain=signed(gain))
        return _(_SENTENCES[self.word], n=f"{self.n:,}", gain=signed(gain), figures=figures)


_ROUNDING = 1e-9
_WITHOUT_GAIN: dict[str, GainWord] = {"too few": "too few", "not told": "no gain", "not better": "loss"}
_SENTENCES: dict[GainWord, str] = {
    "nothing": "",
    "too few": unsaid("Too few texts to tell (n {n})."),
    "no gain": unsaid("No clear gain ({gain})."),
    "loss": unsaid("Worse than without alignment ({gain})."),
    "no control": unsaid("Gain: {gain}, cause unknown without a shuffled-rationale control."),
    "as much": unsaid("The shuffled-rationale control gains as much {figures}: not due to rationales."),
    "less": unsaid("The shuffled-rationale control gains less {figures}; only the difference is due to rationales."),
    "none": unsaid("The shuffled-rationale control has no clear gain {figures}: due to rationales."),
    "not told": unsaid("No clear difference from the shuffled-rationale control {figures}. Add texts or seeds."),
}


def controlled_gain(base: Floats, other: Floats, control: Floats | None = None) -> ControlledGain:
    """What a number of texts gains by alignment, over the texts for which all have one.

    base, other, control: float[n_texts], NaN where there is none; a control without any is as none
    >>> made = controlled_gain(np.full(30, 0.5), np.full(30, 0.7), np.full(30, 0.7))
    >>> made.n, made.word
    (30, 'as much')
    """
    if np.isnan(base).all() or np.isnan(other).all():
        alone = [mean_of(side) for side in (base, other)]
        return ControlledGain(max(of.n for of in alone), alone[0].value, alone[1].value, None, None, None, None)
    if control is not None and np.isnan(control).all():
        control = None
    sides = [base, other] if control is None else [base, other, control]
    is_there = ~np.isnan(np.stack(sides)).any(axis=0)
    compared = [side[is_there] for side in sides]
    pairs = [(compared[1], compared[0])] + (
        [] if control is None else [(compared[2], compared[0]), (compared[1], compared[2])]
    )
    gain, *more = beside(pairs, "higher is better")
    means = [mean_of(side).value for side in compared]
    of_control, over_control = more or (None, None)
    return ControlledGain(
        int(is_there.sum()), means[0], means[1], means[2] if control is not None else None, gain, of_control,
        over_control,
    )  # fmt: skip


def _mean(verdict: Verdict) -> float:
    return verdict.difference or 0.0
