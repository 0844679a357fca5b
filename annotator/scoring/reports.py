"""What evaluations answer, as their JSON has it: the shapes that are taken apart again, and a name for open tables.

Each is a dictionary as it is printed, so that its keys are those of the file (docs/scores.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NotRequired, TypedDict

import numpy as np

from annotator.domain.numbers import counted
from annotator.domain.suites import Answer, Case, has_probabilities, watched_label
from annotator.errors import ImportRefused, Problem
from annotator.metrics.aggregate import LEVEL, SEED, Interval
from annotator.metrics.er_test_functional import direction, invariance, minimum_functionality
from annotator.metrics.ragged import Flags, Floats, Ragged

# Numbers by names that the register of metrics, a file's labels or a suite's tests give; printed, and not taken apart.
Report = dict[str, object]


class NumberReport(TypedDict, total=False):
    """A number. n, n_left_out: of a mean over instances; deviation: over n_seeds seeds; low, high: of a bootstrap interval."""

    value: float | None
    n: int
    n_left_out: int
    deviation: float | None
    n_seeds: int
    low: float | None
    high: float | None


NumberReports = dict[str, NumberReport]  # by the name in the register


class RunsReport(TypedDict):
    """A number of each run, with their mean and deviation."""

    value: float | None
    deviation: float | None
    runs: list[float | None]


class ConfidenceReport(TypedDict, total=False):
    """How sure a model is of its right answers, with a perfect ranking of the gold set and with another; {} of no ranking."""

    perfect: float | None
    n_perfect: int
    other: float | None
    n_other: int
    difference: float | None
    ratio: float | None
    deviations: dict[str, float | None]
    n_seeds: int


class CountsReport(TypedDict):
    """What was scored; of several seeds means, with their deviations."""

    counts: dict[str, float]
    count_deviations: NotRequired[dict[str, float | None]]


class PlausibilityReport(CountsReport):
    """A layer of a method, or what it selects, against gold and beside changed versions. consistency: {} without pairs."""

    plausibility: NumberReports
    consistency: Report
    confidence: ConfidenceReport


class BehaviourReport(TypedDict):
    """What a model answers to changed inputs. aopc_points: thresholds, and the mean drops of each side; {} of none."""

    faithfulness: NumberReports
    aopc_points: Mapping[str, Any]


class SeedsReport(TypedDict):
    """Runs that differ in their seed alone."""

    method: str
    parameters: dict[str, Any]
    seeds: list[int | None]


class MethodReport(SeedsReport, BehaviourReport, CountsReport):
    """A row of a model: its method at a layer, or what it selects; without either only how the model behaves."""

    kind: str
    layer: int | None
    plausibility: NumberReports
    consistency: NotRequired[Report]
    confidence: NotRequired[ConfidenceReport]


class TrainingReport(TypedDict):
    """What a model learned from of the gold; only is_known where that was not kept."""

    is_known: bool
    split: NotRequired[str | None]
    texts: NotRequired[int]
    left_out: NotRequired[int]
    changed_left_out: NotRequired[int]
    seen: NotRequired[int]
    validation: NotRequired[bool]
    held_out: NotRequired[dict[str, Any] | None]


class ModelReport(CountsReport):
    """A model: its answers, and a row for each method. training None: a model from elsewhere."""

    model: str
    seeds: list[int | None]
    training: TrainingReport | None
    quality: NumberReports
    methods: list[MethodReport]


class PeopleReport(TypedDict):
    """How many people an instance of soft gold has: with more of them shares look less sharp."""

    fewest: int
    most: int
    mean: float


class GoldReport(TypedDict):
    """The gold that models are scored against; ratios: by side, the share of its tokens that k is.

    scored_without_gold:   where no instance has gold, of how many the numbers are that need no sets; 0 where some have
    labelled_without_gold: instances with a label of their own that have no gold, and take part in no number; of a group 0
    annotations_with_other_results: accepted annotations that are no part of the gold, because they give another result; of
                                    a group 0
    """

    instances: int
    scored_without_gold: int
    labelled_without_gold: int
    annotations_with_other_results: int
    instances_without_sets: int
    sets: int
    ratios: dict[str, float]
    exhaustive_instances: int
    people: NotRequired[PeopleReport]


class ProjectReport(TypedDict):
    """Everything there is to say of a project's models. release: of its gold, in words; None where nothing is frozen."""

    project: str
    gold_policy: str
    release: str | None
    gold: GoldReport
    split: str | None
    criterion: str | None
    splits: dict[str, int]
    criteria: dict[str, int]
    by: str
    group: str | None
    groups: dict[str, int]
    gamma: float
    ferret_k: int
    random: NumberReports
    models: list[ModelReport]
    intervals: NotRequired[dict[str, Report | None]]


