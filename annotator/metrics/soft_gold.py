"""Soft and personal gold: scores against the shares of people who marked a token or gave a label, and against each person."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotator.metrics.against_sets import mask_of
from annotator.metrics.definitions import Definition
from annotator.metrics.ragged import Floats, Integers, Ragged

_LEAST_P = 1e-12
_NOBODY = "where nobody's annotation counts; excluded and counted"
_UNMARKED = "where nobody marked a token; excluded and counted"
_NO_PROBABILITIES = "without probabilities or where nobody gave a label; excluded and counted"

# Tokens. Shapes: shares: a row an instance, of each token the share of people who marked it; NaN where nobody counts.


def soft_token_f1(selected: Ragged[np.int64], shares: Ragged[np.float64]) -> Floats:
    """2 · (shares of the selected tokens) / (number of them + all shares), float[n_instances].

    selected: a row an instance of token indices; order and repetition do not matter
    Range:     0 to the ceiling; with one annotator it is token F1
    Undefined: NaN where nobody marked a token, as token F1 without gold
    >>> shares = Ragged.of([[1, 2 / 3, 1 / 3, 0]], np.float64)
    >>> soft_token_f1(Ragged.of([[1, 0]], np.int64), shares).round(3).tolist()
    [0.833]
    """
    marks = mask_of(selected, shares)
    hits = shares.with_values(np.where(marks.values, shares.values, 0.0)).sums()
    return _f1(hits, marks.sums(), shares.sums())


def soft_token_f1_ceiling(shares: Ragged[np.float64]) -> Floats:
    """The highest soft token F1 that any selection has: that of a first part of the tokens by falling share.

    >>> soft_token_f1_ceiling(Ragged.of([[0, 1, 1 / 3, 2 / 3]], np.float64)).round(3).tolist()
    [0.833]
    """
    falling = shares.values[shares.ranked()]
    added = np.cumsum(np.where(np.isnan(falling), 0.0, falling))
    before = np.concatenate(([0.0], added))[shares.offsets[:-1]]
    hits = added - before[shares.rows_of_values]
    n_selected = np.asarray(shares.places + 1, dtype=np.float64)
    of_parts = _f1(hits, n_selected, shares.sums()[shares.rows_of_values])
    return shares.with_values(of_parts).maxima(np.nan)


def _f1(hits: Floats, n_selected: Floats, total: Floats) -> Floats:
    f1 = np.full(len(hits), np.nan)
    np.divide(2 * hits, n_selected + total, out=f1, where=total > 0)
    return f1


def token_manhattan(probabilities: Ragged[np.float64], shares: Ragged[np.float64]) -> Floats:
    """The mean over tokens of |share − probability|; a selection has the probabilities 1 and 0.

    Range:     0 to 1, lower is better
    Undefined: NaN where nobody counts, and without tokens
    """
    return shares.with_values(np.abs(shares.values - probabilities.values)).means()


# Labels. Shapes: people, model float[n_instances, n_labels]: shares and probabilities; rows of NaN where there are none.


def label_manhattan(people: Floats, model: Floats) -> Floats:
    """Σ |q − p|, 0 to 2."""
    distance: Floats = np.abs(people - model).sum(axis=1)
    return distance


def label_wasserstein(people: Floats, model: Floats) -> Floats:
    """Σ |Q − P| over cumulated shares, for ordered labels that are one step apart; 0 to the number of labels − 1."""
    distance: Floats = np.abs(np.cumsum(people - model, axis=1)[:, :-1]).sum(axis=1)
    return distance


def label_cross_entropy(people: Floats, model: Floats) -> Floats:
    """−Σ q ln max(p, 1e-12): from the entropy of the people's shares, without an upper bound."""
    surprisal: Floats = -(people * np.log(np.fmax(model, _LEAST_P))).sum(axis=1)
    return np.where(np.isnan(model).any(axis=1), np.nan, surprisal)


def label_jensen_shannon(people: Floats, model: Floats) -> Floats:
    """The Jensen–Shannon divergence to base 2, 0 to 1.

    >>> q, p = np.array([[0.5, 0.5, 0]]), np.array([[0, 0.5, 0.5]])
    >>> [measure(q, p).tolist() for measure in (label_manhattan, label_wasserstein, label_jensen_shannon)]
    [[1.0], [1.0], [0.5]]
    """
    both = _entropy((people + model) / 2) - (_entropy(people) + _entropy(model)) / 2
    return np.maximum(both, 0.0)  # rounding may leave less; NaN stays


def _entropy(shares: Floats) -> Floats:
    logs = np.zeros_like(shares)
    np.log2(shares, out=logs, where=shares > 0)
    entropy: Floats = -(shares * logs).sum(axis=1)
    return entropy


