"""A paper's table as a CSV file: a line a row, all digits, nothing multiplied."""

from collections.abc import Iterator

from annotator.formats.rows.gold_csv import written_csv
from annotator.scoring.paper_table import PaperCell, PaperTable


def paper_csv(table: PaperTable) -> str:
    """Keys of the row, for each metric its value, deviation, number of seeds and of texts, and note; then what was asked.

    note: why there is no value, or the mark of a difference
    """
    names = list(dict.fromkeys(name for row in table.rows for name in row.keys))
    parts = ("", "_deviation", "_n_seeds", "_n", "_note")
    heads = [*names, *(f"{column.name}{part}" for column in table.columns for part in parts), *table.provenance]
    rows = (
        [row.keys.get(name, "") for name in names]
        + [part for cell in row.cells for part in _parts(cell)]
        + list(table.provenance.values())
        for row in table.rows
    )
    return written_csv(heads, rows)


def _parts(cell: PaperCell) -> Iterator[object]:
    yield from (cell.value, cell.deviation, cell.n_seeds, cell.n, cell.reason or cell.mark or None)
