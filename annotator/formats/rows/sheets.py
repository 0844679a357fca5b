"""Spreadsheets (.xlsx and .ods) as tables of texts: what the sheet shows, with its row numbers and its formula errors."""

import re
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError
from zipfile import BadZipFile, ZipFile

from annotator.errors import InvalidValue
from annotator.formats.rows.findings import listed
from annotator.formats.rows.ods_sheets import CONTENT, NotOds, iterate_ods, ods_names
from annotator.formats.rows.sheet_cells import NO_VALUE, Cell, SheetRow, cell_text
from annotator.language import _, unknown

MAX_UNPACKED_BYTES = 2**30
_ZIP_START = b"PK\x03\x04"
_WORKBOOK = "xl/workbook.xml"
_READ_BYTES, _LONGEST_TAG = 2**20, 64
_WORKSHEETS = "xl/worksheets/"
_STRINGS = "xl/sharedStrings.xml"
_COMMENTS = re.compile(r"comment[^/]*\.xml$", re.IGNORECASE)
_OWN_FORMAT = re.compile(rb"<(?:\w+:)?rPr[ />]|<office:annotation[ />]|<text:span[ />]")
_ERROR = "e"  # openpyxl's kind of a cell whose formula went wrong
_FORMULA = re.compile(rb"<(?:\w+:)?f[ />]")
# What openpyxl and zipfile raise for files that are damaged.
_DAMAGES = (
    BadZipFile, zlib.error, ParseError, NotOds, EOFError, OSError, KeyError, ValueError, TypeError, IndexError, AttributeError,
    NotImplementedError,
)  # fmt: skip


def is_spreadsheet(path: Path) -> bool:
    """Whether a file is a spreadsheet that is read here, by what is in it."""
    return _kind(path) is not None


def sheet_names(path: Path) -> list[str]:
    """The sheets of a spreadsheet that hold something; [] of another file.

    Raises: InvalidValue for a file that is damaged or too large
    """
    kind = _kind(path)
    if kind is None:
        return []
    with _damages_told(path):
        return ods_names(path) if kind == "ods" else [name for name, _state in _names_of_xlsx(path)]


def sheet_rows(path: Path, sheet: str | None) -> Iterator[SheetRow]:
    """The rows of a sheet that hold something; of the only one, where none is named.

    Raises: InvalidValue for a file that is damaged, without such a sheet, or with several where none is named
    """
    name = _chosen(path, sheet_names(path), sheet)
    with _damages_told(path):
        rows = iterate_ods(path, name) if _kind(path) == "ods" else _iterate_xlsx(path, name)
        yield from (row for row in rows if any(cell.text or cell.error for cell in row.cells))


def has_unread_parts(path: Path) -> bool:
    """Whether a spreadsheet has comments, or words within a cell in a format of their own, which are not read."""
    with _damages_told(path), ZipFile(path) as archive:
        names = archive.namelist()
        looked_at = [name for name in names if name in {CONTENT, _STRINGS} or name.startswith(_WORKSHEETS)]
        return any(_COMMENTS.search(name) for name in names) or any(
            _holds(archive, name, _OWN_FORMAT) for name in looked_at
        )


def _chosen(path: Path, names: list[str], sheet: str | None) -> str:
    if sheet is not None and sheet not in names:
        raise InvalidValue(unknown(_("sheet"), sheet, listed(names)))
    if not names:
        raise InvalidValue(_("'{name}' has only empty sheets.", name=path.name))
    if sheet is None and len(names) > 1:
        raise InvalidValue(
            _("'{name}' has several sheets: {sheets}. Choose one with --sheet.", name=path.name, sheets=listed(names))
        )
    return sheet or names[0]


def _kind(path: Path) -> str | None:
    """What a file is of the two; None for anything else."""
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            if file.read(len(_ZIP_START)) != _ZIP_START:
                return None
        with ZipFile(path) as archive:
            names = archive.namelist()
    except (BadZipFile, OSError):
        return None
    if _WORKBOOK in names:
        return "xlsx"
    return "ods" if CONTENT in names and path.suffix.lower() in {".ods", ".fods", ".ots"} else None


@contextmanager
def _damages_told(path: Path) -> Iterator[None]:
    try:
        with ZipFile(path) as archive:
            size = sum(entry.file_size for entry in archive.infolist())
        if size > MAX_UNPACKED_BYTES:
            raise InvalidValue(_("'{name}' exceeds 1 GB unpacked. Import it in parts.", name=path.name))
        yield
    except InvalidValue:
        raise
    except _DAMAGES as error:
        raise InvalidValue(
            _(
                "Can't read '{name}' ({reason}). Save it again or as CSV.",
                name=path.name,
                reason=str(error) or type(error).__name__,
            )
        ) from None


@contextmanager
def _workbook(path: Path, *, has_values: bool) -> Iterator[Any]:
    from openpyxl import load_workbook  # noqa: PLC0415  (slow to load, and only where a spreadsheet is met)

    with closing(load_workbook(path, read_only=True, data_only=has_values, keep_links=False)) as workbook:
        yield workbook


def _names_of_xlsx(path: Path) -> list[tuple[str, str]]:
    """The visible sheets with cells that hold something; hidden ones where no visible one does."""
    with _workbook(path, has_values=False) as workbook:
        sheets = [
            (sheet.title, sheet.sheet_state)
            for sheet in workbook.worksheets
            if any(value not in (None, "") for row in sheet.iter_rows(values_only=True) for value in row)
        ]
    return [sheet for sheet in sheets if sheet[1] == "visible"] or sheets


def _iterate_xlsx(path: Path, name: str) -> Iterator[SheetRow]:
    with _workbook(path, has_values=True) as workbook:
        formulas = _formulas_without_values(path, name) if _has_formulas(path) else frozenset[tuple[int, int]]()
        for number, row in enumerate(workbook[name].iter_rows(), start=1):
            yield SheetRow(number, tuple(_cell(cell, column, number, formulas) for column, cell in enumerate(row)))


def _has_formulas(path: Path) -> bool:
    with ZipFile(path) as archive:
        return any(_holds(archive, entry, _FORMULA) for entry in archive.namelist() if entry.startswith(_WORKSHEETS))


def _holds(archive: ZipFile, name: str, pattern: re.Pattern[bytes]) -> bool:
    """Whether an entry holds a pattern, which is shorter than what is kept from one part to the next."""
    with archive.open(name) as file:
        last_part = b""
        while content := file.read(_READ_BYTES):
            if pattern.search(last_part + content):
                return True
            last_part = content[-_LONGEST_TAG:]
    return False


def _formulas_without_values(path: Path, name: str) -> frozenset[tuple[int, int]]:
    """The cells with formulas that no program has worked out, by row and column."""
    with _workbook(path, has_values=False) as formulas, _workbook(path, has_values=True) as values:
        return frozenset(
            (number, column)
            for number, pair in enumerate(
                zip(formulas[name].iter_rows(), values[name].iter_rows(), strict=False), start=1
            )
            for column, (formula, value) in enumerate(zip(*pair, strict=False))
            if formula.data_type == "f" and value.value is None
        )


def _cell(cell: Any, column: int, number: int, formulas: frozenset[tuple[int, int]]) -> Cell:
    if cell.value is None:
        return Cell("", NO_VALUE) if (number, column) in formulas else Cell("")
    if cell.data_type == _ERROR:
        return Cell("", str(cell.value))
    return Cell(cell_text(cell.value, str(cell.number_format or "")))
