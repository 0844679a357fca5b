"""Rows of the table of metrics against one of them: paired differences over the instances that both have, with interval and p.

Each instance's value is its mean over the seeds that have one. p is of sign flips (an original and its changed versions flip
together) and decides; Holm's correction is for all comparisons of the table, hidden or not. Where values are not on one scale, or
there is nothing to pair, the cell holds the reason instead.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Literal

import numpy as np

from annotator.metrics.aggregate import bootstrap_many, mean_of
from annotator.metrics.definitions import Direction
from annotator.metrics.ragged import Floats, Integers
from annotator.metrics.significance import holm, sign_flips_many
from annotator.scoring.chance_verdicts import have_same_thresholds, means_over_seeds
from annotator.scoring.instance_numbers import Behind, OfSeed
from annotator.scoring.shared_instances import seeds_of, values_of
from annotator.scoring.table import RANDOM, Column, MetricRow, MetricTable, Number, scope_of

LEVEL = 0.05
_POWER = 0.8

Word = Literal["better", "worse", "higher", "lower", "no clear difference", "equal"]
Reason = Literal[
    "no number", "no number of the reference", "other model", "other method", "other thresholds", "no mean", "same numbers",
    "nothing in common", "learned",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A row of the table, random's among them. seed: of several this one alone; None: all."""

    row: MetricRow
    seed: int | None = None

    @property
    def is_random(self) -> bool:
        """Whether it is the table's random, which is no model's."""
        return self.row.model == RANDOM and not self.row.method and self.row.kind == ""


@dataclass(frozen=True, slots=True)
class Difference:
    """A row's values minus the reference's, over n instances; without n_left_out, which only one of them has.

    value, of_reference: the means over these n; low, high: 95 % paired bootstrap, None of one instance
    p, corrected: of sign flips, and by Holm over all comparisons of the table
    told:  the smallest difference that n instances tell (power 80 %, all comparisons), None of one instance
    word:  told by `corrected` alone
    """

    n: int
    n_left_out: int
    value: float
    of_reference: float
    difference: float
    low: float | None
    high: float | None
    p: float
    n_higher: int
    n_lower: int
    corrected: float = 1.0
    told: float | None = None
    word: Word = "no clear difference"


Compared = Difference | Reason
Family = tuple[Sequence[ComparedRow], Sequence[Column]]


@dataclass(frozen=True, slots=True, eq=False)
class AgainstTable:
    """Rows against a reference. cells: by column name, one a row; n_comparisons: those p is corrected for, each once.

    What is of a whole model (its quality) or run (its faithfulness) stands in several rows, and is one comparison.
    """

    table: MetricTable
    reference: ComparedRow
    rows: Sequence[ComparedRow]
    columns: Sequence[Column]
    cells: Mapping[str, Sequence[Compared]]
    n_comparisons: int

    def cell(self, at: int, column: Column) -> Compared:
        return self.cells[column.name][at]


def against(
    table: MetricTable, reference: ComparedRow, rows: Sequence[ComparedRow], columns: Sequence[Column], hidden: Family = ((), ())
) -> AgainstTable:  # fmt: skip
    """The rows against the reference in these columns. table: with the numbers of instances behind it.

    hidden: rows and columns that p is corrected for too, so that hiding some makes no p smaller
    """
    if table.behind is None:
        return AgainstTable(
            table, reference, rows, columns, {column.name: ["no mean"] * len(rows) for column in columns}, 0
        )
    all_rows = [*rows, *hidden[0]]
    pairs_of_cells = {
        (column.name, at): _paired(table.behind, column, row, reference)
        for column in (*columns, *hidden[1])
        for at, row in enumerate(all_rows)
    }
    comparisons: dict[tuple[object, ...], list[tuple[str, int]]] = {}
    for (name, at), pair in pairs_of_cells.items():
        if isinstance(pair, _Pair):
            comparisons.setdefault((name, *_whose(table.column(name), all_rows[at])), []).append((name, at))
    first_cells = [cells[0] for cells in comparisons.values()]
    differences = _differences(table, [(table.column(name), pairs_of_cells[name, at]) for name, at in first_cells])
    made = dict(zip(comparisons, differences, strict=True))
    of_cells: dict[tuple[str, int], Compared] = {
        cell: made[key] for key, cells in comparisons.items() for cell in cells
    }
    cells = {
        column.name: [_or_reason(of_cells, pairs_of_cells, (column.name, at)) for at in range(len(rows))]
        for column in columns
    }
    return AgainstTable(table, reference, rows, columns, cells, len(made))


