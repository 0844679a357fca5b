"""Plain CSV (docs/formats.md): a header line, then one row a line; and which columns a person may choose for what."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from annotator.domain.imports import ColumnChoice, ColumnChoices
from annotator.domain.numbers import counted
from annotator.domain.sources import SourceColumns, SourceItem
from annotator.errors import Problem
from annotator.formats.base import ReadOptions
from annotator.formats.rows.column_findings import (
    column_report,
    columns_not_there,
    likely_columns,
    marks_in,
    may_be_own_labels,
    meaning,
    missing,
)
from annotator.formats.rows.columns import KEY_NAMES, Columns, ColumnValues, Plan, field_names, make_plan
from annotator.formats.rows.csv_table import CsvTable
from annotator.formats.rows.gold_csv import GOLD_TABLE, annotator_rows, is_gold_table
from annotator.formats.rows.lines import Row, read_rows
from annotator.formats.rows.plain_rows import RowReader, have_own_labels
from annotator.language import _

_ROWS_LOOKED_AT = 500


def read(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The instances of a CSV file, what is wrong with its header or rows, and at the end what its columns are taken for.

    Raises: NotFound or InvalidValue when the file cannot be opened
    """
    table = _PlainTable(path, options)
    if table.is_gold_table():
        yield from _read_gold(path, options)
        return
    yield from RowReader(options, are_marks_asked=True).read(table.columns.watched(table.rows()))
    report = table.report()
    if report is not None:
        yield report


def _read_gold(path: Path, options: ReadOptions) -> Iterator[SourceItem]:
    """The instances of our own table of gold, whose columns are known: none is chosen or left out."""
    options = replace(options, columns={}, left_columns=frozenset())
    yield from RowReader(options).read(annotator_rows(_PlainTable(path, options).rows()))
    yield SourceColumns(_(GOLD_TABLE))


def first_columns(path: Path, options: ReadOptions) -> Columns:
    """The columns of a CSV file, with what its first rows hold; none of one whose header cannot be read, or of our own gold.

    Raises: NotFound or InvalidValue when the file cannot be opened
    """
    table = _PlainTable(path, options)
    return Columns() if table.is_gold_table() else table.first_columns()


def plain_table(path: Path, options: ReadOptions) -> Iterator[Row | Problem]:
    """The rows of a CSV file as they are, whatever its header lacks; none of a file whose header cannot be read."""
    table = _PlainTable(path, options)
    if table.open() is None:
        yield from table.body()


@dataclass(slots=True)
class _PlainTable(CsvTable):
    columns: Columns = field(default_factory=Columns)

    def is_gold_table(self) -> bool:
        """Whether it is our own export of gold; not where columns were chosen for this file."""
        return not self.options.needed_columns and self.open() is None and is_gold_table(self.header, self.options.task)

    def first_columns(self) -> Columns:
        """What the first rows hold, whatever the header lacks."""
        if self.open() is None:
            self._look()
        return self.columns

    def _look(self) -> None:
        self.columns.by_name = {name: ColumnValues() for name in self.header if name}
        for row in islice(self.body(), _ROWS_LOOKED_AT):
            if isinstance(row, Row):
                self.columns.add(row.values)

    def missing(self) -> list[str]:
        """What no row can be read without; the first rows show which column may be it."""
        self.columns.by_name = {name: ColumnValues() for name in self.header if name}
        plan = self._plan(self.header)
        if missing(plan, self.columns, self.options):
            self._look()
        names = [name for name in self.header if name]
        return [*columns_not_there(names, self.options), *missing(plan, self.columns, self.options)]

    def n_known(self, header: list[str]) -> int:
        """Also the names of other fields, and of segments."""
        plan = self._plan(header)
        return len(plan.fields) + len(plan.segments)

    def report(self) -> SourceColumns | None:
        """What the columns are taken for; None of a file without a header."""
        report = column_report(self.columns, self.options)
        unnamed = [number for number, name in enumerate(self.header, start=1) if not name]
        if report is None or not unnamed:
            return report
        return replace(report, doubts=(*report.doubts, _left_out(unnamed)))

    def _plan(self, header: list[str]) -> Plan:
        names = tuple(dict.fromkeys(name for name in header if name))
        return make_plan(self.options.task, names, self.options.columns, self.options.left_columns)


