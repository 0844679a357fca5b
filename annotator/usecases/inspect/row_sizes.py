"""Over how many instances the numbers of shown rows are, told where it is told in the fewest words."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotator.domain.numbers import UNDEFINED
from annotator.scoring.table import Column, MetricRow, Number


@dataclass(frozen=True, slots=True)
class RowSizes:
    """by_column: in the heads, where each column has one; None: beside the rows' names, by_row, the commonest of each row."""

    by_column: Mapping[str, int] | None
    by_row: Sequence[int | None] = ()

    @staticmethod
    def of(rows: Sequence[MetricRow], columns: Sequence[Column]) -> "RowSizes":
        by_column = {column.name: {n for row in rows if (n := _n(row, column)) is not None} for column in columns}
        if all(len(sizes) <= 1 for sizes in by_column.values()):
            return RowSizes({name: next(iter(sizes)) for name, sizes in by_column.items() if sizes})
        return RowSizes(None, [_commonest(row, columns) for row in rows])

    def beside(self, at: int) -> str:
        """What stands beside the name of a row."""
        n = self.by_row[at]
        return UNDEFINED if n is None else f"{n:,}"

    def differing(self, at: int, number: Number) -> int | None:
        """The number's own count, where it is another than its row's."""
        is_told = self.by_column is not None or number.n == self.by_row[at]
        return None if is_told else number.n


def _commonest(row: MetricRow, columns: Sequence[Column]) -> int | None:
    counts = Counter(n for column in columns if (n := _n(row, column)) is not None)
    return max(counts, key=lambda n: (counts[n], n), default=None)


def _n(row: MetricRow, column: Column) -> int | None:
    number = row.numbers.get(column.name)
    return None if number is None else number.n
