"""Which cells of a paper's table are marked as different from the base: by p values, corrected for all that the table shows."""

from collections.abc import Sequence
from dataclasses import replace

from annotator.metrics.significance import holm
from annotator.scoring.paper_table import PaperRow

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
