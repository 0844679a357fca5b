"""Verdicts on the cases of a functional test: passed, failed, or undefined."""

from collections.abc import Sequence

import numpy as np

from annotator.domain.suites import Answer, Case, has_probabilities, watched_label
from annotator.metrics.er_test_functional import direction, invariance, minimum_functionality
from annotator.metrics.ragged import Flags, Floats, Ragged

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
        return invariance(_label_numbers(answers), p, tolerance=tolerance, applies=applies)
    return direction(p, "up" if way == "not_down" else "down", tolerance=tolerance, applies=applies)


def _as_expected(cases: Sequence[Case], answers: Sequence[Answer]) -> Ragged[np.bool_]:
    return Ragged.of(
        (
            [(prediction.label in case.labels) != case.is_forbidden for prediction in answer]
            for case, answer in zip(cases, answers, strict=True)
        ),
        np.bool_,
    )


def _label_numbers(answers: Sequence[Answer]) -> Ragged[np.int64]:
    numbers: dict[str, int] = {}
    return Ragged.of(([numbers.setdefault(p.label, len(numbers)) for p in answer] for answer in answers), np.int64)


def _watched_probabilities(cases: Sequence[Case], answers: Sequence[Answer]) -> Ragged[np.float64]:
    rows = []
    for case, answer in zip(cases, answers, strict=True):
        watched = watched_label(case, answer)
        rows.append([prediction.p(watched) for prediction in answer])
    return Ragged.of(rows, np.float64)
