"""A table as a paper prints it: rows of models and methods, columns of metrics, and why a cell is empty."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from annotator.domain.numbers import UNDEFINED
from annotator.metrics.aggregate import over_seeds
from annotator.metrics.significance import holm
from annotator.scoring.table import Number

ARROWS = {"higher is better": "↑", "lower is better": "↓", "neither": ""}


@dataclass(frozen=True, slots=True)
class PaperColumn:
    """A metric.

    name:     in a file, where values are never multiplied
    title:    as the paper prints it; group: what stands above it and its neighbours
    scale:    what the printed value is multiplied with, 1 or 100
    decimals: of the printed value
    """

    name: str
    title: str
    group: str = ""
    arrow: str = ""
    scale: int = 1
    decimals: int = 3

    @property
    def detail(self) -> str:
        """What stands below the title: the scale and the direction.

        >>> PaperColumn("f1", "Token-F1", arrow="↑", scale=100).detail
        '×100 ↑'
        """
        return " ".join(part for part in ("×100" if self.scale == 100 else "", self.arrow) if part)

    def written(self, value: float) -> str:
        """A value or a deviation as it is printed.

        >>> PaperColumn("f1", "F1", scale=100, decimals=1).written(0.3649), PaperColumn("s", "Suf.").written(-0.00004)
        ('36.5', '0.000')
        """
        text = f"{self.scale * value:,.{self.decimals}f}"
        return text.lstrip("-") if not float(text.replace(",", "")) else text.replace("-", "−")


@dataclass(frozen=True, slots=True)
class PaperCell:
    """A number over texts and seeds. Without a value `reason` says why; without a reason the cell belongs to no number.

    deviation: over n_seeds; n: over how many texts it is a mean; mark: that it differs from the base
    p: of that difference, not corrected; None where nothing is compared
    """

    value: float | None = None
    deviation: float | None = None
    n: int | None = None
    n_seeds: int | None = None
    mark: str = ""
    reason: str = ""
    p: float | None = None


BLANK = PaperCell()


@dataclass(frozen=True, slots=True)
class PaperRow:
    """A model and method, or what they are held against (`is_baseline`). keys: what tells it from others in a file."""

    title: str
    cells: tuple[PaperCell, ...]
    keys: Mapping[str, str] = field(default_factory=dict)
    group: str = ""
    is_baseline: bool = False


@dataclass(frozen=True, slots=True)
class PaperTable:
    """caption: what is shown of which gold; notes: sentences that hold for some rows or columns.

    provenance: the same for each row of a file, such as project, gold policy, split and version
    """

    name: str
    corner: str
    caption: str
    columns: tuple[PaperColumn, ...]
    rows: tuple[PaperRow, ...]
    notes: tuple[str, ...] = ()
    provenance: Mapping[str, str] = field(default_factory=dict)

    def reasons(self) -> list[str]:
        """Why cells have no value, each once and in the order of the rows; a cell refers to its place from 1."""
        return list(
            dict.fromkeys(cell.reason for row in self.rows for cell in row.cells if cell.value is None and cell.reason)
        )


def cell_of(number: Number | None, reason: str) -> PaperCell:
    """A number of the table of metrics; the reason where there is none.

    >>> cell_of(Number(None, 0), "no gold").reason, cell_of(Number(0.5, 3), "no gold").reason
    ('no gold', '')
    """
    if number is None or number.value is None:
        return PaperCell(reason=reason)
    return PaperCell(number.value, number.deviation, number.n, number.n_seeds)


def over_runs_cell(values: Sequence[float | None], n: int | None, reason: str) -> PaperCell:
    """The mean and deviation over runs of a number; runs without one are left out.

    >>> over_runs_cell([0.5, 1.5], 10, "")
    PaperCell(value=1.0, deviation=0.7071067811865476, n=10, n_seeds=2, mark='', reason='', p=None)
    >>> over_runs_cell([], None, "no answers").reason
    'no answers'
    """
    of_runs = over_seeds(np.array([np.nan if value is None else value for value in values], dtype=np.float64))
    if of_runs.mean is None:
        return PaperCell(reason=reason)
    return PaperCell(of_runs.mean, of_runs.deviation, n, len(values) if len(values) > 1 else None)


@dataclass(frozen=True, slots=True)
class PrintedCell:
    """The parts of a cell, so that numbers stand below one another. value: the number or a dash; after: mark and note."""

    value: str = ""
    deviation: str = ""
    mark: str = ""
    note: int | None = None


def printed(table: PaperTable) -> list[list[PrintedCell]]:
    """Each row's cells."""
    notes = {reason: number for number, reason in enumerate(table.reasons(), start=1)}
    return [
        [_printed(cell, column, notes) for cell, column in zip(row.cells, table.columns, strict=True)]
        for row in table.rows
    ]


def _printed(cell: PaperCell, column: PaperColumn, notes: Mapping[str, int]) -> PrintedCell:
    if cell.value is None:
        return PrintedCell(UNDEFINED, note=notes[cell.reason]) if cell.reason else PrintedCell()
    deviation = "" if cell.deviation is None else column.written(cell.deviation)
    return PrintedCell(column.written(cell.value), deviation, cell.mark)


# Which cells of a paper's table are marked as different from the base: by p values, corrected for all that the table shows.


LEVEL = 0.05
MARK = "*"


def marked(rows: Sequence[PaperRow]) -> tuple[list[PaperRow], int]:
    """The rows with marks, and how many comparisons they show, none of which is filtered out first."""
    p_values = [cell.p for row in rows for cell in row.cells if cell.p is not None]
    corrected = iter(holm(p_values))
    return [
        replace(
            row,
            cells=tuple(
                replace(cell, mark=MARK if next(corrected) < LEVEL else "") if cell.p is not None else cell
                for cell in row.cells
            ),
        )
        for row in rows
    ], len(p_values)
