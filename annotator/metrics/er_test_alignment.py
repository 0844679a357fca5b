"""ER-TEST's alignment criteria, as the paper defines them, as its code computes them, and which instances to annotate.

z_t is gamma times the attribution of token t for the gold class, p_t its sigmoid, y_t whether the token is in the
rationale. Values at different gamma cannot be compared: say gamma beside each number. (The paper's runs: 100; its
code's default: 1.)
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue
from annotator.metrics.definitions import Definition, Direction, from_0_to_1
from annotator.metrics.eraser_soft import areas_of_rows
from annotator.metrics.ragged import Flags, Floats, Integers, Ragged

_LOWEST_SHARE = 1e-4  # MIN_VAL of the released code


@dataclass(frozen=True, eq=False)
class Alignment:
    """Attributions beside rationales, real tokens only, without special tokens (the released numbers: with them).

    Shapes: attributions float, rationale bool, in the same rows; has_rationale bool[n_instances], by default the rows
            with a rationale token. A row for which it is False has no values; an empty rationale may be True.
    Raises: InvalidValue for rows that differ, attributions that are no finite numbers, or a gamma that is not above 0
    """

    attributions: Ragged[np.float64]
    rationale: Ragged[np.bool_]
    gamma: float
    has_rationale: Flags

    @staticmethod
    def of(
        attributions: Ragged[np.float64],
        rationale: Ragged[np.bool_],
        *,
        gamma: float,
        has_rationale: Flags | None = None,
    ) -> "Alignment":
        """The same, with the default for has_rationale."""
        is_known = rationale.sums() > 0 if has_rationale is None else has_rationale
        return Alignment(attributions, rationale, gamma, is_known)

    def __post_init__(self) -> None:
        self.attributions.check_same_rows(self.rationale, "the rationale")
        if len(self.has_rationale) != len(self.rationale):
            raise InvalidValue(
                f"Whether there is a rationale is said for {len(self.has_rationale)} of "
                f"{counted(len(self.rationale), 'instance')}."
            )
        if not self.gamma > 0:
            raise InvalidValue(f"gamma scales attributions and is above 0; not {self.gamma}.")
        if not np.isfinite(self.attributions.values).all():
            row = int(self.attributions.rows_of_values[~np.isfinite(self.attributions.values)][0])
            raise InvalidValue(f"Row {row} (from 0) has an attribution that is no finite number.")

    @cached_property
    def z(self) -> Floats:
        return self.gamma * self.attributions.values

    @cached_property
    def p(self) -> Floats:
        z = self.z
        small = np.exp(-np.abs(z))  # never overflows
        return np.where(z < 0, small, 1.0) / (1.0 + small)

    @cached_property
    def y(self) -> Floats:
        return self.rationale.values.astype(np.float64)

    @property
    def counts(self) -> Flags:
        """bool[total]: the tokens W that a batch's loss is made of: those of instances with a rationale."""
        return self.has_rationale[self.rationale.rows_of_values]

    def per_instance(self, values: Floats) -> Ragged[np.float64]:
        return self.rationale.with_values(values)


# As the paper defines them: float[n_instances], NaN for an instance without a rationale.


def squared_error(alignment: Alignment) -> Floats:
    """Σ (p − y)² of each instance (Equation 1)."""
    return _known(alignment, _errors(alignment, np.square).sums())


def mean_squared_error(alignment: Alignment) -> Floats:
    """The same as a mean over the instance's tokens, which texts of different lengths can be compared by."""
    return _known(alignment, _errors(alignment, np.square).means())


def absolute_error(alignment: Alignment) -> Floats:
    """Σ |p − y| of each instance (Equation 2)."""
    return _known(alignment, _errors(alignment, np.abs).sums())


def mean_absolute_error(alignment: Alignment) -> Floats:
    """The same as a mean over the instance's tokens."""
    return _known(alignment, _errors(alignment, np.abs).means())


def cross_entropy(alignment: Alignment) -> Floats:
    """− Σ log p over the rationale tokens of each instance; also NaN where the rationale is empty."""
    losses = alignment.per_instance(alignment.y * np.logaddexp(0.0, -alignment.z)).sums()
    return _known(alignment, np.where(alignment.rationale.sums() > 0, losses, np.nan))


def huber(alignment: Alignment, *, delta: float) -> Floats:
    """Half the squared error where the instance's absolute error is below delta, else delta · (it − delta / 2).

    Source: Equation 4, which gives no delta
    """
    if not delta > 0:
        raise InvalidValue(f"delta is above 0; not {delta}.")
    absolute = absolute_error(alignment)
    return np.where(absolute < delta, squared_error(alignment) / 2, delta * (absolute - delta / 2))