def _left_out(unnamed: Sequence[int]) -> str:
    """That columns have no name, by their numbers from 1."""
    if len(unnamed) == 1:
        return _("Column {number} has no name and is ignored.", number=unnamed[0])
    return _("{columns} have no name and are ignored.", columns=counted(len(unnamed), "column"))


# Which columns a person may choose for what, before a file is read: those that are taken, guessed or look alike.


_FIELDS = (
    "split", "language", "annotator", "annotator_label", "rationales", "rationale_index", "rationale_quotes", "tokens",
)  # fmt: skip


def column_choices(path: Path, format_name: str, options: ReadOptions) -> ColumnChoices | None:
    """The choices for a file with plain rows; None of one that holds others, or none.

    Raises: NotFound or InvalidValue when the file cannot be opened
    """
    columns = first_columns(path, options) if format_name == "csv" else _first_fields(path)
    names = tuple(columns.by_name)
    if not names or (format_name == "jsonl" and {"record", "fields"} & {*names}):
        return None
    plan = make_plan(options.task, names, options.columns, options.left_columns)
    taken = dict((*plan.fields, *plan.segments))
    needed = {"key", *(spec.name for spec in options.task.segments if not spec.may_be_empty)}
    of_segments = [spec.name for spec in options.task.segments]
    likely = likely_columns(plan, columns, options)
    choices = [
        ColumnChoice(
            _written(name, options), meaning(name, options.task), taken.get(name),
            () if name in taken else tuple(likely.get(name, ())), name in needed,
        )
        for name in ("key", *of_segments, "result", *_FIELDS)
    ]  # fmt: skip
    guesses = {name: only[0] for name, only in likely.items() if len(only) == 1}
    guessed = replace(options, columns={**guesses, **options.columns})
    guessed_plan = make_plan(options.task, names, guessed.columns, options.left_columns)
    if may_be_own_labels(guessed_plan) and have_own_labels(_rows(path, format_name, guessed), guessed):
        choices = [_of_own_label(choice, guessed_plan.names["result"]) for choice in choices]
    marks = tuple(marks_in(make_plan(options.task, names), columns))
    return ColumnChoices(
        names,
        tuple(_apart(choices)),
        tuple(c for c in names if c in options.left_columns),
        marks,
        tuple(c for c in marks if c in options.metadata_columns),
    )


def _apart(choices: Sequence[ColumnChoice]) -> Sequence[ColumnChoice]:
    """A column that looks like two things is guessed for neither."""
    guesses = [choice.guess for choice in choices if choice.guess is not None]
    return [
        choice
        if choice.column is not None or choice.guess is None or guesses.count(choice.guess) == 1
        else ColumnChoice(choice.name, choice.words, None, (), choice.is_needed)
        for choice in choices
    ]


def _of_own_label(choice: ColumnChoice, column: str) -> ColumnChoice:
    """The choice where the column of the label looks like each annotator's own."""
    if choice.name == "annotator_label":
        return replace(choice, likely=(column,))
    return replace(choice, is_doubted=True) if choice.guess == column else choice


def _rows(path: Path, format_name: str, options: ReadOptions) -> Iterator[Mapping[str, object]]:
    rows = plain_table(path, options) if format_name == "csv" else read_rows(path, path.name)
    return (row.values for row in rows if isinstance(row, Row))


def _written(name: str, options: ReadOptions) -> str:
    if name == "key":
        return KEY_NAMES[0]
    return field_names(options.task)["result"][0] if name == "result" else name


def _first_fields(path: Path) -> Columns:
    columns = Columns()
    for row in islice(read_rows(path, path.name), _ROWS_LOOKED_AT):
        if isinstance(row, Row):
            columns.add(row.values)
    return columns
