"""The benchmark's paper as its Equations 1 to 4 are written, our variants of them, and our set-aware numbers.

A value that is not defined is left out of its mean and counted. Not defined are records whose gold holds no token (of a
pair: on a side), and records whose indices lie outside of their text or are one off. A missing prediction is an empty
rationale, since the paper divides by all instances; beside it stands the mean over predicted records.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from annotator.evaluation.benchmark.consistency import PairScores, aligned_map, by_change, by_kind, tokens_map
from annotator.evaluation.benchmark.file_fit import fit_of_gold, fit_of_output, is_usable
from annotator.evaluation.benchmark.files import BenchmarkFiles
from annotator.evaluation.benchmark.programs import has_new_p, is_right, lost_probability, new_p_of
from annotator.evaluation.benchmark.report import BenchmarkReport, as_mean
from annotator.metrics import benchmark_faithfulness as faithfulness
from annotator.metrics.aggregate import mean_of
from annotator.metrics.benchmark_plausibility import iou_match_paper, mean_over_sides, pooled_sides, token_f1_paper
from annotator.metrics.ragged import Flags, Floats, GoldSets, Ragged
from annotator.metrics.set_aware import set_aware_values
from annotator.scoring.reports import Report
from annotator.text.characters import is_chinese

_MEASURES: dict[str, Callable[..., Floats]] = {"token_f1": token_f1_paper, "iou_f1": iou_match_paper}


@dataclass(frozen=True, slots=True)
class _Plausibility:
    """A measure of every record. Shapes: sides: float[n_records] for each side; pooled float[n_records]."""

    sides: tuple[Floats, ...]
    pooled: Floats


def paper_reading(files: BenchmarkFiles, report: BenchmarkReport) -> Report:
    """Equations 1 to 4, and our variants of them."""
    plausible = _plausibility(files)
    pairs = tokens_map(files)
    means = {name: mean_over_sides(values.sides) for name, values in plausible.items()}
    return {
        **{name: report.over(f"paper.{name}", mean_of(means[name])) if means else None for name in _MEASURES},
        "map": report.over("paper.map", mean_of(pairs.values)),
        **_faithfulness(files, report),
        "over_predicted": _over_predicted(files, means),
        "pooled": _pooled(plausible) if files.n_sides > 1 else None,
        "sides": [
            {
                **{name: as_mean(values.sides[side]) for name, values in plausible.items()},
                "map": as_mean(pairs.sides[side]),
            }
            for side in range(files.n_sides)
        ],
        **_consistency(files, pairs),
        "answers": _answers(files),
    }


def sets_reading(files: BenchmarkFiles) -> Report | None:
    """Our set-aware numbers; set i of one side of a pair and set i of the other are one set."""
    if not (files.has("sides") and files.has_gold_sets):
        return None
    rows = [_renumbered(files, number) for number in range(len(files.records))]
    gold = GoldSets.of([sets for _, sets in rows])
    values = set_aware_values(Ragged.of([marked for marked, _ in rows], np.int64), gold)
    is_fit = _is_fit(files)
    return {name: as_mean(_defined(of_records, is_fit)) for name, of_records in values.items()}


def _plausibility(files: BenchmarkFiles) -> dict[str, _Plausibility]:
    """Each measure by its name; none where gold or predictions hold no rationales."""
    if not (files.has("sides") and files.has_gold_sets):
        return {}
    sides = range(files.n_sides)
    predicted, gold = [files.predicted(side) for side in sides], [files.gold_sets(side) for side in sides]
    pooled, is_fit = pooled_sides(predicted, gold), _is_fit(files)
    return {
        name: _Plausibility(
            tuple(_defined(measure(predicted[side], gold[side]), is_fit) for side in sides),
            _defined(measure(*pooled), is_fit),
        )
        for name, measure in _MEASURES.items()
    }


def _pooled(plausible: dict[str, _Plausibility]) -> Report:
    return {name: as_mean(plausible[name].pooled) if plausible else None for name in _MEASURES}


def _defined(values: Floats, is_fit: Flags) -> Floats:
    return np.asarray(np.where(is_fit, values, np.nan), dtype=np.float64)


def _is_fit(files: BenchmarkFiles) -> Flags:
    """bool[n_records]: the indices of gold and prediction lie in their text and are not one off."""
    return np.array(
        [
            is_usable(fit_of_gold(record)) and (output is None or is_usable(fit_of_output(output, record)))
            for record, output in zip(files.records, files.outputs_of_records, strict=True)
        ],
        dtype=np.bool_,
    )


def _faithfulness(files: BenchmarkFiles, report: BenchmarkReport) -> Report:
    """Equation 4 over the predictions that belong to a record of gold; it needs probabilities of labels."""
    outputs = [output for output in files.outputs_of_records if output is not None]
    scores: Report = {}
    for name, reduced in (("sufficiency", "p_only"), ("comprehensiveness", "p_rest")):
        is_there = files.shape != "reading" and files.has("p_full") and files.has(reduced)
        mean = mean_of(lost_probability(outputs, reduced)) if is_there else None
        scores[name] = None if mean is None else report.over(f"paper.{name}", mean)
    return scores


def _over_predicted(files: BenchmarkFiles, means: dict[str, Floats]) -> Report:
    """The other denominator: only records that have a prediction."""
    has_labels = files.shape != "reading" and files.has("label") and files.records[0].label is not None
    values = {**means, **({"accuracy": is_right(files)} if has_labels else {})}
    if has_new_p(files):
        values["new_p"] = np.zeros(len(files.records))
        values["new_p"][files.is_predicted] = new_p_of(
            [output for output in files.outputs_of_records if output is not None]
        )
    return {
        name: as_mean(_defined(values[name], files.is_predicted)) if name in values else None
        for name in (*_MEASURES, "accuracy", "new_p")
    }


def _consistency(files: BenchmarkFiles, pairs: PairScores) -> Report:
    """Variants of MAP, and MAP by whether the answer changed and by kind of perturbation."""
    aligned = aligned_map(files)
    variants = {
        "counting": tokens_map(files, counts_repeats=True),
        "aligned": aligned,
        "full": tokens_map(files, is_full=True),
        "full_counting": tokens_map(files, is_full=True, counts_repeats=True),
        "full_aligned": aligned_map(files, is_full=True),
    }
    crossed = {"map": pairs.values, "aligned": aligned.values}
    every = np.ones(len(files.links), dtype=np.bool_)

    def changes(is_meant: Flags) -> Report:
        return {name: by_change(files, values, is_meant) for name, values in crossed.items()}

    return {
        "map_variants": {name: as_mean(variant.values) for name, variant in variants.items()},
        "map_by_change": changes(every),
        "map_by_kind": by_kind(files, changes),
    }


def _answers(files: BenchmarkFiles) -> Report | None:
    """F1 and exact match of a reading's answers, by language."""
    if files.shape != "reading" or not files.has("label") or files.records[0].label is None:
        return None
    by_language: dict[str, list[int]] = {}
    for number, record in enumerate(files.records):
        by_language.setdefault(record.language or "xx", []).append(number)
    scores: Report = {}
    for language, numbers in sorted(by_language.items()):
        outputs = [files.outputs_of_records[number] for number in numbers]
        given = [None if output is None else str(output.label) for output in outputs]
        gold = [files.records[number].label or "" for number in numbers]
        f1, em = (
            (faithfulness.answer_f1_chinese, faithfulness.answer_em_chinese)
            if is_chinese(language)
            else (faithfulness.answer_f1_english, faithfulness.answer_em_english)
        )
        scores[language] = {"f1": as_mean(f1(gold, given)), "em": as_mean(em(gold, given))}
    return scores


def _renumbered(files: BenchmarkFiles, number: int) -> tuple[list[int], list[list[int]]]:
    """Predicted tokens and distinct gold sets of a record, all sides together, tokens numbered as they are met."""
    record, output = files.records[number], files.outputs_of_records[number]
    numbers: dict[tuple[int, int], int] = {}

    def number_of(side: int, index: int) -> int:
        return numbers.setdefault((side, index), len(numbers))

    sides = record.sets or ()
    n_sets = max((len(of_side) for of_side in sides), default=0)
    sides_of_sets = [
        [(side, index) for side in range(len(sides)) if index < len(sides[side])] for index in range(n_sets)
    ]
    sets = [
        frozenset(number_of(side, index) for side, set_number in sides_of_set for index in sides[side][set_number])
        for sides_of_set in sides_of_sets
    ]
    predicted = () if output is None else output.sides or ()
    marked = [number_of(side, index) for side, of_side in enumerate(predicted) for index in of_side.ranking]
    return marked, [sorted(tokens) for tokens in dict.fromkeys(sets) if tokens]
