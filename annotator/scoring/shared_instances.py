"""The table of metrics over the instances that all its rows have, so that rows beside each other are of the same texts.

A row that lacks more than a fifth of what at least half of the others have does not compete, and takes no instance from them.
What a model learned from, and is not scored on, counts as lacking for no row.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from annotator.metrics.ragged import Flags, Floats
from annotator.metrics.significance import FEWEST
from annotator.scoring.instance_numbers import Behind, OfSeed, RowKey
from annotator.scoring.seeds import ConfidenceOverSeeds, PairsOverSeeds, Sample
from annotator.scoring.table import (
    Column,
    MetricRow,
    MetricTable,
    Number,
    Points,
    SharedColumn,
    confidence_numbers,
    consistency_maps,
)

MOST_LACKING = 0.2
_RANKS = "editing.mrr"
_MAP = "benchmark.map"


def do_rows_differ(table: MetricTable, rows: Sequence[MetricRow], columns: Sequence[Column]) -> bool:
    """Whether some column's rows are over different instances."""
    return any(are_different(table, rows, column) for column in columns)


def are_different(table: MetricTable, rows: Sequence[MetricRow], column: Column) -> bool:
    """Whether the rows of a column are over different instances."""
    measured = list(_measured(table.behind, rows, column).values())
    return any(not np.array_equal(measured[0], other) for other in measured[1:])


def are_comparable(table: MetricTable, rows: Sequence[MetricRow], column: Column) -> bool:
    """Whether the numbers of a column are over the same instances: its rows share them, or differ in none."""
    return column.name in table.shared or not are_different(table, rows, column)


def leaves_too_few(table: MetricTable, rows: Sequence[MetricRow], columns: Sequence[Column]) -> bool:
    """Whether in some column nothing can be said of the shared instances, while of a row's own something can."""
    if table.behind is None:
        return False
    for column in columns:
        shared = _shared(table.behind, rows, column)
        most = max((of_row.sum() for of_row in _measured(table.behind, rows, column).values()), default=0)
        if shared is not None and shared.n < FEWEST <= most:
            return True
    return False


def over_shared(table: MetricTable, rows: Sequence[MetricRow], n_resamples: int = 0) -> MetricTable:
    """The rows with each number over the instances that all competing rows have for its column, and random as well.

    What is no mean over instances stays as it is: over the row's own.
    """
    if table.behind is None:
        return table
    candidates = {column.name: _shared(table.behind, rows, column) for column in table.columns}
    shared = {name: column for name, column in candidates.items() if column is not None and column.n}
    restricted = tuple(_row(table, row, shared, n_resamples) for row in rows)
    kept_by_column = _kept_by_all(table, rows, table.columns) | {
        name: of_column.keep for name, of_column in shared.items()
    }
    return replace(table, rows=restricted, random=_random(table, kept_by_column), shared=shared)


def over_own(table: MetricTable, rows: Sequence[MetricRow], columns: Sequence[Column]) -> MetricTable:
    """With random over the instances of these rows, in each of these columns in which they are the same for all rows.

    It would else be over all instances with gold, also those that a model learned from, which its rows leave out.
    """
    return replace(table, random=_random(table, _kept_by_all(table, rows, columns)))


def as_shown(
    table: MetricTable, rows: Sequence[MetricRow], columns: Sequence[Column], n_resamples: int = 0,
    is_shared: bool | None = None,
) -> tuple[MetricTable, Sequence[MetricRow]]:  # fmt: skip
    """Some rows for some columns, with the table that they are of then: over the instances that all of them have.

    is_shared: False for each over its own; None: unless too few would be left to say anything
    """
    if is_shared is None:
        is_shared = not leaves_too_few(table, rows, columns)
    if not is_shared or not do_rows_differ(table, rows, columns):
        return over_own(table, rows, columns), rows
    shared = over_shared(table, rows, n_resamples)
    return shared, shared.rows