# Each person by themselves.


@dataclass(frozen=True, slots=True)
class OverPeople:
    """A metric against each person's gold: each one's mean, the mean of these, and the lowest person's."""

    mean: float | None = None
    lowest: float | None = None
    lowest_person: int | None = None
    n_people: int = 0


def over_people(values: Floats, people: Integers) -> OverPeople:
    """The mean over each person's instances, then over people.

    Shapes:    values float[n]: one of an instance and a person, NaN where it is not defined; people int[n] from 0
    Undefined: None without a value; a person without one is left out
    >>> over_people(np.array([1.0, 0.0, 0.5, np.nan]), np.array([0, 0, 1, 2]))
    OverPeople(mean=0.5, lowest=0.5, lowest_person=0, n_people=2)
    """
    is_there = ~np.isnan(values)
    counts = np.bincount(people[is_there])
    sums = np.bincount(people[is_there], weights=values[is_there])
    numbers = np.flatnonzero(counts)
    if not len(numbers):
        return OverPeople()
    means = sums[numbers] / counts[numbers]
    lowest = int(means.argmin())
    return OverPeople(float(means.mean()), float(means[lowest]), int(numbers[lowest]), len(numbers))


def _definition(name: str, title: str, definition: str, **other: Any) -> Definition:
    known: dict[str, Any] = {"direction": "higher is better", "lowest": 0.0, "highest": 1.0, "source": "defined here"}
    return Definition(name, title, definition, **{**known, **other})


def _of_labels(
    measure: str, title: str, definition: str, highest: float | None, source: str, direction: str = "lower is better"
) -> Definition:
    return _definition(
        f"soft.{measure}", title, definition, direction=direction, highest=highest, source=source,
        undefined=_NO_PROBABILITIES,
    )  # fmt: skip


DEFINITIONS: Sequence[Definition] = (
    _definition(
        "soft.token_f1",
        "Soft token F1",
        "2 · Σ v over P / (|P| + Σ v), P the selected tokens, v the share of people who marked a token; mean over "
        "instances",
        undefined=_UNMARKED,
    ),
    _definition(
        "soft.token_f1_ceiling",
        "Soft token F1, ceiling",
        "highest soft token F1 of any selection of tokens; mean over instances",
        direction="neither",
        undefined=_UNMARKED,
    ),
    _definition(
        "soft.token_manhattan",
        "Token Manhattan distance",
        "mean of |v − a|, v the share of people who marked a token, a 1 if selected, else 0; mean over instances",
        direction="lower is better",
        undefined=_NOBODY,
    ),
    _of_labels(
        "label_manhattan",
        "Label Manhattan distance",
        "Σ |q − p| over labels, q the share of people, p the model's probability; mean over instances",
        2.0,
        "LeWiDi 2025 (Learning with Disagreements), Manhattan distance",
    ),
    _of_labels(
        "label_wasserstein",
        "Label Wasserstein distance",
        "Σ |Q − P| over ordered labels one step apart, Q and P cumulated shares and probabilities; mean over instances",
        None,
        "LeWiDi 2025 (Learning with Disagreements), Wasserstein distance",
    ),
    _of_labels(
        "label_cross_entropy",
        "Label cross-entropy",
        "−Σ q ln max(p, 1e-12) over labels; mean over instances; unbounded, so never ranked",
        None,
        "LeWiDi 2023 (Learning with Disagreements), cross-entropy",
        "neither",
    ),
    _of_labels(
        "label_jensen_shannon",
        "Label JS divergence",
        "H((p + q) / 2) − (H(p) + H(q)) / 2, H the entropy to base 2; mean over instances",
        1.0,
        "Jensen–Shannon divergence, base 2",
    ),
    _definition(
        "person.token_f1",
        "Token F1 per person",
        "best-set token F1 against each person's own sets, mean over their instances; mean over people",
        undefined="where no person marked a set",
    ),
    _definition(
        "person.token_f1_lowest",
        "Token F1, lowest person",
        "best-set token F1 against each person's own sets, mean over their instances; lowest person",
        undefined="where no person marked a set",
    ),
    _definition(
        "person.accuracy",
        "Accuracy per person",
        "share of each person's labels predicted; mean over people",
        undefined="where no person gave a label",
    ),
    _definition(
        "person.accuracy_lowest",
        "Accuracy, lowest person",
        "share of each person's labels predicted; lowest person",
        undefined="where no person gave a label",
    ),
    _definition(
        "person.error_rate",
        "Error rate over people's labels",
        "share of (instance, person) labels not predicted",
        direction="lower is better",
        undefined="where no person gave a label",
        source="LeWiDi 2025 (Learning with Disagreements), error rate",
    ),
)  # fmt: skip
