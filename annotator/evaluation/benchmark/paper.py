"""The benchmark's paper as its Equations 1 to 4 are written, our variants of them, and our set-aware numbers.

A value that is not defined is left out of its mean and counted. Not defined are records whose gold holds no token (of a
pair: on a side), and records whose indices lie outside of their text or are one off. A missing prediction is an empty
rationale, since the paper divides by all instances; beside it stands the mean over predicted records.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from annotator.errors import InvalidValue
from annotator.evaluation.benchmark import programs
from annotator.evaluation.benchmark.counts import counts_of
from annotator.evaluation.benchmark.files import (
    SHAPES,
    BenchmarkFiles,
    fit_of_gold,
    fit_of_output,
    is_usable,
    read_files,
)
from annotator.formats.benchmark.records import label_text
from annotator.metrics import benchmark_faithfulness as faithfulness
from annotator.metrics.aggregate import bootstrap
from annotator.metrics.benchmark_consistency import aligned_ranking, encode_tokens, mean_average_precision
from annotator.metrics.benchmark_plausibility import iou_match_paper, mean_over_sides, pooled_sides, token_f1_paper
from annotator.metrics.ragged import Flags, Floats, GoldSets, Ragged
from annotator.metrics.set_aware import set_aware_values
from annotator.scoring.reports import Report, refuse_if_any
from annotator.text.characters import is_chinese

# Our own MAP over pairs of an original and a perturbed record: tokens, tokens with repeats, aligned places; top-k and full.


_NO_KIND = "perturbed"


@dataclass(frozen=True, slots=True)
class PairScores:
    """MAP of every link of gold in one variant; NaN where it is not defined.

    Shapes: sides: float[n_links] for each side; values: the mean over the sides
    """

    sides: tuple[Floats, ...]

    @property
    def values(self) -> Floats:
        return mean_over_sides(self.sides)


def tokens_map(files: BenchmarkFiles, *, is_full: bool = False, counts_repeats: bool = False) -> PairScores:
    """Over token strings, as Equation 2; of the rationales or of all tokens."""

    def of_side(side: int) -> Floats:
        lists = [
            (
                _tokens(files, link.original, side, is_full=is_full),
                _tokens(files, link.perturbed, side, is_full=is_full),
            )
            for link in files.links
        ]

        def measure(numbers: Sequence[int]) -> Floats:
            ids = encode_tokens(*[[lists[number][which] or [] for number in numbers] for which in (0, 1)])
            return mean_average_precision(*ids, counts_repeats=counts_repeats)

        return _where_defined(files, lambda number: None not in lists[number], measure)

    return PairScores(tuple(of_side(side) for side in range(files.n_sides)))


def aligned_map(files: BenchmarkFiles, *, is_full: bool = False) -> PairScores:
    """Over places that a diff of the two texts puts together."""

    def of_side(side: int) -> Floats:
        lists = [
            (
                _indices(files, link.original, side, is_full=is_full),
                _indices(files, link.perturbed, side, is_full=is_full),
            )
            for link in files.links
        ]

        def measure(link_numbers: Sequence[int]) -> Floats:
            ranked = [Ragged.of([lists[number][which] or () for number in link_numbers], np.int64) for which in (0, 1)]
            links = [files.links[number] for number in link_numbers]
            originals, perturbed = (
                [_text(files, number, side) for number in numbers]
                for numbers in ([link.original for link in links], [link.perturbed for link in links])
            )
            return mean_average_precision(ranked[0], aligned_ranking(originals, perturbed, ranked[1]))

        return _where_defined(files, lambda number: None not in lists[number], measure)

    return PairScores(tuple(of_side(side) for side in range(files.n_sides)))


def by_change(files: BenchmarkFiles, values: Floats, is_meant: Flags) -> Report:
    """Of the links that are meant: all, those whose predicted label or answer stayed, those where it changed."""
    has_changed = np.array(
        [_has_changed(files, link.original, link.perturbed) for link in files.links], dtype=np.float64
    )
    return {
        "all": programs.as_mean(values[is_meant]),
        "same": programs.as_mean(values[is_meant & (has_changed == 0)]),
        "changed": programs.as_mean(values[is_meant & (has_changed == 1)]),
    }


def by_kind(files: BenchmarkFiles, tell: Callable[[Flags], Report]) -> Report:
    """What is reported of the links of each kind of perturbation, kinds in alphabetical order."""
    kinds = [files.records[link.perturbed].kind or _NO_KIND for link in files.links]
    return {
        kind: tell(np.array([kind_of_link == kind for kind_of_link in kinds], dtype=np.bool_))
        for kind in sorted(set(kinds))
    }


def _where_defined(
    files: BenchmarkFiles, is_there: Callable[[int], bool], measure: Callable[[Sequence[int]], Floats]
) -> Floats:
    """Values of the links that have what is measured; a perturbed record of several originals has no value."""
    defined = [number for number, link in enumerate(files.links) if link.is_sole and is_there(number)]
    values = np.full(len(files.links), np.nan)
    if defined:
        values[defined] = measure(defined)
    return values


def _tokens(files: BenchmarkFiles, number: int, side: int, *, is_full: bool) -> list[str] | None:
    if not is_full:
        return files.named_tokens(number, side)
    ranking = _indices(files, number, side, is_full=True)
    return None if ranking is None else files.tokens_at(number, side, ranking)


def _indices(files: BenchmarkFiles, number: int, side: int, *, is_full: bool) -> Sequence[int] | None:
    """Indices that lie in the record's text, which is known; a full ranking has all of its tokens."""
    record, output = files.records[number], files.outputs_of_records[number]
    if output is None or output.sides is None or record.tokens is None or not is_usable(fit_of_output(output, record)):
        return None
    if not is_full:
        return output.sides[side].ranking
    ranking = output.sides[side].full_ranking()
    return ranking if ranking is not None and len(ranking) == len(record.tokens[side]) else None