def pair_of(
    table: MetricTable, column: Column, row: ComparedRow, reference: ComparedRow
) -> tuple[Integers, Floats, Floats]:
    """The places in the gold of the instances that both have, and the values of each: [n]; none where they are not compared."""
    pair = "no mean" if table.behind is None else _paired(table.behind, column, row, reference)
    if not isinstance(pair, _Pair):
        return np.empty(0, dtype=np.int64), np.empty(0), np.empty(0)
    places = np.flatnonzero(pair.is_shared)
    return places, pair.values[places], pair.of_reference[places]


def own_number(table: MetricTable, of: ComparedRow, column: Column) -> Number | None:
    """A row's own number, of one seed where it is that; None where it has none."""
    if of.seed is None or column.name not in of.row.numbers or table.behind is None:
        return of.row.numbers.get(column.name)
    mean = mean_of(_values(table.behind, column, of, _seeds(table.behind, column, of)))
    return Number(mean.value, mean.n)


def with_seeds_apart(rows: Sequence[MetricRow], reference: ComparedRow) -> list[ComparedRow]:
    """The other rows; where the reference is one seed of a row, the row's other seeds each by itself."""
    others: list[ComparedRow] = []
    for row in rows:
        if row.key != reference.row.key:
            others.append(ComparedRow(row))
        elif reference.seed is not None:
            others += [ComparedRow(row, seed) for seed in row.seeds if seed not in (None, reference.seed)]
    return others


