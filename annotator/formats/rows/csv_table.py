"""A CSV file or a sheet as a table: its header, and its rows as objects with lists and truth values in their cells."""

import ast
import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from annotator.domain.numbers import counted
from annotator.errors import Problem
from annotator.formats.base import ReadOptions
from annotator.formats.rows.columns import FIELD_NAMES, KEY_NAMES, NUMBER
from annotator.formats.rows.findings import Findings, listed, shown
from annotator.formats.rows.lines import (
    MAX_LINE_BYTES,
    LineError,
    Row,
    line_too_long,
    not_utf8,
    parse_value,
    read_lines,
)
from annotator.formats.rows.marks import are_tags
from annotator.formats.rows.sheets import NO_VALUE, cell_name, has_unread_parts, is_spreadsheet, sheet_rows
from annotator.language import _, several, unsaid

MAX_COLUMNS = 5_000
_TOO_FEW_CELLS = unsaid("Row has {cells}, header {columns}. Add the missing cells, also empty ones.")
_TOO_MANY_CELLS = unsaid("Row has {cells}, header {columns}. Quote cells with {delimiters}.")
_DELIMITERS = {",": unsaid("commas"), ";": unsaid("semicolons"), "\t": unsaid("tabs"), "|": unsaid("vertical bars (|)")}
FAULTS_OF_CSV = (  # as Python's reader says them
    unsaid("unexpected end of data"),
    unsaid("',' expected after '\"'"),
    unsaid("';' expected after '\"'"),
    unsaid("'\t' expected after '\"'"),
)
_NAMED_DELIMITER = re.compile(r"sep=([,;\t|])\s*")  # Excel's own first line
_LINES_LOOKED_AT = 20
_JSON_COLUMNS = frozenset(
    name
    for ours in ("rationales", "rationale_index", "rationale_mask", "tokens")
    for name in (ours, *FIELD_NAMES[ours])
) | {"target"}
_EXAMPLES = {
    "rationales": unsaid('[[{"start_token": 2, "end_token": 4}]] (a list of sets of spans)'),
    "rationale_index": unsaid("[2, 5] (marked token numbers, from 0)"),
    "rationale_mask": unsaid("[0, 0, 1, 0] (one number per token)"),
    "rationale_quotes": '["superb film", "so calm"]',
    "tokens": '["a", "superb", "film"]',
}
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(slots=True)
class CsvTable:
    """One CSV file. Of a header that cannot be used everything that is wrong with it is reported at once, and no row is read."""

    path: Path
    options: ReadOptions
    delimiter: str = ","
    header: list[str] = field(default_factory=list)
    header_line: int = 1
    is_sheet: bool = False
    _broken: list[Problem] = field(default_factory=list)  # lines of the row being read that are not UTF-8

    def rows(self) -> Iterator[Row | Problem]:
        """Every row under the header as an object, or what is wrong with it or with the header."""
        fault = self.open()
        if fault is not None:
            yield fault
            return
        reasons = self.header_reasons()
        if reasons:
            yield from (self._header_problem(reason) for reason in reasons)
        else:
            yield from self.body()

    def header_reasons(self) -> list[str]:
        """Everything for which no row under the header can be read."""
        twice = sorted(name for name, n in Counter(self.header).items() if name and n > 1)
        reasons = [_("Duplicate column '{name}'. Rename one.", name=shown(name)) for name in twice]
        return reasons + self.missing()

    def missing(self) -> list[str]:
        """A sentence for each column that is needed and is not there."""
        if any(name in KEY_NAMES for name in self.header):
            return []
        return [_("No id column. Name one {names}.", names=listed(KEY_NAMES))]

    def n_known(self, header: list[str]) -> int:
        """How many names of a header are those of a column that is read."""
        return sum(name in KEY_NAMES for name in header)

    def _header_problem(self, reason: str) -> Problem:
        remedy = NUMBER if "(--number-keys)" in reason else ""
        return Problem(self.path.name, self.header_line, "header", shown(", ".join(self.header)), reason, remedy=remedy)

    def open(self) -> Problem | None:
        """Find delimiter and header; the problem of a file that has none."""
        if is_spreadsheet(self.path):
            return self._open_sheet()
        csv.field_size_limit(MAX_LINE_BYTES)
        lines = list(islice(self._lines(), _LINES_LOOKED_AT))
        if self._broken and self._broken[0].line == 1:
            return self._broken[0]
        self._broken.clear()
        first = lines[0] if lines else ""
        if first.lstrip().startswith(("{", "[")):
            reason = _("Looks like JSON, not a table. Choose its format.")
            return Problem(self.path.name, 1, "file", shown(first.strip()), reason)
        named = _NAMED_DELIMITER.fullmatch(first)
        if named is not None:
            self.header_line, lines = 2, lines[1:]
        self.delimiter = (
            named.group(1) if named else max(_DELIMITERS, key=lambda delimiter: self._fit(delimiter, lines))
        )
        try:
            self.header = _names(lines, self.delimiter)
        except csv.Error as error:
            reason = _("The header isn't valid CSV: {reason}.", reason=_(str(error)))
            return Problem(self.path.name, self.header_line, "header", shown(lines[0]), reason)
        return self._too_many_columns()

    def _open_sheet(self) -> Problem | None:
        """Find the header of a spreadsheet: its first row that holds something."""
        self.is_sheet = True
        first = next(sheet_rows(self.path, self.options.sheet), None)
        self.header_line = 1 if first is None else first.number
        self.header = [] if first is None else [cell.text.strip() for cell in first.cells]
        while self.header and not self.header[-1]:
            self.header.pop()
        return self._too_many_columns()

    def _too_many_columns(self) -> Problem | None:
        if len(self.header) > MAX_COLUMNS:
            reason = _(
                "Header has {columns}; the limit is {most}. Remove some.",
                columns=counted(len(self.header), "column"),
                most=f"{MAX_COLUMNS:,}",
            )
            return self._header_problem(reason)
        return None

    def _fit(self, delimiter: str, lines: list[str]) -> tuple[int, int, int]:
        """How well a delimiter fits: names that are known, rows with as many cells as the header, columns."""
        try:
            header = _names(lines, delimiter)
            rows = [cells for cells in csv.reader(lines[1:], delimiter=delimiter) if cells]
        except csv.Error:
            return 0, 0, 0
        if len(header) < 2:
            return 0, 0, 0
        return self.n_known(header), sum(len(cells) == len(header) for cells in rows), len(header)

    def body(self) -> Iterator[Row | Problem]:
        """The rows of a header that can be used."""
        if self.is_sheet:
            yield from self._sheet_body()
            return
        lines = self._lines()
        for _line in islice(lines, self.header_line):
            pass
        reader = csv.reader(lines, delimiter=self.delimiter, strict=True)
        line = self.header_line + 1
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                reason = _("Invalid CSV: {reason}. Check for unclosed or undoubled quotes.", reason=_(str(error)))
                yield Problem(self.path.name, line, "line", "", reason)
                self._broken.clear()
            else:
                if cells is None:
                    return
                yield from self._row(cells, line)
            line = reader.line_num + self.header_line + 1

    def _sheet_body(self) -> Iterator[Row | Problem]:
        """The rows of a sheet; of a row with a formula that gave no value, which cell it is."""
        for row in sheet_rows(self.path, self.options.sheet):
            if row.number <= self.header_line:
                continue
            cells, findings = list(row.cells), Findings(self.path.name, row.number)
            while len(cells) > len(self.header) and not (cells[-1].text or cells[-1].error):
                cells.pop()
            for column, cell in enumerate(cells):
                name = self.header[column] if column < len(self.header) else ""
                if cell.error and name not in self.options.left_columns:
                    findings.refuse(name, cell.error, _formula_words(cell_name(column, row.number), cell.error))
            if findings.is_refused:
                yield from findings.problems
            else:
                texts = [cell.text for cell in cells]
                yield from self._row(texts + [""] * (len(self.header) - len(texts)), row.number)
        if has_unread_parts(self.path):
            reason = _("Cell comments and formatting aren't read.")
            yield Problem(self.path.name, None, "file", self.path.name, reason, is_warning=True)

    def _lines(self) -> Iterator[str]:
        """Lines with their line ends; blank ones inside a quoted cell must stay, so all stay."""
        for raw in read_lines(self.path, keep_blank=True):
            content = raw.content
            if content is None:
                self._broken.append(Problem(self.path.name, raw.number, "line", "", line_too_long()))
                yield "\n"
                continue
            try:
                yield content.decode("utf-8") + "\n"
            except UnicodeDecodeError as fault:
                near = content[max(0, fault.start - 40) :][:80].decode("utf-8", "replace")
                self._broken.append(Problem(self.path.name, raw.number, "line", near, not_utf8()))
                yield content.decode("utf-8", "replace") + "\n"

    def _row(self, cells: list[str], line: int) -> Iterator[Row | Problem]:
        if self._broken:
            yield from self._broken
            self._broken.clear()
            return
        if not any(cell.strip() for cell in cells):
            return
        findings = Findings(self.path.name, line)
        values = self._values(cells, findings)
        if findings.is_refused:
            yield from findings.problems
        else:
            yield Row(self.path.name, line, values)

    def _values(self, cells: list[str], findings: Findings) -> dict[str, Any]:
        if len(cells) > len(self.header) and self.is_sheet:
            name = cell_name(len(self.header), findings.line or 0)
            findings.refuse("line", cells, _("Cell {cell} has no header.", cell=name))
        elif len(cells) != len(self.header):
            reason = _(
                _TOO_FEW_CELLS if len(cells) < len(self.header) else _TOO_MANY_CELLS,
                cells=counted(len(cells), "cell"),
                columns=counted(len(self.header), "column"),
                delimiters=_(_DELIMITERS[self.delimiter]),
            )
            findings.refuse("line", cells, reason)
        values: dict[str, Any] = {}
        for name, cell in zip(self.header, cells, strict=False):
            if "\0" in cell:
                findings.refuse(name, cell, _("Contains a NUL character. Remove it."))
            elif self._holds_json(name, cell):
                values[name] = _json_cell(name, cell, _example(self._meaning(name)), findings)
            elif self._meaning(name) == "exhaustive":
                values[name] = _truth_cell(name, cell, findings)
            elif name:
                values[name] = cell
        return values

    def _meaning(self, column: str) -> str:
        """The field that a column was chosen for, else its name."""
        return next((ours for ours, chosen in self.options.columns.items() if chosen == column), column)

    def _holds_json(self, name: str, cell: str) -> bool:
        if name in self.options.left_columns:
            return False
        name = self._meaning(name)
        if name in FIELD_NAMES["rationales"] and are_tags(cell):
            return False
        is_object = name in FIELD_NAMES["metadata"] and cell.lstrip().startswith("{")
        is_quotes = name in FIELD_NAMES["rationale_quotes"] and cell.lstrip().startswith("[")
        is_target = name == "target" and not self.options.task.has_target
        return (
            (name in _JSON_COLUMNS or is_object or is_quotes)
            and not is_target
            and self.options.task.spec_of(name) is None
        )


