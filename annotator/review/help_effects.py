"""What help did to annotating, where a lot decided who had it: time, size, agreement and gold, with intervals."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from statistics import NormalDist, fmean
from typing import Literal

import numpy as np
import numpy.typing as npt

from annotator.domain.instances import Annotation
from annotator.domain.numbers import by_key
from annotator.domain.texts import RationaleSet
from annotator.metrics.significance import holm
from annotator.review.agreement import best_match_iou, disagreement

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

MANY_PEOPLE = 8  # from here on an interval speaks of people like these, else of these people alone
_FEWEST = 20  # instances; below, no interval
_N_DRAWS = 1000
Outcome = Literal["time", "tokens", "sets", "agreement", "gold", "model"]


@dataclass(frozen=True, slots=True)
class Trial:
    """One person's first annotation of an instance for which the lot decided.

    seconds: of work without pauses; None where it is not known
    """

    person: str
    instance: int
    is_helped: bool
    seconds: float | None
    annotation: Annotation


@dataclass(frozen=True, slots=True)
class Effect:
    """What help changed in an outcome, helped minus blind, with a 95 % interval; None where there is too little for one.

    time: a ratio; tokens, sets: marked more; agreement: best-match IoU of two helped people minus that of two blind ones;
    gold: disagreement of helped with blind sets minus that of two halves of the blind; model: how much better the model that
    helped fits helped than blind sets (average precision), minus the same of other models
    p: of no effect; but for the first outcome corrected for how many there are (Holm)
    """

    outcome: Outcome
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int


@dataclass(frozen=True, slots=True)
class HelpReport:
    """The effects, that on time first, which was named beforehand; and what they are of.

    has_instances: people of the same instance are compared; else each person's helped texts with their others
    halves: the ratio of time in the first and the second half of each person's work, which differ where help spills over
    n_left: pieces of work that were opened and not handed in, (helped, blind)
    """

    effects: tuple[Effect, ...]
    n_helped: int
    n_blind: int
    n_people: int
    n_instances: int
    has_instances: bool
    halves: tuple[float | None, float | None]
    n_left: tuple[int, int]


def help_report(
    trials: Sequence[Trial], n_left: tuple[int, int] = (0, 0), advantage: Floats | None = None
) -> HelpReport:
    """Everything that can be said of trials, which stand in the order in which they were begun.

    advantage: float[n_texts, 2], of the models that helped and of others; None or without rows where there are none
    Source: person and instance effects by least squares; variance clustered by instance (Liang and Zeger 1986), from eight people
            on by instance and person (Cameron, Gelbach and Miller 2011)
    """
    timed = [trial for trial in trials if trial.seconds]
    regressed = (
        _ratio(_effect("time", timed, lambda trial: math.log(trial.seconds or 1))),
        _effect("tokens", trials, lambda trial: len({t for s in trial.annotation.sets for t in s.token_indices})),
        _effect("sets", trials, lambda trial: len(trial.annotation.sets)),
    )
    by_instance = by_key((trial.instance, trial) for trial in trials)
    bootstrapped = [_agreement(by_instance), _gold_shift(by_instance)]
    if advantage is not None and len(advantage):
        bootstrapped.append(_difference("model", advantage[~np.isnan(advantage).any(axis=1)]))
    n_helped = sum(trial.is_helped for trial in trials)
    return HelpReport(
        _corrected((*regressed, *bootstrapped)), n_helped, len(trials) - n_helped,
        len({trial.person for trial in trials}), len(by_instance), any(len(of) > 1 for of in by_instance.values()),
        _halves(timed), n_left,
    )  # fmt: skip


def _effect(outcome: Outcome, trials: Sequence[Trial], value: Callable[[Trial], float]) -> Effect:
    codes: dict[str, int] = {}
    people = np.array([codes.setdefault(trial.person, len(codes)) for trial in trials], dtype=np.int64)
    instances = np.unique([trial.instance for trial in trials], return_inverse=True)[1].astype(np.int64)
    helped = np.array([trial.is_helped for trial in trials], dtype=np.float64)
    values = np.array([value(trial) for trial in trials], dtype=np.float64)
    return replace(effect_of(values, helped, people, instances), outcome=outcome)


def effect_of(values: Floats, helped: Floats, people: Integers, instances: Integers) -> Effect:
    """τ of value = person + instance + τ · helped, by least squares; without instance effects where each has one person.

    Shapes:    float[n], float[n] of 0 and 1, int[n], int[n] codes from 0
    Undefined: None where helped does not vary beside person and instance; no interval below 20 instances
    >>> effect = effect_of(np.array([1.0, 2, 3, 6]), np.array([1.0, 0, 0, 1]), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    >>> round(effect.value, 9), effect.low
    (1.0, None)
    """
    n = len(values)
    nothing = Effect("time", None, None, None, None, n)
    if not n or helped.min() == helped.max():
        return nothing
    columns = np.column_stack([values, helped, np.eye(people.max() + 1)[people]])
    counts = np.bincount(instances)
    if counts.max() > 1:
        means = np.stack([np.bincount(instances, of) / np.maximum(counts, 1) for of in columns.T], axis=1)
        columns = columns - means[instances]
    both, dummies = columns[:, :2], columns[:, 2:]
    value_left, helped_left = (both - dummies @ np.linalg.lstsq(dummies, both, rcond=None)[0]).T
    weight = float(helped_left @ helped_left)
    if weight < 1e-9 * n:
        return nothing
    effect = float(helped_left @ value_left) / weight
    scores = helped_left * (value_left - effect * helped_left) / weight
    n_within = n - (len(np.unique(instances)) if counts.max() > 1 else 1)
    n_free = n_within - 1 - int(np.linalg.matrix_rank(dummies))
    if len(np.unique(instances)) < _FEWEST or n_free < 1:
        return replace(nothing, value=effect)
    variance, n_clusters = _variance(scores * math.sqrt(n_within / n_free), people, instances)
    error, df = math.sqrt(variance), min(n_clusters - 1, n_free)
    half = t_quantile(df) * error
    return replace(nothing, value=effect, low=effect - half, high=effect + half, p=t_p_value(effect, error, df))


def _variance(scores: Floats, people: Integers, instances: Integers) -> tuple[float, int]:
    """Of the effect, and how many clusters it rests on: instances, from eight people on people."""
    of_instances, n_instances = _clustered(scores, instances), len(np.unique(instances))
    n_people = len(np.unique(people))
    if n_people < MANY_PEOPLE:
        return of_instances, n_instances
    of_people, of_cells = _clustered(scores, people), _clustered(scores, np.arange(len(scores)))
    return max(of_people + of_instances - of_cells, of_people, of_instances), min(n_people, n_instances)


def _clustered(scores: Floats, clusters: Integers) -> float:
    sums = np.bincount(clusters, scores)
    n = len(np.unique(clusters))
    return float(sums @ sums) * n / max(n - 1, 1)


def t_quantile(df: int) -> float:
    """The 97.5 % point of Student's t, within 1 % from df 3 on.

    Source: Abramowitz and Stegun 1964, 26.7.5
    >>> [round(t_quantile(df), 2) for df in (5, 10, 100)]
    [2.57, 2.23, 1.98]
    """
    z = NormalDist().inv_cdf(0.975)
    return (
        z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * df**3)
    )  # fmt: skip


def t_p_value(effect: float, error: float, df: int) -> float:
    """Two-sided; by the normal deviate that is as rare as this t (Abramowitz and Stegun 1964, 26.7.8).

    >>> round(t_p_value(2.228, 1.0, 10), 2), t_p_value(0.0, 0.0, 10)
    (0.05, 1.0)
    """
    if not error:
        return 0.0 if effect else 1.0
    t = abs(effect / error)
    return 2 * NormalDist().cdf(-t * (1 - 1 / (4 * df)) / math.sqrt(1 + t * t / (2 * df)))


def _ratio(effect: Effect) -> Effect:
    value, low, high = (None if of is None else math.exp(of) for of in (effect.value, effect.low, effect.high))
    return replace(effect, value=value, low=low, high=high)


def _halves(trials: Sequence[Trial]) -> tuple[float | None, float | None]:
    by_person = by_key((trial.person, trial) for trial in trials)
    first = [trial for of in by_person.values() for trial in of[: len(of) // 2]]
    second = [trial for of in by_person.values() for trial in of[len(of) // 2 :]]
    first_ratio, second_ratio = (
        _ratio(_effect("time", of, lambda trial: math.log(trial.seconds or 1))).value for of in (first, second)
    )
    return first_ratio, second_ratio


# Outcomes of instances: how far people agree, and how far help moves the gold. Instances are drawn anew, not people.


def _agreement(by_instance: Mapping[int, Sequence[Trial]]) -> Effect:
    pairs = []
    for trials in by_instance.values():
        of_arms = []
        for is_helped in (True, False):
            sets = [trial.annotation.sets for trial in trials if trial.is_helped == is_helped]
            ious = [iou for two in combinations(sets, 2) if (iou := best_match_iou(*two)) is not None]
            of_arms.append(fmean(ious) if ious else math.nan)
        pairs.append(of_arms)
    return _difference("agreement", np.array(pairs, dtype=np.float64).reshape(-1, 2))


def _gold_shift(by_instance: Mapping[int, Sequence[Trial]]) -> Effect:
    shifts = []
    for number, trials in by_instance.items():
        helped = [trial.annotation for trial in trials if trial.is_helped]
        blind = [trial.annotation for trial in trials if not trial.is_helped]
        shifts.append([_between(helped, blind), math.nan])
        if len(blind) > 1:
            Random(f"halves {number}").shuffle(blind)  # noqa: S311  (no secret)
            shifts[-1][1] = _between(blind[: len(blind) // 2], blind[len(blind) // 2 :])
    paired = np.array(shifts, dtype=np.float64).reshape(-1, 2)
    return _difference("gold", paired[~np.isnan(paired).any(axis=1)])


def _between(first: Sequence[Annotation], second: Sequence[Annotation]) -> float:
    """The disagreement of what two groups marked, each with its most frequent label and all its different sets."""
    if not first or not second:
        return math.nan
    parts = disagreement(_merged(first), _merged(second))
    return math.nan if parts is None else parts.total


def _merged(annotations: Sequence[Annotation]) -> Annotation:
    labels = [annotation.result for annotation in annotations]
    label = max(sorted(set(labels), key=str), key=labels.count)
    agreeing = [annotation for annotation in annotations if annotation.result == label]
    distinct: dict[tuple[int, ...], RationaleSet] = {s.token_indices: s for of in agreeing for s in of.sets}
    return replace(agreeing[0], sets=tuple(distinct.values()))


def _difference(outcome: Outcome, pairs: Floats) -> Effect:
    """Mean of the first column minus mean of the second, where either is defined; instances are drawn anew."""
    n = int((~np.isnan(pairs)).any(axis=1).sum())
    if not len(pairs) or np.isnan(pairs).all(axis=0).any():
        return Effect(outcome, None, None, None, None, n)
    value = float(np.subtract(*np.nanmean(pairs, axis=0)))
    if n < _FEWEST:
        return Effect(outcome, value, None, None, None, n)
    drawn = pairs[np.random.default_rng(0).integers(0, len(pairs), size=(_N_DRAWS, len(pairs)))]
    is_there = ~np.isnan(drawn)
    sums, counts = np.where(is_there, drawn, 0.0).sum(axis=1), is_there.sum(axis=1)
    whole = counts.min(axis=1) > 0
    differences = np.subtract(*(sums[whole] / counts[whole]).T)
    low, high = np.quantile(differences, [0.025, 0.975]).tolist()
    rarer = min((differences <= 0).sum(), (differences >= 0).sum())
    return Effect(outcome, value, low, high, min(1.0, 2 * (1 + float(rarer)) / (1 + len(differences))), n)


def _corrected(effects: Sequence[Effect]) -> tuple[Effect, ...]:
    """The p values of all but the first, by Holm."""
    with_p = [effect for effect in effects[1:] if effect.p is not None]
    p_values = dict(
        zip((effect.outcome for effect in with_p), holm([effect.p or 0.0 for effect in with_p]), strict=True)
    )
    return tuple(replace(effect, p=p_values.get(effect.outcome, effect.p)) for effect in effects)