def order(alignment: Alignment) -> Floats:
    """Σ min(p / (highest p outside) − 1, 0)² over the rationale tokens; 0: each outranks all others.

    Undefined: NaN where no token lies outside of the rationale; 0 of an empty rationale
    """
    highest = alignment.per_instance(np.where(alignment.rationale.values, 0.0, alignment.p)).maxima(0.0)
    losses = alignment.per_instance(_order_losses(alignment, highest)).sums()
    has_rest = alignment.rationale.sums() < alignment.rationale.lengths
    return _known(alignment, np.where(has_rest | (alignment.rationale.sums() == 0), losses, np.nan))


# As the code computes them: one number a batch, None where its assertion fails.


def mse_released(alignment: Alignment) -> float:
    """Σ (p − y)² over the batch's tokens W, divided by their number; 0 without any."""
    return _batch_mean(alignment, _errors(alignment, np.square).values)


def mae_released(alignment: Alignment) -> float:
    """Σ |p − y| over W, divided by their number (`l1`); 0 without any."""
    return _batch_mean(alignment, _errors(alignment, np.abs).values)


def huber_released(alignment: Alignment) -> float:
    """Smooth L1 with delta 1, token by token: exactly half of mse_released, since |p − y| is at most 1."""
    return mse_released(alignment) / 2


def bce_released(alignment: Alignment) -> float | None:
    """Cross-entropy of every token of W, rationale tokens weighted by others / rationale tokens of the batch.

    None where the batch has no rationale token. If every token is one, the weight and so the loss is 0.
    """
    y = alignment.y * alignment.counts
    n_tokens, n_positive = float(alignment.counts.sum()), float(y.sum())
    if not n_positive:
        return None
    weight = (n_tokens - n_positive) / n_positive
    z = alignment.z
    return _batch_mean(alignment, weight * y * np.logaddexp(0.0, -z) + (1 - y) * np.logaddexp(0.0, z))


def order_released(alignment: Alignment, *, padded_length: int | None = None) -> float | None:
    """The order loss as a mean over all instances of the batch, also those without a rationale.

    The highest p outside runs over padding too, whose p is 0.5: rows shorter than padded_length (by default the
    longest row) are padded. None of an empty batch.
    """
    lengths = alignment.rationale.lengths
    if not len(lengths):
        return None
    longest = int(lengths.max())
    if padded_length is not None and padded_length < longest:
        raise InvalidValue(f"A batch with a row of {longest} tokens is not padded to {padded_length}.")
    is_padded = lengths < (longest if padded_length is None else padded_length)
    highest = alignment.per_instance(np.where(alignment.rationale.values, 0.0, alignment.p)).maxima(0.0)
    losses = _order_losses(alignment, np.where(is_padded, np.maximum(highest, 0.5), highest))
    return float((losses * alignment.counts).sum() / len(lengths))


def kl_released(alignment: Alignment) -> float | None:
    """Σ y' (log y' − log q) over W, divided by their number; y' = y / Σ y, q = softmax(z), at least 0.0001.

    None where any instance of the batch has no rationale token: the code divides by zero there.
    """
    n_positive = alignment.per_instance(alignment.y * alignment.counts).sums()
    if not len(n_positive) or not n_positive.all():
        return None
    rows = alignment.rationale.rows_of_values
    powers = np.exp(alignment.z - alignment.per_instance(alignment.z).maxima(0.0)[rows])
    shares = np.maximum(powers / alignment.per_instance(powers).sums()[rows], _LOWEST_SHARE)
    wanted = alignment.y / n_positive[rows]
    logs = np.log(np.where(wanted > 0, wanted, 1.0)) - np.log(shares)
    return _batch_mean(alignment, wanted * logs)


def auprc_released(alignment: Alignment) -> float | None:
    """The area under precision over recall of each instance, 0 of one without a rationale, as a mean; None of no instance."""
    return _zero_filled(alignment, areas_of_rows(alignment.rationale, alignment.attributions).auprc_of_gold)


def token_f1_released(alignment: Alignment) -> float | None:
    """Of tokens with an attribution above 0: the mean of the F1 of rationale and of other tokens; 0 and None as for AUPRC.

    An F1 that has neither gold nor predicted tokens is in no mean, as in scikit-learn.
    """
    of_tokens, selects = alignment.rationale, alignment.attributions.values > 0
    sums, n_classes = np.zeros(len(of_tokens)), np.zeros(len(of_tokens))
    for gold, predicted in ((of_tokens.values, selects), (~of_tokens.values, ~selects)):
        n_both = of_tokens.with_values(gold & predicted).sums()
        n_of_sides = of_tokens.with_values(gold).sums() + of_tokens.with_values(predicted).sums()
        sums += 2 * n_both / np.maximum(n_of_sides, 1)
        n_classes += n_of_sides > 0
    return _zero_filled(alignment, sums / np.maximum(n_classes, 1))