@dataclass(frozen=True, slots=True, eq=False)
class _Pair:
    """Two rows' values, float[n_gold] each."""

    values: Floats
    of_reference: Floats

    @property
    def is_shared(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        return np.isfinite(self.values) & np.isfinite(self.of_reference)


def _paired(behind: Behind, column: Column, row: ComparedRow, reference: ComparedRow) -> _Pair | Reason:
    if not _has_number(column, row):
        return "no number"
    if not _has_number(column, reference):
        return "no number of the reference"
    if reason := _why_not(column, row, reference):
        return reason
    sides = [_seeds(behind, column, side) for side in (row, reference)]
    if all(sides) and not have_same_thresholds(sides[0][0], sides[1][0], column):
        return "other thresholds"
    values, of_reference = (
        _values(behind, column, side, seeds) for side, seeds in zip((row, reference), sides, strict=True)
    )
    if np.isnan(values).all() or np.isnan(of_reference).all():
        return "no mean"
    pair = _Pair(values, of_reference)
    return pair if pair.is_shared.any() else "nothing in common"


def _has_number(column: Column, row: ComparedRow) -> bool:
    number = row.row.numbers.get(column.name)
    return number is not None and number.value is not None


def _why_not(column: Column, row: ComparedRow, reference: ComparedRow) -> Reason | None:
    """Why two rows are not compared in a column, whatever their numbers are."""
    if column.group == "confidence":
        return "no mean"
    if column.group == "quality" and any(_has_learned(side.row) for side in (row, reference)):
        return "learned"
    if _whose(column, row) == _whose(column, reference):
        return "same numbers"
    mine, other = row.row, reference.row
    match scope_of(column):
        case "model" if mine.model != other.model:
            return "other model"
        case "method" if (mine.method, mine.parameters) != (other.method, other.parameters):
            return "other method"
    return None


def _has_learned(row: MetricRow) -> bool:
    """Whether its model answered texts that it learned from, or that is not known."""
    return row.training is not None and (not row.training["is_known"] or bool(row.training["seen"]))


def _whose(column: Column, row: ComparedRow) -> tuple[object, ...]:
    """What the row's number of a column is of: its model, its runs, or itself."""
    if row.is_random:
        return (RANDOM,)
    whole = {"quality": (row.row.model,), "faithfulness": row.row.run}.get(column.group, row.row.key)
    return (*whole, row.seed)


def _seeds(behind: Behind, column: Column, row: ComparedRow) -> Sequence[OfSeed]:
    seeds = seeds_of(behind, row.row, column)
    if row.seed is None:
        return seeds
    return [seed for seed in seeds if seed.seed == row.seed] or (seeds if column.group == "quality" else [])


def _values(behind: Behind, column: Column, row: ComparedRow, seeds: Sequence[OfSeed]) -> Floats:
    if row.is_random:
        return behind.random.get(column.name, np.full(len(behind.ids), np.nan))
    measured = [seed for seed in seeds if values_of(seed, column) is not None]
    return means_over_seeds(measured, column, len(behind.ids))


def _or_reason(
    made: Mapping[tuple[str, int], Compared],
    pairs_of_cells: Mapping[tuple[str, int], _Pair | Reason],
    cell: tuple[str, int],
) -> Compared:
    pair = pairs_of_cells[cell]
    return made[cell] if isinstance(pair, _Pair) else pair


def _differences(table: MetricTable, pairs: Sequence[tuple[Column, _Pair | Reason]]) -> Iterator[Difference]:
    """Of all pairs together, corrected for how many there are."""
    known = [(column, pair) for column, pair in pairs if isinstance(pair, _Pair)]
    of_pairs = [pair.values[pair.is_shared] - pair.of_reference[pair.is_shared] for _, pair in known]
    families = np.zeros(0, dtype=np.int64) if table.behind is None else table.behind.families
    p_values = _p_values([pair for _, pair in known], families)
    details = zip(known, of_pairs, bootstrap_many(of_pairs), p_values, holm(p_values), strict=True)
    for (column, pair), of_pair, interval, p, corrected in details:
        made = Difference(
            n=len(of_pair),
            n_left_out=int((np.isfinite(pair.values) ^ np.isfinite(pair.of_reference)).sum()),
            value=float(pair.values[pair.is_shared].mean()),
            of_reference=float(pair.of_reference[pair.is_shared].mean()),
            difference=float(of_pair.mean()),
            low=None if interval is None else interval.low,
            high=None if interval is None else interval.high,
            p=p,
            n_higher=int((of_pair > 0).sum()),
            n_lower=int((of_pair < 0).sum()),
            corrected=corrected,
            told=_told(of_pair, len(known)),
        )
        yield replace(made, word=_word(made, column.definition.direction))


def _p_values(pairs: Sequence[_Pair], families: Integers) -> list[float]:
    """By sign flips; an original and its changed versions are not independent, and flip together. Of no difference 1."""
    sums = np.zeros((int(families.max(initial=-1)) + 1, len(pairs)))
    for at, pair in enumerate(pairs):
        is_shared = pair.is_shared
        differences = pair.values[is_shared] - pair.of_reference[is_shared]
        sums[:, at] = np.bincount(families[is_shared], weights=differences, minlength=len(sums))
    return [1.0 if p is None else p for p in sign_flips_many(sums)]


def _told(differences: Floats, n_comparisons: int) -> float | None:
    """The difference that so many instances tell at 5 % over all comparisons with a power of 80 %.

    >>> round(float(_told(np.array([0.3, -0.3] * 50), 1) * np.sqrt(99 / 100)), 3)
    0.084
    """
    n = len(differences)
    if n < 2:
        return None
    normal = NormalDist()
    factor = normal.inv_cdf(1 - LEVEL / (2 * n_comparisons)) + normal.inv_cdf(_POWER)
    return float(factor * differences.std(ddof=1) / np.sqrt(n))


def _word(of: Difference, direction: Direction) -> Word:
    if of.n_higher == of.n_lower == 0:
        return "equal"
    if of.corrected >= LEVEL:
        return "no clear difference"
    is_higher = of.difference > 0
    if direction == "neither":
        return "higher" if is_higher else "lower"
    return "better" if is_higher == (direction == "higher is better") else "worse"