def seeds_of(behind: Behind, row: MetricRow, column: Column) -> Sequence[OfSeed]:
    """What stands behind a column of a row: of its model's answers, or of its own runs."""
    return behind.quality.get(row.model, ()) if column.group == "quality" else behind.rows.get(row.key, ())


def values_of(seed: OfSeed, column: Column) -> Floats | None:
    """A seed's value of each instance for a column; None where it has none. Confidence has the probability that it looks at."""
    if column.group != "confidence":
        return seed.values.get(column.name)
    ranks = seed.values.get(_RANKS)
    return None if ranks is None else np.where(np.isnan(ranks), np.nan, seed.p)


def _measured(behind: Behind | None, rows: Sequence[MetricRow], column: Column) -> dict[RowKey, Flags]:
    """Of each row that has the column, bool[n_gold]: the instances for which some seed has a value."""
    measured: dict[RowKey, Flags] = {}
    if behind is None:
        return measured
    for row in rows:
        for seed in seeds_of(behind, row, column):
            values = values_of(seed, column)
            if values is not None:
                of_row = measured.setdefault(row.key, np.zeros(len(behind.ids), dtype=np.bool_))
                of_row[seed.places[~np.isnan(values)]] = True
    return {key: of_row for key, of_row in measured.items() if of_row.any()}


def _kept_by_all(table: MetricTable, rows: Sequence[MetricRow], columns: Sequence[Column]) -> dict[str, Flags]:
    """By column bool[n_gold], the instances that its rows are over, where these are the same for all."""
    kept_by_column = {}
    for column in columns:
        measured = list(_measured(table.behind, rows, column).values())
        if measured and all(np.array_equal(measured[0], of_row) for of_row in measured[1:]):
            kept_by_column[column.name] = measured[0]
    return kept_by_column


def _shared(behind: Behind, rows: Sequence[MetricRow], column: Column) -> SharedColumn | None:
    """None where there is nothing to share: fewer than two rows, or all over the same instances."""
    measured = _measured(behind, rows, column)
    first = next(iter(measured.values()), None)
    if first is None or all(np.array_equal(first, of_row) for of_row in measured.values()):
        return None
    lacking = {key: share for key in measured if (share := _lacking(behind, measured, key)) > MOST_LACKING}
    competing = [of_row for key, of_row in measured.items() if key not in lacking]
    keep = np.logical_and.reduce(competing) if competing else np.zeros(len(behind.ids), dtype=np.bool_)
    return SharedColumn(keep, lacking)


def _lacking(behind: Behind, measured: Mapping[RowKey, Flags], key: RowKey) -> float:
    """The share that a row lacks of what at least half of the others have."""
    others = [of_row for other, of_row in measured.items() if other != key]
    n_having = np.sum(others, axis=0)
    common = (n_having > 0) & (2 * n_having >= len(others))
    for model in {other[0] for other in measured}:
        if model in behind.left_out:
            common &= ~behind.left_out[model]
    return float(1 - (measured[key] & common).sum() / common.sum()) if common.any() else 0.0


def _row(table: MetricTable, row: MetricRow, shared: Mapping[str, SharedColumn], n_resamples: int) -> MetricRow:
    behind = table.behind
    if behind is None:
        return row
    numbers = dict(row.numbers)
    for column in table.columns:
        seeds = seeds_of(behind, row, column)
        if column.name in shared and column.name in numbers and seeds and column.group != "confidence":
            number = _number(seeds, column, shared[column.name].keep, n_resamples)
            numbers[column.name] = numbers[column.name] if number is None else number
    numbers |= _confidence(behind, row, shared)
    by_kind, by_change = row.by_kind, row.by_change
    if _MAP in shared and row.by_kind:
        by_kind, by_change = _by_parts(behind, row, shared[_MAP].keep, n_resamples)
    return replace(row, numbers=numbers, by_kind=by_kind, by_change=by_change, points=_points(behind, row, shared))