def negative_released(attributions: Ragged[np.float64]) -> float | None:
    """Σ |attribution| / tokens, of a row for each instance and each label that is not gold's (`l1`); None of no token.

    Without gamma: the code scales the attributions of the gold label alone.
    """
    return float(np.abs(attributions.values).mean()) if len(attributions.values) else None


def negative_incorrect_released(attributions: Ragged[np.float64]) -> float:
    """The same, of a row for each wrongly answered instance: its predicted label's (`l1_incorrect`); 0 of no token."""
    return negative_released(attributions) or 0.0


def _zero_filled(alignment: Alignment, values: Floats) -> float | None:
    return float(np.where(alignment.has_rationale, values, 0.0).mean()) if len(values) else None


def _known(alignment: Alignment, values: Floats) -> Floats:
    return np.where(alignment.has_rationale, values, np.nan)


def _errors(alignment: Alignment, of: Callable[[Floats], Floats]) -> Ragged[np.float64]:
    return alignment.per_instance(of(alignment.p - alignment.y))


def _order_losses(alignment: Alignment, highest: Floats) -> Floats:
    """float[total]: min(p / highest − 1, 0)² of rationale tokens, 0 of others and where nothing lies outside."""
    bound = highest[alignment.rationale.rows_of_values]
    ratio = np.divide(alignment.p, bound, out=np.ones(len(bound)), where=bound > 0)
    losses: Floats = np.where(alignment.rationale.values, np.minimum(ratio - 1, 0.0) ** 2, 0.0)
    return losses


def _batch_mean(alignment: Alignment, losses: Floats) -> float:
    n_tokens = int(alignment.counts.sum())
    return float((losses * alignment.counts).sum() / n_tokens) if n_tokens else 0.0


# Which instances to annotate.


@dataclass(frozen=True, slots=True, eq=False)
class Chosen:
    """Instances to annotate.

    Shapes: instances int[n], in their order; uncertainty float[n_instances] (mean over seeds of 1 − p of the gold
            class); n_tied: instances that were not chosen although their uncertainty equals that of the last chosen
    """

    instances: Integers
    uncertainty: Floats
    n_tied: int


