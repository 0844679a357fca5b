"""Which columns a person may choose for what, before a file is read: those that are taken, guessed or look alike."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from annotator.domain.columns import ColumnChoice, ColumnChoices
from annotator.formats.base import ReadOptions
from annotator.formats.rows.column_findings import likely_columns, meaning
from annotator.formats.rows.column_names import KEY_NAMES, field_names
from annotator.formats.rows.column_plan import make_plan
from annotator.formats.rows.column_values import Columns
from annotator.formats.rows.csv_rows import first_columns
from annotator.formats.rows.lines import Row, read_rows

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
    return ColumnChoices(names, tuple(_apart(choices)), tuple(c for c in names if c in options.left_columns))


def _apart(choices: Sequence[ColumnChoice]) -> Sequence[ColumnChoice]:
    """A column that looks like two things is guessed for neither."""
    guesses = [choice.guess for choice in choices if choice.guess is not None]
    return [
        choice
        if choice.column is not None or choice.guess is None or guesses.count(choice.guess) == 1
        else ColumnChoice(choice.name, choice.words, None, (), choice.is_needed)
        for choice in choices
    ]


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
