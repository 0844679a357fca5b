"""Our own MAP over pairs of an original and a perturbed record: tokens, tokens with repeats, aligned places; top-k and full."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from annotator.evaluation.benchmark.file_fit import fit_of_output, is_usable
from annotator.evaluation.benchmark.files import BenchmarkFiles
from annotator.evaluation.benchmark.report import as_mean
from annotator.formats.benchmark.records import label_text
from annotator.metrics.benchmark_consistency import aligned_ranking, encode_tokens, mean_average_precision
from annotator.metrics.benchmark_plausibility import mean_over_sides
from annotator.metrics.ragged import Flags, Floats, Ragged
from annotator.scoring.reports import Report

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
        "all": as_mean(values[is_meant]),
        "same": as_mean(values[is_meant & (has_changed == 0)]),
        "changed": as_mean(values[is_meant & (has_changed == 1)]),
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