def n_chosen(n: int, percent: float | str | Fraction) -> int:
    """ceil(n · percent / 100), exactly.

    >>> n_chosen(10, 15), n_chosen(1000, 0.3), n_chosen(1000, 0.1)
    (2, 3, 1)
    """
    share = Fraction(str(percent)) / 100
    if not 0 <= share <= 1:
        raise InvalidValue(f"A share lies between 0 and 100 percent; not {percent}.")
    return -(-n * share.numerator // share.denominator)


def choose_by_confidence(
    p_gold: Floats, percent: float, order_by: Literal["least confident", "most confident"]
) -> Chosen:
    """The first k percent by 1 − p of the gold class, as a mean over seeds; among equals the first.

    p_gold: float[n_seeds, n_instances], from models that saw no rationales
    Source: ER-TEST, LC and HC; the number is rounded up as in its code
    """
    _check_probabilities(p_gold)
    uncertainty: Floats = (1 - p_gold).mean(axis=0)
    n = n_chosen(len(uncertainty), percent)
    keys = -uncertainty if order_by == "least confident" else uncertainty
    ranking = np.argsort(keys, kind="stable")
    is_equal_to_last = keys[ranking[n:]] == keys[ranking[n - 1]] if n else np.zeros(0, dtype=np.bool_)
    return Chosen(ranking[:n], uncertainty, int(is_equal_to_last.sum()))


def choose_at_random(n: int, percent: float, seed: int) -> Integers:
    """A uniform draw of k percent without replacement, in the order of the instances; the paper takes three seeds."""
    return np.sort(np.random.default_rng(seed).choice(n, size=n_chosen(n, percent), replace=False))


def _check_probabilities(p_gold: Floats) -> None:
    if p_gold.ndim != 2 or not len(p_gold):
        raise InvalidValue("Probabilities of the gold class are given for each seed and each instance.")
    if not np.all((p_gold >= 0) & (p_gold <= 1)):
        seed, instance = (int(indices[0]) for indices in np.nonzero(~((p_gold >= 0) & (p_gold <= 1))))
        raise InvalidValue(
            f"The probability of instance {instance} at seed {seed} (both from 0) is {p_gold[seed, instance]}; "
            "probabilities lie between 0 and 1."
        )


_NO_RATIONALE = "without gold tokens; excluded and counted"
_RELEASED = "ER-TEST (Joshi et al. 2022), released code, src/utils/losses.py"
_PAPER = "ER-TEST (Joshi et al. 2022)"
_LOWER: Direction = "lower is better"


def _definition(
    measure: str, title: str, definition: str, highest: float | None, undefined: str, source: str,
    lowest: float | None = 0.0,
) -> Definition:  # fmt: skip
    sentence = f"{definition}; at a stated gamma"
    return Definition(f"er_test.{measure}", title, sentence, _LOWER, lowest, highest, undefined, source)


_PLAUSIBILITY = "ER-TEST (Joshi et al. 2022), released code, src/utils/metrics.py, calc_plaus"
_NEGATIVE = f"{_RELEASED}, calc_neg_expl_loss"


DEFINITIONS: tuple[Definition, ...] = (
    _definition("mse", "MSE", "Σ (p − y)² of an instance", None, _NO_RATIONALE, f"{_PAPER}, Equation 1"),
    _definition(
        "mse_mean",
        "Mean MSE",
        "mean of (p − y)² over an instance's tokens",
        1.0,
        _NO_RATIONALE,
        "defined here, from Equation 1",
    ),
    _definition("mae", "MAE", "Σ |p − y| of an instance", None, _NO_RATIONALE, f"{_PAPER}, Equation 2"),
    _definition(
        "mae_mean",
        "Mean MAE",
        "mean of |p − y| over an instance's tokens",
        1.0,
        _NO_RATIONALE,
        "defined here, from Equation 2",
    ),
    _definition(
        "bce",
        "BCE",
        "− Σ log p over an instance's rationale tokens",
        None,
        "without gold tokens; excluded and counted",
        _PAPER,
    ),
    _definition(
        "huber",
        "Huber",
        "half of MSE where the instance's MAE is below δ, else δ (MAE − δ/2); at a stated δ",
        None,
        _NO_RATIONALE,
        f"{_PAPER}, Equation 4 (gives no δ)",
    ),
    _definition(
        "order",
        "Order",
        "Σ min(p / max p outside − 1, 0)² over an instance's rationale tokens; 0: each outranks all others",
        None,
        "with no or only gold tokens; excluded and counted",
        _PAPER,
    ),
    _definition(
        "mse_released", "MSE (released)", "Σ (p − y)² over the batch / its tokens", 1.0, "0 of no token", _RELEASED
    ),
    _definition(
        "mae_released", "MAE (released)", "Σ |p − y| over the batch / its tokens", 1.0, "0 of no token", _RELEASED
    ),
    _definition(
        "huber_released", "Huber (released)", "exactly half of MSE (released)", 0.5, "0 of no token", _RELEASED
    ),
    _definition(
        "bce_released",
        "BCE (released)",
        "cross-entropy over all tokens of the batch, rationale tokens weighted by others / rationale tokens",
        None,
        "none for a batch without rationale tokens (the code stops)",
        _RELEASED,
    ),
    _definition(
        "order_released",
        "Order (released)",
        "the order loss with the maximum over padding (p = 0.5) too, as a mean over all instances of the batch",
        None,
        "none of an empty batch",
        _RELEASED,
    ),
    _definition(
        "kl_released",
        "KL (released)",
        "Σ y' (log y' − log max(softmax(z), 0.0001)) over the batch / its tokens, y' = y / Σ y",
        None,
        "none where an instance of the batch has no rationale token (the code stops)",
        _RELEASED,
        lowest=None,  # shares raised to 0.0001 may add up to more than 1
    ),
    from_0_to_1(
        "er_test.auprc_released",
        "AUPRC (released)",
        "area under precision over recall by trapezoids; mean over all instances of the batch, also those without a rationale",
        "0 of an instance without gold tokens, as in the code; none of an empty batch",
        _PLAUSIBILITY,
    ),
    from_0_to_1(
        "er_test.token_f1_released",
        "Token F1, macro (released)",
        "mean of the F1 of rationale tokens and of the others, selected where the attribution is above 0; mean over all "
        "instances of the batch, also those without a rationale",
        "0 of an instance without gold tokens, as in the code; none of an empty batch",
        _PLAUSIBILITY,
    ),
    Definition(
        "er_test.negative_released",
        "Negative classes (released)",
        "Σ |attribution| of all labels but the gold one / their tokens over the batch; without gamma",
        "lower is better", 0.0, None, "none for a batch without such attributions", f"{_NEGATIVE}, l1",
    ),
    Definition(
        "er_test.negative_incorrect_released",
        "Negative classes, wrong answers (released)",
        "Σ |attribution| of the predicted label / tokens, over wrongly answered instances of the batch; without gamma",
        "lower is better", 0.0, None, "0 where no answer is wrong, as in the code", f"{_NEGATIVE}, l1_incorrect",
    ),
)  # fmt: skip
