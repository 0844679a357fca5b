"""The sheets of an OpenDocument spreadsheet (.ods), read from its XML as it streams by.

Source:  OpenDocument 1.3, part 3, sections 9.1 (tables), 6.1 (text) and 19.385 (office:value-type)
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat
from zipfile import ZipFile

from annotator.formats.rows.sheet_cells import Cell, SheetRow, number_text

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
            self._add(_cell(self._attributes, "".join(self._text)), self._attributes)
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


def _cell(attributes: Mapping[str, str], text: str) -> Cell:
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
