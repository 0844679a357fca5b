"""Two metrics beside each other (Wang et al. 2022, 6): whether an instance, or a row, with more of one has more of the other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotator.domain.numbers import UNDEFINED, signed
from annotator.errors import InvalidValue
from annotator.figures.text_tables import TextCell, TextHead, TextLine, metric_table_text
from annotator.formats.rows.gold_csv import written_csv
from annotator.language import _
from annotator.metrics.aggregate import FEWEST_PAIRS, Correlation, rank_correlation
from annotator.metrics.ragged import Floats
from annotator.scoring.shared_instances import seeds_of, values_of
from annotator.scoring.table import Column, MetricRow, MetricTable, without_repeats
from annotator.usecases.inspect.metrics_table import metric_view, names_of

CSV_FIELDS = ("over", "row", "first", "second", "rho", "low", "high", "n")


@dataclass(frozen=True, slots=True)
class Relations:
    """Correlations of two columns: over the instances of each row (by name), and over the rows' numbers."""

    columns: tuple[Column, Column]
    of_rows: tuple[tuple[str, Correlation], ...]
    over_rows: Correlation


def relations(table: MetricTable, names: Sequence[str]) -> Relations:
    """Of two metrics by their names; of several seeds each instance has their mean.

    Raises: NotFound for a metric that is not there; InvalidValue for other than two
    """
    if len(set(names)) != 2:
        raise InvalidValue(_("Give two different metrics."))
    first, second = metric_view(table, names, is_shared=False).columns
    rows = without_repeats(table.rows)[0]
    of_rows = []
    for name, row in zip(names_of(rows), rows, strict=True):
        values = [_of_instances(table, row, column) for column in (first, second)]
        correlation = rank_correlation(*values)
        if correlation.n:
            of_rows.append((name, correlation))
    numbers = [[_value(row, column) for row in rows] for column in (first, second)]
    over_rows = rank_correlation(*(np.array(of_column, dtype=np.float64) for of_column in numbers))
    return Relations((first, second), tuple(of_rows), over_rows)


def _of_instances(table: MetricTable, row: MetricRow, column: Column) -> Floats:
    """float[n_gold], NaN where no seed has a value."""
    if table.behind is None:
        return np.zeros(0)
    sums, n_seeds = np.zeros(len(table.behind.ids)), np.zeros(len(table.behind.ids))
    for seed in seeds_of(table.behind, row, column):
        values = values_of(seed, column)
        if values is not None:
            is_there = ~np.isnan(values)
            sums[seed.places[is_there]] += values[is_there]
            n_seeds[seed.places[is_there]] += 1
    means: Floats = np.divide(sums, n_seeds, out=np.full(len(sums), np.nan), where=n_seeds > 0)
    return means


def _value(row: MetricRow, column: Column) -> float:
    number = row.numbers.get(column.name)
    return np.nan if number is None or number.value is None else number.value


def relations_text(made: Relations) -> str:
    """A table: over instances a line a row, below it over rows."""
    lines = [TextLine(name, _cells(correlation)) for name, correlation in made.of_rows]
    lines.append(TextLine("over the rows' numbers", _cells(made.over_rows), is_baseline=True))
    first, second = (column.definition.title for column in made.columns)
    heads = [TextHead("", "Spearman's ρ"), TextHead("", "95 % interval"), TextHead("", "n")]
    notes = [
        f"ρ above 0: where {first} is higher, {second} is higher. Intervals: bootstrap, from {FEWEST_PAIRS} pairs on; "
        f"{UNDEFINED}: a side is constant, or there are too few."
    ]
    return metric_table_text(heads, lines, corner="Over instances of", caption=f"{first} and {second}", notes=notes)


def _cells(correlation: Correlation) -> list[TextCell]:
    rho, interval = correlation.rho, correlation.interval
    between = UNDEFINED if interval is None else f"[{signed(interval.low)}, {signed(interval.high)}]"
    return [TextCell(UNDEFINED if rho is None else signed(rho)), TextCell(between), TextCell(f"{correlation.n:,}")]


def relations_csv(made: Relations) -> str:
    """The same in all digits."""
    pairs = [("instances", name, correlation) for name, correlation in made.of_rows]
    pairs.append(("rows", "", made.over_rows))
    first, second = (column.name for column in made.columns)
    return written_csv(
        CSV_FIELDS,
        (
            [over, name, first, second, of.rho, of.interval and of.interval.low, of.interval and of.interval.high, of.n]
            for over, name, of in pairs
        ),
    )
