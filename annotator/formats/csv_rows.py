"""Plain CSV: a header line with the names of the columns, then one row a line (docs/formats.md)."""

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from annotator.domain.numbers import counted
from annotator.domain.sources import Problem, SourceItem
from annotator.formats.base import ReadOptions
from annotator.formats.columns import FIELD_NAMES, KEY_NAMES
from annotator.formats.findings import Findings, listed, shown
from annotator.formats.lines import MAX_LINE_BYTES, LineError, Row, parse_value, read_lines
from annotator.formats.rows import RowReader

MAX_COLUMNS = 5_000
_DELIMITERS = ",;\t|"
_JSON_COLUMNS = frozenset({"rationales", "tokens", "target"})
_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The instances of a CSV file and what is wrong with its rows.

    Raises: NotFound or InvalidValue when the file cannot be opened
    """
    return RowReader(options).read(_CsvFile(path, options).rows())


@dataclass(slots=True)
class _CsvFile:
    path: Path
    options: ReadOptions
    _broken: list[Problem] = field(default_factory=list)  # lines of the row being read that are not UTF-8

    def rows(self) -> Iterator[Row | Problem]:
        """Every row under the header as an object, or what is wrong with it."""
        csv.field_size_limit(MAX_LINE_BYTES)
        lines = self._lines()
        header_line = next(lines, "")
        delimiter = max(_DELIMITERS, key=header_line.count)
        try:
            header = [name.strip() for name in next(csv.reader([header_line], delimiter=delimiter), [])]
        except csv.Error as error:
            yield Problem(self.path.name, 1, "header", shown(header_line), f"The header is not valid CSV: {error}.")
            return
        problem = self._no_table(header_line) or self._header_problem(header)
        if problem:
            yield problem
            return
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        line = 2
        while True:
            try:
                cells = next(reader, None)
            except csv.Error as error:
                reason = f"The row is not valid CSV: {error}. Look for a quotation mark that is not closed or doubled."
                yield Problem(self.path.name, line, "line", "", reason)
                self._broken.clear()
            else:
                if cells is None:
                    return
                yield from self._row(header, cells, line)
            line = reader.line_num + 2

    def _lines(self) -> Iterator[str]:
        """Lines with their line ends; blank ones inside a quoted cell must stay, so all stay."""
        for raw in read_lines(self.path, keep_blank=True):
            content = raw.content
            if content is None:
                reason = f"The line is longer than {MAX_LINE_BYTES // 2**20} MB; split the row."
                self._broken.append(Problem(self.path.name, raw.number, "line", "", reason))
                yield "\n"
                continue
            try:
                yield content.decode("utf-8") + "\n"
            except UnicodeDecodeError as fault:
                byte = f"Byte {fault.start + 1} of the line (0x{content[fault.start]:02x})"
                reason = f"{byte} is not UTF-8; save the file as UTF-8."
                near = content[max(0, fault.start - 40) :][:80].decode("utf-8", "replace")
                self._broken.append(Problem(self.path.name, raw.number, "line", near, reason))
                yield content.decode("utf-8", "replace") + "\n"

    def _no_table(self, first_line: str) -> Problem | None:
        if not first_line.lstrip().startswith(("{", "[")):
            return None
        reason = (
            "The file looks like JSON and not like a table; choose the format jsonl, or that of the tool that wrote it."
        )
        return Problem(self.path.name, 1, "file", shown(first_line.strip()), reason)

    def _header_problem(self, header: list[str]) -> Problem | None:
        if self._broken:
            return self._broken[0]
        twice = sorted(name for name, n in Counter(header).items() if name and n > 1)
        if len(header) > MAX_COLUMNS:
            reason = (
                f"The header names {counted(len(header), 'column')}, and a table may have {MAX_COLUMNS:,} at "
                "most; leave columns out."
            )
        elif twice:
            reason = f"Two columns are called {listed(twice)}; give each its own name."
        elif not any(name in KEY_NAMES for name in header):
            reason = f"No column holds the id; the first line must name the columns, one of them {listed(KEY_NAMES)}."
        else:
            return None
        return Problem(self.path.name, 1, "header", shown(", ".join(header)), reason)

    def _row(self, header: list[str], cells: list[str], line: int) -> Iterator[Row | Problem]:
        if self._broken:
            yield from self._broken
            self._broken.clear()
            return
        if not any(cell.strip() for cell in cells):
            return
        findings = Findings(self.path.name, line)
        values = self._values(header, cells, findings)
        if findings.is_refused:
            yield from findings.problems
        else:
            yield Row(self.path.name, line, values)

    def _values(self, header: list[str], cells: list[str], findings: Findings) -> dict[str, Any]:
        if len(cells) != len(header):
            reason = (
                f"The row has {counted(len(cells), 'cell')}, but the header names "
                f"{counted(len(header), 'column')}; quote cells with commas."
            )
            findings.refuse("line", cells, reason)
        values: dict[str, Any] = {}
        for name, cell in zip(header, cells, strict=False):
            if "\0" in cell:
                findings.refuse(name, cell, "It holds a NUL character; remove it.")
            elif self._holds_json(name, cell):
                values[name] = _json_cell(name, cell, findings)
            elif name == "exhaustive":
                values[name] = _truth_cell(name, cell, findings)
            elif name:
                values[name] = cell
        return values

    def _holds_json(self, name: str, cell: str) -> bool:
        is_object = name in FIELD_NAMES["metadata"] and cell.lstrip().startswith("{")
        is_target = name == "target" and not self.options.task.has_target
        return (name in _JSON_COLUMNS or is_object) and not is_target and self.options.task.spec_of(name) is None


def _json_cell(name: str, cell: str, findings: Findings) -> object:
    if not cell.strip():
        return None
    try:
        return parse_value(cell.encode("utf-8"))
    except LineError as fault:
        findings.refuse(name, cell, f"The cell must hold JSON. {fault.reason}")
        return None


def _truth_cell(name: str, cell: str, findings: Findings) -> bool | None:
    value = _TRUTH.get(cell.strip().lower())
    if value is None and cell.strip():
        findings.refuse(name, cell, "It must be true, false or empty.")
    return value
