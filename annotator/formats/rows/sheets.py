"""Spreadsheets (.xlsx and .ods) as tables of texts: what the sheet shows, with its row numbers and its formula errors."""

import datetime as dt
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile

from annotator.errors import InvalidValue
from annotator.formats.rows.findings import listed
from annotator.language import _, unknown

# What a cell of a spreadsheet shows, and how a spreadsheet calls it.


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


# The sheets of an OpenDocument spreadsheet (.ods), read from its XML as it streams by.


CONTENT = "content.xml"
_READ_BYTES = 2**20
_MOST_COLUMNS = 20_000
_CELLS = frozenset({"table:table-cell", "table:covered-table-cell"})
_NUMBERS = frozenset({"float", "percentage", "currency"})


class NotOds(ValueError):
    """The XML is none, or declares a document type, which no spreadsheet program writes."""


@dataclass(slots=True)
class _Sheets:
    """Takes the elements of a document in; gives the rows of each sheet when they are whole."""

    rows: list[tuple[str, SheetRow]] = field(default_factory=list)
    _sheet: str = ""
    _depth_of_comment: int = 0
    _row: int = 0
    _n_rows: int = 1
    _cells: list[Cell] = field(default_factory=list)
    _n_blank: int = 0
    _attributes: Mapping[str, str] | None = None
    _text: list[str] = field(default_factory=list)

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        if name == "office:annotation" or self._depth_of_comment:
            self._depth_of_comment += 1
        elif name == "table:table":
            self._sheet, self._row = attributes.get("table:name", ""), 0
        elif name == "table:table-row":
            self._cells, self._n_blank = [], 0
            self._n_rows = _number(attributes.get("table:number-rows-repeated"))
        elif name in _CELLS:
            self._attributes, self._text = attributes, []
        elif name == "text:p" and self._text:
            self._text.append("\n")
        elif name == "text:s":
            self._text.append(" " * min(_number(attributes.get("text:c")), 1_000))
        elif name in {"text:tab", "text:line-break"}:
            self._text.append("\t" if name == "text:tab" else "\n")

    def end(self, name: str) -> None:
        """An element ends."""
        if self._depth_of_comment:
            self._depth_of_comment -= 1
        elif name in _CELLS and self._attributes is not None:
            self._add(_ods_cell(self._attributes, "".join(self._text)), self._attributes)
            self._attributes = None
        elif name == "table:table-row":
            if self._cells:
                numbers = range(self._row + 1, self._row + self._n_rows + 1)
                self.rows += [(self._sheet, SheetRow(number, tuple(self._cells))) for number in numbers]
            self._row += self._n_rows

    def characters(self, text: str) -> None:
        """Text of an element."""
        if self._attributes is not None and not self._depth_of_comment:
            self._text.append(text)

    def _add(self, cell: Cell, attributes: Mapping[str, str]) -> None:
        """A cell, as often as it is repeated; blank ones count where another follows."""
        n = _number(attributes.get("table:number-columns-repeated"))
        if not (cell.text or cell.error):
            self._n_blank += n
            return
        if len(self._cells) + self._n_blank + n > _MOST_COLUMNS:
            raise NotOds(f"more than {_MOST_COLUMNS} columns")
        self._cells += [Cell("")] * self._n_blank + [cell] * n
        self._n_blank = 0


def ods_names(path: Path) -> list[str]:
    """The sheets that hold something."""
    return list(dict.fromkeys(name for name, _row in _iterate(path)))


def iterate_ods(path: Path, sheet: str) -> Iterator[SheetRow]:
    """The rows of a sheet that hold something."""
    return (row for name, row in _iterate(path) if name == sheet)


def _iterate(path: Path) -> Iterator[tuple[str, SheetRow]]:
    sheets = _Sheets()
    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = sheets.start
    parser.EndElementHandler = sheets.end
    parser.CharacterDataHandler = sheets.characters
    parser.StartDoctypeDeclHandler = _refuse_document_type
    with ZipFile(path) as archive, archive.open(CONTENT) as file:
        try:
            while content := file.read(_READ_BYTES):
                parser.Parse(content, False)
                yield from sheets.rows
                sheets.rows.clear()
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise NotOds(str(error)) from None
    yield from sheets.rows


def _refuse_document_type(*_declaration: object) -> None:
    raise NotOds("a document type")


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() else 1


def _ods_cell(attributes: Mapping[str, str], text: str) -> Cell:
    """What a cell shows: numbers as they are, but for leading zeros; dates and times as ISO writes them."""
    kind = attributes.get("office:value-type", "")
    if attributes.get("calcext:value-type") == "error" or (attributes.get("table:formula") and text.startswith("Err:")):
        return Cell("", text or "#N/A")
    if kind in _NUMBERS and (value := attributes.get("office:value")) is not None:
        shown = text.strip()
        return Cell(shown if shown.isdecimal() and float(shown) == float(value) else number_text(float(value)))
    if kind == "date":
        return Cell(attributes.get("office:date-value", text).removesuffix("T00:00:00"))
    if kind == "boolean":
        return Cell(attributes.get("office:boolean-value", text).upper())
    return Cell(text)


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
    names = sheet_names(path)
    if sheet is not None and sheet not in names:
        raise InvalidValue(unknown(_("sheet"), sheet, listed(names)))
    if not names:
        raise InvalidValue(_("'{name}' has only empty sheets.", name=path.name))
    if sheet is None and len(names) > 1:
        raise InvalidValue(
            _("'{name}' has several sheets: {sheets}. Choose one with --sheet.", name=path.name, sheets=listed(names))
        )
    name = sheet or names[0]
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
