"""Accuracy, delta and consistency on contrast sets, and what a second model wins and loses on them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.domain.numbers import counted
from annotator.errors import InvalidValue, Problem
from annotator.formats.contrast.reader import Labelled, LabelledSets
from annotator.formats.suites.predictions import Run
from annotator.metrics.er_test_functional import contrast, is_consistent, opportunity_cost, opportunity_costs
from annotator.metrics.ragged import Flags, Floats, Ragged
from annotator.scoring.reports import Report, RunsReport
from annotator.scoring.seeds import Samples, lists, over_runs

_NUMBERS = ("original", "contrast", "delta", "consistency", "consistency_of_sets")


@dataclass(frozen=True, slots=True)
class _Right:
    """Which instances a run gets right. Shapes: originals bool[n_originals]; contrasts: a row an original."""

    originals: Flags
    contrasts: Ragged[np.bool_]


def items_of(sets: LabelledSets) -> Iterator[Labelled]:
    """Every original and contrast, in the order of the file."""
    for contrast_set in sets.sets:
        yield contrast_set.original
        yield from contrast_set.contrasts


def problems_of_run(sets: LabelledSets, run: Run) -> Iterator[Problem]:
    """Originals and contrasts without a prediction."""
    source = next(iter(run.of_instances.values())).source
    for item in items_of(sets):
        if item.key not in run.of_instances:
            reason = f"The run '{run.name}' has no prediction for this instance; every original and contrast needs one."
            yield Problem(source, None, "id", item.key, reason)


def contrast_scores(sets: LabelledSets, runs: Sequence[Run], base: Sequence[Run], samples: Samples) -> Report:
    """The numbers of each run with their means; those of a base model and what is won and lost where it is given."""
    right, of_base = [_right(sets, run) for run in runs], [_right(sets, run) for run in base]
    made = contrast(right[0].originals, right[0].contrasts)
    scores: Report = {
        **_numbers(right),
        "n_originals": made.n_originals,
        "n_contrasts": made.n_contrasts,
        "n_without_contrast": made.n_without_contrast,
    }
    samples.single |= {f"contrast.{name}": values for name, values in _per_original(right).items()}
    if base:
        pairs = _paired(runs, right, base, of_base)
        of_other = _numbers(of_base)
        scores["base"] = of_other
        scores["difference"] = {name: _difference(scores[name], of_other[name]) for name in _NUMBERS}
        scores["opportunity_cost"] = _costs(pairs)
        others = _per_original(of_base)
        samples.paired |= {
            f"contrast.difference.{name}": (values, others[name]) for name, values in _per_original(right).items()
        }
        costs = np.mean([opportunity_costs(first.originals, other.originals) for first, other in pairs], axis=0)
        samples.single["contrast.opportunity_cost.originals.cost"] = costs
    return scores


def _right(sets: LabelledSets, run: Run) -> _Right:
    def is_right(item: Labelled) -> bool:
        return run.of_instances[item.key].label == item.label

    return _Right(
        np.array([is_right(contrast_set.original) for contrast_set in sets.sets], dtype=np.bool_),
        Ragged.of(([is_right(item) for item in contrast_set.contrasts] for contrast_set in sets.sets), np.bool_),
    )


def _numbers(right: Sequence[_Right]) -> dict[str, RunsReport]:
    made = [contrast(of_run.originals, of_run.contrasts) for of_run in right]
    return {name: over_runs([getattr(of_run, name) for of_run in made]) for name in _NUMBERS}


def _per_original(right: Sequence[_Right]) -> dict[str, Floats]:
    """float[n_originals], means over runs: what the numbers that are means over originals are made from."""
    originals: Floats = np.mean([of_run.originals for of_run in right], axis=0)
    consistent: Floats = np.mean([is_consistent(of_run.originals, of_run.contrasts) for of_run in right], axis=0)
    of_sets = np.where(right[0].contrasts.is_filled, consistent, np.nan)
    return {"original": originals, "consistency": consistent, "consistency_of_sets": of_sets}


def _difference(first: object, other: object) -> float | None:
    values = [number.get("value") if isinstance(number, dict) else None for number in (first, other)]
    return None if values[0] is None or values[1] is None else values[0] - values[1]


def _paired(
    runs: Sequence[Run], right: Sequence[_Right], base: Sequence[Run], of_base: Sequence[_Right]
) -> list[tuple[_Right, _Right]]:
    """The base model's flags and the other's, run by run: by seed where both have the same, else in order."""
    if len(runs) != len(base):
        raise InvalidValue(
            f"The predictions have {counted(len(runs), 'run')} and those of the base model {len(base)}; what is "
            "won and lost is counted "
            "run by run, so give as many."
        )
    number_by_name = {run.name: number for number, run in enumerate(base)}
    names = [run.name for run in runs]
    order = [number_by_name[name] for name in names] if set(names) == number_by_name.keys() else range(len(base))
    return [(of_base[number], of_run) for number, of_run in zip(order, right, strict=True)]


def _costs(pairs: Sequence[tuple[_Right, _Right]]) -> Report:
    scores: Report = {}
    for part in ("originals", "contrasts"):
        made = [opportunity_cost(_flags(base, part), _flags(other, part)) for base, other in pairs]
        counts = [
            {"n_won": m.n_won, "n_lost": m.n_lost, "n_both_right": m.n_both_right, "n_both_wrong": m.n_both_wrong}
            for m in made
        ]
        scores[part] = {"cost": over_runs([m.cost for m in made]), **lists(counts)}
    return scores


def _flags(right: _Right, part: str) -> Flags:
    return right.originals if part == "originals" else right.contrasts.values
