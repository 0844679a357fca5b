"""Which columns a person may choose for what, before a file is read: those that are taken, guessed or look alike."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from annotator.domain.imports import ColumnChoice, ColumnChoices
from annotator.formats.base import ReadOptions
from annotator.formats.rows.column_findings import likely_columns, marks_in, may_be_own_labels, meaning
from annotator.formats.rows.columns import KEY_NAMES, Columns, field_names, make_plan
from annotator.formats.rows.csv_rows import first_columns, plain_table
from annotator.formats.rows.lines import Row, read_rows
from annotator.formats.rows.plain_rows import have_own_labels

_ROWS_LOOKED_AT = 500
_FIELDS = ("split", "annotator", "annotator_label", "rationales", "rationale_index", "rationale_quotes", "tokens")


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