def _formula_words(cell: str, error: str) -> str:
    if error == NO_VALUE:
        return _("Formula in {cell} has no value. Re-save the spreadsheet.", cell=cell)
    return _("Formula in {cell} gives {error}.", cell=cell, error=error)


def _names(lines: list[str], delimiter: str) -> list[str]:
    """The header's names; of no line, none."""
    return [name.strip() for name in next(csv.reader(lines[:1], delimiter=delimiter), [])]


def _json_cell(name: str, cell: str, example: str, findings: Findings) -> object:
    if not cell.strip():
        return None
    try:
        return parse_value(cell.encode("utf-8"))
    except LineError as fault:
        as_python = python_list(cell)
        if as_python is None:
            reason = (
                _("Must be JSON, such as {example}. {reason}", example=_(example), reason=fault.reason)
                if example
                else _("Must be JSON. {reason}", reason=fault.reason)
            )
            findings.refuse(name, cell, reason)
        return as_python


def _example(name: str) -> str:
    """A cell that is right, for a column that many write otherwise; "" for others."""
    ours = next((ours for ours in _EXAMPLES if name in (ours, *FIELD_NAMES[ours])), None)
    return "" if ours is None else _EXAMPLES[ours]


def python_list(cell: str) -> list[object] | None:
    """A list as Python prints it, such as ['a', "isn't"]; None where the cell holds none."""
    if not cell.lstrip().startswith("["):
        return None
    try:
        value = ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return value if isinstance(value, list) else None


def _truth_cell(name: str, cell: str, findings: Findings) -> bool | None:
    value = _TRUTH.get(cell.strip().lower())
    if value is None and cell.strip():
        findings.refuse(name, cell, _("Must be true, false or empty."))
    return value


@dataclass(slots=True)
class TextTable(CsvTable):
    """A table all of whose cells are text, and that must have certain columns."""

    needed: Sequence[str] = ()

    def missing(self) -> list[str]:
        """All of these columns that are not there, in one sentence."""
        missing = [name for name in self.needed if name not in self.header]
        if not missing:
            return []
        return [
            several(
                "Column {columns} is missing.", "Columns {columns} are missing.", len(missing), columns=listed(missing)
            )
        ]

    def _holds_json(self, name: str, cell: str) -> bool:  # noqa: ARG002
        return False
