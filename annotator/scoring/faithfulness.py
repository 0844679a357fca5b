"""Faithfulness: what a model answers to a method's rationale alone and to the rest, beside its answer to the full input."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.domain.models import Input, Output, Prediction
from annotator.metrics import eraser_faithfulness
from annotator.metrics.benchmark_faithfulness import new_p
from annotator.metrics.normalised_aopc import MeasuredAopc, is_outside, normalised
from annotator.metrics.ragged import Floats
from annotator.scoring.gold import GoldTable
from annotator.scoring.runs import Answers, Scored, Values, joined_values, p_of

_SIDES: tuple[tuple[str, Input], ...] = (("sufficiency", "rationale"), ("comprehensiveness", "rest"))


@dataclass(frozen=True, slots=True, eq=False)
class ChangedAnswers:
    """What a model answers to changed inputs of some instances.

    Shapes: p_full float[n], of the predicted label; values float[n] each; p_changed float[n] by input and threshold, for
            the thresholds that all of these instances have
    """

    gold: GoldTable
    p_full: Floats
    values: Values
    p_changed: Mapping[Input, Mapping[float, Floats]]


def faithfulness_of(gold: GoldTable, parts: Sequence[ChangedAnswers]) -> Scored:
    """The numbers of a run from what it answers to parts of the gold's instances, all of which count for the thresholds."""
    parts = [part for part in parts if len(part.gold)]
    whole = gold.put_together([part.gold for part in parts])
    scored = Scored(whole, joined_values([(len(part.gold), part.values) for part in parts]))
    scored.counts = {"instances": len(whole)}
    _add_aopc(scored, parts)
    _count_normalised(scored)
    scored.values = {name: values for name, values in scored.values.items() if not np.isnan(values).all()}
    return scored


def changed_answers(gold: GoldTable, outputs: Mapping[int, Output], answers: Answers) -> ChangedAnswers:
    """Of the instances with an answer to the full input and one to a changed input."""
    of_all = [_reduced(outputs.get(row.id)) if row.id in answers else {} for row in gold.rows]
    part, reduced = (
        gold.take([index for index, answers in enumerate(of_all) if answers]),
        [answers for answers in of_all if answers],
    )
    full = [answers[row.id] for row in part.rows]
    of_rationale = [answers.get(("rationale", None)) for answers in reduced]
    of_rest = [answers.get(("rest", None)) for answers in reduced]
    p_full = np.array([p_of(answer, answer.label) for answer in full], dtype=np.float64)
    values: Values = {}
    for name, changed in (("sufficiency", of_rationale), ("comprehensiveness", of_rest)):
        p_changed = np.array([p_of(c, f.label) for c, f in zip(changed, full, strict=True)], dtype=np.float64)
        values[f"method.{name}"] = p_full - p_changed
    for name, given in (("full", full), ("rationale", of_rationale), ("rest", of_rest)):
        values[f"method.quality_{name}"] = _is_right(part, given)
    values["benchmark.new_p"] = _new_p(full, of_rationale, of_rest)
    values |= _normalised([outputs[row.id] for row in part.rows])
    return ChangedAnswers(part, p_full, values, {side: _at_thresholds(side, reduced, full) for _, side in _SIDES})


_IS_BOUNDED = "naopc.is_bounded"  # of each instance, whether its bounds were looked for; no number of the table


def _normalised(outputs: Sequence[Output]) -> Values:
    """Normalised AOPC of the attribution that has it; {} where none has."""
    measured = [_measured(output) for output in outputs]
    if not any(measured):
        return {}
    columns = np.array(
        [
            (m.comprehensiveness, m.sufficiency, m.bounds.low, m.bounds.high) if m is not None else (np.nan,) * 4
            for m in measured
        ]
    ).T
    return {
        "naopc.comprehensiveness": normalised(columns[0], columns[2], columns[3]),
        "naopc.sufficiency": normalised(columns[1], columns[2], columns[3]),
        _IS_BOUNDED: np.array([float(m is not None) for m in measured]),
    }


def _measured(output: Output) -> MeasuredAopc | None:
    facts = (MeasuredAopc.of_facts(dict(a.facts)) for a in output.attributions if a.facts)
    return next((measured for measured in facts if measured is not None), None)


def _count_normalised(scored: Scored) -> None:
    """Of how many instances the model hardly reacts, and of how many a beam's bounds are too narrow."""
    is_bounded = scored.values.pop(_IS_BOUNDED, None)
    if is_bounded is None:
        return
    sides = [scored.values[f"naopc.{side}"] for side, _ in _SIDES]
    hardly = np.isnan(sides[0]) & (is_bounded == 1)
    scored.counts["instances_without_reaction"] = int(hardly.sum())
    scored.counts["instances_outside_aopc_bounds"] = int(np.logical_or.reduce([is_outside(of) for of in sides]).sum())


_Reduced = dict[tuple[str, float | None], Prediction]


def _reduced(output: Output | None) -> _Reduced:
    return {(p.on, p.threshold): p for p in output.predictions if p.on != "full"} if output is not None else {}


def _is_right(gold: GoldTable, given: Sequence[Prediction | None]) -> Floats:
    right = [
        np.nan if answer is None or row.result is None else float(answer.label == row.result)
        for row, answer in zip(gold.rows, given, strict=True)
    ]
    return np.array(right, dtype=np.float64)


def _new_p(full: Sequence[Prediction], only: Sequence[Prediction | None], rest: Sequence[Prediction | None]) -> Floats:
    """NaN where one of the two reduced answers is missing."""
    is_there = np.array([a is not None and b is not None for a, b in zip(only, rest, strict=True)], dtype=np.bool_)
    numbers: dict[str | None, int] = {}
    coded = [
        np.array([numbers.setdefault(a.label if a is not None else None, len(numbers)) for a in of_all], dtype=np.int64)
        for of_all in (full, only, rest)
    ]
    return np.where(is_there, new_p(*coded), np.nan)


def _at_thresholds(side: Input, reduced: Sequence[_Reduced], full: Sequence[Prediction]) -> dict[float, Floats]:
    of_each = [{t for on, t in answers if on == side and t is not None} for answers in reduced]
    return {
        t: np.array(
            [p_of(answers[side, t], f.label) for answers, f in zip(reduced, full, strict=True)], dtype=np.float64
        )
        for t in sorted(set.intersection(*of_each) if of_each else ())
    }


def _add_aopc(scored: Scored, parts: Sequence[ChangedAnswers]) -> None:
    """Over the thresholds that every instance has; none where there is no such threshold."""
    for name, side in _SIDES:
        thresholds = sorted(set.intersection(*(set(part.p_changed[side]) for part in parts)) if parts else ())
        if not thresholds:
            continue
        p_full = np.concatenate([part.p_full for part in parts])
        p_changed = np.stack([np.concatenate([p.p_changed[side][t] for p in parts]) for t in thresholds], axis=1)
        is_there = ~np.isnan(p_full[:, None] - p_changed).any(axis=1)
        falls = np.where(is_there[:, None], p_full[:, None] - p_changed, np.nan)
        scored.drop_values[name] = dict(zip(thresholds, falls.T, strict=True))
        if is_there.any():
            points = eraser_faithfulness.aopc_points(p_full[is_there], p_changed[is_there])
            scored.drops[name] = dict(zip(thresholds, points.tolist(), strict=True))
        scored.values[f"eraser.{name}_aopc"] = eraser_faithfulness.aopc(p_full, p_changed)
        scored.values[f"eraser.{name}_aopc_paper"] = eraser_faithfulness.aopc(p_full, p_changed, "paper")