def _text(files: BenchmarkFiles, number: int, side: int) -> Sequence[str]:
    tokens = files.records[number].tokens
    return () if tokens is None else tokens[side]


def _has_changed(files: BenchmarkFiles, original: int, perturbed: int) -> float:
    """1 where the two answers differ, NaN where one is not known."""
    first, other = files.outputs_of_records[original], files.outputs_of_records[perturbed]
    if first is None or other is None or first.label is None or other.label is None:
        return np.nan
    return float(label_text(first.label) != label_text(other.label))


_MEASURES: dict[str, Callable[..., Floats]] = {"token_f1": token_f1_paper, "iou_f1": iou_match_paper}


@dataclass(frozen=True, slots=True)
class _Plausibility:
    """A measure of every record. Shapes: sides: float[n_records] for each side; pooled float[n_records]."""

    sides: tuple[Floats, ...]
    pooled: Floats


def paper_reading(files: BenchmarkFiles, report: programs.BenchmarkReport) -> Report:
    """Equations 1 to 4, and our variants of them."""
    plausible = _plausibility(files)
    pairs = tokens_map(files)
    means = {name: mean_over_sides(values.sides) for name, values in plausible.items()}
    return {
        **{name: report.mean(f"paper.{name}", means[name]) if means else None for name in _MEASURES},
        "map": report.mean("paper.map", pairs.values),
        **_faithfulness(files, report),
        "over_predicted": _over_predicted(files, means),
        "pooled": _pooled(plausible) if files.n_sides > 1 else None,
        "sides": [
            {
                **{name: programs.as_mean(values.sides[side]) for name, values in plausible.items()},
                "map": programs.as_mean(pairs.sides[side]),
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
    return {name: programs.as_mean(_defined(of_records, is_fit)) for name, of_records in values.items()}


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
    return {name: programs.as_mean(plausible[name].pooled) if plausible else None for name in _MEASURES}


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


def _faithfulness(files: BenchmarkFiles, report: programs.BenchmarkReport) -> Report:
    """Equation 4 over the predictions that belong to a record of gold; it needs probabilities of labels."""
    outputs = [output for output in files.outputs_of_records if output is not None]
    scores: Report = {}
    for name, reduced in (("sufficiency", "p_only"), ("comprehensiveness", "p_rest")):
        is_there = files.shape != "reading" and files.has("p_full") and files.has(reduced)
        scores[name] = report.mean(f"paper.{name}", programs.lost_probability(outputs, reduced)) if is_there else None
    return scores


def _over_predicted(files: BenchmarkFiles, means: dict[str, Floats]) -> Report:
    """The other denominator: only records that have a prediction."""
    has_labels = files.shape != "reading" and files.has("label") and files.records[0].label is not None
    values = {**means, **({"accuracy": programs.is_right(files)} if has_labels else {})}
    if programs.has_new_p(files):
        values["new_p"] = np.zeros(len(files.records))
        values["new_p"][files.is_predicted] = programs.new_p_of(
            [output for output in files.outputs_of_records if output is not None]
        )
    return {
        name: programs.as_mean(_defined(values[name], files.is_predicted)) if name in values else None
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
        "map_variants": {name: programs.as_mean(variant.values) for name, variant in variants.items()},
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
        scores[language] = {"f1": programs.as_mean(f1(gold, given)), "em": programs.as_mean(em(gold, given))}
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


# Scoring of the interpretability benchmark from files alone: each program's reading, the paper's, and our own numbers.


Reading = Literal["scripts", "evaluator", "paper"]
_READINGS: dict[str, Callable[[BenchmarkFiles, programs.BenchmarkReport], Report]] = {
    "scripts": programs.scripts_reading,
    "evaluator": programs.evaluator_reading,
    "paper": paper_reading,
}
READINGS = tuple(_READINGS)


def evaluate_benchmark(
    task: str, gold: Path, predictions: Path, *, reading: Reading | None = None, inputs: Path | None = None,
    ratios: Sequence[float] = (), language: str | None = None, n_resamples: int = 0,
) -> Report:  # fmt: skip
    """`scripts`, `evaluator`, `paper`, `sets` and `counts` for a predictions file; one reading and `counts` if it is asked for.

    A number that is not defined for the files is None. One for which its program stops is None too, and `counts.refused`
    names the rows; where that reading alone is asked for, the files are refused instead.

    n_resamples: above 0, `intervals` too, of the paper's numbers
    Raises: NotFound or InvalidValue for files and values; ImportRefused, with every problem, for their rows
    """
    if task not in SHAPES:
        raise InvalidValue(f"There is no task '{task}' in the benchmark. Choose one of {', '.join(SHAPES)}.")
    files = read_files(
        task, gold, predictions, inputs=inputs, ratios=ratios, language=language, needs_links=reading != "paper"
    )
    report = programs.BenchmarkReport()
    readings = READINGS if reading is None else (reading,)
    scores: Report = {name: _READINGS[name](files, report) for name in readings}
    if reading is None:
        scores["sets"] = sets_reading(files)
    else:
        _refuse_stops(report)
    if n_resamples:
        intervals = {name: bootstrap(values, n_resamples=n_resamples) for name, values in report.samples.items()}
        scores["intervals"] = {name: None if of is None else asdict(of) for name, of in intervals.items()}
    return {**scores, "counts": counts_of(files, report, scores)}


def _refuse_stops(report: programs.BenchmarkReport) -> None:
    """What the one program that is asked for stops at is refused."""
    refuse_if_any(
        [
            replace(
                row, reason=f"{stop.reason} No {stop.number} can be given; correct the row, or ask for all readings."
            )
            for stop in report.stops
            if stop.refuses
            for row in stop.rows
        ]
    )
