"""What a cell of a spreadsheet shows, and how a spreadsheet calls it."""

import datetime as dt
import re
from dataclasses import dataclass

NO_VALUE = "="  # in the place of an error: a formula that no program has worked out
_LEADING_ZEROS = re.compile("0{2,}")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as a text. error: what its formula gave in place of a value."""

    text: str
    error: str = ""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row by its number, from 1."""

    number: int
    cells: tuple[Cell, ...]


def number_text(value: float) -> str:
    """A number as a sheet shows it without a format of its own.

    >>> number_text(3.0), number_text(0.1), number_text(1234567890123.0)
    ('3', '0.1', '1234567890123')
    """
    return str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(value)


def cell_text(value: object, number_format: str) -> str:
    """A value as the sheet shows it: whole numbers without a point, leading zeros of the format, dates as ISO writes them.

    >>> cell_text(7, "000"), cell_text(True, "General"), cell_text(dt.datetime(2026, 1, 2), "dd.mm.yy")
    ('007', 'TRUE', '2026-01-02')
    """
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        text = number_text(value)
        return text.zfill(len(number_format)) if _LEADING_ZEROS.fullmatch(number_format) else text
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat()
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


def cell_name(column: int, row: int) -> str:
    """A cell as spreadsheets call it; columns are counted from 0, rows from 1.

    >>> cell_name(0, 1), cell_name(27, 3)
    ('A1', 'AB3')
    """
    letters, number = "", column + 1
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row}"