def with_intervals(report: Mapping[str, object], n_resamples: int) -> Report:
    """As evaluations are printed: bounds stand in `intervals`, by the place of their number, and no more beside it.

    n_resamples: 0: there are none
    """
    intervals: dict[str, Report | None] = {}
    rest = {name: _without_bounds(value, name, intervals, n_resamples) for name, value in report.items()}
    return {**rest, "intervals": intervals} if n_resamples else rest


def _without_bounds(value: object, key: str, intervals: dict[str, Report | None], n_resamples: int) -> object:
    if isinstance(value, list):
        return [_without_bounds(of, f"{key}[{at}]", intervals, n_resamples) for at, of in enumerate(value)]
    if not isinstance(value, Mapping):
        return value
    if not {"value", "low", "high"} <= value.keys():
        return {name: _without_bounds(of, f"{key}.{name}", intervals, n_resamples) for name, of in value.items()}
    low, high = value["low"], value["high"]
    intervals[key] = None if low is None else asdict(Interval(low, high, LEVEL, n_resamples, SEED))
    return {name: of for name, of in value.items() if name not in ("low", "high")}


# Verdicts on the cases of a functional test: passed, failed, or undefined.


_Manner = tuple[str, str, float]  # how cases are judged together: type, what else tells them apart, tolerance


def verdicts(cases: Sequence[Case], answers: Sequence[Answer]) -> Floats:
    """float[n_cases]: 1 failed, 0 passed, NaN does not apply; cases that are judged alike are judged together."""
    judgements = np.full(len(cases), np.nan)
    by_manner: dict[_Manner, list[int]] = {}
    for number, (case, answer) in enumerate(zip(cases, answers, strict=True)):
        by_manner.setdefault(_manner(case, answer), []).append(number)
    for manner, numbers in by_manner.items():
        judgements[numbers] = _judged(manner, [cases[n] for n in numbers], [answers[n] for n in numbers])
    return judgements


def _manner(case: Case, answer: Answer) -> _Manner:
    match case.type:
        case "MFT":
            return case.type, "", 0.0
        case "INV":
            return case.type, "by probability" if has_probabilities(answer) else "by label", case.tolerance
        case "DIR":
            return case.type, case.expectation, case.tolerance


def _judged(manner: _Manner, cases: Sequence[Case], answers: Sequence[Answer]) -> Floats:
    kind, way, tolerance = manner
    applies: Flags = np.array([case.applies.to(answer[0].label) for case, answer in zip(cases, answers, strict=True)])
    if kind == "MFT":
        return minimum_functionality(_as_expected(cases, answers), applies=applies)
    p = None if way == "by label" else _watched_probabilities(cases, answers)
    if kind == "INV" or p is None:
        numbers: dict[str, int] = {}
        labels = ([numbers.setdefault(prediction.label, len(numbers)) for prediction in answer] for answer in answers)
        return invariance(Ragged.of(labels, np.int64), p, tolerance=tolerance, applies=applies)
    return direction(p, "up" if way == "not_down" else "down", tolerance=tolerance, applies=applies)


def _as_expected(cases: Sequence[Case], answers: Sequence[Answer]) -> Ragged[np.bool_]:
    return Ragged.of(
        (
            [(prediction.label in case.labels) != case.is_forbidden for prediction in answer]
            for case, answer in zip(cases, answers, strict=True)
        ),
        np.bool_,
    )


def _watched_probabilities(cases: Sequence[Case], answers: Sequence[Answer]) -> Ragged[np.float64]:
    rows = []
    for case, answer in zip(cases, answers, strict=True):
        watched = watched_label(case, answer)
        rows.append([prediction.p(watched) for prediction in answer])
    return Ragged.of(rows, np.float64)


_PROBLEMS_SHOWN = 200


def refuse_if_any(problems: Sequence[Problem]) -> None:
    """Raise ImportRefused with what is wrong in files that were to be scored, in their order and that of their lines."""
    if problems:
        ordered = sorted(problems, key=lambda problem: (problem.source, problem.line or 0))
        message = f"{counted(len(ordered), 'problem')}; nothing was scored."
        raise ImportRefused(message, ordered[:_PROBLEMS_SHOWN], len(ordered))
