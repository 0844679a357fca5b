"""A paper's table as text for a terminal: numbers below one another, the reasons of dashes below."""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from annotator.scoring.paper_table import PaperTable, PrintedCell, printed

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_WIDTH = 100  # of sentences; a table is as wide as it is


def paper_text(table: PaperTable) -> str:
    """Caption, heads, rows and notes; a blank line and a title before each group of rows."""
    rows = printed(table)
    columns = [_aligned([row[at] for row in rows]) for at in range(len(table.columns))]
    widths = [
        max(map(len, (column.title, column.detail, *cells)))
        for column, cells in zip(table.columns, columns, strict=True)
    ]
    indent = "  " if any(row.group for row in table.rows) else ""
    titles = [indent + row.title for row in table.rows]
    first = max(map(len, (table.corner, *titles)))
    heads = [column.title.rjust(width) for column, width in zip(table.columns, widths, strict=True)]
    details = [column.detail.rjust(width) for column, width in zip(table.columns, widths, strict=True)]
    lines = [*wrap(table.caption, _WIDTH), "", *_group_heads(table, widths, first)]
    lines += [
        _line(table.corner.ljust(first), heads),
        _line(" " * first, details),
        "-" * (first + sum(widths) + 2 * len(widths)),
    ]
    group, was_baseline = "", False
    for at, row in enumerate(table.rows):
        if row.group != group:
            lines += ["", row.group] if at else [row.group]
        elif row.is_baseline and not was_baseline and at:
            lines.append("")
        group, was_baseline = row.group, row.is_baseline
        cells = [cells[at].rjust(width) for cells, width in zip(columns, widths, strict=True)]
        lines.append(_line(titles[at].ljust(first), cells))
    return "\n".join(line.rstrip() for line in [*lines, "", *_notes(table)]).rstrip() + "\n"


def _line(title: str, cells: Sequence[str]) -> str:
    return "  ".join([title, *cells])


def _group_heads(table: PaperTable, widths: Sequence[int], first: int) -> list[str]:
    """The groups of columns, each over its first column."""
    if not any(column.group for column in table.columns):
        return []
    line = " " * first
    at = first
    for number, (column, width) in enumerate(zip(table.columns, widths, strict=True)):
        if column.group and (not number or table.columns[number - 1].group != column.group):
            line = line.ljust(at) + "  " + column.group
        at += 2 + width
    return [line]


def _aligned(cells: Sequence[PrintedCell]) -> list[str]:
    """Values end below one another, and so do deviations; marks and notes stand behind them."""
    value, deviation, after = (max((len(part) for part in parts), default=0) for parts in zip(
        *((cell.value, cell.deviation, _after(cell)) for cell in cells), strict=True
    ))  # fmt: skip
    aligned = []
    for cell in cells:
        spread = (
            f" ± {cell.deviation.rjust(deviation)}" if cell.deviation else " " * (3 + deviation if deviation else 0)
        )
        if not cell.deviation and _after(cell):
            aligned.append((cell.value.rjust(value) + _after(cell)).ljust(value + len(spread) + after))
        else:
            aligned.append(cell.value.rjust(value) + spread + _after(cell).ljust(after))
    return aligned


def _after(cell: PrintedCell) -> str:
    return cell.mark + ("" if cell.note is None else str(cell.note).translate(_RAISED))


def _notes(table: PaperTable) -> Iterator[str]:
    for note in table.notes:
        yield from wrap(note, _WIDTH)
    for at, reason in enumerate(table.reasons(), start=1):
        yield from wrap(f"–{str(at).translate(_RAISED)} {reason}.", _WIDTH, subsequent_indent="   ")
