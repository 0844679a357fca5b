"""The table of metrics for a terminal: numbers below one another, at most a hundred characters wide where names allow it.

What does not fit beside the names stands below, under the names once more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from textwrap import wrap

from annotator.scoring.paper_table import PaperTable, PrintedCell, printed

WIDTH = 100
_NAME = 28  # of a row's name; longer ones go on in the next line
_TITLE = 9  # of a head, where its words and the numbers below allow it
_LONGEST_WORD = 12  # of a head; longer ones are divided
_BETWEEN = "  "


@dataclass(frozen=True, slots=True)
class TextHead:
    """A column: the group it stands in, its title, and what stands below that (which way is better, over how many)."""

    group: str
    title: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class TextCell:
    """A number as text, its deviation, the signs behind it, and lines below it."""

    value: str
    deviation: str = ""
    signs: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextLine:
    """A row with a cell for each column."""

    name: str
    cells: Sequence[TextCell]
    is_baseline: bool = False


def metric_table_text(
    heads: Sequence[TextHead], lines: Sequence[TextLine], *, corner: str, caption: str, notes: Sequence[str]
) -> str:
    """Caption, table (in several parts where it is wide), and the notes, each a paragraph."""
    columns = [_Column.of(head, [line.cells[at] for line in lines]) for at, head in enumerate(heads)]
    names = [_wrapped(name, _NAME, "  ") for name in (corner, *(line.name for line in lines))]
    first = max(len(part) for name in names for part in name)
    parts = ["\n".join(_part(of_part, lines, names, first)) for of_part in _parts(columns, WIDTH - first)]
    paragraphs = ["\n".join(wrap(note, WIDTH, subsequent_indent="  ", break_on_hyphens=False)) for note in notes]
    return (
        "\n\n".join([*("\n".join(wrap(caption, WIDTH)),), *parts, *(["\n".join(paragraphs)] if paragraphs else [])])
        + "\n"
    )


@dataclass(frozen=True, slots=True)
class _Column:
    """A column whose head and cells are lines of one width."""

    group: str
    head: Sequence[str]
    cells: Sequence[Sequence[str]]
    width: int

    @staticmethod
    def of(head: TextHead, cells: Sequence[TextCell]) -> "_Column":
        sizes = [max(len(part) for part in parts) for parts in zip(*map(_pieces, cells), strict=True)]
        texts = [[_number(cell, sizes), *cell.notes] for cell in cells]
        longest = max(len(text) for text in (head.detail, *(part for lines in texts for part in lines)))
        title = " ".join(map(_divided, head.title.split()))
        width = max(longest, min(_TITLE, len(title)), *map(len, title.replace("-", "- ").split()))
        return _Column(head.group, [*_wrapped(title, width), head.detail], texts, width)


def _pieces(cell: TextCell) -> tuple[str, str, str]:
    return cell.value, cell.deviation, cell.signs


def _number(cell: TextCell, sizes: Sequence[int]) -> str:
    """Values end below one another, and so do deviations; signs begin below one another."""
    value, deviation, signs = sizes
    spread = f" ± {cell.deviation.rjust(deviation)}" if cell.deviation else " " * (3 + deviation if deviation else 0)
    return cell.value.rjust(value) + spread + (f" {cell.signs.ljust(signs)}" if signs else "")


def _parts(columns: Sequence[_Column], width: int) -> list[list[_Column]]:
    """The columns in as few parts as fit; one that is wider than all the room has a part of its own."""
    parts: list[list[_Column]] = [[]]
    for column in columns:
        used = sum(len(_BETWEEN) + other.width for other in parts[-1])
        if parts[-1] and used + len(_BETWEEN) + column.width > width:
            parts.append([])
        parts[-1].append(column)
    return parts


def _part(
    columns: Sequence[_Column], lines: Sequence[TextLine], names: Sequence[Sequence[str]], first: int
) -> Iterator[str]:
    yield from _groups(columns, first)
    yield from _bottom_aligned(names[0], [column.head for column in columns], columns, first)
    yield "-" * (first + sum(len(_BETWEEN) + column.width for column in columns))
    for at, line in enumerate(lines):
        if line.is_baseline and at and not lines[at - 1].is_baseline:
            yield ""
        yield from _rows(names[at + 1], [column.cells[at] for column in columns], columns, first)


def _groups(columns: Sequence[_Column], first: int) -> Iterator[str]:
    """The groups, each over its first column."""
    text, at = "", first
    for number, column in enumerate(columns):
        if not number or columns[number - 1].group != column.group:
            text = (text + _BETWEEN if text else "").ljust(at + len(_BETWEEN)) + column.group
        at += len(_BETWEEN) + column.width
    if text.strip():
        yield text.rstrip()


def _bottom_aligned(
    name: Sequence[str], heads: Sequence[Sequence[str]], columns: Sequence[_Column], first: int
) -> Iterator[str]:
    """Heads end on one line, with what stands below the titles, if any has such."""
    if not any(head[-1] for head in heads):
        heads = [head[:-1] for head in heads]
    height = max(len(name), *map(len, heads))
    yield from _rows(
        [""] * (height - len(name)) + [*name], [[""] * (height - len(head)) + [*head] for head in heads], columns, first
    )


def _rows(name: Sequence[str], cells: Sequence[Sequence[str]], columns: Sequence[_Column], first: int) -> Iterator[str]:
    """The lines of a row: of its name and of its cells, side by side."""
    for at in range(max(len(name), *map(len, cells))):
        texts = [
            (cell[at] if at < len(cell) else "").rjust(column.width)
            for cell, column in zip(cells, columns, strict=True)
        ]
        yield _BETWEEN.join([(name[at] if at < len(name) else "").ljust(first), *texts]).rstrip()


def _wrapped(text: str, width: int, indent: str = "") -> list[str]:
    return wrap(" ".join(text.split()), width, subsequent_indent=indent) or [""]


def _divided(word: str) -> str:
    """A long word with a hyphen in its middle, so that it may go on in the next line.

    >>> _divided("Comprehensiveness"), _divided("precision")
    ('Comprehen-siveness', 'precision')
    """
    middle = len(word) // 2 + 1
    return word if len(word) <= _LONGEST_WORD or "-" in word else f"{word[:middle]}-{word[middle:]}"


# A paper's table as text for a terminal: numbers below one another, the reasons of dashes below.


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_WIDTH = 100  # of sentences; a table is as wide as it is


def _signature(table: PaperTable) -> list[str]:
    return [f"Signature: {table.provenance['signature']}"] if "signature" in table.provenance else []


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
    return "\n".join(line.rstrip() for line in [*lines, "", *_notes(table), *_signature(table)]).rstrip() + "\n"


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