def _number(seeds: Sequence[OfSeed], column: Column, keep: Flags, n_resamples: int) -> Number | None:
    """None of what is no mean over instances."""
    sample = Sample()
    for seed in seeds:
        values = values_of(seed, column)
        if values is not None:
            stays = keep[seed.places]
            sample.add(seed.places[stays], values[stays])
    return Number.of(sample.report(n_resamples)) if sample.means else None


def _confidence(behind: Behind, row: MetricRow, shared: Mapping[str, SharedColumn]) -> dict[str, Number]:
    """All four numbers, which have their instances in common."""
    names = [name for name in row.numbers if name.startswith("confidence.") and name in shared]
    if not names:
        return {}
    over_seeds, keep = ConfidenceOverSeeds(), shared[names[0]].keep
    for seed in behind.rows.get(row.key, ()):
        if _RANKS in seed.values:
            stays = keep[seed.places]
            over_seeds.add(seed.places[stays], seed.p[stays], seed.values[_RANKS][stays], seed.is_right[stays])
    return confidence_numbers(over_seeds.report())


def _by_parts(
    behind: Behind, row: MetricRow, keep: Flags, n_resamples: int
) -> tuple[Mapping[str, Mapping[str, Number]], Mapping[str, Mapping[str, Number]]]:
    """MAPs by kind of perturbation, and by whether the answer changed."""
    pairs = PairsOverSeeds(n_resamples)
    for seed in behind.rows.get(row.key, ()):
        if _MAP not in seed.values:
            continue
        stays = keep[seed.places] & ~np.isnan(seed.values[_MAP])
        indices = seed.places[stays]
        names = [name for name in seed.values if name.startswith(_MAP)]
        maps = {name.partition(".")[2]: seed.values[name][stays] for name in names}
        kinds = [behind.kinds[index] or "" for index in indices.tolist()]
        if len(indices):
            pairs.add_pairs(indices.tolist(), kinds, seed.has_changed[stays], maps)
    return consistency_maps(pairs.report())


def _points(behind: Behind, row: MetricRow, shared: Mapping[str, SharedColumn]) -> Points | None:
    """The curves over the same instances as their means, the AOPCs."""
    if row.points is None:
        return None
    sides: dict[str, tuple[float | None, ...]] = {}
    for side in ("comprehensiveness", "sufficiency"):
        old: tuple[float | None, ...] = getattr(row.points, side)
        column = shared.get(f"eraser.{side}_aopc")
        if column is not None:
            old = tuple(_fall(behind, row, side, threshold, column.keep) for threshold in row.points.thresholds)
        sides[side] = old
    return Points(row.points.thresholds, sides["comprehensiveness"], sides["sufficiency"])


def _fall(behind: Behind, row: MetricRow, side: str, threshold: float, keep: Flags) -> float | None:
    """The mean over seeds of the mean over instances; None where no seed has the threshold."""
    means = []
    for seed in behind.rows.get(row.key, ()):
        falls = seed.drops.get(side, {}).get(threshold)
        defined = np.empty(0) if falls is None else falls[keep[seed.places] & ~np.isnan(falls)]
        means += [float(defined.mean())] if len(defined) else []
    return sum(means) / len(means) if means else None


def _random(table: MetricTable, kept_by_column: Mapping[str, Flags]) -> MetricRow:
    """Random's means over these instances; how far its seeds lie apart is kept only where they are all of its own."""
    numbers = dict(table.random.numbers)
    for name in numbers.keys() & kept_by_column.keys():
        values = table.behind.random[name] if table.behind is not None else np.empty(0)
        defined = values[kept_by_column[name] & ~np.isnan(values)] if len(values) else values
        if len(defined) < np.count_nonzero(~np.isnan(values)):
            numbers[name] = Number(float(defined.mean()) if len(defined) else None, len(defined))
    return replace(table.random, numbers=numbers)
